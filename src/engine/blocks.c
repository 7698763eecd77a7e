// Tangent of forces that act on single stations.  Their derivatives (elem/station.h) are summed for
// each hop and then along the tree: along a column k every station downstream moves by S_k and its
// twist changes by S_k × V + U_k, so that
//
//   Σ δf = Σ (Kx - Kv [V]×) S_k + Σ Kv U_k
//
// takes two sums over the subtree, however many stations there are.  dF/dq contains minus these
// sums, which are kept as block.K and block.B; added mass contributes to both.
#include "engine/stages.h"

// Add the derivatives of one force: K -= Kx - Kv [V]×,  B -= Kv.
void td_block_add(td_work* w, int hop, const station_force* s) {
  hop_block* b = &w->blocks[hop];
  const spatial* V = &w->hop[hop].V;
  for (int j = 0; j < 6; j++) {
    const spatial e = spatial_unit(j), Ve = spatial_cross(V, &e);
    const spatial turned = spatial6_apply(&s->Kv, &Ve);
    b->K.col[j] = spatial_sub(b->K.col[j], spatial_sub(s->Kx.col[j], turned));
    b->B.col[j] = spatial_sub(b->B.col[j], s->Kv.col[j]);
  }
}

// Add the derivatives of a force f that is fixed in its station and depends on the relative twist V
// - V_f: Kx δX = δX ×* f + Kv (V - V_f) × δX, which leaves δX ×* f - Kv (V_f × δX) in the sum
// above.
void td_block_turning(td_work* w, int hop, const spatial* f, const spatial6* Kv,
                      const spatial* Vf) {
  hop_block* b = &w->blocks[hop];
  const spatial minus = spatial_scale(-1, *f);
  spatial6_add_turning(&b->K, &minus);
  spatial6_sub(&b->B, Kv);
  if (spatial_dot(Vf, Vf) == 0) return;
  for (int j = 0; j < 6; j++) {
    const spatial e = spatial_unit(j), Ve = spatial_cross(Vf, &e);
    b->K.col[j] = spatial_add(b->K.col[j], spatial6_apply(Kv, &Ve));
  }
}

// Add the derivatives of a force F fixed in the world that acts at a material point, now at p:
// δ[F, p × F] = [0, δp × F],  δp = δX_t + δX_r × p.
void td_block_dead_force(td_work* w, int hop, vec3 p, vec3 F) {
  const vec3 none = {0, 0, 0};
  for (int j = 0; j < 6; j++) {
    const spatial e = spatial_unit(j);
    const vec3 dp = vec3_add(spatial_t(&e), vec3_cross(spatial_r(&e), p));
    spatial* K = &w->blocks[hop].K.col[j];
    *K = spatial_sub(*K, spatial_of(none, vec3_cross(dp, F)));
  }
}
