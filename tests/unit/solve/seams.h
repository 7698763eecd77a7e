// Motions of every kind of element that derivatives of trajectories meet, with what to
// differentiate by.
#ifndef TD_TEST_SEAMS_H
#define TD_TEST_SEAMS_H

#include "moved.h"
#include "sanitized.h"

#define ROD                                                                                        \
  "world.g = [.3 0 -9.81]; E = param('E', 2e5); r = param('r', .012); rho = param('rho', 1000);\n" \
  "eta = param('eta', 400); f = param('f', .2); u1 = input('u1', .4);\n"                           \
  "rod(1).length = .3; rod(1).radius = r; rod(1).E = E; rod(1).rho = rho; rod(1).eta = eta;\n"     \
  "rod(1).input = [0 0 0 u1*1e-2 0 0]; rod(1).load = [f*sin(9*t) 0 0 0 0 0];\n"                    \
  "sensor(1).name = 'p'; sensor(1).value = [pos(rod(1), .2) vel(rod(1), .2)];\n"

static const struct {
  const char *name, *params, *text;
  double t_final, most;
  double computed;                          // differences of equal steps
  int position, velocity, input, internal;  // -1: not
  td_solver reference;
} seam[] = {
    {"free body with a quaternion", "k a",
     "world.g = [0 0 -3]; k = param('k', 5); a = param('a', .3);\n"
     "body(1).m = 1.2; body(1).I = diag([.1 .2 .25]); body(1).l_com = [a .02 -.1];\n"
     "joint(1).second = 1; joint(1).type = 'free';\n"
     "joint(2).second = 1; joint(2).spring.coeff = k; joint(2).spring.init = .4;\n"
     "joint(2).tr.trans = [0 .3 .8]; joint(2).damp.visc = .2;\n"
     "joint(1).dof(4).rate = 2; joint(1).dof(5).rate = 1;\n"
     "sensor(1).name = 'p'; sensor(1).value = [pos(body(1), [0 .1 0]) omega(body(1))];\n",
     1, 3e-8, 1e-8, 4, 4, -1, -1, TD_SOLVER_EXPLICIT},
    {"four-bar loop", "l k",
     "world.g = [0 0 -9.81]; l = param('l', .5); k = param('k', 2);\n"
     "for j = 1:3, body(j).m = .3 + j/10; body(j).I = 1e-2*eye(3); body(j).l_com = [l/2 0 0]; end\n"
     "joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof(1).init = 1.2;\n"
     "joint(1).dof(1).spring.coeff = k; joint(1).dof(1).spring.init = 0;\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [l 0 0]; joint(2).tr.rot = [2 "
     "inf];\n"
     "joint(2).dof(1).init = -1.2; joint(3).first = 2; joint(3).second = 3;\n"
     "joint(3).tr.trans = [.7 0 0]; joint(3).tr.rot = [2 inf]; joint(3).dof(1).init = 1.2 + pi;\n"
     "joint(4).first = 3; joint(4).tr.trans = [.5 0 0];\n"
     "joint(4).tr2nd.trans = [.7 0 0]; joint(4).type = 'revolute'; joint(4).axis = [0 1 0];\n"
     "sensor(1).name = 'p'; sensor(1).value = [pos(body(2)) vel(body(3))];\n",
     .6, 3e-7, 1e-8, -1, -1, -1, -1, TD_SOLVER_EXPLICIT},
    {"prescribed motion", "a w k",
     "world.g = [0 0 -9.81]; a = param('a', .3); w = param('w', 3); k = param('k', 4);\n"
     "body(1).m = 1; body(1).I = .1*eye(3); body(1).l_com = [.2 0 0];\n"
     "body(2).m = 2; body(2).I = .2*eye(3); body(2).l_com = [.3 0 .1];\n"
     "joint(1).second = 1; joint(1).tr.rot = [3 inf]; joint(1).dof(1).motion = a*sin(w*t)^3;\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.5 0 0]; joint(2).tr.rot = [2 "
     "inf];\n"
     "joint(2).dof(1).spring.coeff = k; joint(2).dof(1).damp.visc = .2;\n"
     "sensor(1).name = 'e'; sensor(1).value = [force(joint(1)) acc(body(2))];\n",
     1, 3e-7, 1e-8, 1, 1, -1, -1, TD_SOLVER_EXPLICIT},
    {"internal state", "T g",
     "T = param('T', .2); g = param('g', 3); u1 = input('u1', .5); s = internal('s', .1);\n"
     "body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];\n"
     "joint(1).dof(1).spring.coeff = 9; joint(1).dof(1).damp.visc = .3;\n"
     "joint(1).dof(1).input = g*s; dynamics(1).of = 's';\n"
     "dynamics(1).rate = (u1 - s - .2*dof(joint(1),1))/T;\n"
     "sensor(1).name = 'p'; sensor(1).value = [pos(body(1))(1) s];\n",
     1.5, 3e-8, 1e-8, 0, 0, 0, 0, TD_SOLVER_EXPLICIT},
    {"one-sided spring", "k x",
     "world.g = [-9.81 0 0]; k = param('k', 300); x = param('x', .1); body(1).m = 1;\n"
     "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).init = .3;\n"
     "joint(2).second = 1; joint(2).tr.trans = [2 0 0]; joint(2).spring.coeff = k;\n"
     "joint(2).spring.init = 2 - x; joint(2).dir = 1;\n"
     "sensor(1).name = 'p'; sensor(1).value = pos(body(1))(1);\n",
     .9, 3e-6, 1e-4, 0, 0, -1, -1, TD_SOLVER_EXPLICIT},
    {"contact with a plane", "c h",
     "world.g = [0 0 -9.81]; c = param('c', 2000); h = param('h', .3);\n"
     "body(1).m = .5; body(1).I = 1e-3*eye(3); joint(1).second = 1; joint(1).tr.trans = [0 0 "
     "inf];\n"
     "joint(1).dof(1).init = h; contact(1).first = body(1); contact(1).ball = .1;\n"
     "contact(1).second = 'plane'; contact(1).point = [0 0 0]; contact(1).normal = [0 0 1];\n"
     "contact(1).stiffness = c; contact(1).damping = .2; contact(1).exponent = 1.5;\n"
     "sensor(1).name = 'p'; sensor(1).value = pos(body(1))(3);\n",
     .5, 3e-6, 1e-2, 0, 0, -1, -1, TD_SOLVER_EXPLICIT},
    {"a force that is switched on at a time that a parameter says", "ts F",
     "ts = param('ts', .31); F = param('F', 2); body(1).m = 1; joint(1).second = 1;\n"
     "joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).spring.coeff = 40;\n"
     "joint(1).dof(1).input = F*step(t, ts);\n"
     "sensor(1).name = 'p'; sensor(1).value = pos(body(1))(1);\n",
     1, 3e-7, 1e-4, 0, 0, -1, -1, TD_SOLVER_EXPLICIT},
    {"tables whose values are parameters", "a b k",
     "a = param('a', 2); b = param('b', 3); k = param('k', 40); body(1).m = 1; joint(1).second = "
     "1;\n"
     "joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).damp.visc = .4;\n"
     "joint(1).dof(1).spring.coeff = interp1([-.1 0 .1], [k 2*k 4*k], dof(joint(1),1), 'spline');\n"
     "joint(1).dof(1).input = interp1([0 .3 .7 2], [0 a b 1], t);\n"
     "body(2).m = 1; joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [inf 0 0];\n"
     "joint(2).dof(1).motion = interp1([0 .4 .8 1], [0 0 a b]/20, t, 'spline');\n"
     "sensor(1).name = 'p'; sensor(1).value = [pos(body(1))(1) acc(body(2))(1)];\n",
     .9, 3e-7, 1e-7, 0, 0, -1, -1, TD_SOLVER_EXPLICIT},
    {"gvs rod", "E r rho eta f", ROD "rod(1).model = 'gvs'; rod(1).order = [-1 -1 0 2 1 0];\n", .3,
     3e-6, 1e-8, 2, -1, 0, -1, TD_SOLVER_STIFF},
    {"srl rod", "E r f", ROD "rod(1).model = 'srl'; rod(1).n = 3;\n", .3, 3e-6, 1e-8, -1, -1, 0, -1,
     TD_SOLVER_STIFF},
    {"ebr rod", "E r f", ROD "rod(1).model = 'ebr'; rod(1).n = 2;\n", .3, 3e-6, 1e-8, -1, -1, 0, -1,
     TD_SOLVER_STIFF},
    {"eba rod", "E r f", ROD "rod(1).model = 'eba'; rod(1).n = 2;\n", .2, 3e-6, 1e-8, -1, -1, 0, -1,
     TD_SOLVER_STIFF},
    {"rom rod", "E r f", ROD "rod(1).model = 'rom'; rod(1).n = 2;\n", .3, 3e-6, 1e-8, -1, -1, 0, -1,
     TD_SOLVER_STIFF},
    {"cables", "E T",
     ROD "T = param('T', .4); rod(1).model = 'gvs'; rod(1).order = [-1 -1 0 1 1 0];\n"
         "cable(1).rod = 1; cable(1).path = [.008 0]; cable(1).tension = T*(1 + .2*sin(8*t));\n"
         "cable(2).rod = 1; cable(2).path = [0 .008]; cable(2).pull = .001 + .0005*sin(7*t); "
         "cable(2).stiffness = 400;\n",
     .3, 3e-6, 1e-8, -1, -1, 0, -1, TD_SOLVER_STIFF},
    {"a slack cable that cannot be stretched", "E",
     ROD
     "a = param('a', .004); rod(1).model = 'gvs'; rod(1).order = [-1 -1 0 1 1 0];\n"
     "cable(1).rod = 1; cable(1).path = [-.008 0]; cable(1).pull = a*(t/.05)^2; rod(1).tr.rot = "
     "[2 .4];\n",
     .04, 3e-6, 1e-8, -1, -1, 0, -1, TD_SOLVER_STIFF},
};

enum { SEAMS = sizeof seam / sizeof *seam, SEAM_BY = 16 };

// What a seam is differentiated by; returns how many.
static inline int seam_by(int i, td_by* by) {
  int n = moved_params(seam[i].text, seam[i].params, by);
  if (seam[i].position >= 0) by[n++] = (td_by){TD_BY_POSITION, seam[i].position};
  if (seam[i].velocity >= 0) by[n++] = (td_by){TD_BY_VELOCITY, seam[i].velocity};
  if (seam[i].input >= 0) by[n++] = (td_by){TD_BY_INPUT, seam[i].input};
  if (seam[i].internal >= 0) by[n++] = (td_by){TD_BY_INTERNAL, seam[i].internal};
  return n;
}

// Whether the environment asks for others alone; rods take long under sanitizers, and other tests
// take all their models through the same derivatives.
static inline bool seam_left_out(int i) {
  const char* only = getenv("TENDRIL_SEAM");
  if (CHECK_SANITIZED && !only && (strstr(seam[i].name, "rod") || strstr(seam[i].name, "cable")))
    return true;
  return only && !strstr(seam[i].name, only);
}

#endif
