// Expressions of the compiled model: which slot is filled by which tape, sensors resolved to places
// and coordinates, outputs and events, and the partial derivatives the exact tangents need.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "model/force_words.h"
#include "model/meshes.h"

// ---- sensors -> probes ------------------------------------------------------------------------

// "pos(body(7))": `sensor` of what it is about
static td_status no_such(builder* b, td_span at, const td_sensor_ref* ref, const char* what,
                         int count) {
  const char* sensor = td_sensor_table[ref->kind].name;
  if (count == 0)
    return td_error(b->diags, TD_E_MODEL, at, "%s: the model has no %s", sensor, what);
  if (count == 1)
    return td_error(b->diags, TD_E_MODEL, at, "%s: there is no %s(%d), the model has one", sensor,
                    what, ref->index);
  return td_error(b->diags, TD_E_MODEL, at, "%s: there is no %s(%d), the model has %d", sensor,
                  what, ref->index, count);
}

static td_status no_element(builder* b, td_span at, const td_sensor_ref* ref, const char* what,
                            int count) {
  return td_error(b->diags, TD_E_MODEL, at, "%s: %s(%d) has %d element%s, got element %d",
                  td_sensor_table[ref->kind].name, what, ref->index, count, count == 1 ? "" : "s",
                  ref->element);
}

static int ground_station(builder* b) {
  for (int i = 0; i < b->m->nstation; i++)
    if (b->m->station[i].hop < 0 && b->m->station[i].nfix == 0) return i;
  model_station* s = td_push_station(b->m, 1);
  if (!s) return -1;
  *s = (model_station){.hop = -1, .body = -1, .name = td_push_name(b->m, "ground")};
  return b->m->nstation - 1;
}

// A place on a rod for pos, rot, ...; the rod itself for strain and stretch.
static td_status rod_probe(builder* b, const td_sensor_ref* ref, td_span at, model_probe* p) {
  const int rod = td_build_sensor_rod(b, ref);
  if (rod < 1 || rod > b->nrod) return no_such(b, at, ref, "rod", b->nrod);
  const double length = b->rod[rod - 1].length, arc = td_build_sensor_arc(b, ref);
  if (arc < -1e-9 * length || arc > (1 + 1e-9) * length) {
    return td_error(b->diags, TD_E_MODEL, at, "%s: %s(%d) is %g m long, got the arc length %g m",
                    td_sensor_table[ref->kind].name, ref->root == 'b' ? "body" : "rod", ref->index,
                    length, arc);
  }
  p->rod = rod;
  p->arc = arc;
  p->part = td_build_rod_part(b, rod - 1, arc);
  const build_rod* r = &b->rod[rod - 1];
  if (sensor_is(ref->kind, WITH_COORDS)) {  // of a rod whose strain field is written out
    if (r->coords <= ref->component)
      return td_error(b->diags, TD_E_MODEL, at, "%s: rod(%d) has %d coordinates of its own",
                      td_sensor_table[ref->kind].name, ref->index, r->coords);
    p->q = r->coord_q + ref->component;
    p->v = r->coord_v + ref->component;
    return TD_OK;
  }
  if (sensor_is(ref->kind, OF_WHOLE_ROD | OF_STRAIN)) return TD_OK;
  if (ref->has_point) p->point = td_build_constants(b, ref->point, 3);
  if (sensor_is(ref->kind, OF_SECTION) && r->npoint == 0) {  // segments
    const double last = 0.5 * (r->arc[r->n - 1] + r->arc[r->n]);
    if (arc > last * (1 + 1e-9))
      return td_error(b->diags, TD_E_MODEL, at,
                      "wrench: the segments of rod(%d) tell it up to %g m, the middle of the last "
                      "one, got %g m; use the model 'gvs' or 'rom', or more segments",
                      rod, last, arc);
  }
  for (int i = 0; i < b->m->nstation; i++) {
    const model_station* s = &b->m->station[i];
    if (s->rod == p->rod && s->arc == p->arc && s->name != 0 && !s->moved) {
      p->station = i;
      return TD_OK;
    }
  }
  char name[200];
  snprintf(name, sizeof name, "rod(%d)@%g", p->rod, p->arc);
  const place where = {.rod = p->rod, .arc = p->arc};
  return td_build_station(b, &where, 0, NULL, false, name, &p->station);
}

// pos(mesh(1), 17): a node
static td_status node_probe(builder* b, const td_sensor_ref* ref, td_span at, model_probe* p) {
  int body = 0;
  TD_TRY(td_build_node(b, ref->index, ref->element, at, td_sensor_table[ref->kind].name, &body));
  p->station = b->m->body[b->body_first[body]].station;
  if (ref->has_point) p->point = td_build_constants(b, ref->point, 3);
  return TD_OK;
}

static td_status body_probe(builder* b, const td_sensor_ref* ref, td_span at, model_probe* p) {
  if (ref->index < 0 || ref->index > b->nbody + b->nnode)
    return no_such(b, at, ref, "body", b->nbody + b->nnode);
  if (ref->index == 0) {
    p->station = ground_station(b);
  } else {
    const int element = ref->element == 0 ? 1 : ref->element;
    if (element < 1 || element > b->body_count[ref->index])
      return no_element(b, at, ref, "body", b->body_count[ref->index]);
    p->station = b->m->body[b->body_first[ref->index] + element - 1].station;
  }
  p->point = NUM_NONE;
  if (ref->has_point) p->point = td_build_constants(b, ref->point, 3);
  return TD_OK;
}

// Stations of the two ends of a joint.
static void joint_ends(builder* b, int joint, int element, int* a, int* c) {
  const int n = model_forces(b->m);
  for (int i = 0; i < n; i++) {
    const force_info f = force_at(b->m, i);
    if (f.joint == joint && f.element == element && f.a >= 0 && f.b >= 0) {
      *a = f.a;
      *c = f.b;
      return;
    }
  }
  for (int i = 0; i < b->m->nrow; i++) {
    const model_row* r = &b->m->row[i];
    if (r->joint == joint && r->element == element) {
      *a = r->a;
      *c = r->b;
      return;
    }
  }
  const build_joint* j = &b->joint[joint - 1];
  const int first = td_build_instance(b, &j->first, element - 1);
  const int second = td_build_instance(b, &j->second, element - 1);
  *a = first < 0 ? ground_station(b) : b->m->body[first].station;
  *c = second < 0 ? ground_station(b) : b->m->body[second].station;
}

// length(mesh(1), 5): an edge
static td_status edge_probe(builder* b, const td_sensor_ref* ref, td_span at, model_probe* p) {
  const char* name = td_sensor_table[ref->kind].name;
  if (ref->index > b->nmesh) return no_such(b, at, ref, "mesh", b->nmesh);
  const int joint = b->njoint + ref->index, n = b->m->joint[joint - 1].nelement;
  if (ref->element < 1 || ref->element > n)
    return td_error(b->diags, TD_E_MODEL, at, "%s: mesh(%d) has %d edges, got edge %d", name,
                    ref->index, n, ref->element);
  p->joint = joint;
  p->element = ref->element;
  const build_mesh* mesh = &b->mesh[ref->index - 1];
  if (mesh->rod > 0 && ref->element <= mesh->nedge) {  // a rod between two nodes
    const int* ends = mesh->wire->edge + 2 * (size_t)(ref->element - 1);
    p->a = b->m->body[mesh->instance + ends[0]].station;
    p->b = b->m->body[mesh->instance + ends[1]].station;
    if (sensor_is(ref->kind, OF_LENGTH)) return TD_OK;
    td_error(b->diags, TD_E_MODEL, at, "%s: edge %d of mesh(%d) is a polynomial rod", name,
             ref->element, ref->index);
    td_hint(b->diags, "it is rod(%d): write %s(rod(%d), s) at the arc length s",
            mesh->rod + ref->element - 1, sensor_is(ref->kind, OF_JOINT) ? "wrench" : "strain",
            mesh->rod + ref->element - 1);
    return TD_E_MODEL;
  }

  // an edge is a spring or damper between two nodes; one that is neither still has its ends
  bool acts = false;
  for (int i = 0; i < model_forces(b->m) && !acts; i++) {
    const force_info f = force_at(b->m, i);
    acts = f.joint == joint && f.element == ref->element && f.a >= 0 && f.b >= 0;
  }
  for (int i = 0; i < b->m->nrow && !acts; i++)
    acts = b->m->row[i].joint == joint && b->m->row[i].element == ref->element;
  if (acts) {
    joint_ends(b, p->joint, p->element, &p->a, &p->b);
    return TD_OK;
  }
  if (!mesh->wire || ref->element > mesh->nedge)
    return td_error(b->diags, TD_E_MODEL, at, "%s: edge %d of mesh(%d) has no spring and no damper",
                    name, ref->element, ref->index);
  const int* ends = mesh->wire->edge + 2 * (size_t)(ref->element - 1);
  p->a = b->m->body[mesh->instance + ends[0]].station;
  p->b = b->m->body[mesh->instance + ends[1]].station;
  return TD_OK;
}

static td_status joint_probe(builder* b, const td_sensor_ref* ref, td_span at, model_probe* p) {
  if (ref->index < 1 || ref->index > b->njoint) return no_such(b, at, ref, "joint", b->njoint);
  const build_joint* j = &b->joint[ref->index - 1];
  const int element = ref->element == 0 ? 1 : ref->element;
  if (element < 1 || element > j->nelement) return no_element(b, at, ref, "joint", j->nelement);
  if (j->rom && sensor_is(ref->kind, OF_WHOLE_ROD)) {
    p->rod = td_build_rom_of(b, j->second.body);
    return TD_OK;
  }
  p->joint = ref->index;
  p->element = element;
  joint_ends(b, p->joint, p->element, &p->a, &p->b);
  if (!sensor_is(ref->kind, WITH_NUMBER)) return TD_OK;
  const int at_dof = (element - 1) * j->ndof + ref->item - 1;
  const char* name = td_sensor_table[ref->kind].name;
  if (!j->main) {
    return td_error(b->diags, TD_E_MODEL, at,
                    "%s: joint(%d) is no main joint and has no degrees of freedom", name,
                    ref->index);
  }
  if (ref->item < 1 || ref->item > j->ndof) {
    return td_error(b->diags, TD_E_MODEL, at,
                    "%s: joint(%d) has %d degree%s of freedom, got dof %d", name, ref->index,
                    j->ndof, j->ndof == 1 ? "" : "s", ref->item);
  }
  p->q = j->dof_q[at_dof];
  p->v = j->dof_v[at_dof];
  if (td_sensor_table[ref->kind].depends == TD_ON_RATE && p->v < 0) {
    return td_error(b->diags, TD_E_MODEL, at,
                    "%s: dof %d of joint(%d) is a number of a quaternion without a velocity of "
                    "its own; the angular "
                    "velocities are those of the numbers before it",
                    name, ref->item, ref->index);
  }
  return TD_OK;
}

static td_status index_probe(builder* b, const td_sensor_ref* ref, td_span at, model_probe* p) {
  const bool position = td_sensor_table[ref->kind].depends == TD_ON_STATE;
  const int n = position ? b->m->npos : b->m->nvel;
  if (ref->item < 1 || ref->item > n) {
    return td_error(b->diags, TD_E_MODEL, at, "there is no %s(%d): the model has %d generalised %s",
                    td_sensor_table[ref->kind].name, ref->item, n,
                    position ? (n == 1 ? "position" : "positions")
                    : n == 1 ? "velocity"
                             : "velocities");
  }
  *(position ? &p->q : &p->v) = ref->item - 1;
  return TD_OK;
}

static td_status push_probe(builder* b, const spec_sensor_var* s) {
  const td_sensor_info* info = &td_sensor_table[s->ref.kind];
  model_probe p = {.kind = s->ref.kind,
                   .var = s->var,
                   .station = -1,
                   .point = NUM_NONE,
                   .component = s->ref.component,
                   .a = -1,
                   .b = -1,
                   .q = -1,
                   .v = -1,
                   .depends = info->depends == TD_ON_COORD ? TD_ON_STATE : info->depends};
  td_status status = TD_OK;
  if (td_build_sensor_rod(b, &s->ref) > 0 || s->ref.root == 'r') {
    status = rod_probe(b, &s->ref, s->at, &p);
  } else if (s->ref.root == 'm') {
    status =
        info->about == 'b' ? node_probe(b, &s->ref, s->at, &p) : edge_probe(b, &s->ref, s->at, &p);
  } else if (s->ref.root == 'b' && sensor_is(s->ref.kind, OF_STRAIN)) {
    status = td_error(b->diags, TD_E_MODEL, s->at,
                      "%s is about a rod: body(%d) is no polynomial rod", info->name, s->ref.index);
  } else if (s->ref.root == 'b' && s->ref.item > 0) {
    status = td_error(b->diags, TD_E_MODEL, s->at,
                      "%s: body(%d) is no polynomial rod: its elements count from 1, got %g",
                      info->name, s->ref.index, s->ref.arc);
  } else if (info->about == 'b') {
    status = body_probe(b, &s->ref, s->at, &p);
  }
  if (info->about == 'j' && s->ref.root == 'j') status = joint_probe(b, &s->ref, s->at, &p);
  if (s->ref.root == 'c') p.cable = s->ref.index;
  if (s->ref.root == 'c' && (p.cable < 1 || p.cable > b->m->ncable))
    status = no_such(b, s->at, &s->ref, "cable", b->m->ncable);
  if (info->about == 'i') status = index_probe(b, &s->ref, s->at, &p);
  model_probe* out = td_push_probe(b->m, 1);
  if (!out) return TD_E_NOMEM;
  *out = p;
  return status;
}

// ---- outputs and events -----------------------------------------------------------------------

typedef struct ex_list {
  ex* e;
  int n, cap;
} ex_list;

static bool list_add(ex_list* list, ex e) {
  ex* grown = td_grow(list->e, &list->cap, list->n + 1, sizeof(ex));
  if (!grown) return false;
  list->e = grown;
  list->e[list->n++] = e;
  return true;
}

static bool push_output(builder* b, ex_list* list, ex e, int name) {
  int* slot = td_push_output_name(b->m, 1);
  ex* expression = td_push_output_ex(b->m, 1);
  if (!slot || !expression || name < 0) return false;
  *slot = name;
  *expression = e;
  return list_add(list, e);
}

static bool wanted(const value* output, const char* name) {
  if (!output) return true;
  if (output->kind == V_STR) return strcmp(output->s, name) == 0;
  for (int i = 0; i < td_value_count(output); i++) {
    const value* v = output->slots[i].v;
    if (v && v->kind == V_STR && strcmp(v->s, name) == 0) return true;
  }
  return false;
}

// Noise and quantum of number k of n.
static td_status push_measure(builder* b, const value* sensors, int i, int k, int n) {
  static const char* const fields[] = {"noise", "quantum"};
  for (int f = 0; f < 2; f++) {
    const value* v = sensors ? td_get(sensors, i, fields[f]) : NULL;
    const int count = v ? td_value_count(v) : 1;
    if (count != 1 && count != n)
      return td_error(b->diags, TD_E_MODEL, td_get_at(sensors, i, fields[f]),
                      "sensor(%d).%s must have one number or %d like sensor(%d).value, got %d",
                      i + 1, fields[f], n, i + 1, count);
    num* slot = td_push_measure(b->m, 1);
    if (!slot) return TD_E_NOMEM;
    *slot = td_build_number(
        b, v ? td_value_ex(v, count == 1 ? 0 : k, b->spec->graph) : td_ex_const(b->spec->graph, 0));
  }
  return TD_OK;
}

static td_status push_sensor(builder* b, ex_list* list, const value* sensors, int i) {
  char plain[32];
  snprintf(plain, sizeof plain, "sensor%d", i + 1);
  const char* name = td_get_word(sensors, i, "name", plain);
  const value* v = td_get(sensors, i, "value");
  if (!v || !wanted(td_get(b->spec->root, 0, "output"), name)) return TD_OK;
  const int n = td_value_count(v);
  if ((long)list->n + n > b->spec->limits.parts) {
    return td_error(b->diags, TD_E_MODEL, td_get_at(sensors, i, "value"),
                    "sensor(%d).value has %d numbers: the sensors may have %d together", i + 1, n,
                    b->spec->limits.parts);
  }
  for (int k = 0; k < n; k++) {
    const int id = n == 1   ? td_push_name(b->m, "%s", name)
                   : n == 3 ? td_push_name(b->m, "%s_%c", name, "xyz"[k])
                            : td_push_name(b->m, "%s_%d", name, k + 1);
    if (!push_output(b, list, td_value_ex(v, k, b->spec->graph), id)) return TD_E_NOMEM;
    TD_TRY(push_measure(b, sensors, i, k, n));
  }
  return TD_OK;
}

static td_status collect_outputs(builder* b, ex_list* list) {
  const value* sensors = td_get(b->spec->root, 0, "sensor");
  const value* output = td_get(b->spec->root, 0, "output");
  for (int i = 0; sensors && i < td_value_count(sensors); i++)
    TD_TRY(push_sensor(b, list, sensors, i));
  if (output && wanted(output, "energy")) {
    const td_sensor_ref ref = {.kind = SENSOR_ENERGY, .root = '-'};
    const int var = td_spec_sensor(b->spec, &ref, td_span_none());
    if (var < 0 ||
        !push_output(b, list, td_ex_var(b->spec->graph, var), td_push_name(b->m, "energy")))
      return TD_E_NOMEM;
    TD_TRY(push_measure(b, NULL, 0, 0, 1));
  }
  return TD_OK;
}

static td_status collect_events(builder* b, ex_list* list) {
  const value* events = td_get(b->spec->root, 0, "event");
  for (int i = 0; events && i < td_value_count(events); i++) {
    const value* when = td_get(events, i, "when");
    plain_name plain;
    if (!when) continue;
    model_event* e = td_push_event(b->m, 1);
    if (!e) return TD_E_NOMEM;
    e->stop = strcmp(td_get_word(events, i, "then", "mark"), "stop") == 0;
    e->name = td_push_name(b->m, "%s", td_build_name(events, i, "event", plain));
    if (!list_add(list, td_value_ex(when, 0, b->spec->graph))) return TD_E_NOMEM;
  }
  return TD_OK;
}

// ---- slots and tapes --------------------------------------------------------------------------

static td_status sort_slots(builder* b, bool* motion, bool* strain) {
  td_model* m = b->m;
  for (int i = 0; i < m->nstrain_slot; i++) strain[m->strain_slot[i]] = true;
  for (int i = 0; i < m->nstrain_rate_slot; i++) strain[m->strain_rate_slot[i]] = true;
  for (int i = 0; i < m->nvel; i++)
    for (int k = 0; m->vel[i].motion != NUM_NONE && k < 3; k++) motion[m->vel[i].motion + k] = true;
  for (int i = 0; i < m->nrow; i++)
    for (int k = 0; m->row[i].motion != NUM_NONE && k < 3; k++) motion[m->row[i].motion + k] = true;
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

// d(target)/d(variable) for each variable of e, sorted into probes, inputs and parameters.
typedef struct partials {
  ex_list probe, input, param;
  bool want_param;
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
  for (int i = 0; i < n; i++) {
    const var_use* use = &out->use[out->vars[i]];
    const int probe = use->probe, input = use->input, param = out->want_param ? use->param : -1;
    if (probe < 0 && input < 0 && param < 0) continue;
    const ex d = td_ex_diff(m->graph, e, out->vars[i]);
    if (td_ex_is_const(m->graph, d) && td_ex_value(m->graph, d) == 0) continue;
    if (input >= 0 && (td_ex_depends(m->graph, d) & TD_ON_INPUT)) m->inputs_affine = false;
    ex_list* list = probe >= 0 ? &out->probe : input >= 0 ? &out->input : &out->param;
    model_partial* p = probe >= 0 ? (output ? td_push_output_probe(m, 1) : td_push_live_probe(m, 1))
                       : input >= 0
                           ? (output ? td_push_output_input(m, 1) : td_push_live_input(m, 1))
                           : td_push_live_param(m, 1);
    if (!p || !list_add(list, d)) return TD_E_NOMEM;
    *p = (model_partial){target, probe >= 0 ? probe : input >= 0 ? input : param};
  }
  return TD_OK;
}

static void partials_free(partials* p) {
  free(p->probe.e);
  free(p->input.e);
  free(p->param.e);
}

// Slots of forces, gravity and control: those whose derivative with respect to a parameter is
// simple.
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

// Geometry, masses and initial values that depend on parameters.
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
  for (int i = 0; i < m->nlive_slot && status == TD_OK; i++) {
    const ex e = m->number_ex[m->live_slot[i]];
    if (flow[m->live_slot[i]])
      mark_shape(m, e, live);
    else
      status = add_partials(b, live, m->live_slot[i], e, false);
  }
  free(flow);
  TD_TRY(status);
  for (int i = 0; i < m->nparam_slot; i++)
    if (force[m->param_slot[i]])
      TD_TRY(add_partials(b, live, m->param_slot[i], m->number_ex[m->param_slot[i]], false));
  TD_TRY(sort_by_probe(m, &live->probe));
  for (int i = 0; i < m->nparam_slot; i++)
    if (!force[m->param_slot[i]]) mark_shape(m, m->number_ex[m->param_slot[i]], live);
  for (int i = 0; i < m->nstrain_slot; i++) mark_shape(m, m->number_ex[m->strain_slot[i]], live);
  for (int i = 0; i < outputs->n; i++) TD_TRY(add_partials(b, out, i, outputs->e[i], true));
  return TD_OK;
}

// Rules for what follows from parameters, in the order of the numbers they are about.
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
      if (!list_add(&numbers, from->e[k])) status = TD_E_NOMEM;
  }
  if (status == TD_OK) m->bound_tape = td_tape_new(m->graph, numbers.e, numbers.n);
  free(numbers.e);
  return status == TD_OK && !m->bound_tape ? TD_E_NOMEM : status;
}

static int by_handle(const void* a, const void* b) {
  const ex x = *(const ex*)a, y = *(const ex*)b;
  return (x > y) - (x < y);
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
    ok = ok && list_add(&kinks, e);
  }
  free(needed);

  // each of them once
  if (kinks.n > 0) qsort(kinks.e, (size_t)kinks.n, sizeof(ex), by_handle);
  for (int i = 0; i < kinks.n; i++)
    if (i == 0 || kinks.e[i] != kinks.e[m->nkink - 1]) kinks.e[m->nkink++] = kinks.e[i];
  m->kink_tape = ok ? td_tape_new(m->graph, kinks.e, m->nkink) : NULL;
  m->kink_ex = kinks.e;
  return m->kink_tape ? TD_OK : TD_E_NOMEM;
}

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
  m->live_param_tape = td_tape_new(m->graph, live->param.e, live->param.n);
  m->output_tape = td_tape_new(m->graph, outputs->e, outputs->n);
  m->output_probe_tape = td_tape_new(m->graph, out->probe.e, out->probe.n);
  m->output_input_tape = td_tape_new(m->graph, out->input.e, out->input.n);
  m->event_tape = td_tape_new(m->graph, events->e, events->n);
  const bool ok = m->bound_tape && m->param_tape && m->motion_open_tape && m->strain_open_tape &&
                  m->motion_tape && m->live_tape && m->strain_tape && m->strain_rate_tape &&
                  m->live_probe_tape && m->live_input_tape && m->live_param_tape &&
                  m->output_tape && m->output_probe_tape && m->output_input_tape && m->event_tape;
  return ok && !td_exprs_failed(m->graph) ? TD_OK : TD_E_NOMEM;
}

static td_status make_tapes(builder* b, const ex_list* outputs, const ex_list* events) {
  td_model* m = b->m;
  if (td_exprs_failed(m->graph)) return TD_E_NOMEM;
  const size_t n = (size_t)m->nnumber_ex + 1;
  bool* flag = calloc(3 * n, sizeof(bool));
  var_use* use = index_vars(m);
  int* vars = malloc(((size_t)td_exprs_nvar(m->graph) + 1) * sizeof(int));
  partials live = {.want_param = true, .use = use, .vars = vars}, out = {.use = use, .vars = vars};
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

// How a function of time runs: as one line, as lines with corners and jumps between them, or
// curved.
typedef enum clock_kind { CLOCK_LINE, CLOCK_LINES, CLOCK_CURVE } clock_kind;

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

// Expression that changes its sign where a node jumps or has a corner; false: there is none.
static bool clock_of(td_exprs* g, ex e, ex* clock) {
  const ex_op op = td_ex_op(g, e);
  const ex a = td_ex_arg(g, e, 0);
  ex turns = a;
  switch (op) {
    case EX_ABS:
    case EX_SIGN:
      *clock = a;
      return true;
    case EX_MIN:
    case EX_MAX:
    case EX_LT:
    case EX_LE:
    case EX_EQ:
    case EX_NE:
    case EX_STEP:
      *clock = td_ex_2(g, EX_SUB, a, td_ex_arg(g, e, 1));
      return true;
    case EX_MOD:
      turns = td_ex_2(g, EX_DIV, a, td_ex_arg(g, e, 1));
      break;
    case EX_ROUND:
      turns = td_ex_2(g, EX_SUB, a, td_ex_const(g, 0.5));
      break;
    case EX_FLOOR:
    case EX_CEIL:
      break;
    default:
      return false;
  }
  *clock = td_ex_1(g, EX_SIN, td_ex_2(g, EX_MUL, td_ex_const(g, acos(-1)), turns));
  return true;
}

// Clocks of the expressions e (n) of motion or of forces; of these curves are left to the error
// control.
static bool add_clocks(td_model* m, const ex* e, int n, bool motion, ex_list* clocks) {
  int count = 0;
  ex* needed = n > 0 ? td_ex_needed(m->graph, e, n, &count) : NULL;
  bool ok = needed || n == 0;
  for (int i = 0; ok && i < count; i++) {
    const unsigned on = td_ex_depends(m->graph, needed[i]);
    ex c;
    if (!(on & TD_ON_TIME) || (on & ~(unsigned)(TD_ON_TIME | TD_ON_PARAM))) continue;
    if (!clock_of(m->graph, needed[i], &c) || td_ex_is_const(m->graph, c)) continue;
    bool known = false;
    for (int k = 0; k < clocks->n; k++) known = known || clocks->e[k] == c;
    const clock_kind kind = kind_of(m, c);
    if (known || (kind == CLOCK_CURVE && !motion)) continue;
    ok = list_add(clocks, c);
    m->clock_straight = m->clock_straight && kind == CLOCK_LINE;
    m->clock_curved = m->clock_curved || kind == CLOCK_CURVE;
  }
  free(needed);
  return ok;
}

static td_status collect_clocks(td_model* m) {
  ex_list motion = {0}, clocks = {0};
  bool ok = true;
  m->clock_straight = true;
  for (int i = 0; ok && i < m->nvel; i++)
    if (m->vel[i].motion != NUM_NONE) ok = list_add(&motion, m->number_ex[m->vel[i].motion]);
  for (int i = 0; ok && i < m->nrow; i++)
    if (m->row[i].motion != NUM_NONE) ok = list_add(&motion, m->number_ex[m->row[i].motion]);
  for (int i = 0; ok && i < m->nhop; i++)
    for (int k = 0; ok && m->hop[i].dependent && k < 6 * m->hop[i].nodes; k++)
      ok = list_add(&motion, m->number_ex[m->hop[i].value + k]);
  ok = ok && add_clocks(m, motion.e, motion.n, true, &clocks);
  m->nclock_motion = clocks.n;
  ok = ok && add_clocks(m, m->stop_ex, m->nstop_ex, false, &clocks);
  m->nclock = clocks.n;
  m->clock_tape = ok ? td_tape_new(m->graph, clocks.e, clocks.n) : NULL;
  free(motion.e);
  free(clocks.e);
  return m->clock_tape && !td_exprs_failed(m->graph) ? TD_OK : TD_E_NOMEM;
}

// The rate of an internal state, and the unit that is written with it.
static const value* rate_of(const builder* b, const char* name, const char** unit) {
  const value* list = td_get(b->spec->root, 0, "dynamics");
  for (int k = 0; list && k < td_value_count(list); k++) {
    const char* of = td_get_word(list, k, "of", NULL);
    if (!of || strcmp(of, name) != 0) continue;
    const char* written = td_get_word(list, k, "unit", NULL);
    *unit = written ? written : "";
    return td_get(list, k, "rate");
  }
  return NULL;
}

// Internal states and their rates, which are numbers like those of forces: derivatives, corners and
// stop times are found with theirs.
static td_status push_internals(builder* b) {
  td_model* m = b->m;
  const int n = b->spec->ninternal;
  for (int i = 0; i < n; i++) {
    const spec_internal* z = &b->spec->internals[i];
    model_internal* out = td_push_internal(m, 1);
    if (!out) return TD_E_NOMEM;
    *out = (model_internal){.name = td_push_name(m, "%s", z->name), .var = z->var};
    out->init = td_build_number(b, z->init);
    if (out->init == NUM_NONE || out->name < 0) return TD_E_NOMEM;
  }
  m->internal_rate = m->nnumber_ex;
  for (int i = 0; i < n; i++) {
    const char* unit = "";
    const value* rate = rate_of(b, b->spec->internals[i].name, &unit);
    if (!rate || td_build_number(b, td_value_ex(rate, 0, b->spec->graph)) == NUM_NONE)
      return TD_E_NOMEM;
    m->internal[i].unit = td_push_name(m, "%s", unit);
    if (m->internal[i].unit < 0) return TD_E_NOMEM;
  }
  return TD_OK;
}

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
                         .structural = p->structural};
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

td_status td_build_expressions(builder* b) {
  ex_list outputs = {0}, events = {0};
  b->m->inputs_affine = true;
  td_status status = push_internals(b);
  if (status == TD_OK) status = collect_outputs(b, &outputs);
  if (status == TD_OK) status = td_build_loop_numbers(b);
  if (status == TD_OK) status = td_build_task_numbers(b);
  if (status == TD_OK) status = collect_events(b, &events);
  td_status worst = status;
  if (status == TD_OK && b->spec->nsensor > b->spec->limits.parts)
    worst = status =
        td_error(b->diags, TD_E_MODEL, b->spec->sensors[b->spec->limits.parts].at,
                 "the model uses more than %d numbers of sensors", b->spec->limits.parts);
  for (int i = 0; i < b->spec->nsensor && status == TD_OK; i++) {
    const td_sensor_ref* ref = &b->spec->sensors[i].ref;
    if (ref->root == 'r' && ref->arc == TD_ARC_HERE)
      continue;  // others stand for it, place by place
    const td_status s = push_probe(b, &b->spec->sensors[i]);
    if (s != TD_OK) worst = s;
  }
  if (worst == TD_OK) {
    b->m->graph = td_exprs_copy(b->spec->graph);
    worst = b->m->graph ? push_named(b) : TD_E_NOMEM;
  }
  if (worst == TD_OK) worst = push_bounds(b);
  if (worst == TD_OK) worst = make_tapes(b, &outputs, &events);
  if (worst == TD_OK) worst = td_build_loop_tapes(b);
  if (worst == TD_OK) worst = td_build_task_tapes(b);
  if (worst == TD_OK) worst = collect_stops(b->m);
  if (worst == TD_OK) worst = collect_clocks(b->m);
  const unsigned accel = TD_ON_ACCEL;
  for (int i = 0; worst == TD_OK && i < outputs.n + events.n; i++) {
    const ex e = i < outputs.n ? outputs.e[i] : events.e[i - outputs.n];
    if (td_ex_depends(b->m->graph, e) & accel)
      *(i < outputs.n ? &b->m->output_accel : &b->m->event_accel) = true;
  }
  free(outputs.e);
  free(events.e);
  return worst;
}
