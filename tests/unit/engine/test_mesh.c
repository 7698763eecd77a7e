// Meshes as they are compiled: numbers and places of nodes, which of them are held, names, and
// what a node costs.
#include "check.h"
#include "model/compile.h"
#include "model/model.h"
#include "model/spec.h"
#include "tendril/tools.h"

static td_model* compile(const char* format, ...) {
  char text[2000];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  td_spec_allow_read(spec, NULL);  // CAD files of the corpus
  td_spec_load_string(spec, "mesh.m", text);
  if (td_model_compile(spec, &model) != TD_OK) {
    print_error("%s\n", td_spec_messages(spec));
    fail();
  }
  td_spec_free(spec);
  return model;
}

static td_mesh mesh_of(const td_model* model, int i) {
  td_mesh mesh;
  assert_true(td_model_mesh_about(model, i, &mesh));
  return mesh;
}

static void words_for_held_nodes_mean_what_they_say(void** state) {
  (void)state;
  static const struct {
    const char *grid, *word;
    int nnode, nedge, nfixed, first_free;  // first_free: from 1
  } cases[] = {
      {"[4 3]", "'edge'", 12, 17, 4, 5},
      {"[4 3]", "'corners'", 12, 17, 4, 2},
      {"[4 3]", "'frame'", 12, 17, 10, 6},
      {"[4 3]", "'none'", 12, 17, 0, 1},
      {"[4 3]", "[1 2 12]", 12, 17, 3, 3},
      {"[5 1]", "'ends'", 5, 4, 2, 2},
      {"5", "'edge'", 5, 4, 1, 2},
      {"[3 3 3]", "'edge'", 27, 54, 9, 10},
      {"[3 3 3]", "'corners'", 27, 54, 8, 2},
      {"[3 3 3]", "'frame'", 27, 54, 26, 14},
      {"[1 4]", "'edge'", 4, 3, 1, 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_model* m =
        compile("mesh.grid = %s; mesh.fixed = %s; mesh.body.m = 1; mesh.joint(2).spring.coeff = 1;",
                cases[i].grid, cases[i].word);
    const td_mesh mesh = mesh_of(m, 0);
    assert_int_equal(mesh.nnode, cases[i].nnode);
    assert_int_equal(mesh.nedge, cases[i].nedge);
    assert_int_equal(mesh.nfixed, cases[i].nfixed);
    int first = 0;
    while (td_model_station_fixed(m, mesh.station + first)) first++;
    assert_int_equal(first + 1, cases[i].first_free);
    assert_int_equal(td_model_sizes(m).nv, 3 * (mesh.nnode - mesh.nfixed));
    td_model_free(m);
  }
}

// Every face of every cell has two diagonals.
static void diagonals_of_grids_are_counted_once(void** state) {
  (void)state;
  static const struct {
    const char* grid;
    int ndiagonal;
  } cases[] = {
      {"[2 2]", 2}, {"[4 3]", 12}, {"[2 2 2]", 12}, {"[3 2 2]", 2 * (4 + 4 + 3)}, {"6", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_model* m = compile(
        "mesh.grid = %s; mesh.body.m = 1; mesh.joint(2).spring.coeff = 1;\n"
        "mesh.joint(3).spring.coeff = 1;",
        cases[i].grid);
    assert_int_equal(mesh_of(m, 0).ndiagonal, cases[i].ndiagonal);
    td_model_free(m);
  }
}

// Nodes are bodies after those written, mesh by mesh; names say which.
static void nodes_are_bodies_with_names(void** state) {
  (void)state;
  td_model* m = compile(
      "body(1).m = 1; joint(1).second = 1; joint(1).type = 'free';\n"
      "mesh(1).grid = [2 2]; mesh(1).joint(2).spring.coeff = 1; mesh(1).body.m = 1;\n"
      "mesh(2) = mesh(1); mesh(2).name = 'web'; mesh(2).joint(1).tr.trans = [0 inf inf];\n"
      "joint(2).second = 9; joint(2).spring.coeff = 1;\n"
      "joint(3).first = at(mesh(2), 3); joint(3).second = at(mesh(1), 4);\n"
      "joint(3).spring.coeff = 1;");
  const td_mesh a = mesh_of(m, 0), b = mesh_of(m, 1);
  assert_int_equal(a.body, 2);
  assert_int_equal(b.body, 6);
  assert_string_equal(td_model_station_name(m, a.station + 3), "mesh(1).node(4)");
  assert_string_equal(td_model_station_name(m, b.station), "web.node(1)");
  assert_string_equal(td_model_force_name(m, b.force + 1), "web.edge(2)");
  int ends[2];
  assert_true(td_model_force_ends(m, 0, ends));
  assert_int_equal(ends[1], b.station + 3);
  assert_true(td_model_force_ends(m, 1, ends));
  assert_int_equal(ends[0], b.station + 2);
  assert_int_equal(ends[1], a.station + 3);
  td_coordinate q;
  assert_true(td_model_q_about(m, td_model_sizes(m).nq - 1, &q));
  assert_string_equal(q.name, "web.node(4).z");
  assert_string_equal(q.mesh, "web");
  assert_int_equal(q.mesh_number, 2);
  assert_int_equal(q.element, 4);
  assert_string_equal(q.unit, "m");
  assert_int_equal(td_model_sizes(m).njoint, 3);
  assert_int_equal(td_model_sizes(m).nmesh, 2);
  td_model_free(m);
}

// Triangles of an STL file, in millimetres unless told otherwise.
static void files_are_found_and_scaled(void** state) {
  (void)state;
  static const char* const unit[] = {"", "mesh.unit = 2;"};
  for (int i = 0; i < 2; i++) {
    td_model* m = compile("mesh.file_name = '" TEST_SOURCE_DIR
                          "/tests/fuzz/corpus_cad/tetra_binary.stl'; %s mesh.body.m = 1;\n"
                          "mesh.tr.trans = [1 0 0]; mesh.joint(2).spring.coeff = 1;",
                          unit[i]);
    assert_int_equal(mesh_of(m, 0).nnode, 4);
    assert_int_equal(mesh_of(m, 0).nedge, 6);
    td_work* w = td_work_new(m);
    td_state* s = td_state_new(m);
    assert_int_equal(td_state_initial(m, w, s), TD_OK);
    double x[12], high = 0, low = 2;
    td_station_positions(m, s, w, mesh_of(m, 0).station, 4, x);
    for (int k = 0; k < 4; k++) {
      high = fmax(high, x[3 * k]);
      low = fmin(low, x[3 * k]);
    }
    CHECK_NEAR(low, 1, 1e-15);
    CHECK_NEAR(high, i ? 3 : 1.001, 1e-15);
    td_state_free(s);
    td_work_free(w);
    td_model_free(m);
  }
}

// Bytes of the arrays of a compiled grid of n x n nodes, per node.
static double bytes_per_node(int n, const char* more) {
  char text[600];
  snprintf(text, sizeof text,
           "mesh.grid = [%d %d]; mesh.body.m = 1; mesh.body.I = eye(3);\n"
           "mesh.joint(2).damp.visc = 0.1; %s",
           n, n, more);
  td_spec* spec = td_spec_new();
  spec->limits.dofs = 1000000;
  td_model* m = NULL;
  assert_int_equal(td_spec_load_string(spec, "grid.m", text), TD_OK);
  assert_int_equal(td_compile(spec, &m), TD_OK);
  double bytes = 0;
#define X(type, name, about) bytes += (double)m->n##name * sizeof(type);
  TD_MODEL_ARRAYS(X)
#undef X
  td_model_free(m);
  td_spec_free(spec);
  return bytes / n / n;
}

// A small part of the 6 kB that a node of a network may take, and no more in a large net.
static void a_node_costs_little_memory_however_many_there_are(void** state) {
  (void)state;
  static const struct {
    const char* text;
    double most;
  } kinds[] = {
      {"mesh.joint(2).spring.coeff = 10; mesh.joint(2).dir = 1;", 1500},
      {"mesh.joint(1).tr.rot = [0 inf inf inf]; mesh.joint(2).spring.coeff = ones(1, 6);", 3000},
      {"mesh.joint(1).tr.rot = [0 inf inf inf]; mesh.joint(2).spring.coeff = ones(1, 6);\n"
       "mesh.joint(2).beam.frame = 'mid';",
       3000},
  };
  for (int i = 0; i < 3; i++) {
    const double small = bytes_per_node(20, kinds[i].text),
                 large = bytes_per_node(80, kinds[i].text);
    print_message("bytes of a node: %.0f, in a large net %.0f\n", small, large);
    assert_true(large < 1.15 * small);
    assert_true(large < kinds[i].most);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_for_held_nodes_mean_what_they_say),
      cmocka_unit_test(diagonals_of_grids_are_counted_once),
      cmocka_unit_test(nodes_are_bodies_with_names),
      cmocka_unit_test(files_are_found_and_scaled),
      cmocka_unit_test(a_node_costs_little_memory_however_many_there_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
