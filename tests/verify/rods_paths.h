// Paths of equilibria with critical points, and the two structures that snap: Lee's frame and the
// deep arch.
#ifndef TD_VERIFY_RODS_PATHS_H
#define TD_VERIFY_RODS_PATHS_H

#include "rods_loads.h"

typedef struct path_row {
  const char* text;
  double from, to, step;
} path_row;

// Parameter and sensors at the k-th critical point of a kind, the sensors after it.
static inline void find_critical(bench b, const path_row* r, td_path_kind kind, int count, int size,
                                 double* out) {
  td_trace_options options = td_trace_options_default();
  options.param = td_model_param_find(b.model, "P");
  options.from = r->from;
  options.to = r->to;
  options.step = r->step;
  td_trace_result* path;
  assert_int_equal(td_trace(b.model, b.work, b.state, &options, &path), TD_OK);
  int found = 0;
  const int nsensor = td_model_sizes(b.model).nsensor;
  for (int i = 0; i < path->n && found < count; i++) {
    if (path->kind[i] != kind) continue;
    out[found * (size + 1)] = path->p[i];
    memcpy(out + found * (size + 1) + 1, path->sensors + i * nsensor,
           sizeof(double) * (size_t)size);
    found++;
  }
  assert_int_equal(found, count);
  td_trace_free(path);
  bench_free(&b);
}

// Lee's frame in units of leg length and bending stiffness: P L²/EI = 10 P of the table,
// displacements of the load / 120.
#define LEE                                                                                  \
  ROD_HEAD                                                                                   \
  "P = param('P', 0); EA = 43200; far = 1e4;\n"                                              \
  "for i = 1:2\n"                                                                            \
  "  rod(i).model = mdl; rod(i).n = n; rod(i).length = 1; rod(i).inertia = [1 1 1 1 1 1];\n" \
  "  rod(i).stiffness = [EA/2.6 EA/2.6 EA far 1 far];\n"                                     \
  "  if ~absolute, rod(i).modes = [cosserat 0 cosserat 0 1 0]; end\n"                        \
  "end\n"                                                                                    \
  "rod(1).tr(1).rot = [3 pi/2]; rod(1).tr(2).rot = along_x;\n"                               \
  "rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0];\n"                           \
  "rod(2).first = at(rod(1), 1); rod(2).tr.rot = [2 -pi/2];\n"                               \
  "joint(1).second = at(rod(2), 1); joint(1).tr.trans = [1 1 0]; joint(1).refbody = 0;\n"    \
  "joint(1).fixed = [1 1 0 0 0 0];\n"                                                        \
  "exload(1).exbody = at(rod(2), 0.2); exload(1).refbody = 0; exload(1).ftau = [0 -P 0];\n"  \
  "p = pos(rod(2), 0.2); sensor(1).name = 'load'; sensor(1).value = [1 - p(2), p(1) - 0.2];\n"

// Deep arch in units of its radius and bending stiffness: P R²/EI = P of the table / 100. Segments,
// whose ends are not on the arc, are drawn to the hinge; a curve starts there.
#define TO_THE_HINGE "joint(1).type = 'spherical';\n"
#define ON_THE_HINGE "joint(1).refbody = 0; joint(1).fixed = [1 1 0 0 0 0];\n"
#define ARCH(hinge)                                                                               \
  ROD_HEAD                                                                                        \
  "P = param('P', 0); a = 107.5*pi/180; L = 2*a; rod(1).length = L;\n"                            \
  "rod(1).inertia = [1 1 1 1 1 1]; rod(1).shape = [0 0 0 0 1 0];\n"                               \
  "rod(1).stiffness = [1e6 1e6 1e6 1e4 1 1e4]; if ~absolute, rod(1).modes = [0 0 0 0 1 0]; end\n" \
  "rod(1).tr(1).trans = [sin(a) cos(a) 0]; rod(1).tr(1).rot = [3 pi - a];\n"                      \
  "rod(1).tr(2).rot = along_x; joint(1).second = at(rod(1), L);\n"                                \
  "joint(1).tr.trans = [-sin(a) cos(a) 0];\n" hinge                                               \
  "exload(1).exbody = at(rod(1), L/2); exload(1).refbody = 0; exload(1).ftau = [0 -P 0];\n"       \
  "p = pos(rod(1), L/2); sensor(1).name = 'crown'; sensor(1).value = [1 - p(2), p(1)];\n"

#endif
