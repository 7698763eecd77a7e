// Joints: their fields and rules, and one joint's transformations: `tr` and `type` become a list of
// items (fixed transformations and hops), and each element of the joint gets its own hops from that
// list.
//
//   g = g_first · Π [trans_k, rot_k],   inf in an element makes a DOF, in order of appearance
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "model/hop_words.h"
#include "model/rods.h"
#include "model/structure.h"

static const td_field fields[] = {
    {"joint", FIELD_STRUCTS, "", "", "", FIXED, "", "", "connections"},
    {"joint.first", FIELD_PLACE, "", "[0 0]", "", FIXED, "", "",
     "body it starts from; 0 is the ground"},
    {"joint.second", FIELD_PLACE, "", "[0 1]", "", FIXED, "", "", "body it leads to"},
    {"joint.rom", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "makes the body a rod whose pose is a polynomial of arc length (second = [body length]); m, "
     "I, "
     "spring, damp and input are then per length: one number, [a b] for the three "
     "translations and the three rotations, or six"},
    {"joint.rom.order", FIELD_INT, "1", TD_REQUIRED, "", FIXED, "", ">= 1", "polynomial order"},
    {"joint.rom.points", FIELD_NUM, "1|2xm", "2*order + 4", "", FIXED, "", ">= 0",
     "quadrature points: how many, or nodes and weights on [0,1] in two rows"},
    {"joint.tr", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "transformations from the first body's frame, in order: each moves, then turns"},
    {"joint.tr.trans", FIELD_NUM, "1x3", "[0 0 0]", "m", PARAM, "inf", "", "translation"},
    {"joint.tr.rot", FIELD_NUM, "1x2|1x3|1x4", "[0 0]", "rad", PARAM, "inf", "",
     "rotation: [axis angle] about x, y or z (axis 1, 2, 3); three bending and twist angles; "
     "[0 x y z] with `inf` or norm([x y z]) < 1, the vector part of a unit quaternion; [inf inf "
     "inf inf], a whole quaternion; otherwise [angle axis]"},
    {"joint.tr2nd", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "transformations from the second body's frame, for connections that are not in the main "
     "chain"},
    {"joint.tr2nd.trans", FIELD_NUM, "1x3", "[0 0 0]", "m", PARAM, "", "", "translation"},
    {"joint.tr2nd.rot", FIELD_NUM, "1x2|1x3|1x4", "[0 0]", "rad", PARAM, "", "",
     "rotation: [axis angle]; three angles; [0 x y z] with norm([x y z]) < 1, the vector part of a "
     "unit quaternion; otherwise a quaternion [w x y z]"},
    {"joint.dof", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "the degrees of freedom, in order of appearance"},
    {"joint.dof.equal2", FIELD_INT, "1|nx2|nx3", "", "", FIXED, "", ">= 1",
     "the same coordinate as an earlier one: [joint dof], [joint element dof], or its number among "
     "the degrees of freedom of all joints in order"},
    {"joint.dof.init", FIELD_NUM, "nx1", "0", "m, rad", PARAM, "", "", "initial value"},
    {"joint.dof.init_s", FIELD_NUM, "1xm", "(1:order)*length/order", "m", FIXED, "", "> 0",
     "with `joint.rom`: arc lengths at which `init` gives values"},
    {"joint.dof.rate", FIELD_NUM, "nx1", "0", "m/s, rad/s", PARAM, "", "", "initial rate"},
    {"joint.dof.motion", FIELD_NUM, "nx1", "", "m, rad", TIMED, "", "",
     "prescribes the value; the effort this needs is reported"},
    {"joint.dof.spring", FIELD_STRUCT, "1", "", "", FIXED, "", "", "spring along it"},
    {"joint.dof.spring.coeff", FIELD_NUM, "nx1", "0", "N/m, N m/rad", FORCE, "", "", "stiffness"},
    {"joint.dof.spring.init", FIELD_NUM, "nx1", "0", "m, rad", FORCE, "nan", "", "rest value"},
    {"joint.dof.spring.compr", FIELD_NUM, "nx1", "1", "", FORCE, "", "(0,1]",
     "factor on the rest value: below 1 the spring is under tension at `init`"},
    {"joint.dof.dir", FIELD_INT, "nx1", "0", "", FIXED, "", "-1|0|1",
     "when spring, damper and input act: 1 above the rest value, -1 below it, 0 always"},
    {"joint.dof.damp", FIELD_STRUCT, "1", "", "", FIXED, "", "", "damper along it"},
    {"joint.dof.damp.visc", FIELD_NUM, "nx1", "0", "N s/m, N m s/rad", FORCE, "", "", "viscosity"},
    {"joint.dof.damp.pow", FIELD_NUM, "nx1", "1", "", PARAM, "", "> 0",
     "power p of the law -visc*abs(u)^p*sign(u)"},
    {"joint.dof.input", FIELD_NUM, "nx1", "0", "N, N m", FORCE, "", "", "force or torque along it"},
    {"joint.dir", FIELD_INT, "nx1|nx3", "0", "", FIXED, "", "-1|0|1",
     "1 acts in elongation only (a rope), -1 in compression only (a soft contact), 0 in both; "
     "three "
     "values: for each axis of a beam; it switches spring, damper and input"},
    {"joint.xaxis", FIELD_NUM, "nx3", "", "", PARAM, "", "",
     "direction of the x axis of a beam whose z axis runs along it"},
    {"joint.spring", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "spring between two places: one column acts along the line, six make a beam "
     "[shear x, shear y, stretch, bend x, bend y, twist]"},
    {"joint.spring.coeff", FIELD_NUM, "nx1|nx6", "0", "N/m, N m/rad", FORCE, "", "", "stiffness"},
    {"joint.spring.init", FIELD_NUM, "nx1|nx6", "0", "m, rad", FORCE, "nan", "",
     "rest length, or rest values of the six"},
    {"joint.spring.compr", FIELD_NUM, "nx1|nx6", "1", "", FORCE, "", "(0,1]",
     "factor on the rest values: below 1 the spring is under tension at `init`"},
    {"joint.damp", FIELD_STRUCT, "1", "", "", FIXED, "", "", "damper between the two places"},
    {"joint.damp.visc", FIELD_NUM, "nx1|nx6", "0", "N s/m, N m s/rad", FORCE, "", "", "viscosity"},
    {"joint.damp.pow", FIELD_NUM, "nx1|nx6", "1", "", PARAM, "", "> 0",
     "power p of the law -visc*abs(u)^p*sign(u)"},
    {"joint.damp.along", FIELD_FLAG, "1", "0", "", FIXED, "", "",
     "with one column: 0 damps each component of the relative velocity in the world, as published; "
     "1 the change of length, which conserves angular momentum"},
    {"joint.input", FIELD_NUM, "nx1|nx6", "0", "N, N m", FORCE, "", "",
     "force along the line, or the six of a beam"},
    {"joint.refbody", FIELD_PLACE, "", "[0 1]", "", FIXED, "", "",
     "body along whose axes the constrained displacements are counted; 0 is the world"},
    {"joint.fixed", FIELD_FLAG, "nx1|nx3|nx6", "0", "", FIXED, "", "",
     "which of [x y z rx ry rz] are constrained: displacements along the axes of `refbody`, "
     "rotations about those of the first place; fewer columns mean the first ones"},
    {"joint.control", FIELD_NUM, "nx1|nx3|nx6", "0", "m/s^2, rad/s^2", FORCE, "", "",
     "acceleration along the constrained directions; 0 holds them; three are those along x, y, z"},
    {"joint.motion", FIELD_NUM, "nx1|nx2|nx3|nx4|nx5|nx6", "", "m, rad", TIMED, "", "",
     "of a main joint: prescribes all its degrees of freedom in order, as `dof(i).motion`; a "
     "rotation by a quaternion, of type 'spherical' or 'free', is given by its rotation vector, of "
     "any length. With `fixed`: position along the constrained directions x, y, z and, with six "
     "columns, the rotation vector from the first frame to the second, shorter than pi, instead of "
     "`control`. Rates and accelerations follow from it"},
    {"joint.type", FIELD_STR, "", "", "", FIXED, "",
     "fixed|revolute|prismatic|helical|cylindrical|planar|universal|spherical|free",
     "shorthand for the degrees of freedom; on a body that has its main joint it closes a loop"},
    {"joint.axis", FIELD_NUM, "1x3|2x3", "[0 0 1]", "", PARAM, "", "",
     "axis of `type` (the normal of a planar joint); a universal joint has two rows, "
     "[1 0 0; 0 1 0] by default"},
    {"joint.pitch", FIELD_NUM, "1", "", "m/rad", PARAM, "", "",
     "advance of a helical joint; required there"},
    {"joint.beam", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "how a six-column spring measures strain"},
    {"joint.beam.frame", FIELD_STR, "", "first", "", FIXED, "", "first|mid",
     "frame of the first body, or the one half-way between the two, which is of second order"},
    {"joint.chart", FIELD_STR, "", "quaternion", "", FIXED, "", "quaternion|vector",
     "what is integrated for rot = [0 inf inf inf] and [0 0 inf 0]: the whole unit quaternion and "
     "the angular velocity, or the vector part itself, up to half a turn"},
    {"joint.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages and results; unique"},
    {.path = NULL},
};

// ---- reading ----------------------------------------------------------------------------------

law_words td_law_read(const value* s, int i) {
  const value *spring = td_get(s, i, "spring"), *damp = td_get(s, i, "damp");
  return (law_words){.spring = spring,
                     .coeff = td_get(spring, 0, "coeff"),
                     .init = td_get(spring, 0, "init"),
                     .compr = td_field_get(spring, 0, "joint.spring.compr"),
                     .damp = damp,
                     .visc = td_get(damp, 0, "visc"),
                     .pow = td_get(damp, 0, "pow"),
                     .along = td_get(damp, 0, "along"),
                     .input = td_get(s, i, "input"),
                     .dir = td_get(s, i, "dir")};
}

td_span td_law_at(const value* s, int i, const char* path) {
  const char* dot = strchr(path, '.');
  if (!dot) return td_get_at(s, i, path);
  return td_get_at(td_get(s, i, path[0] == 's' ? "spring" : "damp"), 0, dot + 1);
}

dof_words td_joint_dof(const joint_words* w, int d) {
  return (dof_words){.equal2 = td_get(w->dof, d, "equal2"),
                     .init = td_get(w->dof, d, "init"),
                     .init_s = td_get(w->dof, d, "init_s"),
                     .rate = td_get(w->dof, d, "rate"),
                     .motion = td_get(w->dof, d, "motion"),
                     .law = td_law_read(w->dof, d)};
}

joint_words td_joint_read(const value* s, int i) {
  const value *rom = td_get(s, i, "rom"), *beam = td_get(s, i, "beam");
  return (joint_words){.s = s,
                       .i = i,
                       .first = td_get(s, i, "first"),
                       .second = td_get(s, i, "second"),
                       .tr = td_get(s, i, "tr"),
                       .tr2nd = td_get(s, i, "tr2nd"),
                       .refbody = td_get(s, i, "refbody"),
                       .type = td_get_word(s, i, "type", NULL),
                       .chart = td_get_word(s, i, "chart", "quaternion"),
                       .axis = td_get(s, i, "axis"),
                       .pitch = td_get(s, i, "pitch"),
                       .dof = td_get(s, i, "dof"),
                       .motion = td_get(s, i, "motion"),
                       .fixed = td_get(s, i, "fixed"),
                       .control = td_get(s, i, "control"),
                       .rom = rom,
                       .points = td_get(rom, 0, "points"),
                       .law = td_law_read(s, i),
                       .xaxis = td_get(s, i, "xaxis"),
                       .beam = beam,
                       .mid = strcmp(td_get_word(beam, 0, "frame", "first"), "mid") == 0};
}

// ---- rules ------------------------------------------------------------------------------------

// type, axis and pitch belong together.
void td_check_joint_type(td_spec* spec, const value* s, int i, const char* name) {
  static const char* const with_axis[] = {"revolute",    "prismatic", "helical",
                                          "cylindrical", "planar",    "universal"};
  td_diags* diags = &spec->diags;
  const joint_words w = td_joint_read(s, i);
  const char* type = w.type ? w.type : "";
  const value* axis = w.axis;
  const bool helical = strcmp(type, "helical") == 0, universal = strcmp(type, "universal") == 0;
  bool has_axis = false;
  for (int k = 0; k < 6; k++) has_axis = has_axis || strcmp(type, with_axis[k]) == 0;
  if (*type && !td_field_has_option(td_field_in(fields, "joint.type"), type)) return;

  if (axis && !has_axis) {
    td_warn(diags, td_get_at(s, i, "axis"), "%s.axis has no effect: %s%s%s", name,
            *type ? "a joint of type '" : "there is no joint type", type,
            *type ? "' has no axis" : "");
  } else if (axis && axis->kind == V_NUM && td_value_count(axis) == (universal ? 3 : 6)) {
    td_error(diags, TD_E_MODEL, td_get_at(s, i, "axis"),
             "%s.axis of a %s joint must be %s, got %dx%d", name, type, universal ? "2x3" : "1x3",
             axis->rows, axis->cols);
  }
  if (helical && !w.pitch)
    td_error(diags, TD_E_MODEL, td_get_at(s, i, "type"),
             "%s.pitch is missing: a helical joint advances while it turns", name);
  if (!helical) td_check_unused(spec, s, i, name, "pitch", "only a helical joint has one");
}

// Check one joint: its type, as many elements on both sides, the rules of each kind of hop.
static void check(td_spec* spec, const value* s, int i, const char* name) {
  td_check_joint_type(spec, s, i, name);

  // both ends name as many elements, when both are repeated
  const joint_words w = td_joint_read(s, i);
  const bool numbers = w.first && w.second && w.first->kind == V_NUM && w.second->kind == V_NUM;
  const int a = numbers ? td_value_count(w.first) - 1 : 0,
            b = numbers ? td_value_count(w.second) - 1 : 0;
  if (a >= 2 && b >= 2 && a != b)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "second"),
             "%s.second must name as many elements as %s.first, got %d and %d", name, name, b, a);

  for (int k = 0; k < HOP_KINDS; k++)
    if (td_hop_words[k]->fields) td_hop_words[k]->check(spec, s, i, name);
}

static const td_rule rules[] = {
    {"joint", .element = check},
    {"joint.tr.rot", .value = td_check_rotation},
    {"joint.tr2nd.rot", .value = td_check_place_rotation},
    {"joint.axis", .value = td_check_axes},
    {"joint.xaxis", .value = td_check_directions},
    {"joint.rom.points", .value = td_check_weights},
    {.path = NULL},
};

const td_structure td_structure_joint = {
    .fields = fields,
    .rules = rules,
    .intro =
        "The first joint that leads to a body places it: this is its *main joint*, and all of "
        "them make the main chain. Every `inf` in the `tr` of a main joint is a degree of "
        "freedom (DOF), numbered in order of appearance, and `dof(i)` describes the i-th. `type` "
        "says the same in one word.\n\n"
        "A joint to a body that already has its main joint links two places, `tr` on the first "
        "body and `tr2nd` on the second, and makes no DOFs. With `spring`, `damp` or `input` it "
        "is a force: along the line between the places, or a beam if there are six columns. With "
        "`fixed` it is a constraint, and `control` (an acceleration) or `motion` (a position) "
        "moves it. With `type` it closes a loop.\n\n"
        "`first = [b 0:n-1]` and `second = [b 1:n]` repeat a joint n times, a chain of n "
        "elements of body b. Row k of a field then belongs to element k; one row serves all.",
    .example =
        "joint(1).second       = 1;               % a hinge about y, 10 cm above the ground\n"
        "joint(1).tr(1).trans  = [0 0 0.1];\n"
        "joint(1).tr(2).rot    = [2 inf];\n"
        "joint(1).dof(1).init  = deg2rad(30);\n"
        "joint(1).dof(1).spring.coeff = 0.4;\n"
        "joint(1).dof(1).damp.visc    = 0.01;\n"
        "\n"
        "joint(2).first  = 1;                     % the next body on a screw\n"
        "joint(2).second = 2;\n"
        "joint(2).type   = 'helical';\n"
        "joint(2).axis   = [0 0 1];\n"
        "joint(2).pitch  = 1e-3;\n"
        "\n"
        "joint(3).second = 2;                     % a rope from the ground to body 2\n"
        "joint(3).tr2nd.trans  = [0 0 0.2];\n"
        "joint(3).spring.coeff = 500;\n"
        "joint(3).spring.init  = nan;             % as long as it is at the start\n"
        "joint(3).dir          = 1;\n",
};

// ---- items ------------------------------------------------------------------------------------

static const item blank_item = {
    .tr = -1, .axis = NUM_NONE, .pitch = NUM_NONE, .value = NUM_NONE, .free = {-1, -1, -1}};

// One more item, blank; NULL: no memory.
static item* push_item(build_joint* j) {
  item* grown = td_grow(j->items, &j->item_cap, j->nitem + 1, sizeof(item));
  if (!grown) return NULL;
  j->items = grown;
  j->items[j->nitem] = blank_item;
  return &j->items[j->nitem++];
}

static int count_free(const value* v) {
  int n = 0;
  for (int i = 0; v && i < td_value_count(v); i++) n += value_is_free(v, i);
  return n;
}

// Add a degree of freedom that turns about or moves along an axis.
static td_status push_screw_ex(builder* b, build_joint* j, const ex axis[3], bool turns,
                               num pitch) {
  static const double zero[3] = {0};
  item* it = push_item(j);
  if (!it) return TD_E_NOMEM;
  it->kind = HOP_SCREW;
  it->turns = turns;
  it->moves = !turns;
  it->pitch = pitch;
  it->axis = td_build_constants(b, zero, 3);
  it->dof = j->ndof;
  it->ndof = it->nq = it->nv = 1;
  j->ndof++;
  if (it->axis == NUM_NONE) return TD_E_NOMEM;
  for (int c = 0; c < 3; c++) b->m->number_ex[it->axis + c] = axis[c];
  return TD_OK;
}

static td_status push_screw(builder* b, build_joint* j, const double axis[3], bool turns,
                            num pitch) {
  const ex e[3] = {num_ex(b, axis[0]), num_ex(b, axis[1]), num_ex(b, axis[2])};
  return push_screw_ex(b, j, e, turns, pitch);
}

// Add a rotation by a unit quaternion: four numbers, three velocities.
static td_status push_ball(build_joint* j) {
  item* it = push_item(j);
  if (!it) return TD_E_NOMEM;
  it->kind = HOP_BALL;
  it->dof = j->ndof;
  it->ndof = it->nq = 4;
  it->nv = 3;
  j->ndof += 4;
  return TD_OK;
}

// Is a rotation prescribed that has three of the joint's DOFs from `first` on: by the joint's
// `motion`, or by that of each?
static bool is_given(const build_joint* j, int first) {
  if (j->w.motion) return true;
  for (int d = first; d < first + 3; d++)
    if (!td_joint_dof(&j->w, d).motion) return false;
  return true;
}

// A ball, or where its rotation is prescribed the rotation vector, which tells turns of any size.
static td_status push_turn(builder* b, build_joint* j) {
  static const double zero[3] = {0, 0, 0};
  if (!is_given(j, j->ndof)) return push_ball(j);
  item* it = push_item(j);
  if (!it) return TD_E_NOMEM;
  it->kind = HOP_TURN;
  it->dof = j->ndof;
  it->ndof = it->nq = it->nv = 3;
  for (int c = 0; c < 3; c++) it->free[c] = c;
  j->ndof += 3;
  it->value = td_build_constants(b, zero, 3);
  return it->value == NUM_NONE ? TD_E_NOMEM : TD_OK;
}

// Free components of a three-number chart.
static td_status push_chart(builder* b, build_joint* j, hop_kind kind, const value* rot,
                            int offset) {
  item* it = push_item(j);
  if (!it) return TD_E_NOMEM;
  double constant[3] = {0, 0, 0};
  it->kind = kind;
  it->dof = j->ndof;
  for (int c = 0; c < 3; c++)
    if (value_is_free(rot, offset + c)) it->free[c] = it->ndof++;
  it->nq = it->nv = it->ndof;
  j->ndof += it->ndof;
  it->value = td_build_constants(b, constant, 3);
  if (it->value == NUM_NONE) return TD_E_NOMEM;
  for (int c = 0; c < 3; c++)
    if (it->free[c] < 0)
      b->m->number_ex[it->value + c] = td_value_ex(rot, offset + c, b->spec->graph);
  return TD_OK;
}

// ---- vector parts of unit quaternions ----------------------------------------------------------

// [0 inf inf inf] and [0 0 inf 0] name the vector part e of a unit quaternion.  Its three numbers
// (its one) do not determine the motion at half a turn, so that the whole quaternion and the
// angular velocity are integrated behind them, unless a single number of e is prescribed, shared or
// counted among all coordinates: then e itself is integrated, up to half a turn.

// Field or sensor that uses single numbers among DOFs first ... first + n - 1 of a joint; NULL:
// none.
static const char* single_number(const builder* b, int joint, int first, int n) {
  const build_joint* j = &b->joint[joint];
  if (j->w.motion) return "motion";
  for (int d = first; d < first + n; d++) {
    const dof_words w = td_joint_dof(&j->w, d);
    if (w.motion || w.equal2) return w.motion ? "motion" : "equal2";
  }
  // coordinates of others that are equal to one of this joint's
  for (int k = 0; k < b->njoint; k++) {
    const value* others = b->joint[k].w.dof;
    for (int d = 0; others && d < td_value_count(others); d++) {
      const value* equal = td_get(others, d, "equal2");  // alone: all joints are searched
      const int rows = equal && equal->cols <= 3 ? equal->rows : 0;
      if (equal && td_value_count(equal) == 1) return "equal2";  // counted over all joints
      for (int row = 0; row < rows; row++)
        if (equal->x[row] == joint + 1) return "equal2";
    }
  }
  for (int i = 0; i < b->spec->nsensor; i++) {
    const td_sensor_ref* s = &b->spec->sensors[i].ref;
    const td_sensor_info* info = &td_sensor_table[s->kind];
    if (info->about == 'i') return info->depends == TD_ON_RATE ? "v(i)" : "q(i)";
    const bool own =
        s->root == 'j' && s->index == joint + 1 && s->item > first && s->item <= first + n;
    if (own && (info->traits & WITH_NUMBER) && info->depends == TD_ON_STATE &&
        td_get(b->spec->root, 0, "task"))
      return "task";
  }
  return NULL;
}

// Add a rotation that is written as the vector part of a unit quaternion, about three axes or about
// one.
static td_status push_vector_part(builder* b, build_joint* j, const value* rot) {
  item* it = push_item(j);
  if (!it) return TD_E_NOMEM;
  double axis[3];
  for (int c = 0; c < 3; c++) axis[c] = value_is_free(rot, c + 1);
  it->ndof = it->nv = value_is_free(rot, 1) + value_is_free(rot, 2) + value_is_free(rot, 3);
  it->kind = it->ndof == 3 ? HOP_BALL : HOP_CIRCLE;
  it->vector = true;
  it->dof = j->ndof;
  it->nq = it->ndof + 1;
  j->ndof += it->ndof;
  if (it->ndof == 3) return TD_OK;
  it->axis = td_build_constants(b, axis, 3);
  return it->axis == NUM_NONE ? TD_E_NOMEM : TD_OK;
}

// [inf … inf …]: all four numbers of a quaternion, or a pair about one axis.
static td_status push_quaternion(builder* b, build_joint* j, const value* rot, td_span at,
                                 const char* what) {
  const int nvector = value_is_free(rot, 1) + value_is_free(rot, 2) + value_is_free(rot, 3);
  if (nvector == 3) return j->w.motion ? push_turn(b, j) : push_ball(j);
  bool zeros = nvector == 1;
  for (int c = 1; c < 4; c++) zeros = zeros && (value_is_free(rot, c) || value_is_zero(rot, c));
  if (!zeros) {
    td_error(b->diags, TD_E_MODEL, at,
             "%s is a partly free quaternion: with inf first, either all four numbers are inf, or "
             "one more is inf and two "
             "are 0",
             what);
    td_hint(b->diags, "[0 ...] has one to three free numbers and no normalisation");
    return TD_E_MODEL;
  }
  double axis[3];
  for (int c = 0; c < 3; c++) axis[c] = value_is_free(rot, c + 1);
  item* it = push_item(j);
  if (!it) return TD_E_NOMEM;
  it->kind = HOP_CIRCLE;
  it->dof = j->ndof;
  it->ndof = it->nq = 2;
  it->nv = 1;
  it->axis = td_build_constants(b, axis, 3);
  j->ndof += 2;
  return it->axis == NUM_NONE ? TD_E_NOMEM : TD_OK;
}

// The constant numbers of a partly free unit quaternion leave room for the free ones.
static td_status check_vector_part(builder* b, const value* rot, td_span at, const char* what) {
  double sum = 0;
  for (int c = 1; c < 4; c++)
    if (!value_is_free(rot, c) && !(rot->e && rot->e[c] != EX_NONE)) sum += rot->x[c] * rot->x[c];
  if (sum < 1) return TD_OK;
  return td_error(
      b->diags, TD_E_MODEL, at,
      "%s is the vector part of a unit quaternion: its numbers must have a length below 1, got %g",
      what, sqrt(sum));
}

// [0 ...]: some numbers of the vector part of a unit quaternion.
static td_status vector_part(builder* b, build_joint* j, const value* rot, td_span at,
                             const char* what) {
  TD_TRY(check_vector_part(b, rot, at, what));
  const int n = value_is_free(rot, 1) + value_is_free(rot, 2) + value_is_free(rot, 3);
  bool one_axis = n == 1;
  for (int c = 1; c < 4; c++)
    one_axis = one_axis && (value_is_free(rot, c) || value_is_zero(rot, c));
  const bool asked = strcmp(j->w.chart, "vector") == 0;
  if ((n < 3 && !one_axis) || asked) return push_chart(b, j, HOP_QUAT3, rot, 1);
  const char* reason = single_number(b, (int)(j - b->joint), j->ndof, n);
  if (!reason) return push_vector_part(b, j, rot);
  td_remark(b->diags, at,
            "%s is integrated as the vector part of a unit quaternion itself because of `%s`: a "
            "motion that reaches half a turn will end with a message",
            what, reason);
  td_hint(b->diags, "joint.chart = 'vector' says so without this note");
  return push_chart(b, j, HOP_QUAT3, rot, 1);
}

// Items of a rotation with free numbers, chosen by how many numbers it has: an axis, Euler-
// Bernoulli, quaternion or vector part.
static td_status rotation_items(builder* b, build_joint* j, const value* rot, td_span at,
                                const char* what) {
  switch (td_value_count(rot)) {
    case 2: {
      const int axis = (int)rot->x[0] - 1;  // 1, 2 or 3: the check saw to it
      const double unit[3] = {axis == 0, axis == 1, axis == 2};
      return push_screw(b, j, unit, true, NUM_NONE);
    }
    case 3:
      return push_chart(b, j, HOP_CAYLEY, rot, 0);
    default:
      if (value_is_free(rot, 0)) return push_quaternion(b, j, rot, at, what);
      return vector_part(b, j, rot, at, what);
  }
}

// Add the steps of tr(i) of a joint to its list: first what is fixed, then a slide along x, y or z
// for each free part of `trans`, then the turns for what is free of `rot`.  An item's `tr` says
// which fixed part it has: i the translation, and the rotation where nothing is free; -2 - i the
// rotation.
static td_status tr_items(builder* b, int joint, int i) {
  build_joint* j = &b->joint[joint];
  const tr_words w = tr_read(j->w.tr, i);
  const value *trans = w.trans, *rot = w.rot;
  const bool free_rot = count_free(rot) > 0;
  // constant part: the translation, and the rotation when nothing of it is free
  item* it = push_item(j);
  if (!it) return TD_E_NOMEM;
  it->tr = i;
  for (int c = 0; trans && c < 3; c++) {
    const double axis[3] = {c == 0, c == 1, c == 2};
    if (value_is_free(trans, c)) TD_TRY(push_screw(b, j, axis, false, NUM_NONE));
  }
  if (free_rot) {
    char what[48];
    snprintf(what, sizeof what, "joint(%d).tr(%d).rot", joint + 1, i + 1);
    TD_TRY(rotation_items(b, j, rot, td_get_at(j->w.tr, i, "rot"), what));
  }
  // a fixed rotation after free translations is a step of its own
  if (!free_rot && rot && count_free(trans) > 0) {
    it = push_item(j);
    if (!it) return TD_E_NOMEM;
    it->tr = -2 - i;
  }
  return TD_OK;
}

void td_joint_axis(builder* b, const joint_words* w, int r, const double fallback[3], ex out[3]) {
  const int rows = w->axis ? td_value_count(w->axis) / 3 : 0;
  td_exprs* g = b->spec->graph;
  double x[3];
  bool still = true;
  for (int c = 0; c < 3; c++) {
    out[c] = r < rows ? td_value_ex(w->axis, r + rows * c, g) : num_ex(b, fallback[c]);
    still = still && td_ex_is_const(g, out[c]);
    x[c] = td_ex_value(g, out[c]);
  }
  if (still) {
    td_unit_vector(x);
    for (int c = 0; c < 3; c++) out[c] = num_ex(b, x[c]);
    return;
  }
  const ex square =
      add(b, mul(b, out[0], out[0]), add(b, mul(b, out[1], out[1]), mul(b, out[2], out[2])));
  const ex norm = td_ex_1(g, EX_SQRT, square);
  for (int c = 0; c < 3; c++) out[c] = over(b, out[c], norm);
}

// Items of a joint that is written by its type, about or along its axes.
static td_status type_items(builder* b, build_joint* j) {
  const char* type = j->w.type;
  static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  ex n[3], t1[3], t2[3];
  td_joint_axis(b, &j->w, 0, strcmp(type, "universal") == 0 ? x : z, n);
  if (strcmp(type, "fixed") == 0) return TD_OK;
  if (strcmp(type, "revolute") == 0) return push_screw_ex(b, j, n, true, NUM_NONE);
  if (strcmp(type, "prismatic") == 0) return push_screw_ex(b, j, n, false, NUM_NONE);
  if (strcmp(type, "helical") == 0) {
    const num pitch = td_build_number(b, td_value_ex(j->w.pitch, 0, b->spec->graph));
    return pitch == NUM_NONE ? TD_E_NOMEM : push_screw_ex(b, j, n, true, pitch);
  }
  if (strcmp(type, "cylindrical") == 0) {
    TD_TRY(push_screw_ex(b, j, n, true, NUM_NONE));
    return push_screw_ex(b, j, n, false, NUM_NONE);
  }
  if (strcmp(type, "planar") == 0) {
    td_complete_frame_ex(b, n, t1, t2);
    TD_TRY(push_screw_ex(b, j, t1, false, NUM_NONE));
    TD_TRY(push_screw_ex(b, j, t2, false, NUM_NONE));
    return push_screw_ex(b, j, n, true, NUM_NONE);
  }
  if (strcmp(type, "universal") == 0) {
    ex m[3];
    td_joint_axis(b, &j->w, 1, y, m);
    TD_TRY(push_screw_ex(b, j, n, true, NUM_NONE));
    return push_screw_ex(b, j, m, true, NUM_NONE);
  }
  if (strcmp(type, "free") == 0) {
    TD_TRY(push_screw(b, j, x, false, NUM_NONE));
    TD_TRY(push_screw(b, j, y, false, NUM_NONE));
    TD_TRY(push_screw(b, j, z, false, NUM_NONE));
  }
  TD_TRY(push_turn(b, j));
  j->items[j->nitem - 1].typed = true;
  return TD_OK;
}

td_status td_build_items(builder* b, int joint) {
  build_joint* j = &b->joint[joint];
  if (j->rom) return TD_OK;
  const int n = j->w.tr ? td_value_count(j->w.tr) : 0;
  for (int i = 0; i < n; i++) TD_TRY(tr_items(b, joint, i));
  for (int k = 0; k < HOP_KINDS; k++) {
    item own = blank_item;
    if (td_hop_words[k]->fields) TD_TRY(td_hop_words[k]->item(b, joint, &own));
    if (own.ndof == 0) continue;
    item* it = push_item(j);
    if (!it) return TD_E_NOMEM;
    own.dof = j->ndof;
    j->ndof += own.ndof;
    *it = own;
  }
  return j->w.type ? type_items(b, j) : TD_OK;
}

// ---- hops of one element ----------------------------------------------------------------------

// Add the hop of one item of a joint's element, with its columns.
static td_status push_hop(builder* b, const build_joint* j, const item* it, int element, int parent,
                          int fix) {
  td_model* m = b->m;
  model_hop* hop = td_push_hop(m, 1);
  if (!hop) return TD_E_NOMEM;
  const int at = element * j->ndof + it->dof;
  const int q = j->dof_q[at] - it->vector;  // the scalar part is before the numbers of the DOFs
  *hop = (model_hop){.kind = it->kind,
                     .parent = parent,
                     .fix = fix,
                     .nfix = m->nfix - fix,
                     .q = q,
                     .v = j->dof_v[at],
                     .nq = it->nq,
                     .col = m->ncol,
                     .nv = it->nv,
                     .turns = it->turns,
                     .moves = it->moves,
                     .vector = it->vector,
                     .axis = it->axis,
                     .pitch = it->pitch,
                     .value = it->value,
                     .group = m->nhop - 1};
  model_col* col = td_push_col(m, it->nv);
  if (!col) return TD_E_NOMEM;
  // numbers of a chart may be those of another joint (equal2)
  const bool is_chart = td_hop_traits[it->kind].chart;
  for (int k = 0; k < it->nv; k++)
    col[k] = (model_col){.hop = m->nhop - 1,
                         .v = is_chart ? j->dof_v[at + k] : j->dof_v[at] + k,
                         .q = is_chart ? j->dof_q[at + k] : q + k,
                         .part = k,
                         .weight = NUM_NONE,
                         .slope = NUM_NONE};
  // a chart with constant components has fewer columns than numbers
  for (int c = 0; c < 3; c++)
    if (it->free[c] >= 0) col[it->free[c]].part = c;
  return TD_OK;
}

// Three slides along x, y and z, one after the other, that are free and have coordinates of their
// own: one hop does the same as three.
static bool is_free_translation(const builder* b, const build_joint* j, int i, int element) {
  if (i + 2 >= j->nitem) return false;
  const item* it = &j->items[i];
  const int at = element * j->ndof + it->dof, q = j->dof_q[at], v = j->dof_v[at];
  for (int k = 0; k < 3; k++) {
    if (it[k].tr != -1 || !it[k].moves) return false;
    if (j->dof_q[at + k] != q + k || j->dof_v[at + k] != v + k) return false;
    if (b->m->vel[v + k].motion != NUM_NONE) return false;
    for (int c = 0; c < 3; c++)
      if (td_ex_value(b->spec->graph, b->m->number_ex[it[k].axis + c]) != (c == k)) return false;
  }
  return true;
}

// Add three translations along the axes as one hop.
static td_status push_translation(builder* b, const build_joint* j, const item* it, int element,
                                  int parent, int fix) {
  static const double zero[3] = {0, 0, 0};
  item move = *it;
  move.kind = HOP_MOVE;
  move.moves = false;
  move.axis = NUM_NONE;
  move.nq = move.nv = 3;
  move.value = td_build_constants(b, zero, 3);
  return move.value == NUM_NONE ? TD_E_NOMEM : push_hop(b, j, &move, element, parent, fix);
}

// Does a sensor measure what the joint transmits (force(joint))?
static bool is_felt(const builder* b, int joint) {
  for (int i = 0; i < b->spec->nsensor; i++) {
    const td_sensor_ref* s = &b->spec->sensors[i].ref;
    if (sensor_is(s->kind, OF_JOINT) && s->root == 'j' && s->index == joint + 1) return true;
  }
  return false;
}

td_status td_build_still(builder* b, int parent, int fix, int nfix) {
  static const double zero[3] = {0, 0, 0};
  td_model* m = b->m;
  const num slots = td_build_constants(b, zero, 3);
  model_hop* hop = td_push_hop(m, 1);
  if (!hop || slots == NUM_NONE) return TD_E_NOMEM;
  *hop = (model_hop){.kind = HOP_MOVE,
                     .parent = parent,
                     .fix = fix,
                     .nfix = nfix,
                     .col = m->ncol,
                     .axis = NUM_NONE,
                     .pitch = NUM_NONE,
                     .value = slots,
                     .group = m->nhop - 1};
  return TD_OK;
}

td_status td_build_chain(builder* b, int joint, int element, int parent, int* hop, int* fix,
                         int* nfix) {
  const build_joint* j = &b->joint[joint];
  const value* tr = j->w.tr;
  int pending = b->m->nfix, at = parent;
  for (int i = 0; i < j->nitem; i++) {
    const item* it = &j->items[i];
    if (it->tr >= 0) {
      const tr_words w = tr_read(tr, it->tr);
      const bool moves = count_free(w.trans) > 0, turns = count_free(w.rot) > 0;
      TD_TRY(td_build_fix(b, tr, it->tr, false, true, !moves && !turns));
    } else if (it->tr <= -2) {
      TD_TRY(td_build_fix(b, tr, -2 - it->tr, false, false, true));
    } else {
      const bool translation = is_free_translation(b, j, i, element);
      TD_TRY((translation ? push_translation : push_hop)(b, j, it, element, at, pending));
      if (translation) i += 2;
      at = b->m->nhop - 1;
      if (td_hop_words[it->kind]->fields) TD_TRY(td_hop_words[it->kind]->finish(b, joint, at));
      pending = b->m->nfix;
    }
  }

  // a joint whose force is measured is a hop, if only a rigid one
  if (at == parent && is_felt(b, joint)) {
    TD_TRY(td_build_still(b, at, pending, b->m->nfix - pending));
    at = b->m->nhop - 1;
    pending = b->m->nfix;
  }

  *hop = at;
  *fix = pending;
  *nfix = b->m->nfix - pending;
  return TD_OK;
}
