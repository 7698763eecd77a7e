// Pieces that all rod models are made of: strain elements, coordinates, loads, and masses at points
// of a quadrature.
#include <stdio.h>

#include "model/rods.h"

bool td_rod_mode(const builder* b, int rod, int d, double arc) {
  const value* modes = td_rod_words(b, rod, arc)->modes;
  return !modes || modes->x[d] != 0;
}

td_status td_rod_strain(builder* b, int rod, int element, double arc, model_strain* f) {
  char name[160];
  td_build_rod_name(b, rod, name, sizeof name);
  f->name = td_push_name(b->m, "%s[%d]", name, element);
  f->rod = rod + 1;
  f->element = element;
  f->arc = arc;
  f->part = td_build_rod_part(b, rod, arc);
  model_strain* out = td_push_strain(b->m, 1);
  if (!out) return TD_E_NOMEM;
  *out = *f;
  return TD_OK;
}

td_status td_rod_load(builder* b, int rod, double arc, ex length, int station) {
  const value* load = td_rod_words(b, rod, arc)->load;
  const double zero[6] = {0};
  const num at = td_build_constants(b, zero, 6);
  model_load* f = td_push_load(b->m, 1);
  if (!f || at == NUM_NONE) return TD_E_NOMEM;
  *f = (model_load){.name = b->m->station[station].name,
                    .a = b->rod[rod].w.local ? station : -1,
                    .b = station,
                    .wrench = at};
  for (int d = 0; d < 6; d++)
    b->m->number_ex[at + d] = mul(b, length, td_rod_number(b, rod, load, d, arc, 0));
  return TD_OK;
}

td_status td_rod_dof(builder* b, int rod, int element, int mode, const char* what, ex init, ex rate,
                     int* q, int* v) {
  char name[160];
  td_build_rod_name(b, rod, name, sizeof name);
  model_dof* pos = td_push_pos(b->m, 1);
  if (!pos) return TD_E_NOMEM;
  *pos = (model_dof){.rod = rod + 1,
                     .element = element,
                     .dof = mode + 1,
                     .motion = NUM_NONE,
                     .partner = -1,
                     .name = td_push_name(b->m, "%s[%d].%s", name, element, what),
                     .init = td_build_number(b, init)};
  model_dof* vel = td_push_vel(b->m, 1);
  if (!vel) return TD_E_NOMEM;
  *vel = b->m->pos[b->m->npos - 1];
  vel->partner = b->m->npos - 1;
  vel->init = td_build_number(b, rate);
  *q = b->m->npos - 1;
  *v = b->m->nvel - 1;
  return TD_OK;
}

td_status td_rod_lift(builder* b, int rod, int q, int v, int from, double weight) {
  model_lift* lift = td_push_lift(b->m, 1);
  if (!lift) return TD_E_NOMEM;
  *lift = (model_lift){.q = q, .v = v, .rod = rod + 1, .from = from, .weight = weight};
  return TD_OK;
}

td_status td_rod_point_mass(builder* b, int rod, double arc, double weight) {
  ex mass, jx, jy, jz;
  int station;
  const double zero[13] = {0};
  td_rod_inertia(b, rod, arc, &mass, &jx, &jy, &jz);
  TD_TRY(td_rod_station(b, rod, arc, &station));
  const num at = td_build_constants(b, zero, 13);
  model_lump* lump = td_push_lump(b->m, 1);
  if (!lump || at == NUM_NONE) return TD_E_NOMEM;
  *lump = (model_lump){station, at, at + 1, at + 4};
  const ex w = td_rod_weight(b, rod, arc, weight);
  b->m->number_ex[at] = mul(b, w, mass);
  b->m->number_ex[at + 4] = mul(b, w, jx);
  b->m->number_ex[at + 8] = mul(b, w, jy);
  b->m->number_ex[at + 12] = mul(b, w, jz);
  TD_TRY(td_rod_sample(b, rod, arc, weight));
  return td_rod_words(b, rod, arc)->load ? td_rod_load(b, rod, arc, w, station) : TD_OK;
}
