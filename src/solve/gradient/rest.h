// An equilibrium with its tangent factored at the solution, and how it moves along a direction of
// parameters, inputs and initial internal states.  Gradients of equilibria, of modes, of linear
// models and of limit loads are written against it.
//
//   F(q, λ, z; p) = 0     e(q; p) = 0     r(q, z; p) = 0
//
//   K dq - J'dλ + F_z dz = -F_p       J dq = -e_p       dz = S dq + P r_p       (P, S: inner.c)
#ifndef TD_GRADIENT_REST_H
#define TD_GRADIENT_REST_H

#include "solve/statics/statics.h"
#include "tendril/gradient.h"

typedef struct td_rest {
  td_statics* s;
  td_newton* newton;
  double *q, *l;  // the point
  double* P;      // nz x nz: change of z with that of its rates
  bool whole;     // the rates determine all internal states
  bool held;      // some directions are held by a stiffness of their own: changes are checked
  double forces;  // size of the forces there
  // of the change found last
  double *F, *e, *dx, *dl;   // (n), (m)
  double *motion, *rates;    // (nv), (nz)
  double *target, *initial;  // (m), (nz)
  double* left;              // (nv)
} td_rest;

// A change of everything: `along` points to the arrays.
typedef struct td_change {
  double *q, *v, *a, *lambda, *p, *u;  // (nv) ... (nconstraint), (nparam), (drives)
  td_direction along;
} td_change;
td_status td_change_new(const td_model* model, td_change* change);
void td_change_free(td_change* change);

// TD_OK when all of `by` have derivatives in statics; otherwise the failure names the first that
// has none.
td_status td_by_check(const td_model* model, td_work* work, const td_by* by, int n);
// Name of what is differentiated by.
const char* td_by_name(const td_model* model, td_by by);

// Factor the tangent at `state`.  TD_E_USAGE: it is no equilibrium.  TD_E_SINGULAR.
td_status td_rest_new(const td_model* model, const td_state* state, td_work* work, td_rest** rest);
void td_rest_free(td_rest* rest);
// How the equilibrium changes with `by`.
td_status td_rest_change(td_rest* rest, td_by by, td_change* change);
// Leave the note of td_work_gradient_note.
void td_rest_note(td_rest* rest);

#endif
