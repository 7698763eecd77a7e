// Vector sums, norms and matrix updates for SUNDIALS; see the header for why.
#include "solve/time/sun_loops.h"

#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>

// z = a x + b y, where z may be x or y
static void linear_sum(realtype a, N_Vector x, realtype b, N_Vector y, N_Vector z) {
  const sunindextype n = NV_LENGTH_S(z);
  const double *xd = NV_DATA_S(x), *yd = NV_DATA_S(y);
  double* zd = NV_DATA_S(z);
  for (sunindextype i = 0; i < n; i++) zd[i] = a * xd[i] + b * yd[i];
}

static void scale(realtype c, N_Vector x, N_Vector z) {
  const sunindextype n = NV_LENGTH_S(z);
  const double* xd = NV_DATA_S(x);
  double* zd = NV_DATA_S(z);
  for (sunindextype i = 0; i < n; i++) zd[i] = c * xd[i];
}

// z = Σ c_j x_j, where z may be x_0
static int combination(int count, realtype* c, N_Vector* x, N_Vector z) {
  const sunindextype n = NV_LENGTH_S(z);
  double* zd = NV_DATA_S(z);
  scale(c[0], x[0], z);
  for (int j = 1; j < count; j++) {
    const double* xd = NV_DATA_S(x[j]);
    const double cj = c[j];
    for (sunindextype i = 0; cj != 0 && i < n; i++) zd[i] += cj * xd[i];
  }
  return 0;
}

// sqrt(mean (w x)²)
static realtype norm(N_Vector x, N_Vector w) {
  const sunindextype n = NV_LENGTH_S(x);
  const double *xd = NV_DATA_S(x), *wd = NV_DATA_S(w);
  double sum[4] = {0, 0, 0, 0};
  for (sunindextype i = 0; i < n; i++) sum[i % 4] += xd[i] * wd[i] * (xd[i] * wd[i]);
  return n > 0 ? sqrt((sum[0] + sum[2] + sum[1] + sum[3]) / (double)n) : 0;
}

static int copy(SUNMatrix A, SUNMatrix B) {
  const size_t n = (size_t)SM_LDATA_D(A);
  memcpy(SM_DATA_D(B), SM_DATA_D(A), n * sizeof(double));
  return SUNMAT_SUCCESS;
}

// A = c A + 1
static int scale_add_one(realtype c, SUNMatrix A) {
  const sunindextype n = SM_ROWS_D(A), all = SM_LDATA_D(A);
  double* x = SM_DATA_D(A);
  for (sunindextype i = 0; i < all; i++) x[i] *= c;
  for (sunindextype i = 0; i < n; i++) x[i * n + i] += 1;
  return SUNMAT_SUCCESS;
}

static SUNMatrix clone(SUNMatrix A) {
  SUNMatrix B = SUNDenseMatrix(SM_ROWS_D(A), SM_COLUMNS_D(A), A->sunctx);
  if (B != NULL) td_sun_matrix(B);
  return B;
}

void td_sun_vector(N_Vector v) {
  v->ops->nvlinearsum = linear_sum;
  v->ops->nvscale = scale;
  v->ops->nvlinearcombination = combination;
  v->ops->nvwrmsnorm = norm;
}

void td_sun_matrix(SUNMatrix A) {
  A->ops->clone = clone;
  A->ops->copy = copy;
  A->ops->scaleaddi = scale_add_one;
}
