// Networks of free nodes (lattice.h).  The formulas are those of elem/link.h, elem/law.h and
// nodes.c; a beam's wrench on its first node is opposite to that on the second, where it acts:
//
//   F_a = -F,   T_a = -T - (p_b - p_a) × F
//
// A constraint row that holds or drives the distance of two nodes, or of a node and the ground,
// along a constant direction D is called a tie.  Its J is constant, and with the masses of the
// nodes so is S = J M⁻¹ Jᵀ, whose order is the number of ties:
//
//   λ = S⁻¹ (ë - J v'),   v' += M⁻¹ Jᵀ λ,   and onto the rows  q += M⁻¹ Jᵀ S⁻¹ (e - J q)
#include "engine/lattice.h"

#include <string.h>

#include "math/dense.h"

enum { MOST_TIES = 64 };               // with more ties S is no longer small
static const double dependent = 1e-9;  // relative pivot of S below which ties are dependent

// A free node.
typedef struct node {
  int q, v;            // first translation among positions and velocities
  int turn_q, turn_v;  // first number of its quaternion and angular velocity, -1: a point
  int hop;             // hop that carries the mass
  int body;            // its mass and inertia
  vec3 p0;             // position at q = 0 [m]
} node;

// Position and velocity of a node: all that axial links need.
typedef struct spot {
  vec3 p, v;
} spot;

// Mass and inertia of a node.
typedef struct body {
  double mass;
  bool turns;  // otherwise it is a point, without inertia
  mat3 I, inverse;
} body;

// A law with its numbers except the rest value, which is rarely the same for two links.
typedef struct effort {
  law law;
  double input;
  bool potential;
} effort;

// A spring, rope or beam between two nodes.
typedef struct link {
  int a, b;   // nodes; numbers from nnode on are places on the ground
  int first;  // first of its laws, which consecutive equal links share
  int rest;   // first of its rest values
  int frame;  // frame of the beam, -1: that of the first node
  bool beam, isotropic;
} link;

// A spring or damper along a translation of a node.
typedef struct grip {
  int q, v;
  int first;  // its law, shared like those of links
  double rest;
} grip;

// A constraint row along a constant direction.
typedef struct tie {
  int a, b;  // nodes or places on the ground, as of a link
  vec3 D;
} tie;

struct td_lattice {
  const td_model* m;
  int nnode, nfixed, nlink, ngrip, ntie, nbody, neffort;
  node* node;
  link* link;
  grip* grip;
  tie* tie;
  double *S, *lambda;  // (ntie x ntie) lower Cholesky factor, (ntie) multipliers
  effort* effort;
  double* rest;
  body* body;         // consecutive equal nodes share one
  int* fixed;         // stations on the ground
  spot* spot;         // (nnode + nfixed)
  frame* frame;       // (nnode + nfixed) where there are beams or rotating nodes
  vec3 *F, *T;        // (nnode + nfixed) force and torque on each
  double* tau;        // (nvel) forces along translations, where there are grips
  bool turns;         // some node rotates
  bool framed;        // some node rotates, or there are beams
  unsigned prepared;  // td_work.prepared when the numbers were taken
  bool fits;          // the numbers are within the scope of this file
};

// ---- structure --------------------------------------------------------------------------------

// Allocate the arrays whose sizes the model gives; false: out of memory.
static bool allocate(td_lattice* s) {
  const td_model* m = s->m;
  const size_t n = (size_t)m->ntree, rows = (size_t)m->nrow;
  const size_t ropes = (size_t)m->naxial, beams = (size_t)m->nbeam;
  const size_t grips = (size_t)m->nspring, links = ropes + beams;
  const size_t laws = ropes + 6 * beams;

  // arrays that may be empty get one element more
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

// The node whose frame a station is, or a new place on the ground; -1: neither.
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

// Append a link between two stations; false: one of them is no node.
static bool add_link(td_lattice* s, int a, int b, link l) {
  l.a = end_of(s, a);
  l.b = end_of(s, b);
  s->link[s->nlink++] = l;
  return l.a >= 0 && l.b >= 0;
}

// List nodes, grips and links; false: some force is out of scope.
static bool list_forces(td_lattice* s) {
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

  // springs along coordinates must act along translations
  bool fits = true;

  for (int i = 0; i < m->nspring && fits; i++) {
    const model_spring* f = &m->spring[i];
    const node* n = &s->node[m->block_tree[m->block_tree_at[m->v_block[f->v]]]];
    s->grip[s->ngrip++] = (grip){.q = f->q, .v = f->v};
    fits = f->v >= n->v && f->v < n->v + 3;
  }

  // ropes and beams
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

// List the rows as ties; false: a row is not linear, turns with a body, or has a control.
static bool list_ties(td_lattice* s) {
  const td_model* m = s->m;

  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    const int hop = r->c < 0 ? -1 : m->station[r->c].hop;
    const bool constant = hop < 0 || m->hop[hop].node == 1;  // directions on the ground or a point
    if (!td_row_traits[r->kind].linear || !constant) return false;
    if (!r->projected || r->target == TARGET_CONTROL) return false;
    if (r->k != NUM_NONE || r->control != NUM_NONE) return false;
    const tie t = {.a = end_of(s, r->a), .b = end_of(s, r->b)};
    if (t.a < 0 || t.b < 0) return false;
    s->tie[s->ntie++] = t;
  }

  return true;
}

// Allocate the arrays of nodes and places on the ground, whose number is known by now.
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

// Build the arrays; NULL: the model is out of scope, or out of memory.
td_lattice* td_lattice_new(const td_model* m) {
  bool nodes = m->sparse && m->recursive && m->nrow <= MOST_TIES;
  for (int i = 0; i < m->nhop && nodes; i++) nodes = m->hop[i].node > 0;
  if (!nodes || m->ncable > 0 || m->nspan > 0 || m->ncontact > 0 || m->nwet > 0 || m->ncoords > 0 ||
      m->has_added || m->nlive_slot > 0 || m->nfree_v < m->nvel ||
      model_forces(m) != m->nspring + m->naxial + m->nbeam)
    return NULL;
  td_lattice* s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->m = m;
  if (allocate(s) && list_forces(s) && list_ties(s) && open_frames(s)) return s;
  td_lattice_free(s);
  return NULL;
}

// Free the arrays; NULL is fine.
void td_lattice_free(td_lattice* s) {
  if (!s) return;
  void* const parts[] = {s->node, s->link,  s->grip, s->tie,   s->S, s->effort, s->rest,
                         s->body, s->fixed, s->spot, s->frame, s->F, s->T,      s->tau};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
  free(s);
}

// ---- numbers ----------------------------------------------------------------------------------

// True when R is the identity to the bit.
static bool is_identity(const mat3* R) {
  const mat3 one = mat3_identity();
  return memcmp(R, &one, sizeof one) == 0;
}

// Inverse of a symmetric matrix by the cross products of its columns; false: singular.
static bool invert_inertia(const mat3* I, mat3* inverse) {
  const vec3 a = mat3_col(*I, 0), b = mat3_col(*I, 1), c = mat3_col(*I, 2);
  const vec3 row[3] = {vec3_cross(b, c), vec3_cross(c, a), vec3_cross(a, b)};
  const double det = vec3_dot(a, row[0]), size = vec3_norm(a) * vec3_norm(b) * vec3_norm(c);
  if (!(det > 1e-15 * size)) return false;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) inverse->m[3 * i + k] = vec3_at(row[i], k) / det;
  return true;
}

// Place, mass and inertia of a node; false: its frames are turned, or its mass is not about its
// centre.
static bool fill_node(td_lattice* s, const td_work* w, node* n) {
  const bool turns = n->turn_q >= 0;
  const int move = turns ? n->hop - 1 : n->hop;
  const pose *fix = &w->hop_fix[move], *turn = &w->hop_fix[n->hop];
  if (!is_identity(&fix->R)) return false;
  if (turns && (!is_identity(&turn->R) || vec3_dot(turn->p, turn->p) > 0)) return false;
  n->p0 = vec3_add(fix->p, vec3_of(w->num + s->m->hop[move].value));

  // mass and inertia, shared with the node before where they are equal
  const inertia* I = &w->hop_inertia[n->hop];
  if (!(I->m > 0) || (turns && vec3_dot(I->mc, I->mc) > 0)) return false;
  const body* last = s->nbody > 0 ? &s->body[s->nbody - 1] : NULL;
  const bool alike = last && last->mass == I->m && last->turns == turns &&
                     (!turns || memcmp(&last->I, &I->I, sizeof I->I) == 0);

  if (!alike) {
    body b = {.mass = I->m, .turns = turns, .I = I->I};
    if (turns && !invert_inertia(&b.I, &b.inverse)) return false;
    s->body[s->nbody++] = b;
  }

  n->body = s->nbody - 1;
  return true;
}

// True when two laws have the same numbers.
static bool is_alike(const effort* a, const effort* b) {
  return a->law.k == b->law.k && a->law.mu == b->law.mu && a->law.nu == b->law.nu &&
         a->law.dir == b->law.dir && a->input == b->input && a->potential == b->potential;
}

// First of the n laws of a force: appended behind all others, or those at `last` (-1: none) where
// they are equal.
static int share_laws(td_lattice* s, const td_work* w, const model_law* from, int n, int last) {
  const int first = s->neffort;
  bool alike = last >= 0;

  for (int d = 0; d < n; d++) {
    const model_law* c = &from[d];
    s->effort[first + d] = (effort){
        .law = {.k = w->num[c->k], .mu = w->num[c->mu], .nu = w->num[c->nu], .dir = c->dir},
        .input = w->num[c->input],
        .potential = c->potential};
    alike = alike && is_alike(&s->effort[last + d], &s->effort[first + d]);
  }

  if (alike) return last;
  s->neffort += n;
  return first;
}

// Rest value of a law.
static double rest_of(const td_work* w, const model_law* c) {
  return w->num[c->rest] * w->num[c->compr];
}

// Laws and rest values of link i, which has n laws.
static void fill_link(td_lattice* s, const td_work* w, const model_law* from, int n, int i) {
  link* l = &s->link[i];
  l->first = share_laws(s, w, from, n, i > 0 && l[-1].beam == l->beam ? l[-1].first : -1);
  for (int d = 0; d < n; d++) s->rest[l->rest + d] = rest_of(w, &from[d]);
}

// Directions of the ties, and the Cholesky factor of S; false: ties are dependent.
static bool fill_ties(td_lattice* s, const td_work* w) {
  const int n = s->ntie;

  for (int i = 0; i < n; i++) {
    const model_row* r = &s->m->row[i];
    s->tie[i].D = mat3_apply(td_frame(s->m, w, r->c).R, vec3_of(w->num + r->d));
  }

  // S_ij: what a unit multiplier of tie j changes in the acceleration of tie i, through the nodes
  // that they share
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      const int t[2] = {s->tie[i].a, s->tie[i].b}, u[2] = {s->tie[j].a, s->tie[j].b};
      double sum = 0;
      for (int k = 0; k < 4; k++)
        if (t[k / 2] == u[k % 2] && t[k / 2] < s->nnode)
          sum += (k / 2 == k % 2 ? 1 : -1) / s->body[s->node[t[k / 2]].body].mass;
      s->S[i * n + j] = sum * vec3_dot(s->tie[i].D, s->tie[j].D);
    }
  return n == 0 || td_chol(s->S, n, dependent) == 0;
}

// Take all numbers that follow from parameters.
static void fill(td_lattice* s, const td_work* w) {
  const td_model* m = s->m;
  s->nbody = s->neffort = 0;
  s->fits = true;
  s->prepared = w->prepared;
  for (int i = 0; i < s->nnode && s->fits; i++) s->fits = fill_node(s, w, &s->node[i]);

  // laws of grips, ropes and beams
  for (int i = 0; i < m->nspring && s->fits; i++) {
    grip* g = &s->grip[i];
    g->first = share_laws(s, w, &m->spring[i].law, 1, i > 0 ? g[-1].first : -1);
    g->rest = rest_of(w, &m->spring[i].law);
  }

  for (int i = 0; i < m->naxial && s->fits; i++) fill_link(s, w, &m->axial[i].law, 1, i);
  for (int i = 0; i < m->nbeam && s->fits; i++) fill_link(s, w, m->beam[i].law, 6, m->naxial + i);
  s->fits = s->fits && fill_ties(s, w);

  // places on the ground
  for (int i = 0; i < s->nfixed; i++) {
    const frame f = td_frame(m, w, s->fixed[i]);
    s->spot[s->nnode + i] = (spot){f.p, f.v};
    if (s->framed) s->frame[s->nnode + i] = f;
  }

  for (int i = 0; i < s->nnode && s->framed; i++) s->frame[i] = frame_ground();
}

// ---- one state --------------------------------------------------------------------------------

// Positions, velocities and, where needed, frames of all nodes; clears their forces.
static void place_nodes(td_lattice* s, const td_state* state) {
  const vec3 none = {0, 0, 0};

  for (int i = 0; i < s->nnode; i++) {
    const node* n = &s->node[i];
    const spot at = {vec3_add(n->p0, vec3_of(state->q + n->q)), vec3_of(state->v + n->v)};
    s->spot[i] = at;
    s->F[i] = none;

    // frames, where beams or rotations need them
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

// Motion of a link along one of its directions.
typedef struct stance {
  double x, u, rate;  // value, rate that the law damps (0 for isotropic damping), rate
} stance;

// Force of a law plus its input; adds the power of what is not stored as energy.
static double effort_at(const effort* e, double rest, double load, stance at, double* power) {
  law l = e->law;
  l.x0 = rest;
  const law_value v = law_at(&l, at.x, at.u);
  const double f = v.f + v.on * load * e->input;
  *power += (f - (e->potential ? v.spring : 0)) * at.rate;
  return f;
}

// Add the force of a spring or rope to its two nodes.
static void pull_axially(td_lattice* s, const link* l, double load, double* power) {
  const spot *a = &s->spot[l->a], *b = &s->spot[l->b];
  const effort* e = &s->effort[l->first];
  const vec3 u = vec3_sub(b->v, a->v);
  const axial x = axial_of(vec3_sub(b->p, a->p), u);
  const stance at = {x.L, l->isotropic ? 0 : x.Ld, x.Ld};
  vec3 F = vec3_scale(effort_at(e, s->rest[l->rest], load, at, power), x.n);

  // isotropic damping resists motion in all directions
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

// Add the wrench of a beam to its two nodes.
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

// v' of all nodes: F/m + g, and Euler's equation in body axes.
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

// q' of all nodes; Q' = ½ Q ω for quaternions.
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

// Bring the numbers of the model to the state's time; false: they are out of scope, or a hand
// pulls.
static bool enter(td_lattice* s, const td_state* state, td_work* w) {
  td_prepare(s->m, w);
  if (s->prepared != w->prepared) fill(s, w);
  if (!s->fits || w->pull.on) return false;
  if (s->m->nmotion_slot == 0) return true;
  if (state->t != w->t) w->placed = false;  // the numbers now belong to another time
  td_place_motion(s->m, w, state->t, NULL, NULL);
  return true;
}

// ---- ties -------------------------------------------------------------------------------------

// D·(x_b - x_a) of velocities or accelerations; places on the ground rest.
static double rate_along(const td_lattice* s, const tie* t, const double* v) {
  vec3 d = {0, 0, 0};
  if (t->b < s->nnode) d = vec3_of(v + s->node[t->b].v);
  if (t->a < s->nnode) d = vec3_sub(d, vec3_of(v + s->node[t->a].v));
  return vec3_dot(t->D, d);
}

// Add impulse / mass to the positions, velocities or accelerations of one end.
static void push(const td_lattice* s, int end, vec3 impulse, bool positions, double* x) {
  if (end >= s->nnode) return;
  const node* n = &s->node[end];
  double* at = x + (positions ? n->q : n->v);
  vec3_put(at, vec3_axpy(1 / s->body[n->body].mass, impulse, vec3_of(at)));
}

// Change positions, velocities or accelerations x so that the ties' values change by s->lambda,
// which becomes the multipliers.
static void hold(td_lattice* s, bool positions, double* x) {
  td_chol_solve(s->S, s->ntie, s->lambda, 1);
  for (int i = 0; i < s->ntie; i++) {
    const tie* t = &s->tie[i];
    push(s, t->b, vec3_scale(s->lambda[i], t->D), positions, x);
    push(s, t->a, vec3_scale(-s->lambda[i], t->D), positions, x);
  }
}

// Errors of the ties: target minus value, of positions or of rates.
static void missing(const td_lattice* s, const td_state* state, const td_work* w, bool positions,
                    double* error) {
  for (int i = 0; i < s->ntie; i++) {
    const tie* t = &s->tie[i];
    double e, ed;
    td_row_target(s->m, w, i, &e, &ed);
    error[i] = ed - rate_along(s, t, state->v);
    if (!positions) continue;
    vec3 p[2];  // positions of both ends
    for (int k = 0; k < 2; k++) {
      const int end = k == 0 ? t->a : t->b;
      const node* n = &s->node[end];
      p[k] = end < s->nnode ? vec3_add(n->p0, vec3_of(state->q + n->q)) : s->spot[end].p;
    }
    error[i] = e - vec3_dot(t->D, vec3_sub(p[1], p[0]));
  }
}

// Project positions, then velocities; both are linear.
bool td_lattice_project(td_lattice* s, td_state* state, td_work* w) {
  if (!enter(s, state, w)) return false;
  for (int positions = 1; positions >= 0 && s->ntie > 0; positions--) {
    missing(s, state, w, positions, s->lambda);
    hold(s, positions, positions ? state->q : state->v);
  }
  return true;
}

// Largest errors of positions and rates.
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

// v' of all nodes, with the multipliers of the ties, and the power of what has no potential.
bool td_lattice_forward(td_lattice* s, const td_state* state, td_work* w, double* vdot,
                        double* power) {
  double sum = 0;
  if (!enter(s, state, w)) return false;
  place_nodes(s, state);

  // forces of links
  for (int i = 0; i < s->nlink; i++) {
    const link* l = &s->link[i];
    if (l->beam) {
      bend(s, w, l, w->load, &sum);
    } else {
      pull_axially(s, l, w->load, &sum);
    }
  }

  // forces of springs and dampers along translations
  if (s->ngrip > 0) {
    memset(s->tau, 0, (size_t)s->m->nvel * sizeof(double));
    for (int i = 0; i < s->ngrip; i++) {
      const grip* g = &s->grip[i];
      const double u = state->v[g->v];
      const stance at = {g->q < 0 ? 0 : state->q[g->q], u, u};
      s->tau[g->v] += effort_at(&s->effort[g->first], g->rest, w->load, at, &sum);
    }
    for (int i = 0; i < s->nnode; i++) s->F[i] = vec3_add(s->F[i], vec3_of(s->tau + s->node[i].v));
  }

  accelerate(s, state, vec3_scale(w->load, vec3_of(w->num + s->m->gravity)), vdot);

  // multipliers that give the ties their accelerations
  const row_value none = {0};
  for (int i = 0; i < s->ntie; i++)
    s->lambda[i] = td_row_drive(s->m, w, i, &none) - rate_along(s, &s->tie[i], vdot);
  if (s->ntie > 0) hold(s, false, vdot);

  for (int i = 0; i < s->ntie; i++) {
    w->lambda[i] = s->lambda[i];
    sum += s->lambda[i] * rate_along(s, &s->tie[i], state->v);
  }

  if (power != NULL) *power = sum;
  return true;
}
