// A browser without a window, driven by the Chrome DevTools Protocol; see browser.h.
#define _XOPEN_SOURCE 700  // realpath
#include "view/browser.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "io/scratch.h"
#include "view/child.h"
#include "view/text_json.h"

static const char* const names[] = {"chromium", "chromium-browser", "google-chrome",
                                    "google-chrome-stable", NULL};
enum { PATIENCE = 60000, STEP = 100 };  // [ms] for an answer, between two checks of a page

struct td_browser {
  td_child child;
  char profile[64];  // its directory, removed afterwards
  int held;          // lock on it, -1: none
  td_text in;        // received, not yet taken
  int id;
  char session[80];
  char error[300];
};

static td_status fail(td_browser* b, const char* what) {
  snprintf(b->error, sizeof b->error, "the browser %s", what);
  return TD_E_IO;
}

// ---- messages ---------------------------------------------------------------------------------

// Receive some bytes.
static td_status receive(td_browser* b) {
  struct pollfd p = {.fd = b->child.from, .events = POLLIN};
  const int ready = poll(&p, 1, PATIENCE);
  if (ready < 0 && errno == EINTR) return TD_OK;
  if (ready <= 0) return fail(b, "does not answer");
  char block[1 << 15];
  const ssize_t n = recv(b->child.from, block, sizeof block, 0);
  if (n < 0 && errno == EINTR) return TD_OK;
  if (n <= 0) return fail(b, "has ended");
  td_text_addn(&b->in, block, (int)n);
  return b->in.failed ? TD_E_NOMEM : TD_OK;
}

// Receive the next message, which ends with a zero byte; *message is to be deleted.  `from`: bytes
// already searched for the end.
static td_status next_message(td_browser* b, cJSON** message) {
  int from = 0;
  for (;;) {
    const char* end =
        b->in.n > from ? memchr(b->in.s + from, '\0', (size_t)(b->in.n - from)) : NULL;
    if (end) {
      const int n = (int)(end - b->in.s);
      *message = cJSON_Parse(b->in.s);
      memmove(b->in.s, end + 1, (size_t)(b->in.n - n - 1));
      b->in.n -= n + 1;
      return *message ? TD_OK : fail(b, "sent something that is not JSON");
    }
    from = b->in.n;
    TD_TRY(receive(b));
  }
}

// Call a method with parameters (JSON text) and wait for its answer, passing over events; *result
// is to be deleted.
static td_status call(td_browser* b, const char* method, const char* parameters, cJSON** result) {
  td_text out = {0};
  td_text_printf(&out, "{\"id\":%d,\"method\":\"%s\",\"params\":%s", ++b->id, method, parameters);
  if (*b->session) td_text_printf(&out, ",\"sessionId\":\"%s\"", b->session);
  td_text_add(&out, "}");
  const bool sent = !out.failed && td_child_write(&b->child, out.s, (size_t)out.n + 1);
  td_text_free(&out);

  // messages with another number are events
  if (!sent) return fail(b, "has ended");
  for (;;) {
    cJSON* message = NULL;
    TD_TRY(next_message(b, &message));
    const cJSON* id = cJSON_GetObjectItem(message, "id");
    if (!cJSON_IsNumber(id) || id->valueint != b->id) {  // an event
      cJSON_Delete(message);
      continue;
    }
    *result = cJSON_DetachItemFromObject(message, "result");
    const cJSON* error = cJSON_GetObjectItem(cJSON_GetObjectItem(message, "error"), "message");
    if (!*result)
      snprintf(b->error, sizeof b->error, "the browser refused %s: %s", method,
               cJSON_IsString(error) ? error->valuestring : "?");
    cJSON_Delete(message);
    return *result ? TD_OK : TD_E_IO;
  }
}

// Call a method whose answer is not used.
static td_status tell(td_browser* b, const char* method, const char* parameters) {
  cJSON* result = NULL;
  const td_status status = call(b, method, parameters, &result);
  cJSON_Delete(result);
  return status;
}

// ---- beginning and end ------------------------------------------------------------------------

// Start the program with a directory of its own.
static td_status spawn(td_browser* b, int width, int height) {
  const char* program = td_child_find(names);
  if (!program) {
    snprintf(b->error, sizeof b->error,
             "no browser is here to draw it: on Debian, apt-get install chromium");
    return TD_E_IO;
  }

  // a directory for its files, and its arguments
  b->held = td_scratch_open("tendril-browser-", b->profile, sizeof b->profile);
  if (b->held < 0) return fail(b, "has no place for its files");
  char window[40], profile[100];
  snprintf(window, sizeof window, "--window-size=%d,%d", width, height);
  snprintf(profile, sizeof profile, "--user-data-dir=%s", b->profile);
  const char* argv[] = {
      program,
      "--headless=new",
      "--remote-debugging-pipe",
      "--no-first-run",
      "--disable-extensions",
      "--disable-background-networking",
      "--disable-dev-shm-usage",
      "--disable-component-update",
      "--hide-scrollbars",
      "--mute-audio",
      "--force-device-scale-factor=1",
      "--use-gl=angle",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      window,
      profile,
      "about:blank",
      geteuid() == 0 ? "--no-sandbox" : NULL,  // as root it does not start with a sandbox
      NULL};
  return td_child_start((char* const*)(void*)argv, 3, 4, &b->child) ? TD_OK
                                                                    : fail(b, "cannot be started");
}

// Open a page and a session with it.
static td_status attach(td_browser* b) {
  cJSON* result = NULL;
  char target[80] = "", parameters[200];
  TD_TRY(call(b, "Target.createTarget", "{\"url\":\"about:blank\"}", &result));
  const cJSON* id = cJSON_GetObjectItem(result, "targetId");
  if (cJSON_IsString(id)) snprintf(target, sizeof target, "%s", id->valuestring);
  cJSON_Delete(result);

  // attach to the page
  snprintf(parameters, sizeof parameters, "{\"targetId\":\"%s\",\"flatten\":true}", target);
  TD_TRY(call(b, "Target.attachToTarget", parameters, &result));
  id = cJSON_GetObjectItem(result, "sessionId");
  if (cJSON_IsString(id)) snprintf(b->session, sizeof b->session, "%s", id->valuestring);
  cJSON_Delete(result);
  return *b->session ? TD_OK : fail(b, "gave no session");
}

// Start a headless browser with a page of this size [pixels] and a debugging session; *browser is
// NULL on failure, and `message` tells why.
td_status td_browser_open(int width, int height, td_browser** browser, char* message, size_t size) {
  *browser = NULL;
  snprintf(message, size, "out of memory");
  td_browser* b = calloc(1, sizeof *b);
  if (!b) return TD_E_NOMEM;
  b->child = (td_child){0, -1, -1};
  b->held = -1;
  td_status status = spawn(b, width, height);
  if (status == TD_OK) status = attach(b);
  char parameters[160];
  snprintf(parameters, sizeof parameters,
           "{\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":false}", width, height);
  if (status == TD_OK) status = tell(b, "Emulation.setDeviceMetricsOverride", parameters);
  if (status == TD_OK) status = tell(b, "Page.enable", "{}");
  if (status == TD_OK) {
    *browser = b;
    return TD_OK;
  }
  snprintf(message, size, "%s", b->error);
  td_browser_close(b);
  return status;
}

void td_browser_close(td_browser* b) {
  if (!b) return;
  td_child_finish(&b->child, true);
  td_scratch_close(b->profile, b->held);
  td_text_free(&b->in);
  free(b);
}

const char* td_browser_error(const td_browser* browser) { return browser->error; }

// ---- pages ------------------------------------------------------------------------------------

// Evaluate a JavaScript expression that is a number or a boolean.
td_status td_browser_number(td_browser* b, const char* expression, double* value) {
  td_text parameters = {0};
  td_text_add(&parameters, "{\"returnByValue\":true,\"awaitPromise\":true,\"expression\":");
  td_json_string(&parameters, expression);
  td_text_add(&parameters, "}");
  cJSON* result = NULL;
  td_status status =
      parameters.failed ? TD_E_NOMEM : call(b, "Runtime.evaluate", parameters.s, &result);
  td_text_free(&parameters);
  if (status != TD_OK) return status;

  // the value, true counting as 1
  const cJSON* x = cJSON_GetObjectItem(cJSON_GetObjectItem(result, "result"), "value");
  if (cJSON_GetObjectItem(result, "exceptionDetails")) status = fail(b, "cannot run the page");
  *value = cJSON_IsNumber(x) ? x->valuedouble : cJSON_IsTrue(x);
  cJSON_Delete(result);
  return status;
}

// Append file:///path with everything but letters, digits and a few signs as %xx.
static void file_address(td_text* out, const char* path) {
  td_text_add(out, "file://");
  for (; *path; path++) {
    const unsigned char c = (unsigned char)*path;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       (c && strchr("/-_.~", c));
    td_text_printf(out, plain ? "%c" : "%%%02X", c);
  }
}

// Load a file and wait until the expression `ready` is true in it.
td_status td_browser_load(td_browser* b, const char* path, const char* ready) {
  char* whole = realpath(path, NULL);
  if (!whole) {
    snprintf(b->error, sizeof b->error, "cannot read '%s'", path);
    return TD_E_IO;
  }
  td_text parameters = {0};
  td_text_add(&parameters, "{\"url\":\"");
  file_address(&parameters, whole);
  td_text_add(&parameters, "\"}");
  free(whole);
  td_status status = parameters.failed ? TD_E_NOMEM : tell(b, "Page.navigate", parameters.s);
  td_text_free(&parameters);

  for (int waited = 0; status == TD_OK && waited < PATIENCE; waited += STEP) {
    double there = 0;
    // while one page replaces another an evaluation may fail: try again
    if (td_browser_number(b, ready, &there) == TD_OK && there != 0) return TD_OK;
    nanosleep(&(struct timespec){.tv_nsec = STEP * 1000000L}, NULL);
  }
  return status != TD_OK ? status : fail(b, "does not show the page");
}

// Value of a base64 digit, -1: none
static int digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Decode base64; to be freed, NULL: no memory.
static unsigned char* decode(const char* text, size_t* n) {
  unsigned char* out = malloc(strlen(text) / 4 * 3 + 3);
  unsigned bits = 0, have = 0;
  *n = 0;
  for (; out && *text; text++) {
    const int d = digit(*text);
    if (d < 0) break;
    bits = bits << 6 | (unsigned)d;
    have += 6;
    if (have >= 8) out[(*n)++] = (unsigned char)(bits >> (have -= 8) & 255);
  }
  return out;
}

// Take a picture of the page.
td_status td_browser_picture(td_browser* b, const char* format, unsigned char** bytes, size_t* n) {
  char parameters[100];
  const char* quality = strcmp(format, "jpeg") == 0 ? ",\"quality\":95" : "";
  snprintf(parameters, sizeof parameters, "{\"format\":\"%s\"%s}", format, quality);
  *bytes = NULL;
  cJSON* result = NULL;
  TD_TRY(call(b, "Page.captureScreenshot", parameters, &result));
  const cJSON* data = cJSON_GetObjectItem(result, "data");
  if (cJSON_IsString(data)) *bytes = decode(data->valuestring, n);
  cJSON_Delete(result);
  return *bytes ? TD_OK : fail(b, "gave no picture");
}
