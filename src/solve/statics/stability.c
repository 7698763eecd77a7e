// Stability of an equilibrium, by the stiffness alone where there is a potential, else by the
// eigenvalues of the linearised first-order system.  An eigenvalue counts as zero below what a
// double zero becomes by round-off, sqrt(epsilon) of the largest; a real part counts as zero below
// a millionth of its eigenvalue, since undamped systems with follower loads live on the imaginary
// axis.
#include <math.h>

#include "model/model.h"
#include "solve/statics/sparse_statics.h"
#include "solve/statics/statics.h"
#include "solve/vectors.h"

static const double zero_stiffness = 1e-11, zero_eigenvalue = 1e-7, zero_real_part = 1e-6;

static td_status judge_stiffness(const td_reduced* r, td_answer* answer) {
  const int n = r->n;
  double* block = malloc(sizeof(double) * 3 * (size_t)(n * n + 1));
  if (!block) return TD_E_NOMEM;
  double *S = block, *one = S + n * n, *V = one + n * n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      S[i * n + j] = (r->K[i * n + j] + r->K[j * n + i]) / 2;
      one[i * n + j] = i == j;
    }
  }
  const bool ok = td_eig_symmetric(S, one, n, answer->stiffness, V);
  free(block);
  if (!ok) return TD_OK;  // unknown

  const double* w = answer->stiffness;
  const double zero = n ? zero_stiffness * fmax(fabs(w[0]), fabs(w[n - 1])) : 0;
  int neutral = 0;
  for (int i = 0; i < n; i++) {
    answer->divergent += w[i] < -zero;
    neutral += fabs(w[i]) <= zero;
  }
  answer->n = n;
  answer->asymmetry = r->asymmetry;
  answer->critical = n ? w[0] : 0;
  answer->stability = answer->divergent ? TD_DIVERGENCE : neutral ? TD_NEUTRAL : TD_STABLE;
  return TD_OK;
}

// Is the stiffness positive in coordinates of like size?  Coefficients of polynomials differ by
// powers of a length, so that the soft ones drown among the stiff ones in the eigenvalues of K.
// With K_aa made 1 they do not; but a coordinate that nothing holds has nothing but round-off
// there: each K_aa must be more than that of the highest frequency, w² = max K_aa/M_aa.
static bool is_firm(td_statics* s, const td_reduced* r, const double* q, double p) {
  static const double noise = 1e-12;
  const int n = s->n, k = r->n;
  double* block =
      malloc(sizeof(double) * (area(n, n) + 2 * (size_t)n + 3 * area(k, k) + (size_t)k));
  if (!block) return false;
  double *M = block, *column = M + area(n, n), *Mc = column + n, *E = Mc + n, *one = E + area(k, k);
  double *V = one + area(k, k), *w = V + area(k, k), highest = 0;
  s->equations.mass(s, q, p, M);

  // K_aa/M_aa along each direction of the null space
  for (int a = 0; a < k; a++) {
    for (int i = 0; i < n; i++) column[i] = r->Z[i * k + a];
    td_mul(M, column, n, n, 1, Mc);
    w[a] = 0;
    for (int i = 0; i < n; i++) w[a] += column[i] * Mc[i];
    highest = fmax(highest, r->K[a * k + a] / w[a]);
  }
  bool firm = isfinite(highest) && highest > 0;
  for (int a = 0; a < k; a++) firm = firm && w[a] > 0 && r->K[a * k + a] > noise * highest * w[a];

  for (int a = 0; firm && a < k; a++)
    for (int b = 0; b < k; b++) {
      E[a * k + b] =
          (r->K[a * k + b] + r->K[b * k + a]) / 2 / sqrt(r->K[a * k + a] * r->K[b * k + b]);
      one[a * k + b] = a == b;
    }
  firm = firm && td_eig_symmetric(E, one, k, w, V) && w[0] > noise;
  free(block);
  return firm;
}

void td_judge_eigenvalues(const double* re, const double* im, int n, bool resolved, int held,
                          td_answer* answer) {
  double radius = 0, worst = -INFINITY;
  for (int i = 0; i < n; i++) radius = fmax(radius, hypot(re[i], im[i]));
  int neutral = -held;
  answer->stability = TD_STABLE;
  answer->flutter_rate = -1;
  for (int i = 0; i < n; i++) {
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
  answer->critical = n ? worst : 0;
  if (answer->stability == TD_STABLE && neutral > 0) answer->stability = TD_NEUTRAL;
}

// Is the symmetric part of C more than round-off, measured by sqrt(K M)?
static bool has_damping(const td_reduced* r) {
  const size_t elements = area(r->n, r->n);
  double top = 0;
  for (int i = 0; i < r->n; i++)
    for (int j = 0; j <= i; j++) top = fmax(top, fabs(r->C[i * r->n + j] + r->C[j * r->n + i]));
  return top > 1e-12 * sqrt(largest(r->K, elements) * largest(r->M, elements));
}

// Does some displacement meet no force at all?
static bool has_neutral_stiffness(const td_reduced* r) {
  double* w = malloc(sizeof(double) * (size_t)(r->n + 1));
  const bool ok = w && td_singular_values(r->K, r->n, r->n, w);
  const bool neutral = !ok || w[r->n - 1] <= zero_stiffness * w[0];
  free(w);
  return neutral;
}

static td_status judge_motion(const td_reduced* r, td_answer* answer) {
  // room for two lists, one after the other
  double* re = malloc(sizeof(double) * (size_t)(8 * r->n + 1));
  if (!re) return TD_E_NOMEM;
  double* im = re + 4 * r->n;
  int n, more = 0;
  const td_status status = td_reduced_eigenvalues(r, re, im, NULL, &n);
  if (status == TD_OK && r->n > 0) {
    double radius = 0, least = INFINITY;
    for (int i = 0; i < n; i++) radius = fmax(radius, hypot(re[i], im[i]));
    for (int i = 0; i < n; i++) least = fmin(least, hypot(re[i], im[i]));

    // strong dampers beside soft springs: slow eigenvalues drown in the round-off of fast ones, but
    // not where they are those of the inverse
    const double slow = 1e-5 * radius;
    if (least < slow && !has_neutral_stiffness(r) &&
        td_reduced_slow(r, re + n, im + n, &more) == TD_OK) {
      int kept = 0;
      for (int i = 0; i < n + more; i++) {
        const double size = hypot(re[i], im[i]);
        if (i < n ? size < 0.5 * slow : !(size <= 2 * slow)) continue;
        re[kept] = re[i];
        im[kept++] = im[i];
      }
      n = kept;
    } else {
      more = 0;
    }
  }
  if (status == TD_OK) td_judge_eigenvalues(re, im, n, more > 0, 0, answer);
  answer->damped = has_damping(r);
  free(re);
  return status == TD_E_NOMEM ? status : TD_OK;
}

// Eigenvalues of positions, velocities and internal states together.  Fast ones leave no digits of
// slow ones, which are those of the inverse where there is one.
td_status td_inner_judge(td_statics* s, td_answer* answer) {
  td_linear* lin = NULL;
  const td_status status = td_linearize(s->model, s->state, s->work, &lin);
  s->work->failure[0] = 0;
  if (status == TD_E_NOMEM) return status;
  if (status != TD_OK) return TD_OK;  // unknown
  const int n = lin->nx, held = s->inner ? s->inner->n - s->inner->rank : 0;
  double* block = malloc(sizeof(double) * (2 * area(n, n) + 8 * (size_t)n + 1));
  int* pivot = malloc(sizeof(int) * ((size_t)n + 1));
  if (!block || !pivot) {
    free(block);
    free(pivot);
    td_linear_free(lin);
    return TD_E_NOMEM;
  }
  double *LU = block, *inverse = LU + area(n, n), *re = inverse + area(n, n), *im = re + 4 * n;
  int count = td_eig_general(lin->A, n, re, im, NULL) ? n : 0;
  double radius = 0, least = INFINITY;
  for (int i = 0; i < count; i++) radius = fmax(radius, hypot(re[i], im[i]));
  for (int i = 0; i < count; i++) least = fmin(least, hypot(re[i], im[i]));
  bool resolved = false;
  if (count > 0 && held == 0 && least < 1e-5 * radius) {
    memcpy(LU, lin->A, sizeof(double) * area(n, n));
    memset(inverse, 0, sizeof(double) * area(n, n));
    for (int i = 0; i < n; i++) inverse[i * n + i] = 1;
    resolved = td_lu(LU, n, pivot) == 0;
    if (resolved) td_lu_solve(LU, pivot, n, inverse, n);
    resolved = resolved && isfinite(largest(inverse, area(n, n))) &&
               largest(inverse, area(n, n)) * radius < 1e14 &&
               td_eig_general(inverse, n, re + n, im + n, NULL);
    if (resolved) {
      const double slow = 1e-5 * radius;
      for (int i = n; i < 2 * n; i++) {
        const double d = re[i] * re[i] + im[i] * im[i];
        re[i] /= d;
        im[i] /= -d;
      }
      count = 0;
      for (int i = 0; i < 2 * n; i++) {
        const double size = hypot(re[i], im[i]);
        if (i < n ? size < 0.5 * slow : !(size <= 2 * slow)) continue;
        re[count] = re[i];
        im[count++] = im[i];
      }
    }
  }
  if (count > 0 || n == 0) td_judge_eigenvalues(re, im, count, resolved, held, answer);
  free(pivot);
  free(block);
  td_linear_free(lin);
  return TD_OK;
}

td_status td_judge(td_statics* statics, const double* q, const double* l, double p,
                   bool conservative, td_answer* answer) {
  *answer = (td_answer){
      .stability = TD_UNKNOWN, .critical = NAN, .flutter_rate = -1, .stiffness = answer->stiffness};
  if (statics->model->ninternal > 0) {
    td_statics_set(statics, q, p);
    return td_inner_judge(statics, answer);
  }
  // all eigenvalues by dense matrices where these are small, and where they are those of nodes of
  // rods
  const bool small = statics->nv <= SPARSE_MODES_FROM || td_has_chains(statics->model);
  if (statics->sparse && conservative && !(statics->dense && small))
    return td_sparse_judge(statics, q, l, p, answer);
  if (!statics->dense) return TD_OK;  // unknown
  td_reduced* r;
  const td_status found = conservative ? td_reduced_stiffness(statics, q, l, p, &r)
                                       : td_reduced_new(statics, q, l, p, &r);
  if (found == TD_E_NOMEM) return found;
  if (found != TD_OK) return TD_OK;  // unknown
  const td_status status = conservative ? judge_stiffness(r, answer) : judge_motion(r, answer);
  if (conservative && answer->stability == TD_NEUTRAL && is_firm(statics, r, q, p))
    answer->stability = TD_STABLE;
  td_reduced_free(r);
  return status;
}
