// Sensor components (probes), the numbers that follow them, and transmitted forces (sensors.c,
// sensor_*.c, transmit.c).
#ifndef TD_SENSORS_H
#define TD_SENSORS_H

#include "engine/sensor_table.h"

// Evaluate the probes whose dependence (TD_ON_...) is within `depends`.
void td_probe_values(const td_model* m, td_work* w, unsigned depends);
// Evaluate all probes at a state, with accelerations and transmitted forces where these are needed.
td_status td_probe_all(const td_model* m, const td_state* state, td_work* w, bool accelerations);
// Change of a probe along a column, of its position or its rate.
double td_probe_change(const td_model* m, const td_work* w, int probe, int col, bool rate);
// Add scale times its derivatives to rows dq and dv (nvel each; dv NULL: not wanted), after
// td_tangent_columns.
void td_probe_row(const td_model* m, const td_work* w, int probe, double scale, double* dq,
                  double* dv);

// Evaluate the live numbers, which follow time, inputs and probes.
void td_numbers(const td_model* m, const td_state* state, td_work* w);
// Changes w->dnum of the numbers along a column through the probes that they follow; col < 0: none.
void td_number_changes(const td_model* m, td_work* w, int col, bool rate);

// True for sensors of transmitted forces: force(), wrench(), lambda() and tension().
static inline bool is_transmitted(sensor_kind kind) { return td_sensor_ops[kind]->transmitted; }
// Wrench of the part of a rod before a wrench() sensor on the part beyond, about the world's
// origin; after td_inverse.
spatial td_rod_wrench(const td_model* m, const td_work* w, const model_probe* p);
// Derivatives of outputs: `a` is v'; scale[i] = d output/d probe of output_probe[i]; Aq, Av, Au and
// dlambda are the derivatives of v' and of the multipliers; dq, dv, du are added to.
typedef struct sensor_tangent {
  const double *a, *scale, *Aq, *Av, *Au, *dlambda;
  double *dq, *dv, *du;
} sensor_tangent;
// Add the derivatives of transmitted forces in the outputs.
void td_transmit_tangent(const td_model* m, const td_state* state, td_work* w,
                         const sensor_tangent* t);

#endif
