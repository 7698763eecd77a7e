// Sphere around a point.
#include "elem/shape.h"

// δ = r + radius - |x - point|
static contact_touch touch(const fixed_shape* s, vec3 x, double r) {
  return touch_round(s, mat3_identity(), x, r);
}

static contact_object_change numbers_diff(const fixed_shape* s, const fixed_shape* d, vec3 x,
                                          double r) {
  const contact_touch t = touch(s, x, r);
  const vec3 none = {0, 0, 0};
  return touch_round_diff(&t, s, d, none, none, x);
}

static double box_distance(const fixed_shape* s, vec3 middle, vec3 half) {
  return vec3_norm(middle) - vec3_norm(half) - s->radius;
}

static double closing(double along, double whole) { return (void)along, whole; }

static void extent(const fixed_shape* s, double scene, double size[3]) {
  (void)scene;
  size[0] = size[1] = size[2] = 2 * s->radius;
}

const shape_ops td_shape_sphere = {touch, numbers_diff, box_distance, closing, extent};
