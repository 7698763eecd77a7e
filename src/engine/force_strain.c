// Pieces of rods: the section's law, its energy and power.  How strains follow from coordinates or
// from the two ends tells engine/strain_<kind>.c.
#include <math.h>
#include <string.h>

#include "engine/strain_table.h"

const strain_ops* const td_strain_ops_table[STRAIN_KINDS] = {
#define X(kind, name, ...) &td_strain_##name,
    TD_STRAINS(X)
#undef X
};

void td_strain_state(const td_model* m, const td_work* w, const model_strain* f, double x[6],
                     double u[6]) {
  strain_of(f)->state(m, w, f, x, u);
}

void td_strains(const td_model* m, const td_work* w, const model_strain* f, double x[6]) {
  double u[6];
  td_strain_state(m, w, f, x, u);
}

void td_strains_change(const td_model* m, const td_work* w, const model_strain* f, int col,
                       double dx[6]) {
  strain_of(f)->strains_diff(m, w, f, col, dx);
}

static void add(const td_model* m, td_work* w, int which) {
  for (int i = 0; i < m->nstrain; i++) strain_of(&m->strain[i])->add(m, w, &m->strain[i], which);
}

static void linearise(const td_model* m, const td_work* w, int i, force_state* s) {
  strain_of(&m->strain[i])->linearise(m, w, &m->strain[i], s);
}

static void diff(const td_model* m, const td_work* w, int i, const force_state* s,
                 const frame_change* da, const frame_change* db, spatial change[2]) {
  strain_of(&m->strain[i])->diff(m, w, &m->strain[i], s, da, db, change);
}

static void numbers_diff(const td_model* m, const td_work* w, int i, double* dtau) {
  strain_of(&m->strain[i])->numbers_diff(m, w, &m->strain[i], dtau);
}

static void reverse(const td_model* m, td_work* w, weighed_element* e, struct adjoint* b) {
  const model_strain* f = &m->strain[e->f.i];
  strain_of(f)->reverse(m, w, f, &e->s, b);
}

static void element_tangent(const td_model* m, const td_work* w, int i, const tree_part* part,
                            double* dq, double* dv) {
  strain_of(&m->strain[i])->tangent(m, w, &m->strain[i], part, dq, dv);
}

static void visit(const td_model* m, int i, const force_visitor* to) {
  const model_strain* f = &m->strain[i];
  strain_of(f)->visit(m, f, to);
  to->numbers(to->ctx, f->section, SECTION_SLOTS);
}

// ---- energy and power -------------------------------------------------------------------------

static double piece_energy(const td_model* m, const td_work* w, const model_strain* f) {
  if (!f->potential) return 0;
  if (f->stored) return piece_length(w, f) * w->num[f->section + SECTION_STORED];
  const section sec = section_of(w, f, w->num);
  double x[6], u[6];
  td_strain_state(m, w, f, x, u);
  return piece_length(w, f) * section_energy(&sec, x);
}

// Change of a piece's energy along w->along, per length.
static double piece_energy_along(const td_work* w, const model_strain* f, const double x[6],
                                 const double dx[6]) {
  const double length = piece_length(w, f);  // 0: strains that are measured alone
  const double grown = length == 0 ? 0 : w->dnum[f->section + SECTION_LENGTH] / length;
  if (f->stored)
    return w->dnum[f->section + SECTION_STORED] + grown * w->num[f->section + SECTION_STORED];
  const section sec = section_of(w, f, w->num), change = section_of(w, f, w->dnum);
  double sum = grown * section_energy(&sec, x);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      const double e = x[i] - sec.x0[i], d = x[j] - sec.x0[j];
      sum += e * (sec.K[6 * i + j] * (dx[j] - change.x0[j]) + 0.5 * change.K[6 * i + j] * d);
    }
  return sum;
}

static double piece_power(const td_model* m, const td_work* w, const model_strain* f) {
  const section sec = section_of(w, f, w->num);
  double x[6], u[6], s[6], sum = 0;
  td_strain_state(m, w, f, x, u);
  section_force(&sec, f->potential ? sec.x0 : x, u, ALL_MODES, s);  // springs apart
  for (int d = 0; d < 6; d++) sum += s[d] * u[d];
  sum *= piece_length(w, f);
  return f->ncrossing > 0 ? sum + td_crossings_power(m, w, f, x, u) : sum;
}

// Power of a step whose strains y(q, t) depend on time: everything behind it also moves with the
// twist V_t = ∂y/∂t ∂g/∂y, and the power is F·V_t of the wrench F behind the step, less s·∂y/∂t of
// the piece's own forces s.
static double step_drive(const td_model* m, const td_work* w, int i) {
  const model_hop* hop = &m->hop[i];
  spatial V = w->hop[i].V;
  if (hop->parent >= 0) V = spatial_sub(V, w->hop[hop->parent].V);
  for (int k = hop->col; k < hop->col + hop->nv; k++)
    V = spatial_axpy(-w->v[m->col[k].v], w->col[k].S, V);
  return spatial_dot(&w->hop[i].F, &V);
}

double td_strain_drive(const td_model* m, const td_work* w) {
  double sum = 0;
  for (int i = 0; i < m->nhop; i++)
    if (is_step(&m->hop[i]) && m->hop[i].dependent) sum += step_drive(m, w, i);
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (f->coords >= 0) sum += td_piece_drive(m, w, f);
  }
  return sum;
}

static double energy(const td_model* m, const td_work* w) {
  double sum = 0;
  for (int i = 0; i < m->nstrain; i++) sum += piece_energy(m, w, &m->strain[i]);
  return sum;
}

// Derivative of the elastic energy of all pieces along column col: dE = -Σ l (s - load input)·dx
// with the section's forces s at rest.
static double energy_diff(const td_model* m, const td_work* w, int col) {
  double all = 0;
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (!f->potential) continue;
    const section sec = section_of(w, f, w->num);
    double x[6], u[6], dx[6], still[6] = {0}, spring[6], sum = 0;
    td_strain_state(m, w, f, x, u);
    td_strains_change(m, w, f, col, dx);
    section_force(&sec, x, still, ALL_MODES, spring);
    for (int d = 0; d < 6; d++) sum -= (spring[d] - sec.load * sec.input[d]) * dx[d];
    if (col == ALONG) sum = piece_energy_along(w, f, x, dx);
    all += piece_length(w, f) * sum;
  }
  return all;
}

static double power(const td_model* m, const td_work* w, bool known) {
  (void)known;
  double sum = 0;
  for (int i = 0; i < m->nstrain; i++) sum += piece_power(m, w, &m->strain[i]);
  return sum;
}

// ---- the tables -------------------------------------------------------------------------------

static void prepare(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    strain_of(f)->prepare(m, w, f);
  }
}

static void prepare_diff(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    strain_of(f)->prepare_diff(m, w, f);
  }
}

static void prepare_reverse(const td_model* m, td_work* w, struct adjoint* b) {
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    strain_of(f)->prepare_reverse(m, w, f, b);
  }
}

// Pieces with the same coordinates that follow each other are taken at once (alike.c).
static void tangent(const td_model* m, td_work* w, double* dq, double* dv) {
  const tree_part all = whole_forest(m);
  for (int i = 0, end; i < m->nstrain; i = end) {
    end = td_alike_end(m, i);
    if (end > i + 1) {
      td_alike_tangent(m, w, i, end, dq, dv);
    } else {
      element_tangent(m, w, i, &all, dq, dv);
    }
  }
}

static bool has_power_dampers(const td_model* m) {
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (stays(m, f->section + SECTION_POWER, 1)) continue;
    for (int d = 0; d < 6; d++)
      if (!stays(m, f->section + SECTION_MU + d, 0)) return true;
  }
  return false;
}

static bool has_driving_dampers(const td_model* m, const td_work* w) {
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    for (int d = 0; d < 6; d++)
      if (w->num[f->section + SECTION_MU + d] < 0 || w->num[f->section + SECTION_D + 7 * d] < 0)
        return true;
  }
  return false;
}

bool td_strain_stores(const td_model* m, num slot) {
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    const int at = slot - f->section;
    if (f->stored && at >= 0 && (at == SECTION_STORED || (at >= SECTION_X0 && at < SECTION_X0 + 6)))
      return true;
  }
  return false;
}

static force_reach reach(const td_model* m, int i) {
  return strain_is_link(&m->strain[i]) ? REACH_STATIONS : REACH_COORDINATES;
}

static bool is_link(const td_model* m, int i) { return strain_is_link(&m->strain[i]); }

const force_ops td_force_strain = {.prepare = prepare,
                                   .prepare_diff = prepare_diff,
                                   .prepare_reverse = prepare_reverse,
                                   .add = add,
                                   .energy = energy,
                                   .energy_diff = energy_diff,
                                   .power = power,
                                   .tangent = tangent,
                                   .blocks = td_no_blocks,
                                   .has_potential = td_always_potential,
                                   .has_power_dampers = has_power_dampers,
                                   .has_driving_dampers = has_driving_dampers,
                                   .switches = td_no_switches,
                                   .switch_values = td_no_switch_values};
const element_ops td_element_strain = {
    .reach = reach,
    .is_damped = td_always_damped,
    .linearise = linearise,
    .diff = diff,
    .numbers_diff = numbers_diff,
    .reverse = reverse,
    .tangent = element_tangent,
    .visit = visit,
    .flaw = td_no_flaw,  // sections are judged with the fields that give them (judge_elements.c)
    .is_link = is_link,
    .wrench = td_segment_link,
    .looks = td_no_looks,
    .arrow = td_no_arrow};
