// Shared by the builders of strain-parametrised rods.
#ifndef TD_GVS_H
#define TD_GVS_H

#include "elem/basis.h"
#include "elem/magnus.h"
#include "model/rods.h"

// Functions of one strain, coordinates and frames of a part.
enum { MOST_FUNCTIONS = 256, MOST_COORDINATES = 6 * MOST_FUNCTIONS, MOST_POINTS = 4096 };

// How one strain varies over a part.
typedef struct strain_field {
  const basis_kind* basis;  // NULL: written by the user (rod.functions)
  int order, elements;
  int n;      // functions, 0: the strain is held
  int first;  // its first coordinate (index into gvs.q and gvs.v)
} strain_field;

typedef struct gvs {
  int rod, part;
  double from, length;
  strain_field field[6];
  strain_field
      written[6];        // of a refined rod: its strains as they are written, over the whole part
  int before, nwritten;  // coordinates of the written rod before this part, and in it
  double* E[6];          // coordinates of the refined rod by those of the written one
  int q[MOST_COORDINATES], v[MOST_COORDINATES];
  int n;                                         // coordinates of the part
  int custom[6][MOST_FUNCTIONS];                 // columns of rod.functions
  double arc[MOST_POINTS], weight[MOST_POINTS];  // frames of the part, weight 0 without mass
  bool touches[MOST_POINTS];                     // frames of contacts, no points of the model
  int npoint;
  bool order_told;  // an order without effect has been reported
  int coords;       // strain field written out: index into the model's coords, -1: bases
} gvs;

// The part that is built, its words, and where one of them is written.
static inline const rod_part* gvs_part(const builder* b, const gvs* g) {
  return &b->rod[g->rod].part[g->part];
}
static inline const rod_words* gvs_words(const builder* b, const gvs* g) {
  return &gvs_part(b, g)->w;
}
static inline td_span gvs_at(const builder* b, const gvs* g, const char* name) {
  const rod_part* p = gvs_part(b, g);
  return td_get_at(p->s, p->at, name);
}
// Polynomial degree of a strain, as far as it can be told.
static inline int strain_degree(const strain_field* f) {
  return f->basis ? f->basis->degree + f->basis->degree_per_order * f->order : f->n + 1;
}

// ---- spaces of strains (gvs_bases.c) ----------------------------------------------------------

// Elements of strain d of a part as it is written.
int td_gvs_elements(const rod_part* p, int d);
// Is rod.basis one name or six?
td_status td_gvs_check_basis(builder* b, const gvs* g);
// The functions of strain d as they are written: fills g->field[d].
td_status td_gvs_read(builder* b, gvs* g, int d);
// ... of a refined rod: moves them to g->written[d], and puts others in their place.
td_status td_gvs_refine(builder* b, gvs* g, int d);
// The matrix E (n x written) by which coordinates of a refined rod follow from the written ones.
td_status td_gvs_embed(builder* b, const gvs* g, int d, double* E);
// Function i of a custom basis of strain d at an arc length.
ex td_gvs_custom(builder* b, const gvs* g, int d, int i, double arc);
// All functions of strain d at an arc length: as numbers, and as expressions of parameters.
void td_gvs_functions(builder* b, const gvs* g, int d, double arc, double* phi);
void td_gvs_functions_ex(builder* b, const gvs* g, int d, double arc, ex* phi);

// ---- strain fields that are written out (build_strain.c) --------------------------------------

// Coordinates of a rod (rod.coords); once.
td_status td_gvs_make_coordinates(builder* b, int rod);
// The field of a part: the coordinates that it depends on; refuses what does not go with it.
td_status td_gvs_own_coordinates(builder* b, gvs* g);
// Strains, columns and derivatives of a step with these nodes.
td_status td_gvs_own_step(builder* b, const gvs* g, int hop, const double* arc, int nodes);
// Strains, terms and derivatives of a quadrature point whose section has been made.
td_status td_gvs_own_point(builder* b, const gvs* g, double arc, model_strain* f);

#endif
