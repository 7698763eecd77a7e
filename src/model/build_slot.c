// Pins in slots: a joint with `curve` moves along it, with one degree of freedom q = dof(joint(k),
// i) of which the curve is an expression.  Its field, its rules and its builder.
#include <stdio.h>

#include "model/build.h"
#include "model/field_rows.h"
#include "model/hop_words.h"

static const td_field fields[] = {
    {"joint.curve", FIELD_NUM, "1x3", "", "m", PARAM | TD_ON_STATE, "", "",
     "a slot in which the second body's origin moves: its place as an expression of the joint's "
     "own `dof(joint(k), i)`, i behind those of `tr`, with continuous slopes (tables go on beyond "
     "their ends); axes stay parallel, `type` turns behind it"},
    {.path = NULL},
};

static const value* curve_of(const builder* b, int joint) {
  return td_get(b->joint[joint].w.s, b->joint[joint].w.i, "curve");
}

// Is a sensor a degree of freedom of joint i (from 0)?
static bool is_dof(const td_sensor_ref* ref, int i) {
  return sensor_is(ref->kind, WITH_NUMBER) && td_sensor_table[ref->kind].depends == TD_ON_STATE &&
         ref->root == 'j' && ref->index == i + 1;
}

// Rules of joint.curve: not with rom, an expression of one DOF of the joint itself, and with
// continuous slopes.
static void check(td_spec* spec, const value* s, int i, const char* name) {
  const value* curve = td_get(s, i, "curve");
  if (!curve || curve->kind != V_NUM) return;
  const td_span at = td_get_at(s, i, "curve");
  if (td_get(s, i, "rom")) {
    td_error(&spec->diags, TD_E_MODEL, at, "%s.curve does not go with %s.rom", name, name);
    return;
  }

  // what it depends on
  int own = 0;
  for (int k = 0; k < spec->nsensor; k++) {
    bool used = false;
    for (int c = 0; c < td_value_count(curve) && !used; c++)
      used = td_ex_has_var(spec->graph, td_value_ex(curve, c, spec->graph), spec->sensors[k].var);
    if (!used) continue;
    own++;
    if (is_dof(&spec->sensors[k].ref, i) && own == 1) continue;
    td_error(&spec->diags, TD_E_MODEL, at,
             "%s.curve may depend on one degree of freedom of its own, dof(joint(%d), i), but it "
             "depends on %s",
             name, i + 1, td_exprs_var_name(spec->graph, spec->sensors[k].var));
    return;
  }

  // no jumps and no corners
  int smooth = 1;
  for (int c = 0; c < td_value_count(curve); c++) {
    const ex open = td_ex_open(spec->graph, td_value_ex(curve, c, spec->graph));
    smooth = min_int(smooth, td_ex_smoothness(spec->graph, open, TD_ON_STATE));
  }
  if (smooth < 1) {
    td_error(&spec->diags, TD_E_MODEL, at,
             "%s.curve has %s: what happens to the body there is not in the model", name,
             smooth < 0 ? "a jump" : "a corner");
    td_more(&spec->diags,
            "write it with functions whose slopes are continuous: sqrt(x^2 + e^2) "
            "for abs(x), max(x, 0)^2, a table by 'spline' or 'pchip'");
    return;
  }
  if (own == 0)
    td_error(&spec->diags, TD_E_MODEL, at,
             "%s.curve must be an expression of its degree of freedom, dof(joint(%d), 1)", name,
             i + 1);
}

// Turn an item into a slot where its joint has a curve.
static td_status fill_item(builder* b, int joint, item* it) {
  const build_joint* j = &b->joint[joint];
  if (!curve_of(b, joint)) return TD_OK;
  if (j->nelement > 1)
    return td_error(b->diags, TD_E_MODEL, td_get_at(j->w.s, j->w.i, "curve"),
                    "joint(%d).curve: a joint that is repeated has no curve", joint + 1);
  it->kind = HOP_SLOT;
  it->ndof = it->nq = it->nv = 1;
  return TD_OK;
}

// Fill the twelve slots of a slot joint: its curve and the first three derivatives by its
// coordinate, computed before the kinematics.  Tables in it are continued beyond their ends.
// Refuses a curve of another DOF.
static td_status finish(builder* b, int joint, int hop) {
  td_exprs* g = b->spec->graph;
  const build_joint* j = &b->joint[joint];
  const value* curve = curve_of(b, joint);
  const model_hop* h = &b->m->hop[hop];
  int dof = 0, var = -1;
  while (j->dof_q[dof] != h->q) dof++;

  // the variable of its degree of freedom
  for (int k = 0; k < b->spec->nsensor; k++) {
    const spec_sensor_var* s = &b->spec->sensors[k];
    bool used = false;
    for (int c = 0; c < 3 && !used; c++) used = td_ex_has_var(g, td_value_ex(curve, c, g), s->var);
    if (!used) continue;
    var = s->var;
    if (s->ref.item != dof + 1)
      return td_error(b->diags, TD_E_MODEL, td_get_at(j->w.s, j->w.i, "curve"),
                      "joint(%d).curve has the degree of freedom %d, which it must be an "
                      "expression of: dof(joint(%d), %d)",
                      joint + 1, dof + 1, joint + 1, dof + 1);
  }

  // rate and acceleration of that variable
  model_coordinate* c = td_push_coordinate(b->m, 1);
  const num first = td_push_number_ex(b->m, 12) ? b->m->nnumber_ex - 12 : NUM_NONE;
  num* slot = td_push_strain_slot(b->m, 12);
  if (!c || !slot || first == NUM_NONE || var < 0) return TD_E_NOMEM;
  char name[48];
  snprintf(name, sizeof name, "rate of joint(%d).curve", joint + 1);
  const int rate = td_exprs_var(g, name, TD_ON_RATE);
  snprintf(name, sizeof name, "acceleration of joint(%d).curve", joint + 1);
  const int accel = td_exprs_var(g, name, TD_ON_ACCEL);
  *c = (model_coordinate){.q = h->q, .v = h->v, .var = var, .rate = rate, .accel = accel};

  // the curve and its derivatives
  for (int k = 0; k < 12; k++) {
    slot[k] = first + k;
    b->m->number_ex[first + k] = k < 3 ? td_ex_open(g, td_value_ex(curve, k, g))
                                       : td_ex_diff(g, b->m->number_ex[first + k - 3], var);
  }
  b->m->hop[hop].value = first;
  return rate < 0 || accel < 0 || td_exprs_failed(g) ? TD_E_NOMEM : TD_OK;
}

const hop_words td_hop_words_slot = {fields, check, fill_item, finish};
