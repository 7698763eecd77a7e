// A model beside its reference of the published toolbox, and what all of them compare.
#ifndef TD_VERIFY_GVS_RIG_H
#define TD_VERIFY_GVS_RIG_H

#include "bench.h"
#include "sorosim.h"

static const double tolerance = 1e-9;  // they cut the exponential's series below 0.01 rad

// ---- a model beside its reference -------------------------------------------------------------

typedef struct rig {
  bench b;
  cJSON* file;
  sorosim_map map;
  int n;              // coordinates
  double *x, *y, *z;  // n x n each
  double* sensors;
} rig;

static inline rig rig_new(const char* reference, td_spec* spec) {
  rig r = {.file = sorosim_open(reference), .b = bench_of(spec)};
  const td_sizes s = td_model_sizes(r.b.model);
  r.n = s.nv;
  r.x = calloc(3 * (size_t)r.n * (size_t)r.n, sizeof(double));
  r.y = r.x + r.n * r.n;
  r.z = r.y + r.n * r.n;
  r.sensors = calloc((size_t)s.nsensor + 1, sizeof(double));
  return r;
}
static inline void rig_free(rig* r) {
  bench_free(&r->b);
  cJSON_Delete(r->file);
  free(r->x);
  free(r->sensors);
}

static inline void reached(const char* what, const double* got, const double* want, int n) {
  CHECK_REACHED(what, sorosim_error(got, want, n), tolerance);
}

static inline void put_state(rig* r, const cJSON* s) {
  double *q = sorosim_numbers(s, "q"), *qd = sorosim_numbers(s, "qd");
  assert_int_equal(r->map.n, r->n);
  r->b.state->t = sorosim_number(s, "t");
  map_motion(&r->map, q, r->b.state->q);
  map_motion(&r->map, qd, r->b.state->v);
  free(q), free(qd);
}

// ---- what is compared -------------------------------------------------------------------------

static inline void check_mass(rig* r, const cJSON* s) {
  double* M = sorosim_numbers(s, "M");
  map_mass(&r->map, M, r->y);
  td_mass_matrix(r->b.model, r->b.state, r->b.work, r->x);
  reached("M", r->x, r->y, r->n * r->n);
  free(M);
}

static inline void check_acceleration(rig* r, const cJSON* s, const char* name) {
  double* a = sorosim_numbers(s, name);
  map_motion(&r->map, a, r->y);
  assert_int_equal(td_forward_dynamics(r->b.model, r->b.state, r->b.work), TD_OK);
  reached("accelerations", td_work_vdot(r->b.work), r->y, r->n);
  free(a);
}

#endif
