// Energies of rubber as expressions, so that forces, tangents and derivatives by moduli follow from
// the graph.
#include "model/rubber.h"

#include <string.h>

static ex num(td_exprs* g, double x) { return td_ex_const(g, x); }
static ex sum(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_ADD, a, b); }
static ex difference(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_SUB, a, b); }
static ex product(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_MUL, a, b); }
static ex quotient(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_DIV, a, b); }
static ex scaled(td_exprs* g, double k, ex a) { return product(g, num(g, k), a); }

// W = μ/2 x
static rubber_energy neo_hooke(td_exprs* g, const ex* c, ex x, ex y) {
  (void)y;
  const ex half = scaled(g, 0.5, c[0]);
  return (rubber_energy){product(g, half, x), half, num(g, 0)};
}

// W = c1 x + c2 y
static rubber_energy mooney_rivlin(td_exprs* g, const ex* c, ex x, ex y) {
  return (rubber_energy){sum(g, product(g, c[0], x), product(g, c[1], y)), c[0], c[1]};
}

// W = c1 x + c2 x² + c3 x³
static rubber_energy yeoh(td_exprs* g, const ex* c, ex x, ex y) {
  (void)y;
  const ex W = product(g, x, sum(g, c[0], product(g, x, sum(g, c[1], product(g, x, c[2])))));
  const ex W1 =
      sum(g, c[0], product(g, x, sum(g, scaled(g, 2, c[1]), scaled(g, 3, product(g, x, c[2])))));
  return (rubber_energy){W, W1, num(g, 0)};
}

// W = -μ Jm/2 log(1 - x/Jm)
static rubber_energy gent(td_exprs* g, const ex* c, ex x, ex y) {
  (void)y;
  const ex left = difference(g, num(g, 1), quotient(g, x, c[1]));
  const ex W = scaled(g, -0.5, product(g, product(g, c[0], c[1]), td_ex_1(g, EX_LOG, left)));
  return (rubber_energy){W, quotient(g, scaled(g, 0.5, c[0]), left), num(g, 0)};
}

static const rubber_law laws[] = {
#define X(name, word, moduli, stiff, limit, text) {word, moduli, {stiff, limit}, name},
    TD_RUBBERS(X)
#undef X
};

const rubber_law* td_rubber(const char* name) {
  for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++)
    if (strcmp(laws[i].name, name) == 0) return &laws[i];
  return NULL;
}

ex td_rubber_section(td_exprs* g, const rubber_law* law, const ex* moduli, rubber_section s,
                     const ex e[6], int stretch_var) {
  const ex l = sum(g, num(g, 1), e[2]), e2 = product(g, e[2], e[2]), l2 = product(g, l, l);

  // invariants of uniaxial stretch, without cancellation near λ = 1:
  // I1 - 3 = λ² + 2/λ - 3 = (λ-1)² (λ+2)/λ,  I2 - 3 = 2 λ + 1/λ² - 3 = (λ-1)² (2λ+1)/λ²
  const ex x = quotient(g, product(g, e2, sum(g, l, num(g, 2))), l),
           y = quotient(g, product(g, e2, sum(g, scaled(g, 2, l), num(g, 1))), l2);
  const rubber_energy w = law->energy(g, moduli, x, y);

  // stretch and shear
  const ex gamma2 = sum(g, product(g, e[0], e[0]), product(g, e[1], e[1]));
  const ex sheared = product(g, s.shear, sum(g, w.W1, quotient(g, w.W2, l)));
  ex U = product(g, s.A, sum(g, w.W, product(g, sheared, gamma2)));

  // bending: half the tangent modulus of the fibres, at heights that contraction divides by √λ
  const ex tangent = td_ex_diff(g, td_ex_diff(g, w.W, stretch_var), stretch_var);
  const ex bent =
      sum(g, product(g, s.Ix, product(g, e[3], e[3])), product(g, s.Iy, product(g, e[4], e[4])));
  U = sum(g, U, product(g, bent, quotient(g, scaled(g, 0.5, tangent), l)));

  // twist
  const ex twisted = sum(g, quotient(g, w.W1, l), quotient(g, w.W2, l2));
  return sum(g, U, product(g, s.J, product(g, twisted, product(g, e[5], e[5]))));
}
