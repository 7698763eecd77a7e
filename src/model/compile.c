// From the checked spec to the constant model: the driver and the settings.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "model/fit_words.h"
#include "model/cables.h"
#include "model/compile.h"
#include "model/force_words.h"
#include "model/rods.h"

static double setting(const value* par, const char* field, double fallback) {
  const value* v = par ? td_get(par, 0, field) : NULL;
  return v && v->kind == V_NUM && !isnan(v->x[0]) ? v->x[0] : fallback;
}

// Read par into the model: times, tolerances, step, controllers, analyses to do, linear algebra,
// solver.
static void read_settings(builder* b) {
  td_model* m = b->m;
  const value* par = td_get(b->spec->root, 0, "par");
  m->settings[0] = setting(par, "t_init", 0);
  m->settings[1] = setting(par, "t_final", m->settings[0] + 1);
  m->settings[2] = setting(par, "dt_out", 0.01);
  m->settings[3] = setting(par, "rtol", 1e-6);
  m->settings[4] = setting(par, "atol", 1e-9);
  m->settings[5] = setting(par, "step", m->settings[2]);
  m->accuracy = setting(par, "accuracy", 1e-3);
  m->accuracy_written = !isnan(setting(par, "accuracy", NAN));
  const value* control = par ? td_get(par, 0, "control") : NULL;
  m->control_rate = setting(control, "rate", 0);
  m->control_delay = setting(control, "delay", 0);
  m->control_quantum = setting(control, "quantum", 0);
  m->seed = (uint64_t)setting(par, "seed", 1);
  m->do_equil = setting(par, "equil", 1) != 0;
  m->do_modal = setting(par, "modal", 1) != 0;
  m->do_dyn = setting(par, "dyn", 1) != 0;
  const char* linear = par ? td_get_word(par, 0, "linear", NULL) : NULL;
  m->linear = !linear                         ? LINEAR_AUTO
              : strcmp(linear, "dense") == 0  ? LINEAR_DENSE
              : strcmp(linear, "sparse") == 0 ? LINEAR_SPARSE
                                              : LINEAR_AUTO;
  const char* solver = par ? td_get_word(par, 0, "solver", NULL) : NULL;
  m->solver = solver ? td_solver_named(solver) : TD_SOLVER_AUTO;
  if (!td_solver_name(m->solver)) m->solver = TD_SOLVER_AUTO;  // was refused by the fields' check
}

// Free everything a builder holds, also one that was opened only in part; the model stays.
static void builder_free(builder* b) {
  for (int r = 0; b->rod && r < b->nrod; r++) {
    free(b->rod[r].hop);
    free(b->rod[r].part);
    free(b->rod[r].arc);
    td_value_drop(b->rod[r].parts);
    free(b->rod[r].point_arc);
    free(b->rod[r].mark);
    free(b->rod[r].border);
    free(b->rod[r].point_hop);
  }
  free(b->rod);
  for (int j = 0; b->joint && j < b->njoint + b->nrod; j++) {
    free(b->joint[j].first.element);
    free(b->joint[j].second.element);
    free(b->joint[j].items);
    free(b->joint[j].dof_q);
    free(b->joint[j].dof_v);
  }
  free(b->joint);
  free(b->cable);
  td_build_mesh_close(b);
  td_value_drop(b->own_rods);
  td_value_drop(b->own_joints);
  free(b->body_main);
  free(b->body_first);
  free(b->body_count);
}

// Bodies as written, then the nodes of the meshes.
static bool open_bodies(builder* b) {
  const size_t n = (size_t)(b->nbody + b->nnode) + 1;
  b->body_main = calloc(n, sizeof(int));
  b->body_first = calloc(n, sizeof(int));
  b->body_count = calloc(n, sizeof(int));
  if (!b->body_main || !b->body_first || !b->body_count) return false;
  for (int i = 0; i <= b->nbody; i++) b->body_main[i] = -1;
  for (int i = b->nbody + 1; i <= b->nbody + b->nnode; i++) {
    b->body_main[i] = BODY_NODE;
    b->body_count[i] = 1;
  }
  return true;
}

// Read the structures of the spec, count bodies, joints and rods, and allocate them.  A joint with
// `rom` also makes a rod; every rod has a base joint, behind the written ones.
static td_status builder_open(builder* b, td_spec* spec, td_model* m) {
  *b = (builder){.spec = spec, .m = m, .diags = &spec->diags};
  b->bodies = td_get(spec->root, 0, "body");
  b->joints = td_get(spec->root, 0, "joint");
  b->loads = td_get(spec->root, 0, "exload");
  b->rods = td_get(spec->root, 0, "rod");
  b->chambers = td_get(spec->root, 0, "chamber");
  b->cables = td_get(spec->root, 0, "cable");

  // cables, each read once
  const int ncable = b->cables ? td_value_count(b->cables) : 0;
  b->cable = calloc((size_t)ncable + 1, sizeof(cable_words));
  if (!b->cable) return TD_E_NOMEM;
  for (int i = 0; i < ncable; i++) b->cable[i] = td_cable_read(b->cables, i);

  b->fluid = td_get(spec->root, 0, "fluid");
  b->contacts = td_get(spec->root, 0, "contact");
  b->meshes = td_get(spec->root, 0, "mesh");

  // meshes, whose edges may be rods with joints of their own
  b->nmesh = b->meshes ? td_value_count(b->meshes) : 0;
  b->mesh = td_build_mesh_new(b->meshes, b->nmesh);
  if (!b->mesh) return TD_E_NOMEM;
  TD_TRY(td_mesh_rods(b));

  // counts: a joint with `rom` makes a rod, each rod has a base joint
  b->nbody = b->bodies ? td_value_count(b->bodies) : 0;
  b->njoint = b->joints ? td_value_count(b->joints) : 0;
  b->nload = b->loads ? td_value_count(b->loads) : 0;
  const int written = b->rods ? td_value_count(b->rods) : 0;
  b->nrod = written;
  for (int j = 0; j < b->njoint; j++) b->nrod += td_joint_read(b->joints, j).rom != NULL;
  b->joint = calloc((size_t)(b->njoint + b->nrod) + 1, sizeof(build_joint));
  b->rod = calloc((size_t)b->nrod + 1, sizeof(build_rod));
  if (!b->joint || !b->rod) return TD_E_NOMEM;

  // joints as written, each read once, and the rods that they make
  for (int j = 0, r = written; j < b->njoint; j++) {
    b->joint[j].w = td_joint_read(b->joints, j);
    const value *rom = b->joint[j].w.rom, *second = b->joint[j].w.second;
    if (!rom) continue;
    const bool length = second && second->kind == V_NUM && td_value_count(second) == 2;
    b->joint[j].rom = true;
    b->rod[r].joint = j;
    b->rod[r].length = length ? second->x[1] : 0;
    b->rod[r++].n = (int)td_get(rom, 0, "order")->x[0];
  }

  // rods as written
  for (int r = 0; r < written; r++) {
    b->rod[r].joint = -1;
    if (!td_build_rod_parts(b, r)) return TD_E_NOMEM;
    b->joint[b->njoint + r].w = td_joint_read(b->rod[r].w.joint, 0);
    b->joint[b->njoint + r].w.tr = b->rod[r].w.tr;
  }
  return TD_OK;
}

// Note the hop of each position and velocity; the first one where several share it.
static void find_owners(td_model* m) {
  for (int i = 0; i < m->npos; i++) m->pos[i].hop = -1;
  for (int i = 0; i < m->nvel; i++) m->vel[i].hop = -1;
  for (int h = m->nhop - 1; h >= 0; h--) {
    const model_hop* hop = &m->hop[h];
    for (int i = 0; hop->q >= 0 && i < hop->nq; i++) m->pos[hop->q + i].hop = h;
    for (int k = hop->col; k < hop->col + hop->nv; k++) {
      m->vel[m->col[k].v].hop = h;
      m->pos[m->col[k].q].hop = h;
    }
  }
}

// Note for each hop the last hop of its subtree and group and whether all its motion is prescribed,
// for each column whether it is the first of its DOF. m->recursive stays true if the
// articulated-body recursion can be used.
static td_status finish_tree(builder* b) {
  td_model* m = b->m;
  bool* used = calloc((size_t)m->nvel + 1, sizeof(bool));
  if (!used) return TD_E_NOMEM;
  m->recursive = true;
  for (int i = 0; i < m->nhop; i++) {
    m->hop[m->hop[i].group].group_last = i;
  }

  // ends of subtrees, and prescribed motion; a hop prescribed in part has no recursion
  for (int i = m->nhop - 1; i >= 0; i--) {
    model_hop* hop = &m->hop[i];
    int given = 0;
    hop->group_last = m->hop[hop->group].group_last;
    if (hop->last < i) hop->last = i;
    if (hop->parent >= 0 && m->hop[hop->parent].last < hop->last)
      m->hop[hop->parent].last = hop->last;
    for (int k = 0; k < hop->nv; k++) given += m->vel[m->col[hop->col + k].v].motion != NUM_NONE;
    hop->prescribed = hop->nv > 0 && given == hop->nv;
    if (given > 0 && given < hop->nv) m->recursive = false;
  }

  // columns that share a DOF
  memset(used, 0, (size_t)m->nvel * sizeof(bool));
  for (int i = 0; i < m->ncol; i++) {
    m->col[i].first = !used[m->col[i].v];
    used[m->col[i].v] = true;
    // a DOF may occur twice only within its group
    const int group = m->hop[m->col[i].hop].group;
    bool own = m->col[i].first;
    for (int k = m->hop[group].col; k < i && !own; k++)
      own = m->col[k].v == m->col[i].v && m->col[k].first;
    if (!own) m->recursive = false;
  }
  // one mass cannot tell more than six DOFs apart: their equations are judged as a whole
  for (int i = 0; i < m->nhop; i++) {
    int n = 0;
    for (int h = m->hop[i].group; h <= i; h++)
      for (int k = m->hop[h].col; k < m->hop[h].col + m->hop[h].nv; k++) n += m->col[k].first;
    if (n > 6) m->recursive = false;
  }
  free(used);
  find_owners(m);
  return TD_OK;
}

// List the velocities and positions that the solver integrates (free_v, free_q): those whose motion
// is not prescribed. `prescribed` (npos) is scratch, all false.
static td_status list_free(td_model* m, bool* prescribed) {
  for (int i = 0; i < m->nvel; i++) {
    if (m->vel[i].motion != NUM_NONE) {
      prescribed[m->vel[i].partner] = true;
      continue;
    }
    int* at = td_push_free_v(m, 1);
    if (!at) return TD_E_NOMEM;
    *at = i;
  }
  for (int i = 0; i < m->npos; i++) {
    if (prescribed[i]) continue;
    int* at = td_push_free_q(m, 1);
    if (!at) return TD_E_NOMEM;
    *at = i;
  }
  return TD_OK;
}

// Sort the hops into their final order and renumber what the builder knows of rods; links are built
// afterwards.
static td_status sort_hops(builder* b) {
  int* to;
  TD_TRY(td_sort_hops(b->m, &to));
  for (int r = 0; r < b->nrod; r++) {
    build_rod* rod = &b->rod[r];
    const int last =
        rod->npoint > 0 ? 0 : rod->n;  // a polynomial rod has its base there and its points beside
    for (int k = 0; k <= last; k++)
      if (rod->hop[k] >= 0) rod->hop[k] = to[rod->hop[k]];
    for (int k = 0; k < rod->npoint; k++) rod->point_hop[k] = to[rod->point_hop[k]];
  }
  free(to);
  return TD_OK;
}

// Add the joints as written, with their names, and those of meshes.
static td_status name_joints(builder* b) {
  for (int j = 0; j < b->njoint; j++) {
    model_joint* out = td_push_joint(b->m, 1);
    if (!out) return TD_E_NOMEM;
    plain_name plain;
    out->main = b->joint[j].main;
    out->nelement = b->joint[j].nelement;
    out->name = td_push_name(b->m, "%s", td_build_name(b->joints, j, "joint", plain));
  }
  TD_TRY(td_build_mesh_names(b));
  return TD_OK;
}

// Build the model in the order tree, forces, names, expressions, constants.  Errors of forces are
// kept until the expressions have reported theirs.
static td_status build(builder* b) {
  const value* world = td_get(b->spec->root, 0, "world");
  if (td_push_name(b->m, "%s", "") < 0) return TD_E_NOMEM;
  b->m->gravity = td_build_numbers(b, world ? td_get(world, 0, "g") : NULL, 0, 1, 3, 0);
  if (b->m->gravity == NUM_NONE) return TD_E_NOMEM;
  if (b->nrod > 0 && !td_push_rod(b->m, b->nrod)) return TD_E_NOMEM;

  // the tree
  TD_TRY(td_build_mesh_open(b));
  if (!open_bodies(b)) return TD_E_NOMEM;
  TD_TRY(td_build_tree(b));
  TD_TRY(sort_hops(b));

  // what acts on it
  td_status links = td_build_links(b);
  if (links == TD_OK) links = td_build_cables(b);
  if (links == TD_OK) links = td_build_fluid(b);
  if (links == TD_OK) links = td_build_contacts(b);
  for (int k = 0; k < FORCE_KINDS && links == TD_OK; k++)
    if (td_force_words[k]->structure) links = td_force_words[k]->build(b);
  if (b->m->nload > 0) b->m->has_blocks = true;

  // coordinates and names
  TD_TRY(finish_tree(b));
  bool* prescribed = calloc((size_t)b->m->npos + 1, sizeof(bool));
  const td_status listed = prescribed ? list_free(b->m, prescribed) : TD_E_NOMEM;
  free(prescribed);
  TD_TRY(listed);
  TD_TRY(name_joints(b));

  // numbers, also of a model with errors, so that their messages come too
  const td_status expressions = td_build_expressions(b);
  if (links != TD_OK) return links;
  TD_TRY(expressions);
  TD_TRY(td_check_fits(b->spec, b->m));

  // what is constant
  b->m->time_var = b->spec->time_var;
  b->m->nvar = td_exprs_nvar(b->m->graph);
  b->m->gravity_constant = true;
  for (int c = 0; c < 3; c++)
    if (td_ex_depends(b->m->graph, b->m->number_ex[b->m->gravity + c]) & ~(unsigned)TD_ON_PARAM)
      b->m->gravity_constant = false;
  for (int i = 0; i < b->m->nstrain_slot; i++)
    if (td_ex_depends(b->m->graph, b->m->number_ex[b->m->strain_slot[i]]) & TD_ON_TIME)
      b->m->strains_timed = true;
  read_settings(b);
  return TD_OK;
}

// Report overrides of the command line or the caller that no param() or input() of the text used:
// most likely they are misspelled.
static void check_overrides(td_spec* spec) {
  enum { MOST = 64 };
  const char* names[MOST];
  int n = 0;
  td_text list = {0};
  for (int k = 0; k < spec->nparam && n < MOST; k++) names[n++] = spec->params[k].name;
  for (int k = 0; k < spec->ninput && n < MOST; k++) names[n++] = spec->inputs[k].name;
  for (int k = 0; k < n; k++) td_text_printf(&list, " %s", names[k]);
  for (int i = 0; i < spec->noverride; i++) {
    if (spec->overrides[i].used) continue;
    td_error(&spec->diags, TD_E_MODEL, td_span_none(),
             "the model has no param or input '%s', which was to be set to %s by the command line "
             "or the caller, not by the text",
             spec->overrides[i].name, spec->overrides[i].text);
    td_suggest(&spec->diags, spec->overrides[i].name, names, n);
    td_more(&spec->diags, n ? "params and inputs:%s" : "it has no params and inputs%s",
            list.s ? list.s : "");
  }
  td_text_free(&list);
}

// Check the spec, build the model and free the builder; *model is NULL on failure.
td_status td_compile(td_spec* spec, td_model** model) {
  *model = NULL;
  if (spec->diags.errors == 0) check_overrides(spec);
  td_spec_check(spec);
  if (spec->diags.errors > 0) return TD_E_MODEL;
  if (spec->read_wires) TD_TRY(spec->read_wires(spec));
  td_model* m = calloc(1, sizeof(td_model));
  if (!m) return TD_E_NOMEM;
  builder b;
  td_status status = builder_open(&b, spec, m);
  if (status == TD_OK) status = build(&b);
  builder_free(&b);
  if (m->failed) status = TD_E_NOMEM;
  if (status == TD_OK && spec->diags.errors > 0) status = TD_E_MODEL;
  if (status != TD_OK) {
    td_model_free(m);
    return status;
  }
  *model = m;
  return TD_OK;
}
