// See the header.  The formulas are those of elem/link.h, elem/law.h and nodes.c; a beam's wrench
// on its first node is the opposite of that on the second, where it acts:
//
//   F_a = -F,   T_a = -T - (p_b - p_a) × F
//
// A constraint row that holds a distance of two nodes, or of a node and the ground, along a
// direction D at rest is a tie.  Its J is constant, and with the masses of nodes so is
// S = J M⁻¹ Jᵀ, of as many rows as there are ties:
//
//   λ = S⁻¹ (ë - J v'),   v' += M⁻¹ Jᵀ λ,   and onto the rows  q += M⁻¹ Jᵀ S⁻¹ (e - J q)
#include "engine/lattice.h"

#include <string.h>

#include "math/dense.h"

enum { MOST_TIES = 64 };               // more of them: S is no longer small
static const double dependent = 1e-9;  // pivots of S below this part of their row's: the engine

typedef struct node {
  int q, v;            // translations
  int turn_q, turn_v;  // quaternion, -1: a point
  int hop;             // that carries the mass
  int body;            // what it is
  vec3 p0;             // where it is at q = 0
} node;

// Where it is and how fast: all that axial links look at.
typedef struct spot {
  vec3 p, v;
} spot;

typedef struct body {
  double mass;
  bool turns;  // or it is a point, without the rest
  mat3 I, inverse;
} body;

// A law with its numbers but for the rest value, which is hardly the same for two links.
typedef struct effort {
  law law;
  double input;
  bool potential;
} effort;

typedef struct link {
  int a, b;   // nodes; from nnode on places on the ground
  int first;  // of its laws; consecutive links alike share them
  int rest;   // of its rest values
  int frame;  // of the beam, -1: the first node's
  bool beam, isotropic;
} link;

// A spring or damper along a translation of a node.
typedef struct grip {
  int q, v;
  int first;  // of its law, shared like those of links
  double rest;
} grip;

typedef struct tie {
  int a, b;  // as of a link
  vec3 D;
} tie;

struct td_lattice {
  const td_model* m;
  int nnode, nfixed, nlink, ngrip, ntie, nbody, neffort;
  node* node;
  link* link;
  grip* grip;
  tie* tie;
  double *S, *lambda;  // (ntie x ntie) lower factor, (ntie)
  effort* effort;
  double* rest;
  body* body;         // consecutive nodes alike share one
  int* fixed;         // stations on the ground
  spot* spot;         // (nnode + nfixed)
  frame* frame;       // of the same, where there are beams or nodes that turn
  vec3 *F, *T;        // on each of them
  double* tau;        // (nvel) along translations, where there are grips
  bool turns;         // some node does
  bool framed;        // or there are beams
  unsigned prepared;  // of the work, when the numbers were taken
  bool fits;          // they are such as this file takes
};

// ---- structure --------------------------------------------------------------------------------

static bool only_links(const td_model* m) {
  if (!m->sparse || !m->recursive || m->nrow > MOST_TIES) return false;
  if (m->ncable > 0 || m->nspan > 0) return false;
  if (m->ncontact > 0 || m->nwet > 0 || m->ncoords > 0 || m->has_added) return false;
  if (m->nlive_slot > 0 || m->nfree_v < m->nvel) return false;
  for (int i = 0; i < m->nhop; i++)
    if (m->hop[i].node == 0) return false;
  return model_forces(m) == m->nspring + m->naxial + m->nbeam;
}

static bool allocate(td_lattice* s) {
  const td_model* m = s->m;
  const size_t n = (size_t)m->ntree, rows = (size_t)m->nrow;
  const size_t ropes = (size_t)m->naxial, beams = (size_t)m->nbeam;
  const size_t grips = (size_t)m->nspring, links = ropes + beams;
  const size_t laws = ropes + 6 * beams;
  s->node = malloc(n * sizeof(node));
  s->link = malloc((links + 1) * sizeof(link));
  s->grip = malloc((grips + 1) * sizeof(grip));
  s->tie = malloc((rows + 1) * sizeof(tie));
  s->S = malloc((rows * rows + rows + 1) * sizeof(double));
  s->effort = malloc((laws + grips + 1) * sizeof(effort));
  s->rest = malloc((laws + 1) * sizeof(double));
  s->body = malloc(n * sizeof(body));
  s->fixed = malloc((2 * (links + rows) + 1) * sizeof(int));
  s->lambda = s->S ? s->S + rows * rows : NULL;
  return s->node && s->link && s->grip && s->tie && s->S && s->effort && s->rest && s->body &&
         s->fixed;
}

static void list_nodes(td_lattice* s) {
  const td_model* m = s->m;
  for (int t = 0; t + 1 < m->ntree; t++) {
    const model_hop *move = &m->hop[m->tree[t]], *last = &m->hop[m->tree[t + 1] - 1];
    const bool turns = last != move;
    s->turns = s->turns || turns;
    s->node[s->nnode++] = (node){.q = move->q,
                                 .v = move->v,
                                 .turn_q = turns ? last->q : -1,
                                 .turn_v = turns ? last->v : -1,
                                 .hop = m->tree[t + 1] - 1};
  }
}

// The node a station is the frame of, or a new place on the ground; -1: it is neither.
static int end_of(td_lattice* s, int station) {
  const td_model* m = s->m;
  const int hop = station < 0 ? -1 : m->station[station].hop;
  if (hop < 0) {
    s->fixed[s->nfixed] = station;
    return s->nnode + s->nfixed++;
  }
  const int tree = m->block_tree[m->block_tree_at[m->block_of_hop[hop]]];
  return m->station[station].nfix == 0 && s->node[tree].hop == hop ? tree : -1;
}

static bool add_link(td_lattice* s, int a, int b, link l) {
  l.a = end_of(s, a);
  l.b = end_of(s, b);
  s->link[s->nlink++] = l;
  return l.a >= 0 && l.b >= 0;
}

static bool add_grip(td_lattice* s, const model_spring* f) {
  const td_model* m = s->m;
  const node* n = &s->node[m->block_tree[m->block_tree_at[m->v_block[f->v]]]];
  s->grip[s->ngrip++] = (grip){.q = f->q, .v = f->v};
  return f->v >= n->v && f->v < n->v + 3;
}

static bool list_forces(td_lattice* s) {
  const td_model* m = s->m;
  bool fits = true;
  for (int i = 0; i < m->nspring && fits; i++) fits = add_grip(s, &m->spring[i]);
  for (int i = 0; i < m->naxial && fits; i++) {
    const model_axial* f = &m->axial[i];
    fits = add_link(s, f->a, f->b, (link){.rest = i, .frame = -1, .isotropic = f->isotropic});
  }
  for (int i = 0; i < m->nbeam && fits; i++) {
    const model_beam* f = &m->beam[i];
    fits =
        add_link(s, f->a, f->b, (link){.rest = m->naxial + 6 * i, .frame = f->frame, .beam = true});
  }
  return fits;
}

// Whether the directions of a station never change: on the ground, on a point.
static bool stays_upright(const td_model* m, int station) {
  const int hop = station < 0 ? -1 : m->station[station].hop;
  return hop < 0 || m->hop[hop].node == 1;
}

static bool list_ties(td_lattice* s) {
  const td_model* m = s->m;
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    if (!td_row_traits[r->kind].linear || !stays_upright(m, r->c)) return false;
    if (!r->projected || r->target == TARGET_CONTROL) return false;
    if (r->k != NUM_NONE || r->control != NUM_NONE) return false;
    const tie t = {.a = end_of(s, r->a), .b = end_of(s, r->b)};
    if (t.a < 0 || t.b < 0) return false;
    s->tie[s->ntie++] = t;
  }
  return true;
}

static bool open_frames(td_lattice* s) {
  s->framed = s->turns || s->m->nbeam > 0;
  const size_t n = (size_t)(s->nnode + s->nfixed);
  s->spot = malloc((n + 1) * sizeof(spot));
  s->frame = malloc((s->framed ? n + 1 : 1) * sizeof(frame));
  s->F = malloc((n + 1) * sizeof(vec3));
  s->T = malloc((s->turns ? n + 1 : 1) * sizeof(vec3));
  s->tau = malloc((s->ngrip > 0 ? (size_t)s->m->nvel : 1) * sizeof(double));
  return s->spot && s->frame && s->F && s->T && s->tau;
}

td_lattice* td_lattice_new(const td_model* m) {
  if (!only_links(m)) return NULL;
  td_lattice* s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->m = m;
  bool ok = allocate(s);
  if (ok) list_nodes(s);
  ok = ok && list_forces(s) && list_ties(s) && open_frames(s);
  if (ok) return s;
  td_lattice_free(s);
  return NULL;
}

void td_lattice_free(td_lattice* s) {
  if (!s) return;
  void* const parts[] = {s->node, s->link,  s->grip, s->tie,   s->S, s->effort, s->rest,
                         s->body, s->fixed, s->spot, s->frame, s->F, s->T,      s->tau};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
  free(s);
}

// ---- numbers ----------------------------------------------------------------------------------

static bool is_identity(const mat3* R) {
  const mat3 one = mat3_identity();
  return memcmp(R, &one, sizeof one) == 0;
}

// Column by column; false: singular.
static bool invert(const mat3* I, mat3* inverse) {
  const vec3 a = mat3_col(*I, 0), b = mat3_col(*I, 1), c = mat3_col(*I, 2);
  const vec3 row[3] = {vec3_cross(b, c), vec3_cross(c, a), vec3_cross(a, b)};
  const double det = vec3_dot(a, row[0]), size = vec3_norm(a) * vec3_norm(b) * vec3_norm(c);
  if (!(det > 1e-15 * size)) return false;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) inverse->m[3 * i + k] = vec3_at(row[i], k) / det;
  return true;
}

static bool fill_body(td_lattice* s, const td_work* w, node* n) {
  const inertia* I = &w->hop_inertia[n->hop];
  const bool turns = n->turn_q >= 0;
  if (!(I->m > 0) || (turns && vec3_dot(I->mc, I->mc) > 0)) return false;
  const body* last = s->nbody > 0 ? &s->body[s->nbody - 1] : NULL;
  const bool alike = last && last->mass == I->m && last->turns == turns &&
                     (!turns || memcmp(&last->I, &I->I, sizeof I->I) == 0);
  if (!alike) {
    body b = {.mass = I->m, .turns = turns, .I = I->I};
    if (turns && !invert(&b.I, &b.inverse)) return false;
    s->body[s->nbody++] = b;
  }
  n->body = s->nbody - 1;
  return true;
}

static bool fill_node(td_lattice* s, const td_work* w, node* n) {
  const int move = n->turn_q >= 0 ? n->hop - 1 : n->hop;
  const pose *fix = &w->hop_fix[move], *turn = &w->hop_fix[n->hop];
  if (!is_identity(&fix->R)) return false;
  if (move != n->hop && (!is_identity(&turn->R) || vec3_dot(turn->p, turn->p) > 0)) return false;
  n->p0 = vec3_add(fix->p, vec3_of(w->num + s->m->hop[move].value));
  return fill_body(s, w, n);
}

static effort effort_of(const td_work* w, const model_law* c) {
  return (effort){
      .law = {.k = w->num[c->k], .mu = w->num[c->mu], .nu = w->num[c->nu], .dir = c->dir},
      .input = w->num[c->input],
      .potential = c->potential};
}

static bool is_alike(const effort* a, const effort* b) {
  return a->law.k == b->law.k && a->law.mu == b->law.mu && a->law.nu == b->law.nu &&
         a->law.dir == b->law.dir && a->input == b->input && a->potential == b->potential;
}

// Where the laws of a force are: behind all others, or those at `last` again (-1: none).
static int share_laws(td_lattice* s, const td_work* w, const model_law* from, int n, int last) {
  const int first = s->neffort;
  bool alike = last >= 0;
  for (int d = 0; d < n; d++) {
    s->effort[first + d] = effort_of(w, &from[d]);
    alike = alike && is_alike(&s->effort[last + d], &s->effort[first + d]);
  }
  if (alike) return last;
  s->neffort += n;
  return first;
}

static double rest_of(const td_work* w, const model_law* c) {
  return w->num[c->rest] * w->num[c->compr];
}

static void fill_link(td_lattice* s, const td_work* w, const model_law* from, int n, int i) {
  link* l = &s->link[i];
  l->first = share_laws(s, w, from, n, i > 0 && l[-1].beam == l->beam ? l[-1].first : -1);
  for (int d = 0; d < n; d++) s->rest[l->rest + d] = rest_of(w, &from[d]);
}

static void fill_laws(td_lattice* s, const td_work* w) {
  const td_model* m = s->m;
  for (int i = 0; i < m->nspring; i++) {
    grip* g = &s->grip[i];
    g->first = share_laws(s, w, &m->spring[i].law, 1, i > 0 ? g[-1].first : -1);
    g->rest = rest_of(w, &m->spring[i].law);
  }
  for (int i = 0; i < m->naxial; i++) fill_link(s, w, &m->axial[i].law, 1, i);
  for (int i = 0; i < m->nbeam; i++) fill_link(s, w, m->beam[i].law, 6, m->naxial + i);
}

// What a unit multiplier of one tie does to the value of another.
static double coupled(const td_lattice* s, const tie* t, const tie* u) {
  const int t_end[2] = {t->a, t->b}, u_end[2] = {u->a, u->b};
  double sum = 0;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      if (t_end[i] == u_end[j] && t_end[i] < s->nnode)
        sum += (i == j ? 1 : -1) / s->body[s->node[t_end[i]].body].mass;
  return sum * vec3_dot(t->D, u->D);
}

static bool fill_ties(td_lattice* s, const td_work* w) {
  const int n = s->ntie;
  for (int i = 0; i < n; i++) {
    const model_row* r = &s->m->row[i];
    s->tie[i].D = mat3_apply(td_frame(s->m, w, r->c).R, vec3_of(w->num + r->d));
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) s->S[i * n + j] = coupled(s, &s->tie[i], &s->tie[j]);
  return n == 0 || td_chol(s->S, n, dependent) == 0;
}

static void fill_place(td_lattice* s, const td_work* w, int i) {
  const frame f = td_frame(s->m, w, s->fixed[i]);
  s->spot[s->nnode + i] = (spot){f.p, f.v};
  if (s->framed) s->frame[s->nnode + i] = f;
}

// Everything that follows from parameters.
static void fill(td_lattice* s, const td_work* w) {
  s->nbody = s->neffort = 0;
  s->fits = true;
  s->prepared = w->prepared;
  for (int i = 0; i < s->nnode && s->fits; i++) s->fits = fill_node(s, w, &s->node[i]);
  if (s->fits) fill_laws(s, w);
  s->fits = s->fits && fill_ties(s, w);
  for (int i = 0; i < s->nfixed; i++) fill_place(s, w, i);
  for (int i = 0; i < s->nnode && s->framed; i++) s->frame[i] = frame_ground();
}

// ---- one state --------------------------------------------------------------------------------

static void place_nodes(td_lattice* s, const td_state* state) {
  const vec3 none = {0, 0, 0};
  for (int i = 0; i < s->nnode; i++) {
    const node* n = &s->node[i];
    const spot at = {vec3_add(n->p0, vec3_of(state->q + n->q)), vec3_of(state->v + n->v)};
    s->spot[i] = at;
    s->F[i] = none;
    if (!s->framed) continue;
    frame* f = &s->frame[i];
    f->p = at.p;
    f->v = at.v;
    if (n->turn_q < 0) continue;
    const double* q = state->q + n->turn_q;
    f->R = mat3_quat(quat_unit((quat){q[0], vec3_of(q + 1)}));
    f->w = mat3_apply(f->R, vec3_of(state->v + n->turn_v));
  }
  memset(s->F + s->nnode, 0, (size_t)s->nfixed * sizeof(vec3));
  if (s->turns) memset(s->T, 0, (size_t)(s->nnode + s->nfixed) * sizeof(vec3));
}

// Where a link is along one of its directions.
typedef struct stance {
  double x, u, rate;  // u: of the law, 0 where the damper is another
} stance;

// Law plus input, and what they do beyond storing energy.
static double effort_at(const effort* e, double rest, double load, stance at, double* power) {
  law l = e->law;
  l.x0 = rest;
  const law_value v = law_at(&l, at.x, at.u);
  const double f = v.f + v.on * load * e->input;
  *power += (f - (e->potential ? v.spring : 0)) * at.rate;
  return f;
}

static void pull_axially(td_lattice* s, const link* l, double load, double* power) {
  const spot *a = &s->spot[l->a], *b = &s->spot[l->b];
  const effort* e = &s->effort[l->first];
  const vec3 u = vec3_sub(b->v, a->v);
  const axial x = axial_of(vec3_sub(b->p, a->p), u);
  const stance at = {x.L, l->isotropic ? 0 : x.Ld, x.Ld};
  vec3 F = vec3_scale(effort_at(e, s->rest[l->rest], load, at, power), x.n);
  if (l->isotropic) {
    law l0 = e->law;
    l0.x0 = s->rest[l->rest];
    double slope;
    const vec3 damping =
        vec3_scale(law_switch(&l0, x.L, &slope), link_damping(u, e->law.mu, e->law.nu));
    *power += vec3_dot(damping, u);
    F = vec3_add(F, damping);
  }
  s->F[l->b] = vec3_add(s->F[l->b], F);
  s->F[l->a] = vec3_sub(s->F[l->a], F);
}

static void bend(td_lattice* s, const td_work* w, const link* l, double load, double* power) {
  const frame *a = &s->frame[l->a], *b = &s->frame[l->b];
  const beam x = td_beam(a, b, l->frame >= 0 ? &w->beam_frame[l->frame] : NULL);
  double f[6];
  vec3 F, T;
  for (int d = 0; d < 6; d++)
    f[d] = effort_at(&s->effort[l->first + d], s->rest[l->rest + d], load,
                     (stance){x.x[d], x.u[d], x.u[d]}, power);
  td_beam_wrench(&x, f, &F, &T);
  s->F[l->b] = vec3_add(s->F[l->b], F);
  s->F[l->a] = vec3_sub(s->F[l->a], F);
  if (!s->turns) return;
  s->T[l->b] = vec3_add(s->T[l->b], T);
  s->T[l->a] = vec3_sub(vec3_sub(s->T[l->a], T), vec3_cross(vec3_sub(b->p, a->p), F));
}

static void resist(td_lattice* s, const td_state* state, double load, double* power) {
  memset(s->tau, 0, (size_t)s->m->nvel * sizeof(double));
  for (int i = 0; i < s->ngrip; i++) {
    const grip* g = &s->grip[i];
    const double u = state->v[g->v];
    const stance at = {g->q < 0 ? 0 : state->q[g->q], u, u};
    s->tau[g->v] += effort_at(&s->effort[g->first], g->rest, load, at, power);
  }
  for (int i = 0; i < s->nnode; i++) s->F[i] = vec3_add(s->F[i], vec3_of(s->tau + s->node[i].v));
}

static void accelerate(const td_lattice* s, const td_state* state, vec3 g, double* vdot) {
  for (int i = 0; i < s->nnode; i++) {
    const node* n = &s->node[i];
    const body* b = &s->body[n->body];
    vec3_put(vdot + n->v, vec3_axpy(1 / b->mass, s->F[i], g));
    if (n->turn_q < 0) continue;
    const vec3 w = vec3_of(state->v + n->turn_v), gyro = vec3_cross(w, mat3_apply(b->I, w));
    const vec3 T = vec3_sub(mat3_apply_t(s->frame[i].R, s->T[i]), gyro);
    vec3_put(vdot + n->turn_v, mat3_apply(b->inverse, T));
  }
}

void td_lattice_drift(const td_lattice* s, const double* q, const double* v, double* qdot) {
  for (int i = 0; i < s->nnode; i++) {
    const node* n = &s->node[i];
    memcpy(qdot + n->q, v + n->v, 3 * sizeof(double));
    if (n->turn_q < 0) continue;
    const double* Q = q + n->turn_q;
    const vec3 half = vec3_scale(0.5, vec3_of(v + n->turn_v));
    const quat rate = quat_mul((quat){Q[0], vec3_of(Q + 1)}, (quat){0, half});
    qdot[n->turn_q] = rate.w;
    vec3_put(qdot + n->turn_q + 1, rate.v);
  }
}

// Numbers of the model for this state's time; false: something does not fit.
static bool enter(td_lattice* s, const td_state* state, td_work* w) {
  td_prepare(s->m, w);
  if (s->prepared != w->prepared) fill(s, w);
  if (!s->fits || w->pull.on) return false;
  if (s->m->nmotion_slot == 0) return true;
  if (state->t != w->t) w->placed = false;  // its numbers are those of another time now
  td_place_motion(s->m, w, state->t, NULL, NULL);
  return true;
}

// ---- ties -------------------------------------------------------------------------------------

static vec3 end_rate(const td_lattice* s, int end, const double* v) {
  return end < s->nnode ? vec3_of(v + s->node[end].v) : (vec3){0, 0, 0};
}

// D·(x_b - x_a) of velocities or accelerations
static double rate_along(const td_lattice* s, const tie* t, const double* v) {
  return vec3_dot(t->D, vec3_sub(end_rate(s, t->b, v), end_rate(s, t->a, v)));
}

static vec3 end_place(const td_lattice* s, int end, const double* q) {
  const node* n = &s->node[end];
  return end < s->nnode ? vec3_add(n->p0, vec3_of(q + n->q)) : s->spot[end].p;
}

static double place_along(const td_lattice* s, const tie* t, const double* q) {
  return vec3_dot(t->D, vec3_sub(end_place(s, t->b, q), end_place(s, t->a, q)));
}

static void push(const td_lattice* s, int end, vec3 impulse, bool positions, double* x) {
  if (end >= s->nnode) return;
  const node* n = &s->node[end];
  double* at = x + (positions ? n->q : n->v);
  vec3_put(at, vec3_axpy(1 / s->body[n->body].mass, impulse, vec3_of(at)));
}

// Change positions, velocities or accelerations x so that the ties' values change by `lambda`,
// which becomes the multipliers.
static void hold(td_lattice* s, bool positions, double* x) {
  td_chol_solve(s->S, s->ntie, s->lambda, 1);
  for (int i = 0; i < s->ntie; i++) {
    const tie* t = &s->tie[i];
    push(s, t->b, vec3_scale(s->lambda[i], t->D), positions, x);
    push(s, t->a, vec3_scale(-s->lambda[i], t->D), positions, x);
  }
}

static void hold_accelerations(td_lattice* s, const td_state* state, td_work* w, double* vdot,
                               double* power) {
  const row_value none = {0};
  for (int i = 0; i < s->ntie; i++)
    s->lambda[i] = td_row_drive(s->m, w, i, &none) - rate_along(s, &s->tie[i], vdot);
  hold(s, false, vdot);
  for (int i = 0; i < s->ntie; i++) {
    w->lambda[i] = s->lambda[i];
    *power += s->lambda[i] * rate_along(s, &s->tie[i], state->v);
  }
}

static void missing(const td_lattice* s, const td_state* state, const td_work* w, bool positions,
                    double* error) {
  for (int i = 0; i < s->ntie; i++) {
    double e, ed;
    td_row_target(s->m, w, i, &e, &ed);
    error[i] = positions ? e - place_along(s, &s->tie[i], state->q)
                         : ed - rate_along(s, &s->tie[i], state->v);
  }
}

bool td_lattice_project(td_lattice* s, td_state* state, td_work* w) {
  if (!enter(s, state, w)) return false;
  for (int positions = 1; positions >= 0 && s->ntie > 0; positions--) {
    missing(s, state, w, positions, s->lambda);
    hold(s, positions, positions ? state->q : state->v);
  }
  return true;
}

bool td_lattice_error(td_lattice* s, const td_state* state, td_work* w, double* e, double* edot) {
  if (!enter(s, state, w)) return false;
  for (int positions = 1; positions >= 0; positions--) {
    double worst = 0;
    missing(s, state, w, positions, s->lambda);
    for (int i = 0; i < s->ntie; i++) worst = fmax(worst, fabs(s->lambda[i]));
    *(positions ? e : edot) = worst;
  }
  return true;
}

// ---- all of it --------------------------------------------------------------------------------

bool td_lattice_forward(td_lattice* s, const td_state* state, td_work* w, double* vdot,
                        double* power) {
  double sum = 0;
  if (!enter(s, state, w)) return false;
  place_nodes(s, state);
  for (int i = 0; i < s->nlink; i++) {
    const link* l = &s->link[i];
    if (l->beam) {
      bend(s, w, l, w->load, &sum);
    } else {
      pull_axially(s, l, w->load, &sum);
    }
  }
  if (s->ngrip > 0) resist(s, state, w->load, &sum);
  accelerate(s, state, vec3_scale(w->load, vec3_of(w->num + s->m->gravity)), vdot);
  if (s->ntie > 0) hold_accelerations(s, state, w, vdot, &sum);
  if (power != NULL) *power = sum;
  return true;
}
