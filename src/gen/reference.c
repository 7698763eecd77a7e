// The engine's numbers at one state, with which generated programs compare themselves, and the
// staging of texts as files.
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "gen/program.h"

// Add a text to the files as name + ending.
td_status td_stage_text(td_files* files, const char* name, const char* ending, td_text* text) {
  char file[160];
  if (text->failed || !text->s) return TD_E_NOMEM;
  snprintf(file, sizeof file, "%s%s", name, ending);
  return td_files_text(files, file, text->s);
}

enum { LARGEST_M = 1000 };  // velocities up to which a dense mass matrix is compared

// Allocate states, work and numbers.  False: no memory.
static bool allocate(const gen_program* p, gen_reference* r) {
  const size_t nv = (size_t)p->d->nv;
  r->w = td_work_new(p->m);
  r->start = td_state_new(p->m);
  r->state = td_state_new(p->m);
  r->nM = nv <= LARGEST_M ? (int)(nv * nv) : 0;
  r->M = calloc((size_t)r->nM + 1, sizeof(double));
  r->h = calloc(nv + 1, sizeof(double));
  r->tau = calloc(nv + 1, sizeof(double));
  r->vdot = calloc(nv + 1, sizeof(double));
  r->y = calloc((size_t)p->d->ny + 1, sizeof(double));
  r->p = calloc((size_t)p->d->np + 1, sizeof(double));
  return r->w && r->start && r->state && r->M && r->h && r->tau && r->vdot && r->y && r->p;
}

// Evaluate the engine at a state away from the initial one, where no term is zero by chance.
td_status td_reference_open(const gen_program* p, gen_reference* r) {
  const int nv = p->d->nv;
  *r = (gen_reference){0};
  if (!allocate(p, r)) return TD_E_NOMEM;
  for (int i = 0; i < p->d->np; i++) r->p[i] = td_work_param(p->m, r->w, p->d->param[i]);
  TD_TRY(td_state_initial(p->m, r->w, r->start));

  // a displacement that is small for an arm may tear a rod apart: try smaller ones
  td_status status = TD_E_SINGULAR;
  for (double size = 0.1; status != TD_OK && size > 1e-6; size *= 0.1) {
    double* dq = r->vdot;  // not set until the end
    td_state_copy(p->m, r->start, r->state);
    for (int i = 0; i < nv; i++) {
      dq[i] = size * sin(1.7 * i + 0.4);
      r->state->v[i] = sin(2.3 * i + 1.1);
    }
    td_displace(p->m, r->state->q, dq, r->state->q);
    r->state->t += 0.3;
    td_prescribe(p->m, r->w, r->state);
    status = td_trial_dynamics(p->m, r->state, r->w);
    for (int i = 0; status == TD_OK && i < nv; i++)
      if (!isfinite(td_work_vdot(r->w)[i])) status = TD_E_SINGULAR;
  }
  TD_TRY(status);

  // accelerations, mass matrix, forces, sensors
  memcpy(r->vdot, td_work_vdot(r->w), (size_t)p->d->nv * sizeof(double));
  if (r->nM > 0) TD_TRY(td_trial_mass_matrix(p->m, r->state, r->w, r->M));
  TD_TRY(td_trial_bias(p->m, r->state, r->w, r->h, r->tau));
  return td_trial_sensors(p->m, r->state, r->w, r->y);
}

bool td_reference_has_sensors(const gen_program* p) { return p->d->ny > 0 && p->d->nrow == 0; }

void td_reference_close(gen_reference* r) {
  td_state_free(r->start);
  td_state_free(r->state);
  td_work_free(r->w);
  free(r->M);
  free(r->h);
  free(r->tau);
  free(r->vdot);
  free(r->y);
  free(r->p);
}
