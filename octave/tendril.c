// Tendril for Octave: one function with verbs, see tendril.m for the help text.
//
//   h = tendril('load', 'arm.m', 'm', 2);  s = tendril('equilibrium', h);  l = tendril('linearize',
//   h, s);
//
// A robot is a number that stays valid until tendril('free', h).  Octave's matrices are
// column-major: everything is transposed on the way.
#include <math.h>
#include <mex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tendril/control.h"
#include "tendril/gradient.h"
#include "tendril/tools.h"

typedef struct robot {
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;
  td_plant* plant;
  td_sizes n;
} robot;

enum { MOST_ROBOTS = 64 };
static robot robots[MOST_ROBOTS];  // a mex function has no other memory between calls

static void release(robot* r) {
  td_plant_free(r->plant);
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
  td_spec_free(r->spec);
  *r = (robot){0};
}

static void release_all(void) {
  for (int i = 0; i < MOST_ROBOTS; i++) release(&robots[i]);
}

// ---- numbers in and out -----------------------------------------------------------------------

static mxArray* matrix(const double* x, int rows, int cols) {
  mxArray* a = mxCreateDoubleMatrix((mwSize)rows, (mwSize)cols, mxREAL);
  double* to = mxGetPr(a);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) to[j * rows + i] = x[i * cols + j];
  return a;
}

static mxArray* vector(const double* x, int n) { return matrix(x, n, 1); }

// Row-major copy of a real matrix; freed by Octave.
static double* rows_of(const mxArray* a, int* rows, int* cols, const char* what) {
  if (!a || !mxIsDouble(a) || mxIsComplex(a))
    mexErrMsgIdAndTxt("tendril:argument", "%s must be a real matrix", what);
  *rows = (int)mxGetM(a);
  *cols = (int)mxGetN(a);
  double* x = mxCalloc((size_t)*rows * (size_t)*cols + 1, sizeof *x);
  for (int i = 0; i < *rows; i++)
    for (int j = 0; j < *cols; j++) x[i * *cols + j] = mxGetPr(a)[j * *rows + i];
  return x;
}

static double number(const mxArray* a, const char* what) {
  if (!a || !mxIsDouble(a) || mxGetNumberOfElements(a) != 1)
    mexErrMsgIdAndTxt("tendril:argument", "%s must be a number", what);
  return mxGetScalar(a);
}

static char* text(const mxArray* a, const char* what) {
  char* s = a && mxIsChar(a) ? mxArrayToString(a) : NULL;
  if (!s) mexErrMsgIdAndTxt("tendril:argument", "%s must be a text", what);
  return s;
}

static void put(mxArray* s, const char* name, mxArray* value) {
  mxAddField(s, name);
  mxSetField(s, 0, name, value);
}

static mxArray* structure(void) { return mxCreateStructMatrix(1, 1, 0, NULL); }

// ---- robots and states ------------------------------------------------------------------------

static robot* find(int n, const mxArray* const* in) {
  const double x = n > 1 ? number(in[1], "the robot") : NAN;
  if (!(x >= 1 && x <= MOST_ROBOTS) || !robots[(int)x - 1].model)
    mexErrMsgIdAndTxt("tendril:argument", "no such robot: load it with h = tendril('load', file)");
  return &robots[(int)x - 1];
}

static void check(const robot* r, td_status status, const char* what) {
  if (status == TD_OK) return;
  const char* why = r ? td_work_failure(r->work) : "";
  mexErrMsgIdAndTxt("tendril:failed", "%s: %s%s%s", what, td_status_text(status), *why ? ": " : "",
                    why);
}

static void take(const mxArray* s, const char* name, double* to, int n) {
  const mxArray* a = mxGetField(s, 0, name);
  if (!a) return;
  if (!mxIsDouble(a) || mxGetNumberOfElements(a) != (size_t)n)
    mexErrMsgIdAndTxt("tendril:argument", "%s of the state must have %d numbers", name, n);
  if (n) memcpy(to, mxGetPr(a), sizeof(double) * (size_t)n);
}

// The state given as argument k, or the initial one: in r->state.
static td_state* state_of(robot* r, int n, const mxArray* const* in, int k) {
  check(r, td_state_initial(r->model, r->work, r->state), "initial state");
  if (n <= k) return r->state;
  if (!mxIsStruct(in[k]))
    mexErrMsgIdAndTxt("tendril:argument", "a state is a struct with t, q, v, u");
  take(in[k], "t", &r->state->t, 1);
  take(in[k], "q", r->state->q, r->n.nq);
  take(in[k], "v", r->state->v, r->n.nv);
  take(in[k], "u", r->state->u, r->n.nu);
  if (r->n.nz > 0) take(in[k], "z", r->state->z, r->n.nz);
  if (r->n.nmemory > 0) take(in[k], "memory", r->state->memory, r->n.nmemory);
  return r->state;
}

static mxArray* state_out(const robot* r, const td_state* s) {
  mxArray* out = structure();
  put(out, "t", mxCreateDoubleScalar(s->t));
  put(out, "q", vector(s->q, r->n.nq));
  put(out, "v", vector(s->v, r->n.nv));
  put(out, "u", vector(s->u, r->n.nu));
  if (r->n.nz > 0) put(out, "z", vector(s->z, r->n.nz));
  if (r->n.nmemory > 0) put(out, "memory", vector(s->memory, r->n.nmemory));
  return out;
}

// ---- verbs ------------------------------------------------------------------------------------

typedef struct call {
  int nin, nout;
  const mxArray** in;
  mxArray** out;
} call;

static void refuse_text(robot* r, td_status status) {
  char message[2000];
  const char* said = td_spec_messages(r->spec);
  snprintf(message, sizeof message, "%s", *said ? said : td_status_text(status));
  release(r);
  mexErrMsgIdAndTxt("tendril:model", "%s", message);
}

static void do_load(call* c) {
  int i = 0;
  while (i < MOST_ROBOTS && robots[i].spec) i++;
  if (i == MOST_ROBOTS) mexErrMsgIdAndTxt("tendril:argument", "too many robots: free some");
  if (c->nin < 2 || c->nin % 2)
    mexErrMsgIdAndTxt("tendril:argument", "load: file, name, value, ...");
  robot* r = &robots[i];
  char* file = text(c->in[1], "the file");
  char values[64];
  r->spec = td_spec_new();
  td_status status = r->spec ? TD_OK : TD_E_NOMEM;
  for (int k = 2; k + 1 < c->nin && status == TD_OK; k += 2) {
    const bool word = mxIsChar(c->in[k + 1]);
    if (!word) snprintf(values, sizeof values, "%.17g", number(c->in[k + 1], "a param's value"));
    status = td_spec_override(r->spec, text(c->in[k], "a param's name"),
                              word ? text(c->in[k + 1], "value") : values);
  }
  if (status == TD_OK) status = td_spec_load_file(r->spec, file);
  if (status == TD_OK) status = td_model_compile(r->spec, &r->model);
  if (status != TD_OK) refuse_text(r, status);
  r->work = td_work_new(r->model);
  r->state = td_state_new(r->model);
  r->n = td_model_sizes(r->model);
  if (!r->work || !r->state) {
    release(r);
    mexErrMsgIdAndTxt("tendril:failed", "out of memory");
  }
  c->out[0] = mxCreateDoubleScalar(i + 1);
}

static void do_free(call* c) { release(find(c->nin, c->in)); }

static mxArray* words(const td_model* model, int n, const char* (*name)(const td_model*, int)) {
  mxArray* cell = mxCreateCellMatrix((mwSize)n, 1);
  for (int i = 0; i < n; i++) mxSetCell(cell, (mwIndex)i, mxCreateString(name(model, i)));
  return cell;
}

static void do_names(call* c) {
  const robot* r = find(c->nin, c->in);
  mxArray* s = c->out[0] = structure();
  put(s, "q", words(r->model, r->n.nq, td_model_q_name));
  put(s, "v", words(r->model, r->n.nv, td_model_v_name));
  put(s, "inputs", words(r->model, r->n.nu, td_model_input_name));
  put(s, "sensors", words(r->model, r->n.nsensor, td_model_sensor_name));
  put(s, "params", words(r->model, r->n.nparam, td_model_param_name));
  put(s, "internals", words(r->model, r->n.nz, td_model_internal_name));
}

static void do_state(call* c) {
  robot* r = find(c->nin, c->in);
  c->out[0] = state_out(r, state_of(r, 0, NULL, 0));
}

static void do_set_param(call* c) {
  robot* r = find(c->nin, c->in);
  if (c->nin != 4) mexErrMsgIdAndTxt("tendril:argument", "set_param: robot, name, value");
  char* name = text(c->in[2], "the name");
  const int i = td_model_param_find(r->model, name);
  if (i < 0) mexErrMsgIdAndTxt("tendril:argument", "the model has no param '%s'", name);
  if (td_work_set_param(r->model, r->work, i, number(c->in[3], "the value")) != TD_OK)
    mexErrMsgIdAndTxt("tendril:argument", "param '%s' was used while loading: load again", name);
}

static void do_evaluate(call* c) {
  robot* r = find(c->nin, c->in);
  const td_state* s = state_of(r, c->nin, c->in, 2);
  const int nv = r->n.nv, nc = r->n.nconstraint, nu = r->n.nu;
  const size_t n = (size_t)nv, m = (size_t)nc;
  double* x = mxCalloc(2 * n * n + n * (m + (size_t)nu) + 3 * n + m + 1, sizeof *x);
  double *A = x, *B = A + n * n, *J = B + n * n, *G = J + n * m, *vdot = G + n * (size_t)nu,
         *h = vdot + n, *tau = h + n, *lambda = tau + n;
  mxArray* o = c->out[0] = structure();
  check(r, td_forward_dynamics(r->model, s, r->work), "accelerations");
  if (nv) memcpy(vdot, td_work_vdot(r->work), n * sizeof *x);
  if (nc) memcpy(lambda, td_work_lambda(r->work), m * sizeof *x);
  td_mass_matrix(r->model, s, r->work, A);
  put(o, "M", matrix(A, nv, nv));
  td_bias(r->model, s, r->work, h, tau);
  put(o, "h", vector(h, nv));
  put(o, "tau", vector(tau, nv));
  put(o, "vdot", vector(vdot, nv));
  put(o, "lambda", vector(lambda, nc));
  td_constraints(r->model, s, r->work, J, NULL, NULL);
  put(o, "Jc", matrix(J, nc, nv));
  td_tangent(r->model, s, r->work, vdot, lambda, A, B);
  put(o, "dFdq", matrix(A, nv, nv));
  put(o, "dFdv", matrix(B, nv, nv));
  td_input_map(r->model, s, r->work, G);
  put(o, "B", matrix(G, nv, nu));
}

static void do_sensors(call* c) {
  robot* r = find(c->nin, c->in);
  double* y = mxCalloc((size_t)r->n.nsensor + 1, sizeof *y);
  check(r, td_sensors(r->model, state_of(r, c->nin, c->in, 2), r->work, y), "sensors");
  c->out[0] = vector(y, r->n.nsensor);
}

static void do_equilibrium(call* c) {
  robot* r = find(c->nin, c->in);
  const td_equil_options o = td_equil_options_default();
  td_equil_result e;
  check(r, td_equilibrium(r->model, r->work, state_of(r, c->nin, c->in, 2), &o, &e), "equilibrium");
  c->out[0] = state_out(r, r->state);
  put(c->out[0], "stable", mxCreateLogicalScalar(e.stability == TD_STABLE));
  put(c->out[0], "residual", mxCreateDoubleScalar(e.residual));
}

static void do_modes(call* c) {
  robot* r = find(c->nin, c->in);
  td_modes_result* m;
  check(r, td_modes(r->model, state_of(r, c->nin, c->in, 2), r->work, &m), "modes");
  mxArray* o = c->out[0] = structure();
  put(o, "frequency", vector(m->omega, m->n));
  for (int i = 0; i < m->n; i++) mxGetPr(mxGetField(o, 0, "frequency"))[i] /= 2 * acos(-1.0);
  put(o, "damping", vector(m->zeta, m->n));
  put(o, "shape", matrix(m->shape, m->n, r->n.nv));
  put(o, "re", vector(m->re, m->ncomplex));
  put(o, "im", vector(m->im, m->ncomplex));
  td_modes_free(m);
}

static void do_linearize(call* c) {
  robot* r = find(c->nin, c->in);
  td_linear* l;
  check(r, td_linearize(r->model, state_of(r, c->nin, c->in, 2), r->work, &l), "linearize");
  mxArray* o = c->out[0] = structure();
  put(o, "A", matrix(l->A, l->nx, l->nx));
  put(o, "B", matrix(l->B, l->nx, l->nu));
  put(o, "C", matrix(l->C, l->ny, l->nx));
  put(o, "D", matrix(l->D, l->ny, l->nu));
  put(o, "basis", matrix(l->basis, 2 * r->n.nv + r->n.nz, l->nx));
  put(o, "inverse", matrix(l->inverse, l->nx, 2 * r->n.nv + r->n.nz));
  td_linear_free(l);
}

// [gain, solution] = verb(A, F, Q, R)
static void gain(call* c, bool observer) {
  if (c->nin != 5) mexErrMsgIdAndTxt("tendril:argument", "four matrices are wanted");
  int rows[4], cols[4];
  double* x[4];
  for (int i = 0; i < 4; i++) x[i] = rows_of(c->in[1 + i], &rows[i], &cols[i], "every argument");
  const int n = rows[0], m = observer ? rows[1] : cols[1];
  if (cols[0] != n || (observer ? cols[1] : rows[1]) != n || rows[2] != n || cols[2] != n ||
      rows[3] != m || cols[3] != m)
    mexErrMsgIdAndTxt("tendril:argument", "the sizes of the matrices do not fit together");
  double *K = mxCalloc((size_t)(n * m) + 1, sizeof *K),
         *X = mxCalloc((size_t)(n * n) + 1, sizeof *X);
  const td_status status = observer ? td_kalman(n, m, x[0], x[1], x[2], x[3], K, X, NULL)
                                    : td_lqr(n, m, x[0], x[1], x[2], x[3], K, X, NULL);
  check(NULL, status, observer ? "kalman" : "lqr");
  c->out[0] = observer ? matrix(K, n, m) : matrix(K, m, n);
  if (c->nout > 1) c->out[1] = matrix(X, n, n);
}
static void do_lqr(call* c) { gain(c, false); }
static void do_kalman(call* c) { gain(c, true); }

// Options of argument k; `gradient`: those of a run with derivatives.
static td_sim_options options_of(call* c, int k, bool gradient) {
  td_sim_options o = td_sim_options_default();
  if (c->nin <= k) return o;
  if (!mxIsStruct(c->in[k])) mexErrMsgIdAndTxt("tendril:argument", "options are a struct");
  static const char* const known[] = {"t_final", "dt_out", "rtol", "atol",
                                      "step",    "solver", "save", "start"};
  const int n = (int)(sizeof known / sizeof *known) - (gradient ? 0 : 1);
  for (int i = 0; i < mxGetNumberOfFields(c->in[k]); i++) {
    const char* field = mxGetFieldNameByNumber(c->in[k], i);
    const char* near = td_nearest(field, known, n);
    bool is = false;
    for (int j = 0; j < n; j++) is = is || strcmp(field, known[j]) == 0;
    if (!is)
      mexErrMsgIdAndTxt("tendril:argument", "there is no option '%s'%s%s", field,
                        near ? "; did you mean " : "", near ? near : "");
  }
  char solver[40];
  const mxArray* word = mxGetField(c->in[k], 0, "solver");
  if (word && mxGetString(word, solver, sizeof solver))
    mexErrMsgIdAndTxt("tendril:argument", "solver is a word such as 'stiff'");
  if (word) o.solver = td_solver_named(solver);
  if (o.solver == TD_SOLVER_COUNT)
    mexErrMsgIdAndTxt("tendril:argument", "there is no solver '%s'", solver);
  take(c->in[k], "t_final", &o.t_final, 1);
  take(c->in[k], "dt_out", &o.dt_out, 1);
  take(c->in[k], "rtol", &o.rtol, 1);
  take(c->in[k], "atol", &o.atol, 1);
  take(c->in[k], "step", &o.step, 1);
  return o;
}

static void do_simulate(call* c) {
  robot* r = find(c->nin, c->in);
  const td_sim_options o = options_of(c, 3, false);
  td_state* s = state_of(r, c->nin, c->in, 2);
  td_trajectory* rows = NULL;
  const td_status status = td_simulate(r->model, r->work, s, &o, &rows);
  if (status != TD_OK) {
    char why[1100];
    snprintf(why, sizeof why, "%s", rows ? td_trajectory_diagnosis(rows) : td_status_text(status));
    td_trajectory_free(rows);
    mexErrMsgIdAndTxt("tendril:failed", "simulate: %s", why);
  }
  const mxArray* save = c->nin > 3 ? mxGetField(c->in[3], 0, "save") : NULL;
  if (save) {
    char directory[1000], why[1100] = "'save' must name a directory";
    if (mxGetString(save, directory, sizeof directory) ||
        td_trajectory_save(rows, "", directory, why, sizeof why) != TD_OK) {
      td_trajectory_free(rows);
      mexErrMsgIdAndTxt("tendril:failed", "simulate: %s", why);
    }
  }
  const int n = td_trajectory_rows(rows);
  mxArray* out = c->out[0] = structure();
  mxArray *t = mxCreateDoubleMatrix((mwSize)n, 1, mxREAL),
          *q = mxCreateDoubleMatrix((mwSize)n, (mwSize)r->n.nq, mxREAL),
          *v = mxCreateDoubleMatrix((mwSize)n, (mwSize)r->n.nv, mxREAL),
          *z = mxCreateDoubleMatrix((mwSize)n, (mwSize)r->n.nz, mxREAL),
          *y = mxCreateDoubleMatrix((mwSize)n, (mwSize)r->n.nsensor, mxREAL);
  for (int i = 0; i < n; i++) {
    mxGetPr(t)[i] = td_trajectory_time(rows, i);
    for (int j = 0; j < r->n.nq; j++) mxGetPr(q)[j * n + i] = td_trajectory_q(rows, i)[j];
    for (int j = 0; j < r->n.nv; j++) mxGetPr(v)[j * n + i] = td_trajectory_v(rows, i)[j];
    for (int j = 0; j < r->n.nz; j++) mxGetPr(z)[j * n + i] = td_trajectory_z(rows, i)[j];
    for (int j = 0; j < r->n.nsensor; j++)
      mxGetPr(y)[j * n + i] = td_trajectory_sensors(rows, i)[j];
  }
  const char* reasons = "";
  static const char* const words[] = {"ok", "look", "wrong"};
  mxArray* trust = mxCreateString(words[td_trajectory_trust(rows, &reasons)]);
  mxArray* why = mxCreateString(reasons);
  td_trajectory_free(rows);
  put(out, "t", t);
  put(out, "q", q);
  put(out, "v", v);
  put(out, "z", z);
  put(out, "sensors", y);
  put(out, "trust", trust);
  put(out, "reasons", why);
}

// ---- gradients --------------------------------------------------------------------------------

// The names of argument k, a word or a cell of words, as what is differentiated by: parameters and
// inputs of the robot.  Freed by Octave.
static td_by* by_of(const robot* r, call* c, int k, int* n) {
  const mxArray* a = c->nin > k ? c->in[k] : NULL;
  if (!a || !(mxIsChar(a) || mxIsCell(a)))
    mexErrMsgIdAndTxt("tendril:argument",
                      "what to differentiate by is a name or a cell of names of params and inputs");
  *n = mxIsChar(a) ? 1 : (int)mxGetNumberOfElements(a);
  td_by* by = mxCalloc((size_t)*n + 1, sizeof *by);
  for (int i = 0; i < *n; i++) {
    const char* name = text(mxIsChar(a) ? a : mxGetCell(a, (mwIndex)i), "a name");
    const int param = td_model_param_find(r->model, name),
              input = td_model_input_find(r->model, name);
    if (param < 0 && input < 0)
      mexErrMsgIdAndTxt("tendril:argument", "there is no parameter or input '%s'", name);
    by[i] = param >= 0 ? (td_by){TD_BY_PARAM, param} : (td_by){TD_BY_INPUT, input};
  }
  return by;
}

static mxArray* names_of_by(const robot* r, const td_by* by, int n) {
  mxArray* names = mxCreateCellMatrix((mwSize)n, 1);
  for (int i = 0; i < n; i++)
    mxSetCell(
        names, (mwIndex)i,
        mxCreateString(by[i].kind == TD_BY_PARAM ? td_model_param_name(r->model, by[i].index)
                                                 : td_model_input_name(r->model, by[i].index)));
  return names;
}

// Transposed copy (cols x rows) of a row-major matrix: one row for each result, one column for each
// `by`.
static mxArray* by_columns(const double* x, int rows, int cols) {
  mxArray* a = mxCreateDoubleMatrix((mwSize)cols, (mwSize)rows, mxREAL);
  if (rows * cols > 0) memcpy(mxGetPr(a), x, sizeof *x * (size_t)rows * (size_t)cols);
  return a;
}

// Derivatives of an equilibrium: sensors, q, energy.
static void do_gradient(call* c) {
  robot* r = find(c->nin, c->in);
  int n;
  const td_by* by = by_of(r, c, 3, &n);
  td_state* s = state_of(r, c->nin, c->in, 2);
  const size_t N = (size_t)n + 1;
  double *y = mxCalloc(N * (size_t)r->n.nsensor + 1, sizeof *y),
         *q = mxCalloc(N * (size_t)r->n.nv + 1, sizeof *q), *e = mxCalloc(N, sizeof *e);
  check(r, td_equilibrium_gradient(r->model, s, r->work, by, n, q, NULL, NULL, y, e), "gradient");
  mxArray* out = c->out[0] = structure();
  put(out, "by", names_of_by(r, by, n));
  put(out, "sensors", by_columns(y, n, r->n.nsensor));
  put(out, "q", by_columns(q, n, r->n.nv));
  put(out, "energy", by_columns(e, n, 1));
  put(out, "note", mxCreateString(td_work_gradient_note(r->work)));
}

// Derivatives of modes at an equilibrium.
static void do_modes_gradient(call* c) {
  robot* r = find(c->nin, c->in);
  int n;
  const td_by* by = by_of(r, c, 3, &n);
  td_state* s = state_of(r, c->nin, c->in, 2);
  td_modes_result* m = NULL;
  check(r, td_modes(r->model, s, r->work, &m), "modes");
  const size_t N = (size_t)n + 1;
  double *omega = mxCalloc(N * (size_t)m->n + 1, sizeof *omega),
         *zeta = mxCalloc(N * (size_t)m->n + 1, sizeof *zeta);
  const int modes = m->n;
  const td_status status =
      td_modes_gradient(r->model, s, r->work, m, by, n, omega, zeta, NULL, NULL, NULL);
  td_modes_free(m);
  check(r, status, "modes_gradient");
  for (int i = 0; i < n * modes; i++) omega[i] /= 2 * acos(-1.0);
  mxArray* out = c->out[0] = structure();
  put(out, "by", names_of_by(r, by, n));
  put(out, "frequency", by_columns(omega, n, modes));
  put(out, "damping", by_columns(zeta, n, modes));
  put(out, "note", mxCreateString(td_work_gradient_note(r->work)));
}

// A simulation with the derivatives of its sensors at every row.
static void do_simulate_gradient(call* c) {
  robot* r = find(c->nin, c->in);
  int n;
  const td_by* by = by_of(r, c, 3, &n);
  const td_sim_options o = options_of(c, 4, true);
  td_start start =
      c->nin > 2 && mxGetNumberOfElements(c->in[2]) > 0 ? TD_START_GIVEN : TD_START_INITIAL;
  const mxArray* word = c->nin > 4 ? mxGetField(c->in[4], 0, "start") : NULL;
  char begin[20] = "";
  if (word &&
      (mxGetString(word, begin, sizeof begin) ||
       (strcmp(begin, "given") && strcmp(begin, "initial") && strcmp(begin, "equilibrium"))))
    mexErrMsgIdAndTxt("tendril:argument", "start is 'given', 'initial' or 'equilibrium'");
  if (word)
    start = begin[0] == 'g'   ? TD_START_GIVEN
            : begin[0] == 'i' ? TD_START_INITIAL
                              : TD_START_EQUILIBRIUM;
  td_state* s =
      state_of(r, c->nin > 2 && mxGetNumberOfElements(c->in[2]) > 0 ? c->nin : 2, c->in, 2);
  td_trajectory* rows = NULL;
  td_sensitivity* change = NULL;
  const td_status status =
      td_simulate_gradient(r->model, r->work, s, &o, start, by, n, &rows, &change);
  if (status != TD_OK) {
    char why[1100];
    snprintf(why, sizeof why, "%s", rows ? td_trajectory_diagnosis(rows) : td_status_text(status));
    td_sensitivity_free(change);
    td_trajectory_free(rows);
    mexErrMsgIdAndTxt("tendril:failed", "simulate_gradient: %s", why);
  }
  const int count = td_trajectory_rows(rows), ny = r->n.nsensor;
  const mwSize size[3] = {(mwSize)count, (mwSize)ny, (mwSize)n};
  mxArray *t = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL),
          *y = mxCreateDoubleMatrix((mwSize)count, (mwSize)ny, mxREAL),
          *g = mxCreateNumericArray(3, size, mxDOUBLE_CLASS, mxREAL);
  for (int i = 0; i < count; i++) {
    const double* d = td_sensitivity_sensors(change, i);
    mxGetPr(t)[i] = td_trajectory_time(rows, i);
    for (int j = 0; j < ny; j++) {
      mxGetPr(y)[j * count + i] = td_trajectory_sensors(rows, i)[j];
      for (int k = 0; k < n; k++) mxGetPr(g)[(k * ny + j) * count + i] = d[k * ny + j];
    }
  }
  mxArray *out = c->out[0] = structure(), *note = mxCreateString(td_sensitivity_note(change));
  td_sensitivity_free(change);
  td_trajectory_free(rows);
  put(out, "by", names_of_by(r, by, n));
  put(out, "t", t);
  put(out, "sensors", y);
  put(out, "gradient", g);
  put(out, "note", note);
}

static void do_start(call* c) {
  robot* r = find(c->nin, c->in);
  const td_sim_options o = options_of(c, 3, false);
  td_plant_free(r->plant);
  r->plant = NULL;
  check(r, td_plant_new(r->model, r->work, state_of(r, c->nin, c->in, 2), &o, &r->plant), "start");
}

static void do_step(call* c) {
  robot* r = find(c->nin, c->in);
  if (!r->plant)
    mexErrMsgIdAndTxt("tendril:argument", "nothing runs: call tendril('start', h) first");
  const double t = number(c->nin > 2 ? c->in[2] : NULL, "the time");
  if (c->nin > 3) {
    if (!mxIsDouble(c->in[3]) || mxGetNumberOfElements(c->in[3]) != (size_t)r->n.nu)
      mexErrMsgIdAndTxt("tendril:argument", "%d inputs are wanted", r->n.nu);
    td_plant_inputs(r->plant, mxGetPr(c->in[3]));
  }
  check(r, td_plant_step(r->plant, t), "step");
  c->out[0] = state_out(r, td_plant_state(r->plant));
}

static const struct {
  const char* name;
  void (*run)(call* c);
} verbs[] = {
    {"load", do_load},
    {"free", do_free},
    {"names", do_names},
    {"state", do_state},
    {"set_param", do_set_param},
    {"evaluate", do_evaluate},
    {"sensors", do_sensors},
    {"equilibrium", do_equilibrium},
    {"modes", do_modes},
    {"linearize", do_linearize},
    {"lqr", do_lqr},
    {"kalman", do_kalman},
    {"simulate", do_simulate},
    {"gradient", do_gradient},
    {"modes_gradient", do_modes_gradient},
    {"simulate_gradient", do_simulate_gradient},
    {"start", do_start},
    {"step", do_step},
};
enum { NVERB = sizeof verbs / sizeof *verbs };

void mexFunction(int nout, mxArray* out[], int nin, const mxArray* in[]) {
  mexAtExit(release_all);
  char* verb = text(nin > 0 ? in[0] : NULL, "the first argument, a verb,");
  call c = {nin, nout, in, out};
  for (int i = 0; i < NVERB; i++) {
    if (strcmp(verb, verbs[i].name) != 0) continue;
    verbs[i].run(&c);
    return;
  }
  const char* names[NVERB];
  for (int i = 0; i < NVERB; i++) names[i] = verbs[i].name;
  const char* near = td_nearest(verb, names, NVERB);
  mexErrMsgIdAndTxt("tendril:argument",
                    near ? "unknown verb '%s'; did you mean '%s'?" : "unknown verb '%s'", verb,
                    near);
}
