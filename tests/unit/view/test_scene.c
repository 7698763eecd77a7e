// Scenes: everything a model has is there, and the numbers of a frame are those of the engine.
#include <cjson/cJSON.h>

#include "check.h"
#include "engine/engine.h"
#include "view/scene.h"

typedef struct sight {
  td_model* model;
  td_work* work;
  td_state* state;
  td_scene* scene;
  cJSON* json;
  float* frame;
} sight;

static sight look(const char* text) {
  sight s = {0};
  td_spec* spec = td_spec_new();
  td_spec_load_string(spec, "robot.m", text);
  if (td_model_compile(spec, &s.model) != TD_OK) {
    print_error("%s\n", td_spec_messages(spec));
    fail();
  }
  td_spec_free(spec);
  s.work = td_work_new(s.model);
  s.state = td_state_new(s.model);
  assert_int_equal(td_state_initial(s.model, s.work, s.state), TD_OK);
  s.scene = td_scene_new(s.model, s.state, s.work);
  assert_non_null(s.scene);
  s.json = cJSON_Parse(s.scene->json.s);
  assert_non_null(s.json);
  s.frame = calloc((size_t)s.scene->nnumber + 1, sizeof(float));
  td_scene_frame(s.scene, s.state, s.work, s.frame);
  return s;
}

static void look_away(sight* s) {
  free(s->frame);
  cJSON_Delete(s->json);
  td_scene_free(s->scene);
  td_state_free(s->state);
  td_work_free(s->work);
  td_model_free(s->model);
}

static const cJSON* group(const sight* s, const char* kind) {
  const cJSON* g;
  cJSON_ArrayForEach(g, cJSON_GetObjectItem(s->json, "groups")) {
    if (strcmp(cJSON_GetObjectItem(g, "kind")->valuestring, kind) == 0) return g;
  }
  return NULL;
}

static int offset(const cJSON* g, const char* field, int i) {
  const cJSON* x = cJSON_GetArrayItem(cJSON_GetObjectItem(g, field), i);
  assert_non_null(x);
  return x->valueint;
}

static void check_point(const sight* s, int at, double x, double y, double z) {
  assert_true(at >= 0 && at + 3 <= s->scene->nnumber);
  CHECK_NEAR((double)s->frame[at], x, 1e-6);
  CHECK_NEAR((double)s->frame[at + 1], y, 1e-6);
  CHECK_NEAR((double)s->frame[at + 2], z, 1e-6);
}

// A slender link, a spring from above, a load and a moment.
static const char swing[] =
    "world.g = [0 0 -9.81];\n"
    "body(1).name = 'link'; body(1).m = 2; body(1).I = 2/12*diag([1+.01 1+.01 .02]); body(1).l_com "
    "= [0 0 -.5];\n"
    "joint(1).name = 'hinge'; joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; "
    "joint(1).dof(1).init = pi/2;\n"
    "joint(2).name = 'spring'; joint(2).second = 1; joint(2).tr(1).trans = [0 0 1]; "
    "joint(2).tr2nd(1).trans = [0 0 -1]; joint(2).spring.coeff = 10; joint(2).spring.init = 1;\n"
    "exload(1).exbody = 1; exload(1).tr(1).trans = [0 0 -1]; exload(1).ftau = [0 0 -3 0 2 0];\n";

static void a_link_its_hinge_spring_and_load_are_where_they_are(void** state) {
  (void)state;
  sight s = look(swing);
  const cJSON* spring = group(&s, "spring");
  // turned by 90 degrees about y, the end at -z points to -x
  check_point(&s, offset(spring, "a", 0), 0, 0, 1);
  check_point(&s, offset(spring, "b", 0), -1, 0, 0);
  check_point(&s, offset(group(&s, "hinge"), "at", 0), 0, 0, 0);
  check_point(&s, offset(group(&s, "hinge"), "axis", 0), 0, 1, 0);
  check_point(&s, offset(group(&s, "load"), "at", 0), -1, 0, 0);
  check_point(&s, offset(group(&s, "load"), "vector", 0), 0, 0, -3);
  check_point(&s, offset(group(&s, "moment"), "vector", 0), 0, 2, 0);
  check_point(&s, offset(group(&s, "anchor"), "at", 0), 0, 0, 1);
  const cJSON* up = cJSON_GetObjectItem(s.json, "up");
  CHECK_NEAR(cJSON_GetArrayItem(up, 2)->valuedouble, 1, 1e-12);
  look_away(&s);
}

// The link is a cylinder with I_axis = m r²/2 and I_across = m (3 r² + l²)/12.
static void a_body_is_drawn_as_the_solid_with_its_inertia(void** state) {
  (void)state;
  sight s = look(swing);
  const cJSON* part = cJSON_GetArrayItem(cJSON_GetObjectItem(group(&s, "body"), "parts"), 0);
  assert_string_equal(cJSON_GetObjectItem(part, "type")->valuestring, "cylinder");
  const cJSON* size = cJSON_GetObjectItem(part, "size");
  const double r2 = 2 * (2.0 / 12 * 0.02) / 2,
               l2 = 12 * (2.0 / 12 * 1.01 - 0.5 * 2.0 / 12 * 0.02) / 2;
  CHECK_NEAR(cJSON_GetArrayItem(size, 0)->valuedouble, 2 * sqrt(r2), 1e-8);
  CHECK_NEAR(cJSON_GetArrayItem(size, 2)->valuedouble, sqrt(l2), 1e-8);
  look_away(&s);
}

static void boxes_and_balls_have_their_sides(void** state) {
  (void)state;
  // a box 0.3 x 0.2 x 0.1 and a ball of radius 0.1, far enough apart to give the picture a size
  sight s = look(
      "body(1).m = 3; body(1).I = 3/12*diag([.2^2+.1^2 .3^2+.1^2 .3^2+.2^2]);\n"
      "joint(1).second = 1; joint(1).tr(1).rot = [1 inf];\n"
      "body(2).m = 2; body(2).I = 2*2/5*.01*eye(3);\n"
      "joint(2).second = 2; joint(2).tr(1).trans = [1 0 0]; joint(2).tr(2).rot = [1 inf];\n");
  const cJSON* parts = cJSON_GetObjectItem(group(&s, "body"), "parts");
  const cJSON *box = cJSON_GetArrayItem(parts, 0), *ball = cJSON_GetArrayItem(parts, 1);
  assert_string_equal(cJSON_GetObjectItem(box, "type")->valuestring, "box");
  assert_string_equal(cJSON_GetObjectItem(ball, "type")->valuestring, "ball");
  double volume = 1;
  for (int i = 0; i < 3; i++)
    volume *= cJSON_GetArrayItem(cJSON_GetObjectItem(box, "size"), i)->valuedouble;
  CHECK_NEAR(volume, 0.3 * 0.2 * 0.1, 1e-9);
  CHECK_NEAR(cJSON_GetArrayItem(cJSON_GetObjectItem(ball, "size"), 0)->valuedouble, 0.2, 1e-9);
  look_away(&s);
}

// A quarter circle of radius 1 in every continuum model: from the base to the tip, with r κ as its
// strain.
static void rods_of_every_model_go_from_base_to_tip(void** state) {
  (void)state;
  static const char* const models[] = {"srl", "ebr", "eba", "rom", "gvs"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    char text[600];
    snprintf(
        text, sizeof text,
        "rod(1).name = 'arc'; rod(1).length = pi/2; rod(1).radius = 0.02; rod(1).E = 1e6; "
        "rod(1).rho = 1000;\nrod(1).init = [0 0 0 0 1 0]; rod(1).model = '%s'; rod(1).n = %d;\n"
        "rod(1).joint.type = 'fixed';\nsensor(1).name = 'tip'; sensor(1).value = pos(rod(1), "
        "pi/2);\n",
        models[i], strcmp(models[i], "rom") == 0 ? 6 : 24);
    sight s = look(text);
    int n;
    rod_point* list = scene_rod_points(s.model, 0, &n);
    assert_true(n > 4);
    CHECK_NEAR(list[0].arc, 0, 0);
    CHECK_NEAR(list[n - 1].arc, asin(1), 1e-12);
    for (int k = 1; k < n; k++) assert_true(list[k].arc > list[k - 1].arc);
    free(list);

    const cJSON* rod = cJSON_GetArrayItem(cJSON_GetObjectItem(group(&s, "rod"), "items"), 0);
    double tip[3];
    assert_int_equal(td_sensors(s.model, s.state, s.work, tip), TD_OK);
    check_point(&s, offset(rod, "at", 0), 0, 0, 0);
    check_point(&s, offset(rod, "at", n - 1), tip[0], tip[1], tip[2]);
    CHECK_NEAR(tip[0], 1, 1e-2);  // second order in the segments' length
    const cJSON* strain = cJSON_GetObjectItem(rod, "strain");
    const int middle = cJSON_GetArraySize(strain) / 2;
    CHECK_NEAR((double)s.frame[cJSON_GetArrayItem(strain, middle)->valueint], 0.02, 1e-3);
    CHECK_NEAR(cJSON_GetArrayItem(cJSON_GetObjectItem(rod, "width"), 0)->valuedouble, 0.04, 1e-12);
    look_away(&s);
  }
}

// A net of 3 x 3 knots in a frame of 16: 25 nodes, 40 edges less those of the frame's own kind;
// each node's position is there once, whoever refers to it.
static void a_mesh_has_its_edges_and_nodes(void** state) {
  (void)state;
  sight s = look(
      "mesh.name = 'net'; mesh.grid = [5 5]; mesh.size = [1 1]; mesh.fixed = 'frame'; mesh.body.m "
      "= "
      ".02; mesh.joint(1).tr.trans = [inf inf inf]; mesh.joint(2).spring.coeff = 200;\n");
  const cJSON *edge = group(&s, "edge"), *node = group(&s, "node"), *held = group(&s, "held");
  assert_non_null(edge);
  const int edges = cJSON_GetArraySize(cJSON_GetObjectItem(edge, "a"));
  assert_true(edges >= 24 && edges <= 40);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(node, "at")), 9);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(held, "at")), 16);
  assert_null(group(&s, "spring"));
  assert_null(group(&s, "body"));
  assert_int_equal(s.scene->nnumber, 3 * 25);
  for (int i = 0; i < edges; i++) {
    const int a = offset(edge, "a", i), b = offset(edge, "b", i);
    const double d =
        hypot((double)(s.frame[a] - s.frame[b]), (double)(s.frame[a + 1] - s.frame[b + 1]));
    CHECK_NEAR(d, 0.25, 1e-6);
  }
  look_away(&s);
}

// A straight rod along z: a cable beside it runs beside it.
static void cables_run_where_their_path_says(void** state) {
  (void)state;
  sight s = look(
      "rod(1).length = .5; rod(1).radius = .02; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).model = "
      "'ebr'; rod(1).n = 8;\ncable(1).path = [.01 -.005]; cable(1).tension = 3;\n");
  const cJSON* cable = group(&s, "cable");
  assert_non_null(cable);
  const int n = cJSON_GetArraySize(cJSON_GetObjectItem(cable, "a"));
  assert_int_equal(n, 7);
  for (int i = 0; i < n; i++) {
    const int a = offset(cable, "a", i);
    CHECK_NEAR((double)s.frame[a], 0.01, 1e-8);
    CHECK_NEAR((double)s.frame[a + 1], -0.005, 1e-8);
    assert_true(s.frame[a + 2] > 0 && s.frame[a + 2] < 0.5f);
  }
  look_away(&s);
}

// A ball of radius 0.1 sunk by 1 mm into a plane of 1e4 N/m: 10 N upwards, at its lowest point.
static void a_contact_pushes_where_it_touches(void** state) {
  (void)state;
  sight s = look(
      "body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [0 0 inf]; joint(1).dof(1).init "
      "= "
      ".099;\ncontact(1).first = body(1); contact(1).points = [0 0 0]; contact(1).ball = .1; "
      "contact(1).second = 'plane'; contact(1).point = [0 0 0]; contact(1).normal = [0 0 1];\n"
      "contact(1).stiffness = 1e4; contact(1).exponent = 1;\n");
  const cJSON* contact = group(&s, "contact");
  assert_non_null(contact);
  check_point(&s, offset(contact, "at", 0), 0, 0, -0.001);
  const int push = offset(contact, "vector", 0);
  assert_true(fabs((double)s.frame[push + 2] - 10) < 1e-3);
  const cJSON* part = cJSON_GetArrayItem(cJSON_GetObjectItem(group(&s, "obstacle"), "parts"), 0);
  assert_string_equal(cJSON_GetObjectItem(part, "type")->valuestring, "plane");
  look_away(&s);
}

// Quaternions that stand for the same rotation, opposite in sign, are as near as they can be.
static void neighbouring_frames_do_not_flip(void** state) {
  (void)state;
  sight s = look(swing);
  const int n = s.scene->nnumber;
  float* other = malloc((size_t)n * sizeof(float));
  memcpy(other, s.frame, (size_t)n * sizeof(float));
  const cJSON* body = cJSON_GetArrayItem(cJSON_GetObjectItem(group(&s, "body"), "items"), 0);
  const int q = cJSON_GetObjectItem(body, "pose")->valueint + 3;
  for (int i = 0; i < 4; i++) other[q + i] = -other[q + i];
  td_scene_align(s.scene, s.frame, other);
  assert_memory_equal(other, s.frame, (size_t)n * sizeof(float));
  free(other);
  look_away(&s);
}

// Nothing at all, masses without size, numbers that overflow: still a scene.
static void odd_models_have_a_scene(void** state) {
  (void)state;
  static const char* const texts[] = {
      "body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf inf inf];\n",
      "body(1).m = 1e-9; body(1).I = 1e30*eye(3); joint(1).second = 1; joint(1).tr(1).rot = [1 "
      "inf];\n",
      "body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];\n"
      "joint(1).dof(1).init = 1e60;\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    sight s = look(texts[i]);
    for (int k = 0; k < s.scene->nnumber; k++) assert_true(isfinite(s.frame[k]));
    look_away(&s);
  }
}

// The base of a rod may be a joint that was not written as one.
static void a_rod_on_a_hinge_shows_the_hinge(void** state) {
  (void)state;
  sight s = look(
      "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000;\n"
      "rod(1).joint.type = 'revolute';\n");
  const cJSON* hinge = group(&s, "hinge");
  assert_non_null(hinge);
  assert_string_equal(cJSON_GetArrayItem(cJSON_GetObjectItem(hinge, "name"), 0)->valuestring,
                      "rod(1).base.dof(1)");
  look_away(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_link_its_hinge_spring_and_load_are_where_they_are),
      cmocka_unit_test(a_body_is_drawn_as_the_solid_with_its_inertia),
      cmocka_unit_test(boxes_and_balls_have_their_sides),
      cmocka_unit_test(rods_of_every_model_go_from_base_to_tip),
      cmocka_unit_test(a_mesh_has_its_edges_and_nodes),
      cmocka_unit_test(cables_run_where_their_path_says),
      cmocka_unit_test(a_contact_pushes_where_it_touches),
      cmocka_unit_test(neighbouring_frames_do_not_flip),
      cmocka_unit_test(odd_models_have_a_scene),
      cmocka_unit_test(a_rod_on_a_hinge_shows_the_hinge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
