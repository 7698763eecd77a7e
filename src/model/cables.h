// Shared by the builders of cables.
#ifndef TD_CABLES_H
#define TD_CABLES_H

#include "model/build.h"

// A cable as it is written.
typedef struct cable_words {
  const value *rod, *path, *from, *to;                 // through rods
  const value *via, *points;                           // straight between places
  const value *tension, *pull, *stiffness, *friction;  // what drives it
} cable_words;
cable_words td_cable_read(const value* cables, int i);

// How many rods a cable runs through, 0: it runs straight between places; the k-th of them, from 1.
int td_cable_rods(const builder* b, int cable);
int td_cable_rod(const builder* b, int cable, int k);
// The range of its k-th rod that a cable runs through: `from` is on the first, `to` on the last.
void td_cable_range(builder* b, int cable, int k, ex* from, ex* to);
// [d d' d''] at an arc length of a rod (from 1): CABLE_PATH slots.
num td_cable_path(builder* b, int cable, int rod, double arc);
// May the cables pass one more piece?
td_status td_cable_room(builder* b, int cable);
// Build a cable between its rods: crossings of joints and spans.
td_status td_build_cable_joints(builder* b, int cable);

#endif
