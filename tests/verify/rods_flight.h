// Flying spaghetti: a free rod under loads that are smooth, have kinks or jump.
#ifndef TD_VERIFY_RODS_FLIGHT_H
#define TD_VERIFY_RODS_FLIGHT_H

#define FLYING_ROD(load, pulse)                                                                   \
  ROD_HEAD                                                                                        \
  "rod(1).length = 10; rod(1).stiffness = [1e4 1e4 1e4 500 500 500]; rod(1).inertia = [1 1 1 10 " \
  "10 20];\n"                                                                                     \
  "rod(1).tr(1).trans = [6 0 0]; rod(1).tr(1).rot = [3 atan2(8, -6)]; rod(1).tr(2).rot = "        \
  "along_x;\n"                                                                                    \
  "rod(1).joint.type = 'free'; " pulse                                                            \
  "\n"                                                                                            \
  "exload(1).exbody = at(rod(1), 0); exload(1).refbody = 0; exload(1).ftau = a*" load ";\n"

#define SMOOTH(span) "q = t/" span "; a = ifelse(q < 1, 64*q^3*(1 - q)^3, 0);"
#define TRIANGLE "a = max(0, 1 - abs(t - 2.5)/2.5);"
#define STEP "a = ifelse(t < 2.5, 1, 0);"

#endif
