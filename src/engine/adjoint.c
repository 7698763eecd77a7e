// Adjoints: their memory, transposition by unit changes, numbers that tapes make, and the sweep
// over the hops.
#include "engine/adjoint.h"

#include <string.h>

#include "engine/hop.h"

size_t td_adjoint_bytes(const td_model* m) {
  // besides, what td_rates_diff and td_rates_reverse keep around it
  const size_t held = m->nmotion_slot > 0 ? (size_t)(rates_block(m) * m->nvel) : 0;
  const size_t rates = held + 8 * (size_t)m->nvel + 6 * (size_t)m->nrow + (size_t)m->nnumber +
                       (size_t)m->nparam + (size_t)model_drives(m);
  const size_t doubles = rates + 4 * (size_t)m->nvel + 2 * (size_t)m->nrow + (size_t)m->nnumber +
                         (size_t)m->nvar + 2 * (size_t)m->ncable + 3 * (size_t)m->nbeam_frame +
                         3 * (size_t)m->nreference + (size_t)m->nprobe + (size_t)m->ncrossing;
  return sizeof(double) * doubles + (sizeof(hop_change) + sizeof(spatial)) * (size_t)m->nhop +
         64 * 40;
}

adjoint* td_adjoint_new(const td_model* m, td_work* w) {
  arena* s = &w->scratch;
  adjoint* b = arena_bytes(s, sizeof *b);
  *b = (adjoint){.q = arena_zeros(s, m->nvel),
                 .v = arena_zeros(s, m->nvel),
                 .a = arena_zeros(s, m->nvel),
                 .tau = arena_zeros(s, m->nvel),
                 .lambda = arena_zeros(s, m->nrow),
                 .n = arena_zeros(s, m->nnumber),
                 .var = arena_zeros(s, m->nvar),
                 .zero = arena_zeros(s, m->ncable),
                 .axes = (vec3*)(void*)arena_zeros(s, 3 * m->nbeam_frame),
                 .reference = (vec3*)(void*)arena_zeros(s, 3 * m->nreference),
                 .length0 = arena_zeros(s, m->nprobe),
                 .row_zero = arena_zeros(s, m->nrow),
                 .tension = arena_zeros(s, m->ncable),
                 .share = arena_zeros(s, m->ncrossing),
                 .hop = arena_bytes(s, (size_t)m->nhop * sizeof(hop_change)),
                 .f = arena_bytes(s, (size_t)m->nhop * sizeof(spatial))};
  memset(b->hop, 0, (size_t)m->nhop * sizeof(hop_change));
  memset(b->f, 0, (size_t)m->nhop * sizeof(spatial));
  return b;
}

void td_units(const td_model* m, td_work* w, change_rule rule, double* x, int n, double* bar) {
  for (int i = 0; i < n; i++) {
    x[i] = 1;
    bar[i] += rule.change(m, w, rule.what);
    x[i] = 0;
  }
}

// ---- numbers ----------------------------------------------------------------------------------

void td_tape_numbers_reverse(td_work* w, const td_tape* tape, const num* slot, int n, adjoint* b) {
  const arena_mark mark = arena_open(&w->scratch);
  double* bar = arena_doubles(&w->scratch, n);
  for (int i = 0; i < n; i++) bar[i] = b->n[slot[i]];
  for (int i = 0; i < n; i++) b->n[slot[i]] = 0;
  td_tape_reverse(tape, w->vars, bar, w->scratch_tape, w->partial, b->var);
  arena_close(&w->scratch, mark);
}

void td_motion_reverse(const td_model* m, td_work* w, adjoint* b) {
  if (m->nmotion_slot == 0) return;
  for (int i = 0; i < m->nvel; i++) {
    if (m->vel[i].motion == NUM_NONE) continue;
    b->n[m->vel[i].motion] += b->q[i];
    b->n[m->vel[i].motion + 1] += b->v[i];
    b->q[i] = b->v[i] = 0;
  }
  td_tape_numbers_reverse(w, w->open_tables ? m->motion_open_tape : m->motion_tape, m->motion_slot,
                          m->nmotion_slot, b);
}

// Strains that are expressions, whose variables are the coordinates.
static void strain_numbers_reverse(const td_model* m, td_work* w, adjoint* b) {
  if (m->nstrain_slot == 0) return;
  for (int i = 0; i < m->ncoordinate; i++) {
    const model_coordinate* c = &m->coordinate[i];
    w->vars[c->var] = w->q[c->q];
    w->vars[c->rate] = w->v[c->v];
    w->vars[c->accel] = 0;
  }
  td_tape_numbers_reverse(w, w->open_tables ? m->strain_open_tape : m->strain_tape, m->strain_slot,
                          m->nstrain_slot, b);
  for (int i = 0; i < m->ncoordinate; i++) {
    const model_coordinate* c = &m->coordinate[i];
    b->q[c->v] += b->var[c->var];
    b->v[c->v] += b->var[c->rate];
    b->var[c->var] = b->var[c->rate] = 0;
  }
}

// ---- the sweep --------------------------------------------------------------------------------

void td_vary_reverse(const td_model* m, td_work* w, adjoint* b) {
  // ranges of one kind, the last first
  for (int end = m->nhop, first; end > 0; end = first) {
    first = end - 1;
    while (first > 0 && m->hop[first - 1].alike == m->hop[end - 1].alike) first--;
    td_hop_table[m->hop[first].kind]->reverse(m, w, first, end, b);
  }
  memset(b->hop, 0, (size_t)m->nhop * sizeof(hop_change));
  strain_numbers_reverse(m, w, b);
}
