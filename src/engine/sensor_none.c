// Entries of the table of sensors for kinds that lack a property: zero derivatives, no motion, no
// visits.
#include "engine/sensor_table.h"

#include <string.h>

#include "engine/stages.h"

double td_no_diff(const td_model* m, const td_work* w, int probe, int col, bool rate) {
  return (void)m, (void)w, (void)probe, (void)col, (void)rate, 0;
}

double td_no_accel_diff(const td_model* m, const td_work* w, int probe, int col) {
  return (void)m, (void)w, (void)probe, (void)col, 0;
}

sensor_motion td_no_motion(const td_model* m, const td_work* w, int probe) {
  return (void)m, (void)w, (void)probe, (sensor_motion){0, 0};
}

void td_no_visit(const td_model* m, const model_probe* p, const sensor_visitor* to) {
  (void)m, (void)p, (void)to;
}

void td_no_sensor_reverse(const td_model* m, td_work* w, int probe, double bar, struct adjoint* b) {
  (void)m, (void)w, (void)probe, (void)bar, (void)b;
}
