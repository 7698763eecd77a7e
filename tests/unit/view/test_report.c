// Reports: one page, valid data, no way out of the script they are in.
#include <cjson/cJSON.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "tendril/view.h"
#include "view/page.h"

static int enter(void** state) {
  char* path = strdup("/tmp/tendril-test-XXXXXX");
  *state = path;
  return path && mkdtemp(path) && chdir(path) == 0 ? 0 : -1;
}

static int leave(void** state) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", (char*)*state);
  const int failed = chdir("/") != 0 || system(command) != 0;
  free(*state);
  return failed;
}

static char* read_all(const char* path) {
  FILE* f = fopen(path, "rb");
  assert_non_null(f);
  struct stat st;
  assert_int_equal(fstat(fileno(f), &st), 0);
  char* text = calloc(1, (size_t)st.st_size + 1);
  assert_int_equal(fread(text, 1, (size_t)st.st_size, f), (size_t)st.st_size);
  fclose(f);
  return text;
}

static const char hostile[] =
    "% </script><script>alert(1)</script> \xff\xfe <!-- \n"
    "body(1).name = '</script>'; body(1).m = 1; body(1).I = .1*eye(3); body(1).l_com = [0 0 -1];\n"
    "world.g = [0 0 -9.81]; joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; "
    "joint(1).dof(1).init = 1;\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(body(1), [0 0 -1]); par.t_final = 1; par.dt_out "
    "= .1;\n";

typedef struct run {
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state *state, *rest;
  td_trajectory* trajectory;
  td_modes_result* modes;
} run;

static run compute(const char* text) {
  run r = {.spec = td_spec_new()};
  assert_int_equal(td_spec_load_string(r.spec, "<b>.m", text), TD_OK);
  assert_int_equal(td_model_compile(r.spec, &r.model), TD_OK);
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  r.rest = td_state_new(r.model);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  td_state_copy(r.model, r.state, r.rest);
  td_equil_options eo = td_equil_options_default();
  td_equil_result er;
  assert_int_equal(td_equilibrium(r.model, r.work, r.rest, &eo, &er), TD_OK);
  assert_int_equal(td_modes(r.model, r.rest, r.work, &r.modes), TD_OK);
  const td_sim_options so = td_sim_options_default();
  assert_int_equal(td_simulate(r.model, r.work, r.state, &so, &r.trajectory), TD_OK);
  return r;
}

static void forget(run* r) {
  td_trajectory_free(r->trajectory);
  td_modes_free(r->modes);
  td_state_free(r->rest);
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
  td_spec_free(r->spec);
}

static char* report_of(const run* r, bool all) {
  const td_report report = {.size = sizeof(td_report),
                            .spec = r->spec,
                            .model = r->model,
                            .work = r->work,
                            .state = r->state,
                            .rest = all ? r->rest : NULL,
                            .modes = all ? r->modes : NULL,
                            .trajectory = all ? r->trajectory : NULL,
                            .title = "<title>",
                            .summary = all ? "{\"command\": \"tendril sim '</script>'\"}" : NULL};
  td_files* files;
  char message[200];
  assert_int_equal(td_files_open("out", &files, message, sizeof message), TD_OK);
  assert_int_equal(td_report_write(files, "report.html", &report), TD_OK);
  assert_int_equal(td_files_commit(files), TD_OK);
  td_files_close(files);
  return read_all("out/report.html");
}

static cJSON* data_of(const char* page) {
  size_t n;
  const char* data = td_page_data(page, &n);
  assert_non_null(data);
  cJSON* json = cJSON_ParseWithLength(data, n);
  assert_non_null(json);
  return json;
}

static int count(const char* text, const char* what) {
  int n = 0;
  for (const char* at = text; (at = strstr(at, what)); at++) n++;
  return n;
}

static void a_report_holds_everything_that_was_computed(void** state) {
  (void)state;
  run r = compute(hostile);
  char* page = report_of(&r, true);
  cJSON* json = data_of(page);
  static const char* const parts[] = {"scene",       "still",   "motion",    "plots",
                                      "equilibrium", "modes",   "summary",   "sources",
                                      "title",       "version", "understood"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    assert_non_null(cJSON_GetObjectItem(json, parts[i]));
  const cJSON* motion = cJSON_GetObjectItem(json, "motion");
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(motion, "t")), 11);
  assert_int_equal(cJSON_GetObjectItem(cJSON_GetObjectItem(motion, "frames"), "rows")->valueint,
                   11);
  cJSON_Delete(json);
  free(page);
  forget(&r);
}

// Names, comments and commands that would end the script do not: the page has the scripts it was
// built with.
static void hostile_names_do_not_leave_the_data(void** state) {
  (void)state;
  run r = compute(hostile);
  char* page = report_of(&r, true);
  assert_int_equal(count(page, "</script>"), count(td_page_text, "</script>"));
  assert_null(strstr(page, "<script>alert"));
  free(page);
  forget(&r);
}

static void a_model_that_was_only_loaded_has_a_report(void** state) {
  (void)state;
  run r = compute(hostile);
  char* page = report_of(&r, false);
  cJSON* json = data_of(page);
  assert_null(cJSON_GetObjectItem(json, "motion"));
  assert_null(cJSON_GetObjectItem(json, "modes"));
  cJSON_Delete(json);
  free(page);
  forget(&r);
}

// The page alone is below 1 MB, loads nothing and is ASCII.
static void the_page_is_self_contained(void** state) {
  (void)state;
  const size_t n = strlen(td_page_text);
  assert_true(n > 100000 && n < 1000000);
  for (size_t i = 0; i < n; i++) assert_true((unsigned char)td_page_text[i] < 127);
  static const char* const outside[] = {"src=\"http", "href=\"http", "@import", "url(http"};
  for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
    assert_null(strstr(td_page_text, outside[i]));
  assert_non_null(strstr(td_page_text, "default-src 'none'"));
}

static void a_report_moves_into_a_newer_page(void** state) {
  (void)state;
  char* page;
  assert_int_equal(td_report_renew("<html><body>no data</body></html>", &page), TD_E_SYNTAX);
  assert_null(page);
  assert_int_equal(
      td_report_renew("<old><script id=\"data\" type=\"application/json\">{\"x\":1}</script>",
                      &page),
      TD_OK);
  assert_non_null(strstr(page, "{\"x\":1}</script>"));
  assert_int_equal(strlen(page), strlen(td_page_text) + strlen("{\"x\":1}") - strlen("null"));
  free(page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_report_holds_everything_that_was_computed, enter, leave),
      cmocka_unit_test_setup_teardown(hostile_names_do_not_leave_the_data, enter, leave),
      cmocka_unit_test_setup_teardown(a_model_that_was_only_loaded_has_a_report, enter, leave),
      cmocka_unit_test(the_page_is_self_contained),
      cmocka_unit_test(a_report_moves_into_a_newer_page),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
