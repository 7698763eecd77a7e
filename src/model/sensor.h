// Sensors: quantities of the moving robot for expressions.  One list drives the language's
// functions, the manual, and the engine.
#ifndef TD_SENSOR_H
#define TD_SENSOR_H

#include <math.h>
#include <stdbool.h>

#include "expr/expr.h"

// Particular traits of a sensor, beyond what it is about.
enum {
  WITH_POINT = 1,    // takes a point in the body frame
  WITH_NUMBER = 2,   // takes the number of a degree of freedom behind its joint
  WITH_COORDS = 4,   // has as many components as its rod has coordinates of its own (rod.coords)
  OF_WHOLE_ROD = 8,  // tells something of a rod as a whole, without an arc length
  OF_STRAIN = 16,    // is a strain of a rod's section: strains are counted where it is measured
  OF_SECTION = 32,   // is what a section of a rod transmits
  OF_JOINT = 64,     // is what a joint transmits
  OF_LENGTH = 128,   // is a length: cables have it, and edges of meshes whatever they are made of
  OF_EDGE = 256,     // edges of meshes have it
  OF_START = 512     // is divided by its value at the start
};

// Sensors: kind; name; rows and columns; what it is about (b: body or rod, j: joint, r: rod, c:
// cable, i: number of a coordinate, -: nothing); what it depends on; its traits; unit, and that of
// the components from the fourth on (NULL: those of its coordinate); text.  To add one: a line
// here, engine/sensor_<name>.c with its table td_sensor_<KIND> (engine/sensor_table.h), and
// gen/derive_<name>.c with td_derive_sensor_<KIND> (gen/deriver.h).
// clang-format off
#define TD_SENSOR_LIST(X)                                                                         \
  X(POS, "pos", 1, 3, 'b', TD_ON_STATE, WITH_POINT, "m", "m",                                     \
    "position of the frame (or of a local point) in the world [m]")                               \
  X(ROT, "rot", 3, 3, 'b', TD_ON_STATE, 0, "", "", "rotation matrix from the body to the world")  \
  X(QUAT, "quat", 1, 4, 'b', TD_ON_STATE, 0, "", "",                                              \
    "unit quaternion [w x y z] from the body to the world")                                       \
  X(VEL, "vel", 1, 3, 'b', TD_ON_RATE, WITH_POINT, "m/s", "m/s",                                  \
    "velocity of that point in the world [m/s]")                                                  \
  X(OMEGA, "omega", 1, 3, 'b', TD_ON_RATE, 0, "rad/s", "rad/s",                                   \
    "angular velocity in the body frame [rad/s]")                                                 \
  X(ACC, "acc", 1, 3, 'b', TD_ON_ACCEL, WITH_POINT, "m/s^2", "m/s^2",                             \
    "acceleration of that point in the world [m/s^2]")                                            \
  X(LENGTH, "length", 1, 1, 'j', TD_ON_STATE, OF_LENGTH | OF_EDGE, "m", "m",                      \
    "distance between the two ends of a linking joint; length of a cable [m]")                    \
  X(STRETCH, "stretch", 1, 1, 'j', TD_ON_STATE, OF_WHOLE_ROD | OF_EDGE | OF_START, "", "",        \
    "that distance divided by its value at the start; of a rod: mean axial stretch")              \
  X(STRAIN, "strain", 1, 6, 'r', TD_ON_STATE, OF_STRAIN, "", "1/m",                               \
    "strains of a rod at an arc length: shear x, shear y, stretch, bend x, bend y, twist")        \
  X(COORD, "coord", 1, 1, 'r', TD_ON_COORD, WITH_COORDS | OF_WHOLE_ROD, "", "",                   \
    "coordinates of a rod whose strain field is written out (rod.coords of them)")                \
  X(DCOORD, "dcoord", 1, 1, 'r', TD_ON_RATE, WITH_COORDS | OF_WHOLE_ROD, "", "", "their rates")   \
  X(FORCE, "force", 1, 6, 'j', TD_ON_ACCEL, OF_JOINT | OF_EDGE, "N", "N m",                       \
    "what a joint transmits to its second body, in its first frame [N, N m]")                     \
  X(WRENCH, "wrench", 1, 6, 'r', TD_ON_ACCEL, OF_SECTION, "N", "N m",                             \
    "force and moment inside a rod at an arc length, cables and chambers included: what the part" \
    " beyond does to the part before, in the axes of the section [N, N m]")                       \
  X(LAMBDA, "lambda", 1, 6, 'j', TD_ON_ACCEL, 0, "N", "N m",                                      \
    "constraint forces along the six directions of a joint [N, N m]")                             \
  X(TENSION, "tension", 1, 1, 'c', TD_ON_ACCEL, 0, "N", "N",                                      \
    "tension of a cable where it is pulled [N]")                                                  \
  X(DOF, "dof", 1, 1, 'j', TD_ON_STATE, WITH_NUMBER, NULL, NULL,                                  \
    "value of the i-th degree of freedom of a joint [m or rad]")                                  \
  X(DDOF, "ddof", 1, 1, 'j', TD_ON_RATE, WITH_NUMBER, NULL, NULL, "its rate [m/s or rad/s]")      \
  X(ENERGY, "energy", 1, 1, '-', TD_ON_ACCEL, 0, "J", "J",                                        \
    "kinetic + elastic + gravity energy [J]")                                                     \
  X(COM, "com", 1, 3, '-', TD_ON_STATE, 0, "m", "m", "centre of mass of all that moves [m]")      \
  X(Q, "q", 1, 1, 'i', TD_ON_STATE, 0, NULL, NULL, "generalised position i")                      \
  X(V, "v", 1, 1, 'i', TD_ON_RATE, 0, NULL, NULL, "generalised velocity i")
// clang-format on

typedef enum sensor_kind {
#define X(kind, ...) SENSOR_##kind,
  TD_SENSOR_LIST(X)
#undef X
      SENSOR_KIND_COUNT
} sensor_kind;

typedef struct td_sensor_info {
  const char* name;
  int rows, cols;
  char about;
  td_depends depends;
  unsigned traits;
  const char *unit, *second_unit;
  const char* text;
} td_sensor_info;
extern const td_sensor_info td_sensor_table[SENSOR_KIND_COUNT];

// The traits alone, which exported programs have, too.
static const unsigned td_sensor_traits[SENSOR_KIND_COUNT] = {
#define X(kind, name, rows, cols, about, depends, traits, ...) traits,
    TD_SENSOR_LIST(X)
#undef X
};
static inline bool sensor_is(sensor_kind kind, unsigned traits) {
  return td_sensor_traits[kind] & traits;
}

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
  int follows[3];  // 1 + expression of its coordinates, where they follow parameters; 0: numbers
  double arc;      // rods: arc length [m], TD_ARC_TIP or TD_ARC_HERE
  bool moves;      // a point of the rod's model, which moves along with it when its length changes
  int place;       // 1 + expression of the arc length, where it follows parameters; 0: a number
  int component;   // 0-based, column-major in the sensor's value
} td_sensor_ref;

#endif
