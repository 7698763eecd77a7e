// What there is to see of a model: groups of things to draw, each a kind, and the numbers that move
// them.
//
// A frame is one vector of numbers.  Things refer to it by offset: a pose is seven numbers
// (position, quaternion x y z w), a point or a vector three, a scalar one.  The description is JSON
// and does not change while the model moves; every picture after that is one frame.  docs/viewer.md
// has the format.
#ifndef TD_SCENE_H
#define TD_SCENE_H

#include "model/model.h"

// Where some numbers of a frame come from.
typedef enum track_kind {
  TRACK_POSE,     // of a station
  TRACK_POINT,    // position of a station
  TRACK_ACROSS,   // its x axis
  TRACK_HINGE,    // where a hop turns
  TRACK_AXIS,     // the direction about or along which it moves
  TRACK_FORCE,    // of a load, in the world
  TRACK_TORQUE,   // of a load
  TRACK_CONTACT,  // what a one-sided link does to its second station
  TRACK_CABLE,    // where a cable passes a piece of a rod
  TRACK_TOUCH,    // where a ball touches
  TRACK_PUSH,     // and the force on it
  TRACK_STRAIN    // largest fibre strain of a rod piece
} track_kind;
typedef struct track {
  track_kind kind;
  int index;  // station, hop, force or place of a cable
  int at;     // first number in the frame
} track;

// A cable in a piece of a rod: between two stations of the rod's line, off it by its path's
// numbers.
typedef struct passage {
  int crossing;
  int a, b;
  double part;  // of the way from a to b
} passage;

// A ball of a contact.
typedef struct toucher {
  int contact, ball;
} toucher;

typedef struct td_scene {
  const td_model* model;
  track* track;
  int ntrack, track_cap;
  int* point;  // per station, ground first: where its position is in a frame, -1: not yet there
  passage* passage;
  int npassage, passage_cap;
  toucher* toucher;
  int ntoucher, toucher_cap;
  int nnumber;  // in a frame
  double size;  // of the model at rest: diagonal of the box around it [m]
  td_text json;
  bool failed;  // out of memory
} td_scene;

// Describe a model, looking at it in the given state.  NULL when out of memory.
td_scene* td_scene_new(const td_model* model, const td_state* state, td_work* work);
void td_scene_free(td_scene* scene);

// The numbers of one frame (nnumber).  Numbers that are not finite become 0.
void td_scene_frame(const td_scene* scene, const td_state* state, td_work* work, float* frame);

// Quaternions of `frame` with the signs of those in `before`, so that what is between two frames is
// their mean.
void td_scene_align(const td_scene* scene, const float* before, float* frame);
// Largest distance between the places of two frames.
double td_scene_distance(const td_scene* scene, const float* a, const float* b);

// For kinds: a new track, *at: where its numbers begin.
int td_scene_track(td_scene* scene, track_kind kind, int index);

// Width (what 0) or height (1) of a rod at an arc length.
double td_scene_outline(const td_work* w, const model_rod* rod, int what, double arc);

// scene_solid.c: bodies as solids with their mass and inertia.
void td_scene_bodies(td_scene* scene, td_work* work);

// scene_contact.c: what is touched, and the forces there.
void td_scene_contacts(td_scene* scene, td_work* work);

// Stations on the line of a rod, by arc length, each arc length once: the only way the viewer looks
// at rods, whatever their continuum model.  *n: how many; to be freed; NULL when out of memory.
typedef struct rod_point {
  double arc;
  int station;
} rod_point;
rod_point* scene_rod_points(const td_model* model, int rod, int* n);

// Is a force seen as a line between its two stations?
bool scene_force_is_line(const td_model* model, int force);

#endif
