// The lowest modes of large models, and the stability of their equilibria.
//
//   natural   K x = w² M x                      OP = (K + s² M)⁻¹ M, symmetric in the metric M
//   complex   (p² M + p C + K) x = 0            with y = [x, p x]:  OP [a, b] = [x, a + s x],
//                                               x = -(K + s C + s² M)⁻¹ (M b + C a + s M a)
//
// on the motions that the constraints allow, each inverse being one of the saddle-point system. The
// shift s is zero unless the stiffness is (nearly) singular or has negative eigenvalues; then s² is
// such that K + s² M has none, and the modes found are the lowest, fastest divergence first.  The
// number of negative pivots tells.
#include "solve/statics/sparse_modes.h"

#include <float.h>
#include <math.h>

#include "math/arpack.h"
#include "solve/vectors.h"

// ---- products ---------------------------------------------------------------------------------

static void metric(void* ctx, const double* x, double* y) {
  const spectrum* p = ctx;
  td_sparse_mass_mul(p->s->model, p->s->sparse->M, x, y);
}

static void natural(void* ctx, const double* x, double* y) {
  spectrum* p = ctx;
  td_sparse_mass_mul(p->s->model, p->s->sparse->M, x, p->f);
  td_sparse_kkt_solve(p->s->sparse->kkt, p->f, NULL, y, NULL);
}

static void flexible(void* ctx, const double* x, double* y) {
  spectrum* p = ctx;
  memcpy(p->f, x, sizeof(double) * (size_t)p->s->nv);
  td_sparse_clear_given(p->s->model, p->f);
  td_sparse_kkt_solve(p->s->sparse->kkt, p->f, NULL, y, NULL);
}

static void damped(void* ctx, const double* y, double* out) {
  spectrum* p = ctx;
  const int nv = p->s->nv;
  const double *a = y, *b = y + nv;
  for (int i = 0; i < nv; i++) p->g[i] = b[i] + p->shift * a[i];
  td_sparse_mass_mul(p->s->model, p->s->sparse->M, p->g, p->f);
  td_sparse_mul_add(p->s->model, p->C, 1, a, p->f);
  td_sparse_clear_given(p->s->model, p->f);
  for (int i = 0; i < nv; i++) p->f[i] = -p->f[i];
  td_sparse_kkt_solve(p->s->sparse->kkt, p->f, NULL, out, NULL);
  for (int i = 0; i < nv; i++) out[nv + i] = a[i] + p->shift * out[i];
}

// A vector that has a part along every mode, in the range of OP.
static void start_vector(const td_operator* op, double* x, double* y) {
  for (int i = 0; i < op->n; i++) x[i] = 1 + 0.5 * sin(1.7 * i);
  op->apply(op->ctx, x, y);
}

// ---- factors ----------------------------------------------------------------------------------

// A = (A + A')/2: the pattern is symmetric
static void symmetrise(const td_model* m, double* A) {
  const td_pattern b = model_blocks(m);
  for (int J = 0; J < b.nblock; J++)
    for (int k = b.ptr[J]; k < b.ptr[J + 1] && b.row[k] <= J; k++) {
      const int I = b.row[k], hI = block_height(&b, I), hJ = block_height(&b, J);
      double *upper = A + block_start(&b, I, J), *lower = A + block_start(&b, J, I);
      for (int j = 0; j < block_size(&b, J); j++)
        for (int i = 0; i < block_size(&b, I); i++) {
          double *x = &upper[j * hJ + i], *y = &lower[i * hI + j];
          *x = *y = 0.5 * (*x + *y);
        }
    }
}

// Largest difference between A and A', relative to the largest element.
static double asymmetry(const td_model* m, const double* A) {
  const td_pattern b = model_blocks(m);
  double top = 0;
  for (int J = 0; J < b.nblock; J++)
    for (int k = b.ptr[J]; k < b.ptr[J + 1] && b.row[k] <= J; k++) {
      const int I = b.row[k], hI = block_height(&b, I), hJ = block_height(&b, J);
      const double *upper = A + block_start(&b, I, J), *lower = A + block_start(&b, J, I);
      for (int j = 0; j < block_size(&b, J); j++)
        for (int i = 0; i < block_size(&b, I); i++)
          top = fmax(top, fabs(upper[j * hJ + i] - lower[i * hI + j]));
    }
  return top / fmax(largest(A, (size_t)blocks_values(&b)), DBL_MIN);
}

double td_sparse_asymmetry(td_statics* s, const double* q, const double* l) {
  td_sparse_assemble(s, q, l, 1, NULL);
  return asymmetry(s->model, s->sparse->K);
}

td_status td_sparse_refactor(td_statics* s) {
  return td_sparse_kkt_factor(s->sparse->kkt, s->sparse->K, s->sparse->J, s->sparse->J);
}

// s² that counts beside the stiffness and is small against it
static double usual_shift(const td_statics* s) {
  const td_pattern b = model_blocks(s->model);
  const double K = largest(s->sparse->K, (size_t)blocks_values(&b));
  const double M = largest(s->sparse->M, (size_t)mass_values(s->model));
  return 1e-5 * K / fmax(M, DBL_MIN);
}

// K + shift times the unit matrix
static void shift_unit(td_statics* s, double shift) {
  const td_pattern b = model_blocks(s->model);
  for (int I = 0; I < b.nblock; I++) {
    const int n = block_size(&b, I), height = block_height(&b, I);
    double* to = s->sparse->K + block_start(&b, I, I);
    for (int i = 0; i < n; i++) to[i * (height + 1)] += shift;
  }
}

// Negative eigenvalues of what is in s->sparse, which is symmetric; -1: it is singular.
static int negative(td_statics* s) {
  td_sparse_kkt_diagonal(s->sparse->kkt, true);
  const td_status status = td_sparse_refactor(s);
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

// ---- natural modes ----------------------------------------------------------------------------

static int mode_count(const td_statics* s) {
  const int many = s->nv <= 20000 ? 30 : s->nv <= 200000 ? 12 : 8;
  return min_int(many, (s->n - s->m) / 3);
}

static td_status find_natural(spectrum* p, const double* q, const double* l, double shift,
                              modes* out) {
  td_statics* s = p->s;
  td_sparse_assemble(s, q, l, 1, p->C);
  symmetrise(s->model, s->sparse->K);
  td_sparse_shift(s, shift);
  TD_TRY(td_sparse_refactor(s));
  const td_operator op = {p, s->nv, natural, metric};
  double* start = out->V + area(out->count, s->nv);
  start_vector(&op, out->V, start);
  TD_TRY(td_arpack_symmetric(&op, out->count, start, out->w, out->V, &out->found));
  for (int i = 0; i < out->found; i++) out->w[i] -= shift;
  return TD_OK;
}

// A stiffness so nearly singular that it drowns the other modes.
static bool drowned(const modes* m) {
  double least = INFINITY, most = 0;
  for (int i = 0; i < m->found; i++) {
    least = fmin(least, fabs(m->w[i]));
    most = fmax(most, fabs(m->w[i]));
  }
  return least < 1e-7 * most;
}

td_status td_sparse_natural(spectrum* p, const double* q, const double* l, modes* out) {
  td_statics* s = p->s;
  td_sparse_assemble(s, q, l, 1, p->C);
  symmetrise(s->model, s->sparse->K);
  const double usual = usual_shift(s);
  const double lifted = negative(s) > 0 ? lift(s, usual, td_sparse_shift) : 0;
  td_status status = find_natural(p, q, l, lifted, out);
  if (status == TD_E_NOMEM || (status == TD_OK && !drowned(out))) return status;
  // rigid motions: damped modes need a shift, too, however rounding has signed their stiffness
  p->shift = sqrt(usual);
  if (status != TD_OK || lifted == 0) status = find_natural(p, q, l, usual, out);
  return status;
}

static void put_natural(spectrum* p, const modes* found, td_modes_result* r) {
  const int nv = p->s->nv;
  const double zero = 1e-11 * (found->found > 0 ? fabs(found->w[found->found - 1]) : 0);
  r->n = found->found;
  for (int k = 0; k < found->found; k++) {
    const double *phi = found->V + area(k, nv), w2 = fabs(found->w[k]) <= zero ? 0 : found->w[k];
    memcpy(r->shape + area(k, nv), phi, sizeof(double) * (size_t)nv);
    r->omega[k] = copysign(sqrt(fabs(w2)), w2);
    memset(p->f, 0, sizeof(double) * (size_t)nv);
    td_sparse_mul_add(p->s->model, p->C, 1, phi, p->f);
    r->zeta[k] = r->omega[k] > 0 ? inner(phi, p->f, nv) / (2 * r->omega[k]) : 0;
  }
}

// ---- complex modes ----------------------------------------------------------------------------

static td_status find_complex(spectrum* p, const double* q, const double* l, int count, double* re,
                              double* im, double* V, int* found) {
  td_statics* s = p->s;
  const td_pattern b = model_blocks(s->model);
  td_sparse_assemble(s, q, l, 1, p->C);
  td_sparse_shift(s, p->shift * p->shift);
  for (int i = 0; i < blocks_values(&b) && p->shift != 0; i++)
    s->sparse->K[i] += p->shift * p->C[i];
  TD_TRY(td_sparse_refactor(s));
  const td_operator op = {p, 2 * s->nv, damped, NULL};
  double* start = V + 2 * area(count + 1, s->nv);
  start_vector(&op, V, start);
  return td_arpack_general(&op, count, start, re, im, V, found);
}

// p = s + 1/θ, where it is larger than `beyond`; the shape is the displacement part, the largest
// component 1.
static int put_complex(const spectrum* p, int k, int found, const double* re, const double* im,
                       const double* V, double beyond, td_modes_result* r) {
  const int nv = p->s->nv, at = r->ncomplex, two = im[k] != 0;
  if (k + two >= found) return 1;  // half a pair
  const double size = re[k] * re[k] + im[k] * im[k], *x = V + 2 * area(k, nv), *y = x + 2 * nv;
  if (hypot(p->shift + re[k] / size, im[k] / size) <= beyond) return 1 + two;
  double* out = r->complex_shape + 2 * area(at, nv);
  for (int i = 0; i < nv; i++) {
    out[2 * i] = x[i];
    out[2 * i + 1] = two ? -y[i] : 0;  // 1/θ turns the pair around
  }
  td_modes_normalise(out, nv);
  for (int i = 0; i <= two; i++) {
    r->re[at + i] = p->shift + re[k] / size;
    r->im[at + i] = (i ? -1 : 1) * fabs(im[k]) / size;
  }
  for (int i = 0; i < nv && two; i++) {
    out[2 * nv + 2 * i] = out[2 * i];
    out[2 * nv + 2 * i + 1] = -out[2 * i + 1];
  }
  r->ncomplex += 1 + two;
  return 1 + two;
}

static td_status complex_modes(spectrum* p, const double* q, const double* l, int count,
                               double beyond, td_modes_result* r) {
  const int nv = p->s->nv;
  double* block = malloc(sizeof(double) * (2 * area(count + 2, nv) + 2 * (size_t)count + 4));
  if (!block) return TD_E_NOMEM;
  double *V = block, *re = V + 2 * area(count + 2, nv), *im = re + count + 1;
  int found = 0;
  const td_status status = find_complex(p, q, l, count, re, im, V, &found);
  for (int k = 0; status == TD_OK && k < found;)
    k += put_complex(p, k, found, re, im, V, beyond, r);
  free(block);
  return status == TD_E_NOMEM ? status : TD_OK;
}

td_status td_sparse_modes(td_statics* s, const double* q, const double* l,
                          td_modes_result** result) {
  const td_pattern b = model_blocks(s->model);
  const int count = mode_count(s);
  const size_t nv = (size_t)s->nv;
  modes found = {.count = count};
  spectrum p = {.s = s, .C = malloc(sizeof(double) * ((size_t)blocks_values(&b) + 2 * nv))};
  found.w = malloc(sizeof(double) * ((size_t)(count + 1) * (nv + 1)));
  td_modes_result* r = *result = td_modes_allocate(count, s->nv);
  td_status status = p.C && found.w && r ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK && count > 0) {
    p.f = p.C + blocks_values(&b);
    p.g = p.f + nv;
    found.V = found.w + count;
    status = td_sparse_natural(&p, q, l, &found);
    if (status == TD_OK) put_natural(&p, &found, r);
    const double fastest = status == TD_OK && r->n > 0 ? -r->omega[0] : 0;
    const int room = 2 * count - 2, few = fastest > 0 ? room / 2 : 0;
    if (status == TD_OK) status = complex_modes(&p, q, l, room - few, -1, r);
    if (status == TD_OK && few > 0) {
      // divergences too fast to be among those near zero: no real one is beyond the undamped
      double reach = 0;
      for (int k = 0; k < r->ncomplex; k++) reach = fmax(reach, hypot(r->re[k], r->im[k]));
      p.shift = fastest * (1 + 1e-3);
      if (reach < fastest) status = complex_modes(&p, q, l, few, reach * (1 + 1e-6), r);
    }
  }
  free(p.C);
  free(found.w);
  return status;
}

// ---- stability --------------------------------------------------------------------------------

// The eigenvalue nearest to zero of the stiffness in s->sparse, which has no negative ones.
static double least_stiffness(spectrum* p, double* block) {
  const td_operator op = {p, p->s->nv, flexible, NULL};
  double *w = block, *V = w + 8, *start = V + 4 * p->s->nv;
  int found = 0;
  if (td_sparse_refactor(p->s) != TD_OK) return NAN;
  start_vector(&op, V, start);
  return td_arpack_symmetric(&op, 4, start, w, V, &found) == TD_OK && found > 0 ? w[0] : NAN;
}

td_status td_sparse_judge(td_statics* s, const double* q, const double* l, double p,
                          td_answer* answer) {
  spectrum sp = {.s = s};
  double* block = malloc(sizeof(double) * (6 * (size_t)s->nv + 8));
  if (!block) return TD_E_NOMEM;
  sp.f = block + 5 * s->nv + 8;
  td_sparse_assemble(s, q, l, p, NULL);
  answer->asymmetry = asymmetry(s->model, s->sparse->K);
  symmetrise(s->model, s->sparse->K);
  const td_pattern b = model_blocks(s->model);
  const double zero = 1e-11 * largest(s->sparse->K, (size_t)blocks_values(&b));

  // eigenvalues below and within what counts as zero
  shift_unit(s, zero);
  const int below = negative(s);
  shift_unit(s, -2 * zero);
  const int within = negative(s) - below;
  shift_unit(s, zero);
  if (below < 0 || within + below < 0) {
    answer->stability = TD_NEUTRAL;
    answer->critical = 0;
  } else {
    answer->divergent = below;
    answer->stability = below > 0 ? TD_DIVERGENCE : within > 0 ? TD_NEUTRAL : TD_STABLE;
    const double shift = below > 0 ? lift(s, 1e5 * zero, shift_unit) : 0;
    const bool known = s->nv > 8 && (below == 0 || shift > 0);
    answer->critical = below == 0 && within > 0 ? 0
                       : known                  ? least_stiffness(&sp, block) - shift
                                                : NAN;
  }
  free(block);
  return TD_OK;
}
