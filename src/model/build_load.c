// External loads on bodies and rods: their fields, their rules and their builder.
#include <stdio.h>

#include "model/build.h"
#include "model/meshes.h"
#include "model/structure.h"

static const td_field fields[] = {
    {"exload", FIELD_STRUCTS, "", "", "", FIXED, "", "", "external loads"},
    {"exload.exbody", FIELD_PLACE, "", TD_REQUIRED, "", FIXED, "", "", "body it acts on"},
    {"exload.refbody", FIELD_PLACE, "", "[0 1]", "", FIXED, "", "",
     "body in whose frame the load is given; 0 is the world"},
    {"exload.tr", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "transformations from the body's frame to the point of action"},
    {"exload.tr.trans", FIELD_NUM, "1x3", "[0 0 0]", "m", PARAM, "", "", "translation"},
    {"exload.tr.rot", FIELD_NUM, "1x2|1x3|1x4", "[0 0]", "rad", PARAM, "", "",
     "rotation: [axis angle]; three angles; [0 x y z] with norm([x y z]) < 1, the vector part of a "
     "unit quaternion; otherwise a quaternion [w x y z]"},
    {"exload.ftau", FIELD_NUM, "nx3|nx6", "[0 0 0 0 0 0]", "N, N m", FORCE, "", "",
     "force, or force and torque"},
    {.path = NULL},
};
static const td_rule rules[] = {
    {"exload.tr.rot", .value = td_check_place_rotation},
    {.path = NULL},
};

const td_structure td_structure_exload = {
    .fields = fields,
    .rules = rules,
    .plural = "loads",
    .intro =
        "A force, or a force and a torque, on a body. It is given in the world unless `refbody` "
        "names a body whose frame it follows.",
    .example =
        "exload(1).exbody = 2;\n"
        "exload(1).tr.trans = [0 0 0.2];\n"
        "exload(1).ftau = [5*sin(2*pi*t) 0 0 0 0 0];\n",
};

// Add the e-th element of load i: its station on the body, the frame its components refer to, and
// the six numbers of its wrench (torques are zero with three columns).
static td_status load_element(builder* b, int i, const place* body, int e) {
  const int n = max_int(1, body->n);
  const value* ftau = td_get(b->loads, i, "ftau");
  const int cols = ftau ? td_field_fit("nx3|nx6", ftau, n).cols : 6;
  const double zero[6] = {0};
  char what[48];
  int station, axes;
  snprintf(what, sizeof what, "exload(%d).refbody", i + 1);
  TD_TRY(td_build_reference(b, b->loads, i, what, e, n, &axes));
  snprintf(what, sizeof what, n > 1 ? "exload(%d)[%d]" : "exload(%d)", i + 1, e + 1);
  TD_TRY(td_build_station(b, body, e, td_get(b->loads, i, "tr"), true, what, &station));
  model_load* f = td_push_load(b->m, 1);
  const num wrench = td_build_constants(b, zero, 6);
  if (!f || wrench == NUM_NONE) return TD_E_NOMEM;
  *f = (model_load){
      .name = td_push_name(b->m, "%s", what), .a = axes, .b = station, .wrench = wrench};
  for (int c = 0; c < cols; c++)
    b->m->number_ex[wrench + c] = td_build_pick(b, ftau, e, n, c, cols, 0);
  return TD_OK;
}

// Is some number of the last three columns not zero?
static bool has_torque(const value* ftau, int n) {
  const td_fit fit = ftau ? td_field_fit("nx3|nx6", ftau, n) : (td_fit){.cols = 0};
  bool any = false;
  for (int k = 3 * fit.rows; fit.cols == 6 && k < 6 * fit.rows; k++)
    any = any || ftau->x[k] != 0 || (ftau->e && ftau->e[k] != EX_NONE);
  return any;
}

// Add load i on all elements of its body or on its place along a rod.  Refuses the ground, elements
// that do not exist, and too many loads.
static td_status load(builder* b, int i) {
  const char* field = td_get(b->loads, i, "exbody") ? "exbody" : "body";
  const td_span at = td_get_at(b->loads, i, field);
  place body;
  char what[48];
  snprintf(what, sizeof what, "exload(%d).%s", i + 1, field);
  td_status status = td_build_place(b, td_get(b->loads, i, field), at, what, &body);
  const int n = max_int(1, body.n);
  if (status == TD_OK && body.body == 0 && body.rod == 0)
    status = td_error(b->diags, TD_E_MODEL, at, "%s is the ground: a load acts on a body", what);
  if (status == TD_OK) status = td_build_check_place(b, &body, n, what);
  for (int e = 0; status == TD_OK && e < body.n; e++)
    if (body.element[e] == 0)
      status =
          td_error(b->diags, TD_E_MODEL, at, "%s names element 0: elements count from 1", what);
  if (status == TD_OK && !td_get(b->loads, i, "ftau"))
    td_warn(b->diags, at, "exload(%d) has no effect: it has no ftau, the force and torque", i + 1);
  if (status == TD_OK && has_torque(td_get(b->loads, i, "ftau"), n)) {
    char torque[64];
    snprintf(torque, sizeof torque, "the torque of exload(%d)", i + 1);
    td_mesh_warn_torque(b, &body, at, torque);
  }
  if (status == TD_OK && (long)model_forces(b->m) + n > b->spec->limits.parts)
    status = td_error(b->diags, TD_E_MODEL, at,
                      "exload(%d) has %d elements: the model may have %d springs and loads", i + 1,
                      n, b->spec->limits.parts);
  for (int e = 0; e < n && status == TD_OK; e++) status = load_element(b, i, &body, e);
  free(body.element);
  return status;
}

td_status td_build_loads(builder* b) {
  td_status worst = TD_OK;
  for (int i = 0; i < b->nload; i++) {
    const td_status s = load(b, i);
    if (s != TD_OK) worst = s;
  }
  return worst;
}
