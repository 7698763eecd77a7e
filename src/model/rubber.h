// Laws of rubber: the strain energy W(I1, I2) per volume of incompressible materials, and the
// energy per length of a rod's section that follows from it.
//
// To add one: a line in TD_RUBBERS and a function of that name with its energy in rubber.c.
// Language, checks and manual read the list; tests/unit/solve/test_rubber.c walks it.
#ifndef TD_RUBBER_H
#define TD_RUBBER_H

#include "expr/expr.h"

// Columns: name in C, word of the language, how many moduli, bits of those whose sum must be
// positive and of those that limit I1 - 3, what they are
#define TD_RUBBERS(X)                                                          \
  X(neo_hooke, "neo-hooke", 1, 1, 0, "[mu], mu = E/3 where it is not written") \
  X(mooney_rivlin, "mooney-rivlin", 2, 3, 0, "[c1 c2]")                        \
  X(yeoh, "yeoh", 3, 1, 0, "[c1 c2 c3]")                                       \
  X(gent, "gent", 2, 1, 2, "[mu Jm], Jm the largest I1 - 3")

// W and its slopes at x = I1 - 3, y = I2 - 3
typedef struct rubber_energy {
  ex W, W1, W2;
} rubber_energy;

typedef struct rubber_law {
  const char* name;
  int moduli;
  unsigned stiff[2];  // bits of the moduli whose sum is positive, and of those that limit I1 - 3
  rubber_energy (*energy)(td_exprs* g, const ex* c, ex x, ex y);
} rubber_law;
enum { RUBBER_MODULI = 3 };

// The law of that name; NULL: there is none, or it is 'linear'.
const rubber_law* td_rubber(const char* name);

// A section: area, second moments, torsion constant and shear factor
typedef struct rubber_section {
  ex A, Ix, Iy, J, shear;
} rubber_section;

// Energy per length for strains e, counted from the stress-free ones; `stretch_var` is the variable
// of e[2].  With λ = 1 + e[2], to second order in shear γ, curvature κ and twist τ:
//
//   U = A W + shear A (W1 + W2/λ) γ² + (Ix κx² + Iy κy²) W''/(2 λ) + J (W1/λ + W2/λ²) τ²
//
// Fibres of a bent section are in uniaxial tension, λ + κ η with the height η = y/√λ that
// contraction leaves; the section stays plane.  Twist and stretch are coupled as in Rivlin's
// solution of the cylinder [rivlin1949], so that a twisted rod of rubber becomes longer.
ex td_rubber_section(td_exprs* g, const rubber_law* law, const ex* moduli, rubber_section s,
                     const ex e[6], int stretch_var);

#endif
