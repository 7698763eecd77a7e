// Judgement of single elements at the initial state: masses, sections, initial values and rest
// lengths follow from expressions and parameters, and are known only here.  Faults are reported at
// the fields that give them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elem/link.h"
#include "engine/judge.h"
#include "math/dense.h"

// ---- places in the text -----------------------------------------------------------------------

// Source position of the first of some fields of root(index) that was written.
td_span td_field_span(const td_spec* spec, const char* root, int index, const char* const* fields) {
  const value* s = td_get(spec->root, 0, root);
  if (!s || index < 1 || index > td_value_count(s)) return td_span_none();
  for (int i = 0; fields[i]; i++)
    if (td_get(s, index - 1, fields[i])) return td_get_at(s, index - 1, fields[i]);
  return td_get_at(spec->root, 0, root);
}

// Source position where a mesh defines its edges ("joint") or its nodes ("body").
td_span td_mesh_span(const td_spec* spec, int mesh, const char* field) {
  const char* const fields[] = {field, "joint", NULL};
  return td_field_span(spec, "mesh", mesh, fields);
}

// Source position of a joint.
td_span td_joint_span(const td_spec* spec, int joint) {
  static const char* const fields[] = {"type", "fixed", "second", "tr", NULL};
  return td_field_span(spec, "joint", joint, fields);
}

// Source position of a coordinate's value: joint(2).dof(1).motion, joint(2).dof(1).init.
td_span td_dof_span(const td_spec* spec, const model_dof* d) {
  static const char* const fields[] = {"motion", "init"};
  if (d->mesh > 0) return td_mesh_span(spec, d->mesh, "joint");
  const value* joints = td_get(spec->root, 0, "joint");
  const value* dofs = joints ? td_get(joints, d->joint - 1, "dof") : NULL;
  for (int i = 0; i < 2 && dofs && d->dof <= td_value_count(dofs); i++)
    if (td_get(dofs, d->dof - 1, fields[i])) return td_get_at(dofs, d->dof - 1, fields[i]);
  return td_joint_span(spec, d->joint);
}

// Source position of a force: in a joint, the edges of a mesh, or an external load.
static td_span force_span(const trial* t, int joint, int force_name) {
  static const char* const fields[] = {"spring", "damp", "input", "dof", "second", NULL};
  static const char* const load[] = {"ftau", NULL};
  int index = 0;
  const int written = t->m->njoint - t->m->nmesh;  // edges come after the joints
  if (joint > written) return td_mesh_span(t->spec, joint - written, "joint");
  if (joint > 0) return td_field_span(t->spec, "joint", joint, fields);
  return sscanf(model_name(t->m, force_name), "exload(%d)", &index) == 1
             ? td_field_span(t->spec, "exload", index, load)
             : td_span_none();
}

// "nan", whatever its sign, "inf" or "-inf".
static const char* not_finite(double x) { return isnan(x) ? "nan" : x > 0 ? "inf" : "-inf"; }

// ---- numbers that expressions and parameters give ---------------------------------------------

// Source position of a field of a body, or of the nodes of a mesh.
static td_span body_span(const trial* t, const model_body* b, const char* const* fields) {
  for (int k = t->m->nmesh - 1; k >= 0; k--)
    if (b->body >= t->m->mesh[k].body) return td_mesh_span(t->spec, k + 1, "body");
  return td_field_span(t->spec, "body", b->body, fields);
}

// Check that masses are finite and not negative, and principal moments not negative.
static td_status judge_mass(const trial* t, const model_body* b) {
  static const char* const mass_field[] = {"m", NULL};
  static const char* const inertia_field[] = {"I", NULL};
  static const double eye[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const char* name = model_name(t->m, t->m->station[b->station].name);
  const double m = t->w->num[b->m], *I = t->w->num + b->I;
  double size = 0, w[3], V[9];
  for (int k = 0; k < 9; k++) size = fmax(size, fabs(I[k]));

  // the mass
  if (isinf(m)) {
    return td_error(&t->spec->diags, TD_E_MODEL, body_span(t, b, mass_field),
                    "%s.m must be finite, got inf", name);
  }

  if (!(m >= 0)) {
    return td_error(&t->spec->diags, TD_E_MODEL, body_span(t, b, mass_field),
                    "%s.m must not be negative, got %g kg", name, m);
  }

  // the principal moments
  if (!isfinite(size) || (td_eig_symmetric(I, eye, 3, w, V) && w[0] < -1e-9 * size)) {
    return td_error(&t->spec->diags, TD_E_MODEL, body_span(t, b, inertia_field),
                    "%s.I must not have a negative principal moment, got %g kg m^2", name,
                    isfinite(size) ? w[0] : NAN);
  }

  return TD_OK;
}

// Numbers of a section, with the fields that give them.
static const struct {
  int slot, n;
  const char *of_rod, *of_joint;
} section_parts[] = {
    {SECTION_K, 36, "stiffness", "spring.coeff"}, {SECTION_D, 36, "damping", "damp.visc"},
    {SECTION_X0, 6, "shape", "spring.init"},      {SECTION_INPUT, 6, "input", "input"},
    {SECTION_MU, 6, "damp.visc", "damp.visc"},    {SECTION_POWER, 1, "damp.pow", "damp.pow"},
    {SECTION_STORED, 1, "energy", "energy"}};

// Report a number of a section that is not finite.  A law with an energy has the energy's
// derivative where others have the shape (model/rod_material.c).
static td_status report_section(const trial* t, const model_strain* f, int part, int strain,
                                double x) {
  if (f->stored &&
      (section_parts[part].slot == SECTION_X0 || section_parts[part].slot == SECTION_STORED)) {
    static const char* const energy[] = {"energy", "part", NULL};
    const bool slope = section_parts[part].slot == SECTION_X0;
    char of[48] = "";
    if (slope) snprintf(of, sizeof of, "'s derivative by strain(%d)", strain + 1);
    return td_error(&t->spec->diags, TD_E_MODEL, td_field_span(t->spec, "rod", f->rod, energy),
                    "%s: energy%s must be finite, it is %s at the strains of the start (t = %g s)",
                    model_name(t->m, f->name), of, not_finite(x), t->state->t);
  }

  // source position by joint, rod or force
  const char *name = model_name(t->m, f->name), *of_rod = section_parts[part].of_rod;
  const char* const rod[] = {of_rod, "E", "G", "damp", "length", NULL};
  static const char* const joint[] = {"spring", "damp", "input", "second", NULL};
  int index = 0;
  const bool of_joint = sscanf(name, "joint(%d)", &index) == 1;
  const td_span at = of_joint     ? td_field_span(t->spec, "joint", index, joint)
                     : f->rod > 0 ? td_field_span(t->spec, "rod", f->rod, rod)
                                  : force_span(t, f->joint, f->name);
  return td_error(&t->spec->diags, TD_E_MODEL, at,
                  "%s: %s must be finite, it is %s at the start (t = %g s)", name,
                  of_joint ? section_parts[part].of_joint : of_rod, not_finite(x), t->state->t);
}

// Check that all numbers of a section are finite: of a piece of a rod, of a joint with `rom`, or of
// a beam.
static td_status judge_section(const trial* t, const model_strain* f) {
  const int parts = (int)(sizeof section_parts / sizeof *section_parts);
  for (int i = 0; i < parts; i++)
    for (int k = 0; k < section_parts[i].n; k++) {
      const double x = t->w->num[f->section + section_parts[i].slot + k];
      // rest strains that are measured at the start have no value yet
      const bool measured = section_parts[i].slot == SECTION_X0 && f->rest_initial[k];
      if (!isfinite(x) && !measured) return report_section(t, f, i, k, x);
    }
  return TD_OK;
}

// Refuse strain fields whose strains, or their derivatives by the coordinates, are not finite at
// the start.
static td_status judge_strains(const trial* t) {
  static const char* const fields[] = {"strain", "part", NULL};
  const td_model* m = t->m;
  if (m->ncoords == 0) return TD_OK;
  td_place(m, &t->w->inner, t->w);

  for (int i = 0; i < m->nhop; i++) {
    const model_hop* h = &m->hop[i];
    if (!is_step(h) || !h->dependent) continue;
    const int rod = m->coords[h->coords].rod;
    const td_span at = td_field_span(t->spec, "rod", rod, fields);

    // the strains at all points of the step
    for (int k = 0; k < 6 * h->nodes; k++) {
      const double x = t->w->num[h->value + k];
      if (isfinite(x)) continue;
      td_error(&t->spec->diags, TD_E_MODEL, at,
               "rod(%d).strain(%d) must be finite, it is %s at the start (t = %g s)", rod,
               k % 6 + 1, not_finite(x), t->state->t);
      td_hint(&t->spec->diags, "rod(%d).init gives other coordinates to start from", rod);
      return TD_E_MODEL;
    }

    // their derivatives by the coordinates
    for (int k = h->col; k < h->col + h->nv; k++)
      for (int n = 0; n < h->nodes; n++) {
        const double x = t->w->num[m->col[k].weight + n];
        if (isfinite(x)) continue;
        td_error(&t->spec->diags, TD_E_MODEL, at,
                 "rod(%d).strain(%d): its derivative by %s must be finite, it is %s at the start "
                 "(t = %g s)",
                 rod, m->col[k].part + 1, td_model_q_name(m, m->col[k].q), not_finite(x),
                 t->state->t);
        td_hint(&t->spec->diags, "rod(%d).init gives other coordinates to start from", rod);
        return TD_E_MODEL;
      }
  }

  return TD_OK;
}

// ---- geometry at the start --------------------------------------------------------------------

// Check that a spring of length zero, which has no direction, exerts no force.
static td_status judge_axial(const trial* t, const model_axial* f) {
  const frame a = td_frame(t->m, t->w, f->a), b = td_frame(t->m, t->w, f->b);
  const double *x = t->w->num, size = fmax(1, fmax(vec3_norm(a.p), vec3_norm(b.p)));
  if (axial_at(&a, &b).L > 1e-12 * size) return TD_OK;
  const double push = x[f->law.k] * x[f->law.rest] * x[f->law.compr];
  if (push == 0 && x[f->law.input] == 0) return TD_OK;
  td_error(&t->spec->diags, TD_E_MODEL, force_span(t, f->joint, f->name),
           "%s: its two ends are at the same place at the start, so its force has no direction",
           model_name(t->m, f->name));
  td_more(&t->spec->diags, "move an end with tr or tr2nd, or let the rest length be 0");
  return TD_E_MODEL;
}

// Check that a beam has a length, and that its x axis is not parallel to it.
static td_status judge_beam(const trial* t, const model_beam* f) {
  static const char* const fields[] = {"xaxis", NULL};
  const frame a = td_frame(t->m, t->w, f->a), b = td_frame(t->m, t->w, f->b);
  const vec3 z = mat3_apply_t(a.R, vec3_sub(b.p, a.p)), x = vec3_of(t->w->num + f->xaxis);
  const bool edge = f->joint > t->m->njoint - t->m->nmesh;
  const td_span at =
      edge ? force_span(t, f->joint, f->name) : td_field_span(t->spec, "joint", f->joint, fields);
  const char* name = model_name(t->m, f->name);

  // length, then direction
  if (!(vec3_norm(z) > 0)) {
    return td_error(
        &t->spec->diags, TD_E_MODEL, at,
        "%s.xaxis: the beam has no direction, its two ends are at the same place at the start",
        name);
  }

  if (vec3_norm(vec3_cross(z, x)) > 1e-9 * vec3_norm(z) * vec3_norm(x)) return TD_OK;
  return td_error(&t->spec->diags, TD_E_MODEL, at,
                  "%s.xaxis must not be parallel to the beam, which runs along [%.3g %.3g %.3g] in "
                  "the frame of its first end",
                  name, z.x / vec3_norm(z), z.y / vec3_norm(z), z.z / vec3_norm(z));
}

// Check that a stretch() sensor refers to a length that is not zero at the start.
static td_status judge_stretch(const trial* t, int probe) {
  const model_probe* p = &t->m->probe[probe];
  if (!sensor_is(p->kind, OF_START) || p->rod > 0 || t->w->length0[probe] > 0) return TD_OK;
  for (int i = 0; i < t->spec->nsensor; i++)
    if (t->spec->sensors[i].var == p->var)
      return td_error(&t->spec->diags, TD_E_MODEL, t->spec->sensors[i].at,
                      "stretch: the ends of %s are at the same place at the start, so its length "
                      "has no ratio to that",
                      model_name(t->m, t->m->joint[p->joint - 1].name));
  return TD_OK;
}

// Check that the vector part q of a unit quaternion has |q| < 1, or the rotation is not defined.
static td_status judge_chart(const trial* t, const model_hop* hop) {
  // the vector part at the start, and its largest component
  double y[3];
  for (int c = 0; c < 3; c++) y[c] = t->w->num[hop->value + c];
  int largest = hop->col;  // the message points to where the largest component was written

  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const double x = t->w->q_initial[t->m->col[k].q];
    y[t->m->col[k].part] += t->w->col_weight[k] * x;
    if (fabs(x) > fabs(t->w->q_initial[t->m->col[largest].q])) largest = k;
  }

  // refuse rotations of half a turn and more
  const double sum = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
  const model_dof* d = &t->m->pos[t->m->col[largest].q];
  if (sum < 1) return TD_OK;

  if (d->rod > 0) {
    return td_error(
        &t->spec->diags, TD_E_MODEL,
        td_get_at(td_get(t->spec->root, 0, "rod"), d->rod - 1, "model"),
        "rod(%d) turns by more than 180 degrees at the start: write it as several rods in a row",
        d->rod);
  }

  return td_error(&t->spec->diags, TD_E_MODEL, td_dof_span(t->spec, d),
                  "joint(%d).tr.rot is the vector part of a unit quaternion: its length must be "
                  "below 1 at the start, got %g",
                  d->joint, sqrt(sum));
}

// Check |q| < 1 for a joint whose quaternion is integrated, before it is made a unit one.
static td_status judge_vector_part(const trial* t, const model_hop* hop) {
  int largest = hop->q + 1;
  double sum = 0;

  for (int i = hop->q + 1; i < hop->q + hop->nq; i++) {
    const double x = t->w->num[t->m->pos[i].init];
    sum += x * x;
    if (fabs(x) > fabs(t->w->num[t->m->pos[largest].init])) largest = i;
  }

  if (!(sum >= 1) || isinf(sum)) return TD_OK;  // infinite values have a message of their own
  const model_dof* d = &t->m->pos[largest];
  return td_error(&t->spec->diags, TD_E_MODEL, td_dof_span(t->spec, d),
                  "joint(%d).tr.rot is the vector part of a unit quaternion: its length must be "
                  "below 1 at the start, got %g",
                  d->joint, sqrt(sum));
}

// Check all numbers that follow from expressions and parameters; reports as many faults as
// possible.
td_status td_judge_numbers(const trial* t) {
  static const char* const gravity[] = {"g", NULL};
  const td_model* m = t->m;
  const td_work* w = t->w;
  td_diags* diags = &t->spec->diags;
  td_status worst = TD_OK;

  // initial coordinates
  for (int i = 0; i < m->nhop; i++)
    if (m->hop[i].vector) TD_TRY(judge_vector_part(t, &m->hop[i]));
  for (int i = 0; i < m->npos; i++)
    if (!isfinite(w->q_initial[i]))
      worst = td_error(diags, TD_E_MODEL, td_dof_span(t->spec, &m->pos[i]),
                       "%s must have a finite value at the start, got %s", td_model_q_name(m, i),
                       not_finite(w->q_initial[i]));

  // masses, once for nodes of a mesh, which share theirs
  for (int i = 0; i < m->nbody; i++) {
    const model_body* b = &m->body[i];
    if (i > 0 && b->m == b[-1].m && b->I == b[-1].I) continue;
    if (judge_mass(t, b) != TD_OK) worst = TD_E_MODEL;
  }

  // forces, sections of rods, gravity, strains
  const int nforce = model_forces(m);

  for (int i = 0; i < nforce; i++) {
    const force_info f = force_at(m, i);
    const force_flaw flaw = td_element_table[f.kind]->flaw(m, w, f.i);
    if (flaw.field)
      worst = td_error(diags, TD_E_MODEL, force_span(t, f.joint, f.name),
                       "%s.%s must be finite, it is %s at the start (t = %g s)",
                       model_name(m, f.name), flaw.field, not_finite(flaw.x), t->state->t);
  }

  for (int i = 0; i < m->nstrain; i++) TD_TRY(judge_section(t, &m->strain[i]));
  for (int c = 0; c < 3; c++)
    if (!isfinite(w->num[m->gravity + c]))
      return td_error(diags, TD_E_MODEL, td_field_span(t->spec, "world", 1, gravity),
                      "world.g(%d) must be finite, it is %s at the start (t = %g s)", c + 1,
                      not_finite(w->num[m->gravity + c]), t->state->t);
  TD_TRY(judge_strains(t));
  return worst;
}

// Warn of beams that take their rest length from the initial geometry and have none there, once for
// each joint.
static void warn_short_beams(const trial* t) {
  for (int i = 0; i < t->m->nbeam;) {
    const int joint = t->m->beam[i].joint;
    int all = 0, none = 0, first = -1;

    // count the beams of this joint, and those of length zero
    for (; i < t->m->nbeam && t->m->beam[i].joint == joint; i++) {
      const model_beam* f = &t->m->beam[i];
      const frame a = td_frame(t->m, t->w, f->a), b = td_frame(t->m, t->w, f->b);
      const double size = fmax(1e-3, fmax(vec3_norm(a.p), vec3_norm(b.p)));
      all++;
      if (!f->law[2].rest_initial || axial_at(&a, &b).L > 1e-9 * size) continue;
      if (none++ == 0) first = i;
    }

    // one warning for all of them
    if (none == 0) continue;
    const model_beam* f = &t->m->beam[first];
    const char* name = model_name(t->m, f->name);
    if (all == 1)
      td_warn(&t->spec->diags, force_span(t, f->joint, f->name),
              "%s: spring.init = nan makes the rest length of the beam 0, as its two ends are at "
              "the same place at the start",
              name);
    else
      td_warn(&t->spec->diags, force_span(t, f->joint, f->name),
              "%s and %d more of %d beams: spring.init = nan makes their rest lengths 0, as their "
              "two ends are at the same place at the start",
              name, none - 1, all);
    td_hint(&t->spec->diags, "give the bodies their places by dof.init");
  }
}

// Check charts, springs, beams and stretch() sensors at the start.
td_status td_judge_geometry(const trial* t) {
  td_status worst = TD_OK;
  warn_short_beams(t);
  for (int i = 0; i < t->m->nhop; i++)
    if (has_chart(&t->m->hop[i]) && td_hop_chart(&t->m->hop[i]) == CHART_QUAT3 &&
        judge_chart(t, &t->m->hop[i]) != TD_OK)
      worst = TD_E_MODEL;
  for (int i = 0; i < t->m->naxial; i++)
    if (judge_axial(t, &t->m->axial[i]) != TD_OK) worst = TD_E_MODEL;
  for (int i = 0; i < t->m->nbeam; i++)
    if (t->m->beam[i].frame >= 0 && judge_beam(t, &t->m->beam[i]) != TD_OK) worst = TD_E_MODEL;
  for (int i = 0; i < t->m->nprobe; i++)
    if (judge_stretch(t, i) != TD_OK) worst = TD_E_MODEL;
  return worst;
}
