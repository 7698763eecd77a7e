// Sensors of expressions, resolved to places and coordinates (probes); outputs and events.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "model/meshes.h"
#include "model/structure.h"

static const td_field sensor_fields[] = {
    {"sensor", FIELD_STRUCTS, "", "", "", FIXED, "", "", "quantities to record"},
    {"sensor.name", FIELD_STR, "", TD_REQUIRED, "", FIXED, "", "", "name in the results; unique"},
    {"sensor.value", FIELD_NUM, "", TD_REQUIRED, "", WATCH, "", "", "any expression"},
    {"sensor.noise", FIELD_NUM, "", "0", "", PARAM, "", ">= 0",
     "standard deviation of a measurement by a sampled controller or an observer; results hold "
     "exact values"},
    {"sensor.quantum", FIELD_NUM, "", "0", "", PARAM, "", ">= 0",
     "smallest step of a measurement, 0: none"},
    {"sensor.accuracy", FIELD_NUM, "1", "", "", FIXED, "", ">= 0",
     "error that it may have, instead of par.accuracy; 0: it is not judged (docs/accuracy.md)"},
    {.path = NULL},
};

static void sensor_accuracy(td_spec* spec, const checked* c) {
  double x;
  if (td_check_constant(spec, c->v, 0, &x) && x >= 1)
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s must be below 1, got %g: it is an error relative to the length of a rod, or to "
             "the value",
             c->name, x);
}

static const td_rule sensor_rules[] = {
    {.path = "sensor.accuracy", .value = sensor_accuracy},
    {.path = NULL},
};

const td_structure td_structure_sensor = {
    .fields = sensor_fields,
    .rules = sensor_rules,
    .plural = "sensors",
    .intro =
        "A sensor records an expression. Everything an expression can ask of the robot is listed "
        "under [Quantities](#quantities).",
    .example =
        "sensor(1).name  = 'tip';\n"
        "sensor(1).value = pos(body(2), [0 0 0.2]);\n",
};

static const td_field output_fields[] = {
    {"output", FIELD_LIST, "", "all sensors, q, v and internal states", "", FIXED, "", "",
     "what the result files hold"},
    {.path = NULL},
};

const td_structure td_structure_output = {
    .fields = output_fields,
    .intro =
        "A list of sensor names and of the words `energy`, `q` (positions), `v` (velocities) and "
        "`z` (internal states); without it all sensors, `q`, `v` and `z`.",
    .example = "output = {'tip', 'energy', 'q'};\n",
};

static const td_field event_fields[] = {
    {"event", FIELD_STRUCTS, "", "", "", FIXED, "", "", "moments to find"},
    {"event.when", FIELD_NUM, "1", TD_REQUIRED, "", WATCH, "", "",
     "happens when this expression passes through zero"},
    {"event.then", FIELD_STR, "", "mark", "", FIXED, "", "stop|mark",
     "end the simulation, or only record the time"},
    {"event.name", FIELD_STR, "", "", "", FIXED, "", "", "name in the results; unique"},
    {.path = NULL},
};

static void event_when(td_spec* spec, const checked* c) {
  double x;
  if (td_check_constant(spec, c->v, 0, &x))
    td_warn(&spec->diags, c->at, "%s is the constant %g: this event never happens", c->name, x);
}

static const td_rule event_rules[] = {
    {"event.when", .value = event_when},
    {.path = NULL},
};

const td_structure td_structure_event = {
    .fields = event_fields,
    .rules = event_rules,
    .plural = "events",
    .intro =
        "The solver finds the moment at which an expression passes through zero, in either "
        "direction.",
    .example =
        "event(1).when = pos(body(2))*[0; 0; 1];   % the body reaches the ground\n"
        "event(1).then = 'stop';\n",
};

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

// The point of a sensor in the frame of what it is about, NUM_NONE: its origin, or no memory.
static num point_of(builder* b, const td_sensor_ref* ref) {
  const num at = ref->has_point ? td_build_constants(b, ref->point, 3) : NUM_NONE;
  for (int c = 0; at != NUM_NONE && c < 3; c++)
    if (ref->follows[c] > 0) b->m->number_ex[at + c] = ref->follows[c] - 1;
  return at;
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

  // coordinates, strains and the rod as a whole need no station
  if (sensor_is(ref->kind, WITH_COORDS)) {  // of a rod whose strain field is written out
    if (r->coords <= ref->component)
      return td_error(b->diags, TD_E_MODEL, at, "%s: rod(%d) has %d coordinates of its own",
                      td_sensor_table[ref->kind].name, ref->index, r->coords);
    p->q = r->coord_q + ref->component;
    p->v = r->coord_v + ref->component;
    return TD_OK;
  }
  if (sensor_is(ref->kind, OF_WHOLE_ROD | OF_STRAIN)) return TD_OK;

  p->point = point_of(b, ref);
  if (sensor_is(ref->kind, OF_SECTION) && r->npoint == 0) {  // segments
    const double last = 0.5 * (r->arc[r->n - 1] + r->arc[r->n]);
    if (arc > last * (1 + 1e-9))
      return td_error(b->diags, TD_E_MODEL, at,
                      "wrench: the segments of rod(%d) tell it up to %g m, the middle of the last "
                      "one, got %g m; use the model 'gvs' or 'rom', or more segments",
                      rod, last, arc);
  }

  // a station at the place: one that is there, or a new one
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
  p->point = point_of(b, ref);
  return TD_OK;
}

// Resolve a sensor of a body or mesh node to its station and an optional point in its frame.
// Refuses body and element numbers that do not exist.
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
  p->point = point_of(b, ref);
  return TD_OK;
}

// Stations of the two ends of a joint's element: those of its force or row if it has one, else
// those of the bodies it connects.
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

// Resolve a sensor of a joint: the frames at its ends and, for sensors of one DOF, that DOF's
// coordinate and velocity.  Refuses joints, elements and DOFs that do not exist.
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

  // one of its degrees of freedom
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

// Find the position or velocity that q(k) or v(k) names.
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

// Add the probe of one sensor component.  What it refers to is resolved by root and kind of the
// sensor; a reference that fits no probe is reported.
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

  // resolve the reference by what it is about
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

// A sensor that varies with the place at hand has others that stand for it, place by place.
td_status td_build_probes(builder* b) {
  td_status worst = TD_OK;
  if (b->spec->nsensor > b->spec->limits.parts)
    return td_error(b->diags, TD_E_MODEL, b->spec->sensors[b->spec->limits.parts].at,
                    "the model uses more than %d numbers of sensors", b->spec->limits.parts);
  for (int i = 0; i < b->spec->nsensor; i++) {
    const td_sensor_ref* ref = &b->spec->sensors[i].ref;
    if (ref->root == 'r' && ref->arc == TD_ARC_HERE) continue;
    const td_status s = push_probe(b, &b->spec->sensors[i]);
    if (s != TD_OK) worst = s;
  }
  return worst;
}

// ---- outputs and events -----------------------------------------------------------------------

static bool push_output(builder* b, ex_list* list, ex e, int name, double accuracy) {
  int* slot = td_push_output_name(b->m, 1);
  ex* expression = td_push_output_ex(b->m, 1);
  double* asked = td_push_output_accuracy(b->m, 1);
  if (!slot || !expression || !asked || name < 0) return false;
  *slot = name;
  *expression = e;
  *asked = accuracy;
  return td_list_add(list, e);
}

// True when a sensor of this name is listed in the output, or nothing is listed.
static bool wanted(const value* output, const char* name) {
  if (!output) return true;
  if (output->kind == V_STR) return strcmp(output->s, name) == 0;
  for (int i = 0; i < td_value_count(output); i++) {
    const value* v = output->slots[i].v;
    if (v && v->kind == V_STR && strcmp(v->s, name) == 0) return true;
  }
  return false;
}

// Add the slots of noise and quantum of number k of n of sensor(i), zero where they are not
// written.  Refuses other counts than one and n.
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

// Add sensor(i) to the outputs, one for each of its numbers (name_x, _y, _z for three), unless
// `output` selects others.  Refuses more numbers than the limit of the spec.
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
  const value* asked = td_get(sensors, i, "accuracy");
  const double accuracy = asked && asked->kind == V_NUM && !isnan(asked->x[0]) ? asked->x[0] : -1;
  for (int k = 0; k < n; k++) {
    const int id = n == 1   ? td_push_name(b->m, "%s", name)
                   : n == 3 ? td_push_name(b->m, "%s_%c", name, "xyz"[k])
                            : td_push_name(b->m, "%s_%d", name, k + 1);
    if (!push_output(b, list, td_value_ex(v, k, b->spec->graph), id, accuracy)) return TD_E_NOMEM;
    TD_TRY(push_measure(b, sensors, i, k, n));
  }
  return TD_OK;
}

// List the expressions of all selected sensors, and of the energy where `output` names it.
td_status td_build_outputs(builder* b, ex_list* list) {
  const value* sensors = td_get(b->spec->root, 0, "sensor");
  const value* output = td_get(b->spec->root, 0, "output");
  for (int i = 0; sensors && i < td_value_count(sensors); i++)
    TD_TRY(push_sensor(b, list, sensors, i));
  if (output && wanted(output, "energy")) {
    const td_sensor_ref ref = {.kind = SENSOR_ENERGY, .root = '-'};
    const int var = td_spec_sensor(b->spec, &ref, td_span_none());
    if (var < 0 ||
        !push_output(b, list, td_ex_var(b->spec->graph, var), td_push_name(b->m, "energy"), -1))
      return TD_E_NOMEM;
    TD_TRY(push_measure(b, NULL, 0, 0, 1));
  }
  return TD_OK;
}

// List the expressions `when` of all events; the model receives their names and actions.
td_status td_build_events(builder* b, ex_list* list) {
  const value* events = td_get(b->spec->root, 0, "event");
  for (int i = 0; events && i < td_value_count(events); i++) {
    const value* when = td_get(events, i, "when");
    plain_name plain;
    if (!when) continue;
    model_event* e = td_push_event(b->m, 1);
    if (!e) return TD_E_NOMEM;
    e->stop = strcmp(td_get_word(events, i, "then", "mark"), "stop") == 0;
    e->name = td_push_name(b->m, "%s", td_build_name(events, i, "event", plain));
    if (!td_list_add(list, td_value_ex(when, 0, b->spec->graph))) return TD_E_NOMEM;
  }
  return TD_OK;
}
