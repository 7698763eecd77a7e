// Networks for the tests of the sparse path: texts with loops, small enough to be compared with the
// dense path.
#ifndef TD_NETS_H
#define TD_NETS_H

#include "robots.h"

// A net of point masses that hangs on one edge: springs along x, ropes along y.
static const char net_points[] =
    "world.g = [0 0 -9.81]; n = 4; a = .1; k = 0; j = 0;\n"
    "for y = 1:n, for x = 1:n\n"
    "  k = k + 1; body(k).m = .02 + .001*k; j = j + 1; joint(j).second = k;\n"
    "  joint(j).tr.trans = [inf inf inf]; joint(j).dof(1).init = a*x; joint(j).dof(2).init = a*y;\n"
    "end, end\n"
    "for y = 1:n, for x = 1:n\n"
    "  j = j + 1; joint(j).second = x + n*(y-1); joint(j).spring.coeff = 200 + x;\n"
    "  joint(j).spring.compr = .95; joint(j).spring.init = nan; joint(j).damp.visc = .1; "
    "joint(j).damp.along = 1;\n"
    "  if x > 1, joint(j).first = x - 1 + n*(y-1); else, joint(j).tr.trans = [0 a*y 0]; end\n"
    "end, end\n"
    "for y = 2:n, for x = 1:n\n"
    "  j = j + 1; joint(j).first = x + n*(y-2); joint(j).second = x + n*(y-1);\n"
    "  joint(j).spring.coeff = 100; joint(j).spring.init = .9*a; joint(j).dir = 1;\n"
    "  joint(j).damp.visc = .05; joint(j).damp.along = mod(x, 2);\n"
    "end, end\n"
    "sensor(1).name = 'e'; sensor(1).value = [pos(body(n*n)) length(joint(n*n + 1))];\n";

// Free bodies joined by beams, a load, a spring whose stiffness follows another node, a motor that
// follows a distant one.
static const char net_beams[] =
    "world.g = [0 0 -9.81]; u1 = input('u1', .4); n = 3; a = .1; k = 0; j = 0;\n"
    "for y = 1:n, for x = 1:n\n"
    "  k = k + 1; body(k).m = .02; body(k).I = 1e-5*diag([1 2 2.5]); body(k).l_com = [.01 0 0];\n"
    "  j = j + 1; joint(j).second = k; joint(j).type = 'free'; joint(j).dof(1).init = a*x;\n"
    "  joint(j).dof(2).init = a*y;\n"
    "end, end\n"
    "for y = 1:n, for x = 1:n\n"
    "  j = j + 1; joint(j).second = x + n*(y-1); joint(j).spring.coeff = [30 40 50 .03 .04 .05];\n"
    "  joint(j).spring.init = nan*ones(1,6); joint(j).damp.visc = [.1 .2 .3 .01 .01 .01];\n"
    "  if x > 1, joint(j).first = x - 1 + n*(y-1); joint(j).xaxis = [0 0 1];\n"
    "  else, joint(j).tr.trans = [0 a*y 0]; end\n"
    "end, end\n"
    "joint(j+1).first = 5; joint(j+1).second = 9; joint(j+1).spring.init = .1;\n"
    "joint(j+1).spring.coeff = 20*(1 + pos(body(2))(3)^2); joint(j+1).input = u1*vel(body(7))(1);\n"
    "exload(1).exbody = 8; exload(1).ftau = [0 .1 u1*dof(joint(1),3) 0 .01 0];\n"
    "exload(2).exbody = 4; exload(2).refbody = 3; exload(2).ftau = [0 .1 .2 .01 0 0];\n";

// A net of point masses on a two-link arm with a tool and a motion that is given, held by
// constraints and springs; one constraint is redundant.
static const char net_arm[] =
    "world.g = [0 0 -9.81]; u1 = input('u1', .1); a = .1;\n"
    "body(1).m = 1; body(1).I = .01*eye(3); body(1).l_com = [.2 0 0];\n"
    "body(2).m = .5; body(2).I = .005*eye(3); body(2).l_com = [.1 0 .02];\n"
    "joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof(1).spring.coeff = 30;\n"
    "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.4 0 0]; joint(2).tr.rot = [2 "
    "inf]; joint(2).dof(1).input = u1 - .2*dof(joint(1),1) - .01*ddof(joint(2),1);\n"
    "joint(3).second = 3; joint(3).tr.trans = [inf 0 1]; joint(3).dof(1).motion = .1*sin(3*t);\n"
    "body(3).m = 1;\n"
    "for k = 1:6\n"
    "  body(3+k).m = .02; joint(3+k).second = 3+k; joint(3+k).tr.trans = [inf inf inf];\n"
    "  joint(3+k).dof(1).init = a*k; joint(3+k).dof(3).init = .05*k;\n"
    "end\n"
    "j = 9;\n"
    "for k = 2:6\n"
    "  j = j + 1; joint(j).first = 2+k; joint(j).second = 3+k; joint(j).spring.coeff = 50;\n"
    "  joint(j).spring.init = .9*a; joint(j).damp.visc = .1; "
    "joint(j).damp.along = 1;\n"
    "end\n"
    "joint(j+1).first = 3; joint(j+1).second = 4; joint(j+1).spring.coeff = 20; "
    "joint(j+1).spring.init = .3;\n"
    "joint(j+2).first = 2; joint(j+2).second = 9; joint(j+2).fixed = [1 1 1]; "
    "joint(j+2).tr.trans = [.2 0 .3];\n"
    "joint(j+3).first = 1; joint(j+3).second = 6; joint(j+3).fixed = [0 1 0]; joint(j+3).control = "
    "[0 u1*sin(t) 0 0 0 0];\n"
    "joint(j+4).first = 2; joint(j+4).second = 9; joint(j+4).fixed = [1 0 0]; "
    "joint(j+4).tr.trans = [.2 0 .3];\n";

static const char net_chain[] =
    "world.g = [0 0 -9.81];\n"
    "rod(1).length = .4; rod(1).radius = .01; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).eta = "
    "100;\n"
    "rod(1).model = 'eba'; rod(1).n = 6; rod(1).tr.rot = [2 1.2];\n"
    "rod(2).tr.trans = [0 .3 0]; rod(2).length = .3; rod(2).radius = .01; rod(2).E = 1e5*(1 + "
    ".1*(stretch(rod(2)) - 1));\n"
    "rod(2).rho = 1000; rod(2).model = 'eba'; rod(2).n = 4;\n"
    "joint(1).first = at(rod(1), .4); joint(1).second = at(rod(2), .3); joint(1).spring.coeff = "
    "5;\n"
    "joint(1).spring.init = .1;\n";

static const char* const net_texts[] = {net_points, net_beams, net_arm, net_chain};
static const char* const net_names[] = {"points", "beams", "arm", "chain"};
#define NET_COUNT 4

// Cables couple all that they pass, and things that move may touch each other anywhere: such models
// are dense whatever is asked for.
static inline bool has_cables(const char* text) {
  return strstr(text, "cable(") || strstr(text, ".second = rod(");
}

#endif
