// Tables of Radau IIA methods from their definition: the nodes are the zeros of P_s(x) - P_{s-1}(x)
// on [0, 1], A_ij = integral of the Lagrange polynomial l_j from 0 to c_i.
#include "solve/time/collocation.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/quadrature.h"

enum { MOST = TD_STAGES_MOST };

// ---- polynomials ------------------------------------------------------------------------------

// l_j(x) on the nodes
static double lagrange(const double* node, int n, int j, double x) {
  double l = 1;
  for (int i = 0; i < n; i++)
    if (i != j) l *= (x - node[i]) / (node[j] - node[i]);
  return l;
}

void td_collocation_values(const td_collocation* k, double x, double* weight) {
  double node[MOST + 1] = {0};
  memcpy(node + 1, k->c, (size_t)k->s * sizeof(double));
  for (int j = 0; j < k->s; j++) weight[j] = lagrange(node, k->s + 1, j + 1, x);
}

void td_collocation_integrals(const td_collocation* k, double x, double* weight) {
  for (int j = 0; j < k->s; j++) {
    weight[j] = 0;
    for (int g = 0; g < k->s; g++)
      weight[j] += x * k->weight[g] * lagrange(k->c, k->s, j, x * k->gauss[g]);
  }
}

// ---- tables -----------------------------------------------------------------------------------

// P_s - P_{s-1} at x in [-1, 1]
static double radau_polynomial(int s, double x) {
  double P[MOST + 1];
  td_legendre(s, x, P);
  return P[s] - P[s - 1];
}

// The zeros lie between those of P_{s-1}, and the last is 1: bisection to rounding
static void find_nodes(td_collocation* k) {
  double gauss[MOST], w[MOST];
  td_gauss(k->s - 1, gauss, w);
  for (int i = 0; i < k->s - 1; i++) {
    double low = i > 0 ? gauss[i - 1] : 0, high = gauss[i];
    const bool rising = radau_polynomial(k->s, 2 * high - 1) > 0;
    for (int b = 0; b < 60; b++) {
      const double x = (low + high) / 2;
      if ((radau_polynomial(k->s, 2 * x - 1) > 0) == rising)
        high = x;
      else
        low = x;
    }
    k->c[i] = (low + high) / 2;
  }
  k->c[k->s - 1] = 1;
}

// X = A^-1 for s x s matrices
static bool invert(int s, const double* A, double* X) {
  double LU[MOST * MOST];
  int pivot[MOST];
  memcpy(LU, A, (size_t)(s * s) * sizeof(double));
  if (td_lu(LU, s, pivot) != 0) return false;
  for (int i = 0; i < s * s; i++) X[i] = i % (s + 1) == 0;
  td_lu_solve(LU, pivot, s, X, s);
  return true;
}

// Eigenvectors of A^-1 as columns of T: the real one first, then real and imaginary parts
static bool find_blocks(td_collocation* k) {
  const int s = k->s;
  double re[MOST], im[MOST], V[MOST * MOST];
  if (!td_eig_general(k->slope, s, re, im, V)) return false;
  int real = 0;
  while (real < s - 1 && im[real] != 0) real++;
  for (int i = 0; i < s; i++) {
    const int from = i == 0 ? real : i <= real ? i - 1 : i;
    k->re[i] = re[from];
    k->im[i] = im[from];
    for (int r = 0; r < s; r++) k->T[r * s + i] = V[from * s + r];
  }
  return invert(s, k->T, k->back);
}

td_status td_collocation_find(int stages, td_collocation* k) {
  *k = (td_collocation){.s = stages};
  double A[MOST * MOST];
  find_nodes(k);
  td_gauss(k->s, k->gauss, k->weight);
  for (int i = 0; i < k->s; i++) td_collocation_integrals(k, k->c[i], A + i * k->s);
  if (!invert(k->s, A, k->slope) || !find_blocks(k)) return TD_E_NOMEM;
  for (int j = 0; j < k->s; j++)
    for (int i = 0; i < k->s; i++)
      k->first[j] += lagrange(k->c, k->s, i, 0) * k->slope[i * k->s + j];
  return TD_OK;
}
