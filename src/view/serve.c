// The server behind `tendril view`: CivetWeb for HTTP and websockets, one thread for the model.
//
// Every address contains a random token; requests without it are refused.  Requests must name this
// machine as their host, which prevents DNS rebinding, and come from the page itself (Origin).
// CivetWeb serves no files: every request is answered here.
//
// Pages send small JSON commands; worker threads put them into a short queue that the model's
// thread empties.  It sends pictures as binary floats, to each page at most two more than the page
// has acknowledged: a page that does not read cannot delay the model.
#include <arpa/inet.h>
#include <civetweb.h>
#include <cjson/cJSON.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "tendril/view.h"
#include "view/live.h"
#include "view/page.h"
#include "view/text_json.h"

enum { CLIENTS = 8, QUEUE = 256, COMMAND_BYTES = 4096, AHEAD = 2, TOKEN = 32 };

// A page that is connected.
typedef struct client {
  struct mg_connection* conn;
  int socket;    // of the connection, -1: not found
  int ahead;     // pictures sent and not acknowledged
  bool fresh;    // has not been sent the model yet
  bool dead;     // a write failed
  double heard;  // time of its last message [s]
} client;

struct td_view {
  struct mg_context* server;
  int port;
  char token[TOKEN + 1];
  char address[TOKEN + 40];
  td_text page;
  td_live* live;  // NULL: a finished page

  pthread_t thread;
  bool has_thread;
  pthread_mutex_t lock;  // protects the following members
  bool stop;
  client clients[CLIENTS];
  char* queue[QUEUE];
  int nqueue;

  // used by the model's thread alone
  double pace;  // simulated seconds in one second of the clock
  float* frame;
  int frame_cap;
};

// ---- access ------------------------------------------------------------------------------------

// Compare tokens in constant time.
static bool same_secret(const char* a, const char* b) {
  unsigned different = 0;
  for (int i = 0; i < TOKEN; i++) different |= (unsigned)(a[i] ^ b[i]);
  return different == 0;
}

// The part of an address after "/TOKEN/", NULL: the token is missing or wrong
static const char* below_token(const td_view* v, const char* uri) {
  if (!uri || uri[0] != '/' || strlen(uri) < TOKEN + 2) return NULL;
  if (!same_secret(uri + 1, v->token) || uri[TOKEN + 1] != '/') return NULL;
  return uri + TOKEN + 2;
}

// Report whether a host is this server: 127.0.0.1:port or localhost:port.
static bool is_here(const td_view* v, const char* host) {
  char name[40];
  static const char* const names[] = {"127.0.0.1", "localhost"};
  for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
    snprintf(name, sizeof name, "%s:%d", names[i], v->port);
    if (strcmp(host, name) == 0) return true;
  }
  return false;
}

static bool is_own_origin(const td_view* v, const char* origin) {
  return origin && strncmp(origin, "http://", 7) == 0 && is_here(v, origin + 7);
}

// ---- pages -------------------------------------------------------------------------------------

// Send a response with headers that forbid caching and embedding; returns the code.
static int answer(struct mg_connection* conn, int code, const char* reason, const char* type,
                  const char* body, size_t n, bool with_body) {
  mg_printf(conn,
            "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
            "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: "
            "no-referrer\r\nX-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: "
            "same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\r\n",
            code, reason, type, n);
  if (with_body) mg_write(conn, body, n);
  return code;
}

static int refuse(struct mg_connection* conn, int code, const char* reason) {
  char body[80];
  const int n = snprintf(body, sizeof body, "%d %s\n", code, reason);
  return answer(conn, code, reason, "text/plain", body, (size_t)n, true);
}

// Answer every request with the page or a refusal; 0 hands it on to CivetWeb, for websockets alone.
static int on_request(struct mg_connection* conn) {
  td_view* v = mg_get_user_data(mg_get_context(conn));
  const struct mg_request_info* info = mg_get_request_info(conn);
  if (!is_here(v, mg_get_header(conn, "Host"))) return refuse(conn, 403, "Forbidden");
  const char* rest = below_token(v, info->request_uri);  // not decoded: it needs no escapes
  if (!rest) return refuse(conn, 404, "Not Found");

  // pages must come from here
  const char* origin = mg_get_header(conn, "Origin");
  if (origin && !is_own_origin(v, origin)) return refuse(conn, 403, "Forbidden");
  const bool head = strcmp(info->request_method, "HEAD") == 0;
  if (!head && strcmp(info->request_method, "GET") != 0)
    return refuse(conn, 405, "Method Not Allowed");

  // websocket, or the page
  if (v->live && strcmp(rest, "live") == 0 && mg_get_header(conn, "Upgrade")) return 0;
  if (*rest) return refuse(conn, 404, "Not Found");
  return answer(conn, 200, "OK", "text/html; charset=utf-8", v->page.s, (size_t)v->page.n, !head);
}

// ---- websockets --------------------------------------------------------------------------------

// Find the socket of a connection, which CivetWeb does not give: the descriptor between our port
// and the client's.  Descriptors are the lowest that are free, so it is among the first.
static int socket_of(const td_view* v, const struct mg_connection* conn) {
  const int theirs = mg_get_request_info(conn)->remote_port;
  for (int fd = 3; fd < 4096; fd++) {
    struct sockaddr_in here = {0}, there = {0};
    socklen_t n = sizeof here, m = sizeof there;
    if (getpeername(fd, (struct sockaddr*)&there, &m) == 0 && there.sin_family == AF_INET &&
        ntohs(there.sin_port) == theirs && getsockname(fd, (struct sockaddr*)&here, &n) == 0 &&
        ntohs(here.sin_port) == v->port)
      return fd;
  }
  return -1;
}

// Shut a client's socket down for reading, with the lock held and while the socket is still open.
// Its thread wakes up, closes the connection and is free for others; what was sent still arrives.
static void hang_up(const client* c) {
  if (c->socket >= 0) shutdown(c->socket, SHUT_RD);
}

// Send to a client with the lock held, so that the connection cannot close meanwhile.  A page that
// takes nothing for the time of a request is given up.
static void send_to(client* c, int opcode, const void* data, size_t n) {
  if (c->dead || mg_websocket_write(c->conn, opcode, data, n) > 0) return;
  c->dead = true;
  hang_up(c);
}

static client* find_client(td_view* v, const struct mg_connection* conn) {
  for (int i = 0; i < CLIENTS; i++)
    if (v->clients[i].conn == conn) return &v->clients[i];
  return NULL;
}

// Admit a websocket: pages send their origin; programs that send none know the token.
static int on_connect(const struct mg_connection* conn, void* user) {
  const td_view* v = user;
  const char* origin = mg_get_header(conn, "Origin");
  return is_here(v, mg_get_header(conn, "Host")) && (!origin || is_own_origin(v, origin)) ? 0 : 1;
}

// Register a new page.  Where all places are taken, it replaces the page that has been silent
// longest: a forgotten tab acknowledges its pictures seldom or never.  That page gets close code
// 4001 and does not reconnect.
static void on_ready(struct mg_connection* conn, void* user) {
  td_view* v = user;
  pthread_mutex_lock(&v->lock);
  client* c = find_client(v, NULL);
  if (!c) {
    c = &v->clients[0];
    for (int i = 1; i < CLIENTS; i++)
      if (v->clients[i].heard < c->heard) c = &v->clients[i];
    static const char replaced[] = {(char)(4001 >> 8), (char)(4001 & 0xff)};
    send_to(c, MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE, replaced, sizeof replaced);
    hang_up(c);
  }

  // the new page
  *c = (client){.conn = conn, .socket = socket_of(v, conn), .fresh = true, .heard = wall_time()};
  pthread_mutex_unlock(&v->lock);
}

// Take a message of a page: "seen" acknowledges a picture, anything else is queued as a command.
static int on_data(struct mg_connection* conn, int flags, char* data, size_t n, void* user) {
  td_view* v = user;
  const int opcode = flags & 0xf;
  if (opcode == MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE) return 0;
  if (opcode != MG_WEBSOCKET_OPCODE_TEXT) return 1;
  if (n > COMMAND_BYTES) return 0;
  pthread_mutex_lock(&v->lock);
  client* c = find_client(v, conn);
  if (c) c->heard = wall_time();
  if (c && n == 4 && memcmp(data, "seen", 4) == 0) {
    if (c->ahead > 0) c->ahead--;
  } else if (c && v->nqueue < QUEUE) {  // nobody sends commands so fast
    char* copy = td_strndup(data, n);
    if (copy) v->queue[v->nqueue++] = copy;
  }
  pthread_mutex_unlock(&v->lock);
  return c != NULL;
}

// Forget a page whose connection has closed.
static void on_close(const struct mg_connection* conn, void* user) {
  td_view* v = user;
  pthread_mutex_lock(&v->lock);
  client* c = find_client(v, conn);
  if (c) *c = (client){0};
  pthread_mutex_unlock(&v->lock);
}

// ---- sending -----------------------------------------------------------------------------------

// Send a text to all pages, or to those that have not been sent the model yet.
static void send_text(td_view* v, const char* text, bool only_fresh) {
  for (int i = 0; text && i < CLIENTS; i++) {
    client* c = &v->clients[i];
    if (c->conn && (!only_fresh || c->fresh))
      send_to(c, MG_WEBSOCKET_OPCODE_TEXT, text, strlen(text));
  }
}

// Send {"type": ..., "text": ...}.
static void send_note(td_view* v, const char* type, const char* text, bool only_fresh) {
  td_text out = {0};
  td_text_printf(&out, "{\"type\":\"%s\",\"text\":", type);
  td_json_string(&out, text);
  td_text_add(&out, "}");
  if (!out.failed) send_text(v, out.s, only_fresh);
  td_text_free(&out);
}

// Send the model with its errors and troubles.
static void send_model(td_view* v, bool only_fresh) {
  td_text out = {0};
  if (td_live_describe(v->live, &out)) send_text(v, out.s, only_fresh);
  td_text_free(&out);
  send_note(v, "errors", td_live_errors(v->live), only_fresh);
  send_note(v, "trouble", td_live_trouble(v->live), only_fresh);
}

// Send a picture to every page that has acknowledged enough.
static void send_frame(td_view* v) {
  const int n = td_live_count(v->live);
  float* frame = td_grow(v->frame, &v->frame_cap, n + 1, sizeof *frame);
  if (!frame || n == 0) return;
  v->frame = frame;
  td_live_frame(v->live, frame);
  for (int i = 0; i < CLIENTS; i++) {
    client* c = &v->clients[i];
    if (!c->conn || c->fresh || c->dead || c->ahead >= AHEAD) continue;
    c->ahead++;
    send_to(c, MG_WEBSOCKET_OPCODE_BINARY, frame, (size_t)n * sizeof *frame);
  }
}

// ---- commands: each reads what it needs from the JSON object; what is wrong is ignored ---------

// Read a finite number of a command.
static bool number_of(const cJSON* o, const char* name, double* x) {
  const cJSON* item = cJSON_GetObjectItemCaseSensitive(o, name);
  if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) return false;
  *x = item->valuedouble;
  return true;
}

// Read three finite numbers of a command.
static bool vector_of(const cJSON* o, const char* name, double x[3]) {
  const cJSON* list = cJSON_GetObjectItemCaseSensitive(o, name);
  if (cJSON_GetArraySize(list) != 3) return false;
  for (int i = 0; i < 3; i++) {
    const cJSON* item = cJSON_GetArrayItem(list, i);
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) return false;
    x[i] = item->valuedouble;
  }
  return true;
}

static const char* name_of(const cJSON* o) {
  const cJSON* item = cJSON_GetObjectItemCaseSensitive(o, "name");
  return cJSON_IsString(item) ? item->valuestring : "";
}

static void do_play(td_view* v, const cJSON* o) {
  (void)o;
  if (!*td_live_trouble(v->live)) td_live_run(v->live, true);
}
static void do_pause(td_view* v, const cJSON* o) {
  (void)o;
  td_live_run(v->live, false);
}
static void do_step(td_view* v, const cJSON* o) {
  (void)o;
  td_live_run(v->live, false);
  if (!*td_live_trouble(v->live)) td_live_advance(v->live, v->pace / 60, 1);
}
static void do_reset(td_view* v, const cJSON* o) {
  (void)o;
  td_live_reset(v->live);
}
static void do_pace(td_view* v, const cJSON* o) {
  double x;
  if (number_of(o, "value", &x)) v->pace = fmin(fmax(x, 1e-3), 100);
}
static void do_param(td_view* v, const cJSON* o) {
  double x;
  if (number_of(o, "value", &x)) td_live_set_param(v->live, name_of(o), x);
}
static void do_input(td_view* v, const cJSON* o) {
  double x;
  if (number_of(o, "value", &x)) td_live_set_input(v->live, name_of(o), x);
}
static void do_grip(td_view* v, const cJSON* o) {
  double station, strength, point[3];
  if (number_of(o, "station", &station) && number_of(o, "strength", &strength) &&
      vector_of(o, "point", point) && station >= 0 && station < 1e9)
    td_live_grip(v->live, (int)station, point, strength);
}
static void do_pull(td_view* v, const cJSON* o) {
  double target[3];
  if (vector_of(o, "target", target)) td_live_pull(v->live, target);
}
static void do_drop(td_view* v, const cJSON* o) {
  const double nowhere[3] = {0, 0, 0};
  (void)o;
  td_live_grip(v->live, -1, nowhere, 0);
}

static const struct {
  const char* name;
  void (*act)(td_view* v, const cJSON* o);
} commands[] = {{"play", do_play}, {"pause", do_pause}, {"step", do_step},   {"reset", do_reset},
                {"pace", do_pace}, {"param", do_param}, {"input", do_input}, {"grip", do_grip},
                {"pull", do_pull}, {"drop", do_drop}};

// Execute the queued commands; unknown ones are ignored.  True: there were some.
static bool obey_all(td_view* v) {
  char* list[QUEUE];
  pthread_mutex_lock(&v->lock);
  const int n = v->nqueue;
  memcpy(list, v->queue, (size_t)n * sizeof *list);
  v->nqueue = 0;
  pthread_mutex_unlock(&v->lock);

  for (int k = 0; k < n; k++) {
    cJSON* o = cJSON_Parse(list[k]);
    const cJSON* what = cJSON_GetObjectItemCaseSensitive(o, "do");
    for (size_t i = 0; cJSON_IsString(what) && i < sizeof commands / sizeof *commands; i++)
      if (strcmp(what->valuestring, commands[i].name) == 0) commands[i].act(v, o);
    cJSON_Delete(o);
    free(list[k]);
  }
  return n > 0;
}

// ---- the model's thread ------------------------------------------------------------------------

// Sleep until `at` plus ns; far behind the clock, start from now instead of catching up.
static void sleep_until(struct timespec* at, long ns) {
  struct timespec now;
  at->tv_nsec += ns;
  at->tv_sec += at->tv_nsec / 1000000000;
  at->tv_nsec %= 1000000000;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double late =
      (double)(now.tv_sec - at->tv_sec) + 1e-9 * (double)(now.tv_nsec - at->tv_nsec);
  if (late > 0.1) *at = now;
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, at, NULL);
}

// One turn: reload changed files ten times a second, execute commands, advance, and send the pages
// what has changed.
static void turn(td_view* v, int tick) {
  td_live* l = v->live;
  const int serial = td_live_serial(l);
  const bool loaded = tick % 6 == 0 && td_live_changed(l);
  if (loaded) td_live_load(l);
  const bool trouble = *td_live_trouble(l) != '\0';
  const bool obeyed = obey_all(v);
  if (td_live_running(l)) td_live_advance(l, v->pace / 60, 0.05);
  const bool trouble_changed = trouble != (*td_live_trouble(l) != '\0');

  pthread_mutex_lock(&v->lock);
  if (td_live_serial(l) != serial) send_model(v, false);
  if (loaded || obeyed) send_note(v, "errors", td_live_errors(l), false);
  if (trouble_changed) send_note(v, "trouble", td_live_trouble(l), false);
  send_model(v, true);
  for (int i = 0; i < CLIENTS; i++) v->clients[i].fresh = false;
  send_frame(v);
  pthread_mutex_unlock(&v->lock);
}

// The model's thread: sixty turns a second while a page is connected.
static void* work(void* user) {
  td_view* v = user;
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  for (int tick = 0;; tick++) {
    pthread_mutex_lock(&v->lock);
    const bool stop = v->stop;
    bool watched = false;
    for (int i = 0; i < CLIENTS; i++) watched |= v->clients[i].conn && !v->clients[i].dead;
    pthread_mutex_unlock(&v->lock);
    if (stop) return NULL;
    if (watched) turn(v, tick);
    sleep_until(&at, watched ? 16666667 : 50000000);
  }
}

// ---- beginning and end -------------------------------------------------------------------------

// Start the server on a port of 127.0.0.1 (0: any), and set the address.
static td_status listen_here(td_view* v, int port, char* message, size_t size) {
  char ports[32];
  snprintf(ports, sizeof ports, "127.0.0.1:%d", port);
  // an unfinished request holds a thread until its time is over: many threads, which sleep and take
  // no memory until then, a short time, and a long queue for requests that come at once
  const char* options[] = {"listening_ports",
                           ports,
                           "num_threads",
                           "512",
                           "listen_backlog",
                           "1024",
                           "request_timeout_ms",
                           "1000",
                           "websocket_timeout_ms",
                           "86400000",
                           "max_request_size",
                           "16384",
                           "enable_keep_alive",
                           "no",
                           "decode_url",
                           "no",
                           "access_control_list",
                           "-0.0.0.0/0,+127.0.0.1",
                           NULL};

  // the port that was bound, and the address with the token
  struct mg_callbacks callbacks = {.begin_request = on_request};
  v->server = mg_start(&callbacks, v, options);
  struct mg_server_port bound[4];
  if (!v->server || mg_get_server_ports(v->server, 4, bound) < 1) {
    snprintf(message, size, "cannot listen on port %d of 127.0.0.1: is it in use?", port);
    return TD_E_IO;
  }
  v->port = bound[0].port;
  snprintf(v->address, sizeof v->address, "http://127.0.0.1:%d/%s/", v->port, v->token);

  // websockets of live views
  if (!v->live) return TD_OK;
  char uri[TOKEN + 8];
  snprintf(uri, sizeof uri, "/%s/live", v->token);
  mg_set_websocket_handler(v->server, uri, on_connect, on_ready, on_data, on_close, v);
  return TD_OK;
}

// Set the page: a finished one, or the live page of a model that is loaded now.
static td_status make_page(td_view* v, const td_view_options* o) {
  if (o->page) {
    td_text_add(&v->page, o->page);
    return v->page.failed ? TD_E_NOMEM : TD_OK;
  }
  v->live = td_live_new(o->model, o->text, o->set, o->nset, o->allow_read);
  td_text json = {0};
  td_text_add(&json, "{\"tendril\":\"live\",\"title\":");
  td_json_string(&json, o->model);
  td_text_add(&json, "}");
  const bool ok = v->live && !json.failed && td_page_write(&v->page, json.s);
  td_text_free(&json);
  if (ok) td_live_load(v->live);  // its errors are shown in the page
  return ok ? TD_OK : TD_E_NOMEM;
}

// Set the page, a random token and the server, and start the model's thread.
static td_status start(td_view* v, const td_view_options* o, char* message, size_t size) {
  snprintf(message, size, "out of memory");
  TD_TRY(make_page(v, o));

  // token
  unsigned char bytes[TOKEN / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
    snprintf(message, size, "no random numbers for a token");
    return TD_E_IO;
  }
  for (size_t i = 0; i < sizeof bytes; i++) snprintf(v->token + 2 * i, 3, "%02x", bytes[i]);

  // server, and the model's thread
  TD_TRY(listen_here(v, o->port, message, size));
  if (!v->live) return TD_OK;
  v->has_thread = pthread_create(&v->thread, NULL, work, v) == 0;
  if (v->has_thread) return TD_OK;
  snprintf(message, size, "cannot start a thread");
  return TD_E_NOMEM;
}

void td_view_options_fill(td_view_options* options, size_t size) {
  const td_view_options own = {.size = size};
  struct_into(options, size, &own, sizeof own);
}

// Check the options and start the view.
td_status td_view_open(const td_view_options* given, td_view** view, char* message, size_t size) {
  if (view) *view = NULL;
  if (!message && size > 0) return TD_E_USAGE;
  td_view_options own = td_view_options_default();
  const td_view_options* options = &own;
  if (td_options_take(given, &own, sizeof own) != TD_OK) {
    snprintf(message, size, "%s", td_options_refused);
    return TD_E_USAGE;
  }

  // a page or a model, and a text for each setting
  bool named = view && (options->page || options->model) && options->nset >= 0 &&
               (options->nset == 0 || options->set);
  for (int i = 0; named && i < options->nset; i++) named = options->set[i] != NULL;
  if (!named) {
    snprintf(message, size, "a view needs a page or a model, and a text for each value it sets");
    return TD_E_USAGE;
  }

  // start
  td_view* v = calloc(1, sizeof *v);
  if (!v) {
    snprintf(message, size, "out of memory");
    return TD_E_NOMEM;
  }
  v->pace = 1;
  pthread_mutex_init(&v->lock, NULL);
  const td_status status = start(v, options, message, size);
  if (status == TD_OK) {
    *view = v;
  } else {
    td_view_close(v);
  }
  return status;
}

const char* td_view_address(const td_view* view) { return view ? view->address : ""; }

// Stop the model's thread and the server.
void td_view_close(td_view* v) {
  if (!v) return;
  pthread_mutex_lock(&v->lock);
  v->stop = true;
  pthread_mutex_unlock(&v->lock);
  if (v->has_thread) pthread_join(v->thread, NULL);
  if (v->server) mg_stop(v->server);
  for (int i = 0; i < v->nqueue; i++) free(v->queue[i]);
  pthread_mutex_destroy(&v->lock);
  td_live_free(v->live);
  td_text_free(&v->page);
  free(v->frame);
  free(v);
}
