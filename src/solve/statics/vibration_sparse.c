// Vibrations of large models: matrices in the pattern of the model, the lowest eigenvalues by
// ARPACK, the signs of the stiffness by pivots.
//
//   natural   K x = w² M x                      OP = (K + s² M)⁻¹ M, symmetric in the metric M
//   complex   (p² M + p C + K) x = 0            with y = [x, p x]:  OP [a, b] = [x, a + s x],
//                                               x = -(K + s C + s² M)⁻¹ (M b + C a + s M a)
//
// on the motions that the constraints allow, each inverse being one of the saddle-point system.
// The coordinates are the velocities.  The shift s is zero unless the stiffness is (nearly)
// singular or has negative eigenvalues; then s² is such that K + s² M has none, and the modes found
// are the lowest, fastest divergence first.  The number of negative pivots counts the negative
// eigenvalues.
#include <float.h>
#include <math.h>

#include "math/arpack.h"
#include "solve/statics/sparse_statics.h"
#include "solve/statics/vibration.h"
#include "solve/vectors.h"

// Content of s->sparse->K.
typedef enum content { SHIFTED, STIFFNESS, SYMMETRIC_PART } content;

typedef struct sparse_vibration {
  td_vibration base;
  content holds;
  double* C;       // dF/dv in the pattern; NULL: not wanted
  double *f, *g;   // (nv) scratch
  double shift;    // s of the complex eigenvalues
  double fastest;  // rate of the fastest divergence among the natural modes; not positive: none
} sparse_vibration;

// Put the stiffness at the point into s->sparse->K, or its symmetric part (K + K')/2; M, J and C
// come with it.
static void assemble(sparse_vibration* v, content wanted) {
  td_statics* s = v->base.s;
  const td_pattern b = model_blocks(s->model);
  double *K = s->sparse->K, top = 0;
  if (v->holds == wanted) return;
  if (v->holds != STIFFNESS) td_sparse_assemble(s, v->base.q, v->base.l, v->base.p, v->C);
  v->holds = wanted;
  if (wanted == STIFFNESS) return;

  const double size = fmax(largest(K, (size_t)blocks_values(&b)), DBL_MIN);
  for (int J = 0; J < b.nblock; J++)
    for (int k = b.ptr[J]; k < b.ptr[J + 1] && b.row[k] <= J; k++) {
      const int I = b.row[k], hI = block_height(&b, I), hJ = block_height(&b, J);
      double *upper = K + block_start(&b, I, J), *lower = K + block_start(&b, J, I);
      for (int j = 0; j < block_size(&b, J); j++)
        for (int i = 0; i < block_size(&b, I); i++) {
          double *x = &upper[j * hJ + i], *y = &lower[i * hI + j];
          top = fmax(top, fabs(*x - *y));
          *x = *y = 0.5 * (*x + *y);
        }
    }
  v->base.asymmetry = top / size;
}

// Factor the matrix in s->sparse
static td_status refactor(td_statics* s) {
  return td_sparse_kkt_factor(s->sparse->kkt, s->sparse->K, s->sparse->J, s->sparse->J);
}

// ---- products ---------------------------------------------------------------------------------

static void metric(void* ctx, const double* x, double* y) {
  const sparse_vibration* v = ctx;
  td_sparse_mass_mul(v->base.s->model, v->base.s->sparse->M, x, y);
}

static void multiply(td_vibration* base, vibration_matrix A, const double* x, double* y) {
  sparse_vibration* v = (sparse_vibration*)base;
  if (A == VIBRATION_MASS) {
    metric(v, x, y);
    return;
  }
  if (A == VIBRATION_STIFFNESS) assemble(v, STIFFNESS);
  memset(y, 0, sizeof(double) * (size_t)base->n);
  td_sparse_mul_add(base->s->model, A == VIBRATION_DAMPING ? v->C : base->s->sparse->K, 1, x, y);
}

static void solve(td_vibration* base, const double* f, double* x) {
  sparse_vibration* v = (sparse_vibration*)base;
  memcpy(v->f, f, sizeof(double) * (size_t)base->n);
  td_sparse_clear_given(base->s->model, v->f);
  td_sparse_kkt_solve(base->s->sparse->kkt, v->f, NULL, x, NULL);
}

// OP of natural modes
static void apply_natural(void* ctx, const double* x, double* y) {
  sparse_vibration* v = ctx;
  metric(v, x, v->f);
  td_sparse_kkt_solve(v->base.s->sparse->kkt, v->f, NULL, y, NULL);
}

// OP of the eigenvalues of the stiffness
static void apply_flexible(void* ctx, const double* x, double* y) { solve(ctx, x, y); }

// OP of complex modes
static void apply_damped(void* ctx, const double* y, double* out) {
  sparse_vibration* v = ctx;
  const td_statics* s = v->base.s;
  const int nv = s->nv;
  const double *a = y, *b = y + nv;
  for (int i = 0; i < nv; i++) v->g[i] = b[i] + v->shift * a[i];
  metric(v, v->g, v->f);
  td_sparse_mul_add(s->model, v->C, 1, a, v->f);
  td_sparse_clear_given(s->model, v->f);
  for (int i = 0; i < nv; i++) v->f[i] = -v->f[i];
  td_sparse_kkt_solve(s->sparse->kkt, v->f, NULL, out, NULL);
  for (int i = 0; i < nv; i++) out[nv + i] = a[i] + v->shift * out[i];
}

// A vector that has a part along every mode, in the range of OP
static void start_vector(const td_operator* op, double* x, double* y) {
  for (int i = 0; i < op->n; i++) x[i] = 1 + 0.5 * sin(1.7 * i);
  op->apply(op->ctx, x, y);
}

// ---- shifts and signs -------------------------------------------------------------------------

// K + shift times the unit matrix
static void shift_unit(td_statics* s, double shift) {
  const td_pattern b = model_blocks(s->model);
  for (int I = 0; I < b.nblock; I++) {
    const int n = block_size(&b, I), height = block_height(&b, I);
    double* to = s->sparse->K + block_start(&b, I, I);
    for (int i = 0; i < n; i++) to[i * (height + 1)] += shift;
  }
}

// Negative eigenvalues of the symmetric matrix in s->sparse; -1: it is singular
static int negative(td_statics* s) {
  td_sparse_kkt_diagonal(s->sparse->kkt, true);
  const td_status status = refactor(s);
  const int n = status == TD_OK ? td_sparse_kkt_negative(s->sparse->kkt) : -1;
  td_sparse_kkt_diagonal(s->sparse->kkt, false);
  return n;
}

// The least shift in steps of 4, from `first` on, that leaves no negative eigenvalue; K is left
// shifted.  0: there is none.
static double lift(td_statics* s, double first, void (*add)(td_statics* s, double shift)) {
  double shift = 0;
  for (int k = 0; k < 40; k++) {
    const double next = shift > 0 ? 4 * shift : first;
    add(s, next - shift);
    shift = next;
    if (negative(s) == 0) return shift;
  }
  return 0;
}

// Count the eigenvalues of the stiffness below -zero (divergent) and within ±zero (neutral) by the
// negative pivots of K ± zero (Sylvester's law of inertia); critical is the least one by ARPACK,
// NaN where it is not found.
static td_status signs(td_vibration* base, td_answer* answer, int* neutral) {
  sparse_vibration* v = (sparse_vibration*)base;
  td_statics* s = base->s;
  const td_pattern b = model_blocks(s->model);
  assemble(v, SYMMETRIC_PART);
  v->holds = SHIFTED;
  const double zero = TD_ZERO_STIFFNESS * largest(s->sparse->K, (size_t)blocks_values(&b));

  // eigenvalues below and within what counts as zero
  shift_unit(s, zero);
  const int below = negative(s);
  shift_unit(s, -2 * zero);
  const int within = negative(s) - below;
  shift_unit(s, zero);
  const bool singular = below < 0 || within + below < 0;
  answer->divergent = singular ? 0 : below;
  *neutral = singular || within > 0;
  answer->critical = 0;
  if (singular || (below == 0 && within > 0)) return TD_OK;

  // the least one, with negative ones lifted above zero
  const double shift = below > 0 ? lift(s, 1e5 * zero, shift_unit) : 0;
  answer->critical = NAN;
  if (s->nv <= 8 || (below > 0 && shift == 0) || refactor(s) != TD_OK) return TD_OK;
  double* w = malloc(sizeof(double) * (5 * (size_t)s->nv + 8));
  if (!w) return TD_E_NOMEM;
  double *V = w + 8, *start = V + 4 * s->nv;
  const td_operator op = {v, s->nv, apply_flexible, NULL};
  int found = 0;
  start_vector(&op, V, start);
  if (td_arpack_symmetric(&op, 4, start, w, V, &found) == TD_OK && found > 0)
    answer->critical = w[0] - shift;
  free(w);
  return TD_OK;
}

static td_status factor(td_vibration* base, double shift) {
  sparse_vibration* v = (sparse_vibration*)base;
  assemble(v, STIFFNESS);
  v->holds = SHIFTED;
  td_sparse_shift(base->s, shift);
  return refactor(base->s);
}

// ---- modes ------------------------------------------------------------------------------------

// The modes of the symmetric part of K nearest to -shift
static td_status find_natural(sparse_vibration* v, double shift, int count, double* w, double* X,
                              int* found) {
  td_statics* s = v->base.s;
  assemble(v, SYMMETRIC_PART);
  v->holds = SHIFTED;
  td_sparse_shift(s, shift);
  TD_TRY(refactor(s));
  const td_operator op = {v, s->nv, apply_natural, metric};
  double* start = X + area(count, s->nv);
  start_vector(&op, X, start);
  TD_TRY(td_arpack_symmetric(&op, count, start, w, X, found));
  for (int i = 0; i < *found; i++) w[i] -= shift;
  return TD_OK;
}

// The lowest `count` natural modes: w = ω² ascending (negative: divergence), shapes by rows of X.
// v->shift and v->fastest are kept for the complex modes.
static td_status natural(td_vibration* base, int count, double* w, double* X, int* found) {
  sparse_vibration* v = (sparse_vibration*)base;
  td_statics* s = base->s;
  const td_pattern b = model_blocks(s->model);
  *found = 0;
  v->shift = v->fastest = 0;
  if (count == 0) return TD_OK;

  // a shift that counts beside the stiffness and is small against it, or what leaves no negative
  // eigenvalue
  assemble(v, SYMMETRIC_PART);
  v->holds = SHIFTED;
  const double stiff = largest(s->sparse->K, (size_t)blocks_values(&b));
  const double heavy = largest(s->sparse->M, (size_t)mass_values(s->model));
  const double usual = 1e-5 * stiff / fmax(heavy, DBL_MIN);
  const double lifted = negative(s) > 0 ? lift(s, usual, td_sparse_shift) : 0;
  td_status status = find_natural(v, lifted, count, w, X, found);
  if (status == TD_E_NOMEM) return status;

  // a stiffness so nearly singular that it drowns the other modes, that of rigid motions: damped
  // modes need a shift, too, however rounding has signed it
  double least = INFINITY, most = 0;
  for (int i = 0; i < *found; i++) {
    least = fmin(least, fabs(w[i]));
    most = fmax(most, fabs(w[i]));
  }
  if (status != TD_OK || least < 1e-7 * most) {
    v->shift = sqrt(usual);
    if (status != TD_OK || lifted == 0) status = find_natural(v, usual, count, w, X, found);
    TD_TRY(status);
  }

  // rounding makes trifles of zero
  const double zero = 1e-11 * (*found > 0 ? fabs(w[*found - 1]) : 0);
  for (int i = 0; i < *found; i++) w[i] = fabs(w[i]) <= zero ? 0 : w[i];
  if (*found > 0) v->fastest = -copysign(sqrt(fabs(w[0])), w[0]);
  return TD_OK;
}

// Append those of the `count` eigenvalues p nearest to the shift that are larger than `beyond`: p =
// s + 1/θ for the eigenvalues θ of OP
static td_status find_complex(sparse_vibration* v, double shift, int count, double beyond,
                              double* re, double* im, double* X, int* found) {
  td_statics* s = v->base.s;
  const int nv = s->nv;
  const td_pattern b = model_blocks(s->model);
  double* V = malloc(sizeof(double) * (2 * area(count + 2, nv) + 2 * (size_t)count + 4));
  if (!V) return TD_E_NOMEM;
  double *a = V + 2 * area(count + 2, nv), *c = a + count + 1;
  assemble(v, STIFFNESS);
  v->holds = SHIFTED;
  v->shift = shift;
  td_sparse_shift(s, shift * shift);
  for (int i = 0; i < blocks_values(&b) && shift != 0; i++) s->sparse->K[i] += shift * v->C[i];
  const td_operator op = {v, 2 * nv, apply_damped, NULL};
  double* start = V + 2 * area(count + 1, nv);
  int n = 0;
  td_status status = refactor(s);
  if (status == TD_OK) {
    start_vector(&op, V, start);
    status = td_arpack_general(&op, count, start, a, c, V, &n);
  }

  for (int k = 0, two; status == TD_OK && k < n; k += 1 + two) {
    two = c[k] != 0;
    const double size = a[k] * a[k] + c[k] * c[k], *x = V + 2 * area(k, nv), *y = x + 2 * nv;
    const bool half = k + two >= n;  // of a pair
    if (half || hypot(shift + a[k] / size, c[k] / size) <= beyond) continue;
    for (int i = 0; i <= two; i++) {
      re[*found + i] = shift + a[k] / size;
      im[*found + i] = (i ? -1 : 1) * fabs(c[k]) / size;
    }
    double* to = X + area(*found, nv);
    memcpy(to, x, sizeof(double) * (size_t)nv);
    for (int i = 0; i < nv && two; i++) to[nv + i] = -y[i];  // 1/θ turns the pair around
    *found += 1 + two;
  }
  free(V);
  return status == TD_E_NOMEM ? status : TD_OK;
}

// Eigenvalues re + i im of the damped motion nearest to zero and, where the stiffness has negative
// eigenvalues, those near the fastest divergence.
static td_status complex_modes(td_vibration* base, double* re, double* im, double* X, int* found) {
  sparse_vibration* v = (sparse_vibration*)base;
  const double fastest = v->fastest;
  const int room = 2 * base->usual - 2, few = fastest > 0 ? room / 2 : 0;
  *found = 0;
  if (room <= 0) return TD_OK;
  TD_TRY(find_complex(v, v->shift, room - few, -1, re, im, X, found));

  // divergences too fast to be among those near zero: no real one is beyond the undamped
  double reach = 0;
  for (int k = 0; k < *found; k++) reach = fmax(reach, hypot(re[k], im[k]));
  if (few == 0 || reach >= fastest) return TD_OK;
  return find_complex(v, fastest * (1 + 1e-3), few, reach * (1 + 1e-6), re, im, X, found);
}

// ---- coordinates ------------------------------------------------------------------------------

static void expand(const td_vibration* v, const double* x, double* shape) {
  memcpy(shape, x, sizeof(double) * (size_t)v->n);
}

static void momenta(td_vibration* v, int k, const double* shape, double* out) {
  for (int i = 0; i < k; i++) metric(v, shape + area(i, v->n), out + area(i, v->n));
}

static td_status sensors(td_vibration* v, const sensor_slopes* slopes) {
  return td_sensor_slopes(v->s->model, v->s->state, v->s->work, slopes);
}

static void release(td_vibration* base) {
  free(((sparse_vibration*)base)->f);
  free(base);
}

static const td_vibration_ops sparse_ops = {
    .natural = natural,
    .complex = complex_modes,
    .signs = signs,
    .multiply = multiply,
    .factor = factor,
    .solve = solve,
    .expand = expand,
    .momenta = momenta,
    .sensors = sensors,
    .unknown = "forces in a model this large",
    .reduced_most = 300,
    .free = release,
};

// Install the sparse operations at the point; the number of modes falls with the size of the model.
// *vibration is NULL on failure.
td_status td_vibration_sparse(td_statics* s, const double* q, const double* l, double p,
                              bool motion, td_vibration** vibration) {
  const td_pattern b = model_blocks(s->model);
  const size_t nv = (size_t)s->nv, values = motion ? (size_t)blocks_values(&b) : 0;
  sparse_vibration* v = calloc(1, sizeof *v);
  *vibration = NULL;
  if (v) v->f = malloc(sizeof(double) * (2 * nv + values + 1));
  if (!v || !v->f) {
    free(v);
    return TD_E_NOMEM;
  }
  const int many = s->nv <= 20000 ? 30 : s->nv <= 200000 ? 12 : 8, most = (s->n - s->m) / 3;
  v->base = (td_vibration){.ops = &sparse_ops,
                           .s = s,
                           .q = q,
                           .l = l,
                           .p = p,
                           .n = s->nv,
                           .most = most,
                           .usual = min_int(many, most)};
  v->g = v->f + nv;
  if (motion) v->C = v->g + nv;
  *vibration = &v->base;
  assemble(v, SYMMETRIC_PART);  // and its asymmetry
  return TD_OK;
}
