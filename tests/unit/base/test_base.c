// Memory, text, files and names.
#include "base/file.h"
#include "tendril/tools.h"

#include <limits.h>
#include <unistd.h>

#include "check.h"

static void test_every_status_has_its_own_text(void** state) {
  (void)state;
  for (int i = 0; i < TD_STATUS_COUNT; i++) {
    assert_non_null(td_status_text((td_status)i));
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(td_status_text((td_status)i), td_status_text((td_status)j));
    }
  }
  assert_string_equal(td_status_text(TD_OK), "success");
  assert_non_null(td_status_text((td_status)1000));
}

static void test_the_version_has_three_numbers(void** state) {
  (void)state;
  int major, minor, patch;
  assert_int_equal(sscanf(td_version(), "%d.%d.%d", &major, &minor, &patch), 3);
}

static void test_growing_keeps_what_was_there(void** state) {
  (void)state;
  int* block = NULL;
  int cap = 0;
  for (int i = 0; i < 10000; i++) {
    int* grown = td_grow(block, &cap, i + 1, sizeof *block);
    assert_non_null(grown);
    block = grown;
    block[i] = i;
  }
  for (int i = 0; i < 10000; i++) assert_int_equal(block[i], i);
  assert_true(cap >= 10000 && cap < 40000);
  assert_ptr_equal(td_grow(block, &cap, 5, sizeof *block), block);
  free(block);
}

static void test_growing_beyond_memory_fails_and_leaves_the_block(void** state) {
  (void)state;
  int cap = 0;
  char* block = td_grow(NULL, &cap, 3, 1);
  assert_non_null(block);
  const int before = cap;
  assert_null(td_grow(block, &cap, INT_MAX, SIZE_MAX / 2));
  assert_null(td_grow(block, &cap, -1, 1));
  assert_int_equal(cap, before);
  free(block);
}

static void test_copies_end_with_zero(void** state) {
  (void)state;
  char* a = td_strndup("spring", 3);
  char* b = td_strdup("");
  char* c = td_strndup(NULL, 0);
  assert_string_equal(a, "spr");
  assert_string_equal(b, "");
  assert_string_equal(c, "");
  free(a), free(b), free(c);
}

static void test_text_is_the_sum_of_its_parts(void** state) {
  (void)state;
  td_text text = {0};
  for (int i = 0; i < 1000; i++) {
    td_text_add(&text, "ab");
    td_text_addn(&text, "cdef", 1);
    td_text_printf(&text, "%03d", i);
  }
  assert_false(text.failed);
  assert_int_equal(text.n, 6000);
  assert_int_equal(strlen(text.s), 6000);
  assert_memory_equal(text.s + 6 * 123, "abc123", 6);
  td_text_free(&text);
  assert_null(text.s);
}

static void test_text_failure_is_sticky(void** state) {
  (void)state;
  td_text text = {0};
  td_text_addn(&text, "", -1);
  assert_true(text.failed);
  td_text_add(&text, "more");
  assert_true(text.failed);
  assert_int_equal(text.n, 0);
  td_text_free(&text);
}

static void random_word(uint64_t* seed, char* word) {
  const int n = (int)(3 + 3 * check_random(seed));
  for (int i = 0; i < n; i++) word[i] = check_random(seed) < 0 ? 'a' : 'b';
  word[n] = '\0';
}

// d(i,j) by the definition, without band or limit
static int plain_distance(const char* a, const char* b) {
  int d[8][8];
  const int na = (int)strlen(a), nb = (int)strlen(b);
  for (int i = 0; i <= na; i++) {
    for (int j = 0; j <= nb; j++) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = min_int(d[i - 1][j], d[i][j - 1]) + 1;
      d[i][j] = min_int(d[i][j], d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = min_int(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[na][nb];
}

static void test_the_band_gives_the_distance_up_to_its_limit(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 5000; i++) {
    char a[8], b[8];
    random_word(&seed, a);
    random_word(&seed, b);
    const int d = plain_distance(a, b);
    for (int limit = 0; limit <= 20; limit++) {
      assert_int_equal(td_edit_distance(a, b, limit), min_int(d, limit + 1));
      assert_int_equal(td_edit_distance(b, a, limit), min_int(d, limit + 1));
    }
  }
}

static void test_a_misspelled_name_finds_its_neighbour(void** state) {
  (void)state;
  const char* const names[] = {"spring", "damp", "input", "x", "mass"};
  assert_string_equal(td_nearest("sprng", names, 5), "spring");
  assert_string_equal(td_nearest("dmap", names, 5), "damp");
  assert_string_equal(td_nearest("inputs", names, 5), "input");
  // of equally near names the one that begins alike, then the one of the same length
  const char* const equal[] = {"K_chi", "fu_chi", "nd", "i", "ih"};
  assert_string_equal(td_nearest("f_chi", equal, 5), "fu_chi");
  assert_string_equal(td_nearest("id", equal, 5), "ih");
  assert_null(td_nearest("gravity", names, 5));
  assert_null(td_nearest("y", names, 5));
  assert_null(td_nearest("", names, 5));
  assert_null(td_nearest("spring", NULL, 0));
}

// The table in docs/errors.md is the list of tendril.h.
static void test_the_page_of_errors_has_every_status(void** state) {
  (void)state;
  static const struct {
    const char *name, *text;
  } list[] = {
#define X(name, text) {"TD_" #name, text},
      TD_STATUS_LIST(X)
#undef X
  };
  char page[8192], row[256];
  FILE* f = fopen(TEST_SOURCE_DIR "/docs/errors.md", "r");
  assert_non_null(f);
  const size_t n = fread(page, 1, sizeof page - 1, f);
  fclose(f);
  page[n] = '\0';
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    snprintf(row, sizeof row, "| `%s` | %s |", list[i].name, list[i].text);
    if (!strstr(page, row)) fail_msg("docs/errors.md lacks: %s", row);
  }
}

// ---- files --------------------------------------------------------------------------------------

static void test_whole_regular_files_are_read_within_their_limit(void** state) {
  (void)state;
  char path[] = "/tmp/tendril_base_XXXXXX", *text = NULL;
  const int descriptor = mkstemp(path);
  assert_true(descriptor >= 0 && write(descriptor, "a\0b", 3) == 3);
  close(descriptor);
  size_t n = 0;
  const char* why;
  assert_int_equal(td_file_read(path, 3, &text, &n, &why), TD_OK);
  assert_int_equal(n, 3);
  assert_memory_equal(text, "a\0b", 4);
  free(text);
  assert_int_equal(td_file_read(path, 2, &text, &n, &why), TD_E_IO);
  assert_true(text == NULL && why == NULL);
  assert_int_equal(td_file_read("/tmp", 2, &text, &n, &why), TD_E_IO);
  assert_string_equal(why, "it is not a file");
  remove(path);
  assert_int_equal(td_file_read(path, 2, &text, &n, &why), TD_E_IO);
  assert_non_null(why);
}

static void test_a_stream_is_read_to_its_end_or_beyond_the_limit(void** state) {
  (void)state;
  FILE* f = tmpfile();
  assert_non_null(f);
  for (int i = 0; i < 300000; i++) fputc('x', f);
  for (int k = 0; k < 2; k++) {
    rewind(f);
    size_t n = 0;
    char* text = td_stream_read(f, k == 0 ? SIZE_MAX : 1000, &n);
    assert_true(k == 0 ? n == 300000 : n >= 1000);
    assert_int_equal(strlen(text), n);
    free(text);
  }
  fclose(f);
}

static void test_a_name_is_beside_another_file_unless_it_begins_at_the_root(void** state) {
  (void)state;
  const char* const names[][3] = {
      {"a/b/c.m", "d.m", "a/b/d.m"}, {"c.m", "d.m", "d.m"}, {"a/c.m", "/d.m", "/d.m"}};
  for (int i = 0; i < 3; i++) {
    char* path = td_file_beside(names[i][0], names[i][1]);
    assert_string_equal(path, names[i][2]);
    free(path);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole_regular_files_are_read_within_their_limit),
      cmocka_unit_test(test_a_stream_is_read_to_its_end_or_beyond_the_limit),
      cmocka_unit_test(test_a_name_is_beside_another_file_unless_it_begins_at_the_root),
      cmocka_unit_test(test_every_status_has_its_own_text),
      cmocka_unit_test(test_the_page_of_errors_has_every_status),
      cmocka_unit_test(test_the_version_has_three_numbers),
      cmocka_unit_test(test_growing_keeps_what_was_there),
      cmocka_unit_test(test_growing_beyond_memory_fails_and_leaves_the_block),
      cmocka_unit_test(test_copies_end_with_zero),
      cmocka_unit_test(test_text_is_the_sum_of_its_parts),
      cmocka_unit_test(test_text_failure_is_sticky),
      cmocka_unit_test(test_the_band_gives_the_distance_up_to_its_limit),
      cmocka_unit_test(test_a_misspelled_name_finds_its_neighbour),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
