// Vector sums and norms for SUNDIALS; see the header for why.
#include "solve/time/sun_loops.h"

#include <math.h>
#include <nvector/nvector_serial.h>

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

void td_sun_vector(N_Vector v) {
  v->ops->nvlinearsum = linear_sum;
  v->ops->nvscale = scale;
  v->ops->nvlinearcombination = combination;
  v->ops->nvwrmsnorm = norm;
}
