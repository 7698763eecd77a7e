// STL files written here, text and binary: the edges of their triangles, once each; damaged files
// get a message.
#include "check.h"
#include "io/cad.h"

// A tetrahedron with corners at the origin and at 1 along the axes: 4 nodes, 6 edges.
static const int corners[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};

static void text_file(td_text* out) {
  td_text_add(out, "solid tetra hedron\n");
  for (int t = 0; t < 4; t++) {
    td_text_add(out, "facet normal 0 0 1\nouter loop\n");
    for (int i = 0; i < 3; i++) {
      const int c = corners[t][i];
      td_text_printf(out, " vertex %d %d %de0\n", c == 1, c == 2, c == 3);
    }
    td_text_add(out, "endloop\nendfacet\n");
  }
  td_text_add(out, "endsolid tetra hedron\n");
}

static void put_f32(td_text* out, float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  const char b[4] = {(char)(bits & 255), (char)(bits >> 8 & 255), (char)(bits >> 16 & 255),
                     (char)(bits >> 24 & 255)};
  td_text_addn(out, b, 4);
}

static void binary_file(td_text* out) {
  char head[84] = "solid, but binary";
  head[80] = 4;
  td_text_addn(out, head, 84);
  for (int t = 0; t < 4; t++) {
    for (int i = 0; i < 3; i++) put_f32(out, 0);
    for (int i = 0; i < 3; i++)
      for (int c = 1; c <= 3; c++) put_f32(out, corners[t][i] == c);
    td_text_addn(out, "\0\0", 2);
  }
}

static void check_tetrahedron(const td_text* file, double unit, double edge) {
  td_cad cad = {.unit = unit, .limit = 100};
  assert_int_equal(td_stl_read(file->s, (size_t)file->n, &cad), TD_OK);
  assert_int_equal(td_wire_join(&cad.wire, 1e-9), TD_OK);
  assert_int_equal(cad.wire.nnode, 4);
  assert_int_equal(cad.wire.nedge, 6);
  CHECK_NEAR(td_wire_extent(&cad.wire), edge, 1e-15);
  td_wire_free(&cad.wire);
}

static void text_and_binary_give_the_same_edges_in_the_unit_asked_for(void** state) {
  (void)state;
  void (*const write[])(td_text*) = {text_file, binary_file};
  for (int i = 0; i < 2; i++) {
    td_text file = {0};
    write[i](&file);
    check_tetrahedron(&file, 0, 1e-3);
    check_tetrahedron(&file, 1, 1);
    td_text_free(&file);
  }
}

static void expect_message(const char* text, size_t n, const char* part) {
  td_cad cad = {.limit = 100};
  assert_int_equal(td_stl_read(text, n, &cad), TD_E_SYNTAX);
  if (!strstr(cad.message, part)) fail_msg("'%s' is not in '%s'", part, cad.message);
  td_wire_free(&cad.wire);
}

static void damage_is_found_where_it_is(void** state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } cases[] = {
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n",
       "line 4: 'nan' is not a number"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "the file ends where a number"},
      {"solid x\nfacet normal 0 0 1\nloop", "line 3: 'outer' is expected, got 'loop'"},
      {"solid x\nfacet", "the file ends where 'normal' is expected"},
      {"solid x\n", "the file ends where 'facet' or 'endsolid' is expected"},
      {"solid x\nendsolid x\nmore", "line 3: 'solid' is expected, got 'more'"},
      {"something else", "neither a text nor a binary STL file"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect_message(cases[i].text, strlen(cases[i].text), cases[i].part);
}

static void a_binary_file_has_the_length_it_says(void** state) {
  (void)state;
  td_text file = {0};
  binary_file(&file);
  file.s[0] = 'x';  // not "solid"
  expect_message(file.s, (size_t)file.n - 1, "a binary STL file of 4 triangles has 284 bytes");
  file.s[83] = 127;  // two thousand million triangles
  expect_message(file.s, (size_t)file.n, "this one has 284");
  td_text_free(&file);
}

static void truncated_files_do_no_harm(void** state) {
  (void)state;
  void (*const write[])(td_text*) = {text_file, binary_file};
  for (int i = 0; i < 2; i++) {
    td_text file = {0};
    write[i](&file);
    for (size_t n = 0; n < (size_t)file.n; n++) {
      char* copy = malloc(n + 1);
      memcpy(copy, file.s, n);
      td_cad cad = {.limit = 100};
      const td_status status = td_stl_read(copy, n, &cad);
      assert_true(status == TD_OK || (status == TD_E_SYNTAX && cad.message[0]));
      td_wire_free(&cad.wire);
      free(copy);
    }
    td_text_free(&file);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_and_binary_give_the_same_edges_in_the_unit_asked_for),
      cmocka_unit_test(damage_is_found_where_it_is),
      cmocka_unit_test(a_binary_file_has_the_length_it_says),
      cmocka_unit_test(truncated_files_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
