// Sweeps: closed forms, any number of threads and processes, a journal that is cut, indices of a
// function whose indices are known.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"
#include "robot.h"
#include "solve/ensemble/link.h"
#include "tendril/sweep.h"

// A mass on a spring, pulled by gravity and F: x = (m g + F)/k; the number of links is n.
static const char mass[] =
    "m = param('m', 2, [0.1 10]); k = param('k', 50); n = param('n', 1); F = input('F', 0, [-5 5]);"
    "world.g = [0 0 9.81]; body(1).m = m; body(1).I = zeros(3);"
    "joint(1).second = 1; joint(1).tr(1).trans = [0 0 inf];"
    "joint(1).dof(1).spring.coeff = k*n; joint(1).dof(1).damp.visc = 1; joint(1).dof(1).input = F;"
    "if n > 2.5, body(1).I = eye(3); end;"
    "sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);"
    "par.t_final = 1; par.dt_out = 0.01;";

static char message[700];

static td_status load_mass(void* user, td_spec* spec) {
  return td_spec_load_string(spec, "mass.m", user);
}

// One sweep from beginning to end.
typedef struct trial {
  robot r;
  td_points* points;
  td_sweep* sweep;
} trial;

static trial trial_open(const char* text, const char* vary, td_sweep_options* o) {
  trial t = {.r = robot_open(text), .points = td_points_new()};
  const td_sweep_source source = {(void*)(uintptr_t)text, load_mass};
  if (td_points_vary(t.points, vary, message, sizeof message) != TD_OK ||
      td_sweep_new(&source, t.r.spec, t.r.model, t.points, o, &t.sweep, message, sizeof message) !=
          TD_OK) {
    print_error("%s\n", message);
    fail();
  }
  return t;
}

static void trial_close(trial* t) {
  td_sweep_free(t->sweep);
  td_points_free(t->points);
  robot_close(&t->r);
}

// Parameters in the work, inputs in the state and numbers that decide how the model is built: all
// give the closed form.
static void test_every_kind_of_value_is_set(void** state) {
  (void)state;
  td_sweep_options o = td_sweep_options_default();
  trial t = trial_open(mass, "m=1:3/3,n={1,2,3},F=-4:4/3", &o);
  assert_int_equal(td_sweep_run(t.sweep, message, sizeof message), TD_OK);
  assert_int_equal(td_sweep_rows(t.sweep), 27);
  assert_int_equal(td_sweep_columns(t.sweep), 1);
  assert_string_equal(td_sweep_column_name(t.sweep, 0), "x");
  assert_string_equal(td_sweep_column_unit(t.sweep, 0), "m");
  for (int i = 0; i < 27; i++) {
    const double m = td_points_value(t.points, i, 0), n = td_points_value(t.points, i, 1),
                 F = td_points_value(t.points, i, 2);
    assert_string_equal(td_sweep_status(t.sweep, i), "ok");
    CHECK_NEAR(td_sweep_values(t.sweep, i)[0], (m * 9.81 + F) / (50 * n), 1e-9);
  }
  assert_true(td_sweep_statistics(t.sweep).loads == 9);  // n varies in the middle
  trial_close(&t);
}

static void test_modes_and_motions_are_kept(void** state) {
  (void)state;
  td_sweep_options o = td_sweep_options_default();
  o.what = TD_SWEEP_MODES;
  o.keep = "frequency1,frequency2,damping1,x";
  trial t = trial_open(mass, "k=20:80/4", &o);
  assert_int_equal(td_sweep_run(t.sweep, message, sizeof message), TD_OK);
  for (int i = 0; i < 4; i++) {
    const double k = td_points_value(t.points, i, 0), w = sqrt(k / 2);
    const double* x = td_sweep_values(t.sweep, i);
    CHECK_NEAR(x[0], w / (2 * 3.14159265358979323846), 1e-9);
    assert_true(isnan(x[1]));  // there is one mode
    CHECK_NEAR(x[2], 1 / (2 * 2 * w), 1e-9);
    CHECK_NEAR(x[3], 2 * 9.81 / k, 1e-9);
  }
  trial_close(&t);

  // x = x0 (1 - e^(-z w t) (...)): largest at half a period, smallest at the start
  o.what = TD_SWEEP_SIM;
  o.keep = "x,x@max,x@min,x@mean,v1,t_end,energy_error";
  t = trial_open(mass, "k=200:800/3", &o);
  assert_int_equal(td_sweep_run(t.sweep, message, sizeof message), TD_OK);
  for (int i = 0; i < 3; i++) {
    const double k = td_points_value(t.points, i, 0), w = sqrt(k / 2), z = 1 / (4 * w),
                 wd = w * sqrt(1 - z * z), x0 = 2 * 9.81 / k;
    const double* x = td_sweep_values(t.sweep, i);
    const double e = exp(-z * w), now = x0 * (1 - e * (cos(wd) + z * w / wd * sin(wd)));
    assert_string_equal(td_sweep_status(t.sweep, i), "ok");
    CHECK_NEAR(x[0], now, 1e-6);
    // records every 0.01 s are at most 0.005 s from the maximum, where x'' = w² x0 or less
    CHECK_NEAR(x[1], x0 * (1 + exp(-z * w * 3.14159265358979 / wd)), 0.5 * w * w * x0 * 2.5e-5);
    assert_true(x[2] == 0);
    // the mean of the equation of motion: k mean(x) = m g - c x(1) - m v(1)
    CHECK_NEAR(x[3], (2 * 9.81 - x[0] - 2 * x[4]) / k, 1e-4 * x0 * w * w);
    CHECK_NEAR(x[5], 1, 0);
  }
  trial_close(&t);
}

// A point that fails has a status; the others do not mind.
static void test_failures_stay_in_their_row(void** state) {
  (void)state;
  td_sweep_options o = td_sweep_options_default();
  trial t = trial_open(mass, "k={0,50,0,100},n={1}", &o);
  assert_int_equal(td_sweep_run(t.sweep, message, sizeof message), TD_OK);
  assert_int_equal(td_sweep_statistics(t.sweep).failed, 2);
  for (int i = 0; i < 4; i++)
    assert_true(isnan(td_sweep_values(t.sweep, i)[0]) == (i % 2 == 0) &&
                (strcmp(td_sweep_status(t.sweep, i), "ok") == 0) == (i % 2 == 1));
  CHECK_NEAR(td_sweep_values(t.sweep, 3)[0], 0.1962, 1e-9);
  trial_close(&t);
}

static void test_what_cannot_be_swept_is_refused(void** state) {
  (void)state;
  static const struct {
    const char *vary, *keep, *says;
    td_sweep_kind what;
  } wrong[] = {
      {"mm=1:2/3", NULL, "no parameter or input 'mm'; did you mean 'm'?", TD_SWEEP_EQUIL},
      {"m=1:20/3", NULL, "'m' has the range [0.1 10], the sweep has 10.5", TD_SWEEP_EQUIL},
      {"F=-9:1/3", NULL, "'F' has the range [-5 5], the sweep has -9", TD_SWEEP_EQUIL},
      {"F={a,b}", NULL, "'F' is an input: its values must be numbers", TD_SWEEP_EQUIL},
      {"m={a,b}", NULL, "'m' is a number in the model, the sweep has the text 'a'", TD_SWEEP_EQUIL},
      {"m=1:2/3", "y", "no sensor, coordinate or result 'y'", TD_SWEEP_EQUIL},
      {"m=1:2/3", "x@max", "@ is for simulations", TD_SWEEP_EQUIL},
      {"m=1:2/3", "x@most", "behind @ stands end, max, min or mean", TD_SWEEP_SIM},
      {"m=1:2/3", "x,x", "'x' is kept twice", TD_SWEEP_SIM},
      {"m=1:2/3", "frequency1", "'frequency1' is a number of 'modes'", TD_SWEEP_SIM},
      {"m=1:2/3", "x,,q1", "empty name", TD_SWEEP_SIM},
  };
  robot r = robot_open(mass);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    td_points* p = td_points_new();
    td_sweep* s = NULL;
    td_sweep_options o = td_sweep_options_default();
    o.keep = wrong[i].keep;
    o.what = wrong[i].what;
    assert_int_equal(td_points_vary(p, wrong[i].vary, message, sizeof message), TD_OK);
    assert_true(td_sweep_new(NULL, r.spec, r.model, p, &o, &s, message, sizeof message) != TD_OK);
    assert_null(s);
    if (!strstr(message, wrong[i].says)) fail_msg("%s: %s", wrong[i].vary, message);
    td_points_free(p);
  }
  robot_close(&r);
}

// The same bits, whatever the number of threads.
static void test_threads_give_the_same_table(void** state) {
  (void)state;
  double one[60];
  for (int threads = 1; threads <= 3; threads++) {
    td_sweep_options o = td_sweep_options_default();
    o.threads = threads;
    o.what = TD_SWEEP_SIM;
    trial t = trial_open(mass, "m=1:3/10,n={1,2,3},F={0,1}", &o);
    assert_int_equal(td_sweep_run(t.sweep, message, sizeof message), TD_OK);
    if (threads == 1) memcpy(one, td_sweep_values(t.sweep, 0), sizeof one);
    assert_memory_equal(one, td_sweep_values(t.sweep, 0), sizeof one);
    trial_close(&t);
  }
}

// ---- the journal --------------------------------------------------------------------------------

static int calls_left;
static bool stop_soon(void* user, double fraction, const char* what) {
  (void)user, (void)fraction, (void)what;
  return calls_left-- > 0;
}

// A sweep is stopped, its last line torn, and it goes on; a journal of another sweep is refused.
static void test_a_stopped_sweep_goes_on(void** state) {
  (void)state;
  char path[] = "/tmp/test_sweep_XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  remove(path);
  td_sweep_options o = td_sweep_options_default();
  o.what = TD_SWEEP_SIM;
  trial whole = trial_open(mass, "m=1:3/40,n={1,2}", &o);
  assert_int_equal(td_sweep_run(whole.sweep, message, sizeof message), TD_OK);

  // stopped after a while: 80 points take longer than one call of progress
  o.journal = path;
  o.progress = stop_soon;
  calls_left = 0;
  trial t = trial_open(mass, "m=1:3/40,n={1,2}", &o);
  const td_status stopped = td_sweep_run(t.sweep, message, sizeof message);
  const int done = td_sweep_statistics(t.sweep).done;
  assert_int_equal(stopped, TD_E_STOPPED);
  assert_string_equal(td_sweep_status(t.sweep, 79), "not computed");
  trial_close(&t);

  // without resume it is refused, by another sweep too
  calls_left = 1 << 30;
  t = trial_open(mass, "m=1:3/40,n={1,2}", &o);
  assert_int_equal(td_sweep_run(t.sweep, message, sizeof message), TD_E_USAGE);
  assert_non_null(strstr(message, "of a sweep that was not finished: --resume"));
  trial_close(&t);
  o.resume = true;
  t = trial_open(mass, "m=1:3/41,n={1,2}", &o);
  assert_int_equal(td_sweep_run(t.sweep, message, sizeof message), TD_E_USAGE);
  assert_non_null(strstr(message, "is of another sweep"));
  trial_close(&t);

  // 5 points, then half a line
  o.resume = true;
  for (int torn = 0; torn < 2; torn++) {
    if (torn) {
      FILE* f = fopen(path, "a");
      fputs("3\t00ff", f);
      fclose(f);
    }
    t = trial_open(mass, "m=1:3/40,n={1,2}", &o);
    assert_int_equal(td_sweep_run(t.sweep, message, sizeof message), TD_OK);
    assert_int_equal(td_sweep_statistics(t.sweep).taken, torn ? 80 : done);
    assert_memory_equal(td_sweep_values(whole.sweep, 0), td_sweep_values(t.sweep, 0),
                        80 * sizeof(double));
    trial_close(&t);
  }

  // a number that the model does not give any more
  FILE* f = fopen(path, "r");
  char head[200];
  assert_non_null(fgets(head, sizeof head, f));
  fclose(f);
  f = fopen(path, "w");
  char line[100] = "0\t3ff0000000000000\tok";
  unsigned long long hash = 0xcbf29ce484222325u;
  for (const char* c = line; *c; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
  fprintf(f, "%s%s\t%016llx\n", head, line, hash);
  fclose(f);
  t = trial_open(mass, "m=1:3/40,n={1,2}", &o);
  assert_int_equal(td_sweep_run(t.sweep, message, sizeof message), TD_E_USAGE);
  assert_non_null(strstr(message, "point 1 has x = 1"));
  trial_close(&t);
  trial_close(&whole);
  remove(path);
}

// ---- processes ----------------------------------------------------------------------------------

// Three processes played by threads: queues of messages.
enum { RANKS = 3, MOST_MESSAGES = 4000 };
typedef struct letter {
  int from, bytes;
  char* data;
} letter;
static struct post {
  pthread_mutex_t lock;
  letter box[RANKS][MOST_MESSAGES];
  int put[RANKS], got[RANKS];
} post = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int post_open(void* self, int* rank, int* size) {
  *rank = *(int*)self;
  *size = RANKS;
  return 0;
}
static int post_send(void* self, int to, const void* data, int bytes) {
  char* copy = malloc((size_t)bytes + 1);
  memcpy(copy, data, (size_t)bytes);
  pthread_mutex_lock(&post.lock);
  require(post.put[to] < MOST_MESSAGES);
  post.box[to][post.put[to]++] = (letter){*(int*)self, bytes, copy};
  pthread_mutex_unlock(&post.lock);
  return 0;
}
static int post_poll(void* self, int* from, int* bytes) {
  const int me = *(int*)self;
  pthread_mutex_lock(&post.lock);
  const bool there = post.got[me] < post.put[me];
  if (there) {
    *from = post.box[me][post.got[me]].from;
    *bytes = post.box[me][post.got[me]].bytes;
  }
  pthread_mutex_unlock(&post.lock);
  return there;
}
static int post_receive(void* self, int from, void* data, int bytes) {
  const int me = *(int*)self;
  pthread_mutex_lock(&post.lock);
  letter* l = &post.box[me][post.got[me]++];
  pthread_mutex_unlock(&post.lock);
  require(l->from == from && l->bytes == bytes);
  memcpy(data, l->data, (size_t)bytes);
  free(l->data);
  return 0;
}
static int post_close(void* self) { return (void)self, 0; }

typedef struct process {
  int rank;
  td_link_table table;
  td_link* link;
  trial t;
  td_status status;
  pthread_t thread;
} process;

static void* process_run(void* user) {
  process* p = user;
  char text[300];
  p->status = td_sweep_run(p->t.sweep, text, sizeof text);
  td_link_close(p->link);
  return NULL;
}

// Three processes give the table of one; one that has another model is left out.
static void test_processes_share_the_points(void** state) {
  (void)state;
  td_sweep_options o = td_sweep_options_default();
  o.what = TD_SWEEP_SIM;
  trial one = trial_open(mass, "m=1:3/60,n={1,2}", &o);
  assert_int_equal(td_sweep_run(one.sweep, message, sizeof message), TD_OK);
  char other[sizeof mass + 40];
  snprintf(other, sizeof other, "%s%% changed", mass);

  for (int strange = 0; strange < 2; strange++) {
    process p[RANKS] = {0};
    memset(post.put, 0, sizeof post.put);
    memset(post.got, 0, sizeof post.got);
    for (int i = 0; i < RANKS; i++) {
      p[i].rank = i;
      p[i].table = (td_link_table){.abi = LINK_ABI,
                                   .self = &p[i].rank,
                                   .open = post_open,
                                   .send = post_send,
                                   .poll = post_poll,
                                   .receive = post_receive,
                                   .close = post_close};
      assert_int_equal(td_link_over(&p[i].table, &p[i].link), TD_OK);
      o.link = p[i].link;
      o.threads = 1 + i % 2;
      p[i].t = trial_open(strange && i == 2 ? other : mass, "m=1:3/60,n={1,2}", &o);
    }
    for (int i = 0; i < RANKS; i++)
      assert_int_equal(pthread_create(&p[i].thread, NULL, process_run, &p[i]), 0);
    for (int i = 0; i < RANKS; i++) pthread_join(p[i].thread, NULL);
    const td_sweep_stats st = td_sweep_statistics(p[0].t.sweep);
    for (int i = 0; i < RANKS; i++) assert_int_equal(p[i].status, TD_OK);
    assert_int_equal(st.done, 120);
    assert_int_equal(st.lost, strange);
    assert_memory_equal(td_sweep_values(one.sweep, 0), td_sweep_values(p[0].t.sweep, 0),
                        120 * sizeof(double));
    for (int i = 0; i < RANKS; i++) trial_close(&p[i].t);
  }
  trial_close(&one);
}

// ---- indices ------------------------------------------------------------------------------------

// Ishigami's function sin a + 7 sin² b + 0.1 c⁴ sin a on [-π, π]³ [ishigami1990]: V = a²/8 + b π⁴/5
// + b² π⁸/18 + 1/2 and so on.  The first-order index of c is 0 and its total is not.
static void test_indices_of_a_known_function(void** state) {
  (void)state;
  static const char text[] =
      "a = param('a', 0, [-pi pi]); b = param('b', 0, [-pi pi]); c = param('c', 0, [-pi pi]);"
      "body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];"
      "joint(1).dof(1).spring.coeff = 1;"
      "sensor(1).name = 'f'; sensor(1).value = sin(a) + 7*sin(b)^2 + 0.1*c^4*sin(a) + "
      "0*dof(joint(1), 1);";
  const double pi = 3.14159265358979323846, A = 7, B = 0.1;
  const double V = A * A / 8 + B * pow(pi, 4) / 5 + B * B * pow(pi, 8) / 18 + 0.5;
  const double V1 = 0.5 * pow(1 + B * pow(pi, 4) / 5, 2), V2 = A * A / 8;
  const double V13 = B * B * pow(pi, 8) * 8 / 225;
  const double exact[2][3] = {{V1 / V, V2 / V, 0}, {(V1 + V13) / V, V2 / V, V13 / V}};

  robot r = robot_open(text);
  td_points* p = td_points_new();
  td_sweep* s;
  td_sweep_options o = td_sweep_options_default();
  o.what = TD_SWEEP_CHECK;
  double first[3], total[3], first_half[3], total_half[3];
  int used;
  assert_int_equal(td_points_over(p, r.model, "a,b,c", message, sizeof message), TD_OK);
  assert_int_equal(td_points_sample(p, TD_SOBOL, 2048, 0, true, message, sizeof message), TD_OK);
  assert_int_equal(td_sweep_new(NULL, r.spec, r.model, p, &o, &s, message, sizeof message), TD_OK);
  assert_int_equal(td_sweep_run(s, message, sizeof message), TD_OK);
  assert_int_equal(td_sweep_indices(s, 0, first, total, first_half, total_half, &used), TD_OK);
  assert_int_equal(used, 2048);
  for (int j = 0; j < 3; j++) {
    // the bootstrap takes the points for independent, so that its intervals are too wide here
    assert_true(fabs(first[j] - exact[0][j]) < 1.5 * first_half[j] + 1e-3);
    assert_true(fabs(total[j] - exact[1][j]) < 1.5 * total_half[j] + 1e-3);
    CHECK_REACHED("first-order index", fabs(first[j] - exact[0][j]), 0.06);
    CHECK_REACHED("total index", fabs(total[j] - exact[1][j]), 0.03);
    assert_true(first_half[j] < 0.15 && total_half[j] < 0.15);
  }
  assert_int_equal(td_sweep_indices(s, 1, first, total, first_half, total_half, &used), TD_E_USAGE);
  td_sweep_free(s);
  td_points_free(p);
  robot_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_kind_of_value_is_set),
      cmocka_unit_test(test_modes_and_motions_are_kept),
      cmocka_unit_test(test_failures_stay_in_their_row),
      cmocka_unit_test(test_what_cannot_be_swept_is_refused),
      cmocka_unit_test(test_threads_give_the_same_table),
      cmocka_unit_test(test_a_stopped_sweep_goes_on),
      cmocka_unit_test(test_processes_share_the_points),
      cmocka_unit_test(test_indices_of_a_known_function),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
