// Stretch of a cable from the end of one rod to the base of the next: the chord c between its
// points in the two end sections, with the signed length
//
//   l = f |c|          f = 1, or -1 where the two ends have passed each other
//
// If the ends slide along the rods' direction into and through each other, a plain distance would
// have a corner at |c| = 0; with the sign the length becomes negative there and the cable pulls as
// before.  With the tangents t_a, t_b of the rods and n = c/|c| the sign is
//
//   f = 1 - 2 S(2 y),   y = (t_a·n)(t_b·n) where both are negative, else 0
//
// where S rises smoothly from 0 at 0 to 1 at 1.  The length is negative where the chord runs back
// within 45 degrees of both rods, positive wherever it runs forward along one of them, and the
// force is continuous between.  A chord below 1e-9 m has no direction; its component along the mean
// of the tangents is used.  This holds for chords that run `along` the rods at the start; other
// chords are plain distances.
#ifndef TD_CHORD_H
#define TD_CHORD_H

#include "elem/taylor.h"

typedef struct chord {
  taylor l;
  taylor3 force;               // ∂l/∂p_b = -∂l/∂p_a
  taylor3 torque_a, torque_b;  // derivatives for rotations of the ends
} chord;

// Chord between the origins of two frames whose z axes are the rods' tangents.
chord td_chord(const taylor_frame* a, const taylor_frame* b, bool along);
// True if the chord runs along both tangents (within a tenth of a radian) or has no length.
bool td_chord_along(const frame* a, const frame* b);

#endif
