// The sequence of Sobol.
#ifndef TD_ENSEMBLE_SOBOL_H
#define TD_ENSEMBLE_SOBOL_H

#include <stdint.h>

enum { SOBOL_BITS = 32 };

// Direction numbers of a dimension (from 0), V_1 first, as 32-bit fractions.
void td_sobol_directions(int dimension, uint32_t direction[SOBOL_BITS]);

// Coordinate of point i (from 0), as a 32-bit fraction.
uint32_t td_sobol_at(const uint32_t direction[SOBOL_BITS], uint32_t i);

#endif
