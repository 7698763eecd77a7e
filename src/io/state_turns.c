// States of older files: vector parts of unit quaternions become whole ones.
#include "io/state_turns.h"

#include <math.h>

#include "model/model.h"

int td_turn_count(const td_model* m) {
  int n = 0;
  for (int i = 0; i < m->nhop; i++) n += m->hop[i].vector;
  return n;
}

// Complete a state in which rotations have three numbers e, the vector part of a unit quaternion: q
// gets the scalar parts, and with `rates` velocities e' become angular velocities.  False: |e| >= 1
// is no unit quaternion.
bool td_complete_turns(const td_model* m, td_state* state, bool rates) {
  // make room before each vector part, from the end so that nothing is overwritten
  for (int i = m->npos - 1, from = m->npos - 1 - td_turn_count(m); i >= 0; i--) {
    const int hop = m->pos[i].hop;
    const bool scalar = hop >= 0 && m->hop[hop].vector && m->hop[hop].q == i;
    if (!scalar) state->q[i] = state->q[from--];
  }

  // s² = 1 - e·e,  ω = 2 (s e' - e × e' + e (e·e') / s)
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    if (!hop->vector) continue;
    const int n = hop->nv;
    const double* e = state->q + hop->q + 1;
    double* v = state->v + hop->v;
    double ee = 0, along = 0, rate[3] = {0, 0, 0};
    for (int k = 0; k < n; k++) {
      ee += e[k] * e[k];
      along += e[k] * v[k];
      rate[k] = v[k];
    }
    if (!(ee < 1)) return false;
    const double s = state->q[hop->q] = sqrt(1 - ee);
    for (int k = 0; rates && k < n; k++) {
      const int a = (k + 1) % 3, b = (k + 2) % 3;
      const double cross = n == 3 ? e[a] * rate[b] - e[b] * rate[a] : 0;
      v[k] = 2 * (s * rate[k] - cross + e[k] * along / s);
    }
  }
  return true;
}
