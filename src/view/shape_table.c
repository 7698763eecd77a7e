// Tables of a model's shape at some states: the strains of a rod along its arc length, and the
// lines of the whole robot.  They make the figures of papers: curves of strain, and snapshots of a
// motion laid over each other.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/order.h"
#include "engine/stages.h"
#include "tendril/view.h"
#include "view/scene.h"

// Allocate a table without names; NULL: no memory.
static td_table* table_new(int rows, int cols) {
  td_table* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  *t = (td_table){.rows = rows, .cols = cols};
  t->names = calloc((size_t)cols, sizeof *t->names);
  t->values = malloc((size_t)rows * (size_t)cols * sizeof *t->values + 1);
  if (t->names && t->values) return t;
  td_table_free(t);
  return NULL;
}

// Name a column "what, time s".  False: no memory.
static bool name_column(td_table* t, int col, const char* what, double time) {
  char text[80];
  snprintf(text, sizeof text, "%s, %.4g s", what, time);
  t->names[col] = td_strdup(text);
  return t->names[col] != NULL;
}

// Report whether there are states, all of this model and finite.
static bool all_of(const td_model* m, const td_work* w, const td_state* const* states, int n) {
  bool ok = m && w && states && n >= 1;
  for (int k = 0; ok && k < n; k++)
    ok = model_has(m, states[k], w) && td_state_is_finite(m, states[k]);
  return ok;
}

// ---- strains ----------------------------------------------------------------------------------

// Tabulate the six strains of a rod at n states.
td_status td_strain_table(const td_model* m, td_work* w, const td_state* const* states, int n,
                          int rod, td_table** table) {
  static const char* const names[6] = {"shear_x", "shear_y", "stretch",
                                       "bend_x",  "bend_y",  "twist"};
  if (!table || !all_of(m, w, states, n) || rod < 0 || rod >= m->nrod) return TD_E_USAGE;
  *table = NULL;

  // strain elements, base to tip
  rod_point* piece = malloc(((size_t)m->nstrain + 1) * sizeof *piece);
  if (!piece) return TD_E_NOMEM;
  int rows = 0;
  for (int i = 0; i < m->nstrain; i++)
    if (m->strain[i].rod == rod + 1) piece[rows++] = (rod_point){m->strain[i].arc, i};
  qsort(piece, (size_t)rows, sizeof *piece, ascending);

  // columns of each state
  td_table* t = table_new(rows, 1 + 6 * n);
  bool ok = t != NULL;
  if (ok) ok = (t->names[0] = td_strdup("s")) != NULL;
  for (int k = 0; ok && k < n; k++) {
    for (int d = 0; ok && d < 6; d++) ok = name_column(t, 1 + 6 * k + d, names[d], states[k]->t);
    td_enter(m, states[k], w);
    for (int i = 0; ok && i < rows; i++) {
      double* row = t->values + (size_t)i * (size_t)t->cols;
      row[0] = piece[i].arc;
      td_strains(m, w, &m->strain[piece[i].station], row + 1 + 6 * k);
    }
  }
  free(piece);
  if (!ok) {
    td_table_free(t);
    return TD_E_NOMEM;
  }
  *table = t;
  return TD_OK;
}

// ---- shapes -----------------------------------------------------------------------------------

// Positions at one state, one after the other, NaN between lines; counts only where `out` is NULL.
typedef struct pen {
  double* out;  // the first of three columns of the state
  int cols, rows;
} pen;

// Append a row.
static void put(pen* p, double x, double y, double z) {
  if (p->out) {
    double* to = p->out + (size_t)p->rows * (size_t)p->cols;
    to[0] = x;
    to[1] = y;
    to[2] = z;
  }
  p->rows++;
}
static void put_point(pen* p, vec3 x) { put(p, x.x, x.y, x.z); }
static void lift(pen* p) { put(p, NAN, NAN, NAN); }

// Draw rods along their lines, links and edges of meshes from end to end, bodies from their frame
// to their tip.  False: no memory.
static bool draw_shape(const td_model* m, const td_work* w, pen* p) {
  // rods
  for (int i = 0; i < m->nrod; i++) {
    int n;
    rod_point* line = scene_rod_points(m, i, &n);
    if (!line) return false;
    for (int k = 0; k < n; k++) put_point(p, td_frame(m, w, line[k].station).p);
    lift(p);
    free(line);
  }

  // links and edges
  const int n = model_forces(m);
  for (int i = 0; i < n; i++) {
    const force_info f = force_at(m, i);
    if (!scene_force_is_line(m, i)) continue;
    put_point(p, td_frame(m, w, f.a).p);
    put_point(p, td_frame(m, w, f.b).p);
    lift(p);
  }

  // bodies
  for (int i = 0; i < m->nbody; i++) {
    const frame g = td_frame(m, w, m->body[i].station);
    const vec3 tip = mat3_apply(g.R, vec3_of(w->num + m->body[i].tip));
    put_point(p, g.p);
    put(p, g.p.x + tip.x, g.p.y + tip.y, g.p.z + tip.z);
    lift(p);
  }
  return true;
}

// Tabulate the lines of the whole robot, x, y, z at n states.
td_status td_shape_table(const td_model* m, td_work* w, const td_state* const* states, int n,
                         td_table** table) {
  static const char* const names[3] = {"x", "y", "z"};
  if (!table || !all_of(m, w, states, n)) return TD_E_USAGE;
  *table = NULL;

  // count the rows
  pen count = {.cols = 3 * n};
  td_enter(m, states[0], w);
  if (!draw_shape(m, w, &count)) return TD_E_NOMEM;

  // three columns for each state
  td_table* t = table_new(count.rows, 3 * n);
  bool ok = t != NULL;
  for (int k = 0; ok && k < n; k++) {
    for (int d = 0; ok && d < 3; d++) ok = name_column(t, 3 * k + d, names[d], states[k]->t);
    pen p = {.out = t->values + 3 * k, .cols = 3 * n};
    td_enter(m, states[k], w);
    ok = ok && draw_shape(m, w, &p);
  }
  if (!ok) {
    td_table_free(t);
    return TD_E_NOMEM;
  }
  *table = t;
  return TD_OK;
}
