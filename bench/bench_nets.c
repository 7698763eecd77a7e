// Nets of 10² to 10⁵ nodes on one core, printed as JSON: microseconds per node for one evaluation
// of the forward dynamics, the sparse tangent, the factorisation of an implicit step and its
// solution; seconds for one simulated second (only the beginning of it for the largest, scaled);
// memory. The same for MuJoCo's cloth, as large as it can be built.
#include <malloc.h>
#include <mujoco/mujoco.h>
#include <string.h>

#include "model.h"
#include "motion.h"
#include "net.h"
#include "rig.h"
#include "sparse_dyn.h"

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
} net;

static td_model* net_model(int n, net_kind kind) {
  char* text = needed(net_text(n, kind));
  td_model* model = compiled("net.m", text, NULL, 0);
  free(text);
  return model;
}

static void forward(net* r) { td_forward_dynamics(r->model, r->state, r->work); }
static void linearise(net* r) { r->motion->ode.linearise(r->motion, 0, r->y); }
static void factor(net* r) { r->motion->ode.factor(r->motion, 1e-3); }
static void solve(net* r) { r->motion->ode.solve(r->motion, r->b); }

// Best of some runs, in microseconds per node.
static double best(net* r, void (*run)(net*), int nodes) {
  double least = INFINITY, spent = 0;
  for (int i = 0; i < 20 && spent < 2; i++) {
    const double start = seconds();
    run(r);
    spent += seconds() - start;
    least = fmin(least, seconds() - start);
  }
  return 1e6 * least / nodes;
}

// A second of swinging, or the first steps of it: seconds of computing per step and per second.
static void swing(net* r, td_solver solver, long steps, const char* name, int nodes) {
  td_sim_options o = td_sim_options_default();
  td_trajectory* t = NULL;
  o.solver = solver;
  o.max_steps = steps;
  td_state_initial(r->model, r->work, r->state);
  const double start = seconds();
  td_simulate(r->model, r->work, r->state, &o, &t);
  const double spent = seconds() - start;
  const td_sim_stats* s = td_trajectory_stats(t);
  printf(
      ",\n     \"%s\": {\"steps\": %ld, \"evaluations\": %ld, \"tangents\": %ld, "
      "\"factorisations\": %ld, \"t_end\": %.3g, \"cpu_s\": %.3g, \"step_us_per_node\": %.3g, "
      "\"cpu_s_per_simulated_s\": %.3g}",
      name, s->steps, s->evaluations, s->tangents, s->factorisations, s->t_end, spent,
      1e6 * spent / (double)s->steps / nodes, spent / s->t_end);
  td_trajectory_free(t);
}

static void measure(int n, net_kind kind, bool last) {
  static const char* const names[] = {"springs", "ropes", "beams"};
  const int nodes = n * n;
  const double before = memory(), start = seconds();
  net r = {.model = net_model(n, kind)};
  const double load = seconds() - start, with_model = memory();
  r.work = needed(td_work_new(r.model));
  r.state = needed(td_state_new(r.model));
  td_state_initial(r.model, r.work, r.state);
  forward(&r);
  const double with_work = memory();
  printf("    {\"kind\": \"%s\", \"nodes\": %d, \"dof\": %d, \"load_s\": %.3g, ", names[kind],
         nodes, td_model_sizes(r.model).nv, load);
  printf("\"model_kB_per_node\": %.3g, \"work_kB_per_node\": %.3g,\n     ",
         (with_model - before) / 1e3 / nodes, (with_work - with_model) / 1e3 / nodes);
  fflush(stdout);
  if (td_motion_new(r.model, r.work, r.state, 1e-4, 1e-6, &r.motion) != TD_OK) exit(1);
  r.y = needed(calloc((size_t)r.motion->ode.n + 1, sizeof(double)));
  r.b = needed(calloc((size_t)r.motion->ode.n + 1, sizeof(double)));
  td_motion_pack(r.motion, r.y);
  printf("\"evaluation_us\": %.3g, ", best(&r, forward, nodes));
  printf("\"tangent_us\": %.3g, ", best(&r, linearise, nodes));
  const double with_matrices = memory();
  fflush(stdout);
  printf("\"factor_us\": %.3g, ", best(&r, factor, nodes));
  printf("\"solve_us\": %.3g, \"matrix_kB_per_node\": %.3g, \"factor_kB_per_node\": %.3g",
         best(&r, solve, nodes), (with_matrices - with_work) / 1e3 / nodes,
         (memory() - with_matrices) / 1e3 / nodes);
  fflush(stdout);
  td_motion_free(r.motion);
  const long steps = nodes > 20000 ? 4 : nodes > 2000 ? 30 : nodes > 500 ? 300 : 0;
  swing(&r, TD_SOLVER_EXPLICIT, steps, "explicit", nodes);
  swing(&r, TD_SOLVER_STIFF, steps, "implicit", nodes);
  printf("}%s\n", last ? "" : ",");
  fflush(stdout);
  free(r.y);
  free(r.b);
  td_state_free(r.state);
  td_work_free(r.work);
  td_model_free(r.model);
}

// ---- MuJoCo -----------------------------------------------------------------------------------

static void measure_peer(int n, bool last) {
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
    printf("    {\"nodes\": %d, \"refused\": \"%.60s\"}%s\n", n * n, error, last ? "" : ",");
    return;
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
  printf(
      "    {\"nodes\": %d, \"dof\": %d, \"load_s\": %.3g, \"step_us_per_node\": %.3g, "
      "\"cpu_s_per_simulated_s\": %.3g}%s\n",
      n * n, m->nv, load, 1e6 * least / (n * n), least / m->opt.timestep, last ? "" : ",");
  fflush(stdout);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// bench_nets [largest number of nodes along an edge]
int main(int argc, char** argv) {
  static const int sizes[] = {10, 32, 100, 316}, cloths[] = {10, 15, 20, 25};
  const int largest = argc > 1 ? atoi(argv[1]) : 316;
  printf("{\n  \"nets\": [\n");
  for (int kind = 0; kind < 3; kind++)
    for (int i = 0; i < 4; i++)
      if (sizes[i] <= largest)
        measure(sizes[i], (net_kind)kind, kind == 2 && (i == 3 || sizes[i + 1] > largest));
  printf("  ],\n  \"mujoco\": [\n");
  for (int i = 0; i < 4; i++) measure_peer(cloths[i], i == 3);
  printf("  ]\n}\n");
  return 0;
}
