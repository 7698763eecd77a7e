// Texts of printed C; see c_parts.h.
#include "gen/c_parts.h"

#include <math.h>
#include <string.h>

// Append a number with all its digits.
void td_c_number(td_text* out, double x) {
  if (isfinite(x))
    td_text_printf(out, "%.17g", x);
  else
    td_text_printf(out, "%s%s", x < 0 ? "-" : "", isnan(x) ? "NAN" : "INFINITY");
}

// Append a text with '@' replaced by the name.
void td_c_put(td_text* out, const char* text, const char* name) {
  while (*text) {
    const int n = (int)strcspn(text, "@");
    td_text_addn(out, text, n);
    text += n;
    if (*text == '@') {
      td_text_add(out, name);
      text++;
    }
  }
}

// ---- helpers of expressions -------------------------------------------------------------------

// Declarations of <math.h> that printed expressions use, for libtcc, which reads no headers.
const char td_c_math[] =
    "double pow(double, double), atan2(double, double), fmod(double, double);\n"
    "double fmin(double, double), fmax(double, double), hypot(double, double);\n"
    "double sqrt(double), exp(double), log(double), sin(double), cos(double), tan(double);\n"
    "double asin(double), acos(double), atan(double), sinh(double), cosh(double), tanh(double);\n"
    "double fabs(double), floor(double), ceil(double), round(double);\n"
    "#define INFINITY (1e308 * 10)\n"
    "#define NAN (INFINITY - INFINITY)\n";

const char td_c_sign[] =
    "static double td_sign(double x) { return (double)((x > 0) - (x < 0)); }\n";

const char td_c_step[] =
    "static double td_step(double x, double x0) { return x >= x0 ? 1.0 : 0.0; }\n";

const char td_c_mod[] =
    "static double td_mod(double x, double y) {\n"
    "  if (!(y < 0) && !(y > 0)) return x;\n"
    "  if (fabs(y) > 1.7976931348623157e308) return y - y;  // NaN\n"
    "  const double n = round(x / y);\n"
    "  if ((y < round(y) || y > round(y)) && fabs(x / y - n) < 2.220446049250313e-16 * fabs(n)) "
    "return 0;\n"
    "  const double r = fmod(x, y);\n"
    "  return (r < 0 && y > 0) || (r > 0 && y < 0) ? r + y : r;\n"
    "}\n";

const char td_c_pieces[] =
    "// Piecewise polynomial: n knots, n - 1 pieces of `order` coefficients, lowest power first.\n"
    "static double td_pieces(const double* knots, int n, const double* coef, int order, int "
    "clamp,\n"
    "                        double x) {\n"
    "  if (clamp) x = fmin(fmax(x, knots[0]), knots[n - 1]);\n"
    "  int low = 0, high = n - 1;\n"
    "  const double guess = (x - knots[0]) / (knots[n - 1] - knots[0]) * (n - 1);\n"
    "  const int first = guess > 0 ? (guess < n - 2 ? (int)guess : n - 2) : 0;\n"
    "  if (knots[first] <= x) {\n"
    "    low = first;\n"
    "    if (x < knots[first + 1]) high = first + 1;\n"
    "  } else if (first > 0) {\n"
    "    high = first;\n"
    "  }\n"
    "  while (high - low > 1) {\n"
    "    const int mid = low + (high - low) / 2;\n"
    "    if (knots[mid] <= x) {\n"
    "      low = mid;\n"
    "    } else {\n"
    "      high = mid;\n"
    "    }\n"
    "  }\n"
    "  const double* c = coef + low * order;\n"
    "  const double dx = x - knots[low];\n"
    "  double y = c[order - 1];\n"
    "  for (int k = order - 2; k >= 0; k--) y = y * dx + c[k];\n"
    "  return y;\n"
    "}\n";

// ---- mass matrix ------------------------------------------------------------------------------

const char td_c_multiply[] =
    "// M += sum T' diag(m, I) T over the masses; T is 6 x n, D = [m, I] of each\n"
    "static void @_multiply(const double* T, const double* D, double* M) {\n"
    "  const int* column = columns;\n"
    "  for (int k = 0; k < nmass; k++, D += 10) {\n"
    "    const int n = *column++;\n"
    "    for (int j = 0; j < n; j++) {\n"
    "      double W[6];\n"
    "      for (int c = 0; c < 3; c++) {\n"
    "        W[c] = D[0] * T[c * n + j];\n"
    "        W[3 + c] = D[3 * c + 1] * T[3 * n + j] + D[3 * c + 2] * T[4 * n + j] +\n"
    "                   D[3 * c + 3] * T[5 * n + j];\n"
    "      }\n"
    "      double row[widest];\n"
    "      for (int i = 0; i <= j; i++) {\n"
    "        row[i] = T[i] * W[0] + T[n + i] * W[1] + T[2 * n + i] * W[2] + T[3 * n + i] * W[3] +\n"
    "                 T[4 * n + i] * W[4] + T[5 * n + i] * W[5];\n"
    "      }\n"
    "      for (int i = 0; i <= j; i++) {\n"
    "        const int a = column[i] > column[j] ? column[i] : column[j];\n"
    "        const int b = column[i] > column[j] ? column[j] : column[i];\n"
    "        M[diag[a] - (a - b)] += row[i];\n"
    "      }\n"
    "    }\n"
    "    column += n;\n"
    "    T += 6 * n;\n"
    "  }\n"
    "}\n";

// ---- interface --------------------------------------------------------------------------------

const char td_c_interface[] =
    "// State, inputs and parameters at the start.\n"
    "void @_initial(double* q, double* v, double* u, double* p);\n"
    "\n"
    "// v' and the multipliers.  `work` has @_nwork numbers.  0: done; k > 0: the mass matrix is\n"
    "// singular at its k-th row; k > @_nv: constraint rows are too near to dependent to be told\n"
    "// apart by this code.\n"
    "int @_forward(double t, const double* q, const double* v, const double* u, const double* p,\n"
    "              double* vdot, double* lambda, double* work);\n"
    "\n"
    "// All terms, M (nv x nv) and J (nrow x nv) row by row.  `packed` has @_nM numbers.\n"
    "void @_eom(double t, const double* q, const double* v, const double* u, const double* p,\n"
    "           double* M, double* h, double* tau, double* J, double* gamma, double* packed);\n"
    "\n";

#define UNPACK(terms)                                                                            \
  "\nvoid @_eom(double t, const double* q, const double* v, const double* u, const double* p,\n" \
  "           double* M, double* h, double* tau, double* J, double* gamma, double* packed) "     \
  "{\n" terms                                                                                    \
  "  for (int i = 0; i < @_nv; i++)\n"                                                           \
  "    for (int j = 0; j <= i; j++) {\n"                                                         \
  "      const double x = j < first[i] ? 0 : packed[diag[i] - (i - j)];\n"                       \
  "      M[i * @_nv + j] = x;\n"                                                                 \
  "      M[j * @_nv + i] = x;\n"                                                                 \
  "    }\n"                                                                                      \
  "}\n"
const char td_c_unpack[] =
    UNPACK("  @_terms(t, q, v, u, p, packed, h, tau);\n  (void)J;\n  (void)gamma;\n");
const char td_c_unpack_rows[] = UNPACK("  @_terms(t, q, v, u, p, packed, h, tau, J, gamma);\n");
#undef UNPACK

// ---- solution ---------------------------------------------------------------------------------

const char td_c_factor[] =
    "\n// L D L' of the packed matrix in its place; k > 0: its k-th pivot is not positive.\n"
    "static int factor(int n, double* A) {\n"
    "  for (int i = 0; i < n; i++) {\n"
    "    double* row = A + diag[i] - i;\n"
    "    for (int j = first[i]; j < i; j++) {\n"
    "      const double* other = A + diag[j] - j;\n"
    "      double sum = row[j];\n"
    "      for (int k = first[i] > first[j] ? first[i] : first[j]; k < j; k++) {\n"
    "        sum -= row[k] * other[k];\n"
    "      }\n"
    "      row[j] = sum;\n"
    "    }\n"
    "    for (int j = first[i]; j < i; j++) {\n"
    "      const double scaled = row[j] / A[diag[j]];\n"
    "      row[i] -= scaled * row[j];\n"
    "      row[j] = scaled;\n"
    "    }\n"
    "    if (!(row[i] > 0)) return i + 1;\n"
    "  }\n"
    "  return 0;\n"
    "}\n"
    "\n"
    "static void solve(int n, const double* A, double* x) {\n"
    "  for (int i = 0; i < n; i++) {\n"
    "    const double* row = A + diag[i] - i;\n"
    "    for (int k = first[i]; k < i; k++) x[i] -= row[k] * x[k];\n"
    "  }\n"
    "  for (int i = 0; i < n; i++) x[i] /= A[diag[i]];\n"
    "  for (int i = n - 1; i >= 0; i--) {\n"
    "    const double* row = A + diag[i] - i;\n"
    "    for (int k = first[i]; k < i; k++) x[k] -= row[k] * x[i];\n"
    "  }\n"
    "}\n";

// Selection of independent rows as in math/kkt.c: rows divided by their sizes, columns multiplied
// by M_jj^-1/2, pivots above 1e-10.
const char td_c_rows[] =
    "\n// Which rows are independent: their numbers in `order`, how many are returned.  X has "
    "room\n"
    "// for J, scale for n numbers.\n"
    "static int independent(int n, int m, const double* J, const double* M, double* X, double* "
    "scale,\n"
    "                       double* order) {\n"
    "  int rank = 0;\n"
    "  for (int i = 0; i < n; i++) scale[i] = M[diag[i]] > 0 ? 1 / sqrt(M[diag[i]]) : 1;\n"
    "  for (int r = 0; r < m; r++) {\n"
    "    order[r] = r;\n"
    "    for (int i = 0; i < n; i++) X[r * n + i] = row_factor[r] * J[r * n + i] * scale[i];\n"
    "  }\n"
    "  for (; rank < most_rows; rank++) {\n"
    "    int best = rank;\n"
    "    double longest = 0;\n"
    "    for (int r = rank; r < m; r++) {\n"
    "      double sum = 0;\n"
    "      for (int i = 0; i < n; i++) sum += X[r * n + i] * X[r * n + i];\n"
    "      if (sum > longest) {\n"
    "        longest = sum;\n"
    "        best = r;\n"
    "      }\n"
    "    }\n"
    "    if (!(longest > 1e-20)) break;\n"
    "    double *a = X + rank * n, *b = X + best * n;\n"
    "    const double moved = order[rank];\n"
    "    order[rank] = order[best];\n"
    "    order[best] = moved;\n"
    "    for (int i = 0; i < n; i++) {\n"
    "      const double x = b[i];\n"
    "      b[i] = a[i];\n"
    "      a[i] = x / sqrt(longest);\n"
    "    }\n"
    "    for (int r = rank + 1; r < m; r++) {\n"
    "      double sum = 0, *c = X + r * n;\n"
    "      for (int i = 0; i < n; i++) sum += a[i] * c[i];\n"
    "      for (int i = 0; i < n; i++) c[i] -= sum * a[i];\n"
    "    }\n"
    "  }\n"
    "  return rank;\n"
    "}\n"
    "\n"
    "// Factors of S, symmetric and positive definite, in its place; k > 0: its k-th pivot is "
    "rounding,\n"
    "// of a diagonal that was about 1.\n"
    "static int factor_rows(int n, double* S) {\n"
    "  for (int i = 0; i < n; i++) {\n"
    "    if (!(S[i * n + i] > 1e-13)) return i + 1;\n"
    "    for (int r = i + 1; r < n; r++) {\n"
    "      const double l = S[r * n + i] / S[i * n + i];\n"
    "      for (int k = i + 1; k < n; k++) S[r * n + k] -= l * S[i * n + k];\n"
    "    }\n"
    "  }\n"
    "  return 0;\n"
    "}\n"
    "\n"
    "static void solve_rows(int n, const double* S, double* b) {\n"
    "  for (int i = 0; i < n; i++)\n"
    "    for (int r = i + 1; r < n; r++) b[r] -= S[r * n + i] / S[i * n + i] * b[i];\n"
    "  for (int i = n - 1; i >= 0; i--) {\n"
    "    for (int k = i + 1; k < n; k++) b[i] -= S[i * n + k] * b[k];\n"
    "    b[i] /= S[i * n + i];\n"
    "  }\n"
    "}\n";

const char td_c_forward[] =
    "\nint @_forward(double t, const double* q, const double* v, const double* u, const double* "
    "p,\n"
    "              double* vdot, double* lambda, double* work) {\n"
    "  double* M = work;\n"
    "  double* h = M + @_nM;\n"
    "  double* tau = h + @_nv;\n"
    "  double* a = tau + @_nv;\n"
    "  double* vs = a + @_nv;\n"
    "  double* qs = vs + @_nv;\n"
    "  for (int i = 0; i < @_nq; i++) qs[i] = q[i];\n"
    "  for (int i = 0; i < @_nv; i++) vs[i] = v[i];\n"
    "  for (int i = 0; i < @_nv; i++) a[i] = 0;\n";

const char td_c_given[] =
    "  // given accelerations go to the right-hand side\n"
    "  for (int i = 0; i < @_nv; i++)\n"
    "    for (int j = first[i]; j <= i; j++) {\n"
    "      double* x = &M[diag[i] - (i - j)];\n"
    "      if (given[j]) h[i] += *x * a[j];\n"
    "      if (given[i] && j < i) h[j] += *x * a[i];\n"
    "      if (given[i] || given[j]) *x = i == j ? 1 : 0;\n"
    "    }\n"
    "  for (int i = 0; i < @_nv; i++) {\n"
    "    if (!given[i]) continue;\n"
    "    h[i] = -a[i];\n"
    "    tau[i] = 0;\n";

const char td_c_given_rows[] =
    "    for (int r = 0; r < @_nrow; r++) {\n"
    "      gamma[r] += J[r * @_nv + i] * a[i];\n"
    "      J[r * @_nv + i] = 0;\n"
    "    }\n";

const char td_c_solve[] =
    "  for (int i = 0; i < @_nv; i++) vdot[i] = tau[i] - h[i];\n"
    "  (void)lambda;\n"
    "  const int bad = factor(@_nv, M);\n"
    "  if (bad != 0) return bad;\n"
    "  solve(@_nv, M, vdot);\n";

const char td_c_solve_rows[] =
    "  const int rank = independent(@_nv, @_nrow, J, M, X, vdot, order);\n"
    "  for (int i = 0; i < @_nv; i++) vdot[i] = tau[i] - h[i];\n"
    "  int bad = factor(@_nv, M);\n"
    "  if (bad != 0) return bad;\n"
    "  solve(@_nv, M, vdot);\n"
    "  // S = J M^-1 J' for these rows, the others follow from them\n"
    "  for (int r = 0; r < rank; r++) {\n"
    "    const int row = (int)order[r];\n"
    "    double* x = X + r * @_nv;\n"
    "    for (int i = 0; i < @_nv; i++) x[i] = J[row * @_nv + i];\n"
    "    solve(@_nv, M, x);\n"
    "    for (int k = 0; k <= r; k++) {\n"
    "      const int other = (int)order[k];\n"
    "      double sum = 0;\n"
    "      for (int i = 0; i < @_nv; i++) sum += J[other * @_nv + i] * x[i];\n"
    "      S[r * rank + k] = S[k * rank + r] = row_factor[row] * row_factor[other] * sum;\n"
    "    }\n"
    "  }\n"
    "  bad = factor_rows(rank, S);\n"
    "  if (bad != 0) return @_nv + bad;\n"
    "  // S lambda = -gamma - J v'; rows that are nearly dependent have the square of their "
    "condition "
    "in\n"
    "  // S, and what rounding leaves of them is taken away by two more corrections\n"
    "  int passes = 1;\n"
    "  for (int r = 0; r < rank; r++) passes = S[r * rank + r] < 1e-6 ? 3 : passes;\n"
    "  for (int r = 0; r < @_nrow; r++) lambda[r] = 0;\n"
    "  while (passes-- > 0) {\n"
    "    for (int r = 0; r < rank; r++) {\n"
    "      const int row = (int)order[r];\n"
    "      double right = -gamma[row];\n"
    "      for (int i = 0; i < @_nv; i++) right -= J[row * @_nv + i] * vdot[i];\n"
    "      h[r] = row_factor[row] * right;\n"
    "    }\n"
    "    solve_rows(rank, S, h);\n"
    "    for (int r = 0; r < rank; r++) {\n"
    "      const double l = h[r] * row_factor[(int)order[r]];\n"
    "      lambda[(int)order[r]] += l;\n"
    "      for (int i = 0; i < @_nv; i++) vdot[i] += X[r * @_nv + i] * l;\n"
    "    }\n"
    "  }\n";

// ---- comparison -------------------------------------------------------------------------------

const char td_c_check[] =
    "\n// Largest difference relative to the largest number.\n"
    "static double deviation(const double* got, const double* want, int n) {\n"
    "  double error = 0, scale = 1e-300;\n"
    "  for (int i = 0; i < n; i++) {\n"
    "    const double e = isnan(got[i] - want[i]) ? HUGE_VAL : fabs(got[i] - want[i]);\n"
    "    const int same = isnan(want[i]) ? isnan(got[i])\n"
    "                                    : isinf(want[i]) && isinf(got[i]) && (got[i] > 0) == "
    "(want[i] > 0);\n"
    "    if (isfinite(want[i]) && fabs(want[i]) > scale) scale = fabs(want[i]);\n"
    "    if (!same && e > error) error = e;\n"
    "  }\n"
    "  return n > 0 && error > 0 ? error / scale : 0;\n"
    "}\n"
    "\n"
    "static double M[@_nv * @_nv + 1], h[@_nv + 1], tau[@_nv + 1], J[@_nrow * @_nv + 1];\n"
    "static double gamma_[@_nrow + 1], vdot[@_nv + 1], lambda[@_nrow + 1];\n"
    "static double packed[@_nM + 1], work[@_nwork];\n"
    "\n";

const char td_c_check_sensors[] =
    "static double sensors_deviation(void) {\n"
    "  double y[@_ny];\n"
    "  @_sensors(t, q, v, u, p, vdot, lambda, y);\n"
    "  return deviation(y, want_y, @_ny);\n"
    "}\n\n";

const char td_c_check_none[] = "static double sensors_deviation(void) { return 0; }\n\n";

const char td_c_check_main[] =
    "int main(void) {\n"
    "  @_eom(t, q, v, u, p, M, h, tau, J, gamma_, packed);\n"
    "  if (@_forward(t, q, v, u, p, vdot, lambda, work) != 0) {\n"
    "    puts(\"the mass matrix is singular\");\n"
    "    return 1;\n"
    "  }\n"
    "  const double error[5] = {deviation(M, want_M, nM), deviation(h, want_h, @_nv),\n"
    "                           deviation(tau, want_tau, @_nv), deviation(vdot, want_vdot, "
    "@_nv),\n"
    "                           sensors_deviation()};\n"
    "  static const double limit[5] = {1e-11, 1e-11, 1e-11, 1e-8, 1e-8};  // v' has the condition "
    "of M\n"
    "  static const char* const name[5] = {\"M\", \"h\", \"tau\", \"vdot\", \"sensors\"};\n"
    "  int bad = 0;\n"
    "  for (int i = 0; i < 5; i++) {\n"
    "    if (i == 0 && nM == 0 && @_nv > 0)\n"
    "      puts(\"@ M: left out, too large for a table; vdot depends on all of it\");\n"
    "    else\n"
    "      printf(\"@ %s: %.2e\\n\", name[i], error[i]);\n"
    "    if (!(error[i] < limit[i])) bad = 1;\n"
    "  }\n"
    "  return bad;\n"
    "}\n";
