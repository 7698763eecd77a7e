// tendril export: the model as a standalone C program or as a functional mock-up unit.
#include <string.h>

#include "cli/cli.h"

// Report why an export failed.
static int export_failed(session* s, td_status status) {
  if (status == TD_E_IO) return session_wrote(s, status);
  if (status == TD_E_USAGE)
    return complain(
        CODE_USE,
        "export: task and control set inputs by themselves and do not come along: leave "
        "them out of the model, and the caller gives these inputs");
  return session_failed(s, status, "export");
}

// Load a network, whose matrices are sparse, again with dense matrices, which exported code needs;
// up to a size.
static int export_dense(session* s) {
  enum { MOST = 600 };
  if (!td_model_linear(s->model).sparse) return CODE_DONE;
  if (s->n.nv > MOST) {
    return complain(CODE_USE,
                    "export: the model is a network with sparse matrices (%d velocities); exported "
                    "code has dense ones: write par.linear = 'dense'",
                    s->n.nv);
  }

  // load it again
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  td_status status = spec ? session_load(s, spec) : TD_E_NOMEM;
  if (status == TD_OK) status = td_spec_string(spec, "par.linear", "dense");
  if (status == TD_OK) status = td_model_compile(spec, &model);
  if (status != TD_OK) {
    td_spec_free(spec);
    return session_failed(s, status, "export with dense matrices");
  }

  // replace the session's model
  td_model_free(s->model);
  td_spec_free(s->spec);
  s->spec = spec;
  s->model = model;
  td_work_free(s->work);
  td_state_free(s->state);
  td_state_free(s->rest);
  s->work = td_work_new(model);
  s->state = td_state_new(model);
  s->rest = td_state_new(model);
  if (!s->work || !s->state || !s->rest) return complain(CODE_NUMERICS, "out of memory");
  say(s, "the exported code has dense matrices\n");
  return CODE_DONE;
}

// Export as a functional mock-up unit.
static int export_fmu(session* s) {
  char message[400] = "";
  const td_status status =
      td_export_fmu(s->model, s->name, s->opt->fmi == 3 ? 3 : 2, s->files, message, sizeof message);
  if (*message && status == TD_E_USAGE) return complain(CODE_USE, "export: %s", message);
  if (*message) complain(0, "%s", message);  // also notes about a unit that was written
  if (status == TD_OK) return CODE_DONE;
  return export_failed(s, status);
}

// Export a model as C or as a functional mock-up unit.
int cmd_export(const options* opt) {
  const bool c = strcmp(opt->kind, "c") == 0, fmu = strcmp(opt->kind, "fmu") == 0;
  if (!c && !fmu) return complain(CODE_USE, "export c or fmu, not '%s'", opt->kind);
  if (c && opt->fmi) return complain(CODE_USE, "--fmi is for export fmu");
  session s = {0};
  int code = session_open(&s, opt);
  if (code == CODE_DONE) code = export_dense(&s);
  if (code == CODE_DONE) code = session_output(&s);
  if (code == CODE_DONE && fmu) code = export_fmu(&s);
  if (code == CODE_DONE && c) {
    const td_status status = td_export_c(s.model, s.name, s.files);
    if (status != TD_OK) code = export_failed(&s, status);
  }
  if (code == CODE_DONE) code = session_commit(&s, "export", NULL);
  session_close(&s);
  return code;
}
