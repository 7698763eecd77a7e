// tendril lqr: gains of a linear controller u = u0 - K x and observer about the equilibrium or a
// state, with poles and structure; lqr.json and lqr.mat.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// A linear design: weights, gains, poles, structure.
typedef struct design {
  td_linear* l;
  double *Q, *R, *W, *V, *K, *L, *X, *P;
  double *re, *im;  // poles: open (nx), closed (nx), observer (nx)
  bool has_K, has_L;
  double residual_K, residual_L;
  td_structure structure;
  double* block;
} design;

// Allocate all matrices as one block.  False: no memory.
static bool allocate(design* d) {
  const size_t n = (size_t)d->l->nx, m = (size_t)d->l->nu, p = (size_t)d->l->ny;
  double* at = d->block = calloc(4 * n * n + m * m + p * p + n * m + n * p + 6 * n + 1, sizeof *at);
  if (!at) return false;
  const struct {
    double** to;
    size_t n;
  } parts[] = {{&d->Q, n * n}, {&d->W, n * n}, {&d->X, n * n}, {&d->P, n * n},  {&d->R, m * m},
               {&d->V, p * p}, {&d->K, n * m}, {&d->L, n * p}, {&d->re, 3 * n}, {&d->im, 3 * n}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    *parts[i].to = at;
    at += parts[i].n;
  }
  return true;
}

// Poles of A - F G for F (n x m) and G (m x n)
static td_status poles_with(const td_linear* l, const double* F, const double* G, int m, double* re,
                            double* im) {
  const int n = l->nx;
  double* A = malloc(sizeof *A * ((size_t)n * (size_t)n + 1));
  if (!A) return TD_E_NOMEM;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      A[i * n + j] = l->A[i * n + j];
      for (int k = 0; k < m; k++) A[i * n + j] -= F[i * m + k] * G[k * n + j];
    }
  const td_status status = td_poles(A, n, re, im);
  free(A);
  return status;
}

// Compute gains and poles.  Gains that do not exist are no error: the structure tells why.
static td_status solve(design* d) {
  const td_linear* l = d->l;
  const int n = l->nx;
  td_status status = td_linear_structure(l, &d->structure);
  if (status == TD_OK) status = td_poles(l->A, n, d->re, d->im);

  // controller
  if (status == TD_OK && l->nu > 0) {
    status = td_lqr(n, l->nu, l->A, l->B, d->Q, d->R, d->K, d->X, &d->residual_K);
    d->has_K = status == TD_OK;
    if (d->has_K) status = poles_with(l, l->B, d->K, l->nu, d->re + n, d->im + n);
    if (status == TD_E_SINGULAR) status = TD_OK;
  }

  // observer
  if (status == TD_OK && l->ny > 0) {
    status = td_kalman(n, l->ny, l->A, l->C, d->W, d->V, d->L, d->P, &d->residual_L);
    d->has_L = status == TD_OK;
    if (d->has_L) status = poles_with(l, d->L, l->C, l->ny, d->re + 2 * n, d->im + 2 * n);
    if (status == TD_E_SINGULAR) status = TD_OK;
  }
  return status;
}

// Print the first poles, conjugate pairs as one.
static void say_poles(const session* s, const char* what, const double* re, const double* im,
                      int n) {
  say(s, "  %-12s", what);
  for (int i = 0; i < n && i < 12; i++) {
    if (im[i] < 0) continue;
    say(s, "  %.5g", re[i]);
    if (im[i] > 0) say(s, " ± %.5gi", im[i]);
  }
  say(s, n > 12 ? " ...\n" : "\n");
}

// Print structure, poles and gains.
static void say_design(const session* s, const design* d) {
  const int n = d->l->nx;
  const td_structure* t = &d->structure;

  // controllability and observability
  say_heading(s, "Structure");
  say(s, "  inputs reach %d of %d states, outputs see %d\n", t->reachable, n, t->observable);
  if (t->stable && n > 0)
    say(s, "  weakest direction (Gramians, smallest/largest): reach %.2g, sight %.2g\n",
        t->reach_ratio, t->sight_ratio);

  // poles
  say_heading(s, "Poles [1/s]");
  say_poles(s, "open", d->re, d->im, n);
  if (d->has_K) say_poles(s, "controlled", d->re + n, d->im + n, n);
  if (d->has_L) say_poles(s, "observer", d->re + 2 * n, d->im + 2 * n, n);

  // gains, or why there are none
  say_heading(s, "Gains");
  if (d->has_K)
    say(s, "  K (%d x %d), Riccati residual %.1g\n", d->l->nu, n, d->residual_K);
  else
    say(s, "  no K: %s\n",
        d->l->nu ? "an unstable or undamped motion is out of reach or not weighed"
                 : "the model has no inputs");
  if (d->has_L)
    say(s, "  L (%d x %d), Riccati residual %.1g\n", n, d->l->ny, d->residual_L);
  else
    say(s, "  no L: %s\n",
        d->l->ny ? "an unstable or undamped motion is out of sight or has no noise"
                 : "the model has no sensors");
}

static cJSON* poles_json(const double* re, const double* im, int n) {
  cJSON* list = cJSON_CreateArray();
  for (int i = 0; i < n; i++) {
    const double pole[2] = {re[i], im[i]};
    cJSON_AddItemToArray(list, json_vector(pole, 2));
  }
  return list;
}

// JSON of a linear model with its controllability and observability, poles, and the gains K and L
// that were found.
static cJSON* design_json(const session* s, const design* d) {
  const int n = d->l->nx;
  cJSON* o = linear_json(s, d->l);
  json_add_number(o, "reachable", d->structure.reachable);
  json_add_number(o, "observable", d->structure.observable);
  json_add_number(o, "reach_ratio", d->structure.reach_ratio);
  json_add_number(o, "sight_ratio", d->structure.sight_ratio);
  json_add(o, "poles", poles_json(d->re, d->im, n));
  if (d->has_K) {
    json_add(o, "K", json_matrix(d->K, d->l->nu, n));
    json_add(o, "controlled_poles", poles_json(d->re + n, d->im + n, n));
    json_add_number(o, "K_residual", d->residual_K);
  }
  if (d->has_L) {
    json_add(o, "L", json_matrix(d->L, n, d->l->ny));
    json_add(o, "observer_poles", poles_json(d->re + 2 * n, d->im + 2 * n, n));
    json_add_number(o, "L_residual", d->residual_L);
  }
  return o;
}

// Design about the point of linearisation, print and write lqr.json and lqr.mat.
static int design_at(session* s, design* d) {
  if (!allocate(d)) return complain(CODE_NUMERICS, "out of memory");
  int code = linear_weights(s, d->l, d->Q, d->R, d->W, d->V);
  if (code) return code;

  // compute
  if (!deaf_begin()) return session_failed(s, TD_E_STOPPED, "linear design");
  const td_status status = solve(d);
  deaf_end();
  if (status != TD_OK) return session_failed(s, status, "linear design");
  say_design(s, d);

  // write
  const td_linear* l = d->l;
  td_matrix list[8] = {{"A", "", l->nx, l->nx, l->nx, l->A, NULL},
                       {"B", "", l->nx, l->nu, l->nu, l->B, NULL},
                       {"C", "", l->ny, l->nx, l->nx, l->C, NULL},
                       {"D", "", l->ny, l->nu, l->nu, l->D, NULL},
                       {"inverse", "", l->nx, 2 * s->n.nv, 2 * s->n.nv, l->inverse, NULL},
                       {"q", "", s->n.nq, 1, 1, s->rest->q, NULL}};
  int n = 6;
  if (d->has_K) list[n++] = (td_matrix){"K", "", l->nu, l->nx, l->nx, d->K, NULL};
  if (d->has_L) list[n++] = (td_matrix){"L", "", l->nx, l->ny, l->ny, d->L, NULL};
  td_status written = session_write_json(s, "lqr.json", design_json(s, d));
  if (written == TD_OK) written = td_files_mat(s->files, "lqr.mat", list, n);
  code = session_wrote(s, written);
  if (code == CODE_DONE && s->has_equil) code = equil_write(s);
  if (code == CODE_DONE) code = session_commit(s, NULL, NULL);
  if (s->opt->json && code == CODE_DONE) json_print(design_json(s, d));
  return code;
}

// Linearise a model, compute gains and write them.
int cmd_lqr(const options* opt) {
  session s = {0};
  design d = {0};
  int code = session_open(&s, opt);
  if (code == CODE_DONE) code = session_output(&s);
  if (code == CODE_DONE) code = linear_step(&s, &d.l);
  if (code == CODE_DONE) code = design_at(&s, &d);
  free(d.block);
  td_linear_free(d.l);
  session_close(&s);
  return code;
}
