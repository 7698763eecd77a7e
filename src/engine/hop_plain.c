// Shared by kinds of hops: one coordinate whose rate is its velocity, and columns that do not
// change in the moving frame.
#include "engine/hop.h"
#include "engine/stages.h"

void td_plain_rate(const double* q, const double* v, double* qdot) { (void)q, qdot[0] = v[0]; }

void td_plain_displace(double* q, const double* dv) { q[0] += dv[0]; }

// W = B = 0 and Y = V_p × S in the words of tangent.c.
void td_fixed_columns(const td_model* m, td_work* w, int first, int end, const double* a,
                      bool of_rods) {
  (void)a, (void)of_rods;
  for (int i = first; i < end; i++) {
    const hop_work* h = &w->hop[i];
    for (int k = m->hop[i].col; k < m->hop[i].col + m->hop[i].nv; k++) {
      const spatial* S = &w->col[k].S;
      col_sum* c = sums_of_col(w, k);
      c->U = spatial_cross(&h->V, S);
      c->X = spatial_scale(2, c->U);
      c->Z = spatial_add(spatial_cross(&h->A, S), spatial_cross(&h->V, &c->U));
    }
  }
}

void td_fixed_own(const td_model* m, const td_work* w, int hop, const struct tangent_path* t,
                  double* dq) {
  (void)m, (void)w, (void)hop, (void)t, (void)dq;
}
