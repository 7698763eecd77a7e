// LaTeX: coordinates, the method in one line, T and inertia of each mass, shared expressions by
// name, then M, h, τ and the constraint rows.  Meant for small systems; long ones are written all
// the same, over many pages.
#include <stdio.h>
#include <string.h>

#include "gen/program.h"

enum { MATRIX_LIMIT = 8, WIDE = 70 };  // columns of a matrix set as one; characters in an entry

// A document while it is printed.
typedef struct latex {
  gen_program* p;
  td_text* out;
} latex;

static void print(const latex* l, ex e) { td_ex_print(l->p->d->g, e, TD_SYNTAX_LATEX, l->out); }

// Print a name that the user wrote, with LaTeX's special characters escaped.
static void escape(td_text* out, const char* s) {
  for (; *s; s++) {
    if (strchr("#$%&_{}", *s)) td_text_add(out, "\\");
    if (strchr("\\^~", *s)) {
      td_text_add(out, "-");
    } else {
      td_text_addn(out, s, 1);
    }
  }
}

// ---- matrices ---------------------------------------------------------------------------------

typedef struct matrix {
  const char* name;
  int rows, cols;
  const ex* e;
  bool symmetric;
} matrix;

static ex entry(const matrix* m, int i, int j) { return m->e[i * m->cols + j]; }

// Number of characters that an entry takes
static int width(const latex* l, ex e) {
  td_text text = {0};
  td_ex_print(l->p->d->g, e, TD_SYNTAX_LATEX, &text);
  const int n = text.n;
  td_text_free(&text);
  return n;
}

// Report whether an entry is too wide for its matrix, so that the matrix shows its name.
static bool is_named(const latex* l, const matrix* m, int i, int j) {
  return width(l, entry(m, i, j)) > WIDE / max_int(1, min_int(m->cols, 3));
}

// Print the name of an entry, M_{12}; of a symmetric matrix that in the upper triangle.
static void entry_name(const latex* l, const matrix* m, int i, int j) {
  if (m->symmetric && j < i) {
    const int k = i;
    i = j, j = k;
  }
  if (m->cols == 1) {
    td_text_printf(l->out, "%s_{%d}", m->name, i + 1);
  } else {
    td_text_printf(l->out, "%s_{%d%s%d}", m->name, i + 1, m->rows > 9 || m->cols > 9 ? "," : "",
                   j + 1);
  }
}

// Report whether a matrix is printed as one; larger ones are printed entry by entry.
static bool is_whole(const matrix* m) { return m->cols <= MATRIX_LIMIT && m->rows <= MATRIX_LIMIT; }

// Print a matrix, wide entries by their names.
static void bracket(const latex* l, const matrix* m) {
  td_text_printf(l->out, "%s = \\begin{bmatrix}\n", m->name);
  for (int i = 0; i < m->rows; i++) {
    for (int j = 0; j < m->cols; j++) {
      if (j > 0) td_text_add(l->out, " & ");
      if (is_named(l, m, i, j)) {
        entry_name(l, m, i, j);
      } else {
        print(l, entry(m, i, j));
      }
    }
    td_text_add(l->out, i < m->rows - 1 ? " \\\\\n" : "\n");
  }
  td_text_add(l->out, "\\end{bmatrix}\n");
}

// Print the definitions of named entries, or of all entries that are not zero where the matrix is
// not printed as one.  They are inline formulas, so that lines break where they may.
static void definitions(const latex* l, const matrix* m) {
  const td_exprs* g = l->p->d->g;
  bool any = false;
  for (int i = 0; i < m->rows; i++)
    for (int j = m->symmetric ? i : 0; j < m->cols; j++) {
      const ex e = entry(m, i, j);
      if (is_whole(m) ? !is_named(l, m, i, j) : td_ex_is_const(g, e) && td_ex_value(g, e) == 0)
        continue;
      td_text_add(l->out, "$");
      entry_name(l, m, i, j);
      td_text_add(l->out, " = ");
      print(l, e);
      td_text_add(l->out, "$\\quad\n");
      any = true;
    }
  if (any) td_text_add(l->out, "\n");
}

// Print a matrix as one with the definitions of its wide entries, or a large one entry by entry.
static void write_matrix(const latex* l, const matrix* m) {
  if (m->rows * m->cols == 0) return;
  if (is_whole(m)) {
    td_text_add(l->out, "\\[\n");
    bracket(l, m);
    td_text_add(l->out, "\\]\n");
  } else {
    td_text_printf(l->out, "\\paragraph{$%s$} (entries that are not listed are zero%s)\n", m->name,
                   m->symmetric ? " or follow from symmetry" : "");
  }
  definitions(l, m);
}

// ---- the document -----------------------------------------------------------------------------

// Print the head of the document: packages, title, and the equations of motion in symbols.
static void preamble(const latex* l) {
  td_text_add(l->out,
              "\\documentclass[a4paper,10pt]{article}\n"
              "\\usepackage[margin=20mm]{geometry}\n"
              "\\usepackage{amsmath}\n"
              "\\setcounter{MaxMatrixCols}{20}\n"
              "\\setlength{\\parindent}{0pt}\n"
              "\\begin{document}\n\\raggedright\n"
              "\\section*{Equations of motion of \\texttt{");
  escape(l->out, l->p->title);
  td_text_add(l->out,
              "}}\n"
              "\\[ M(q)\\,\\dot v + h(q, v, t) = \\tau(t, u)");
  if (l->p->d->nrow > 0)
    td_text_add(l->out, " + J^{\\top}\\lambda, \\qquad J\\,\\dot v + \\gamma = 0");
  td_text_add(l->out, ", \\qquad M = \\sum T^{\\top} \\mathrm{diag}(m, m, m, I)\\, T \\]\n");
}

// Print the table of coordinates, and of velocities where they are not simply their rates.
static void coordinates(const latex* l) {
  const gen_program* p = l->p;
  td_text_add(l->out, "\\begin{tabular}{ll}\n");
  for (int i = 0; i < p->d->nq; i++) {
    td_text_printf(l->out, "$q_{%d}$ & \\texttt{", i + 1);
    escape(l->out, td_model_q_name(p->m, i));
    td_text_add(l->out, "}\\\\\n");
  }
  for (int i = 0; i < p->d->nv; i++) {
    if (p->m->vel[i].partner == i && p->d->nq == p->d->nv) continue;
    td_text_printf(l->out, "$v_{%d}$ & \\texttt{", i + 1);
    escape(l->out, td_model_v_name(p->m, i));
    td_text_add(l->out, "} (velocity)\\\\\n");
  }
  td_text_add(l->out, "\\end{tabular}\n\n");
  if (p->d->nq == p->d->nv) td_text_add(l->out, "Velocities: $v_i = \\dot q_i$.\n");
}

// Print the section of the masses: for each mass its name, the velocities that move it, T (6 x n),
// m and I. T holds the matrices of all masses one behind the other, D ten numbers for each: m and I
// by rows.  Entries too wide for a matrix are printed below it as definitions.
static void masses(const latex* l, const ex* T, const ex* D) {
  const gen_program* p = l->p;
  td_text_add(l->out, "\\section*{Masses}\n");
  for (int k = 0; k < p->d->nmass; k++) {
    const tmt_mass* mass = &p->d->mass[k];
    char T_name[24], I_name[24];
    td_text_add(l->out, "\\paragraph{\\texttt{");
    escape(l->out, model_name(p->m, mass->name));
    td_text_add(l->out, "}} columns of $T$: ");
    for (int c = 0; c < mass->n; c++) {
      td_text_printf(l->out, "%s$v_{%d}$", c ? ", " : "", mass->v[c] + 1);
    }
    td_text_add(l->out, "\n");

    // T, m and I
    snprintf(T_name, sizeof T_name, "T^{(%d)}", k + 1);
    snprintf(I_name, sizeof I_name, "I^{(%d)}", k + 1);
    const matrix t = {T_name, 6, mass->n, T, false}, J = {I_name, 3, 3, D + 1, true};
    td_text_add(l->out, "\\[\n");
    if (is_whole(&t)) {
      bracket(l, &t);
      td_text_add(l->out, ", \\qquad ");
    }
    td_text_printf(l->out, "m^{(%d)} = ", k + 1);
    print(l, D[0]);
    td_text_add(l->out, ", \\qquad ");
    bracket(l, &J);
    td_text_add(l->out, "\\]\n");

    // entries that did not fit into the matrices
    definitions(l, &t);
    definitions(l, &J);
    T += 6 * mass->n;
    D += 10;
  }
}

// Print the document; e: the expressions of T, D, M, h, τ, J and γ one after the other.
static void body(const latex* l, const listing* list, const ex* e) {
  const td_derived* d = l->p->d;
  const int nv = d->nv, nT = l->p->nT, nM = l->p->M ? nv * nv : 0;
  const ex *T = e, *D = T + nT, *M = D + 10 * d->nmass, *h = M + nM, *tau = h + nv, *J = tau + nv;
  preamble(l);
  coordinates(l);
  masses(l, T, D);

  // shared expressions
  if (list->nx > 0) td_text_add(l->out, "\\section*{Shared expressions}\n");
  for (int i = 0; i < list->n; i++) {
    if (list->list[i].x == 0) continue;
    td_text_printf(l->out, "$x_{%d} = ", list->list[i].x);
    print(l, list->list[i].e);
    td_text_add(l->out, "$\\quad\n");
  }

  // matrices and vectors
  td_text_add(l->out, "\\section*{Mass matrix and forces}\n");
  if (l->p->M) {
    write_matrix(l, &(matrix){"M", nv, nv, M, true});
  } else {
    td_text_add(l->out,
                "The mass matrix is the sum above; multiplied out it would be too long.\n\n");
  }
  write_matrix(l, &(matrix){"h", nv, 1, h, false});
  write_matrix(l, &(matrix){"\\tau", nv, 1, tau, false});
  if (d->nrow > 0) {
    td_text_add(l->out, "\\section*{Constraints}\n");
    write_matrix(l, &(matrix){"J", d->nrow, nv, J, false});
    write_matrix(l, &(matrix){"\\gamma", d->nrow, 1, J + d->nrow * nv, false});
  }
  td_text_add(l->out, "\\end{document}\n");
}

// Print a document, with one listing for all expressions so that a name means the same everywhere.
td_status td_print_latex(gen_program* p, td_files* files) {
  const td_derived* d = p->d;
  const size_t nv = (size_t)d->nv, nr = (size_t)d->nrow, nM = p->M ? nv * nv : 0;
  if (!p->T && !td_program_factors(p)) return TD_E_NOMEM;
  const struct {
    const ex* e;
    size_t n;
  } parts[] = {{p->T, (size_t)p->nT},
               {p->D, 10 * (size_t)d->nmass},
               {p->M, nM},
               {d->h, nv},
               {d->tau, nv},
               {d->J, nr * nv},
               {d->gamma, nr}};
  const size_t nparts = sizeof parts / sizeof *parts;

  // all expressions one after the other
  size_t n = 0, at = 0;
  for (size_t i = 0; i < nparts; i++) n += parts[i].n;
  ex* e = malloc((n + 1) * sizeof *e);
  if (!e) return TD_E_NOMEM;
  for (size_t i = 0; i < nparts; at += parts[i++].n)
    if (parts[i].n > 0) memcpy(e + at, parts[i].e, parts[i].n * sizeof *e);

  // replace shared expressions in them by names
  listing list;
  td_text out = {0};
  const latex l = {p, &out};
  td_status status = TD_E_NOMEM;
  if (td_listing_make(d->g, e, (int)n, (listing_rule){.outputs_last = true, .least = 3}, &p->pool,
                      &list)) {
    for (int i = 0; i < list.n; i++)
      if (list.list[i].x == 0) e[list.list[i].root] = list.list[i].e;
    body(&l, &list, e);
    status = td_stage_text(files, p->name, ".tex", &out);
    td_listing_free(&list);
  }
  td_text_free(&out);
  free(e);
  return status;
}
