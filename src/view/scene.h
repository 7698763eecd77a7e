// The scene of a model: groups of things to draw, each of one kind, and the numbers that move them.
//
// A frame is one vector of numbers.  Things refer to it by offset: a pose is seven numbers
// (position, quaternion x y z w), a point or a vector three, a scalar one.  The description is JSON
// and does not change while the model moves; every picture after that is one frame.  docs/viewer.md
// has the format.
#ifndef TD_SCENE_H
#define TD_SCENE_H

#include "model/model.h"

// The source of some numbers of a frame.
typedef enum track_kind {
  TRACK_POSE,     // of a station
  TRACK_POINT,    // position of a station
  TRACK_ACROSS,   // its x axis
  TRACK_HINGE,    // position of a hop
  TRACK_AXIS,     // direction about or along which a hop moves
  TRACK_FORCE,    // of a load, in the world
  TRACK_TORQUE,   // of a load
  TRACK_CONTACT,  // force of a one-sided link on its second station
  TRACK_CABLE,    // position of a cable inside a rod
  TRACK_TOUCH,    // point at which a ball touches
  TRACK_PUSH,     // contact force on a ball
  TRACK_STRAIN    // largest fibre strain of a rod piece
} track_kind;
// Some numbers of a frame.
typedef struct track {
  track_kind kind;
  int index;  // station, hop, force or place of a cable
  int at;     // first number in the frame
} track;

// A crossing of a cable and a strain element: between two stations of the rod's line, off the line
// by the offset of the cable path.
typedef struct passage {
  int crossing;
  int a, b;
  double part;  // fraction of the way from a to b
} passage;

// A ball that may touch a contact's object.
typedef struct toucher {
  int contact, ball;
} toucher;

// The scene: tracks, and the description as JSON.
typedef struct td_scene {
  const td_model* model;
  track* track;
  int ntrack, track_cap;
  int* point;  // by station, ground first: offset of its position in a frame, -1: no track yet
  passage* passage;
  int npassage, passage_cap;
  toucher* toucher;
  int ntoucher, toucher_cap;
  int nnumber;  // numbers in a frame
  double size;  // size of the model at the start [m]
  td_text json;
  bool failed;  // out of memory
} td_scene;

// Describe a model at the given state.  NULL when out of memory.
td_scene* td_scene_new(const td_model* model, const td_state* state, td_work* work);
void td_scene_free(td_scene* scene);

// Compute the numbers of one frame (nnumber).  Numbers that are not finite become 0.
void td_scene_frame(const td_scene* scene, const td_state* state, td_work* work, float* frame);

// Give the quaternions of `frame` the signs of those in `before`, so that the viewer can
// interpolate between the two frames.
void td_scene_align(const td_scene* scene, const float* before, float* frame);
// Largest distance between corresponding positions of two frames
double td_scene_distance(const td_scene* scene, const float* a, const float* b);

// Add a track; returns the offset of its numbers in a frame.
int td_scene_track(td_scene* scene, track_kind kind, int index);

// Rotation that takes the z axis to a unit vector
quat scene_from_z(vec3 d);

// Width (what 0) or height (1) of a rod at an arc length, or Young's modulus (2).
double td_scene_outline(const td_work* w, const model_rod* rod, int what, double arc);

// scene_solid.c: bodies as solids with their mass and inertia.
void td_scene_bodies(td_scene* scene, td_work* work);

// scene_contact.c: objects of contacts, and the forces there.
void td_scene_contacts(td_scene* scene, td_work* work);

// Stations on the line of a rod, by arc length, each arc length once: all that the viewer needs of
// a rod, whatever its continuum model.  *n: how many; to be freed; NULL when out of memory.
typedef struct rod_point {
  double arc;
  int station;
} rod_point;
rod_point* scene_rod_points(const td_model* model, int rod, int* n);

// Report whether a force is drawn as a line between its two stations.
bool scene_force_is_line(const td_model* model, int force);

#endif
