// The fields of rods and the struct into which they are read have the same names: none is read that
// users cannot write, and none can be written that is not read.
#include "compiled.h"
#include "model/rods.h"

static const char* const values[] = {
#define X(field) #field,
    TD_ROD_VALUES(X)
#undef X
};
// read as words or from inside, and the name, which results have
static const char* const others[] = {"name", "section", "material", "law", "model", "load_frame", "damp"};

static bool is_in(const char* const* list, size_t n, const char* name) {
  for (size_t k = 0; k < n; k++)
    if (strcmp(list[k], name) == 0) return true;
  return false;
}

static void test_every_value_that_is_read_is_a_field(void** state) {
  (void)state;
  for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
    char path[40];
    snprintf(path, sizeof path, "rod.%s", values[k]);
    if (!td_field_in(td_rod_fields, path)) fail_msg("there is no field %s", path);
  }
}

static void test_every_field_is_read(void** state) {
  (void)state;
  for (const td_field* f = td_rod_fields + 1; f->path; f++) {
    const char* name = td_field_name(f);
    if (strchr(f->path, '.') != strrchr(f->path, '.')) continue;  // inside another one
    if (!is_in(values, sizeof values / sizeof *values, name) &&
        !is_in(others, sizeof others / sizeof *others, name))
      fail_msg("%s is not read", f->path);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_value_that_is_read_is_a_field),
      cmocka_unit_test(test_every_field_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
