// The result of a simulation: storage and access.
#include "solve/time/trajectory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MEMORY = 1000 };  // numbers of controllers that are kept for every row

td_trajectory* td_trajectory_new(const td_model* model) {
  const td_sizes size = td_model_sizes(model);
  td_trajectory* p = calloc(1, sizeof *p);
  if (p == NULL) return NULL;
  p->model = model;
  p->size = size;
  p->memory = size.nmemory <= MOST_MEMORY ? size.nmemory : 0;
  p->stride = 1 + size.nq + size.nv + size.nsensor + 4 + size.nu + p->memory + size.nz;
  p->stats.time_error = NAN;
  return p;
}

void td_trajectory_free(td_trajectory* p) {
  if (p == NULL) return;
  free(p->data);
  free(p->marks);
  free(p);
}

static double* row_at(const td_trajectory* p, int row) {
  require(row >= 0 && row < p->cap);
  return p->data + (size_t)row * (size_t)p->stride;
}

double* td_trajectory_next(td_trajectory* p) {
  if (p->rows == p->cap) {
    void* grown = td_grow(p->data, &p->cap, p->rows + 1, (size_t)p->stride * sizeof(double));
    if (grown == NULL) return NULL;
    p->data = grown;
  }
  return row_at(p, p->rows);
}

void td_trajectory_keep(td_trajectory* p) { p->rows++; }

td_status td_trajectory_mark(td_trajectory* p, double t, int event) {
  if (p->nmark == p->mark_cap) {
    void* grown = td_grow(p->marks, &p->mark_cap, p->nmark + 1, sizeof(td_mark));
    if (grown == NULL) return TD_E_NOMEM;
    p->marks = grown;
  }
  p->marks[p->nmark++] = (td_mark){t, event};
  return TD_OK;
}

void td_trajectory_say(td_trajectory* p, const char* format, ...) {
  size_t used = strlen(p->diagnosis);
  if (used > 0 && used + 1 < sizeof p->diagnosis) p->diagnosis[used++] = '\n';
  va_list list;
  va_start(list, format);
  vsnprintf(p->diagnosis + used, sizeof p->diagnosis - used, format, list);
  va_end(list);
}

// The numbers of a row from `offset` on; NULL out of range.
static const double* look(const td_trajectory* p, int row, int offset) {
  return p && row >= 0 && row < p->rows ? row_at(p, row) + offset : NULL;
}

int td_trajectory_rows(const td_trajectory* p) { return p ? p->rows : 0; }

double td_trajectory_time(const td_trajectory* p, int row) {
  const double* t = look(p, row, 0);
  return t ? *t : (double)NAN;
}

const double* td_trajectory_q(const td_trajectory* p, int row) { return look(p, row, 1); }

const double* td_trajectory_v(const td_trajectory* p, int row) {
  return p ? look(p, row, 1 + p->size.nq) : NULL;
}

const double* td_trajectory_z(const td_trajectory* p, int row) {
  return p ? look(p, row, p->stride - p->size.nz) : NULL;
}

const double* td_trajectory_sensors(const td_trajectory* p, int row) {
  return p ? look(p, row, 1 + p->size.nq + p->size.nv) : NULL;
}

const double* td_trajectory_energy(const td_trajectory* p, int row) {
  return p ? look(p, row, 1 + p->size.nq + p->size.nv + p->size.nsensor) : NULL;
}

const double* td_trajectory_inputs(const td_trajectory* p, int row) {
  const double* energy = td_trajectory_energy(p, row);
  return energy ? energy + 4 : NULL;
}

const double* td_trajectory_memory(const td_trajectory* p, int row) {
  const double* inputs = td_trajectory_inputs(p, row);
  return inputs && p->memory > 0 ? inputs + p->size.nu : NULL;
}

const td_sim_stats* td_trajectory_stats(const td_trajectory* p) { return p ? &p->stats : NULL; }
const char* td_trajectory_diagnosis(const td_trajectory* p) { return p ? p->diagnosis : ""; }

td_verdict td_trajectory_trust(const td_trajectory* p, const char** reasons) {
  if (reasons != NULL) *reasons = p ? p->reasons : "";
  return p ? p->verdict : TD_TRUST_WRONG;
}

int td_trajectory_event_count(const td_trajectory* p) { return p ? p->nmark : 0; }

td_status td_trajectory_event(const td_trajectory* p, int i, double* t, int* event) {
  if (!p || i < 0 || i >= p->nmark || !t || !event) return TD_E_USAGE;
  *t = p->marks[i].t;
  *event = p->marks[i].event;
  return TD_OK;
}
