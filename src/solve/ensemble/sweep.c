// Sweeps: options and names, points of an earlier run, the run itself, the table.
#include "solve/ensemble/sweep.h"

#include <math.h>
#include <stdio.h>

#include "model/model.h"
#include "solve/ensemble/points.h"

void td_sweep_options_fill(td_sweep_options* options, size_t size) {
  const td_sweep_options own = {.size = size, .what = TD_SWEEP_EQUIL, .modes = 6, .threads = 1};
  struct_into(options, size, &own, sizeof own);
}

// ---- making and freeing -------------------------------------------------------------------------

void td_sweep_free(td_sweep* s) {
  if (!s) return;
  td_journal_close(s->journal);
  td_plan_free(&s->plan);
  for (int i = 0; s->status && i < s->n; i++) free(s->status[i]);
  free(s->status);
  free(s->state);
  free(s->values);
  free(s->journal_path);
  pthread_mutex_destroy(&s->lock);
  free(s);
}

// Resolve names and make room for the table.
static td_status build(td_sweep* s, const td_sweep_options* o, char* message, size_t size) {
  sweep_plan* p = &s->plan;
  if (!td_sweep_kind_text(o->what) || o->modes < 1 || o->modes > 100000 || o->threads < 1) {
    snprintf(message, size, "%s", td_options_refused);
    return TD_E_USAGE;
  }
  if (s->n == 0) {
    snprintf(message, size, "there are no points");
    return TD_E_USAGE;
  }
  p->sim = td_sim_options_default();
  if (o->sim && td_options_take(o->sim, &p->sim, sizeof p->sim) != TD_OK) {
    snprintf(message, size, "%s", td_options_refused);
    return TD_E_USAGE;
  }
  if (p->sim.belief || p->sim.code || p->sim.inputs) {
    snprintf(message, size, "a sweep takes no beliefs, code or tables of inputs");
    return TD_E_USAGE;
  }
  TD_TRY(td_plan_axes(p, message, size));
  TD_TRY(td_plan_columns(p, o->keep, o->modes, message, size));
  if (p->ncolumn == 0 && p->what != TD_SWEEP_CHECK) {
    snprintf(message, size, "the model has no sensor and no coordinate to keep");
    return TD_E_USAGE;
  }

  // the table
  s->ncolumn = p->ncolumn;
  s->digest = td_plan_digest(p);
  s->values = malloc(sizeof(double) * ((size_t)s->n * (size_t)s->ncolumn + 1));
  s->status = calloc((size_t)s->n, sizeof *s->status);
  s->state = calloc((size_t)s->n, 1);
  s->journal_path = o->journal ? td_strdup(o->journal) : NULL;
  if (!s->values || !s->status || !s->state || (o->journal && !s->journal_path)) return TD_E_NOMEM;
  for (size_t i = 0; i < (size_t)s->n * (size_t)s->ncolumn; i++) s->values[i] = NAN;
  return TD_OK;
}

td_status td_sweep_new(const td_sweep_source* source, const td_spec* spec, const td_model* model,
                       const td_points* points, const td_sweep_options* options, td_sweep** sweep,
                       char* message, size_t size) {
  if (sweep) *sweep = NULL;
  if (!spec || !model || !points || !sweep || !message || size == 0) return TD_E_USAGE;
  message[0] = '\0';
  td_sweep_options o = td_sweep_options_default();
  if (td_options_take(options, &o, sizeof o) != TD_OK) {
    snprintf(message, size, "%s", td_options_refused);
    return TD_E_USAGE;
  }
  td_sweep* s = calloc(1, sizeof *s);
  if (!s) return TD_E_NOMEM;
  pthread_mutex_init(&s->lock, NULL);
  s->plan = (sweep_plan){.spec = spec,
                         .model = model,
                         .points = points,
                         .what = o.what,
                         .any = o.any,
                         .from_rest = o.from_rest};
  if (source) s->plan.source = *source;
  s->n = td_points_count(points);
  s->threads = o.threads;
  s->resume = o.resume;
  s->link = o.link;
  s->processes = td_link_size(o.link);
  s->progress = o.progress;
  s->user = o.user;

  const td_status status = build(s, &o, message, size);
  if (status != TD_OK) {
    if (!*message) snprintf(message, size, "%s", td_status_text(status));
    td_sweep_free(s);
    return status;
  }
  *sweep = s;
  return TD_OK;
}

// ---- the whole ----------------------------------------------------------------------------------

static bool verify_progress(void* user, double fraction, const char* what) {
  (void)fraction, (void)what;
  return td_sweep_goes_on(user);
}

static void take_journal(void* user, int point, const double* values, const char* status) {
  td_sweep* s = user;
  td_sweep_enter(s, point, values, status);
}

// Compute a point again that the journal has.  Files that the text reads, the program and the
// machine may have changed since without changing the digest; other numbers are refused, rounding
// of another processor is not.
static td_status verify_journal(td_sweep* s, char* message, size_t size) {
  static const double rounding = 1e-6;
  int point = 0;
  while (point < s->n && (s->state[point] != POINT_DONE || s->status[point])) point++;
  if (point == s->n || s->ncolumn == 0) return TD_OK;
  char status[STATUS_LENGTH];
  worker* w = td_worker_new(&s->plan, verify_progress, s);
  double* values = malloc(sizeof(double) * (size_t)s->ncolumn);
  td_status done =
      w && values ? td_worker_run(w, point, values, status, sizeof status) : TD_E_NOMEM;
  const double* had = s->values + (size_t)point * (size_t)s->ncolumn;
  for (int i = 0; done == TD_OK && i < s->ncolumn; i++) {
    const bool same =
        memcmp(&had[i], &values[i], sizeof *had) == 0 ||
        fabs(had[i] - values[i]) <= rounding * (fabs(had[i]) + fabs(values[i])) + 1e-9 ||
        (isnan(had[i]) && isnan(values[i]) && strcmp(status, "ok") == 0);
    if (same) continue;
    snprintf(message, size,
             "point %d has %s = %.9g in '%s' and %.9g now: a file that the model reads or the "
             "program has changed; remove it to begin anew",
             point + 1, s->plan.column[i].name, had[i], s->journal_path, values[i]);
    done = TD_E_USAGE;
  }
  free(values);
  td_worker_free(w);
  return done;
}

td_status td_sweep_run(td_sweep* s, char* message, size_t size) {
  if (!s || !message || size == 0) return TD_E_USAGE;
  message[0] = '\0';
  const double start = td_sweep_clock();
  td_status status = TD_OK;
  if (td_link_rank(s->link) > 0) {
    status = td_share_follow(s);
    s->seconds = td_sweep_clock() - start;
    return status;
  }

  // points of an earlier run
  if (s->journal_path) {
    status = td_journal_open(s->journal_path, s->resume, s->digest, s->n, s->ncolumn, take_journal,
                             s, &s->journal, message, size);
    s->taken = s->done;
    if (status == TD_OK && s->taken > 0) status = verify_journal(s, message, size);
  }

  // the others
  if (status == TD_OK)
    status = td_link_size(s->link) > 1 ? td_share_lead(s, message, size) : td_sweep_work_alone(s);
  if (status == TD_OK && s->broken != TD_OK) status = s->broken;
  if (status == TD_OK && s->done < s->n) status = TD_E_STOPPED;
  if (status == TD_E_IO && !*message)
    snprintf(message, size, "cannot write '%s'", s->journal_path ? s->journal_path : "");
  td_journal_close(s->journal);
  s->journal = NULL;
  s->seconds = td_sweep_clock() - start;
  return status;
}

// ---- the table ----------------------------------------------------------------------------------

int td_sweep_rows(const td_sweep* s) { return s ? s->n : 0; }
int td_sweep_columns(const td_sweep* s) { return s ? s->ncolumn : 0; }

static bool has_row(const td_sweep* s, int row) { return s && row >= 0 && row < s->n; }
static bool has_column(const td_sweep* s, int column) {
  return s && column >= 0 && column < s->ncolumn;
}

const char* td_sweep_column_name(const td_sweep* s, int column) {
  return has_column(s, column) ? s->plan.column[column].name : NULL;
}

const char* td_sweep_column_unit(const td_sweep* s, int column) {
  return has_column(s, column) ? s->plan.column[column].unit : NULL;
}

const double* td_sweep_values(const td_sweep* s, int row) {
  return has_row(s, row) ? s->values + (size_t)row * (size_t)s->ncolumn : NULL;
}

const char* td_sweep_status(const td_sweep* s, int row) {
  if (!has_row(s, row)) return NULL;
  return s->state[row] != POINT_DONE ? "not computed" : s->status[row] ? s->status[row] : "ok";
}

void td_sweep_stats_into(const td_sweep* s, td_sweep_stats* stats, size_t size) {
  td_sweep_stats own = {0};
  if (s)
    own = (td_sweep_stats){.points = s->n,
                           .done = s->done,
                           .failed = s->failed,
                           .taken = s->taken,
                           .loads = s->loads,
                           .seconds = s->seconds,
                           .mean = s->computed > 0 ? s->mean / s->computed : 0,
                           .most = s->most,
                           .threads = s->threads,
                           .processes = s->processes,
                           .lost = s->lost};
  struct_into(stats, size, &own, sizeof own);
}

td_status td_sweep_write(const td_sweep* s, const char* model, td_files* files) {
  if (!s || !files) return TD_E_USAGE;
  const int axes = td_points_axes(s->plan.points), stride = 1 + axes;
  double* numbers = malloc(sizeof(double) * (size_t)s->n * (size_t)stride);
  const char** words = calloc((size_t)s->n * (size_t)(axes + 1) + 1, sizeof *words);
  td_columns* c = td_columns_new();
  td_status status = numbers && words && c ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK) {
    // number of the point, its values, what is kept, what went wrong
    for (int i = 0; i < s->n; i++) {
      numbers[(size_t)i * (size_t)stride] = i + 1;
      for (int j = 0; j < axes; j++) {
        numbers[(size_t)i * (size_t)stride + (size_t)j + 1] = td_points_value(s->plan.points, i, j);
        words[(size_t)j * (size_t)s->n + (size_t)i] = td_points_word(s->plan.points, i, j);
      }
      words[(size_t)axes * (size_t)s->n + (size_t)i] = td_sweep_status(s, i);
    }
    td_columns_add(c, "point", "", s->n, stride, numbers);
    for (int j = 0; j < axes; j++) {
      if (td_points_word(s->plan.points, 0, j))
        td_columns_add_words(c, td_points_name(s->plan.points, j), s->n,
                             words + (size_t)j * (size_t)s->n);
      else
        td_columns_add(c, td_points_name(s->plan.points, j), "", s->n, stride, numbers + j + 1);
    }
    for (int j = 0; j < s->ncolumn; j++)
      td_columns_add(c, s->plan.column[j].name, s->plan.column[j].unit, s->n, s->ncolumn,
                     s->values + j);
    td_columns_add_words(c, "status", s->n, words + (size_t)axes * (size_t)s->n);

    const td_note notes[] = {{"program", "tendril " TENDRIL_VERSION},
                             {"model", model ? model : ""},
                             {"analysis", td_sweep_kind_text(s->plan.what)}};
    status = td_columns_csv(c, files, "sweep.csv");
    if (status == TD_OK) status = td_columns_h5(c, files, "sweep.h5", notes, 3);
  }
  td_columns_free(c);
  free(words);
  free(numbers);
  return status;
}
