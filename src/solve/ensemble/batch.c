// Batches: plants of one model, stepped by a team of threads.  Each plant has a work and an
// integrator of its own, so that its numbers follow from its own history alone, whichever thread
// steps it.
#include "tendril/batch.h"

#include <math.h>
#include <stdio.h>

#include "base/team.h"
#include "engine/engine.h"
#include "math/random.h"
#include "model/model.h"
#include "solve/control/plant.h"
#include "solve/vectors.h"

typedef struct batch_plant {
  td_work* work;
  td_plant* plant;
  td_state* start;  // where it begins
  double* moved;    // (nv) noise of its positions
  uint64_t seed;
  td_status status;
  bool ended;  // failed since it began
} batch_plant;

struct td_batch {
  const td_model* model;
  td_sizes size;
  int n;
  td_team* team;
  batch_plant* plant;
  double sigma_q, sigma_v;
  bool auto_reset;
  td_sim_options sim;

  // the call that the team works on
  double dt;
  const double *inputs, *t, *q, *v, *z;
  const unsigned char* mask;
  double *out_t, *out_q, *out_v, *out_sensors;
};

void td_batch_options_fill(td_batch_options* options, size_t size) {
  const td_batch_options own = {.size = size, .threads = 1};
  struct_into(options, size, &own, sizeof own);
}

void td_batch_free(td_batch* b) {
  if (!b) return;
  for (int i = 0; b->plant && i < b->n; i++) {
    td_plant_free(b->plant[i].plant);
    td_work_free(b->plant[i].work);
    td_state_free(b->plant[i].start);
    free(b->plant[i].moved);
  }
  td_team_free(b->team);
  free(b->plant);
  free(b);
}

int td_batch_count(const td_batch* b) { return b ? b->n : 0; }
size_t td_batch_bytes(const td_batch* b) { return b ? (size_t)b->n * td_work_bytes(b->model) : 0; }

// ---- beginning ----------------------------------------------------------------------------------

// The initial state of the model with the parameters of a plant, and noise.
static td_status initial(const td_batch* b, batch_plant* p) {
  TD_TRY(td_state_initial(b->model, p->work, p->start));
  if (b->sigma_q == 0 && b->sigma_v == 0) return TD_OK;
  for (int k = 0; k < b->size.nv; k++) {
    const bool prescribed = b->model->vel[k].motion != NUM_NONE;
    const double dq = random_normal(&p->seed), dv = random_normal(&p->seed);
    p->moved[k] = prescribed ? 0 : b->sigma_q * dq;
    if (!prescribed) p->start->v[k] += b->sigma_v * dv;
  }
  return td_displace(b->model, p->start->q, p->moved, p->start->q);
}

// Let a plant begin at the initial state, or at that of the caller.
static td_status begin(const td_batch* b, int i, bool given) {
  batch_plant* p = &b->plant[i];
  p->ended = false;
  td_status status = TD_OK;
  if (given) {
    status = td_state_initial(b->model, p->work, p->start);
    if (b->t) p->start->t = b->t[i];
    if (b->q) copy(p->start->q, b->q + area(i, b->size.nq), b->size.nq);
    if (b->v) copy(p->start->v, b->v + area(i, b->size.nv), b->size.nv);
    if (b->z) copy(p->start->z, b->z + area(i, b->size.nz), b->size.nz);
    if (status == TD_OK && !td_state_is_finite(b->model, p->start)) {
      td_work_fail(p->work, "the state to begin at is not finite");
      status = TD_E_USAGE;
    }
  } else {
    status = initial(b, p);
  }
  if (status == TD_OK) status = td_plant_begin(p->plant, p->start);
  return status;
}

static bool is_meant(const td_batch* b, int i) { return !b->mask || b->mask[i]; }

// Keep the outcome of a plant.
static void settle(batch_plant* p, td_status status) {
  p->status = status;
  p->ended = p->ended || status != TD_OK;
}

// Begin the plants first ... end - 1 anew, as far as the mask has them.
static void reset_part(void* ctx, int member, int first, int end) {
  (void)member;
  td_batch* b = ctx;
  for (int i = first; i < end; i++)
    if (is_meant(b, i)) settle(&b->plant[i], begin(b, i, b->t || b->q || b->v || b->z));
}

// Make a plant at the initial state of the model.
static td_status make(const td_batch* b, batch_plant* p) {
  p->work = td_work_new(b->model);
  p->start = td_state_new(b->model);
  p->moved = calloc((size_t)b->size.nv + 1, sizeof *p->moved);
  if (!p->work || !p->start || !p->moved) return TD_E_NOMEM;
  TD_TRY(td_state_initial(b->model, p->work, p->start));
  return td_plant_new(b->model, p->work, p->start, &b->sim, &p->plant);
}

td_status td_batch_new(const td_model* model, int n, const td_batch_options* options,
                       td_batch** batch, char* message, size_t size) {
  if (batch) *batch = NULL;
  if (!model || !batch || !message || size == 0) return TD_E_USAGE;
  message[0] = '\0';
  td_batch_options o = td_batch_options_default();
  if (td_options_take(options, &o, sizeof o) != TD_OK) {
    snprintf(message, size, "%s", td_options_refused);
    return TD_E_USAGE;
  }
  if (n < 1 || n > 10000000 || o.threads < 1 || o.threads > TEAM_MOST ||
      !(o.sigma_q >= 0 && o.sigma_v >= 0 && isfinite(o.sigma_q + o.sigma_v))) {
    snprintf(message, size,
             "a batch has 1 to 10000000 plants, 1 to %d threads and noise that is not negative; "
             "got %d, %d, %g and %g",
             TEAM_MOST, n, o.threads, o.sigma_q, o.sigma_v);
    return TD_E_USAGE;
  }
  td_batch* b = calloc(1, sizeof *b);
  if (!b) return TD_E_NOMEM;
  *b = (td_batch){.model = model,
                  .size = td_model_sizes(model),
                  .n = n,
                  .sigma_q = o.sigma_q,
                  .sigma_v = o.sigma_v,
                  .auto_reset = o.auto_reset,
                  .sim = td_sim_options_default()};
  td_status status = o.sim ? td_options_take(o.sim, &b->sim, sizeof b->sim) : TD_OK;
  b->sim.progress = NULL;
  b->plant = calloc((size_t)n, sizeof *b->plant);
  if (status == TD_OK && !b->plant) status = TD_E_NOMEM;
  if (status == TD_OK && o.threads > 1 && !(b->team = td_team_new(o.threads))) status = TD_E_NOMEM;
  for (int i = 0; status == TD_OK && i < n; i++) {
    uint64_t own = o.seed + 0x9e3779b97f4a7c15u * (uint64_t)i;
    b->plant[i].seed = random_bits(&own);
  }

  // plant after plant, since the first that fails ends it
  for (int i = 0; status == TD_OK && i < n; i++) status = make(b, &b->plant[i]);
  if (status != TD_OK) {
    const td_work* w = b->plant ? b->plant[0].work : NULL;
    const char* why = w && status != TD_E_NOMEM ? td_work_failure(w) : "";
    if (status == TD_E_NOMEM)
      snprintf(message, size, "out of memory: each of %d plants takes more than %.3g MB", n,
               1e-6 * (double)td_work_bytes(model));
    else
      snprintf(message, size, "%s%s%s", td_status_text(status), *why ? ": " : "", why);
    td_batch_free(b);
    return status;
  }
  *batch = b;
  return TD_OK;
}

// Let the team work on all plants.
static void run(td_batch* b, td_team_part part) { td_team_run(b->team, b->n, 1, part, b); }

td_status td_batch_reset_to(td_batch* b, const unsigned char* mask, const double* t,
                            const double* q, const double* v, const double* z) {
  if (!b) return TD_E_USAGE;
  b->mask = mask;
  b->t = t;
  b->q = q;
  b->v = v;
  b->z = z;
  run(b, reset_part);
  return TD_OK;
}

td_status td_batch_reset(td_batch* b, const unsigned char* mask) {
  return td_batch_reset_to(b, mask, NULL, NULL, NULL, NULL);
}

td_status td_batch_param(td_batch* b, int param, const double* values) {
  if (!b || !values || param < 0 || param >= b->size.nparam) return TD_E_USAGE;
  if (b->model->param[param].structural) return TD_E_USAGE;
  for (int i = 0; i < b->n; i++)
    if (!isnan(values[i]))
      b->plant[i].status = td_work_set_param(b->model, b->plant[i].work, param, values[i]);
  return TD_OK;
}

td_status td_batch_seed(td_batch* b, const unsigned long long* seeds) {
  if (!b || !seeds) return TD_E_USAGE;
  for (int i = 0; i < b->n; i++) b->plant[i].seed = seeds[i];
  return TD_OK;
}

// ---- stepping -----------------------------------------------------------------------------------

// Step the plants first ... end - 1; one that has ended begins anew or is left alone.
static void advance_part(void* ctx, int member, int first, int end) {
  (void)member;
  td_batch* b = ctx;
  for (int i = first; i < end; i++) {
    batch_plant* p = &b->plant[i];
    if (!is_meant(b, i)) continue;
    if (p->ended && !b->auto_reset) continue;
    td_status status = p->ended ? begin(b, i, false) : TD_OK;
    if (status == TD_OK && b->inputs && b->size.nu > 0)
      status = td_plant_inputs(p->plant, b->inputs + area(i, b->size.nu));
    if (status == TD_OK) status = td_plant_step(p->plant, td_plant_state(p->plant)->t + b->dt);
    settle(p, status);
  }
}

td_status td_batch_step(td_batch* b, double dt, const double* inputs, const unsigned char* mask) {
  if (!b || !(dt > 0 && isfinite(dt))) return TD_E_USAGE;
  b->dt = dt;
  b->inputs = inputs;
  b->mask = mask;
  run(b, advance_part);
  return TD_OK;
}

// Copy times, states and sensors of the plants first ... end - 1.
static void read_part(void* ctx, int member, int first, int end) {
  (void)member;
  td_batch* b = ctx;
  for (int i = first; i < end; i++) {
    batch_plant* p = &b->plant[i];
    const td_state* s = td_plant_state(p->plant);
    if (b->out_t) b->out_t[i] = s->t;
    if (b->out_q) copy(b->out_q + area(i, b->size.nq), s->q, b->size.nq);
    if (b->out_v) copy(b->out_v + area(i, b->size.nv), s->v, b->size.nv);
    if (!b->out_sensors || b->size.nsensor == 0) continue;
    double* sensors = b->out_sensors + area(i, b->size.nsensor);
    const td_status status = td_trial_sensors(b->model, s, p->work, sensors);
    for (int k = 0; status != TD_OK && status != TD_E_INFINITE && k < b->size.nsensor; k++)
      sensors[k] = NAN;
  }
}

td_status td_batch_read(td_batch* b, double* t, double* q, double* v, double* sensors) {
  if (!b) return TD_E_USAGE;
  b->out_t = t;
  b->out_q = q;
  b->out_v = v;
  b->out_sensors = sensors;
  run(b, read_part);
  return TD_OK;
}

td_status td_batch_read_more(td_batch* b, double* z, double* u) {
  if (!b) return TD_E_USAGE;
  for (int i = 0; i < b->n; i++) {
    const td_state* s = td_plant_state(b->plant[i].plant);
    if (z) copy(z + area(i, b->size.nz), s->z, b->size.nz);
    if (u) copy(u + area(i, b->size.nu), s->u, b->size.nu);
  }
  return TD_OK;
}

int td_batch_status(const td_batch* b, int* status) {
  int failed = 0;
  for (int i = 0; b && i < b->n; i++) {
    if (status) status[i] = (int)b->plant[i].status;
    failed += b->plant[i].status != TD_OK;
  }
  return failed;
}

const char* td_batch_message(const td_batch* b, int plant) {
  if (!b || plant < 0 || plant >= b->n || b->plant[plant].status == TD_OK) return "";
  const char* why = td_work_failure(b->plant[plant].work);
  return *why ? why : td_status_text(b->plant[plant].status);
}
