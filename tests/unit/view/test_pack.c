// Packed numbers and JSON texts: what is read back is what was written.
#include <cjson/cJSON.h>

#include "check.h"
#include "view/pack.h"
#include "view/text_json.h"

// RFC 4648, section 10
static void bytes_become_base64(void** state) {
  (void)state;
  static const char* const vectors[][2] = {{"", "\"\""},
                                           {"f", "\"Zg==\""},
                                           {"fo", "\"Zm8=\""},
                                           {"foo", "\"Zm9v\""},
                                           {"foob", "\"Zm9vYg==\""},
                                           {"fooba", "\"Zm9vYmE=\""},
                                           {"foobar", "\"Zm9vYmFy\""}};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    td_text out = {0};
    td_json_bytes(&out, vectors[i][0], strlen(vectors[i][0]));
    assert_string_equal(out.s, vectors[i][1]);
    td_text_free(&out);
  }
}

// Every byte a file may hold, in strings: valid JSON, the same text again, and no end of a script.
static void strings_of_any_bytes_are_safe(void** state) {
  (void)state;
  char all[256];
  for (int i = 0; i < 255; i++) all[i] = (char)(i + 1);
  all[255] = '\0';
  const char* const list[] = {all, "</script><!--", "a\\\"b", "\xc3\xa9\xe2\x82\xac",
                              "\xed\xa0\x80"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    td_text out = {0};
    td_json_string(&out, list[i]);
    assert_null(strchr(out.s, '<'));
    cJSON* back = cJSON_Parse(out.s);
    assert_true(cJSON_IsString(back));
    if (i > 0 && i < 4) assert_string_equal(back->valuestring, list[i]);
    cJSON_Delete(back);
    td_text_free(&out);
  }
}

static void json_that_is_passed_on_keeps_its_meaning(void** state) {
  (void)state;
  td_text out = {0};
  td_json_raw(&out, "{\"a<b\": [1, 2], \"c\": \"</script>\"}");
  assert_null(strchr(out.s, '<'));
  cJSON* back = cJSON_Parse(out.s);
  assert_string_equal(cJSON_GetObjectItem(back, "c")->valuestring, "</script>");
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(back, "a<b")), 2);
  cJSON_Delete(back);
  td_text_free(&out);
}

static void numbers_that_json_lacks_are_null(void** state) {
  (void)state;
  const double x[] = {1.5, NAN, INFINITY, -2e-300};
  td_text out = {0};
  td_text_add(&out, "{");
  td_json_numbers(&out, "x", x, 4);
  td_text_add(&out, "}");
  assert_string_equal(out.s, "{\"x\":[1.5,null,null,-2e-300]}");
  td_text_free(&out);
}

static int value_of(char c) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char* at = strchr(digit, c);
  return at && c ? (int)(at - digit) : 0;
}

static unsigned step_at(const char* base64, int i) {
  unsigned bytes[2];
  for (int k = 0; k < 2; k++) {
    const int b = 2 * i + k, group = b / 3, within = b % 3;
    const char* c = base64 + 4 * group;
    const unsigned x = (unsigned)value_of(c[0]) << 18 | (unsigned)value_of(c[1]) << 12 |
                       (unsigned)value_of(c[2]) << 6 | (unsigned)value_of(c[3]);
    bytes[k] = x >> (16 - 8 * within) & 255;
  }
  return bytes[0] | bytes[1] << 8;
}

// Columns of very different sizes; every third one constant.
static void columns_come_back_within_half_a_step(void** state) {
  (void)state;
  enum { ROWS = 37, COLS = 10 };
  static float x[ROWS * COLS];
  uint64_t seed = 1;
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLS; c++)
      x[r * COLS + c] = c % 3 == 0 ? (float)c : (float)(pow(10, c - 5) * (3 + check_random(&seed)));
  td_text out = {0};
  assert_true(td_pack_write(&out, x, ROWS, COLS));
  cJSON* back = cJSON_Parse(out.s);
  assert_non_null(back);
  const cJSON *column = cJSON_GetObjectItem(back, "column"),
              *low = cJSON_GetObjectItem(back, "low"), *step = cJSON_GetObjectItem(back, "step");
  const char* data = cJSON_GetObjectItem(back, "data")->valuestring;
  const int n = cJSON_GetArraySize(column);
  assert_int_equal(n, 6);
  for (int r = 0; r < ROWS; r++)
    for (int k = 0; k < n; k++) {
      const int c = cJSON_GetArrayItem(column, k)->valueint;
      const double h = cJSON_GetArrayItem(step, k)->valuedouble;
      const double got = cJSON_GetArrayItem(low, c)->valuedouble + h * step_at(data, r * n + k);
      // half a step, and the rounding of the largest numbers to floats
      assert_true(fabs(got - (double)x[r * COLS + c]) <= 0.51 * h + 4e-7 * fabs(got));
    }
  for (int c = 0; c < COLS; c += 3) CHECK_NEAR(cJSON_GetArrayItem(low, c)->valuedouble, c, 0);
  cJSON_Delete(back);
  td_text_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes_become_base64),
      cmocka_unit_test(strings_of_any_bytes_are_safe),
      cmocka_unit_test(json_that_is_passed_on_keeps_its_meaning),
      cmocka_unit_test(numbers_that_json_lacks_are_null),
      cmocka_unit_test(columns_come_back_within_half_a_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
