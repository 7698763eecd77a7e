// report.html of a run.
#include <string.h>

#include "cli.h"

// "dir/four_bar.m" -> "four_bar"; `out` has room for it.
static void title_of(const char* name, char* out, size_t size) {
  const char* base = strrchr(name, '/');
  base = base ? base + 1 : name;
  const size_t n = strlen(base);
  const bool has_m = n > 2 && strcmp(base + n - 2, ".m") == 0;
  snprintf(out, size, "%.*s", (int)(has_m ? n - 2 : n), base);
}

td_status report_stage(session* s, const char* summary) {
  char title[200];
  title_of(s->name, title, sizeof title);
  const td_report report = {.spec = s->spec,
                            .model = s->model,
                            .work = s->work,
                            .state = s->state,
                            .rest = s->has_equil ? s->rest : NULL,
                            .modes = s->modes,
                            .trajectory = s->trajectory,
                            .title = title,
                            .summary = summary};
  return td_report_write(s->files, "report.html", &report);
}
