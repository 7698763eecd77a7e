// The code in README.md and docs/*.md works.  Blocks are
//
//   ```matlab           loads; when it has bodies and joints, or rods, it compiles and has
//                       accelerations, too
//   ```matlab fragment  loads only: it refers to things written elsewhere
//   ```matlab error     is refused with exactly the messages of the ```text block that follows
#include <dirent.h>

#include "check.h"
#include "engine/engine.h"
#include "model/spec.h"

static const char fence[] = "```";

static void read_file(const char* path, td_text* text) {
  FILE* file = fopen(path, "rb");
  if (!file) fail_msg("cannot read %s", path);
  char block[4096];
  for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) td_text_addn(text, block, (int)n);
  td_text_add(text, "");
  fclose(file);
}

// A fenced block: what stands behind the opening fence, and the text up to the closing one.
typedef struct block {
  char info[32];
  char* text;
  const char* after;  // NULL: there was none
} block;

static block next_block(const char* from) {
  block b = {.text = NULL};
  const char* open = strncmp(from, fence, 3) == 0 ? from : strstr(from, "\n```");
  if (!open) return b;
  open += *open == '\n';
  const char* start = strchr(open, '\n');
  const char* close = start ? strstr(start, "\n```") : NULL;
  if (!close) fail_msg("a block without end: %.40s", open);
  snprintf(b.info, sizeof b.info, "%.*s", (int)(start - open - 3), open + 3);
  const size_t n = (size_t)(close - start);
  b.text = calloc(1, n + 2);
  assert_non_null(b.text);
  memcpy(b.text, start + 1, close == start ? 0 : n);
  b.after = close + 4;
  return b;
}

static bool defines_model(const char* text) {
  return strstr(text, "rod(1).length") ||
         (strstr(text, "body(") && strstr(text, "joint(") && strstr(text, ".second"));
}

static void check_accelerations(const td_model* m, const char* where) {
  td_work* w = td_work_new(m);
  td_state* state = td_state_new(m);
  assert_true(w && state);
  if (td_state_initial(m, w, state) != TD_OK || td_forward_dynamics(m, state, w) != TD_OK)
    fail_msg("%s: no motion", where);
  td_state_free(state);
  td_work_free(w);
}

static void check_good(const char* text, bool fragment, const char* where) {
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  td_status status = td_spec_load_string(spec, "model.m", text);
  if (status == TD_OK && !fragment && defines_model(text)) status = td_model_compile(spec, &model);
  if (status != TD_OK) fail_msg("%s:\n%s\n%s", where, text, td_spec_messages(spec));
  if (model) check_accelerations(model, where);
  td_model_free(model);
  td_spec_free(spec);
}

static void check_refused(const char* text, const char* want, const char* where) {
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  td_spec_load_string(spec, "model.m", text);
  td_model_compile(spec, &model);
  assert_null(model);
  const char* got = td_spec_messages(spec);
  if (strcmp(got, want) != 0)
    fail_msg("%s:\n%s\ngives\n%s\nbut the page says\n%s", where, text, got, want);
  td_spec_free(spec);
}

// The number of blocks of model text in a page.
static int check_page(const char* path) {
  td_text page = {0};
  read_file(path, &page);
  int n = 0;
  for (block b = next_block(page.s); b.text;) {
    block next = next_block(b.after);
    if (strncmp(b.info, "matlab", 6) == 0) {
      n++;
      if (strcmp(b.info, "matlab error") == 0) {
        assert_string_equal(next.info, "text");
        check_refused(b.text, next.text, path);
      } else {
        check_good(b.text, strcmp(b.info, "matlab fragment") == 0, path);
      }
    }
    free(b.text);
    b = next;
  }
  td_text_free(&page);
  return n;
}

static void the_readme_works(void** state) {
  (void)state;
  assert_true(check_page(TEST_SOURCE_DIR "/README.md") > 0);
}

static void every_page_works(void** state) {
  (void)state;
  int n = 0;
  DIR* dir = opendir(TEST_SOURCE_DIR "/docs");
  assert_non_null(dir);
  for (struct dirent* entry; (entry = readdir(dir));) {
    char path[512];
    const char* end = strrchr(entry->d_name, '.');
    if (!end || strcmp(end, ".md") != 0) continue;
    snprintf(path, sizeof path, "%s/docs/%s", TEST_SOURCE_DIR, entry->d_name);
    n += check_page(path);
  }
  closedir(dir);
  assert_true(n > 15);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_readme_works),
                                     cmocka_unit_test(every_page_works)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
