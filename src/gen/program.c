// The functions of a generated program and their outputs, whatever its language; see program.h.
#include "gen/program.h"

#include <stdio.h>
#include <string.h>

#include "gen/identifier.h"

// ---- inputs -----------------------------------------------------------------------------------

// Variables var (n) are the elements of an array.
static void inputs_from(gen_program* p, char array, const int* var, int n) {
  for (int i = 0; i < n; i++) p->input[var[i]] = (gen_input){array, i};
}

// Record where each variable of the graph comes from.  False: no memory.
static bool find_inputs(gen_program* p) {
  const td_derived* d = p->d;
  p->ninput = td_exprs_nvar(d->g);
  p->input = calloc((size_t)p->ninput + 1, sizeof *p->input);
  if (!p->input) return false;
  inputs_from(p, 't', &d->t, 1);
  inputs_from(p, 'q', d->q, d->nq);
  inputs_from(p, 'v', d->v, d->nv);
  inputs_from(p, 'u', d->u, d->nu);
  inputs_from(p, 'p', d->p, d->np);
  inputs_from(p, 'a', d->a, d->nv);
  inputs_from(p, 'l', d->lambda, d->nrow);
  inputs_from(p, 'c', d->target, d->ntarget);
  for (int i = 0; i < d->nsum; i++) p->input[d->sum[i].var] = (gen_input){'s', i};
  for (int i = 0; i < d->nquadrature; i++)
    inputs_from(p, 'z', d->quadrature[i].z, d->quadrature[i].nz);
  return true;
}

// ---- the mass matrix --------------------------------------------------------------------------

// Find the profile of the lower triangle of M: row i from its first entry that is not always zero.
// False: no memory.
static bool find_profile(gen_program* p) {
  const td_derived* d = p->d;
  const int nv = d->nv;
  p->first = malloc(((size_t)nv + 1) * sizeof *p->first);
  p->diag = malloc(((size_t)nv + 1) * sizeof *p->diag);
  if (!p->first || !p->diag) return false;

  // a mass couples all of its velocities
  for (int i = 0; i < nv; i++) p->first[i] = i;
  for (int k = 0; k < d->nmass + d->nquadrature; k++) {
    const tmt_mass* mass = k < d->nmass ? &d->mass[k] : &d->quadrature[k - d->nmass].mass;
    int least = nv;
    for (int c = 0; c < mass->n; c++) least = min_int(least, mass->v[c]);
    for (int c = 0; c < mass->n; c++) {
      p->first[mass->v[c]] = min_int(p->first[mass->v[c]], least);
    }
  }

  // positions of the diagonal entries in the packed rows
  for (int i = 0, n = 0; i < nv; i++) {
    n += i - p->first[i] + 1;
    p->diag[i] = n - 1;
    p->nprofile = n;
  }
  return true;
}

// Pack the profile of a whole matrix M (nv x nv) into out (nprofile).
static void pack_profile(const gen_program* p, const ex* M, ex* out) {
  const int nv = p->d->nv;
  for (int i = 0; i < nv; i++)
    for (int j = p->first[i]; j <= i; j++) out[p->diag[i] - (i - j)] = M[i * nv + j];
}

// Copy the factors of the mass matrix, T and D = [m, I] of each mass.  False: no memory.
bool td_program_factors(gen_program* p) {
  const td_derived* d = p->d;
  p->nT = 0;
  for (int k = 0; k < d->nmass; k++) p->nT += 6 * d->mass[k].n;
  p->T = malloc(((size_t)p->nT + 1) * sizeof *p->T);
  p->D = malloc((10 * (size_t)d->nmass + 1) * sizeof *p->D);
  if (!p->T || !p->D) return false;
  ex* T = p->T;
  for (int k = 0; k < d->nmass; k++) {
    const tmt_mass* mass = &d->mass[k];
    memcpy(T, mass->T, 6 * (size_t)mass->n * sizeof *T);
    T += 6 * mass->n;
    p->D[10 * k] = mass->m;
    memcpy(p->D + 10 * k + 1, mass->I.m, sizeof mass->I.m);
  }
  return true;
}

// Limits up to which M is multiplied out: operations of the entries, products of columns.
enum { OUT_LIMIT = 12000, TERM_LIMIT = 200000 };

// Prepare the mass matrix: multiplied out while that stays short, else as the factors of Σ TᵀM T,
// which the printed code multiplies.  False: no memory.
static bool mass_matrix(gen_program* p) {
  td_derived* d = p->d;
  long terms = 0;
  if (!find_profile(p)) return false;
  for (int k = 0; k < d->nmass; k++) terms += (long)d->mass[k].n * d->mass[k].n;
  const int before = td_exprs_count(d->g);
  if (terms <= TERM_LIMIT) {
    p->M = malloc(((size_t)d->nv * (size_t)d->nv + 1) * sizeof *p->M);
    if (!p->M || !td_derived_mass(d, p->M)) return false;
  }
  if (p->M && td_exprs_count(d->g) - before <= OUT_LIMIT) {
    p->profile = malloc(((size_t)p->nprofile + 1) * sizeof *p->profile);
    if (p->profile) pack_profile(p, p->M, p->profile);
    return p->profile != NULL;
  }
  free(p->M);
  p->M = NULL;
  return td_program_factors(p);
}

// ---- functions --------------------------------------------------------------------------------

// Append a function without outputs; NULL: no memory, and the program has failed.
gen_function* td_program_add(gen_program* p, const char* name, const char* what) {
  gen_function* grown = td_grow(p->f, &p->cap, p->n + 1, sizeof *grown);
  if (!grown) {
    p->failed = true;
    return NULL;
  }
  p->f = grown;
  gen_function* f = &p->f[p->n++];
  *f = (gen_function){0};
  snprintf(f->name, sizeof f->name, "%s", name);
  snprintf(f->what, sizeof f->what, "%s", what);
  return f;
}

// Append an output array to a function; empty arrays are left out.
void td_program_output(gen_function* f, const char* name, int rows, int cols, const ex* e) {
  if (!f || rows * cols == 0 || f->nout == GEN_OUTPUTS) return;
  f->out[f->nout++] = (gen_output){name, rows, cols, e, false};
}

// List the statements that compute a function's outputs.  False: no memory.
bool td_program_list(gen_program* p, const gen_function* f, bool outputs_last, listing* l) {
  size_t n = 0, at = 0;
  for (int i = 0; i < f->nout; i++) n += (size_t)f->out[i].rows * (size_t)f->out[i].cols;
  ex* roots = malloc((n + 1) * sizeof *roots);
  if (!roots) return false;
  for (int i = 0; i < f->nout; i++) {
    const size_t size = (size_t)f->out[i].rows * (size_t)f->out[i].cols;
    memcpy(roots + at, f->out[i].e, size * sizeof *roots);
    at += size;
  }

  // outputs that are always zero are left out: arrays are cleared first
  const ex zero = td_ex_const(p->d->g, 0);
  for (size_t i = 0; i < n; i++) {
    if (roots[i] == zero) roots[i] = EX_NONE;  // arrays are cleared first
  }
  const bool ok = td_listing_make(p->d->g, roots, (int)n, (listing_rule){outputs_last, 1, p->cases},
                                  &p->pool, l);
  free(roots);
  return ok;
}

// Allocate n zero expressions that live as long as the program; NULL: no memory.
static ex* own(gen_program* p, size_t n) {
  ex* e = malloc((n + 1) * sizeof *e);
  ex** owned = e ? td_grow(p->owned, &p->owned_cap, p->nowned + 1, sizeof *owned) : NULL;
  if (!owned) {
    free(e);
    p->failed = true;
    return NULL;
  }
  p->owned = owned;
  p->owned[p->nowned++] = e;
  for (size_t i = 0; i < n; i++) e[i] = td_ex_const(p->d->g, 0);
  return e;
}

// Add the function of M, h, τ, J, γ and the power to a program; M as its profile, or as factors T
// and D that the program multiplies.
static void add_terms(gen_program* p) {
  const td_derived* d = p->d;
  gen_function* f = td_program_add(p, "terms", "mass matrix, forces and constraint rows");
  if (!f) return;
  if (p->M) {
    td_program_output(f, "M", 1, p->nprofile, p->profile);
  } else {
    f->products = true;
    td_program_output(f, "T", 1, p->nT, p->T);
    td_program_output(f, "D", 1, 10 * d->nmass, p->D);
    for (int i = 0; i < f->nout; i++) f->out[i].local = true;
  }
  td_program_output(f, "h", 1, d->nv, d->h);
  td_program_output(f, "tau", 1, d->nv, d->tau);
  td_program_output(f, "J", d->nrow, d->nv, d->J);
  td_program_output(f, "gamma", 1, d->nrow, d->gamma);
  if (d->power != EX_NONE) td_program_output(f, "power", 1, 1, &d->power);
}

// ---- sums over quadrature points --------------------------------------------------------------

// Report whether a function uses sums over quadrature points.
bool td_program_uses_sums(const gen_program* p, const listing* l) {
  for (int i = 0; i < p->d->nsum; i++) {
    if (l->used[p->d->sum[i].var]) return true;
  }
  return false;
}

// Add a function for each sum: sums[k] += the term of one point.
static void add_sums(gen_program* p) {
  const td_derived* d = p->d;
  for (int i = 0; i < d->nsum; i++) {
    char name[40];
    snprintf(name, sizeof name, "total%d", i + 1);
    ex* e = own(p, (size_t)d->nsum);
    gen_function* f = td_program_add(p, name, "what one point adds to a sum");
    if (!e || !f) return;
    e[i] = d->sum[i].e;
    f->quadrature = d->sum[i].quadrature + 1;
    f->sums = true;
    td_program_output(f, "sums", 1, d->nsum, e);
  }
}

// Add a function for each quadrature: what one point adds to M, h, τ and the power.
static void add_points(gen_program* p) {
  const td_derived* d = p->d;
  ex* whole = malloc(((size_t)d->nv * (size_t)d->nv + 1) * sizeof *whole);
  if (!whole) p->failed = true;
  for (int i = 0; whole && i < d->nquadrature; i++) {
    char name[40], what[200];
    tmt_quadrature* l = &p->d->quadrature[i];
    snprintf(name, sizeof name, "point%d", i + 1);
    snprintf(what, sizeof what, "%s: what one of its points adds",
             td_plain(model_name(p->m, l->name)).s);
    ex* M = own(p, (size_t)p->nprofile);
    gen_function* f = td_program_add(p, name, what);
    if (!M || !f) break;

    // mass matrix of a derivation with this mass alone
    td_derived one = *d;
    one.mass = &l->mass;
    one.nmass = 1;
    if (td_derived_mass(&one, whole))
      pack_profile(p, whole, M);
    else
      p->failed = true;
    f->quadrature = i + 1;
    td_program_output(f, "M", 1, p->nprofile, M);
    td_program_output(f, "h", 1, d->nv, l->h);
    td_program_output(f, "tau", 1, d->nv, l->tau);
    if (d->power != EX_NONE) td_program_output(f, "power", 1, 1, &l->power);
  }
  free(whole);
}

// Add a function with one output, unless that is empty.
static void add_one(gen_program* p, const char* name, const char* what, const char* output,
                    int rows, int cols, const ex* e) {
  if (rows * cols == 0) return;
  gen_function* f = td_program_add(p, name, what);
  td_program_output(f, output, rows, cols, e);
}

// Add the functions of every style: coordinate rates, constraint errors, sensors.
static void add_common(gen_program* p) {
  const td_derived* d = p->d;
  add_one(p, "qdot", "rates of the coordinates: q' = N(q) v", "qdot", 1, d->nq, d->qdot);
  if (d->nrow > 0) {
    gen_function* f = td_program_add(p, "errors", "errors of the constraints and their rates");
    td_program_output(f, "e", 1, d->nrow, d->e);
    td_program_output(f, "edot", 1, d->nrow, d->edot);
  }

  // sensors
  if (d->ny == 0) return;
  gen_function* f = td_program_add(p, "sensors", "sensors, at accelerations a and multipliers");
  td_program_output(f, "y", 1, d->ny, d->y);
  if (f) f->motion = true;
}

// Add one function for each matrix and vector of the equations.
static void add_matrices(gen_program* p) {
  const td_derived* d = p->d;
  if (p->M) add_one(p, "M", "mass matrix", "M", d->nv, d->nv, p->M);
  add_one(p, "h", "Coriolis, gravity, springs and dampers", "h", 1, d->nv, d->h);
  add_one(p, "tau", "inputs and loads", "tau", 1, d->nv, d->tau);
  add_one(p, "J", "constraint rows", "J", d->nrow, d->nv, d->J);
  add_one(p, "gamma", "J v' + gamma = 0", "gamma", 1, d->nrow, d->gamma);
}

// ---- functions of elements --------------------------------------------------------------------

// Append the function `kind<i>` of an element, or of one of its terms.
static gen_function* element_function(gen_program* p, const char* kind, int i, const char* term,
                                      int element) {
  char name[80], what[200];
  snprintf(name, sizeof name, "%s%d%s%s", kind, i + 1, *term ? "_" : "", term);
  snprintf(what, sizeof what, "%s%s%s", td_plain(model_name(p->m, element)).s, *term ? ": " : "",
           term);
  return td_program_add(p, name, what);
}

// Add the functions of each mass (T and inertial wrench) and of each force; `terms`: a function for
// each of their outputs.
static void add_elements(gen_program* p, bool terms) {
  for (int i = 0; i < p->d->nmass; i++) {
    const tmt_mass* mass = &p->d->mass[i];
    gen_function* f = element_function(p, "mass", i, terms ? "T" : "", mass->name);
    td_program_output(f, "T", 6, mass->n, mass->T);
    if (terms) f = element_function(p, "mass", i, "f", mass->name);
    td_program_output(f, "f", 1, 6, mass->f);
  }
  for (int i = 0; i < p->d->nforce; i++) {
    const tmt_force* force = &p->d->force[i];
    gen_function* f = element_function(p, "force", i, terms ? "passive" : "", force->name);
    td_program_output(f, "passive", 1, force->n, force->passive);
    if (terms) f = element_function(p, "force", i, "active", force->name);
    td_program_output(f, "active", 1, force->n, force->active);
  }
}

// Add the function of prescribed motions: value, rate and acceleration of their coordinates.
static void add_motion(gen_program* p) {
  const td_derived* d = p->d;
  ex *q = own(p, (size_t)d->nq), *v = own(p, (size_t)d->nv), *a = own(p, (size_t)d->nv);
  bool any = false;
  if (!q || !v || !a) return;
  for (int i = 0; i < d->nq; i++) q[i] = EX_NONE;
  for (int i = 0; i < d->nv; i++) {
    v[i] = d->motion[3 * i + 1];
    a[i] = d->motion[3 * i + 2];
    if (d->motion[3 * i] == EX_NONE) continue;
    q[p->m->vel[i].partner] = d->motion[3 * i];
    any = true;
  }
  if (!any) return;
  gen_function* f = td_program_add(p, "motion", "coordinates whose motion is given");
  td_program_output(f, "q", 1, d->nq, q);
  td_program_output(f, "v", 1, d->nv, v);
  td_program_output(f, "a", 1, d->nv, a);
  if (f) f->given = true;
}

bool td_program_has_motion(const gen_program* p) {
  for (int i = 0; i < p->n; i++) {
    if (p->f[i].given) return true;
  }
  return false;
}

// Make the program that computes v' alone, named after the model's file: "dir/arm.m" gives "arm".
td_status td_program_core(const td_model* m, td_derived* d, const char* title, gen_program* p) {
  const char* slash = strrchr(title, '/');
  *p = (gen_program){.d = d, .m = m, .core = true, .title = slash ? slash + 1 : title};
  char base[60];
  snprintf(base, sizeof base, "%.59s", p->title);
  char* dot = strrchr(base, '.');
  if (dot && dot != base) *dot = '\0';
  td_identifier(base, p->name, sizeof p->name);

  if (!find_inputs(p) || !mass_matrix(p)) return TD_E_NOMEM;
  add_sums(p);
  if (d->nquadrature > 0) add_points(p);
  add_terms(p);
  add_motion(p);
  return p->failed ? TD_E_NOMEM : TD_OK;
}

// Make the whole program in the given style.
td_status td_program_open(const td_model* m, td_derived* d, const char* title,
                          td_derive_style style, gen_program* p) {
  TD_TRY(td_program_core(m, d, title, p));
  p->core = false;
  p->style = style;
  add_common(p);
  if (style == TD_DERIVE_MATRIX) add_matrices(p);
  if (style == TD_DERIVE_ELEMENT || style == TD_DERIVE_TERMS) {
    add_elements(p, style == TD_DERIVE_TERMS);
  }
  return p->failed ? TD_E_NOMEM : TD_OK;
}

// Release a program.
void td_program_close(gen_program* p) {
  for (int i = 0; i < p->nowned; i++) free(p->owned[i]);
  free(p->owned);
  td_name_pool_free(&p->pool);
  free(p->f);
  free(p->input);
  free(p->M);
  free(p->first);
  free(p->diag);
  free(p->profile);
  free(p->T);
  free(p->D);
}
