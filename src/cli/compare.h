// `tendril compare`: variants of a model, and the reference with which they are compared.
#ifndef TD_CLI_COMPARE_H
#define TD_CLI_COMPARE_H

#include "cli/cli.h"

// Compared quantities.
typedef enum quantity { AT_REST, IN_MOTION, QUANTITIES } quantity;

// Values of all sensors at the equilibrium (one record) or along the simulation.
typedef struct record {
  double* x;  // rows x nsensor, NULL: not known
  int rows;
} record;

// The rods in one continuum model with one n.
typedef struct variant {
  const char* model;
  int n;
  bool hidden;  // for the reference alone
  bool built;
  int dof;
  record at[QUANTITIES];
  td_strategy strategy;
  td_solver solver;
  double us;                 // time of one evaluation of the forward dynamics [us]
  double speed;              // simulated time over wall time
  double error[QUANTITIES];  // against the reference, NaN: not known
  double bar;                // largest error bar at rest, NaN: none
  double order[QUANTITIES];  // observed, against the next coarser one; NaN: not known
  double* each[QUANTITIES];  // error of every sensor (ngroup)
  char* reason;              // reason for which something failed, NULL: nothing did
} variant;

// A sensor: one number, or a vector of three whose errors are distances.
typedef struct sensor_group {
  int first, count;
  char* name;
} sensor_group;

// A candidate for the reference: the best polynomial, or the limit of a second-order model.
typedef struct candidate {
  const char* model;
  record x;
  double error;    // difference between it and the next coarser one, NaN: there is none
  char text[120];  // description
} candidate;
enum { NMODEL = 5 };
extern const char* const rod_models[NMODEL];
// Report whether n of a model is an order of polynomials, not a number of segments.
bool is_polynomial(const char* model);

// A comparison of variants.
typedef struct comparison {
  session* s;
  variant* list;
  int n;
  sensor_group* group;
  int ngroup;
  candidate from[QUANTITIES][NMODEL];
  const candidate* reference[QUANTITIES];  // NULL: none
  double cost, cost_done;                  // for the progress
  char what[48];
  bool wants[QUANTITIES];
} comparison;

// compare_runs.c: fill a variant; false when it was stopped.
bool variant_run(comparison* c, variant* v);
void variant_free(variant* v);
double variant_cost(const variant* v);

// compare_reference.c
int comparison_groups(comparison* c);                  // the sensors; returns an exit code
void comparison_reference(comparison* c, quantity k);  // choose it, then errors and orders
void comparison_free(comparison* c);
// Report whether an error is not above that of the reference.
bool below_reference(const comparison* c, const variant* v, quantity k);

#endif
