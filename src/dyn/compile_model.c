// td_model_compile: compile, then judge the mechanics at the initial state and name the guilty elements.
#include <math.h>
#include <string.h>

#include "compile.h"
#include "engine.h"

static td_span joint_span(const td_spec* spec, int joint) {
  const value* joints = td_get(spec->root, 0, "joint");
  if (!joints || joint < 1) return td_span_none();
  const char* fields[] = {"type", "fixed", "second", "tr"};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (td_get(joints, joint - 1, fields[i])) return td_get_at(joints, joint - 1, fields[i]);
  return td_get_at(spec->root, 0, "joint");
}

// The loop that is farthest from closed.
static void report_open_loop(td_spec* spec, const td_model* m, td_work* w, const td_state* state) {
  int worst = 0;
  double largest = -1;
  td_place(m, state, w);
  for (int i = 0; i < m->nrow; i++) {
    const row_value v = td_row_at(m, w, i);
    double e, ed;
    td_row_target(m, w, i, &e, &ed);
    if (fabs(v.e - e) > largest) {
      largest = fabs(v.e - e);
      worst = i;
    }
  }
  td_error(&spec->diags, TD_E_MODEL, joint_span(spec, m->row[worst].joint),
           "the loop cannot be closed from the initial values: %s is off by %.3g", td_model_constraint_name(m, worst),
           largest);
  td_more(&spec->diags, "check lengths and initial values (dof.init) around this loop");
}

static void report_singular(td_spec* spec, const td_model* m, const td_work* w) {
  // the failure text names the coordinate
  int v = 0;
  for (int i = 0; i < m->nvel; i++)
    if (strstr(w->failure, td_model_v_name(m, i))) v = i;
  td_error(&spec->diags, TD_E_MODEL, m->nvel > 0 ? joint_span(spec, m->vel[v].joint) : td_span_none(), "%s", w->failure);
}

static td_status judge(td_spec* spec, const td_model* m) {
  td_work* w = td_work_new(m);
  td_state* state = td_state_new(m);
  td_status status = w && state ? td_state_initial(m, w, state) : TD_E_NOMEM;
  if (status == TD_E_DIVERGED) report_open_loop(spec, m, w, &w->inner);
  if (status == TD_OK && m->nvel > 0) status = td_forward_dynamics(m, state, w);
  if (status == TD_E_SINGULAR) report_singular(spec, m, w);
  bool finite = true;
  for (int i = 0; status == TD_OK && i < m->nvel; i++) finite = finite && isfinite(w->vdot[i]);
  if (!finite)
    status = td_error(&spec->diags, TD_E_MODEL, td_span_none(),
                      "the equations of motion are not finite at the initial state");
  td_state_free(state);
  td_work_free(w);
  return status == TD_OK || status == TD_E_NOMEM ? status : TD_E_MODEL;
}

td_status td_model_compile(td_spec* spec, td_model** model) {
  TD_TRY(td_compile(spec, model));
  const td_status status = judge(spec, *model);
  if (status != TD_OK) {
    td_model_free(*model);
    *model = NULL;
  }
  return status;
}
