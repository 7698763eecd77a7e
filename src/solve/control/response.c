// td_response: frequency response without a dense linear model,
//
//   (K + i w C - w² M) x - J'l = B,  J x = 0      G = (Cq + i w Cv - w² Ca) x + D
//
// by complex sparse factors, one for each frequency.  The saddle-point matrix is that of the real
// equations with its small corner (sparse_engine.h), which iterative refinement removes again.
// Small models and states in motion are linearised (td_linearize).
#include <math.h>

#include "math/riccati.h"
#include "math/sparse.h"
#include "solve/statics/sparse_statics.h"
#include "solve/statics/vibration.h"
#include "solve/vectors.h"
#include "tendril/control.h"

struct td_response {
  td_linear* linear;  // small models: the whole linear model
  td_statics* s;
  int order, nu;
  td_sparse_lu* lu;
  double *K, *C, *none;      // dF/dq, dF/dv; rows that are zero
  double *A, *x, *b, *r;     // matrix and vectors, complex
  double *B, *dq, *dv, *da;  // nv x nu; ny x nv
  const int *ptr, *row;      // pattern of the matrix
  double corner;
  td_linear* outputs;  // only ny, output, note and D
  double* block;
};

void td_response_free(td_response* p) {
  if (!p) return;
  td_linear_free(p->linear);
  td_linear_free(p->outputs);
  td_sparse_lu_free(p->lu);
  td_statics_free(p->s);
  free(p->block);
  free(p);
}

static const td_linear* described(const td_response* p) {
  return p->linear ? p->linear : p->outputs;
}
int td_response_count(const td_response* p) { return p ? described(p)->ny : 0; }
int td_response_output(const td_response* p, int i) {
  return p && i >= 0 && i < described(p)->ny ? described(p)->output[i] : -1;
}
const char* td_response_note(const td_response* p) { return p ? described(p)->note : ""; }

// ---- preparation ------------------------------------------------------------------------------

// Allocate all arrays as one block; nz: entries of the matrix.
static td_status allocate(td_response* p, int nz) {
  const td_statics* s = p->s;
  const td_pattern b = model_blocks(s->model);
  const size_t values = (size_t)blocks_values(&b), rows = (size_t)row_values(s->model);
  const size_t n = (size_t)p->order, nu = (size_t)p->nu, nv = (size_t)s->nv,
               ny = (size_t)td_model_sizes(s->model).nsensor;
  const struct {
    double** to;
    size_t n;
  } parts[] = {{&p->K, values},   {&p->C, values},   {&p->none, rows}, {&p->A, 2 * (size_t)nz},
               {&p->x, 2 * n},    {&p->b, 2 * n},    {&p->r, 2 * n},   {&p->B, nv * nu},
               {&p->dq, ny * nv}, {&p->dv, ny * nv}, {&p->da, ny * nv}};
  size_t total = 1;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) total += parts[i].n;
  double* at = p->block = calloc(total, sizeof(double));
  if (!at) return TD_E_NOMEM;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    *parts[i].to = at;
    at += parts[i].n;
  }
  return TD_OK;
}

// Compute the derivatives of the sensors, and keep the sensors that are known.
static td_status choose_outputs(td_response* p) {
  const td_statics* s = p->s;
  const int ny = td_model_sizes(s->model).nsensor;
  p->outputs = td_linear_new(p->s->model, 0, p->nu, ny);
  bool* known = malloc(sizeof(bool) * (size_t)(ny + 1));
  td_status status = p->outputs && known ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK)
    status = td_sensor_slopes(s->model, s->state, s->work,
                              &(sensor_slopes){p->dq, p->dv, p->da, p->outputs->D, known});
  if (status == TD_OK)
    td_linear_choose(s->model, known, "forces in a model this large", p->outputs);
  free(known);
  return status;
}

// Compute K, C and the rows at the state, with the multipliers that balance it best.
static td_status assemble(td_response* p) {
  td_statics* s = p->s;
  td_newton* newton = NULL;
  const td_sizes n = td_model_sizes(s->model);
  double* q = calloc((size_t)(n.nq + n.nconstraint) + 1, sizeof(double));
  td_status status = q ? td_newton_new(&s->equations, &newton) : TD_E_NOMEM;
  if (status == TD_OK) {
    memcpy(q, s->state->q, sizeof(double) * (size_t)n.nq);
    td_newton_estimate(newton, q, q + n.nq, 1);
    td_sparse_assemble(s, q, q + n.nq, 1, p->C);
    const td_pattern b = model_blocks(s->model);
    memcpy(p->K, s->sparse->K, sizeof(double) * (size_t)blocks_values(&b));
  }
  td_newton_free(newton);
  free(q);
  return status;
}

// Prepare the sparse equations.
static td_status make_sparse(td_response* p) {
  td_statics* s = p->s;
  p->nu = td_model_sizes(s->model).nu;
  if (td_inputs_drive_rows(s->model)) {
    td_work_fail(s->work, "inputs that say where a constraint is (joint.control) of a large model");
    return TD_E_USAGE;
  }

  // pattern and factors
  const sparse_columns m =
      td_sparse_kkt_columns(s->sparse->kkt, s->sparse->K, s->sparse->J, s->sparse->J);
  p->order = m.n;
  p->ptr = m.ptr;
  p->row = m.row;
  p->lu = td_sparse_lu_new_complex(m.n, m.ptr, m.row);
  TD_TRY(p->lu ? allocate(p, m.ptr[m.n]) : TD_E_NOMEM);

  // inputs, outputs, and the matrices at the state
  td_trial_input_map(s->model, s->state, s->work, p->B);
  TD_TRY(choose_outputs(p));
  return assemble(p);
}

// Prepare the response about a state: large models at rest and without internal states by sparse
// factors, others by their linear model.
td_status td_response_new(const td_model* model, const td_state* state, td_work* work,
                          td_response** response) {
  if (!model_has(model, state, work) || !td_state_is_finite(model, state) || !response)
    return TD_E_USAGE;
  td_response* p = *response = calloc(1, sizeof *p);
  if (!p) return TD_E_NOMEM;
  td_status status = TD_OK;
  bool at_rest = true;
  for (int i = 0; i < model->nvel; i++) at_rest = at_rest && state->v[i] == 0;
  const bool large = model->sparse && model->nvel > SPARSE_MODES_FROM && model->ninternal == 0;
  if (large && at_rest) status = td_statics_new(model, work, state, TD_LOAD_SCALE, &p->s);
  const bool sparse = status == TD_OK && p->s && p->s->sparse && !p->s->moving;
  if (status == TD_OK)
    status = sparse ? make_sparse(p) : td_linearize(model, state, work, &p->linear);
  if (status != TD_OK) {
    td_response_free(p);
    *response = NULL;
  }
  return status;
}

// ---- one frequency ----------------------------------------------------------------------------

// Fill A = K - w² M with the constraint rows, then add i w C, which has none.
static void fill(td_response* p, double w) {
  td_statics* s = p->s;
  sparse_statics* k = s->sparse;
  const td_pattern b = model_blocks(s->model);
  const size_t values = (size_t)blocks_values(&b);

  // real part
  memcpy(k->K, p->K, sizeof(double) * values);
  td_sparse_shift(s, -w * w);
  sparse_columns m = td_sparse_kkt_columns(k->kkt, k->K, k->J, k->J);
  const int nz = m.ptr[m.n];
  p->corner = m.corner;
  for (int i = 0; i < nz; i++) p->A[2 * i] = m.x[i];

  // imaginary part; the corner, last in its column, is real
  for (size_t i = 0; i < values; i++) k->K[i] = w * p->C[i];
  m = td_sparse_kkt_columns(k->kkt, k->K, p->none, p->none);
  for (int i = 0; i < nz; i++) p->A[2 * i + 1] = m.x[i];
  for (int j = s->nv; j < m.n; j++) p->A[2 * m.ptr[j + 1] - 1] = 0;  // the corner is last
}

// r = b - A_0 x, A_0 without the corner; returns its largest element
static double residual(td_response* p) {
  memcpy(p->r, p->b, sizeof(double) * 2 * (size_t)p->order);
  for (int j = 0; j < p->order; j++) {
    const double x = p->x[2 * j], y = p->x[2 * j + 1];
    for (int i = p->ptr[j]; i < p->ptr[j + 1]; i++) {
      double* r = p->r + 2 * p->row[i];
      r[0] -= p->A[2 * i] * x - p->A[2 * i + 1] * y;
      r[1] -= p->A[2 * i] * y + p->A[2 * i + 1] * x;
    }
    if (j >= p->s->nv) p->r[2 * j] += p->corner * x, p->r[2 * j + 1] += p->corner * y;
  }
  return largest(p->r, 2 * (size_t)p->order);
}

// Solve A_0 x = b by refinement with the factors of A, as long as it converges.
static void solve(td_response* p) {
  double before = INFINITY;
  memset(p->x, 0, sizeof(double) * 2 * (size_t)p->order);
  for (int i = 0; i < 12; i++) {
    const double now = residual(p);
    if (!(now > 0) || !(now < 0.5 * before)) return;
    before = now;
    td_sparse_lu_solve(p->lu, p->r, 1);
    for (int j = 0; j < 2 * p->order; j++) p->x[j] += p->r[j];
  }
}

// Compute column u of G from x, which is in the order of the blocks.
static void measure(const td_response* p, double w, int u, double* G) {
  const td_statics* s = p->s;
  for (int k = 0; k < p->outputs->ny; k++) {
    const size_t row = area(p->outputs->output[k], s->nv);
    double re = p->outputs->D[area(k, p->nu) + (size_t)u], im = 0;
    for (int i = 0; i < s->nv; i++) {
      const size_t at = row + (size_t)s->model->index_v[i];
      const double a = p->dq[at] - w * w * p->da[at], b = w * p->dv[at];
      re += a * p->x[2 * i] - b * p->x[2 * i + 1];
      im += a * p->x[2 * i + 1] + b * p->x[2 * i];
    }
    G[2 * (area(k, p->nu) + (size_t)u)] = re;
    G[2 * (area(k, p->nu) + (size_t)u) + 1] = im;
  }
}

// Compute G (ny x nu, complex) at angular frequency w [rad/s].
td_status td_response_at(td_response* p, double w, double* G) {
  if (!p || !G || !isfinite(w)) return TD_E_USAGE;
  if (p->linear) return td_frequency_response(p->linear, w, G);
  const td_statics* s = p->s;
  fill(p, w);
  TD_TRY(td_sparse_lu_factor(p->lu, p->A));

  // one column of G for each input
  for (int u = 0; u < p->nu; u++) {
    memset(p->b, 0, sizeof(double) * 2 * (size_t)p->order);
    for (int i = 0; i < s->nv; i++) {
      const int v = s->model->index_v[i];
      if (s->model->vel[v].motion == NUM_NONE) p->b[2 * i] = p->B[area(v, p->nu) + (size_t)u];
    }
    solve(p);
    measure(p, w, u, G);
  }
  return TD_OK;
}
