// Constraint rows of a model as a whole: the Jacobian J and the sizes of its rows, the targets that
// rows are driven to, and the tangents of multiplier forces and of row accelerations.
//
// A row measures e(q, t), its rate e' = J v and its acceleration e" = J v' + J' v.  The equations
// of motion require e" = drive, where the drive is the acceleration of the target, or a control
// with PD terms u - k (e - e_target) - mu (e' - e'_target).
#include <math.h>
#include <string.h>

#include "engine/adjoint.h"
#include "engine/path.h"
#include "engine/row_table.h"
#include "engine/taut.h"

// End of the bundle of rows that begins with `first`: rows of one joint are consecutive and share
// their stations.
static int bundle_end(const td_model* m, int first) {
  const model_row *a = &m->row[first], *b = a + 1;
  while (b < m->row + m->nrow && b->a == a->a && b->b == a->b && b->c == a->c &&
         row_has_frames(b->kind))
    b++;
  return (int)(b - m->row);
}

// Allocate the columns between the ground and one station of a row; no hop is reached so far.
static row_reach reach_new(const td_model* m, arena* s) {
  int slots = 0;
  for (int i = 0; i < m->nhop; i++) slots = max_int(slots, m->hop[i].end);
  return (row_reach){-1, 0, arena_ints(s, slots),
                     arena_bytes(s, (size_t)slot_blocks(slots) * sizeof(octet))};
}

// J (nrow x nvel) without sizes.
void td_row_jacobian(const td_model* m, td_work* w, double* Jc) {
  td_row_jacobian_sized(m, w, Jc, NULL, NULL, NULL);
}

// J (nrow x nvel), the sizes of its rows and the scale factors of the free columns.
//
// The size of a row is the norm of the numbers that it is made of: of the twists of both ends of a
// loop, before one is subtracted from the other and projected onto the row's direction.  All rows
// of one kind of one joint have the same size.  Columns are weighted by 1/√mass.  A DOF without
// mass gets the least mass that other DOFs move for the same twist, which a first pass over the
// rows has to find.
void td_row_jacobian_sized(const td_model* m, td_work* w, double* Jc, const double* M, double* row,
                           double* col) {
  const int n = m->nvel;
  const arena_mark mark = arena_open(&w->scratch);
  double *size = arena_zeros(&w->scratch, n), *scale = arena_zeros(&w->scratch, n);
  double *moved = arena_doubles(&w->scratch, n), *turned = arena_doubles(&w->scratch, n);
  double least = INFINITY;
  bool massless = false;
  row_reach to[3];
  for (int s = 0; s < 3; s++) to[s] = reach_new(m, &w->scratch);
  memset(Jc, 0, (size_t)m->nrow * (size_t)n * sizeof(double));

  // weights of the columns, 0 for DOFs without mass
  for (int j = 0; j < m->nfree_v && M; j++) {
    const int v = m->free_v[j];
    scale[v] = M[v * n + v] > 0 ? 1 / sqrt(M[v * n + v]) : 0;
    massless |= scale[v] == 0;
  }

  for (int pass = 0; pass < (massless ? 2 : 1); pass++) {
    for (int first = 0, end; first < m->nrow; first = end) {
      const row_ops* ops = td_row_table[m->row[first].kind];
      end = bundle_end(m, first);
      if (pass == 0) ops->jacobian(m, w, first, end, to, Jc);
      if (!M) continue;
      memset(moved, 0, (size_t)n * sizeof(double));
      memset(turned, 0, (size_t)n * sizeof(double));
      ops->squares(m, w, first, to, moved, turned);

      // the twists in the metric of the weights: [0] translations, [1] rotations
      double sum[2] = {0, 0};
      for (int j = 0; j < m->nfree_v; j++) {
        const int v = m->free_v[j];
        sum[0] += moved[v] * scale[v] * scale[v];
        sum[1] += turned[v] * scale[v] * scale[v];
        size[v] = fmax(size[v], moved[v] + turned[v]);
      }

      // size of each row; a screw row also contains its pitch times the rotation
      for (int i = first; i < end; i++) {
        const num slot = m->row[i].pitch;
        const double pitch = slot == NUM_NONE ? 0 : w->num[slot];
        row[i] = sqrt(sum[!row_is_length(m->row[i].kind)] + pitch * pitch * sum[1]);
      }
    }

    // give massless DOFs the least mass of all others, relative to the twist that they cause
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

// Target value e and rate ed of a row: zero, its initial value, an integrated control, or
// prescribed motion.
void td_row_target(const td_model* m, const td_work* w, int row, double* e, double* ed) {
  const model_row* r = &m->row[row];
  *e = *ed = 0;
  if (r->target == TARGET_INITIAL) *e = w->row_zero[row];

  if (r->target == TARGET_CONTROL) {
    *e = w->target[2 * r->target_index];
    *ed = w->target[2 * r->target_index + 1];
  }

  if (r->target == TARGET_MOTION) {
    const double load = row_has_frames(r->kind) ? 1 : w->load;  // cables are pulled by loads
    *e = load * w->num[r->motion];
    *ed = load * w->num[r->motion + 1];
  }
}

// Target acceleration of a row at its value and rate `at`: control or prescribed motion, with PD
// terms.
double td_row_drive(const td_model* m, const td_work* w, int row, const row_value* at) {
  const model_row* r = &m->row[row];
  if (w->jump) return w->jump[row];
  double u = r->control == NUM_NONE ? 0 : w->num[r->control], e, ed;
  if (r->target == TARGET_MOTION) u = w->num[r->motion + 2];
  if (r->k == NUM_NONE) return u;
  td_row_target(m, w, row, &e, &ed);
  return u - w->num[r->k] * (at->e - e) - w->num[r->mu] * (at->ed - ed);
}

// Change of the target of a row along w->along.
static void target_change(const td_model* m, const td_work* w, int row, double* e, double* ed) {
  const model_row* r = &m->row[row];
  *e = r->target == TARGET_INITIAL ? w->along->row_zero[row] : 0;
  *ed = 0;
  if (r->target == TARGET_MOTION) {
    const double load = row_has_frames(r->kind) ? 1 : w->load;
    *e = load * w->dnum[r->motion];
    *ed = load * w->dnum[r->motion + 1];
  }
}

// Change of (acceleration - drive) for the change d of the row and the changes w->dnum of the
// numbers.
static double defect_change(const td_model* m, const td_work* w, int row, const row_value* at,
                            const row_value* d) {
  const model_row* r = &m->row[row];
  double x = d->edd, e, ed;
  if (r->control != NUM_NONE && r->target != TARGET_MOTION) x -= w->dnum[r->control];
  if (w->along && r->target == TARGET_MOTION) x -= w->dnum[r->motion + 2];
  if (r->k == NUM_NONE) return x;
  if (w->along) {
    target_change(m, w, row, &e, &ed);
    x -= w->num[r->k] * e + w->num[r->mu] * ed;
  }
  td_row_target(m, w, row, &e, &ed);
  return x + w->num[r->k] * d->e + w->num[r->mu] * d->ed + w->dnum[r->k] * (at->e - e) +
         w->dnum[r->mu] * (at->ed - ed);
}

// Change of (acceleration - drive) of one row along a column, of its position or its rate.
double td_row_defect_change(const td_model* m, const td_work* w, int row, int col, bool rate) {
  const row_ops* ops = td_row_table[m->row[row].kind];
  const ends_change c = td_row_ends_change(m, w, row, col, rate);
  row_state s;
  ops->linearise(m, w, row, &s);
  const row_value d = ops->diff(m, w, row, &s, &c, col, rate);
  return defect_change(m, w, row, &s.at, &d);
}

// Differentiate row `row` along w->along by the operations of its kind; *defect is the change of
// acceleration less drive.
row_value td_row_along(const td_model* m, const td_work* w, int row, double* defect) {
  const row_ops* ops = td_row_table[m->row[row].kind];
  ends_change c = {0};
  row_state s;
  double e, ed;
  if (row_has_frames(m->row[row].kind)) c = td_row_ends_change(m, w, row, ALONG, false);
  ops->linearise(m, w, row, &s);
  row_value d = ops->diff(m, w, row, &s, &c, ALONG, false);
  *defect = defect_change(m, w, row, &s.at, &d);
  target_change(m, w, row, &e, &ed);
  d.e -= e;
  d.ed -= ed;
  return d;
}

void td_row_reverse(const td_model* m, td_work* w, int row, double e, double ed, double defect,
                    adjoint* b) {
  const model_row* r = &m->row[row];
  const row_ops* ops = td_row_table[r->kind];
  row_value bar = {.e = e, .ed = ed, .edd = defect};

  // the drive: control or prescribed motion, and PD terms
  if (r->control != NUM_NONE && r->target != TARGET_MOTION) b->n[r->control] -= defect;
  if (r->target == TARGET_MOTION) b->n[r->motion + 2] -= defect;
  if (r->k != NUM_NONE) {
    const row_value at = ops->value(m, w, row);
    double target, rate;
    td_row_target(m, w, row, &target, &rate);
    bar.e += w->num[r->k] * defect;
    bar.ed += w->num[r->mu] * defect;
    b->n[r->k] += defect * (at.e - target);
    b->n[r->mu] += defect * (at.ed - rate);
  }

  // the target, and the row itself
  if (r->target == TARGET_INITIAL) b->row_zero[row] -= bar.e;
  if (r->target == TARGET_MOTION) {
    const double load = row_has_frames(r->kind) ? 1 : w->load;
    b->n[r->motion] -= load * bar.e;
    b->n[r->motion + 1] -= load * bar.ed;
  }
  ops->reverse(m, w, row, &bar, b);
}

// ---- tangents ---------------------------------------------------------------------------------

// Linearise all rows; the result stays in the scratch.
static const row_state* rows_at(const td_model* m, td_work* w) {
  row_state* s = arena_bytes(&w->scratch, (size_t)m->nrow * sizeof *s);
  for (int i = 0; i < m->nrow; i++) td_row_table[m->row[i].kind]->linearise(m, w, i, &s[i]);
  return s;
}

// Scratch [bytes] that rows_at takes.
size_t td_row_bytes(const td_model* m) { return (size_t)m->nrow * sizeof(row_state) + 64; }

// dq -= d(Jᵀ λ)/dq at constant λ, bundle by bundle.
void td_row_tangent(const td_model* m, td_work* w, const double* lambda, double* dq) {
  const arena_mark mark = arena_open(&w->scratch);
  const row_state* s = rows_at(m, w);
  row_reach to[3];
  for (int e = 0; e < 3; e++) to[e] = reach_new(m, &w->scratch);
  for (int first = 0, end; first < m->nrow; first = end) {
    end = bundle_end(m, first);
    td_row_table[m->row[first].kind]->tangent(m, w, first, end, s, lambda, to, dq);
  }
  arena_close(&w->scratch, mark);
}

// d(acceleration - drive)/dq and /dv of all rows (nrow x nvel each) at the accelerations a.
// `gravity`: the tangent vectors of the columns were computed with gravity in the accelerations,
// which rows do not contain.
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
      // numbers that follow sensors change along this column, too
      double* out = rate ? dv : dq;
      td_number_changes(m, w, col, rate);

      // bundles that the column moves, or all where numbers change
      for (int first = 0, end; first < m->nrow; first = end) {
        end = bundle_end(m, first);
        if (row_is_off(m, w, first)) continue;
        if (!w->numbers_change && !td_row_moves(m, first, m->col[col].hop)) continue;
        const ends_change c = td_row_ends_change(m, w, first, col, rate);
        for (int i = first; i < end; i++) {
          const row_value d = td_row_table[m->row[i].kind]->diff(m, w, i, &s[i], &c, col, rate);
          out[i * m->nvel + m->col[col].v] += defect_change(m, w, i, &s[i].at, &d);
        }
      }
    }
  td_number_changes(m, w, -1, false);
  arena_close(&w->scratch, mark);
}

// ---- targets of controlled rows ---------------------------------------------------------------

// Numbers of the targets that a solver integrates: value and rate of each row under time-dependent
// control.
int td_target_count(const td_model* m) { return 2 * m->ntarget; }
double* td_targets(td_work* w) { return w->target; }

// Gap of an inextensible cable with its rate and acceleration: its row minus the drive.
row_value td_taut_gap(const td_model* m, const td_work* w, int cable) {
  const model_row* r = &m->row[m->cable[cable].row];
  row_value v = td_taut_value(m, w, cable);
  double e, ed;
  td_row_target(m, w, m->cable[cable].row, &e, &ed);
  v.e -= e;
  v.ed -= ed;
  v.edd -= w->num[r->motion + 2];
  return v;
}

// d(drive of a row)/d(input)
double td_row_input(const td_model* m, td_work* w, int row, int input) {
  const num control = m->row[row].control;
  if (control == NUM_NONE) return 0;
  td_tape_eval(m->live_input_tape, w->vars, w->scratch_tape, w->partial);
  double sum = 0;
  for (int i = 0; i < m->nlive_input; i++)
    if (m->live_input[i].source == input && m->live_input[i].target == control)
      sum += w->partial[i];
  return sum;
}
