// Sensors: what an expression can ask of the moving robot.  One list drives the language's
// functions, the manual, and the engine.
#ifndef TD_SENSOR_H
#define TD_SENSOR_H

#include <math.h>

#include "expr/expr.h"

//  kind, name, rows, cols, what it is about (b: body or rod, j: joint, r: rod, c: cable, i: index,
//  -: nothing), depends, text
#define TD_SENSOR_LIST(X)                                                                         \
  X(POS, "pos", 1, 3, 'b', TD_ON_STATE,                                                           \
    "position of the frame (or of a local point) in the world [m]")                               \
  X(ROT, "rot", 3, 3, 'b', TD_ON_STATE, "rotation matrix from the body to the world")             \
  X(QUAT, "quat", 1, 4, 'b', TD_ON_STATE, "unit quaternion [w x y z] from the body to the world") \
  X(VEL, "vel", 1, 3, 'b', TD_ON_RATE, "velocity of that point in the world [m/s]")               \
  X(OMEGA, "omega", 1, 3, 'b', TD_ON_RATE, "angular velocity in the body frame [rad/s]")          \
  X(ACC, "acc", 1, 3, 'b', TD_ON_ACCEL, "acceleration of that point in the world [m/s^2]")        \
  X(LENGTH, "length", 1, 1, 'j', TD_ON_STATE,                                                     \
    "distance between the two ends of a linking joint; length of a cable [m]")                    \
  X(STRETCH, "stretch", 1, 1, 'j', TD_ON_STATE,                                                   \
    "that distance divided by its value at the start; of a rod: mean axial stretch")              \
  X(STRAIN, "strain", 1, 6, 'r', TD_ON_STATE,                                                     \
    "strains of a rod at an arc length: shear x, shear y, stretch, bend x, bend y, twist")        \
  X(COORD, "coord", 1, 1, 'r', TD_ON_COORD,                                                       \
    "coordinates of a rod whose strain field is written out (rod.coords of them)")                \
  X(DCOORD, "dcoord", 1, 1, 'r', TD_ON_RATE, "their rates")                                       \
  X(FORCE, "force", 1, 6, 'j', TD_ON_ACCEL,                                                       \
    "what a joint transmits to its second body, in its first frame [N, N m]")                     \
  X(WRENCH, "wrench", 1, 6, 'r', TD_ON_ACCEL,                                                     \
    "force and moment inside a rod at an arc length, cables and chambers included: what the part" \
    " beyond does to the part before, in the axes of the section [N, N m]")                       \
  X(LAMBDA, "lambda", 1, 6, 'j', TD_ON_ACCEL,                                                     \
    "constraint forces along the six directions of a joint [N, N m]")                             \
  X(TENSION, "tension", 1, 1, 'c', TD_ON_ACCEL, "tension of a cable where it is pulled [N]")      \
  X(DOF, "dof", 1, 1, 'j', TD_ON_STATE,                                                           \
    "value of the i-th degree of freedom of a joint [m or rad]")                                  \
  X(DDOF, "ddof", 1, 1, 'j', TD_ON_RATE, "its rate [m/s or rad/s]")                               \
  X(ENERGY, "energy", 1, 1, '-', TD_ON_ACCEL, "kinetic + elastic + gravity energy [J]")           \
  X(Q, "q", 1, 1, 'i', TD_ON_STATE, "generalised position i")                                     \
  X(V, "v", 1, 1, 'i', TD_ON_RATE, "generalised velocity i")

typedef enum sensor_kind {
#define X(kind, name, rows, cols, about, depends, text) SENSOR_##kind,
  TD_SENSOR_LIST(X)
#undef X
      SENSOR_KIND_COUNT
} sensor_kind;

typedef struct td_sensor_info {
  const char* name;
  int rows, cols;
  char about;
  td_depends depends;
  const char* text;
} td_sensor_info;
extern const td_sensor_info td_sensor_table[SENSOR_KIND_COUNT];

#define TD_ARC_TIP INFINITY    // where the rod ends, wherever that will be
#define TD_ARC_HERE -INFINITY  // the arc length s at hand, of what acts along the rod

// One component of a sensor as a variable of an expression.  `index` and `element` count from 1;
// element 0: the only one.  `item` is the second index of dof/ddof (DOF number) and the number of
// q/v.
typedef struct td_sensor_ref {
  sensor_kind kind;
  char root;  // 'b' body, 'j' joint, 'r' rod, 'c' cable, 'm' mesh (element: node or edge), '-' none
  int index, element, item;
  bool has_point;  // pos, vel, acc: a point in the body frame instead of its origin
  double point[3];
  double arc;     // rods: arc length [m], TD_ARC_TIP or TD_ARC_HERE
  int component;  // 0-based, column-major in the sensor's value
} td_sensor_ref;

#endif
