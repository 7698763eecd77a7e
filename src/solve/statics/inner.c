// Internal states z of an equilibrium: their rates r(q, z) are zero together with the forces.  At
// every point q of Newton's method z(q) is found by a Newton iteration of its own, and the
// stiffness of the forces becomes
//
//   K + dF/dz S,   S = dz/dq                                    (static condensation)
//
// States that their rates do not determine (closed gas, integrators, quantities that are conserved)
// keep their values: z moves within the range of R = dr/dz only, as the flow z' = r(q, z) does.
// With z counted in units of its size, R = diag(ρ) Rn and Q an orthonormal basis of the range of
// Rn, dz = B y with B = diag(ρ) Q and
//
//   (Qᵀ Rn B) y = -Qᵀ r/ρ,   S = -B (Qᵀ Rn B)⁻¹ Qᵀ (dr/dq)/ρ
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "model/model.h"
#include "solve/statics/statics.h"
#include "solve/vectors.h"

enum { MOST_STEPS = 80, MOST_HALVINGS = 40 };

// Reciprocal condition (1-norm, estimated) above which a matrix has full rank by the rule of
// singular values as well, 1e-12, for thousands of rows: the two differ by the number of rows.
#define PLAINLY_REGULAR 1e-8

// Allocate the search for n internal states in one block; z0 keeps where it begins.
td_status td_inner_new(td_statics* s) {
  const size_t n = (size_t)s->model->ninternal, nv = (size_t)s->nv;
  const size_t all = (size_t)model_drives(s->model);
  td_inner* in = s->inner = calloc(1, sizeof *in);
  if (!in) return TD_E_NOMEM;
  const size_t doubles = 3 * n * nv + n * all + nv * n + 6 * n * n + 8 * n + 1;
  double* at = in->Rq = calloc(doubles, sizeof(double));
  in->pivot = calloc(n + 1, sizeof(int));
  if (!at || !in->pivot) return TD_E_NOMEM;
  double** const parts[] = {&in->Rq, &in->Rv, &in->S, &in->Ru,   &in->Fz, &in->Rn,  &in->Q,
                            &in->B,  &in->H,  &in->V, &in->G,    &in->r,  &in->rho, &in->size,
                            &in->dz, &in->y,  &in->w, &in->keep, &in->z0};
  const size_t sizes[] = {n * nv, n * nv, n * nv, n * all, nv * n, n * n, n * n,
                          n * n,  n * n,  n * n,  n * n,   n,      n,     n,
                          n,      n,      n,      n,       n};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    *parts[i] = at;
    at += sizes[i];
  }
  in->n = (int)n;
  copy(in->z0, s->state->z, in->n);
  return TD_OK;
}

void td_inner_free(td_inner* in) {
  if (!in) return;
  free(in->Rq);
  free(in->pivot);
  free(in);
}

// Rates and their derivatives at the state; false: some are no numbers.
static bool linearise(td_statics* s) {
  td_inner* in = s->inner;
  td_trial_internal_tangent(s->model, s->state, s->work, in->Rq, in->Rv, in->Ru);
  copy(in->r, td_work_rates(s->model, s->work), in->n);
  return isfinite(largest(in->r, (size_t)in->n)) &&
         isfinite(largest(in->Ru, area(in->n, model_drives(s->model))));
}

// Rank of Rn, Q and B, and the factors of Qᵀ Rn B, from the derivatives found last.
static bool factor(td_statics* s) {
  td_inner* in = s->inner;
  const int n = in->n, all = model_drives(s->model), nu = all - n;
  for (int i = 0; i < n; i++) {
    in->size[i] = fmax(fabs(s->state->z[i]), fabs(in->z0[i]));
    if (!(in->size[i] > 0)) in->size[i] = 1;
  }
  for (int i = 0; i < n; i++) {
    double* row = in->Rn + area(i, n);
    for (int j = 0; j < n; j++)
      row[j] = in->Ru[area(i, all) + (size_t)(nu + j)] * in->size[j] / in->size[i];
    in->rho[i] = norm(row, n);
    for (int j = 0; j < n && in->rho[i] > 0; j++) row[j] /= in->rho[i];
  }

  // most rates determine all states, which factors show sooner than singular values: then Q is 1
  // and H = Rn diag(ρ)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) in->H[area(i, n) + (size_t)j] = in->Rn[area(i, n) + (size_t)j];
  in->whole = td_lu_condition(in->H, n, in->pivot) > PLAINLY_REGULAR;
  if (in->whole) {
    in->rank = n;
    return true;
  }
  if (!td_singular_values(in->Rn, n, n, in->w)) return false;
  in->rank = 0;
  for (int i = 0; i < n; i++) in->rank += in->w[i] > 1e-12 * in->w[0];

  // an orthonormal basis of the range: eigenvectors of Rn Rnᵀ, or simply all directions
  const int k = in->rank;
  memset(in->Q, 0, sizeof(double) * area(n, n));
  if (k == n) {
    for (int i = 0; i < n; i++) in->Q[i * n + i] = 1;
  } else if (k > 0) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        in->H[i * n + j] = inner(in->Rn + area(i, n), in->Rn + area(j, n), n);
        in->G[i * n + j] = i == j;
      }
    if (!td_eig_symmetric(in->H, in->G, n, in->w, in->V)) return false;
    for (int j = 0; j < k; j++)
      for (int i = 0; i < n; i++) in->Q[i * k + j] = in->V[(n - 1 - j) * n + i];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k; j++) in->B[i * k + j] = in->rho[i] * in->Q[i * k + j];
  td_mul(in->Rn, in->B, n, n, k, in->V);
  td_mul_tn(in->Q, in->V, k, n, k, in->H);
  // rates that feed each other in a ring without end determine nothing either
  if (k > 0 && td_lu(in->H, k, in->pivot) != 0) in->rank = 0;
  return true;
}

// dz = -size B (Qᵀ Rn B)⁻¹ Qᵀ x/(size ρ) of rates or their derivatives x, every `stride` numbers
static void respond(td_inner* in, const double* x, int stride, double* dz, int dz_stride) {
  const int n = in->n, k = in->rank;
  if (in->whole) {  // diag(ρ) cancels: dz = -size Rn⁻¹ x/(size ρ)
    for (int i = 0; i < n; i++) in->y[i] = -x[i * stride] / (in->rho[i] * in->size[i]);
    td_lu_solve(in->H, in->pivot, n, in->y, 1);
    for (int i = 0; i < n; i++) dz[i * dz_stride] = in->size[i] * in->y[i];
    return;
  }
  for (int j = 0; j < k; j++) {
    in->y[j] = 0;
    for (int i = 0; i < n; i++)
      if (in->rho[i] > 0) in->y[j] -= in->Q[i * k + j] * x[i * stride] / (in->rho[i] * in->size[i]);
  }
  if (k > 0) td_lu_solve(in->H, in->pivot, k, in->y, 1);
  for (int i = 0; i < n; i++) dz[i * dz_stride] = in->size[i] * inner(in->B + area(i, k), in->y, k);
}

void td_inner_respond(td_statics* s, const double* rates, double* dz) {
  respond(s->inner, rates, 1, dz, 1);
}

// Rates left over, in units of the changes that they would make.
static double measure(const td_inner* in) {
  double sum = 0;
  for (int i = 0; i < in->n; i++) {
    const double e = in->rho[i] > 0 ? in->r[i] / (in->rho[i] * in->size[i]) : 0;
    sum += e * e;
  }
  return sqrt(sum);
}

// Newton's method with halved steps for r(q, z) = 0 at the q that was set; z is in s->state.
// in->failed tells that no rest was found, and z is then as at the start of the search.
void td_inner_solve(td_statics* s) {
  td_inner* in = s->inner;
  double* z = s->state->z;
  in->failed = !linearise(s) || !factor(s);
  if (in->failed) copy(z, in->z0, in->n);  // begin again where the search began
  if (in->failed) in->failed = !linearise(s) || !factor(s);
  const bool done = in->failed || in->rank == 0;
  for (int step = 0; step < MOST_STEPS && !in->failed && in->rank > 0; step++) {
    const double before = measure(in);
    double moved = 0, alpha = 1;
    respond(in, in->r, 1, in->dz, 1);
    for (int i = 0; i < in->n; i++) moved = fmax(moved, fabs(in->dz[i]) / in->size[i]);
    if (moved <= 1e-15) return;

    // as far as the rates become smaller; where rounding is all that is left nothing does
    copy(in->keep, z, in->n);
    bool better = false;
    for (int k = 0; k < MOST_HALVINGS && !better; k++, alpha /= 2) {
      for (int i = 0; i < in->n; i++) z[i] = in->keep[i] + alpha * in->dz[i];
      better = linearise(s) && measure(in) <= (1 - alpha / 4) * before;
      if (moved * alpha < 1e-13) break;
    }
    if (!better) {
      copy(z, in->keep, in->n);
      in->failed = !linearise(s) || !factor(s) || moved > 1e-9;
      if (!in->failed) return;
      break;
    }
    in->failed = !factor(s);
  }
  // rates that only fade away, and states that stop acting on their rates on the way, are no rest
  if (!done) in->failed = true;
  if (in->failed) copy(z, in->z0, in->n);  // where it was lost says nothing
}

void td_inner_slopes(td_statics* s) {
  td_inner* in = s->inner;
  const int n = in->n, nv = s->nv;
  for (int v = 0; v < nv; v++) respond(in, in->Rq + v, nv, in->S + v, nv);
  td_internal_map(s->model, s->state, s->work, in->Fz);
  for (size_t i = 0; i < area(nv, n); i++) in->Fz[i] = -in->Fz[i];
}

// Append a note about the first internal state that is held although its rate is not zero: it
// drifts away from this equilibrium.
void td_inner_note(td_statics* s, char* note, size_t size) {
  td_inner* in = s->inner;
  if (!linearise(s)) return;
  for (int i = 0; i < in->n; i++) {
    const double scale = fmax(fabs(s->state->z[i]), 1e-6);
    if (!(fabs(in->r[i]) > 1e-6 * fmax(in->rho[i], 1e-3) * scale)) continue;
    const size_t used = strlen(note);
    snprintf(note + used, size - used,
             "%sthe internal state %s stays at %.4g although its rate is %.3g: no value of it that "
             "can be "
             "reached makes the rate zero",
             used ? "; " : "", td_model_internal_name(s->model, i), s->state->z[i], in->r[i]);
    return;
  }
}

// ---- stability --------------------------------------------------------------------------------
