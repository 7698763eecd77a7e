// Radau IIA methods.  Their tables follow from the definition: the nodes are the zeros of P_s(x) -
// P_{s-1}(x) on [0, 1], A_ij = integral of the Lagrange polynomial l_j from 0 to c_i.
#include "solve/time/collocation.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/kernel.h"
#include "math/quadrature.h"

enum { MOST = TD_STAGES_MOST };

// ---- polynomials ------------------------------------------------------------------------------

// l_j(x) on the nodes
static double lagrange(const double* node, int n, int j, double x) {
  double l = 1;
  for (int i = 0; i < n; i++)
    if (i != j) l *= (x - node[i]) / (node[j] - node[i]);
  return l;
}

void td_collocation_values(const td_collocation* k, double x, double* weight) {
  double node[MOST + 1] = {0};
  memcpy(node + 1, k->c, (size_t)k->s * sizeof(double));
  for (int j = 0; j < k->s; j++) weight[j] = lagrange(node, k->s + 1, j + 1, x);
}

void td_collocation_integrals(const td_collocation* k, double x, double* weight) {
  for (int j = 0; j < k->s; j++) {
    weight[j] = 0;
    for (int g = 0; g < k->s; g++)
      weight[j] += x * k->weight[g] * lagrange(k->c, k->s, j, x * k->gauss[g]);
  }
}

// ---- tables -----------------------------------------------------------------------------------

// P_s - P_{s-1} at x in [-1, 1]
static double radau_polynomial(int s, double x) {
  double P[MOST + 1];
  td_legendre(s, x, P);
  return P[s] - P[s - 1];
}

// Nodes c of the method, the zeros of P_s - P_{s-1}: each lies between two zeros of P_{s-1} and is
// found by bisection to rounding; the last is 1.
static void find_nodes(td_collocation* k) {
  double gauss[MOST], w[MOST];
  td_gauss(k->s - 1, gauss, w);
  for (int i = 0; i < k->s - 1; i++) {
    double low = i > 0 ? gauss[i - 1] : 0, high = gauss[i];
    const bool rising = radau_polynomial(k->s, 2 * high - 1) > 0;
    for (int b = 0; b < 60; b++) {
      const double x = (low + high) / 2;
      if ((radau_polynomial(k->s, 2 * x - 1) > 0) == rising)
        high = x;
      else
        low = x;
    }
    k->c[i] = (low + high) / 2;
  }
  k->c[k->s - 1] = 1;
}

// X = A^-1 for s x s matrices
static bool invert(int s, const double* A, double* X) {
  double LU[MOST * MOST];
  int pivot[MOST];
  memcpy(LU, A, (size_t)(s * s) * sizeof(double));
  if (td_lu(LU, s, pivot) != 0) return false;
  for (int i = 0; i < s * s; i++) X[i] = i % (s + 1) == 0;
  td_lu_solve(LU, pivot, s, X, s);
  return true;
}

// Eigenvectors of A^-1 as columns of T: the real one first, then real and imaginary parts
static bool find_blocks(td_collocation* k) {
  const int s = k->s;
  double re[MOST], im[MOST], V[MOST * MOST];
  if (!td_eig_general(k->slope, s, re, im, V)) return false;
  int real = 0;
  while (real < s - 1 && im[real] != 0) real++;
  for (int i = 0; i < s; i++) {
    const int from = i == 0 ? real : i <= real ? i - 1 : i;
    k->re[i] = re[from];
    k->im[i] = im[from];
    for (int r = 0; r < s; r++) k->T[r * s + i] = V[from * s + r];
  }
  return invert(s, k->T, k->back);
}

td_status td_collocation_find(int stages, td_collocation* k) {
  *k = (td_collocation){.s = stages};
  double A[MOST * MOST];
  find_nodes(k);
  td_gauss(k->s, k->gauss, k->weight);
  for (int i = 0; i < k->s; i++) td_collocation_integrals(k, k->c[i], A + i * k->s);
  if (!invert(k->s, A, k->slope) || !find_blocks(k)) return TD_E_NOMEM;
  for (int j = 0; j < k->s; j++)
    for (int i = 0; i < k->s; i++)
      k->first[j] += lagrange(k->c, k->s, i, 0) * k->slope[i * k->s + j];
  return TD_OK;
}

// ---- steps ------------------------------------------------------------------------------------

static void roots_at(void* ctx, double t, double* g) {
  td_collocated* c = ctx;
  if (t < c->t_to) td_collocated_at(&c->base, t, c->y);
  td_ode_roots(&c->base, t, t < c->t_to ? c->y : c->y_to, g);
}

// Allocate states, stages and linear systems (one real, the others complex), and find the table of
// the method.  On TD_E_NOMEM td_collocated_free() releases what was made.
td_status td_collocated_new(td_collocated* c, int stages) {
  const td_ode* ode = c->base.ode;
  const int n = ode->n, m = ode->nquad;
  const size_t all = (size_t)(n + m), each = (size_t)stages;
  c->n = n;
  c->block =
      calloc(6 * all + each * (5 * (size_t)n + 2 * (size_t)m) + 3 * (size_t)n + 1, sizeof(double));
  c->J = malloc(((size_t)n * (size_t)n + 1) * sizeof(double));
  if (c->block == NULL || c->J == NULL) return TD_E_NOMEM;
  double* p = c->block;
  double** const whole[] = {&c->y_from, &c->y_to, &c->y_try, &c->stage, &c->slope, &c->y};
  double** const rows[] = {&c->Z, &c->Z_try, &c->W, &c->F, &c->R};
  for (int i = 0; i < 6; i++) *whole[i] = take(&p, n + m);
  for (int i = 0; i < 5; i++) *rows[i] = take(&p, stages * n);
  c->tolerance = take(&p, n);
  c->pair = take(&p, 2 * n);
  c->power = take(&p, stages * m);
  c->power_try = take(&p, stages * m);
  for (int i = 0; i < (stages + 1) / 2; i++) {
    c->system[i] = td_shifted_new(n, ode->npos);
    if (c->system[i] == NULL) return TD_E_NOMEM;
  }
  TD_TRY(td_crossings_new(&c->roots, ode->nroot, roots_at, c));
  return td_collocation_find(stages, &c->table);
}

void td_collocated_free(td_collocated* c) {
  for (int i = 0; i < TD_SYSTEMS_MOST; i++) td_shifted_free(c->system[i]);
  td_crossings_free(&c->roots);
  free(c->J);
  free(c->block);
}

void td_collocated_sum(const td_collocated* c, const double* w, double* X, double* y) {
  memset(y, 0, (size_t)c->n * sizeof(double));
  for (int i = 0; i < c->table.s; i++) axpy(w[i], stage_row(c, X, i), y, c->n);
}

double td_collocated_norm(const td_collocated* c, const double* x, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++, x += c->n)
    for (int i = 0; i < c->n; i++) sum += x[i] / c->tolerance[i] * (x[i] / c->tolerance[i]);
  return sqrt(sum / (count * max_int(c->n, 1)));
}

td_status td_collocated_factor(td_collocated* c, double h) {
  c->base.counts.factorisations++;
  for (int i = 0; i < (c->table.s + 1) / 2; i++) {
    const int k = max_int(2 * i - 1, 0);
    TD_TRY(td_shifted_factor(c->system[i], c->J, c->table.re[k] / h, -c->table.im[k] / h));
  }
  return TD_OK;
}

void td_collocated_solve(td_collocated* c, int i, double* a, double* b) {
  for (int k = 0; k < c->n; k++) {
    c->pair[2 * k] = a[k];
    c->pair[2 * k + 1] = b != NULL ? b[k] : 0;
  }
  td_shifted_solve(c->system[i], c->pair);
  for (int k = 0; k < c->n; k++) {
    a[k] = c->pair[2 * k];
    if (b != NULL) b[k] = c->pair[2 * k + 1];
  }
}

int td_collocated_slopes(td_collocated* c, double h) {
  const int m = c->base.ode->nquad;
  for (int i = 0; i < c->table.s; i++) {
    const double* z = stage_row(c, c->Z_try, i);
    for (int k = 0; k < c->n; k++) c->stage[k] = c->y_to[k] + z[k];
    memcpy(c->stage + c->n, c->y_to + c->n, (size_t)m * sizeof(double));
    if (td_ode_rhs(&c->base, c->t_to + c->table.c[i] * h, c->stage, c->slope) != 0) return 1;
    memcpy(stage_row(c, c->F, i), c->slope, (size_t)c->n * sizeof(double));
    memcpy(c->power_try + i * m, c->slope + c->n, (size_t)m * sizeof(double));
  }
  return 0;
}

// Simplified Newton iteration in the transformed stages W = T⁻¹ Z, where it splits into one real
// and (s - 1)/2 complex systems.
void td_collocated_correct(td_collocated* c, double h) {
  const td_collocation* k = &c->table;
  const int s = k->s, n = c->n;
  // T^-1 f - E W/h, and dW by the real system and the complex ones
  for (int i = 0; i < s; i++) td_collocated_sum(c, k->back + i * s, c->F, stage_row(c, c->R, i));
  axpy(-k->re[0] / h, c->W, c->R, n);
  td_collocated_solve(c, 0, c->R, NULL);
  for (int i = 1; i < s; i += 2) {
    double *a = stage_row(c, c->R, i), *b = stage_row(c, c->R, i + 1);
    axpy(-k->re[i] / h, stage_row(c, c->W, i), a, n);
    axpy(-k->im[i] / h, stage_row(c, c->W, i + 1), a, n);
    axpy(-k->re[i] / h, stage_row(c, c->W, i + 1), b, n);
    axpy(k->im[i] / h, stage_row(c, c->W, i), b, n);
    td_collocated_solve(c, (i + 1) / 2, a, b);
  }
  // dZ = T dW
  axpy(1, c->R, c->W, s * n);
  for (int i = 0; i < s; i++) td_collocated_sum(c, k->T + i * s, c->R, stage_row(c, c->F, i));
  axpy(1, c->F, c->Z_try, s * n);
}

// Integrals from their values y at the beginning of a step of h, x steps on
static void add_integrals(const td_collocated* c, const double* power, double h, double x,
                          const double* from, double* y) {
  const int m = c->base.ode->nquad;
  double w[TD_STAGES_MOST];
  td_collocation_integrals(&c->table, x, w);
  for (int k = 0; k < m; k++) {
    y[c->n + k] = from[c->n + k];
    for (int i = 0; i < c->table.s; i++) y[c->n + k] += h * w[i] * power[i * m + k];
  }
}

int td_collocated_end(td_collocated* c, double h, double t) {
  const double* last = stage_row(c, c->Z_try, c->table.s - 1);
  for (int k = 0; k < c->n; k++) c->y_try[k] = c->y_to[k] + last[k];
  add_integrals(c, c->power_try, h, 1, c->y_to, c->y_try);
  return c->base.ode->project != NULL ? td_ode_project(&c->base, t, c->y_try) : 0;
}

static void swap(double** a, double** b) {
  double* keep = *a;
  *a = *b;
  *b = keep;
}

void td_collocated_accept(td_collocated* c, double h, double t) {
  swap(&c->y_from, &c->y_to);
  swap(&c->y_to, &c->y_try);
  swap(&c->Z, &c->Z_try);
  swap(&c->power, &c->power_try);
  c->t_from = c->t_to;
  c->t_to = t;
  c->h = h;
  c->stepped = true;
  c->base.counts.steps++;
}

td_status td_collocated_at(td_stepper* base, double t, double* y) {
  td_collocated* c = (td_collocated*)base;
  const double x = (t - c->t_from) / c->h;
  double w[TD_STAGES_MOST];
  td_collocation_values(&c->table, x, w);
  td_collocated_sum(c, w, c->Z, y);
  axpy(1, c->y_from, y, c->n);
  add_integrals(c, c->power, c->h, x, c->y_from, y);
  return TD_OK;
}

void td_collocated_begin(td_collocated* c, double t, const double* y) {
  memmove(c->y_to, y, (size_t)(c->n + c->base.ode->nquad) * sizeof(double));
  c->t_from = c->t_to = t;
  c->stepped = false;
  td_crossings_begin(&c->roots, t);
}

// Take a step unless roots of the last one remain, find the first root in it and interpolate there;
// a guarded step is repeated to end at the root.
td_status td_collocated_step(td_collocated* c, int (*advance)(td_collocated* c, double t_stop),
                             double t_stop, td_step* out) {
  td_stepper* base = &c->base;
  base->failure = TD_OK;
  bool failed = c->roots.t >= c->t_to && advance(c, t_stop) != 0;

  // the first root behind those already given, from stage to stage
  const double tiny = 8 * DBL_EPSILON * fmax(fabs(c->t_from), fabs(c->t_to));
  bool root = false;
  for (int i = 0; i < c->table.s && !root && !failed; i++) {
    const bool last = i == c->table.s - 1;
    root = td_crossings_find(&c->roots, last ? c->t_to : c->t_from + c->table.c[i] * c->h, tiny);
  }
  if (!root && !failed) c->roots.t = c->t_to;

  // the stages must not see what acts behind a switch: the step once more, to the root
  if (root && base->guard != NULL && c->roots.t > c->t_from && c->roots.t < c->t_to) {
    const double t = c->roots.t, from = c->t_from, h = c->h_next;
    memcpy(c->y, c->y_from, (size_t)(c->n + base->ode->nquad) * sizeof(double));
    TD_TRY(base->ops->restart(base, from, c->y));
    c->h_next = t - from;
    failed = advance(c, t) != 0;
    if (!failed) c->h_next = h;
    if (!failed) c->roots.t = c->t_to;
    root = c->t_to == t;
  }
  if (!failed) {
    *out = (td_step){c->t_from, c->roots.t, root, c->y_to, c->roots.crossed};
    if (!root || out->t >= c->t_to) return TD_OK;
    out->y = c->y;
    td_collocated_at(base, out->t, c->y);
    failed = base->ode->project != NULL && td_ode_project(base, out->t, c->y) != 0;
  }
  if (!failed) return TD_OK;
  return base->failure != TD_OK ? base->failure : TD_E_DIVERGED;
}
