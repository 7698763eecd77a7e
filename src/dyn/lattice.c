// See the header.  The formulas are those of elem/link.h, elem/law.h and nodes.c; a beam's wrench
// on its first node is the opposite of that on the second, where it acts:
//
//   F_a = -F,   T_a = -T - (p_b - p_a) × F
#include "lattice.h"

#include <string.h>

typedef struct node {
  int q, v;            // translations
  int turn_q, turn_v;  // quaternion, -1: a point
  int hop;             // that carries the mass
  int body;            // what it is
  vec3 p0;             // where it is at q = 0
} node;

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

struct td_lattice {
  const td_model* m;
  int nnode, nfixed, nlink, nbody, neffort;
  node* node;
  link* link;
  effort* effort;
  double* rest;
  body* body;         // consecutive nodes alike share one
  int* fixed;         // stations on the ground
  frame* frame;       // (nnode + nfixed)
  vec3 *F, *T;        // on each of them
  bool turns;         // some node does
  unsigned prepared;  // of the work, when the numbers were taken
  bool fits;          // they are such as this file takes
};

// ---- structure --------------------------------------------------------------------------------

static bool only_links(const td_model* m) {
  if (!m->sparse || !m->recursive || m->nrow > 0 || m->ncable > 0 || m->nspan > 0) return false;
  if (m->ncontact > 0 || m->nwet > 0 || m->ncoords > 0 || m->has_added) return false;
  if (m->nlive_slot > 0 || m->nmotion_slot > 0 || m->nfree_v < m->nvel) return false;
  for (int i = 0; i < m->nhop; i++)
    if (m->hop[i].node == 0) return false;
  for (int i = 0; i < m->nforce; i++) {
    const model_force* f = &m->force[i];
    if (f->kind != FORCE_AXIAL && f->kind != FORCE_BEAM) return false;
  }
  return true;
}

static int count_laws(const td_model* m) {
  int n = 0;
  for (int i = 0; i < m->nforce; i++) n += force_laws(m->force[i].kind);
  return n;
}

static bool allocate(td_lattice* s) {
  const td_model* m = s->m;
  const size_t n = (size_t)m->ntree, links = (size_t)m->nforce + 1;
  s->node = malloc(n * sizeof(node));
  s->link = malloc(links * sizeof(link));
  s->effort = malloc(((size_t)count_laws(m) + 1) * sizeof(effort));
  s->rest = malloc(((size_t)count_laws(m) + 1) * sizeof(double));
  s->body = malloc(n * sizeof(body));
  s->fixed = malloc(2 * links * sizeof(int));
  return s->node && s->link && s->effort && s->rest && s->body && s->fixed;
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

static bool list_links(td_lattice* s) {
  const td_model* m = s->m;
  for (int i = 0, rest = 0; i < m->nforce; i++) {
    const model_force* f = &m->force[i];
    const link l = {.a = end_of(s, f->a),
                    .b = end_of(s, f->b),
                    .rest = rest,
                    .frame = f->frame,
                    .beam = f->kind == FORCE_BEAM,
                    .isotropic = f->isotropic};
    if (l.a < 0 || l.b < 0) return false;
    s->link[s->nlink++] = l;
    rest += force_laws(f->kind);
  }
  return true;
}

// A cache line for what axial links look at.
static bool open_frames(td_lattice* s) {
  const size_t n = (size_t)(s->nnode + s->nfixed);
  s->frame = aligned_alloc(64, (n * sizeof(frame) + 63) / 64 * 64 + 64);
  s->F = malloc((n + 1) * sizeof(vec3));
  s->T = malloc((s->turns ? n + 1 : 1) * sizeof(vec3));
  return s->frame && s->F && s->T;
}

td_lattice* td_lattice_new(const td_model* m) {
  if (!only_links(m)) return NULL;
  td_lattice* s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->m = m;
  bool ok = allocate(s);
  if (ok) list_nodes(s);
  ok = ok && list_links(s) && open_frames(s);
  if (ok) return s;
  td_lattice_free(s);
  return NULL;
}

void td_lattice_free(td_lattice* s) {
  if (!s) return;
  void* const parts[] = {s->node,  s->link,  s->effort, s->rest, s->body,
                         s->fixed, s->frame, s->F,      s->T};
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

// Behind the laws of the last link, or those again.
static void fill_laws(td_lattice* s, const td_work* w, int i) {
  const model_force* f = &s->m->force[i];
  const int n = force_laws(f->kind), last = i > 0 ? s->link[i - 1].first : 0;
  bool alike = i > 0 && s->link[i - 1].beam == s->link[i].beam;
  for (int d = 0; d < n; d++) {
    const model_law* c = &f->law[d];
    s->rest[s->link[i].rest + d] = w->num[c->rest] * w->num[c->compr];
    s->effort[s->neffort + d] = effort_of(w, c);
    alike = alike && is_alike(&s->effort[last + d], &s->effort[s->neffort + d]);
  }
  s->link[i].first = alike ? last : s->neffort;
  if (!alike) s->neffort += n;
}

// Everything that follows from parameters.
static void fill(td_lattice* s, const td_work* w) {
  s->nbody = s->neffort = 0;
  s->fits = true;
  s->prepared = w->prepared;
  for (int i = 0; i < s->nnode && s->fits; i++) s->fits = fill_node(s, w, &s->node[i]);
  for (int i = 0; i < s->nlink && s->fits; i++) fill_laws(s, w, i);
  for (int i = 0; i < s->nfixed; i++) s->frame[s->nnode + i] = td_frame(s->m, w, s->fixed[i]);
  for (int i = 0; i < s->nnode; i++) s->frame[i] = frame_ground();
}

// ---- one state --------------------------------------------------------------------------------

static void place_nodes(td_lattice* s, const td_state* state) {
  for (int i = 0; i < s->nnode; i++) {
    const node* n = &s->node[i];
    frame* f = &s->frame[i];
    f->p = vec3_add(n->p0, vec3_of(state->q + n->q));
    f->v = vec3_of(state->v + n->v);
    if (n->turn_q < 0) continue;
    const double* q = state->q + n->turn_q;
    f->R = mat3_quat(quat_unit((quat){q[0], vec3_of(q + 1)}));
    f->w = mat3_apply(f->R, vec3_of(state->v + n->turn_v));
  }
  const size_t n = (size_t)(s->nnode + s->nfixed);
  memset(s->F, 0, n * sizeof(vec3));
  if (s->turns) memset(s->T, 0, n * sizeof(vec3));
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
  const double f = v.f + load * e->input;
  *power += (f - (e->potential ? v.spring : 0)) * at.rate;
  return f;
}

static void pull_axially(td_lattice* s, const link* l, double load, double* power) {
  const frame *a = &s->frame[l->a], *b = &s->frame[l->b];
  const effort* e = &s->effort[l->first];
  const axial x = td_axial(a, b);
  const stance at = {x.L, l->isotropic ? 0 : x.Ld, x.Ld};
  vec3 F = vec3_scale(effort_at(e, s->rest[l->rest], load, at, power), x.n);
  if (l->isotropic) {
    const vec3 u = vec3_sub(b->v, a->v), damping = link_damping(u, e->law.mu, e->law.nu);
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

bool td_lattice_forward(td_lattice* s, const td_state* state, td_work* w, double* vdot,
                        double* power) {
  double sum = 0;
  td_prepare(s->m, w);
  if (s->prepared != w->prepared) fill(s, w);
  if (!s->fits || w->pull.on) return false;
  place_nodes(s, state);
  for (int i = 0; i < s->nlink; i++) {
    const link* l = &s->link[i];
    if (l->beam) {
      bend(s, w, l, w->load, &sum);
    } else {
      pull_axially(s, l, w->load, &sum);
    }
  }
  accelerate(s, state, vec3_scale(w->load, vec3_of(w->num + s->m->gravity)), vdot);
  if (power != NULL) *power = sum;
  return true;
}
