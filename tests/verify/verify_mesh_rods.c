// Meshes whose edges are polynomial rods (mesh.joint(2).rom): frames of beams against closed forms,
// against the same frames made of other rods and of loops, dense against sparse matrices.
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "tendril/tendril.h"
#include "tendril/tools.h"

typedef struct robot {
  td_model* model;
  td_work* work;
  td_state* state;
} robot;

static robot load(const char* text) {
  robot r = {0};
  td_spec* spec = td_spec_new();
  td_spec_load_string(spec, "frame.m", text);
  if (td_model_compile(spec, &r.model) != TD_OK) print_error("%s\n", td_spec_messages(spec));
  assert_non_null(r.model);
  td_spec_free(spec);
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  return r;
}

static void release(robot* r) {
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
}

static void settle(robot* r, double* sensors) {
  const td_equil_options options = td_equil_options_default();
  td_equil_result info;
  assert_int_equal(td_equilibrium(r->model, r->work, r->state, &options, &info), TD_OK);
  assert_int_equal(td_sensors(r->model, r->state, r->work, sensors), TD_OK);
}

// What edges are made of in the tests of small loads: GA, EA, EI and GJ.
enum { GA = 400, EA = 900 };
static const double EI = 0.05, GJ = 0.03;

static const char* const edges =
    "mesh(1).body(1).m = 0.01; mesh(1).body(1).I = eye(3)*1e-5;\n"
    "mesh(1).body(2).m = 0.08; mesh(1).body(2).I = diag([1 1 2])*1e-6;\n"
    "mesh(1).joint(1).tr.trans = [inf inf inf]; mesh(1).joint(1).tr.rot = [0 inf inf inf];\n"
    "mesh(1).joint(2).tr.trans = [inf inf inf]; mesh(1).joint(2).tr.rot = [0 inf inf inf];\n"
    "mesh(1).joint(2).spring.coeff = [400 400 900 0.05 0.05 0.03];\n";

// A beam of two edges of length l, clamped at both ends, with a load on the node in the middle:
// F l³/(24 EI) + F l/(2 GA) across, F l/(2 EA) along, a twist of T l/(2 GJ).  Displacements of
// third and rotations of second order are exact.  Loads are so small that squares do not matter.
static void a_clamped_beam_of_two_edges_gives_way_by_the_closed_form(void** state) {
  (void)state;
  const double l = 0.4, F = 1e-5;
  for (int order = 2; order <= 5; order++) {
    char text[2000];
    snprintf(text, sizeof text,
             "mesh(1).node = [0 0 0; 1 2 2; 2 4 4]*%g/3; mesh(1).edge = [2 1; 2 3];\n"
             "mesh(1).fixed = [1 3]; mesh(1).tr.rot = [3 0.7]; mesh(1).joint(2).rom.order = %d;\n%s"
             "Q = [cos(0.7) -sin(0.7) 0; sin(0.7) cos(0.7) 0; 0 0 1]; d = Q*[1 2 2]'/3;\n"
             "c = [-d(2) d(1) 0]/sqrt(d(1)^2 + d(2)^2);\n"
             "exload(1).exbody = 2; exload(1).ftau = %g*[c + d' d'];\n"
             "x = pos(mesh(1), 2) - %g*d'; S = rot(mesh(1), 2)*Q';\n"
             "sensor(1).name = 'across'; sensor(1).value = x*c';\n"
             "sensor(2).name = 'along'; sensor(2).value = x*d;\n"
             "sensor(3).name = 'twist';\n"
             "sensor(3).value = [S(3,2)-S(2,3) S(1,3)-S(3,1) S(2,1)-S(1,2)]/2*d;\n"
             "sensor(4).name = 'length'; sensor(4).value = length(mesh(1), 2);\n",
             l, order, edges, F, l);
    robot r = load(text);
    double y[4];
    settle(&r, y);
    CHECK_NEAR(y[0], F * l * l * l / (24 * EI) + F * l / (2 * GA), 1e-6 * y[0]);
    CHECK_NEAR(y[1], F * l / (2 * EA), 1e-6 * y[1]);
    CHECK_NEAR(y[2], F * l / (2 * GJ), 1e-6 * y[2]);
    // the length between the nodes follows from where they are: rounding of lengths of about 1 m
    CHECK_NEAR(y[3], hypot(l - y[1], y[0]), 1e-14);
    release(&r);
  }
}

// A bracket: an edge of length a along x, clamped, and one of length b along y with a load F
// along z at its end.  The first one bends by F and is twisted by F b.
static void a_bracket_gives_way_by_the_closed_form(void** state) {
  (void)state;
  const double a = 0.5, b = 0.3, F = 1e-7;
  char text[2000];
  snprintf(text, sizeof text,
           "mesh(1).node = [0 0 0; %g 0 0; %g %g 0]; mesh(1).edge = [1 2; 3 2];\n"
           "mesh(1).fixed = 1; mesh(1).joint(2).rom.order = 2;\n%s"
           "exload(1).exbody = 3; exload(1).ftau = [0 0 %g 0 0 0];\n"
           "x = pos(mesh(1), 3); sensor(1).name = 'z'; sensor(1).value = x(3);\n"
           "sensor(2).name = 'w'; sensor(2).value = wrench(rod(1), 0.1);\n",
           a, a, b, edges, F);
  robot r = load(text);
  double y[7];
  settle(&r, y);
  const double z = F * ((a * a * a + b * b * b) / (3 * EI) + a * b * b / GJ + (a + b) / GA);
  CHECK_NEAR(y[0], z, 1e-6 * z);
  // the first edge transmits F, the moment F (a - 0.1) and the twist F b, whatever its x axis
  CHECK_NEAR(sqrt(y[1] * y[1] + y[2] * y[2] + y[3] * y[3]), F, 1e-6 * F);
  CHECK_NEAR(sqrt(y[4] * y[4] + y[5] * y[5]), F * 0.4, 1e-6 * F);
  CHECK_NEAR(fabs(y[6]), F * b, 1e-6 * F);
  release(&r);
}

// Clamped at both ends, slender and with nodes that weigh nothing: ω = (β l)² √(EI/m)/l² with
// β l = 4.730041 and 7.853205, each twice; shear and rotary inertia take 1e-4 of it.
static void a_clamped_beam_vibrates_at_the_known_frequencies(void** state) {
  (void)state;
  robot r = load(
      "mesh(1).node = [0 0 0; 0 0 0.5; 0 0 1]; mesh(1).edge = [1 2; 2 3]; mesh(1).fixed = [1 3];\n"
      "mesh(1).body(1).m = 1e-9; mesh(1).body(1).I = eye(3)*1e-12;\n"
      "mesh(1).body(2).m = 0.1; mesh(1).body(2).I = diag([1 1 2])*1e-8;\n"
      "mesh(1).joint(1).tr.rot = [0 inf inf inf];\n"
      "mesh(1).joint(2).rom.order = 5;\n"
      "mesh(1).joint(2).spring.coeff = [1e5 1e5 2e5 0.1 0.1 0.1];\n");
  td_modes_result* modes = NULL;
  assert_int_equal(td_modes(r.model, r.state, r.work, &modes), TD_OK);
  static const double beta[2] = {4.730040744862704, 7.853204624095838};
  for (int k = 0; k < 4; k++) {
    const double omega = beta[k / 2] * beta[k / 2];
    CHECK_NEAR(modes->omega[k], omega, 4e-4 * omega);
  }
  td_modes_free(modes);
  release(&r);
}

// A frame of 3 x 2 nodes, held at two of them, that sags by a third of its length.
static const char* const frame =
    "L = 0.2; EI = 2e-3; world.g = [0 0 -9.81];\n"
    "mesh(1).grid = [3 2]; mesh(1).size = [2*L L]; mesh(1).fixed = [1 4];\n"
    "mesh(1).body(1).m = 0.01; mesh(1).body(1).I = eye(3)*1e-5;\n"
    "mesh(1).joint(1).tr.trans = [inf inf inf]; mesh(1).joint(1).tr.rot = [0 inf inf inf];\n";
static const char* const frame_sensors =
    "for k = 1:6, sensor(k).name = sprintf('p%d', k); sensor(k).value = pos(mesh(1), k); end\n"
    "sensor(7).name = 'middle'; sensor(7).value = pos(rod(2), L/2);\n"
    "sensor(8).name = 'strain'; sensor(8).value = strain(rod(1), 0.03);\n";

static void sag(const char* edges_text, const char* linear, double* y) {
  char text[3000];
  snprintf(text, sizeof text, "%spar.linear = '%s';\n%s%s", frame, linear, edges_text,
           frame_sensors);
  robot r = load(text);
  settle(&r, y);
  release(&r);
}

// The same frame of strain-parametrised rods between the nodes, each closed by a joint, in the
// order of the grid's edges: other coordinates, another quadrature.  Section axes differ; the
// sections are round.
static void frames_agree_with_frames_of_other_rods(void** state) {
  (void)state;
  enum { N = 27 };
  double rom[N], sparse[N], gvs[N], coarse[N];
  const char* edge_text =
      "mesh(1).joint(2).rom.order = %d; mesh(1).body(2).m = 0.05;\n"
      "mesh(1).body(2).I = diag([1 1 2])*1e-6;\n"
      "mesh(1).joint(2).spring.coeff = [40 40 80 EI EI EI/1.5];\n";
  char fine[400], low[400];
  snprintf(fine, sizeof fine, edge_text, 6);
  snprintf(low, sizeof low, edge_text, 3);
  sag(fine, "dense", rom);
  sag(fine, "sparse", sparse);
  sag(low, "dense", coarse);
  sag("mesh(1).joint(2).spring.coeff = 0;\n"
      "e = [1 2; 1 4; 2 3; 2 5; 3 6; 4 5; 5 6];\n"
      "for k = 1:7\n"
      "  rod(k).first = at(mesh(1), e(k,1)); rod(k).length = L; rod(k).n = 6;\n"
      "  if e(k,2) - e(k,1) == 1, turn = [2 pi/2]; else, turn = [1 -pi/2]; end\n"
      "  rod(k).tr.rot = turn; rod(k).stiffness = [40 40 80 EI EI EI/1.5];\n"
      "  rod(k).inertia = [0.05 0.05 0.05 1e-6 1e-6 2e-6];\n"
      "  joint(k).first = at(rod(k), L); joint(k).second = at(mesh(1), e(k,2));\n"
      "  joint(k).tr2nd.rot = turn; joint(k).type = 'fixed';\n"
      "end\n",
      "dense", gvs);
  assert_true(rom[3 * 5 + 2] < -0.1);  // it does sag
  double worst = 0, near = 0, off = 0;
  for (int i = 0; i < 21; i++) {
    worst = fmax(worst, fabs(rom[i] - gvs[i]));
    off = fmax(off, fabs(coarse[i] - gvs[i]));
    near = fmax(near, fabs(rom[i] - sparse[i]));
  }
  CHECK_NEAR(worst, 0, 8e-6);  // of polynomials of order 6 in rods bent by two radians
  CHECK_NEAR(near, 0, 1e-9);
  assert_true(off > 3 * worst);  // higher order is nearer
  for (int i = 21; i < 27; i++) near = fmax(near, fabs(rom[i] - sparse[i]));
  CHECK_NEAR(near, 0, 1e-8);
  CHECK_NEAR(hypot(rom[24], rom[25]), hypot(gvs[24], gvs[25]), 0.06);  // bending there, 1/m
}

// Rows for each edge: rest lengths that are 2 % shorter and 2 % longer leave EA 0.02 of tension and
// compression; an input pulls with its own force.  The end of a symmetric chain stays in its line.
static void edges_have_their_own_numbers(void** state) {
  (void)state;
  robot r = load(
      "mesh(1).node = [0 0 0; 0 0.3 0; 0 0.6 0]; mesh(1).edge = [1 2; 2 3];\n"
      "mesh(1).fixed = [1 3]; mesh(1).body(1).m = 0.01; mesh(1).body(1).I = eye(3)*1e-5;\n"
      "mesh(1).body(2).m = [0.05; 0.07]; mesh(1).joint(1).tr.rot = [0 inf inf inf];\n"
      "mesh(1).joint(2).rom.order = 2;\n"
      "mesh(1).joint(2).spring.coeff = [40 40 90 0.01 0.01 0.01; 40 40 180 0.01 0.01 0.01];\n"
      "mesh(1).joint(2).spring.init = [0 0 -0.02 0 0 0; 0 0 0.01 0 0 0];\n"
      "mesh(1).joint(2).input = [0 0 0 0 0 0; 0 0 0.3 0 0 0];\n"
      "sensor(1).name = 'w'; sensor(1).value = wrench(rod(1), 0.1);\n"
      "sensor(2).name = 'v'; sensor(2).value = wrench(rod(2), 0.1);\n"
      "x = pos(mesh(1), 2); sensor(3).name = 'y'; sensor(3).value = x(2);\n"
      "sensor(4).name = 'e'; sensor(4).value = energy();\n");
  double y[14];
  // strains e1 = u/l, e2 = -u/l: 90 (e1 + 0.02) = 180 (e2 - 0.01) - 0.3
  const double u = 0.3 * (-1.8 - 1.8 - 0.3) / 270, T = 90 * (u / 0.3 + 0.02);
  settle(&r, y);
  CHECK_NEAR(y[12], 0.3 + u, 1e-9);
  CHECK_NEAR(y[2], T, 1e-7);
  CHECK_NEAR(y[8], T, 1e-7);
  release(&r);
}

// Two numbers are those of the translational and of the rotational strains, as in joint.rom, also
// where a mesh has two edges.
static void pairs_are_for_translations_and_rotations(void** state) {
  (void)state;
  static const char* const ways[] = {"[70 0.02]", "[70 70 70 0.02 0.02 0.02]"};
  double y[2][3];
  for (int k = 0; k < 2; k++) {
    char text[1500];
    snprintf(text, sizeof text,
             "mesh(1).node = [0 0 0; 0.3 0 0; 0.3 0.2 0]; mesh(1).edge = [1 2; 2 3];\n"
             "mesh(1).fixed = 1; mesh(1).joint(2).rom.order = 2;\n%s"
             "mesh(1).joint(2).spring.coeff = %s; world.g = [0 0 -9.81];\n"
             "sensor(1).name = 'p'; sensor(1).value = pos(mesh(1), 3);\n",
             edges, ways[k]);
    robot r = load(text);
    settle(&r, y[k]);
    release(&r);
  }
  for (int i = 0; i < 3; i++) CHECK_NEAR(y[0][i], y[1][i], 1e-12);
  assert_true(y[0][2] < -0.01);
}

// A bracket that is let go under its weight keeps its energy, damped sections lose it to the
// dampers; nodes and ends of edges stay together.
static void brackets_in_motion_keep_their_energy(void** state) {
  (void)state;
  for (int damped = 0; damped < 2; damped++) {
    char text[2000];
    snprintf(text, sizeof text,
             "world.g = [0 0 -9.81]; par.t_final = 0.1; par.rtol = 1e-8; par.atol = 1e-10;\n"
             "mesh(1).node = [0 0 0; 0.5 0 0; 0.5 0.3 0]; mesh(1).edge = [1 2; 2 3];\n"
             "mesh(1).fixed = 1; mesh(1).joint(2).rom.order = 2;\n%s"
             "mesh(1).joint(2).damp.visc = %d*[1 1 1 1e-3 1e-3 1e-3];\n",
             edges, damped);
    robot r = load(text);
    td_trajectory* t = NULL;
    const td_sim_options options = td_sim_options_default();
    assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &t), TD_OK);
    const int last = td_trajectory_rows(t) - 1;
    const double *e0 = td_trajectory_energy(t, 0), *e1 = td_trajectory_energy(t, last);
    const double before = e0[0] + e0[1] + e0[2], after = e1[0] + e1[1] + e1[2];
    assert_true(fabs(e1[2] - e0[2]) > 1e-3);  // it fell
    CHECK_NEAR(after - before, e1[3] - e0[3], 1e-7);
    if (!damped) CHECK_NEAR(after, before, 1e-7);
    if (damped) assert_true(after < before - 1e-4);
    assert_int_equal(td_trajectory_trust(t, NULL), TD_TRUST_OK);
    td_trajectory_free(t);
    release(&r);
  }
}

// An edge that lies on a plane at the depth weight/stiffness, both per length, is held all along:
// it stays straight between clamped nodes.  Without the contact it would sag, by w l^4/(384 E I) =
// 0.1 mm at the middle.
static void edges_touch_where_a_contact_names_them(void** state) {
  (void)state;
  static const char text[] =
      "world.g = [0 0 -9.81]; mesh.node = [0 0 -4.905e-3; 0.2 0 -4.905e-3]; mesh.edge = [1 2];\n"
      "mesh.fixed = [1 2]; mesh.body(1).m = 0.01; mesh.body(1).I = 1e-6*eye(3);\n"
      "mesh.body(2).m = 0.5; mesh.body(2).I = 1e-6*eye(3);\n"
      "mesh.joint(1).tr.trans = [inf inf inf]; mesh.joint(1).tr.rot = [0 inf inf inf];\n"
      "mesh.joint(2).rom.order = 4; mesh.joint(2).spring.coeff = [1e4 1e4 1e4 0.2 0.2 0.2];\n"
      "sensor(1).name = 'z'; sensor(1).value = [pos(rod(1), 0.1)(3), pos(rod(1), 0.03)(3)];\n";
  static const char touch[] = "contact(1).second = 'plane'; contact(1).stiffness = 1000;\n";
  static const char* const first[] = {"", "contact(1).first = rod(1);\n",
                                      "contact(1).first = mesh(1);\n"};
  for (int k = 0; k < 3; k++) {
    char model[1024];
    double z[2];
    snprintf(model, sizeof model, "%s%s%s", text, first[k], k > 0 ? touch : "");
    robot r = load(model);
    settle(&r, z);
    const double sag = 0.5 * 9.81 * pow(0.2, 4) / (384 * 0.2);
    if (k == 1) {
      // equilibria are found to 1e-9 of the forces: 1e-9 N over some 100 N/m
      CHECK_NEAR(z[0], -4.905e-3, 1e-10);
      CHECK_NEAR(z[1], -4.905e-3, 1e-10);
    } else {
      // shear adds w l^2/(8 G A) = 2.4 % of it
      CHECK_NEAR((-4.905e-3 - z[0]) / (sag + 0.5 * 9.81 * 0.04 / (8 * 1e4)), 1, 5e-3);
    }
    release(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_clamped_beam_of_two_edges_gives_way_by_the_closed_form),
      cmocka_unit_test(a_bracket_gives_way_by_the_closed_form),
      cmocka_unit_test(a_clamped_beam_vibrates_at_the_known_frequencies),
      cmocka_unit_test(frames_agree_with_frames_of_other_rods),
      cmocka_unit_test(edges_have_their_own_numbers),
      cmocka_unit_test(pairs_are_for_translations_and_rotations),
      cmocka_unit_test(brackets_in_motion_keep_their_energy),
      cmocka_unit_test(edges_touch_where_a_contact_names_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
