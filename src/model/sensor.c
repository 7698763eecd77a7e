// The table of sensors, from the one list in sensor.h.
#include "model/sensor.h"

const td_sensor_info td_sensor_table[SENSOR_KIND_COUNT] = {
#define X(kind, name, rows, cols, about, depends, text) \
  [SENSOR_##kind] = {name, rows, cols, about, depends, text},
    TD_SENSOR_LIST(X)
#undef X
};
