// Hops: what the engine requires of each kind.
//
// Operations on hops take a range [first, end) of one kind, each hop behind its parent: the tree is
// cut into such ranges (model_hop.alike), so that a kind writes its own loop.  To add a kind: its
// line in TD_HOPS (model/model.h) and engine/hop_<kind>.c with its table.
#ifndef TD_HOP_H
#define TD_HOP_H

#include "engine/force.h"
#include "model/model.h"

struct tangent_path;
struct direction;
struct adjoint;

typedef struct hop_ops {
  // Poses, motion subspaces, twists and bias accelerations (hop_work); inertias in the world.
  void (*place)(const td_model* m, td_work* w, int first, int end);
  // U, Z, X of the columns (tangent.c) for the accelerations a in hop.A; of steps of rods those of
  // the parts, and of the columns only with `of_rods`.
  void (*columns)(const td_model* m, td_work* w, int first, int end, const double* a, bool of_rods);
  // The motion subspace changes inside the hop: d(S_lᵀ F)/dq_k with F held, added to dq for all
  // pairs of its columns.
  void (*own)(const td_model* m, const td_work* w, int hop, const struct tangent_path* t,
              double* dq);
  // The changes X, U, Z along a direction (direction.h); and F · Ad ∂ε/∂q_k of the composite
  // wrenches hop.F, added to out (nvel).
  void (*vary)(const td_model* m, td_work* w, int first, int end, const struct direction* d);
  void (*vary_forces)(const td_model* m, td_work* w, int first, int end, const struct direction* d,
                      double* out);
  // Transpose of both (adjoint.h): adjoints of X, U, Z of the hops, the last of which comes first,
  // and weights F̄ of the generalised forces give those of coordinates, rates, v' and numbers.
  void (*reverse)(const td_model* m, td_work* w, int first, int end, struct adjoint* b);
  // q' = N(q) v, and q displaced by dv.  Only of hops with a quaternion: the positions of others
  // change by v and dv.
  void (*rate)(const double* q, const double* v, double* qdot);
  void (*displace)(double* q, const double* dv);
} hop_ops;

#define X(kind, name, ...) extern const hop_ops td_hop_##name;
TD_HOPS(X)
#undef X
extern const hop_ops* const td_hop_table[HOP_KINDS];

// Rate and displacement of the positions of hops for which q' = v.
void td_plain_rate(const double* q, const double* v, double* qdot);
void td_plain_displace(double* q, const double* dv);
// Columns and own derivatives of hops whose motion subspace is fixed in the parent: S turns with
// the parent alone.
void td_fixed_columns(const td_model* m, td_work* w, int first, int end, const double* a,
                      bool of_rods);
void td_fixed_own(const td_model* m, const td_work* w, int hop, const struct tangent_path* t,
                  double* dq);

// The pose of a hop before its own motion.
static inline pose pose_before(const td_model* m, const td_work* w, int i) {
  const int parent = m->hop[i].parent;
  return parent < 0 ? pose_mul(pose_identity(), w->hop_fix[i])
                    : pose_mul(w->hop[parent].g, w->hop_fix[i]);
}

// Store what a hop does to its frame: the pose g behind it, the twist S v it adds, and the rate
// `own` of S times v inside the hop.
static inline void put_hop(const td_model* m, td_work* w, int i, const pose* g, const spatial* Sv,
                           const spatial* own) {
  const int parent = m->hop[i].parent;
  const spatial still = spatial_zero(), *V = parent < 0 ? &still : &w->hop[parent].V;
  hop_work* h = &w->hop[i];
  h->g = *g;
  h->V = spatial_add(*V, *Sv);
  h->c = spatial_cross(V, Sv);
  if (own) h->c = spatial_add(h->c, *own);
  if (w->hop_heavy[i]) h->I = inertia_move(*g, w->hop_inertia[i]);
}

// Columns of a hop with three numbers: weight times the motion of the number they enter.  Returns
// S v.
static inline spatial put_columns(const td_model* m, td_work* w, const model_hop* hop,
                                  const spatial part[3]) {
  spatial Sv = spatial_zero();
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    w->col[k].S = spatial_scale(w->col_weight[k], part[m->col[k].part]);
    Sv = spatial_axpy(w->v[m->col[k].v], w->col[k].S, Sv);
  }
  return Sv;
}

#endif
