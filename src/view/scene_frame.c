// Frames of a scene: the numbers that they consist of (tracks), and their values at a state.
#include "view/scene.h"

#include <math.h>
#include <string.h>

#include "engine/stages.h"

// Numbers that a track has in a frame
static int width_of(track_kind kind) {
  return kind == TRACK_POSE ? 7 : kind == TRACK_STRAIN ? 1 : 3;
}

// Add a track and return its offset; the position of a station is there once, however often used.
int td_scene_track(td_scene* s, track_kind kind, int index) {
  if (kind == TRACK_POINT && s->point[index + 1] >= 0) return s->point[index + 1];
  track* list = td_grow(s->track, &s->track_cap, s->ntrack + 1, sizeof *list);
  if (!list) {
    s->failed = true;
    return 0;
  }
  s->track = list;
  list[s->ntrack] = (track){kind, index, s->nnumber};
  if (kind == TRACK_POINT) s->point[index + 1] = s->nnumber;
  s->nnumber += width_of(kind);
  return list[s->ntrack++].at;
}

static void put(float* out, vec3 x) {
  const float a[3] = {(float)x.x, (float)x.y, (float)x.z};
  for (int i = 0; i < 3; i++) out[i] = isfinite(a[i]) ? a[i] : 0;
}

static void put_pose(float* out, const frame* f) {
  const quat q = quat_mat3(f->R);
  put(out, f->p);
  put(out + 3, q.v);
  out[6] = isfinite(q.w) ? (float)q.w : 1;
}

// Rotation that takes the z axis to the direction of a unit vector
quat scene_from_z(vec3 d) {
  const vec3 z = {0, 0, 1}, axis = vec3_cross(z, d);
  const double s = vec3_norm(axis);
  if (s < 1e-12) return d.z > 0 ? (quat){1, {0, 0, 0}} : (quat){0, {1, 0, 0}};
  return quat_exp(vec3_scale(atan2(s, d.z) / s, axis));
}

// Force and torque that the arrow of an element shows
static force_arrow arrow_of(const td_model* m, const td_work* w, int force) {
  const force_info f = force_at(m, force);
  return td_element_table[f.kind]->arrow(m, w, f.i);
}

// Outline of a rod at an arc length, linear between the points where it is given
double td_scene_outline(const td_work* w, const model_rod* rod, int what, double arc) {
  const double s = fmin(fmax(arc / rod->length, 0), 1) * (ROD_LOOKS - 1);
  const int i = min_int((int)s, ROD_LOOKS - 2);
  const double* x = w->num + rod->outline + what * ROD_LOOKS + i;
  return x[0] + (s - i) * (x[1] - x[0]);
}

// Largest fibre strain beyond the stress-free one: |stretch| + |bending| · half the width
static double fibre_strain(const td_model* m, const td_work* w, const model_strain* f) {
  const model_rod* rod = &m->rod[f->rod - 1];
  double x[6];
  td_strains(m, w, f, x);
  for (int d = 0; d < 6; d++) x[d] -= w->num[f->section + SECTION_X0 + d];
  const double rx = 0.5 * td_scene_outline(w, rod, 0, f->arc),
               ry = 0.5 * td_scene_outline(w, rod, 1, f->arc);
  const double bending =
      rod->angular ? fabs(x[3]) * ry + fabs(x[4]) * rx : hypot(x[3] * ry, x[4] * rx);
  return fabs(x[2]) + bending;
}

// Position of a cable between two stations of its rod: the line's interpolation, with the offset d
// in the axes of both
static vec3 passage_at(const td_model* m, const td_work* w, const passage* p) {
  const double* path = w->num + m->crossing[p->crossing].path;
  const vec3 d = {path[0], path[1], 0};
  const frame a = td_frame(m, w, p->a), b = td_frame(m, w, p->b);
  const vec3 x = vec3_add(a.p, mat3_apply(a.R, d)), y = vec3_add(b.p, mat3_apply(b.R, d));
  return vec3_axpy(p->part, vec3_sub(y, x), x);
}

// Fill the numbers of one track.
static void fill(const td_scene* s, const td_work* w, const track* t, float* out) {
  const td_model* m = s->model;
  switch (t->kind) {
    case TRACK_CABLE:
      put(out, passage_at(m, w, &s->passage[t->index]));
      return;
    case TRACK_TOUCH:
    case TRACK_PUSH: {
      const toucher* b = &s->toucher[t->index];
      vec3 at;
      const vec3 force = td_contact_force(m, w, b->contact, b->ball, &at);
      put(out, t->kind == TRACK_TOUCH ? at : force);
      return;
    }
    case TRACK_POSE: {
      const frame f = td_frame(m, w, t->index);
      put_pose(out, &f);
      return;
    }
    case TRACK_POINT:
      put(out, td_frame(m, w, t->index).p);
      return;
    case TRACK_ACROSS:
      put(out, mat3_col(td_frame(m, w, t->index).R, 0));
      return;
    case TRACK_HINGE:
      put(out, w->hop[t->index].g.p);
      return;
    case TRACK_AXIS:
      put(out, mat3_apply(w->hop[t->index].g.R, w->hop_axis[t->index]));
      return;
    case TRACK_FORCE:
      put(out, arrow_of(m, w, t->index).force);
      return;
    case TRACK_TORQUE:
      put(out, arrow_of(m, w, t->index).torque);
      return;
    case TRACK_CONTACT: {
      const force_info f = force_at(m, t->index);
      const spatial wrench = td_link_wrench(m, w, f.joint, f.element);
      put(out, spatial_t(&wrench));
      return;
    }
    case TRACK_STRAIN: {
      const float x = (float)fibre_strain(m, w, &m->strain[t->index]);
      *out = isfinite(x) ? x : 0;
      return;
    }
  }
}

void td_scene_frame(const td_scene* s, const td_state* state, td_work* work, float* out) {
  td_enter(s->model, state, work);
  for (int i = 0; i < s->ntrack; i++) fill(s, work, &s->track[i], out + s->track[i].at);
}

// Negate the quaternions that point away from those of the frame before (q and -q are one
// rotation).
void td_scene_align(const td_scene* s, const float* before, float* x) {
  for (int i = 0; i < s->ntrack; i++) {
    if (s->track[i].kind != TRACK_POSE) continue;
    const float* a = before + s->track[i].at + 3;
    float* b = x + s->track[i].at + 3;
    if (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] >= 0) continue;
    for (int k = 0; k < 4; k++) b[k] = -b[k];
  }
}

// Largest distance between corresponding positions of two frames
double td_scene_distance(const td_scene* s, const float* a, const float* b) {
  double most = 0;
  for (int i = 0; i < s->ntrack; i++) {
    const track_kind kind = s->track[i].kind;
    if (kind != TRACK_POSE && kind != TRACK_POINT && kind != TRACK_HINGE) continue;

    // distance of one position
    double sum = 0;
    for (int k = s->track[i].at; k < s->track[i].at + 3; k++)
      sum += pow((double)a[k] - (double)b[k], 2);
    most = fmax(most, sqrt(sum));
  }
  return most;
}
