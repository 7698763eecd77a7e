// Standalone programs have dense matrices only: networks are not exported.
#include "engine/sparse_engine.h"
#include "engine/system.h"

sparse_kkt* td_sparse_kkt_new(const td_model* m, bool diagonal, bool definite) {
  (void)m, (void)diagonal, (void)definite;
  return NULL;
}

void td_sparse_kkt_free(sparse_kkt* kkt) { (void)kkt; }

size_t td_sparse_scratch(const td_model* m) {
  (void)m;
  return 0;
}

const system_ops td_system_sparse = {0};

void td_sparse_tangent_spread(const td_model* m, td_work* w, double* f, double* g, int cols) {
  (void)m, (void)w, (void)f, (void)g, (void)cols;
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
