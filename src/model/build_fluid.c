// Stations in the fluid: points along rods, bodies and nodes of meshes, with what they displace,
// their drag and their added mass.
#include <math.h>
#include <string.h>

#include "model/meshes.h"
#include "model/rods.h"

// ---- points along rods ------------------------------------------------------------------------

td_status td_rod_sample(builder* b, int rod, double arc, double weight) {
  td_model* m = b->m;
  if (!b->fluid && !b->contacts && !td_rod_has_wrench(b, rod)) return TD_OK;
  for (int i = 0; i < m->nsample; i++)
    if (m->sample[i].rod == rod + 1 && fabs(m->sample[i].arc - arc) < 1e-12 * b->rod[rod].length) {
      m->sample[i].weight += weight;
      return TD_OK;
    }
  int station;
  TD_TRY(td_rod_station(b, rod, arc, &station));
  model_sample* s = td_push_sample(m, 1);
  if (!s) return TD_E_NOMEM;
  *s = (model_sample){station, rod + 1, arc, weight};
  return TD_OK;
}

// ---- numbers ----------------------------------------------------------------------------------

static bool is_nothing(const builder* b, ex e) {
  return td_ex_is_const(b->spec->graph, e) && td_ex_value(b->spec->graph, e) == 0;
}

// 36 expressions into slots; NUM_NONE when all of them are 0.
static td_status push_matrix(builder* b, const ex* e, num* slots) {
  bool some = false;
  for (int k = 0; k < 36; k++) some = some || !is_nothing(b, e[k]);
  *slots = NUM_NONE;
  if (!some) return TD_OK;
  if (!td_push_number_ex(b->m, 36)) return TD_E_NOMEM;
  *slots = b->m->nnumber_ex - 36;
  memcpy(b->m->number_ex + *slots, e, 36 * sizeof(ex));
  return TD_OK;
}

static void zeros(builder* b, ex e[36]) {
  for (int k = 0; k < 36; k++) e[k] = num_ex(b, 0);
}

// Velocity of the stream and its derivatives by the place, at an expression of the place.
td_status td_build_stream(builder* b, const ex here[3], num* slots) {
  td_exprs* g = b->spec->graph;
  const value* velocity = td_get(b->fluid, 0, "velocity");
  *slots = td_push_number_ex(b->m, STREAM_SLOTS) ? b->m->nnumber_ex - STREAM_SLOTS : NUM_NONE;
  if (*slots == NUM_NONE) return TD_E_NOMEM;
  for (int c = 0; c < 3; c++) {
    const ex u = td_value_ex(velocity, c, g);
    ex* to = b->m->number_ex + *slots;
    to[c] = td_ex_substitute(g, u, b->spec->here_var, here, 3);
    for (int k = 0; k < 3; k++)
      to[3 + 3 * c + k] =
          td_ex_substitute(g, td_ex_diff(g, u, b->spec->here_var[k]), b->spec->here_var, here, 3);
  }
  return TD_OK;
}

// Where the frame of a rod, a body or a node is, as sensors.
td_status td_build_here(builder* b, td_sensor_ref ref, ex here[3]) {
  ref.kind = SENSOR_POS;
  for (int c = 0; c < 3; c++) {
    ref.component = c;
    const int var = td_spec_sensor(b->spec, &ref, td_span_none());
    if (var < 0) return TD_E_NOMEM;
    here[c] = td_ex_var(b->spec->graph, var);
  }
  return TD_OK;
}

// `at`: what stands at the station's origin; NULL: it does not feel the stream.
static td_status push_wet(builder* b, int station, const td_sensor_ref* at, ex displaced,
                          const ex centre[3], const ex drag[36], const ex added[36]) {
  model_wet wet = {.station = station, .stream = NUM_NONE};
  if (b->m->stream_varies && at) {
    ex here[3];
    TD_TRY(td_build_here(b, *at, here));
    TD_TRY(td_build_stream(b, here, &wet.stream));
  }
  TD_TRY(push_matrix(b, drag, &wet.drag));
  TD_TRY(push_matrix(b, added, &wet.added));
  wet.displaced = td_build_number(b, displaced);
  wet.centre = td_push_number_ex(b->m, 3) ? b->m->nnumber_ex - 3 : NUM_NONE;
  model_wet* out = td_push_wet(b->m, 1);
  if (!out || b->m->failed) return TD_E_NOMEM;
  memcpy(b->m->number_ex + wet.centre, centre, 3 * sizeof(ex));
  *out = wet;
  b->m->has_blocks = true;
  if (wet.added != NUM_NONE) b->m->has_added = true;
  return TD_OK;
}

td_status td_build_buoyancy(builder* b, int station, ex displaced) {
  const ex none = num_ex(b, 0), centre[3] = {none, none, none};
  ex nothing[36];
  zeros(b, nothing);
  return push_wet(b, station, NULL, displaced, centre, nothing, nothing);
}

static ex density(builder* b) {
  const value* rho = b->fluid ? td_get(b->fluid, 0, "rho") : NULL;
  return rho ? td_value_ex(rho, 0, b->spec->graph) : num_ex(b, 0);
}

// ---- rods -------------------------------------------------------------------------------------

// Element i of a field of rod.fluid at an arc length.
static ex rod_number(builder* b, int rod, const char* field, int i, double arc, double fallback) {
  const value *fluid = td_rod_get(b, rod, "fluid", arc),
              *v = fluid ? td_get(fluid, 0, field) : NULL;
  return v && i < td_value_count(v) ? at_arc(b, td_value_ex(v, i, b->spec->graph), arc)
                                    : num_ex(b, fallback);
}

// Coefficients of drag in the section's axes: a whole matrix, or drag on the diagonal and lift
// across.
static void rod_coefficients(builder* b, int rod, double arc, ex C[9]) {
  static const double drag[3] = {1.1, 1.1, 0.01};
  const value* fluid = td_rod_get(b, rod, "fluid", arc);
  const value *whole = fluid ? td_get(fluid, 0, "drag_matrix") : NULL,
              *lift = fluid ? td_get(fluid, 0, "lift") : NULL;
  for (int k = 0; k < 9 && whole; k++)
    C[k] = rod_number(b, rod, "drag_matrix", k / 3 + 3 * (k % 3), arc, 0);
  if (whole) return;
  const bool three = lift && td_value_count(lift) == 3;
  ex l[3];
  for (int c = 0; c < 3; c++) {
    l[c] = three ? rod_number(b, rod, "lift", c, arc, 0)
                 : (c == 2 ? rod_number(b, rod, "lift", 0, arc, 0) : num_ex(b, 0));
    C[4 * c] = rod_number(b, rod, "drag", c, arc, drag[c]);
  }
  C[1] = times(b, -1, l[2]);
  C[2] = l[1];
  C[3] = l[2];
  C[5] = times(b, -1, l[0]);
  C[6] = times(b, -1, l[1]);
  C[7] = l[0];
}

// Per length: drag ½ ρ w C with the width w across each direction, added mass ρ A C.
static td_status wet_sample(builder* b, const model_sample* s) {
  static const double mass[3] = {0.6, 0.6, 0};
  const int rod = s->rod - 1;
  const ex rho = density(b), A = td_rod_area(b, rod, s->arc), none = num_ex(b, 0);
  const ex centre[3] = {none, none, none};
  ex drag[36], added[36], C[9], width[3];
  zeros(b, drag);
  zeros(b, added);
  td_rod_widths(b, rod, s->arc, width);
  rod_coefficients(b, rod, s->arc, C);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      drag[6 * i + j] = times(b, 0.5 * s->weight, mul(b, mul(b, rho, width[i]), C[3 * i + j]));
    added[7 * i] = times(
        b, s->weight, mul(b, mul(b, rho, A), rod_number(b, rod, "added_mass", i, s->arc, mass[i])));
  }
  const td_sensor_ref at = {.root = 'r', .index = s->rod, .arc = s->arc};
  return push_wet(b, s->station, &at, times(b, s->weight, mul(b, rho, A)), centre, drag, added);
}

// ---- bodies -----------------------------------------------------------------------------------

static void body_matrix(builder* b, const value* fluid, const char* field, ex out[36]) {
  const value* v = td_get(fluid, 0, field);
  zeros(b, out);
  for (int k = 0; v && k < 36; k++) out[k] = td_value_ex(v, k / 6 + 6 * (k % 6), b->spec->graph);
}

static td_status wet_body(builder* b, int instance) {
  const model_body* body = &b->m->body[instance];
  const value* fluid = td_get(b->bodies, body->body - 1, "fluid");
  if (!fluid) return TD_OK;
  const value *volume = td_get(fluid, 0, "volume"), *center = td_get(fluid, 0, "center");
  ex drag[36], added[36], centre[3];
  body_matrix(b, fluid, "drag_matrix", drag);
  body_matrix(b, fluid, "added_mass", added);
  for (int c = 0; c < 3; c++)
    centre[c] = center ? td_value_ex(center, c, b->spec->graph) : b->m->number_ex[body->com + c];
  const ex V = volume ? td_value_ex(volume, 0, b->spec->graph) : num_ex(b, 0);
  const td_sensor_ref at = {.root = 'b', .index = body->body, .element = body->element};
  return push_wet(b, body->station, &at, mul(b, density(b), V), centre, drag, added);
}

td_status td_build_fluid(builder* b) {
  const value* velocity = b->fluid ? td_get(b->fluid, 0, "velocity") : NULL;
  for (int c = 0; velocity && c < 3; c++)
    if (td_ex_depends(b->spec->graph, td_value_ex(velocity, c, b->spec->graph)) & TD_ON_HERE)
      b->m->stream_varies = true;
  b->m->fluid_velocity = td_build_numbers(b, b->m->stream_varies ? NULL : velocity, 0, 1, 3, 0);
  if (b->m->fluid_velocity == NUM_NONE) return TD_E_NOMEM;
  if (is_nothing(b, density(b))) return TD_OK;
  for (int i = 0; i < b->m->nsample; i++)
    if (b->m->sample[i].weight > 0 && b->rod[b->m->sample[i].rod - 1].joint < 0)
      TD_TRY(wet_sample(b, &b->m->sample[i]));
  for (int i = 0; i < b->m->nbody; i++) TD_TRY(wet_body(b, i));
  for (int k = 0; k < b->nmesh; k++) TD_TRY(td_mesh_fluid(b, k, density(b)));
  return TD_OK;
}
