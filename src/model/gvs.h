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
  int q[MOST_COORDINATES], v[MOST_COORDINATES];
  int n;                                         // coordinates of the part
  int custom[6][MOST_FUNCTIONS];                 // columns of rod.functions
  double arc[MOST_POINTS], weight[MOST_POINTS];  // frames of the part, weight 0 without mass
  bool touches[MOST_POINTS];                     // frames of contacts, no points of the model
  int npoint;
  bool order_told;  // an order without effect has been reported
  int coords;       // strain field written out: index into the model's coords, -1: bases
} gvs;

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
