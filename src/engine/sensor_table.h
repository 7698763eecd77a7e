// Sensors: what the engine asks of each kind (model/sensor.h has the list; sensors.c the table).
//
// engine/sensor_<name>.c has the table of a kind, or of a few that share a formula; what joints,
// sections and cables transmit is in transmit.c.  Without its table a kind does not link.
#ifndef TD_ENGINE_SENSOR_H
#define TD_ENGINE_SENSOR_H

#include "model/model.h"

// Receives what a sensor component follows: stations, positions and velocities, whole rods.
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

// What follows from multipliers or from all forces beyond it.
struct sensor_tangent;
typedef struct transmit_ops {
  // Add `scale` times the change with v' and multipliers held: along a column, of its position or
  // its rate, or with the numbers alone (col < 0).
  void (*diff)(const td_model* m, td_work* w, const model_probe* p, int col, bool rate,
               double scale, double* to);
  // ... and with them, of output_probe[i]: to the derivatives of its output.
  void (*through)(const td_model* m, td_work* w, const struct sensor_tangent* s, int i);
  bool (*needs_multipliers)(const td_model* m, const model_probe* p);
  bool sums;  // over forces on everything beyond it
} transmit_ops;

typedef struct sensor_ops {
  // The value of a probe at the placed state.
  double (*value)(const td_model* m, td_work* w, int probe);
  // Its change along a column, of its position or its rate; of what is transmitted: below.
  double (*diff)(const td_model* m, const td_work* w, int probe, int col, bool rate);
  // Its change with the acceleration of a column's DOF.
  double (*accel_diff)(const td_model* m, const td_work* w, int probe, int col);
  // Of those that depend on positions alone (TD_ON_STATE): tasks are made of them.
  sensor_motion (*motion)(const td_model* m, const td_work* w, int probe);
  void (*visit)(const td_model* m, const model_probe* p, const sensor_visitor* to);
  const transmit_ops* transmitted;  // NULL: it is not
  bool moved;                       // needs the accelerations of the hops
} sensor_ops;

#define X(kind, ...) extern const sensor_ops td_sensor_##kind;
TD_SENSOR_LIST(X)
#undef X
extern const sensor_ops* const td_sensor_ops[SENSOR_KIND_COUNT];

// What a kind does not have.
double td_no_diff(const td_model* m, const td_work* w, int probe, int col, bool rate);
double td_no_accel_diff(const td_model* m, const td_work* w, int probe, int col);
sensor_motion td_no_motion(const td_model* m, const td_work* w, int probe);
void td_no_visit(const td_model* m, const model_probe* p, const sensor_visitor* to);
// Motion of a sensor that is linear in coordinates: add the column's velocity, and its acceleration
// where that is prescribed, times the sensor's slope along the column.
void td_motion_add(const td_model* m, const td_work* w, int col, double slope, sensor_motion* x);

#endif
