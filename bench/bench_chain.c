// Times of the equations of motion of serial chains on one core, in microseconds, printed as JSON.
//
// Forward dynamics is measured against MuJoCo on the same chain and the same random states, after
// checking that both give the same accelerations.  MuJoCo runs only the stages a tree needs
// (peer_forward); mj_forward with everything switched off is reported beside it.  The two programs
// take turns, batch by batch, and each keeps its best batch: what disturbs the machine disturbs
// both.  Where MuJoCo is not installed its columns are left out.
#include <stdint.h>
#include <string.h>

#include "chain.h"
#include "peer.h"
#include "rig.h"

enum { STATES = 32, TURNS = 40 };
#define SAME 1e-9  // accelerations agree to this, relative to the largest

static const int sizes[] = {6, 12, 30, 60, 100};
static const int tangent_sizes[] = {6, 12, 30, 60};

// splitmix64; uniform in [-1, 1)
static double random_number(uint64_t* seed) {
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static double* doubles(int n) { return needed(calloc((size_t)n, sizeof(double))); }

// ---- the chain in both programs ---------------------------------------------------------------

typedef struct pair {
  int n;
  td_model* model;
  td_work* work;
  td_state* state[STATES];
  peer* other;
  double *a, *A, *B;  // n, n x n
} pair;

static pair pair_new(int n) {
  pair r = {.n = n, .a = doubles(n), .A = doubles(n * n), .B = doubles(n * n)};
  char* text = chain_model_text(n);
  r.model = compiled("chain.m", text, NULL, 0);
  r.other = peer_new(n);
  free(text);
  r.work = needed(td_work_new(r.model));
  uint64_t seed = 1;
  for (int i = 0; i < STATES; i++) {
    r.state[i] = needed(td_state_new(r.model));
    td_state_initial(r.model, r.work, r.state[i]);
    for (int k = 0; k < n; k++) {
      r.state[i]->q[k] = random_number(&seed);
      r.state[i]->v[k] = random_number(&seed);
    }
  }
  return r;
}

static void pair_free(pair* r) {
  for (int i = 0; i < STATES; i++) td_state_free(r->state[i]);
  td_work_free(r->work);
  td_model_free(r->model);
  peer_free(r->other);
  free(r->a);
  free(r->A);
  free(r->B);
}

// ---- what is timed ----------------------------------------------------------------------------

typedef void (*operation)(pair* r, int state);

static void forward(pair* r, int i) { td_forward_dynamics(r->model, r->state[i], r->work); }
static void peer_stages(pair* r, int i) { peer_forward(r->other, r->state[i]->q, r->state[i]->v); }
static void peer_whole(pair* r, int i) {
  peer_forward_whole(r->other, r->state[i]->q, r->state[i]->v);
}
static void tangent(pair* r, int i) {
  td_forward_tangent(r->model, r->state[i], r->work, r->A, r->B, NULL);
}
static void residual_tangent(pair* r, int i) {
  td_tangent(r->model, r->state[i], r->work, r->a, NULL, r->A, r->B);
}
static void residual(pair* r, int i) {
  td_residual(r->model, r->state[i], r->work, r->a, NULL, r->B);
}
static void mass(pair* r, int i) { td_mass_matrix(r->model, r->state[i], r->work, r->A); }
static void peer_mass(pair* r, int i) {
  peer_mass_matrix(r->other, r->state[i]->q, r->state[i]->v, r->B);
}

static double batch(pair* r, operation run, int repetitions) {
  const double start = seconds();
  for (int i = 0; i < repetitions; i++) run(r, i % STATES);
  return 1e6 * (seconds() - start) / repetitions;
}

// Best of the batches of each operation, in microseconds; the operations take turns.
static void best_times(pair* r, int n, const operation* run, double* us) {
  int repetitions[8];
  for (int k = 0; k < n; k++) {
    us[k] = batch(r, run[k], STATES);
    repetitions[k] = 1 + (int)(1e6 * BATCH_SECONDS / us[k]);
  }
  for (int b = 0; b < TURNS; b++)
    for (int k = 0; k < n; k++) us[k] = fmin(us[k], batch(r, run[k], repetitions[k]));
}

// Largest difference of the accelerations over all states, relative to the largest acceleration.
static double disagreement(pair* r) {
  double error = 0, scale = 0;
  for (int i = 0; i < STATES; i++) {
    if (td_forward_dynamics(r->model, r->state[i], r->work) != TD_OK) return INFINITY;
    const double* mine = td_work_vdot(r->work);
    const double* stages = peer_forward(r->other, r->state[i]->q, r->state[i]->v);
    for (int k = 0; k < r->n; k++) {
      error = fmax(error, fabs(mine[k] - stages[k]));
      scale = fmax(scale, fabs(stages[k]));
    }
    const double* whole = peer_forward_whole(r->other, r->state[i]->q, r->state[i]->v);
    for (int k = 0; k < r->n; k++) error = fmax(error, fabs(mine[k] - whole[k]));
  }
  return error / scale;
}

// Slope of log(time) over log(n), least squares.
static double exponent(int count, const int* n, const double* us) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < count; i++) {
    const double x = log(n[i]), y = log(us[i]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

// ---- the report -------------------------------------------------------------------------------

static bool forward_table(void) {
  enum { N = sizeof sizes / sizeof *sizes };
  double mine[N], other[N];
  bool same = true;
  printf("  \"forward_dynamics\": [\n");
  for (int i = 0; i < N; i++) {
    pair r = pair_new(sizes[i]);
    const bool both = r.other != NULL;
    const operation run[] = {forward, peer_stages, peer_whole};
    double us[3];
    best_times(&r, both ? 3 : 1, run, us);
    mine[i] = us[0];
    other[i] = us[1];
    printf("    {\"n\": %d, \"tendril_us\": %.3f", sizes[i], us[0]);
    if (both) {
      const double error = disagreement(&r);
      same = same && error <= SAME;
      printf(", \"mujoco_us\": %.3f, \"ratio\": %.3f, ", us[1], us[0] / us[1]);
      printf("\"mj_forward_us\": %.3f, \"disagreement\": %.1e", us[2], error);
    }
    printf("}%s\n", i < N - 1 ? "," : "");
    pair_free(&r);
  }
  printf("  ],\n  \"forward_dynamics_exponent\": {\"tendril\": %.2f", exponent(N, sizes, mine));
  if (*peer_version()) printf(", \"mujoco\": %.2f", exponent(N, sizes, other));
  printf("},\n");
  return same;
}

static void other_table(void) {
  enum { N = sizeof tangent_sizes / sizeof *tangent_sizes };
  double us[N][5], growth[N];
  printf("  \"other\": [\n");
  for (int i = 0; i < N; i++) {
    pair r = pair_new(tangent_sizes[i]);
    const operation run[] = {tangent, residual_tangent, residual, mass, peer_mass};
    const bool both = r.other != NULL;
    best_times(&r, both ? 5 : 4, run, us[i]);
    growth[i] = us[i][0];
    printf("    {\"n\": %d, \"forward_tangent_us\": %.2f, \"residual_tangent_us\": %.2f, ",
           tangent_sizes[i], us[i][0], us[i][1]);
    printf("\"residual_us\": %.3f, \"mass_matrix_us\": %.3f", us[i][2], us[i][3]);
    if (both) printf(", \"mujoco_mass_matrix_us\": %.3f", us[i][4]);
    printf("}%s\n", i < N - 1 ? "," : "");
    pair_free(&r);
  }
  printf("  ],\n  \"forward_tangent_exponent\": %.2f,\n", exponent(N, tangent_sizes, growth));
}

static const char loop_text[] =
    "world.g = [0 0 -9.81];\n"
    "for k = 1:1000\n"
    "  body(k).m = 1 + k/1000; body(k).I = diag([1 1 .1])*1e-3; body(k).l_com = [0 0 .05];\n"
    "  joint(k).first = k - 1; joint(k).second = k;\n"
    "  joint(k).tr(1).trans = [0 0 .1]; joint(k).tr(1).rot = [1 + mod(k, 3) inf];\n"
    "end\n";

static const char repeated_text[] =
    "world.g = [0 0 -9.81];\n"
    "body(1).m = 1; body(1).I = diag([1 1 .1])*1e-3; body(1).l_com = [0 0 .05];\n"
    "joint(1).first = [1 0:999]; joint(1).second = [1 1:1000];\n"
    "joint(1).tr(1).trans = [0 0 .1]; joint(1).tr(1).rot = [2 inf];\n";

static double load_time(const char* text) {
  double best = INFINITY;
  for (int i = 0; i < 5; i++) {
    const double start = seconds();
    td_model* model = compiled("chain.m", text, NULL, 0);
    best = fmin(best, seconds() - start);
    if (td_model_sizes(model).nbody != 1000) exit(1);
    td_model_free(model);
  }
  return best;
}

static const char* compiler(void) {
#ifdef __clang__
  return __VERSION__;
#else
  return "gcc " __VERSION__;
#endif
}

int main(void) {
  printf("{\n  \"compiler\": \"%s\", \"mujoco\": \"%s\",\n", compiler(), peer_version());
  const bool same = forward_table();
  other_table();
  printf("  \"load_1000_bodies_s\": {\"loop\": %.4f, \"repeated\": %.4f},\n", load_time(loop_text),
         load_time(repeated_text));
  printf("  \"same_accelerations\": %s\n}\n", same ? "true" : "false");
  return same ? 0 : 1;
}
