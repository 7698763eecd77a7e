// The mass matrix of a tree without rows, by the factors that the articulated-body recursion has
// left: M⁻¹ takes one sweep up and one down the tree for MASS_WIDTH right-hand sides at once.
#include <string.h>

#include "engine/system.h"

// Keep the factors of the articulated-body recursion of this state.
static td_status factor(const td_model* m, td_work* w, system_use use, td_system* system) {
  (void)use;
  system->rank = 0;
  system->factors = arena_bytes(&w->scratch, (size_t)m->nvel * sizeof(mass_factor));
  td_mass_factors(m, w, system->factors);
  return TD_OK;
}

// x = M⁻¹ f, in place, or with rows of f padded to a multiple of MASS_WIDTH.
static void solve(const td_model* m, td_work* w, const td_system* system, const double* f,
                  const double* g, int k, double* x, double* l) {
  (void)g, (void)l;  // there are no rows
  if (x == f && k % MASS_WIDTH == 0) {
    td_mass_solve(m, w, system->factors, x, k);
    return;
  }
  const arena_mark mark = arena_open(&w->scratch);
  const int width = (k + MASS_WIDTH - 1) / MASS_WIDTH * MASS_WIDTH;
  double* wide = arena_zeros(&w->scratch, m->nvel * width);
  for (int i = 0; i < m->nvel; i++) memcpy(wide + i * width, f + i * k, (size_t)k * sizeof(double));
  td_mass_solve(m, w, system->factors, wide, width);
  for (int i = 0; i < m->nvel; i++) memcpy(x + i * k, wide + i * width, (size_t)k * sizeof(double));
  arena_close(&w->scratch, mark);
}

const system_ops td_system_tree = {
    .lasting = true, .width = MASS_WIDTH, .factor = factor, .solve = solve};
