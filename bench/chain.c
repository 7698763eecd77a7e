#include "chain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// A capsule-like link: transverse inertia m l²/12, axial m r²/2, small products from its inclination.
chain_link chain_link_at(int k) {
  const double x = sin(1.7 * k), y = cos(2.3 * k), z = sin(0.9 * k + 1);
  const double m = 1 + 0.3 * x, l = 0.25 + 0.05 * y, r = 0.03;
  const double transverse = m * l * l / 12, axial = m * r * r / 2;
  return (chain_link){
      .m = m,
      .com = {0.01 * x, 0.01 * y, 0.5 * l},
      .I = {transverse, 1.05 * transverse, axial + 0.1 * transverse, 0.02 * transverse * x,
            0.03 * transverse * y, 0.03 * transverse * z},
      .length = l,
      .axis = (k + 1) % 3,
  };
}

// ---- text that grows ----

typedef struct text {
  char* at;
  size_t used, size;
} text;

static void put(text* t, const char* format, ...) {
  char line[1024];
  va_list args;
  va_start(args, format);
  const size_t n = (size_t)vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (t->used + n + 1 > t->size) {
    t->size = 2 * t->size + n + 1024;
    t->at = realloc(t->at, t->size);
    if (!t->at) abort();
  }
  for (size_t i = 0; i <= n; i++) t->at[t->used + i] = line[i];
  t->used += n;
}

char* chain_model_text(int n) {
  text t = {0};
  put(&t, "world.g = [0 0 -9.81];\n");
  for (int k = 0; k < n; k++) {
    const chain_link l = chain_link_at(k);
    put(&t, "body(%d).m = %.17g; body(%d).l_com = [%.17g %.17g %.17g];\n", k + 1, l.m, k + 1,
        l.com[0], l.com[1], l.com[2]);
    put(&t, "body(%d).I = [%.17g %.17g %.17g; %.17g %.17g %.17g; %.17g %.17g %.17g];\n", k + 1,
        l.I[0], l.I[3], l.I[4], l.I[3], l.I[1], l.I[5], l.I[4], l.I[5], l.I[2]);
    put(&t, "joint(%d).first = %d; joint(%d).second = %d; joint(%d).tr(1).rot = [%d inf];\n", k + 1,
        k, k + 1, k + 1, k + 1, l.axis + 1);
    if (k > 0)
      put(&t, "joint(%d).tr(1).trans = [0 0 %.17g];\n", k + 1, chain_link_at(k - 1).length);
  }
  return t.at;
}

// Contacts, limits, passive forces ... are all switched off: nothing but the chain is computed.
char* chain_mjcf(int n) {
  static const char* const axes[] = {"1 0 0", "0 1 0", "0 0 1"};
  text t = {0};
  put(&t, "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81' timestep='0.001'>");
  put(&t, "<flag constraint='disable' equality='disable' frictionloss='disable' limit='disable' ");
  put(&t, "contact='disable' passive='disable' clampctrl='disable' warmstart='disable' ");
  put(&t, "filterparent='disable' actuation='disable' refsafe='disable'/>");
  put(&t, "</option><worldbody>\n");
  double start = 0;
  for (int k = 0; k < n; k++) {
    const chain_link l = chain_link_at(k);
    put(&t, "<body pos='0 0 %.17g'><joint type='hinge' axis='%s'/>", start, axes[l.axis]);
    put(&t, "<inertial mass='%.17g' pos='%.17g %.17g %.17g' ", l.m, l.com[0], l.com[1], l.com[2]);
    put(&t, "fullinertia='%.17g %.17g %.17g %.17g %.17g %.17g'/>\n", l.I[0], l.I[1], l.I[2], l.I[3],
        l.I[4], l.I[5]);
    start = l.length;
  }
  for (int k = 0; k < n; k++) put(&t, "</body>");
  put(&t, "</worldbody></mujoco>\n");
  return t.at;
}
