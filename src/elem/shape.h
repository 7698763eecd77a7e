// Shapes of fixed objects that balls and rods touch.
//
// To add one: a line in TD_SHAPES and elem/shape_<name>.c with its formulas.  The model language,
// the manual, the engine, the view and the tests read the list.
#ifndef TD_SHAPE_H
#define TD_SHAPE_H

#include <math.h>

#include "math/vec3.h"

// Columns: name; fields of `contact` that have its point, and its direction (NULL: it has none);
// whether `contact.radius` is its radius; the part by which the viewer draws it.
#define TD_SHAPES(X)                          \
  X(plane, "point", "normal", false, "plane") \
  X(sphere, "center", NULL, true, "ball")     \
  X(cylinder, "center", "axis", true, "cylinder")

// A shape at the current state, or the changes of its numbers
typedef struct fixed_shape {
  vec3 point, u;  // u: unit vector of its direction
  double radius;
} fixed_shape;

// Contact of a ball at x
typedef struct contact_touch {
  double depth;  // > 0: in contact
  vec3 n;        // unit normal, from the object towards the ball
  mat3 dn;       // dn/dx; d depth/dx = -n
} contact_touch;

// Changes of depth and normal with the numbers of a fixed object alone, and of its velocity
typedef struct contact_object_change {
  double depth;
  vec3 n, v;
} contact_object_change;

typedef struct shape_ops {
  // Depth and normal of a ball of radius r at x.
  contact_touch (*touch)(const fixed_shape* s, vec3 x, double r);
  // Change of both for changes d of the shape; the velocity stays 0.
  contact_object_change (*numbers_diff)(const fixed_shape* s, const fixed_shape* d, vec3 x,
                                        double r);
  // Lower bound of the distance to a box with half widths `half`, whose middle is at `middle` from
  // the shape's point.
  double (*box_distance)(const fixed_shape* s, vec3 middle, vec3 half);
  // Largest rate of the depth of a ball with a speed `whole`, of which `along` the direction.
  double (*closing)(double along, double whole);
  // Size of the part that is drawn in a scene of a given size, where unbounded shapes end.
  void (*extent)(const fixed_shape* s, double scene, double size[3]);
} shape_ops;
#define X(name, ...) extern const shape_ops td_shape_##name;
TD_SHAPES(X)
#undef X

typedef struct shape_kind {
  const char* name;
  const shape_ops* ops;
  const char *point, *direction;
  bool round;
  const char* drawn;
} shape_kind;

enum {
#define X(name, ...) SHAPE_##name,
  TD_SHAPES(X)
#undef X
      SHAPE_KINDS
};
extern const shape_kind td_shapes[SHAPE_KINDS];
const shape_kind* td_shape_find(const char* name);  // NULL: there is none

// ---- round shapes -----------------------------------------------------------------------------

// Contact with a sphere around a centre, or with a cylinder if `across` projects perpendicular to
// its axis.
static inline contact_touch touch_round(const fixed_shape* s, mat3 across, vec3 x, double r) {
  const vec3 d = mat3_apply(across, vec3_sub(x, s->point));
  const double distance = vec3_norm(d);
  contact_touch t = {.depth = r + s->radius - distance};
  if (!(distance > 0)) return (contact_touch){0};  // no direction in the very middle
  t.n = vec3_scale(1 / distance, d);
  t.dn = mat3_scale(1 / distance, mat3_add(across, mat3_scale(-1, mat3_outer(t.n, t.n))));
  return t;
}

// Its change with the numbers of the shape:  d = (1 - u uᵀ)(x - c), u = 0 of a sphere
static inline contact_object_change touch_round_diff(const contact_touch* t, const fixed_shape* s,
                                                     const fixed_shape* change, vec3 u, vec3 du,
                                                     vec3 x) {
  const vec3 r = vec3_sub(x, s->point), dcentre = change->point;
  vec3 dd = vec3_scale(-1, dcentre);
  dd = vec3_axpy(-vec3_dot(du, r) + vec3_dot(u, dcentre), u, vec3_axpy(-vec3_dot(u, r), du, dd));
  const vec3 d = vec3_axpy(-vec3_dot(u, r), u, r);
  const double distance = vec3_norm(d), grown = vec3_dot(t->n, dd);
  return (contact_object_change){.depth = change->radius - grown,
                                 .n = vec3_scale(1 / distance, vec3_axpy(-grown, t->n, dd))};
}

#endif
