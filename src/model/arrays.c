// Storage of the compiled model.
#include "model/arrays.h"

#include <stdio.h>
#include <string.h>

#define X(type, name, text)                                                       \
  type* td_push_##name(td_model* m, int n) {                                      \
    type* grown = td_grow(m->name, &m->cap_##name, m->n##name + n, sizeof(type)); \
    if (!grown) {                                                                 \
      m->failed = true;                                                           \
      return NULL;                                                                \
    }                                                                             \
    m->name = grown;                                                              \
    type* first = grown + m->n##name;                                             \
    memset(first, 0, (size_t)n * sizeof(type));                                   \
    m->n##name += n;                                                              \
    return first;                                                                 \
  }
TD_MODEL_ARRAYS(X)
#undef X

int td_push_name(td_model* m, const char* format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const int offset = m->nnames, n = (int)strlen(text) + 1;
  char* at = td_push_names(m, n);
  if (!at) return -1;
  memcpy(at, text, (size_t)n);
  return offset;
}

// Shrink each array of the model to its length; an array that cannot shrink stays as it is.
void td_trim(td_model* m) {
#define X(type, name, text)                                                      \
  if (m->n##name < m->cap_##name) {                                              \
    type* cut = realloc(m->name, (size_t)max_int(m->n##name, 1) * sizeof(type)); \
    if (cut) {                                                                   \
      m->name = cut;                                                             \
      m->cap_##name = max_int(m->n##name, 1);                                    \
    }                                                                            \
  }
  TD_MODEL_ARRAYS(X)
#undef X
  // strains given over time alone have no terms, and places in an array that is not there are
  // undefined
  if (!m->term && (m->term = malloc(sizeof *m->term)) != NULL) m->cap_term = 1;
}

// Free all arrays, tapes and expressions of a model; NULL is allowed.
void td_model_free(td_model* m) {
  if (!m) return;
#define X(type, name, text) free(m->name);
  TD_MODEL_ARRAYS(X)
#undef X
  td_tape* tapes[] = {
      m->param_tape,      m->motion_tape,      m->live_tape,         m->live_probe_tape,
      m->live_input_tape, m->output_tape,      m->output_probe_tape, m->output_input_tape,
      m->event_tape,      m->task_tape,        m->task_probe_tape,   m->law_tape,
      m->law_probe_tape,  m->strain_tape,      m->strain_rate_tape,  m->bound_tape,
      m->kink_tape,       m->motion_open_tape, m->strain_open_tape,  m->clock_tape};
  for (size_t i = 0; i < sizeof tapes / sizeof *tapes; i++) td_tape_free(tapes[i]);
  td_exprs_free(m->graph);
  free(m->stop_ex);
  free(m->kink_ex);
  free(m);
}

// Copy the counts of a model into a caller's struct of `size` bytes; all zero without a model.
void td_model_sizes_into(const td_model* m, td_sizes* sizes, size_t size) {
  td_sizes own = {0};
  if (m)
    own = (td_sizes){.nq = m->npos,
                     .nv = m->nvel,
                     .nfree = m->nfree_v,
                     .nu = m->ninput,
                     .nparam = m->nparam,
                     .nbody = m->nbody,
                     .njoint = m->njoint - m->nmesh,
                     .nstation = m->nstation,
                     .nconstraint = m->nrow,
                     .nforce = model_forces(m),
                     .nsensor = m->noutput_name,
                     .nevent = m->nevent,
                     .nrod = m->nrod,
                     .ncable = m->ncable,
                     .nwet = m->nwet,
                     .ncontact = m->ncontact,
                     .nmesh = m->nmesh,
                     .nmemory = model_memory(m),
                     .nz = m->ninternal};
  struct_into(sizes, size, &own, sizeof own);
}

static bool within(int i, int n) { return i >= 0 && i < n; }

const char* td_model_q_name(const td_model* m, int i) {
  if (!m) return NULL;
  return within(i, m->npos) ? model_name(m, m->pos[i].name) : NULL;
}
const char* td_model_v_name(const td_model* m, int i) {
  if (!m) return NULL;
  return within(i, m->nvel) ? model_name(m, m->vel[i].name) : NULL;
}
const char* td_model_input_name(const td_model* m, int i) {
  if (!m) return NULL;
  return within(i, m->ninput) ? model_name(m, m->input[i].name) : NULL;
}
const char* td_model_internal_name(const td_model* m, int i) {
  if (!m) return NULL;
  return within(i, m->ninternal) ? model_name(m, m->internal[i].name) : NULL;
}
const char* td_model_internal_unit(const td_model* m, int i) {
  if (!m) return NULL;
  return within(i, m->ninternal) ? model_name(m, m->internal[i].unit) : NULL;
}
const char* td_model_param_name(const td_model* m, int i) {
  if (!m) return NULL;
  return within(i, m->nparam) ? model_name(m, m->param[i].name) : NULL;
}
const char* td_model_sensor_name(const td_model* m, int i) {
  if (!m) return NULL;
  return within(i, m->noutput_name) ? model_name(m, m->output_name[i]) : NULL;
}
const char* td_model_station_name(const td_model* m, int i) {
  if (!m) return NULL;
  return within(i, m->nstation) ? model_name(m, m->station[i].name) : NULL;
}
const char* td_model_constraint_name(const td_model* m, int i) {
  if (!m) return NULL;
  return within(i, m->nrow) ? model_name(m, m->row[i].name) : NULL;
}
const char* td_model_force_name(const td_model* m, int i) {
  if (!m) return NULL;
  return within(i, model_forces(m)) ? model_name(m, force_at(m, i).name) : NULL;
}
const char* td_model_cable_name(const td_model* m, int i) {
  if (!m) return NULL;
  return within(i, m->ncable) ? model_name(m, m->cable[i].name) : NULL;
}
const char* td_model_contact_name(const td_model* m, int i) {
  if (!m) return NULL;
  return within(i, m->ncontact) ? model_name(m, m->contact[i].name) : NULL;
}

bool td_model_is_controlled(const td_model* m) { return m && (m->ntask > 0 || m->nloop > 0); }

static int find(const td_model* m, const char* (*name)(const td_model*, int), int n,
                const char* want) {
  for (int i = 0; i < n; i++)
    if (strcmp(name(m, i), want) == 0) return i;
  return -1;
}
int td_model_input_find(const td_model* m, const char* name) {
  if (!m || !name) return -1;
  return find(m, td_model_input_name, m->ninput, name);
}
int td_model_param_find(const td_model* m, const char* name) {
  if (!m || !name) return -1;
  return find(m, td_model_param_name, m->nparam, name);
}
int td_model_internal_find(const td_model* m, const char* name) {
  if (!m || !name) return -1;
  return find(m, td_model_internal_name, m->ninternal, name);
}
int td_model_sensor_find(const td_model* m, const char* name) {
  if (!m || !name) return -1;
  return find(m, td_model_sensor_name, m->noutput_name, name);
}
