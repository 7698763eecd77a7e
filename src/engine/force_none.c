// Entries of the tables of forces and strains for kinds that lack a property: no energy, no
// switches, always damped, ...
#include <string.h>

#include "engine/force.h"
#include "engine/stages.h"
#include "engine/strain_table.h"

void td_no_prepare(const td_model* m, td_work* w) { (void)m, (void)w; }
void td_no_prepare_diff(const td_model* m, td_work* w) { (void)m, (void)w; }
void td_no_prepare_reverse(const td_model* m, td_work* w, struct adjoint* b) {
  (void)m, (void)w, (void)b;
}

double td_no_energy(const td_model* m, const td_work* w) { return (void)m, (void)w, 0; }

double td_no_energy_diff(const td_model* m, const td_work* w, int col) {
  return (void)m, (void)w, (void)col, 0;
}

void td_no_tangent(const td_model* m, td_work* w, double* dq, double* dv) {
  (void)m, (void)w, (void)dq, (void)dv;
}

void td_no_blocks(const td_model* m, td_work* w) { (void)m, (void)w; }

bool td_always_potential(const td_model* m) { return (void)m, true; }

bool td_no_power_dampers(const td_model* m) { return (void)m, false; }

bool td_no_driving_dampers(const td_model* m, const td_work* w) { return (void)m, (void)w, false; }

int td_no_switches(const td_model* m) { return (void)m, 0; }

void td_no_switch_values(const td_model* m, td_work* w, double* values) {
  (void)m, (void)w, (void)values;
}

force_reach td_reach_stations(const td_model* m, int i) { return (void)m, (void)i, REACH_STATIONS; }

bool td_always_damped(const td_model* m, const td_work* w, int i) {
  return (void)m, (void)w, (void)i, true;
}

force_flaw td_no_flaw(const td_model* m, const td_work* w, int i) {
  return (void)m, (void)w, (void)i, (force_flaw){NULL, 0};
}

bool td_always_link(const td_model* m, int i) { return (void)m, (void)i, true; }

void td_no_numbers_diff(const td_model* m, const td_work* w, int i, double* dtau) {
  (void)m, (void)w, (void)i, (void)dtau;
}

void td_no_element_tangent(const td_model* m, const td_work* w, int i, const tree_part* part,
                           double* dq, double* dv) {
  (void)m, (void)w, (void)i, (void)part, (void)dq, (void)dv;
}

bool td_no_link(const td_model* m, int i) { return (void)m, (void)i, false; }

spatial td_no_wrench(const td_model* m, const td_work* w, int i) {
  return (void)m, (void)w, (void)i, spatial_zero();
}

void td_strain_no_prepare(const td_model* m, td_work* w, const model_strain* f) {
  (void)m, (void)w, (void)f;
}

void td_strain_no_prepare_diff(const td_model* m, td_work* w, const model_strain* f) {
  (void)m, (void)w, (void)f;
}

void td_strain_no_prepare_reverse(const td_model* m, td_work* w, const model_strain* f,
                                  struct adjoint* b) {
  (void)m, (void)w, (void)f, (void)b;
}

void td_strain_no_linearise(const td_model* m, const td_work* w, const model_strain* f,
                            force_state* s) {
  (void)m, (void)w, (void)f, (void)s;
}

void td_strain_no_diff(const td_model* m, const td_work* w, const model_strain* f,
                       const force_state* s, const frame_change* da, const frame_change* db,
                       spatial change[2]) {
  (void)m, (void)w, (void)f, (void)s, (void)da, (void)db;
  change[0] = change[1] = spatial_zero();
}

unsigned td_no_looks(const td_model* m, int i) { return (void)m, (void)i, 0; }

force_arrow td_no_arrow(const td_model* m, const td_work* w, int i) {
  return (void)m, (void)w, (void)i, (force_arrow){{0, 0, 0}, {0, 0, 0}};
}
