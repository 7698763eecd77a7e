#include "net.h"

#include <stdio.h>
#include <stdlib.h>

// Stiffness of the material, not of the edges: 400 N/m of width, so that edges have the same.
static const char nodes[] =
    "world.g = [0 0 -9.81]; n = %d; a = 1/n; m = .1/n^2; k = 0;\n"
    "for y = 1:n, for x = 1:n\n"
    "k = k+1; body(k).m = m; joint(k).second = k; %s\n"
    "joint(k).dof(1).init = a*(x-1); joint(k).dof(2).init = a*y;\n"
    "end, end\n"
    "j = k;\n"
    "for y = 1:n, for x = 1:n\n"
    "j = j+1; joint(j).second = x+n*(y-1); %s\n"
    "if y > 1, joint(j).first = x+n*(y-2); else, joint(j).first = 0; joint(j).tr.trans = [a*(x-1) "
    "0 "
    "0]; end\n"
    "end, end\n"
    "for y = 1:n, for x = 2:n\n"
    "j = j+1; joint(j).first = x-1+n*(y-1); joint(j).second = x+n*(y-1); %s\n"
    "end, end\n"
    "par.t_final = 1; par.rtol = 1e-4; par.atol = 1e-6; par.dt_out = .1;\n";

static const char* const freedom[] = {"joint(k).tr.trans = [inf inf inf];",
                                      "joint(k).tr.trans = [inf inf inf];",
                                      "body(k).I = m*a^2/6*eye(3); joint(k).type = 'free';"};
static const char* const law[] = {
    "joint(j).spring.coeff = 400; joint(j).spring.init = a; joint(j).damp.visc = .05*a;",
    "joint(j).spring.coeff = 400; joint(j).spring.init = a; joint(j).damp.visc = .05*a; "
    "joint(j).dir = 1;",
    "joint(j).spring.coeff = [400 400 400 1e-3*a 1e-3*a 1e-3*a]; joint(j).spring.init = [nan nan "
    "nan 0 0 0]; joint(j).damp.visc = [.05*a .05*a .05*a 1e-6*a 1e-6*a 1e-6*a];"};

char* net_text(int n, net_kind kind) {
  const size_t room = 4096;
  char* text = malloc(room);
  if (text) snprintf(text, room, nodes, n, freedom[kind], law[kind], law[kind]);
  return text;
}

char* net_mjcf(int n) {
  const size_t room = 2048;
  char* text = malloc(room);
  if (!text) return NULL;
  snprintf(text, room,
           "<mujoco><option timestep='1e-3' integrator='implicit'/><size njmax='%d' nconmax='100'/>"
           "<worldbody><body name='B0' pos='0 0 0'>"
           "<composite type='cloth' count='%d %d 1' spacing='%.8g' flatinertia='0.01'>"
           "<joint kind='main' damping='0.001'/><geom type='sphere' size='%.8g' mass='%.8g' "
           "contype='0' conaffinity='0'/></composite></body></worldbody></mujoco>",
           8 * n * n + 1000, n, n, 1.0 / n, 0.2 / n, 0.1 / n / n);
  return text;
}
