// Spaces of the strains of a strain-parametrised rod: which functions each strain of a part has, as
// they are written or refined, their values, and how functions of one space are written in another.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"
#include "math/quadrature.h"
#include "model/gvs.h"

// ---- as they are written ----------------------------------------------------------------------

// A number for strain d: one for all, or six.
static int number_for(const value* v, int d, int fallback) {
  return !v ? fallback : (int)v->x[td_value_count(v) == 6 ? d : 0];
}

td_status td_gvs_check_basis(builder* b, const gvs* g) {
  const value* v = gvs_words(b, g)->basis;
  if (!v || v->kind == V_STR || td_value_count(v) == 6 || td_value_count(v) == 1) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, gvs_at(b, g, "basis"),
                  "rod(%d).basis must be one name or six, one for each strain, got %d", g->rod + 1,
                  td_value_count(v));
}

// The name of the basis of strain d: one for all, or six.
static const char* basis_word(const value* v, int d) {
  if (!v) return "legendre";
  if (v->kind == V_STR) return v->s;
  const value* slot = v->slots[td_value_count(v) == 6 ? d : 0].v;
  return slot && slot->kind == V_STR ? slot->s : "";
}

// The functions the user wrote for strain d: those of row d that are not zero.
static td_status read_custom(builder* b, gvs* g, int d) {
  const value* f = gvs_words(b, g)->functions;
  strain_field* field = &g->field[d];
  if (!f)
    return td_error(b->diags, TD_E_MODEL, gvs_at(b, g, "basis"),
                    "rod(%d).functions is missing: a custom basis has one row of functions of s "
                    "for each of the six strains",
                    g->rod + 1);
  for (int j = 0; j < f->cols; j++) {
    const ex e = td_value_ex(f, d + 6 * j, b->spec->graph);
    if (td_ex_is_const(b->spec->graph, e) && td_ex_value(b->spec->graph, e) == 0) continue;
    if (field->n == MOST_FUNCTIONS) break;
    g->custom[d][field->n++] = j;
  }
  return TD_OK;
}

// Basis, order and elements of strain d of a part as they are written, or follow from n.
static strain_field read_words(const rod_part* p, int d) {
  const value *order = p->w.order, *elements = p->w.elements;
  strain_field field = {.basis = td_basis_find(basis_word(p->w.basis, d))};
  if (order || elements) {  // what is written is obeyed
    field.order = number_for(order, d, p->whole_n);
    field.elements = number_for(elements, d, 1);
  } else {
    (field.basis ? field.basis->f->resolve : basis_plain)(p->whole_n, &field.order,
                                                          &field.elements);
  }
  return field;
}

int td_gvs_elements(const rod_part* p, int d) { return max_int(1, read_words(p, d).elements); }

// Read basis, order and elements of strain d, and count its functions.
td_status td_gvs_read(builder* b, gvs* g, int d) {
  strain_field* field = &g->field[d];
  const value *order = gvs_words(b, g)->order, *elements = gvs_words(b, g)->elements;
  const char* word = basis_word(gvs_words(b, g)->basis, d);
  *field = read_words(gvs_part(b, g), d);
  if (!td_rod_mode(b, g->rod, d, g->from + 0.5 * g->length) || field->order < 0) return TD_OK;
  if (strcmp(word, "custom") == 0) return read_custom(b, g, d);
  if (!field->basis)
    return td_error(b->diags, TD_E_MODEL, gvs_at(b, g, "basis"),
                    "rod(%d).basis: there is no basis '%.40s'", g->rod + 1, word);

  // one order for all strains may be meant for those whose basis has one
  const value* basis = gvs_words(b, g)->basis;
  const bool mixed = basis && basis->kind == V_CELL && td_value_count(basis) == 6;
  if (order && !field->basis->ordered && field->order > 0 && field->order != field->basis->degree &&
      (!mixed || td_value_count(order) == 6) && !g->order_told) {
    g->order_told = true;
    td_warn(b->diags, gvs_at(b, g, "order"),
            "rod(%d).order: the basis '%s' has no order but its own, %d: its functions are "
            "counted by elements, and %d says no more than 0, that there is such a strain",
            g->rod + 1, word, field->basis->degree, field->order);
  }

  // no basis has more than that, and as many may be counted without overflow
  const double most =
      (double)field->elements * (field->basis->ordered ? 2.0 * field->order + 4 : 4);
  if (most < 1e6) field->n = field->basis->f->count(field->order, field->elements);
  if (most >= 1e6 || field->n > MOST_FUNCTIONS)
    return td_error(b->diags, TD_E_MODEL,
                    gvs_at(b, g,
                           order      ? "order"
                           : elements ? "elements"
                                      : "n"),
                    "rod(%d): order %d on %d elements makes more than %d functions of one strain; "
                    "cut the rod into parts",
                    g->rod + 1, field->order, field->elements, MOST_FUNCTIONS);
  return TD_OK;
}

// ---- values -----------------------------------------------------------------------------------

// A function of a custom basis at an arc length.
ex td_gvs_custom(builder* b, const gvs* g, int d, int i, double arc) {
  return td_rod_number(b, g->rod, td_rod_words(b, g->rod, arc)->functions, d + 6 * g->custom[d][i],
                       arc, 0);
}

// Values at an arc length of the functions of strain d on the stretch [from, from + length].
static void values_at(builder* b, const gvs* g, const strain_field* field, double from,
                      double length, int d, double arc, double* phi) {
  if (field->basis) {
    field->basis->f->values((arc - from) / length, field->order, field->elements, phi);
    return;
  }
  for (int i = 0; i < field->n; i++) phi[i] = td_build_now(b, td_gvs_custom(b, g, d, i, arc));
}

// Values of the functions of strain d at an arc length.
void td_gvs_functions(builder* b, const gvs* g, int d, double arc, double* phi) {
  values_at(b, g, &g->field[d], g->from, g->length, d, arc, phi);
}

// Functions of strain d at a place with the share X(p) of the part, where it follows parameters.
// In its element each is a polynomial of known degree, and so the sum of Legendre polynomials
//
//   φ = Σ_j c_j P_j(2x - 1)      c_j = (2j+1) ∫ φ P_j dx        on [0, 1], by a Gauss rule
//
// Functions that are no polynomials belong to the place as it is now.
static void functions_of(builder* b, const gvs* g, int d, double arc, ex share, ex* phi) {
  enum { MOST = 64 };
  const strain_field* field = &g->field[d];
  const int degree = strain_degree(field), n = degree + 1;
  double now[MOST_FUNCTIONS], c[MOST][MOST_FUNCTIONS], x[MOST + 1], w[MOST + 1], P[MOST + 1];
  const double X = (arc - g->from) / g->length;
  field->basis->f->values(X, field->order, field->elements, now);
  if (!field->basis->polynomial || n > MOST) {
    td_spec_settle(b->spec, share);
    for (int i = 0; i < field->n; i++) phi[i] = num_ex(b, now[i]);
    return;
  }

  // coefficients in the element
  const int e = max_int(0, min_int((int)floor(X * field->elements), field->elements - 1));
  double f[MOST_FUNCTIONS];
  memset(c, 0, sizeof c);
  td_gauss(n, x, w);
  for (int k = 0; k < n; k++) {
    field->basis->f->values((e + x[k]) / field->elements, field->order, field->elements, f);
    td_legendre(n, 2 * x[k] - 1, P);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < field->n; i++) c[j][i] += (2 * j + 1) * w[k] * P[j] * f[i];
  }

  // the polynomials at the place
  const ex y =
      minus(b, times(b, 2, minus(b, times(b, field->elements, share), num_ex(b, e))), num_ex(b, 1));
  ex p[MOST + 1];
  p[0] = num_ex(b, 1);
  p[1] = y;
  for (int j = 1; j < degree; j++)
    p[j + 1] = times(b, 1.0 / (j + 1),
                     minus(b, times(b, 2 * j + 1, mul(b, y, p[j])), times(b, j, p[j - 1])));
  for (int i = 0; i < field->n; i++) {
    phi[i] = num_ex(b, 0);
    for (int j = 0; j < n; j++)
      if (fabs(c[j][i]) > 1e-14) phi[i] = add(b, phi[i], times(b, c[j][i], p[j]));
  }
}

// Functions of strain d as expressions of parameters.
void td_gvs_functions_ex(builder* b, const gvs* g, int d, double arc, ex* phi) {
  const strain_field* field = &g->field[d];
  for (int i = 0; !field->basis && i < field->n; i++) phi[i] = td_gvs_custom(b, g, d, i, arc);
  if (!field->basis) return;
  const ex share = b->rod[g->rod].moves ? td_rod_fraction(b, g->rod, arc) : EX_NONE;
  if (share != EX_NONE && !td_ex_is_const(b->spec->graph, share)) {
    functions_of(b, g, d, arc, share, phi);
    return;
  }
  double now[MOST_FUNCTIONS];
  td_gvs_functions(b, g, d, arc, now);
  for (int i = 0; i < field->n; i++) phi[i] = num_ex(b, now[i]);
}

// ---- refined ----------------------------------------------------------------------------------

// The space of a strain of a refined rod: polynomials of higher degree on smaller elements, which
// contain those of the written rod.  On a stretch of a part, which has one element of it at most,
// elements that are half of that or shorter are not divided.
td_status td_gvs_refine(builder* b, gvs* g, int d) {
  const spec_refine* how = &b->spec->refine;
  const rod_part* p = gvs_part(b, g);
  strain_field* field = &g->field[d];
  g->written[d] = *field;
  if (field->n == 0) return TD_OK;
  const int elements = field->basis ? field->elements : 1,
            order = strain_degree(field) + how->raise;
  const bool cut = g->length < p->whole_length * (1 - 1e-9),
             small = cut && g->length <= 0.5 * (1 + 1e-9) * p->whole_length / elements;
  field->basis = td_basis_find("legendre");
  field->order = max_int(0, order);
  field->elements = cut ? (small ? 1 : how->split) : elements * how->split;
  if (order < 0) field->elements = max_int(1, (field->elements + 1) / 2);
  field->n = (field->order + 1) * field->elements;
  if (field->n <= MOST_FUNCTIONS) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, td_span_none(),
                  "the refined rod(%d) has more than %d functions of one strain", g->rod + 1,
                  MOST_FUNCTIONS);
}

// Coordinates of strain d of a refined rod by those of the written one: E (n x written), least
// squares of its functions φ by the refined ones ψ,
//
//   E = (Σ w ψψ')^-1 Σ w ψφ'
//
// with Gauss points in each element, which is exact where the refined space contains the other.
// Shares of a part do not change with its length; custom functions belong to the parameters'
// present values.
td_status td_gvs_embed(builder* b, const gvs* g, int d, double* E) {
  const strain_field *field = &g->field[d], *written = &g->written[d];
  const rod_part* p = gvs_part(b, g);
  const int n = field->n, m = written->n;
  const int points = min_int(64, strain_degree(written) + field->order + 6);
  double* A = calloc((size_t)n * (size_t)n + 1, sizeof(double));
  double x[64], w[64], psi[MOST_FUNCTIONS], phi[MOST_FUNCTIONS];
  if (!A) return TD_E_NOMEM;
  memset(E, 0, (size_t)n * (size_t)m * sizeof(double));
  td_gauss(points, x, w);
  for (int e = 0; e < field->elements; e++)
    for (int k = 0; k < points; k++) {
      const double arc = g->from + (e + x[k]) / field->elements * g->length;
      td_gvs_functions(b, g, d, arc, psi);
      for (int i = 0; !written->basis && i < m; i++)  // as they are now
        td_spec_settle(b->spec, td_gvs_custom(b, g, d, i, arc));
      values_at(b, g, written, p->whole_from, p->whole_length, d, arc, phi);
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) E[i * m + j] += w[k] * psi[i] * phi[j];
        for (int j = 0; j <= i; j++) A[i * n + j] += w[k] * psi[i] * psi[j];
      }
    }
  const bool bad = td_chol(A, n, 0) != 0;
  if (!bad) td_chol_solve(A, n, E, m);
  free(A);
  return bad ? TD_E_SINGULAR : TD_OK;
}
