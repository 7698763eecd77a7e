// Sensors: what the engine asks of each kind (model/sensor.h has the list; sensors.c the table).
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

typedef struct sensor_ops {
  // The value of a probe at the placed state.
  double (*value)(const td_model* m, td_work* w, int probe);
  // Its change along a column, of its position or its rate; of what is transmitted: transmit.c.
  double (*diff)(const td_model* m, const td_work* w, int probe, int col, bool rate);
  void (*visit)(const model_probe* p, const sensor_visitor* to);
  bool transmitted;  // follows from multipliers or from all forces beyond it
  bool moved;        // needs the accelerations of the hops
} sensor_ops;

#define X(kind, ...) extern const sensor_ops td_sensor_##kind;
TD_SENSOR_LIST(X)
#undef X
extern const sensor_ops* const td_sensor_ops[SENSOR_KIND_COUNT];

#endif
