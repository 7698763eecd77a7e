// Sensors: what the engine requires of each kind (model/sensor.h lists the kinds, sensors.c has the
// table).
//
// To add a kind: its line in TD_SENSOR_LIST and engine/sensor_<name>.c with its table; kinds that
// share a formula share a file, and transmitted forces are in transmit.c.  A kind without a table
// does not link.
#ifndef TD_ENGINE_SENSOR_H
#define TD_ENGINE_SENSOR_H

#include "model/model.h"

struct adjoint;

// Receives what a sensor component depends on: stations, positions and velocities, whole rods.
typedef struct sensor_visitor {
  void* ctx;
  void (*station)(void* ctx, int station);
  void (*position)(void* ctx, int q);
  void (*velocity)(void* ctx, int v);
  void (*rod)(void* ctx, int rod);  // from 1
} sensor_visitor;

// Rate of a sensor component, and its second derivative with v' = 0 but for prescribed motion.
typedef struct sensor_motion {
  double rate, bias;
} sensor_motion;

// Sensors of transmitted forces, which follow from multipliers or from all forces downstream.
struct sensor_tangent;
typedef struct transmit_ops {
  // Add `scale` times the change at constant v' and multipliers: along a column, of its position or
  // its rate, or with the numbers alone (col < 0).
  void (*diff)(const td_model* m, td_work* w, const model_probe* p, int col, bool rate,
               double scale, double* to);
  // Add what output_probe[i] gets through v' and the multipliers to the derivatives of its output.
  void (*through)(const td_model* m, td_work* w, const struct sensor_tangent* s, int i);
  // True when the sensor depends on multipliers.
  bool (*needs_multipliers)(const td_model* m, const model_probe* p);
  bool sums;  // it sums the forces on everything downstream
} transmit_ops;

// A kind of sensor.
typedef struct sensor_ops {
  // Value of a probe at the placed state.
  double (*value)(const td_model* m, td_work* w, int probe);
  // Change of the value along a column, of its position or its rate; transmitted forces have
  // transmit_ops instead.
  double (*diff)(const td_model* m, const td_work* w, int probe, int col, bool rate);
  // Derivative of the value by the acceleration of a column's DOF.
  double (*accel_diff)(const td_model* m, const td_work* w, int probe, int col);
  // Rate and bias of sensors that depend on positions alone (TD_ON_STATE), of which tasks are made.
  sensor_motion (*motion)(const td_model* m, const td_work* w, int probe);
  // Visit everything that a probe depends on.
  void (*visit)(const td_model* m, const model_probe* p, const sensor_visitor* to);
  // The transpose of `diff` along a direction, for the weight `bar` of the value (adjoint.h).
  void (*reverse)(const td_model* m, td_work* w, int probe, double bar, struct adjoint* b);
  const transmit_ops* transmitted;  // NULL: it is no transmitted force
  bool moved;                       // it needs the accelerations of the hops
} sensor_ops;

#define X(kind, ...) extern const sensor_ops td_sensor_##kind;
TD_SENSOR_LIST(X)
#undef X
extern const sensor_ops* const td_sensor_ops[SENSOR_KIND_COUNT];

// Entries for kinds that lack a property.
double td_no_diff(const td_model* m, const td_work* w, int probe, int col, bool rate);
double td_no_accel_diff(const td_model* m, const td_work* w, int probe, int col);
sensor_motion td_no_motion(const td_model* m, const td_work* w, int probe);
void td_no_visit(const td_model* m, const model_probe* p, const sensor_visitor* to);
// For kinds that no number of the model may depend on.
void td_no_sensor_reverse(const td_model* m, td_work* w, int probe, double bar, struct adjoint* b);
// Motion of a sensor that is linear in coordinates: add the column's velocity, and its acceleration
// where that is prescribed, times the sensor's slope along the column.
void td_motion_add(const td_model* m, const td_work* w, int col, double slope, sensor_motion* x);

#endif
