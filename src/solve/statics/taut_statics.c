// Equilibrium with cables that cannot be stretched: which of them are taut is found by active sets.
// First all are, and all that would push are let go, all that are too long are pulled.  Where that
// has no solution, first none is, and then the worst, one at a time.
#include <stdio.h>

#include "model/model.h"
#include "solve/statics/statics.h"
#include "solve/vectors.h"

// From the present set on; after a while only the first that is wrong changes, which ends.
static td_status follow(td_statics* s, td_newton* newton, td_taut_rule rule, double* q, double* l,
                        const td_newton_options* options, td_strategy* strategy,
                        td_newton_report* report) {
  const int most = 12 + 6 * td_taut_count(s->model);
  int iterations = 0;
  for (int k = 0; k < most; k++) {
    const td_status status = td_statics_solve(s, newton, q, l, options, strategy, report);
    report->iterations = iterations += report->iterations;
    if (status != TD_OK) return status;
    td_statics_set(s, q, 1);
    const td_taut_rule now = 2 * k < most ? rule : TD_TAUT_FIRST;
    if (td_taut_correct(s->model, s->state, s->work, l, now) == 0) return TD_OK;
  }
  td_work_fail(s->work, "the cables cannot be told taut from slack");
  return TD_E_DIVERGED;
}

// Solve with all cables taut at first and release all wrong ones at once; where this fails solve
// again from the same start with all slack, changing the worst one at a time.  If both fail the
// results of the first attempt remain.
td_status td_statics_taut(td_statics* s, td_newton* newton, double* q, double* l,
                          const td_newton_options* options, td_strategy* strategy,
                          td_newton_report* report) {
  if (td_taut_count(s->model) == 0)
    return td_statics_solve(s, newton, q, l, options, strategy, report);
  const size_t nq = (size_t)s->nq, m = (size_t)s->m;
  double* first = malloc((2 * nq + m + 1) * sizeof(double));
  if (!first) return TD_E_NOMEM;
  double *best = first + nq, *best_l = best + nq;
  copy(first, q, s->nq);
  td_taut_all(s->model, s->work, true);
  td_status status = follow(s, newton, TD_TAUT_ALL, q, l, options, strategy, report);
  if (status == TD_E_DIVERGED || status == TD_E_SINGULAR) {
    const td_newton_report failed = *report;
    copy(best, q, s->nq);
    copy(best_l, l, s->m);
    copy(q, first, s->nq);
    td_taut_all(s->model, s->work, false);
    const td_status again = follow(s, newton, TD_TAUT_WORST, q, l, options, strategy, report);
    if (again != TD_OK) {  // what is said is about the first attempt
      *report = failed;
      copy(q, best, s->nq);
      copy(l, best_l, s->m);
      td_taut_all(s->model, s->work, true);
    }
    if (again == TD_OK || again == TD_E_STOPPED) status = again;
  }
  free(first);
  return status;
}

void td_statics_name_slack(const td_statics* s, char* note, size_t size) {
  const td_model* m = s->model;
  size_t used = 0;
  for (int i = 0; i < m->ncable && used < size; i++) {
    if (m->cable[i].row < 0 || !s->work->cable[i].slack) continue;
    const int n = snprintf(note + used, size - used, "%s%s",
                           used > 0 ? ", " : "slack: ", model_name(m, m->cable[i].name));
    used += n > 0 ? (size_t)n : 0;
  }
}
