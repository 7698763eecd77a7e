// The loops SUNDIALS spends its time in, compiled for this machine: Debian's library is compiled
// for any, and below some hundred states they cost as much as the equations of motion.
#ifndef TD_SUN_LOOPS_H
#define TD_SUN_LOOPS_H

#include <sundials/sundials_nvector.h>

// Put them into a serial vector, from where its copies have them.
void td_sun_vector(N_Vector v);

#endif
