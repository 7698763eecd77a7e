// Modes and reductions of large models share these products, factors and lowest natural modes.
#ifndef TD_SPARSE_MODES_H
#define TD_SPARSE_MODES_H

#include "solve/statics/sparse_statics.h"

typedef struct spectrum {
  td_statics* s;
  double* C;      // dF/dv
  double *f, *g;  // (nv)
  double shift;
} spectrum;

typedef struct modes {
  int count, found;
  double *w, *V;  // squares of frequencies (count), shapes (count + 1 rows of nv)
} modes;

// How far the stiffness at q, l is from symmetric, relative to its largest element.
double td_sparse_asymmetry(td_statics* s, const double* q, const double* l);
// Factors of what is in s->sparse.
td_status td_sparse_refactor(td_statics* s);
// The `count` lowest modes at q, l.
td_status td_sparse_natural(spectrum* p, const double* q, const double* l, modes* out);

#endif
