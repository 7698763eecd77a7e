// Expressions of the compiled model: which slot is filled by which tape, and the partial
// derivatives that the exact tangents need.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/order.h"
#include "model/build.h"
#include "model/force_words.h"
#include "model/meshes.h"

// ---- slots and tapes --------------------------------------------------------------------------

// Assign each number of the model to the tape that computes it: constants are evaluated here,
// prescribed motions have a tape of their own, then numbers that depend on parameters only, then
// all others ("live").  Strain slots were assigned before.  Fills `motion` and `strain` (one flag
// for each number).
static td_status sort_slots(builder* b, bool* motion, bool* strain) {
  td_model* m = b->m;

  // mark the slots of strains and of prescribed motions (value, rate, acceleration)
  for (int i = 0; i < m->nstrain_slot; i++) strain[m->strain_slot[i]] = true;
  for (int i = 0; i < m->nstrain_rate_slot; i++) strain[m->strain_rate_slot[i]] = true;
  for (int i = 0; i < m->nvel; i++)
    for (int k = 0; m->vel[i].motion != NUM_NONE && k < 3; k++) motion[m->vel[i].motion + k] = true;
  for (int i = 0; i < m->nrow; i++)
    for (int k = 0; m->row[i].motion != NUM_NONE && k < 3; k++) motion[m->row[i].motion + k] = true;

  // distribute all others by what they depend on
  for (int i = 0; i < m->nnumber_ex; i++) {
    if (strain[i]) continue;
    const ex e = m->number_ex[i];
    const unsigned on = td_ex_depends(m->graph, e);
    if (on == TD_ON_NOTHING) {
      m->number[i] = td_ex_value(m->graph, e);
      m->constant[i] = true;
      if (!motion[i]) continue;
    }
    num* slot = motion[i]                            ? td_push_motion_slot(m, 1)
                : (on & ~(unsigned)TD_ON_PARAM) == 0 ? td_push_param_slot(m, 1)
                                                     : td_push_live_slot(m, 1);
    if (!slot) return TD_E_NOMEM;
    *slot = i;
  }
  return TD_OK;
}

// Tape of the expressions of n slots; open: their tables go on beyond their ends.
static td_tape* slot_tape(const td_model* m, const num* slot, int n, bool open) {
  ex* e = malloc(((size_t)n + 1) * sizeof(ex));
  if (!e) return NULL;
  for (int i = 0; i < n; i++)
    e[i] = open ? td_ex_open(m->graph, m->number_ex[slot[i]]) : m->number_ex[slot[i]];
  td_tape* tape = td_tape_new(m->graph, e, n);
  free(e);
  return tape;
}

#define DERIVATIVE_LIMIT 5e7  // visits of nodes: about a second

// Meaning of a variable of the graph.
typedef struct var_use {
  int probe, input, param;  // index into the model's lists (input: model_drives), -1
} var_use;

// Index from each variable of the graph to the probe, the drive or the parameter that it stands
// for, -1: none.
static var_use* index_vars(const td_model* m) {
  const int n = td_exprs_nvar(m->graph);
  var_use* use = malloc(((size_t)n + 1) * sizeof(var_use));
  if (!use) return NULL;
  for (int i = 0; i < n; i++) use[i] = (var_use){-1, -1, -1};
  for (int i = 0; i < m->nprobe; i++) use[m->probe[i].var].probe = i;
  for (int i = 0; i < m->ninput; i++) use[m->input[i].var].input = i;
  for (int i = 0; i < m->ninternal; i++) use[m->internal[i].var].input = m->ninput + i;
  for (int i = 0; i < m->nparam; i++) use[m->param[i].var].param = i;
  return use;
}

// d(target)/d(variable) for each variable of e, sorted into probes and inputs.
typedef struct partials {
  ex_list probe, input;
  const var_use* use;
  int* vars;      // room for all variables
  double visits;  // of nodes
} partials;

// Visits that the derivatives of e cost: a walk over e, found in the graph, for each variable.
static double derivative_cost(const td_exprs* g, ex e, int* vars, int* n) {
  *n = td_ex_vars(g, e, vars, td_exprs_nvar(g));
  return (1.0 + *n) * (td_ex_size(g, e) + e / 64.0);
}

// The place of the text with the expressions that cost most, for a message about all of them.
typedef struct costly {
  const td_exprs* g;
  int* vars;
  td_span at;
  double most, left;  // visits until the search ends with what it has found
} costly;

// Search a value of the spec for the entry whose derivatives cost most: c->at and c->most.  The
// search ends when c->left nodes have been visited.
static void find_costly(costly* c, const value* v, td_span at) {
  const int n = td_value_count(v);
  if (v->kind == V_STRUCT || v->kind == V_CELL) {
    const int nslot = v->kind == V_CELL ? n : n * v->nfield;
    for (int i = 0; i < nslot && c->left > 0; i++)
      if (v->slots[i].v) find_costly(c, v->slots[i].v, v->slots[i].at);
    return;
  }
  double cost = 0;
  for (int i = 0; v->kind == V_NUM && v->e && i < n && c->left > 0; i++) {
    int nvar;
    if (v->e[i] == EX_NONE) continue;
    cost += derivative_cost(c->g, v->e[i], c->vars, &nvar);
    c->left -= td_ex_size(c->g, v->e[i]);
  }
  if (cost <= c->most) return;
  c->most = cost;
  c->at = at;
}

// Append the nonzero partial derivatives of e with respect to its probes and inputs to `out`, and
// their targets to the model: `target` is a slot of numbers, or the index of an output.  Refuses
// expressions that together are too long to differentiate.  Clears m->inputs_affine when a
// derivative by an input depends on inputs.
static td_status add_partials(builder* b, partials* out, int target, ex e, bool output) {
  td_model* m = b->m;
  if ((td_ex_depends(m->graph, e) & ~(unsigned)TD_ON_TIME) == 0) return TD_OK;
  int n;
  out->visits += derivative_cost(m->graph, e, out->vars, &n);
  if (out->visits > DERIVATIVE_LIMIT) {
    costly c = {m->graph, out->vars, td_span_none(), 0, DERIVATIVE_LIMIT};
    find_costly(&c, b->spec->root, td_span_none());
    return td_error(b->diags, TD_E_MODEL, c.at,
                    "the expressions of the model are too long to differentiate: together they "
                    "depend on too many sensors, inputs and internal states, the longest is this");
  }

  // one derivative for each variable that is a probe or an input
  for (int i = 0; i < n; i++) {
    const var_use* use = &out->use[out->vars[i]];
    const int probe = use->probe, input = use->input;
    if (probe < 0 && input < 0) continue;
    const ex d = td_ex_diff(m->graph, e, out->vars[i]);
    if (td_ex_is_const(m->graph, d) && td_ex_value(m->graph, d) == 0) continue;
    if (input >= 0 && (td_ex_depends(m->graph, d) & TD_ON_INPUT)) m->inputs_affine = false;
    ex_list* list = probe >= 0 ? &out->probe : &out->input;
    model_partial* p = probe >= 0 ? (output ? td_push_output_probe(m, 1) : td_push_live_probe(m, 1))
                       : output   ? td_push_output_input(m, 1)
                                  : td_push_live_input(m, 1);
    if (!p || !td_list_add(list, d)) return TD_E_NOMEM;
    *p = (model_partial){target, probe >= 0 ? probe : input};
  }
  return TD_OK;
}

static void partials_free(partials* p) {
  free(p->probe.e);
  free(p->input.e);
}

// Slots of forces and gravity: a parameter in these alone does not shape the model.
static void mark_forces(const td_model* m, bool* force) {
  for (int k = 0; k < FORCE_KINDS; k++) td_force_words[k]->numbers(m, force);
  for (int i = 0; i < m->ncable; i++) {
    const model_cable* c = &m->cable[i];
    if (c->row >= 0) continue;
    force[c->tension == NUM_NONE ? c->pull : c->tension] = true;
    if (c->tension == NUM_NONE) force[c->stiffness] = true;
  }
  for (int c = 0; c < 3; c++) force[m->gravity + c] = true;
}

// Mark the parameters in e as shaping the model: geometry, masses or initial values depend on them.
static void mark_shape(td_model* m, ex e, partials* p) {
  const int n = td_ex_vars(m->graph, e, p->vars, td_exprs_nvar(m->graph));
  for (int k = 0; k < n; k++)
    if (p->use[p->vars[k]].param >= 0) m->param[p->use[p->vars[k]].param].shapes = true;
}
// A partial derivative with respect to a probe, and its place in the order it was found in.
typedef struct by_probe {
  model_partial partial;
  ex e;
  int order;
} by_probe;

static int compare_probes(const void* a, const void* b) {
  const by_probe *x = a, *y = b;
  const int source =
      (x->partial.source > y->partial.source) - (x->partial.source < y->partial.source);
  return source != 0 ? source : x->order - y->order;
}

// Sort the partials by probe, so that the change of a probe is computed once for all of them.
static td_status sort_by_probe(td_model* m, ex_list* list) {
  by_probe* all = malloc(((size_t)list->n + 1) * sizeof(by_probe));
  if (!all) return TD_E_NOMEM;
  for (int i = 0; i < list->n; i++) all[i] = (by_probe){m->live_probe[i], list->e[i], i};
  qsort(all, (size_t)list->n, sizeof(by_probe), compare_probes);
  for (int i = 0; i < list->n; i++) {
    m->live_probe[i] = all[i].partial;
    list->e[i] = all[i].e;
  }
  free(all);
  return TD_OK;
}

// Derive the partial derivatives of live numbers and outputs.  Parameters in streams, geometry,
// masses or strains are marked as shaping the model (mark_shape).
static td_status differentiate(builder* b, const bool* force, const ex_list* outputs,
                               partials* live, partials* out) {
  td_model* m = b->m;
  // streams have their derivatives by the place beside them, and none by parameters
  bool* flow = calloc((size_t)m->nnumber_ex + 1, sizeof(bool));
  td_status status = flow ? TD_OK : TD_E_NOMEM;
  for (int c = 0; flow && c < 3; c++) flow[m->fluid_velocity + c] = true;
  for (int i = 0; flow && m->stream_varies && i < m->nwet + m->ndrag; i++) {
    const bool wet = i < m->nwet;
    const num at = wet ? m->wet[i].stream : m->drag[i - m->nwet].stream;
    for (int k = 0; at != NUM_NONE && k < (wet ? 1 : 2) * STREAM_SLOTS; k++) flow[at + k] = true;
  }

  // live numbers, sorted by the probe they depend on
  for (int i = 0; i < m->nlive_slot && status == TD_OK; i++) {
    const ex e = m->number_ex[m->live_slot[i]];
    if (flow[m->live_slot[i]])
      mark_shape(m, e, live);
    else
      status = add_partials(b, live, m->live_slot[i], e, false);
  }
  free(flow);
  TD_TRY(status);
  TD_TRY(sort_by_probe(m, &live->probe));

  // parameters and strains, then outputs
  for (int i = 0; i < m->nparam_slot; i++)
    if (!force[m->param_slot[i]]) mark_shape(m, m->number_ex[m->param_slot[i]], live);
  for (int i = 0; i < m->nstrain_slot; i++) mark_shape(m, m->number_ex[m->strain_slot[i]], live);
  for (int i = 0; i < outputs->n; i++) TD_TRY(add_partials(b, out, i, outputs->e[i], true));
  return TD_OK;
}

// Copy the bounds of the spec to the model, and compile the numbers they are about into bound_tape,
// in their order.
static td_status push_bounds(builder* b) {
  td_model* m = b->m;
  ex_list numbers = {0};
  td_status status = TD_OK;
  for (int i = 0; i < b->spec->nbound && status == TD_OK; i++) {
    const spec_bound* from = &b->spec->bounds[i];
    model_bound* to = td_push_bound(m, 1);
    const int rule = td_push_name(m, "%s", from->rule),
              unit = td_push_name(m, "%s", from->unit ? from->unit : "");
    if (!to || rule < 0 || unit < 0)
      status = TD_E_NOMEM;
    else
      *to = (model_bound){from->kind, numbers.n,  from->n, from->low,
                          from->high, from->open, rule,    unit};
    for (int k = 0; k < from->n && status == TD_OK; k++)
      if (!td_list_add(&numbers, from->e[k])) status = TD_E_NOMEM;
  }
  if (status == TD_OK) m->bound_tape = td_tape_new(m->graph, numbers.e, numbers.n);
  free(numbers.e);
  return status == TD_OK && !m->bound_tape ? TD_E_NOMEM : status;
}

// Arguments whose signs decide min, max, abs, sign, step and comparisons of the state inside live
// numbers: where one of them changes its sign a force has a corner or jumps.
static td_status collect_kinks(td_model* m) {
  ex *live = malloc(((size_t)m->nlive_slot + 1) * sizeof(ex)), *needed = NULL;
  ex_list kinks = {0};
  int count = 0;
  if (!live) return TD_E_NOMEM;
  for (int i = 0; i < m->nlive_slot; i++) live[i] = m->number_ex[m->live_slot[i]];
  if (m->nlive_slot > 0) needed = td_ex_needed(m->graph, live, m->nlive_slot, &count);
  bool ok = needed || m->nlive_slot == 0;
  free(live);
  for (int i = 0; i < count; i++) {
    const ex_op op = td_ex_op(m->graph, needed[i]);
    const bool two = op == EX_MIN || op == EX_MAX || op == EX_LT || op == EX_LE || op == EX_EQ ||
                     op == EX_NE || op == EX_STEP;
    if (!two && op != EX_ABS && op != EX_SIGN) continue;
    if (!(td_ex_depends(m->graph, needed[i]) & (TD_ON_STATE | TD_ON_RATE | TD_ON_INTERNAL)))
      continue;
    const ex a = td_ex_arg(m->graph, needed[i], 0);
    const ex e = two ? td_ex_2(m->graph, EX_SUB, a, td_ex_arg(m->graph, needed[i], 1)) : a;
    ok = ok && td_list_add(&kinks, e);
  }
  free(needed);

  // each of them once
  if (kinks.n > 0) qsort(kinks.e, (size_t)kinks.n, sizeof(ex), ascending_ints);
  for (int i = 0; i < kinks.n; i++)
    if (i == 0 || kinks.e[i] != kinks.e[m->nkink - 1]) kinks.e[m->nkink++] = kinks.e[i];
  m->kink_tape = ok ? td_tape_new(m->graph, kinks.e, m->nkink) : NULL;
  m->kink_ex = kinks.e;
  return m->kink_tape ? TD_OK : TD_E_NOMEM;
}

// Compile all lists of expressions of the model into tapes.  TD_E_NOMEM if one of them fails.
static td_status record(td_model* m, const ex_list* outputs, const ex_list* events,
                        const partials* live, const partials* out) {
  m->param_tape = slot_tape(m, m->param_slot, m->nparam_slot, false);
  m->motion_tape = slot_tape(m, m->motion_slot, m->nmotion_slot, false);
  m->live_tape = slot_tape(m, m->live_slot, m->nlive_slot, false);
  m->strain_tape = slot_tape(m, m->strain_slot, m->nstrain_slot, false);
  m->strain_rate_tape = slot_tape(m, m->strain_rate_slot, m->nstrain_rate_slot, false);
  m->motion_open_tape = slot_tape(m, m->motion_slot, m->nmotion_slot, true);
  m->strain_open_tape = slot_tape(m, m->strain_slot, m->nstrain_slot, true);
  m->live_probe_tape = td_tape_new(m->graph, live->probe.e, live->probe.n);
  m->live_input_tape = td_tape_new(m->graph, live->input.e, live->input.n);
  m->output_tape = td_tape_new(m->graph, outputs->e, outputs->n);
  m->output_probe_tape = td_tape_new(m->graph, out->probe.e, out->probe.n);
  m->output_input_tape = td_tape_new(m->graph, out->input.e, out->input.n);
  m->event_tape = td_tape_new(m->graph, events->e, events->n);
  const bool ok = m->bound_tape && m->param_tape && m->motion_open_tape && m->strain_open_tape &&
                  m->motion_tape && m->live_tape && m->strain_tape && m->strain_rate_tape &&
                  m->live_probe_tape && m->live_input_tape && m->output_tape &&
                  m->output_probe_tape && m->output_input_tape && m->event_tape;
  return ok && !td_exprs_failed(m->graph) ? TD_OK : TD_E_NOMEM;
}

// Sort the numbers of the model into slots, differentiate them and compile the tapes.
static td_status make_tapes(builder* b, const ex_list* outputs, const ex_list* events) {
  td_model* m = b->m;
  if (td_exprs_failed(m->graph)) return TD_E_NOMEM;
  const size_t n = (size_t)m->nnumber_ex + 1;
  bool* flag = calloc(3 * n, sizeof(bool));
  var_use* use = index_vars(m);
  int* vars = malloc(((size_t)td_exprs_nvar(m->graph) + 1) * sizeof(int));
  partials live = {.use = use, .vars = vars}, out = {.use = use, .vars = vars};
  const bool room = td_push_number(m, m->nnumber_ex) && td_push_constant(m, m->nnumber_ex);
  td_status status = flag && use && vars && room ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK) status = sort_slots(b, flag, flag + 2 * n);
  if (status == TD_OK) {
    mark_forces(m, flag + n);
    status = differentiate(b, flag + n, outputs, &live, &out);
  }
  if (status == TD_OK) status = record(m, outputs, events, &live, &out);
  if (status == TD_OK) status = collect_kinks(m);
  partials_free(&live);
  partials_free(&out);
  free(vars);
  free(use);
  free(flag);
  return status;
}

// Expressions whose jumps and corners in time are stop times.
static td_status collect_stops(td_model* m) {
  bool* rate = calloc((size_t)m->nnumber_ex + 1, sizeof(bool));
  if (!rate) return TD_E_NOMEM;
  // jumps of the derivatives of a motion or a strain are corners of itself
  for (int i = 0; i < m->nvel; i++)
    if (m->vel[i].motion != NUM_NONE)
      rate[m->vel[i].motion + 1] = rate[m->vel[i].motion + 2] = true;
  for (int i = 0; i < m->nrow; i++)
    if (m->row[i].motion != NUM_NONE)
      rate[m->row[i].motion + 1] = rate[m->row[i].motion + 2] = true;
  for (int i = 0; i < m->nhop; i++)
    for (int k = 6 * m->hop[i].nodes; m->hop[i].dependent && k < 18 * m->hop[i].nodes; k++)
      rate[m->hop[i].value + k] = true;
  for (int i = 0; i < m->nnumber_ex; i++) {
    if (rate[i] || !(td_ex_depends(m->graph, m->number_ex[i]) & TD_ON_TIME)) continue;
    ex* grown = td_grow(m->stop_ex, &m->cap_stop_ex, m->nstop_ex + 1, sizeof(ex));
    if (!grown) {
      free(rate);
      return TD_E_NOMEM;
    }
    m->stop_ex = grown;
    m->stop_ex[m->nstop_ex++] = m->number_ex[i];
  }
  free(rate);
  return TD_OK;
}

// Shape of a function of time: one line, lines with corners and jumps between them, or curved.
typedef enum clock_kind { CLOCK_LINE, CLOCK_LINES, CLOCK_CURVE } clock_kind;

// Shape of e as a function of time between its stops: a line, pieces of lines, or a curve.  Decided
// by the operations e is made of, and by d²e/dt² = 0.
static clock_kind kind_of(td_model* m, ex e) {
  int n = 0;
  ex* part = td_ex_needed(m->graph, &e, 1, &n);
  clock_kind kind = part ? CLOCK_LINE : CLOCK_CURVE;
  for (int i = 0; i < n && kind != CLOCK_CURVE; i++) switch (td_ex_op(m->graph, part[i])) {
      case EX_VAR:
      case EX_CONST:
      case EX_ADD:
      case EX_SUB:
      case EX_MUL:
      case EX_DIV:
      case EX_NEG:
        break;
      case EX_MIN:
      case EX_MAX:
      case EX_ABS:
      case EX_SIGN:
      case EX_STEP:
      case EX_LT:
      case EX_LE:
      case EX_IFELSE:
      case EX_FLOOR:
      case EX_CEIL:
      case EX_ROUND:
      case EX_MOD:
        kind = CLOCK_LINES;
        break;
      default:
        kind = CLOCK_CURVE;
    }
  free(part);
  if (kind == CLOCK_CURVE) return kind;
  const ex bend = td_ex_diff(m->graph, td_ex_diff(m->graph, e, m->time_var), m->time_var);
  return td_ex_is_const(m->graph, bend) && td_ex_value(m->graph, bend) == 0 ? kind : CLOCK_CURVE;
}

// Add the clocks (td_ex_clock) of the nodes of n expressions that depend on time and parameters
// alone, each once.  Curved clocks count for prescribed motion only; those of forces are left to
// the error control.  False: no memory.
static bool add_clocks(td_model* m, const ex* e, int n, bool motion, ex_list* clocks) {
  int count = 0;
  ex* needed = n > 0 ? td_ex_needed(m->graph, e, n, &count) : NULL;
  bool ok = needed || n == 0;
  for (int i = 0; ok && i < count; i++) {
    const unsigned on = td_ex_depends(m->graph, needed[i]);
    ex c;
    if (!(on & TD_ON_TIME) || (on & ~(unsigned)(TD_ON_TIME | TD_ON_PARAM))) continue;
    if (td_ex_clock(m->graph, needed[i], &c) == TD_CLOCK_NONE || td_ex_is_const(m->graph, c))
      continue;
    bool known = false;
    for (int k = 0; k < clocks->n; k++) known = known || clocks->e[k] == c;
    const clock_kind kind = kind_of(m, c);
    if (known || (kind == CLOCK_CURVE && !motion)) continue;
    ok = td_list_add(clocks, c);
    m->clock_straight = m->clock_straight && kind == CLOCK_LINE;
    m->clock_curved = m->clock_curved || kind == CLOCK_CURVE;
  }
  free(needed);
  return ok;
}

// Collect the expressions of time whose jumps and corners must not be stepped over: prescribed
// motions of coordinates, rows and strains first (nclock_motion), then all stop expressions.  One
// tape evaluates them (clock_tape).
static td_status collect_clocks(td_model* m) {
  ex_list motion = {0}, clocks = {0};
  bool ok = true;
  m->clock_straight = true;
  for (int i = 0; ok && i < m->nvel; i++)
    if (m->vel[i].motion != NUM_NONE) ok = td_list_add(&motion, m->number_ex[m->vel[i].motion]);
  for (int i = 0; ok && i < m->nrow; i++)
    if (m->row[i].motion != NUM_NONE) ok = td_list_add(&motion, m->number_ex[m->row[i].motion]);
  for (int i = 0; ok && i < m->nhop; i++)
    for (int k = 0; ok && m->hop[i].dependent && k < 6 * m->hop[i].nodes; k++)
      ok = td_list_add(&motion, m->number_ex[m->hop[i].value + k]);
  ok = ok && add_clocks(m, motion.e, motion.n, true, &clocks);
  m->nclock_motion = clocks.n;
  ok = ok && add_clocks(m, m->stop_ex, m->nstop_ex, false, &clocks);
  m->nclock = clocks.n;
  m->clock_tape = ok ? td_tape_new(m->graph, clocks.e, clocks.n) : NULL;
  free(motion.e);
  free(clocks.e);
  return m->clock_tape && !td_exprs_failed(m->graph) ? TD_OK : TD_E_NOMEM;
}

// Copy parameters and inputs with their values and ranges from the spec to the model.
static td_status push_named(builder* b) {
  td_model* m = b->m;
  m->ranges_lifted = b->spec->beyond;
  for (int i = 0; i < b->spec->nparam; i++) {
    const spec_param* p = &b->spec->params[i];
    if (p->var < 0) continue;
    model_named* out = td_push_param(m, 1);
    if (!out) return TD_E_NOMEM;
    *out = (model_named){.name = td_push_name(m, "%s", p->name),
                         .var = p->var,
                         .value = p->value,
                         .low = p->range.low,
                         .high = p->range.high,
                         .logarithmic = p->range.logarithmic,
                         .structural = p->structural,
                         .why = td_push_name(m, "%s", p->why)};
  }
  for (int i = 0; i < b->spec->ninput; i++) {
    model_named* out = td_push_input(m, 1);
    if (!out) return TD_E_NOMEM;
    *out = (model_named){.name = td_push_name(m, "%s", b->spec->inputs[i].name),
                         .var = b->spec->inputs[i].var,
                         .value = b->spec->inputs[i].value,
                         .low = b->spec->inputs[i].range.low,
                         .high = b->spec->inputs[i].range.high};
  }
  return TD_OK;
}

// Build everything of the model that is computed by expressions: internal states, outputs,
// controllers, events and probes first, since these add expressions; then the tapes, stop times and
// clocks.  TD_E_MODEL after a message, or TD_E_NOMEM.
td_status td_build_expressions(builder* b) {
  ex_list outputs = {0}, events = {0};
  b->m->inputs_affine = true;

  // numbers of the model that are expressions, and the sensors that they read
  td_status status = td_build_internals(b);
  if (status == TD_OK) status = td_build_outputs(b, &outputs);
  if (status == TD_OK) status = td_build_loop_numbers(b);
  if (status == TD_OK) status = td_build_task_numbers(b);
  if (status == TD_OK) status = td_build_events(b, &events);
  if (status == TD_OK) status = td_build_probes(b);

  // tapes over a graph of its own
  if (status == TD_OK) {
    b->m->graph = td_exprs_copy(b->spec->graph);
    status = b->m->graph ? push_named(b) : TD_E_NOMEM;
  }
  if (status == TD_OK) status = push_bounds(b);
  if (status == TD_OK) status = make_tapes(b, &outputs, &events);
  if (status == TD_OK) status = td_build_loop_tapes(b);
  if (status == TD_OK) status = td_build_task_tapes(b);
  if (status == TD_OK) status = collect_stops(b->m);
  if (status == TD_OK) status = collect_clocks(b->m);

  // note whether outputs or events need accelerations
  const unsigned accel = TD_ON_ACCEL;
  for (int i = 0; status == TD_OK && i < outputs.n + events.n; i++) {
    const ex e = i < outputs.n ? outputs.e[i] : events.e[i - outputs.n];
    if (td_ex_depends(b->m->graph, e) & accel)
      *(i < outputs.n ? &b->m->output_accel : &b->m->event_accel) = true;
  }
  free(outputs.e);
  free(events.e);
  return status;
}
