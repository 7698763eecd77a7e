// K, C, M and J of small vibrations about an equilibrium as one list of numbers, dense or in the
// pattern of the model, so that their slopes are lists of the same kind.  Vectors are of all
// velocities, zero for prescribed ones.
#ifndef TD_GRADIENT_PENCIL_H
#define TD_GRADIENT_PENCIL_H

#include "solve/gradient/slope.h"

typedef enum pencil_part { PENCIL_K, PENCIL_C, PENCIL_M, PENCIL_J, PENCIL_PARTS } pencil_part;

typedef struct td_pencil {
  td_rest* r;
  bool sparse;
  int first[PENCIL_PARTS + 1];  // where each part begins, and how many numbers there are
  double* at;                   // the numbers at the equilibrium
  double asymmetry;             // of K on the motions that the constraints allow (sparse: of all)
  td_saddle* saddle;            // dense: with the rows factored
  // scratch
  double *A, *J, *f, *x, *g;
} td_pencil;

// Internal states are held.
td_status td_pencil_new(td_rest* rest, td_pencil** pencil);
void td_pencil_free(td_pencil* pencil);
// The numbers at the state of r->s with multipliers lambda (a td_sampled's `values`, ctx a
// td_pencil).
td_status td_pencil_values(void* ctx, td_rest* rest, const double* lambda, double* out);
// y = A x, or A'x, for A one of K, C and M among `values`; z = J x; y += scale J'z.
void td_pencil_multiply(const td_pencil* pencil, const double* values, pencil_part part,
                        bool transposed, const double* x, double* y);
void td_pencil_rows(const td_pencil* pencil, const double* values, const double* x, double* z);
void td_pencil_add_rows(const td_pencil* pencil, const double* values, double scale,
                        const double* z, double* y);
// l with J'l nearest to f.  The rows alone are factored.
td_status td_pencil_balance(td_pencil* pencil);
void td_pencil_multipliers(td_pencil* pencil, const double* f, double* l);
// Factor K - s M, or its transpose; x and l with (K - s M) x - J'l = f, J x = g (NULL: zero).
td_status td_pencil_factor(td_pencil* pencil, double s, bool transposed);
void td_pencil_solve(td_pencil* pencil, const double* f, const double* g, double* x, double* l);

#endif
