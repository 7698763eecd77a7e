// Laws that every robot obeys, on random ones: the same robot written in other ways moves alike,
// its equations are satisfied by its own accelerations, energy and momentum are kept, all engines
// agree.
//
// TENDRIL_SEEDS=FIRST:COUNT chooses the robots (1:100 unless given; `make verify` takes thousands),
// TENDRIL_SHOW=1 prints the texts of those that break a law.
#include <ctype.h>

#include "check.h"
#include "random_robot.h"
#include "tendril/generate.h"

// ---- a robot from its text --------------------------------------------------------------------

typedef struct robot {
  td_model* model;
  td_work* work;
  td_state* state;
  td_sizes size;
  char message[400];  // why there is none
} robot;

static void robot_free(robot* r) {
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
  *r = (robot){0};
}

static bool robot_load(const char* text, const robot_values* values, bool override, robot* r) {
  *r = (robot){0};
  td_spec* spec = td_spec_new();
  for (int i = 0; override && i < values->n; i++) {
    char name[20], number[40];
    snprintf(name, sizeof name, "p%d", i + 1);
    snprintf(number, sizeof number, "%.17g", values->value[i]);
    td_spec_override(spec, name, number);
  }
  td_spec_load_string(spec, "robot.m", text);
  bool done = td_model_compile(spec, &r->model) == TD_OK;
  for (int i = 0; !done && i < td_spec_message_count(spec); i++) {
    const td_message m = td_spec_message(spec, i);
    if (m.severity != TD_ERROR) continue;
    snprintf(r->message, sizeof r->message, "%s", m.text);
    break;
  }
  td_spec_free(spec);
  if (!done) return false;
  r->size = td_model_sizes(r->model);
  r->work = td_work_new(r->model);
  r->state = td_state_new(r->model);
  done = td_state_initial(r->model, r->work, r->state) == TD_OK;
  if (!done) snprintf(r->message, sizeof r->message, "initial state: %s", td_work_failure(r->work));
  return done;
}

// All sensed points, as the plain style has them; false when the equations cannot be solved
static bool sense(robot* r, const random_robot* plan, const robot_style* style, double* out) {
  double* values = calloc((size_t)r->size.nsensor + 1, sizeof(double));
  const bool done = td_sensors(r->model, r->state, r->work, values) == TD_OK;
  for (int k = 0; k < random_robot_points(plan); k++)
    random_robot_plain(style, values + 9 * k, out + 9 * k);
  free(values);
  return done;
}

static bool simulate(robot* r, td_sim_stats* stats, char* why, size_t size) {
  td_trajectory* run = NULL;
  td_sim_options options = td_sim_options_default();
  options.max_steps = 5000;  // some hundred are enough for a robot of this size
  const td_status status = td_simulate(r->model, r->work, r->state, &options, &run);
  if (run != NULL && stats != NULL) *stats = *td_trajectory_stats(run);
  if (run != NULL && status != TD_OK) snprintf(why, size, "%s", td_trajectory_diagnosis(run));
  td_trajectory_free(run);
  return status == TD_OK;
}

// A prescribed motion that the loops do not allow: found when it begins, and refused
static bool cannot_follow(const char* why) {
  return strstr(why, "cannot follow") != NULL || strstr(why, "constraints cannot be met") != NULL;
}

// ---- what was tried ---------------------------------------------------------------------------

static int pairs[ROBOT_ELEMENT_COUNT][ROBOT_ELEMENT_COUNT];

enum { REFUSALS = 60 };
static struct {
  char message[400];
  int count;
  unsigned long long seed;
} refusal[REFUSALS];
static int nrefusal;

// Messages are told apart by their words, not by their numbers
static void note_refusal(const char* message, uint64_t seed) {
  char words[400];
  size_t n = 0;
  for (const char* c = message; *c && n + 1 < sizeof words; c++)
    if (!isdigit((unsigned char)*c) && !strchr(".-+", *c)) words[n++] = *c;
  words[n] = 0;
  for (int i = 0; i < nrefusal; i++)
    if (strcmp(refusal[i].message, words) == 0) {
      refusal[i].count++;
      return;
    }
  if (nrefusal == REFUSALS) return;
  snprintf(refusal[nrefusal].message, sizeof refusal[0].message, "%s", words);
  refusal[nrefusal].seed = (unsigned long long)seed;
  refusal[nrefusal++].count = 1;
}

static uint64_t first_seed = 1;
static int seed_count = 100;

static int read_seeds(void** state) {
  (void)state;
  setvbuf(stdout, NULL, _IOLBF, 0);
  const char* text = getenv("TENDRIL_SEEDS");
  unsigned long long first;
  int count;
  if (getenv("TENDRIL_LONG")) seed_count = 3000;
  if (text != NULL && sscanf(text, "%llu:%d", &first, &count) == 2)
    first_seed = first, seed_count = count;
  if (CHECK_SANITIZED) seed_count = seed_count / 5 + 1;
  return 0;
}

// What is dear is done for one robot of `each`, and for all with TENDRIL_LONG
static bool its_turn(uint64_t seed, int what, int each) {
  return getenv("TENDRIL_LONG") != NULL || (seed + (uint64_t)what) % (uint64_t)each == 0;
}

static int failures;
static void broken(const random_robot* plan, const char* law, double error, double tol,
                   const char* text) {
  failures++;
  if (failures <= 40) {
    printf("robot %llu: %s: error %.3g (tolerance %.0e):", (unsigned long long)plan->seed, law,
           error, tol);
    for (int e = 0; e < ROBOT_ELEMENT_COUNT; e++)
      if (plan->has[e]) printf(" %s,", robot_element_name((robot_element)e));
    printf("\n");
  }
  if (getenv("TENDRIL_SHOW") && text != NULL) printf("%s\n", text);
}

// ---- laws -------------------------------------------------------------------------------------

// Largest difference of positions and velocities, and of accelerations relative to their size
static void compare(const double* a, const double* b, int points, double* motion,
                    double* acceleration) {
  double size = 10;
  *motion = *acceleration = 0;
  for (int k = 0; k < 9 * points; k++)
    if (k % 9 > 5) size = fmax(size, fmax(fabs(a[k]), fabs(b[k])));
  for (int k = 0; k < 9 * points; k++) {
    const double d = fabs(a[k] - b[k]);
    if (!(k % 9 > 5))
      *motion = fmax(*motion, isfinite(d) ? d : INFINITY);
    else
      *acceleration = fmax(*acceleration, isfinite(d) ? d / size : INFINITY);
  }
}

// Acceleration is compared at the start, where the states are the same to rounding: 1e-8 is
// rounding times a condition of 1e7, which stiff rods on light bodies come near to.
static const double exact = 1e-8;

// The same at the end of a short motion, to what the tolerance of 1e-8 leaves: errors of
// velocities of springs of some 100 1/s, and of what amplifies them.
static const double moved = 2e-5;

typedef void (*change)(robot_style* style);

static void turned(robot_style* s) {
  const double turn[3] = {0.7, -1.1, 1.9}, shift[3] = {0.4, -2, 1.3};
  memcpy(s->turn, turn, sizeof turn), memcpy(s->shift, shift, sizeof shift);
}
static void mirrored(robot_style* s) { s->mirror = true; }
static void other_units(robot_style* s) { s->metre = 2, s->kilogram = 3, s->second = 0.7; }
static void by_steps(robot_style* s) { s->by_tr = true; }
static void backwards(robot_style* s) { s->reversed = true; }
static void swapped(robot_style* s) { s->swapped = true; }
static void in_two_bodies(robot_style* s) { s->split_bodies = true; }
static void in_two_rods(robot_style* s) { s->split_rods = true; }
static void sparse(robot_style* s) { s->linear = "sparse"; }
static void stiff(robot_style* s) { s->solver = "stiff"; }
static void with_params(robot_style* s) { s->params = 1; }
static void with_set_params(robot_style* s) { s->params = 2; }

static const struct way {
  const char* name;
  change change;
  bool overrides;
  bool dynamics;  // compare the motion too
} ways[] = {{"turned and moved", turned, false, true},
            {"mirrored", mirrored, false, true},
            {"in other units", other_units, false, true},
            {"joints by tr", by_steps, false, true},
            {"numbered backwards", backwards, false, true},
            {"loops from the other side", swapped, false, true},
            {"bodies in two", in_two_bodies, false, true},
            {"rods in two", in_two_rods, false, false},
            {"sparse", sparse, false, true},
            {"by another solver", stiff, false, true},
            {"with params", with_params, false, false},
            {"with params that are set", with_set_params, true, true}};
enum { WAYS = sizeof ways / sizeof *ways };

// A robot with inextensible cables or one-sided elements may be at a corner: its motion is compared
// less closely.
static bool has_corners(const random_robot* p) {
  return p->has[ROBOT_CABLE_TAUT] || p->ncontact > 0 || p->has[ROBOT_ROPE] || p->has[ROBOT_STOP] ||
         p->has[ROBOT_DOF_STOP];
}

// A contact is of one rod: it is not that of both halves.
static bool touching_rods(const random_robot* p) {
  for (int k = 0; k < p->ncontact; k++)
    if (p->part[p->contact[k].a.part].rod) return true;
  return false;
}

// A helix in a rod counts from its base: it is not that of both halves.  It is drawn straight for
// the law of rods in two; false when there is none.
static bool straightened(const random_robot* plan, random_robot* straight) {
  bool any = false;
  *straight = *plan;
  for (int k = 0; k < plan->ncable; k++) {
    any = any || plan->cable[k].helix > 0;
    straight->cable[k].helix = 0;
  }
  return any;
}

static void try_ways(uint64_t seed, int* tried, int* refused) {
  random_robot plan, straight;
  robot_style plain = robot_style_plain();
  if (!random_robot_make(&plan, seed, ROBOT_ANY)) return;
  robot_values values;
  char* text = random_robot_text(&plan, &plain, NULL);
  robot a;
  if (!robot_load(text, NULL, false, &a)) {
    note_refusal(a.message, seed);
    (*refused)++;
    robot_free(&a);
    free(text);
    return;
  }
  (*tried)++;
  for (int i = 0; i < ROBOT_ELEMENT_COUNT; i++)
    for (int j = 0; j < ROBOT_ELEMENT_COUNT; j++) pairs[i][j] += plan.has[i] && plan.has[j];
  const int points = random_robot_points(&plan);
  double *start = calloc(9 * (size_t)points, sizeof(double)),
         *end = calloc(9 * (size_t)points, sizeof(double)),
         *other = calloc(9 * (size_t)points, sizeof(double)),
         *reference = calloc(9 * (size_t)points, sizeof(double)), motion, acceleration;
  char why[600] = "";
  const bool solved = sense(&a, &plan, &plain, start);
  if (!solved) broken(&plan, "plain: no acceleration", INFINITY, 0, text);
  const bool ran = solved && simulate(&a, NULL, why, sizeof why);
  const bool unfollowed = solved && !ran && cannot_follow(why);
  if (unfollowed) {
    note_refusal(why, seed);
    (*refused)++;
  } else if (solved && !ran) {
    broken(&plan, "plain: no motion", INFINITY, 0, text);
    printf("  %s\n", why);
  }
  if (ran) sense(&a, &plan, &plain, end);
  for (int k = 0; k < WAYS && solved && !unfollowed; k++) {
    robot_style style = plain;
    robot b;
    ways[k].change(&style);
    if (style.split_rods && touching_rods(&plan)) continue;
    if (style.reversed && plan.has[ROBOT_EQUAL]) continue;  // refers to an earlier joint
    const bool helix = style.split_rods && straightened(&plan, &straight);
    memcpy(reference, start, 9 * (size_t)points * sizeof(double));
    if (helix) {
      char* straight_text = random_robot_text(&straight, &plain, NULL);
      if (robot_load(straight_text, NULL, false, &b)) sense(&b, &plan, &plain, reference);
      robot_free(&b);
      free(straight_text);
    }
    char* written = random_robot_text(helix ? &straight : &plan, &style, &values);
    if (!robot_load(written, &values, ways[k].overrides, &b)) {
      char law[600];
      snprintf(law, sizeof law, "%s is refused: %s", ways[k].name, b.message);
      if (strcmp(style.linear, "sparse") == 0)
        note_refusal(b.message, seed);
      else
        broken(&plan, law, INFINITY, 0, written);
    } else {
      sense(&b, &plan, &style, other);
      compare(reference, other, points, &motion, &acceleration);
      if (!(motion <= 1e-9))
        broken(&plan, ways[k].name, motion, 1e-9, written);
      else if (!(acceleration <= exact))
        broken(&plan, ways[k].name, acceleration, exact, written);
      else if (ran && ways[k].dynamics && its_turn(seed, k, 4)) {
        const double tol = has_corners(&plan) ? 50 * moved : moved;
        if (!simulate(&b, NULL, why, sizeof why)) {
          broken(&plan, ways[k].name, INFINITY, tol, written);
          printf("  %s\n", why);
        } else {
          char law[100];
          snprintf(law, sizeof law, "%s, moved", ways[k].name);
          sense(&b, &plan, &style, other);
          compare(end, other, points, &motion, &acceleration);
          if (!(motion <= tol)) broken(&plan, law, motion, tol, written);
        }
      }
    }
    robot_free(&b);
    free(written);
  }
  free(start), free(end), free(other), free(reference), free(text);
  robot_free(&a);
}

static void test_a_robot_moves_alike_however_it_is_written(void** state) {
  (void)state;
  int tried = 0, refused = 0;
  failures = 0;
  for (int i = 0; i < seed_count; i++) try_ways(first_seed + (uint64_t)i, &tried, &refused);
  printf("%d robots in %d ways, %d refused, %d laws broken\n", tried, WAYS, refused, failures);
  for (int i = 0; i < nrefusal; i++)
    printf("  refused %d times (first: %llu): %s\n", refusal[i].count, refusal[i].seed,
           refusal[i].message);
  // the table of pairs: how many robots had both, and those that had few
  for (int i = 0, few = 0; getenv("TENDRIL_LONG") && i < ROBOT_ELEMENT_COUNT; i++) {
    printf("%-18s %5d robots; with fewer than 20:", robot_element_name((robot_element)i),
           pairs[i][i]);
    for (int j = 0; j < ROBOT_ELEMENT_COUNT; j++) {
      if (pairs[i][j] >= 20) continue;
      printf(" %s %d,", robot_element_name((robot_element)j), pairs[i][j]);
      few++;
    }
    printf(" (%d)\n", few);
  }
  assert_int_equal(failures, 0);
}

// F = M a + h - tau - J'lambda vanishes in the directions that are free
static void test_own_accelerations_satisfy_the_equations(void** state) {
  (void)state;
  failures = 0;
  for (int i = 0; i < seed_count; i++) {
    random_robot plan;
    const robot_style plain = robot_style_plain();
    if (!random_robot_make(&plan, first_seed + (uint64_t)i, ROBOT_ANY)) continue;
    char* text = random_robot_text(&plan, &plain, NULL);
    robot r;
    if (robot_load(text, NULL, false, &r) &&
        td_forward_dynamics(r.model, r.state, r.work) == TD_OK) {
      const size_t nv = (size_t)r.size.nv;
      double *F = calloc(4 * nv + 1, sizeof(double)), *h = F + nv, *tau = h + nv, *a = tau + nv,
             size = 1, worst = 0;
      double* lambda = calloc((size_t)r.size.nconstraint + 1, sizeof(double));
      memcpy(a, td_work_vdot(r.work), nv * sizeof(double));
      memcpy(lambda, td_work_lambda(r.work), (size_t)r.size.nconstraint * sizeof(double));
      td_bias(r.model, r.state, r.work, h, tau);
      for (size_t k = 0; k < nv; k++) size = fmax(size, fmax(fabs(h[k]), fabs(tau[k])));
      for (int k = 0; k < r.size.nconstraint; k++) size = fmax(size, fabs(lambda[k]));
      td_residual(r.model, r.state, r.work, a, lambda, F);
      for (size_t k = 0; k < nv; k++) {
        td_coordinate about;
        td_model_v_about(r.model, (int)k, &about);
        if (!about.prescribed) worst = fmax(worst, isfinite(F[k]) ? fabs(F[k]) / size : INFINITY);
      }
      if (!(worst <= 1e-10)) broken(&plan, "F at its own acceleration", worst, 1e-10, text);
      free(F), free(lambda);
    }
    robot_free(&r);
    free(text);
  }
  assert_int_equal(failures, 0);
}

// Without dampers and drives energy is kept; with them the balance is.  Momentum of what flies is
// kept; the motion goes back the way it came.
static void test_energy_balance(void** state) {
  (void)state;
  failures = 0;
  for (int i = 0; i < seed_count; i++) {
    for (robot_kind kind = ROBOT_ANY; kind <= ROBOT_FLYING; kind++) {
      random_robot plan;
      const robot_style plain = robot_style_plain();
      if (!its_turn(first_seed + (uint64_t)i, (int)kind, 3) ||
          !random_robot_make(&plan, first_seed + (uint64_t)i, kind))
        continue;
      char* text = random_robot_text(&plan, &plain, NULL);
      robot r;
      td_sim_stats s;
      char why[600] = "";
      if (robot_load(text, NULL, false, &r)) {
        const td_energies e = td_energy(r.model, r.state, r.work);
        const double size = 1 + e.kinetic + fabs(e.elastic) + fabs(e.gravity);
        if (simulate(&r, &s, why, sizeof why)) {
          // the elastic energy of catches and corners is found to the step that meets them
          const double tol = has_corners(&plan) ? 1e-4 : 1e-6,
                       error = fabs(s.energy_error) / (size + fabs(s.work_done));
          if (!(error <= tol))
            broken(&plan, kind == ROBOT_ANY ? "energy balance" : "energy", error, tol, text);
          if (kind != ROBOT_ANY && !(fabs(s.work_done) <= 1e-6 * size))
            broken(&plan, "work of nothing", fabs(s.work_done), 1e-6, text);
        } else if (!cannot_follow(why)) {
          broken(&plan, why, INFINITY, 0, text);
        }
      }
      robot_free(&r);
      free(text);
    }
  }
  assert_int_equal(failures, 0);
}

static void test_motion_without_damping_can_be_reversed(void** state) {
  (void)state;
  failures = 0;
  for (int i = 0; i < seed_count; i++) {
    random_robot plan;
    robot_style plain = robot_style_plain();
    plain.rtol = 1e-9;
    if (!its_turn(first_seed + (uint64_t)i, 0, 4) ||
        !random_robot_make(&plan, first_seed + (uint64_t)i, ROBOT_CONSERVATIVE) ||
        has_corners(&plan))
      continue;
    char* text = random_robot_text(&plan, &plain, NULL);
    robot r;
    char why[600];
    if (robot_load(text, NULL, false, &r)) {
      const int points = random_robot_points(&plan);
      double *start = calloc(9 * (size_t)points, sizeof(double)),
             *end = calloc(9 * (size_t)points, sizeof(double)), motion, acceleration;
      const double t0 = r.state->t;
      bool done = sense(&r, &plan, &plain, start) && simulate(&r, NULL, why, sizeof why);
      for (int k = 0; k < r.size.nv; k++) r.state->v[k] = -r.state->v[k];
      r.state->t = t0;
      done = done && simulate(&r, NULL, why, sizeof why) && sense(&r, &plan, &plain, end);
      // velocities come back with the other sign
      for (int k = 0; k < 9 * points; k++)
        if (k % 9 > 2 && k % 9 < 6) end[k] = -end[k];
      compare(start, end, points, &motion, &acceleration);
      if (done && !(motion <= moved)) broken(&plan, "there and back", motion, moved, text);
      if (!done) broken(&plan, "no motion", INFINITY, 0, text);
      free(start), free(end);
    }
    robot_free(&r);
    free(text);
  }
  assert_int_equal(failures, 0);
}

// Linear momentum and angular momentum about the origin of the world, from M v of the free base
static void momentum(robot* r, double P[3], double L[3]) {
  const int n = r->size.nv;
  double *M = calloc((size_t)n * (size_t)n, sizeof(double)), p[6] = {0}, pose[16], twist[6];
  td_mass_matrix(r->model, r->state, r->work, M);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < n; j++) p[i] += M[i * n + j] * r->state->v[j];
  double base[16];
  int station = -1;
  for (int k = 0; k < r->size.nstation && station < 0; k++)
    if (strcmp(td_model_station_name(r->model, k), "body(1)") == 0) station = k;
  td_station(r->model, r->state, r->work, station, pose, twist);
  memcpy(base, pose, sizeof base);
  // translations of the base are along the axes of the step before it, which does not move: they
  // are turned into the world by the test's own numbers; rotations are about the body's own axes
  const double x[3] = {pose[3], pose[7], pose[11]};
  for (int i = 0; i < 3; i++) P[i] = p[i], L[i] = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) L[i] += pose[4 * i + j] * p[3 + j];
  L[0] += x[1] * P[2] - x[2] * P[1];
  L[1] += x[2] * P[0] - x[0] * P[2];
  L[2] += x[0] * P[1] - x[1] * P[0];
  free(M);
}

static void test_momentum_of_what_flies_is_kept(void** state) {
  (void)state;
  failures = 0;
  for (int i = 0; i < seed_count; i++) {
    random_robot plan;
    const robot_style plain = robot_style_plain();
    if (!its_turn(first_seed + (uint64_t)i, 0, 2) ||
        !random_robot_make(&plan, first_seed + (uint64_t)i, ROBOT_FLYING))
      continue;
    memset(plan.part[0].turn, 0,
           sizeof plan.part[0].turn);  // its translations are along the world's axes
    bool absolute = false;  // nodes of rods that count in the world carry momentum of their own
    for (int k = 0; k < plan.npart; k++)
      absolute = absolute || (plan.part[k].rod && plan.part[k].model == ROBOT_EBA);
    for (int k = 0; k < plan.nlink; k++) absolute = absolute || plan.link[k].a.part < 0;
    char* text = random_robot_text(&plan, &plain, NULL);
    robot r;
    char why[600];
    if (!absolute && robot_load(text, NULL, false, &r)) {
      double P[2][3], L[2][3], size = 1, worst = 0;
      momentum(&r, P[0], L[0]);
      if (simulate(&r, NULL, why, sizeof why)) {
        momentum(&r, P[1], L[1]);
        for (int k = 0; k < 3; k++) {
          size = fmax(size, fmax(fabs(P[0][k]), fabs(L[0][k])));
          worst = fmax(worst, fmax(fabs(P[1][k] - P[0][k]), fabs(L[1][k] - L[0][k])));
        }
        if (!(worst / size <= 1e-6)) broken(&plan, "momentum", worst / size, 1e-6, text);
      }
      robot_free(&r);
    }
    free(text);
  }
  assert_int_equal(failures, 0);
}

// ---- other engines, files and limits ----------------------------------------------------------

// The derived code of libtcc gives the engine's v', or the model is refused by name
static void test_derived_code_gives_the_same_accelerations(void** state) {
  (void)state;
  int compared = 0, refused = 0;
  failures = 0;
  setenv("CC", "false", 1);  // the system's compiler is tested elsewhere
  for (int i = 0; i < seed_count; i++) {
    random_robot plan;
    const robot_style plain = robot_style_plain();
    const robot_kind kind = (robot_kind)(i % 3);  // more than half of `any` has no closed form
    if (!random_robot_make(&plan, first_seed + (uint64_t)i, kind)) continue;
    char* text = random_robot_text(&plan, &plain, NULL);
    robot r;
    if (robot_load(text, NULL, false, &r)) {
      td_jit* jit = NULL;
      assert_int_equal(td_jit_new(r.model, r.work, &jit), TD_OK);
      td_jit_wait(jit);
      const td_code_source* source = td_jit_source(jit);
      const td_code* code = source->latest(source->user);
      if (code == NULL) {
        if (strstr(td_jit_message(jit), "closed form") == NULL)
          broken(&plan, td_jit_message(jit), INFINITY, 0, text);
        refused++;
      } else if (td_forward_dynamics(r.model, r.state, r.work) == TD_OK) {
        double *vdot = calloc((size_t)r.size.nv + 1, sizeof(double)),
               *targets = calloc(2 * (size_t)r.size.nconstraint + 1, sizeof(double)), size = 10,
               worst = 0;
        const int status = code->forward(code->user, r.state, targets, vdot, NULL);
        for (int k = 0; k < r.size.nv; k++) size = fmax(size, fabs(td_work_vdot(r.work)[k]));
        for (int k = 0; k < r.size.nv; k++) {
          const double d = fabs(vdot[k] - td_work_vdot(r.work)[k]) / size;
          worst = fmax(worst, isfinite(d) ? d : INFINITY);
        }
        if (status != 0) worst = INFINITY;
        if (!(worst <= exact)) broken(&plan, "derived code", worst, exact, text);
        compared++;
        free(vdot), free(targets);
      }
      td_jit_free(jit);
    }
    robot_free(&r);
    free(text);
  }
  unsetenv("CC");
  printf("derived code: %d compared, %d without closed form\n", compared, refused);
  assert_int_equal(failures, 0);
}

// A state that is written and read again is the same, for a model that is loaded anew
static void test_saved_states_are_the_same(void** state) {
  (void)state;
  failures = 0;
  for (int i = 0; i < seed_count; i++) {
    random_robot plan;
    robot_style plain = robot_style_plain();
    plain.t_final = 0.005;
    if (!random_robot_make(&plan, first_seed + (uint64_t)i, ROBOT_ANY)) continue;
    char* text = random_robot_text(&plan, &plain, NULL);
    robot a, b;
    char why[600] = "";
    const bool made = robot_load(text, NULL, false, &a), again = robot_load(text, NULL, false, &b);
    if (made && again && simulate(&a, NULL, why, sizeof why)) {
      char* json = NULL;
      size_t size = 0;
      FILE* f = open_memstream(&json, &size);
      fprintf(f, "{\"t\": %.17g, \"q\": [", a.state->t);
      for (int k = 0; k < a.size.nq; k++) fprintf(f, "%s%.17g", k ? ", " : "", a.state->q[k]);
      fprintf(f, "], \"v\": [");
      for (int k = 0; k < a.size.nv; k++) fprintf(f, "%s%.17g", k ? ", " : "", a.state->v[k]);
      fprintf(f, "], \"u\": {");
      for (int k = 0; k < a.size.nu; k++)
        fprintf(f, "%s\"%s\": %.17g", k ? ", " : "", td_model_input_name(a.model, k),
                a.state->u[k]);
      fprintf(f, "}}");
      fclose(f);
      const int points = random_robot_points(&plan);
      double *here = calloc(9 * (size_t)points, sizeof(double)),
             *there = calloc(9 * (size_t)points, sizeof(double)), motion, acceleration;
      if (td_state_parse(b.model, json, b.state, why, sizeof why) != TD_OK) {
        broken(&plan, why, INFINITY, 0, text);
      } else {
        td_taut_choose(a.model, a.state, a.work), td_taut_choose(b.model, b.state, b.work);
        sense(&a, &plan, &plain, here), sense(&b, &plan, &plain, there);
        compare(here, there, points, &motion, &acceleration);
        if (!(motion <= 1e-12)) broken(&plan, "saved state", motion, 1e-12, text);
        if (!(acceleration <= exact))
          broken(&plan, "acceleration of a saved state", acceleration, exact, text);
      }
      free(here), free(there), free(json);
    }
    robot_free(&a), robot_free(&b);
    free(text);
  }
  assert_int_equal(failures, 0);
}

// A jump of speed is the limit of a motion that begins within 10 us
static void test_jumps_are_the_limit_of_smooth_starts(void** state) {
  (void)state;
  int compared = 0;
  failures = 0;
  for (int i = 0; i < 2 * seed_count; i++) {
    random_robot plan;
    const robot_style sharp = robot_style_plain();
    robot_style smooth = sharp;
    smooth.smooth = 1e-5;
    if (!random_robot_make(&plan, first_seed + (uint64_t)i, ROBOT_ANY) || !plan.has[ROBOT_JUMP])
      continue;
    char *text = random_robot_text(&plan, &sharp, NULL),
         *other = random_robot_text(&plan, &smooth, NULL);
    robot a, b;
    char why[600] = "";
    const bool made = robot_load(text, NULL, false, &a), also = robot_load(other, NULL, false, &b);
    const int points = random_robot_points(&plan);
    double *x = calloc(9 * (size_t)points, sizeof(double)),
           *y = calloc(9 * (size_t)points, sizeof(double)), motion, acceleration;
    if (made && also && simulate(&a, NULL, why, sizeof why)) {
      compared++;
      if (!simulate(&b, NULL, why, sizeof why)) {
        broken(&plan, why, INFINITY, 0, other);
      } else {
        sense(&a, &plan, &sharp, x), sense(&b, &plan, &smooth, y);
        compare(x, y, points, &motion, &acceleration);
        if (!(motion <= 1e-3)) broken(&plan, "smooth start", motion, 1e-3, text);
      }
    }
    robot_free(&a), robot_free(&b);
    free(x), free(y), free(text), free(other);
  }
  printf("jumps: %d compared\n", compared);
  assert_int_equal(failures, 0);
}

// At rest nothing accelerates; what is called stable has no growing mode, what is not has one
static void test_equilibria(void** state) {
  (void)state;
  int found = 0, none = 0;
  failures = 0;
  for (int i = 0; i < seed_count; i++) {
    random_robot plan;
    const robot_style plain = robot_style_plain();
    if (!its_turn(first_seed + (uint64_t)i, 0, 2) ||
        !random_robot_make(&plan, first_seed + (uint64_t)i, ROBOT_RESTING))
      continue;
    char* text = random_robot_text(&plan, &plain, NULL);
    robot r;
    if (robot_load(text, NULL, false, &r)) {
      const td_equil_options options = td_equil_options_default();
      td_equil_result result;
      if (td_equilibrium(r.model, r.work, r.state, &options, &result) == TD_OK &&
          result.converged) {
        found++;
        const int points = random_robot_points(&plan);
        double *x = calloc(9 * (size_t)points, sizeof(double)), worst = 0;
        sense(&r, &plan, &plain, x);
        for (int k = 0; k < 9 * points; k++)
          if (k % 9 > 2) worst = fmax(worst, isfinite(x[k]) ? fabs(x[k]) : INFINITY);
        if (!(worst <= 1e-4)) broken(&plan, "rest", worst, 1e-4, text);
        td_modes_result* modes = NULL;
        double growth = -INFINITY, size = 1;
        if (td_modes(r.model, r.state, r.work, &modes) == TD_OK) {
          for (int k = 0; k < modes->ncomplex; k++) {
            growth = fmax(growth, modes->re[k]);
            size = fmax(size, hypot(modes->re[k], modes->im[k]));
          }
          if (result.stability == TD_STABLE && !(growth <= 1e-8 * size))
            broken(&plan, "stable, but grows", growth, 1e-8 * size, text);
          if ((result.stability == TD_DIVERGENCE || result.stability == TD_FLUTTER) &&
              !(growth >= -1e-8 * size))
            broken(&plan, "unstable, but decays", growth, 1e-8 * size, text);
        } else {
          broken(&plan, "no modes", INFINITY, 0, text);
        }
        td_modes_free(modes);
        free(x);
      } else {
        none++;
      }
    }
    robot_free(&r);
    free(text);
  }
  printf("equilibria: %d found, %d not\n", found, none);
  assert_int_equal(failures, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_robot_moves_alike_however_it_is_written),
      cmocka_unit_test(test_own_accelerations_satisfy_the_equations),
      cmocka_unit_test(test_energy_balance),
      cmocka_unit_test(test_motion_without_damping_can_be_reversed),
      cmocka_unit_test(test_momentum_of_what_flies_is_kept),
      cmocka_unit_test(test_derived_code_gives_the_same_accelerations),
      cmocka_unit_test(test_saved_states_are_the_same),
      cmocka_unit_test(test_jumps_are_the_limit_of_smooth_starts),
      cmocka_unit_test(test_equilibria),
  };
  return cmocka_run_group_tests(tests, read_seeds, NULL);
}
