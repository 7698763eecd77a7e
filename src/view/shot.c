// Pictures and videos of reports, frame by frame from a browser without a window; videos are
// encoded by ffmpeg, which reads the frames from its standard input.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tendril/view.h"
#include "view/browser.h"
#include "view/child.h"

void td_shot_fill(td_shot* shot, size_t size) {
  const td_shot own = {
      .size = size, .width = 1280, .height = 720, .time = NAN, .fps = 30, .speed = 1};
  struct_into(shot, size, &own, sizeof own);
}

// Copy the caller's options, of whatever version.
static td_status take(const td_shot* given, td_shot* own, char* message, size_t size) {
  *own = td_shot_default(NULL);
  if (td_options_take(given, own, sizeof *own) == TD_OK) return own->report ? TD_OK : TD_E_USAGE;
  snprintf(message, size, "%s", td_options_refused);
  return TD_E_USAGE;
}

static td_status evaluate(td_browser* b, const char* text) {
  double unused;
  return td_browser_number(b, text, &unused);
}

// Load a report into the browser, in the wanted theme, without controls unless the page is wanted.
static td_status show(td_browser* b, const td_shot* s) {
  TD_TRY(td_browser_load(b, s->report, "typeof tendril === 'object' && tendril.kind === 'report'"));
  TD_TRY(evaluate(b, s->dark ? "tendril.theme('dark')" : "tendril.theme('light')"));
  return s->page ? TD_OK : evaluate(b, "tendril.bare(true)");
}

// Show the motion at time t.
static td_status seek(td_browser* b, double t) {
  char text[64];
  snprintf(text, sizeof text, "tendril.seek(%.9g)", t);
  return evaluate(b, text);
}

// Rename a finished file to its final name, so that it appears whole or not at all.
static td_status put_in_place(const char* made, const char* path, char* message, size_t size) {
  if (rename(made, path) == 0) return TD_OK;
  snprintf(message, size, "cannot write '%s'", path);
  return TD_E_IO;
}

// Name of a temporary file, "dir/x.mp4" -> "dir/.x.mp4.PID.mp4": in the same folder and with the
// same ending, from which ffmpeg takes the format
static char* temporary(const char* path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char* dot = strrchr(name, '.');
  td_text text = {0};
  td_text_addn(&text, path, (int)(name - path));
  td_text_printf(&text, ".%s.%ld%s", name, (long)getpid(), dot ? dot : "");
  return text.failed ? NULL : text.s;
}

// Make a picture of a report, at the given time or in the middle of its motion.
td_status td_shot_png(const td_shot* shot, const char* path, char* message, size_t size) {
  td_shot own;
  const td_shot* s = &own;
  if (!path || (!message && size > 0)) return TD_E_USAGE;
  TD_TRY(take(shot, &own, message, size));
  td_browser* b;
  TD_TRY(td_browser_open(s->width, s->height, &b, message, size));
  unsigned char* bytes = NULL;
  size_t n = 0;
  td_status status = show(b, s);
  double moves = 0, from = 0, to = 0;
  if (status == TD_OK) status = td_browser_number(b, "tendril.hasMotion()", &moves);
  if (moves != 0) {
    if (status == TD_OK) status = td_browser_number(b, "tendril.span()[0]", &from);
    if (status == TD_OK) status = td_browser_number(b, "tendril.span()[1]", &to);
    if (status == TD_OK) status = seek(b, isnan(s->time) ? 0.5 * (from + to) : s->time);
  }
  if (status == TD_OK) status = td_browser_picture(b, "png", &bytes, &n);
  if (status != TD_OK) snprintf(message, size, "%s", td_browser_error(b));
  td_browser_close(b);

  // write the file
  char* made = temporary(path);
  FILE* f = status == TD_OK && made ? fopen(made, "wb") : NULL;
  bool written = f && fwrite(bytes, 1, n, f) == n;
  if (f && fclose(f) != 0) written = false;
  if (status == TD_OK && !written) {
    snprintf(message, size, "cannot write '%s'", path);
    status = TD_E_IO;
  }
  if (status == TD_OK) status = put_in_place(made, path, message, size);
  if (status != TD_OK && made) remove(made);
  free(made);
  free(bytes);
  return status;
}

// ---- videos -----------------------------------------------------------------------------------

// Options of ffmpeg for a kind of file.
typedef struct codec {
  const char *ending, *options[12];
} codec;
static const codec codecs[] = {
    {".mp4",
     {"-c:v", "libx264", "-crf", "18", "-preset", "medium", "-pix_fmt", "yuv420p", "-movflags",
      "+faststart", NULL}},
    {".webm", {"-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0", "-pix_fmt", "yuv420p", NULL}},
    {".gif", {"-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse", NULL}},
};

// Options for the ending of a file name, NULL: not known
static const codec* codec_of(const char* path) {
  const size_t n = strlen(path);
  for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
    const size_t k = strlen(codecs[i].ending);
    if (n > k && strcmp(path + n - k, codecs[i].ending) == 0) return &codecs[i];
  }
  return NULL;
}

// Start ffmpeg, which reads JPEG pictures from its standard input.
static bool start_ffmpeg(const td_shot* s, const codec* c, const char* path, td_child* child) {
  char rate[40];
  snprintf(rate, sizeof rate, "%.6g", s->fps);
  const char* argv[32] = {"ffmpeg",     "-y", "-loglevel", "error", "-f", "image2pipe",
                          "-framerate", rate, "-c:v",      "mjpeg", "-i", "-"};
  int n = 12;
  for (const char* const* o = c->options; *o; o++) argv[n++] = *o;
  argv[n++] = path;
  return td_child_start((char* const*)(void*)argv, 0, -1, child);
}

// Send all frames of a motion to the encoder.
static td_status film(td_browser* b, const td_shot* s, const td_child* encoder, char* message,
                      size_t size) {
  double from, to;
  TD_TRY(td_browser_number(b, "tendril.span()[0]", &from));
  TD_TRY(td_browser_number(b, "tendril.span()[1]", &to));
  const long frames = (long)floor((to - from) / s->speed * s->fps + 1e-9) + 1;

  // frame by frame
  for (long i = 0; i < frames; i++) {
    unsigned char* bytes = NULL;
    size_t n = 0;
    TD_TRY(seek(b, from + (double)i * s->speed / s->fps));
    TD_TRY(td_browser_picture(b, "jpeg", &bytes, &n));
    const bool ok = td_child_write(encoder, bytes, n);
    free(bytes);
    if (!ok) {
      snprintf(message, size, "ffmpeg does not take the frames");
      return TD_E_IO;
    }
    if (s->progress && !s->progress(s->user, (double)(i + 1) / (double)frames, "video"))
      return TD_E_STOPPED;
  }
  return TD_OK;
}

// Load the report, start the encoder and film the motion.
static td_status record(td_browser* b, const td_shot* s, const codec* c, const char* made,
                        char* message, size_t size) {
  double moves = 0;
  TD_TRY(show(b, s));
  TD_TRY(td_browser_number(b, "tendril.hasMotion()", &moves));
  if (moves == 0) {
    snprintf(message, size, "'%s' has no motion to show", s->report);
    return TD_E_USAGE;
  }

  // encode
  td_child encoder;
  if (!start_ffmpeg(s, c, made, &encoder)) {
    snprintf(message, size, "ffmpeg cannot be started: on Debian, apt-get install ffmpeg");
    return TD_E_IO;
  }
  td_status status = film(b, s, &encoder, message, size);
  const int code = td_child_finish(&encoder, status != TD_OK);
  if (status == TD_OK && code != 0) {
    snprintf(message, size, "ffmpeg failed (exit code %d)", code);
    status = TD_E_IO;
  }
  return status;
}

// Make a video of a report's motion.
td_status td_shot_video(const td_shot* shot, const char* path, char* message, size_t size) {
  td_shot own;
  const td_shot* s = &own;
  if (!path || (!message && size > 0)) return TD_E_USAGE;
  char unread[1] = "";
  if (size == 0) message = unread;
  TD_TRY(take(shot, &own, message, size));

  // check format, sizes and the encoder
  static const char* const ffmpeg[] = {"ffmpeg", NULL};
  const codec* c = codec_of(path);
  const bool sensible = s->fps > 0 && s->fps <= 240 && s->speed > 0 && isfinite(s->speed) &&
                        s->width % 2 == 0 && s->height % 2 == 0;
  if (!c || !sensible) {
    snprintf(
        message, size, "%s",
        c ? "width and height of a video must be even" : "a video ends in .mp4, .webm or .gif");
    return TD_E_USAGE;
  }
  if (!td_child_find(ffmpeg)) {
    snprintf(message, size,
             "ffmpeg is not here to make a video: on Debian, apt-get install ffmpeg");
    return TD_E_IO;
  }

  // film into a temporary file, and put it in place
  td_browser* b;
  TD_TRY(td_browser_open(s->width, s->height, &b, message, size));
  char* made = temporary(path);
  *message = '\0';
  td_status status = made ? record(b, s, c, made, message, size) : TD_E_NOMEM;
  if (status != TD_OK && !*message) snprintf(message, size, "%s", td_browser_error(b));
  td_browser_close(b);
  if (status == TD_OK) status = put_in_place(made, path, message, size);
  if (status != TD_OK && made) remove(made);
  free(made);
  return status;
}
