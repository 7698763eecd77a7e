// tendril report: report.html of earlier results, renewed or as a picture.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// Read the report of a directory into the page of this version.
char* report_read(const char* directory) {
  char* path = format_text("%s/report.html", directory);
  size_t n;
  char *text = path ? bytes_of_file(path, SIZE_MAX, &n) : NULL, *page = NULL;
  if (path && !text) complain(0, "cannot read '%s'", path);
  if (text && td_report_renew(text, &page) != TD_OK) complain(0, "'%s' is not a report", path);
  free(text);
  free(path);
  return page;
}

// Put the data of report.html into the page of this version.
static int renew(const options* opt) {
  char* page = report_read(opt->target);
  if (!page) return CODE_FILE;
  const int code = file_write(opt->target, "report.html", page);
  free(page);
  if (code) return code;
  if (!opt->quiet) printf("%s/report.html\n", opt->target);
  return CODE_DONE;
}

// Renew the report of a directory, and with --png make a picture of it.
int cmd_report(const options* opt) {
  const int code = renew(opt);
  if (code || !opt->png) return code;

  // picture
  char* report = format_text("%s/report.html", opt->target);
  char* path = opt->out ? format_text("%s", opt->out) : format_text("%s/report.png", opt->target);
  if (!report || !path) return complain(CODE_NUMERICS, "out of memory");
  td_shot shot = td_shot_default(report);
  if (opt->width) shot.width = opt->width, shot.height = opt->height;
  shot.dark = opt->dark;
  shot.page = opt->page;
  shot.time = opt->time;
  char message[300];
  td_status status = TD_E_STOPPED;
  snprintf(message, sizeof message, "stopped");
  if (deaf_begin()) {
    status = td_shot_png(&shot, path, message, sizeof message);
    deaf_end();
  }
  if (status != TD_OK) complain(0, "%s", message);
  if (status == TD_OK && !opt->quiet) printf("%s\n", path);
  free(report);
  free(path);
  return code_of(status);
}
