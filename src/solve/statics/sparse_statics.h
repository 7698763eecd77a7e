// The linear algebra of statics for sparse models: tangent, rows and mass matrix in their pattern,
// one saddle-point system over them.
#ifndef TD_SPARSE_STATICS_H
#define TD_SPARSE_STATICS_H

#include "engine/sparse_engine.h"
#include "solve/statics/statics.h"

typedef struct sparse_statics {
  sparse_kkt* kkt;
  bool ready;         // it is factored
  bool held;          // with a stiffness for directions that nothing holds
  double *K, *J, *M;  // values of the pattern, of the rows, of the mass matrix's blocks
  double *f, *x;      // (nv)
  // internal states that follow: responses of x and of the multipliers, 1 + S X; NULL: none yet
  double *X, *L, *H, *y;
  int* pivot;
} sparse_statics;

// Gives `statics` its `sparse` and its equations the linear algebra.
td_status td_sparse_statics_new(td_statics* statics);
void td_sparse_statics_free(sparse_statics* sparse);

// K, J and M at q, multipliers l, parameter p; C (may be NULL) takes dF/dv.
void td_sparse_assemble(td_statics* statics, const double* q, const double* l, double p, double* C);
// K += shift M
void td_sparse_shift(td_statics* statics, double shift);

#endif
