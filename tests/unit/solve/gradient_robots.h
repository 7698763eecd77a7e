// Robots at rest with parameters and sensors, which together use every element that an equilibrium
// knows, and differences of order 8 of whole results.
#ifndef TD_GRADIENT_ROBOTS_H
#define TD_GRADIENT_ROBOTS_H

#include "robot.h"
#include "tendril/gradient.h"
#include "tendril/tools.h"

typedef struct resting {
  const char *name, *text;
  double tol;  // of derivatives, relative to the largest of a sensor
} resting;

static const resting resting_robots[] = {
    {"rod models",
     "a = param('a', .3); b = param('b', 1.1); u1 = input('u1', .4); world.g = [a 0 -9.81];\n"
     "models = {'gvs', 'srl', 'ebr', 'eba', 'rom'};\n"
     "for k = 1:5, rod(k).model = models{k}; rod(k).n = 2; rod(k).tr.trans = [a*k .1 0]; "
     "rod(k).tr.rot = [1 a]; rod(k).length = .2; rod(k).radius = .015*b - .01*a*s; rod(k).E = "
     "1e5*b; rod(k).rho = 1000*b; rod(k).eta = 300*b; rod(k).shape = [0 0 0 1 .3 0];\n"
     "rod(k).load = [a 0 b*s 0 1e-3 0]; rod(k).input = [0 0 .1*b u1*1e-3 0 0]; end\n"
     "x = {pos(rod(1), .2), pos(rod(2), .2), pos(rod(3), .2), pos(rod(4), .2), pos(rod(5), .2), "
     "strain(rod(1), .1), stretch(rod(2)), wrench(rod(1), .1), wrench(rod(4), .1), energy(), "
     "com()};\n",
     1e-8},
    {"tree of joints",
     "a = param('a', .3); b = param('b', 1.2); c = param('c', .4); u1 = input('u1', .2);\n"
     "world.g = [a 0 -9.81*b];\n"
     "for k = 1:4, body(k).m = b + k/7; body(k).I = diag([.01 .02 .025]*k*b); body(k).l_com = [a "
     ".02*k -c]; end\n"
     "joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 .3]; "
     "joint(1).dof(1).spring.coeff = 300*b; joint(1).dof(1).spring.init = nan;\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [c a^2 .3]; "
     "joint(2).tr(1).rot = [3 a]; joint(2).type = 'helical'; joint(2).axis = [1 2 .5]; "
     "joint(2).pitch = .07; joint(2).dof(1).input = 3*u1; joint(2).dof(1).damp.visc = .3*b; "
     "joint(2).dof(1).spring.coeff = 40;\n"
     "joint(3).first = 2; joint(3).second = 3; joint(3).tr(1).trans = [a inf 0]; "
     "joint(3).tr(1).rot = [inf inf inf]; for k = 1:4, joint(3).dof(k).spring.coeff = 60*b; end\n"
     "joint(4).first = 2; joint(4).second = 4; joint(4).tr(1).trans = [0 a -c]; "
     "joint(4).tr(1).rot = [0 inf inf inf];\n"
     "joint(5).first = 1; joint(5).second = 3; joint(5).tr.trans = [0 a 0]; joint(5).spring.coeff "
     "= 25*b; joint(5).spring.init = nan; joint(5).spring.compr = .7*b;\n"
     "joint(6).first = 3; joint(6).second = 4; joint(6).xaxis = [1 a 0]; joint(6).spring.coeff = "
     "[10 11 12 1 2 3]*8*b; joint(6).spring.init = nan*ones(1,6);\n"
     "joint(7).first = 1; joint(7).second = 4; joint(7).spring.coeff = 5*(1 + a*dof(joint(2),1)); "
     "joint(7).input = u1;\n"
     "magnet(1).on = 3; magnet(1).moment = [.3 a .5]; magnet(1).field = [1 b 3];\n"
     "exload(1).exbody = 4; exload(1).ftau = [b .2 a .03 c*dof(joint(2),1) .01]; "
     "exload(1).tr.trans = [a .2 c];\n"
     "x = {pos(body(3), [.1 .2 .3]), rot(body(4)), quat(body(4)), length(joint(5)), "
     "stretch(joint(6)), force(joint(2)), force(joint(3)), force(joint(5)), force(joint(6)), "
     "dof(joint(3), 1), energy(), com(), a*b*u1 + c*energy()^2};\n",
     1e-8},
    {"four-bar",
     "a = param('a', .5); b = param('b', 1); u1 = input('u1', .3); world.g = [0 -9.81 0];\n"
     "for k = 1:3, body(k).m = b; body(k).I = .1*eye(3); body(k).l_com = [a/2 0 0]; end\n"
     "joint(1).second = 1; joint(1).tr.rot = [3 inf]; joint(1).dof(1).init = pi/2; "
     "joint(1).dof(1).input = u1; joint(1).dof(1).damp.visc = .2*a; joint(1).dof(1).spring.coeff = "
     "9*b; "
     "joint(1).dof(1).spring.init = pi/2;\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [a 0 0]; joint(2).tr.rot = [3 "
     "inf]; joint(2).dof(1).init = -pi/2; joint(2).dof(1).spring.coeff = 14*b; "
     "joint(2).dof(1).spring.init = -1;\n"
     "joint(3).second = 3; joint(3).tr.trans = [1 0 0]; joint(3).tr.rot = [3 inf]; "
     "joint(3).dof(1).init = pi/2;\n"
     "joint(4).first = 2; joint(4).second = 3; joint(4).tr.trans = [b 0 0]; "
     "joint(4).tr2nd.trans = [.6*a + .2 0 0]; joint(4).type = 'revolute'; joint(4).axis = [0 0 "
     "1];\n"
     "x = {pos(body(2), [1 0 0]), dof(joint(1), 1), force(joint(1)), energy(), com()};\n",
     1e-8},
    {"rod in a loop",
     "a = param('a', .3); b = param('b', 1); world.g = [0 0 -9.81*b];\n"
     "rod(1).model = 'gvs'; rod(1).n = 4; rod(1).length = .4; rod(1).radius = .006*b; rod(1).E = "
     "1e6*b; rod(1).rho = 1100; rod(1).eta = 200*b; rod(1).tr.rot = [2 pi/2]; rod(1).shape = [0 0 "
     "0 0 -2 0];\n"
     "joint(1).first = at(rod(1), .4); joint(1).second = 0; joint(1).tr2nd.trans = [a 0 "
     ".1*a*b]; joint(1).type = 'spherical';\n"
     "x = {pos(rod(1), .2), lambda(joint(1)), wrench(rod(1), .1), energy()};\n",
     1e-7},
    {"cables in a rod",
     "a = param('a', .3); b = param('b', 1.1); u1 = input('u1', 1.5); world.g = [a 0 -9.81];\n"
     "rod(1).model = 'gvs'; rod(1).n = 3; rod(1).length = .2; rod(1).radius = .012*b; rod(1).E = "
     "2e5*b; rod(1).rho = 1000; rod(1).eta = 500*a;\n"
     "cable(1).rod = 1; cable(1).path = .008*b*[cos(20*s) sin(20*s)]; cable(1).tension = u1; "
     "cable(1).friction = .1*a;\n"
     "cable(2).rod = 1; cable(2).path = [.003*b -.006]; cable(2).pull = .01*b; "
     "cable(2).stiffness = 400*b;\n"
     "cable(3).rod = 1; cable(3).path = [-.007 .004]; cable(3).pull = .004*a;\n"
     "x = {pos(rod(1), .2), tension(cable(1)), tension(cable(2)), tension(cable(3)), "
     "length(cable(2)), length(cable(3)), energy()};\n",
     1e-7},
    {"slack and taut",
     "a = param('a', .3); b = param('b', 1.1); u1 = input('u1', .5); world.g = [.2 0 -9.81];\n"
     "body(1).m = b; body(1).I = .1*eye(3); body(1).l_com = [0 0 -.3]; joint(1).second = 1; "
     "joint(1).tr.rot = [2 inf]; joint(1).dof(1).init = .3; joint(1).dof(1).spring.coeff = 2; "
     "joint(1).dof(1).input = u1;\n"
     "cable(1).via = {0, 1}; cable(1).points = [a 0 .5; .1*b 0 -.4]; cable(1).pull = .3*a;\n"
     "cable(2).via = {0, 1}; cable(2).points = [-a 0 .5; .1*b 0 -.4]; cable(2).pull = -.5*a;\n"
     "x = {tension(cable(1)), tension(cable(2)), length(cable(2)), pos(body(1), [0 0 -.4]), "
     "force(joint(1)), energy()};\n",
     1e-8},
    {"contact",
     "a = param('a', .3); b = param('b', 1.1); world.g = [.3 0 -9.81*b]; fluid.rho = 300*b;\n"
     "body(1).m = 2; body(1).I = 1e-2*diag([1 2 2.5]); body(1).fluid.volume = 1.5e-3*b; "
     "body(1).fluid.center = [0 .01 .1*a];\n"
     "joint(1).second = 1; joint(1).type = 'planar'; joint(1).axis = [0 1 0]; for k = 1:3, "
     "joint(1).dof(k).spring.coeff = 30*b; end\n"
     "rod(1).first = 1; rod(1).tr.trans = [a 0 0]; rod(1).length = .2; rod(1).radius = .03; "
     "rod(1).E = 1e5; rod(1).rho = 1000;\n"
     "contact(1).first = body(1); contact(1).points = [.1 a -.05; 0 .1 -.02]; contact(1).ball = "
     ".3*b; contact(1).second = 'plane'; contact(1).point = [0 0 -.1*b]; contact(1).normal = [a "
     ".2 1]; contact(1).stiffness = 1000*b; contact(1).exponent = 1.5;\n"
     "contact(2).first = rod(1); contact(2).second = 'sphere'; contact(2).center = [a -.2 .1]; "
     "contact(2).radius = .33; contact(2).exponent = 1.5; contact(2).stiffness = 1e3*b;\n"
     "x = {energy(), pos(body(1)), com(), pos(rod(1), .2)};\n",
     1e-7},
    {"given motion",
     "a = param('a', .3); b = param('b', 2); world.g = [b 0 -9.81];\n"
     "for k = 1:2, body(k).m = k*b; body(k).I = .1*eye(3); body(k).l_com = [.2 a 0]; end\n"
     "joint(1).second = 1; joint(1).tr.rot = [3 inf]; joint(1).dof(1).motion = b*t + a*sin(2*t);\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.5 a 0]; joint(2).tr.rot = [2 "
     "inf]; joint(2).dof(1).spring.coeff = 14; joint(2).dof(1).damp.visc = b;\n"
     "x = {pos(body(2), [.1 0 .2]), dof(joint(1), 1), vel(body(2)), energy()};\n",
     1e-8},
    {"internal states",
     "k = param('k', 3); w = param('w', 2); g = param('g', .02); m0 = param('m0', 2e-3);\n"
     "world.g = [0 0 -9.81];\n"
     "p = internal('p', .1); dynamics(1).of = 'p'; dynamics(1).rate = k*(w*(1 + dof(joint(1), 1)) "
     "- p) - g*p^3;\n"
     "air = internal('air', m0*(1 + w)); dynamics(2).of = 'air'; dynamics(2).rate = 0*p;\n"
     "body(1).m = 1; body(1).I = .1*eye(3); body(1).l_com = [.2 0 0];\n"
     "joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof(1).spring.coeff = 9; "
     "joint(1).dof(1).input = p + 300*air*(1 - .2*dof(joint(1), 1));\n"
     "x = {p, air, dof(joint(1), 1), pos(body(1), [.3 0 0])};\n",
     1e-8},
    {"floating",
     "a = param('a', .3); b = param('b', 2); world.g = [0 0 0];\n"
     "for k = 1:2, body(k).m = k*b; body(k).I = .1*k*eye(3); joint(k).second = k; joint(k).type = "
     "'free'; joint(k).tr.trans = [0 0 .8*k]; end\n"
     "joint(3).first = 1; joint(3).second = 2; joint(3).tr.trans = [.1*a 0 0]; "
     "joint(3).spring.coeff = [50 60 70 5 6 7]*b; joint(3).spring.init = [0 .02*a .3 .1 0 0];\n"
     "joint(4).first = 1; joint(4).second = 2; joint(4).spring.coeff = 9*a; joint(4).spring.init = "
     ".4*b;\n"
     "x = {length(joint(3)), length(joint(4)), energy()};\n",
     1e-7},
    {"net",
     "a = param('a', .1); b = param('b', 1.2); c = param('c', .03); par.linear = 'sparse'; "
     "world.g = [0 0 -9.81];\n"
     "mesh(1).grid = [6 5]; mesh(1).size = [.6 .5]; mesh(1).fixed = [1 6 25 30]; mesh(1).body.m "
     "= .02*b; mesh(1).joint(2).spring.coeff = 90*b; mesh(1).joint(2).damp.visc = .02*b; "
     "mesh(1).joint(2).spring.compr = .7 + a; "
     "mesh(1).joint(3).spring.coeff = 15; mesh(1).joint(3).spring.compr = .9;\n"
     "body(1).m = 3*c; body(1).I = .01*eye(3); body(1).l_com = [0 0 -.1]; joint(1).first = "
     "at(mesh(1), 9); joint(1).second = 1; joint(1).type = 'universal';\n"
     "joint(2).first = at(mesh(1), 15); joint(2).fixed = [1 0 0];\n"
     "x = {pos(mesh(1), 8), pos(body(1)), lambda(joint(2)), energy()};\n",
     1e-7},
    {"net with a loose body",
     "b = param('b', 1.2); c = param('c', .03); par.linear = 'sparse'; world.g = [0 0 -9.81];\n"
     "mesh(1).grid = [4 3]; mesh(1).size = [.6 .5]; mesh(1).fixed = [1 4 9 12]; mesh(1).body.m "
     "= .02*b; mesh(1).joint(2).spring.coeff = 90*b; mesh(1).joint(2).spring.compr = .7; "
     "mesh(1).joint(3).spring.coeff = 15; mesh(1).joint(3).spring.compr = .9;\n"
     "body(1).m = 3*c; body(1).I = .01*eye(3); body(1).l_com = [0 0 -.1]; joint(1).first = "
     "at(mesh(1), 6); joint(1).second = 1; joint(1).type = 'spherical';\n"
     "x = {pos(mesh(1), 6), pos(body(1)), energy()};\n",
     1e-7},
    {"control over time",
     "a = param('a', .3); b = param('b', 1.1); world.g = [.5 0 -9.81];\n"
     "for k = 1:2, body(k).m = b; body(k).I = .1*eye(3); body(k).l_com = [.1 0 -.2]; end\n"
     "joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof(1).spring.coeff = 5; "
     "joint(1).dof(1).init = .4*b;\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [a 0 0]; joint(2).tr.rot = [2 "
     "inf]; joint(2).dof(1).spring.coeff = 5*b; joint(2).dof(1).init = -.9;\n"
     "joint(3).second = 2; joint(3).tr2nd.trans = [a 0 0]; joint(3).fixed = [1 0 0]; "
     "joint(3).control = 0*t;\n"
     "x = {pos(body(2)), energy()};\n",
     1e-7},
    {"rows that keep their value",
     "a = param('a', .3); b = param('b', 1.1); world.g = [.5 0 -9.81];\n"
     "for k = 1:2, body(k).m = b; body(k).I = .1*eye(3); body(k).l_com = [.1 0 -.2]; end\n"
     "joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof(1).spring.coeff = 5; "
     "joint(1).dof(1).init = .4*b;\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [a 0 0]; joint(2).tr.rot = [2 "
     "inf]; joint(2).dof(1).spring.coeff = 5*b; joint(2).dof(1).init = -.9;\n"
     "joint(3).second = 2; joint(3).tr2nd.trans = [a 0 0]; joint(3).fixed = [1 0 0];\n"
     "x = {pos(body(2)), lambda(joint(3)), energy()};\n",
     1e-7},
    {"row along a motion",
     "a = param('a', .3); b = param('b', 1.1); world.g = [.5 0 -9.81];\n"
     "for k = 1:2, body(k).m = b; body(k).I = .1*eye(3); body(k).l_com = [.1 0 -.2]; end\n"
     "joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof(1).spring.coeff = 5; "
     "joint(1).dof(1).init = .4;\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [a 0 0]; joint(2).tr.rot = [2 "
     "inf]; joint(2).dof(1).spring.coeff = 5*b; joint(2).dof(1).init = -.9;\n"
     "joint(3).second = 2; joint(3).tr2nd.trans = [a 0 0]; joint(3).fixed = [1 0 0]; "
     "joint(3).motion = .3*a*b + .1;\n"
     "x = {pos(body(2)), lambda(joint(3)), energy()};\n",
     1e-7},
};
enum { RESTING = sizeof resting_robots / sizeof *resting_robots };

// A robot with one sensor for each element of the list x.
static inline robot resting_open(int i) {
  char text[8192];
  snprintf(
      text, sizeof text,
      "%sfor k = 1:numel(x), sensor(k).name = sprintf('s%%d', k); sensor(k).value = x{k}; end\n",
      resting_robots[i].text);
  return robot_open(text);
}

// All parameters that may change and all inputs.
static inline int resting_by(const robot* r, td_by* by) {
  int n = 0;
  for (int i = 0; i < r->n.nparam; i++) by[n++] = (td_by){TD_BY_PARAM, i};
  for (int i = 0; i < r->n.nu; i++) by[n++] = (td_by){TD_BY_INPUT, i};
  return n;
}

// The equilibrium near `from` with one number changed by h; the state of r is left there.
static inline void resting_solve(robot* r, const td_state* from, td_by by, double value) {
  td_equil_options o = td_equil_options_default();
  td_equil_result result;
  o.tol = 1e-13;
  o.max_iterations = 200;
  if (by.kind == TD_BY_PARAM)
    assert_int_equal(td_work_set_param(r->model, r->work, by.index, value), TD_OK);
  assert_int_equal(td_state_initial(r->model, r->work, r->state), TD_OK);
  if (from) memcpy(r->state->q, from->q, (size_t)r->n.nq * sizeof(double));
  r->state->t = .3;  // for motion that is given
  if (by.kind == TD_BY_INPUT) r->state->u[by.index] = value;
  if (by.kind == TD_BY_INTERNAL) r->state->z[by.index] = value;
  const td_status status = td_equilibrium(r->model, r->work, r->state, &o, &result);
  // rounding is reached before 1e-13 of small forces
  if (status != TD_OK && !(status == TD_E_DIVERGED && result.residual < 1e-9)) {
    print_error("%s: %s\n", result.note, td_work_failure(r->work));
    fail();
  }
}

// Coefficients of the central difference of order 8.
static const double eighth[4] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};

#endif
