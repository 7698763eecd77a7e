// Materials by name: Young's modulus, Poisson's ratio, density, and the source of these numbers.
//
// To add one: a line in TD_MATERIALS with its source; language and manual read the list.
//
// Makers of silicone rubber state the stress at 100 % strain, σ.  A neo-Hookean material has
// σ = μ (λ - 1/λ²) = 7/4 μ there, hence E = 3 μ = 12/7 σ.  A hardness S on the Shore A scale is
// turned into E = 0.0981 (56 + 7.66 S)/(0.137505 (254 - 2.54 S)) MPa [gent1958].
#ifndef TD_MATERIAL_H
#define TD_MATERIAL_H

#include <stddef.h>

// Columns: name, Young's modulus [Pa], Poisson's ratio, density [kg/m³], source
// clang-format off
#define TD_MATERIALS(X)                                                                          \
  X("ecoflex 00-30",  1.18e5, 0.5,  1070, "data sheet of Smooth-On: 10 psi at 100 % strain")     \
  X("ecoflex 00-50",  1.42e5, 0.5,  1070, "data sheet of Smooth-On: 12 psi at 100 % strain")     \
  X("dragon skin 10", 2.60e5, 0.5,  1070, "data sheet of Smooth-On: 22 psi at 100 % strain")     \
  X("dragon skin 20", 5.79e5, 0.5,  1080, "data sheet of Smooth-On: 49 psi at 100 % strain")     \
  X("dragon skin 30", 1.02e6, 0.5,  1080, "data sheet of Smooth-On: 86 psi at 100 % strain")     \
  X("elastosil m4601",1.06e6, 0.5,  1130, "data sheet of Wacker: hardness Shore A 28")           \
  X("ninjaflex",      1.2e7,  0.48, 1190, "data sheet of NinjaTek: tensile modulus of the TPU")  \
  X("peek",           4.0e9,  0.4,  1300, "data sheet of Victrex 450G: tensile modulus")         \
  X("nitinol",        7.5e10, 0.33, 6450, "superelastic wire, austenite below its plateau")      \
  X("spring steel",   2.06e11,0.3,  7850, "EN 10270-1, patented wire")
// clang-format on

typedef struct material {
  const char* name;
  double E, nu, rho;  // [Pa], [-], [kg/m³]
  const char* source;
} material;

extern const material td_materials[];
enum {
#define X(...) +1
  MATERIALS = 0 TD_MATERIALS(X)
#undef X
};

// The material of that name; NULL: there is none.
const material* td_material(const char* name);

#endif
