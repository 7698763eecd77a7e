// C99: one file and its header, without allocation and without dependencies beyond <math.h>, and a
// program that compares it with the engine's numbers.  Long functions are cut into pieces of some
// hundred statements, which compile faster; what later pieces use is passed in an array w.
#include <stdio.h>
#include <string.h>

#include "base/order.h"
#include "engine/engine.h"
#include "gen/c_parts.h"
#include "gen/identifier.h"
#include "gen/program.h"

enum { PIECE = 400, WHOLE_LIMIT = 1200 };  // statements
enum { CHECK_M = 60 };  // mass matrices up to this size are compared entry by entry

// One function while it is printed.
typedef struct c_writer {
  gen_program* p;
  td_text* out;
  const gen_function* f;
  const listing* l;
  const char* from;  // how inputs and outputs are reached: "" or "s->"
  int* piece;        // by name: the piece that defines it
  int* slot;         // by name: its place in w, -1: not needed later
  int nslot;
  bool has_sums;  // sums over points are used
} c_writer;

// Report whether f is the function of M, h, τ, J and γ, to which quadrature points add.
static bool is_terms(const gen_function* f) { return strcmp(f->name, "terms") == 0; }

// ---- signatures -------------------------------------------------------------------------------

// Print the head of a function: inputs, then output arrays.
static void signature(const gen_program* p, const gen_function* f, td_text* out) {
  td_text_printf(out, "%svoid %s_%s(double t", f->quadrature > 0 ? "static " : "", p->name,
                 f->name);
  if (!f->given) td_text_add(out, ", const double* q, const double* v");
  td_text_add(out, ", const double* u, const double* p");
  if (f->quadrature > 0) td_text_add(out, ", const double* z");
  if (f->quadrature > 0 && !f->sums) td_text_add(out, ", const double* sums");
  if (f->motion) td_text_add(out, ", const double* a, const double* lambda");
  if (f->products) td_text_add(out, ", double* M");
  for (int i = 0; i < f->nout; i++) {
    if (!f->out[i].local) td_text_printf(out, ", double* %s", f->out[i].name);
  }
  td_text_add(out, ")");
}

// ---- statements -------------------------------------------------------------------------------

static void print(const c_writer* w, ex e) { td_ex_print(w->p->d->g, e, TD_SYNTAX_C, w->out); }

// Print the statement that reads an input: const double q1 = q[0];  Integrated controls follow the
// named inputs in u.
static void load_input(const c_writer* w, int var) {
  static const char arrays[] = "qvpalzsuc";
  static const char* const names[] = {"q", "v", "p", "a", "lambda", "z", "sums", "u", "u"};
  const gen_input* in = &w->p->input[var];
  if (in->array == 't' && !*w->from) return;
  td_text_add(w->out, "  const double ");
  print(w, td_ex_var(w->p->d->g, var));
  if (in->array == 't') {
    td_text_printf(w->out, " = %st;\n", w->from);
  } else {
    const char* at = strchr(arrays, in->array);
    td_text_printf(w->out, " = %s%s[%d];\n", w->from, in->array && at ? names[at - arrays] : "u",
                   in->array == 'c' ? w->p->d->nu + in->index : in->index);
  }
}

// Print the left side of output number `root`, all outputs of the function being numbered one after
// the other; functions of points add to theirs.
static void output_place(const c_writer* w, int root) {
  for (int i = 0; i < w->f->nout; i++) {
    const int n = w->f->out[i].rows * w->f->out[i].cols;
    if (root < n) {
      td_text_printf(w->out, "  %s%s[%d] %s ", w->f->out[i].local && *w->from ? "s->" : w->from,
                     w->f->out[i].name, root, w->f->quadrature > 0 ? "+=" : "=");
      return;
    }
    root -= n;
  }
}

// Print statements `from` to `to`, and before them one statement for each input or earlier name
// that they use.  False: no memory.
static bool write_piece(const c_writer* w, int from, int to, int piece) {
  // what they use from outside: names from 1, variables v as -1 - v
  int n = 0, total = 0;
  for (int i = from; i < to; i++) total += w->l->list[i].nref;
  int* used = malloc(((size_t)total + 1) * sizeof *used);
  if (!used) return false;
  for (int i = from; i < to; i++)
    for (int k = 0; k < w->l->list[i].nref; k++) {
      const int ref = w->l->list[i].refs[k];
      if (ref < 0 || w->piece[ref] != piece) used[n++] = ref;
    }
  qsort(used, (size_t)n, sizeof *used, ascending_ints);

  // read variables by number, then names, once each
  for (int i = n - 1; i >= 0; i--) {
    if (used[i] < 0 && (i == n - 1 || used[i] != used[i + 1])) load_input(w, -1 - used[i]);
  }
  for (int i = 0; i < n; i++) {
    if (used[i] > 0 && (i == 0 || used[i] != used[i - 1])) {
      td_text_printf(w->out, "  const double x%d = s->w[%d];\n", used[i], w->slot[used[i]]);
    }
  }
  free(used);

  // statements; names that later pieces use are stored in w
  for (int i = from; i < to; i++) {
    const statement* s = &w->l->list[i];
    if (s->x > 0) {
      td_text_printf(w->out, "  const double x%d = ", s->x);
    } else {
      output_place(w, s->root);
    }
    print(w, s->e);
    td_text_add(w->out, ";\n");
    if (s->x > 0 && w->slot[s->x] >= 0)
      td_text_printf(w->out, "  s->w[%d] = x%d;\n", w->slot[s->x], s->x);
  }
  return true;
}

// ---- pieces -----------------------------------------------------------------------------------

// Find the piece of each name, and give a place in w to those that later pieces use.
static void find_slots(c_writer* w) {
  const listing* l = w->l;
  for (int x = 0; x <= l->nx; x++) w->slot[x] = -1;
  for (int i = 0; i < l->n; i++) {
    if (l->list[i].x > 0) w->piece[l->list[i].x] = i / PIECE;
  }
  for (int i = 0; i < l->n; i++)
    for (int k = 0; k < l->list[i].nref; k++) {
      const int x = l->list[i].refs[k];
      if (x > 0 && w->piece[x] != i / PIECE && w->slot[x] < 0) w->slot[x] = w->nslot++;
    }
}

// Print a struct of inputs and outputs, and the function of each piece, which takes it.  False: no
// memory.
static bool write_pieces(c_writer* w) {
  const gen_program* p = w->p;
  w->from = "s->";
  td_text_printf(w->out,
                 "\ntypedef struct %s_%s_state {\n  double t;\n  const double *q, *v, *u, *p;\n",
                 w->p->name, w->f->name);
  if (w->f->quadrature > 0) td_text_add(w->out, "  const double* z;\n");
  if (w->has_sums && !w->f->sums) td_text_add(w->out, "  const double* sums;\n");
  if (w->f->motion) td_text_add(w->out, "  const double *a, *lambda;\n");
  for (int i = 0; i < w->f->nout; i++) td_text_printf(w->out, "  double* %s;\n", w->f->out[i].name);
  td_text_printf(w->out, "  double* w;\n} %s_%s_state;\n", w->p->name, w->f->name);

  for (int i = 0; i * PIECE < w->l->n; i++) {
    td_text_printf(w->out, "\nstatic void %s_%s_%d(const %s_%s_state* s) {\n", p->name, w->f->name,
                   i + 1, p->name, w->f->name);
    if (!write_piece(w, i * PIECE, min_int((i + 1) * PIECE, w->l->n), i)) return false;
    td_text_add(w->out, "}\n");
  }
  return true;
}

// Print the calls of all pieces.
static void call_pieces(const c_writer* w) {
  const gen_program* p = w->p;
  td_text_printf(w->out, "  double w[%d];\n", max_int(w->nslot, 1));
  td_text_printf(w->out, "  const %s_%s_state s = {t, q, v, u, p", p->name, w->f->name);
  if (w->f->quadrature > 0) td_text_add(w->out, ", z");
  if (w->has_sums && !w->f->sums) td_text_add(w->out, ", sums");
  if (w->f->motion) td_text_add(w->out, ", a, lambda");
  for (int i = 0; i < w->f->nout; i++) td_text_printf(w->out, ", %s", w->f->out[i].name);
  td_text_add(w->out, ", w};\n");
  for (int i = 0; i * PIECE < w->l->n; i++) {
    td_text_printf(w->out, "  %s_%s_%d(&s);\n", p->name, w->f->name, i + 1);
  }
}

// ---- functions --------------------------------------------------------------------------------

// Print (void) for the arguments that a function does not use.
static void write_unused(const c_writer* w) {
  static const char* const names[] = {"t", "q", "v", "u", "p", "a", "lambda", "sums"};
  static const char arrays[] = "tqvupals";
  for (int k = 0; k < 8; k++) {
    if ((k == 5 || k == 6) && !w->f->motion) continue;
    if (k == 7 && (w->f->quadrature == 0 || w->f->sums)) continue;
    // arguments that are passed on are used
    if (k < 5 &&
        ((is_terms(w->f) && w->p->d->nquadrature > 0) || (w->has_sums && w->f->quadrature == 0))) {
      continue;
    }
    bool used = w->f->given && (arrays[k] == 'q' || arrays[k] == 'v');
    for (int var = 0; var < w->p->ninput && !used; var++) {
      const char array = w->p->input[var].array == 'c' ? 'u' : w->p->input[var].array;
      used = w->l->used[var] && array == arrays[k];
    }
    if (!used) td_text_printf(w->out, "  (void)%s;\n", names[k]);
  }
}

// Print the calls of a function for all points of a quadrature, with the arguments `rest` at the
// end.
static void call_quadrature(const c_writer* w, const char* name, int quadrature, const char* rest) {
  const tmt_quadrature* l = &w->p->d->quadrature[quadrature];
  td_text_printf(w->out,
                 "  for (int i = 0; i < %d; i++) %s_%s(t, q, v, u, p, points%d + %d * i%s);\n",
                 l->n, w->p->name, name, quadrature + 1, l->nz, rest);
}

// Print a function: its statements, or the calls of its pieces, with the sums over quadrature
// points that it needs before them and the points' terms after them.  False: no memory.
static bool write_body(c_writer* w) {
  const td_derived* d = w->p->d;
  char name[40], rest[80];
  const bool pieces = w->l->n > WHOLE_LIMIT;
  if (pieces && !write_pieces(w)) return false;
  td_text_printf(w->out, "\n// %s\n", w->f->what);
  signature(w->p, w->f, w->out);
  td_text_add(w->out, " {\n");
  if (!pieces) write_unused(w);

  // clear the outputs
  for (int i = 0; i < w->f->nout; i++) {
    const gen_output* o = &w->f->out[i];
    const int n = o->rows * o->cols;
    if (o->local) td_text_printf(w->out, "  double %s[%d];\n", o->name, n);
    if (!w->f->given && w->f->quadrature == 0) {
      td_text_printf(w->out, "  for (int i = 0; i < %d; i++) %s[i] = 0;\n", n, o->name);
    }
  }
  if (w->f->products) {
    td_text_printf(w->out, "  for (int i = 0; i < %d; i++) M[i] = 0;\n", w->p->nprofile);
  }

  // sums over points
  if (w->has_sums && w->f->quadrature == 0) {
    td_text_printf(w->out, "  double sums[%d] = {0};\n", d->nsum);
    for (int i = 0; i < d->nsum; i++) {
      snprintf(name, sizeof name, "total%d", i + 1);
      call_quadrature(w, name, d->sum[i].quadrature, ", sums");
    }
  }

  // statements
  if (pieces) {
    call_pieces(w);
  } else {
    w->from = "";
    if (!write_piece(w, 0, w->l->n, 0)) return false;
  }

  // products of the factors, and what points add
  if (w->f->products) td_text_printf(w->out, "  %s_multiply(T, D, M);\n", w->p->name);
  for (int i = 0; is_terms(w->f) && i < d->nquadrature; i++) {
    snprintf(name, sizeof name, "point%d", i + 1);
    snprintf(rest, sizeof rest, ", %s, M, h, tau%s", w->has_sums ? "sums" : "0",
             d->power != EX_NONE ? ", power" : "");
    call_quadrature(w, name, i, rest);
  }
  td_text_add(w->out, "}\n");
  return true;
}

// Print one function.  False: no memory.
static bool write_function(gen_program* p, const gen_function* f, const listing* l, td_text* out) {
  c_writer w = {.p = p, .out = out, .f = f, .l = l, .has_sums = td_program_uses_sums(p, l)};
  if (is_terms(f)) w.has_sums = p->d->nsum > 0;
  w.piece = calloc((size_t)l->nx + 1, sizeof *w.piece);
  w.slot = malloc(((size_t)l->nx + 1) * sizeof *w.slot);
  bool ok = w.piece && w.slot;
  if (ok) {
    for (int x = 0; x <= l->nx; x++) w.slot[x] = -1;
    if (l->n > WHOLE_LIMIT) find_slots(&w);
    ok = write_body(&w);
  }
  free(w.piece);
  free(w.slot);
  return ok;
}

// ---- helpers and tables -----------------------------------------------------------------------

// Print a constant array of numbers, or of integers.
static void write_numbers(td_text* out, const char* name, const double* x, int n) {
  td_text_printf(out, "static const double %s[%d] = {", name, max_int(n, 1));
  for (int i = 0; i < n; i++) {
    td_text_printf(out, "%s%s", i ? "," : "", i % 6 ? " " : "\n    ");
    td_c_number(out, x[i]);
  }
  td_text_add(out, n ? "};\n" : "0};\n");
}

static void write_ints(td_text* out, const char* name, const int* x, int n) {
  td_text_printf(out, "static const int %s[%d] = {", name, max_int(n, 1));
  for (int i = 0; i < n; i++)
    td_text_printf(out, "%s%s%d", i ? "," : "", i % 16 ? " " : "\n    ", x[i]);
  td_text_add(out, n ? "};\n" : "0};\n");
}

// Print the mathematical helpers that the listings use, and their tables: piecewise polynomials
// with knots and coefficients.
static void write_helpers(const gen_program* p, const listing* l, int n, td_text* out) {
  bool sign = false, step = false, mod = false, any = false;
  const int ntable = td_exprs_ntable(p->d->g);
  char name[40];
  for (int i = 0; i < n; i++) {
    sign = sign || l[i].sign;
    step = step || l[i].step;
    mod = mod || l[i].mod;
  }
  if (sign) td_text_add(out, td_c_sign);
  if (step) td_text_add(out, td_c_step);
  if (mod) td_text_add(out, td_c_mod);

  // tables, with the function that evaluates them
  for (int k = 0; k < ntable; k++) {
    bool used = false;
    for (int i = 0; i < n; i++) used = used || l[i].table[k];
    if (!used) continue;
    if (!any) td_text_add(out, td_c_pieces);
    any = true;
    const td_ex_pieces t = td_exprs_table(p->d->g, k);
    snprintf(name, sizeof name, "td_knots_%d", k);
    write_numbers(out, name, t.knots, t.n);
    snprintf(name, sizeof name, "td_coef_%d", k);
    write_numbers(out, name, t.coef, (t.n - 1) * t.order);
    td_text_printf(out,
                   "static double td_table_%d(double x) {\n"
                   "  return td_pieces(td_knots_%d, %d, td_coef_%d, %d, %d, x);\n}\n",
                   k, k, t.n, k, t.order, t.clamp);
  }
}

// Print the velocities of the columns of each mass, and the function that multiplies the factors.
static void write_products(const gen_program* p, td_text* out) {
  const td_derived* d = p->d;
  td_text_add(out, "// number of columns of T of each mass, then their velocities\n");
  int total = 0;
  for (int i = 0; i < d->nmass; i++) total += 1 + d->mass[i].n;

  // numbers of columns and their velocities, mass by mass
  int* columns = malloc(((size_t)total + 1) * sizeof *columns);
  if (!columns) {
    out->failed = true;
    return;
  }
  int at = 0;
  for (int i = 0; i < d->nmass; i++) {
    columns[at++] = d->mass[i].n;
    for (int k = 0; k < d->mass[i].n; k++) columns[at++] = d->mass[i].v[k];
  }
  write_ints(out, "columns", columns, total);

  // the function that multiplies, and its sizes
  int widest = 1;
  for (int i = 0; i < d->nmass; i++) widest = max_int(widest, d->mass[i].n);
  td_text_printf(out, "enum { nmass = %d, widest = %d };\n\n", d->nmass, widest);
  td_c_put(out, td_c_multiply, p->name);
  free(columns);
}

// Print the table of the numbers z of a quadrature, point after point, as a C array `points<k>`.
static void write_points(const gen_program* p, int quadrature, td_text* out) {
  const tmt_quadrature* l = &p->d->quadrature[quadrature];
  char name[40];
  double* table = malloc(((size_t)l->n * (size_t)l->nz + 1) * sizeof *table);
  if (!table) {
    out->failed = true;
    return;
  }
  for (int i = 0; i < l->n; i++)
    for (int k = 0; k < l->nz; k++) table[i * l->nz + k] = l->data[k * l->n + i];
  snprintf(name, sizeof name, "points%d", quadrature + 1);
  td_text_printf(out, "\n// numbers of each of %d points of %s\n", l->n,
                 td_plain(model_name(p->m, l->name)).s);
  write_numbers(out, name, table, l->n * l->nz);
  free(table);
}

// ---- files ------------------------------------------------------------------------------------

// Print the comment with the equations at the head of a file.
static void write_head(const gen_program* p, td_text* out) {
  td_text_printf(
      out,
      "// Equations of motion of %s, derived by Tendril %s.\n"
      "//\n"
      "//   M(q) v' + h(q, v, t) = tau(t, u) + J' lambda,   J v' + gamma = 0,   q' = N(q) v\n"
      "//\n",
      td_plain(p->title).s, td_version());
}

// Numbers of scratch memory that the printed `forward` needs
static int work_size(const gen_program* p) {
  const td_derived* d = p->d;
  return p->nprofile + d->nq + 4 * d->nv + 2 * d->nrow * d->nv + d->nrow * d->nrow + 2 * d->nrow +
         1;  // the last is the power
}

// Print the sizes as an enumeration.
static void write_sizes(const gen_program* p, td_text* out) {
  const td_derived* d = p->d;
  td_text_printf(out,
                 "enum {\n  %s_nq = %d,\n  %s_nv = %d,\n  %s_nu = %d,  // inputs\n"
                 "  %s_np = %d,  // parameters\n  %s_nrow = %d,  // constraint rows\n"
                 "  %s_ny = %d,  // sensors\n  %s_nM = %d,  // numbers of the packed mass matrix\n"
                 "  %s_nwork = %d\n};\n\n",
                 p->name, d->nq, p->name, d->nv, p->name, d->nu + d->ntarget, p->name, d->np,
                 p->name, d->nrow, p->name, d->ny, p->name, p->nprofile, p->name, work_size(p));
}

// Print the header: names of all coordinates, inputs, parameters and sensors, sizes, declarations.
static void write_header(const gen_program* p, td_text* out) {
  const td_model* m = p->m;
  char guard[80];
  snprintf(guard, sizeof guard, "%s_H", p->name);
  for (char* c = guard; *c; c++) {
    if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
  }

  // names
  write_head(p, out);
  for (int i = 0; i < p->d->nq; i++) {
    td_text_printf(out, "//   q[%d]  %s\n", i, td_plain(td_model_q_name(m, i)).s);
  }
  for (int i = 0; i < p->d->nv; i++) {
    td_text_printf(out, "//   v[%d]  %s\n", i, td_plain(td_model_v_name(m, i)).s);
  }
  for (int i = 0; i < p->d->nu; i++) {
    td_text_printf(out, "//   u[%d]  %s\n", i, td_plain(td_model_input_name(m, i)).s);
  }
  for (int i = 0; i < p->d->ntarget; i++) {
    td_text_printf(out, "//   u[%d]  integrated control %d\n", p->d->nu + i, i + 1);
  }
  for (int i = 0; i < p->d->np; i++) {
    td_text_printf(out, "//   p[%d]  %s\n", i, td_plain(td_model_param_name(m, p->d->param[i])).s);
  }
  for (int i = 0; i < p->d->ny; i++) {
    td_text_printf(out, "//   y[%d]  %s\n", i, td_plain(td_model_sensor_name(m, i)).s);
  }

  // sizes, interface, and the functions of the program
  td_text_printf(out, "#ifndef %s\n#define %s\n\n", guard, guard);
  write_sizes(p, out);
  td_c_put(out, td_c_interface, p->name);
  for (int i = 0; i < p->n; i++) {
    if (p->f[i].quadrature > 0) continue;
    td_text_printf(out, "// %s\n", p->f[i].what);
    if (p->f[i].products || (p->M && is_terms(&p->f[i]))) {
      td_text_add(out, "// M is packed: see the function above for the whole matrix\n");
    }
    signature(p, &p->f[i], out);
    td_text_add(out, ";\n");
  }
  td_text_add(out, "\n#endif\n");
}

// Print the function that sets the initial state, inputs and parameters.
static void write_start(const gen_program* p, const gen_reference* r, td_text* out) {
  const td_derived* d = p->d;
  td_text_printf(out, "\nvoid %s_initial(double* q, double* v, double* u, double* p) {\n", p->name);
  for (int i = 0; i < d->nq; i++) td_text_printf(out, "  q[%d] = %.17g;\n", i, r->start->q[i]);
  for (int i = 0; i < d->nv; i++) td_text_printf(out, "  v[%d] = %.17g;\n", i, r->start->v[i]);
  for (int i = 0; i < d->nu; i++) td_text_printf(out, "  u[%d] = %.17g;\n", i, r->start->u[i]);
  for (int i = 0; i < d->ntarget; i++) {
    td_text_printf(out, "  u[%d] = %.17g;\n", d->nu + i, td_targets(r->w)[i]);
  }
  for (int i = 0; i < d->np; i++) td_text_printf(out, "  p[%d] = %.17g;\n", i, r->p[i]);
  if (d->nu + d->ntarget == 0) td_text_add(out, "  (void)u;\n");
  if (d->np == 0) td_text_add(out, "  (void)p;\n");
  if (d->nq == 0) td_text_add(out, "  (void)q;\n");
  if (d->nv == 0) td_text_add(out, "  (void)v;\n");
  td_text_add(out, "}\n");
}

// Print the solution for v' and the multipliers.
static void write_forward(const gen_program* p, td_text* out) {
  const td_derived* d = p->d;
  const bool motion = td_program_has_motion(p), power = d->power != EX_NONE;
  int* given = calloc((size_t)d->nv + 1, sizeof *given);
  if (!given) {
    out->failed = true;
    return;
  }
  for (int i = 0; i < d->nv; i++) given[i] = d->motion[3 * i] != EX_NONE;
  if (motion) write_ints(out, "given", given, d->nv);
  if (!p->core) td_c_put(out, d->nrow > 0 ? td_c_unpack_rows : td_c_unpack, p->name);

  // factorisation of M, and of the rows: entries far below the size of a row are rounding errors
  td_c_put(out, td_c_factor, p->name);
  if (d->nrow > 0) {
    td_text_add(out, "\nstatic const double row_factor[] = {");
    for (int i = 0; i < d->nrow; i++)
      td_text_printf(out, "%s%.17g", i ? ", " : "", d->row_size[i] > 0 ? 1 / d->row_size[i] : 0);
    // a simulation leaves the constraints by little: rows that are independent there need not be
    td_text_printf(out, "};\nenum { most_rows = %d };\n", p->core ? d->rank : d->nrow);
    td_c_put(out, td_c_rows, p->name);
  }

  // the function itself: work arrays, prescribed motion, terms of the equations
  td_c_put(out, td_c_forward, p->name);
  if (d->nrow > 0) {
    td_c_put(out,
             "  double* J = qs + @_nq;\n  double* X = J + @_nrow * @_nv;\n"
             "  double* gamma = X + @_nrow * @_nv;\n  double* S = gamma + @_nrow;\n"
             "  double* order = S + @_nrow * @_nrow;\n",
             p->name);
  }
  if (motion) td_c_put(out, "  @_motion(t, u, p, qs, vs, a);\n", p->name);
  if (power) td_c_put(out, "  double* power = work + @_nwork - 1;\n", p->name);
  td_text_printf(out, "  %s_terms(t, qs, vs, u, p, M, h, tau%s%s);\n", p->name,
                 d->nrow > 0 ? ", J, gamma" : "", power ? ", power" : "");
  if (motion) {
    td_c_put(out, td_c_given, p->name);
    if (d->nrow > 0) td_c_put(out, td_c_given_rows, p->name);
    td_text_add(out, "  }\n");
  }

  // the solution, and the power of the constraint rows
  td_c_put(out, d->nrow > 0 ? td_c_solve_rows : td_c_solve, p->name);
  for (int r = 0; power && r < d->nrow; r++) {
    td_text_printf(out, "  for (int i = 0; i < %s_nv; i++)\n", p->name);
    td_text_printf(out, "    *power += lambda[%d] * J[%d * %s_nv + i] * vs[i];\n", r, r, p->name);
  }
  td_text_add(out, "  return 0;\n}\n");
  free(given);
}

// Print the program that compares the equations with the engine's numbers.
static void write_check(const gen_program* p, const gen_reference* r, td_text* out) {
  const td_derived* d = p->d;
  write_head(p, out);
  td_text_printf(out,
                 "// Compares the derived equations with the engine's numbers at one state.\n"
                 "#include \"%s.h\"\n\n#include <math.h>\n#include <stdio.h>\n\n",
                 p->name);

  // numbers of the engine; integrated controls follow the inputs
  const struct {
    const char* name;
    const double* x;
    int n;
  } lists[] = {{"q", r->state->q, d->nq},
               {"v", r->state->v, d->nv},
               {"u", r->state->u, d->nu},
               {"p", r->p, d->np},
               {"want_M", r->M, d->nv <= CHECK_M ? d->nv * d->nv : 0},
               {"want_h", r->h, d->nv},
               {"want_tau", r->tau, d->nv},
               {"want_vdot", r->vdot, d->nv},
               {"want_y", r->y, d->ny}};
  const bool sensors = td_reference_has_sensors(p);
  for (size_t i = 0; i < sizeof lists / sizeof *lists - !sensors; i++) {
    if (i == 2 && d->ntarget > 0) {
      td_text_printf(out, "static const double u[%d] = {", d->nu + d->ntarget);
      for (int k = 0; k < d->nu; k++) td_text_printf(out, "%.17g, ", r->state->u[k]);
      for (int k = 0; k < d->ntarget; k++) td_text_printf(out, "%.17g, ", td_targets(r->w)[k]);
      td_text_add(out, "};\n");
      continue;
    }
    write_numbers(out, lists[i].name, lists[i].x, lists[i].n);
  }

  // the comparison
  td_text_printf(out, "static const double t = %.17g;\nenum { nM = %d };\n", r->state->t,
                 d->nv <= CHECK_M ? d->nv * d->nv : 0);
  td_c_put(out, td_c_check, p->name);
  td_c_put(out, sensors ? td_c_check_sensors : td_c_check_none, p->name);
  td_c_put(out, td_c_check_main, p->name);
}

// Print tables and functions.  False: no memory.
static bool write_code(gen_program* p, const listing* l, td_text* out) {
  write_helpers(p, l, p->n, out);
  td_text_add(out, "// rows of the packed lower triangle: first column, place of the diagonal\n");
  write_ints(out, "first", p->first, p->d->nv);
  write_ints(out, "diag", p->diag, p->d->nv);
  if (!p->M) write_products(p, out);
  for (int i = 0; i < p->d->nquadrature; i++) write_points(p, i, out);
  for (int i = 0; i < p->n; i++) {
    if (!write_function(p, &p->f[i], &l[i], out)) return false;
  }
  return true;
}

// Print source, header and check, and stage them as files.
static td_status write_all(gen_program* p, const listing* l, td_files* files) {
  gen_reference r;
  td_text source = {0}, header = {0}, check = {0};
  td_status status = td_reference_open(p, &r);
  if (status == TD_OK) {
    write_head(p, &source);
    td_text_printf(&source, "#include \"%s.h\"\n\n#include <math.h>\n\n", p->name);
    if (!write_code(p, l, &source)) status = TD_E_NOMEM;
  }
  if (status == TD_OK) {
    write_start(p, &r, &source);
    write_forward(p, &source);
    if (source.failed) status = TD_E_NOMEM;
  }
  if (status == TD_OK) {
    write_header(p, &header);
    write_check(p, &r, &check);
  }

  // stage the three files
  td_reference_close(&r);
  if (status == TD_OK) status = td_stage_text(files, p->name, ".c", &source);
  if (status == TD_OK) status = td_stage_text(files, p->name, ".h", &header);
  if (status == TD_OK) status = td_stage_text(files, p->name, "_check.c", &check);
  td_text_free(&source);
  td_text_free(&header);
  td_text_free(&check);
  return status;
}

static void free_listings(const gen_program* p, listing* l) {
  for (int i = 0; l && i < p->n; i++) td_listing_free(&l[i]);
  free(l);
}

// List the statements of all functions; outputs come last in functions that are not cut into
// pieces. NULL: no memory.
static listing* list_all(gen_program* p) {
  listing* l = calloc((size_t)p->n + 1, sizeof *l);
  bool ok = l != NULL;
  for (int i = 0; ok && i < p->n; i++) {
    ok = td_program_list(p, &p->f[i], true, &l[i]);
    if (ok && l[i].n > WHOLE_LIMIT) {
      td_listing_free(&l[i]);
      ok = td_program_list(p, &p->f[i], false, &l[i]);
    }
  }
  if (ok) return l;
  free_listings(p, l);
  return NULL;
}

// Print source, header and check.
td_status td_print_c(gen_program* p, td_files* files) {
  listing* l = list_all(p);
  const td_status status = l ? write_all(p, l, files) : TD_E_NOMEM;
  free_listings(p, l);
  return status;
}

// Print the code that computes v' alone, as one text.
td_status td_print_c_core(gen_program* p, td_text* out, int* nwork) {
  listing* l = list_all(p);
  *nwork = work_size(p);
  td_text_add(out, td_c_math);
  write_sizes(p, out);
  const bool ok = l && write_code(p, l, out);
  if (ok) write_forward(p, out);
  free_listings(p, l);
  return ok && !out->failed ? TD_OK : TD_E_NOMEM;
}
