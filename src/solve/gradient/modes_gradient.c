// td_modes_gradient: derivatives of natural modes and eigenvalues about an equilibrium
// (gradient.h).
//
// With A = K - w² M, right vector φ and left vector y, A φ = J'l, A'y = -J'ν, J φ = J y = 0,
//
//   y'M φ dw² = y'(dK - w² dM) φ - l·dJ y + ν·dJ φ                     K symmetric: y = φ, ν = -l
//
// [nelson1976] for shapes: A dφ - J'dl = -(dK - w² dM - dw² M) φ + dJ'l, J dφ = -dJ φ and
// φ'M dφ = -½ φ'dM φ.  A is singular along φ; A + εM is not, and with x free of φ
//
//   (A + εM) x' = b + εM x       takes ε out again, by a factor ε/gap for each step.
//
// d is total, dK the slope along the change of the equilibrium (slope.h).  Eigenvalues of damped
// motion are those of the linear model, dp = u'dA v with u'v = 1; of large models, whose matrices
// must be symmetric, by x'(p² dM + p dC + dK) x - 2 l·dJ x = -dp x'(2 p M + C) x.
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "model/model.h"
#include "solve/gradient/pencil.h"
#include "solve/statics/vibration.h"
#include "solve/vectors.h"

// Eigenvalues nearer to each other than this, relative to their size, are one.
static const double same = 1e-8;
enum { MOST_ROUNDS = 12 };

typedef struct job {
  td_pencil* p;
  const td_modes_result* modes;
  double* l;  // modes->n x m: multipliers of the shapes
  // scratch (nv), (m)
  double *y, *Mphi, *f, *z, *x, *Mx, *row, *nu;
} job;

static double square(double omega) { return omega * fabs(omega); }

// dw² of mode k for slopes, with the left vector y and its ν (NULL: those of a symmetric K);
// *size: of its terms.
static double square_slope(const job* j, const double* slope, int k, const double* y,
                           const double* nu, double* size) {
  const td_pencil* p = j->p;
  const int nv = p->r->s->nv, m = p->r->s->m;
  const double *phi = j->modes->shape + area(k, nv), *l = j->l + area(k, m), *left = y ? y : phi,
               w2 = square(j->modes->omega[k]);
  td_pencil_multiply(p, slope, PENCIL_K, false, phi, j->f);
  const double stiff = inner(left, j->f, nv);
  td_pencil_multiply(p, slope, PENCIL_M, false, phi, j->f);
  const double heavy = w2 * inner(left, j->f, nv);
  double rows = 0;
  if (m > 0) {
    td_pencil_rows(p, slope, left, j->row);
    rows -= inner(l, j->row, m);
    td_pencil_rows(p, slope, phi, j->row);
    rows += nu ? inner(nu, j->row, m) : -inner(l, j->row, m);
  }
  *size = fabs(stiff) + fabs(heavy) + fabs(rows);
  return stiff - heavy + rows;
}

// Two sets of slopes give the same derivatives of all squares.
static double apart(void* ctx, const double* a, const double* b) {
  const job* j = ctx;
  double worst = 0, most = DBL_MIN;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < j->modes->n; k++) {
      double size, other;
      const double one = square_slope(j, a, k, NULL, NULL, &size),
                   two = square_slope(j, b, k, NULL, NULL, &other);
      if (!isfinite(one - two)) return INFINITY;
      most = fmax(most, size);
      if (pass == 1) worst = fmax(worst, fabs(one - two) / (size + 1e-12 * most));
    }
  return worst;
}

static td_status values(void* ctx, td_rest* r, const double* lambda, double* out) {
  return td_pencil_values(((job*)ctx)->p, r, lambda, out);
}

// Add to the note: `format` has one or two numbers.
static void note(td_work* w, const char* format, int a, int b) {
  const size_t used = strlen(w->gradient_note), size = sizeof w->gradient_note;
  if (used > size - 90) return;
  const int n = snprintf(w->gradient_note + used, size - used, "%s", used ? "; " : "");
  snprintf(w->gradient_note + used + n, size - used - (size_t)n, format, a, b);
}

// Last of the modes from k on that have the same frequency; `top` is the largest w².
static int cluster_end(const td_modes_result* modes, int k, double top) {
  int end = k + 1;
  while (end < modes->n && fabs(square(modes->omega[end]) - square(modes->omega[end - 1])) <=
                               same * fabs(square(modes->omega[k])) + 1e-12 * top)
    end++;
  return end;
}

// The left vector of mode k and its ν by inverse iteration with the transpose.  TD_E_USAGE: its w²
// is one of a complex pair.
static td_status left_vector(job* j, int k) {
  td_pencil* p = j->p;
  const td_statics* s = p->r->s;
  const double *phi = j->modes->shape + area(k, s->nv), w2 = square(j->modes->omega[k]);
  td_pencil_factor(p, w2 * (1 + 1e-9), true);
  copy(j->y, phi, s->nv);
  double grown = 0;
  for (int round = 0; round < 4; round++) {
    td_pencil_multiply(p, p->at, PENCIL_M, false, j->y, j->f);
    td_pencil_solve(p, j->f, NULL, j->y, j->nu);
    grown = largest(j->y, (size_t)s->nv);
    if (!(grown > 0) || !isfinite(grown)) return TD_E_SINGULAR;
    for (int i = 0; i < s->nv; i++) j->y[i] /= grown;
    for (int i = 0; i < s->m; i++) j->nu[i] /= -grown;
  }
  // a real eigenvalue: A'y is rounding beside w² M y
  double left = 0, size = 0;
  td_pencil_multiply(p, p->at, PENCIL_K, true, j->y, j->f);
  td_pencil_multiply(p, p->at, PENCIL_M, false, j->y, j->z);
  for (int i = 0; i < s->nv; i++) j->f[i] -= w2 * j->z[i];
  td_pencil_add_rows(p, p->at, 1, j->nu, j->f);
  for (int i = 0; i < s->nv; i++) {
    left = fmax(left, fabs(j->f[i]));
    size = fmax(size, fabs(w2 * j->z[i]));
  }
  if (left > 1e-5 * size) {
    td_work_fail(s->work,
                 "mode %d has no derivative of its frequency: the stiffness is not symmetric, and "
                 "its eigenvalue is one of a complex pair (flutter); ask for eigenvalues",
                 k + 1);
    return TD_E_USAGE;
  }
  return TD_OK;
}

// dφ of mode k for slopes and dw²; K - w² M + εM is factored, modes from `first` to `end` are one.
static void shape_slope(job* j, const double* slope, int k, int first, int end, double ds,
                        double epsilon, double* out) {
  td_pencil* p = j->p;
  const int nv = p->r->s->nv, m = p->r->s->m;
  const double *phi = j->modes->shape + area(k, nv), w2 = square(j->modes->omega[k]);

  // b = -(dK - w² dM - dw² M) φ + dJ'l, and -dJ φ
  td_pencil_multiply(p, slope, PENCIL_K, false, phi, j->z);
  td_pencil_multiply(p, slope, PENCIL_M, false, phi, j->f);
  const double own = -0.5 * inner(phi, j->f, nv);
  td_pencil_multiply(p, p->at, PENCIL_M, false, phi, j->Mphi);
  for (int i = 0; i < nv; i++) j->z[i] = -j->z[i] + w2 * j->f[i] + ds * j->Mphi[i];
  if (m > 0) td_pencil_add_rows(p, slope, 1, j->l + area(k, m), j->z);
  if (m > 0) td_pencil_rows(p, slope, phi, j->row);
  for (int i = 0; i < m; i++) j->row[i] = -j->row[i];

  memset(out, 0, sizeof(double) * (size_t)nv);
  for (int round = 0; round < MOST_ROUNDS; round++) {
    td_pencil_multiply(p, p->at, PENCIL_M, false, out, j->Mx);
    for (int i = 0; i < nv; i++) j->f[i] = j->z[i] + epsilon * j->Mx[i];
    td_pencil_solve(p, j->f, m > 0 ? j->row : NULL, j->x, NULL);
    for (int c = first; c < end; c++) {
      const double* other = j->modes->shape + area(c, nv);
      td_pencil_multiply(p, p->at, PENCIL_M, false, j->x, j->Mx);
      const double part = inner(other, j->Mx, nv);
      for (int i = 0; i < nv; i++) j->x[i] -= part * other[i];
    }
    double moved = 0, size = 0;
    for (int i = 0; i < nv; i++) {
      moved = fmax(moved, fabs(j->x[i] - out[i]));
      size = fmax(size, fabs(j->x[i]));
    }
    copy(out, j->x, nv);
    if (moved <= 1e-14 * size) break;
  }
  for (int i = 0; i < nv; i++) out[i] += own * phi[i];
}

// Natural modes, those of one frequency together: dω, dζ and shapes for all n slopes.
static td_status natural(job* j, const double* slopes, int n, double* domega, double* dzeta,
                         double* dshape) {
  td_pencil* p = j->p;
  const td_statics* s = p->r->s;
  const td_modes_result* modes = j->modes;
  const int nv = s->nv, nm = modes->n;
  const size_t count = (size_t)p->first[PENCIL_PARTS];
  const bool symmetric = p->asymmetry <= TD_ASYMMETRIC;
  if (!symmetric && (dzeta || dshape)) {
    td_work_fail(s->work,
                 "damping ratios and shapes have no derivatives here: the stiffness is not "
                 "symmetric; ask for frequencies or eigenvalues");
    return TD_E_USAGE;
  }
  double* block = malloc(sizeof(double) * (area(n, nv) + 3 * (size_t)n + 1));
  if (!block) return TD_E_NOMEM;
  double *dphi = block, *ds = dphi + area(n, nv), *mean = ds + n, *ratio = mean + n, top = 0;
  for (int k = 0; k < nm; k++) top = fmax(top, fabs(square(modes->omega[k])));
  td_status status = TD_OK;

  for (int first = 0, end; first < nm && status == TD_OK; first = end) {
    end = symmetric ? cluster_end(modes, first, top) : first + 1;
    const int members = end - first;
    if (members > 1)
      note(s->work, "modes %d to %d are of one frequency: derivatives are of their mean", first + 1,
           end);
    memset(mean, 0, 2 * sizeof(double) * (size_t)n);
    for (int k = first; k < end && status == TD_OK; k++) {
      const double *phi = modes->shape + area(k, nv), w2 = square(modes->omega[k]),
                   omega = fabs(modes->omega[k]);
      double size, mass = 1;
      if (!symmetric) {
        status = left_vector(j, k);
        td_pencil_multiply(p, p->at, PENCIL_M, false, phi, j->f);
        mass = inner(j->y, j->f, nv);
      }
      for (int i = 0; i < n && status == TD_OK; i++) {
        ds[i] = square_slope(j, slopes + (size_t)i * count, k, symmetric ? NULL : j->y,
                             symmetric ? NULL : j->nu, &size) /
                mass;
        // a rigid motion stays one, or has no slope
        const bool rigid = fabs(w2) <= 1e-11 * top || omega == 0;
        mean[i] += rigid ? (fabs(ds[i]) <= 1e-6 * size || size == 0 ? 0 : NAN)
                         : ds[i] / (2 * omega) / members;
      }

      // shapes, for which the squares near by are a gap away
      if (status != TD_OK || (!dzeta && !dshape)) continue;
      double gap = fmax(fabs(w2), 1e-6 * top);
      if (first > 0) gap = fmin(gap, fabs(w2 - square(modes->omega[first - 1])));
      if (end < nm) gap = fmin(gap, fabs(square(modes->omega[end]) - w2));
      const double epsilon = 0.03 * fmax(gap, 1e-13 * top);
      status = td_pencil_factor(p, w2 - epsilon, false);
      for (int i = 0; i < n && status == TD_OK; i++) {
        shape_slope(j, slopes + (size_t)i * count, k, first, end, ds[i], epsilon, dphi);
        td_pencil_multiply(p, slopes + (size_t)i * count, PENCIL_C, false, phi, j->f);
        double damped = inner(phi, j->f, nv);
        td_pencil_multiply(p, p->at, PENCIL_C, false, phi, j->f);
        damped += inner(dphi, j->f, nv);
        td_pencil_multiply(p, p->at, PENCIL_C, true, phi, j->f);
        damped += inner(dphi, j->f, nv);
        const double slow = ds[i] / (2 * omega);
        ratio[i] += modes->omega[k] > 0
                        ? (damped / (2 * omega) - modes->zeta[k] * slow / omega) / members
                        : 0;
        for (int v = 0; dshape && v < nv; v++)
          dshape[(area(i, nm) + (size_t)k) * (size_t)nv + (size_t)v] = members > 1 ? NAN : dphi[v];
      }
    }
    for (int k = first; k < end; k++)
      for (int i = 0; i < n; i++) {
        if (domega) domega[area(i, nm) + (size_t)k] = mean[i];
        if (dzeta) dzeta[area(i, nm) + (size_t)k] = ratio[i];
      }
  }
  free(block);
  return status;
}

// ---- eigenvalues of the damped motion ---------------------------------------------------------

// Changes of the eigenvalues of large models: symmetric matrices, one eigenvalue at a time.
static td_status by_pencil(job* j, const double* slopes, int n, double* dre, double* dim) {
  td_pencil* p = j->p;
  const td_statics* s = p->r->s;
  const td_modes_result* modes = j->modes;
  const int nv = s->nv, m = s->m, nc = modes->ncomplex;
  const size_t count = (size_t)p->first[PENCIL_PARTS];
  if (p->asymmetry > TD_ASYMMETRIC) {
    td_work_fail(s->work,
                 "eigenvalues of a model this large have derivatives where its stiffness is "
                 "symmetric, which it is not here");
    return TD_E_USAGE;
  }
  double* block = malloc(sizeof(double) * (8 * (size_t)nv + 4 * (size_t)m + 1));
  if (!block) return TD_E_NOMEM;
  double *x[2] = {block, block + nv}, *f[2] = {x[1] + nv, x[1] + 2 * nv}, *g = f[1] + nv;
  double *l[2] = {g + 4 * nv, g + 4 * nv + m}, *row[2] = {l[1] + m, l[1] + 2 * m};
  td_status status = td_pencil_balance(p);

  for (int k = 0; k < nc && status == TD_OK; k++) {
    const double a = modes->re[k], b = modes->im[k], size = hypot(a, b);
    const double *shape = modes->complex_shape + 2 * area(k, nv), aa = a * a - b * b,
                 ab = 2 * a * b;
    int several = 1;
    for (int i = 0; i < nc; i++)
      if (i != k && hypot(modes->re[i] - a, modes->im[i] - b) <= same * size) several++;
    for (int i = 0; i < nv; i++) x[0][i] = shape[2 * i], x[1][i] = shape[2 * i + 1];

    // x'(2 p M + C) x, and l with J'l = (p² M + p C + K) x
    double Mx[2] = {0, 0}, Cx[2] = {0, 0};
    memset(f[0], 0, 2 * sizeof(double) * (size_t)nv);
    for (int c = 0; c < 2; c++)
      for (pencil_part part = PENCIL_K; part <= PENCIL_M; part++) {
        td_pencil_multiply(p, p->at, part, false, x[c], g);
        const double re = part == PENCIL_K   ? 1
                          : part == PENCIL_C ? a
                                             : aa,
                     im = part == PENCIL_K   ? 0
                          : part == PENCIL_C ? b
                                             : ab;
        for (int i = 0; i < nv; i++) {
          f[c][i] += re * g[i];
          f[1 - c][i] += (c == 0 ? im : -im) * g[i];
        }
        // x'A x = (x0 + i x1)'A (x0 + i x1)
        double* to = part == PENCIL_M ? Mx : Cx;
        if (part == PENCIL_K) continue;
        to[0] += (c == 0 ? 1 : -1) * inner(x[c], g, nv);
        to[1] += (c == 0 ? 2 : 0) * inner(x[1], g, nv);
      }
    const double d0 = 2 * (a * Mx[0] - b * Mx[1]) + Cx[0], d1 = 2 * (a * Mx[1] + b * Mx[0]) + Cx[1];
    for (int c = 0; c < 2; c++) td_pencil_multipliers(p, f[c], l[c]);

    for (int i = 0; i < n; i++) {
      const double* slope = slopes + (size_t)i * count;
      double top[2] = {0, 0};
      for (pencil_part part = PENCIL_K; part <= PENCIL_M; part++) {
        const double re = part == PENCIL_K   ? 1
                          : part == PENCIL_C ? a
                                             : aa,
                     im = part == PENCIL_K   ? 0
                          : part == PENCIL_C ? b
                                             : ab;
        td_pencil_multiply(p, slope, part, false, x[0], g);
        const double q0 = inner(x[0], g, nv), cross = 2 * inner(x[1], g, nv);
        td_pencil_multiply(p, slope, part, false, x[1], g);
        const double q = q0 - inner(x[1], g, nv);
        top[0] += re * q - im * cross;
        top[1] += re * cross + im * q;
      }
      for (int c = 0; c < 2 && m > 0; c++) td_pencil_rows(p, slope, x[c], row[c]);
      if (m > 0) {
        top[0] -= 2 * (inner(l[0], row[0], m) - inner(l[1], row[1], m));
        top[1] -= 2 * (inner(l[0], row[1], m) + inner(l[1], row[0], m));
      }
      const double d = d0 * d0 + d1 * d1;
      if (dre) dre[area(i, nc) + (size_t)k] = several == 1 ? -(top[0] * d0 + top[1] * d1) / d : NAN;
      if (dim) dim[area(i, nc) + (size_t)k] = several == 1 ? -(top[1] * d0 - top[0] * d1) / d : NAN;
    }
    if (several > 1)
      note(s->work, "eigenvalue %d is one of %d: it has no derivative", k + 1, several);
  }
  free(block);
  return status;
}

// By the linear model of all states: eigenvalues of A in any order are matched with those of the
// modes; those that are one get the mean.
static td_status by_linear(td_rest* r, const td_modes_result* modes, const td_by* by, int n,
                           const td_change* changes, double* dre, double* dim) {
  const td_statics* s = r->s;
  td_linear* lin = NULL;
  TD_TRY(td_linearize(s->model, s->state, s->work, &lin));
  const int N = lin->nx, nc = modes->ncomplex;
  const size_t values = area(N, N) + area(N, lin->nu) + area(lin->ny, N) + area(lin->ny, lin->nu);
  double* block = malloc(sizeof(double) * (3 * area(N, N) + 7 * (size_t)N + values + 1));
  int* pivot = malloc(sizeof(int) * (size_t)(2 * N + 1));
  td_status status = block && pivot ? TD_OK : TD_E_NOMEM;
  double *V = block, *W = V + area(N, N), *T = W + area(N, N), *re = T + area(N, N), *im = re + N,
         *d0 = im + N, *d1 = d0 + N, *slope = d1 + N, *Ax = slope + values;
  int* match = pivot + N;
  if (status == TD_OK && (N != nc || !td_eig_general(lin->A, N, re, im, V))) status = TD_E_SINGULAR;

  // dual vectors: rows of W, where V has those of the eigenvectors in its rows
  if (status == TD_OK) {
    for (int i = 0; i < N; i++)
      for (int k = 0; k < N; k++) {
        T[area(i, N) + (size_t)k] = V[area(k, N) + (size_t)i];
        W[area(i, N) + (size_t)k] = i == k;
      }
    if (td_lu(T, N, pivot) != 0) status = TD_E_SINGULAR;
    if (status == TD_OK) td_lu_solve(T, pivot, N, W, N);
  }
  if (status == TD_E_SINGULAR)
    td_work_fail(s->work,
                 "the eigenvalues have no derivatives: eigenvectors of the linear model are not "
                 "independent, or motions without mass are not among its states");

  // the eigenvalue of A for each of the modes, each taken once
  double size = 0;
  for (int k = 0; k < N && status == TD_OK; k++) size = fmax(size, hypot(re[k], im[k]));
  for (int k = 0; k < nc && status == TD_OK; k++) {
    int best = -1;
    double near = INFINITY;
    for (int i = 0; i < N; i++) {
      bool taken = false;
      for (int c = 0; c < k; c++) taken = taken || match[c] == i;
      const double d = hypot(re[i] - modes->re[k], im[i] - modes->im[k]);
      if (!taken && d < near) near = d, best = i;
    }
    match[k] = best;
    if (near > 1e-4 * hypot(modes->re[k], modes->im[k]) + 1e-6 * size) status = TD_E_USAGE;
    if (status != TD_OK)
      td_work_fail(s->work, "eigenvalue %d of the modes is none of this equilibrium", k + 1);
  }

  for (int i = 0; i < n && status == TD_OK; i++) {
    status = td_linear_slopes(r, lin, by[i], &changes[i], slope);
    for (int k = 0, two; k < N && status == TD_OK; k += 1 + two) {
      two = im[k] != 0 && k + 1 < N;
      const double *a = V + area(k, N), *b = a + N, *wa = W + area(k, N), *wb = wa + N;
      double condition = norm(a, N) * norm(wa, N);
      td_mul(slope, a, N, N, 1, Ax);
      d0[k] = inner(wa, Ax, N);
      d1[k] = 0;
      if (two) {
        d1[k] = -inner(wb, Ax, N) / 2;
        td_mul(slope, b, N, N, 1, Ax);
        d0[k] = (d0[k] + inner(wb, Ax, N)) / 2;
        d1[k] += inner(wa, Ax, N) / 2;
        d0[k + 1] = d0[k];
        d1[k + 1] = -d1[k];
        condition = fmax(condition, norm(b, N) * norm(wb, N));
      }
      // a defective one, as of a motion that nothing holds, has none
      if (condition > 1e6) d0[k] = d1[k] = NAN;
      if (condition > 1e6 && two) d0[k + 1] = d1[k + 1] = NAN;
    }
    for (int k = 0; k < nc && status == TD_OK; k++) {
      double sum0 = 0, sum1 = 0;
      int members = 0;
      const int at = match[k];
      for (int c = 0; c < N; c++) {
        if (hypot(re[c] - re[at], im[c] - im[at]) > same * hypot(re[at], im[at])) continue;
        members++;
        sum0 += d0[c];
        sum1 += d1[c];
      }
      if (dre) dre[area(i, nc) + (size_t)k] = sum0 / members;
      if (dim) dim[area(i, nc) + (size_t)k] = sum1 / members;
      if (members > 1 && i == 0 && im[at] >= 0)
        note(s->work, "eigenvalue %d is one of %d: derivatives are of their mean", k + 1, members);
    }
  }
  td_linear_free(lin);
  free(block);
  free(pivot);
  return status;
}

// ---- all of them ------------------------------------------------------------------------------

// Changes of the equilibrium first, while its tangent is factored; then the slopes along them.
static td_status analyse(td_rest* r, const td_modes_result* modes, const td_by* by, int n,
                         td_change* changes, double* domega, double* dzeta, double* dre,
                         double* dim, double* dshape) {
  td_statics* s = r->s;
  const int nv = s->nv, m = s->m;
  for (int i = 0; i < n; i++) {
    TD_TRY(td_change_new(s->model, &changes[i]));
    TD_TRY(td_rest_change(r, by[i], &changes[i]));
  }
  job j = {.modes = modes};
  td_status status = td_pencil_new(r, &j.p);
  const bool eigen = dre || dim, large = status == TD_OK && j.p->sparse;
  const size_t count = status == TD_OK ? (size_t)j.p->first[PENCIL_PARTS] : 0;
  const size_t own = area(modes->n, m) + 6 * (size_t)nv + 2 * (size_t)m;
  double* slopes = malloc(sizeof(double) * ((size_t)n * count + own + 1));
  if (status == TD_OK && !slopes) status = TD_E_NOMEM;
  if (status == TD_OK) {
    j.l = slopes + (size_t)n * count;
    double** const parts[] = {&j.y, &j.Mphi, &j.f, &j.z, &j.x, &j.Mx};
    double* at = j.l + area(modes->n, m);
    for (int i = 0; i < 6; i++, at += nv) *parts[i] = at;
    j.row = at;
    j.nu = at + m;
    status = td_pencil_balance(j.p);
  }

  // J'l = (K - w² M) φ
  for (int k = 0; k < modes->n && status == TD_OK && m > 0; k++) {
    const double* phi = modes->shape + area(k, nv);
    td_pencil_multiply(j.p, j.p->at, PENCIL_K, false, phi, j.x);
    td_pencil_multiply(j.p, j.p->at, PENCIL_M, false, phi, j.f);
    for (int i = 0; i < nv; i++) j.x[i] -= square(modes->omega[k]) * j.f[i];
    td_pencil_multipliers(j.p, j.x, j.l + area(k, m));
  }

  // slopes of the matrices
  const td_sampled what = {(int)count, values, apart, &j};
  const bool matrices = domega || dzeta || dshape || (eigen && large);
  for (int i = 0; i < n && status == TD_OK && matrices; i++) {
    double error;
    status = td_rest_slope(r, by[i], &changes[i], &what, slopes + (size_t)i * count, &error);
    if (status == TD_OK && !(error <= TD_SLOPE_ERROR))
      status = td_refuse_slope(r, "the modes", by[i], error);
  }
  if (status == TD_OK && (domega || dzeta || dshape))
    status = natural(&j, slopes, n, domega, dzeta, dshape);
  if (status == TD_OK && eigen && large) status = by_pencil(&j, slopes, n, dre, dim);
  if (status == TD_OK && eigen && !large) status = by_linear(r, modes, by, n, changes, dre, dim);
  td_pencil_free(j.p);
  free(slopes);
  return status;
}

td_status td_modes_gradient(const td_model* model, const td_state* state, td_work* work,
                            const td_modes_result* modes, const td_by* by, int n, double* domega,
                            double* dzeta, double* dre, double* dim, double* dshape) {
  if (!model_has(model, state, work) || !td_state_is_finite(model, state) || !modes ||
      modes->model != model)
    return TD_E_USAGE;
  TD_TRY(td_by_check(model, work, by, n));
  td_rest* rest = NULL;
  td_change* changes = calloc((size_t)n + 1, sizeof *changes);
  td_status status = changes ? td_rest_new(model, state, work, &rest) : TD_E_NOMEM;
  if (status == TD_OK)
    status = analyse(rest, modes, by, n, changes, domega, dzeta, dre, dim, dshape);
  if (status == TD_OK) td_rest_note(rest);
  for (int i = 0; i < n && changes; i++) td_change_free(&changes[i]);
  free(changes);
  td_rest_free(rest);
  return status;
}
