// No input can hurt: whatever the text, loading and compiling end in bounded time and memory with
// success or a message.
#include <ctype.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "model/spec.h"
#include "robots.h"

static const char pendulum[] =
    "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr(1).rot = [2 inf];\n";

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Three evaluations of a model at different states: they may fail, but not harm.
static void evaluate(const td_model* m) {
  td_work* w = td_work_new(m);
  td_state* state = td_state_new(m);
  if (w && state) {
    td_state_initial(m, w, state);
    for (int k = 0; k < 3; k++) {
      td_forward_dynamics(m, state, w);
      for (int i = 0; i < td_model_sizes(m).nv; i++) state->v[i] += 0.3;
      td_displace(m, state->q, state->v, state->q);
      state->t += 0.1;
    }
  }
  td_state_free(state);
  td_work_free(w);
}

// Load and compile; success or a message, never both and never neither.
static td_status survive(const char* text, const td_limits* limits, bool run) {
  td_spec* spec = td_spec_new();
  assert_non_null(spec);
  if (limits) spec->limits = *limits;
  td_model* model = NULL;
  td_spec_load_string(spec, "hostile.m", text);
  const td_status status = td_model_compile(spec, &model);
  assert_int_equal(status == TD_OK, model != NULL);
  if (status != TD_OK && td_spec_error_count(spec) == 0) assert_int_equal(status, TD_E_NOMEM);
  if (status == TD_OK) assert_int_equal(td_spec_error_count(spec), 0);
  assert_non_null(td_spec_messages(spec));
  if (model && run) evaluate(model);
  td_model_free(model);
  td_spec_free(spec);
  return status;
}

// ---- what a text may cost ---------------------------------------------------------------------

// A text of `n` repetitions between a head and a tail.
static char* repeated(const char* head, const char* part, int n, const char* tail) {
  const size_t a = strlen(head), b = strlen(part), c = strlen(tail);
  char* text = malloc(a + b * (size_t)n + c + 1);
  assert_non_null(text);
  memcpy(text, head, a);
  for (int i = 0; i < n; i++) memcpy(text + a + b * (size_t)i, part, b);
  memcpy(text + a + b * (size_t)n, tail, c + 1);
  return text;
}

typedef struct attack {
  const char* what;
  const char* text;
  const char* message;  // part of it; NULL: it is a good model
} attack;

static const attack attacks[] = {
    {"an endless loop", "while true, end", "endless loop"},
    {"a long loop", "for i = 1:1e15, end", "endless loop"},
    {"loops in loops", "for i = 1:1e7, for j = 1:1e7, end, end", "endless loop"},
    {"recursion", "function y = f(x)\n y = f(x);\nend\nz = f(1);", "more than 100 deep"},
    {"a function called with itself", "f = @(g) g(g); f(f);", "more than 100 deep"},
    {"an exponential recursion",
     "function y = f(x)\n if x < 2, y = 1; else y = f(x-1) + f(x-2); end\nend\nz = f(60);",
     "endless loop"},
    {"a huge matrix", "x = zeros(1e9, 1);", "larger than the limit"},
    {"a huge range", "x = 1:1e12;", "larger than the limit"},
    {"a huge index", "x(1e9) = 1;", "larger than the limit"},
    {"a matrix that doubles", "x = 1; for i = 1:60, x = repmat(x, 2, 2); end",
     "larger than the limit"},
    {"a matrix that grows", "x = ones(1e6, 1); y = x; for i = 1:50, y = [y x]; end",
     "endless loop"},
    {"a product of large matrices", "x = ones(3000); y = x*x;", "endless loop"},
    {"a string that doubles", "s = 'a'; for i = 1:100, s = [s s]; end", "a string of more than"},
    {"a string that grows", "s = ''; while true, s = [s 'abcdefgh']; end", "endless loop"},
    {"a text that is formatted again",
     "s = ''; while true, s = sprintf('%s%s', s, 'abcdefghijk'); end", "endless loop"},
    {"a wide format", "x = sprintf('%1000000000d', 1);", "width or precision"},
    {"much output", "s = repmat('hello ', 1, 20); while true, disp(s); end", "prints more than"},
    {"structures in structures", "x.a = 1; for i = 1:100000, y = x; x = struct(); x.a = y; end",
     "nested deeper"},
    {"cells in cells", "c = {1}; for i = 1:1000000, c = {c}; end", "nested deeper"},
    {"many fields", "x = struct(); for i = 1:100000, x.(sprintf('f%d', i)) = i; end",
     "endless loop"},
    {"one body of many", "body(20000000).m = 1;", "it may have 300000"},
    {"many elements",
     "body(1).m = 1; joint(1).second = [1 1:400000]; joint(1).tr.trans = [0 0 inf];",
     "names element 300001"},
    {"many DOFs",
     "body(1).m = 1; joint(1).second = 1; for i = 1:2000, joint(1).tr(i).trans = [inf inf inf]; "
     "end",
     "need a dense matrix: it may have 3000"},
    {"DOFs that are not there", "body(1).m = 1; joint(1).second = 1; joint(1).dof(1e7).init = 1;",
     "joint(1).dof has 10000000 elements, it may have 3000"},  // lists inside an element
    {"a chain of fixed bodies",
     "for i = 1:9000, body(i).m = 1; body(i).I = eye(3); joint(i).first = i-1; joint(i).second = "
     "i; joint(i).tr.trans = [0 0 1]; end",
     "too many bodies are fixed to each other"},
    {"a rod of many segments",
     "rod(1).length = 1; rod(1).radius = .1; rod(1).E = 1; rod(1).rho = 1; rod(1).n = 1e15;",
     "may have 2000000 degrees of freedom"},
    {"a polynomial of high order",
     "rod(1).length = 1; rod(1).radius = .1; rod(1).E = 1; rod(1).rho = 1; rod(1).model = 'rom'; "
     "rod(1).n = 400;",
     "the polynomial order is at most"},
    {"many points along a rod",
     "rod(1).length = 1; rod(1).radius = .1; rod(1).E = 1; rod(1).rho = 1; rod(1).model = 'rom'; "
     "rod(1).points = 1e15;",
     "points"},
    {"sensors beyond the model", "body(1).m = 1; x = 0; for i = 1:20000, x = x + q(i); end",
     "endless loop"},
};

static void check_attack(const attack* a) {
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  // the whole work takes up to 2 s, a quarter of it shows the same sooner
  if (a->message && strcmp(a->message, "endless loop") == 0)
    spec->limits.work /= CHECK_SANITIZED ? 10 : 4;
  const double start = cpu();
  td_spec_load_string(spec, "hostile.m", a->text);
  const td_status status = td_model_compile(spec, &model);
  const double used = cpu() - start;
  if (!CHECK_SANITIZED && used > 10) fail_msg("%s: %.2f s", a->what, used);
  if ((status == TD_OK) != (a->message == NULL))
    fail_msg("%s: %s", a->what, td_spec_messages(spec));
  if (a->message && !strstr(td_spec_messages(spec), a->message))
    fail_msg("%s: %s", a->what, td_spec_messages(spec));
  td_model_free(model);
  td_spec_free(spec);
}

static void greedy_texts_are_stopped_with_a_message(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) check_attack(&attacks[i]);
}

static void long_texts_are_read_or_refused(void** state) {
  (void)state;
  const struct {
    const char *head, *part, *tail;
    int n;
    const char* message;
  } texts[] = {
      {"", "(", "", 10000000, "nested too deeply"},
      {"", "x = 1;\n", "", 1400000, "too long"},
      {"x = [", "1 ", "];", 5000000, "too long"},
      {"x = 1", "+1", ";", 5000000, "too long"},
      {"x = ", "[", "", 1000000, "nested too deeply"},
      {"x = ", "{", "", 1000000, "nested too deeply"},
      {"x", ".a", " = 1;", 1000000, "too long"},
      {"x = '", "abcdefgh", "';", 1250000, NULL},
      {"% ", "abcdefgh", "", 1250000, NULL},
      {"", "x = nothing_here;\n", "", 100000, "unknown name"},
      {"", "%{\n", "", 500000, "no end"},
      {"", "'", "", 9999999, "no closing quote"},
      {"", "\x01\xff", "", 100000, "control character"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char* text = repeated(texts[i].head, texts[i].part,
                          CHECK_SANITIZED ? texts[i].n / 10 : texts[i].n, texts[i].tail);
    const attack a = {texts[i].part, text, texts[i].message ? texts[i].message : "no body"};
    if (CHECK_SANITIZED) {
      survive(text, NULL, false);
    } else {
      check_attack(&a);
    }
    free(text);
  }
}

// x <- x² + x, two hundred times: 400 nodes that would be 2^200 terms
static void expressions_that_double_stay_small(void** state) {
  (void)state;
  char text[1024];
  snprintf(text, sizeof text,
           "%sx = t; for i = 1:200, x = x*x + x; end\njoint(1).dof(1).spring.coeff = x;\n",
           pendulum);
  assert_int_equal(survive(text, NULL, true), TD_OK);
  snprintf(text, sizeof text,
           "%sx = dof(joint(1), 1); for i = 1:200, x = x*x + x; end\njoint(1).dof(1).spring.coeff "
           "= x;\n",
           pendulum);
  assert_int_equal(survive(text, NULL, true), TD_OK);
  snprintf(text, sizeof text,
           "%sx = 0; for i = 1:3000, x = x + sin(pos(body(1), [i 0 0])(1)); end\n"
           "for i = 1:500, sensor(i).name = sprintf('s%%d', i); sensor(i).value = x*i; end\n",
           pendulum);
  const attack many = {"many derivatives", text, "too long to differentiate"};
  check_attack(&many);
  const attack where = {"many derivatives, placed", text, "sensor(i).value = x*i"};
  check_attack(&where);
}

// ---- files ------------------------------------------------------------------------------------

static char folder[64];

static void path_in(const char* name, char* path, size_t size) {
  snprintf(path, size, "%s/%s", folder, name);
}

static void write_file(const char* name, const char* text, size_t n) {
  char path[128];
  path_in(name, path, sizeof path);
  FILE* f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, n, f), n);
  fclose(f);
}

static void check_file(const char* name, const char* message) {
  char path[128];
  path_in(name, path, sizeof path);
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  td_spec_load_file(spec, path);
  td_model_compile(spec, &model);
  assert_null(model);
  if (!strstr(td_spec_messages(spec), message)) fail_msg("%s: %s", name, td_spec_messages(spec));
  td_spec_free(spec);
  remove(path);
}

static void files_that_are_no_models_are_refused(void** state) {
  (void)state;
  char bytes[65536], path[128];
  uint64_t seed = 5;
  snprintf(folder, sizeof folder, "hostile_XXXXXX");
  assert_non_null(mkdtemp(folder));
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(int)(128 * check_random(&seed));
  write_file("bytes.m", bytes, sizeof bytes);
  check_file("bytes.m", "error:");
  memset(bytes, 0, sizeof bytes);
  write_file("zeros.m", bytes, sizeof bytes);
  check_file("zeros.m", "error:");

  // circles
  write_file("a.m", "include('b.m');", 15);
  write_file("b.m", "include('a.m');", 15);
  check_file("a.m", "in a circle");
  check_file("b.m", "cannot read");
  write_file("self.m", "include('self.m');", 18);
  check_file("self.m", "in a circle");
  write_file("empty.m", "", 0);
  write_file("many.m", "for i = 1:1e6, include('empty.m'); end", 38);
  check_file("many.m", "takes too long");
  check_file("empty.m", "no body");

  // things that are not files
  check_file("missing.m", "cannot read");
  write_file("folder.m", "include('.');", 13);
  check_file("folder.m", "cannot read");
  path_in("pipe.m", path, sizeof path);
  assert_int_equal(mkfifo(path, 0600), 0);
  write_file("wait.m", "include('pipe.m');", 18);
  check_file("wait.m", "not a file");
  write_file("wait.m", "x = table('pipe.m');", 20);
  check_file("wait.m", "cannot read");
  remove(path);
  // nothing else is left there: no model writes a file
  assert_int_equal(rmdir(folder), 0);
}

// ---- broken models ----------------------------------------------------------------------------

static const td_limits small = {.work = 200000,
                                .memory = 64 << 20,
                                .bodies = 200,
                                .dofs = 60,
                                .dense = 60,
                                .parts = 2000,
                                .nodes = 200};

static void every_beginning_of_a_model_is_survived(void** state) {
  (void)state;
  for (int r = 0; r < ROBOT_COUNT; r++) {
    const size_t n = strlen(robot_texts[r]);
    char* text = malloc(n + 1);
    assert_non_null(text);
    for (size_t k = 0; k < n; k += CHECK_SANITIZED ? 7 : 1) {
      memcpy(text, robot_texts[r], k);
      text[k] = '\0';
      survive(text, &small, false);
    }
    free(text);
  }
}

static char* read_model(const char* name) {
  char path[256];
  snprintf(path, sizeof path, "%s/models/%s", TEST_SOURCE_DIR, name);
  FILE* f = fopen(path, "rb");
  assert_non_null(f);
  char* text = calloc(1, 65536);
  assert_non_null(text);
  assert_true(fread(text, 1, 65535, f) > 0);
  fclose(f);
  return text;
}

static int pick(uint64_t* seed, int n) { return (int)(0.5 * (check_random(seed) + 1) * n); }

// Replace, remove or double some bytes.
static void mutate_bytes(char* text, size_t room, uint64_t* seed) {
  for (int k = pick(seed, 4); k >= 0; k--) {
    const int n = (int)strlen(text), at = pick(seed, n),
              length = min_int(1 + pick(seed, 12), n - at);
    switch (pick(seed, 4)) {
      case 0:
        text[at] = (char)(1 + pick(seed, 255));
        break;
      case 1:
        text[at] = "()[]{},;:.='\"%\n0129-+*/^ einf"[pick(seed, 30)];
        break;
      case 2:
        memmove(text + at, text + at + length, (size_t)(n - at - length) + 1);
        break;
      default:
        if ((size_t)(n + length) < room)
          memmove(text + at + length, text + at, (size_t)(n - at) + 1);
        break;
    }
  }
}

static bool in_word(char c) { return c == '_' || isalnum((unsigned char)c); }

static int word_end(const char* text, int at) {
  int n = 0;
  while (in_word(text[at + n])) n++;
  return at + max_int(n, 1);
}

// Put another word or number where one was.
static void mutate_words(char* text, size_t room, uint64_t* seed) {
  static const char* const words[] = {"0",
                                      "-1",
                                      "1",
                                      "2",
                                      "7",
                                      "inf",
                                      "nan",
                                      "1e300",
                                      "1e-300",
                                      "[]",
                                      "[1 1:3]",
                                      "t",
                                      "''",
                                      "'free'",
                                      "'fixed'",
                                      "body(1)",
                                      "joint(2)",
                                      "at(body(1), 2)",
                                      "q(1)",
                                      "eye(3)",
                                      "zeros(6)",
                                      "ones(1,6)",
                                      "spring",
                                      "damp",
                                      "fixed",
                                      "type",
                                      "second",
                                      "first",
                                      "equal2",
                                      "motion",
                                      "rot",
                                      "trans",
                                      "axis",
                                      "refbody",
                                      "[inf inf inf inf]",
                                      "[0 inf inf inf]",
                                      "pi"};
  for (int k = pick(seed, 3); k >= 0; k--) {
    int at = pick(seed, (int)strlen(text));
    while (at > 0 && in_word(text[at - 1])) at--;
    const int end = word_end(text, at), n = (int)strlen(text);
    const char* word = words[pick(seed, (int)(sizeof words / sizeof *words))];
    const size_t length = strlen(word);
    if (end > n || (size_t)n + length >= room) continue;
    memmove(text + at + length, text + end, (size_t)(n - end) + 1);
    memcpy(text + at, word, length);
  }
}

static void random_changes_of_models_are_survived(void** state) {
  (void)state;
  char* files[] = {read_model("pendulum.m"), read_model("four_bar.m")};
  uint64_t seed = 2024;
  const size_t room = 8192;
  char* text = malloc(room);
  assert_non_null(text);
  int good = 0;
  for (int i = 0; i < 2000; i++) {
    const int which = i % (ROBOT_COUNT + 2);
    const char* from = which < ROBOT_COUNT ? robot_texts[which] : files[which - ROBOT_COUNT];
    snprintf(text, room, "%s", from);
    if (i & 8) mutate_bytes(text, room, &seed);
    if (!(i & 8) || (i & 16)) mutate_words(text, room, &seed);
    good += survive(text, &small, true) == TD_OK;
  }
  print_message("%d harmless\n", good);
  assert_true(good > 50);  // some changes are harmless: the engine is reached
  free(text);
  for (int i = 0; i < 2; i++) free(files[i]);
}

int main(void) {
  // two gigabytes are enough for every attack; the sanitizer's shadow memory is larger
  const struct rlimit memory = {(rlim_t)2 << 30, (rlim_t)2 << 30};
  if (!CHECK_SANITIZED) setrlimit(RLIMIT_AS, &memory);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(greedy_texts_are_stopped_with_a_message),
      cmocka_unit_test(long_texts_are_read_or_refused),
      cmocka_unit_test(expressions_that_double_stay_small),
      cmocka_unit_test(files_that_are_no_models_are_refused),
      cmocka_unit_test(every_beginning_of_a_model_is_survived),
      cmocka_unit_test(random_changes_of_models_are_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
