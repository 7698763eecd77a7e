// td_model_compile: compile the description, then judge its mechanics at the initial state and name
// the elements at fault: single elements (judge_elements.c), then loops that do not close,
// equations without a solution, and models too large for dense matrices.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/judge.h"
#include "engine/sparse_engine.h"
#include "io/cad.h"
#include "math/dense.h"
#include "model/arrays.h"
#include "model/compile.h"
#include "tendril/tools.h"

// ---- equations --------------------------------------------------------------------------------

// Report the loop that is farthest from closed, or a rod that would be crushed.
static void report_open_loop(const trial* t) {
  const td_model* m = t->m;
  int worst = 0;
  double largest = -1;
  td_place(m, &t->w->inner, t->w);

  // the row of a loop with the largest error
  for (int i = 0; i < m->nrow; i++) {
    const row_value v = td_row_at(m, t->w, i);
    double e, ed;
    td_row_target(m, t->w, i, &e, &ed);
    if (!m->row[i].projected || !row_has_frames(m->row[i].kind) || !(fabs(v.e - e) > largest))
      continue;
    largest = fabs(v.e - e);
    worst = i;
  }

  // all rows are closed, but a rod is crushed (closing.c)
  if (largest <= 1e-9) {
    td_error(
        &t->spec->diags, TD_E_MODEL, td_joint_span(t->spec, m->row[worst].joint),
        "the loop of %s would crush a rod to less than half its length, or stretch it to twice",
        model_name(m, m->joint[m->row[worst].joint - 1].name));
    td_more(&t->spec->diags,
            "start nearer to the closed shape (rod.shape, rod.init, dof.init), or use another "
            "rod.model or more of its functions (rod.n)");
    return;
  }

  td_error(&t->spec->diags, TD_E_MODEL, td_joint_span(t->spec, m->row[worst].joint),
           "the loop of %s cannot be closed from the initial values: %s is off by %.3g %s",
           model_name(m, m->joint[m->row[worst].joint - 1].name),
           td_model_constraint_name(m, worst), largest,
           row_is_length(m->row[worst].kind) ? "m" : "rad");
  td_more(&t->spec->diags, "check the lengths and the initial values (dof.init) around this loop");
}

// True for rods whose coordinates are strains.
static bool is_strained(const td_model* m, int rod) {
  return !td_rod_models[m->rod[rod - 1].model].positions;
}

// The angle by which closing the loops has turned a joint with a quaternion, from the initial
// values as they were written, which need not be a unit one; 0 for all other hops.
static double quaternion_turned(const trial* t, const model_hop* hop) {
  const td_model* m = t->m;
  td_coordinate about;
  const bool whole = hop->nq == 4 && !hop->vector;
  if (!(whole || hop->vector) || m->pos[hop->q].rod > 0) return 0;
  if (!td_model_q_about(m, hop->q, &about) || *about.unit || about.prescribed) return 0;

  // the scalar part of a vector part is what makes it a unit quaternion
  double from[4], dot = 0, square = 0, length = 0;
  for (int k = 0; k < hop->nq; k++) from[k] = t->w->num[m->pos[hop->q + k].init];
  for (int k = 1; k < hop->nq && hop->vector; k++) square += from[k] * from[k];
  if (hop->vector) from[0] = sqrt(fmax(1 - square, 0));
  for (int k = 0; k < hop->nq; k++) {
    length += from[k] * from[k];
    dot += from[k] * t->w->q_initial[hop->q + k];
  }
  return length > 0 ? 2 * acos(fmin(fabs(dot) / sqrt(length), 1)) : 0;
}

// Remark which initial values closing the loops has changed: joints one by one, rods by the strain
// that changed most.
static void report_moved(const trial* t) {
  const td_model* m = t->m;
  const arena_mark mark = arena_open(&t->w->scratch);
  int *list = arena_ints(&t->w->scratch, m->npos + 1), n = 0;
  const double extent = td_extent(m, t->w);

  // coordinates that changed by more than the rounding of the model text
  for (int i = 0; m->nrow > 0 && i < m->npos; i++) {
    td_coordinate about;
    td_model_q_about(m, i, &about);
    const double from = t->w->num[m->pos[i].init], change = fabs(t->w->q_initial[i] - from);

    // components of quaternions are not written one by one, and nodes of rods start with their rod
    const bool strain = m->pos[i].rod > 0 && m->pos[i].dof <= 6 && is_strained(m, m->pos[i].rod);
    if (about.prescribed || (m->pos[i].rod > 0 ? !strain : !*about.unit)) continue;
    const double size = strcmp(about.unit, "m") == 0 ? fmin(1, extent) : 1;
    if (change <= 1e-4 * fmax(size, fabs(from))) continue;

    // keep only the largest change of each rod
    int same = n;
    for (int k = 0; k < n && m->pos[i].rod > 0; k++)
      if (m->pos[list[k]].rod == m->pos[i].rod) same = k;
    const double other =
        same < n ? fabs(t->w->q_initial[list[same]] - t->w->num[m->pos[list[same]].init]) : 0;
    if (change > other) list[same] = i;
    n += same == n;
  }

  // the largest change of a joint, or else of a rod, first
  for (int k = 1; k < n; k++) {
    const double first = fabs(t->w->q_initial[list[0]] - t->w->num[m->pos[list[0]].init]),
                 here = fabs(t->w->q_initial[list[k]] - t->w->num[m->pos[list[k]].init]);
    const bool rod0 = m->pos[list[0]].rod > 0, rod = m->pos[list[k]].rod > 0;
    if (rod0 == rod ? !(here > first) : rod) continue;
    const int moved = list[0];
    list[0] = list[k];
    list[k] = moved;
  }

  // one line for each
  for (int k = 0; k < n; k++) {
    td_coordinate about;
    td_model_q_about(m, list[k], &about);
    const double from = t->w->num[m->pos[list[k]].init], to = t->w->q_initial[list[k]];
    const bool rod = m->pos[list[k]].rod > 0;
    const char* name = rod ? model_name(m, m->rod[m->pos[list[k]].rod - 1].name) : about.name;
    if (k == 0) {
      td_remark(&t->spec->diags, td_dof_span(t->spec, &m->pos[list[k]]),
                "closing the loops %s %s%s%s from %.4g to %.4g %s at the start",
                rod ? "deforms" : "moves", name, rod ? ": " : "", rod ? about.name : "", from, to,
                about.unit);
    } else {
      td_more(&t->spec->diags, "and %s%s%s from %.4g to %.4g %s", name, rod ? ": " : "",
              rod ? about.name : "", from, to, about.unit);
    }
  }

  // joints that turn by a quaternion, by the angle that they turned
  for (int i = 0; i < m->nhop && m->nrow > 0; i++) {
    const double angle = quaternion_turned(t, &m->hop[i]);
    if (!(angle > 1e-4)) continue;
    const model_dof* d = &m->pos[m->hop[i].q];
    const char* name = d->joint > 0 ? model_name(m, m->joint[d->joint - 1].name) : "";
    if (n++ == 0)
      td_remark(&t->spec->diags, td_dof_span(t->spec, d),
                "closing the loops turns %s by %.4g rad at the start", name, angle);
    else
      td_more(&t->spec->diags, "and %s by %.4g rad", name, angle);
  }

  // rods whose coordinates are positions, by the distance that their nodes moved
  for (int rod = 1; rod <= m->nrod && m->nrow > 0; rod++) {
    const double far = t->w->rod_moved[rod];
    if (is_strained(m, rod) || !(far > 1e-6 * m->rod[rod - 1].length)) continue;
    const char* name = model_name(m, m->rod[rod - 1].name);
    if (n++ == 0)
      td_remark(&t->spec->diags, td_span_none(),
                "closing the loops deforms %s: its coordinates change by up to %.4g m at the start",
                name, far);
    else
      td_more(&t->spec->diags, "and %s: its coordinates change by up to %.4g m", name, far);
  }

  arena_close(&t->w->scratch, mark);
}

// Remark the distance and angle that joint.fixed keeps because its two ends have them at the start,
// which is not always intended: once for each joint, with the largest of its elements.
static void report_gaps(const trial* t) {
  static const char* const fields[] = {"fixed", NULL};
  const td_model* m = t->m;

  for (int i = 0; i < m->nrow;) {
    const int joint = m->row[i].joint;
    const value* joints = td_get(t->spec->root, 0, "joint");
    // rows of mesh edges belong to no joint of the text
    const bool is_fixed = joints != NULL && joint >= 1 && joint <= td_value_count(joints) &&
                          td_get(joints, joint - 1, "fixed") != NULL;

    // largest distance and angle among the elements of the joint
    double largest = 0, turned = 0, size = 1e-3;
    for (; i < m->nrow && m->row[i].joint == joint;) {
      const int element = m->row[i].element;
      double square = 0;
      for (; i < m->nrow && m->row[i].joint == joint && m->row[i].element == element; i++) {
        const model_row* r = &m->row[i];
        if (!row_is_length(r->kind) && r->reference >= 0 && r->target == TARGET_ZERO && is_fixed) {
          const quat Q = t->w->reference[r->reference];
          const double sine = vec3_norm(Q.v);
          turned = fmax(turned, 2 * atan2(sine, fabs(Q.w)));
        }
        if (!td_row_traits[r->kind].linear || r->target != TARGET_INITIAL) continue;
        square += t->w->row_zero[i] * t->w->row_zero[i];
        const int ends[2] = {r->a, r->b};
        for (int k = 0; k < 2; k++)
          if (ends[k] >= 0) size = fmax(size, vec3_norm(td_frame(m, t->w, ends[k]).p));
      }
      largest = fmax(largest, sqrt(square));
    }

    // the remark, with what would close the gap or align the ends
    const bool apart = largest > 1e-6 * size, askew = turned > 1e-6;
    char gap[80] = "", angle[80] = "";
    if (apart) snprintf(gap, sizeof gap, "the gap of %.4g m", largest);
    if (askew) snprintf(angle, sizeof angle, "the angle of %.4g rad", turned);
    if (!apart && !askew) continue;
    td_remark(&t->spec->diags, td_field_span(t->spec, "joint", joint, fields),
              "joint(%d).fixed keeps %s%s%s that its ends have at the start", joint, gap,
              apart && askew ? " and " : "", angle);
    td_hint(&t->spec->diags, apart ? "joint.type closes it"
                                   : "joint.type aligns them; tr2nd.rot turns the second place");
  }
}

// Source position of the polynomial rod with this number, from 1; those of joints come after the
// rods.
static td_span rom_span(const td_spec* spec, int number) {
  const value *rods = td_get(spec->root, 0, "rod"), *joints = td_get(spec->root, 0, "joint");
  int left = number - (rods ? td_value_count(rods) : 0);
  for (int i = 0; joints && i < td_value_count(joints); i++)
    if (td_get(joints, i, "rom") && --left == 0) return td_get_at(joints, i, "rom");
  return td_span_none();
}

// Report a singular mass matrix where the coordinate, or the rod, that its failure text names was
// written.
static void report_singular(const trial* t) {
  static const char* const rod[] = {"functions", "basis", "order", "n", "points", "length", NULL};
  static const char* const mass[] = {"rho", "inertia", "length", NULL};
  const bool massless = strstr(t->w->failure, "nothing with mass") != NULL;
  td_span at = td_span_none();
  char part[2][160];

  // the last velocity whose name, or whose rod, the text contains
  for (int i = 0; i < t->m->nvel; i++) {
    const model_dof* d = &t->m->vel[i];
    snprintf(part[0], sizeof part[0], " %.140s (", td_model_v_name(t->m, i));
    snprintf(part[1], sizeof part[1], " %.140s (",
             d->rod > 0 ? model_name(t->m, t->m->rod[d->rod - 1].name) : "");
    if (!strstr(t->w->failure, part[0]) && !(d->rod > 0 && strstr(t->w->failure, part[1])))
      continue;
    const bool of_joint = d->rod > 0 && t->m->rod[d->rod - 1].monomial;
    at = d->mesh > 0  ? td_mesh_span(t->spec, d->mesh, "body")
         : of_joint   ? rom_span(t->spec, d->rod)
         : d->rod > 0 ? td_field_span(t->spec, "rod", d->rod, massless ? mass : rod)
                      : td_joint_span(t->spec, d->joint);
  }

  td_error(&t->spec->diags, TD_E_MODEL, at, "%s", t->w->failure);
}

// Warn of contacts that touch at the start, which are pushed apart from nowhere.
static void warn_contacts(const trial* t) {
  static const char* const fields[] = {"first", "second", NULL};
  for (int i = 0; i < t->m->ncontact; i++) {
    const double depth = td_contact_depth(t->m, t->w, i);
    if (depth > 1e-9)
      td_warn(&t->spec->diags, td_field_span(t->spec, "contact", i + 1, fields),
              "%s: touches at the start already, %.3g m deep",
              model_name(t->m, t->m->contact[i].name), depth);
  }
}

// Warn of positions that are interpolated linearly in a table: their speed jumps at every knot.
static void warn_tables(const trial* t) {
  const td_model* m = t->m;

  for (int i = 0; i < m->nvel + m->nrow; i++) {
    const num at = i < m->nvel ? m->vel[i].motion : m->row[i - m->nvel].motion;
    const bool cable = i >= m->nvel && !row_has_frames(m->row[i - m->nvel].kind);
    int n = 0, knots = 0;
    ex* need = at == NUM_NONE || cable ? NULL : td_ex_needed(m->graph, &m->number_ex[at], 1, &n);

    // knots of the largest linear table in the expression
    for (int k = 0; need && k < n; k++) {
      const int table = td_ex_table_of(m->graph, need[k]);
      const td_ex_pieces p = table < 0 ? (td_ex_pieces){0} : td_exprs_table(m->graph, table);
      if (p.order == 2 && p.n > knots) knots = p.n;
    }
    free(need);
    if (knots < 4) continue;
    static const char* const fields[] = {"motion", NULL};
    td_warn(
        &t->spec->diags,
        i < m->nvel ? td_dof_span(t->spec, &m->vel[i])
                    : td_field_span(t->spec, "joint", m->row[i - m->nvel].joint, fields),
        "the positions of %s are interpolated linearly in a table of %d points: its speed jumps "
        "at each of them, and each jump is an impulse",
        i < m->nvel ? td_model_v_name(m, i) : td_model_constraint_name(m, i - m->nvel), knots);
    td_more(&t->spec->diags, "interp1(x, y, t, 'spline') or 'pchip' moves smoothly");
    return;
  }
}

// Report a motion that cannot be followed at the first prescribed motion or joint.control, or else
// at the first time-dependent strain; the failure text of the work names the loop.
static void report_unfollowed(const trial* t, const char* why) {
  static const char *const motion[] = {"motion", NULL}, *const control[] = {"control", NULL},
                           *const strain[] = {"strain", "part", NULL},
                           *const loop[] = {"type", "fixed", NULL};
  const td_model* m = t->m;
  const bool controlled = strstr(why, "joint.control") != NULL;
  td_span at = {0};
  for (int i = m->nhop - 1; i >= 0 && m->strains_timed; i--)
    if (is_step(&m->hop[i]) && m->hop[i].dependent)
      at = td_field_span(t->spec, "rod", m->coords[m->hop[i].coords].rod, strain);
  for (int i = m->nrow - 1; i >= 0; i--)
    if (m->row[i].target == (controlled ? TARGET_CONTROL : TARGET_MOTION))
      at = td_field_span(t->spec, "joint", m->row[i].joint, controlled ? control : motion);
  for (int i = m->nvel - 1; i >= 0 && !controlled; i--)
    if (m->vel[i].motion != NUM_NONE) at = td_dof_span(t->spec, &m->vel[i]);

  // rates that cannot go on belong to the loop itself
  for (int i = 0; i < m->nrow && strstr(why, "singular position"); i++) {
    char start[100];
    const int joint = m->row[i].joint;
    if (joint == 0) continue;
    snprintf(start, sizeof start, "the loop of %s starts", model_name(m, m->joint[joint - 1].name));
    if (strstr(why, start)) at = td_field_span(t->spec, "joint", joint, loop);
  }

  td_error(&t->spec->diags, TD_E_MODEL, at, "%s", why);
}

// Judge the compiled model: initial state, numbers, geometry, equations of motion.
static td_status judge(const trial* t) {
  td_status status = td_state_initial(t->m, t->w, t->state);
  char why[400];
  snprintf(why, sizeof why, "%s", td_work_failure(t->w));
  td_enter(t->m, t->state, t->w);
  TD_TRY(td_judge_numbers(t));

  // faults of the initial state
  if (status == TD_E_DIVERGED) report_open_loop(t);
  if (status == TD_E_SINGULAR) report_singular(t);
  if (status == TD_E_MODEL) report_unfollowed(t, why);
  if (status != TD_OK) return status;

  // remarks, warnings and geometry
  report_moved(t);
  report_gaps(t);
  TD_TRY(td_judge_geometry(t));
  warn_contacts(t);
  warn_tables(t);

  // the equations of motion have a finite solution
  if (t->m->nvel == 0) return TD_OK;
  status = td_trial_dynamics(t->m, t->state, t->w);
  if (status == TD_E_SINGULAR) report_singular(t);
  for (int i = 0; i < t->m->nvel && status == TD_OK; i++)
    if (!isfinite(t->w->vdot[i]))
      status = td_error(&t->spec->diags, TD_E_MODEL, td_dof_span(t->spec, &t->m->vel[i]),
                        "the acceleration of %s is not finite at the start (t = %g s)",
                        td_model_v_name(t->m, i), t->state->t);
  return status;
}

// Refuse models whose dense matrices would be too large.
static td_status judge_size(td_spec* spec, const td_model* m) {
  if (m->sparse && m->task_static && m->nvel > SPARSE_DENSE_LIMIT) {
    td_error(&spec->diags, TD_E_MODEL, td_get_at(td_get(spec->root, 0, "task"), 0, "feedforward"),
             "task(1).feedforward = 'static' finds equilibria by dense matrices, of at most %d "
             "velocities: the model has %d",
             SPARSE_DENSE_LIMIT, m->nvel);
    td_more(&spec->diags, "'dynamic' has no such limit");
    return TD_E_MODEL;
  }

  // order of the largest dense matrix
  int largest = m->sparse ? 0 : m->nvel + m->nrow;
  for (int b = 0; m->sparse && b < m->nblock_at - 1; b++)
    largest = max_int(largest, m->block_at[b + 1] - m->block_at[b]);
  if (largest <= spec->limits.dense) return TD_OK;
  td_error(&spec->diags, TD_E_MODEL, td_span_none(),
           "the whole model has %d degrees of freedom and constraint rows, which need a dense "
           "matrix: it may have %d",
           largest, spec->limits.dense);
  td_more(&spec->diags, "networks of small trees may be larger");
  return TD_E_MODEL;
}

// Refuse simulations whose outputs would not fit into memory: t, q, v, sensors, energies and inputs
// at every output time.  The message points to the more unusual of t_final and dt_out.
static td_status judge_outputs(td_spec* spec, const td_model* m) {
  const double length = m->settings[1] - m->settings[0], rows = length / m->settings[2];
  const double numbers =
      5.0 + m->npos + m->nvel + m->noutput_name + model_drives(m) + min_int(model_memory(m), 1000);
  if (rows * numbers < TD_MOST_OUTPUTS) return TD_OK;
  const value* par = td_get(spec->root, 0, "par");
  const bool long_run = par && td_get(par, 0, "t_final") && length > 1e4;
  const char* field = long_run || !(par && td_get(par, 0, "dt_out")) ? "t_final" : "dt_out";
  td_error(
      &spec->diags, TD_E_MODEL, par ? td_get_at(par, 0, field) : td_span_none(),
      "par.%s: %g s of simulation with an output every %g s are %.3g numbers to keep, they may "
      "be %.0g: choose a shorter par.t_final or a longer par.dt_out",
      field, length, m->settings[2], rows * numbers, TD_MOST_OUTPUTS);
  return TD_E_MODEL;
}

// Measure the robot, and choose the absolute tolerance where none is written: the usual one is for
// robots from a millimetre on, 1e-6 of their size is for smaller ones.  Below a tenth of a
// micrometre the places of its bodies at the start tell no size: particles may lie there by
// chance.  The work holds the initial state.
static void measure(const td_spec* spec, const td_work* w, td_model* m) {
  const value* par = td_get(spec->root, 0, "par");
  const double size = td_robot_size(m, w), usual_from = 1e-3, least = 1e-7;
  m->size = size >= least ? size : 0;
  if ((par && td_get(par, 0, "atol")) || m->size == 0 || m->size >= usual_from) return;
  m->settings[4] *= m->size / usual_from;
}

// FNV-1a hash of n bytes.
static unsigned long long mix(unsigned long long hash, const void* data, size_t n) {
  for (size_t i = 0; i < n; i++) hash = (hash ^ ((const unsigned char*)data)[i]) * 1099511628211ULL;
  return hash;
}

// Hash of what the numbers of a state mean: kinds and order of joints and rods, names of
// coordinates and inputs, how many elements of each kind act.  Values of the elements do not count.
static unsigned long long identity_of(const td_model* m) {
  unsigned long long hash = 14695981039346656037ULL;
  const int counts[] = {m->npos, m->nvel,   m->ninput,   m->nbody, m->njoint, m->nspring, m->nrow,
                        m->nrod, m->ncable, m->ncontact, m->nwet,  m->ntask,  m->nloop};
  hash = mix(hash, counts, sizeof counts);

  // kinds of hops and how they are connected
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* h = &m->hop[i];
    const int kind[] = {(int)h->kind, h->parent, h->nv,        h->turns,
                        h->moves,     h->vector, h->prescribed};
    hash = mix(hash, kind, sizeof kind);
  }
#define X(type, kind, text) hash = mix(hash, &m->n##kind, sizeof m->n##kind);
  TD_FORCES(X)
#undef X

  // names of internal states, coordinates and inputs
  for (int i = 0; i < m->ninternal; i++) {
    const char* name = td_model_internal_name(m, i);
    hash = mix(hash, name, strlen(name) + 1);
  }

  for (int i = 0; i < m->npos + m->nvel + m->ninput; i++) {
    const char* name = i < m->npos             ? td_model_q_name(m, i)
                       : i < m->npos + m->nvel ? td_model_v_name(m, i - m->npos)
                                               : td_model_input_name(m, i - m->npos - m->nvel);
    hash = mix(hash, name, strlen(name) + 1);
  }

  return hash;
}

// Compile a description, plan its matrices, and judge it at its initial state.
td_status td_model_compile(td_spec* spec, td_model** model) {
  if (!spec || !model) return TD_E_USAGE;
  *model = NULL;
  if (!td_blas_room())
    return td_error(
        &spec->diags, TD_E_NOMEM, td_span_none(),
        "out of memory: the linear algebra needs 136 MB of address space at once, and a "
        "limit of the process leaves less (ulimit -v or -d)");
  spec->read_wires = td_read_meshes;

  // the model, and the plan of its matrices
  TD_TRY(td_compile(spec, model));
  td_status planned = td_sparse_plan(*model);
  if (planned == TD_OK) planned = td_arrow_plan(*model);
  if (planned == TD_OK) planned = td_wrench_plan(*model);
  if (planned == TD_OK) planned = judge_size(spec, *model);
  if (planned == TD_OK) planned = judge_outputs(spec, *model);

  if (planned != TD_OK) {
    td_model_free(*model);
    *model = NULL;
    return planned;
  }

  // evaluate it at its initial state
  td_trim(*model);
  (*model)->identity = identity_of(*model);
  const trial t = {spec, *model, td_work_new(*model), td_state_new(*model)};
  td_status status = t.w && t.state ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK && !spec->refine.on) status = judge(&t);  // the written one has been judged
  if (status == TD_OK && !spec->refine.on) measure(spec, t.w, *model);
  if (status != TD_OK && status != TD_E_NOMEM) status = TD_E_MODEL;
  td_state_free(t.state);
  td_work_free(t.w);

  if (status != TD_OK) {
    td_model_free(*model);
    *model = NULL;
  }

  return status;
}
