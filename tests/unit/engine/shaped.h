// Model texts whose parameters are in everything that a model is made of.
#ifndef TD_SHAPED_H
#define TD_SHAPED_H

// Parameters in places, axes, masses, sections, rest and initial values, motions, strains ...
static const struct {
  const char *name, *text;
} shaped[] = {
    {"tree",
     "a = param('a', .3); b = param('b', 1.2); c = param('c', .4); d = param('d', .07);\n"
     "world.g = [a 0 -9.81*b];\n"
     "for k = 1:4, body(k).m = b + k/7; body(k).I = diag([.01 .02 .025]*k*b); body(k).l_com = [a "
     ".02*k -c]; end\n"
     "joint(1).second = 1; joint(1).type = 'free'; joint(1).dof(1).init = a; "
     "joint(1).dof(1).spring.coeff = 3; joint(1).dof(1).spring.init = nan;\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [c a^2 .3]; "
     "joint(2).tr(1).rot = [3 a]; joint(2).type = 'helical'; joint(2).axis = [1 2 .5]; "
     "joint(2).pitch = d; joint(2).dof(1).init = c;\n"
     "joint(3).first = 2; joint(3).second = 3; joint(3).tr(1).trans = [a inf 0]; "
     "joint(3).tr(1).rot = [inf inf inf];\n"
     "joint(4).first = 2; joint(4).second = 4; joint(4).tr(1).trans = [0 a -c]; "
     "joint(4).tr(1).rot = [cos(a) sin(a) 0 0]; joint(4).tr(2).rot = [a c 0];\n"
     "joint(4).tr(3).rot = [0 inf inf inf];\n"
     "joint(5).first = 1; joint(5).second = 3; joint(5).tr.trans = [0 a 0]; joint(5).spring.coeff "
     "= 25*b; joint(5).spring.init = nan; joint(5).spring.compr = .7*b;\n"
     "joint(6).first = 3; joint(6).second = 4; joint(6).xaxis = [1 a 0]; joint(6).spring.coeff = "
     "[10 11 12 1 2 3]*(1 + a*pos(body(4), [.1 0 .2])(3)); joint(6).spring.init = nan*ones(1,6);\n"
     "exload(1).exbody = 4; exload(1).ftau = [b .2 a*t .03 c*dof(joint(2),1) .01]; "
     "exload(1).tr.trans = [a .2 c];\n"},
    {"four-bar",
     "a = param('a', .5); b = param('b', 1); world.g = [0 -9.81 0];\n"
     "for k = 1:3, body(k).m = b; body(k).I = .1*eye(3); body(k).l_com = [a/2 0 0]; end\n"
     "joint(1).second = 1; joint(1).tr.rot = [3 inf]; joint(1).dof(1).init = pi/2;\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [a 0 0]; joint(2).tr.rot = [3 "
     "inf]; joint(2).dof(1).init = -pi/2; joint(2).dof(1).spring.coeff = 4; "
     "joint(2).dof(1).spring.init = nan;\n"
     "joint(3).second = 3; joint(3).tr.trans = [1 0 0]; joint(3).tr.rot = [3 inf]; "
     "joint(3).dof(1).init = pi/2;\n"
     "joint(4).first = 2; joint(4).second = 3; joint(4).tr.trans = [b 0 0]; "
     "joint(4).tr2nd.trans = [.6*a + .2 0 0]; joint(4).type = 'revolute'; joint(4).axis = [0 0 "
     "1];\n"
     "joint(5).first = 1; joint(5).second = 3; joint(5).spring.coeff = 7; joint(5).spring.init = "
     "nan;\n"},
    {"given",
     "a = param('a', .3); b = param('b', 2); world.g = [b*sin(3*t) 0 -9.81];\n"
     "for k = 1:3, body(k).m = k; body(k).I = .1*eye(3); body(k).l_com = [.2 a 0]; end\n"
     "joint(1).second = 1; joint(1).tr.rot = [3 inf]; joint(1).dof(1).motion = b*t + a*sin(2*t);\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.5 a 0]; joint(2).tr.rot = [2 "
     "inf]; joint(2).dof(1).spring.coeff = 4; joint(2).dof(1).damp.visc = b;\n"
     "joint(3).first = 2; joint(3).second = 3; joint(3).curve = [a*cos(b*dof(joint(3), 1)) "
     "sin(dof(joint(3), 1)) a*b*dof(joint(3), 1)]; joint(3).type = 'revolute'; joint(3).axis = "
     "[1 0 2];\n"},
    {"rods",
     "a = param('a', .3); b = param('b', 1.1); u1 = input('u1', .4); world.g = [a 0 -9.81];\n"
     "models = {'gvs', 'srl', 'ebr', 'eba', 'rom'};\n"
     "for k = 1:5, rod(k).model = models{k}; rod(k).n = 2; rod(k).tr.trans = [a*k .1 0]; "
     "rod(k).tr.rot = [1 a]; rod(k).length = .2; rod(k).radius = .015*b - .01*a*s; rod(k).E = "
     "1e5*b; rod(k).rho = 1000*b; rod(k).eta = 300*b; rod(k).shape = [0 0 0 1 .3 0];\n"
     "rod(k).load = [a 0 b*sin(3*t)*s 0 1e-3 0]; rod(k).input = [0 0 .1*b u1*1e-3 0 0]; end\n"
     "body(1).m = .05*b; body(1).I = 1e-4*diag([1 2 2.5]); joint(1).first = at(rod(1), .2); "
     "joint(1).second = 1; joint(1).tr.trans = [.01*a 0 0]; joint(1).tr.rot = [1 inf];\n"
     "chamber(1).rod = 4; chamber(1).offset = [.005*b .002]; chamber(1).area = 2e-5; "
     "chamber(1).pressure = 2e4*b;\n"
     "cable(1).rod = 2; cable(1).path = .01*b*[cos(20*s) sin(20*s)]; cable(1).tension = 3*b;\n"
     "cable(2).rod = 5; cable(2).path = [.003*b -.002]; cable(2).pull = .01*b; "
     "cable(2).stiffness = 40*b; cable(2).friction = a;\n"
     "cable(3).via = {0, at(rod(4), .15), 1}; cable(3).points = [0 a .3; .01*b 0 0; 0 .02 .01]; "
     "cable(3).pull = .05; cable(3).stiffness = 30*a;\n"},
    {"strains",
     "a = param('a', 2); world.g = [.3 0 -9.81];\n"
     "rod(1).model = 'gvs'; rod(1).length = .3; rod(1).radius = .015; rod(1).E = 1e5; rod(1).rho "
     "= 1000*a; rod(1).coords = 2; c = coord(rod(1)); rod(1).points = 5; rod(1).init = [a 4];\n"
     "rod(1).strain = [0 0 .1*c(2)^2/a c(1)/(1 + (a*c(2)*(s - .1*t))^2) c(1)*sin(a*s) .5 + "
     "a*sin(2*t)];\n"
     "rod(1).load = [.1*a 0 sin(3*t)*s 0 1e-3 0];\n"},
    {"surroundings",
     "a = param('a', .3); b = param('b', 1.1); world.g = [.3 0 -9.81]; fluid.rho = 800*b; "
     "fluid.velocity = [a -.2 b*t];\n"
     "body(1).m = 2; body(1).I = 1e-2*diag([1 2 2.5]); body(1).fluid.volume = 1.5e-3*b; "
     "body(1).fluid.center = [0 .01 a]; body(1).fluid.added_mass = b*diag([1 2 3 .1 .2 .3]); "
     "body(1).fluid.drag_matrix = a*diag([1 2 3 .1 .2 .3]);\n"
     "joint(1).second = 1; joint(1).type = 'free';\n"
     "rod(1).first = 1; rod(1).tr.trans = [a 0 0]; rod(1).length = .2; rod(1).radius = .03; "
     "rod(1).E = 1e5; rod(1).rho = 1000; rod(1).fluid.drag = [.7*b 1 .1]; rod(1).fluid.lift = a;\n"
     "contact(1).first = body(1); contact(1).points = [.1 a -.05; 0 .1 -.02]; contact(1).ball = "
     ".3*b; contact(1).second = 'plane'; contact(1).point = [0 0 -.1*b]; contact(1).normal = [a .2 "
     "1]; contact(1).stiffness = 100*b; contact(1).damping = a; contact(1).friction = .1*b; "
     "contact(1).slip = a;\n"
     "contact(2).first = rod(1); contact(2).second = 'sphere'; contact(2).center = [a -.2 .1]; "
     "contact(2).radius = .33; contact(2).exponent = 1.5; contact(2).stiffness = 1e3*b;\n"
     "contact(3).first = rod(1); contact(3).second = 'cylinder'; contact(3).center = [0 -.25 .05]; "
     "contact(3).axis = [1 a 0]; contact(3).radius = .33; contact(3).stiffness = 300; "
     "contact(3).law = 'approach'; contact(3).damping = 3*a;\n"
     "contact(4).first = body(1); contact(4).ball = .2*b; contact(4).second = 'sphere'; "
     "contact(4).center = [a .1 .1]; contact(4).radius = .3*b; contact(4).stiffness = 200;\n"
     "magnet(1).on = 1; magnet(1).moment = [.3 a .5]; magnet(1).field = [1 b 3];\n"},
    {"net",
     "a = param('a', .3); b = param('b', 1.1); world.g = [0 0 -9.81]; fluid.rho = 900; "
     "fluid.velocity = [.5 + b*here(3)^2, a*sin(3*here(1)), -.4*here(2) + .5];\n"
     "mesh(1).node = [0 0 .2; .1 0 .3; .2 .1 .2]; mesh(1).edge = [1 2; 2 3]; mesh(1).fixed = 1; "
     "mesh(1).body.m = .2*b; mesh(1).fluid.width = .02*b; mesh(1).joint(2).spring.coeff = "
     "40*b;\n"},
};

#endif
