// Stability of an equilibrium, by the signs of the stiffness where there is a potential, else by
// the eigenvalues of the linearised first-order system (vibration.h).  An eigenvalue counts as zero
// below what a double zero becomes by round-off, sqrt(epsilon) of the largest; a real part counts
// as zero below a millionth of its eigenvalue, since undamped systems with follower loads live on
// the imaginary axis.
#include <math.h>

#include "model/model.h"
#include "solve/statics/vibration.h"
#include "solve/vectors.h"

static const double zero_eigenvalue = 1e-7, zero_real_part = 1e-6;

// Judge by the n eigenvalues of A, of which `held` are the zeros of states that stay as they are.
// Strong dampers beside soft springs: slow eigenvalues drown in the round-off of fast ones, but not
// where they are those of the inverse, which is trusted up to |A⁻¹| |w| = `trusted` (0: there is
// none).
static td_status judge_states(const double* A, int n, int held, double trusted, td_answer* answer) {
  double* block = malloc(sizeof(double) * (2 * area(n, n) + 4 * (size_t)n + 1));
  int* pivot = malloc(sizeof(int) * ((size_t)n + 1));
  if (!block || !pivot || (n > 0 && !td_eig_general(A, n, block, block + 2 * n, NULL))) {
    const td_status status = block && pivot ? TD_OK : TD_E_NOMEM;  // unknown
    free(block);
    free(pivot);
    return status;
  }
  double *re = block, *im = re + 2 * n, *LU = im + 2 * n, *inverse = LU + area(n, n);
  double radius = 0, least = INFINITY, worst = -INFINITY;
  for (int i = 0; i < n; i++) radius = fmax(radius, hypot(re[i], im[i]));
  for (int i = 0; i < n; i++) least = fmin(least, hypot(re[i], im[i]));

  // slow ones from the inverse, fast ones from A
  const double slow = 1e-5 * radius;
  bool resolved = false;
  int count = n;
  if (least < slow && trusted > 0) {
    memcpy(LU, A, sizeof(double) * area(n, n));
    memset(inverse, 0, sizeof(double) * area(n, n));
    for (int i = 0; i < n; i++) inverse[i * n + i] = 1;
    resolved = td_lu(LU, n, pivot) == 0;
    if (resolved) td_lu_solve(LU, pivot, n, inverse, n);
    const double size = largest(inverse, area(n, n));
    resolved = resolved && isfinite(size) && size * radius < trusted &&
               td_eig_general(inverse, n, re + n, im + n, NULL);
  }
  if (resolved) {
    count = 0;
    for (int i = 0; i < 2 * n; i++) {
      const double d = re[i] * re[i] + im[i] * im[i];
      const double a = i < n ? re[i] : re[i] / d, b = i < n ? im[i] : -im[i] / d;
      const double size = hypot(a, b);
      if (i < n ? size < 0.5 * slow : !(size <= 2 * slow)) continue;
      re[count] = a;
      im[count++] = b;
    }
  }

  // real parts decide; the largest one gives the kind of instability
  int neutral = -held;
  radius = 0;
  for (int i = 0; i < count; i++) radius = fmax(radius, hypot(re[i], im[i]));
  answer->stability = TD_STABLE;
  answer->flutter_rate = -1;
  for (int i = 0; i < count; i++) {
    const double size = hypot(re[i], im[i]);
    worst = fmax(worst, re[i]);
    if (!resolved && size <= zero_eigenvalue * radius) {
      neutral++;
      continue;
    }
    const bool turning = fabs(im[i]) > zero_eigenvalue * (resolved ? size : radius);
    if (turning) answer->flutter_rate = fmax(answer->flutter_rate, re[i] / size);
    if (re[i] <= zero_real_part * size) continue;
    if (turning)
      answer->fluttering++;
    else
      answer->divergent++;
    if (re[i] >= worst) answer->stability = turning ? TD_FLUTTER : TD_DIVERGENCE;
  }
  answer->critical = count ? worst : 0;
  if (answer->stability == TD_STABLE && neutral > 0) answer->stability = TD_NEUTRAL;
  free(block);
  free(pivot);
  return TD_OK;
}

// Judge by the motions that the constraints allow
static td_status judge_motion(const td_reduced* r, td_answer* answer) {
  const int n = r->n, N = 2 * n - r->massless;
  double* A = malloc(sizeof(double) * (area(N, N) + (size_t)n + 1));
  if (!A) return TD_E_NOMEM;

  // is the symmetric part of C more than round-off, measured by sqrt(K M)?
  double top = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) top = fmax(top, fabs(r->C[i * n + j] + r->C[j * n + i]));
  answer->damped = top > 1e-12 * sqrt(largest(r->K, area(n, n)) * largest(r->M, area(n, n)));

  // a displacement that meets no force at all makes an eigenvalue that is zero
  double* w = A + area(N, N);
  const bool held =
      n > 0 && td_singular_values(r->K, n, n, w) && w[n - 1] > TD_ZERO_STIFFNESS * w[0];
  td_status status = n > 0 ? td_reduced_states(r, A) : TD_OK;
  if (status == TD_OK) status = judge_states(A, N, 0, held ? INFINITY : 0, answer);
  free(A);
  return status == TD_E_NOMEM ? status : TD_OK;
}

// Judge an equilibrium by the signs of its stiffness, by the eigenvalues of its motion, or with
// internal states by those of the whole linear model.  Failures other than memory leave TD_UNKNOWN.
td_status td_judge(td_statics* s, const double* q, const double* l, double p, bool conservative,
                   td_answer* answer) {
  *answer = (td_answer){
      .stability = TD_UNKNOWN, .critical = NAN, .flutter_rate = -1, .stiffness = answer->stiffness};
  td_status status;
  if (s->model->ninternal > 0) {
    // positions, velocities and internal states together
    td_linear* lin = NULL;
    td_statics_set(s, q, p);
    status = td_linearize(s->model, s->state, s->work, &lin);
    s->work->failure[0] = 0;
    const int held = s->inner ? s->inner->n - s->inner->rank : 0;
    if (status == TD_OK) status = judge_states(lin->A, lin->nx, held, held ? 0 : 1e14, answer);
    td_linear_free(lin);
  } else if (conservative) {
    // all eigenvalues by dense matrices where these are small, and where they are those of nodes of
    // rods
    const bool small = s->dense && (s->nv <= SPARSE_MODES_FROM || td_has_chains(s->model));
    td_vibration* v = NULL;
    int neutral = 0;
    status = s->sparse && !small ? td_vibration_sparse(s, q, l, p, false, &v)
             : s->dense          ? td_vibration_dense(s, q, l, p, false, &v)
                                 : TD_E_USAGE;
    if (status == TD_OK) status = v->ops->signs(v, answer, &neutral);
    if (status == TD_OK) {
      answer->asymmetry = v->asymmetry;
      answer->stability = answer->divergent ? TD_DIVERGENCE : neutral ? TD_NEUTRAL : TD_STABLE;
    }
    td_vibration_free(v);
  } else {
    td_reduced* r = NULL;
    status = s->dense ? td_reduced_new(s, q, l, p, true, &r) : TD_E_USAGE;
    if (status == TD_OK) status = judge_motion(r, answer);
    td_reduced_free(r);
  }
  return status == TD_E_NOMEM ? status : TD_OK;  // unknown
}
