// tendril video: the replay of results as a video.
#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"

// Film the report of a directory.
int cmd_video(const options* opt) {
  char* report = format_text("%s/report.html", opt->target);
  char* path = opt->out ? format_text("%s", opt->out) : format_text("%s/video.mp4", opt->target);
  if (!report || !path) return complain(CODE_NUMERICS, "out of memory");
  progress p = {0};

  // options
  td_shot shot = td_shot_default(report);
  if (opt->width) shot.width = opt->width, shot.height = opt->height;
  if (!isnan(opt->fps)) shot.fps = opt->fps;
  if (!isnan(opt->speed)) shot.speed = opt->speed;
  shot.dark = opt->dark;
  shot.progress = progress_show;
  shot.user = &p;

  // film
  stop_on_signal();
  progress_clear(&p);
  char message[300];
  const td_status status = td_shot_video(&shot, path, message, sizeof message);
  progress_clear(&p);
  if (status != TD_OK) complain(0, "%s", status == TD_E_STOPPED ? "stopped" : message);
  if (status == TD_OK && !opt->quiet) printf("%s\n", path);
  free(report);
  free(path);
  return code_of(status);
}
