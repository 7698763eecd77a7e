// Words for the rows of field tables.
#ifndef TD_FIELD_ROWS_H
#define TD_FIELD_ROWS_H

#include "model/field.h"

// Quantities that a field may depend on.
enum {
  FIXED = TD_ON_NOTHING,       // structure of the robot
  PARAM = TD_ON_PARAM,         // geometry, inertia, initial values
  TIMED = PARAM | TD_ON_TIME,  // prescribed motion, gravity
  FORCE = TIMED | TD_ON_INPUT | TD_ON_STATE | TD_ON_RATE | TD_ON_COORD |
          TD_ON_INTERNAL,                 // what makes a force
  FLOW = TIMED | TD_ON_HERE,              // a stream
  OWN = TIMED | TD_ON_ARC | TD_ON_COORD,  // a strain field of its own
  ALONG = PARAM | TD_ON_ARC,              // section and shape of a rod
  ENERGY = ALONG | TD_ON_STRAIN,          // strain energy of a section
  BENT = FORCE | TD_ON_ARC,               // stiffness and damping of a rod
  SEEN = BENT | TD_ON_HERE,               // loads and actuation, which see where they act
  WATCH = FORCE | TD_ON_ACCEL,            // sensors and events
  SYMBOLS = WATCH | TD_ON_ARC | TD_ON_COORD | TD_ON_STRAIN | TD_ON_SYMBOL  // par.sym names symbols
};

#endif
