// The derivation of the equations of motion from start to end (derive.h): check that the model has
// closed forms, choose the symbols, then tree, probes, masses, forces, rows, energy and sensors.
#include "gen/derive.h"

#include <stdio.h>
#include <string.h>

#include "gen/deriver.h"

#define WAY_OUT "; `export c` writes code of the whole model, `linearize` its matrices at a state"

// ---- which parameters are symbols --------------------------------------------------------------

// Name an element with numbers measured at the initial configuration (rest values, beam axes,
// references of kinematic loops), NULL if there is none.  How such numbers follow from a length is
// no formula here, so lengths cannot be symbols beside them.
static const char* measured_element(const td_model* m) {
  const int n = model_forces(m);
  for (int i = 0; i < n; i++) {
    const force_info f = force_at(m, i);
    if (td_derive_table[f.kind]->is_measured(m, f.i)) return model_name(m, f.name);
  }
  for (int i = 0; i < m->nprobe; i++) {
    const model_probe* p = &m->probe[i];
    if (sensor_is(p->kind, OF_START) && p->rod == 0)
      return model_name(m, m->joint[p->joint - 1].name);
  }
  return m->nrow > 0 ? model_name(m, m->row[0].name) : NULL;
}

// Report whether parameter i may stay a symbol; the message tells why not.
static td_status check_symbol(deriver* d, int i) {
  const model_named* p = &d->m->param[i];
  const char* name = model_name(d->m, p->name);
  if (p->structural) {
    return td_derive_refuse(d, TD_E_USAGE,
                            "param '%s' cannot be a symbol: it is used while the model is loaded, "
                            "so changing it means deriving again",
                            name);
  }
  const char* measured = p->shapes ? measured_element(d->m) : NULL;
  if (!measured) return TD_OK;
  return td_derive_refuse(d, TD_E_USAGE,
                          "param '%s' cannot be a symbol: numbers of %s are measured at the "
                          "initial state, which depends on it",
                          name, measured);
}

// Select the parameters that stay symbols: those that the options name, or with `all_symbolic`
// every parameter that can be one.  The others become constants.
static td_status choose_symbols(deriver* d, const td_derive_options* o) {
  const td_model* m = d->m;
  td_derived* out = d->out;

  // every name must be a parameter
  for (int i = 0; i < o->nsymbolic; i++) {
    if (td_model_param_find(m, o->symbolic[i]) < 0)
      return td_derive_refuse(d, TD_E_USAGE, "the model has no param '%s'", o->symbolic[i]);
  }

  for (int i = 0; i < m->nparam; i++) {
    bool named = false;
    for (int k = 0; k < o->nsymbolic; k++)
      named = named || strcmp(o->symbolic[k], model_name(m, m->param[i].name)) == 0;

    // a parameter that was named and cannot be a symbol is an error, else it becomes a constant
    bool symbol = named || o->all_symbolic;
    if (symbol) {
      const td_status status = check_symbol(d, i);
      if (status != TD_OK && named) return status;
      symbol = status == TD_OK;
    }

    if (symbol) {
      out->p[out->np] = td_derive_safe(d, m->param[i].var);
      out->param[out->np++] = i;
    } else {
      td_derive_replace(d, m->param[i].var, xnum(d->g, d->w->vars[m->param[i].var]));
    }
  }
  d->message[0] = '\0';
  return TD_OK;
}

// ---- what can be derived ----------------------------------------------------------------------

// Arrays of the model, beside forces, that the derivation reads or that no equation needs.
static const char* const known_arrays[] = {
    "fix", "hop", "col", "pos", "vel", "station", "body", "constant", "row", "probe", "param",
    "input", "bound", "event", "joint", "rod", "lump", "node", "output_name", "output_ex",
    "output_accuracy", "spectral", "number", "number_ex", "param_slot", "motion_slot", "live_slot",
    "live_probe", "live_input", "output_probe", "output_input", "free_v", "free_q", "sample",
    "ball", "piece", "mesh", "measure", "run", "run_dof", "names", "coordinate", "strain_slot",
    // how the engine solves: the equations are the same
    "arrow_x_at", "arrow_x", "arrow_row_at", "arrow_row", "tree", "block_of_hop", "v_block",
    "v_local", "index_v", "block_tree_at", "block_tree", "block_force_at", "block_force",
    "block_element_at", "block_element", "block_at", "block_ptr", "block_row", "block_offset",
    "block_base", "mass_base", "force_live_at", "force_live", "force_block_at", "force_block",
    "row_live_at", "row_live", "row_block_at", "row_block", "row_base"};

// Report whether the derivation accounts for an array of the model.
static bool is_known_array(const char* name) {
#define X(type, kind, text) \
  if (strcmp(#kind, name) == 0) return true;
  TD_FORCES(X)
#undef X
  for (size_t i = 0; i < sizeof known_arrays / sizeof *known_arrays; i++) {
    if (strcmp(known_arrays[i], name) == 0) return true;
  }
  return false;
}

// List one element of each kind without a closed form, as users write it; returns how many kinds
// the model has.
static int list_without_closed_form(const td_model* m, char* list, int size) {
  const struct {
    const char* name;
    int n;
  } written[] = {{"cable(1)", m->ncable}, {"contact(1)", m->ncontact}, {"fluid", m->nwet}};
  int n = 0, used = 0;
  list[0] = '\0';
  for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
    if (written[i].n == 0) continue;
    used +=
        snprintf(list + used, (size_t)(size - used), "%s%s", n > 0 ? ", " : "", written[i].name);
    n++;
  }
  return n;
}

// Name the rod that an integrated rod step belongs to: the rod of a station among the steps that
// follow one another with it.
static const char* rod_of_step(const td_model* m, const model_hop* hop) {
  const model_run* run = &m->run[hop->run];
  for (int i = 0; i < m->nstation; i++) {
    const model_station* s = &m->station[i];
    if (s->rod > 0 && s->hop >= run->hop && s->hop < run->hop + run->n)
      return model_name(m, m->rod[s->rod - 1].name);
  }
  return "of the model";
}

// Refuse models with an element that has no closed form.  An array that a new element added to the
// model without a formula here is refused as well, so that nothing is left out in silence.
static td_status check_closed_forms(deriver* d) {
  const td_model* m = d->m;
  char list[80];
  const int nlist = list_without_closed_form(m, list, sizeof list);

  if (m->ninternal > 0)
    return td_derive_refuse(
        d, TD_E_MODEL,
        "the rates of internal states (here '%s') have no closed form here yet" WAY_OUT,
        td_model_internal_name(m, 0));

  // rods whose strains are integrated along them
  for (int i = 0; i < m->nhop; i++) {
    if (is_step(&m->hop[i])) {
      const char* rod = rod_of_step(m, &m->hop[i]);
      return td_derive_refuse(d, TD_E_MODEL,
                              "%s%s has no closed form here: strains of the model 'gvs' are "
                              "integrated along it; models 'rom', 'eba', 'ebr' and 'srl' have "
                              "one%s%s%s" WAY_OUT,
                              strchr(rod, '(') ? "" : "the rod ", rod,
                              nlist > 0 ? ", but not " : "", list,
                              nlist > 0 ? " of this model" : "");
    }
  }

  // single forces and constraint rows
  const int n = model_forces(m);
  for (int i = 0; i < n; i++) {
    const force_info f = force_at(m, i);
    if (!td_derive_table[f.kind]->has_closed_form(m, f.i))
      return td_derive_refuse(d, TD_E_MODEL, "%s has no closed form here" WAY_OUT,
                              model_name(m, f.name));
  }
  for (int i = 0; i < m->nrow; i++) {
    if (!row_has_frames(m->row[i].kind)) {
      return td_derive_refuse(d, TD_E_MODEL, "%s has no closed form here" WAY_OUT,
                              model_name(m, m->row[i].name));
    }
  }

  // whole arrays of the model
  if (nlist > 0)
    return td_derive_refuse(d, TD_E_MODEL, "%s %s no closed form here" WAY_OUT, list,
                            nlist > 1 ? "have" : "has");
#define X(type, name, text)                                                                    \
  if (m->n##name > 0 && !is_known_array(#name)) {                                              \
    return td_derive_refuse(d, TD_E_MODEL,                                                     \
                            "the model has %s, which have no closed form here" WAY_OUT, text); \
  }
  TD_MODEL_ARRAYS(X)
#undef X
  return TD_OK;
}

// ---- memory -----------------------------------------------------------------------------------

// Allocate n + 1 zeroed elements, so that an empty array is not NULL.
static void* array(size_t n, size_t size) { return calloc(n + 1, size); }

// Allocate the result for a model, its expressions not set yet, with a copy of the model's graph.
static td_derived* derived_new(const td_model* m) {
  td_derived* out = calloc(1, sizeof *out);
  if (!out) return NULL;
  out->nq = m->npos;
  out->nv = m->nvel;
  out->nu = m->ninput;
  out->nrow = m->nrow;
  out->ny = m->noutput_ex;
  out->ntarget = 2 * m->ntarget;

  // one array for each list of variables or expressions
  const size_t nq = (size_t)out->nq, nv = (size_t)out->nv, nr = (size_t)out->nrow;
  const struct {
    int** at;  // variables and handles of expressions are both ints
    size_t n;
  } parts[] = {{&out->q, nq},
               {&out->v, nv},
               {&out->u, (size_t)out->nu},
               {&out->p, (size_t)m->nparam},
               {&out->param, (size_t)m->nparam},
               {&out->a, nv},
               {&out->lambda, nr},
               {&out->target, (size_t)out->ntarget},
               {&out->h, nv},
               {&out->tau, nv},
               {&out->J, nr * nv},
               {&out->gamma, nr},
               {&out->e, nr},
               {&out->edot, nr},
               {&out->qdot, nq},
               {&out->motion, 3 * nv},
               {&out->y, (size_t)out->ny}};
  bool ok = true;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    *parts[i].at = array(parts[i].n, sizeof(int));
    ok = ok && *parts[i].at;
  }

  // the derivation extends a copy of the model's graph
  out->g = td_exprs_copy(m->graph);
  if (ok && out->g) return out;
  td_derived_free(out);
  return NULL;
}

// Release a derivation.
void td_derived_free(td_derived* d) {
  if (!d) return;
  for (int i = 0; i < d->nmass; i++) {
    free(d->mass[i].v);
    free(d->mass[i].T);
  }
  for (int i = 0; i < d->nforce; i++) {
    free(d->force[i].v);
    free(d->force[i].passive);
    free(d->force[i].active);
  }
  td_derived_close_quadratures(d);

  // arrays of the derivation itself
  void* parts[] = {d->q,      d->v,      d->u,   d->p,    d->param, d->a,    d->lambda,
                   d->target, d->h,      d->tau, d->J,    d->e,     d->edot, d->gamma,
                   d->qdot,   d->motion, d->y,   d->mass, d->force};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
  free(d->row_size);
  td_exprs_free(d->g);
  free(d);
}

int td_derived_size(const td_derived* d) { return d ? td_exprs_count(d->g) : 0; }

// Allocate what the derivation needs and evaluate the numbers of the initial configuration.  False:
// no memory; deriver_close() releases what is there.
static bool deriver_open(deriver* d, const td_model* m) {
  d->m = m;
  d->out = derived_new(m);
  d->w = td_work_new(m);
  if (!d->out || !d->w) return false;
  d->g = d->out->g;

  // scratch, one element for each hop, expression, variable or force
  d->qdot = d->out->qdot;
  d->nmemo = td_exprs_count(d->g);
  d->hop = array((size_t)m->nhop, sizeof *d->hop);
  d->memo = array((size_t)d->nmemo, sizeof *d->memo);
  d->old_var = array((size_t)(m->nparam + m->nprobe + m->ninput), sizeof *d->old_var);
  d->new_ex = array((size_t)(m->nparam + m->nprobe + m->ninput), sizeof *d->new_ex);
  d->hop_quadrature = array((size_t)m->nhop, sizeof *d->hop_quadrature);
  d->force_quadrature = array((size_t)model_forces(m), sizeof *d->force_quadrature);
  if (!d->hop || !d->memo || !d->old_var || !d->new_ex || !d->hop_quadrature ||
      !d->force_quadrature) {
    return false;
  }

  // nothing is known yet; evaluate the numbers of the initial configuration
  for (int i = 0; i < d->nmemo; i++) d->memo[i] = EX_NONE;
  td_prepare(m, d->w);
  return td_load_open(d, &d->passive) && td_load_open(d, &d->active) && td_load_open(d, &d->row);
}

// Release what only the derivation itself needs.
static void deriver_close(deriver* d) {
  for (int i = 0; d->hop && i < d->m->nhop; i++) free(d->hop[i].col);
  free(d->hop);
  free(d->memo);
  free(d->old_var);
  free(d->generic);
  free(d->hop_quadrature);
  free(d->force_quadrature);
  free(d->new_ex);
  td_load_close(&d->passive);
  td_load_close(&d->active);
  td_load_close(&d->row);
  td_work_free(d->w);
}

// ---- variables and coordinates ----------------------------------------------------------------

// Make the variables stem1 ... stemn.  False: no memory.
static bool variables(td_exprs* g, const char* stem, td_depends kind, int n, int* out) {
  for (int i = 0; i < n; i++) {
    char name[32];
    snprintf(name, sizeof name, "%s%d", stem, i + 1);
    out[i] = td_exprs_var(g, name, kind);
    if (out[i] < 0) return false;
  }
  return true;
}

// Set q' = N v.  Most coordinates have a velocity as their rate; a unit quaternion Q has
// Q' = Q ∘ [0, v]/2, and a quaternion [w, s] about one fixed axis has [w, s]' = [-s, w] v/2.
static void coordinate_rates(deriver* d) {
  td_derived* out = d->out;
  td_exprs* g = d->g;
  ex* qdot = out->qdot;
  for (int i = 0; i < out->nq; i++) qdot[i] = xnum(g, 0);

  // coordinates whose rate is a velocity
  for (int i = 0; i < out->nv; i++) {
    const int partner = d->m->vel[i].partner;
    if (partner >= 0) qdot[partner] = td_ex_var(g, out->v[i]);
  }

  for (int i = 0; i < d->m->nhop; i++) {
    const model_hop* hop = &d->m->hop[i];
    if (!has_quaternion(hop)) continue;
    const int q = hop->q;

    // quaternion about one axis
    if (hop->nv == 1) {
      const ex half = xscale(g, 0.5, td_ex_var(g, out->v[hop->v]));
      qdot[q] = xneg(g, xmul(g, td_ex_var(g, out->q[q + 1]), half));
      qdot[q + 1] = xmul(g, td_ex_var(g, out->q[q]), half);
      continue;
    }

    // quaternion of any rotation
    x3 Q, half;
    const ex w = td_ex_var(g, out->q[q]);
    for (int k = 0; k < 3; k++) {
      Q.a[k] = td_ex_var(g, out->q[q + 1 + k]);
      half.a[k] = xscale(g, 0.5, td_ex_var(g, out->v[hop->v + k]));
    }
    const x3 rate = x3_add(g, x3_scale(g, w, half), x3_cross(g, Q, half));
    qdot[q] = xneg(g, x3_dot(g, Q, half));
    for (int k = 0; k < 3; k++) qdot[q + 1 + k] = rate.a[k];
  }
}

// ---- all --------------------------------------------------------------------------------------

// Compute sizes and rank of the constraint rows at the initial state, with which printed code tells
// dependent rows from independent ones.
static td_status row_sizes(deriver* d) {
  const td_model* m = d->m;
  td_derived* out = d->out;
  out->row_size = array((size_t)m->nrow, sizeof *out->row_size);
  if (!out->row_size) return TD_E_NOMEM;
  for (int i = 0; i < m->nrow; i++) out->row_size[i] = 1;
  out->rank = m->nrow;
  if (m->nrow == 0 || m->sparse) return TD_OK;

  // at the initial state, if there is one
  double* col = array((size_t)m->nvel, sizeof *col);
  td_state* state = td_state_new(m);
  const bool room = col && state;
  if (room && td_state_initial(m, d->w, state) == TD_OK) {
    td_constraint_scales(m, state, d->w, out->row_size, col);
    out->rank = td_constraint_rank_around(m, state, d->w, NULL);
  }
  td_state_free(state);
  free(col);
  return room ? TD_OK : TD_E_NOMEM;
}

// Derive everything, each stage from those before it.
static td_status derive(deriver* d, const td_derive_options* options) {
  const td_model* m = d->m;
  td_derived* out = d->out;
  td_exprs* g = d->g;
  TD_TRY(check_closed_forms(d));

  // variables: time, inputs, coordinates, velocities, accelerations, multipliers, control targets
  out->t = m->time_var;
  for (int i = 0; i < out->nu; i++) out->u[i] = td_derive_safe(d, m->input[i].var);
  if (!variables(g, "q", TD_ON_STATE, out->nq, out->q) ||
      !variables(g, "v", TD_ON_RATE, out->nv, out->v) ||
      !variables(g, "a", TD_ON_ACCEL, out->nv, out->a) ||
      !variables(g, "lambda", TD_ON_ACCEL, out->nrow, out->lambda) ||
      !variables(g, "target", TD_ON_INPUT, out->ntarget, out->target))
    return TD_E_NOMEM;
  d->elements = options->elements;
  d->energetic = options->power || td_derive_asks_energy(m);
  TD_TRY(choose_symbols(d, options));

  // kinematics
  coordinate_rates(d);
  TD_TRY(td_derive_forms(d));
  if (options->loops) TD_TRY(td_derive_quadratures(d));
  TD_TRY(td_derive_tree(d));
  TD_TRY(td_derive_probes(d));
  for (int i = 0; i < out->nv; i++)
    for (int k = 0; k < 3; k++) {
      const num motion = m->vel[i].motion;
      out->motion[3 * i + k] = motion == NUM_NONE ? EX_NONE : td_derive_number(d, motion + k);
    }

  // dynamics
  TD_TRY(td_derive_masses(d));
  TD_TRY(td_derive_forces(d));
  TD_TRY(td_derive_rows(d));
  TD_TRY(row_sizes(d));
  TD_TRY(td_derive_energy(d, options->power));
  return td_derive_sensors(d);
}

void td_derive_options_fill(td_derive_options* options, size_t size) {
  const td_derive_options own = {.size = size};
  struct_into(options, size, &own, sizeof own);
}

// Check the options and derive; on failure `message` tells why.
td_status td_derive(const td_model* m, const td_derive_options* given, td_derived** derived,
                    char* message, size_t size) {
  if (!m || !derived || (!message && size > 0)) return TD_E_USAGE;

  // take the options and check that every symbol has a name
  char unused[1];
  deriver d = {.message = size > 0 ? message : unused, .size = size};
  d.message[0] = '\0';
  *derived = NULL;
  td_derive_options own = td_derive_options_default();
  const td_derive_options* options = &own;
  if (td_options_take(given, &own, sizeof own) != TD_OK) {
    snprintf(d.message, size, "%s", td_options_refused);
    return TD_E_USAGE;
  }
  bool named = options->nsymbolic >= 0 && (options->nsymbolic == 0 || options->symbolic);
  for (int i = 0; named && i < options->nsymbolic; i++) named = options->symbolic[i] != NULL;
  if (!named) {
    snprintf(d.message, size, "the names of symbolic parameters are missing");
    return TD_E_USAGE;
  }

  // derive; the caller owns the result
  td_status status = deriver_open(&d, m) ? derive(&d, options) : TD_E_NOMEM;
  if (status == TD_OK && td_exprs_failed(d.g)) status = TD_E_NOMEM;
  if (status == TD_OK) {
    *derived = d.out;
    d.out->model = m;
  } else {
    td_derived_free(d.out);
  }
  deriver_close(&d);
  return status;
}
