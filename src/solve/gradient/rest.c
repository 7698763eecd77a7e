// An equilibrium and its change along one parameter, input or initial internal state (rest.h).
#include "solve/gradient/rest.h"

#include <math.h>
#include <stdio.h>

#include "model/model.h"
#include "solve/statics/sparse_statics.h"
#include "solve/vectors.h"
#include "tendril/tools.h"

// ---- by what ----------------------------------------------------------------------------------

const char* td_by_name(const td_model* m, td_by by) {
  const char* name = NULL;
  if (by.kind == TD_BY_PARAM) name = td_model_param_name(m, by.index);
  if (by.kind == TD_BY_INPUT) name = td_model_input_name(m, by.index);
  if (by.kind == TD_BY_INTERNAL) name = td_model_internal_name(m, by.index);
  return name ? name : "?";
}

bool td_by_allowed(const td_model* m, td_by by) {
  if (!m || by.index < 0) return false;
  if (by.kind == TD_BY_PARAM) return by.index < m->nparam && !m->param[by.index].structural;
  return by.index < (by.kind == TD_BY_INPUT      ? m->ninput
                     : by.kind == TD_BY_INTERNAL ? m->ninternal
                                                 : 0);
}

td_status td_by_check(const td_model* m, td_work* w, const td_by* by, int n) {
  if (n < 0 || (n > 0 && !by)) return TD_E_USAGE;
  for (int i = 0; i < n; i++) {
    int count = 0;
    switch (by[i].kind) {
      case TD_BY_PARAM:
        count = m->nparam;
        break;
      case TD_BY_INPUT:
        count = m->ninput;
        break;
      case TD_BY_INTERNAL:
        count = m->ninternal;
        break;
      case TD_BY_POSITION:
      case TD_BY_VELOCITY:
      case TD_BY_SAMPLE:
        td_work_fail(w,
                     "derivatives by initial positions, initial velocities and samples of inputs "
                     "are those of trajectories: an equilibrium does not depend on them");
        return TD_E_USAGE;
    }
    if (by[i].index < 0 || by[i].index >= count) {
      td_work_fail(w, "derivative %d is by number %d of %d %s", i + 1, by[i].index, count,
                   by[i].kind == TD_BY_PARAM   ? "parameters"
                   : by[i].kind == TD_BY_INPUT ? "inputs"
                                               : "internal states");
      return TD_E_USAGE;
    }
    if (by[i].kind == TD_BY_PARAM && m->param[by[i].index].structural) {
      td_work_fail(w,
                   "there is no derivative by the parameter '%s': it was used while loading, for "
                   "what the model is made of (counts, names, structure)",
                   td_by_name(m, by[i]));
      return TD_E_USAGE;
    }
    // what the initial geometry gives must follow parameters in a way that is known
    if (by[i].kind == TD_BY_PARAM && m->nrow > 0 && td_initial_rests(m)) {
      const arena_mark mark = arena_open(&w->scratch);
      double *p = arena_zeros(&w->scratch, m->nparam), *q = arena_zeros(&w->scratch, m->nvel),
             *v = arena_zeros(&w->scratch, m->nvel), *z = arena_zeros(&w->scratch, m->ninternal);
      p[by[i].index] = 1;
      const td_status status = td_state_initial_diff(m, w, p, q, v, z);
      arena_close(&w->scratch, mark);
      TD_TRY(status);
    }
  }
  return TD_OK;
}

// ---- life -------------------------------------------------------------------------------------

td_status td_change_new(const td_model* m, td_change* c) {
  const int nv = m->nvel, nr = m->nrow, np = m->nparam, nu = model_drives(m);
  double* at = c->q = calloc((size_t)(3 * nv + nr + np + nu) + 1, sizeof(double));
  if (!at) return TD_E_NOMEM;
  c->v = at + nv;
  c->a = c->v + nv;
  c->lambda = c->a + nv;
  c->p = c->lambda + nr;
  c->u = c->p + np;
  c->along =
      (td_direction){.q = c->q, .v = c->v, .a = c->a, .lambda = c->lambda, .p = c->p, .u = c->u};
  return TD_OK;
}

void td_change_free(td_change* c) { free(c->q); }

void td_rest_free(td_rest* r) {
  if (!r) return;
  td_newton_free(r->newton);
  td_statics_free(r->s);
  free(r->q);
  free(r);
}

// Multipliers: those that the work has where they balance the state, as td_equilibrium leaves them,
// else by least squares.  What is left of the forces is in r->F, of the rows in r->e.
static void balance(td_rest* r, td_work* w) {
  td_statics* s = r->s;
  td_newton* newton = r->newton;
  copy(r->l, w->lambda, s->m);
  if (!all_finite(r->l, (size_t)s->m)) memset(r->l, 0, sizeof(double) * (size_t)s->m);
  td_newton_begin(newton, r->q, r->l, 1);
  double left = largest(newton->F, (size_t)s->n);
  if (s->m > 0 && !(left <= 1e-9 * newton->forces)) {
    td_newton_estimate(newton, r->q, r->l, 1);
    td_newton_begin(newton, r->q, r->l, 1);
    left = largest(newton->F, (size_t)s->n);
  }
  r->forces = newton->forces;
  copy(r->F, newton->F, s->n);
  copy(r->e, newton->e, s->m);
  // none of it counts as a load along directions that nothing holds
  memset(newton->F, 0, sizeof(double) * (size_t)s->n);
}

// Refuse a state that is no equilibrium: forces are left over that count beside those that act, and
// that Newton's method would take away by a step that counts, or gaps.
static td_status refuse_unbalanced(td_rest* r) {
  const td_statics* s = r->s;
  const double left = largest(r->F, (size_t)s->n), gap = largest(r->e, (size_t)s->m);
  if (left > 1e-6 * r->forces + 1e-12) {
    r->newton->linear->solve(r->newton->linear_ctx, r->F, r->e, r->dx, r->dl);
    if (!(largest(r->dx, (size_t)s->n) <= 1e-9 * fmax(1, largest(r->q, (size_t)s->nq)))) {
      td_work_fail(s->work,
                   "the state is no equilibrium, whose derivative could be taken: a force of %.3g "
                   "is left over; find one first",
                   left);
      return TD_E_USAGE;
    }
  }
  if (!(gap <= 1e-6)) {
    td_work_fail(s->work, "the state does not meet the constraints: a gap of %.3g is left over",
                 gap);
    return TD_E_USAGE;
  }
  return TD_OK;
}

// Rows that follow the state by accelerations have no position of their own in an equilibrium.
static td_status refuse_servos(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nrow; i++)
    if (!m->row[i].projected && m->row[i].control != NUM_NONE) {
      td_work_fail(w,
                   "there are no derivatives of equilibria with a joint.control that follows the "
                   "state (%s): it gives accelerations, not places",
                   td_model_constraint_name(m, i));
      return TD_E_USAGE;
    }
  return TD_OK;
}

// The tangent at the point has no inverse.
static td_status report_singular(td_rest* r) {
  td_statics* s = r->s;
  char note[256] = "";
  td_statics_explain(s, r->q, r->l, note, sizeof note);
  td_work_fail(s->work,
               "the stiffness is singular at this equilibrium, which is a limit point, a "
               "bifurcation or neutral: it has no derivative%s%s",
               *note ? "; " : "", note);
  return TD_E_SINGULAR;
}

// Stiffness relative to the largest that counts as none, both by mass.
static const double neutral = 1e-12;

// Does a direction float although a sparse tangent has factors?  The response x to the momentum of
// random velocities r has a stiffness by mass of sqrt(r'M r / x'M x), near the least.
static bool floats(td_rest* r, double size, double mass) {
  const td_statics* s = r->s;
  double *x = r->motion, *y = r->left;
  memset(x, 0, sizeof(double) * (size_t)s->nv);
  for (int i = 0; i < s->n; i++) x[s->free[i]] = sin(1.0 + i * (i % 7));
  td_sparse_mass_mul(s->model, s->sparse->M, x, y);
  const double before = inner(x, y, s->nv);
  for (int i = 0; i < s->n; i++) r->dx[i] = -y[s->free[i]];
  memset(r->dl, 0, sizeof(double) * (size_t)s->m);
  r->newton->linear->solve(r->newton->linear_ctx, r->dx, r->dl, r->dx, NULL);
  for (int i = 0; i < s->n; i++) x[s->free[i]] = r->dx[i];
  td_sparse_mass_mul(s->model, s->sparse->M, x, y);
  return !(before * mass * mass > neutral * neutral * size * size * inner(x, y, s->nv));
}

// Factor the tangent.  Directions that nothing holds get a stiffness of their own: in a dense one
// those whose stiffness is the rounding of the equilibrium that was found (held.c), in a sparse one
// all a little, which td_rest_change takes out again.
static td_status factor(td_rest* r) {
  td_newton* newton = r->newton;
  sparse_statics* sparse = r->s->sparse;
  double size;
  newton->loose = 0;
  td_status status = newton->linear->factor(newton->linear_ctx, r->q, r->l, 1, 0, &size);
  // pivots far from rounding: nothing floats, and the modes need not be looked at
  if (!sparse && (status != TD_OK || newton->saddle->least < 1e-8)) {
    newton->loose = -1;
    newton->zero = neutral;
    status = newton->linear->factor(newton->linear_ctx, r->q, r->l, 1, 0, &size);
  }
  if (status == TD_OK && sparse && !sparse->held) {
    const double mass = largest(sparse->M, (size_t)mass_values(r->s->model));
    if (mass > 0 && floats(r, size, mass)) {
      const double shift = 1e-10 * size / mass;
      status = newton->linear->factor(newton->linear_ctx, r->q, r->l, 1, shift, &size);
      sparse->held = true;
    }
  }
  r->held = sparse ? sparse->held : newton->loose > 0;
  return status != TD_OK || newton->endless ? report_singular(r) : TD_OK;
}

// Which inextensible cables are taut: those that the accelerations there make pull; without masses
// those that the work has, as td_equilibrium left them.
static td_status choose_taut(td_statics* s) {
  const td_model* m = s->model;
  if (td_taut_count(m) == 0) return TD_OK;
  bool* slack = malloc(sizeof *slack * (size_t)(m->ncable + 1));
  if (!slack) return TD_E_NOMEM;
  for (int i = 0; i < m->ncable; i++) slack[i] = s->work->cable[i].slack;
  td_status status = td_taut_choose(m, s->state, s->work);
  for (int i = 0; i < m->ncable && status == TD_E_SINGULAR; i++) s->work->cable[i].slack = slack[i];
  if (status == TD_E_SINGULAR) *s->work->failure = 0;
  free(slack);
  return status == TD_E_SINGULAR ? TD_OK : status;
}

td_status td_rest_new(const td_model* m, const td_state* state, td_work* w, td_rest** rest) {
  *rest = NULL;
  *w->failure = *w->gradient_note = 0;
  TD_TRY(refuse_servos(m, w));
  td_rest* r = calloc(1, sizeof *r);
  if (!r) return TD_E_NOMEM;

  // one block for the point and for what a change takes
  const size_t nq = (size_t)m->npos, nv = (size_t)m->nvel, nr = (size_t)m->nrow,
               nz = (size_t)m->ninternal;
  double* at = r->q = calloc(nq + 4 * nv + 4 * nr + 2 * nz + nz * nz + 1, sizeof(double));
  td_status status = at ? td_statics_new(m, w, state, TD_LOAD_SCALE, &r->s) : TD_E_NOMEM;
  if (status == TD_OK) {
    double** const parts[] = {&r->q, &r->l,  &r->F,      &r->dx,      &r->motion, &r->left,
                              &r->e, &r->dl, &r->target, &r->initial, &r->rates,  &r->P};
    const size_t sizes[] = {nq, nr, nv, nv, nv, nv, nr, nr, nr, nz, nz, nz * nz};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
      *parts[i] = at;
      at += sizes[i];
    }
    copy(r->q, r->s->state->q, r->s->nq);
  }

  // which cables are taut, internal states that follow, the forces that are left
  if (status == TD_OK) status = choose_taut(r->s);
  if (status == TD_OK && nz > 0) status = td_inner_new(r->s);
  if (status == TD_OK) status = td_newton_new(&r->s->equations, &r->newton);
  if (status == TD_OK) balance(r, w);

  // one tangent, one factorisation
  if (status == TD_OK) status = factor(r);
  if (status == TD_OK) status = refuse_unbalanced(r);
  if (status == TD_OK && nz > 0) {
    double* unit = r->rates;
    r->whole = r->s->inner->whole;
    for (int k = 0; k < (int)nz; k++) {
      memset(unit, 0, sizeof(double) * nz);
      unit[k] = 1;
      td_inner_respond(r->s, unit, r->initial);
      for (size_t i = 0; i < nz; i++) r->P[i * nz + (size_t)k] = r->initial[i];
    }
  }
  if (status != TD_OK) {
    td_rest_free(r);
    return status;
  }
  *rest = r;
  return TD_OK;
}

// ---- one change -------------------------------------------------------------------------------

td_status td_rest_change(td_rest* r, td_by by, td_change* c) {
  td_statics* s = r->s;
  const td_model* m = s->model;
  const int nv = s->nv, nz = m->ninternal, nu = m->ninput;
  memset(c->q, 0, sizeof(double) * (size_t)(3 * nv + m->nrow + m->nparam + model_drives(m)));
  if (by.kind == TD_BY_PARAM) c->p[by.index] = 1;
  if (by.kind == TD_BY_INPUT) c->u[by.index] = 1;

  // internal states that nothing determines follow their initial values
  double* dz = c->u + nu;
  td_direction along = {.p = c->p, .u = c->u};
  if (nz > 0 && !r->whole) {
    if (by.kind == TD_BY_PARAM) {
      const td_given initial = {.initial = r->initial};
      TD_TRY(td_given_diff(m, s->state, s->work, &along, &initial));
      copy(dz, r->initial, nz);
    }
    if (by.kind == TD_BY_INTERNAL) dz[by.index] = 1;
  }

  // what is given, and internal states at rest where the coordinates stay
  bool given = nz > 0 || m->nmotion_slot > 0;
  for (int i = 0; i < m->nrow; i++) given = given || m->row[i].target == TARGET_CONTROL;
  memset(r->target, 0, sizeof(double) * (size_t)m->nrow);
  if (given) {
    const td_given out = {.q = c->q, .v = c->v, .a = c->a, .target = r->target, .rates = r->rates};
    TD_TRY(td_given_diff(m, s->state, s->work, &along, &out));
    for (int i = 0; i < nz; i++) dz[i] += inner(r->P + area(i, nz), r->rates, nz);
  }

  // F_p and e_p, prescribed motion and internal states in them
  along.a = c->a;
  TD_TRY(td_residual_diff(m, s->state, s->work, &along, s->a, r->l, r->left));
  for (int i = 0; i < s->n; i++) r->F[i] = r->left[s->free[i]];
  if (s->m > 0) TD_TRY(td_constraints_diff(m, s->state, s->work, &along, s->a, r->e, NULL, NULL));
  for (int i = 0; i < s->m; i++) r->e[i] -= r->target[i];

  // the coordinates follow, and the internal states with them
  const double pushed = largest(r->F, (size_t)s->n);
  r->newton->linear->solve(r->newton->linear_ctx, r->F, r->e, r->dx, r->dl);
  for (int i = 0; i < s->n; i++) c->q[s->free[i]] = r->dx[i];
  copy(c->lambda, r->dl, s->m);
  for (int k = 0; k < nz; k++)
    for (int i = 0; i < s->n; i++)
      dz[k] += s->inner->S[area(k, nv) + (size_t)s->free[i]] * r->dx[i];
  if (!all_finite(c->q, (size_t)(3 * nv + m->nrow + m->nparam + model_drives(m)))) {
    td_work_fail(s->work, "the derivative of the equilibrium by '%s' is not finite",
                 td_by_name(m, by));
    return TD_E_INFINITE;
  }
  // where directions have a stiffness of their own nothing may be left of F along them
  double rest = INFINITY;
  for (int k = 0; r->held && k < 6; k++) {
    TD_TRY(td_residual_diff(m, s->state, s->work, &c->along, s->a, r->l, r->left));
    const double before = rest;
    for (int i = 0; i < s->n; i++) r->F[i] = r->left[s->free[i]];
    rest = largest(r->F, (size_t)s->n);
    if (rest <= 1e-13 * pushed || rest > before / 4 || !s->sparse) break;
    memset(r->e, 0, sizeof(double) * (size_t)s->m);
    r->newton->linear->solve(r->newton->linear_ctx, r->F, r->e, r->dx, r->dl);
    for (int i = 0; i < s->n; i++) c->q[s->free[i]] += r->dx[i];
    for (int i = 0; i < s->m; i++) c->lambda[i] += r->dl[i];
    for (int z = 0; z < nz; z++)
      for (int i = 0; i < s->n; i++)
        dz[z] += s->inner->S[area(z, nv) + (size_t)s->free[i]] * r->dx[i];
  }
  if (!r->held || rest <= 1e-8 * pushed) return TD_OK;
  td_work_fail(s->work,
               "'%s' pushes along a direction that nothing holds: there is no equilibrium beside "
               "this one, and no derivative",
               td_by_name(m, by));
  return TD_E_SINGULAR;
}

// ---- what is one-sided ------------------------------------------------------------------------

// Append a one-sided element to the note of the gradient.
static void say(td_work* w, const char* what, const char* name) {
  const size_t used = strlen(w->gradient_note), size = sizeof w->gradient_note;
  if (used > size - 80) return;
  snprintf(w->gradient_note + used, size - used, "%s%s%.60s", used ? "; " : "one-sided: ", what,
           name);
}

void td_rest_note(td_rest* r) {
  static const double near = 1e-8;
  td_statics* s = r->s;
  const td_model* m = s->model;
  td_work* w = s->work;
  const int balls = td_contact_guards(m), switches = td_switch_count(m), n = td_guard_count(m);
  if (n == 0) return;
  double* gap = calloc(2 * (size_t)n, sizeof(double));
  if (!gap) return;
  td_guard_values(m, s->state, w, gap, gap + n);
  const double size = fmax(td_robot_size(m, w), 1e-6);

  // contacts at first touch; laws and elastic cables at the end of their range; corners
  bool touch = false, begins = false, corner = false;
  for (int i = 0; i < balls; i++) touch = touch || fabs(gap[i]) <= near * size;
  for (int i = balls; i < balls + switches; i++) begins = begins || fabs(gap[i]) <= 1e-2 * near;
  for (int i = n - m->nkink; i < n; i++) corner = corner || fabs(gap[i]) <= 1e-4 * near;
  if (touch) say(w, "a contact is at first touch", "");
  if (begins) say(w, "a cable or a law with `dir` is where it begins to act", "");
  if (corner) say(w, "an expression has a corner there (min, max, abs, sign, step)", "");

  // inextensible cables: slack without gap, taut without tension
  double most = 0;
  for (int i = 0; i < m->nrow; i++) most = fmax(most, fabs(r->l[i]));
  int taut = 0;
  for (int i = 0; i < m->ncable; i++) {
    if (m->cable[i].row < 0) continue;
    const bool slack = w->cable[i].slack;
    const double open = gap[balls + switches + taut++];
    const bool change =
        slack ? open <= near * size : fabs(r->l[m->cable[i].row]) <= near * fmax(most, r->forces);
    if (change) say(w, "between taut and slack is ", model_name(m, m->cable[i].name));
  }
  free(gap);
}
