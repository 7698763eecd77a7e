// Laws that every robot obeys, on random ones: the same robot written in other ways moves alike,
// its equations are satisfied by its own accelerations, energy and momentum are kept, all engines
// and exports agree, statics is where damped motion ends.
//
// TENDRIL_SEEDS=FIRST:COUNT chooses the robots (1:100 unless given; 1:3000 with TENDRIL_LONG=1, as
// `make verify` does, which also prints the table of pairs), TENDRIL_LAW=TEXT the laws whose names
// contain the text, TENDRIL_SHOW=1 prints the texts of those that break a law, TENDRIL_SHOW=all
// those of all, TENDRIL_RATES=1 what each took and how far it is from breaking its law.
#include <ctype.h>
#include <time.h>

#include "check.h"
#include "random_robot.h"
#include "random_unit.h"
#include "tendril/gradient.h"

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

// All sensed points, as the plain style has them.  What is inside rods follows from the forces of
// the loops: where these are redundant nothing tells how they share.
static void to_plain(const random_robot* plan, const robot_style* style, const double* sensed,
                     bool unique, double* out) {
  const int points = random_robot_points(plan), inside = 2 * random_robot_wrenches(plan);
  for (int k = 0; k < points; k++) {
    random_robot_plain(style, sensed + 9 * k, out + 9 * k);
    for (int i = 6; i < 9 && k >= points - inside && !unique; i++) out[9 * k + i] = 0;
  }
}

// The same of the state at hand; false when the equations cannot be solved
static bool sense(robot* r, const random_robot* plan, const robot_style* style, double* out) {
  double* values = calloc((size_t)r->size.nsensor + 1, sizeof(double));
  const bool done = td_sensors(r->model, r->state, r->work, values) == TD_OK;
  to_plain(plan, style, values, !td_work_flags(r->work).lambda_not_unique, out);
  free(values);
  return done;
}

// `t_final`: NAN as the text says
static bool simulate(robot* r, double t_final, td_sim_stats* stats, char* why, size_t size) {
  td_trajectory* run = NULL;
  td_sim_options options = td_sim_options_default();
  options.max_steps = 5000;  // some hundred are enough for a robot of this size
  options.t_final = t_final;
  const td_status status = td_simulate(r->model, r->work, r->state, &options, &run);
  if (run != NULL && stats != NULL) *stats = *td_trajectory_stats(run);
  if (run != NULL && status != TD_OK) snprintf(why, size, "%s", td_trajectory_diagnosis(run));
  td_trajectory_free(run);
  return status == TD_OK;
}

// ---- what was tried ---------------------------------------------------------------------------

static int pairs[ROBOT_ELEMENT_COUNT][ROBOT_ELEMENT_COUNT];

// What a law is asked about: one robot, its plain text, and the model made of it
typedef struct subject {
  const random_robot* plan;
  robot_style plain;
  const char* text;
  robot* r;
} subject;

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

// Robots beyond the first hundred that broke a law once are asked again beside these.
static const uint64_t found_before[] = {704, 732, 735, 840, 841, 912, 917, 950, 965, 988, 989};
static int found_count = sizeof found_before / sizeof *found_before;
static char directory[300];

static int begin(void** state) {
  (void)state;
  setvbuf(stdout, NULL, _IOLBF, 0);
  const char* text = getenv("TENDRIL_SEEDS");
  unsigned long long first;
  int count;
  if (getenv("TENDRIL_LONG")) seed_count = 3000;
  if (text != NULL && sscanf(text, "%llu:%d", &first, &count) == 2)
    first_seed = first, seed_count = count;
  if (text != NULL || getenv("TENDRIL_LONG")) found_count = 0;
  // the sanitizers take five times as long and see the same code after a few robots
  if (CHECK_SANITIZED) seed_count = (seed_count + 14) / 15, found_count = 0;
  return check_directory(directory, sizeof directory) ? 0 : -1;
}

static int end(void** state) {
  (void)state;
  for (int i = 0; i < nrefusal; i++)
    printf("refused %d times (first: %llu): %s\n", refusal[i].count, refusal[i].seed,
           refusal[i].message);
  char command[400];
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  return system(command);
}

static int failures, compared;
static void broken(const subject* s, const char* what, double error, double tol, const char* text) {
  failures++;
  if (failures <= 40) {
    printf("robot %llu: %s: error %.3g (tolerance %.0e):", (unsigned long long)s->plan->seed, what,
           error, tol);
    for (int e = 0; e < ROBOT_ELEMENT_COUNT; e++)
      if (s->plan->has[e]) printf(" %s,", robot_element_name((robot_element)e));
    printf("\n");
  }
  if (getenv("TENDRIL_SHOW") && text != NULL) printf("%s\n", text);
}

// A motion that ended early is a broken law, unless it is refused by name: prescribed motion that
// the loops do not allow, or come to the end of their reach in; accelerations that a constraint is
// to have and the mechanism cannot; half a turn of the three numbers in which 'rom' rods and joints
// of three angles count, and of beams.
static void no_motion(const subject* s, const char* what, const char* why, const char* text) {
  const bool* has = s->plan->has;
  const bool prescribed = has[ROBOT_SMOOTH] || has[ROBOT_JUMP] || has[ROBOT_LOOP_MOVED] ||
                          has[ROBOT_WRITTEN];  // strains of time
  if ((prescribed && strstr(why, "cannot follow")) ||
      (has[ROBOT_LOOP_PUSHED] && strstr(why, "accelerations of joint.control")) ||
      strstr(why, "a beam measures rotations of less than half a turn") ||
      // driven in all it can do, a mechanism has no way out of a position where it jams
      (has[ROBOT_LOOP_PUSHED] && prescribed && strstr(why, "singular position")) ||
      ((has[ROBOT_ROM] || has[ROBOT_POLYNOMIAL] || has[ROBOT_MESH_RODS]) &&
       strstr(why, "reaches half a turn"))) {
    note_refusal(why, s->plan->seed);
  } else {
    broken(s, what, INFINITY, 0, text);
    printf("  %s\n", why);
  }
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
// rounding times a condition of 1e7, which stiff rods on light bodies come near to.  Where that is
// not enough the condition is measured.
static const double exact = 1e-8;

static double* numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

// K x = b by elimination with row exchanges; K (n x n) is overwritten.
static void eliminate(double* K, int n, double* b) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(K[i * n + k]) > fabs(K[p * n + k])) p = i;
    for (int j = 0; j < n && p != k; j++) {
      const double keep = K[k * n + j];
      K[k * n + j] = K[p * n + j], K[p * n + j] = keep;
    }
    const double kept = b[k];
    b[k] = b[p], b[p] = p == k ? b[p] : kept;
    for (int i = k + 1; i < n && K[k * n + k] != 0; i++) {
      const double part = K[i * n + k] / K[k * n + k];
      for (int j = k; j < n && part != 0; j++) K[i * n + j] -= part * K[k * n + j];
      b[i] -= part * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= K[k * n + j] * b[j];
    b[k] = K[k * n + k] != 0 ? b[k] / K[k * n + k] : 0;
  }
}

// What rounding of the mass matrix is seen as: with every element changed by up to 1e-16 of what
// its row and column are, M a = f is solved for the change of a, which meets the constraints, and
// that is sensed as velocities are.  Rates that loops forbid are taken away with the same matrix:
// their change is found alike, and sensed by the accelerations that it makes.  Functions of a rod
// that are many, or not orthogonal (bells, monomials), come to 1e-8.  Thirty times that is what
// sums of a few hundred terms and the solution itself add.  A robot that stands `away` from the
// origin has places that are rounded as that distance is, beside levers of some 0.1 m.  `motion`
// (NULL: not asked for) is what velocities have of the rates that loops take away.
static double accuracy(const subject* s, double away, double* motion) {
  const int points = random_robot_points(s->plan);
  robot b;
  double *still = numbers(9 * points), *then = numbers(9 * points), worst = 0, moving = 0;
  if (robot_load(s->text, NULL, false, &b) && sense(&b, s->plan, &s->plain, still)) {
    const int nv = b.size.nv, nc = b.size.nconstraint, n = nv + nc;
    double *M = numbers(nv * nv), *J = numbers(nc * nv), *a = numbers(nv), *unit = numbers(nv);
    double *K = numbers(n * n), *f = numbers(n), *v = numbers(nv), size = 10;
    uint64_t seed = s->plan->seed;
    for (int k = 0; k < 9 * points; k++)
      if (k % 9 > 5 && isfinite(still[k])) size = fmax(size, fabs(still[k]));
    memcpy(a, td_work_vdot(b.work), (size_t)nv * sizeof(double));
    memcpy(v, b.state->v, (size_t)nv * sizeof(double));
    td_mass_matrix(b.model, b.state, b.work, M);
    td_constraints(b.model, b.state, b.work, J, NULL, NULL);
    for (int i = 0; i < nv; i++) {
      td_coordinate about;
      td_model_v_about(b.model, i, &about);
      unit[i] = about.prescribed ? 0 : 1 / sqrt(M[i * nv + i]);  // what is prescribed stays
    }

    for (int rates = nc > 0; rates >= 0; rates--) {
      // in units in which the masses are 1; rows that depend on each other share a small corner
      double most = 0;
      memset(K, 0, (size_t)n * (size_t)n * sizeof(double));
      memset(f, 0, (size_t)n * sizeof(double));
      for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++) {
          K[i * n + j] = unit[i] * M[i * nv + j] * unit[j];
          if (unit[i] > 0 && M[j * nv + j] > 0)
            f[i] += 1e-16 * check_random(&seed) * sqrt(M[j * nv + j]) * (rates ? v : a)[j];
        }
        if (unit[i] == 0) K[i * n + i] = 1;
      }
      for (int r = 0; r < nc; r++) {
        double length = 1e-300;
        for (int j = 0; j < nv; j++) length += pow(J[r * nv + j] * unit[j], 2);
        for (int j = 0; j < nv; j++)
          K[(nv + r) * n + j] = K[j * n + nv + r] = J[r * nv + j] * unit[j] / sqrt(length);
        K[(nv + r) * n + nv + r] = -1e-13;
      }
      eliminate(K, n, f);
      for (int i = 0; i < nv; i++) most = fmax(most, fabs(f[i] *= unit[i]));

      // accelerations that other rates make, or accelerations sensed as rates
      for (int i = 0; i < nv; i++) b.state->v[i] = rates ? v[i] + f[i] : 0;
      if (!rates) sense(&b, s->plan, &s->plain, still);
      for (int i = 0; i < nv && !rates && most > 0; i++) b.state->v[i] = f[i] / most;
      sense(&b, s->plan, &s->plain, then);
      for (int k = 0; k < 9 * points && most > 0; k++) {
        if (rates && k % 9 < 6) moving = fmax(moving, fabs(then[k] - still[k]));
        if (rates ? k % 9 < 6 : k % 9 < 3 || k % 9 > 5) continue;
        worst = fmax(worst, fabs(then[k] - still[k]) * (rates ? 1 : most) / size);
      }
    }
    free(M), free(J), free(a), free(unit), free(K), free(f), free(v);
  }
  robot_free(&b);
  free(still), free(then);
  if (getenv("TENDRIL_RATES"))
    printf("accuracy %llu: %.2g, of velocities %.2g\n", (unsigned long long)s->plan->seed, worst,
           moving);
  if (motion != NULL) *motion = 30 * moving * (1 + away / 0.1);
  return fmax(exact, 30 * worst * (1 + away / 0.1));
}

// The same at the end of a short motion, to what the tolerance of 1e-8 leaves: errors of
// velocities of springs of some 100 1/s, and of what amplifies them.
static const double moved = 2e-5;

// ---- the same robot written in other ways -----------------------------------------------------

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

// One joint as a constraint on a body that flies: a loop is then cut elsewhere
static int joint_to_cut(const random_robot* plan) {
  for (int k = plan->npart - 1; k >= 0; k--)
    if (random_robot_can_cut(plan, k)) return k;
  return -1;
}
static void cut_elsewhere(robot_style* s) { s->cut = 0; }

static const struct way {
  const char* name;
  change change;
  bool overrides;
  bool dynamics;  // compare the motion too
} ways[] = {{"turned and moved", turned, false, true},
            {"mirrored", mirrored, false, true},
            {"in other units", other_units, false, true},
            {"joints by tr", by_steps, false, true},
            {"a joint as a constraint", cut_elsewhere, false, true},
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
         p->has[ROBOT_DOF_STOP] || p->has[ROBOT_RATCHET] || p->has[ROBOT_BEAM_SIDED] || p->threads;
}

// A contact is of one rod: it is not that of both halves.
static bool touching_rods(const random_robot* p) {
  for (int k = 0; k < p->ncontact; k++)
    if (p->contact[k].kind == ROBOT_TOUCH_ROD || p->part[p->contact[k].a.part].rod) return true;
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

// How much all that is sensed changes when every number of the text changes by up to 1e-11 of
// itself.  What a hundred roundings are seen as is 2e-3 of that; loops are closed to 1e-14, and
// what that is seen as 1e-3 of it.  Both ways to write the robot have that.
static void sensitivity(const subject* s, const double* start, double* motion,
                        double* acceleration) {
  const int points = random_robot_points(s->plan);
  robot_style style = s->plain;
  robot_values values;
  robot b;
  uint64_t seed = s->plan->seed;
  double* x = numbers(9 * points);
  style.params = 2;
  char* text = random_robot_text(s->plan, &style, &values);
  for (int i = 0; i < values.n; i++) values.value[i] *= 1 + 1e-11 * check_random(&seed);
  *motion = *acceleration = 0;
  if (robot_load(text, &values, true, &b) && sense(&b, s->plan, &style, x))
    compare(start, x, points, motion, acceleration);
  if (getenv("TENDRIL_RATES"))
    printf("sensitivity %llu: %.2g %.2g\n", (unsigned long long)s->plan->seed, *motion,
           *acceleration);
  *motion *= 6e-3, *acceleration *= 6e-3;
  robot_free(&b);
  free(x), free(text);
}

static void moves_alike(const subject* s) {
  const random_robot* plan = s->plan;
  const int points = random_robot_points(plan);
  random_robot straight;
  robot_values values;
  double *start = numbers(9 * points), *end = numbers(9 * points), *other = numbers(9 * points),
         *reference = numbers(9 * points), motion, acceleration;
  char why[600] = "", law[700];
  const bool solved = sense(s->r, plan, &s->plain, start);
  const int rank = td_work_flags(s->r->work).constraint_rank;
  if (!solved) broken(s, "plain: no acceleration", INFINITY, 0, s->text);
  // half of them move, which takes most of the time, and one of the ways then moves too
  const bool moves = solved && (plan->seed / WAYS) % 2 == 0,
             ran = moves && simulate(s->r, NAN, NULL, why, sizeof why);
  if (moves && !ran) no_motion(s, "plain: no motion", why, s->text);
  if (ran) sense(s->r, plan, &s->plain, end);
  compared++;

  for (int k = 0; k < WAYS && solved; k++) {
    robot_style style = s->plain;
    robot b;
    ways[k].change(&style);
    if (style.cut >= 0 && (style.cut = joint_to_cut(plan)) < 0) continue;
    if (style.split_rods && touching_rods(plan)) continue;
    const bool helix = style.split_rods && straightened(plan, &straight);
    memcpy(reference, start, 9 * (size_t)points * sizeof(double));
    if (helix) {
      char* straight_text = random_robot_text(&straight, &s->plain, NULL);
      if (robot_load(straight_text, NULL, false, &b)) sense(&b, plan, &s->plain, reference);
      robot_free(&b);
      free(straight_text);
    }
    char* written = random_robot_text(helix ? &straight : plan, &style, &values);
    if (!robot_load(written, &values, ways[k].overrides, &b)) {
      snprintf(law, sizeof law, "%s is refused: %s", ways[k].name, b.message);
      if (strcmp(style.linear, "sparse") == 0)
        note_refusal(b.message, plan->seed);
      else
        broken(s, law, INFINITY, 0, written);
    } else {
      sense(&b, plan, &style, other);
      compare(reference, other, points, &motion, &acceleration);
      // sparse and dense rows are told apart by rules of their own
      const int other_rank = td_work_flags(b.work).constraint_rank;
      if (strcmp(style.linear, "sparse") == 0 && other_rank != rank)
        broken(s, "rank of sparse rows", other_rank, rank, written);
      double tol0 = exact;
      // speeds that loops forbid are taken away with the mass matrix, whose condition they then
      // have; without loops nothing is solved for
      double tol1 = s->r->size.nconstraint > 0 ? 0.1 * exact : 1e-11;
      if (getenv("TENDRIL_RATES"))
        printf("robot %llu, %s: motion %.2g, acceleration %.2g\n", (unsigned long long)plan->seed,
               ways[k].name, motion, acceleration);
      if (!(motion <= tol1 && acceleration <= tol0)) {
        double shift, changed;
        sensitivity(s, start, &shift, &changed);
        const double* to = style.shift;
        const double away = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
        const bool enough = acceleration <= fmax(tol0, changed) && motion <= fmax(tol1, shift);
        double rates = 0;
        const double rounded = enough ? exact : accuracy(s, away, &rates);
        tol0 = fmax(rounded, changed), tol1 = fmax(tol1, fmax(shift, rates));
      }
      if (!(motion <= tol1))
        broken(s, ways[k].name, motion, tol1, written);
      else if (!(acceleration <= tol0))
        broken(s, ways[k].name, acceleration, tol0, written);
      else if (ways[k].dynamics && ran && (plan->seed + (uint64_t)k) % WAYS == 0) {
        const double tol = has_corners(plan) ? 50 * moved : moved;
        snprintf(law, sizeof law, "%s, moved", ways[k].name);
        if (!simulate(&b, NAN, NULL, why, sizeof why)) {
          no_motion(s, law, why, written);
        } else {
          sense(&b, plan, &style, other);
          compare(end, other, points, &motion, &acceleration);
          if (!(motion <= tol)) broken(s, law, motion, tol, written);
        }
      }
    }
    robot_free(&b);
    free(written);
  }
  free(start), free(end), free(other), free(reference);
}

// ---- equations, energy, momentum --------------------------------------------------------------

// F = M a + h - tau - J'lambda vanishes in the directions that are free
static void solves_its_equations(const subject* s) {
  robot* r = s->r;
  if (td_forward_dynamics(r->model, r->state, r->work) != TD_OK) return;
  const int nv = r->size.nv, nc = r->size.nconstraint;
  double *F = numbers(4 * nv), *h = F + nv, *tau = h + nv, *a = tau + nv, *lambda = numbers(nc),
         *M = numbers(nv * nv), size = 1, worst = 0;
  memcpy(a, td_work_vdot(r->work), (size_t)nv * sizeof(double));
  memcpy(lambda, td_work_lambda(r->work), (size_t)nc * sizeof(double));
  td_bias(r->model, r->state, r->work, h, tau);
  for (int k = 0; k < nv; k++) size = fmax(size, fmax(fabs(h[k]), fabs(tau[k])));
  for (int k = 0; k < nc; k++) size = fmax(size, fabs(lambda[k]));
  // inertial forces that cancel in a row are rounded by what each of them is
  td_mass_matrix(r->model, r->state, r->work, M);
  for (int k = 0; k < nv; k++) {
    double inertial = 0;
    for (int j = 0; j < nv; j++) inertial += fabs(M[k * nv + j] * a[j]);
    size = fmax(size, inertial);
  }
  td_residual(r->model, r->state, r->work, a, lambda, F);
  for (int k = 0; k < nv; k++) {
    td_coordinate about;
    td_model_v_about(r->model, k, &about);
    if (!about.prescribed) worst = fmax(worst, isfinite(F[k]) ? fabs(F[k]) / size : INFINITY);
  }
  if (!(worst <= 1e-12)) broken(s, "F at its own acceleration", worst, 1e-12, s->text);
  if (getenv("TENDRIL_RATES"))
    printf("robot %llu: F %.2g of %.2g\n", (unsigned long long)s->plan->seed, worst, size);
  compared++;
  free(F), free(lambda), free(M);
}

// Without dampers and drives energy is kept; with them the balance is
static void balances_its_energy(const subject* s) {
  const td_energies e = td_energy(s->r->model, s->r->state, s->r->work);
  const double size = 1 + e.kinetic + fabs(e.elastic) + fabs(e.gravity);
  const bool any = s->plan->kind == ROBOT_ANY;
  td_sim_stats stats = {0};
  char why[600] = "";
  if (!simulate(s->r, NAN, &stats, why, sizeof why)) {
    no_motion(s, "no motion", why, s->text);
    return;
  }
  // the elastic energy of catches and corners is found to the step that meets them
  const double tol = has_corners(s->plan) ? 1e-4 : 1e-6,
               error = fabs(stats.energy_error) / (size + fabs(stats.work_done));
  if (!(error <= tol)) broken(s, any ? "energy balance" : "energy", error, tol, s->text);
  if (!any && !(fabs(stats.work_done) <= 1e-6 * size))
    broken(s, "work of nothing", fabs(stats.work_done), 1e-6, s->text);
  compared++;
}

static void can_be_reversed(const subject* s) {
  robot* r = s->r;
  char why[600] = "";
  const int points = random_robot_points(s->plan);
  double *start = numbers(9 * points), *end = numbers(9 * points), motion, acceleration;
  const double t0 = r->state->t;
  bool done = sense(r, s->plan, &s->plain, start) && simulate(r, NAN, NULL, why, sizeof why);
  for (int k = 0; k < r->size.nv; k++) r->state->v[k] = -r->state->v[k];
  r->state->t = t0;
  done = done && simulate(r, NAN, NULL, why, sizeof why) && sense(r, s->plan, &s->plain, end);
  // velocities come back with the other sign
  for (int k = 0; k < 9 * points; k++)
    if (k % 9 > 2 && k % 9 < 6) end[k] = -end[k];
  compare(start, end, points, &motion, &acceleration);
  if (!done)
    no_motion(s, "no motion", why, s->text);
  else if (!(motion <= moved))
    broken(s, "there and back", motion, moved, s->text);
  compared++;
  free(start), free(end);
}

// Linear momentum and angular momentum about the origin of the world, from M v of the free base
static void momentum(robot* r, double P[3], double L[3]) {
  const int n = r->size.nv;
  double *M = numbers(n * n), p[6] = {0}, pose[16], twist[6];
  td_mass_matrix(r->model, r->state, r->work, M);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < n; j++) p[i] += M[i * n + j] * r->state->v[j];
  int station = -1;
  for (int k = 0; k < r->size.nstation && station < 0; k++)
    if (strcmp(td_model_station_name(r->model, k), "body(1)") == 0) station = k;
  td_station(r->model, r->state, r->work, station, pose, twist);
  // translations of the base are along the axes of the world, rotations about the body's own
  const double x[3] = {pose[3], pose[7], pose[11]};
  for (int i = 0; i < 3; i++) P[i] = p[i], L[i] = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) L[i] += pose[4 * i + j] * p[3 + j];
  L[0] += x[1] * P[2] - x[2] * P[1];
  L[1] += x[2] * P[0] - x[0] * P[2];
  L[2] += x[0] * P[1] - x[1] * P[0];
  free(M);
}

static void keeps_its_momentum(const subject* s) {
  // nodes of rods that count in the world carry momentum of their own
  for (int k = 0; k < s->plan->npart; k++)
    if (s->plan->part[k].rod && s->plan->part[k].model == ROBOT_EBA) return;
  random_robot plan = *s->plan;
  memset(plan.part[0].turn, 0, sizeof plan.part[0].turn);  // it moves along the world's axes
  char *text = random_robot_text(&plan, &s->plain, NULL), why[600] = "";
  robot r;
  double P[2][3], L[2][3], size = 1, worst = 0;
  const int points = random_robot_points(&plan), centre = 9 * (2 * plan.npart + plan.mesh);
  double *from = numbers(9 * points), *to = numbers(9 * points);
  if (robot_load(text, NULL, false, &r)) {
    momentum(&r, P[0], L[0]);
    sense(&r, &plan, &s->plain, from);
    const double t0 = r.state->t;
    if (simulate(&r, NAN, NULL, why, sizeof why)) {
      momentum(&r, P[1], L[1]);
      // the centre of mass goes straight on: its momentum over the mass, which the base feels
      if (plan.com) {
        double* M = numbers(r.size.nv * r.size.nv);
        td_mass_matrix(r.model, r.state, r.work, M);
        sense(&r, &plan, &s->plain, to);
        for (int k = 0; k < 3; k++)
          worst = fmax(
              worst, fabs(to[centre + k] - from[centre + k] - (r.state->t - t0) * P[0][k] / M[0]));
        free(M);
      }
      for (int k = 0; k < 3; k++) {
        size = fmax(size, fmax(fabs(P[0][k]), fabs(L[0][k])));
        worst = fmax(worst, fmax(fabs(P[1][k] - P[0][k]), fabs(L[1][k] - L[0][k])));
      }
      if (!(worst / size <= 1e-6)) broken(s, "momentum", worst / size, 1e-6, text);
      compared++;
    } else {
      no_motion(s, "no motion", why, text);
    }
  }
  robot_free(&r);
  free(from), free(to), free(text);
}

// ---- other engines, exports, files ------------------------------------------------------------

// The derived code of libtcc gives the engine's v', or the model is refused by name
static void has_the_same_derived_code(const subject* s) {
  robot* r = s->r;
  td_jit* jit = NULL;
  setenv("CC", "false", 1);  // the system's compiler is tested elsewhere
  assert_int_equal(td_jit_new(r->model, r->work, &jit), TD_OK);
  td_jit_wait(jit);
  unsetenv("CC");
  const td_code_source* source = td_jit_source(jit);
  const td_code* code = source->latest(source->user);
  if (code == NULL) {
    if (getenv("TENDRIL_RATES"))
      printf("robot %llu: %s\n", (unsigned long long)s->plan->seed, td_jit_message(jit));
    if (strstr(td_jit_message(jit), "closed form") == NULL &&
        strstr(td_jit_message(jit), "too long") == NULL)
      broken(s, td_jit_message(jit), INFINITY, 0, s->text);
  } else if (td_forward_dynamics(r->model, r->state, r->work) == TD_OK) {
    double *vdot = numbers(r->size.nv), *targets = numbers(2 * r->size.nconstraint), size = 10,
           worst = 0;
    const int status = code->forward(code->user, r->state, targets, vdot, NULL);
    for (int k = 0; k < r->size.nv; k++) size = fmax(size, fabs(td_work_vdot(r->work)[k]));
    for (int k = 0; k < r->size.nv; k++) {
      const double d = fabs(vdot[k] - td_work_vdot(r->work)[k]) / size;
      worst = fmax(worst, isfinite(d) ? d : INFINITY);
    }
    if (status != 0) worst = INFINITY;
    const double tol = worst <= exact ? exact : accuracy(s, 0, NULL);
    if (!(worst <= tol)) broken(s, "derived code", worst, tol, s->text);
    compared++;
    free(vdot), free(targets);
  }
  td_jit_free(jit);
}

// Exported C and the mock-up unit begin as the library does and come to the same end.  The fixed
// steps of the C model are halved: what is left of its error is that of order 4, or nothing.
typedef bool (*exported_way)(const exported* e, double t_end, int steps, double* sensors);
static bool as_unit(const exported* e, double t_end, int steps, double* sensors) {
  return exported_unit_run(e, t_end, steps, 1e-5, sensors);
}

static void is_the_same_exported(const subject* s) {
  static const struct {
    const char *fails, *starts, *ends;
    exported_way run;
    int steps[3];
  } both[2] = {{"exported C fails",
                "exported C at the start",
                "exported C, moved",
                exported_run,
                {0, 8, 16}},
               {"the unit fails", "the unit at the start", "the unit, moved", as_unit, {0, 2, 4}}};
  const random_robot* plan = s->plan;
  if (exported_compiler() == NULL || s->r->size.nv > 60) return;  // slow when not optimised
  robot_style style = s->plain;
  style.t_final = 2e-4;
  style.jump_at = 0.4 * style.t_final;
  char *text = random_robot_text(plan, &style, NULL), why[600] = "", title[40];
  robot r;
  exported e = {0};
  const int points = random_robot_points(plan);
  double *start = numbers(9 * points), *end = numbers(9 * points), *got = numbers(9 * points),
         *sensed = numbers(9 * points), motion, acceleration;
  const double tol = has_corners(plan) ? 1e-3 : 1e-4;
  snprintf(title, sizeof title, "robot%llu", (unsigned long long)plan->seed);
  const bool ran = robot_load(text, NULL, false, &r) && sense(&r, plan, &style, start) &&
                   simulate(&r, NAN, NULL, why, sizeof why) && sense(&r, plan, &style, end);
  const bool unique = ran && !td_work_flags(r.work).lambda_not_unique;
  if (!ran && r.message[0] == 0) no_motion(s, "no motion", why, text);
  if (ran && !exported_open(r.model, directory, title, &e)) broken(s, e.why, INFINITY, 0, text);
  if (ran && e.library != NULL && !e.unit) note_refusal(e.why, plan->seed);
  compared += ran && e.library != NULL;
  for (int form = 0; form < (e.unit ? 2 : 1) && ran && e.library != NULL; form++) {
    double last = INFINITY;
    for (int k = 0; k < 3; k++) {
      if (!both[form].run(&e, style.t_final, both[form].steps[k], sensed)) {
        broken(s, both[form].fails, INFINITY, 0, text);
        break;
      }
      to_plain(plan, &style, sensed, unique, got);
      compare(k == 0 ? start : end, got, points, &motion, &acceleration);
      const double first = fmax(motion, acceleration),
                   tol0 = k > 0 || first <= exact ? exact : accuracy(s, 0, NULL);
      if (k == 0 && !(first <= tol0)) broken(s, both[form].starts, first, tol0, text);
      if (k == 2 && !(motion <= tol || motion <= 0.3 * last))
        broken(s, both[form].ends, motion, tol, text);
      last = motion;
    }
  }
  exported_close(&e);
  robot_free(&r);
  free(start), free(end), free(got), free(sensed), free(text);
}

// A state that is written and read again is the same, for a model that is loaded anew
static void is_the_same_reloaded(const subject* s) {
  robot *a = s->r, b;
  char why[600] = "", *json = NULL;
  size_t size = 0;
  if (!simulate(a, 0.25 * s->plain.t_final, NULL, why, sizeof why)) {
    no_motion(s, "no motion", why, s->text);
    return;
  }
  FILE* f = open_memstream(&json, &size);
  fprintf(f, "{\"t\": %.17g, \"q\": [", a->state->t);
  for (int k = 0; k < a->size.nq; k++) fprintf(f, "%s%.17g", k ? ", " : "", a->state->q[k]);
  fprintf(f, "], \"v\": [");
  for (int k = 0; k < a->size.nv; k++) fprintf(f, "%s%.17g", k ? ", " : "", a->state->v[k]);
  fprintf(f, "], \"u\": {");
  for (int k = 0; k < a->size.nu; k++)
    fprintf(f, "%s\"%s\": %.17g", k ? ", " : "", td_model_input_name(a->model, k), a->state->u[k]);
  fprintf(f, "}, \"z\": {");
  for (int k = 0; k < a->size.nz; k++)
    fprintf(f, "%s\"%s\": %.17g", k ? ", " : "", td_model_internal_name(a->model, k),
            a->state->z[k]);
  fprintf(f, "}}");
  fclose(f);
  const int points = random_robot_points(s->plan);
  double *here = numbers(9 * points), *there = numbers(9 * points), motion, acceleration;
  if (!robot_load(s->text, NULL, false, &b) ||
      td_state_parse(b.model, json, b.state, why, sizeof why) != TD_OK) {
    broken(s, why, INFINITY, 0, s->text);
  } else {
    td_taut_choose(a->model, a->state, a->work), td_taut_choose(b.model, b.state, b.work);
    sense(a, s->plan, &s->plain, here), sense(&b, s->plan, &s->plain, there);
    compare(here, there, points, &motion, &acceleration);
    if (!(motion <= 1e-12)) broken(s, "saved state", motion, 1e-12, s->text);
    const double tol = acceleration <= exact ? exact : accuracy(s, 0, NULL);
    if (!(acceleration <= tol))
      broken(s, "acceleration of a saved state", acceleration, tol, s->text);
    compared++;
  }
  robot_free(&b);
  free(here), free(there), free(json);
}

// ---- limits -----------------------------------------------------------------------------------

// A jump of speed is the limit of a motion that begins within 10 us: what acts during that time
// leaves 1e-3, or what falls with the time as soon as it is shorter.  A task computes its torque
// from the equations of motion: with that of the motion it would grow beyond all bounds in the
// limit and be an impulse, which it does not give at a jump (docs/simulation.md).  Tasks are
// sampled here, and hold their torque while the motion begins.
static void jumps_as_it_starts_smoothly(const subject* s) {
  if (!s->plan->has[ROBOT_JUMP]) return;
  random_robot plan = *s->plan;
  plan.sampled = plan.sampled || plan.has[ROBOT_TASK];
  plan.stops = false;  // before the jump
  static const double smooth[] = {0, 1e-5, 2e-6};
  const int points = random_robot_points(&plan);
  double *x[2] = {numbers(9 * points), numbers(9 * points)}, motion = 0, last = 0, acceleration;
  bool done = true;
  for (int k = 0; k < 3 && done && (k < 2 || !(motion <= 1e-3)); k++) {
    robot_style style = s->plain;
    style.smooth = smooth[k];
    char *text = random_robot_text(&plan, &style, NULL), why[600] = "";
    robot r;
    last = motion;
    if (!(done = robot_load(text, NULL, false, &r)))
      broken(s, r.message, INFINITY, 0, text);
    else if (!(done = simulate(&r, NAN, NULL, why, sizeof why)))
      no_motion(s, k == 0 ? "no motion" : "no smooth motion", why, text);
    else
      sense(&r, &plan, &style, x[k > 0]);
    if (done && k > 0) compare(x[0], x[1], points, &motion, &acceleration);
    robot_free(&r);
    free(text);
  }
  if (done && !(motion <= fmax(1e-3, 0.3 * last)))
    broken(s, "smooth start", motion, fmax(1e-3, 0.3 * last), s->text);
  compared += done;
  free(x[0]), free(x[1]);
}

// The nearest equilibrium, from the robot's state
static bool settle(robot* r, td_equil_result* result) {
  const td_equil_options options = td_equil_options_default();
  return td_equilibrium(r->model, r->work, r->state, &options, result) == TD_OK &&
         result->converged;
}

// Real part of the mode that grows fastest or decays slowest, the largest rate of all, and the
// shape of that mode (nv; NULL: not asked for) with a largest number of 1
static bool slowest(robot* r, double* growth, double* size, double* shape) {
  td_modes_result* modes = NULL;
  *growth = -INFINITY, *size = 1;
  if (td_modes(r->model, r->state, r->work, &modes) != TD_OK) return false;
  const int nv = r->size.nv;
  for (int k = 0; k < modes->ncomplex; k++) {
    *size = fmax(*size, hypot(modes->re[k], modes->im[k]));
    if (!(modes->re[k] > *growth)) continue;
    *growth = modes->re[k];
    const double* c = modes->complex_shape + (size_t)k * (size_t)nv * 2;
    double most = 1e-300;
    for (int i = 0; i < nv; i++) most = fmax(most, fabs(c[2 * i] + c[2 * i + 1]));
    for (int i = 0; i < nv && shape != NULL; i++) shape[i] = (c[2 * i] + c[2 * i + 1]) / most;
  }
  td_modes_free(modes);
  return true;
}

// At rest nothing accelerates; what is called stable has no growing mode, what is not has one
static void rests_where_it_is_in_equilibrium(const subject* s) {
  td_equil_result result;
  if (!settle(s->r, &result)) return;
  const int points = random_robot_points(s->plan);
  double *x = numbers(9 * points), worst = 0, growth, size;
  sense(s->r, s->plan, &s->plain, x);
  for (int k = 0; k < 9 * points; k++)
    if (k % 9 > 2) worst = fmax(worst, isfinite(x[k]) ? fabs(x[k]) : INFINITY);
  if (!(worst <= 1e-4)) broken(s, "rest", worst, 1e-4, s->text);
  const bool unstable = result.stability == TD_DIVERGENCE || result.stability == TD_FLUTTER;
  if (!slowest(s->r, &growth, &size, NULL))
    broken(s, "no modes", INFINITY, 0, s->text);
  else if (result.stability == TD_STABLE && !(growth <= 1e-8 * size))
    broken(s, "stable, but grows", growth, 1e-8 * size, s->text);
  else if (unstable && !(growth >= -1e-8 * size))
    broken(s, "unstable, but decays", growth, 1e-8 * size, s->text);
  compared++;
  free(x);
}

// Largest distance of the sensed positions
static double distance(const double* a, const double* b, int points) {
  double worst = 0;
  for (int k = 0; k < 9 * points; k++)
    if (k % 9 < 3) worst = fmax(worst, isfinite(a[k] - b[k]) ? fabs(a[k] - b[k]) : INFINITY);
  return worst;
}

// Damped motion ends where statics says that it rests, and statics calls that stable
static void comes_to_rest_in_equilibrium(const subject* s) {
  random_robot plan = *s->plan;
  robot_style style = s->plain;
  style.rtol = 1e-6, style.t_final = 15;
  char *text = random_robot_text(&plan, &style, NULL), why[600] = "";
  const int points = random_robot_points(&plan);
  double *there = numbers(9 * points), *found = numbers(9 * points), speed = 0;
  robot r;
  td_equil_result result = {0};
  if (!robot_load(text, NULL, false, &r)) {
    broken(s, r.message, INFINITY, 0, text);
  } else if (!simulate(&r, NAN, NULL, why, sizeof why)) {
    no_motion(s, "no motion", why, text);
  } else {
    sense(&r, &plan, &style, there);
    for (int k = 0; k < 9 * points; k++)
      if (k % 9 > 2 && k % 9 < 6) speed = fmax(speed, fabs(there[k]));
    if (speed < 1e-4) {
      // what still moves with this speed is within a speed over a rate of 1/s
      const bool settled = settle(&r, &result);
      sense(&r, &plan, &style, found);
      const double error = settled ? distance(there, found, points) : INFINITY;
      if (!(error <= 1e-3))
        broken(s, "end of motion", error, 1e-3, text);
      else if (result.stability == TD_DIVERGENCE || result.stability == TD_FLUTTER)
        broken(s, "motion ends in what is called unstable", result.critical, 0, text);
      compared++;
    }
  }
  robot_free(&r);
  free(there), free(found), free(text);
}

// A small disturbance of an equilibrium decays or grows as the verdict says
static void decays_or_grows_as_told(const subject* s) {
  random_robot plan = *s->plan;
  robot_style style = s->plain;
  // with weak springs, so that gravity tips some of them over
  for (int k = 0; k < plan.npart; k++)
    for (int i = 0; i < 6; i++) plan.part[k].spring[i] *= 0.03, plan.part[k].damper[i] *= 0.03;
  char *text = random_robot_text(&plan, &style, NULL), why[600] = "";
  const int points = random_robot_points(&plan);
  double *rest = numbers(9 * points), *x = numbers(9 * points), growth = 0, size = 1;
  robot r;
  td_equil_result result = {0};
  const bool loaded = robot_load(text, NULL, false, &r);
  double* shape = numbers(r.size.nv);
  const bool settled = loaded && settle(&r, &result) && slowest(&r, &growth, &size, shape) &&
                       sense(&r, &plan, &style, rest);
  const bool stable = result.stability == TD_STABLE,
             unstable = result.stability == TD_DIVERGENCE || result.stability == TD_FLUTTER;
  // for four times as long as the slowest mode takes to change by e, if that is not forever; a
  // mechanism whose loops hold it has none
  const double time = 4 / fabs(growth);
  if (settled && (stable || unstable) && isfinite(growth) && time < 8) {
    uint64_t seed = plan.seed;
    double far = 0, near = 0;
    bool done = true;
    // whatever disturbs a stable one; the mode that grows, which others might hide, of an unstable
    for (int k = 0; k < r.size.nv; k++)
      r.state->v[k] = 1e-4 * (stable ? check_random(&seed) : shape[k]);
    for (int k = 1; k <= 16 && done; k++) {
      done = simulate(&r, r.state->t + time / 16, NULL, why, sizeof why);
      sense(&r, &plan, &style, x);
      if (getenv("TENDRIL_RATES"))
        printf("robot %llu: growth %.3g of %.3g: %.3g s, %.3g m\n", (unsigned long long)plan.seed,
               growth, size, k * time / 16, distance(rest, x, points));
      if (k <= 8)
        far = fmax(far, distance(rest, x, points));
      else
        near = fmax(near, distance(rest, x, points));
    }
    // e^2 between the two halves; how far other modes reach may hide a part of it
    if (!done)
      no_motion(s, "no motion", why, text);
    else if (stable && !(near < far))
      broken(s, "stable, but goes away", near / far, 1, text);
    else if (unstable && !(near > 1.5 * far) && near < 0.1)
      broken(s, "unstable, but stays", near / far, 1.5, text);
    compared++;
  }
  robot_free(&r);
  free(rest), free(x), free(shape), free(text);
}

// All models of rods come to the same shape when they are refined: those of segments with the
// square of their length, the others faster.  A robot may have several shapes at rest: all begin
// where they rest without load, which is the same shape in every model, and loads grow in steps, so
// that the same branch is followed.
static bool rest_of_model(const random_robot* plan, const robot_style* style, robot* r, double* x) {
  td_equil_result result = {0};
  enum { LOADS = 4 };
  bool found = r->state != NULL;
  for (int k = 0; k <= LOADS && found; k++)
    found = td_work_set_param(r->model, r->work, 0, (double)k / LOADS) == TD_OK &&
            settle(r, &result) && result.stability != TD_DIVERGENCE &&
            result.stability != TD_FLUTTER;
  return found && sense(r, plan, style, x);
}

static void agrees_when_refined(const subject* s) {
  static const char* const models[] = {"gvs", "rom", "ebr", "srl", "eba"};
  random_robot plan = *s->plan;
  int rods = 0;
  for (int k = 0; k < plan.npart; k++) {
    robot_part* p = &plan.part[k];
    rods += p->rod;
    p->held = p->strained = false;     // which not all models can
    if (p->rod) p->model = ROBOT_GVS;  // loops are closed at the true shape: see below
    if (p->rod) p->n = 6, p->basis = NULL;
    memcpy(p->rest, p->q, sizeof p->rest);
  }
  for (int k = 0; k < plan.nlink; k++) plan.link[k].rest = NAN;  // as it is at the start
  plan.tie = -1;
  // a net of springs that hangs by itself has no stiffness across its plane without load: which way
  // it then folds is told by rounding
  if (!plan.has[ROBOT_TOUCH_MESH]) plan.mesh = false;
  // three rods, each refined twice in five models, are some hundred velocities, whose eigenvalues
  // take as long as ten other robots
  if (rods == 0 || rods > 2) return;
  // loops were closed with the strains that are gone and with few segments.  Each model would mend
  // that in its own way, and springs that rest as they start would be others; two loops may also
  // hold more than can be mended.
  if (!random_robot_close(&plan)) return;
  const int points = random_robot_points(&plan);
  double *x[3] = {numbers(9 * points), numbers(9 * points), numbers(9 * points)}, own = 0;
  bool found = true;
  for (int m = 0; m < 5 && found; m++) {
    char* text = NULL;
    for (int fine = 0; fine < 2 && found; fine++) {
      robot_style style = s->plain;
      robot r;
      style.rods = models[m], style.refine = 1 + fine, style.by_load = true;
      free(text);
      text = random_robot_text(&plan, &style, NULL);
      if (!robot_load(text, NULL, false, &r)) broken(s, r.message, INFINITY, 0, text);
      double* seen = x[m == 0 && fine ? 2 : fine];
      found = rest_of_model(&plan, &style, &r, seen);
      // the middle of a rod in two parts is somewhere inside a segment, and elsewhere in it when
      // there are more: its error is of second order, but does not fall evenly
      for (int k = 0; k < plan.npart; k++)
        if (plan.part[k].rod && plan.part[k].parted) memset(seen + 18 * k, 0, 3 * sizeof *seen);
      robot_free(&r);
    }
    // of second order: a quarter; what the polynomials of the first model themselves still move by
    // is left of all
    const double coarse = distance(x[0], x[2], points), fine = distance(x[1], x[2], points);
    if (m == 0) own = coarse;
    const double tol = 0.35 * coarse + own + 5e-8;  // statics leaves 1e-10 of the forces
    if (getenv("TENDRIL_RATES") && found && m > 0)
      printf("%llu %s: %.2g -> %.2g\n", (unsigned long long)plan.seed, models[m], coarse, fine);
    if (found && m > 0) {
      compared++;
      if (!(fine <= tol)) broken(s, models[m], fine, tol, text);
    }
    free(text);
  }
  for (int k = 0; k < 3; k++) free(x[k]);
}

// Sensed points at the equilibrium near `from` with one parameter changed; false: there is none.
static bool rest_with(robot* r, const td_state* from, int param, double value, double* out) {
  td_equil_options o = td_equil_options_default();
  td_equil_result result;
  o.tol = 1e-12;
  if (td_work_set_param(r->model, r->work, param, value) != TD_OK ||
      td_state_initial(r->model, r->work, r->state) != TD_OK)
    return false;
  memcpy(r->state->q, from->q, (size_t)r->size.nq * sizeof(double));
  td_equilibrium(r->model, r->work, r->state, &o, &result);
  return result.residual < 1e-6 && isfinite(result.residual) && result.converged &&
         td_sensors(r->model, r->state, r->work, out) == TD_OK;
}

// Derivatives of the equilibrium by a few of its numbers are differences of order 8 of whole
// equilibria where two steps of these agree, and forward is adjoint.
static void changes_as_told(const subject* s) {
  enum { MOST_BY = 3 };
  static const double eighth[4] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
  robot_style style = s->plain;
  robot_values values;
  robot r;
  style.params = 1;
  values.n = 0;
  char* text = random_robot_text(s->plan, &style, &values);
  td_equil_result result;
  if (!robot_load(text, &values, false, &r)) {
    broken(s, r.message, INFINITY, 0, text);
  } else if (r.size.nv <= 100 && settle(&r, &result) && r.size.nsensor > 0) {
    const int ny = r.size.nsensor, nv = r.size.nv;
    td_by by[MOST_BY];
    int n = 0;
    for (int i = 0; i < r.size.nparam && n < MOST_BY; i++) {
      const td_by one = {TD_BY_PARAM,
                         (int)((s->plan->seed + 7u * (unsigned)i) % (unsigned)r.size.nparam)};
      bool taken = !td_by_allowed(r.model, one) || td_work_param(r.model, r.work, one.index) == 0;
      for (int k = 0; k < n; k++) taken = taken || by[k].index == one.index;
      if (!taken) by[n++] = one;
    }
    double *dy = numbers(n * ny + 1), *dq = numbers(n * nv + 1), *weights = numbers(nv + 1),
           *y = numbers(ny), *d[2] = {numbers(ny), numbers(ny)}, turned[MOST_BY];
    td_state* at = td_state_new(r.model);
    const td_status status =
        td_equilibrium_gradient(r.model, r.state, r.work, by, n, dq, NULL, NULL, dy, NULL);
    td_state_copy(r.model, r.state, at);
    if (status != TD_OK) note_refusal(td_work_failure(r.work), s->plan->seed);
    const bool smooth = !*td_work_gradient_note(r.work);

    // the transpose
    for (int i = 0; i < nv; i++) weights[i] = sin(1 + i);
    if (status == TD_OK &&
        td_equilibrium_adjoint(r.model, r.state, r.work, NULL, weights, 0, by, n, turned) == TD_OK)
      for (int k = 0; k < n; k++) {
        double want = 0, size = 1e-6;
        for (int i = 0; i < nv; i++) want += weights[i] * dq[k * nv + i];
        for (int i = 0; i < nv; i++) size += fabs(weights[i] * dq[k * nv + i]);
        if (!(fabs(turned[k] - want) <= 1e-6 * size))
          broken(s, "adjoint", fabs(turned[k] - want) / size, 1e-6, text);
      }

    // differences
    for (int k = 0; k < n && status == TD_OK && smooth; k++) {
      const double value = td_work_param(r.model, r.work, by[k].index);
      bool known = true;
      for (int pass = 0; pass < 2 && known; pass++) {
        const double h = (pass == 0 ? 1e-3 : 5e-4) * fabs(value);
        memset(d[pass], 0, sizeof(double) * (size_t)ny);
        for (int i = 1; i <= 4 && known; i++)
          for (int side = -1; side <= 1 && known; side += 2) {
            known = rest_with(&r, at, by[k].index, value + side * i * h, y);
            for (int j = 0; j < ny; j++) d[pass][j] += side * eighth[i - 1] * y[j] / h;
          }
      }
      td_work_set_param(r.model, r.work, by[k].index, value);
      // positions: velocities are none, and accelerations of rest are rounding
      double size = 1e-6 / fabs(value), apart = 0, error = 0;
      for (int j = 0; j < ny && known; j++)
        if (j % 9 < 3) size = fmax(size, fabs(d[1][j]));
      for (int j = 0; j < ny && known; j++)
        if (j % 9 < 3) {
          apart = fmax(apart, fabs(d[0][j] - d[1][j]) / size);
          error = fmax(error, fabs(dy[k * ny + j] - d[1][j]) / size);
        }
      if (!known || !(apart < 1e-5)) continue;
      compared++;
      const double tol = 1e-5 + 10 * apart;
      if (!(error <= tol)) broken(s, td_model_param_name(r.model, by[k].index), error, tol, text);
    }
    td_state_free(at);
    free(dy);
    free(dq);
    free(weights);
    free(y);
    free(d[0]);
    free(d[1]);
  }
  robot_free(&r);
  free(text);
}

// Counts the pairs of elements; which of them are too few is asked of all seeds together, at the
// end
static void counts(const subject* s) {
  for (int i = 0; i < ROBOT_ELEMENT_COUNT; i++)
    for (int j = 0; j < ROBOT_ELEMENT_COUNT; j++) pairs[i][j] += s->plan->has[i] && s->plan->has[j];
  compared++;
}

// ---- all laws ---------------------------------------------------------------------------------

// Each law is asked about one seed of `each`, beginning with `from`.
typedef struct law {
  const char* name;
  robot_kind kind;
  int each, from;
  void (*check)(const subject* s);
} law;
static const law laws[] = {
    {"moves alike however it is written", ROBOT_ANY, 1, 0, moves_alike},
    {"has all pairs of elements", ROBOT_ANY, 1, 0, counts},
    {"solves its equations", ROBOT_ANY, 1, 0, solves_its_equations},
    {"balances its energy", ROBOT_ANY, 7, 0, balances_its_energy},
    {"keeps its energy", ROBOT_CONSERVATIVE, 7, 1, balances_its_energy},
    {"keeps its energy, flying", ROBOT_FLYING, 7, 2, balances_its_energy},
    {"can be reversed", ROBOT_CONSERVATIVE, 11, 3, can_be_reversed},
    {"keeps its momentum", ROBOT_FLYING, 7, 4, keeps_its_momentum},
    {"has the same derived code", ROBOT_DERIVED, 3, 0, has_the_same_derived_code},
    {"has the same derived code, conservative", ROBOT_CONSERVATIVE, 3, 1,
     has_the_same_derived_code},
    {"has the same derived code, flying", ROBOT_FLYING, 3, 2, has_the_same_derived_code},
    {"is the same exported", ROBOT_EXPORTED, 5, 3, is_the_same_exported},
    {"is the same reloaded", ROBOT_ANY, 10, 0, is_the_same_reloaded},
    {"jumps as it starts smoothly", ROBOT_JUMPING, 5, 0, jumps_as_it_starts_smoothly},
    {"rests where it is in equilibrium", ROBOT_RESTING, 2, 0, rests_where_it_is_in_equilibrium},
    {"comes to rest in equilibrium", ROBOT_RESTING, 8, 1, comes_to_rest_in_equilibrium},
    {"decays or grows as told", ROBOT_RESTING, 3, 0, decays_or_grows_as_told},
    {"changes as told", ROBOT_RESTING, 4, 2, changes_as_told},
    {"agrees when refined", ROBOT_RESTING, 15, 5, agrees_when_refined},
};
enum { LAWS = sizeof laws / sizeof *laws };

// Pairs that no robot here can have, and why
static const struct {
  robot_element a, b;
  const char* why;
} impossible[] = {
    {ROBOT_LAW, ROBOT_TASK, "a robot here has one input, which one controller sets"},
    {ROBOT_LAW, ROBOT_INTEGRAL, "a robot here has one input, which one controller sets"},
    {ROBOT_THREADS, ROBOT_MESH_BEAMS, "a robot here has one mesh, of threads or of beams"},
    {ROBOT_THREADS, ROBOT_MESH_RODS, "a robot here has one mesh, of threads or of rods"},
    {ROBOT_MESH_BEAMS, ROBOT_MESH_RODS, "a robot here has one mesh, of beams or of rods"},
};
enum { IMPOSSIBLE = sizeof impossible / sizeof *impossible, ENOUGH = 20 };

// The table of pairs, those that are impossible, and how many others are too few
static int print_pairs(void) {
  int few = 0;
  printf("pairs of elements: robots that have both\n");
  for (int i = 0; i < ROBOT_ELEMENT_COUNT; i++) {
    printf("%-18s", robot_element_name((robot_element)i));
    for (int j = 0; j <= i; j++) printf(" %d", pairs[i][j]);
    printf("\n");
  }
  for (int k = 0; k < IMPOSSIBLE; k++)
    printf("impossible: %s x %s: %s\n", robot_element_name(impossible[k].a),
           robot_element_name(impossible[k].b), impossible[k].why);
  for (int i = 0; i < ROBOT_ELEMENT_COUNT; i++)
    for (int j = 0; j < i; j++) {
      bool out = false;
      for (int k = 0; k < IMPOSSIBLE; k++)
        out = out || (impossible[k].a == (robot_element)j && impossible[k].b == (robot_element)i);
      if (out || pairs[i][j] >= ENOUGH) continue;
      printf("fewer than %d: %s x %s: %d\n", ENOUGH, robot_element_name((robot_element)i),
             robot_element_name((robot_element)j), pairs[i][j]);
      few++;
    }
  printf("%d pairs of %d have fewer than %d robots\n", few,
         ROBOT_ELEMENT_COUNT * (ROBOT_ELEMENT_COUNT - 1) / 2 - IMPOSSIBLE, ENOUGH);
  return few;
}

static void keep_law(void** state) {
  const law* l = *state;
  const clock_t t0 = clock();
  int made = 0, refused = 0;
  failures = compared = 0;
  for (int i = 0; i < seed_count + found_count; i++) {
    const uint64_t seed = i < seed_count ? first_seed + (uint64_t)i : found_before[i - seed_count];
    random_robot plan;
    if ((int)(seed % (uint64_t)l->each) != l->from || !random_robot_make(&plan, seed, l->kind))
      continue;
    robot r;
    subject s = {.plan = &plan, .plain = robot_style_plain(), .r = &r};
    // ten times the frequencies: a tenth of the time
    if (plan.has[ROBOT_FINE]) s.plain.t_final *= 0.1, s.plain.jump_at *= 0.1;
    // tasks solve the equations of motion twice in each evaluation, and fine rods take many
    if (plan.has[ROBOT_TASK]) {
      // half of the time is enough for the event at 4 ms; of a fine rod in parts a part of it for
      // their accelerations of 1e6 1/m/s^2 to be seen
      const double part = !plan.has[ROBOT_FINE] ? 0.5 : plan.has[ROBOT_PARTED] ? 0.04 : 0.2;
      s.plain.t_final *= part, s.plain.jump_at *= part;
    }
    char* text = random_robot_text(&plan, &s.plain, NULL);
    s.text = text;
    made++;
    const char* show = getenv("TENDRIL_SHOW");
    if (show != NULL && strcmp(show, "all") == 0) printf("%s\n", text);
    const clock_t before = clock();
    if (robot_load(text, NULL, false, &r)) {
      l->check(&s);
      if (getenv("TENDRIL_RATES"))
        printf("robot %llu: %.3f s, %d velocities\n", (unsigned long long)seed,
               (double)(clock() - before) / CLOCKS_PER_SEC, r.size.nv);
    } else {
      note_refusal(r.message, seed);
      refused++;
    }
    robot_free(&r);
    free(text);
  }
  printf("%s: %d robots, %d refused, %d compared, %d broken, %.1f s\n", l->name, made, refused,
         compared, failures, (double)(clock() - t0) / CLOCKS_PER_SEC);
  // all pairs are found by the whole of the long run
  if (l->check == counts && getenv("TENDRIL_LONG") && print_pairs() > 0 && seed_count == 3000)
    failures++;
  assert_int_equal(failures, 0);
}

int main(void) {
  const char* only = getenv("TENDRIL_LAW");
  struct CMUnitTest tests[LAWS];
  size_t n = 0;
  for (int i = 0; i < LAWS; i++)
    if (only != NULL ? strstr(laws[i].name, only) != NULL
                     : laws[i].check != counts || getenv("TENDRIL_LONG"))
      tests[n++] = (struct CMUnitTest){
          .name = laws[i].name, .test_func = keep_law, .initial_state = (void*)(uintptr_t)&laws[i]};
  return _cmocka_run_group_tests("laws", tests, n, begin, end);
}
