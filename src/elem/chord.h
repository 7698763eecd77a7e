// The stretch of a cable from the end of one rod to the base of the next, where these lie apart:
// the chord c between its points in the two sections,
//
//   l = f |c|          f = 1, or -1 where the two ends have passed each other
//
// Ends that slide along the rods' direction into and through each other leave no corner at |c| = 0:
// beyond it the chord counts as negative and pulls as before.  With the tangents t_a, t_b of the
// rods and n = c/|c| the sign is
//
//   f = 1 - 2 S(2 y),   y = (t_a·n)(t_b·n) where both are negative, else 0
//
// and S goes smoothly from 0 at 0 to 1 at 1: the chord is negative where it runs back within 45
// degrees of both rods, positive wherever it runs forward along one of them, and its force is
// continuous between.  A chord below 1e-9 m has no direction of its own; it counts along the mean
// of the tangents.  All this for chords that run `along` the rods at the start; those that lead
// elsewhere are plain distances.
#ifndef TD_CHORD_H
#define TD_CHORD_H

#include "elem/taylor.h"

typedef struct chord {
  taylor l;
  taylor3 force;               // ∂l/∂p_b = -∂l/∂p_a
  taylor3 torque_a, torque_b;  // derivatives for rotations of the ends
} chord;

// Between the origins of two frames whose z are the rods' tangents.
chord td_chord(const taylor_frame* a, const taylor_frame* b, bool along);
// Does the chord run along both tangents, or has it no length?
bool td_chord_along(const frame* a, const frame* b);

#endif
