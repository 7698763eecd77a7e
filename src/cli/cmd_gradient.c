// tendril gradient: how sensors, energy, frequencies and damping ratios of an equilibrium, and
// sensors at the end of a motion, change with parameters, inputs and initial values; gradient.json.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "tendril/gradient.h"

static const double pi = 3.14159265358979323846;

// A quantity that is differentiated.
typedef enum of_kind { OF_SENSOR, OF_ENERGY, OF_FREQUENCY, OF_DAMPING } of_kind;
typedef struct of_what {
  of_kind kind;
  int index;
  char name[80];
} of_what;

// The request of the command line and its results.
typedef struct question {
  of_what* of;
  int nof;
  td_by* by;
  char (*by_name)[96];
  int nby;
  bool end;                // at the end of a motion
  double t;                // of the end
  td_trajectory* run;      // the motion
  double *value, *at, *d;  // (nof), (nby), nof x nby
  const char* method;
  bool modes;
  char note[400];
} question;

// Next of the names in a list "a,b,c"; false: there are no more.
static bool next_name(const char** list, char* name, size_t size) {
  if (!*list || !**list) return false;
  const size_t n = strcspn(*list, ",");
  snprintf(name, size, "%.*s", (int)n, *list);
  *list += n + ((*list)[n] == ',');
  return true;
}

static int count_names(const char* list) {
  int n = 1;
  for (const char* c = list; *c; c++) n += *c == ',';
  return n;
}

// The number behind a word, "frequency12" -> 12; 0: it is another name.
static int numbered(const char* name, const char* word) {
  const size_t n = strlen(word);
  if (strncmp(name, word, n) != 0 || !isdigit((unsigned char)name[n])) return 0;
  char* end;
  const long k = strtol(name + n, &end, 10);
  return *end || k < 1 || k > 1000000 ? 0 : (int)k;
}

// Complain about a name of --of that is no result, with the nearest one.
static int unknown_of(const session* s, const char* name) {
  const char** names = calloc((size_t)s->n.nsensor + 3, sizeof *names);
  const char* near = NULL;
  if (names) {
    for (int i = 0; i < s->n.nsensor; i++) names[i] = td_model_sensor_name(s->model, i);
    names[s->n.nsensor] = "energy";
    names[s->n.nsensor + 1] = "frequency1";
    names[s->n.nsensor + 2] = "damping1";
    near = td_nearest(name, names, s->n.nsensor + 3);
  }
  free(names);
  if (near) return complain(CODE_USE, "--of: '%s' is no sensor; did you mean '%s'?", name, near);
  return complain(CODE_USE,
                  "--of: '%s' is no sensor of the model, nor energy, frequencyN or dampingN", name);
}

// The results of --of: sensors by name or by their common stem, energy, frequencyN, dampingN;
// without it all sensors.
static int read_of(const session* s, question* q) {
  const char* list = s->opt->of;
  const int most = s->n.nsensor + 1 + (list ? count_names(list) * (s->n.nsensor + 1) : 0);
  q->of = calloc((size_t)most + 1, sizeof *q->of);
  if (!q->of) return complain(CODE_NUMERICS, "out of memory");
  char name[80];

  // without a list all sensors
  for (int i = 0; !list && i < s->n.nsensor; i++) {
    q->of[q->nof] = (of_what){.kind = OF_SENSOR, .index = i};
    snprintf(q->of[q->nof++].name, sizeof name, "%s", td_model_sensor_name(s->model, i));
  }
  while (next_name(&list, name, sizeof name)) {
    const int before = q->nof, frequency = numbered(name, "frequency"),
              damping = numbered(name, "damping");
    const size_t length = strlen(name);

    // sensors of exactly that name, or else all components NAME_x, NAME_1, ...
    for (int pass = 0; pass < 2 && q->nof == before; pass++)
      for (int i = 0; i < s->n.nsensor; i++) {
        const char* own = td_model_sensor_name(s->model, i);
        const bool is = pass == 0 ? strcmp(own, name) == 0
                                  : strncmp(own, name, length) == 0 && own[length] == '_';
        if (!is) continue;
        q->of[q->nof] = (of_what){.kind = OF_SENSOR, .index = i};
        snprintf(q->of[q->nof++].name, sizeof name, "%s", own);
      }
    if (q->nof > before) continue;

    // another result
    of_what* to = &q->of[q->nof++];
    *to = (of_what){.kind = OF_ENERGY};
    snprintf(to->name, sizeof to->name, "%s", name);
    if (frequency > 0) *to = (of_what){.kind = OF_FREQUENCY, .index = frequency - 1};
    if (damping > 0) *to = (of_what){.kind = OF_DAMPING, .index = damping - 1};
    snprintf(to->name, sizeof to->name, "%s", name);
    q->modes = q->modes || frequency > 0 || damping > 0;
    if (to->kind == OF_ENERGY && strcmp(name, "energy") != 0) return unknown_of(s, name);
  }
  if (q->nof > 0) return CODE_DONE;
  return complain(CODE_USE, "the model has no sensors: say --of energy, frequency1, damping1 ...");
}

// The number of an initial coordinate "q:NAME" or velocity "v:NAME" with the name of the velocity;
// -1: it is none.
static int initial_of(const session* s, const char* name, td_by_kind* kind) {
  if ((*name != 'q' && *name != 'v') || name[1] != ':') return -1;
  *kind = *name == 'q' ? TD_BY_POSITION : TD_BY_VELOCITY;
  for (int i = 0; i < s->n.nv; i++)
    if (strcmp(td_model_v_name(s->model, i), name + 2) == 0) return i;
  return -1;
}

// Add one quantity to differentiate by, with the name that results have for it.
static void add_by(const session* s, question* q, td_by by) {
  char* name = q->by_name[q->nby];
  q->by[q->nby++] = by;
  if (by.kind == TD_BY_POSITION || by.kind == TD_BY_VELOCITY)
    snprintf(name, sizeof *q->by_name, "%c:%s", by.kind == TD_BY_POSITION ? 'q' : 'v',
             td_model_v_name(s->model, by.index));
  else
    snprintf(name, sizeof *q->by_name, "%s",
             by.kind == TD_BY_PARAM   ? td_model_param_name(s->model, by.index)
             : by.kind == TD_BY_INPUT ? td_model_input_name(s->model, by.index)
                                      : td_model_internal_name(s->model, by.index));
}

// Read --by: names of parameters, inputs and internal states, for motions also of initial
// coordinates and velocities; without it all parameters that may change and all inputs.
static int read_by(const session* s, question* q) {
  const char* list = s->opt->by;
  const int most = s->n.nparam + s->n.nu + (list ? count_names(list) : 0);
  q->by = calloc((size_t)most + 1, sizeof *q->by);
  q->by_name = calloc((size_t)most + 1, sizeof *q->by_name);
  if (!q->by || !q->by_name) return complain(CODE_NUMERICS, "out of memory");

  // without a list everything that may change
  for (int i = 0; !list && i < s->n.nparam; i++)
    if (td_by_allowed(s->model, (td_by){TD_BY_PARAM, i})) add_by(s, q, (td_by){TD_BY_PARAM, i});
  for (int i = 0; !list && i < s->n.nu; i++) add_by(s, q, (td_by){TD_BY_INPUT, i});

  // the names of the list; one that is unknown is an error with the nearest name
  char name[96];
  while (next_name(&list, name, sizeof name)) {
    const int param = td_model_param_find(s->model, name),
              input = td_model_input_find(s->model, name),
              internal = td_model_internal_find(s->model, name);
    td_by_kind kind = TD_BY_POSITION;
    const int initial = initial_of(s, name, &kind);
    if (initial >= 0 && !q->end)
      return complain(CODE_USE,
                      "--by: %s is where a motion starts, and an equilibrium has no derivative by "
                      "it; say --at end for that of the motion",
                      name);
    if (param < 0 && input < 0 && internal < 0 && initial < 0) {
      const char** names = calloc((size_t)(s->n.nparam + s->n.nu) + 1, sizeof *names);
      const char* near = NULL;
      for (int i = 0; names && i < s->n.nparam; i++) names[i] = td_model_param_name(s->model, i);
      for (int i = 0; names && i < s->n.nu; i++)
        names[s->n.nparam + i] = td_model_input_name(s->model, i);
      if (names) near = td_nearest(name, names, s->n.nparam + s->n.nu);
      free(names);
      return complain(CODE_USE,
                      "--by: '%s' is no param, input or internal state of the model%s%s%s%s", name,
                      q->end ? ", nor q:NAME or v:NAME of an initial value" : "",
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    add_by(s, q,
           param >= 0      ? (td_by){TD_BY_PARAM, param}
           : input >= 0    ? (td_by){TD_BY_INPUT, input}
           : internal >= 0 ? (td_by){TD_BY_INTERNAL, internal}
                           : (td_by){kind, initial});
  }
  if (q->nby > 0) return CODE_DONE;
  return complain(CODE_USE,
                  "the model has no param that may change and no input: there is nothing to "
                  "differentiate by");
}

// The value of what is differentiated by, at the state that the result belongs to or starts from.
// NaN: it is no single number (a rotation in space, an input over time).
static double by_value(const session* s, td_by by, const td_state* at) {
  switch (by.kind) {
    case TD_BY_PARAM:
      return td_work_param(s->model, s->work, by.index);
    case TD_BY_INPUT:
      for (int i = 0; s->inputs.t && i < s->inputs.n; i++)
        if (s->inputs.input[i] == by.index) return NAN;
      return at->u[by.index];
    case TD_BY_POSITION:
      for (int i = 0; i < s->n.nq; i++)
        if (strcmp(td_model_q_name(s->model, i), td_model_v_name(s->model, by.index)) == 0)
          return at->q[i];
      return NAN;
    case TD_BY_VELOCITY:
      return at->v[by.index];
    case TD_BY_INTERNAL:
      return at->z[by.index];
    case TD_BY_SAMPLE:
      break;
  }
  return NAN;
}

// ---- derivatives ------------------------------------------------------------------------------

// Derivatives of sensors and energy of an equilibrium: forward, one solution for each quantity to
// differentiate by, or, where there are many more of these than results, adjoint, one for each
// result.
static td_status statics(session* s, question* q, double* dy, double* weights) {
  const int ny = s->n.nsensor, nby = q->nby;
  double* energy = dy + (size_t)nby * (size_t)ny;
  bool sensors = false, energies = false;
  for (int i = 0; i < q->nof; i++) {
    sensors = sensors || q->of[i].kind == OF_SENSOR;
    energies = energies || q->of[i].kind == OF_ENERGY;
  }
  if (!sensors && !energies) return TD_OK;
  td_status status = TD_OK;

  // adjoint: weight 1 for one result at a time
  if (nby > 2 * q->nof + 8 && !q->modes) {
    q->method = "adjoint";
    for (int i = 0; i < q->nof && status == TD_OK; i++) {
      const bool sensor = q->of[i].kind == OF_SENSOR;
      if (sensor) weights[q->of[i].index] = 1;
      status = td_equilibrium_adjoint(s->model, s->rest, s->work, weights, NULL, sensor ? 0 : 1,
                                      q->by, nby, q->d + i * nby);
      if (sensor) weights[q->of[i].index] = 0;
    }
    return status;
  }

  // forward, then pick the results
  status = td_equilibrium_gradient(s->model, s->rest, s->work, q->by, nby, NULL, NULL, NULL,
                                   sensors ? dy : NULL, energies ? energy : NULL);
  for (int i = 0; i < q->nof && status == TD_OK; i++)
    for (int k = 0; k < nby; k++) {
      if (q->of[i].kind == OF_SENSOR) q->d[i * nby + k] = dy[k * ny + q->of[i].index];
      if (q->of[i].kind == OF_ENERGY) q->d[i * nby + k] = energy[k];
    }
  return status;
}

// Frequencies [Hz] and damping ratios of modes with their derivatives.
static int modes(session* s, question* q) {
  td_modes_result* m = NULL;
  td_status status = td_modes(s->model, s->rest, s->work, &m);
  if (status != TD_OK) return session_failed(s, status, "modes");
  bool ratios = false;
  int code = CODE_DONE;

  // values
  for (int i = 0; i < q->nof && code == CODE_DONE; i++) {
    const of_what* of = &q->of[i];
    if (of->kind != OF_FREQUENCY && of->kind != OF_DAMPING) continue;
    ratios = ratios || of->kind == OF_DAMPING;
    if (of->index >= m->n)
      code = complain(CODE_USE, "--of %s: %d modes were found", of->name, m->n);
    else
      q->value[i] = of->kind == OF_DAMPING ? m->zeta[of->index] : m->omega[of->index] / (2 * pi);
  }

  // derivatives dω and dζ of all modes, then those of the results
  const size_t all = (size_t)q->nby * (size_t)m->n;
  double* dw = malloc(2 * (all + 1) * sizeof *dw);
  double* dz = dw ? dw + all : NULL;
  if (code == CODE_DONE && !dw) code = complain(CODE_NUMERICS, "out of memory");
  if (code == CODE_DONE) {
    status = td_modes_gradient(s->model, s->rest, s->work, m, q->by, q->nby, dw, ratios ? dz : NULL,
                               NULL, NULL, NULL);
    if (status != TD_OK) code = session_failed(s, status, "gradient");
  }
  for (int i = 0; i < q->nof && code == CODE_DONE; i++)
    for (int k = 0; k < q->nby; k++) {
      const size_t at = (size_t)k * (size_t)m->n + (size_t)q->of[i].index;
      if (q->of[i].kind == OF_FREQUENCY) q->d[i * q->nby + k] = dw[at] / (2 * pi);
      if (q->of[i].kind == OF_DAMPING) q->d[i * q->nby + k] = dz[at];
    }
  free(dw);
  td_modes_free(m);
  return code;
}

// Values of results and derivatives at the equilibrium or state s->rest.
static int at_rest(session* s, question* q) {
  const int ny = s->n.nsensor, nby = q->nby;
  double* dy = calloc((size_t)nby * (size_t)(ny + 1) + 2 * (size_t)ny + 1, sizeof *dy);
  if (!dy) return complain(CODE_NUMERICS, "out of memory");
  double *sensors = dy + (size_t)nby * (size_t)(ny + 1), *weights = sensors + ny;
  for (int k = 0; k < nby; k++) q->at[k] = by_value(s, q->by[k], s->rest);

  // derivatives of the equilibrium first: the work is as td_equilibrium left it
  td_status status = statics(s, q, dy, weights);
  snprintf(q->note, sizeof q->note, "%s", td_work_gradient_note(s->work));
  int code = status == TD_OK ? CODE_DONE : session_failed(s, status, "gradient");
  if (code == CODE_DONE && q->modes) {
    code = modes(s, q);
    if (!*q->note || q->modes)
      snprintf(q->note, sizeof q->note, "%s", td_work_gradient_note(s->work));
  }
  if (code == CODE_DONE) {
    const td_energies e = td_energy(s->model, s->rest, s->work);
    const bool known = sensors_at(s, s->rest, sensors);
    for (int i = 0; i < q->nof; i++) {
      if (q->of[i].kind == OF_SENSOR) q->value[i] = known ? sensors[q->of[i].index] : NAN;
      if (q->of[i].kind == OF_ENERGY) q->value[i] = e.elastic + e.gravity;
    }
  }
  free(dy);
  return code;
}

// Values of sensors and derivatives at the end of the motion that `sim` makes.
static int at_end(session* s, question* q) {
  // where it starts, and what its numbers are there
  if (s->opt->from_rest) td_state_copy(s->model, s->rest, s->state);
  for (int k = 0; k < q->nby; k++) q->at[k] = by_value(s, q->by[k], s->state);

  // the motion with its changes
  const td_sim_options o = sim_options(s);
  td_sensitivity* changes = NULL;
  progress_clear(&s->progress);
  const td_status status = td_simulate_gradient(
      s->model, s->work, s->state, &o, s->opt->from_rest ? TD_START_EQUILIBRIUM : TD_START_INITIAL,
      q->by, q->nby, &q->run, &changes);
  progress_clear(&s->progress);
  int code = CODE_DONE;
  const td_trajectory* run = q->run;
  const char* why = run ? td_trajectory_diagnosis(run) : "";
  if (status != TD_OK && *why)
    code = complain(code_of(status), "gradient --at end: %s: %s", td_status_text(status), why);
  else if (status != TD_OK)
    code = session_failed(s, status, "gradient --at end");

  // its last row
  const int last = run ? td_trajectory_rows(run) - 1 : -1;
  const double *y = td_trajectory_sensors(run, last), *dy = td_sensitivity_sensors(changes, last);
  for (int i = 0; i < q->nof && code == CODE_DONE; i++) {
    q->value[i] = y[q->of[i].index];
    for (int k = 0; k < q->nby; k++) q->d[i * q->nby + k] = dy[k * s->n.nsensor + q->of[i].index];
  }
  if (code == CODE_DONE) {
    const char* reasons;
    const td_verdict verdict = td_trajectory_trust(run, &reasons);
    q->t = td_trajectory_time(run, last);
    snprintf(q->note, sizeof q->note, "%s", td_sensitivity_note(changes));
    if (verdict != TD_TRUST_OK) say_trust(s, verdict, reasons);
    if (verdict == TD_TRUST_WRONG) code = CODE_NUMERICS;
  }
  td_sensitivity_free(changes);
  return code;
}

// Values of results and of what they are differentiated by, and the derivatives.
static int answer(session* s, question* q) {
  const size_t nof = (size_t)q->nof, nby = (size_t)q->nby;
  q->value = calloc(nof + nby + nof * nby + 1, sizeof *q->value);
  if (!q->value) return complain(CODE_NUMERICS, "out of memory");
  q->at = q->value + nof;
  q->d = q->at + nby;
  q->method = "forward";
  return q->end ? at_end(s, q) : at_rest(s, q);
}

// ---- output -----------------------------------------------------------------------------------

// Relative derivative (dy/dx) x/y of result i by quantity k; NaN: one of the two is zero.
static double relative(const question* q, int i, int k) {
  return q->value[i] != 0 && q->at[k] != 0 ? q->d[i * q->nby + k] * q->at[k] / q->value[i] : NAN;
}

// The content of gradient.json.
static cJSON* gradient_json(const session* s, const question* q) {
  cJSON* o = cJSON_CreateObject();
  cJSON *value = cJSON_AddObjectToObject(o, "value"), *all = cJSON_AddObjectToObject(o, "gradient"),
        *parts = cJSON_AddObjectToObject(o, "relative"), *by = cJSON_AddObjectToObject(o, "by");
  for (int k = 0; k < q->nby; k++) json_add_number(by, q->by_name[k], q->at[k]);
  for (int i = 0; i < q->nof; i++) {
    json_add_number(value, q->of[i].name, q->value[i]);
    cJSON *d = cJSON_AddObjectToObject(all, q->of[i].name),
          *r = cJSON_AddObjectToObject(parts, q->of[i].name);
    for (int k = 0; k < q->nby; k++) {
      json_add_number(d, q->by_name[k], q->d[i * q->nby + k]);
      json_add_number(r, q->by_name[k], relative(q, i, k));
    }
  }
  cJSON_AddStringToObject(o, "method", q->method);
  cJSON_AddStringToObject(o, "at", q->end ? "end" : s->opt->at ? "state" : "equilibrium");
  if (q->end) {
    const char* reasons;
    const td_verdict verdict = td_trajectory_trust(q->run, &reasons);
    json_add_number(o, "t", q->t);
    json_add(o, "trust", trust_json(verdict, reasons));
  }
  cJSON_AddStringToObject(o, "note", q->note);
  return o;
}

// Unit of a result.
static const char* unit_of(const session* s, const of_what* of) {
  switch (of->kind) {
    case OF_SENSOR:
      return td_model_sensor_unit(s->model, of->index);
    case OF_ENERGY:
      return "J";
    case OF_FREQUENCY:
      return "Hz";
    case OF_DAMPING:
      break;
  }
  return "";
}

// Print each result with its derivatives.
static void say_gradient(const session* s, const question* q) {
  if (q->end)
    say_heading(s, "Gradient at the end of the motion, t = %g s", q->t);
  else
    say_heading(s, "Gradient at the %s", s->opt->at ? "given state" : "equilibrium");
  for (int i = 0; i < q->nof; i++) {
    say(s, "  %s = %.6g %s\n", q->of[i].name, q->value[i], unit_of(s, &q->of[i]));
    say(s, "    %-16s %14s %14s %14s\n", "by", "value", "derivative", "relative");
    for (int k = 0; k < q->nby; k++) {
      const double part = relative(q, i, k);
      say(s, "    %-16s %14.6g %14.6g ", q->by_name[k], q->at[k], q->d[i * q->nby + k]);
      if (isfinite(part))
        say(s, "%14.4g\n", part);
      else
        say(s, "%14s\n", "-");
    }
  }
  if (*q->note) say(s, "  %s\n", q->note);
}

// Motions have derivatives of sensors alone.
static int check_end(session* s, const question* q) {
  for (int i = 0; i < q->nof; i++) {
    if (q->of[i].kind == OF_SENSOR) continue;
    if (q->of[i].kind == OF_ENERGY)
      return complain(
          CODE_USE,
          "--of energy: at the end of a motion it has a derivative as a sensor; add one, "
          "sensor(k).value = energy()");
    return complain(CODE_USE,
                    "--of %s: modes belong to an equilibrium (--at equil), not to the end of a "
                    "motion",
                    q->of[i].name);
  }
  return sim_inputs(s);
}

// Read the request, find the equilibrium, differentiate, print and write.
static int compute(session* s, bool end) {
  question q = {.end = end};
  int code = read_of(s, &q);
  if (code == CODE_DONE) code = read_by(s, &q);
  if (code == CODE_DONE && end) code = check_end(s, &q);
  if (code == CODE_DONE) code = session_output(s);
  if (code == CODE_DONE && (!end || s->opt->from_rest)) code = linear_point(s);
  if (code == CODE_DONE) code = answer(s, &q);
  if (code == CODE_DONE) {
    say_gradient(s, &q);
    code = session_wrote(s, session_write_json(s, "gradient.json", gradient_json(s, &q)));
    if (code == CODE_DONE && s->has_equil) code = equil_write(s);
    if (code == CODE_DONE) code = session_commit(s, NULL, NULL);
  }
  if (s->opt->json && code == CODE_DONE) json_print(gradient_json(s, &q));
  free(q.of);
  free(q.by);
  free(q.by_name);
  free(q.value);
  td_trajectory_free(q.run);
  return code;
}

static int gradient_at_rest(session* s) { return compute(s, false); }
static int gradient_at_end(session* s) { return compute(s, true); }

// Without --at, as with --at equil, results are those of the equilibrium; with --at end they are
// those at the end of the motion that `sim` makes with the same options.
int cmd_gradient(const options* opt) {
  options own = *opt;
  const bool end = own.at && strcmp(own.at, "end") == 0;
  if (end || (own.at && strcmp(own.at, "equil") == 0)) own.at = NULL;
  if (!own.at && !isnan(own.time))
    return complain(CODE_USE, "--time needs --at with the file of a trajectory%s",
                    end ? "; the end of the motion is that of --t-final" : "");
  const char* of_motion = !isnan(own.t_final)  ? "--t-final"
                          : !isnan(own.rtol)   ? "--rtol"
                          : !isnan(own.atol)   ? "--atol"
                          : !isnan(own.step)   ? "--step"
                          : own.solver_given   ? "--solver"
                          : own.inputs != NULL ? "--inputs"
                          : own.from_rest      ? "--from-equilibrium"
                                               : NULL;
  if (of_motion && !end)
    return complain(CODE_USE, "%s belongs to a motion: say --at end", of_motion);
  return session_run(&own, end ? gradient_at_end : gradient_at_rest);
}
