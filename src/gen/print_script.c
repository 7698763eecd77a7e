// Octave (and Matlab) functions, and a Python module on numpy.  The two languages differ in
// spelling, not in structure: each function reads its inputs, names shared expressions, and fills
// its outputs.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "gen/identifier.h"
#include "gen/program.h"

// A text in one of the two languages while it is printed.
typedef struct script {
  gen_program* p;
  td_text* out;
  bool python;
} script;

static const char* pick(const script* s, const char* octave, const char* python) {
  return s->python ? python : octave;
}

static void print(const script* s, ex e) {
  td_ex_print(s->p->d->g, e, s->python ? TD_SYNTAX_PYTHON : TD_SYNTAX_OCTAVE, s->out);
}

static const char* end_of_line(const script* s) { return pick(s, ";\n", "\n"); }

// Print an array element, x(3) or x[2], of an index counted from 0.
static void place(const script* s, const char* array, int i) {
  td_text_printf(s->out, s->python ? "%s[%d]" : "%s(%d)", array, i + !s->python);
}

// Print an array of numbers.
static void numbers(const script* s, const double* x, int n) {
  td_text_add(s->out, pick(s, "[", "np.array(["));
  for (int i = 0; i < n; i++) {
    td_text_add(s->out, i ? ", " : "");
    if (isfinite(x[i]))
      td_text_printf(s->out, "%.17g", x[i]);
    else  // nan and inf of both languages; Python has them in numpy
      td_text_printf(s->out, "%s%s", x[i] < 0 ? "-" : "",
                     isnan(x[i]) ? pick(s, "nan", "np.nan") : pick(s, "inf", "np.inf"));
  }
  td_text_add(s->out, pick(s, "]", "], dtype=float)"));
}

// Print a list of integers, shifted to indices that begin at 0 or 1.
static void ints(const script* s, const int* x, int n, int shift) {
  td_text_add(s->out, "[");
  for (int i = 0; i < n; i++) td_text_printf(s->out, "%s%d", i ? ", " : "", x[i] + shift);
  td_text_add(s->out, "]");
}

// ---- functions --------------------------------------------------------------------------------

// Print the statement that makes an array of zeros; one row is a vector.
static void zeros(const script* s, const char* name, int rows, int cols) {
  if (s->python && rows == 1) {
    td_text_printf(s->out, "    %s = np.zeros(%d)\n", name, cols);
  } else if (s->python) {
    td_text_printf(s->out, "    %s = np.zeros((%d, %d))\n", name, rows, cols);
  } else {
    const bool vector = rows == 1;
    td_text_printf(s->out, "    %s = zeros(%d, %d);\n", name, vector ? cols : rows,
                   vector ? 1 : cols);
  }
}

// Print output number `root`, all outputs of the function being numbered one after the other.
static void output_place(const script* s, const gen_function* f, int root, const char* indent) {
  for (int i = 0; i < f->nout; i++) {
    const gen_output* o = &f->out[i];
    const int n = o->rows * o->cols, row = root / o->cols, col = root % o->cols, one = !s->python;
    if (root >= n) {
      root -= n;
      continue;
    }
    td_text_add(s->out, indent);
    if (o->rows == 1) {
      place(s, o->name, root);
    } else {
      td_text_printf(s->out, s->python ? "%s[%d, %d]" : "%s(%d, %d)", o->name, row + one,
                     col + one);
    }
    return;
  }
}

// Print x12 = e, or the output M(3) = e, or M(3) = M(3) + e where points of a quadrature add up.
static void assign(const script* s, const gen_function* f, const statement* st, ex e,
                   const char* indent) {
  if (st->x > 0) {
    td_text_printf(s->out, "%sx%d = ", indent, st->x);
  } else {
    output_place(s, f, st->root, indent);
    td_text_add(s->out, " = ");
    if (f->quadrature > 0) {
      output_place(s, f, st->root, "");
      td_text_add(s->out, " + ");
    }
  }
  print(s, e);
  td_text_add(s->out, end_of_line(s));
}

// Print the statements that read the inputs which a listing uses.
static void read_inputs(const script* s, const listing* l) {
  static const char arrays[] = "qvpalucsz";
  static const char* const names[] = {"q", "v", "p", "a", "lambda_", "u", "u", "sums", "z"};
  const gen_program* p = s->p;
  for (int var = 0; var < p->ninput; var++) {
    const gen_input* in = &p->input[var];
    if (!l->used[var] || in->array == 't' || in->array == 0) continue;
    td_text_add(s->out, "    ");
    print(s, td_ex_var(p->d->g, var));
    td_text_add(s->out, " = ");
    place(s, names[strchr(arrays, in->array) - arrays],
          in->array == 'c' ? p->d->nu + in->index : in->index);
    td_text_add(s->out, end_of_line(s));
  }
}

// Print the statements of a listing.  A choice becomes an if statement in Octave and Matlab, which
// have no expression that evaluates only one of two values.
static void statements(const script* s, const gen_function* f, const listing* l) {
  const td_exprs* g = s->p->d->g;
  for (int i = 0; i < l->n; i++) {
    const statement* st = &l->list[i];
    if (s->python || td_ex_op(g, st->e) != EX_IFELSE) {
      assign(s, f, st, st->e, "    ");
      continue;
    }
    td_text_add(s->out, "    if ");
    print(s, td_ex_arg(g, st->e, 0));
    td_text_add(s->out, "\n");
    assign(s, f, st, td_ex_arg(g, st->e, 1), "        ");
    td_text_add(s->out, "    else\n");
    assign(s, f, st, td_ex_arg(g, st->e, 2), "        ");
    td_text_add(s->out, "    end\n");
  }
}

// ---- sums over quadrature points --------------------------------------------------------------

// Print the numbers z of a quadrature's points, one row for each point.
static void write_points(const script* s, int quadrature) {
  const tmt_quadrature* l = &s->p->d->quadrature[quadrature];
  td_text_add(s->out, pick(s, "[", "np.array(["));
  for (int i = 0; i < l->n; i++) {
    td_text_add(s->out, pick(s, i ? ";\n        " : "", i ? ",\n    [" : "["));
    for (int k = 0; k < l->nz; k++) {
      td_text_printf(s->out, "%s%.17g", k ? ", " : "", l->data[k * l->n + i]);
    }
    if (s->python) td_text_add(s->out, "]");
  }
  td_text_add(s->out, pick(s, "];\n", "])\n"));
}

// Print one call for each point; `more` are its further arguments, `to` what it returns.
static void call_points(const script* s, const char* name, int quadrature, const char* more,
                        const char* to) {
  if (s->python) {
    td_text_printf(s->out, "    for z in points%d:\n        %s = %s(t, q, v, u, p, z, %s)\n",
                   quadrature + 1, to, name, more);
  } else {
    td_text_printf(
        s->out,
        "    points = %s_points%d();\n    for i = 1:%d\n        [%s] = %s_%s(t, q, v, u, "
        "p, points(i, :), %s);\n    end\n",
        s->p->name, quadrature + 1, s->p->d->quadrature[quadrature].n, to, s->p->name, name, more);
  }
}

// Print the calls that add all points to h, tau and the packed mass matrix named M.
static void call_all_points(const script* s, const char* M) {
  for (int i = 0; i < s->p->d->nquadrature; i++) {
    char name[40], more[60], to[40];
    snprintf(name, sizeof name, "point%d", i + 1);
    snprintf(more, sizeof more, "%s, %s, h, tau", s->p->d->nsum > 0 ? "sums" : "0", M);
    snprintf(to, sizeof to, "%s, h, tau", M);
    call_points(s, name, i, more, to);
  }
}

// Print the statements that compute M = Σ Tᵀ diag(m, I) T from the factors, which are 6 n numbers
// of T and 10 of D = [m, I] for each mass.
static void multiply(const script* s) {
  const td_derived* d = s->p->d;
  int at = 0;
  td_text_printf(s->out, s->python ? "    M = np.zeros((%d, %d))\n" : "    M = zeros(%d, %d);\n",
                 d->nv, d->nv);
  for (int k = 0; k < d->nmass; k++) {
    const tmt_mass* mass = &d->mass[k];
    td_text_add(s->out, "    c = ");
    ints(s, mass->v, mass->n, s->python ? 0 : 1);
    td_text_add(s->out, end_of_line(s));
    if (s->python) {
      td_text_printf(s->out,
                     "    Tk = T[%d:%d].reshape(6, %d)\n"
                     "    M[np.ix_(c, c)] += D[%d]*(Tk[:3].T @ Tk[:3]) + "
                     "Tk[3:].T @ D[%d:%d].reshape(3, 3) @ Tk[3:]\n",
                     at, at + 6 * mass->n, mass->n, 10 * k, 10 * k + 1, 10 * k + 10);
    } else {
      td_text_printf(s->out,
                     "    Tk = reshape(T(%d:%d), %d, 6)';\n"
                     "    M(c, c) = M(c, c) + D(%d)*(Tk(1:3, :)'*Tk(1:3, :)) + "
                     "Tk(4:6, :)'*reshape(D(%d:%d), 3, 3)'*Tk(4:6, :);\n",
                     at + 1, at + 6 * mass->n, mass->n, 10 * k + 1, 10 * k + 2, 10 * k + 10);
    }
    at += 6 * mass->n;
  }
}

// Print the code that unpacks the lower rows of the mass matrix into the whole matrix.
static void unpack_mass(const script* s) {
  const gen_program* p = s->p;
  const int nv = p->d->nv;
  td_text_printf(s->out, s->python ? "    M = np.zeros((%d, %d))\n" : "    M = zeros(%d, %d);\n",
                 nv, nv);
  td_text_add(s->out, "    first = ");
  ints(s, p->first, nv, s->python ? 0 : 1);
  td_text_add(s->out, end_of_line(s));
  if (s->python) {
    td_text_printf(s->out,
                   "    k = 0\n    for i in range(%d):\n        n = i - first[i] + 1\n"
                   "        M[i, first[i]:i + 1] = packed[k:k + n]\n"
                   "        M[first[i]:i + 1, i] = packed[k:k + n]\n        k += n\n",
                   nv);
  } else {
    td_text_printf(s->out,
                   "    k = 0;\n    for i = 1:%d\n        n = i - first(i) + 1;\n"
                   "        M(i, first(i):i) = packed(k + 1:k + n)';\n"
                   "        M(first(i):i, i) = packed(k + 1:k + n);\n        k = k + n;\n    end\n",
                   nv);
  }
}

static bool is_terms(const gen_function* f) { return strcmp(f->name, "terms") == 0; }

// Print the names of what a function returns.
static void result_names(const gen_function* f, td_text* out) {
  int n = 0;
  if (f->products) td_text_add(out, "M"), n++;
  for (int i = 0; i < f->nout; i++) {
    if (f->out[i].local) continue;
    td_text_printf(out, "%s%s", n++ ? ", " : "", f->out[i].name);
  }
}

// Print what completes the mass matrix: products of factors or packed rows, and the points' terms.
static void finish_mass(const script* s, const gen_function* f) {
  const td_derived* d = s->p->d;
  const char* end = end_of_line(s);
  if (f->products && d->nquadrature > 0) {
    zeros(s, "packed", 1, s->p->nprofile);
    call_all_points(s, "packed");
    unpack_mass(s);
    td_text_printf(s->out, "    Mp = M%s", end);
  }
  if (f->products) multiply(s);
  if (f->products && d->nquadrature > 0) td_text_printf(s->out, "    M = M + Mp%s", end);
  if (f->products) return;
  call_all_points(s, "M");
  td_text_printf(s->out, "    packed = M%s", end);
  unpack_mass(s);
}

// Print one function.  False: no memory.
static bool write_function(const script* s, const gen_function* f) {
  const gen_program* p = s->p;
  listing l;
  if (!td_program_list(s->p, f, true, &l)) return false;

  // head with arguments
  const char* arguments = f->sums             ? "t, q, v, u, p, z, sums"
                          : f->quadrature > 0 ? "t, q, v, u, p, z, sums, M, h, tau"
                          : f->given          ? "t, u, p, q, v, a"
                          : f->motion         ? "t, q, v, u, p, a, lambda_"
                                              : "t, q, v, u, p";
  if (s->python) {
    td_text_printf(
        s->out,
        "\n\n@np.errstate(divide='ignore', invalid='ignore')\ndef %s(%s):\n    \"\"\"%s\"\"\"\n",
        f->name, arguments, f->what);
  } else {
    td_text_add(s->out, "function [");
    result_names(f, s->out);
    td_text_printf(s->out, "] = %s_%s(%s)\n%% %s\n", p->name, f->name, arguments, f->what);
  }

  // cleared outputs, and sums over points
  for (int i = 0; i < f->nout && !f->given && f->quadrature == 0; i++)
    zeros(s, f->out[i].name, f->out[i].rows, f->out[i].cols);
  const bool sums = td_program_uses_sums(p, &l) || (is_terms(f) && p->d->nsum > 0);
  if (sums && f->quadrature == 0) {
    td_text_printf(s->out, s->python ? "    sums = np.zeros(%d)\n" : "    sums = zeros(%d, 1);\n",
                   p->d->nsum);
    for (int i = 0; i < p->d->nsum; i++) {
      char name[40];
      snprintf(name, sizeof name, "total%d", i + 1);
      call_points(s, name, p->d->sum[i].quadrature, "sums", "sums");
    }
  }

  read_inputs(s, &l);
  statements(s, f, &l);
  if (is_terms(f)) finish_mass(s, f);
  if (s->python) {
    td_text_add(s->out, "    return ");
    result_names(f, s->out);
    td_text_add(s->out, "\n");
  } else {
    td_text_add(s->out, "end\n");
  }
  td_listing_free(&l);
  return !s->out->failed;
}

// ---- tables -----------------------------------------------------------------------------------

// Print a table of the graph, a piecewise polynomial; few models have any.
static void write_table(const script* s, int k) {
  const td_ex_pieces t = td_exprs_table(s->p->d->g, k);
  if (s->python) {
    td_text_printf(s->out, "\n\ndef td_table_%d(x):\n    return td_pieces(", k);
  } else {
    td_text_printf(s->out, "function y = td_table_%d(x)\n    y = td_pieces(", k);
  }
  numbers(s, t.knots, t.n);
  td_text_add(s->out, ", ");
  numbers(s, t.coef, (t.n - 1) * t.order);
  td_text_printf(s->out, ", %d, %d, x)%s", t.order, t.clamp, pick(s, ";\nend\n", "\n"));
}

static const char octave_pieces[] =
    "function y = td_pieces(knots, coef, order, clamp, x)\n"
    "    if clamp, x = min(max(x, knots(1)), knots(end)); end\n"
    "    k = find(knots(1:end-1) <= x, 1, 'last');\n"
    "    if isempty(k), k = 1; end\n"
    "    y = polyval(fliplr(coef((k - 1)*order + (1:order))), x - knots(k));\n"
    "end\n";

static const char python_mod[] =
    "\n\ndef td_mod(x, y):\n"
    "    if y == 0:\n        return x\n"
    "    if np.isinf(y):\n        return np.nan\n"
    "    q = x/y\n"
    "    n = np.round(q)\n"
    "    if y != np.round(y) and abs(q - n) < np.finfo(float).eps*abs(n):\n        return 0.0\n"
    "    return np.mod(x, y)\n";

static const char python_pieces[] =
    "\n\ndef td_pieces(knots, coef, order, clamp, x):\n"
    "    if clamp:\n"
    "        x = min(max(x, knots[0]), knots[-1])\n"
    "    k = min(max(int(np.searchsorted(knots, x, side='right')) - 1, 0), len(knots) - 2)\n"
    "    return np.polyval(coef[k*order:(k + 1)*order][::-1], x - knots[k])\n";

// ---- initial state, solution, check -----------------------------------------------------------

// Inputs u (nu) followed by the integrated controls, as one array; NULL: no memory
static double* all_inputs(const script* s, const td_state* state, const gen_reference* r) {
  const td_derived* d = s->p->d;
  double* u = malloc(((size_t)(d->nu + d->ntarget) + 1) * sizeof *u);
  if (!u) s->out->failed = true;
  if (u && d->nu > 0) memcpy(u, state->u, (size_t)d->nu * sizeof *u);
  if (u && d->ntarget > 0) memcpy(u + d->nu, td_targets(r->w), (size_t)d->ntarget * sizeof *u);
  return u;
}

// Print the function that returns the initial state, inputs and parameters.
static void write_initial(const script* s, const gen_reference* r) {
  const td_derived* d = s->p->d;
  if (s->python) {
    td_text_add(s->out, "\n\ndef initial():\n    \"\"\"q, v, u, p at the start\"\"\"\n");
  } else {
    td_text_printf(s->out, "function [q, v, u, p] = %s_initial()\n", s->p->name);
  }
  double* u = all_inputs(s, r->start, r);
  if (!u) return;

  // one list for each array
  const struct {
    const char* name;
    const double* x;
    int n;
  } lists[] = {{"q", r->start->q, d->nq},
               {"v", r->start->v, d->nv},
               {"u", u, d->nu + d->ntarget},
               {"p", r->p, d->np}};
  for (int i = 0; i < 4; i++) {
    td_text_printf(s->out, "    %s = ", lists[i].name);
    numbers(s, lists[i].x, lists[i].n);
    td_text_add(s->out, pick(s, "';\n", "\n"));
  }
  td_text_add(s->out, pick(s, "end\n", "    return q, v, u, p\n"));
  free(u);
}

// Print the list of velocities whose motion is not prescribed.
static void free_list(const script* s) {
  const td_derived* d = s->p->d;
  td_text_add(s->out, "    free = [");
  for (int i = 0, n = 0; i < d->nv; i++) {
    if (d->motion[3 * i] != EX_NONE) continue;
    td_text_printf(s->out, "%s%d", n++ ? ", " : "", i + !s->python);
  }
  td_text_add(s->out, pick(s, "];\n", "]\n"));
}

// Solution of M v' = right + Jᵀ λ, J v' = -γ with rows that may be dependent, as in math/kkt.c:
// rows divided by their sizes, columns by M_jj^1/2, rows independent while their pivots exceed
// 1e-10. The null space of the independent rows gives the motion along the constraints; least
// squares over all rows gives v' across them and the multipliers.
static const char python_rows[] =
    "    d = np.diag(A)\n"
    "    least = np.min(d[d > 0], initial=np.inf)\n"
    "    s = 1/np.sqrt(np.where(d > 0, d, least if np.isfinite(least) else 1.0))\n"
    "    B = J[:, free]*s\n"
    "    C = B*row_factor[:, None]\n"
    "    R, keep = C.copy(), []\n"
    "    while len(keep) < min(C.shape):\n"
    "        length = np.linalg.norm(R, axis=1)\n"
    "        k = int(np.argmax(length))\n"
    "        if not length[k] > 1e-10:\n            break\n"
    "        keep.append(k)\n"
    "        e = R[k]/length[k]\n"
    "        R = R - np.outer(R @ e, e)\n"
    "        R[k] = 0\n"
    "    Q, r = np.linalg.qr(C[keep].T, mode='complete')[0], len(keep)\n"
    "    Y, Z = Q[:, :r], Q[:, r:]\n"
    "    K, f = A*np.outer(s, s), s*right\n"
    "    Qw, Rw = np.linalg.qr(B @ Y)\n"
    "    x = Y @ np.linalg.solve(Rw, Qw.T @ (-gamma - J @ a))\n"
    "    x = x + Z @ np.linalg.solve(Z.T @ K @ Z, Z.T @ (f - K @ x))\n"
    "    a[free] = s*x\n"
    "    return a, Qw @ np.linalg.solve(Rw.T, Y.T @ (K @ x - f))\n";

static const char octave_rows[] =
    "    right = right(free);\n    d = diag(A);\n    s = ones(size(d));\n"
    "    if any(d > 0), s = 1./sqrt(max(d, min(d(d > 0)))); end\n"
    "    B = J(:, free)*diag(s);\n    C = diag(row_factor)*B;\n    R = C;\n    keep = [];\n"
    "    while numel(keep) < min(size(C))\n"
    "        [len, k] = max(sqrt(sum(R.^2, 2)));\n"
    "        if ~(len > 1e-10), break; end\n"
    "        keep(end + 1) = k;\n        e = R(k, :)/len;\n        R = R - (R*e')*e;\n"
    "        R(k, :) = 0;\n    end\n"
    "    r = numel(keep);\n    [Q, ~] = qr(C(keep, :)');\n    if r == 0, Q = eye(numel(free)); "
    "end\n"
    "    Y = Q(:, 1:r);\n    Z = Q(:, r + 1:end);\n"
    "    K = diag(s)*A*diag(s);\n    f = s.*right;\n    [Qw, Rw] = qr(B*Y, 0);\n"
    "    x = Y*(Rw\\(Qw'*(-gamma - J*a)));\n    x = x + Z*((Z'*K*Z)\\(Z'*(f - K*x)));\n"
    "    a(free) = s.*x;\n    lambda_ = Qw*(Rw'\\(Y'*(K*x - f)));\nend\n";

// Print 1/size of each row, 0 for a row of zeros.
static void row_factors(const script* s) {
  const td_derived* d = s->p->d;
  td_text_add(s->out, pick(s, "    row_factor = [", "    row_factor = np.array(["));
  for (int i = 0; i < d->nrow; i++)
    td_text_printf(s->out, "%s%.17g", i ? ", " : "", d->row_size[i] > 0 ? 1 / d->row_size[i] : 0);
  td_text_add(s->out, pick(s, "];\n", "])\n"));
}

// Print the function that solves for v' and the multipliers.
static void write_forward(const script* s) {
  const td_derived* d = s->p->d;
  const bool rows = d->nrow > 0, motion = td_program_has_motion(s->p);
  const char* name = s->p->name;

  // Python
  if (s->python) {
    td_text_add(s->out,
                "\n\ndef forward(t, q, v, u, p):\n    \"\"\"v' and the multipliers\"\"\"\n");
    td_text_printf(s->out, "    a = np.zeros(%d)\n", d->nv);
    if (motion) {
      td_text_add(s->out,
                  "    q, v = q.copy(), v.copy()\n    q, v, a = motion(t, u, p, q, v, a)\n");
    }
    td_text_printf(s->out, "    M, h, tau%s = terms(t, q, v, u, p)\n", rows ? ", J, gamma" : "");
    free_list(s);
    td_text_add(s->out, "    right = (tau - h - M @ a)[free]\n");
    td_text_add(s->out, "    A = M[np.ix_(free, free)]\n");
    if (rows) {
      row_factors(s);
      td_text_add(s->out, python_rows);
    } else {
      td_text_add(s->out, "    a[free] = np.linalg.solve(A, right)\n    return a, np.zeros(0)\n");
    }
    return;
  }

  // Octave
  td_text_printf(s->out, "function [a, lambda_] = %s_forward(t, q, v, u, p)\n", name);
  td_text_printf(s->out, "%% v' and the multipliers\n    a = zeros(%d, 1);\n", d->nv);
  if (motion) td_text_printf(s->out, "    [q, v, a] = %s_motion(t, u, p, q, v, a);\n", name);
  td_text_printf(s->out, "    [M, h, tau%s] = %s_terms(t, q, v, u, p);\n", rows ? ", J, gamma" : "",
                 name);
  free_list(s);
  td_text_add(s->out, "    right = tau - h - M*a;\n    A = M(free, free);\n");
  if (rows) {
    row_factors(s);
    td_text_add(s->out, octave_rows);
  } else {
    td_text_add(s->out, "    a(free) = A\\right(free);\n    lambda_ = zeros(0, 1);\nend\n");
  }
}

// Print the comparison with the engine's numbers: M, h, tau and sensors at one state, v' by
// forward.
static void write_check(const script* s, const gen_reference* r) {
  const td_derived* d = s->p->d;
  double* u = all_inputs(s, r->state, r);
  if (!u) return;
  const struct {
    const char* name;
    const double* x;
    int n;
  } lists[] = {{"q", r->state->q, d->nq},     {"v", r->state->v, d->nv},
               {"u", u, d->nu + d->ntarget},  {"p", r->p, d->np},
               {"want_h", r->h, d->nv},       {"want_tau", r->tau, d->nv},
               {"want_vdot", r->vdot, d->nv}, {"want_M", r->M, r->nM},
               {"want_y", r->y, d->ny}};

  // numbers of the engine
  const bool sensors = td_reference_has_sensors(s->p);
  const bool left_out = r->nM == 0 && d->nv > 0;
  const char* indent = pick(s, "", "    ");
  td_text_add(s->out,
              pick(s, "% Compares the derived equations with the engine's numbers.\n",
                   "\n\ndef check():\n    \"\"\"compare with the engine's numbers\"\"\"\n"));
  td_text_printf(s->out, "%st = %.17g%s", indent, r->state->t, end_of_line(s));
  for (size_t i = 0; i < sizeof lists / sizeof *lists - !sensors; i++) {
    td_text_printf(s->out, "%s%s = ", indent, lists[i].name);
    numbers(s, lists[i].x, lists[i].n);
    td_text_add(s->out, pick(s, "';\n", "\n"));
  }

  // their comparison
  const char* more = d->nrow > 0 ? ", J, gamma" : "";
  char got[120] = "";
  if (sensors) {
    snprintf(got, sizeof got, ", %s_sensors(t, q, v, u, p, a, lambda_)", s->p->name);
  }
  if (s->python) {
    td_text_printf(
        s->out,
        "    M, h, tau%s = terms(t, q, v, u, p)\n    a, lam = forward(t, q, v, u, p)\n%s"
        "    worst = 0.0\n"
        "    for name, got, want, tol in [('M', M.ravel(), want_M, 1e-11), ('h', h, want_h, "
        "1e-11),\n                                 ('tau', tau, want_tau, 1e-11), ('vdot', a, "
        "want_vdot, 1e-7)%s]:\n"
        "        got = np.asarray(got, dtype=float)\n"
        "        with np.errstate(invalid='ignore'):\n"
        "            off = np.abs(got - want)\n"
        "        off[np.isnan(off)] = np.inf\n"
        "        off[(got == want) | (np.isnan(got) & np.isnan(want))] = 0.0\n"
        "        scale = np.max(np.abs(want[np.isfinite(want)]), initial=1e-300)\n"
        "        error = np.max(off, initial=0.0)/scale\n"
        "        print('%%s: %%.2e' %% (name, error))\n"
        "        worst = max(worst, error/tol)\n    return worst < 1\n"
        "\n\nif __name__ == '__main__':\n    import sys\n    sys.exit(0 if check() else 1)\n",
        more,
        left_out ? "    M = np.zeros(0)  # too large for a table; a depends on all of it\n" : "",
        sensors ? ",\n                                 ('sensors', sensors(t, q, v, u, p, a, lam), "
                  "want_y, 1e-7)"
                : "");
  } else {
    td_text_printf(
        s->out,
        "[M, h, tau%s] = %s_terms(t, q, v, u, p);\n[a, lambda_] = %s_forward(t, q, v, u, p);\n%s"
        "got = {reshape(M', [], 1), h, tau, a%s};\n"
        "want = {want_M, want_h, want_tau, want_vdot%s};\n"
        "names = {'M', 'h', 'tau', 'vdot', 'sensors'};\n"
        "tol = [1e-11 1e-11 1e-11 1e-7 1e-7];\nworst = 0;\n"
        "for k = 1:numel(want)\n    off = abs(got{k} - want{k});\n    off(isnan(off)) = inf;\n"
        "    off(got{k} == want{k} | (isnan(got{k}) & isnan(want{k}))) = 0;\n"
        "    error_k = max([off; 0])/max([abs(want{k}(isfinite(want{k}))); 1e-300]);\n"
        "    fprintf('%%s: %%.2e\\n', names{k}, error_k);\n"
        "    worst = max(worst, error_k/tol(k));\nend\n"
        "if ~(worst < 1), error('the equations differ'); end\n",
        more, s->p->name, s->p->name,
        left_out ? "M = [];  % too large for a table; a depends on all of it\n" : "", got,
        sensors ? ", want_y" : "");
  }
  free(u);
}

// Print the comment at the head of a file: equations and names of coordinates and sensors.
static void write_names(const script* s) {
  const td_derived* d = s->p->d;
  const td_model* m = s->p->m;
  const char* mark = pick(s, "%", "#");
  td_text_printf(
      s->out,
      "%s Equations of motion of %s, derived by Tendril %s.\n%s\n"
      "%s   M(q) v' + h(q, v, t) = tau(t, u) + J' lambda,  J v' + gamma = 0,  q' = N(q) v\n%s\n",
      mark, td_plain(s->p->title).s, td_version(), mark, mark, mark);
  for (int i = 0; i < d->nq; i++) {
    td_text_printf(s->out, "%s   q%d  %s\n", mark, i + 1, td_plain(td_model_q_name(m, i)).s);
  }
  for (int i = 0; i < d->nv; i++) {
    td_text_printf(s->out, "%s   v%d  %s\n", mark, i + 1, td_plain(td_model_v_name(m, i)).s);
  }
  for (int i = 0; i < d->ny; i++) {
    td_text_printf(s->out, "%s   y(%d)  %s\n", mark, i + 1, td_plain(td_model_sensor_name(m, i)).s);
  }
}

// ---- files ------------------------------------------------------------------------------------

// Print a Python module as one file.
td_status td_print_python(gen_program* p, td_files* files) {
  td_text out = {0};
  const script s = {p, &out, true};
  gen_reference r;
  td_status status = td_reference_open(p, &r);
  const int ntable = td_exprs_ntable(p->d->g);
  write_names(&s);
  td_text_add(&out, "import numpy as np\n");
  td_text_add(&out, python_mod);
  if (ntable > 0) td_text_add(&out, python_pieces);

  // tables and points
  for (int k = 0; k < ntable; k++) write_table(&s, k);
  for (int k = 0; k < p->d->nquadrature; k++) {
    td_text_printf(&out, "\npoints%d = ", k + 1);
    write_points(&s, k);
  }

  // functions, initial state, solution, check
  for (int i = 0; status == TD_OK && i < p->n; i++) {
    if (!write_function(&s, &p->f[i])) status = TD_E_NOMEM;
  }
  if (status == TD_OK) {
    write_initial(&s, &r);
    write_forward(&s);
    write_check(&s, &r);
    status = td_stage_text(files, p->name, ".py", &out);
  }
  td_reference_close(&r);
  td_text_free(&out);
  return status;
}

// Stage the text as the file of one function, since Matlab wants one file for each, and empty it.
static td_status stage_function(gen_program* p, td_files* files, const char* name, td_text* text) {
  char ending[100];
  snprintf(ending, sizeof ending, "_%s.m", name);
  const td_status status = td_stage_text(files, p->name, ending, text);
  td_text_free(text);
  *text = (td_text){0};
  return status;
}

// Stage one file for each table of the graph, and the function that evaluates them.
static td_status octave_tables(const script* s, td_files* files) {
  char name[40];
  const int ntable = td_exprs_ntable(s->p->d->g);
  if (ntable == 0) return TD_OK;
  td_text_add(s->out, octave_pieces);
  TD_TRY(td_stage_text(files, "td_pieces", ".m", s->out));
  td_text_free(s->out);
  for (int k = 0; k < ntable; k++) {
    *s->out = (td_text){0};
    write_table(s, k);
    snprintf(name, sizeof name, "td_table_%d", k);
    TD_TRY(td_stage_text(files, name, ".m", s->out));
    td_text_free(s->out);
  }
  *s->out = (td_text){0};
  return TD_OK;
}

// Print Octave functions, one file each.
td_status td_print_octave(gen_program* p, td_files* files) {
  td_text out = {0};
  const script s = {p, &out, false};
  gen_reference r;
  td_status status = td_reference_open(p, &r);
  p->cases = true;
  if (status == TD_OK) status = octave_tables(&s, files);

  // tables of points
  for (int k = 0; status == TD_OK && k < p->d->nquadrature; k++) {
    char name[40];
    snprintf(name, sizeof name, "points%d", k + 1);
    td_text_printf(&out, "function z = %s_%s()\n    z = ", p->name, name);
    write_points(&s, k);
    td_text_add(&out, "end\n");
    status = stage_function(p, files, name, &out);
  }

  // functions, initial state, solution, check
  for (int i = 0; status == TD_OK && i < p->n; i++) {
    write_names(&s);
    status =
        write_function(&s, &p->f[i]) ? stage_function(p, files, p->f[i].name, &out) : TD_E_NOMEM;
  }
  if (status == TD_OK) {
    write_initial(&s, &r);
    status = stage_function(p, files, "initial", &out);
  }
  if (status == TD_OK) {
    write_forward(&s);
    status = stage_function(p, files, "forward", &out);
  }
  if (status == TD_OK) {
    write_check(&s, &r);
    status = stage_function(p, files, "check", &out);
  }
  td_reference_close(&r);
  td_text_free(&out);
  return status;
}
