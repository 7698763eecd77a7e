// Plane: the half-space below a point with an outward normal u.
#include "elem/shape.h"

// δ = r - u·(x - point)
static contact_touch touch(const fixed_shape* s, vec3 x, double r) {
  return (contact_touch){r - vec3_dot(s->u, vec3_sub(x, s->point)), s->u, {{0}}};
}

static contact_object_change numbers_diff(const fixed_shape* s, const fixed_shape* d, vec3 x,
                                          double r) {
  (void)r;
  return (contact_object_change){
      .depth = vec3_dot(s->u, d->point) - vec3_dot(d->u, vec3_sub(x, s->point)), .n = d->u};
}

static double box_distance(const fixed_shape* s, vec3 middle, vec3 half) {
  const vec3 u = s->u;
  return vec3_dot(u, middle) - fabs(u.x) * half.x - fabs(u.y) * half.y - fabs(u.z) * half.z;
}

static double closing(double along, double whole) { return (void)whole, fabs(along); }

static void extent(const fixed_shape* s, double scene, double size[3]) {
  (void)s;
  size[0] = size[1] = size[2] = 2 * scene;
}

const shape_ops td_shape_plane = {touch, numbers_diff, box_distance, closing, extent};
