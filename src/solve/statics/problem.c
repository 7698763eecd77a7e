// A statics problem at one set of coordinates: the state that these stand for.
#include "solve/statics/statics.h"

#include <float.h>
#include <math.h>

#include "model/model.h"
#include "solve/statics/sparse_statics.h"
#include "solve/vectors.h"

// Prescribed motion and its acceleration at the present time and parameters; the other DOFs rest
void td_statics_motion(td_statics* s) {
  memset(s->state->v, 0, sizeof(double) * (size_t)s->nv);
  td_prescribe(s->model, s->work, s->state);
  s->moving = false;
  for (int i = 0; i < s->nv; i++) {
    const num motion = s->model->vel[i].motion;
    s->a[i] = motion == NUM_NONE ? 0 : s->work->num[motion + 2];
    if (s->state->v[i] != 0 || s->a[i] != 0) s->moving = true;
  }
}

// Set positions x and parameter p (load scale, parameter of the model, or input), then what
// follows: prescribed motion and internal states.
void td_statics_set(td_statics* s, const double* x, double p) {
  copy(s->state->q, x, s->nq);
  const bool changed = p != s->p;
  if (changed && s->param == TD_LOAD_SCALE) td_set_load(s->work, p);
  if (changed && s->param != TD_LOAD_SCALE) {
    if (s->param < s->model->nparam)
      td_work_put_param(s->model, s->work, s->param, p);
    else
      s->state->u[s->param - s->model->nparam] = p;
  }
  s->p = p;
  if (s->n < s->nv || changed) td_statics_motion(s);
  if (s->inner) td_inner_solve(s);
}
