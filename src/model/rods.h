// Shared by the builders of rods.
#ifndef TD_RODS_H
#define TD_RODS_H

#include "model/build.h"
#include "model/field.h"

// The rows of the field table about rods, which parts of rods share.
extern const td_field td_rod_fields[];

// The parts of a written rod with its fields filled in, as a struct array to be dropped; NULL: it
// has none, or no memory.
value* td_rod_parts(const value* rods, int rod);
// Fill part, length and n of a written rod; false: no memory.
bool td_build_rod_parts(builder* b, int rod);
// The part that holds an arc length; at a boundary the one that begins there.
const rod_part* td_rod_part_at(const builder* b, int rod, double arc);

// The fields of a written rod at an arc length.
const rod_words* td_rod_words(const builder* b, int rod, double arc);
// Element i of one of them at that arc length, the fallback when it is not given.
ex td_rod_number(builder* b, int rod, const value* v, int i, double arc, double fallback);
// Initial strain ("init", else the stress-free one) or strain rate.
ex td_rod_start(builder* b, int rod, const char* field, int d, double arc);
// Refuse an initial value ("init") of a held strain that differs from its shape at an arc length,
// or a rate ("rate") that is not 0.
td_status td_rod_check_held(builder* b, int rod, const char* field, int d, double arc);
void td_rod_inertia(builder* b, int rod, double arc, ex* mass, ex* jx, ex* jy, ex* jz);
// Stretch of a rod for which the strains at a place stand: [from, to], of which a chamber or a
// cable may cover a share; a point, from = to; or, gauss > 0, one of as many Gauss points of a
// polynomial on [from, to].
typedef struct rod_reach {
  double from, to;
  int gauss;
} rod_reach;
// How much of what acts between lo and hi counts at `arc`, relative to its weight.  At a Gauss
// point it is the polynomial nearest to 1 between lo and hi and 0 elsewhere,
//
//   Σ_j (2j+1) P_j(x_k) ∫ P_j(x) dx,   j < gauss
//
// so that polynomials are integrated up to lo and hi exactly, wherever the points are.
ex td_rod_share(builder* b, int rod, rod_reach reach, double arc, ex lo, ex hi);
// Where the strains of a piece of any model stand.
rod_reach td_rod_reach(const builder* b, const model_strain* f);
// The law of a place, taken at `middle`, with weight `length`: fills the section's slots and
// f->section.
td_status td_rod_section(builder* b, int rod, rod_reach reach, double middle, ex length,
                         model_strain* f);
// Complete and append a strain element; its section has been made.
td_status td_rod_strain(builder* b, int rod, int element, double arc, model_strain* f);
td_status td_rod_station(builder* b, int rod, double arc, int* station);
// Load per length times `length` at a station.
td_status td_rod_load(builder* b, int rod, double arc, ex length, int station);
td_status td_rod_dof(builder* b, int rod, int element, int mode, const char* what, ex init, ex rate,
                     int* q, int* v);
// Is strain d free at an arc length?
bool td_rod_mode(const builder* b, int rod, int d, double arc);
const char* td_rod_strain_name(int d);  // "bend_x"
ex td_rod_area(builder* b, int rod, double arc);
// How wide a section is across the flow along x, y and z (the mean of the two).
void td_rod_widths(builder* b, int rod, double arc, ex width[3]);
// A point of the quadrature where fluid and contact act, if there are any; weight 0: contact only.
td_status td_rod_sample(builder* b, int rod, double arc, double weight);
// Mass, rotary inertia and load of a quadrature point.
td_status td_rod_point_mass(builder* b, int rod, double arc, double weight);
// Arc lengths strictly inside a rod at which something begins or ends (cables, chambers),
// ascending: where quadrature should be split.  Returns how many there are, of which at most `max`
// are written.
typedef struct rod_split {
  double arc;
  ex e;  // the same as an expression of parameters
} rod_split;
int td_rod_splits(builder* b, int rod, rod_split* at, int max);
// Arc lengths beyond the base at which something is attached or measured, ascending.
typedef struct rod_places {
  double* arc;
  int n, cap;
} rod_places;
td_status td_rod_places(builder* b, int rod, rod_places* out);
// ... of these, where joints, loads, rods and cables sit
td_status td_rod_attached(builder* b, int rod, rod_places* out);
void td_rod_places_free(rod_places* places);
// Does a contact name a rod (build_contacts.c)?
bool td_rod_in_contact(const builder* b, int rod);
// Does a sensor measure the wrench inside a rod?
bool td_rod_has_wrench(const builder* b, int rod);
td_status td_rod_want(builder* b, int rod, double arc, rod_places* out);  // one more, each once
// ... the place v if it is on this rod: at(rod(k), s), or [body s] of a body that is a rod.
td_status td_rod_want_place(builder* b, int rod, const value* v, rod_places* out);
// Points along a rod that a contact needs, those of its model among them (build_contacts.c): of a
// rod whose model has put its points, and of a part of one with `n` own points.
td_status td_contact_places(builder* b, int rod, rod_places* out);
td_status td_contact_places_between(builder* b, int rod, double from, double to, const double* own,
                                    int n, rod_places* out);
// The continuum models: frames, strains and masses of a rod whose base is known.
#define X(name, ...) td_status td_build_rod_##name(builder* b, int rod);
TD_ROD_MODELS(X)
#undef X
// The same rod in another space, as td_spec.refine says: changes its parts before they are built
// (rod_refine.c).
#define X(name, ...) td_status td_refine_rod_##name(builder* b, int rod);
TD_ROD_MODELS(X)
#undef X
// One term of a coordinate of a refined rod: coordinate `from` of the written one times `weight`.
td_status td_rod_lift(builder* b, int rod, int q, int v, int from, double weight);
// The terms of all coordinates of a chain of segments whose strains are q / length (srl, ebr).
td_status td_rod_lift_segments(builder* b, int rod);
// Arc lengths strictly inside a rod at which strains may jump or have a kink: ends of cables and
// chambers, what is attached, jumps and corners of what is written along it; ascending.
td_status td_rod_jumps(builder* b, int rod, rod_places* out);
// The outline's slots (model_rod), and stations at both ends: what pictures need.
td_status td_build_rod_looks(builder* b, int rod);
td_status td_build_rom_joint(builder* b, int rod);  // the polynomial model as joint.rom writes it

// Segment k of a rod: its length and its middle; the place of the frame of piece or node k.
static inline double segment_length(const build_rod* r, int k) { return r->arc[k + 1] - r->arc[k]; }
static inline double segment_middle(const build_rod* r, int k) {
  return 0.5 * (r->arc[k] + r->arc[k + 1]);
}
static inline double frame_arc(const build_rod* r, int k) {
  return k == 0 ? 0 : r->middle_joints ? segment_middle(r, k - 1) : r->arc[k];
}

// ---- arc lengths that follow parameters (rod_arcs.c) ------------------------------------------
//
// Places along a rod are numbers at the parameters' present values; these functions give their
// expressions.

// Share of its part, (s - from)/length, and arc length s of a place on a rod.
ex td_rod_fraction(builder* b, int rod, double arc);
ex td_rod_arc(builder* b, int rod, double arc);
// The distance between two places of one part; a weight of a quadrature [m] at a place, which grows
// with what is between the borders around it.
ex td_rod_between(builder* b, int rod, double from, double to);
ex td_rod_weight(builder* b, int rod, double arc, double weight);
// Note that the place `arc` of a rod is e metres from its base, whatever the parameters.
td_status td_rod_mark(builder* b, int rod, double arc, ex e);
// The mark at an arc length, NULL: there is none.
const rod_mark* td_rod_marked(const builder* b, int rod, double arc);
// Cut a rod at `arc`, where its share of the part is `share`.
td_status td_rod_border(builder* b, int rod, double arc, ex share);
// Mark the parameters of a rod's arc lengths as structural, since a decision was made with their
// present values: changing them requires loading the model again.
void td_rod_settle(builder* b, int rod, const char* why);
// Values of all variables with the parameters at their present values (trial 0) or around them
// (1 ... TD_TRIALS), for td_ex_eval(), to be freed; NULL: no memory.
enum { TD_TRIALS = 3 };
double* td_build_trial(const builder* b, int trial);
#define TD_ON_A_POINT "where a place coincides with a point of the rod's model"
// Does e have the same value whatever the parameters are?  *x: the value.
bool td_ex_steady(const builder* b, ex e, double* x);
// Is a number of parameters above 0 at their present values, and must stay so?  `what` is the rule
// in messages, up to the number.
void td_rod_keep_above(builder* b, ex e, const char* what);
// The number that a place on a rod has in the text, at the parameters' present values.
double td_build_now(const builder* b, ex e);

// Small algebra on expressions.
static inline ex mul(builder* b, ex x, ex y) { return td_ex_2(b->spec->graph, EX_MUL, x, y); }
static inline ex add(builder* b, ex x, ex y) { return td_ex_2(b->spec->graph, EX_ADD, x, y); }
static inline ex minus(builder* b, ex x, ex y) { return td_ex_2(b->spec->graph, EX_SUB, x, y); }
static inline ex over(builder* b, ex x, ex y) { return td_ex_2(b->spec->graph, EX_DIV, x, y); }
static inline ex num_ex(builder* b, double x) { return td_ex_const(b->spec->graph, x); }
static inline ex times(builder* b, double k, ex x) { return mul(b, num_ex(b, k), x); }
// e at an arc length of a rod, numbered from 0
static inline ex at_arc(builder* b, int rod, ex e, double arc) {
  const ex with = td_rod_arc(b, rod, arc);
  return td_ex_substitute(b->spec->graph, e, &b->spec->arc_var, &with, 1);
}

#endif
