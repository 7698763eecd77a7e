// What the builders of cables share.
#ifndef TD_CABLES_H
#define TD_CABLES_H

#include "model/build.h"

// How many rods a cable runs through, 0: it runs straight between places; the k-th of them, from 1.
int td_cable_rods(const builder* b, int cable);
int td_cable_rod(const builder* b, int cable, int k);
// [d d' d''] at an arc length: CABLE_PATH slots.
num td_cable_path(builder* b, int cable, double arc);
// May the cables pass one more piece?
td_status td_cable_room(builder* b, int cable);
// What a cable does between its rods: crossings of joints and spans.
td_status td_build_cable_joints(builder* b, int cable);

#endif
