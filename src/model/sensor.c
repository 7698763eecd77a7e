// The table of sensors, from the one list in sensor.h.
#include "model/sensor.h"

const td_sensor_info td_sensor_table[SENSOR_KIND_COUNT] = {
#define X(kind, ...) [SENSOR_##kind] = {__VA_ARGS__},
    TD_SENSOR_LIST(X)
#undef X
};
