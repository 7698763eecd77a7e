// Companions: compile the same description with refined rods, and find which coordinates are which.
#include "solve/accuracy/companion.h"

#include <stdio.h>

#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "model/spec.h"

// List the coordinates of both models: q, v, rod_q, rod_v and first.  False: they do not match.
static bool match(td_companion* c) {
  const td_model *of = c->of, *m = c->model;
  for (int i = 0, k = 0; i < m->npos; i++) {
    c->q[i] = -1;
    if (m->pos[i].rod > 0) continue;
    while (k < of->npos && of->pos[k].rod > 0) k++;
    if (k == of->npos || strcmp(model_name(of, of->pos[k].name), model_name(m, m->pos[i].name)))
      return false;
    c->q[i] = k++;
  }
  for (int i = 0, k = 0; i < m->nvel; i++) {
    c->v[i] = -1;
    if (m->vel[i].rod > 0) continue;
    while (k < of->nvel && of->vel[k].rod > 0) k++;
    if (k == of->nvel) return false;
    c->v[i] = k++;
  }

  // coordinates of the rods of the written model; positions of nodes are not among the lifts
  int n = 0;
  for (int r = 0; r < of->nrod; r++) {
    c->first[r] = n;
    for (int i = 0; i < of->nvel; i++) {
      if (of->vel[i].rod != r + 1 || of->vel[i].partner < 0) continue;
      c->rod_q[n] = of->vel[i].partner;
      c->rod_v[n++] = i;
    }
  }
  c->first[of->nrod] = n;
  for (int i = 0; i < m->nlift; i++) {
    const model_lift* l = &m->lift[i];
    if (c->first[l->rod - 1] + l->from >= c->first[l->rod]) return false;
  }
  return of->ninput == m->ninput && of->ninternal == m->ninternal &&
         of->noutput_ex == m->noutput_ex && of->nparam == m->nparam;
}

// Tell whether an expression of the text holds q(i) or v(i) with a number i that means another
// coordinate in the companion.
static bool numbers_differ(const td_companion* c) {
  for (int i = 0; i < c->of->nprobe && i < c->model->nprobe; i++) {
    const model_probe *p = &c->of->probe[i], *o = &c->model->probe[i];
    if (td_sensor_table[p->kind].about != 'i') continue;
    if (p->q >= 0 && (o->q >= c->model->npos || c->q[o->q] != p->q)) return true;
    if (p->v >= 0 && (o->v >= c->model->nvel || c->v[o->v] != p->v)) return true;
  }
  return false;
}

td_status td_companion_new(td_spec* spec, const td_model* of, spec_refine how, char* why,
                           size_t size, td_companion** companion) {
  td_companion* c = *companion = calloc(1, sizeof *c);
  if (!c) return TD_E_NOMEM;
  c->of = of;

  // compile it; the messages about it are not the user's
  const td_diags before = spec->diags;
  const size_t nparam = (size_t)spec->nparam;
  spec_param* params = malloc((nparam + 1) * sizeof *params);
  if (!params) {
    td_companion_free(c);
    *companion = NULL;
    return TD_E_NOMEM;
  }
  if (nparam > 0) memcpy(params, spec->params, nparam * sizeof *params);
  spec->refine = how;
  td_status status = td_model_compile(spec, &c->model);
  spec->refine = (spec_refine){0};
  // parameters that only the companion used while it was built may change in the model
  for (int i = 0; i < spec->nparam; i++) {
    spec->params[i].structural = params[i].structural;
    memcpy(spec->params[i].why, params[i].why, sizeof params[i].why);
  }
  free(params);
  for (int i = spec->diags.n - 1; i >= before.n && status != TD_OK; i--)
    if (spec->diags.list[i].severity == TD_ERROR)
      snprintf(why, size, "the refined model cannot be built: %s", spec->diags.list[i].text);
  td_diags_back(&spec->diags, &before);

  // memory, and which coordinates are which
  if (status == TD_OK) {
    const size_t nq = (size_t)c->model->npos + 1, n = (size_t)of->npos + 1;
    c->work = td_work_new(c->model);
    c->state = td_state_new(c->model);
    c->q = malloc((2 * nq + 2 * n + (size_t)of->nrod + 1) * sizeof(int));
    if (c->work && c->state && c->q) {
      c->v = c->q + nq;
      c->rod_q = c->v + nq;
      c->rod_v = c->rod_q + n;
      c->first = c->rod_v + n;
      if (!match(c)) {
        snprintf(why, size, "the refined model has other coordinates");
        status = TD_E_MODEL;
      } else if (numbers_differ(c)) {
        snprintf(why, size,
                 "the text reads coordinates by their numbers, q(i) or v(i), which are others in a "
                 "model with refined rods");
        status = TD_E_MODEL;
      }
    } else {
      status = TD_E_NOMEM;
    }
  }
  if (status == TD_OK) return TD_OK;
  td_companion_free(c);
  *companion = NULL;
  return status;
}

void td_companion_free(td_companion* c) {
  if (!c) return;
  free(c->q);
  td_state_free(c->state);
  td_work_free(c->work);
  td_model_free(c->model);
  free(c);
}
