// Constraint rows in the model: their frames, Jacobian, multiplier forces, targets and changes.
#include <math.h>
#include <string.h>

#include "engine/path.h"
#include "engine/stages.h"
#include "engine/taut.h"

typedef struct row_ends {
  frame a, b, c;
  row_frames f;
} row_ends;

// Rows of a joint follow each other and share their ends, which are then found once.
static int bundle_end(const td_model* m, int first) {
  const model_row *a = &m->row[first], *b = a + 1;
  while (b < m->row + m->nrow && b->a == a->a && b->b == a->b && b->c == a->c &&
         b->kind != ROW_CABLE)
    b++;
  return (int)(b - m->row);
}

// The turn of a screw by the angles of the joints between its frames, beyond a constant; NaN where
// they do not tell it: they must turn about its axis or across it.
double td_screw_angle(const td_model* m, const td_work* w, int row) {
  const model_row* r = &m->row[row];
  const vec3 D = mat3_apply(td_frame(m, w, r->a).R, vec3_of(w->num + r->d));
  int a = r->a < 0 ? -1 : m->station[r->a].hop, b = r->b < 0 ? -1 : m->station[r->b].hop;
  double sum = 0;
  while (a != b) {  // parents have smaller numbers: up to where the two ways meet
    const bool on_b = b > a;
    int* at = on_b ? &b : &a;
    const model_hop* hop = &m->hop[*at];
    const bool turns = hop->turns && !has_quaternion(hop);
    const bool moves = hop->moves || td_hop_traits[hop->kind].axes == 0;
    if (!turns && hop->nv > 0 && (!moves || is_step(hop))) return NAN;
    const double along = turns ? vec3_dot(D, spatial_r(&w->col[hop->col].S)) : 0;
    if (fabs(along) > 0.1 && fabs(along) < 0.99) return NAN;
    if (fabs(along) > 0.5) sum += (on_b ? 1 : -1) * copysign(1, along) * w->q[hop->q];
    *at = hop->parent;
  }
  return sum;
}

// `out->f` points into `out`.
static void ends_at(const td_model* m, const td_work* w, const model_row* row, row_ends* out) {
  out->a = td_frame(m, w, row->a);
  out->b = td_frame(m, w, row->b);
  out->c = row->c == row->a ? out->a : td_frame(m, w, row->c);
  const quat* reference = row->reference >= 0 ? &w->reference[row->reference] : NULL;
  vec3 x = vec3_of(w->num + row->e);
  // the second axis of a universal joint is given in the first frame, as it is at the start
  if (row->kind == ROW_DOT && reference) x = mat3_apply_t(mat3_quat(*reference), x);
  out->f = (row_frames){.a = &out->a,
                        .b = &out->b,
                        .c = &out->c,
                        .d = vec3_of(w->num + row->d),
                        .x = x,
                        .reference = reference};
  if (row->kind != ROW_SCREW) return;
  const int i = (int)(row - m->row);
  out->f.pitch = w->num[row->pitch];
  out->f.zero = w->row_zero[i];
  out->f.angle = w->row_angle[i] + td_screw_angle(m, w, i);
}

// How they change along a column.
typedef struct ends_change {
  frame_change a, b, c;
} ends_change;

static ends_change ends_change_at(const td_model* m, const td_work* w, const model_row* row,
                                  int col, bool rate) {
  ends_change d;
  d.a = td_frame_change(m, w, row->a, col, rate);
  d.b = td_frame_change(m, w, row->b, col, rate);
  d.c = row->c == row->a ? d.a : td_frame_change(m, w, row->c, col, rate);
  return d;
}

static row_value change_of(const model_row* row, const row_ends* ends, const ends_change* d) {
  const row_changes changes = {&d->a, &d->b, &d->c};
  return td_row_change(row->kind, &ends->f, &changes);
}

row_value td_row_at(const td_model* m, const td_work* w, int row) {
  row_ends ends;
  if (m->row[row].kind == ROW_CABLE) return td_taut_value(m, w, m->row[row].cable);
  ends_at(m, w, &m->row[row], &ends);
  return td_row_value(m->row[row].kind, &ends.f);
}

row_value td_row_change_at(const td_model* m, const td_work* w, int row, int col, bool rate) {
  row_ends ends;
  if (m->row[row].kind == ROW_CABLE) return td_taut_change(m, w, m->row[row].cable, col, rate);
  ends_at(m, w, &m->row[row], &ends);
  const ends_change d = ends_change_at(m, w, &m->row[row], col, rate);
  return change_of(&m->row[row], &ends, &d);
}

void td_row_wrenches(const td_model* m, const td_work* w, int row, spatial out[3]) {
  const model_row* r = &m->row[row];
  const row_value at = td_row_at(m, w, row), *v = &at;
  const vec3 pa = td_frame(m, w, r->a).p, pb = td_frame(m, w, r->b).p, none = {0, 0, 0};
  out[0] = spatial_scale(-1, spatial_force(pa, v->force, v->torque));
  out[1] = spatial_force(pb, v->force, v->torque);
  out[2] = spatial_of(none, v->torque_c);
}

// The twist that each DOF on the way from the ground gives a hop, slot by slot (path.h).
typedef struct reach {
  int hop, n;
  int* v;  // DOF of each slot
  octet* S;
} reach;

static reach reach_new(const td_model* m, arena* s) {
  int slots = 0;
  for (int i = 0; i < m->nhop; i++) slots = max_int(slots, m->hop[i].end);
  return (reach){-1, 0, arena_ints(s, slots),
                 arena_bytes(s, (size_t)slot_blocks(slots) * sizeof(octet))};
}

static void reach_to(const td_model* m, const td_work* w, int hop, reach* r) {
  if (r->hop == hop) return;
  r->hop = hop;
  r->n = hop < 0 ? 0 : m->hop[hop].end;
  memset(r->v, 0, (size_t)r->n * sizeof(int));
  memset(r->S, 0, (size_t)slot_blocks(r->n) * sizeof(octet));
  for (int i = hop; i >= 0; i = m->hop[i].parent) {
    const model_hop* at = &m->hop[i];
    for (int k = at->col; k < at->col + at->nv; k++) r->v[m->col[k].slot] = m->col[k].v;
    for (int k = at->col; k < at->col + at->nv && !has_parts(at); k++)
      path_column(r->S, at, m->col[k].slot, &w->col[k].S);
    if (has_parts(at)) td_step_add(w, at, w->part + at->parts, r->S);
  }
}

// to += s Sᵀ f, DOF by DOF, whose numbers are `stride` apart
static void reach_add(const reach* r, double s, const spatial* f, double* to, int stride) {
  for (int first = 0; first < r->n; first += LANES) {
    const lanes x = s * octet_dot(f, &r->S[first / LANES]);
    for (int k = first; k < r->n && k < first + LANES; k++) to[r->v[k] * stride] += x[k - first];
  }
}

// Squares of the twists that the DOFs give a station: those of its point `p` times `moves`, of its
// turn times `lever`², summed in moved; those of its turn alone in turned (NULL: not wanted).
static void add_squares(const reach* r, vec3 p, double moves, double lever, double* moved,
                        double* turned) {
  for (int k = 0; k < r->n; k++) {
    const double* S = (const double*)&r->S[k / LANES] + k % LANES;
    const vec3 v = {S[0], S[LANES], S[2 * LANES]},
               turn = {S[3 * LANES], S[4 * LANES], S[5 * LANES]};
    const vec3 at = vec3_add(v, vec3_cross(turn, p));
    const double turns = vec3_dot(turn, turn);
    moved[r->v[k]] += moves * vec3_dot(at, at) + lever * lever * turns;
    if (turned) turned[r->v[k]] += turns;
  }
}

// The same for the length of a cable: its parts are strains of the pieces that it crosses and
// distances of the ends of its straight spans.  A strain that bends counts with the distance of the
// cable from the centre line and with the length of the piece, so that a distance that is rounding
// does not make a row.
static void add_cable_squares(const td_model* m, const td_work* w, int cable, reach* to,
                              double* moved) {
  const model_cable* c = &m->cable[cable];
  for (int i = c->order; i < c->order + c->norder; i++) {
    const model_crossing* at = &m->crossing[m->cable_order[i]];
    const model_strain* f = &m->strain[at->strain];
    const double length = w->num[f->section + SECTION_LENGTH];
    const double *d = w->num + at->path, reach_of = hypot(hypot(d[0], d[1]), length);
    if (f->kind != STRAIN_SEGMENT) {
      td_strain_squares(m, w, f, at->cover, at->cover * reach_of, moved);
      continue;
    }
    const int ends[2] = {f->a, f->b};
    for (int e = 0; e < 2; e++) {
      if (ends[e] < 0 || m->station[ends[e]].hop < 0) continue;
      reach_to(m, w, m->station[ends[e]].hop, to);
      add_squares(to, td_frame(m, w, ends[e]).p, at->cover * at->cover, at->cover * reach_of, moved,
                  NULL);
    }
  }
  for (int i = c->span; i < c->span + c->nspan; i++) {
    const int ends[2] = {m->span[i].a, m->span[i].b};
    for (int e = 0; e < 2; e++) {
      if (ends[e] < 0 || m->station[ends[e]].hop < 0) continue;
      reach_to(m, w, m->station[ends[e]].hop, to);
      add_squares(to, td_frame(m, w, ends[e]).p, 1, 0, moved, NULL);
    }
  }
}

void td_row_jacobian(const td_model* m, td_work* w, double* Jc) {
  td_row_jacobian_sized(m, w, Jc, NULL, NULL, NULL);
}

// Sizes of the numbers that rows are made of: of the two sides' twists at the ends of a loop,
// before one is taken from the other and projected on the directions of the rows.  All rows of a
// kind of one joint have the same size.  Columns are weighed by the masses that they move; a DOF
// that moves none gets the least that others have to move for such a twist: a first pass finds it.
void td_row_jacobian_sized(const td_model* m, td_work* w, double* Jc, const double* M, double* row,
                           double* col) {
  const int n = m->nvel;
  const arena_mark mark = arena_open(&w->scratch);
  double *size = arena_zeros(&w->scratch, n), *scale = arena_zeros(&w->scratch, n);
  double *moved = arena_doubles(&w->scratch, n), *turned = arena_doubles(&w->scratch, n);
  double least = INFINITY;
  bool massless = false;
  reach to[3];
  for (int s = 0; s < 3; s++) to[s] = reach_new(m, &w->scratch);
  memset(Jc, 0, (size_t)m->nrow * (size_t)n * sizeof(double));
  for (int j = 0; j < m->nfree_v && M; j++) {
    const int v = m->free_v[j];
    scale[v] = M[v * n + v] > 0 ? 1 / sqrt(M[v * n + v]) : 0;
    massless |= scale[v] == 0;
  }

  for (int pass = 0; pass < (massless ? 2 : 1); pass++) {
    // rows of a joint follow each other and share their stations
    for (int first = 0, end; first < m->nrow; first = end) {
      const model_row* r = &m->row[first];
      const bool cable = r->kind == ROW_CABLE, off = row_is_off(m, w, first);
      const int station[3] = {r->a, r->b, r->c};
      const bool shared = station[0] == station[2];
      end = bundle_end(m, first);
      for (int s = 0; s < (cable ? 0 : shared ? 2 : 3); s++)
        reach_to(m, w, station[s] < 0 ? -1 : m->station[station[s]].hop, &to[s]);
      for (int i = first; i < end && pass == 0; i++) {
        spatial f[3];
        if (cable && !off) td_taut_jacobian(m, w, r->cable, Jc + i * n);
        if (cable) continue;
        td_row_wrenches(m, w, i, f);
        if (shared) f[0] = spatial_add(f[0], f[2]);
        for (int s = 0; s < (shared ? 2 : 3); s++) reach_add(&to[s], 1, &f[s], Jc + i * n, 1);
      }
      if (!M) continue;

      memset(moved, 0, (size_t)n * sizeof(double));
      memset(turned, 0, (size_t)n * sizeof(double));
      if (cable) add_cable_squares(m, w, r->cable, &to[0], moved);
      if (!cable) {
        const vec3 p[3] = {td_frame(m, w, r->a).p, td_frame(m, w, r->b).p, {0, 0, 0}};
        const double apart = vec3_norm(vec3_sub(p[1], p[0]));
        // a direction that turns moves what is `apart` along it
        for (int s = 0; s < (shared ? 2 : 3); s++)
          add_squares(&to[s], p[s], s < 2, s == 2 || r->c == station[s] ? apart : 0, moved, turned);
      }

      double sum[2] = {0, 0};
      for (int j = 0; j < m->nfree_v; j++) {
        const int v = m->free_v[j];
        sum[0] += moved[v] * scale[v] * scale[v];
        sum[1] += turned[v] * scale[v] * scale[v];
        size[v] = fmax(size[v], moved[v] + turned[v]);
      }
      for (int i = first; i < end; i++) {
        const bool turns = m->row[i].kind == ROW_ALPHA || m->row[i].kind == ROW_DOT;
        const double pitch = m->row[i].kind == ROW_SCREW ? w->num[m->row[i].pitch] : 0;
        row[i] = sqrt(sum[turns] + pitch * pitch * sum[1]);
      }
    }
    if (!massless || pass > 0) break;
    for (int j = 0; j < m->nfree_v; j++) {
      const int v = m->free_v[j];
      if (size[v] > 0 && scale[v] > 0) least = fmin(least, 1 / (scale[v] * scale[v] * size[v]));
    }
    for (int j = 0; j < m->nfree_v; j++) {
      const int v = m->free_v[j];
      if (scale[v] == 0)
        scale[v] = size[v] > 0 ? 1 / sqrt(size[v] * (isfinite(least) ? least : 1)) : 1;
    }
  }
  for (int j = 0; j < m->nfree_v && M; j++) col[j] = scale[m->free_v[j]];
  arena_close(&w->scratch, mark);
}

// The multiplier of a cable is its tension, with which all that asks for tensions goes on.
static void pull_cable(const td_model* m, td_work* w, int row, double lambda) {
  const int cable = m->row[row].cable;
  const double tension = row_is_off(m, w, row) ? 0 : lambda;
  w->cable[cable].tension = tension;
  td_taut_pull(m, w, cable, tension, &w->hop[0].f, sizeof(hop_work), w->tau);
}

void td_row_forces(const td_model* m, td_work* w, const double* lambda) {
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    const int station[3] = {r->a, r->b, r->c};
    spatial f[3];
    if (r->kind == ROW_CABLE) {
      pull_cable(m, w, i, lambda[i]);
      continue;
    }
    td_row_wrenches(m, w, i, f);
    for (int s = 0; s < 3; s++) {
      const int hop = station[s] < 0 ? -1 : m->station[station[s]].hop;
      if (hop >= 0) w->hop[hop].f = spatial_axpy(lambda[i], f[s], w->hop[hop].f);
    }
  }
}

// Of a row with the multiplier's force v.
static void wrenches_change(const model_row* row, const row_ends* ends, const row_value* v,
                            const ends_change* c, spatial out[3]) {
  const row_value d = change_of(row, ends, c);
  const vec3 none = {0, 0, 0};
  const spatial moved_a = spatial_of(none, vec3_cross(c->a.p, v->force)),
                moved_b = spatial_of(none, vec3_cross(c->b.p, v->force));
  const spatial on_a = spatial_add(spatial_force(ends->a.p, d.force, d.torque), moved_a);
  out[0] = spatial_scale(-1, on_a);
  out[1] = spatial_add(spatial_force(ends->b.p, d.force, d.torque), moved_b);
  out[2] = spatial_of(none, d.torque_c);
}

void td_row_wrenches_change(const td_model* m, const td_work* w, int row, int col, bool rate,
                            spatial out[3]) {
  const model_row* r = &m->row[row];
  row_ends ends;
  ends_at(m, w, r, &ends);
  const row_value v = td_row_value(r->kind, &ends.f);
  const ends_change d = ends_change_at(m, w, r, col, rate);
  wrenches_change(r, &ends, &v, &d, out);
}

bool td_row_moves(const td_model* m, int row, int hop) {
  const model_row* r = &m->row[row];
  if (r->kind == ROW_CABLE) return true;
  return station_moves(m, r->a, hop) || station_moves(m, r->b, hop) || station_moves(m, r->c, hop);
}

void td_row_forces_change(const td_model* m, td_work* w, const double* lambda, int col, bool rate,
                          spatial* df) {
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    const int station[3] = {r->a, r->b, r->c};
    spatial change[3];
    if (r->kind == ROW_CABLE || !td_row_moves(m, i, m->col[col].hop)) continue;
    td_row_wrenches_change(m, w, i, col, rate, change);
    for (int s = 0; s < 3; s++) {
      const int h = station[s] < 0 ? -1 : m->station[station[s]].hop;
      if (h >= 0) df[h] = spatial_axpy(lambda[i], change[s], df[h]);
    }
  }
}

void td_row_target(const td_model* m, const td_work* w, int row, double* e, double* ed) {
  const model_row* r = &m->row[row];
  *e = *ed = 0;
  if (r->target == TARGET_INITIAL) *e = w->row_zero[row];
  if (r->target == TARGET_CONTROL) {
    *e = w->target[2 * r->target_index];
    *ed = w->target[2 * r->target_index + 1];
  }
  if (r->target == TARGET_MOTION) {
    const double load = r->kind == ROW_CABLE ? w->load : 1;
    *e = load * w->num[r->motion];
    *ed = load * w->num[r->motion + 1];
  }
}

double td_row_drive(const td_model* m, const td_work* w, int row, const row_value* at) {
  const model_row* r = &m->row[row];
  if (w->jump) return w->jump[row];
  double u = r->control == NUM_NONE ? 0 : w->num[r->control], e, ed;
  if (r->target == TARGET_MOTION) u = w->num[r->motion + 2];
  if (r->k == NUM_NONE) return u;
  td_row_target(m, w, row, &e, &ed);
  return u - w->num[r->k] * (at->e - e) - w->num[r->mu] * (at->ed - ed);
}

// Change of (acceleration - drive), numbers included, for the change d of the row.
static double defect_change(const td_model* m, const td_work* w, int row, const row_value* at,
                            const row_value* d) {
  const model_row* r = &m->row[row];
  double x = d->edd, e, ed;
  if (r->control != NUM_NONE) x -= w->dnum[r->control];
  if (r->k == NUM_NONE) return x;
  td_row_target(m, w, row, &e, &ed);
  return x + w->num[r->k] * d->e + w->num[r->mu] * d->ed + w->dnum[r->k] * (at->e - e) +
         w->dnum[r->mu] * (at->ed - ed);
}

double td_row_defect_change(const td_model* m, const td_work* w, int row, int col, bool rate) {
  const row_value at = td_row_at(m, w, row), d = td_row_change_at(m, w, row, col, rate);
  return defect_change(m, w, row, &at, &d);
}

// ---- tangents ---------------------------------------------------------------------------------

typedef struct row_state {
  row_ends ends;
  row_value at;
} row_state;

static const row_state* rows_at(const td_model* m, td_work* w) {
  row_state* s = arena_bytes(&w->scratch, (size_t)m->nrow * sizeof *s);
  for (int i = 0; i < m->nrow; i++) {
    ends_at(m, w, &m->row[i], &s[i].ends);
    s[i].at = m->row[i].kind == ROW_CABLE ? td_row_at(m, w, i)
                                          : td_row_value(m->row[i].kind, &s[i].ends.f);
  }
  return s;
}

size_t td_row_bytes(const td_model* m) { return (size_t)m->nrow * sizeof(row_state) + 64; }

// The wrenches of a bundle's multipliers change along a column: what that does along the DOFs.
static void bundle_column(const td_model* m, const td_work* w, int first, int end,
                          const row_state* s, const double* lambda, int col, const reach to[3],
                          double* dq) {
  const ends_change d = ends_change_at(m, w, &m->row[first], col, false);
  spatial sum[3] = {spatial_zero(), spatial_zero(), spatial_zero()}, change[3];
  for (int i = first; i < end; i++) {
    wrenches_change(&m->row[i], &s[i].ends, &s[i].at, &d, change);
    for (int e = 0; e < 3; e++) sum[e] = spatial_axpy(lambda[i], change[e], sum[e]);
  }
  for (int e = 0; e < 3; e++) reach_add(&to[e], -1, &sum[e], dq + m->col[col].v, m->nvel);
}

void td_row_tangent(const td_model* m, td_work* w, const double* lambda, double* dq) {
  const arena_mark mark = arena_open(&w->scratch);
  const row_state* s = rows_at(m, w);
  reach to[3];
  for (int e = 0; e < 3; e++) to[e] = reach_new(m, &w->scratch);
  for (int first = 0, end; first < m->nrow; first = end) {
    const int station[3] = {m->row[first].a, m->row[first].b, m->row[first].c};
    end = bundle_end(m, first);
    if (m->row[first].kind == ROW_CABLE) continue;  // among the forces: its tension is set
    for (int e = 0; e < 3; e++)
      reach_to(m, w, station[e] < 0 ? -1 : m->station[station[e]].hop, &to[e]);
    for (int col = 0; col < m->ncol; col++)
      if (m->col[col].leads && td_row_moves(m, first, m->col[col].hop))
        bundle_column(m, w, first, end, s, lambda, col, to, dq);
  }
  arena_close(&w->scratch, mark);
}

static void defect_column(const td_model* m, const td_work* w, const row_state* s, int col,
                          bool rate, double* out) {
  for (int first = 0, end; first < m->nrow; first = end) {
    end = bundle_end(m, first);
    if (row_is_off(m, w, first)) continue;
    if (!w->numbers_change && !td_row_moves(m, first, m->col[col].hop)) continue;
    const ends_change c = ends_change_at(m, w, &m->row[first], col, rate);
    for (int i = first; i < end; i++) {
      const row_value d = m->row[i].kind == ROW_CABLE ? td_row_change_at(m, w, i, col, rate)
                                                      : change_of(&m->row[i], &s[i].ends, &c);
      out[i * m->nvel + m->col[col].v] += defect_change(m, w, i, &s[i].at, &d);
    }
  }
}

// Rows see accelerations without gravity, their changes follow from the columns' tangent vectors.
void td_constraint_tangent_at(const td_model* m, td_work* w, const double* a, bool gravity,
                              double* dq, double* dv) {
  const size_t size = (size_t)m->nrow * (size_t)m->nvel * sizeof(double);
  const arena_mark mark = arena_open(&w->scratch);
  td_accelerate(m, w, a, false);
  const row_state* s = rows_at(m, w);
  if (gravity) td_accelerate(m, w, a, true);
  memset(dq, 0, size);
  memset(dv, 0, size);
  for (int col = 0; col < m->ncol; col++)
    for (int rate = 0; rate < 2 && m->col[col].leads; rate++) {
      td_number_changes(m, w, col, rate);
      defect_column(m, w, s, col, rate, rate ? dv : dq);
    }
  td_number_changes(m, w, -1, false);
  arena_close(&w->scratch, mark);
}

void td_constraint_tangent(const td_model* m, const td_state* state, td_work* w, const double* a,
                           double* dq, double* dv) {
  td_enter(m, state, w);
  td_accelerate(m, w, a, false);
  td_tangent_columns(m, w, a);
  td_constraint_tangent_at(m, w, a, false, dq, dv);
}

td_status td_trial_constraints(const td_model* m, const td_state* state, td_work* w, double* Jc,
                               double* e, double* edot) {
  if (!model_has(m, state, w)) return TD_E_USAGE;
  td_enter(m, state, w);
  if (Jc) td_row_jacobian(m, w, Jc);
  for (int i = 0; i < m->nrow; i++) {
    const row_value v = td_row_at(m, w, i);
    double target, rate;
    td_row_target(m, w, i, &target, &rate);
    const bool off = row_is_off(m, w, i);
    if (e) e[i] = off ? 0 : v.e - target;
    if (edot) edot[i] = off ? 0 : v.ed - rate;
  }
  return TD_OK;
}

td_status td_constraints(const td_model* m, const td_state* state, td_work* w, double* Jc,
                         double* e, double* edot) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  return td_trial_constraints(m, state, w, Jc, e, edot);
}

// ---- targets of controlled rows ---------------------------------------------------------------

int td_target_count(const td_model* m) { return 2 * m->ntarget; }
double* td_targets(td_work* w) { return w->target; }

void td_target_initial(const td_model* m, const td_state* state, td_work* w, double* targets) {
  td_enter(m, state, w);
  for (int i = 0; i < m->nrow; i++) {
    if (m->row[i].target != TARGET_CONTROL) continue;
    const row_value v = td_row_at(m, w, i);
    targets[2 * m->row[i].target_index] = v.e;
    targets[2 * m->row[i].target_index + 1] = v.ed;
  }
}

void td_target_rates(const td_model* m, const td_state* state, td_work* w, const double* targets,
                     double* rates) {
  td_enter(m, state, w);
  for (int i = 0; i < m->nrow; i++) {
    if (m->row[i].target != TARGET_CONTROL) continue;
    const int t = m->row[i].target_index;
    rates[2 * t] = targets[2 * t + 1];
    rates[2 * t + 1] = w->num[m->row[i].control];
  }
}

int td_unfollowed_control(const td_model* m, const td_state* state, td_work* w, double* left) {
  int worst = -1;
  double most = 0;
  *left = 0;
  if (td_trial_dynamics(m, state, w) != TD_OK) return -1;
  td_accelerate(m, w, w->vdot, false);
  for (int i = 0; i < m->nrow; i++) {
    if (row_is_off(m, w, i)) continue;
    const row_value at = td_row_at(m, w, i);
    const double drive = td_row_drive(m, w, i, &at), miss = fabs(at.edd - drive);
    if (m->row[i].target == TARGET_CONTROL) most = fmax(most, fabs(drive));
    if (miss > *left) *left = miss, worst = i;
  }
  return *left > 1e-6 * most && most > 0 ? worst : -1;
}
