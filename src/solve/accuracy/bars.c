// Error bars of equilibria and natural frequencies.
//
// The model is compiled a second time with every rod refined: elements halved and one order more
// for 'gvs', with boundaries where strains may jump; twice as many segments for 'srl', 'ebr' and
// 'eba'; two orders more for 'rom'.  The equilibrium is embedded and corrected there by Newton's
// method, to δ.  Then
//
//   bar of a sensor     = factor · |sensor(refined) - sensor|       of a vector: the norm
//   bar of a frequency  = 3 · |ω(refined) - ω|                      at the corrected equilibrium
//
// The factor covers what the refined model leaves: 1.5 for 'gvs', whose error falls by far more
// than 3 with the refinement, and up to 2.5 times that where it does not, as in the boundary layers
// of tight cables: where the polynomials of the highest order have a share in the change; 2.5
// for segments, whose error falls by 4 in the limit and at least by 1.7 before; 3 for 'rom', of
// which only the order is raised.
#include "solve/accuracy/bars.h"

#include <stdarg.h>
#include <stdio.h>

#include "model/model.h"
#include "solve/statics/vibration.h"
#include "solve/vectors.h"

// Bar of a rod model relative to the change under its refinement.
static const double factors[ROD_MODELS] = {[ROD_MODEL_gvs] = 1.5,
                                           [ROD_MODEL_srl] = 2.5,
                                           [ROD_MODEL_ebr] = 2.5,
                                           [ROD_MODEL_eba] = 2.5,
                                           [ROD_MODEL_rom] = 3};
static const double frequency_factor = 3;
// How much longer a bar becomes with the share of the highest order in the change of the strains.
static const double unresolved = 1.5;
// Relative error of what the solvers return, which every bar includes.
static const double floor_of_solver = 1e-10;

void td_bars_free(td_bars* bars) {
  if (!bars) return;
  td_companion_free(bars->fine);
  td_state_free(bars->last);
  free(bars->coarse);
  free(bars);
}

void td_bars_look(td_bars* bars, const char* format, ...) {
  const size_t used = strlen(bars->reasons), size = sizeof bars->reasons;
  va_list args;
  if (used > 0) snprintf(bars->reasons + used, size - used, "\n");
  va_start(args, format);
  vsnprintf(bars->reasons + strlen(bars->reasons), size - strlen(bars->reasons), format, args);
  va_end(args);
  bars->verdict = TD_TRUST_LOOK;
}

void td_bars_begin(td_bars* bars) {
  snprintf(bars->reasons, sizeof bars->reasons, "%s", bars->always);
  bars->verdict = *bars->always ? TD_TRUST_LOOK : TD_TRUST_OK;
}

td_status td_bars_new(td_spec* spec, const td_model* model, td_bars** out) {
  if (!spec || !model || !out) return TD_E_USAGE;
  *out = NULL;
  td_bars* bars = calloc(1, sizeof *bars);
  if (!bars) return TD_E_NOMEM;
  const size_t n = (size_t)model->noutput_ex + 1;
  bars->model = model;
  bars->exact = model->nrod == 0;
  bars->coarse = calloc(2 * n + (size_t)model->nparam, sizeof(double));
  bars->last = td_state_new(model);
  if (!bars->coarse || !bars->last) {
    td_bars_free(bars);
    return TD_E_NOMEM;
  }
  bars->refined = bars->coarse + n;
  bars->last_param = bars->refined + n;

  // rods whose space is that of a joint are published elements
  for (int r = 0; r < model->nrod; r++)
    if (model->rod[r].monomial && !*bars->why)
      snprintf(bars->why, sizeof bars->why,
               "%.100s is an element as published (joint.rom), which is not refined; written as a "
               "rod it has error bars",
               model_name(model, model->rod[r].name));
  td_status status = TD_OK;
  if (!bars->exact && !*bars->why) {
    status = td_companion_new(spec, model, (spec_refine){.on = true, .split = 2, .raise = 1},
                              bars->why, sizeof bars->why, &bars->fine);
    if (status == TD_E_MODEL || status == TD_E_SINGULAR) status = TD_OK;
  }
  if (status != TD_OK) {
    td_bars_free(bars);
    return status;
  }

  // what the bars do not see
  for (int r = 0; bars->fine && r < model->nrod; r++) {
    const model_rod* rod = &bars->fine->model->rod[r];
    bars->factor = fmax(bars->factor, factors[rod->model]);
    td_bars_begin(bars);
    if (rod->fixed)
      td_bars_look(
          bars,
          "%.80s: its strain field is written out and is not refined: bars tell the error of its "
          "quadrature alone",
          model_name(bars->fine->model, rod->name));
    if (rod->jumps)
      td_bars_look(
          bars,
          "%.80s: something begins, ends or is attached inside a segment, which a bar does not "
          "see as a whole; put an end of a segment or part there",
          model_name(bars->fine->model, rod->name));
    if (rod->hidden)
      td_bars_look(bars,
                   "%.80s: something along it jumps or has corners at places that are not known or "
                   "too many, which a bar does not see as a whole",
                   model_name(bars->fine->model, rod->name));
    snprintf(bars->always, sizeof bars->always, "%s", bars->reasons);
  }
  td_bars_begin(bars);
  *out = bars;
  return TD_OK;
}

// ---- the corrected equilibrium ----------------------------------------------------------------

// Is fine->state the equilibrium of this state already?
static bool is_last(const td_bars* bars, const td_work* work, const td_state* state) {
  const td_model* m = bars->model;
  const td_state* last = bars->last;
  bool same = bars->corrected && last->t == state->t;
  for (int i = 0; i < m->npos && same; i++) same = last->q[i] == state->q[i];
  for (int i = 0; i < m->ninput && same; i++) same = last->u[i] == state->u[i];
  for (int i = 0; i < m->ninternal && same; i++) same = last->z[i] == state->z[i];
  for (int i = 0; i < m->nparam && same; i++)
    same = bars->last_param[i] == td_work_param(m, work, i);
  return same;
}

td_status td_companion_rest(td_companion* c) {
  const td_sizes n = td_model_sizes(c->model);
  td_statics* s = NULL;
  td_newton* newton = NULL;
  double* q = calloc((size_t)(n.nq + n.nconstraint) + 1, sizeof(double));
  if (!q) return TD_E_NOMEM;
  double* l = q + n.nq;
  td_status status = td_statics_new(c->model, c->work, c->state, TD_LOAD_SCALE, &s);
  if (status == TD_OK && c->model->ninternal > 0) status = td_inner_new(s);
  if (status == TD_OK) status = td_newton_new(&s->equations, &newton);
  if (status == TD_OK) {
    copy(q, s->state->q, s->nq);
    status = td_taut_choose(c->model, s->state, c->work);
  }

  // Newton's method, again while inextensible cables become slack or taut
  const td_newton_options how = {.tol = 1e-10, .max_iterations = 20};
  td_newton_report report;
  td_strategy strategy;
  if (status == TD_OK) td_newton_estimate(newton, q, l, 1);
  for (int k = 0; k < 4 && status == TD_OK; k++) {
    status = td_statics_solve(s, newton, q, l, &how, &strategy, &report);
    if (status != TD_OK || td_taut_count(c->model) == 0) break;
    td_statics_set(s, q, 1);
    if (td_taut_correct(c->model, s->state, c->work, l, TD_TAUT_ALL) == 0) break;
    if (k == 3) status = TD_E_DIVERGED;
  }
  if (status == TD_OK) {
    td_statics_set(s, q, 1);
    td_state_copy(c->model, s->state, c->state);
    copy(c->work->lambda, l, s->m);
  }
  td_newton_free(newton);
  td_statics_free(s);
  free(q);
  return status;
}

// Embed a state and correct it to an equilibrium of the refined model: in fine->state.  TD_E_USAGE:
// the refined model does not take a parameter that the work has changed.
static td_status correct(td_bars* bars, td_work* work, const td_state* state) {
  if (is_last(bars, work, state)) return TD_OK;
  bars->corrected = false;
  if (td_companion_embed(bars->fine, work, state) != TD_OK) return TD_E_USAGE;
  TD_TRY(td_companion_rest(bars->fine));
  td_state_copy(bars->model, state, bars->last);
  for (int i = 0; i < bars->model->nparam; i++)
    bars->last_param[i] = td_work_param(bars->model, work, i);
  bars->corrected = true;
  return TD_OK;
}

bool td_bars_spectrum(td_bars* bars, td_work* work, const td_state* state, double* change,
                      double* top) {
  const td_model* m = bars->model;
  td_companion* c = bars->fine;
  for (int i = 0; i < 6 * m->nrod; i++) change[i] = top[i] = 0;
  if (!c || c->model->nspectral == 0 || !is_last(bars, work, state)) return false;
  double* q = malloc(sizeof(double) * ((size_t)c->model->npos + 1));
  if (!q) return false;

  // the embedded state beside the corrected one, which comes back
  copy(q, c->state->q, c->model->npos);
  const bool ok = td_companion_embed(c, work, state) == TD_OK;
  for (int i = 0; i < c->model->nspectral && ok; i++) {
    const model_spectral* s = &c->model->spectral[i];
    const double length = m->rod[s->rod - 1].length, arm = s->strain < 3 ? 1 : length,
                 weight = s->weight * arm * arm * length, x = q[s->q] - c->state->q[s->q];
    change[6 * (s->rod - 1) + s->strain] += weight * x * x;
    if (s->top) top[6 * (s->rod - 1) + s->strain] += weight * q[s->q] * q[s->q];
  }
  copy(c->state->q, q, c->model->npos);
  free(q);
  return ok;
}

// Length of the stem of a component's name, "tip" of "tip_x" and "bend" of "bend_2"; 0: it is none.
static size_t stem_of(const char* name) {
  const char* end = strrchr(name, '_');
  if (!end || end == name || !end[1]) return 0;
  const bool letter = end[1] >= 'x' && end[1] <= 'z' && !end[2];
  const bool number = strspn(end + 1, "0123456789") == strlen(end + 1);
  return letter || number ? (size_t)(end - name) : 0;
}

output_group td_output_group(const td_model* m, int i) {
  const char *name = model_name(m, m->output_name[i]), *unit = td_model_sensor_unit(m, i);
  const size_t stem = stem_of(name);
  output_group g = {i, 1};
  for (int way = -1; stem > 0 && way <= 1; way += 2)
    for (int k = i + way; k >= 0 && k < m->noutput_ex; k += way) {
      const char* other = model_name(m, m->output_name[k]);
      if (stem_of(other) != stem || strncmp(other, name, stem) != 0) break;
      if (strcmp(td_model_sensor_unit(m, k), unit) != 0) break;
      g.first = min_int(g.first, k);
      g.n++;
    }
  return g;
}

// Factor of an output: twice as much where it follows from the strain of a segment, which is
// constant there and converges only in proportion to its length.
static double factor_of(const td_bars* bars, int i) {
  const td_model* m = bars->model;
  for (int k = 0; k < m->nprobe; k++) {
    const model_probe* p = &m->probe[k];
    if (sensor_is(p->kind, OF_STRAIN) && p->rod > 0 &&
        !td_rod_models[m->rod[p->rod - 1].model].points &&
        td_ex_has_var(m->graph, m->output_ex[i], p->var))
      return 2 * bars->factor;
  }
  return bars->factor;
}

// Length of the rod that a sensor is on, of the longest one where it is on none.
static double length_for(const td_model* m, int i) {
  double longest = 0;
  for (int r = 0; r < m->nrod; r++) longest = fmax(longest, m->rod[r].length);
  for (int k = 0; k < m->nprobe; k++) {
    const model_probe* p = &m->probe[k];
    const int rod = p->rod > 0 ? p->rod : p->station >= 0 ? m->station[p->station].rod : 0;
    if (rod > 0 && td_ex_has_var(m->graph, m->output_ex[i], p->var)) return m->rod[rod - 1].length;
  }
  return longest;
}

double td_bars_scale(const td_bars* bars, int sensor, const double* values) {
  if (!bars || !values || sensor < 0 || sensor >= bars->model->noutput_ex) return NAN;
  const td_model* m = bars->model;
  const char* unit = td_model_sensor_unit(m, sensor);
  if (strcmp(unit, "m") == 0 && m->nrod > 0) return length_for(m, sensor);
  const output_group g = td_output_group(m, sensor);
  const double size = norm(values + g.first, g.n);
  return *unit == 0 || strcmp(unit, "rad") == 0 ? fmax(1, size) : size;
}

td_status td_bars_equilibrium(td_bars* bars, td_work* work, const td_state* state,
                              const td_equil_result* result, double* error) {
  if (!bars || !error || !td_belongs(bars->model, state, work)) return TD_E_USAGE;
  const td_model* m = bars->model;
  const int n = m->noutput_ex;
  td_bars_begin(bars);
  for (int i = 0; i < n; i++) error[i] = bars->exact ? 0 : NAN;
  if (bars->exact) return TD_OK;
  if (result && (!result->converged || result->stability == TD_DIVERGENCE ||
                 result->stability == TD_FLUTTER)) {
    td_bars_look(bars,
                 result->converged
                     ? "no error bars: the equilibrium is unstable, and the robot goes elsewhere"
                     : "no error bars: no equilibrium was found");
    return TD_OK;
  }
  if (!bars->fine) {
    td_bars_look(bars, "no error bars: %s", bars->why);
    return TD_OK;
  }

  // the same equilibrium with refined rods
  td_status status = correct(bars, work, state);
  if (status == TD_E_NOMEM) return status;
  if (status == TD_E_USAGE) {
    td_bars_look(bars, "no error bars: of the refined rods %s", td_work_failure(bars->fine->work));
    return TD_OK;
  }
  if (status == TD_OK) status = td_sensors(m, state, work, bars->coarse);
  if (status == TD_OK)
    status = td_sensors(bars->fine->model, bars->fine->state, bars->fine->work, bars->refined);
  if (status != TD_OK) {
    td_bars_look(
        bars,
        "no error bars: with refined rods there is no equilibrium near this one; refine the rods "
        "(rod.n) until there is");
    return TD_OK;
  }

  // what the refined model still misses: the share of its highest order in the change
  double* spectrum = calloc(12 * (size_t)m->nrod + 1, sizeof(double));
  if (!spectrum) return TD_E_NOMEM;
  double change_of = 0, top_of = 0;
  if (td_bars_spectrum(bars, work, state, spectrum, spectrum + 6 * m->nrod))
    for (int i = 0; i < 6 * m->nrod; i++) {
      change_of += spectrum[i];
      top_of += spectrum[6 * m->nrod + i];
    }
  free(spectrum);
  const double left = change_of > 0 ? fmin(1, sqrt(top_of / change_of)) : 0;

  // changes of sensors, of points as a whole
  double worst = 0;
  for (int i = 0; i < n;) {
    const int parts = td_output_group(m, i).n;
    double change = 0;
    for (int k = 0; k < parts; k++)
      change = hypot(change, bars->refined[i + k] - bars->coarse[i + k]);
    const double scale = td_bars_scale(bars, i, bars->coarse);
    const double bar =
        factor_of(bars, i) * (1 + unresolved * left) * change + floor_of_solver * scale;
    for (int k = 0; k < parts; k++) error[i + k] = bar;
    if (strcmp(td_model_sensor_unit(m, i), "m") == 0) worst = fmax(worst, change / scale);
    i += parts;
  }
  if (worst > 0.1)
    td_bars_look(
        bars,
        "refined rods move places by %.0f %% of a rod's length: the rods are far from resolved, "
        "and the bars are rough",
        100 * worst);
  return TD_OK;
}

// ---- frequencies ------------------------------------------------------------------------------

td_status td_companion_frequencies(td_companion* c, double** omega, int* found) {
  td_statics* s = NULL;
  td_vibration* v = NULL;
  double *q = NULL, *X = NULL, *zeta = NULL;
  *omega = NULL;
  td_status status = td_statics_here(c->model, c->state, c->work, &s, &q);
  if (status == TD_OK && c->model->ninternal == 0 && s->sparse && s->nv > SPARSE_MODES_FROM)
    status = td_vibration_sparse(s, q, q + s->nq, 1, true, &v);
  if (status == TD_OK && !v) status = td_vibration_dense(s, q, q + s->nq, 1, true, &v);
  if (status == TD_OK) {
    *omega = calloc((size_t)v->most + 1, sizeof(double));
    zeta = calloc((size_t)v->most + 1, sizeof(double));
    X = malloc(sizeof(double) * (area(v->usual + 1, v->n) + 1));
    if (!*omega || !zeta || !X) status = TD_E_NOMEM;
  }
  if (status == TD_OK) {
    const bool potential = v->asymmetry <= TD_ASYMMETRIC || !v->ops->general;
    status = potential ? v->ops->natural(v, v->usual, *omega, X, found)
                       : v->ops->general(v, *omega, zeta, X, found);
    for (int i = 0; status == TD_OK && potential && i < *found; i++)
      (*omega)[i] = copysign(sqrt(fabs((*omega)[i])), (*omega)[i]);
  }
  td_vibration_free(v);
  td_statics_free(s);
  free(q);
  free(X);
  free(zeta);
  return status;
}

td_status td_bars_modes(td_bars* bars, td_work* work, const td_state* state,
                        const td_modes_result* modes, double* error) {
  if (!bars || !error || !modes || modes->model != bars->model ||
      !td_belongs(bars->model, state, work))
    return TD_E_USAGE;
  td_bars_begin(bars);
  for (int i = 0; i < modes->n; i++) error[i] = bars->exact ? 0 : NAN;
  if (bars->exact || modes->n == 0) return TD_OK;
  if (!bars->fine) {
    td_bars_look(bars, "no error bars: %s", bars->why);
    return TD_OK;
  }

  // modes with refined rods, at the corrected equilibrium
  double* omega = NULL;
  int n = 0;
  td_status status = correct(bars, work, state);
  if (status == TD_E_NOMEM) return status;
  if (status == TD_E_USAGE) {
    td_bars_look(bars, "no error bars: of the refined rods %s", td_work_failure(bars->fine->work));
    return TD_OK;
  }
  if (status != TD_OK) {
    td_bars_look(
        bars,
        "no error bars: with refined rods there is no equilibrium near this state; refine the "
        "rods (rod.n) until there is");
    return TD_OK;
  }
  status = td_companion_frequencies(bars->fine, &omega, &n);
  for (int i = 0; status == TD_OK && i < modes->n && i < n; i++)
    error[i] = frequency_factor * fabs(omega[i] - modes->omega[i]) +
               floor_of_solver * fabs(modes->omega[i]);
  free(omega);
  if (status == TD_E_NOMEM || status == TD_OK) return status;
  td_bars_look(bars, "no error bars: the modes with refined rods cannot be computed");
  return TD_OK;
}

double td_model_accuracy(const td_model* model, bool* written) {
  if (written) *written = model && model->accuracy_written;
  return model ? model->accuracy : NAN;
}

double td_sensor_accuracy(const td_model* model, int sensor) {
  if (!model || sensor < 0 || sensor >= model->noutput_accuracy) return NAN;
  return model->output_accuracy[sensor];
}

td_verdict td_bars_trust(const td_bars* bars, const char** reasons) {
  if (reasons) *reasons = bars ? bars->reasons : "";
  return bars ? bars->verdict : TD_TRUST_LOOK;
}
