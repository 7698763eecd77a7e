// Exact derivatives of the times of stops.
//
// Something jumps or has a corner where a clock c(t, p) changes its sign (td_ex_clock), so that its
// time t* moves with a parameter by
//
//   dt*/dp = -c_p/c_t
//
// Tables jump where their argument passes a knot: the clock is the argument less the knot.
#ifndef TD_STOP_CHANGE_H
#define TD_STOP_CHANGE_H

#include "model/model.h"

typedef struct td_stop_clock {
  bool jumps;   // else it is a corner
  bool missed;  // runs do not stop where it changes its sign
  ex of;        // its node in the model's graph
  int knots;    // tables: how many, else 0
  const double* knot;
} td_stop_clock;

typedef struct td_stop_change {
  int n;
  td_stop_clock* clock;      // (n)
  td_exprs* graph;           // has the tables
  td_tape* tape;             // values of the clocks, or arguments of tables
  double *value, *rate, *d;  // (n) each: c, c_t, and c_p
  double *dvar, *scratch;
} td_stop_change;

td_status td_stop_change_new(const td_model* model, td_stop_change* change);
void td_stop_change_free(td_stop_change* change);

// Derivatives dt (k) of the time of a stop at t by the variables var (k, -1: none), other variables
// being vars; `near` is a time within which stops are one.  *apart: several things happen at t
// whose times move differently, and dt is that of the first.
void td_stop_change_at(td_stop_change* change, int time_var, const double* vars, double t,
                       double near, const int* var, int k, double* dt, bool* apart);
// A clock of a jump that depends on a variable and at whose sign changes runs do not stop; EX_NONE:
// there is none.
ex td_stop_change_missed(const td_model* model, const td_stop_change* change, int var);

#endif
