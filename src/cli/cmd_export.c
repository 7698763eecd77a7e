// tendril export: the model as a standalone C program or as a functional mock-up unit.
#include <string.h>

#include "cli.h"

static int export_failed(session* s, td_status status) {
  if (status == TD_E_IO) return session_wrote(s, status);
  if (status == TD_E_USAGE)
    return complain(
        CODE_USE,
        "export: models with task or control, and networks on the sparse path, cannot be "
        "exported");
  return session_failed(s, status, "export");
}

static int export_c(session* s) {
  const td_status status = td_export_c(s->model, s->name, s->files);
  if (status == TD_OK) return CODE_DONE;
  return export_failed(s, status);
}

static int export_fmu(session* s) {
  char message[400] = "";
  const td_status status =
      td_export_fmu(s->model, s->name, s->opt->fmi == 3 ? 3 : 2, s->files, message, sizeof message);
  if (*message && status == TD_E_USAGE) return complain(CODE_USE, "export: %s", message);
  if (*message) complain(0, "%s", message);  // also what is worth knowing of one that was written
  if (status == TD_OK) return CODE_DONE;
  return export_failed(s, status);
}

int cmd_export(const options* opt) {
  const bool c = strcmp(opt->kind, "c") == 0, fmu = strcmp(opt->kind, "fmu") == 0;
  if (!c && !fmu) return complain(CODE_USE, "export c or fmu, not '%s'", opt->kind);
  if (c && opt->fmi) return complain(CODE_USE, "--fmi is for export fmu");
  session s = {0};
  int code = session_open(&s, opt);
  if (code == CODE_DONE) code = session_output(&s);
  if (code == CODE_DONE) code = c ? export_c(&s) : export_fmu(&s);
  if (code == CODE_DONE) code = session_commit(&s, "export", NULL);
  session_close(&s);
  return code;
}
