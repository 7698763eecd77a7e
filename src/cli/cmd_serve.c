// tendril serve: a plant that steps at a fixed rate for a controller in another process, which
// sends inputs and gets sensors and states over UDP on the loopback or in shared memory
// (tendril/serve.h).  The loop makes no heap call and never waits for the controller.
#include "tendril/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

// ---- step times -------------------------------------------------------------------------------

enum { PER_OCTAVE = 16, OCTAVES = 40, BINS = PER_OCTAVE * OCTAVES };

// Times [ns], counted in bins of a sixteenth of an octave: quantiles are right to 4.5 %.
typedef struct histogram {
  long bin[BINS], count;
  double sum, least, most;
} histogram;

static void note(histogram* h, double ns) {
  const int bin = ns < 1 ? 0 : (int)(PER_OCTAVE * log2(ns));
  h->bin[bin < BINS ? bin : BINS - 1]++;
  h->least = h->count == 0 || ns < h->least ? ns : h->least;
  h->most = ns > h->most ? ns : h->most;
  h->sum += ns;
  h->count++;
}

// The time [us] that a share of the steps does not exceed: the upper end of its bin.
static double quantile(const histogram* h, double share) {
  long below = 0;
  for (int i = 0; i < BINS; i++) {
    below += h->bin[i];
    if ((double)below >= share * (double)h->count)
      return 1e-3 * fmin(h->most, exp2((double)(i + 1) / PER_OCTAVE));
  }
  return 1e-3 * h->most;
}

static cJSON* histogram_json(const histogram* h) {
  cJSON* o = cJSON_CreateObject();
  cJSON_AddNumberToObject(o, "min", 1e-3 * h->least);
  cJSON_AddNumberToObject(o, "mean", h->count ? 1e-3 * h->sum / (double)h->count : 0);
  cJSON_AddNumberToObject(o, "median", quantile(h, 0.5));
  cJSON_AddNumberToObject(o, "p99", quantile(h, 0.99));
  cJSON_AddNumberToObject(o, "p999", quantile(h, 0.999));
  cJSON_AddNumberToObject(o, "max", 1e-3 * h->most);
  cJSON* bins = cJSON_AddArrayToObject(o, "histogram");
  for (int i = 0; i < OCTAVES; i++) {
    long count = 0;
    for (int k = 0; k < PER_OCTAVE; k++) count += h->bin[PER_OCTAVE * i + k];
    if (count == 0) continue;
    cJSON* bin = cJSON_CreateObject();
    cJSON_AddNumberToObject(bin, "from", 1e-3 * exp2(i));
    cJSON_AddNumberToObject(bin, "to", 1e-3 * exp2(i + 1));
    cJSON_AddNumberToObject(bin, "count", (double)count);
    cJSON_AddItemToArray(bins, bin);
  }
  return o;
}

static void say_histogram(const session* s, const histogram* h) {
  for (int i = 0; i < OCTAVES; i++) {
    long count = 0;
    for (int k = 0; k < PER_OCTAVE; k++) count += h->bin[PER_OCTAVE * i + k];
    if (count == 0) continue;
    char bar[41] = "";
    const int length = (int)ceil(40.0 * (double)count / (double)h->count);
    memset(bar, '#', (size_t)length);
    say(s, "  %9.4g to %9.4g us %9ld  %s\n", 1e-3 * exp2(i), 1e-3 * exp2(i + 1), count, bar);
  }
}

// ---- the line to the controller -----------------------------------------------------------------

// The server: its plant, its line and what it counted.
typedef struct server {
  session* s;
  td_plant* plant;
  double rate;      // [Hz]
  double* u;        // (nu) inputs of the newest request
  double* numbers;  // (nout) sensors, q, v, z
  int nout;

  // over UDP
  int socket, port;
  struct sockaddr_in peer;  // who sent the last valid request
  bool has_peer;
  unsigned char* packet;  // one that is received or sent
  size_t packet_size;

  // in shared memory
  char shm_name[256];
  td_serve_shared* shared;
  size_t shared_size;
  uint64_t guard;  // of the last input that was taken

  uint64_t sequence;  // of the last request
  bool heard;         // there was one
  long requests, malformed, stale, refused, steps, missed;
  bool reset, stop;
  histogram clock, processor;
  long memory_start, memory_end;  // resident [kB], after warming up and at the end
} server;

enum { WARM = 1000, MOST_PACKETS = 64, UDP_MOST = 65507 };

// Take a request whose form is right.
static void take(server* v, uint16_t kind, uint64_t sequence, const double* u) {
  const session* s = v->s;
  if (v->heard && sequence <= v->sequence && kind != TD_SERVE_STOP) {
    v->stale++;
    return;
  }
  for (int i = 0; i < s->n.nu; i++) {
    if (isfinite(u[i])) continue;
    v->malformed++;
    return;
  }
  v->heard = true;
  v->sequence = sequence;
  v->requests++;
  v->stop = v->stop || kind == TD_SERVE_STOP;
  v->reset = v->reset || kind == TD_SERVE_RESET;
  if (kind != TD_SERVE_STOP) memcpy(v->u, u, sizeof *u * (size_t)s->n.nu);
}

static bool known_kind(uint64_t kind) { return kind >= TD_SERVE_INPUTS && kind <= TD_SERVE_STOP; }

// Read the packets that have arrived, no more than some of them: a flood does not hold up a step.
static void receive(server* v) {
  const size_t wanted = sizeof(td_serve_request) + sizeof(double) * (size_t)v->s->n.nu;
  for (int i = 0; i < MOST_PACKETS; i++) {
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    const ssize_t n = recvfrom(v->socket, v->packet, v->packet_size, MSG_DONTWAIT | MSG_TRUNC,
                               (struct sockaddr*)&from, &length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    td_serve_request head = {0};
    if ((size_t)n >= sizeof head) memcpy(&head, v->packet, sizeof head);
    if ((size_t)n != wanted || head.magic != TD_SERVE_MAGIC || head.version != TD_SERVE_VERSION ||
        !known_kind(head.kind) || head.nu != (uint32_t)v->s->n.nu || head.zero != 0) {
      v->malformed++;
      continue;
    }

    // another controller counts from its own beginning
    const bool other = !v->has_peer || from.sin_port != v->peer.sin_port;
    if (other) v->heard = false;
    const long before = v->requests;
    take(v, head.kind, head.sequence, (const double*)(const void*)(v->packet + sizeof head));
    if (v->requests == before) continue;
    v->peer = from;
    v->has_peer = true;
  }
}

// Read the controller's side of the shared memory, unless it is being written.
static void look(server* v) {
  td_serve_shared* m = v->shared;
  double* in = (double*)(void*)(m + 1);
  double* u = (double*)(void*)v->packet;
  const uint64_t guard = __atomic_load_n(&m->input_guard, __ATOMIC_ACQUIRE);
  if (guard % 2 != 0 || guard == v->guard) return;
  const uint64_t kind = __atomic_load_n(&m->input_kind, __ATOMIC_RELAXED);
  const uint64_t sequence = __atomic_load_n(&m->input_sequence, __ATOMIC_RELAXED);
  for (int i = 0; i < v->s->n.nu; i++) __atomic_load(&in[i], &u[i], __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (__atomic_load_n(&m->input_guard, __ATOMIC_RELAXED) != guard) return;
  v->guard = guard;
  if (known_kind(kind))
    take(v, (uint16_t)kind, sequence, u);
  else
    v->malformed++;
}

// Give the controller the state after a step.
static void answer(server* v, uint16_t kind) {
  const td_sizes* n = &v->s->n;
  const double t = td_plant_state(v->plant)->t;
  const size_t bytes = sizeof(double) * (size_t)v->nout;
  if (v->shared) {
    td_serve_shared* m = v->shared;
    double* out = (double*)(void*)(m + 1) + n->nu;
    const uint64_t guard = m->output_guard + 1;
    __atomic_store_n(&m->output_guard, guard, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    m->step = (uint64_t)v->steps;
    m->answered = v->sequence;
    m->missed = (uint64_t)v->missed;
    m->t = t;
    memcpy(out, v->numbers, bytes);
    __atomic_store_n(&m->output_guard, guard + 1, __ATOMIC_RELEASE);
  } else if (v->has_peer) {
    const td_serve_reply head = {TD_SERVE_MAGIC,
                                 TD_SERVE_VERSION,
                                 kind,
                                 (uint64_t)v->steps,
                                 v->sequence,
                                 (uint64_t)v->missed,
                                 t,
                                 (uint32_t)n->nsensor,
                                 (uint32_t)n->nq,
                                 (uint32_t)n->nv,
                                 (uint32_t)n->nz};
    memcpy(v->packet, &head, sizeof head);
    memcpy(v->packet + sizeof head, v->numbers, bytes);
    // a controller that is gone, or does not read, is no reason to wait
    const ssize_t sent = sendto(v->socket, v->packet, sizeof head + bytes, MSG_DONTWAIT,
                                (const struct sockaddr*)&v->peer, sizeof v->peer);
    (void)sent;
  }
}

// ---- opening and closing --------------------------------------------------------------------

static int open_udp(server* v) {
  const uint16_t port = (uint16_t)(v->s->opt->udp > 0 ? v->s->opt->udp : 0);
  v->socket = socket(AF_INET, SOCK_DGRAM, 0);
  if (v->socket < 0) return complain(CODE_FILE, "serve: no socket: %s", strerror(errno));
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof at;
  if (bind(v->socket, (struct sockaddr*)&at, sizeof at) != 0 ||
      getsockname(v->socket, (struct sockaddr*)&at, &length) != 0)
    return complain(CODE_FILE, "serve: UDP port %d of 127.0.0.1: %s", port, strerror(errno));
  v->port = ntohs(at.sin_port);
  return CODE_DONE;
}

static int open_shm(server* v) {
  const char* name = v->s->opt->shm;
  static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  if (strspn(name, allowed) != strlen(name) || strlen(name) > 200)
    return complain(CODE_USE, "--shm must be letters, digits, _ and -, got '%s'", name);
  char path[256];
  snprintf(path, sizeof path, "/%s", name);
  const int file = shm_open(path, O_CREAT | O_EXCL | O_RDWR, 0600);
  if (file < 0 && errno == EEXIST)
    return complain(CODE_FILE,
                    "serve: shared memory '%s' is there already: that of another server, or of one "
                    "that was killed (rm /dev/shm/%s)",
                    name, name);
  if (file < 0) return complain(CODE_FILE, "serve: shared memory '%s': %s", name, strerror(errno));
  memcpy(v->shm_name, path, sizeof path);
  void* at = MAP_FAILED;
  if (ftruncate(file, (off_t)v->shared_size) == 0)
    at = mmap(NULL, v->shared_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int error = errno;
  close(file);
  if (at == MAP_FAILED)
    return complain(CODE_FILE, "serve: shared memory '%s': %s", name, strerror(error));
  v->shared = at;
  const td_sizes* n = &v->s->n;
  v->shared->version = TD_SERVE_VERSION;
  v->shared->nu = (uint32_t)n->nu;
  v->shared->nsensor = (uint32_t)n->nsensor;
  v->shared->nq = (uint32_t)n->nq;
  v->shared->nv = (uint32_t)n->nv;
  v->shared->nz = (uint32_t)n->nz;
  return CODE_DONE;
}

static void close_server(server* v) {
  if (v->socket >= 0) close(v->socket);
  if (v->shared) {
    v->shared->ended = 1;
    munmap(v->shared, v->shared_size);
  }
  if (v->shm_name[0]) shm_unlink(v->shm_name);
  td_plant_free(v->plant);
  free(v->u);
  free(v->numbers);
  free(v->packet);
}

// Lock the memory and ask for the real-time class of the scheduler.
static int make_urgent(void) {
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
    return complain(CODE_FILE, "--fifo: memory cannot be locked: %s", strerror(errno));
  const struct sched_param p = {.sched_priority = 80};
  if (sched_setscheduler(0, SCHED_FIFO, &p) != 0)
    return complain(CODE_FILE,
                    "--fifo: the scheduler does not give SCHED_FIFO: %s (root, or an rtprio limit "
                    "of the user, is needed)",
                    strerror(errno));
  return CODE_DONE;
}

// ---- the loop -----------------------------------------------------------------------------------

static long resident(void) {
  long pages = 0, all;
  FILE* f = fopen("/proc/self/statm", "r");
  if (!f) return 0;
  if (fscanf(f, "%ld %ld", &all, &pages) != 2) pages = 0;
  fclose(f);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static double now_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

// Sensors, q, v, z of the plant into v->numbers.
static void gather(server* v) {
  const td_sizes* n = &v->s->n;
  const td_state* state = td_plant_state(v->plant);
  double* to = v->numbers + n->nsensor;
  memcpy(to, state->q, sizeof *to * (size_t)n->nq);
  memcpy(to + n->nq, state->v, sizeof *to * (size_t)n->nv);
  memcpy(to + n->nq + n->nv, state->z, sizeof *to * (size_t)n->nz);
}

// One step: the newest inputs are held for a period, then sensors are read.
static td_status advance(server* v, double t_start, double period, long* since) {
  if (v->reset) {
    v->reset = false;
    const td_status status = td_plant_reset(v->plant, v->s->state);
    if (status != TD_OK) return status;
    *since = 0;
  }
  const td_status held = v->s->n.nu > 0 ? td_plant_inputs(v->plant, v->u) : TD_OK;
  if (held != TD_OK) v->refused++;  // outside their range: those before are held
  (*since)++;
  const td_status status =
      td_plant_drive(v->plant, t_start + (double)*since * period, NULL, v->numbers);
  gather(v);
  return status;
}

// Step at the rate until the steps are done, a signal or a request says stop, or the plant fails.
static td_status loop(server* v) {
  const options* o = v->s->opt;
  const double period = 1 / v->rate, ns = 1e9 * period, t_start = td_plant_state(v->plant)->t;
  double deadline = now_ns(CLOCK_MONOTONIC) + ns;
  long since = 0;  // steps since the plant began
  td_status status = TD_OK;
  while (status == TD_OK && !v->stop && !stop_asked() && (o->steps == 0 || v->steps < o->steps)) {
    // the step, and what it took
    const double from = now_ns(CLOCK_MONOTONIC), spent = now_ns(CLOCK_THREAD_CPUTIME_ID);
    if (v->shared)
      look(v);
    else
      receive(v);
    if (v->stop) break;
    status = advance(v, t_start, period, &since);
    v->steps++;
    answer(v, status == TD_OK ? TD_SERVE_STATE : TD_SERVE_FAILED);
    const double end = now_ns(CLOCK_MONOTONIC);
    note(&v->clock, end - from);
    note(&v->processor, now_ns(CLOCK_THREAD_CPUTIME_ID) - spent);
    if (v->steps == WARM) v->memory_start = resident();

    // a deadline that is missed is not made up for: the next one is a period from now
    if (o->free_run) {
      v->missed += end - from > ns;
      continue;
    }
    if (end > deadline) {
      v->missed++;
      deadline = end + ns;
      continue;
    }
    const struct timespec until = {(time_t)(deadline / 1e9), (long)fmod(deadline, 1e9)};
    while (!stop_asked() && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
      continue;
    deadline += ns;
  }
  v->memory_end = resident();
  return status;
}

// ---- the command ----------------------------------------------------------------------------

// Print where the controller finds the server.
static void say_address(const server* v) {
  const session* s = v->s;
  const options* o = s->opt;
  FILE* to = o->json ? stderr : stdout;  // the standard output is that of the result
  if (o->shm)
    fprintf(to, "shared memory %s", o->shm);
  else
    fprintf(to, "UDP 127.0.0.1:%d", v->port);
  fprintf(to, ", %g Hz, %d inputs, %d sensors, %d + %d + %d states\n", v->rate, s->n.nu,
          s->n.nsensor, s->n.nq, s->n.nv, s->n.nz);
  fflush(to);
}

// Print what was counted.
static void say_counts(const server* v) {
  const session* s = v->s;
  const double in_time = v->steps ? 100 * (1 - (double)v->missed / (double)v->steps) : 100;
  if (s->opt->json) {
    cJSON* o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "rate", v->rate);
    cJSON_AddNumberToObject(o, "steps", (double)v->steps);
    cJSON_AddNumberToObject(o, "missed", (double)v->missed);
    cJSON_AddNumberToObject(o, "in_time", in_time);
    cJSON_AddNumberToObject(o, "requests", (double)v->requests);
    cJSON_AddNumberToObject(o, "malformed", (double)v->malformed);
    cJSON_AddNumberToObject(o, "stale", (double)v->stale);
    cJSON_AddNumberToObject(o, "refused", (double)v->refused);
    cJSON_AddNumberToObject(o, "t", td_plant_state(v->plant)->t);
    cJSON_AddItemToObject(o, "clock", histogram_json(&v->clock));
    cJSON_AddItemToObject(o, "processor", histogram_json(&v->processor));
    if (v->memory_start) {
      cJSON_AddNumberToObject(o, "memory_start", (double)v->memory_start);
      cJSON_AddNumberToObject(o, "memory_end", (double)v->memory_end);
    }
    json_print(o);
    return;
  }
  say(s, "\n%ld steps, %ld deadlines missed (%.4f %% in time)\n", v->steps, v->missed, in_time);
  say(s, "requests %ld, malformed %ld, stale %ld, out of range %ld\n", v->requests, v->malformed,
      v->stale, v->refused);
  if (v->steps == 0) return;
  const histogram* both[] = {&v->clock, &v->processor};
  static const char* const of[] = {"clock", "processor"};
  for (int i = 0; i < 2; i++)
    say(s, "step times [us], %-9s  median %.4g, 99 %% %.4g, 99.9 %% %.4g, longest %.4g\n", of[i],
        quantile(both[i], 0.5), quantile(both[i], 0.99), quantile(both[i], 0.999),
        1e-3 * both[i]->most);
  say_histogram(s, &v->clock);
  if (v->memory_start)
    say(s, "memory [kB]: %ld after %d steps, %ld at the end\n", v->memory_start, WARM,
        v->memory_end);
}

// Make the plant and its line, and serve.
static int serve(session* s) {
  const options* o = s->opt;
  if (o->udp >= 0 && o->shm) return complain(CODE_USE, "serve takes one of --udp and --shm");
  server v = {.s = s, .socket = -1};
  v.rate = isnan(o->rate) ? 1 / td_model_settings(s->model).dt_out : o->rate;
  const td_sizes* n = &s->n;
  v.nout = n->nsensor + n->nq + n->nv + n->nz;
  const size_t in = sizeof(td_serve_request) + sizeof(double) * (size_t)n->nu,
               out = sizeof(td_serve_reply) + sizeof(double) * (size_t)v.nout;
  v.packet_size = in > out ? in : out;
  v.shared_size = sizeof(td_serve_shared) + sizeof(double) * (size_t)(n->nu + v.nout);
  if (!o->shm && v.packet_size > UDP_MOST)
    return complain(CODE_USE, "serve: %zu bytes do not fit into a UDP packet; use --shm NAME",
                    v.packet_size);
  v.u = calloc((size_t)n->nu + 1, sizeof *v.u);
  v.numbers = calloc((size_t)v.nout + 1, sizeof *v.numbers);
  v.packet = calloc(v.packet_size + 1, 1);
  int code = CODE_DONE;
  td_status status = v.u && v.numbers && v.packet ? TD_OK : TD_E_NOMEM;

  // equal implicit steps of one period, unless another solver is asked for
  td_sim_options sim = sim_options(s);
  sim.progress = NULL;
  if (!o->solver_given) sim.solver = TD_SOLVER_FIXED;
  if (isnan(o->step)) sim.step = 1 / v.rate;
  if (status == TD_OK) status = td_plant_new(s->model, s->work, s->state, &sim, &v.plant);
  if (status != TD_OK) {
    close_server(&v);
    return session_failed(s, status, "serve");
  }
  memcpy(v.u, s->state->u, sizeof *v.u * (size_t)n->nu);

  code = o->shm ? open_shm(&v) : open_udp(&v);
  if (code == CODE_DONE && o->fifo) code = make_urgent();
  if (code == CODE_DONE) {
    // the magic comes last: who sees it finds the rest in place
    if (v.shared) __atomic_store_n(&v.shared->magic, TD_SERVE_MAGIC, __ATOMIC_RELEASE);
    stop_on_signal();
    say_address(&v);
    status = loop(&v);
    say_counts(&v);
    if (status != TD_OK) code = session_failed(s, status, "serve");
  }
  close_server(&v);
  return code;
}

int cmd_serve(const options* opt) { return session_run(opt, serve); }
