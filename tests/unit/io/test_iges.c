// IGES files written here: every kind of entity gives the edges it should, damaged files get a
// message.
#include "check.h"
#include "io/cad.h"

static const double pi = 3.14159265358979323846;

// ---- a writer ---------------------------------------------------------------------------------

// A file under construction: parameter and directory lines.
typedef struct writer {
  td_text D, P, out;
  int nd, np, ng;
  int unit_flag;
  const char* unit_name;
  double scale;
} writer;

static writer writer_new(void) { return (writer){.unit_flag = 6, .unit_name = "M", .scale = 1}; }

// Parameter text in lines of 64 columns; breaks after commas.  Returns the directory number.
static int entity(writer* w, int type, int form, int matrix, const char* status,
                  const char* params) {
  const int number = w->nd + 1, first = w->np + 1;
  char text[4000];
  snprintf(text, sizeof text, "%d,%s;", type, params);
  for (const char* s = text; *s;) {
    int n = (int)strlen(s);
    if (n > 64)
      for (n = 64; s[n - 1] != ','; n--) {
      }
    td_text_printf(&w->P, "%-64.*s%8dP%7d\n", n, s, number, ++w->np);
    s += n;
  }
  td_text_printf(&w->D, "%8d%8d%8d%8d%8d%8d%8d%8d%8sD%7d\n", type, first, 0, 0, 0, 0, matrix, 0,
                 status, w->nd + 1);
  td_text_printf(&w->D, "%8d%8d%8d%8d%8d%32dD%7d\n", type, 0, 0, w->np - first + 1, form, 0,
                 w->nd + 2);
  w->nd += 2;
  return number;
}

static int plain(writer* w, int type, const char* params) {
  return entity(w, type, 0, 0, "00000000", params);
}

static const char* finish(writer* w) {
  char global[400];
  snprintf(global, sizeof global,
           "1H,,1H;,4Hpart,8Hpart.igs,4Htest,4Htest,32,38,6,308,15,4Hpart,%.9g,%d,%zuH%s,1,0.01,"
           "15H20200101.000000,1E-7,10.,2Hme,2Hus,11,0,15H20200101.000000;",
           w->scale, w->unit_flag, strlen(w->unit_name), w->unit_name);
  td_text_printf(&w->out, "%-72sS%7d\n", "a part", 1);
  for (size_t k = 0; k < strlen(global); k += 72)
    td_text_printf(&w->out, "%-72.72sG%7d\n", global + k, ++w->ng);
  td_text_add(&w->out, w->D.s);
  td_text_add(&w->out, w->P.s);
  td_text_printf(&w->out, "S%7dG%7dD%7dP%7d%40sT%7d\n", 1, w->ng, w->nd, w->np, "", 1);
  return w->out.s;
}

static void writer_free(writer* w) {
  td_text_free(&w->D);
  td_text_free(&w->P);
  td_text_free(&w->out);
}

// ---- reading ----------------------------------------------------------------------------------

static td_cad read_text(const char* text, size_t size, double chord) {
  td_cad cad = {.chord = chord, .limit = 100000};
  assert_int_equal(td_iges_read(text, size, &cad), TD_OK);
  assert_int_equal(td_wire_join(&cad.wire, 1e-9), TD_OK);
  return cad;
}

static td_cad read_writer(writer* w, double chord) {
  const char* text = finish(w);
  const td_cad cad = read_text(text, strlen(text), chord);
  writer_free(w);
  return cad;
}

static void check_sizes(const td_cad* cad, int nodes, int edges) {
  assert_int_equal(cad->wire.nnode, nodes);
  assert_int_equal(cad->wire.nedge, edges);
}

// Is there a node at this place?
static bool has_node(const td_cad* cad, double x, double y, double z) {
  for (int i = 0; i < cad->wire.nnode; i++) {
    const double* p = cad->wire.x + 3 * i;
    if (hypot(hypot(p[0] - x, p[1] - y), p[2] - z) < 1e-9) return true;
  }
  return false;
}

static double total_length(const td_cad* cad) {
  double sum = 0;
  for (int e = 0; e < cad->wire.nedge; e++) {
    const double *a = cad->wire.x + 3 * cad->wire.edge[2 * e],
                 *b = cad->wire.x + 3 * cad->wire.edge[2 * e + 1];
    sum += hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
  }
  return sum;
}

// ---- entities ---------------------------------------------------------------------------------

static void lines_meet_in_one_node(void** state) {
  (void)state;
  writer w = writer_new();
  plain(&w, 110, "0.,0.,0.,1.,0.,0.");
  plain(&w, 110, "1.,0.,0.,1.,2.,0.");
  plain(&w, 110, "1.,0.,0.,1.,0.,3.");
  plain(&w, 110, "1.,2.,0.,1.,0.,0.");  // a line that is there already, the other way round
  td_cad cad = read_writer(&w, 0);
  check_sizes(&cad, 4, 3);
  CHECK_NEAR(total_length(&cad), 6, 1e-14);
  assert_true(has_node(&cad, 1, 0, 3));
  td_wire_free(&cad.wire);
}

static void units_and_scale_come_from_the_header(void** state) {
  (void)state;
  static const struct {
    int flag;
    const char* name;
    double scale, metres;
  } cases[] = {{1, "INCH", 1, 0.0254}, {2, "MM", 1, 1e-3},   {4, "FT", 1, 0.3048},
               {6, "M", 1, 1},         {10, "CM", 1, 1e-2},  {9, "UM", 1, 1e-6},
               {3, "MM", 1, 1e-3},     {2, "MM", 0.5, 2e-3}, {8, "MIL", 1, 2.54e-5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    writer w = writer_new();
    w.unit_flag = cases[i].flag;
    w.unit_name = cases[i].name;
    w.scale = cases[i].scale;
    plain(&w, 110, "0.,0.,0.,3.,4.,0.");
    td_cad cad = read_writer(&w, 0);
    CHECK_NEAR(total_length(&cad) / cases[i].metres, 5, 1e-14);
    td_wire_free(&cad.wire);
  }
}

// The chords of an arc of radius r that stay within c of it: their number and total length.
static void arcs_stay_within_the_chord_distance(void** state) {
  (void)state;
  const double chord[] = {0.1, 0.01, 1e-3};
  for (int i = 0; i < 3; i++) {
    writer w = writer_new();
    plain(&w, 100, "0.5,1.,1.,3.,1.,1.,3.");  // a quarter of radius 2 about (1, 1), at z = 0.5
    td_cad cad = read_writer(&w, chord[i]);
    const int n = (int)ceil(pi / 2 / (2 * acos(1 - chord[i] / 2)));
    check_sizes(&cad, n + 1, n);
    CHECK_NEAR(total_length(&cad), n * 4 * sin(pi / 4 / n), 1e-12);
    assert_true(has_node(&cad, 3, 1, 0.5) && has_node(&cad, 1, 3, 0.5));
    td_wire_free(&cad.wire);
  }
}

static void a_circle_closes(void** state) {
  (void)state;
  writer w = writer_new();
  plain(&w, 100, "0.,0.,0.,1.,0.,1.,0.");
  td_cad cad = read_writer(&w, 1e-3);
  assert_int_equal(cad.wire.nnode, cad.wire.nedge);
  CHECK_NEAR(total_length(&cad), 2 * pi, 3e-3);
  td_wire_free(&cad.wire);
}

static void polylines_have_their_points(void** state) {
  (void)state;
  writer w = writer_new();
  entity(&w, 106, 12, 0, "00000000", "2,3,0.,0.,0.,1.,0.,0.,1.,1.,1.");
  entity(&w, 106, 11, 0, "00000000", "1,3,5.,0.,0.,1.,0.,1.,1.");  // pairs at z = 5
  entity(&w, 106, 63, 0, "00000000", "1,3,9.,0.,0.,1.,0.,1.,1.");  // closed
  entity(&w, 106, 13, 0, "00000000", "3,2,0.,0.,7.,1.,1.,1.,0.,1.,7.,0.,0.,0.");
  entity(&w, 106, 1, 0, "00000000", "1,2,0.,50.,50.,60.,60.");  // points only
  td_cad cad = read_writer(&w, 0);
  check_sizes(&cad, 3 + 3 + 3 + 2, 2 + 2 + 3 + 1);
  assert_true(has_node(&cad, 1, 1, 1) && has_node(&cad, 1, 1, 5) && has_node(&cad, 0, 1, 7));
  td_wire_free(&cad.wire);
}

// x = s, y = s^2, z = s^3 on [0, 2] in two pieces
static void parametric_splines_follow_their_cubics(void** state) {
  (void)state;
  writer w = writer_new();
  plain(&w, 112,
        "3,1,3,2,0.,1.,2.,"
        "0.,1.,0.,0.,0.,0.,1.,0.,0.,0.,0.,1.,"
        "1.,1.,0.,0.,1.,2.,1.,0.,1.,3.,3.,1.,"
        "0.,0.,0.,0.,0.,0.,0.,0.,0.,0.,0.,0.");
  td_cad cad = read_writer(&w, 1e-3);
  assert_true(has_node(&cad, 0, 0, 0) && has_node(&cad, 1, 1, 1) && has_node(&cad, 2, 4, 8));
  for (int i = 0; i < cad.wire.nnode; i++) {
    const double* p = cad.wire.x + 3 * i;
    CHECK_NEAR(p[1], p[0] * p[0], 1e-12);
    CHECK_NEAR(p[2], p[0] * p[0] * p[0], 1e-12);
  }
  assert_int_equal(cad.wire.nedge, cad.wire.nnode - 1);
  td_wire_free(&cad.wire);
}

// A rational quadratic is a quarter of a circle exactly.
static void rational_splines_are_exact(void** state) {
  (void)state;
  writer w = writer_new();
  plain(&w, 126,
        "2,2,0,0,0,0,0.,0.,0.,1.,1.,1.,1.,0.70710678118654752,1.,"
        "1.,0.,0.,1.,1.,0.,0.,1.,0.,0.,1.,0.,0.,1.");
  td_cad cad = read_writer(&w, 1e-4);
  for (int i = 0; i < cad.wire.nnode; i++)
    CHECK_NEAR(hypot(cad.wire.x[3 * i], cad.wire.x[3 * i + 1]), 1, 1e-12);
  CHECK_NEAR(total_length(&cad), pi / 2, 1e-3);
  assert_true(cad.wire.nedge >= 30);
  td_wire_free(&cad.wire);
}

// Degree 1 with D exponents: the control points themselves.
static void splines_of_degree_one_are_polylines(void** state) {
  (void)state;
  writer w = writer_new();
  plain(&w, 126,
        "2,1,0,0,0,0,0.D0,0.,1.,2.D0,2.,1.,1.,1.,0.,0.,0.,1.D1,0.,0.,1.D+01,5.D-1,0.,"
        "0.,2.,0.,0.,1.");
  td_cad cad = read_writer(&w, 0);
  check_sizes(&cad, 3, 2);
  assert_true(has_node(&cad, 10, 0.5, 0));
  td_wire_free(&cad.wire);
}

// R = 90 degrees about z, T = (10, 20, 30); a composite moves its members, which move themselves.
static void transformations_apply_outside_in(void** state) {
  (void)state;
  writer w = writer_new();
  const int turn = plain(&w, 124, "0.,-1.,0.,10.,1.,0.,0.,20.,0.,0.,1.,30.");
  const int lift = plain(&w, 124, "1.,0.,0.,0.,0.,1.,0.,0.,0.,0.,1.,1.");
  const int line = entity(&w, 110, 0, lift, "00010000", "0.,0.,0.,1.,0.,0.");
  char members[40];
  snprintf(members, sizeof members, "1,%d", line);
  const int composite = entity(&w, 102, 0, turn, "00000000", members);
  snprintf(members, sizeof members, "1,%d", composite);
  entity(&w, 402, 7, 0, "00000000", members);
  td_cad cad = read_writer(&w, 0);
  check_sizes(&cad, 2, 1);
  assert_true(has_node(&cad, 10, 20, 31) && has_node(&cad, 10, 21, 31));
  td_wire_free(&cad.wire);
}

// A curve on a surface names its shape in the surface's parameters first: that is not drawn.
static void curves_in_parameter_planes_are_not_drawn(void** state) {
  (void)state;
  writer w = writer_new();
  const int flat = entity(&w, 110, 0, 0, "00010000", "0.,0.,0.,50.,50.,0.");
  const int real = entity(&w, 110, 0, 0, "00010000", "0.,0.,0.,1.,0.,0.");
  char params[60];
  snprintf(params, sizeof params, "0,0,%d,%d,3", flat, real);
  plain(&w, 142, params);
  entity(&w, 110, 0, 0, "00000500", "0.,0.,0.,70.,70.,0.");
  td_cad cad = read_writer(&w, 0);
  check_sizes(&cad, 2, 1);
  assert_true(has_node(&cad, 1, 0, 0));
  td_wire_free(&cad.wire);
}

static void points_alone_make_no_nodes(void** state) {
  (void)state;
  writer w = writer_new();
  plain(&w, 116, "7.,7.,7.,0");
  plain(&w, 110, "0.,0.,0.,1.,0.,0.");
  td_cad cad = read_writer(&w, 0);
  check_sizes(&cad, 2, 1);
  td_wire_free(&cad.wire);
}

// Other delimiters, CR LF, and records without line ends.
static void other_ways_to_write_a_file_are_read(void** state) {
  (void)state;
  writer w = writer_new();
  plain(&w, 110, "0.,0.,0.,1.,0.,0.");
  const char* text = finish(&w);
  td_text crlf = {0}, records = {0};
  for (const char* s = text; *s;) {
    const int n = (int)strcspn(s, "\n");
    assert_int_equal(n, 80);
    td_text_addn(&crlf, s, n);
    td_text_add(&crlf, "\r\n");
    td_text_addn(&records, s, n);
    s += n + 1;
  }
  td_cad a = read_text(crlf.s, (size_t)crlf.n, 0), b = read_text(records.s, (size_t)records.n, 0);
  check_sizes(&a, 2, 1);
  check_sizes(&b, 2, 1);
  td_wire_free(&a.wire);
  td_wire_free(&b.wire);
  td_text_free(&crlf);
  td_text_free(&records);
  writer_free(&w);
}

// ---- damage -----------------------------------------------------------------------------------

static void expect_message(writer* w, const char* part) {
  const char* text = finish(w);
  td_cad cad = {.limit = 1000};
  assert_int_equal(td_iges_read(text, strlen(text), &cad), TD_E_SYNTAX);
  if (!strstr(cad.message, part)) fail_msg("'%s' is not in '%s'", part, cad.message);
  td_wire_free(&cad.wire);
  writer_free(w);
}

static void damaged_entities_are_named(void** state) {
  (void)state;
  static const struct {
    int type, form;
    const char *params, *part;
  } cases[] = {
      {110, 0, "0.,0.,0.,1.,0.", "the entity of type 110 at line D1 must have 6 numbers"},
      {110, 0, "0.,0.,0.,1.,0.,1E40", "has a point that is not finite"},
      {110, 0, "0.,0.,0.,1.,0.,zero", "has a point that is not finite"},
      {110, 2, "0.,0.,0.,1.,0.,0.", "is a line without end"},
      {100, 0, "0.,0.,0.,1.,0.,1.", "must have 7 numbers"},
      {106, 12, "2,1000000,0.,0.,0.", "has fewer points than it says"},
      {112, 0, "3,1,3,99,0.,1.", "has fewer pieces than it says"},
      {126, 0, "1000000,3,0,0,0,0,0.,0.", "has fewer numbers than it says"},
      {126, 0, "1,1,0,0,0,0,1.,0.,1.,1.,1.,1.,0.,0.,0.,1.,0.,0.,0.,1.,0.,0.,1.",
       "has knots that do not increase"},
      {126, 0, "1,1,0,0,0,0,0.,0.,1.,1.,1.,0.,0.,0.,0.,1.,0.,0.,0.,1.,0.,0.,1.",
       "has a weight that is not positive"},
      {102, 0, "3,1", "has fewer members than it says"},
      {102, 0, "1,99", "has a member that is no entity"},
      {402, 7, "1,1", "has a member that is no entity"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    writer w = writer_new();
    entity(&w, cases[i].type, cases[i].form, 0, "00000000", cases[i].params);
    expect_message(&w, cases[i].part);
  }
  writer w = writer_new();
  entity(&w, 110, 0, 1, "00000000", "0.,0.,0.,1.,0.,0.");
  expect_message(&w, "has a transformation that is none");
}

static void unknown_units_need_the_user(void** state) {
  (void)state;
  writer w = writer_new();
  w.unit_flag = 3;
  w.unit_name = "PARSEC";
  plain(&w, 110, "0.,0.,0.,1.,0.,0.");
  expect_message(&w, "give mesh.unit");
}

// Groups within groups within groups, and in a circle: every entity is drawn once.
static void groups_in_a_circle_end(void** state) {
  (void)state;
  writer w = writer_new();
  entity(&w, 402, 7, 0, "00000000", "2,3,5");
  entity(&w, 402, 7, 0, "00000000", "2,1,5");
  plain(&w, 110, "0.,0.,0.,1.,0.,0.");
  td_cad cad = read_writer(&w, 0);
  check_sizes(&cad, 2, 1);
  td_wire_free(&cad.wire);
}

// Cut at every length: a message or a smaller wireframe, never harm.
static void truncated_files_do_no_harm(void** state) {
  (void)state;
  writer w = writer_new();
  plain(&w, 110, "0.,0.,0.,1.,0.,0.");
  plain(&w, 100, "0.,0.,0.,1.,0.,0.,1.");
  const char* text = finish(&w);
  for (size_t n = 0; n < strlen(text); n++) {
    char* copy = malloc(n + 1);  // its own block, so that reading past the end is seen
    memcpy(copy, text, n);
    td_cad cad = {.limit = 1000};
    const td_status status = td_iges_read(copy, n, &cad);
    assert_true(status == TD_OK || (status == TD_E_SYNTAX && cad.message[0]));
    td_wire_free(&cad.wire);
    free(copy);
  }
  writer_free(&w);
}

static void too_many_edges_are_refused(void** state) {
  (void)state;
  writer w = writer_new();
  plain(&w, 100, "0.,0.,0.,1.,0.,1.,0.");
  const char* text = finish(&w);
  td_cad cad = {.chord = 1e-9, .limit = 1000};
  assert_int_equal(td_iges_read(text, strlen(text), &cad), TD_E_SYNTAX);
  assert_non_null(strstr(cad.message, "more than 1000 edges"));
  td_wire_free(&cad.wire);
  writer_free(&w);
}

// ---- the files of the fabric experiment -------------------------------------------------------

static char* read_data(const char* name, size_t* size) {
  const char* folder = getenv("TENDRIL_DATA");
  char path[512];
  snprintf(path, sizeof path, "%s/data/fabric/%s", folder ? folder : "", name);
  FILE* f = folder ? fopen(path, "rb") : NULL;
  if (!f) skip();
  char* text = calloc(1, 1 << 17);
  *size = fread(text, 1, (1 << 17) - 1, f);
  fclose(f);
  return text;
}

// Numbering, places and edges as the published package gives them (its first node is body 2).
static void the_fabric_has_the_published_nodes_and_edges(void** state) {
  (void)state;
  size_t size;
  char* text = read_data("exp2.iges", &size);
  td_cad cad = {.limit = 1000};
  assert_int_equal(td_iges_read(text, size, &cad), TD_OK);
  assert_int_equal(td_wire_join(&cad.wire, 1e-3), TD_OK);
  free(text);
  check_sizes(&cad, 15, 22);
  char* table = read_data("fabric_mesh_exp2.csv", &size);
  int nodes = 0, edges = 0;
  for (char* line = table; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    int id, a, b;
    double x[3];
    if (sscanf(line, "node,%d,%lf,%lf,%lf", &id, &x[0], &x[1], &x[2]) == 4) {
      for (int c = 0; c < 3; c++) CHECK_NEAR(cad.wire.x[3 * (id - 2) + c], x[c], 1e-8);
      nodes++;
    } else if (sscanf(line, "edge,%d,%d,%d", &id, &a, &b) == 3) {
      assert_int_equal(cad.wire.edge[2 * (id - 1)], a - 2);
      assert_int_equal(cad.wire.edge[2 * (id - 1) + 1], b - 2);
      edges++;
    }
    if (!*line) break;
  }
  assert_int_equal(nodes, 15);
  assert_int_equal(edges, 22);
  free(table);
  td_wire_free(&cad.wire);
}

// exp1.iges draws the same kind of sleeve as eight trimmed surfaces: their edges are the net.
static void boundaries_of_trimmed_surfaces_are_read(void** state) {
  (void)state;
  size_t size;
  char* text = read_data("exp1.iges", &size);
  td_cad cad = {.limit = 1000};
  assert_int_equal(td_iges_read(text, size, &cad), TD_OK);
  assert_int_equal(td_wire_join(&cad.wire, 1e-4), TD_OK);
  free(text);
  // eight quadrilaterals in a 2 x 4 patch: 3 x 5 nodes, 22 edges
  check_sizes(&cad, 15, 22);
  td_wire_free(&cad.wire);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_meet_in_one_node),
      cmocka_unit_test(units_and_scale_come_from_the_header),
      cmocka_unit_test(arcs_stay_within_the_chord_distance),
      cmocka_unit_test(a_circle_closes),
      cmocka_unit_test(polylines_have_their_points),
      cmocka_unit_test(parametric_splines_follow_their_cubics),
      cmocka_unit_test(rational_splines_are_exact),
      cmocka_unit_test(splines_of_degree_one_are_polylines),
      cmocka_unit_test(transformations_apply_outside_in),
      cmocka_unit_test(curves_in_parameter_planes_are_not_drawn),
      cmocka_unit_test(points_alone_make_no_nodes),
      cmocka_unit_test(other_ways_to_write_a_file_are_read),
      cmocka_unit_test(damaged_entities_are_named),
      cmocka_unit_test(unknown_units_need_the_user),
      cmocka_unit_test(groups_in_a_circle_end),
      cmocka_unit_test(truncated_files_do_no_harm),
      cmocka_unit_test(too_many_edges_are_refused),
      cmocka_unit_test(the_fabric_has_the_published_nodes_and_edges),
      cmocka_unit_test(boundaries_of_trimmed_surfaces_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
