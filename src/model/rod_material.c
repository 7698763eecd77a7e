// Material of a rod at an arc length: section, stiffness, damping, inertia, actuation.
#include <math.h>
#include <string.h>

#include "math/quadrature.h"
#include "model/rods.h"

typedef struct cross_section {
  ex A, Ix, Iy, J;
} cross_section;

const rod_words* td_rod_words(const builder* b, int rod, double arc) {
  return &td_rod_part_at(b, rod, arc)->w;
}

// e at a place of its rod: `here` and sensors at s become sensors at that place.
static ex at_place(builder* b, int rod, ex e, double arc) {
  enum { MOST = 64 };
  td_spec* spec = b->spec;
  int var[MOST], n = 0;
  ex with[MOST];
  e = at_arc(b, rod, e, arc);
  for (int c = 0; c < 3 && spec->here_var[c] > 0; c++) {
    if (!td_ex_has_var(spec->graph, e, spec->here_var[c])) continue;
    const td_sensor_ref ref = {.kind = SENSOR_POS,
                               .root = 'r',
                               .index = rod + 1,
                               .arc = arc,
                               .moves = b->rod[rod].moves,
                               .component = c};
    var[n] = spec->here_var[c];
    with[n++] = td_ex_var(spec->graph, td_spec_sensor(spec, &ref, td_span_none()));
  }
  for (int i = 0, all = spec->nsensor; i < all && n < MOST; i++) {
    td_sensor_ref ref = spec->sensors[i].ref;
    if (ref.root != 'r' || ref.arc != TD_ARC_HERE) continue;
    if (!td_ex_has_var(spec->graph, e, spec->sensors[i].var)) continue;
    var[n] = spec->sensors[i].var;
    ref.arc = arc;
    ref.moves = b->rod[rod].moves;
    with[n++] = td_ex_var(spec->graph, td_spec_sensor(spec, &ref, spec->sensors[i].at));
  }
  return td_ex_substitute(spec->graph, e, var, with, n);
}

ex td_rod_number(builder* b, int rod, const value* v, int i, double arc, double fallback) {
  if (!v || i >= td_value_count(v)) return td_ex_const(b->spec->graph, fallback);
  const ex e = td_value_ex(v, i, b->spec->graph);
  if (td_ex_depends(b->spec->graph, e) & TD_ON_HERE) return at_place(b, rod, e, arc);
  return at_arc(b, rod, e, arc);
}

static const double pi = 3.14159265358979323846;

// Torsion constant of a rectangle a x c, a >= c:  a c³ (1/3 - 0.21 (c/a) (1 - c⁴/(12 a⁴))), good to
// 0.5 %.
static ex rectangle_torsion(builder* b, ex w, ex h) {
  td_exprs* g = b->spec->graph;
  const ex a = td_ex_2(g, EX_MAX, w, h), c = td_ex_2(g, EX_MIN, w, h), r = over(b, c, a),
           r2 = mul(b, r, r);
  const ex inner = minus(b, num_ex(b, 1), times(b, 1.0 / 12, mul(b, r2, r2)));
  const ex k = minus(b, num_ex(b, 1.0 / 3), times(b, 0.21, mul(b, r, inner)));
  return mul(b, mul(b, a, mul(b, c, mul(b, c, c))), k);
}

// Area, second moments and torsion constant of the section at an arc length.
static cross_section section_at(builder* b, int rod, double arc) {
  const rod_words* f = td_rod_words(b, rod, arc);
  cross_section s;
  if (strcmp(f->section, "custom") == 0) {
    s = (cross_section){
        td_rod_number(b, rod, f->area, 0, arc, 0), td_rod_number(b, rod, f->Ix, 0, arc, 0),
        td_rod_number(b, rod, f->Iy, 0, arc, 0), td_rod_number(b, rod, f->J, 0, arc, 0)};
  } else if (strcmp(f->section, "rectangle") == 0) {
    const ex w = td_rod_number(b, rod, f->width, 0, arc, 0),
             h = td_rod_number(b, rod, f->height, 0, arc, 0);
    s.A = mul(b, w, h);
    s.Ix = times(b, 1.0 / 12, mul(b, w, mul(b, h, mul(b, h, h))));
    s.Iy = times(b, 1.0 / 12, mul(b, h, mul(b, w, mul(b, w, w))));
    s.J = rectangle_torsion(b, w, h);
  } else if (strcmp(f->section, "ellipse") == 0) {
    // with the whole axes w and h:  J = π w³ h³/(16 (w² + h²)), exact
    const ex w = td_rod_number(b, rod, f->width, 0, arc, 0),
             h = td_rod_number(b, rod, f->height, 0, arc, 0);
    const ex wh = mul(b, w, h), w2 = mul(b, w, w), h2 = mul(b, h, h);
    s.A = times(b, pi / 4, wh);
    s.Ix = times(b, pi / 64, mul(b, wh, h2));
    s.Iy = times(b, pi / 64, mul(b, wh, w2));
    s.J = times(b, pi / 16, over(b, mul(b, wh, mul(b, wh, wh)), add(b, w2, h2)));
  } else {
    const ex r = td_rod_number(b, rod, f->radius, 0, arc, 0),
             in = td_rod_number(b, rod, f->radius, 1, arc, 0);
    const ex r2 = mul(b, r, r), i2 = mul(b, in, in);
    s.A = times(b, pi, minus(b, r2, i2));
    s.Ix = s.Iy = times(b, pi / 4, minus(b, mul(b, r2, r2), mul(b, i2, i2)));
    s.J = add(b, s.Ix, s.Iy);
  }
  return s;
}

ex td_rod_area(builder* b, int rod, double arc) { return section_at(b, rod, arc).A; }

void td_rod_widths(builder* b, int rod, double arc, ex width[3]) {
  const rod_words* f = td_rod_words(b, rod, arc);
  if (strcmp(f->section, "rectangle") == 0 || strcmp(f->section, "ellipse") == 0) {
    width[0] = td_rod_number(b, rod, f->height, 0, arc, 0);
    width[1] = td_rod_number(b, rod, f->width, 0, arc, 0);
  } else if (strcmp(f->section, "custom") == 0) {  // the circle of the same area
    const ex A = td_rod_number(b, rod, f->area, 0, arc, 0);
    width[0] = width[1] = times(b, 2, td_ex_1(b->spec->graph, EX_SQRT, times(b, 1 / pi, A)));
  } else {
    width[0] = width[1] = times(b, 2, td_rod_number(b, rod, f->radius, 0, arc, 0));
  }
  width[2] = times(b, 0.5, add(b, width[0], width[1]));
}

// Stiffness, damping and inertia per length: 6 numbers on the diagonal unless a whole matrix is
// given.
static void diagonal_stiffness(builder* b, int rod, double arc, ex out[6]) {
  const rod_words* f = td_rod_words(b, rod, arc);
  const cross_section s = section_at(b, rod, arc);
  const ex E = td_rod_number(b, rod, f->E, 0, arc, f->material ? f->material->E : 0),
           shear = td_rod_number(b, rod, f->shear, 0, arc, 1);
  const ex nu = td_rod_number(b, rod, f->nu, 0, arc, f->material ? f->material->nu : 0.5);
  const ex G = f->G ? td_rod_number(b, rod, f->G, 0, arc, 0)
                    : over(b, E, times(b, 2, add(b, num_ex(b, 1), nu)));
  out[0] = out[1] = mul(b, shear, mul(b, G, s.A));
  out[2] = mul(b, E, s.A);
  out[3] = mul(b, E, s.Ix);
  out[4] = mul(b, E, s.Iy);
  out[5] = mul(b, G, s.J);
}

// Viscosities of the six strains that follow from eta: eta A for shear, 3 eta A for stretch, 3 eta
// I for bending, eta J for twist.
static void diagonal_damping(builder* b, int rod, double arc, ex out[6]) {
  const ex eta = td_rod_number(b, rod, td_rod_words(b, rod, arc)->eta, 0, arc, 0);
  if (td_ex_is_const(b->spec->graph, eta) && td_ex_value(b->spec->graph, eta) == 0) {
    for (int d = 0; d < 6; d++) out[d] = num_ex(b, 0);
    return;
  }
  const cross_section s = section_at(b, rod, arc);
  out[0] = out[1] = mul(b, eta, s.A);
  out[2] = times(b, 3, mul(b, eta, s.A));
  out[3] = times(b, 3, mul(b, eta, s.Ix));
  out[4] = times(b, 3, mul(b, eta, s.Iy));
  out[5] = mul(b, eta, s.J);
}

// A 1x6 or 6x6 field as 36 numbers, or the given diagonal.
static void matrix_at(builder* b, int rod, const value* v, double arc, const ex diagonal[6],
                      ex out[36]) {
  const int n = v ? td_value_count(v) : 0;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      ex e = i == j ? diagonal[i] : num_ex(b, 0);
      if (n == 36) e = td_rod_number(b, rod, v, i + 6 * j, arc, 0);
      if (n == 6) e = i == j ? td_rod_number(b, rod, v, i, arc, 0) : num_ex(b, 0);
      out[6 * i + j] = e;
    }
}

// ---- actuation --------------------------------------------------------------------------------

// A number of a field, the fallback where it is not given.
static ex number_of(builder* b, const value* v, ex fallback) {
  return v ? td_value_ex(v, 0, b->spec->graph) : fallback;
}

static double share_now(rod_reach reach, double arc, double lo, double hi) {
  enum { MOST = 513 };
  double here[MOST + 1], low[MOST + 1], high[MOST + 1], sum = 0;
  const double length = reach.to - reach.from;
  if (length == 0) return arc >= lo && arc <= hi;
  lo = fmax(lo, reach.from);
  hi = fmin(hi, reach.to);
  if (!(hi - lo > 1e-9 * length)) return 0;
  if (hi - lo > (1 - 1e-9) * length) return 1;
  if (reach.gauss == 0) return (hi - lo) / length;

  // ∫ P_j = (P_{j+1} - P_{j-1})/(2 (2j + 1)) on [0, 1]
  const int n = min_int(reach.gauss, MOST - 1);
  td_legendre(n, 2 * (arc - reach.from) / length - 1, here);
  td_legendre(n, 2 * (lo - reach.from) / length - 1, low);
  td_legendre(n, 2 * (hi - reach.from) / length - 1, high);
  for (int j = 0; j < n; j++) {
    const double below = j > 0 ? high[j - 1] - low[j - 1] : 0;
    sum += 0.5 * here[j] * (high[j + 1] - low[j + 1] - below);
  }
  return sum;
}

// P_j(y) for j = 0 ... n, by (j+1) P_{j+1} = (2j+1) y P_j - j P_{j-1}.
static void legendre_of(builder* b, int n, ex y, ex* P) {
  P[0] = num_ex(b, 1);
  if (n > 0) P[1] = y;
  for (int j = 1; j < n; j++)
    P[j + 1] = times(b, 1.0 / (j + 1),
                     minus(b, times(b, 2 * j + 1, mul(b, y, P[j])), times(b, j, P[j - 1])));
}

// The part of a piece between lo and hi is clipped by its ends, whatever the parameters; pieces of
// strain-parametrised rods lie between the borders that such ends are.
ex td_rod_share(builder* b, int rod, rod_reach reach, double arc, ex lo, ex hi) {
  enum { MOST = 513 };
  td_exprs* g = b->spec->graph;
  const double now = share_now(reach, arc, td_build_now(b, lo), td_build_now(b, hi));
  if (!b->rod[rod].moves && td_ex_is_const(g, lo) && td_ex_is_const(g, hi)) return num_ex(b, now);
  const double length = reach.to - reach.from;
  if (length < 3e-12) return num_ex(b, now);  // a point
  const ex from = td_rod_arc(b, rod, reach.from), to = td_rod_arc(b, rod, reach.to),
           whole = minus(b, to, from), low = over(b, minus(b, lo, from), whole),
           high = over(b, minus(b, hi, from), whole);
  double x, y;
  if (td_ex_steady(b, low, &x) && td_ex_steady(b, high, &y)) return num_ex(b, now);
  const ex none = num_ex(b, 0), one = num_ex(b, 1);
  const ex first = td_ex_2(g, EX_MIN, one, td_ex_2(g, EX_MAX, none, low)),
           last = td_ex_2(g, EX_MIN, one, td_ex_2(g, EX_MAX, none, high));
  if (reach.gauss == 0) return minus(b, last, first);

  double here[MOST + 1];
  ex P[MOST + 1], Q[MOST + 1], sum = none;
  const int n = min_int(reach.gauss, MOST - 1);
  td_legendre(n, 2 * (arc - reach.from) / length - 1, here);
  legendre_of(b, n, minus(b, times(b, 2, first), one), P);
  legendre_of(b, n, minus(b, times(b, 2, last), one), Q);
  for (int j = 0; j < n; j++) {
    ex more = minus(b, Q[j + 1], P[j + 1]);
    if (j > 0) more = minus(b, more, minus(b, Q[j - 1], P[j - 1]));
    sum = add(b, sum, times(b, 0.5 * here[j], more));
  }
  return sum;
}

rod_reach td_rod_reach(const builder* b, const model_strain* f) {
  const build_rod* r = &b->rod[f->rod - 1];
  if (strain_is_segment(f)) {
    const double l = td_build_now(b, b->m->number_ex[f->section + SECTION_LENGTH]);
    return (rod_reach){f->arc - 0.5 * l, f->arc + 0.5 * l, 0};
  }
  const value* points = NULL;
  rod_reach all = {0, r->length, 0};
  if (strain_is_posed(f) && r->npart > 0) {
    const rod_part* p = &r->part[f->part];
    points = p->w.points;
    all = (rod_reach){p->from, p->from + p->length, 0};
  } else if (strain_is_posed(f)) {
    points = b->joint[r->joint].w.points;
  }
  // points of strain-parametrised rods are split where something ends, and so may be given ones be
  const bool table = points && td_value_count(points) > 1;
  if (!strain_is_posed(f) || table) return (rod_reach){f->arc, f->arc, 0};
  for (int i = 0; i < b->m->nstrain; i++) {
    const model_strain* other = &b->m->strain[i];
    all.gauss += other->rod == f->rod && other->part == f->part && other->element > 0;
  }
  return all;
}

// Pressure pushes with p A along the rod and turns with p A [y, -x, 0].
static void add_chambers(builder* b, int rod, rod_reach reach, double middle, ex input[6]) {
  const int n = b->chambers ? td_value_count(b->chambers) : 0;
  for (int k = 0; k < n; k++) {
    const chamber_words w = chamber_read(b->chambers, k);
    td_exprs* g = b->spec->graph;
    if ((w.rod ? (int)w.rod->x[0] : 1) != rod + 1) continue;
    const ex share = td_rod_share(b, rod, reach, middle, number_of(b, w.from, num_ex(b, 0)),
                                  number_of(b, w.to, td_rod_arc(b, rod, b->rod[rod].length)));
    if (td_ex_is_const(g, share) && td_ex_value(g, share) == 0) continue;
    const ex force = mul(b, share,
                         mul(b, at_arc(b, rod, td_value_ex(w.pressure, 0, g), middle),
                             at_arc(b, rod, td_value_ex(w.area, 0, g), middle)));
    input[2] = add(b, input[2], force);
    if (!w.offset) continue;
    input[3] = add(b, input[3], mul(b, force, at_arc(b, rod, td_value_ex(w.offset, 1, g), middle)));
    input[4] =
        minus(b, input[4], mul(b, force, at_arc(b, rod, td_value_ex(w.offset, 0, g), middle)));
  }
}

ex td_rod_start(builder* b, int rod, const char* field, int d, double arc) {
  const rod_words* w = td_rod_words(b, rod, arc);
  const value* init = w->init ? w->init : w->shape;
  return td_rod_number(b, rod, strcmp(field, "rate") == 0 ? w->rate : init, d, arc, 0);
}

td_status td_rod_check_held(builder* b, int rod, const char* field, int d, double arc) {
  const rod_part* p = td_rod_part_at(b, rod, arc);
  const bool is_rate = strcmp(field, "rate") == 0;
  const ex shape = td_rod_number(b, rod, p->w.shape, d, arc, 0);
  const ex wanted = td_rod_start(b, rod, field, d, arc);
  double x;
  if (td_ex_steady(b, is_rate ? wanted : minus(b, wanted, shape), &x) && x == 0) return TD_OK;
  const double held = is_rate ? 0 : td_spec_settle(b->spec, shape),
               start = td_spec_settle(b->spec, wanted);
  if (fabs(start - held) <= 1e-9 * (fabs(start) + fabs(held))) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, td_get_at(p->s, p->at, field),
                  "rod(%d).%s: the strain %s has no coordinate (modes, order) and %s %g at s = %g, "
                  "got %g; write %g, or give it a coordinate",
                  rod + 1, field, td_rod_strain_name(d),
                  is_rate ? "its rate is" : "stays at its shape,", held, arc, start, held);
}

// Mass and rotary inertia per length.
void td_rod_inertia(builder* b, int rod, double arc, ex* mass, ex* jx, ex* jy, ex* jz) {
  const rod_words* f = td_rod_words(b, rod, arc);
  const value* given = f->inertia;
  const cross_section s = given ? (cross_section){0} : section_at(b, rod, arc);
  const ex rho = td_rod_number(b, rod, f->rho, 0, arc, f->material ? f->material->rho : 0);
  *mass = given ? td_rod_number(b, rod, given, 0, arc, 0) : mul(b, rho, s.A);
  *jx = given ? td_rod_number(b, rod, given, 3, arc, 0) : mul(b, rho, s.Ix);
  *jy = given ? td_rod_number(b, rod, given, 4, arc, 0) : mul(b, rho, s.Iy);
  *jz = given ? td_rod_number(b, rod, given, 5, arc, 0) : add(b, *jx, *jy);
}

// ---- the whole law ----------------------------------------------------------------------------

static bool is_constant(const builder* b, const ex* e, int n) {
  for (int i = 0; i < n; i++)
    if (td_ex_depends(b->spec->graph, e[i]) & ~(unsigned)TD_ON_PARAM) return false;
  return true;
}

// A law from its energy U(χ), which is differentiated:  f = -dU/dχ  is written as -(χ - χ0) with
// χ0 = χ - dU/dχ, the strains χ being those measured at this very place.
static td_status energy_law(builder* b, int rod, ex energy, double arc, ex* slots) {
  td_exprs* g = b->spec->graph;
  const rod_part* p = td_rod_part_at(b, rod, arc);
  const td_span at = td_get_at(p->s, p->at, "energy");
  ex strain[6];
  for (int d = 0; d < 6; d++) {
    const td_sensor_ref ref = {.kind = SENSOR_STRAIN,
                               .root = 'r',
                               .index = rod + 1,
                               .arc = arc,
                               .moves = b->rod[rod].moves,
                               .component = d};
    const int var = td_spec_sensor(b->spec, &ref, at);
    if (var < 0) return TD_E_NOMEM;
    strain[d] = td_ex_var(g, var);
  }
  for (int d = 0; d < 6; d++) {
    const ex slope = td_ex_diff(g, energy, b->spec->strain_var[d]);
    slots[SECTION_X0 + d] =
        minus(b, strain[d], td_ex_substitute(g, slope, b->spec->strain_var, strain, 6));
    for (int j = 0; j < 6; j++) slots[SECTION_K + 6 * d + j] = num_ex(b, d == j);
  }
  slots[SECTION_STORED] = td_ex_substitute(g, energy, b->spec->strain_var, strain, 6);
  return TD_OK;
}

// Energy per length of a section of rubber at an arc length; neo-Hookean rubber without moduli has
// those of its Young's modulus.
static ex rubber_at(builder* b, int rod, double arc) {
  td_exprs* g = b->spec->graph;
  const rod_words* w = td_rod_words(b, rod, arc);
  const cross_section s = section_at(b, rod, arc);
  ex moduli[RUBBER_MODULI], e[6];
  const ex E = td_rod_number(b, rod, w->E, 0, arc, w->material ? w->material->E : 0);
  moduli[0] = times(b, 1.0 / 3, E);
  for (int i = 0; w->moduli && i < w->law->moduli; i++)
    moduli[i] = td_rod_number(b, rod, w->moduli, i, arc, 0);
  for (int d = 0; d < 6; d++)
    e[d] =
        minus(b, td_ex_var(g, b->spec->strain_var[d]), td_rod_number(b, rod, w->shape, d, arc, 0));
  const rubber_section of = {s.A, s.Ix, s.Iy, s.J, td_rod_number(b, rod, w->shear, 0, arc, 1)};
  return td_rubber_section(g, w->law, moduli, of, e, b->spec->strain_var[2]);
}

td_status td_rod_section(builder* b, int rod, rod_reach reach, double middle, ex length,
                         model_strain* f) {
  const rod_words* w = td_rod_words(b, rod, middle);
  ex slots[SECTION_SLOTS], K[6], D[6];
  diagonal_stiffness(b, rod, middle, K);
  diagonal_damping(b, rod, middle, D);
  matrix_at(b, rod, w->stiffness, middle, K, slots + SECTION_K);
  matrix_at(b, rod, w->damping, middle, D, slots + SECTION_D);
  const value* visc = w->visc;
  for (int d = 0; d < 6; d++) {
    slots[SECTION_X0 + d] = td_rod_number(b, rod, w->shape, d, middle, 0);
    slots[SECTION_INPUT + d] = td_rod_number(b, rod, w->input, d, middle, 0);
    slots[SECTION_MU + d] = num_ex(b, 0);
    if (visc)
      slots[SECTION_MU + d] = at_arc(
          b, rod, td_value_ex(visc, td_value_count(visc) == 6 ? d : 0, b->spec->graph), middle);
    slots[SECTION_HELD + d] = slots[SECTION_X0 + d];
  }
  add_chambers(b, rod, reach, middle, slots + SECTION_INPUT);
  slots[SECTION_POWER] = w->pow ? td_value_ex(w->pow, 0, b->spec->graph) : num_ex(b, 1);
  slots[SECTION_LENGTH] = length;
  f->potential = is_constant(b, slots + SECTION_K, 36) && is_constant(b, slots + SECTION_X0, 6);
  slots[SECTION_STORED] = num_ex(b, 0);
  f->stored = w->energy || w->law;
  if (f->stored) {
    const ex energy =
        w->law ? rubber_at(b, rod, middle) : td_rod_number(b, rod, w->energy, 0, middle, 0);
    TD_TRY(energy_law(b, rod, energy, middle, slots));
    f->potential = true;
  }
  ex* at = td_push_number_ex(b->m, SECTION_SLOTS);
  if (!at) return TD_E_NOMEM;
  memcpy(at, slots, sizeof slots);
  f->section = b->m->nnumber_ex - SECTION_SLOTS;
  return TD_OK;
}
