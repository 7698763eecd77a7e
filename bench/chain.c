#include "chain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// A capsule-like link: transverse inertia m l²/12, axial m r²/2, inclined by some tenths of a
// radian.
chain_link chain_link_at(int k) {
  const double x = sin(1.7 * k), y = cos(2.3 * k), z = sin(0.9 * k + 1);
  const double m = 1 + 0.3 * x, l = 0.25 + 0.05 * y, r = 0.05;
  const double transverse = m * l * l / 12, size = sqrt(1 + 0.01 * (x * x + y * y + z * z));
  return (chain_link){
      .m = m,
      .com = {0.01 * x, 0.01 * y, 0.5 * l},
      .principal = {1.05 * transverse, transverse, m * r * r / 2},
      .quat = {1 / size, 0.1 * x / size, 0.1 * y / size, 0.1 * z / size},
      .length = l,
      .axis = (k + 1) % 3,
  };
}

// ---- text that grows --------------------------------------------------------------------------

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
  put(&t, "function R = rotation(w, u)\n");
  put(&t,
      "  U = [0 -u(3) u(2); u(3) 0 -u(1); -u(2) u(1) 0];\n  R = eye(3) + 2*w*U + 2*U*U;\nend\n");
  for (int k = 0; k < n; k++) {
    const chain_link l = chain_link_at(k);
    put(&t, "body(%d).m = %.17g; body(%d).l_com = [%.17g %.17g %.17g];\n", k + 1, l.m, k + 1,
        l.com[0], l.com[1], l.com[2]);
    put(&t, "R = rotation(%.17g, [%.17g %.17g %.17g]);\n", l.quat[0], l.quat[1], l.quat[2],
        l.quat[3]);
    put(&t, "body(%d).I = R*diag([%.17g %.17g %.17g])*R';\n", k + 1, l.principal[0], l.principal[1],
        l.principal[2]);
    put(&t, "joint(%d).first = %d; joint(%d).second = %d; joint(%d).tr(1).rot = [%d inf];\n", k + 1,
        k, k + 1, k + 1, k + 1, l.axis + 1);
    if (k > 0)
      put(&t, "joint(%d).tr(1).trans = [0 0 %.17g];\n", k + 1, chain_link_at(k - 1).length);
  }
  return t.at;
}

// Contacts, limits, passive forces ... are all switched off: nothing but the chain is computed.
static const char mjcf_head[] =
    "<compiler angle='radian'/><option gravity='0 0 -9.81'><flag constraint='disable' "
    "equality='disable' frictionloss='disable' limit='disable' contact='disable' passive='disable' "
    "clampctrl='disable' warmstart='disable' filterparent='disable' actuation='disable' "
    "refsafe='disable' sensor='disable'/></option><worldbody>\n";

char* chain_mjcf(int n, int first) {
  static const char* const axes[] = {"1 0 0", "0 1 0", "0 0 1"};
  const int end = first + CHAIN_PART < n ? first + CHAIN_PART : n;
  text t = {0};
  put(&t, "<mujoco>%s", first == 0 ? mjcf_head : "");
  for (int k = first; k < end; k++) {
    const chain_link l = chain_link_at(k);
    put(&t, "<body pos='0 0 %.17g'>", k > 0 ? chain_link_at(k - 1).length : 0);
    put(&t, "<joint type='hinge' axis='%s'/>", axes[l.axis]);
    put(&t, "<inertial mass='%.17g' pos='%.17g %.17g %.17g' ", l.m, l.com[0], l.com[1], l.com[2]);
    put(&t, "diaginertia='%.17g %.17g %.17g' ", l.principal[0], l.principal[1], l.principal[2]);
    put(&t, "quat='%.17g %.17g %.17g %.17g'/>\n", l.quat[0], l.quat[1], l.quat[2], l.quat[3]);
  }
  if (end < n) put(&t, "<include file='chain%d.xml'/>", end);
  for (int k = first; k < end; k++) put(&t, "</body>");
  put(&t, "%s</mujoco>\n", first == 0 ? "</worldbody>" : "");
  return t.at;
}
