// Stiffness of rods with free nodes ('eba') by what each node moves beyond the one before it.
//
//   x_k = C_k x_j + y_k        j: the node before k, C_k: k carried along rigidly by j
//
// x = T y is a congruence, K -> T'KT: it keeps the signs of the eigenvalues.  In x the stiffness
// against stretch and that against bending of the whole rod are ten orders of magnitude apart, and
// soft directions drown in the round-off of the stiff ones; in y they compare as strains do.
#include <string.h>

#include "model/model.h"
#include "solve/statics/statics.h"

typedef struct carry {
  int from, to;  // first of six directions
  double C[36];
} carry;

static int direction(const td_statics* s, int v) {
  int i = 0;
  while (i < s->n && s->free[i] != v) i++;
  return i;
}

// The node that carries node k; -1: a base does
static int before(const td_model* m, int k) {
  const int hop = m->station[m->node[k].from].hop;
  int j = k - 1;
  while (j >= 0 && m->station[m->node[j].station].hop != hop) j--;
  return j;
}

// v_k = v_j + (R_j w_j) x (p_k - p_j), w_k = R_k' R_j w_j: velocities in the world, turns in the
// node's axes
static bool find_carry(const td_statics* s, const double* q, int k, carry* c) {
  const int j = before(s->model, k);
  if (j < 0) return false;
  const double *a = q + s->model->node[j].q, *b = q + s->model->node[k].q;
  const mat3 R = mat3_quat(quat_unit((quat){a[3], vec3_of(a + 4)})),
             turn = mat3_mul(mat3_transpose(mat3_quat(quat_unit((quat){b[3], vec3_of(b + 4)}))), R);
  const vec3 d = vec3_sub(vec3_of(b), vec3_of(a));
  memset(c->C, 0, sizeof c->C);
  for (int i = 0; i < 3; i++) {
    double arm[3];
    vec3_put(arm, vec3_cross(mat3_col(R, i), d));
    c->C[7 * i] = 1;
    for (int r = 0; r < 3; r++) {
      c->C[6 * r + 3 + i] = arm[r];
      c->C[6 * (3 + r) + 3 + i] = turn.m[3 * r + i];
    }
  }
  c->from = direction(s, s->model->node[j].v);
  c->to = direction(s, s->model->node[k].v);
  return true;
}

// A T for one carry: rows x n
static void add_columns(const carry* c, double* A, int rows, int n) {
  for (int i = 0; i < rows; i++, A += n)
    for (int b = 0; b < 6; b++)
      for (int a = 0; a < 6; a++) A[c->from + a] += A[c->to + b] * c->C[6 * b + a];
}

// T'A
static void add_rows(const carry* c, double* A, int n) {
  for (int b = 0; b < 6; b++)
    for (int a = 0; a < 6; a++)
      for (int i = 0; i < n; i++)
        A[(c->from + a) * n + i] += c->C[6 * b + a] * A[(c->to + b) * n + i];
}

void td_chained_stiffness(const td_statics* s, const double* q, double* K, double* J) {
  carry c;
  for (int k = s->model->nnode - 1; k >= 0; k--) {
    if (!find_carry(s, q, k, &c)) continue;
    add_columns(&c, K, s->n, s->n);
    add_rows(&c, K, s->n);
    add_columns(&c, J, s->m, s->n);
  }
}

void td_chained_directions(const td_statics* s, const double* q, double* Z, int cols) {
  carry c;
  for (int k = 0; k < s->model->nnode; k++) {
    if (!find_carry(s, q, k, &c)) continue;
    for (int b = 0; b < 6; b++)
      for (int a = 0; a < 6; a++)
        for (int i = 0; i < cols; i++)
          Z[(c.to + b) * cols + i] += c.C[6 * b + a] * Z[(c.from + a) * cols + i];
  }
}
