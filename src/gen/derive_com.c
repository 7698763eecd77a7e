// Centre of mass of everything that moves (engine/sensor_com.c): Σ m c / Σ m
#include "gen/deriver.h"

// Add mass and first moment along world axis c of a body or rod piece to sum = [Σ m, Σ m c].  A
// point that stands for all points of a rod adds the sums over them.
static void add_mass(deriver* d, int station, num mass, num com, int c, ex sum[2]) {
  td_exprs* g = d->g;
  const int hop = d->m->station[station].hop, quadrature = hop < 0 ? 0 : d->hop_quadrature[hop];
  if (quadrature < 0) return;
  const station_x s = td_derive_station(d, station);
  const ex m = td_derive_number(d, mass);
  const x3 centre = x3_add(g, s.p, x33_apply(g, s.R, td_derive_vector(d, com)));
  ex part[2] = {m, xmul(g, m, centre.a[c])};
  for (int k = 0; k < 2; k++) {
    if (quadrature > 0) part[k] = td_derive_sum(d, quadrature - 1, part[k]);
    sum[k] = xadd(g, sum[k], part[k]);
  }
}

// Component of the centre of mass
static ex probe(deriver* d, int i) {
  const td_model* m = d->m;
  const int c = m->probe[i].component;
  ex sum[2] = {xnum(d->g, 0), xnum(d->g, 0)};
  for (int k = 0; k < m->nbody; k++)
    if (m->station[m->body[k].station].hop >= 0)
      add_mass(d, m->body[k].station, m->body[k].m, m->body[k].com, c, sum);
  for (int k = 0; k < m->nlump; k++)
    add_mass(d, m->lump[k].station, m->lump[k].m, m->lump[k].com, c, sum);
  return xdiv(d->g, sum[1], sum[0]);
}

const derive_sensor td_derive_sensor_COM = {probe, td_no_late, td_reads_nothing, false};
