// Shape functions of a strain along a rod or a division of it, on [0, 1].  The interval is cut into
// equal elements; the order counts the functions of an element where a basis has one.
#ifndef TD_BASIS_H
#define TD_BASIS_H

#include <stdbool.h>

typedef struct basis_kind {
  const char* name;
  bool ordered;  // `order` chooses how many functions an element has
  bool broken;   // every element has functions of its own: the strain may jump between them
  // Number of functions.
  int (*count)(int order, int elements);
  // All of them at x; n elements.
  void (*values)(double x, int order, int elements, double* phi);
  const char* text;
} basis_kind;

extern const basis_kind td_bases[];
extern const int td_basis_count;
const basis_kind* td_basis_find(const char* name);

#endif
