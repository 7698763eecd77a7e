// A rod, or a part of one, as it is written: each field is read once, by td_rod_read (rod_parts.c).
#ifndef TD_ROD_WORDS_H
#define TD_ROD_WORDS_H

#include "elem/material.h"
#include "model/rubber.h"
#include "model/spec.h"

// Fields that are read as they are: where it is, its model, its section, its material, its state
// and what acts on it.
// clang-format off
#define TD_ROD_VALUES(X)                                                                   \
  X(first) X(tr) X(joint) X(part) X(length)                                                \
  X(n) X(basis) X(order) X(elements) X(functions) X(coords) X(strain) X(modes)             \
  X(points) X(magnus)                                                                      \
  X(radius) X(width) X(height) X(area) X(Ix) X(Iy) X(J)                                    \
  X(E) X(G) X(nu) X(shear) X(rho) X(eta) X(stiffness) X(energy) X(damping) X(inertia)      \
  X(moduli)                                                                                \
  X(shape) X(init) X(rate)                                                                 \
  X(load) X(input) X(fluid)
// clang-format on

// A value is NULL where its field is absent.
typedef struct rod_words {
#define X(field) const value* field;
  TD_ROD_VALUES(X)
#undef X
  const value *visc, *pow;  // of its damper, rod.damp
  const char *section, *model;
  const material* material;  // NULL: none is named
  const rubber_law* law;     // NULL: the linear one
  bool local;  // its load is along its own axes
} rod_words;
rod_words td_rod_read(const value* rods, int i);

// A chamber inside a rod.
typedef struct chamber_words {
  const value *rod, *from, *to, *offset, *area, *pressure;
} chamber_words;
static inline chamber_words chamber_read(const value* chambers, int i) {
  return (chamber_words){.rod = td_get(chambers, i, "rod"),
                         .from = td_get(chambers, i, "from"),
                         .to = td_get(chambers, i, "to"),
                         .offset = td_get(chambers, i, "offset"),
                         .area = td_get(chambers, i, "area"),
                         .pressure = td_get(chambers, i, "pressure")};
}

#endif
