// Hops of strain-parametrised rods; the steps themselves are in elem/magnus.c.
//
// A step is made in the frame before it, which moves with the twist V and acceleration A of its
// parent.  A part S' of it, carried to the world, has the rates
//
//   S = Ad S'      Ṡ = V × S + Ad Ṡ'      S̈ = A × S + V × Ṡ + V × Ad Ṡ' + Ad S̈'
//
// and these are the tangent vectors of a column (tangent.c):  U = Ṡ, X = 2 Ṡ, Z = S̈.  That holds
// for every joint: the change of a twist along a coordinate and its rate along the motion differ by
// S × V alone.
//
// Steps that follow each other are a run (model_run): all but putting the frames one behind the
// other is done for eight of them at once, one lane each.  Afterwards (w->part) the parts of a step
// stand side by side: M and the tangents are made step by step.
#include "engine/hop_strain.h"

#include "engine/adjoint.h"
#include "engine/hop.h"
#include "engine/path.h"

#include <string.h>

// The frame before a step.
static pose before(const td_model* m, const td_work* w, int i) {
  const int parent = m->hop[i].parent;
  if (parent >= 0 && m->hop[i].nfix == 0) return w->hop[parent].g;
  return parent < 0 ? w->hop_fix[i] : pose_mul(w->hop[parent].g, w->hop_fix[i]);
}
static octet_pose all_before(const td_model* m, const td_work* w, const model_run* run) {
  octet_pose g = {{{0}}, {{0}}};
  for (int l = 0; l < run->n; l++) {
    const pose one = before(m, w, run->hop + l);
    octet_pose_put(&g, l, &one);
  }
  return g;
}

// to[n] += Σ weight x of all coordinates, strain by strain
static void add_weighed(const td_model* m, const td_work* w, const model_run* run, const double* x,
                        bool positions, int degree, jet* to) {
  const lanes* weight = td_run_weights(w, run);
  const model_run_dof *f = m->run_dof + run->dof, *end = f + run->ndof;
  while (f < end) {
    const int part = f->part;
    lanes sum[MAGNUS_NODES] = {{0}, {0}, {0}};
    for (; f < end && f->part == part; f++) {
      const double value = x[positions ? f->q : f->v];
      for (int n = 0; n < run->nodes; n++) sum[n] += value * *weight++;
    }
    for (int n = 0; n < run->nodes; n++) to[n].d[degree].c[part] += sum[n];
  }
}

// The accelerations of strains that are expressions, whose weights change.
static void add_accelerations(const td_model* m, const td_work* w, const model_run* run,
                              const double* a, jet* to) {
  for (int l = 0; l < run->n; l++) {
    const model_hop* hop = &m->hop[run->hop + l];
    for (int k = hop->col; k < hop->col + hop->nv; k++) {
      const model_col* c = &m->col[k];
      for (int n = 0; n < run->nodes; n++)
        to[n].d[2].c[c->part][l] += w->num[c->weight + n] * a[c->v];
    }
  }
}

// Lengths and strains of the steps of a run without their coordinates; of a dependent one the
// strains themselves, and with `rates` all that is known of their motion.
static void put_steps(const td_model* m, const td_work* w, const model_run* run, int degrees,
                      lanes* h, jet* xi) {
  for (int l = 0; l < run->n; l++) {
    const model_hop* hop = &m->hop[run->hop + l];
    const double* value = w->num + hop->value;
    (*h)[l] = w->num[hop->step];
    for (int k = 0; k < degrees; k++)
      for (int n = 0; n < run->nodes; n++)
        for (int d = 0; d < 6; d++) xi[n].d[k].c[d][l] = *value++;
    for (int n = 0; n < run->nodes; n++) xi[n].d[0].c[2][l] += 1;
  }
}

// Fill *s with the steps of a run: lengths, and at the nodes strains, their rates and (a not NULL)
// accelerations.  Constant strains plus weights times coordinates, or expressions (run->dependent).
static void steps_of(const td_model* m, const td_work* w, const model_run* run, const double* a,
                     magnus_steps* s) {
  const lanes* constant = w->run_weight + run->weight;
  s->nodes = run->nodes;
  s->modes = run->modes;
  s->h = *constant++;
  for (int n = 0; n < run->nodes; n++) {
    for (int d = 0; d < 6; d++) s->xi[n].d[0].c[d] = *constant++;
    s->xi[n].d[1] = s->xi[n].d[2] = octet_zero();
  }
  if (run->dependent) {
    put_steps(m, w, run, 3, &s->h, s->xi);
    if (a) add_accelerations(m, w, run, a, s->xi);
    return;
  }
  add_weighed(m, w, run, w->q, true, 0, s->xi);
  add_weighed(m, w, run, w->v, false, 1, s->xi);
  if (a) add_weighed(m, w, run, a, false, 2, s->xi);
}

// Strains, and whatever else the hops need, that are expressions of coordinates: their numbers.
static void set_coordinates(const td_model* m, td_work* w, const double* a) {
  for (int i = 0; i < m->ncoordinate; i++) {
    const model_coordinate* c = &m->coordinate[i];
    w->vars[c->var] = w->q[c->q];
    w->vars[c->rate] = w->v[c->v];
    w->vars[c->accel] = a ? a[c->v] : 0;
  }
  w->vars[m->time_var] = w->t;
}

void td_strain_numbers(const td_model* m, td_work* w) {
  if (m->nstrain_slot == 0) return;
  set_coordinates(m, w, NULL);
  const td_tape* tape = w->open_tables ? m->strain_open_tape : m->strain_tape;
  td_tape_eval(tape, w->vars, w->scratch_tape, w->partial);
  for (int i = 0; i < m->nstrain_slot; i++) w->num[m->strain_slot[i]] = w->partial[i];
}

void td_strain_tangent_numbers(const td_model* m, td_work* w, const double* a) {
  if (m->nstrain_rate_slot == 0) return;
  set_coordinates(m, w, a);
  td_tape_eval(m->strain_rate_tape, w->vars, w->scratch_tape, w->partial);
  for (int i = 0; i < m->nstrain_rate_slot; i++) w->num[m->strain_rate_slot[i]] = w->partial[i];
}

// Store the weights of a step's DOFs by blocks of slots, and which of its strains have some in each
// block: slots are numbered strain by strain, so that most strains have none.
static void prepare_step(const td_model* m, td_work* w, const model_hop* hop) {
  lanes* row = w->weight + hop->weights;
  strain_range* range = w->weight_range + hop->weights;
  memset(row, 0, (size_t)(step_parts(hop) * hop->blocks) * sizeof(lanes));
  for (int b = 0; b < hop->blocks; b++) range[b] = (strain_range){modes_in(hop->modes), 0};
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    strain_range* at = &range[c->slot / LANES - hop->block];
    at->first = min_int(at->first, step_part(hop, 0, c->part));
    at->end = max_int(at->end, step_part(hop, 0, c->part) + 1);
    for (int n = 0; n < hop->nodes; n++)
      row[step_part(hop, n, c->part) * hop->blocks + c->slot / LANES - hop->block]
         [c->slot % LANES] += w->num[c->weight + n];
  }
}

// Mass, first moment and rotational inertia of the steps: the last of what is constant of a run.
static lanes* run_inertias(const td_work* w, const model_run* run) {
  return td_run_weights(w, run) + run->ndof * run->nodes;
}
static void prepare_inertias(td_work* w, const model_run* run) {
  lanes* to = run_inertias(w, run);
  for (int l = 0; l < run->n; l++) {
    const inertia* I = &w->hop_inertia[run->hop + l];
    to[0][l] = I->m;
    for (int k = 0; k < 3; k++) to[1 + k][l] = vec3_at(I->mc, k);
    for (int k = 0; k < 9; k++) to[4 + k][l] = I->I.m[k];
  }
}

// Store what a run of steps has constant: strains and step lengths at its nodes, and the weights of
// its DOFs there, one lane for each step.  Strains that depend on coordinates (run->dependent) are
// evaluated at every state instead.
static void prepare_run(const td_model* m, td_work* w, const model_run* run) {
  lanes *constant = w->run_weight + run->weight, *weight = td_run_weights(w, run);
  jet xi[MAGNUS_NODES] = {{{{{{0}}}}}};
  memset(constant, 0, (size_t)run_constants(run) * sizeof(lanes));
  prepare_inertias(w, run);
  if (run->dependent) return;
  put_steps(m, w, run, 1, constant, xi);
  for (int n = 0; n < run->nodes; n++)
    for (int d = 0; d < 6; d++) constant[1 + 6 * n + d] = xi[n].d[0].c[d];

  // weights of each column, at the place of its DOF and strain in the run
  for (int l = 0; l < run->n; l++) {
    const model_hop* hop = &m->hop[run->hop + l];
    for (int k = hop->col; k < hop->col + hop->nv; k++) {
      const model_col* c = &m->col[k];
      const model_run_dof* f = m->run_dof + run->dof;
      while (f->slot != c->slot || f->part != c->part) f++;
      const int at = (int)(f - (m->run_dof + run->dof)) * run->nodes;
      for (int n = 0; n < run->nodes; n++) weight[at + n][l] += w->num[c->weight + n];
    }
  }
}

void td_strain_prepare(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nhop; i++)
    if (is_step(&m->hop[i])) prepare_step(m, w, &m->hop[i]);
  for (int i = 0; i < m->nrun; i++) prepare_run(m, w, &m->run[i]);
}

// The parts of a step, one by one.
typedef spatial part_vectors[(MAGNUS_PARTS + LANES - 1) / LANES * LANES];
static void parts_of(const model_hop* hop, const octet* all, part_vectors to) {
  for (int o = 0; o < step_octets(hop); o++) octet_vectors(&all[hop->parts + o], to + LANES * o);
}

// Σ_n weight_n x_n of a column
static spatial weighed(const td_work* w, const model_hop* hop, const model_col* c,
                       const part_vectors x) {
  spatial sum = spatial_scale(w->num[c->weight], x[step_part(hop, 0, c->part)]);
  for (int n = 1; n < hop->nodes; n++)
    sum = spatial_axpy(w->num[c->weight + n], x[step_part(hop, n, c->part)], sum);
  return sum;
}

// Columns are looked at one by one in networks (and in tangents).
static void step_subspace(const td_model* m, td_work* w, const model_hop* hop) {
  part_vectors part;
  parts_of(hop, w->part, part);
  for (int k = hop->col; k < hop->col + hop->nv; k++)
    w->col[k].S = weighed(w, hop, &m->col[k], part);
}
static bool wants_columns(const td_model* m, const model_run* run) {
  return run->dependent || m->sparse;
}

// The parts of all steps of a run as those of each; x: of the strains at each node, with `stride`.
static void put_parts(const td_model* m, const model_run* run, const octet* x, int stride,
                      octet* to) {
  const model_hop* hop = &m->hop[run->hop];
  int list[MAGNUS_PARTS], count = 0;
  for (int p = 0; p < 6 * run->nodes; p++)
    if (run->modes >> p % 6 & 1) list[count++] = p * stride;
  for (int first = 0; first < count; first += LANES)
    for (int c = 0; c < 6; c++) {
      lanes from[LANES] = {{0}}, all[LANES];
      for (int k = first; k < count && k < first + LANES; k++) from[k - first] = x[list[k]].c[c];
      lanes_transpose(from, all);
      for (int l = 0; l < run->n; l++) to[hop[l].parts + first / LANES].c[c] = all[l];
    }
}

// Twists of the steps of a run, one by one.
static void put_twists(const td_model* m, td_work* w, const model_run* run, const octet* steps,
                       const octet* own) {
  spatial dV[LANES], rate[LANES];
  octet_vectors(steps, dV);
  octet_vectors(own, rate);
  for (int l = 0; l < run->n; l++) {
    const int i = run->hop + l, parent = m->hop[i].parent;
    const spatial zero = spatial_zero(), *V = parent < 0 ? &zero : &w->hop[parent].V;
    hop_work* h = &w->hop[i];
    h->V = spatial_add(*V, dV[l]);
    h->c = spatial_add(spatial_cross(V, &dV[l]), rate[l]);
  }
}

// Inertias of the steps of a run in world axes (inertia_move), from those of td_strain_prepare.
static void put_inertias(td_work* w, const model_run* run, const octet_pose* g) {
  const lanes *b = run_inertias(w, run), mass = b[0], *d = g->p, *R = g->R;
  lanes c[3], r[3], RI[9], I[9];
  octet_rotate_each(R, b + 1, r);
  const lanes s = 2 * (d[0] * r[0] + d[1] * r[1] + d[2] * r[2]) +
                  mass * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  for (int i = 0; i < 3; i++) {
    c[i] = mass * d[i] + r[i];
    octet_rotate_each(b + 4, R + 3 * i, RI + 3 * i);  // row i of R I, I symmetric
  }
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      const lanes *x = RI + 3 * i, *y = R + 3 * j;
      I[3 * i + j] = x[0] * y[0] + x[1] * y[1] + x[2] * y[2] - (c[i] * d[j] + d[i] * r[j]);
      if (i == j) I[3 * i + j] += s;
      I[3 * j + i] = I[3 * i + j];
    }
  for (int l = 0; l < run->n; l++) {
    if (!w->hop_heavy[run->hop + l]) continue;
    inertia* to = &w->hop[run->hop + l].I;
    *to = (inertia){mass[l], {c[0][l], c[1][l], c[2][l]}, {{0}}};
    for (int k = 0; k < 9; k++) to->I.m[k] = I[k][l];
  }
}

// Evaluate the kinematics of a bundle of steps (model_run) at the positions and velocities in w:
// frames, twists, velocity-dependent accelerations, inertias and parts of the steps, all in the
// world.
static void place_run(const td_model* m, td_work* w, const model_run* run) {
  magnus_steps steps;
  magnus_motion motion;
  octet_pose g = {{{0}}, {{0}}};

  // motion of all steps at once, each relative to the frame before it
  steps_of(m, w, run, NULL, &steps);
  td_magnus(&steps, &motion);

  // frames, one after the other
  for (int l = 0; l < run->n; l++) {
    const pose one = before(m, w, run->hop + l), step = octet_pose_at(&motion.g, l);
    octet_pose_put(&g, l, &one);
    w->hop[run->hop + l].g = pose_mul(one, step);
  }

  // twists, velocity-dependent accelerations, and inertias, which the frames behind carry
  const octet V = octet_carried_each(&g, &motion.V), own = octet_carried_each(&g, &motion.A);
  const octet_pose behind = octet_pose_mul(&g, &motion.g);
  put_twists(m, w, run, &V, &own);
  put_inertias(w, run, &behind);

  // parts of the steps; where columns are used one by one, the motion subspace of each too
  for (int p = 0; p < 6 * run->nodes; p++)
    if (run->modes >> p % 6 & 1) motion.S[p] = octet_carried_each(&g, &motion.S[p]);
  put_parts(m, run, motion.S, 1, w->part);
  for (int l = 0; wants_columns(m, run) && l < run->n; l++)
    step_subspace(m, w, &m->hop[run->hop + l]);
}

void td_strain_forces(const td_model* m, const td_work* w, const model_hop* hop, const spatial* F,
                      double* out) {
  lanes f[MAGNUS_NODES];
  for (int o = 0; o < step_octets(hop); o++) f[o] = octet_dot(F, &w->part[hop->parts + o]);
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    double sum = 0;
    for (int n = 0; n < hop->nodes; n++) {
      const int p = step_part(hop, n, c->part);
      sum += w->num[c->weight + n] * f[p / LANES][p % LANES];
    }
    out[c->v] += sum;
  }
}

// Sum the parts of the step, each times the acceleration of its strain at its node, Σ_p (Σ_k w_kp
// a_k) S_p.  Zero without further work if all a are.
spatial td_strain_acceleration(const td_model* m, const td_work* w, const model_hop* hop,
                               const double* a) {
  lanes rate[MAGNUS_NODES] = {{0}, {0}, {0}};
  bool any = false;  // of those that are given, none may be a rod's
  for (int k = hop->col; k < hop->col + hop->nv; k++) any = any || a[m->col[k].v] != 0;
  if (!any) return spatial_zero();
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    for (int n = 0; n < hop->nodes; n++) {
      const int p = step_part(hop, n, c->part);
      rate[p / LANES][p % LANES] += w->num[c->weight + n] * a[c->v];
    }
  }
  octet sum = octet_zero();
  for (int o = 0; o < step_octets(hop); o++)
    sum = octet_axpy_each(rate[o], &w->part[hop->parts + o], sum);
  spatial each[LANES], A = spatial_zero();
  octet_vectors(&sum, each);
  for (int l = 0; l < LANES; l++) A = spatial_add(A, each[l]);
  return A;
}

// Wrenches on the parts of all steps of a run first, then on what each coordinate does to them.
void td_run_forces(const td_model* m, const td_work* w, const model_run* run, double* out) {
  const model_hop* hop = &m->hop[run->hop];
  const lanes* weight = td_run_weights(w, run);
  lanes force[MAGNUS_NODES * LANES];  // on each part
  for (int o = 0; o < step_octets(hop); o++) {
    lanes each[LANES] = {{0}};
    for (int l = 0; l < run->n; l++)
      each[l] = octet_dot(&w->hop[run->hop + l].F, &w->part[hop[l].parts + o]);
    lanes_transpose(each, force + LANES * o);
  }
  for (const model_run_dof* f = m->run_dof + run->dof; f < m->run_dof + run->dof + run->ndof; f++) {
    lanes sum = {0};
    for (int n = 0; n < run->nodes; n++) sum += *weight++ * force[step_part(hop, n, f->part)];
    out[f->v] += ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
  }
}

// Acceleration of the frame before step i, by subtraction from that behind it; on the ground it may
// contain gravity or not.
static spatial acceleration_before(const td_model* m, const td_work* w, int i, const double* a) {
  return spatial_sub(spatial_sub(w->hop[i].A, w->hop[i].c),
                     td_strain_acceleration(m, w, &m->hop[i], a));
}

// U and Z of all parts of a run at accelerations a, in the world: Ṡ and S̈ of the file's head,
// eight steps at a time.
static void part_rates(const td_model* m, td_work* w, const model_run* run, const double* a) {
  const octet_pose g = all_before(m, w, run);
  magnus_steps steps;
  jet S[MAGNUS_PARTS];
  octet V = octet_zero(), A = octet_zero();
  steps_of(m, w, run, a, &steps);
  td_magnus_rates(&steps, S);

  // velocities and accelerations before each step
  for (int l = 0; l < run->n; l++) {
    const int i = run->hop + l, parent = m->hop[i].parent;
    const spatial accel = l == 0 ? acceleration_before(m, w, i, a) : w->hop[parent].A;
    if (parent >= 0) octet_put(&V, l, &w->hop[parent].V);
    octet_put(&A, l, &accel);
  }

  // carry the parts to the world, and add the motion of their frames
  for (int p = 0; p < 6 * run->nodes; p++) {
    if (!(run->modes >> p % 6 & 1)) continue;
    octet* s = S[p].d;
    for (int k = 0; k < 3; k++) s[k] = octet_carried_each(&g, &s[k]);
    const octet own = s[1];
    s[1] = octet_cross_add_each(&V, &s[0], own);
    const octet both = octet_add(s[1], own);
    s[2] = octet_cross_add_each(&A, &s[0], octet_cross_add_each(&V, &both, s[2]));
  }
  put_parts(m, run, &S[0].d[1], 3, w->part_U);
  put_parts(m, run, &S[0].d[2], 3, w->part_Z);
}

// Columns are weights times parts; where the weights change along the motion, the product rule.
static void step_columns(const td_model* m, td_work* w, const model_hop* hop) {
  part_vectors s, u, z;
  parts_of(hop, w->part, s);
  parts_of(hop, w->part_U, u);
  parts_of(hop, w->part_Z, z);
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    col_sum* col = sums_of_col(w, k);
    col->U = weighed(w, hop, c, u);
    col->Z = weighed(w, hop, c, z);
    for (int n = 0; hop->dependent && n < hop->nodes; n++) {
      const double* rate = w->num + c->slope + 2 * n;
      const int p = step_part(hop, n, c->part);
      col->U = spatial_axpy(rate[0], s[p], col->U);
      col->Z = spatial_axpy(2 * rate[0], u[p], col->Z);
      col->Z = spatial_axpy(rate[1], s[p], col->Z);
    }
    col->X = spatial_scale(2, col->U);
  }
}

static void run_columns(const td_model* m, td_work* w, const model_run* run, const double* a,
                        bool of_rods) {
  part_rates(m, w, run, a);
  if (!of_rods && !run->dependent) return;
  for (int l = 0; !wants_columns(m, run) && l < run->n; l++)
    step_subspace(m, w, &m->hop[run->hop + l]);
  for (int l = 0; l < run->n; l++) step_columns(m, w, &m->hop[run->hop + l]);
}

void td_strain_curvature(const td_model* m, const td_work* w, const model_run* run,
                         curvature_row* N) {
  const octet_pose g = all_before(m, w, run);
  magnus_steps steps;
  octet all = octet_zero();
  steps_of(m, w, run, NULL, &steps);
  for (int l = 0; l < run->n; l++) {
    const int i = run->hop + l;
    const spatial F = spatial_sub(w->hop[i].F, sums_of_hop(w, i)->E);
    octet_put(&all, l, &F);
  }
  const octet local = octet_wrench_in_each(&g, &all);
  td_magnus_curvature(&steps, &local, N);
}

// Σ_p (S_p · F) d²y_p/dq_k dq_l of strains that are expressions
static void add_hessian(const td_model* m, const td_work* w, const model_hop* hop, const spatial* F,
                        const tree_part* part, double* dq) {
  const model_coords* field = &m->coords[hop->coords];
  if (field->n == 0) return;
  const model_coordinate* c = m->coordinate + field->first;
  const double* H = w->num + hop->hessian;
  lanes f[MAGNUS_NODES];
  for (int o = 0; o < step_octets(hop); o++) f[o] = octet_dot(F, &w->part[hop->parts + o]);
  for (int p = 0; p < step_parts(hop); p++)
    for (int k = 0; k < field->n; k++)
      for (int l = 0; l < field->n; l++)
        dq[part_row(part, c[k].v) * part->n + part_row(part, c[l].v)] +=
            f[p / LANES][p % LANES] * *H++;
}

// Add the derivative of S_kᵀ F along the own coordinates of step i to dq, with F the composite
// wrench behind it: Σ_p,r w_kp w_lr N_pr, N the curvature of the step, and the second derivatives
// of strains that are expressions.
static void own(const td_model* m, const td_work* w, int i, const struct tangent_path* t,
                double* dq) {
  const tree_part* part = t->p.part;
  curvature_row* N = t->curvature;
  const model_hop* hop = &m->hop[i];
  const int lane = i - m->run[hop->run].hop;
  const spatial F = spatial_sub(w->hop[i].F, sums_of_hop(w, i)->E);
  if (hop->dependent) add_hessian(m, w, hop, &F, part, dq);
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    double along[MAGNUS_PARTS] = {0};  // Σ_p weight_p N[p]
    for (int n = 0; n < hop->nodes; n++)
      for (int r = 0; r < 6 * hop->nodes; r++)
        if (hop->modes >> r % 6 & 1)
          along[r] += w->num[c->weight + n] * N[6 * n + c->part][r][lane];
    for (int l = hop->col; l < hop->col + hop->nv; l++) {
      const model_col* e = &m->col[l];
      for (int n = 0; n < hop->nodes; n++)
        dq[part_row(part, e->v) * part->n + part_row(part, c->v)] +=
            w->num[e->weight + n] * along[6 * n + e->part];
    }
  }
}

// ---- changes along a direction ----------------------------------------------------------------
//
// Ω is a function of h ξ alone, so that a step that grows by δh is one whose strains ξ (with e_z)
// change by ξ δh/h:
//
//   ε = Σ_p S_p η_p      η = δy + ξ δh/h,  and so its rates      ∂η_p/∂q_k = δw_kp + w_kp δh/h
//
// for the weights w of the coordinates.  All strains count here, those that never move, too.

// η and its rates at the nodes of the step in a lane.
typedef struct step_change {
  double eta[3][MAGNUS_PARTS];  // value, rate, acceleration; strain d of node n is 6 n + d
  double grown;                 // δh/h
} step_change;

// Change of one step along a direction: relative growth c->grown of its length, and changes c->eta
// of its scaled strains, their rates and accelerations at all nodes.
static void find_change(const td_model* m, const td_work* w, const direction* d, int i,
                        const magnus_steps* steps, step_change* c) {
  const model_hop* hop = &m->hop[i];
  const int lane = i - m->run[hop->run].hop, nodes = hop->nodes;
  const double* value = w->dnum + hop->value;
  memset(c, 0, sizeof *c);
  c->grown = w->dnum[hop->step] / w->num[hop->step];
  for (int k = 0; k < (hop->dependent ? 3 : 1); k++)
    for (int p = 0; p < 6 * nodes; p++) c->eta[k][p] = *value++;

  // strains that are weights times coordinates
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* col = &m->col[k];
    for (int n = 0; n < nodes; n++) {
      const double weight = w->num[col->weight + n], change = w->dnum[col->weight + n];
      const int p = 6 * n + col->part;
      c->eta[2][p] += weight * d->a[col->v] + change * d->accel[col->v];
      if (hop->dependent) continue;  // strains and rates are numbers themselves
      c->eta[0][p] += weight * d->q[col->v] + change * w->q[col->q];
      c->eta[1][p] += weight * d->v[col->v] + change * w->v[col->v];
    }
  }

  // a longer step has larger scaled strains
  for (int k = 0; k < 3; k++)
    for (int p = 0; p < 6 * nodes; p++)
      c->eta[k][p] += c->grown * steps->xi[p / 6].d[k].c[p % 6][lane];
}

// True when nothing that gives the steps of a run their poses changes along d, nor rates and
// accelerations of their strains where `motion`: most parameters of a rod are of its material.
static bool is_still(const td_model* m, const td_work* w, const model_run* run, const direction* d,
                     bool motion) {
  for (int i = run->hop; i < run->hop + run->n; i++) {
    const model_hop* hop = &m->hop[i];
    if (w->dnum[hop->step] != 0) return false;
    for (int p = 0; p < (hop->dependent ? 18 : 6) * hop->nodes; p++)
      if (w->dnum[hop->value + p] != 0) return false;
    for (int k = hop->col; k < hop->col + hop->nv; k++) {
      const model_col* col = &m->col[k];
      if (d->q[col->v] != 0 || (motion && (d->v[col->v] != 0 || d->a[col->v] != 0))) return false;
      for (int n = 0; n < hop->nodes; n++)
        if (w->dnum[col->weight + n] != 0) return false;
    }
  }
  return true;
}

// Strains of a step of which some change is not zero, for the first `rates` of η (1 to 3), as the
// bits of magnus_steps.modes.
static unsigned changing(const step_change* c, int nodes, int rates) {
  unsigned modes = 0;
  for (int k = 0; k < rates; k++)
    for (int p = 0; p < 6 * nodes; p++)
      if (c->eta[k][p] != 0) modes |= 1u << p % 6;
  return modes;
}

// Change of the steps of a run along the direction d: each step's twist with its rate and second
// rate, by the product rule on Σ_p η_p S_p.
static void vary_run(const td_model* m, td_work* w, const model_run* run, const direction* d) {
  const twist_series none = {spatial_zero(), spatial_zero(), spatial_zero()};
  if (is_still(m, w, run, d, true)) {
    for (int l = 0; l < run->n; l++) td_vary_put(m, w, run->hop + l, d, &none);
    return;
  }
  magnus_steps steps;
  jet S[MAGNUS_PARTS];
  step_change c[LANES];
  steps_of(m, w, run, d->accel, &steps);
  steps.modes = 0;
  for (int l = 0; l < run->n; l++) {
    find_change(m, w, d, run->hop + l, &steps, &c[l]);
    steps.modes |= changing(&c[l], run->nodes, 3);
  }
  td_magnus_rates(&steps, S);
  for (int l = 0; l < run->n; l++) {
    twist_series own = none;
    for (int p = 0; p < 6 * run->nodes; p++) {
      if (!(steps.modes >> p % 6 & 1)) continue;
      const double* eta[3] = {&c[l].eta[0][p], &c[l].eta[1][p], &c[l].eta[2][p]};
      const spatial s = octet_vector(&S[p].d[0], l), u = octet_vector(&S[p].d[1], l),
                    z = octet_vector(&S[p].d[2], l);
      own.x = spatial_axpy(*eta[0], s, own.x);
      own.d = spatial_axpy(*eta[0], u, spatial_axpy(*eta[1], s, own.d));
      own.dd = spatial_axpy(*eta[0], z, spatial_axpy(2 * *eta[1], u, own.dd));
      own.dd = spatial_axpy(*eta[2], s, own.dd);
    }
    td_vary_put(m, w, run->hop + l, d, &own);
  }
}

static void vary(const td_model* m, td_work* w, int first, int end, const direction* d) {
  for (int i = first; i < end; i++)
    if (begins_run(m, i)) vary_run(m, w, &m->run[m->hop[i].run], d);
}

// Add the changes F · Ad ∂ε/∂q_k, wrenches F held, to out: with those of the weights and of the
// step's length, and for ε = Σ_p S_p η_p
//
//   ∂ε/∂y_r = Σ_p ∂S_p/∂y_r η_p = Ṡ_r - ε × S_r        Ṡ: the rate of S for strains with the rates
//   η
//
// since the columns of a step are right-invariant, ∂S_r/∂y_p - ∂S_p/∂y_r = S_p × S_r.
static void vary_run_forces(const td_model* m, td_work* w, const model_run* run, const direction* d,
                            double* out) {
  if (is_still(m, w, run, d, false)) return;
  const octet_pose g = all_before(m, w, run);
  magnus_steps steps;
  jet S[MAGNUS_PARTS];
  step_change c[LANES];
  octet all = octet_zero();
  for (int l = 0; l < run->n; l++) octet_put(&all, l, &w->hop[run->hop + l].F);
  const octet F = octet_wrench_in_each(&g, &all);

  // strains that move with the rates η
  steps_of(m, w, run, NULL, &steps);
  unsigned moved = 0;
  for (int l = 0; l < run->n; l++) {
    find_change(m, w, d, run->hop + l, &steps, &c[l]);
    moved |= changing(&c[l], run->nodes, 1);
  }
  steps.modes = moved;
  for (int l = 0; l < run->n; l++) {
    const model_hop* hop = &m->hop[run->hop + l];
    for (int k = hop->col; k < hop->col + hop->nv; k++) steps.modes |= 1u << m->col[k].part;
  }
  for (int p = 0; p < 6 * run->nodes; p++) {
    steps.xi[p / 6].d[1].c[p % 6] = steps.xi[p / 6].d[2].c[p % 6] = (lanes){0};
    for (int l = 0; l < run->n; l++) steps.xi[p / 6].d[1].c[p % 6][l] = c[l].eta[0][p];
  }
  td_magnus_first_rates(&steps, S);

  for (int l = 0; l < run->n; l++) {
    const model_hop* hop = &m->hop[run->hop + l];
    const spatial f = octet_vector(&F, l);
    spatial epsilon = spatial_zero();
    double along[MAGNUS_PARTS], turned[MAGNUS_PARTS];
    for (int p = 0; p < 6 * run->nodes; p++)
      if (moved >> p % 6 & 1)
        epsilon = spatial_axpy(c[l].eta[0][p], octet_vector(&S[p].d[0], l), epsilon);
    for (int r = 0; r < 6 * run->nodes; r++) {
      if (!(steps.modes >> r % 6 & 1)) continue;
      const spatial s = octet_vector(&S[r].d[0], l), u = octet_vector(&S[r].d[1], l),
                    bracket = spatial_cross(&epsilon, &s);
      along[r] = spatial_dot(&s, &f);
      turned[r] = spatial_dot(&u, &f) - spatial_dot(&bracket, &f);
    }
    for (int k = hop->col; k < hop->col + hop->nv; k++) {
      const model_col* col = &m->col[k];
      double sum = 0;
      for (int n = 0; n < hop->nodes; n++) {
        const int r = 6 * n + col->part;
        const double weight = w->num[col->weight + n];
        sum += (w->dnum[col->weight + n] + weight * c[l].grown) * along[r] + weight * turned[r];
      }
      out[col->v] += sum;
    }
  }
}

static void vary_forces(const td_model* m, td_work* w, int first, int end, const direction* d,
                        double* out) {
  for (int i = first; i < end; i++)
    if (begins_run(m, i)) vary_run_forces(m, w, &m->run[m->hop[i].run], d, out);
}

// Transposes of find_change(), vary_run() and vary_run_forces(): with g_r = Σ_k w_kr F̄_k, the
// strain rates of the virtual velocities F̄,
//
//   η̄_p = S_p·ε̄ + Ṡ_p·ε̇̄ + S̈_p·ε̈̄ + F·∂S_p/∂y g      η̇̄_p = S_p·ε̇̄ + 2 Ṡ_p·ε̈̄      η̈̄_p = S_p·ε̈̄
//
// where ∂S_p/∂y g is the rate of S_p along the virtual motion.
static void reverse_step(const td_model* m, const td_work* w, int i, const magnus_steps* steps,
                         double bar[3][MAGNUS_PARTS], double grown, adjoint* b) {
  const model_hop* hop = &m->hop[i];
  const int lane = i - m->run[hop->run].hop, nodes = hop->nodes;
  num value = hop->value;
  for (int k = 0; k < 3; k++)
    for (int p = 0; p < 6 * nodes; p++) grown += bar[k][p] * steps->xi[p / 6].d[k].c[p % 6][lane];
  b->n[hop->step] += grown / w->num[hop->step];
  for (int k = 0; k < (hop->dependent ? 3 : 1); k++)
    for (int p = 0; p < 6 * nodes; p++) b->n[value++] += bar[k][p];
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* col = &m->col[k];
    for (int n = 0; n < nodes; n++) {
      const double weight = w->num[col->weight + n];
      const int p = 6 * n + col->part;
      b->a[col->v] += weight * bar[2][p];
      b->n[col->weight + n] += bar[2][p] * w->along->accel[col->v];
      if (hop->dependent) continue;
      b->q[col->v] += weight * bar[0][p];
      b->v[col->v] += weight * bar[1][p];
      b->n[col->weight + n] += bar[0][p] * w->q[col->q] + bar[1][p] * w->v[col->v];
    }
  }
}

static void reverse_run(const td_model* m, td_work* w, const model_run* run, adjoint* b) {
  const octet_pose g = all_before(m, w, run);
  magnus_steps steps;
  jet S[MAGNUS_PARTS];
  steps_of(m, w, run, w->along->accel, &steps);
  steps.modes = 0x3f;
  td_magnus_rates(&steps, S);

  // virtual strain rates, and the columns with their rates along these on the wrenches behind
  lanes along[MAGNUS_PARTS] = {{0}}, turned[MAGNUS_PARTS] = {{0}};
  magnus_steps moved = steps;
  bool forced = false;
  for (int n = 0; n < run->nodes; n++) moved.xi[n].d[1] = moved.xi[n].d[2] = octet_zero();
  for (int l = 0; l < run->n; l++) {
    const model_hop* hop = &m->hop[run->hop + l];
    for (int k = hop->col; k < hop->col + hop->nv; k++) {
      const model_col* col = &m->col[k];
      forced = forced || b->F[col->v] != 0;
      for (int n = 0; n < hop->nodes; n++)
        moved.xi[n].d[1].c[col->part][l] += w->num[col->weight + n] * b->F[col->v];
    }
  }
  if (forced) {
    octet all = octet_zero();
    jet virtual[MAGNUS_PARTS];
    for (int l = 0; l < run->n; l++) octet_put(&all, l, &w->hop[run->hop + l].F);
    const octet F = octet_wrench_in_each(&g, &all);
    td_magnus_rates(&moved, virtual);
    for (int p = 0; p < 6 * run->nodes; p++) {
      along[p] = octet_dot_each(&S[p].d[0], &F);
      turned[p] = octet_dot_each(&virtual[p].d[1], &F);
    }
  }

  // step by step, the last first
  for (int l = run->n - 1; l >= 0; l--) {
    const model_hop* hop = &m->hop[run->hop + l];
    const twist_series own = td_reverse_take(m, w, run->hop + l, b);
    double bar[3][MAGNUS_PARTS], grown = 0;
    for (int p = 0; p < 6 * run->nodes; p++) {
      const spatial s = octet_vector(&S[p].d[0], l), u = octet_vector(&S[p].d[1], l),
                    z = octet_vector(&S[p].d[2], l);
      bar[0][p] = spatial_dot(&own.x, &s) + spatial_dot(&own.d, &u) + spatial_dot(&own.dd, &z) +
                  turned[p][l];
      bar[1][p] = spatial_dot(&own.d, &s) + 2 * spatial_dot(&own.dd, &u);
      bar[2][p] = spatial_dot(&own.dd, &s);
      grown += moved.xi[p / 6].d[1].c[p % 6][l] * along[p][l];
    }
    for (int k = hop->col; forced && k < hop->col + hop->nv; k++)
      for (int n = 0; n < hop->nodes; n++)
        b->n[m->col[k].weight + n] += along[6 * n + m->col[k].part][l] * b->F[m->col[k].v];
    reverse_step(m, w, run->hop + l, &steps, bar, grown, b);
  }
}

static void reverse(const td_model* m, td_work* w, int first, int end, struct adjoint* b) {
  for (int i = end - 1; i >= first; i--)
    if (begins_run(m, i)) reverse_run(m, w, &m->run[m->hop[i].run], b);
}

// Steps are made run by run, when their first comes.
static void place(const td_model* m, td_work* w, int first, int end) {
  for (int i = first; i < end; i++)
    if (begins_run(m, i)) place_run(m, w, &m->run[m->hop[i].run]);
}

static void columns(const td_model* m, td_work* w, int first, int end, const double* a,
                    bool of_rods) {
  for (int i = first; i < end; i++)
    if (begins_run(m, i)) run_columns(m, w, &m->run[m->hop[i].run], a, of_rods);
}

const hop_ops td_hop_strain = {.place = place,
                               .columns = columns,
                               .own = own,
                               .vary = vary,
                               .vary_forces = vary_forces,
                               .reverse = reverse,
                               .rate = td_plain_rate,
                               .displace = td_plain_displace};
