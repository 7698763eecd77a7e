// Gains of `tendril lqr` read back from lqr.json.
#ifndef TD_GAINS_H
#define TD_GAINS_H

#include "base/base.h"

typedef struct td_gains {
  int nx, nu, ny;
  double *A, *B, *C, *D;  // row-major
  double *K, *L;          // NULL: not in the file
  int* output;            // (ny) which sensor each row of C and D is
  double* inverse;        // nx x (2 nv + nz)
  double *q, *v, *u, *z;  // the point of linearisation
} td_gains;

// For this model: inputs and outputs must be its own.  On failure `message` says why.
td_status td_gains_read(const char* path, const td_model* model, td_gains** gains, char* message,
                        size_t size);
void td_gains_free(td_gains* gains);

#endif
