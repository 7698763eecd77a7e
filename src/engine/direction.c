// A direction: its memory, the changes of numbers that tapes make, and the sweep over the hops.
#include "engine/direction.h"

#include <string.h>

#include "engine/hop.h"

size_t td_direction_bytes(const td_model* m) {
  const size_t doubles = 18 * (size_t)m->nvel + 2 * (size_t)m->ncable + (size_t)m->ncrossing +
                         (size_t)m->nprobe + 6 * (size_t)m->nbeam_frame +
                         6 * (size_t)m->nreference + (size_t)m->nnumber + (size_t)m->npos +
                         8 * (size_t)m->nrow + (size_t)m->nrod + (size_t)m->nparam +
                         (size_t)model_drives(m) + (size_t)m->nlive_slot;
  return sizeof(double) * doubles + sizeof(hop_change) * (size_t)m->nhop + 64 * 32;
}

// Allocate a direction without changes in the scratch of w; it lives until the scratch is closed.
direction* td_direction_new(const td_model* m, td_work* w) {
  arena* s = &w->scratch;
  direction* d = arena_bytes(s, sizeof *d);
  *d = (direction){.hop = arena_bytes(s, (size_t)m->nhop * sizeof(hop_change)),
                   .zero = arena_zeros(s, m->ncable),
                   .axes = (vec3*)(void*)arena_zeros(s, 3 * m->nbeam_frame),
                   .reference = (vec3*)(void*)arena_zeros(s, 3 * m->nreference),
                   .length0 = arena_zeros(s, m->nprobe),
                   .row_zero = arena_zeros(s, m->nrow),
                   .tension = arena_zeros(s, m->ncable),
                   .share = arena_zeros(s, m->ncrossing),
                   .none = arena_zeros(s, max_int(m->nvel, m->nrow)),
                   .unit = arena_zeros(s, m->nvel)};
  return d;
}

// A parameter that was used while loading has no change: other numbers followed from it then.
td_status td_direction_check(const td_model* m, td_work* w, const td_direction* along) {
  for (int i = 0; along->p && i < m->nparam; i++) {
    const model_named* p = &m->param[i];
    if (along->p[i] == 0 || !p->structural) continue;
    td_work_fail(w, "parameter '%s' was used while loading%s%s: nothing has a derivative by it",
                 m->names + p->name, m->names[p->why] ? " for " : "", m->names + p->why);
    return TD_E_USAGE;
  }
  return TD_OK;
}

// ---- numbers ----------------------------------------------------------------------------------

void td_tape_numbers(td_work* w, const td_tape* tape, const num* slot, int n) {
  const arena_mark mark = arena_open(&w->scratch);
  double* change = arena_doubles(&w->scratch, n);
  td_tape_diff(tape, w->vars, w->dvar, w->scratch_tape, w->partial, change);
  for (int i = 0; i < n; i++) w->dnum[slot[i]] = change[i];
  arena_close(&w->scratch, mark);
}

void td_motion_diff(const td_model* m, td_work* w, double* q, double* v) {
  if (m->nmotion_slot == 0) return;
  td_tape_numbers(w, w->open_tables ? m->motion_open_tape : m->motion_tape, m->motion_slot,
                  m->nmotion_slot);
  for (int i = 0; i < m->nvel; i++) {
    if (m->vel[i].motion == NUM_NONE) continue;
    q[i] = w->dnum[m->vel[i].motion];
    v[i] = w->dnum[m->vel[i].motion + 1];
  }
}

// Strains that are expressions, whose variables are the coordinates.
static void strain_numbers(const td_model* m, td_work* w, const double* q, const double* v) {
  if (m->nstrain_slot == 0) return;
  for (int i = 0; i < m->ncoordinate; i++) {
    const model_coordinate* c = &m->coordinate[i];
    w->dvar[c->var] = q[c->v];
    w->dvar[c->rate] = v[c->v];
    w->vars[c->var] = w->q[c->q];
    w->vars[c->rate] = w->v[c->v];
    w->vars[c->accel] = 0;
  }
  td_tape_numbers(w, w->open_tables ? m->strain_open_tape : m->strain_tape, m->strain_slot,
                  m->nstrain_slot);
}

// ---- the sweep --------------------------------------------------------------------------------

void td_vary(const td_model* m, td_work* w, direction* d) {
  strain_numbers(m, w, d->q, d->v);
  for (int i = 0, end; i < m->nhop; i = end) {
    end = m->hop[i].alike;
    td_hop_table[m->hop[i].kind]->vary(m, w, i, end, d);
  }
}
