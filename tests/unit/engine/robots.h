// Model texts that together use every element, and a way to load them.
#ifndef TD_ROBOTS_H
#define TD_ROBOTS_H

#include "check.h"
#include "engine/engine.h"

typedef struct robot {
  td_model* model;
  td_work* work;
  td_state* state;
  int nq, nv, nu, nrow, ny;
} robot;

static inline robot robot_load(const char* text) {
  robot r = {0};
  td_spec* spec = td_spec_new();
  td_spec_load_string(spec, "robot.m", text);
  if (td_model_compile(spec, &r.model) != TD_OK) {
    print_error("%s\n", td_spec_messages(spec));
    fail();
  }
  td_spec_free(spec);
  const td_sizes n = td_model_sizes(r.model);
  r.nq = n.nq;
  r.nv = n.nv;
  r.nu = n.nu;
  r.nrow = n.nconstraint;
  r.ny = n.nsensor;
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  return r;
}

static inline void robot_free(robot* r) {
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
}

// A random state near the initial one: moderate displacements and velocities.  Segments of rods are
// some centimetres long and move a tenth of what bodies do.
static inline void robot_shake(robot* r, uint64_t* seed, double size) {
  double* d = calloc((size_t)r->nv + 1, sizeof(double));
  td_state_initial(r->model, r->work, r->state);
  if (td_model_sizes(r->model).nrod > 0) size *= 0.1;
  for (int i = 0; i < r->nv; i++) d[i] = size * check_random(seed);
  td_displace(r->model, r->state->q, d, r->state->q);
  for (int i = 0; i < r->nv; i++) r->state->v[i] = check_random(seed);
  for (int i = 0; i < r->nu; i++) r->state->u[i] = check_random(seed);
  r->state->t = 0.3;
  td_prescribe(r->model, r->work, r->state);
  free(d);
}

static const char robot_pendulum[] =
    "world.g = [0 0 -9.81]; body(1).m = 1.3; body(1).I = diag([.1 .2 .25]); body(1).l_com = [.1 .2 "
    "-.5];\n"
    "joint(1).second = 1; joint(1).tr(1).trans = [.3 0 1]; joint(1).tr(1).rot = [2 inf]; "
    "joint(1).dof(1).init = 0.4;\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(body(1), [0 0 -1]);\n";

static const char robot_tree[] =
    "world.g = [.3 -.5 -9.81];\n"
    "for k = 1:5, body(k).m = 0.5 + k/7; body(k).I = diag([.01 .02 .025]*k) + 1e-3*[0 1 0;1 0 1;0 "
    "1 0]; body(k).l_com = [.1 .02*k -.2]; end\n"
    "joint(1).second = 1; joint(1).type = 'free';\n"
    "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [.1 .2 .3]; "
    "joint(2).tr(1).rot = [3 .4]; joint(2).type = 'helical'; joint(2).axis = [1 2 .5]; "
    "joint(2).pitch = .07;\n"
    "joint(3).first = 2; joint(3).second = 3; joint(3).tr(1).trans = [.2 inf 0]; "
    "joint(3).tr(1).rot = [inf inf inf];\n"
    "joint(4).first = 2; joint(4).second = 4; joint(4).tr(1).trans = [0 0 -.4]; joint(4).tr(1).rot "
    "= [0 inf inf inf]; joint(4).tr(2).trans = [.1 0 0]; joint(4).tr(2).rot = [2 inf];\n"
    "joint(5).first = 4; joint(5).second = 5; joint(5).type = 'spherical'; joint(5).tr.trans = [0 "
    ".1 .1];\n"
    "joint(5).dof(1).damp.visc = .1; joint(5).dof(2).input = .2;\n"
    // the vector part of a quaternion and its rate in a load
    "exload(1).exbody = 3; exload(1).ftau = [0 0 .3*dof(joint(4),1) 0 .2*ddof(joint(4),2) 0];\n"
    "sensor(1).name = 'e'; sensor(1).value = [dof(joint(4),3) ddof(joint(4),1) "
    "ddof(joint(4),3)];\n";

static const char robot_links[] =
    "world.g = [0 0 -9.81]; u1 = input('u1', .4); k = param('k', 30);\n"
    "for j = 1:4, body(j).m = 0.5 + j/7; body(j).I = diag([.01 .02 .025]*j); body(j).l_com = [.03 "
    ".02*j -.1]; end\n"
    "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 inf]; joint(1).tr(1).rot = [2 inf];\n"
    "joint(1).dof(1).spring.coeff = k; joint(1).dof(1).damp.visc = .7; joint(1).dof(1).damp.pow = "
    "2; joint(1).dof(2).spring.coeff = 80; joint(1).dof(2).spring.init = .2; "
    "joint(1).dof(2).spring.compr = .5;\n"
    "joint(1).dof(3).damp.visc = .3; joint(1).dof(3).damp.pow = .6; joint(1).dof(3).input = "
    "u1*sin(3*t) + .1*dof(joint(1),1);\n"
    "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [0 0 -.3]; joint(2).type = "
    "'universal';\n"
    "joint(3).first = 2; joint(3).second = 3; joint(3).tr.trans = [.1 0 -.3]; joint(3).tr.rot = "
    "[inf inf inf inf];\n"
    "joint(4).second = 4; joint(4).tr.trans = [inf inf inf]; joint(4).tr.rot = [0 inf inf inf]; "
    "joint(4).dof(1).init = .4; joint(4).dof(3).init = -.7;\n"
    // axial spring, rope, published damping
    "joint(5).first = 1; joint(5).second = 4; joint(5).tr.trans = [0 .1 0]; joint(5).tr2nd.trans = "
    "[.1 0 .1]; joint(5).spring.coeff = 25*(1 + .2*dof(joint(1),2)^2); joint(5).spring.init = nan; "
    "joint(5).spring.compr = .9; joint(5).damp.visc = .5; joint(5).damp.along = 1; "
    "joint(5).input = u1;\n"
    "joint(6).first = 2; joint(6).second = 4; joint(6).spring.coeff = 40; joint(6).spring.init = "
    ".2; joint(6).damp.visc = .3; joint(6).damp.along = 1; "
    "joint(6).damp.pow = 1.5; joint(6).dir = 1;\n"
    "joint(7).first = 0; joint(7).second = 3; joint(7).spring.coeff = 12; joint(7).spring.init = "
    ".1; joint(7).damp.visc = .4; joint(7).damp.along = 0;\n"
    // beams
    "joint(8).first = 3; joint(8).second = 4; joint(8).tr.rot = [1 .3]; joint(8).spring.coeff = "
    "[30 40 50 3 4 5]; joint(8).spring.init = [0 0 nan 0 0 0]; joint(8).damp.visc = [.1 .2 .3 .04 "
    ".05 .06]; joint(8).damp.pow = 2; joint(8).input = [u1 0 .2 0 .1 0];\n"
    "joint(9).first = 1; joint(9).second = 3; joint(9).xaxis = [1 .2 0]; joint(9).spring.coeff = "
    "[10 11 12 1 2 3]*(1 + .1*pos(body(4))(3)); joint(9).spring.init = nan*ones(1,6); "
    "joint(9).damp.visc = [.1 .1 .1 .01 .01 .01];\n"
    "exload(1).exbody = 4; exload(1).ftau = [.5 .2 u1 .03 .02 .01]; exload(1).tr.trans = [.1 .2 "
    ".3];\n"
    "exload(2).exbody = 3; exload(2).refbody = 2; exload(2).ftau = [.1*vel(body(4))(1) 0 1 0 .1 "
    "0];\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(body(4), [.1 0 0]); sensor(2).name = 'w'; "
    "sensor(2).value = omega(body(3)); sensor(3).name = 'a'; sensor(3).value = acc(body(2), [0 .1 "
    "0]);\n"
    "sensor(4).name = 'mix'; sensor(4).value = [length(joint(5)) stretch(joint(6))^2 "
    "dof(joint(1),3)*ddof(joint(1),3) q(2) v(3) u1*t]; sensor(5).name = 'R'; sensor(5).value = "
    "[rot(body(3))(1,:) quat(body(3)) vel(body(4),[0 0 1])];\n"
    "output = {'tip','w','a','mix','R','energy'};\n";

static const char robot_loops[] =
    "world.g = [0 0 -9.81]; u1 = input('u1', 0);\n"
    "for j = 1:6, body(j).m = 0.5 + j/7; body(j).I = diag([.01 .02 .025]*j); body(j).l_com = [.1 "
    ".01*j -.1]; end\n"
    "joint(1).second = 1; joint(1).type = 'universal'; joint(1).dof(1).init = .2; "
    "joint(1).dof(1).spring.coeff = 3;\n"
    "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.5 0 0]; joint(2).type = "
    "'free';\n"
    "joint(3).first = 0; joint(3).second = 3; joint(3).tr.trans = [1 0 0]; joint(3).type = "
    "'spherical';\n"
    "joint(4).first = 3; joint(4).second = 4; joint(4).tr.trans = [0 0 .5]; joint(4).type = "
    "'free';\n"
    "joint(5).second = 5; joint(5).type = 'free'; joint(5).dof(2).init = .7;\n"
    "joint(6).second = 6; joint(6).type = 'free'; joint(6).dof(2).init = -.7;\n"
    "joint(7).first = 2; joint(7).second = 4; joint(7).type = 'revolute'; joint(7).axis = [0 1 "
    ".3]; joint(7).tr.trans = [.5 0 .5]; \n"
    "joint(8).first = 4; joint(8).second = 5; joint(8).type = 'universal'; joint(8).axis = [1 0 0; "
    "0 1 0]; joint(8).tr.trans = [-1 .7 -.5];\n"
    "joint(9).first = 5; joint(9).second = 6; joint(9).fixed = [1 0 1 0 0 1]; joint(9).refbody = "
    "1; joint(9).control = [0 0 u1*sin(t) 0 0 0];\n"
    "joint(10).first = 1; joint(10).second = 6; joint(10).fixed = [0 1 0]; joint(10).spring.coeff "
    "= [0 9 0 0 0 0]; joint(10).damp.visc = [0 6 0 0 0 0];\n"
    "joint(11).first = 2; joint(11).second = 1; joint(11).type = 'cylindrical'; joint(11).axis = "
    "[1 1 0];\n";

static const char robot_given[] =
    "world.g = [0 0 -9.81]; body(1).m = 1; body(1).I = .1*eye(3); body(1).l_com = [.2 0 0]; "
    "body(2).m = 2; body(2).I = .2*eye(3); body(2).l_com = [.3 0 .1];\n"
    "body(3).m = .4; body(3).I = .01*diag([1 2 2.5]); body(3).l_com = [0 0 .2];\n"
    "joint(1).second = 1; joint(1).tr.rot = [3 inf]; joint(1).dof(1).motion = 2*t + .3*sin(2*t);\n"
    "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.5 0 0]; joint(2).tr.rot = [2 "
    "inf]; joint(2).dof(1).spring.coeff = 4; joint(2).dof(1).damp.visc = .2;\n"
    "joint(3).first = 2; joint(3).second = 3; joint(3).tr.trans = [.4 0 0]; joint(3).tr.rot = [1 "
    "inf]; joint(3).dof(1).equal2 = [2 1];\n"
    "sensor(1).name = 'e'; sensor(1).value = force(joint(1));\n";

// Loops that are closed by screws, springs along rotations, and a rotation that follows a motion.
static const char robot_screws[] =
    "world.g = [.3 0 -9.81]; u1 = input('u1', .4); h = param('h', .07);\n"
    "for k = 1:6, body(k).m = .5 + .1*k; body(k).I = .02*diag([1 2 2.5])*k; body(k).l_com = [.1 "
    ".02*k -.2]; end\n"
    "joint(1).second = 1; joint(1).type = 'spherical'; joint(1).dof(1).spring.coeff = 3; "
    "joint(1).dof(1).spring.init = .7; joint(1).dof(2).spring.coeff = 4 + .2*dof(joint(2),1); "
    "joint(1).dof(3).spring.coeff = 2; joint(1).dof(3).spring.init = nan; "
    "joint(1).dof(3).damp.visc "
    "= .1; joint(1).dof(2).input = u1; joint(1).dof(1).init = cos(.8); joint(1).dof(3).init = "
    "sin(.8);\n"
    "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.1 .2 .3]; joint(2).tr.rot = [0 "
    "inf inf inf]; joint(2).dof(1).spring.coeff = 3; joint(2).dof(1).spring.init = .2; "
    "joint(2).dof(2).damp.visc = .2; joint(2).dof(2).damp.pow = 2; joint(2).dof(3).input = "
    "u1 + .1*t; joint(2).dof(3).spring.coeff = 2; joint(2).dof(3).dir = 1; joint(2).dof(3).init = "
    ".8; joint(2).dof(1).init = .4;\n"
    "joint(3).first = 2; joint(3).second = 3; joint(3).tr.trans = [0 .2 0]; joint(3).tr.rot = [0 0 "
    "inf 0]; joint(3).dof(1).spring.coeff = 3; joint(3).dof(1).spring.init = .3; "
    "joint(3).dof(1).damp.visc = .1;\n"
    "joint(4).first = 2; joint(4).second = 4; joint(4).type = 'free'; joint(4).dof(4).spring.coeff "
    "= 2; joint(4).dof(1).spring.coeff = 50;\n"
    "joint(5).first = 2; joint(5).second = 4; joint(5).type = 'helical'; joint(5).axis = [1 2 .5]; "
    "joint(5).pitch = h; joint(5).tr.trans = [.1 0 .1]; joint(5).tr2nd.trans = [.12 0 .1]; "
    "joint(5).tr2nd.rot = [cos(.1) sin(.1) 0 0];\n"
    "joint(6).first = 1; joint(6).second = 5; joint(6).type = 'free'; joint(6).motion = [.1*t 0 "
    ".2*sin(t) .3+sin(t) .5*t 2*t];\n"
    "joint(7).first = 5; joint(7).second = 6; joint(7).type = 'free';\n"
    "joint(8).first = 5; joint(8).second = 6; joint(8).type = 'helical'; joint(8).pitch = -.03; "
    "joint(8).axis = [1 0 0];\n";

static const char robot_rods[] =
    "world.g = [.3 0 -9.81]; u1 = input('u1', .4);\n"
    "body(1).m = .2; body(1).I = 1e-3*diag([1 2 2.5]); body(1).l_com = [.01 0 .02];\n"
    "rod(1).length = .3; rod(1).radius = .015 - .01*s; rod(1).E = 1e5*(1 + .2*(stretch(rod(1)) - "
    "1)); rod(1).rho = 1000; rod(1).eta = 300; rod(1).model = 'srl'; rod(1).n = 3; "
    "rod(1).joint.type = 'revolute'; rod(1).joint.dof(1).spring.coeff = .3;\n"
    "rod(1).load = [.1 0 sin(3*t)*s 0 1e-3 0]; rod(1).input = [0 0 .1 u1*1e-3 0 0];\n"
    "joint(1).first = at(rod(1), .3); joint(1).second = 1; joint(1).tr.rot = [1 inf];\n"
    "rod(2).first = 1; rod(2).length = .2; rod(2).section = 'rectangle'; rod(2).width = .02; "
    "rod(2).height = .01; rod(2).E = 2e5; rod(2).rho = 900; rod(2).model = 'ebr'; rod(2).n = 2; "
    "rod(2).modes = [0 0 1 1 1 1]; rod(2).shape = [0 0 0 2 0 1];\n"
    "rod(2).damp.visc = .01*[1 1 1 .001 .001 .001]; rod(2).damp.pow = 2; rod(2).load = [0 .2 0 0 0 "
    "0]; rod(2).load_frame = 'local';\n"
    "rod(3).tr.trans = [.5 0 0]; rod(3).tr.rot = [2 .4]; rod(3).length = .25; rod(3).radius = "
    ".012; rod(3).E = 1e5; rod(3).rho = 1100; rod(3).eta = 200; rod(3).model = 'eba'; rod(3).n = "
    "3; rod(3).shape = [0 0 0 1 2 0];\n"
    "chamber(1).rod = 3; chamber(1).offset = [.005 .002]; chamber(1).area = 2e-5; "
    "chamber(1).pressure = 2e4*(1 + u1*sin(t)); chamber(1).to = .2;\n"
    "joint(2).first = at(rod(3), .25); joint(2).second = at(rod(2), .2); joint(2).spring.coeff = "
    "5; joint(2).spring.init = .1; joint(2).damp.visc = .1;\n"
    "sensor(1).name = 'p'; sensor(1).value = [pos(rod(1), .17) vel(rod(2), .2) strain(rod(3), .1) "
    "strain(rod(1), .02) stretch(rod(3))];\n";

static const char robot_rom[] =
    "world.g = [.3 0 -9.81]; u1 = input('u1', .4);\n"
    "body(1).m = .05; body(1).I = 1e-4*diag([1 2 2.5]); body(1).l_com = [.01 0 .02];\n"
    "rod(1).length = .3; rod(1).radius = .015 - .01*s; rod(1).E = 1e5*(1 + .2*(stretch(rod(1)) - "
    "1)); rod(1).rho = 1000; rod(1).eta = 300; rod(1).model = 'rom'; rod(1).n = 2; "
    "rod(1).joint.type = 'revolute'; rod(1).joint.dof(1).spring.coeff = .3; rod(1).shape = [0 0 0 "
    ".5 .2 0];\n"
    "rod(1).load = [.1 0 sin(3*t)*s 0 1e-3 0]; rod(1).input = [0 0 .1 u1*1e-3 0 0]; "
    "rod(1).damp.visc = .01*[1 1 1 .001 .001 .001]; rod(1).damp.pow = 2;\n"
    "joint(1).first = at(rod(1), .3); joint(1).second = 1; joint(1).tr.rot = [1 inf];\n"
    "chamber(1).offset = [.005 .002]; chamber(1).area = 2e-5; chamber(1).pressure = 2e4*(1 + "
    "u1*sin(t)); chamber(1).to = .2;\n"
    "joint(2).first = at(rod(1), .15); joint(2).spring.coeff = 5; joint(2).spring.init = .1; "
    "joint(2).damp.visc = .1; joint(2).tr2nd.trans = [.2 0 .1];\n"
    "sensor(1).name = 'p'; sensor(1).value = [pos(rod(1), .17) vel(rod(1), .2) strain(rod(1), .1) "
    "strain(rod(1), 0) stretch(rod(1))];\n";

static const char robot_gvs[] =
    "world.g = [.3 0 -9.81]; u1 = input('u1', .4);\n"
    "body(1).m = .05; body(1).I = 1e-4*diag([1 2 2.5]); body(1).l_com = [.01 0 .02];\n"
    "body(2).m = .02; body(2).I = 1e-5*diag([1 2 2.5]);\n"
    "rod(1).model = 'gvs'; rod(1).radius = .015 - .01*s; rod(1).E = 1e5*(1 + "
    ".2*(stretch(rod(1)) - 1)); rod(1).rho = 1000; rod(1).eta = 300;\n"
    "rod(1).joint.type = 'revolute'; rod(1).joint.dof(1).spring.coeff = .3; rod(1).shape = [0 0 0 "
    ".5 .2 0];\n"
    "rod(1).part(1).length = .2; rod(1).part(1).order = [0 -1 1 2 1 0]; rod(1).part(1).magnus = "
    "6;\n"
    "rod(1).part(2).length = .1; rod(1).part(2).basis = {'constant', 'fourier', 'monomial', "
    "'linear', 'quadratic', 'chebyshev'}; rod(1).part(2).order = [0 -1 0 0 0 1]; "
    "rod(1).part(2).elements = [1 1 1 2 1 1];\n"
    "rod(1).load = [.1 0 sin(3*t)*s 0 1e-3 0]; rod(1).input = [0 0 .1 u1*1e-3 0 0]; "
    "rod(1).damp.visc = .01*[1 1 1 .001 .001 .001]; rod(1).damp.pow = 2;\n"
    "joint(1).first = at(rod(1), .3); joint(1).second = 1; joint(1).tr.rot = [1 inf];\n"
    "rod(2).model = 'gvs'; rod(2).first = at(rod(1), .13); rod(2).tr.rot = [2 1]; rod(2).length = "
    ".2; rod(2).radius = .01; rod(2).E = 1e5; rod(2).rho = 1000; rod(2).basis = 'custom'; "
    "rod(2).magnus = 2; rod(2).modes = [0 0 0 1 1 1]; rod(2).functions = [zeros(3,2); 1 s; "
    "cos(8*s) 0; 1 0]; rod(2).points = 4;\n"
    "joint(3).first = at(rod(2), .2); joint(3).second = 2; joint(3).type = 'spherical';\n"
    "chamber(1).offset = [.005 .002]; chamber(1).area = 2e-5; chamber(1).pressure = 2e4*(1 + "
    "u1*sin(t)); chamber(1).to = .15;\n"
    "joint(2).first = at(rod(1), .15); joint(2).spring.coeff = 5; joint(2).spring.init = .1; "
    "joint(2).damp.visc = .1; joint(2).tr2nd.trans = [.2 0 .1];\n"
    "sensor(1).name = 'p'; sensor(1).value = [pos(rod(1), .17) vel(rod(1), .2) strain(rod(1), .1) "
    "strain(rod(1), 0) stretch(rod(1)) acc(rod(2), .2)];\n";

static const char robot_loop_gvs[] =
    "world.g = [0 0 -9.81]; u1 = input('u1', .4);\n"
    "rod(1).model = 'gvs'; rod(1).length = .3; rod(1).radius = .03; rod(1).E = 1e4; rod(1).rho = "
    "1000; rod(1).eta = 100; rod(1).order = [-1 -1 0 2 2 1];\n"
    "rod(2).model = 'gvs'; rod(2).tr.trans = [.1 0 0]; rod(2).length = .3; rod(2).radius = .03; "
    "rod(2).E = 1e4; rod(2).rho = 1000; rod(2).basis = 'quadratic'; rod(2).order = [-1 -1 -1 0 0 "
    "0];\n"
    "rod(2).joint.type = 'universal';\n"
    "body(1).m = .1; body(1).I = 1e-4*eye(3); joint(1).first = at(rod(1), .3); joint(1).second = "
    "1; joint(1).type = 'fixed'; joint(1).tr.trans = [.05 0 0];\n"
    "joint(2).first = 1; joint(2).second = at(rod(2), .3); joint(2).type = 'spherical'; "
    "joint(2).tr.trans = [.05 0 0];\n"
    "sensor(1).name = 'p'; sensor(1).value = [pos(rod(2), .17) vel(body(1))];\n";

// A platform on a rod, and two more that grow from it and close loops with the ground: a trunk with
// branches (math/arrow.h), some links without mass, a force between rods.
static const char robot_platform[] =
    "world.g = [.2 0 -9.81]; u1 = input('u1', .4);\n"
    "body(1).m = 2; body(1).I = diag([.02 .03 .04]);\n"
    "for k = 1:3\n"
    "  rod(k).model = 'gvs'; rod(k).length = .4; rod(k).radius = .02; rod(k).E = 1e5;\n"
    "  rod(k).rho = 1000; rod(k).eta = 300; rod(k).order = [-1 -1 0 2 1 0];\n"
    "end\n"
    "joint(1).first = rod(1); joint(1).second = 1; joint(1).type = 'spherical';\n"
    "for k = 2:3\n"
    "  rod(k).first = 1; rod(k).tr(1).trans = [.1*(2*k - 5) .03 0]; rod(k).tr(2).rot = [1 pi];\n"
    "  rod(k).joint.type = 'universal';\n"
    "  body(k).m = 0; body(k).I = zeros(3);\n"
    "  joint(k).first = rod(k); joint(k).second = k; joint(k).tr.rot = [2 inf];\n"
    "  joint(k + 2).first = k; joint(k + 2).tr2nd.trans = [.1*(2*k - 5) .03 0];\n"
    "  joint(k + 2).tr2nd.rot = [1 pi]; joint(k + 2).type = 'revolute';\n"
    "end\n"
    "p = pos(rod(3), .2); joint(6).first = at(rod(1), .2); joint(6).second = at(rod(2), .3); "
    "joint(6).spring.coeff = "
    "5*(2 + p(1)); joint(6).spring.init = .1; joint(6).damp.visc = u1;\n"
    "sensor(1).name = 'p'; sensor(1).value = [pos(rod(2), .17) vel(body(1)) acc(rod(3), .2)];\n"
    "sensor(2).name = 'E'; sensor(2).value = energy();\n";

// A robot in a stream: a body with whole matrices of drag and added mass, rods of every kind.
static const char robot_water[] =
    "world.g = [.3 0 -9.81]; fluid.rho = 800; fluid.velocity = [.3 -.2 .1*t];\n"
    "A = [1 2 0 1 0 1; 0 1 1 0 2 1; 1 0 1 0 0 0; 0 1 0 2 0 1; 1 1 0 1 1 0; 0 0 1 0 1 2];\n"
    "body(1).m = 2; body(1).I = 1e-2*diag([1 2 2.5]); body(1).l_com = [.01 0 .02];\n"
    "body(1).fluid.volume = 1.5e-3; body(1).fluid.center = [0 .01 .03]; "
    "body(1).fluid.added_mass = .2*A*A'; body(1).fluid.drag_matrix = A*A' + A - A';\n"
    "joint(1).second = 1; joint(1).type = 'free';\n"
    "body(2).m = .5; body(2).I = 1e-3*eye(3); joint(2).first = at(rod(1), .2); joint(2).second = "
    "2; "
    "joint(2).tr.rot = [inf inf inf]; body(2).fluid.added_mass = .1*A'*A;\n"
    "for k = 1:4, rod(k).first = 1; rod(k).tr.trans = [.1*k 0 0]; rod(k).length = .2; "
    "rod(k).radius "
    "= .015 - .01*s; rod(k).E = 1e5; rod(k).rho = 1000; rod(k).eta = 300; rod(k).fluid.lift = .2; "
    "end\n"
    "rod(1).model = 'srl'; rod(1).n = 2; rod(2).model = 'rom'; rod(2).n = 2; rod(3).model = 'eba'; "
    "rod(3).n = 2; rod(4).model = 'gvs'; rod(4).order = [-1 -1 0 1 1 0];\n"
    "rod(4).fluid.drag = [.7 1 .1]; rod(4).fluid.added_mass = [.4 .8 .1]; rod(4).fluid.lift = [.1 "
    ".2 .3];\n"
    "rod(1).section = 'rectangle'; rod(1).radius = []; rod(1).width = .02; rod(1).height = .01;\n"
    "output = {'energy'};\n";

static const char robot_own[] =
    "world.g = [.3 0 -9.81]; u1 = input('u1', .4);\n"
    "body(1).m = .05; body(1).I = 1e-4*diag([1 2 2.5]); body(1).l_com = [.01 0 .02];\n"
    "rod(1).model = 'gvs'; rod(1).length = .3; rod(1).radius = .015 - .01*s; rod(1).E = 1e5; "
    "rod(1).rho = 1000; rod(1).eta = 300; rod(1).coords = 4; c = coord(rod(1));\n"
    "rod(1).joint.type = 'revolute'; rod(1).points = 5; rod(1).init = [3 4 .1 .2];\n"
    "rod(1).strain = [0 0 .1*c(4)^2 c(1)/(1 + (c(2)*(s - c(3) - .1*t))^2) + c(4) "
    "c(1)*sin(c(2)*s) + c(4)*s .5 + .4*sin(2*t)];\n"
    "rod(1).load = [.1 0 sin(3*t)*s 0 1e-3 0]; rod(1).input = [0 0 .1 u1*1e-3*c(1) 0 0];\n"
    "joint(1).first = at(rod(1), .3); joint(1).second = 1; joint(1).tr.rot = [1 inf];\n"
    "sensor(1).name = 'p'; sensor(1).value = [pos(rod(1), .17) vel(rod(1), .2) strain(rod(1), .1) "
    "coord(rod(1)) dcoord(rod(1))];\n";

// Everything touches something: planes, a sphere, a cylinder, rods and bodies each other.
static const char robot_contact[] =
    "world.g = [.3 0 -9.81];\n"
    "for k = 1:3, body(k).m = .5; body(k).I = 1e-2*diag([1 2 2.5]); end\n"
    "joint(1).second = 1; joint(1).type = 'free';\n"
    "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.15 0 .05]; joint(2).tr.rot = "
    "[inf inf inf];\n"
    "joint(3).second = 3; joint(3).type = 'free'; joint(3).dof(1).init = .1; joint(3).dof(2).init "
    "= -.25; joint(3).dof(3).init = .2;\n"
    "for k = 1:3, rod(k).length = .2; rod(k).radius = .03 - .01*s; rod(k).E = 1e5; rod(k).rho = "
    "1000; rod(k).eta = 300; rod(k).tr.trans = [.05*k .02*k 0]; rod(k).tr.rot = [1 .5*k]; end\n"
    "rod(1).model = 'srl'; rod(1).n = 2; rod(2).model = 'eba'; rod(2).n = 2; rod(3).model = 'gvs'; "
    "rod(3).order = [-1 -1 0 1 1 0]; rod(3).first = 2;\n"
    "for k = 1:7, contact(k).stiffness = 100*k; contact(k).damping = .03*k; contact(k).friction = "
    ".1*k; contact(k).slip = .3; end\n"
    "contact(1).first = body(1); contact(1).points = [.1 0 -.05; 0 .1 -.02]; contact(1).ball = "
    ".3; contact(1).second = 'plane'; contact(1).point = [0 0 -.1]; contact(1).normal = [.1 .2 "
    "1];\n"
    "contact(2).first = rod(1); contact(2).second = 'sphere'; contact(2).center = [.1 -.2 .1]; "
    "contact(2).radius = .25; contact(2).exponent = 1.5;\n"
    "contact(3).first = rod(3); contact(3).second = 'cylinder'; contact(3).center = [0 -.25 .05]; "
    "contact(3).axis = [1 .2 0]; contact(3).radius = .3; contact(3).law = 'approach'; "
    "contact(3).per = 'point';\n"
    "contact(4).first = body(3); contact(4).points = [0 .1 .1; 0 0 0]; contact(4).ball = .15; "
    "contact(4).second = body(1); contact(4).points2 = [0 0 .05; .1 .1 .1]; contact(4).ball2 = "
    ".2;\n"
    "contact(5).first = rod(1); contact(5).second = rod(2); contact(5).exponent = 2;\n"
    "contact(6).first = body(3); contact(6).radius = .3; contact(6).second = rod(2); "
    "contact(6).law = 'approach';\n"
    "contact(7).first = rod(3); contact(7).second = body(3); contact(7).ball2 = .34;\n"
    "output = {'energy'};\n";

// A net with a body hanging on one of its nodes, tension-only threads, both kinds of beams, a node
// that follows a recorded motion.
static const char robot_net[] =
    "world.g = [0 0 -9.81]; k = param('k', 60);\n"
    "mesh(1).grid = [3 2]; mesh(1).size = [0.6 0.4]; mesh(1).fixed = 1; mesh(1).body.m = 0.1;\n"
    "mesh(1).tr.rot = [1 0.4]; mesh(1).joint(1).dof(2).damp.visc = 0.2;\n"
    "mesh(1).joint(2).spring.coeff = k*(1 + 0.1*sin(t)); mesh(1).joint(2).spring.compr = 0.8;\n"
    "mesh(1).joint(2).damp.visc = 0.1; mesh(1).joint(2).dir = 1;\n"
    "mesh(1).joint(3).spring.coeff = 15; mesh(1).joint(3).damp.visc = 0.3;\n"
    "mesh(1).joint(3).damp.along = 0;\n"
    "mesh(2).node = [0 0 1; 0.3 0 1; 0.3 0.3 1.1]; mesh(2).edge = [1 2; 2 3];\n"
    "mesh(2).fixed = 1; mesh(2).body.m = [0.1 0.2 0.3]; mesh(2).body.I = 0.01*diag([1 2 2.5]);\n"
    "mesh(2).joint(1).tr.rot = [0 inf inf inf]; mesh(2).joint(2).beam.frame = 'mid';\n"
    "mesh(2).joint(2).spring.coeff = [40 50 90 1 2 3]; mesh(2).joint(2).damp.visc = 0.02;\n"
    "mesh(2).joint(2).xaxis = [0 0 1];\n"
    "mesh(2).joint(2).input = [0.1 0 length(mesh(1), 2) 0 0.02*sin(t) 0];\n"
    "mesh(3).grid = [2 2]; mesh(3).size = [0.2 0.3]; mesh(3).body.m = 0.1;\n"
    "mesh(3).body.I = 0.01*eye(3); mesh(3).joint(1).tr.rot = [inf inf inf inf];\n"
    "mesh(3).joint(2).spring.coeff = [40 50 90 1 2 3]; mesh(3).joint(2).xaxis = [0 0 1];\n"
    "body(1).m = 0.3; body(1).I = 0.01*eye(3); body(1).l_com = [0 0 -0.1];\n"
    "joint(1).first = at(mesh(3), 4); joint(1).second = 1; joint(1).type = 'revolute';\n"
    "joint(1).axis = [0 1 0];\n"
    "joint(2).first = at(mesh(1), 6); joint(2).second = at(mesh(2), 3); joint(2).fixed = [1 0 0];\n"
    "joint(2).motion = 0.1*sin(t) - 0.3;\n"
    "joint(3).first = at(mesh(1), 3); joint(3).second = 1; joint(3).spring.coeff = 20;\n"
    "sensor(1).name = 'n'; sensor(1).value = [pos(mesh(2), 3) vel(mesh(1), 4)];\n"
    "sensor(2).name = 'f'; sensor(2).value = [force(mesh(2), 2) stretch(mesh(1), 1)];\n";

// Cables inside every kind of rod and outside, by tension, by length and with friction.
static const char robot_cables[] =
    "world.g = [.3 0 -9.81]; u1 = input('u1', .4);\n"
    "body(1).m = .2; body(1).I = 1e-3*diag([1 2 2.5]); body(1).l_com = [.01 0 .02];\n"
    "for k = 1:5, rod(k).tr.trans = [.2*k 0 0]; rod(k).length = .2; rod(k).radius = .015 - .01*s; "
    "rod(k).E = 1e5; rod(k).rho = 1000; rod(k).eta = 300; end\n"
    "rod(1).model = 'srl'; rod(1).n = 3; rod(1).modes = [0 1 0 1 1 1]; rod(1).shape = [0 0 .1 2 0 "
    "1];\n"
    "rod(2).first = at(rod(1), .2); rod(2).model = 'ebr'; rod(2).n = 2; rod(3).model = 'eba'; "
    "rod(3).n = 2; rod(4).model = 'rom'; rod(4).n = 2; rod(5).model = 'gvs'; rod(5).order = [-1 0 "
    "0 2 1 1];\n"
    "joint(1).first = at(rod(3), .2); joint(1).second = 1; joint(1).tr.rot = [1 inf];\n"
    "cable(1).rod = [1 2]; cable(1).path = .01*[cos(20*s) sin(20*s)]; cable(1).from = .03; "
    "cable(1).to = .15; cable(1).tension = 3 + u1*sin(t) + 2*length(cable(2));\n"
    "cable(2).rod = 3; cable(2).path = [.004 .008 - .01*s]; cable(2).tension = 2; "
    "cable(2).friction "
    "= .4;\n"
    "cable(3).rod = [4 1]; cable(3).path = [.003 -.002]; cable(3).pull = .01*(1 + u1); "
    "cable(3).stiffness = 40;\n"
    "cable(4).via = {0, at(rod(4), .15), 1, at(rod(2), .1)}; cable(4).points = [0 .1 .3; .01 0 0; "
    "0 "
    ".02 .01; 0 0 0]; cable(4).tension = 1 + .1*u1;\n"
    "cable(5).via = {1, at(rod(1), .2)}; cable(5).pull = .05; cable(5).stiffness = 30;\n"
    "cable(6).rod = 2; cable(6).path = [0 .01*sin(30*s)]; cable(6).tension = 1; cable(6).friction "
    "= "
    ".3;\n"
    "cable(7).rod = 5; cable(7).path = [.004 .008 - .01*s]; cable(7).from = .02; cable(7).to = "
    ".17; cable(7).tension = 2 + u1; cable(8).rod = 5; cable(8).path = [-.003 .002]; cable(8).pull "
    "= .01*(1 + u1); cable(8).stiffness = 40;\n"
    "for k = 9:10, cable(k).rod = 11 - k + 3*(k == 9); cable(k).path = .006*[cos(25*s) sin(25*s)]; "
    "cable(k).pull = .02*(1 + u1); cable(k).stiffness = 50; cable(k).friction = .4; end\n"
    "sensor(1).name = 'l'; sensor(1).value = [length(cable(1)) length(cable(3)) "
    "length(cable(4)) tension(cable(1)) tension(cable(3)) tension(cable(5)) "
    "tension(cable(9)) tension(cable(10))];\n"
    "output = {'l', 'energy'};\n";

// Meshes in a stream that touch what is around them: threads that are points, beams that turn.
static const char robot_mesh[] =
    "world.g = [.3 0 -9.81]; c = param('c', 1.2); fluid.rho = 900; fluid.velocity = [.4 -.3 "
    ".2*t];\n"
    "mesh(1).grid = [3 2]; mesh(1).size = [.3 .2]; mesh(1).body.m = [.1 .2 .3 .4 .5 .6]; "
    "mesh(1).fluid.width = (1:7)/300; mesh(1).fluid.drag = [c .1];\n"
    "mesh(1).joint(2).spring.coeff = 40; mesh(1).joint(2).damp.visc = .2; "
    "mesh(1).joint(3).spring.coeff = 10;\n"
    "mesh(2).node = [0 0 .2; .1 0 .3; .2 .1 .2; .1 .2 .25]; mesh(2).edge = [1 2; 2 3; 4 2]; "
    "mesh(2).fixed = 1; mesh(2).body.m = .2; mesh(2).body.I = 1e-3*diag([1 2 2.5]);\n"
    "mesh(2).joint(1).tr.rot = [0 inf inf inf]; mesh(2).fluid.width = .02; "
    "mesh(2).fluid.drag = [.9 .9 .3];\n"
    "mesh(2).joint(2).spring.coeff = [30 40 50 .3 .4 .5];\n"
    "body(1).m = .3; body(1).I = 1e-3*diag([1 2 2.5]); body(1).l_com = [0 .01 .02]; "
    "joint(1).second = 1; joint(1).type = 'free'; joint(1).tr.trans = [.25 .15 .35]; "
    "joint(2).first = at(mesh(2), 3); joint(2).second = 1; joint(2).tr2nd.trans = [.02 0 .01]; "
    "joint(2).tr2nd.rot = [.4 1 .5 .2]; joint(2).beam.frame = 'mid'; joint(2).spring.coeff = c*[30 "
    "40 50 .3 .4 .5]; joint(2).spring.init = [nan .01 .05 nan 0 nan]; joint(2).spring.compr = .9; "
    "joint(2).damp.visc = [.1 .2 .3 .01 .02 .03]; joint(2).input = [0 .1 0 .02 0 0];\n"
    "for k = 1:3, contact(k).first = mesh(min(k, 2)); contact(k).stiffness = 100*k; "
    "contact(k).damping = .1; contact(k).friction = .4; contact(k).slip = .3; end\n"
    "contact(1).second = 'plane'; contact(1).point = [0 0 -.05]; contact(1).normal = [.1 .2 1]; "
    "contact(1).ball = .1;\n"
    "contact(2).second = 'cylinder'; contact(2).center = [0 .1 0]; contact(2).axis = [1 .2 0]; "
    "contact(2).radius = .2; contact(2).ball = .15;\n"
    "contact(3).first = mesh(1); contact(3).second = 'sphere'; contact(3).center = [.1 .1 .4*t - "
    ".3]; "
    "contact(3).radius = .3; contact(3).ball = .05; contact(3).exponent = 1.5;\n";

// Cables that cannot be stretched inside every kind of rod and outside, beside a loop.
static const char robot_taut[] =
    "world.g = [.3 0 -9.81]; u1 = input('u1', .4);\n"
    "body(1).m = .2; body(1).I = 1e-3*diag([1 2 2.5]); body(1).l_com = [.01 0 .02];\n"
    "for k = 1:5, rod(k).tr.trans = [.2*k 0 0]; rod(k).length = .2; rod(k).radius = .015 - .01*s; "
    "rod(k).E = 1e5; rod(k).rho = 1000; rod(k).eta = 300; end\n"
    "rod(1).model = 'srl'; rod(1).n = 3; rod(1).modes = [0 1 0 1 1 1]; rod(1).shape = [0 0 .1 2 0 "
    "1];\n"
    "rod(2).first = at(rod(1), .2); rod(2).model = 'ebr'; rod(2).n = 2; rod(3).model = 'eba'; "
    "rod(3).n = 2; rod(4).model = 'rom'; rod(4).n = 2; rod(5).model = 'gvs'; rod(5).order = [-1 0 "
    "0 2 1 1];\n"
    "joint(1).first = at(rod(3), .2); joint(1).second = 1; joint(1).tr.rot = [1 inf];\n"
    "joint(2).first = at(rod(5), .1); joint(2).second = at(rod(4), .1); joint(2).fixed = [1 0 0];\n"
    "cable(1).rod = [1 2]; cable(1).path = .01*[cos(20*s) sin(20*s)]; cable(1).from = .03; "
    "cable(1).to = .15; cable(1).pull = .01*sin(2*t);\n"
    "cable(2).rod = 3; cable(2).path = [.004 .008 - .01*s]; cable(2).pull = .01*t^3;\n"
    "cable(3).rod = [4 1]; cable(3).path = [.008 -.006]; cable(3).pull = 0;\n"
    "cable(4).via = {0, at(rod(4), .15), 1, at(rod(2), .1)}; cable(4).points = [0 .1 .3; .01 0 0; "
    "0 .02 .01; 0 0 0]; cable(4).pull = .01*t; cable(4).stiffness = inf;\n"
    "cable(5).rod = 5; cable(5).path = [.004 .008 - .01*s]; cable(5).from = .02; cable(5).to = "
    ".17; cable(5).pull = -.01*t; cable(6).rod = 2; cable(6).path = [0 .01]; "
    "cable(6).tension = 1 + u1;\n"
    "sensor(1).name = 'l'; sensor(1).value = [length(cable(1)) tension(cable(1)) tension(cable(2)) "
    "tension(cable(3)) tension(cable(4)) tension(cable(5)) force(joint(1)) force(joint(2))];\n";

// Rods of every model with joints, slides, a twist and a body between them, and cables over all.
static const char robot_hybrid[] =
    "world.g = [.3 0 -9.81]; u1 = input('u1', .4);\n"
    "for k = 1:6, rod(k).length = .1; rod(k).radius = .015; rod(k).E = 1e4; rod(k).rho = 3000; "
    "rod(k).eta = 100; end\n"
    "rod(1).model = 'gvs'; rod(1).order = [-1 -1 0 1 1 0]; rod(2).model = 'srl'; rod(2).n = 2; "
    "rod(3).model = 'ebr'; rod(3).n = 2; rod(4).model = 'rom'; rod(4).n = 2; rod(5).model = 'eba'; "
    "rod(5).n = 2; rod(6).model = 'gvs'; rod(6).order = [-1 -1 -1 1 1 -1];\n"
    "rod(2).first = rod(1); rod(2).joint.type = 'revolute'; rod(2).joint.axis = [.3 1 .2]; "
    "rod(2).joint.dof(1).spring.coeff = .1;\n"
    "rod(2).joint.dof(1).init = .5; rod(3).first = rod(2); rod(3).joint.type = 'universal'; "
    "rod(3).joint.dof(1).init = .3; rod(3).joint.dof(2).init = -.4;\n"
    "rod(4).first = rod(3); rod(4).tr.trans = [0 0 .1]; rod(4).joint.type = 'prismatic'; "
    "rod(4).joint.dof(1).spring.coeff = 100;\n"
    "body(1).m = .1; body(1).I = 1e-3*diag([1 2 2.5]); joint(1).first = rod(4); joint(1).second = "
    "1; joint(1).type = 'spherical';\n"
    "rod(5).first = 1; rod(5).tr.trans = [.003 0 .1]; rod(6).first = rod(5); rod(6).joint.type = "
    "'revolute'; rod(6).joint.axis = [1 0 0];\n"
    "cable(1).rod = 1:6; cable(1).path = [.01 .003]; cable(1).tension = 1 + u1;\n"
    "cable(2).rod = 1:6; cable(2).path = .01*[cos(9*s) sin(9*s)]; cable(2).from = .03; "
    "cable(2).to = .07; cable(2).pull = .02*(1 + u1); cable(2).stiffness = 60;\n"
    "cable(3).rod = 1:3; cable(3).path = .006*[cos(25*s) sin(25*s)]; cable(3).pull = .02*(1 + u1); "
    "cable(3).stiffness = 60; cable(3).friction = .4;\n"
    "sensor(1).name = 'l'; sensor(1).value = [length(cable(1)) length(cable(2)) tension(cable(2)) "
    "tension(cable(3))]; output = {'l', 'energy'};\n";

// Strain fields that are written out: coordinates that several rods share (beside each other, one
// on the other, by another that lends none of its own), a field in one part, one of time alone;
// with a joint, a body, cables, a loop and springs between them.
static const char robot_fields[] =
    "world.g = [.3 0 -9.81]; u1 = input('u1', .4); a = param('a', 2);\n"
    "for k = 1:5, rod(k).tr.trans = [.1*k 0 0]; rod(k).length = .2; rod(k).radius = .015 - .01*s; "
    "rod(k).E = 1e5; rod(k).rho = 1000; rod(k).eta = 300; rod(k).points = 5; end\n"
    "rod(2).coords = 3; c = coord(rod(2)); rod(3).coords = 1; d = coord(rod(3));\n"
    "rod(1).strain = [0 0 0 a*c(1)*s + c(2)^2 c(2)*(1 + .3*sin(t)) d];\n"
    "rod(2).strain = [0 0 .1*c(3)*d c(1) - 2*c(2)*s c(3)*sin(9*s - 2*t) .2*c(1)*c(3)]; "
    "rod(2).first = rod(1); rod(2).joint.type = 'revolute'; rod(2).init = [1 2 .5];\n"
    "rod(3).first = 1; rod(3).part(1).length = .12; rod(3).part(1).order = [-1 -1 0 2 1 0]; "
    "rod(3).part(1).init = [0 0 .01 s 1 0]; rod(3).part(2).length = .08; "
    "rod(3).part(2).strain = [0 0 0 exp(s)*d^2 0 c(2)]; rod(3).init = 1.5;\n"
    "rod(4).strain = [0 0 .05*sin(t) 3*sin(20*s - 4*t) a*t*s 0]; rod(4).joint.type = 'universal';\n"
    "rod(5).first = rod(4); rod(5).order = [-1 -1 -1 2 1 0];\n"
    "body(1).m = .05; body(1).I = 1e-4*diag([1 2 2.5]); body(1).l_com = [.01 0 .02];\n"
    "joint(1).first = rod(4); joint(1).second = 1; joint(1).tr.rot = [1 inf];\n"
    "joint(2).first = at(rod(1), .13); joint(2).second = at(rod(5), .2); joint(2).spring.coeff = "
    "5; joint(2).spring.init = .1; joint(2).damp.visc = .1;\n"
    "joint(3).first = at(rod(3), .15); joint(3).second = at(rod(2), .1); joint(3).fixed = [1 0 "
    "0];\n"
    "cable(1).rod = [1 2]; cable(1).path = [.004 .003]; cable(1).tension = 1 + u1; cable(2).rod = "
    "3; cable(2).path = [0 .004]; cable(2).pull = .01*(1 + u1); cable(2).stiffness = 40; "
    "cable(3).rod = 4; cable(3).path = [-.003 .002]; cable(3).tension = 2;\n"
    "chamber(1).rod = 2; chamber(1).offset = [.005 .002]; chamber(1).area = 2e-5; "
    "chamber(1).pressure = 2e4*(1 + u1*sin(t) + .1*c(2));\n"
    "sensor(1).name = 'p'; sensor(1).value = [pos(rod(2), .17) vel(rod(3), .2) strain(rod(2), .1) "
    "strain(rod(4), .1) acc(rod(5), .2) coord(rod(2)) dcoord(rod(3)) stretch(rod(1)) "
    "length(cable(1)) length(cable(3)) force(joint(1))];\n";

// Loads and actuation along rods of every model that see where they act, how they move and are
// bent.
static const char robot_seen[] =
    "world.g = [.3 0 -9.81]; u1 = input('u1', .4); k = param('k', 3);\n"
    "models = {'gvs', 'srl', 'ebr', 'eba', 'rom', 'gvs'};\n"
    "for i = 1:6, rod(i).model = models{i}; rod(i).tr.trans = [.1*i 0 0]; rod(i).length = .2; "
    "rod(i).radius = .015 - .01*s; rod(i).E = 1e5; rod(i).rho = 1000; rod(i).eta = 300; rod(i).n = "
    "2; rod(i).load = [-k*here - .2*vel(rod(i), s) .01*u1*rot(rod(i), s)(1, :)] + "
    ".1*[0 sin(4*here(1)*here(3)) 0 1e-2*omega(rod(i), s)]; end\n"
    "for i = [1:4 6], rod(i).input = -.02*s*strain(rod(i), s) + [0 0 0 1e-3*here]; end\n"
    "rod(4).load_frame = 'local'; rod(2).first = rod(1); rod(6).coords = 2; c = coord(rod(6)); "
    "rod(6).strain = [0 0 0 c(1)*sin(9*s) c(2)^2 2*sin(t)]; rod(6).init = [1 2]; rod(6).points = "
    "4;\n"
    "sensor(1).name = 'p'; sensor(1).value = [pos(rod(2), .17) vel(rod(5), .2) acc(rod(6))];\n";

// A stream that varies in space, around rods of every model, bodies and meshes.
static const char robot_stream[] =
    "world.g = [.3 0 -9.81]; k = param('k', 2); fluid.rho = 900; fluid.velocity = [.5 + "
    "k*here(3)^2 + .2*t, .3*sin(3*here(1)*here(3)) - .5, -.4*here(2) + .5];\n"
    "models = {'gvs', 'srl', 'ebr', 'eba', 'rom', 'gvs'};\n"
    "for i = 1:6, rod(i).model = models{i}; rod(i).tr.trans = [.1*i 0 0]; rod(i).length = .2; "
    "rod(i).radius = .015 - .01*s; rod(i).E = 1e5; rod(i).rho = 1000; rod(i).eta = 300; rod(i).n = "
    "2; rod(i).fluid.lift = .2; end\n"
    "rod(6).first = 1; rod(6).strain = [0 0 0 2*sin(9*s - t) 0 0]; rod(6).points = 4;\n"
    "body(1).m = .4; body(1).I = 1e-3*diag([1 2 2.5]); body(1).l_com = [0 .01 .02]; "
    "joint(1).second = 1; joint(1).type = 'universal'; joint(1).tr.trans = [.2 .1 .3]; "
    "body(1).fluid.volume = 3e-4; body(1).fluid.center = [.01 .02 0]; body(1).fluid.drag_matrix = "
    "diag([3 2 4 .01 .02 .01]); body(1).fluid.added_mass = diag([.2 .3 .1 1e-3 2e-3 1e-3]);\n"
    "mesh(1).node = [0 0 .2; .1 0 .3; .2 .1 .2]; mesh(1).edge = [1 2; 2 3]; mesh(1).fixed = 1; "
    "mesh(1).body.m = .2; mesh(1).fluid.width = .02; mesh(1).joint(2).spring.coeff = 40;\n"
    "sensor(1).name = 'p'; sensor(1).value = [pos(rod(2), .17) vel(rod(5), .2) acc(body(1))];\n";

// clang-format off
static const char* const robot_texts[] = {
    robot_pendulum, robot_tree, robot_links, robot_loops, robot_given, robot_screws, robot_rods, robot_rom,
    robot_gvs, robot_loop_gvs, robot_own, robot_cables, robot_water, robot_contact, robot_net, robot_mesh,
    robot_platform, robot_taut, robot_hybrid, robot_fields, robot_seen, robot_stream};
static const char* const robot_names[] = {
    "pendulum", "tree", "links", "loops", "given", "screws", "rods", "rom",
    "gvs", "gvs loop", "own", "cables", "water", "contact", "net", "mesh",
    "platform", "taut", "hybrid", "fields", "seen", "stream"};
// clang-format on
#define ROBOT_COUNT 22
#define ROBOT_RODS 6  // this one and the ones behind it have rods or beams

// A body on springs with quadratic drag written in eight ways; it starts at rest, where lengths
// have a tip.
#define DRAG(law)                                           \
  "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1;" \
  "joint(1).tr(1).trans = [inf inf inf];\n"                 \
  "for k = 1:3, joint(1).dof(k).spring.coeff = 10*k; end\n" \
  "w = vel(body(1)); exload(1).exbody = 1; exload(1).ftau = [" law " 0 0 0];"
static const char* const robot_drag[] = {
    DRAG("-2*norm(w)*w"),           DRAG("-2*abs(w).*w"),           DRAG("-2*sqrt(w*w')*w"),
    DRAG("-2*hypot(w(1), w(2))*w"), DRAG("-2*(w*w')^0.5*w"),        DRAG("-2*abs(w).^0.5.*w"),
    DRAG("-norm(w)*norm(w)*w"),     DRAG("-2*w.*log(1 + norm(w))"),
};
enum { DRAG_COUNT = sizeof robot_drag / sizeof *robot_drag };

#endif
