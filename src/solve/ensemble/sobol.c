// The sequence of Sobol in up to 32 dimensions.
//
// Dimension j has a primitive polynomial x^s + a_1 x^(s-1) + ... + a_(s-1) x + 1 over the field of
// two elements and odd numbers m_1, ..., m_s with m_k < 2^k.  Further ones follow from
//
//   m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ ... ^ 2^(s-1) a_(s-1) m_(k-s+1) ^ 2^s m_(k-s) ^ m_(k-s)
//
// and V_k = m_k / 2^k.  Point i is the exclusive or of the V_k for which bit k - 1 of the Gray code
// i ^ (i >> 1) is set [sobol1967, antonov1979].  The numbers m are those of [joekuo2008], chosen
// there for uniform projections on pairs of coordinates.
#include "solve/ensemble/sobol.h"

#include "base/base.h"
#include "tendril/sweep.h"

// The table of [joekuo2008], file new-joe-kuo-6: degree, inner coefficients of the polynomial as
// bits, m.  Dimension 1 is van der Corput's sequence.
typedef struct direction_row {
  int degree;
  unsigned inner;
  unsigned m[7];
} direction_row;

// clang-format off
static const direction_row rows[TD_SOBOL_DIMENSIONS] = {
    {0, 0, {0}},
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
};
// clang-format on

void td_sobol_directions(int dimension, uint32_t direction[SOBOL_BITS]) {
  require(dimension >= 0 && dimension < TD_SOBOL_DIMENSIONS);
  const direction_row* row = &rows[dimension];
  const int s = row->degree;
  for (int k = 0; k < SOBOL_BITS; k++) {
    if (s == 0) {
      direction[k] = (uint32_t)1 << (SOBOL_BITS - 1 - k);
    } else if (k < s) {
      direction[k] = (uint32_t)row->m[k] << (SOBOL_BITS - 1 - k);
    } else {
      // the recurrence, for V instead of m
      uint32_t v = direction[k - s] ^ (direction[k - s] >> s);
      for (int j = 1; j < s; j++)
        if (row->inner >> (s - 1 - j) & 1) v ^= direction[k - j];
      direction[k] = v;
    }
  }
}

uint32_t td_sobol_at(const uint32_t direction[SOBOL_BITS], uint32_t i) {
  uint32_t x = 0;
  int k = 0;
  for (uint32_t gray = i ^ (i >> 1); gray != 0; gray >>= 1, k++)
    if (gray & 1) x ^= direction[k];
  return x;
}
