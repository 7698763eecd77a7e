// Cylinder without ends around an axis u through a point.
#include "elem/shape.h"

// 1 - u uᵀ, the projection perpendicular to the axis
static mat3 across(vec3 u) { return mat3_add(mat3_identity(), mat3_scale(-1, mat3_outer(u, u))); }

// δ = r + radius - |(1 - u uᵀ)(x - point)|
static contact_touch touch(const fixed_shape* s, vec3 x, double r) {
  return touch_round(s, across(s->u), x, r);
}

static contact_object_change numbers_diff(const fixed_shape* s, const fixed_shape* d, vec3 x,
                                          double r) {
  const contact_touch t = touch(s, x, r);
  return touch_round_diff(&t, s, d, s->u, d->u, x);
}

static double box_distance(const fixed_shape* s, vec3 middle, vec3 half) {
  return vec3_norm(mat3_apply(across(s->u), middle)) - vec3_norm(half) - s->radius;
}

static double closing(double along, double whole) {
  return sqrt(fmax(0, whole * whole - along * along));
}

static void extent(const fixed_shape* s, double scene, double size[3]) {
  size[0] = size[1] = 2 * s->radius;
  size[2] = 1.2 * scene;
}

const shape_ops td_shape_cylinder = {touch, numbers_diff, box_distance, closing, extent};
