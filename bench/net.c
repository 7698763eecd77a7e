#include "net.h"

#include <stdio.h>
#include <stdlib.h>

// Stiffness of the material, not of the edges: 400 N/m of width, so that all edges have the same.
static const char grid[] =
    "world.g = [0 0 -9.81]; n = %d; a = 1/(n-1); mesh.grid = [n n]; mesh.body.m = .1/n^2;\n"
    "%s\n"
    "par.t_final = 1; par.rtol = 1e-4; par.atol = 1e-6; par.dt_out = .1;\n";

static const char* const law[] = {
    "mesh.joint(2).spring.coeff = 400; mesh.joint(2).damp.visc = .05*a;",
    "mesh.joint(2).spring.coeff = 400; mesh.joint(2).damp.visc = .05*a; mesh.joint(2).dir = 1;",
    "mesh.body.I = .1/n^2*a^2/6*eye(3); mesh.joint(1).tr.rot = [inf inf inf inf];\n"
    "mesh.joint(2).spring.coeff = [400 400 400 1e-3*a 1e-3*a 1e-3*a];\n"
    "mesh.joint(2).damp.visc = [.05*a .05*a .05*a 1e-6*a 1e-6*a 1e-6*a];"};

char* net_text(int n, net_kind kind) {
  const size_t room = 4096;
  char* text = malloc(room);
  if (text) snprintf(text, room, grid, n, law[kind]);
  return text;
}

char* net_mjcf(int n) {
  const size_t room = 2048;
  char* text = malloc(room);
  if (!text) return NULL;
  snprintf(text, room,
           "<mujoco><option timestep='1e-3' integrator='implicit'/><size njmax='%d' nconmax='100'/>"
           "<worldbody><body name='B0_0' pos='0 0 0'>"
           "<composite type='cloth' count='%d %d 1' spacing='%.8g' flatinertia='0.01'>"
           "<joint kind='main' damping='0.001'/><geom type='sphere' size='%.8g' mass='%.8g' "
           "contype='0' conaffinity='0'/></composite></body></worldbody></mujoco>",
           8 * n * n + 1000, n, n, 1.0 / n, 0.2 / n, 0.1 / n / n);
  return text;
}
