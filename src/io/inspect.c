// Properties of a spec or a model that programs need: printed text, settings, coordinates, rods,
// meshes, units, and the versions of the libraries that read and write files.
#include <cjson/cJSON.h>
#include <hdf5.h>
#include <math.h>
#include <matio.h>
#include <stdio.h>
#include <string.h>

#include "model/field.h"
#include "model/model.h"
#include "model/spec.h"
#include "tendril/tools.h"

const char* td_spec_printed(const td_spec* spec) {
  return spec && spec->printed.s ? spec->printed.s : "";
}

// Value of a setting by its name with dots, NULL: none
static const value* find_value(const td_spec* spec, const char* path) {
  const value* v = spec->root;
  const char* whole = path;
  while (v && *path) {
    const size_t n = strcspn(path, "."), length = (size_t)(path - whole) + n;
    char name[128];
    if (length >= sizeof name || v->kind != V_STRUCT || td_value_count(v) < 1) return NULL;
    memcpy(name, whole, length);
    name[length] = '\0';
    const value* field = td_get(v, 0, name + length - n);
    v = field ? field : td_field_get(v, 0, name);  // under another spelling
    path += n + (path[n] == '.');
  }
  return v;
}

const char* td_spec_text(const td_spec* spec, const char* path) {
  if (!spec || !path) return NULL;
  const value* v = find_value(spec, path);
  return v && v->kind == V_STR ? v->s : NULL;
}

double td_spec_value(const td_spec* spec, const char* path) {
  if (!spec || !path) return (double)NAN;
  const value* v = find_value(spec, path);
  return v && v->kind == V_NUM && td_value_count(v) == 1 ? v->x[0] : (double)NAN;
}

bool td_spec_param_about(const td_spec* spec, int i, const char** name, double* x,
                         const char** text) {
  if (!spec || !name || !x || !text) return false;
  if (i < 0 || i >= spec->nparam) return false;
  *name = spec->params[i].name;
  *text = spec->params[i].text;
  *x = *text ? (double)NAN : spec->params[i].value;
  return true;
}

bool td_model_uses_time(const td_model* model) {
  if (!model) return false;
  for (int i = 0; i < model->nnumber_ex; i++)
    if (td_ex_depends(model->graph, model->number_ex[i]) & TD_ON_TIME) return true;
  return false;
}

static bool is_word(const value* v, const char* name) {
  return v && v->kind == V_STR && strcmp(v->s, name) == 0;
}

// Report whether the text's `output` lists a name; without a list, everything is wanted.
bool td_spec_wants(const td_spec* spec, const char* name) {
  if (!spec || !name) return false;
  const value* list = td_get(spec->root, 0, "output");
  if (!list) return true;
  if (list->kind != V_CELL) return is_word(list, name);
  for (int i = 0; i < td_value_count(list); i++) {
    if (is_word(list->slots[i].v, name)) return true;
  }
  return false;
}

int td_spec_count(const td_spec* spec, const char* name) {
  if (!spec || !name) return 0;
  const value* list = td_get(spec->root, 0, name);
  return list ? td_value_count(list) : 0;
}

// Units of coefficients of powers of arc length: positions are Σ q_i s^(i+1), quaternions Σ q_i
// s^i.
enum { POWERS = 20 };
static const char* const power_unit[POWERS] = {"1/m",    "1/m^2",  "1/m^3",  "1/m^4",  "1/m^5",
                                               "1/m^6",  "1/m^7",  "1/m^8",  "1/m^9",  "1/m^10",
                                               "1/m^11", "1/m^12", "1/m^13", "1/m^14", "1/m^15",
                                               "1/m^16", "1/m^17", "1/m^18", "1/m^19", "1/m^20"};
static const char* const power_rate[POWERS] = {
    "1/(m s)",    "1/(m^2 s)",  "1/(m^3 s)",  "1/(m^4 s)",  "1/(m^5 s)",
    "1/(m^6 s)",  "1/(m^7 s)",  "1/(m^8 s)",  "1/(m^9 s)",  "1/(m^10 s)",
    "1/(m^11 s)", "1/(m^12 s)", "1/(m^13 s)", "1/(m^14 s)", "1/(m^15 s)",
    "1/(m^16 s)", "1/(m^17 s)", "1/(m^18 s)", "1/(m^19 s)", "1/(m^20 s)"};

// Unit of a coefficient of a polynomial; those of rods multiply functions that are lengths.
static const char* polynomial_unit(const td_model* m, const model_dof* dof, const model_hop* hop,
                                   bool velocity) {
  if (dof->rod > 0 && m->rod[dof->rod - 1].monomial) {
    const int i = dof->element - 1;
    return i < 0 || i >= POWERS ? "" : velocity ? power_rate[i] : power_unit[i];
  }
  if (td_hop_traits[hop->kind].axes == 0) return velocity ? "1/s" : "";
  return velocity ? "1/(m s)" : "1/m";
}

// Unit of a coordinate or velocity of a hop
static const char* unit_of(const td_model* m, const model_dof* dof, const model_hop* hop,
                           bool velocity) {
  if (!hop) return "";
  if (!is_step(hop) && m->col[hop->col].slope != NUM_NONE)
    return polynomial_unit(m, dof, hop, velocity);
  // coefficients of bending and twist; those of shear and stretch have the unit of the hop
  if (is_step(hop) && dof->dof > 3) return velocity ? "1/(m s)" : "1/m";
  if (hop->moves && !hop->turns) return velocity ? "m/s" : "m";
  return velocity ? td_hop_traits[hop->kind].rate_unit : td_hop_traits[hop->kind].unit;
}

// Describe a coordinate or velocity.
static td_coordinate describe(const td_model* m, const model_dof* dof, bool velocity) {
  const model_hop* hop = dof->hop < 0 ? NULL : &m->hop[dof->hop];
  const bool known = dof->joint >= 1 && dof->joint <= m->njoint;
  const char *name = model_name(m, dof->name), *dot = strrchr(name, '.');
  return (td_coordinate){
      .name = name,
      .joint = known ? model_name(m, m->joint[dof->joint - 1].name) : "",
      .number = dof->joint,
      .element = dof->element,
      .dof = dof->dof,
      .unit = unit_of(m, dof, hop, velocity),
      .prescribed = hop && hop->prescribed,
      .rod = dof->rod > 0 ? model_name(m, m->rod[dof->rod - 1].name) : "",
      .rod_number = dof->rod,
      .mode = dof->rod == 0 && dof->mesh == 0 ? ""
              : dot                           ? dot + 1
                                              : name,  // arm[3].bend_x: bend_x
      .mesh = dof->mesh > 0 ? model_name(m, m->mesh[dof->mesh - 1].name) : "",
      .mesh_number = dof->mesh,
  };
}

static bool range_of(const model_named* x, double range[2]) {
  if (!range || (isinf(x->low) && isinf(x->high))) return false;
  range[0] = x->low;
  range[1] = x->high;
  return true;
}

bool td_model_param_range(const td_model* m, int i, double range[2], bool* logarithmic) {
  if (!m || i < 0 || i >= m->nparam) return false;
  if (logarithmic) *logarithmic = m->param[i].logarithmic;
  return range_of(&m->param[i], range);
}

bool td_model_input_range(const td_model* m, int i, double range[2]) {
  return m && i >= 0 && i < m->ninput && range_of(&m->input[i], range);
}

bool td_model_input_is_set(const td_model* m, int i) {
  return m && i >= 0 && i < m->ninput && model_sets_input(m, i);
}

bool td_model_q_about_into(const td_model* model, int i, td_coordinate* about, size_t size) {
  if (!model || i < 0 || i >= model->npos) return false;
  const td_coordinate own = describe(model, &model->pos[i], false);
  return struct_into(about, size, &own, sizeof own);
}

bool td_model_v_about_into(const td_model* model, int i, td_coordinate* about, size_t size) {
  if (!model || i < 0 || i >= model->nvel) return false;
  const td_coordinate own = describe(model, &model->vel[i], true);
  return struct_into(about, size, &own, sizeof own);
}

// Describe a rod.
bool td_model_rod_about_into(const td_model* m, int i, td_rod* about, size_t size) {
  if (!m || i < 0 || i >= m->nrod) return false;
  const model_rod* rod = &m->rod[i];
  td_rod own = {.name = model_name(m, rod->name),
                .model = td_rod_models[rod->model].name,
                .n = rod->n,
                .length = rod->length};
  for (int k = 0; k < m->nvel; k++) own.nv += m->vel[k].rod == i + 1;
  if (td_rod_models[rod->model].functions) {
    memcpy(own.order, rod->order, sizeof own.order);
    memcpy(own.elements, rod->elements, sizeof own.elements);
    memcpy(own.functions, rod->functions, sizeof own.functions);
    own.points = rod->points;
    own.magnus = rod->magnus;
  }
  return struct_into(about, size, &own, sizeof own);
}

// Describe a mesh.
bool td_model_mesh_about_into(const td_model* m, int i, td_mesh* about, size_t size) {
  if (!m || i < 0 || i >= m->nmesh) return false;
  const model_mesh* mesh = &m->mesh[i];
  const td_mesh own = {
      .name = model_name(m, mesh->name),
      .nnode = mesh->nnode,
      .nfixed = mesh->nfixed,
      .nedge = mesh->nedge,
      .ndiagonal = mesh->ndiagonal,
      .rod = mesh->rod,
      .nrod = mesh->nrod,
      .station = mesh->station,
      .body = mesh->body,
      .force = first_force(m, mesh->nedge > 0 ? mesh->edge_kind : mesh->diagonal_kind) +
               (mesh->nedge > 0 ? mesh->edge : mesh->diagonal)};
  return struct_into(about, size, &own, sizeof own);
}

bool td_model_station_fixed(const td_model* m, int station) {
  if (!m) return false;
  return station >= 0 && station < m->nstation && m->station[station].hop < 0;
}

// Stations at the ends of a force; false: it has not both
bool td_model_force_ends(const td_model* m, int force, int stations[2]) {
  if (!m || !stations) return false;
  if (force < 0 || force >= model_forces(m)) return false;
  const force_info f = force_at(m, force);
  stations[0] = f.a;
  stations[1] = f.b;
  return stations[0] >= 0 && stations[1] >= 0;
}

// Stations at the ends of an edge of a mesh
bool td_model_mesh_edge(const td_model* m, int i, int edge, int stations[2]) {
  if (!m || !stations || i < 0 || i >= m->nmesh) return false;
  const model_mesh* mesh = &m->mesh[i];
  if (edge < 0 || edge >= mesh->nrod + mesh->nedge + mesh->ndiagonal) return false;

  // diagonals, then edges, then rods
  if (edge >= mesh->nrod + mesh->nedge)
    return td_model_force_ends(
        m, first_force(m, mesh->diagonal_kind) + mesh->diagonal + edge - mesh->nrod - mesh->nedge,
        stations);
  if (edge >= mesh->nrod)
    return td_model_force_ends(m, first_force(m, mesh->edge_kind) + mesh->edge + edge - mesh->nrod,
                               stations);
  memcpy(stations, m->rod[mesh->rod - 1 + edge].nodes, 2 * sizeof(int));
  return true;
}

int td_model_station_rod(const td_model* m, int station, double* arc) {
  if (!m || !arc) return 0;
  if (station < 0 || station >= m->nstation) return 0;
  *arc = m->station[station].arc;
  return m->station[station].rod;
}

static int add_part(td_part* parts, int n, int limit, const char* name, const char* version) {
  if (n >= limit) return n;
  parts[n].name = name;
  snprintf(parts[n].version, sizeof parts[n].version, "%s", version);
  return n + 1;
}

// Versions of the libraries
int td_parts(td_part* parts, int limit) {
  if (!parts || limit < 0) return 0;
  char text[32];
  int n = 0;
  n = add_part(parts, n, limit, "SUNDIALS", TENDRIL_SUNDIALS);
  n = add_part(parts, n, limit, "OpenBLAS and LAPACK", TENDRIL_OPENBLAS);
  n = add_part(parts, n, limit, "cminpack", TENDRIL_CMINPACK);

  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  snprintf(text, sizeof text, "%u.%u.%u", major, minor, release);
  n = add_part(parts, n, limit, "HDF5", text);

  int a = 0, b = 0, c = 0;
  Mat_GetLibraryVersion(&a, &b, &c);
  snprintf(text, sizeof text, "%d.%d.%d", a, b, c);
  n = add_part(parts, n, limit, "matio", text);
  return add_part(parts, n, limit, "cJSON", cJSON_Version());
}

// ---- units of sensors -------------------------------------------------------------------------

static const char* coordinate_unit(const td_model* m, int i, bool rate) {
  td_coordinate about;
  const bool known = rate ? td_model_v_about(m, i, &about) : td_model_q_about(m, i, &about);
  return known ? about.unit : "";
}

// Unit of a probe
static const char* probe_unit(const td_model* m, const model_probe* p) {
  const td_sensor_info* info = &td_sensor_table[p->kind];
  if (info->unit) return p->component < 3 ? info->unit : info->second_unit;
  if (info->depends != TD_ON_RATE) return coordinate_unit(m, p->q, false);
  // the rate of a component of a quaternion is no velocity
  const int hop = p->q < 0 ? -1 : m->pos[p->q].hop;
  return hop >= 0 && m->hop[hop].vector ? "1/s" : coordinate_unit(m, p->v, true);
}

// Unit of an expression: sums and differences of sensors of one unit and of constants have it, for
// others it is not known ("").
static const char* sum_unit(const td_model* m, ex e, int depth) {
  const int var = td_ex_var_of(m->graph, e);
  for (int i = 0; var >= 0 && i < m->nprobe; i++)
    if (m->probe[i].var == var) return probe_unit(m, &m->probe[i]);
  const ex_op op = td_ex_op(m->graph, e);
  if (op == EX_NEG && depth > 0) return sum_unit(m, td_ex_arg(m->graph, e, 0), depth - 1);
  if ((op != EX_ADD && op != EX_SUB) || depth == 0) return "";
  const ex a = td_ex_arg(m->graph, e, 0), b = td_ex_arg(m->graph, e, 1);
  if (td_ex_is_const(m->graph, a)) return sum_unit(m, b, depth - 1);
  if (td_ex_is_const(m->graph, b)) return sum_unit(m, a, depth - 1);
  const char *left = sum_unit(m, a, depth - 1), *right = sum_unit(m, b, depth - 1);
  return strcmp(left, right) == 0 ? left : "";
}

const char* td_model_sensor_unit(const td_model* m, int i) {
  if (!m) return "";
  return i >= 0 && i < m->noutput_ex ? sum_unit(m, m->output_ex[i], 12) : "";
}
