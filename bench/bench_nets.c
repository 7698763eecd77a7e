// Nets of 10² to 10⁵ nodes, printed as JSON.  Parts of a step in microseconds per node on one core:
// one evaluation of the forward dynamics, the sparse tangent (and that on all cores, by the clock
// on the wall), the factorisation of an implicit step and its solution.  A second of swinging from
// rest under gravity, pinned at one edge, at rtol 1e-4, with the time spent in each part; where the
// second would take longer than the seconds of computing allowed, as much of it as they suffice
// for. Memory.  The same for MuJoCo's cloth, as large as it can be built, against a net of as many
// nodes.
#include <malloc.h>
#include <mujoco/mujoco.h>
#include <string.h>

#include "base/team.h"
#include "engine/sparse_engine.h"
#include "model/model.h"
#include "net.h"
#include "rig.h"
#include "solve/time/motion.h"

// All cores together.
// Of the seconds of computing, those for the implicit solver.
static const double implicit_part = 0.25;

static double on_the_wall(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Memory that is allocated [bytes].
static double memory(void) {
  const struct mallinfo2 info = mallinfo2();
  return (double)info.uordblks + (double)info.hblkhd;
}

typedef struct net {
  td_model* model;
  td_work* work;
  td_state* state;
  td_motion* motion;
  double *y, *b;
  double* size;  // largest |y| so far, to which the tolerances refer as in a simulation
} net;

static td_model* net_model(int n, net_kind kind) {
  char* text = needed(net_text(n, kind));
  td_model* model = compiled("net.m", text, NULL, 0);
  free(text);
  return model;
}

static void forward(net* r) { r->motion->ode.states(r->motion, 0, r->y, r->b); }
static void linearise(net* r) { r->motion->ode.linear->linearise(r->motion, 0, r->y); }
static void factor(net* r) { r->motion->ode.linear->factor(r->motion, 1e-3); }
static void solve(net* r) { r->motion->ode.linear->solve(r->motion, r->b); }

// Best of some runs, in microseconds per node.
static double best(net* r, void (*run)(net*), double (*now)(void), int nodes) {
  double least = INFINITY, spent = 0;
  for (int i = 0; i < 20 && spent < 2; i++) {
    const double start = now();
    run(r);
    const double took = now() - start;
    spent += took;
    least = fmin(least, took);
  }
  return 1e6 * least / nodes;
}

// ---- swinging ---------------------------------------------------------------------------------

// The parts of a step, and how often each was done.
enum { EVALUATION, INTEGRALS, TANGENT, FACTOR, SOLVE, PROJECTION, DRIFT, PARTS };
static const char* const part_names[] = {"evaluation", "work",       "tangent", "factor",
                                         "solve",      "projection", "drift"};

// An initial value problem that looks at the clock.
typedef struct timed {
  const td_ode* ode;
  double spent[PARTS];
  long count[PARTS];
} timed;

static td_status stop(timed* t, int part, double start, td_status status) {
  t->spent[part] += seconds() - start;
  t->count[part]++;
  return status;
}
static td_status timed_states(void* ctx, double t, const double* y, double* ydot) {
  timed* c = ctx;
  const double start = seconds();
  return stop(c, EVALUATION, start, c->ode->states(c->ode->ctx, t, y, ydot));
}
static td_status timed_rhs(void* ctx, double t, const double* y, double* ydot) {
  timed* c = ctx;
  const double start = seconds();
  return stop(c, EVALUATION, start, c->ode->rhs(c->ode->ctx, t, y, ydot));
}
static void timed_drift(void* ctx, const double* q, const double* w, double* qdot) {
  timed* c = ctx;
  const double start = seconds();
  c->ode->drift(c->ode->ctx, q, w, qdot);
  stop(c, DRIFT, start, TD_OK);
}
static td_status timed_integrals(void* ctx, double t, const double* y, double* qdot) {
  timed* c = ctx;
  const double start = seconds();
  return stop(c, INTEGRALS, start, c->ode->integrals(c->ode->ctx, t, y, qdot));
}
static td_status timed_linearise(void* ctx, double t, const double* y) {
  timed* c = ctx;
  const double start = seconds();
  return stop(c, TANGENT, start, c->ode->linear->linearise(c->ode->ctx, t, y));
}
static td_status timed_factor(void* ctx, double gamma) {
  timed* c = ctx;
  const double start = seconds();
  return stop(c, FACTOR, start, c->ode->linear->factor(c->ode->ctx, gamma));
}
static void timed_solve(void* ctx, double* b) {
  timed* c = ctx;
  const double start = seconds();
  c->ode->linear->solve(c->ode->ctx, b);
  stop(c, SOLVE, start, TD_OK);
}
static const td_step_ops timed_ops = {
    .linearise = timed_linearise, .factor = timed_factor, .solve = timed_solve};
static td_status timed_project(void* ctx, double t, double* y) {
  timed* c = ctx;
  const double start = seconds();
  return stop(c, PROJECTION, start, c->ode->project(c->ode->ctx, t, y));
}

typedef struct swing_result {
  double t, spent;  // simulated and computed seconds
  long steps;
} swing_result;

// On one core from rest, for a second or the seconds of computing that are allowed.
static swing_result swing(net* r, td_solver solver, double budget, timed* c) {
  td_ode ode = r->motion->ode;
  swing_result result = {0, 0, 0};
  td_stepper* stepper = NULL;
  *c = (timed){.ode = &r->motion->ode};
  ode.ctx = c;
  ode.lightly_damped = true;  // as td_simulate finds them to be
  ode.rhs = timed_rhs;
  ode.states = timed_states;
  ode.integrals = timed_integrals;
  ode.linear = &timed_ops;
  if (ode.drift) ode.drift = timed_drift;
  if (ode.project) ode.project = timed_project;
  for (int i = 0; i < ode.n; i++) r->size[i] = fabs(r->y[i]);
  ode.size = r->size;
  const double start = seconds();
  td_step step = {0};
  if (td_stepper_new(solver, &ode, 0, r->y, &stepper) != TD_OK) exit(1);
  do {
    if (td_stepper_step(stepper, 1, &step) != TD_OK) exit(1);
    for (int i = 0; i < ode.n; i++) r->size[i] = fmax(r->size[i], fabs(step.y[i]));
  } while (step.t < 1 && seconds() - start < budget);
  result = (swing_result){step.t, seconds() - start, stepper->counts.steps};
  td_stepper_free(stepper);
  return result;
}

// The solver that td_simulate takes for the second.
static td_solver chosen(const net* r) {
  td_choice choice;
  return td_choose_solver(&r->motion->ode, 0, r->y, 1, 0, &choice) == TD_OK ? choice.solver
                                                                            : TD_SOLVER_EXPLICIT;
}

static void print_swing(net* r, const char* name, td_solver solver, double budget, int nodes) {
  timed c;
  const swing_result s = swing(r, solver, budget, &c);
  const double per = 1e6 / (double)s.steps / nodes;
  double other = s.spent;
  printf(
      ",\n     \"%s\": {\"t_end\": %.3g, \"steps\": %ld, \"cpu_s\": %.3g, "
      "\"cpu_s_per_simulated_s\": %.3g, \"step_us\": %.3g, \"of_which\": {",
      name, s.t, s.steps, s.spent, s.spent / s.t, s.spent * per);
  for (int i = 0; i < PARTS; i++) {
    if (c.count[i] > 0)
      printf("\"%s\": {\"times\": %ld, \"us_per_step\": %.3g}, ", part_names[i], c.count[i],
             c.spent[i] * per);
    other -= c.spent[i];
  }
  printf("\"other\": {\"us_per_step\": %.3g}}}", other * per);
}

// ---- one net ----------------------------------------------------------------------------------

static void net_open(net* r) {
  if (td_motion_new(r->model, r->work, r->state, 1e-4, 1e-6, &r->motion) != TD_OK) exit(1);
  r->y = needed(calloc((size_t)r->motion->ode.n + 1, sizeof(double)));
  r->b = needed(calloc((size_t)r->motion->ode.n + 1, sizeof(double)));
  r->size = needed(calloc((size_t)r->motion->ode.n + 1, sizeof(double)));
  td_motion_pack(r->motion, r->y);
}

static void net_close(net* r) {
  td_motion_free(r->motion);
  free(r->y);
  free(r->b);
  free(r->size);
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
}

static net net_of(int n, net_kind kind) {
  net r = {.model = net_model(n, kind)};
  r.work = needed(td_work_new(r.model));
  r.state = needed(td_state_new(r.model));
  td_state_initial(r.model, r.work, r.state);
  return r;
}

static void measure(int n, net_kind kind, double budget, bool last) {
  static const char* const names[] = {"springs", "ropes", "beams"};
  const int nodes = n * n;
  const double before = memory(), start = seconds();
  td_model_free(net_model(n, kind));
  const double load = seconds() - start;
  net r = net_of(n, kind);
  const double with_work = memory();
  printf("    {\"kind\": \"%s\", \"nodes\": %d, \"dof\": %d, \"load_s\": %.3g, ", names[kind],
         nodes, td_model_sizes(r.model).nv, load);
  printf("\"model_and_work_kB\": %.3g, ", (with_work - before) / 1e3 / nodes);
  net_open(&r);
  td_sparse_set_threads(r.model, r.work, td_team_processors());
  printf("\"tangent_all_cores_us\": %.3g,\n     ", best(&r, linearise, on_the_wall, nodes));
  td_sparse_set_threads(r.model, r.work, 1);
  printf("\"evaluation_us\": %.3g, ", best(&r, forward, seconds, nodes));
  printf("\"tangent_us\": %.3g, ", best(&r, linearise, seconds, nodes));
  printf("\"factor_us\": %.3g, ", best(&r, factor, seconds, nodes));
  printf("\"solve_us\": %.3g, \"matrices_and_factor_kB\": %.3g", best(&r, solve, seconds, nodes),
         (memory() - with_work) / 1e3 / nodes);
  fflush(stdout);
  print_swing(&r, "swing", chosen(&r), budget, nodes);
  print_swing(&r, "swing_implicit", TD_SOLVER_STIFF, implicit_part * budget, nodes);
  printf("}%s\n", last ? "" : ",");
  fflush(stdout);
  net_close(&r);
}

// ---- MuJoCo -----------------------------------------------------------------------------------

// Seconds of computing per simulated second; 0: it cannot be built.
static double measure_peer(int n) {
  mjVFS* files = needed(malloc(sizeof *files));
  char *mjcf = needed(net_mjcf(n)), error[500] = "";
  mj_defaultVFS(files);
  mj_makeEmptyFileVFS(files, "net.xml", (int)strlen(mjcf));
  memcpy(files->filedata[0], mjcf, strlen(mjcf));
  const double start = seconds();
  mjModel* m = mj_loadXML("net.xml", files, error, sizeof error);
  mj_deleteVFS(files);
  free(files);
  free(mjcf);
  for (char* c = error; *c; c++)
    if (*c == '\n' || *c == '"') *c = ' ';
  if (!m) {
    printf("    {\"nodes\": %d, \"refused\": \"%.60s\"", n * n, error);
    return 0;
  }
  const double load = seconds() - start;
  mjData* d = mj_makeData(m);
  mj_step(m, d);
  double least = INFINITY, spent = 0;
  for (int i = 0; i < 50 && spent < 2; i++) {
    const double from = seconds();
    mj_step(m, d);
    spent += seconds() - from;
    least = fmin(least, seconds() - from);
  }
  const double per_second = least / m->opt.timestep;
  printf(
      "    {\"nodes\": %d, \"dof\": %d, \"load_s\": %.3g, \"step_us\": %.3g, "
      "\"cpu_s_per_simulated_s\": %.3g",
      n * n, m->nv, load, 1e6 * least / (n * n), per_second);
  mj_deleteData(d);
  mj_deleteModel(m);
  return per_second;
}

// A cloth of MuJoCo against a net of as many nodes.
static void compare(int n, double budget, bool last) {
  const double theirs = measure_peer(n);
  fflush(stdout);
  if (theirs > 0) {
    timed c;
    net r = net_of(n, NET_SPRINGS);
    net_open(&r);
    td_sparse_set_threads(r.model, r.work, 1);
    const swing_result s = swing(&r, chosen(&r), budget, &c);
    printf(", \"tendril_cpu_s_per_simulated_s\": %.3g, \"ratio\": %.3g", s.spent / s.t,
           theirs * s.t / s.spent);
    net_close(&r);
  }
  printf("}%s\n", last ? "" : ",");
  fflush(stdout);
}

// bench_nets [largest number of nodes along an edge [seconds of computing for each swing
// [smallest]]]
int main(int argc, char** argv) {
  static const int sizes[] = {10, 32, 100, 316}, cloths[] = {10, 15, 20, 25, 30};
  const int largest = argc > 1 ? atoi(argv[1]) : 316;
  const double budget = argc > 2 ? atof(argv[2]) : 30;
  const int smallest = argc > 3 ? atoi(argv[3]) : 0;
  printf("{\n  \"processors\": %d,\n  \"nets\": [\n", td_team_processors());
  for (int kind = 0; kind < 3; kind++)
    for (int i = 0; i < 4; i++)
      if (sizes[i] <= largest && sizes[i] >= smallest)
        measure(sizes[i], (net_kind)kind, budget, kind == 2 && (i == 3 || sizes[i + 1] > largest));
  printf("  ],\n  \"mujoco\": [\n");
  for (int i = 0; i < 5; i++) compare(cloths[i], budget, i == 4);
  printf("  ]\n}\n");
  return 0;
}
