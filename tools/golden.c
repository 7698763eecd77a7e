// Numbers of one model for the comparison of two versions of the program (tools/golden).
//
//   golden dump MODEL STATES OUT     evaluate the model and write OUT; the states are read from
//   STATES, or written
//                                    there when the file does not exist yet
//   golden compare OLD NEW OTHER...  compare two such files; the others are runs of the old version
//                                    with other kernels, whose largest distance from OLD is the
//                                    trajectories' own uncertainty: rounding also decides whether a
//                                    step is taken or tried again, and one kernel does not show it
//
// Only the public interface is used, and coordinates are matched by name, so that both versions
// compile this file whatever their inside looks like.  A record has a key, a value and the size
// against which its error is judged:
//
//   F, M r, K r, D r, J r, B r   sums over coordinates j of |matrix_ij r_j|, weighed by sqrt(M_ii)
//   so that one size
//                                serves all coordinates whatever their units are
//   sensors, energies            the largest value met, at least 1
//   equilibria, frequencies      the largest of their kind, at least 1
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tendril/tendril.h>

enum { STATES = 20, DENSE_LIMIT = 300, KEY = 120 };

static void* get(size_t n, size_t size) {
  void* p = calloc(n ? n : 1, size);
  if (!p) {
    fprintf(stderr, "golden: out of memory\n");
    exit(2);
  }
  return p;
}

// A number in [-1, 1] that follows from a name and a counter alone.
static double named_random(const char* name, int k) {
  uint64_t h = 0xcbf29ce484222325u ^ (uint64_t)k * 0x9e3779b97f4a7c15u;
  for (const char* c = name; *c; c++) h = (h ^ (unsigned char)*c) * 0x100000001b3u;
  h ^= h >> 29, h *= 0xbf58476d1ce4e5b9u, h ^= h >> 32;
  return (double)(h >> 11) * 0x1p-52 - 1;
}

// ---- dump -------------------------------------------------------------------------------------

typedef struct dumper {
  const td_model* m;
  td_work* w;
  td_sizes n;
  FILE* out;
  double *M, *A, *size, *r;
} dumper;

static void put(dumper* d, const char* what, const char* name, int k, double x, double size) {
  fprintf(d->out, "%s:%s@%d\t%a\t%a\n", what, name, k, x, size);
}

// Write y = A r for the rows that carry names of velocities; sizes are Σ_j |A_ij r_j| weighed by
// sqrt(M_ii).
static void put_product(dumper* d, const char* what, int k, const double* A, int columns) {
  const int n = d->n.nv;
  double largest = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < columns; j++) sum += fabs(A[(size_t)i * (size_t)columns + j] * d->r[j]);
    if (d->size[i] > 0) largest = fmax(largest, sum / d->size[i]);
  }
  for (int i = 0; i < n; i++) {
    double y = 0;
    for (int j = 0; j < columns; j++) y += A[(size_t)i * (size_t)columns + j] * d->r[j];
    put(d, what, td_model_v_name(d->m, i), k, y, fmax(largest * d->size[i], 1e-300));
  }
}

static void put_sensors(dumper* d, const td_state* s, int k) {
  double* y = get((size_t)d->n.nsensor, sizeof *y);
  if (td_sensors(d->m, s, d->w, y) == TD_OK) {
    for (int i = 0; i < d->n.nsensor; i++)
      put(d, "sensor", td_model_sensor_name(d->m, i), k, y[i], fmax(1, fabs(y[i])));
  }
  free(y);
  const td_energies e = td_energy(d->m, s, d->w);
  const double size = fmax(1, fabs(e.kinetic) + fabs(e.elastic) + fabs(e.gravity));
  put(d, "energy", "kinetic", k, e.kinetic, size);
  put(d, "energy", "elastic", k, e.elastic, size);
  put(d, "energy", "gravity", k, e.gravity, size);
}

static void put_equations(dumper* d, const td_state* s, int k) {
  const int n = d->n.nv;
  double *a = get((size_t)n, sizeof *a), *lambda = get((size_t)d->n.nconstraint, sizeof *lambda);
  double *F = get((size_t)n, sizeof *F), *h = get((size_t)n, sizeof *h),
         *tau = get((size_t)n, sizeof *tau);
  for (int i = 0; i < n; i++) a[i] = named_random(td_model_v_name(d->m, i), 100 + k);

  if (n <= DENSE_LIMIT) {
    // sizes of coordinates first: every other size refers to them
    td_mass_matrix(d->m, s, d->w, d->M);
    for (int i = 0; i < n; i++) d->size[i] = sqrt(fmax(0, d->M[(size_t)i * (size_t)n + i]));
    for (int i = 0; i < n; i++) d->r[i] = named_random(td_model_v_name(d->m, i), k);
    put_product(d, "M", k, d->M, n);

    // residual, with the sum of the absolute values of its terms as size
    td_residual(d->m, s, d->w, a, lambda, F);
    td_bias(d->m, s, d->w, h, tau);
    double largest = 0;
    for (int i = 0; i < n; i++) {
      double sum = fabs(h[i]) + fabs(tau[i]);
      for (int j = 0; j < n; j++) sum += fabs(d->M[(size_t)i * (size_t)n + j] * a[j]);
      if (d->size[i] > 0) largest = fmax(largest, sum / d->size[i]);
    }
    for (int i = 0; i < n; i++)
      put(d, "F", td_model_v_name(d->m, i), k, F[i], fmax(largest * d->size[i], 1e-300));

    // tangents
    double *K = get((size_t)n * (size_t)n, sizeof *K), *D = get((size_t)n * (size_t)n, sizeof *D);
    td_tangent(d->m, s, d->w, a, lambda, K, D);
    put_product(d, "K", k, K, n);
    put_product(d, "D", k, D, n);
    free(D);
    free(K);
    double* B = get((size_t)n * (size_t)d->n.nu, sizeof *B);
    td_input_map(d->m, s, d->w, B);
    for (int j = 0; j < d->n.nu; j++) d->r[j] = named_random(td_model_input_name(d->m, j), k);
    if (d->n.nu > 0 && d->n.nu <= n) put_product(d, "B", k, B, d->n.nu);
    free(B);

    // constraint rows
    const int nc = d->n.nconstraint;
    double* J = get((size_t)nc * (size_t)n, sizeof *J);
    td_constraints(d->m, s, d->w, J, NULL, NULL);
    for (int i = 0; i < n; i++) d->r[i] = named_random(td_model_v_name(d->m, i), k);
    for (int c = 0; c < nc; c++) {
      double y = 0, size = 0;
      for (int j = 0; j < n; j++)
        y += J[(size_t)c * (size_t)n + j] * d->r[j],
            size += fabs(J[(size_t)c * (size_t)n + j] * d->r[j]);
      char name[KEY];
      snprintf(name, sizeof name, "%s,%d", td_model_constraint_name(d->m, c), c);
      put(d, "J", name, k, y, fmax(1, size));
    }
    free(J);
  } else {
    td_residual(d->m, s, d->w, a, lambda, F);
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(F[i]));
    for (int i = 0; i < n; i++)
      put(d, "F", td_model_v_name(d->m, i), k, F[i], fmax(largest, 1e-300));
  }
  free(tau), free(h), free(F), free(lambda), free(a);
}

// Twenty states: the initial one, moved and set in motion by numbers that follow from the names.
// They are written by the first version and read by the second, because closing loops rounds
// differently.
static bool states(dumper* d, const char* path, td_state** s) {
  for (int k = 1; k < STATES; k++) td_state_copy(d->m, s[0], s[k]);
  FILE* f = fopen(path, "r");
  if (f) {
    char name[KEY];
    int k;
    double x;
    char kind;
    while (fscanf(f, " %c %119s %d %la", &kind, name, &k, &x) == 4) {
      if (kind == 't') s[k]->t = x;
      for (int i = 0; kind == 'q' && i < d->n.nq; i++) {
        if (!strcmp(td_model_q_name(d->m, i), name)) s[k]->q[i] = x;
      }
      for (int i = 0; kind == 'v' && i < d->n.nv; i++) {
        if (!strcmp(td_model_v_name(d->m, i), name)) s[k]->v[i] = x;
      }
    }
    fclose(f);
    return true;
  }
  double* step = get((size_t)d->n.nv, sizeof *step);
  f = fopen(path, "w");
  if (!f) return false;
  for (int k = 0; k < STATES; k++) {
    if (k > 0) {
      for (int i = 0; i < d->n.nv; i++) {
        const char* name = td_model_v_name(d->m, i);
        step[i] = 2e-3 * k * named_random(name, 1000 + k);
        s[k]->v[i] += 0.05 * k * named_random(name, 2000 + k);
      }
      td_displace(d->m, s[0]->q, step, s[k]->q);
    }
    fprintf(f, "t t %d %a\n", k, s[k]->t);
    for (int i = 0; i < d->n.nq; i++)
      fprintf(f, "q %s %d %a\n", td_model_q_name(d->m, i), k, s[k]->q[i]);
    for (int i = 0; i < d->n.nv; i++)
      fprintf(f, "v %s %d %a\n", td_model_v_name(d->m, i), k, s[k]->v[i]);
  }
  free(step);
  return fclose(f) == 0;
}

static double largest_of(const double* x, int n) {
  double y = 1;
  for (int i = 0; i < n; i++) y = fmax(y, fabs(x[i]));
  return y;
}

static void put_analyses(dumper* d, const td_state* start) {
  td_state* s = td_state_new(d->m);

  // the nearest equilibrium and the frequencies there
  td_state_copy(d->m, start, s);
  td_equil_options eo = td_equil_options_default();
  eo.max_iterations = 200;
  td_equil_result er;
  const bool rests = td_equilibrium(d->m, d->w, s, &eo, &er) == TD_OK && er.converged;
  put(d, "found", "equilibrium", 0, rests, 1);
  for (int i = 0; rests && i < d->n.nq; i++)
    put(d, "equil", td_model_q_name(d->m, i), 0, s->q[i], largest_of(s->q, d->n.nq));
  td_modes_result* modes = NULL;
  if (rests && d->n.nv <= DENSE_LIMIT && td_modes(d->m, s, d->w, &modes) == TD_OK) {
    for (int i = 0; i < modes->n && i < 12; i++) {
      // a frequency of rounding size is no number to compare: its square is
      const double w = modes->omega[i], top = largest_of(modes->omega, modes->n);
      put(d, "modes", "square of frequency", i, w * fabs(w),
          fmax(w * w, 1e-3 * top * fabs(w)) + 1e-6 * top * top);
    }
  }
  td_modes_free(modes);

  // a short motion as the model's settings say
  td_state_copy(d->m, start, s);
  td_sim_options so = td_sim_options_default();
  so.t_final = start->t + 0.2;
  so.dt_out = 0.02;
  so.max_steps = 20000;
  td_trajectory* t = NULL;
  const bool moved = td_simulate(d->m, d->w, s, &so, &t) == TD_OK;
  put(d, "found", "motion", 0, moved, 1);
  for (int row = 0; moved && row < td_trajectory_rows(t); row++) {
    const double *q = td_trajectory_q(t, row), *y = td_trajectory_sensors(t, row);
    for (int i = 0; i < d->n.nq; i++)
      put(d, "sim", td_model_q_name(d->m, i), row, q[i], fmax(1, fabs(q[i])));
    for (int i = 0; i < d->n.nsensor; i++)
      put(d, "sim", td_model_sensor_name(d->m, i), row, y[i], fmax(1, fabs(y[i])));
  }
  if (moved) put(d, "count", "evaluations", 0, (double)td_trajectory_stats(t)->evaluations, 1);
  td_trajectory_free(t);
  td_state_free(s);
}

static int dump(const char* path, const char* states_path, const char* out) {
  td_spec* spec = td_spec_new();
  td_model* m = NULL;
  if (td_spec_load_file(spec, path) != TD_OK || td_model_compile(spec, &m) != TD_OK) {
    fprintf(stderr, "%s", td_spec_messages(spec));
    td_spec_free(spec);
    return 3;
  }
  td_spec_free(spec);
  dumper d = {.m = m, .w = td_work_new(m), .n = td_model_sizes(m), .out = fopen(out, "w")};
  td_state* s[STATES];
  for (int k = 0; k < STATES; k++) s[k] = td_state_new(m);
  if (!d.out || td_state_initial(m, d.w, s[0]) != TD_OK) return 3;
  const size_t n = (size_t)d.n.nv;
  d.M = get(n <= DENSE_LIMIT ? n * n : 1, sizeof *d.M);
  d.size = get(n, sizeof *d.size);
  d.r = get(n + (size_t)d.n.nu, sizeof *d.r);
  if (!states(&d, states_path, s)) return 3;
  for (int k = 0; k < STATES; k++) {
    put_equations(&d, s[k], k);
    put_sensors(&d, s[k], k);
  }
  put_analyses(&d, s[0]);
  for (int k = 0; k < STATES; k++) td_state_free(s[k]);
  free(d.r), free(d.size), free(d.M);
  td_work_free(d.w);
  td_model_free(m);
  return fclose(d.out) == 0 ? 0 : 3;
}

// ---- compare ----------------------------------------------------------------------------------

typedef struct record {
  char key[KEY];
  double value, size;
} record;

typedef struct table {
  record* at;
  size_t n;
} table;

static int by_key(const void* a, const void* b) {
  return strcmp(((const record*)a)->key, ((const record*)b)->key);
}

static table read_table(const char* path) {
  table t = {0};
  FILE* f = fopen(path, "r");
  if (!f) return t;
  size_t room = 0;
  record r;
  while (fscanf(f, " %119[^\t] %la %la", r.key, &r.value, &r.size) == 3) {
    if (t.n == room) {
      room = room ? 2 * room : 1024;
      t.at = realloc(t.at, room * sizeof *t.at);
      if (!t.at) exit(2);
    }
    t.at[t.n++] = r;
  }
  fclose(f);
  qsort(t.at, t.n, sizeof *t.at, by_key);
  return t;
}

static const record* find(const table* t, const record* like) {
  return t->n ? bsearch(like, t->at, t->n, sizeof *t->at, by_key) : NULL;
}

// What each kind of number is allowed to differ by, relative to its size.
static double tolerance_of(const char* key) {
  static const struct {
    const char* kind;
    double tolerance;
  } of[] = {{"equil:", 1e-10}, {"modes:", 1e-10}, {"found:", 0}, {"count:", INFINITY}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    if (!strncmp(key, of[i].kind, strlen(of[i].kind))) return of[i].tolerance;
  }
  return 1e-12;
}

// What rounding alone moves further than its tolerance: 0 motions, 1 frequencies (those of stiff
// robots with loops lose six digits), -1 neither.
static int uncertain(const char* key) {
  return !strncmp(key, "sim:", 4) ? 0 : !strncmp(key, "modes:", 6) ? 1 : -1;
}

static int compare(const char* old_path, const char* new_path, int nother, char** other_path) {
  const table a = read_table(old_path), b = read_table(new_path);
  size_t equal = 0, missing = b.n > a.n ? b.n - a.n : 0, wrong = 0;
  double worst = 0;
  const char* worst_key = "";

  // how far the old version's own motions and frequencies move with other kernels
  double drift[2] = {0, 0};
  for (int k = 0; k < nother; k++) {
    const table c = read_table(other_path[k]);
    for (size_t i = 0; i < a.n; i++) {
      const int moved = uncertain(a.at[i].key);
      const record* y = moved < 0 ? NULL : find(&c, &a.at[i]);
      if (y) drift[moved] = fmax(drift[moved], fabs(y->value - a.at[i].value) / a.at[i].size);
    }
    free(c.at);
  }

  for (size_t i = 0; i < a.n; i++) {
    const record *x = &a.at[i], *y = find(&b, x);
    if (!y) {
      missing++;
      continue;
    }
    if (!memcmp(&x->value, &y->value, sizeof x->value) || (isnan(x->value) && isnan(y->value))) {
      equal++;
      continue;
    }
    const int moved = uncertain(x->key);
    const double bound = tolerance_of(x->key) + (moved < 0 ? 0 : 3 * drift[moved]);
    const double ratio = fabs(x->value - y->value) / x->size / bound;
    if (!(ratio <= 1)) wrong++;
    if (!(ratio <= worst)) worst = ratio, worst_key = x->key;
  }
  printf(
      "%zu numbers, %zu to the bit, %zu missing, %zu wrong, worst %.3g of its bound (%s), other "
      "kernels move motions by %.1e and frequencies by %.1e\n",
      a.n, equal, missing, wrong, worst, worst_key, drift[0], drift[1]);
  const int code = a.n == 0 || missing || wrong ? 1 : equal < a.n ? 4 : 0;
  free(a.at), free(b.at);
  return code;
}

int main(int argc, char** argv) {
  if (argc == 5 && !strcmp(argv[1], "dump")) return dump(argv[2], argv[3], argv[4]);
  if (argc >= 4 && !strcmp(argv[1], "compare"))
    return compare(argv[2], argv[3], argc - 4, argv + 4);
  fprintf(stderr, "usage: golden dump MODEL STATES OUT | golden compare OLD NEW OTHER...\n");
  return 2;
}
