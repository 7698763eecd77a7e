// Standalone programs have dense matrices only: networks are not exported.
#include "engine/sparse_engine.h"

sparse_kkt* td_sparse_kkt_new(const td_model* m, bool diagonal, bool definite) {
  (void)m, (void)diagonal, (void)definite;
  return NULL;
}

void td_sparse_kkt_free(sparse_kkt* kkt) { (void)kkt; }

size_t td_sparse_scratch(const td_model* m) {
  (void)m;
  return 0;
}

td_status td_sparse_forward(const td_model* m, td_work* w) {
  (void)m, (void)w;
  return TD_E_USAGE;
}

td_status td_sparse_correct(const td_model* m, td_work* w, const double* error, bool weigh,
                            double* delta) {
  (void)m, (void)w, (void)error, (void)weigh, (void)delta;
  return TD_E_USAGE;
}

td_status td_sparse_answers(const td_model* m, td_work* w, const double* f, const double* g, int k,
                            double* a, double* lambda) {
  (void)m, (void)w, (void)f, (void)g, (void)k, (void)a, (void)lambda;
  return TD_E_USAGE;
}

td_status td_sparse_forward_tangent(const td_model* m, const td_state* state, td_work* w,
                                    double* dq, double* dv, double* du, double* dlambda) {
  (void)m, (void)state, (void)w, (void)dq, (void)dv, (void)du, (void)dlambda;
  return TD_E_USAGE;
}

void td_sparse_mass_spread(const td_model* m, td_work* w, double* M) { (void)m, (void)w, (void)M; }

bool td_sparse_whole(const td_model* m) {
  (void)m;
  return true;
}

int td_sparse_window_hops(const td_model* m) { return m->nhop; }
int td_sparse_window_columns(const td_model* m) { return m->ncol; }

sparse_team* td_sparse_team_new(const td_model* m, int threads) {
  (void)m, (void)threads;
  return NULL;
}

void td_sparse_team_free(sparse_team* team) { (void)team; }

int td_sparse_threads(const td_model* m) {
  (void)m;
  return 1;
}
