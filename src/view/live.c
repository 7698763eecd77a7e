// The live model: loading and reloading, stepping in real time, changing parameters and inputs.
#include "view/live.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "model/model.h"
#include "model/spec.h"
#include "solve/time/motion.h"
#include "view/describe.h"
#include "view/scene.h"
#include "view/text_json.h"

// Identifies one version of a file.
typedef struct stamp {
  struct timespec changed;
  off_t size;
  ino_t inode;
  bool there;
} stamp;

// A file of the model: its version just before it was read, and at the last call of
// td_live_changed().
typedef struct watched_file {
  char* path;
  stamp read, seen;
} watched_file;

// A value that replaces that of a parameter or input in the text.
typedef struct setting {
  char *name, *value;
  bool named;  // given by the command line, not by a slider of the page
} setting;

// An input that the page has changed, and its value.
typedef struct moved_input {
  char* name;
  double value;
} moved_input;

struct td_live {
  char *name, *text;
  setting* set;
  int nset, set_cap;
  moved_input* moved;  // by name: they outlive the model
  int nmoved, moved_cap;
  watched_file* files;
  int nfile, file_cap;
  char *errors, *trouble;
  bool allow_read;

  // the current model, all NULL before the first
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;
  td_scene* scene;
  td_motion* motion;
  td_stepper* stepper;
  double *y,
      *y_shown;  // state of the solver, and the state that is shown, which is not ahead of it
  double t, t_shown;
  double* stops;
  int nstop, stop;
  double horizon;  // stop times are known up to there
  double t_switch;
  bool jumped;  // the solver has to start anew before its next step
  int serial;
  bool running;
  bool halted;   // was running until the solver failed, and nobody has run or paused it since
  double speed;  // simulated seconds in one second of the clock, averaged

  struct {
    int station;  // -1: nothing is held
    double point[3], target[3], k, c;
    bool pulls;
  } grip;
};

static const double horizon_length = 10;  // [s] for which stop times are computed at once
static const double longest_step = 1.0 / 30;

// Replace a text by a copy of another.
static void keep(char** place, const char* text) {
  free(*place);
  *place = td_strdup(text);
}

// ---- settings ---------------------------------------------------------------------------------

// Set or add a setting; `name` has n characters.  False: no memory.
static bool put_setting(td_live* l, const char* name, size_t n, const char* text, bool named) {
  for (int i = 0; i < l->nset; i++) {
    if (strlen(l->set[i].name) != n || memcmp(l->set[i].name, name, n) != 0) continue;
    keep(&l->set[i].value, text);
    l->set[i].named = named;
    return l->set[i].value != NULL;
  }

  // a new setting
  setting* list = td_grow(l->set, &l->set_cap, l->nset + 1, sizeof *list);
  if (!list) return false;
  l->set = list;
  const setting s = {td_strndup(name, n), td_strdup(text), named};
  if (!s.name || !s.value) {
    free(s.name);
    free(s.value);
    return false;
  }
  list[l->nset++] = s;
  return true;
}

// Remember the value of an input that was changed; others keep the value of the text or of --set.
static bool note_moved(td_live* l, const char* name, double x) {
  for (int i = 0; i < l->nmoved; i++) {
    if (strcmp(l->moved[i].name, name) != 0) continue;
    l->moved[i].value = x;
    return true;
  }
  moved_input* list = td_grow(l->moved, &l->moved_cap, l->nmoved + 1, sizeof *list);
  if (!list) return false;
  l->moved = list;
  const moved_input one = {td_strdup(name), x};
  if (!one.name) return false;
  list[l->nmoved++] = one;
  return true;
}

// ---- watching ---------------------------------------------------------------------------------

static stamp stamp_of(const char* path) {
  struct stat st;
  if (stat(path, &st) != 0) return (stamp){.there = false};
  return (stamp){.changed = st.st_mtim, .size = st.st_size, .inode = st.st_ino, .there = true};
}

static bool same(const stamp* a, const stamp* b) {
  return a->there == b->there && a->size == b->size && a->inode == b->inode &&
         a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

// Watch a file from now on; one that is watched already keeps its stamps.
static void watch(td_live* l, const char* path) {
  for (int i = 0; i < l->nfile; i++)
    if (strcmp(l->files[i].path, path) == 0) return;
  watched_file* list = td_grow(l->files, &l->file_cap, l->nfile + 1, sizeof *list);
  char* copy = td_strdup(path);
  if (list) l->files = list;
  if (!list || !copy) {
    free(copy);
    return;
  }
  const stamp now = stamp_of(path);
  list[l->nfile++] = (watched_file){copy, now, now};
}

// Take stamps before the files are read, so that what is written meanwhile counts as a change.
static void watch_before_reading(td_live* l) {
  if (l->text) return;
  watch(l, l->name);
  for (int i = 0; i < l->nfile; i++)
    l->files[i].read = l->files[i].seen = stamp_of(l->files[i].path);
}

// Watch the files that the text turned out to include, and no others.
static void watch_sources(td_live* l, const td_spec* spec) {
  if (l->text || !spec) return;
  for (int i = 0; i < spec->diags.nsource; i++) watch(l, spec->diags.sources[i].name);

  // forget files that the text no longer includes
  int kept = 1;  // the model's own file is the first
  for (int i = 1; i < l->nfile; i++) {
    bool used = false;
    for (int k = 0; k < spec->diags.nsource && !used; k++)
      used = strcmp(spec->diags.sources[k].name, l->files[i].path) == 0;
    if (used)
      l->files[kept++] = l->files[i];
    else
      free(l->files[i].path);
  }
  if (l->nfile > 0) l->nfile = kept;
}

// Report whether a file has changed.  An editor may be in the middle of writing: a file counts as
// changed when two calls in a row find the same new version of it.
bool td_live_changed(td_live* l) {
  bool changed = false, settled = true;
  for (int i = 0; i < l->nfile; i++) {
    watched_file* f = &l->files[i];
    const stamp now = stamp_of(f->path);
    changed = changed || !same(&now, &f->read);
    settled = settled && same(&now, &f->seen);
    f->seen = now;
  }
  return changed && settled;
}

// ---- beginning and end ------------------------------------------------------------------------

// Make a live model, running at real time, with its settings "name=value"; nothing is loaded yet.
// NULL: no memory, or a setting without '='.
td_live* td_live_new(const char* name, const char* text, const char* const* set, int nset,
                     bool allow_read) {
  td_live* l = calloc(1, sizeof *l);
  if (!l) return NULL;
  l->name = td_strdup(name);
  l->text = text ? td_strdup(text) : NULL;
  l->running = true;
  l->speed = 1;
  l->allow_read = allow_read;
  l->grip.station = -1;
  bool ok = l->name && (!text || l->text);
  for (int i = 0; ok && i < nset; i++) {
    const char* equals = strchr(set[i], '=');
    ok = equals && put_setting(l, set[i], (size_t)(equals - set[i]), equals + 1, true);
  }
  if (ok) return l;
  td_live_free(l);
  return NULL;
}

// Release everything that belongs to the current model.
static void drop_model(td_live* l) {
  td_stepper_free(l->stepper);
  td_motion_free(l->motion);
  td_scene_free(l->scene);
  td_state_free(l->state);
  td_work_free(l->work);
  td_model_free(l->model);
  td_spec_free(l->spec);
  free(l->y);
  free(l->stops);
  l->stepper = NULL;
  l->motion = NULL;
  l->scene = NULL;
  l->state = NULL;
  l->work = NULL;
  l->model = NULL;
  l->spec = NULL;
  l->y = l->y_shown = l->stops = NULL;
  l->nstop = l->stop = 0;
  l->grip.station = -1;
}

// Free a live model with its solver, texts and file names; NULL is allowed.
void td_live_free(td_live* l) {
  if (!l) return;
  drop_model(l);
  for (int i = 0; i < l->nset; i++) {
    free(l->set[i].name);
    free(l->set[i].value);
  }
  for (int i = 0; i < l->nfile; i++) free(l->files[i].path);
  for (int i = 0; i < l->nmoved; i++) free(l->moved[i].name);
  free(l->moved);
  free(l->set);
  free(l->files);
  free(l->errors);
  free(l->trouble);
  free(l->name);
  free(l->text);
  free(l);
}

bool td_live_ready(const td_live* l) { return l->model != NULL; }
int td_live_serial(const td_live* l) { return l->serial; }
const char* td_live_errors(const td_live* l) { return l->errors ? l->errors : ""; }
const char* td_live_trouble(const td_live* l) { return l->trouble ? l->trouble : ""; }
bool td_live_running(const td_live* l) { return l->running; }
void td_live_run(td_live* l, bool on) {
  l->running = on;
  l->halted = false;
}

// ---- the solver -------------------------------------------------------------------------------

// Compute the stop times of the next seconds.
static td_status find_stops(td_live* l) {
  free(l->stops);
  l->stops = NULL;
  l->nstop = l->stop = 0;
  l->horizon = l->t + horizon_length;
  return td_stop_times(l->model, l->work, NULL, l->t, l->horizon, &l->stops, &l->nstop);
}

// Select the solver that the model names, or by its stiffness.
static td_solver pick_solver(td_live* l) {
  const td_settings s = td_model_settings(l->model);
  const td_solver_row* row = td_solver_of(s.solver);
  if (!row->open && (!row->dense || l->motion->ode.linear == NULL)) return s.solver;
  td_choice choice;
  if (td_choose_solver(&l->motion->ode, l->t, l->y, l->t + horizon_length, 0, &choice) != TD_OK)
    return TD_SOLVER_STIFF;
  l->motion->ode.lightly_damped = choice.lightly_damped;
  return choice.solver;
}

// Replace the solver by one that starts at l->state.  Tolerances no finer than 1e-5 are enough for
// the eye.
static td_status start(td_live* l) {
  td_stepper_free(l->stepper);
  td_motion_free(l->motion);
  free(l->y);
  l->stepper = NULL;
  l->motion = NULL;
  l->y = NULL;
  const td_settings s = td_model_settings(l->model);
  TD_TRY(td_motion_new(l->model, l->work, l->state, fmax(s.rtol, 1e-5),
                       fmax(s.atol, fmin(1e-8, 10 * s.atol)), &l->motion));

  // the state of the solver, and a copy of it that is shown
  td_motion* m = l->motion;
  const size_t n = (size_t)(m->ode.n + m->ode.nquad);
  l->y = calloc(2 * n, sizeof(double));
  if (!l->y) return TD_E_NOMEM;
  l->y_shown = l->y + n;
  l->t = l->t_shown = l->state->t;
  l->jumped = false;
  l->t_switch = -INFINITY;

  // begin the motion, and start the solver
  m->ode.h_max = longest_step;
  TD_TRY(td_motion_begin(m, l->state, horizon_length, l->y));
  memcpy(l->y_shown, l->y, n * sizeof(double));
  TD_TRY(find_stops(l));
  return td_stepper_new(pick_solver(l), &m->ode, l->t, l->y, &l->stepper);
}

// Keep the reason for which the solver failed, and stop.
static void give_up(td_live* l, const char* what, td_status status) {
  const char* why = l->work ? td_work_failure(l->work) : "";
  td_text text = {0};
  td_text_printf(&text, "%s at t = %.6g s: %s%s%s", what, l->t, td_status_text(status),
                 *why ? ": " : "", why);
  free(l->trouble);
  l->trouble = text.s;
  l->halted = l->halted || l->running;
  l->running = false;
}

// Restart the solver at the state that is shown, after parameters, inputs or forces have changed.
static void restart(td_live* l) {
  if (!l->model || !l->motion) return;
  td_motion_unpack(l->motion, l->t_shown, l->y_shown);
  td_state_copy(l->model, l->motion->state, l->state);
  const td_status status = start(l);
  if (status != TD_OK) give_up(l, "no solver can be started", status);
}

// Go back to the initial state, with the inputs that were changed.
void td_live_reset(td_live* l) {
  if (!l->model) return;
  free(l->trouble);
  l->trouble = NULL;
  td_live_grip(l, -1, (double[3]){0, 0, 0}, 0);

  // initial state, with the inputs that were changed
  td_status status = td_state_initial(l->model, l->work, l->state);
  for (int i = 0; i < l->nmoved; i++) {
    const int k = td_model_input_find(l->model, l->moved[i].name);
    if (k >= 0) l->state->u[k] = l->moved[i].value;
  }
  if (status == TD_OK) status = start(l);
  if (status != TD_OK) give_up(l, "the model cannot be started", status);
}

// ---- loading ----------------------------------------------------------------------------------

// Allow the text to read a file that the command line names with --set, as in every other command;
// its name is relative to the model's folder.  Sliders of the page set numbers and open nothing.
static td_status allow_named(const td_live* l, td_spec* spec, const char* file) {
  const char* slash = l->text ? NULL : strrchr(l->name, '/');
  const int folder = *file == '/' || !slash ? 0 : (int)(slash + 1 - l->name);
  td_text path = {0};
  struct stat info;
  td_text_printf(&path, "%.*s%s", folder, l->name, file);
  td_status status = path.failed ? TD_E_NOMEM : TD_OK;
  if (status == TD_OK && stat(path.s, &info) == 0 && S_ISREG(info.st_mode))
    status = td_spec_allow_read(spec, path.s);
  td_text_free(&path);
  return status;
}

// Keep the messages of a text that could not be loaded.
static void note_errors(td_live* l, td_spec* spec, td_status status) {
  td_text text = {0};
  if (spec && td_spec_error_count(spec) > 0) {
    td_text_add(&text, td_spec_messages(spec));
  } else {
    td_text_printf(&text, "cannot load '%s': %s", l->name, td_status_text(status));
  }
  free(l->errors);
  l->errors = text.s;
}

// Read and compile the text, and replace the current model by the new one.  False: the text has
// errors, and the current model stays.
static bool load_once(td_live* l) {
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  watch_before_reading(l);

  // settings, permissions, text
  td_status status = spec ? TD_OK : TD_E_NOMEM;
  for (int i = 0; status == TD_OK && i < l->nset; i++)
    status = td_spec_override(spec, l->set[i].name, l->set[i].value);
  if (status == TD_OK && l->allow_read) status = td_spec_allow_read(spec, NULL);
  for (int i = 0; status == TD_OK && i < l->nset; i++)
    if (l->set[i].named) status = allow_named(l, spec, l->set[i].value);
  if (status == TD_OK)
    status =
        l->text ? td_spec_load_string(spec, l->name, l->text) : td_spec_load_file(spec, l->name);
  if (status == TD_OK) status = td_model_compile(spec, &model);
  watch_sources(l, spec);

  if (status == TD_OK) {
    // take over the model; one that ran until its solver failed runs again
    free(l->errors);
    l->errors = NULL;
    drop_model(l);
    l->spec = spec;
    l->model = model;
    l->serial++;
    l->work = td_work_new(model);
    l->state = td_state_new(model);
    l->running = l->running || (l->halted && l->work && l->state);
    if (l->work && l->state) {
      l->halted = false;
      td_live_reset(l);
      l->scene = td_scene_new(model, l->state, l->work);
    }
    if (l->scene) return true;
    status = TD_E_NOMEM;
    drop_model(l);
    spec = NULL;
  }
  note_errors(l, spec, status);
  td_spec_free(spec);
  return false;
}

// Load the text.  Settings made for an earlier text may not fit this one: then it is loaded without
// them.  When that fails too, the settings stay and the errors of the text alone are shown.
bool td_live_load(td_live* l) {
  if (load_once(l)) return true;
  if (l->nset == 0) return false;

  // without settings
  setting* kept = l->set;
  const int n = l->nset;
  l->set = NULL;
  l->nset = l->set_cap = 0;
  const bool ok = load_once(l);
  if (!ok) {
    free(l->set);
    l->set = kept;
    l->nset = l->set_cap = n;
    return false;
  }

  // the settings did not fit
  for (int i = 0; i < n; i++) {
    free(kept[i].name);
    free(kept[i].value);
  }
  free(kept);
  return true;
}

// ---- stepping ---------------------------------------------------------------------------------

static double next_stop(const td_live* l) {
  return l->stop < l->nstop ? fmin(l->stops[l->stop], l->horizon) : l->horizon;
}

// Make one step of the solver.
static td_status step(td_live* l) {
  td_step s;
  const td_motion* m = l->motion;
  double work;
  bool moved, switched = false;

  // start anew where the right-hand side has jumped
  if (l->jumped && td_taut_count(l->model) > 0)
    TD_TRY(td_motion_settle(l->motion, l->t, l->y, &work));
  if (l->jumped) TD_TRY(td_stepper_restart(l->stepper, l->t, l->y));
  l->jumped = false;
  TD_TRY(td_stepper_step(l->stepper, next_stop(l), &s));
  l->t = s.t;
  memcpy(l->y, s.y, (size_t)(m->ode.n + m->ode.nquad) * sizeof(double));

  // events may stop the simulation; one-sided elements that switch make the right-hand side jump
  for (int i = 0; s.root && i < m->ode.nroot; i++) {
    if (s.crossed[i] == 0) continue;
    if (i >= m->nevent) switched = true;
    if (i < m->nevent && td_event_stops(l->model, i)) l->running = false;
  }
  if (switched && !(fabs(l->t - l->t_switch) < 1e-12 * fmax(1, fabs(l->t)))) {
    l->t_switch = l->t;
    l->jumped = true;
  }

  // at a stop time it jumps too; the solver restarts before its next step, since the last one is
  // still to be shown
  if (l->t < next_stop(l)) return TD_OK;
  while (l->stop < l->nstop && l->stops[l->stop] <= l->t) l->stop++;
  TD_TRY(td_motion_jump(l->motion, l->t, l->y, horizon_length, TD_EDGE_NONE, &work, &moved));
  l->jumped = true;
  return l->t >= l->horizon ? find_stops(l) : TD_OK;
}

// Advance by dt, in steps that may go beyond, and show the solution there.
void td_live_advance(td_live* l, double dt, double wall) {
  if (!l->model || !l->stepper) return;
  const double begin = wall_time(), from = l->t_shown, to = from + dt;
  td_status status = TD_OK;
  while (l->t < to && status == TD_OK && wall_time() - begin < wall) status = step(l);
  if (status != TD_OK) {
    give_up(l, "the motion cannot be followed", status);
    return;
  }

  // interpolate in the last step
  l->t_shown = fmin(to, l->t);
  if (l->t_shown >= l->t || td_stepper_at(l->stepper, l->t_shown, l->y_shown) != TD_OK) {
    l->t_shown = l->t;
    memcpy(l->y_shown, l->y, (size_t)(l->motion->ode.n + l->motion->ode.nquad) * sizeof(double));
  }

  // speed reached, averaged over some ten calls
  const double took = fmax(wall_time() - begin, 1e-9);
  const double reached = (l->t_shown - from) / fmax(took, dt);
  l->speed += 0.1 * (reached - l->speed);
}

// ---- parameters, inputs and pulling -----------------------------------------------------------

static bool within_range(const model_named* knob, double x) {
  return x >= knob->low && x <= knob->high;
}

// Set a parameter.  One that the text uses while it is loaded means loading again; a value that the
// text then refuses is shown as an error and taken back.
bool td_live_set_param(td_live* l, const char* name, double x) {
  if (!l->model || !isfinite(x)) return false;
  const int i = td_model_param_find(l->model, name);
  if (i < 0 || !within_range(&l->model->param[i], x)) return false;
  char text[40], before[40];
  snprintf(text, sizeof text, "%.17g", x);
  if (l->model->param[i].structural) {
    snprintf(before, sizeof before, "%.17g", td_work_param(l->model, l->work, i));
    if (!put_setting(l, name, strlen(name), text, false)) return false;
    if (load_once(l)) return true;
    put_setting(l, name, strlen(name), before, false);
    return false;
  }
  if (td_work_set_param(l->model, l->work, i, x) != TD_OK) return false;
  put_setting(l, name, strlen(name), text, false);
  restart(l);
  return true;
}

// Set an input.
bool td_live_set_input(td_live* l, const char* name, double x) {
  if (!l->model || !isfinite(x)) return false;
  const int i = td_model_input_find(l->model, name);
  if (i < 0 || !within_range(&l->model->input[i], x) || !note_moved(l, name, x)) return false;
  if (l->motion) l->motion->state->u[i] = x;
  l->state->u[i] = x;
  restart(l);
  return true;
}

// Grip a station by a spring and damper.  The stiffness is that at which the whole mass would swing
// with 2 Hz, times the strength; the damping is a fifth of the critical one.
bool td_live_grip(td_live* l, int station, const double point[3], double strength) {
  if (!l->model) return false;
  const bool held = l->grip.station >= 0;
  l->grip.station = -1;
  l->grip.pulls = false;
  td_work_pull(l->model, l->work, -1, point, point, 0, 0);
  if (station < 0) {
    if (held) restart(l);
    return true;
  }

  // stiffness and damping from the mass of the robot
  if (station >= l->model->nstation || !isfinite(strength)) return false;
  double m = 0;
  for (int i = 0; i < l->model->nbody; i++) m += l->work->num[l->model->body[i].m];
  for (int i = 0; i < l->model->nlump; i++) m += l->work->num[l->model->lump[i].m];
  const double w = 2 * 3.14159265358979323846 * 2;
  l->grip.k = m * w * w * fmin(fmax(strength, 1e-3), 1e6);
  l->grip.c = 0.4 * sqrt(l->grip.k * m);
  memcpy(l->grip.point, point, sizeof l->grip.point);
  l->grip.station = station;
  return true;
}

// Pull the gripped station towards a point of the world.
bool td_live_pull(td_live* l, const double target[3]) {
  if (!l->model || l->grip.station < 0) return false;
  const bool first = !l->grip.pulls;
  l->grip.pulls = true;
  if (td_work_pull(l->model, l->work, l->grip.station, l->grip.point, target, l->grip.k,
                   l->grip.c) != TD_OK)
    return false;
  if (first) restart(l);
  return true;
}

// ---- messages and pictures for the page -------------------------------------------------------

// Add the range of a slider, if the model gives one.
static void add_range(td_text* out, const model_named* x) {
  if (isinf(x->low) && isinf(x->high)) return;
  td_json_key(out, "low");
  td_json_number(out, x->low);
  td_json_key(out, "high");
  td_json_number(out, x->high);
  td_json_key(out, "log");
  td_text_add(out, x->logarithmic ? "true" : "false");
}

// Add parameters and inputs with their values and ranges.
static void add_params(const td_live* l, td_text* out) {
  // parameters
  td_json_key(out, "params");
  td_text_add(out, "[");
  for (int i = 0; i < l->model->nparam; i++) {
    td_json_next(out);
    td_text_add(out, "{\"name\":");
    td_json_string(out, td_model_param_name(l->model, i));
    td_json_key(out, "value");
    td_json_number(out, td_work_param(l->model, l->work, i));
    add_range(out, &l->model->param[i]);
    td_json_key(out, "reloads");
    td_text_add(out, l->model->param[i].structural ? "true}" : "false}");
  }
  td_text_add(out, "]");

  // inputs
  td_json_key(out, "inputs");
  td_text_add(out, "[");
  for (int i = 0; i < l->model->ninput; i++) {
    td_json_next(out);
    td_text_add(out, "{\"name\":");
    td_json_string(out, td_model_input_name(l->model, i));
    td_json_key(out, "value");
    td_json_number(out, l->state->u[i]);
    add_range(out, &l->model->input[i]);
    td_text_add(out, "}");
  }
  td_text_add(out, "]");
}

// Describe the model as a JSON message.
bool td_live_describe(const td_live* l, td_text* out) {
  if (!l->model) return false;
  td_text_printf(out, "{\"type\":\"model\",\"serial\":%d", l->serial);
  td_json_key(out, "title");
  td_json_string(out, l->name);
  td_json_key(out, "scene");
  td_text_add(out, l->scene->json.s);

  // parameters, inputs, sensors, text
  add_params(l, out);
  td_json_key(out, "sensors");
  td_text_add(out, "[");
  for (int i = 0; i < td_model_sizes(l->model).nsensor; i++) {
    td_json_next(out);
    td_json_string(out, td_model_sensor_name(l->model, i));
  }
  td_text_add(out, "]");
  td_json_key(out, "units");
  td_text_add(out, "[");
  for (int i = 0; i < td_model_sizes(l->model).nsensor; i++) {
    td_json_next(out);
    td_json_string(out, td_model_sensor_unit(l->model, i));
  }
  td_text_add(out, "]");
  td_describe_sources(out, l->spec);
  td_describe_model(out, l->model);
  td_text_add(out, "}");
  return !out->failed;
}

enum { HEAD = 4, ENERGIES = 3 };

int td_live_count(const td_live* l) {
  return l->model ? HEAD + td_model_sizes(l->model).nsensor + ENERGIES + l->scene->nnumber : 0;
}

// Fill one picture: serial number, time, running, speed, sensors, energies, frame of the scene.
void td_live_frame(td_live* l, float* out) {
  if (!l->model || !l->motion) return;
  td_motion_unpack(l->motion, l->t_shown, l->y_shown);
  const td_state* s = l->motion->state;
  const int n = td_model_sizes(l->model).nsensor;
  out[0] = (float)l->serial;
  out[1] = (float)s->t;
  out[2] = l->running ? 1 : 0;
  out[3] = (float)l->speed;

  // sensors and energies
  double* values = calloc((size_t)n + 1, sizeof *values);
  if (values) td_trial_sensors(l->model, s, l->work, values);
  for (int i = 0; i < n; i++) out[HEAD + i] = values ? (float)values[i] : 0;
  free(values);
  const td_energies e = td_trial_energy(l->model, s, l->work);
  out[HEAD + n] = (float)e.kinetic;
  out[HEAD + n + 1] = (float)e.elastic;
  out[HEAD + n + 2] = (float)e.gravity;

  // the scene
  td_scene_frame(l->scene, s, l->work, out + HEAD + n + ENERGIES);
}
