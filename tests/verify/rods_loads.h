// Rods under loads that grow: rows of loads and tip positions, run at several numbers of segments.
#ifndef TD_VERIFY_RODS_LOADS_H
#define TD_VERIFY_RODS_LOADS_H

#include "rods.h"

// A load, the steps in which it is reached from the one before, and the numbers wanted of the
// sensor `tip`.
typedef struct load_case {
  double load;
  int steps;
  double want[12];
} load_case;

typedef struct rod_row {
  const char *name, *text;
  double length;  // errors count in it
  int models;     // the first so many of srl, ebr, eba
  int n[max_levels];
  int size;      // coordinates of the tip
  int extra;     // further numbers of `tip` (angles, directions)
  double bound;  // position error <= bound·length/n²
  double extra_bound;
  double limit;  // error of the extrapolated position
  load_case cases[8];
  rom_orders rom;
  double far;  // penalty of eba where the row is a Kirchhoff rod, in units of EI/L²; 0: none
} rod_row;

static inline int case_count(const rod_row* r) {
  int n = 0;
  while (n < 8 && r->cases[n].steps > 0) n++;
  return n;
}

// Numbers of `tip` at every load, at one refinement.
static inline void follow_loads(const rod_row* r, study* s, int n) {
  const int size = r->size + r->extra;
  double* x = study_level(s, n, size * case_count(r));
  bench b = bench_new(r->text, s->model, n);
  for (int c = 0; c < case_count(r); c++) {
    bench_ramp(&b, "P", r->cases[c].load, r->cases[c].steps);
    memcpy(x + c * size, bench_sensor(&b, "tip"), sizeof(double) * (size_t)size);
  }
  bench_free(&b);
}

static inline void check_loads(const rod_row* r, const study* s) {
  for (int c = 0; c < case_count(r); c++) {
    const load_case* at = &r->cases[c];
    char what[40];
    snprintf(what, sizeof what, "P=%.4g", at->load);
    const int first = c * (r->size + r->extra);
    study_check(s, &(demand){what, first, r->size, at->want, r->length, r->bound, 0.2, r->limit});
    snprintf(what, sizeof what, "P=%.4g turn", at->load);
    if (r->extra)
      study_check(s, &(demand){what, first + r->size, r->extra, at->want + r->size, 1,
                               r->extra_bound, 0.2, 0});
  }
}

// `more`: elements where a load makes a kink.
static inline void check_spectral(const rod_row* r, int order, const char* more, double tol) {
  const int size = r->size + r->extra;
  bench b = bench_spectral(r->text, order, more);
  for (int c = 0; c < case_count(r); c++) {
    const load_case* at = &r->cases[c];
    char what[80];
    bench_ramp(&b, "P", at->load, at->steps);
    const double* tip = bench_sensor(&b, "tip");
    double error = distance(tip, at->want, r->size) / r->length;
    for (int k = r->size; k < size; k++) error = fmax(error, fabs(tip[k] - at->want[k]));
    snprintf(what, sizeof what, "%s gvs order %d, P=%.4g", r->name, order, at->load);
    CHECK_REACHED(what, error, tol);
  }
  bench_free(&b);
}

static inline void check_rom(const rod_row* r) {
  double error[8][4] = {{0}};
  for (int i = 0; i < 4; i++) {
    bench b = bench_rom(r->text, r->rom.n[i], r->rom.parts);
    for (int c = 0; c < case_count(r); c++) {
      const load_case* at = &r->cases[c];
      bench_ramp(&b, "P", at->load, r->rom.at_once ? 1 : at->steps);
      error[c][i] = distance(bench_sensor(&b, "tip"), at->want, r->size) / r->length;
    }
    bench_free(&b);
  }
  for (int c = 0; c < case_count(r); c++) {
    char what[40];
    snprintf(what, sizeof what, "P=%.4g", r->cases[c].load);
    rom_check(r->name, what, &r->rom, error[c]);
  }
}

// ebr and eba are the same sums in other coordinates: what tells them apart is the penalty, by
// which a force P leaves the strain P/far and moves the tip by P/far of the length, and once more
// at most by the change of its lever arms.
static inline void check_penalty(const rod_row* r, const study* ebr, const study* eba) {
  for (int c = 0; c < case_count(r); c++)
    for (int i = 0; i < ebr->levels; i++) {
      const int first = c * (r->size + r->extra);
      char what[80];
      snprintf(what, sizeof what, "%s P=%.4g n=%d: eba is ebr but for its penalty", r->name,
               r->cases[c].load, ebr->n[i]);
      CHECK_REACHED(what, distance(ebr->x[i] + first, eba->x[i] + first, r->size) / r->length,
                    2 * fabs(r->cases[c].load) / r->far);
    }
}

static inline void refine_with(const rod_row* r, int order, const char* more) {
  study s[all_models];
  check_spectral(r, order, more, 1e-8);
  if (r->rom.parts > 0) check_rom(r);
  for (int m = 0; m < r->models; m++) {
    s[m] = study_new(r->name, rod_models[m]);
    for (int k = 0; k < max_levels && r->n[k] > 0; k++) follow_loads(r, &s[m], r->n[k]);
    check_loads(r, &s[m]);
  }
  if (r->far > 0) check_penalty(r, &s[1], &s[2]);
}
static inline void refine(const rod_row* r) { refine_with(r, 12, ""); }

// A rod of length 1 and bending stiffness 1.  eba has a penalty of 1e7 times that, rom of 2e6: a
// force P L²/EI = 10 stretches them by 1e-6 and 5e-6.
#define PENALTY "far = 1e7; if strcmp(mdl, 'rom'), far = 2e6; end\n"
#define UNIT_ROD                                                                           \
  ROD_HEAD ROD_KIRCHHOFF PENALTY                                                           \
      "P = param('P', 0); rod(1).length = 1; rod(1).tr.rot = along_x;\n"                   \
      "rod(1).stiffness = [far far far 1 1 1]; rod(1).inertia = [1 1 1 1e-3 1e-3 1e-3];\n" \
      "R = rot(rod(1), 1); p = pos(rod(1), 1); sensor(1).name = 'tip';\n"
#define AT_TIP "exload(1).exbody = at(rod(1), 1); exload(1).refbody = 0; "

#endif
