// The field table obeys its own format, finds what it holds, and docs/reference.md is what it says.
//
//   test_fields --write     writes docs/reference.md again
#include "model/fields.h"

#include "check.h"

static const char reference[] = TEST_SOURCE_DIR "/docs/reference.md";

static bool is_list_of_sizes(const char* s) {
  for (; *s; s++)
    if (!strchr("nm123456x|", *s)) return false;
  return true;
}

static void every_row_is_found_by_its_path_and_as_a_child_of_its_parent(void** state) {
  (void)state;
  const td_field* f;
  for (int i = 0; (f = td_field_row(i)); i++) {
    assert_ptr_equal(td_field_find(f->path), f);

    char parent[64];
    snprintf(parent, sizeof parent, "%s", f->path);
    char* dot = strrchr(parent, '.');
    if (dot) *dot = '\0';
    const td_field* p = dot ? td_field_find(parent) : NULL;
    if (dot) assert_non_null(p);
    if (p) assert_true(p->kind == FIELD_STRUCT || p->kind == FIELD_STRUCTS);
    assert_ptr_equal(td_field_child(p, td_field_name(f)), f);
  }
}

static void shapes_ranges_and_specials_are_written_as_the_checks_read_them(void** state) {
  (void)state;
  const td_field* f;
  for (int i = 0; (f = td_field_row(i)); i++) {
    assert_true(is_list_of_sizes(f->shape));
    assert_true(strlen(f->text) > 3);
    assert_null(strchr(f->text, '|'));  // would end a cell of the manual's tables
    assert_true(!*f->special || !strcmp(f->special, "inf") || !strcmp(f->special, "nan") ||
                !strcmp(f->special, "limit") || !strcmp(f->special, "hard"));
    if (f->kind != FIELD_NUM) assert_int_equal(f->depends, TD_ON_NOTHING);
    if (f->kind != FIELD_STR && f->kind != FIELD_TARGET && f->kind != FIELD_NODES && *f->options)
      assert_true(strpbrk(f->options, "0123456789") != NULL);
  }
}

// A word that is a default is an option; a numeric default with a range lies in it.
static void defaults_are_allowed_values(void** state) {
  (void)state;
  const td_field* f;
  for (int i = 0; (f = td_field_row(i)); i++) {
    if (f->kind == FIELD_STR && *f->options && *f->fallback)
      assert_non_null(strstr(f->options, f->fallback));
    const double x = td_field_number(f->path);
    if (isnan(x)) continue;  // no number: required, or follows from other fields
    char* end;
    const bool equal = f->options[0] == '>' && f->options[1] == '=';
    if (equal) assert_true(x >= strtod(f->options + 2, NULL));
    if (f->options[0] == '>' && !equal) assert_true(x > strtod(f->options + 1, NULL));
    if (f->options[0] == '(')
      assert_true(x > strtod(f->options + 1, &end) && x <= strtod(end + 1, NULL));
  }
}

static void numeric_defaults_read_as_numbers(void** state) {
  (void)state;
  assert_true(td_field_number("body.m") == 1e-9);
  assert_true(td_field_number("par.nint") == 50);
  assert_true(td_field_number("joint.spring.comp") == 1);
  assert_true(isnan(td_field_number("body.I")));
  assert_true(isnan(td_field_number("joint.type")));
  assert_true(isnan(td_field_number("no.such")));
}

static void other_spellings_lead_to_the_published_field(void** state) {
  (void)state;
  for (int i = 0; i < td_alias_count; i++)
    assert_ptr_equal(td_field_find(td_aliases[i].path), td_field_find(td_aliases[i].meaning));
  assert_ptr_equal(td_field_child(td_field_find("exload"), "body"), td_field_find("exload.exbody"));
  assert_null(td_field_child(td_field_find("joint"), "comp"));
  assert_null(td_field_find("joint.sprng"));
}

static void later_structures_are_roots_and_say_what_to_do_instead(void** state) {
  (void)state;
  for (int i = 0; i < td_later_count; i++) {
    const char* path = td_laters[i].path;
    assert_null(td_field_find(path));
    assert_non_null(strstr(td_field_refused(path), " is not available in this version; "));
    assert_int_equal(td_field_is_root(path), strchr(path, '.') == NULL);
  }
  assert_true(td_field_is_root("world"));
  assert_true(td_field_is_root("output"));
  assert_false(td_field_is_root("joint.dof"));
  assert_false(td_field_is_root("x"));
  assert_null(td_field_refused("body"));
}

static td_fit fit(const char* shape, int rows, int cols, int pages, int n) {
  const value v = {.kind = V_NUM, .rows = rows, .cols = cols, .pages = pages};
  return td_field_fit(shape, &v, n);
}

static void a_vector_may_lie_either_way(void** state) {
  (void)state;
  assert_true(fit("1x3", 1, 3, 1, 0).ok);
  assert_int_equal(fit("1x3", 3, 1, 1, 0).cols, 3);
  assert_int_equal(fit("nx1", 1, 4, 1, 0).rows, 4);
  assert_false(fit("1x3", 1, 2, 1, 0).ok);
  assert_false(fit("1x3", 3, 3, 1, 0).ok);
  assert_true(fit("3x3xn", 3, 3, 1, 0).ok);
  assert_true(fit("3x3xn", 3, 3, 5, 0).ok);
  assert_false(fit("3x3xn", 3, 1, 3, 0).ok);
  assert_true(fit("1x2|1x3|1x4", 1, 4, 1, 0).ok);
  assert_false(fit("1x2|1x3|1x4", 1, 5, 1, 0).ok);
  assert_true(fit("1", 1, 1, 1, 0).ok);
  assert_false(fit("1", 1, 2, 1, 0).ok);
  assert_true(fit("", 7, 5, 3, 0).ok);
}

// A column of six is six directions of one joint, or one number for each of six joints.
static void the_number_of_repeated_elements_decides_how_a_column_is_read(void** state) {
  (void)state;
  assert_int_equal(fit("nx1|nx6", 6, 1, 1, 1).cols, 6);
  assert_int_equal(fit("nx1|nx6", 6, 1, 1, 6).rows, 6);
  assert_int_equal(fit("nx1|nx6", 1, 6, 1, 6).cols, 6);
  assert_true(fit("nx1|nx6", 4, 6, 1, 4).ok);
  assert_false(fit("nx1|nx6", 4, 6, 1, 5).ok);
  assert_false(fit("nx1", 3, 1, 1, 1).ok);
}

static void an_unknown_field_gets_the_nearest_name_and_the_list(void** state) {
  (void)state;
  td_diags diags = {0};
  const int source = td_diags_source(&diags, "arm.m", "joint(2).sprng.coeff = 40;", 26);
  td_field_unknown(&diags, "joint", "sprng", (td_span){source, 9, 14});
  td_field_unknown(&diags, "joint.damp", "viscosity", (td_span){source, 0, 5});
  td_field_unknown(&diags, "", "wrld", (td_span){source, 0, 4});

  assert_int_equal(diags.errors, 3);
  assert_string_equal(diags.list[0].text, "unknown field 'sprng' of joint");
  assert_string_equal(diags.list[0].hint, "did you mean 'spring'?");
  assert_string_equal(
      diags.list[0].more,
      "fields of joint: first second rom tr tr2nd dof dir xaxis spring damp input refbody "
      "fixed control motion type axis pitch beam chart name curve");
  assert_string_equal(diags.list[1].text, "unknown field 'viscosity' of joint.damp");
  assert_string_equal(diags.list[1].more, "fields of joint.damp: visc pow along");
  assert_string_equal(diags.list[2].text, "unknown structure 'wrld'");
  assert_string_equal(diags.list[2].hint, "did you mean 'world'?");
  td_diags_free(&diags);
}

static void alternatives_read_as_a_sentence(void** state) {
  (void)state;
  td_text text = {0};
  td_field_alternatives(&text, "a|b|c", "'");
  assert_string_equal(text.s, "'a', 'b' or 'c'");
  td_text_free(&text);
  text = (td_text){0};
  td_field_alternatives(&text, "1x3", "");
  assert_string_equal(text.s, "1x3");
  td_text_free(&text);
}

static void a_field_is_read_under_either_spelling(void** state) {
  (void)state;
  value* s = td_value_struct(1, 1);
  td_value_slot_make(s, 0, "comp")->v = td_value_scalar(0.5);
  assert_true(td_field_get(s, 0, "joint.spring.compr")->x[0] == 0.5);
  td_value_slot_make(s, 0, "compr")->v = td_value_scalar(0.7);
  assert_true(td_field_get(s, 0, "joint.spring.compr")->x[0] == 0.7);
  assert_null(td_field_get(s, 0, "joint.spring.coeff"));
  td_value_drop(s);
}

static void the_manual_names_every_field_and_every_quantity(void** state) {
  (void)state;
  td_text text = {0};
  td_fields_manual(&text);
  assert_false(text.failed);
  const td_field* f;
  for (int i = 0; (f = td_field_row(i)); i++) assert_non_null(strstr(text.s, f->text));
  for (int i = 0; i < td_later_count; i++) assert_non_null(strstr(text.s, td_laters[i].path));
  for (int i = 0; i < SENSOR_KIND_COUNT; i++)
    assert_non_null(strstr(text.s, td_sensor_table[i].text));
  td_text_free(&text);
}

static void the_reference_page_is_up_to_date(void** state) {
  (void)state;
  td_text text = {0}, page = {0};
  td_fields_manual(&text);

  FILE* file = fopen(reference, "rb");
  assert_non_null(file);
  char block[4096];
  for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) td_text_addn(&page, block, (int)n);
  fclose(file);
  if (strcmp(text.s, page.s) != 0) print_error("docs/reference.md is old: test_fields --write\n");
  assert_true(strcmp(text.s, page.s) == 0);
  td_text_free(&text);
  td_text_free(&page);
}

static int write_reference(void) {
  td_text text = {0};
  td_fields_manual(&text);
  FILE* file = fopen(reference, "wb");
  const bool ok = file && !text.failed && fwrite(text.s, 1, (size_t)text.n, file) == (size_t)text.n;
  td_text_free(&text);
  return (file ? fclose(file) : 1) == 0 && ok ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--write") == 0) return write_reference();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_is_found_by_its_path_and_as_a_child_of_its_parent),
      cmocka_unit_test(shapes_ranges_and_specials_are_written_as_the_checks_read_them),
      cmocka_unit_test(defaults_are_allowed_values),
      cmocka_unit_test(numeric_defaults_read_as_numbers),
      cmocka_unit_test(other_spellings_lead_to_the_published_field),
      cmocka_unit_test(later_structures_are_roots_and_say_what_to_do_instead),
      cmocka_unit_test(a_vector_may_lie_either_way),
      cmocka_unit_test(the_number_of_repeated_elements_decides_how_a_column_is_read),
      cmocka_unit_test(an_unknown_field_gets_the_nearest_name_and_the_list),
      cmocka_unit_test(alternatives_read_as_a_sentence),
      cmocka_unit_test(a_field_is_read_under_either_spelling),
      cmocka_unit_test(the_manual_names_every_field_and_every_quantity),
      cmocka_unit_test(the_reference_page_is_up_to_date),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
