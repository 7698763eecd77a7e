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
  // Polynomial degree that the quadrature must match: degree + degree_per_order·order.
  int degree, degree_per_order;
  const char* text;
} basis_kind;

extern const basis_kind td_bases[];
extern const int td_basis_count;
const basis_kind* td_basis_find(const char* name);

// What a resolution n, the number that all rod models share, means where neither order nor elements
// are written: up to 10 the order on one element, above that elements of order 4 with at least
// n + 1 functions.  One polynomial of high degree has frequencies that grow with n² and columns
// that reach along the whole rod; elements cost in proportion to n.  Bases whose functions do not
// count like polynomials have n as their order.
void td_basis_resolve(const basis_kind* kind, int n, int* order, int* elements);

#endif
