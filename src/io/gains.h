// Gains of `tendril lqr` read back from lqr.json.
#ifndef TD_GAINS_H
#define TD_GAINS_H

#include "base/base.h"

// A linear model with its gains, about a point of linearisation.
typedef struct td_gains {
  int nx, nu, ny;
  double *A, *B, *C, *D;  // row-major
  double *K, *L;          // NULL: not in the file
  int* output;            // (ny) sensor of each output
  double* inverse;        // nx x (2 nv + nz): from displacements, velocities and z to x
  double *q, *v, *u, *z;  // the point of linearisation
} td_gains;

// Read the gains for a model, whose inputs and outputs must be those of the file.  On failure
// `message` tells why.
td_status td_gains_read(const char* path, const td_model* model, td_gains** gains, char* message,
                        size_t size);
void td_gains_free(td_gains* gains);

#endif
