// Can the numbers of a run be trusted?  Measures taken along the way and the verdict at the end.
//
// The balance of energies is judged by what was turned over,
//
//   turned over = ∫|power| dt + max kinetic + (max - min) elastic + (max - min) gravity
//
// where the kinetic energy counts from rest: a body that flies on unchanged has turned over what it
// carries, and energy that only goes from one form to another counts.
#ifndef TD_TRUST_H
#define TD_TRUST_H

#include "solve/time/motion.h"
#include "solve/time/trajectory.h"

typedef struct td_trust_measures {
  double size;                // of the robot at the start [m]
  double atol;                // absolute tolerance of the run [m]
  double unseen;              // energy of speeds that the tolerances do not tell from rest [J]
  double start;               // energy at the start [J]
  double work, moved;         // at the last step; sum of |changes| since the start [J]
  double low[3], high[3];     // of kinetic, elastic, gravity
  double error, t_error;      // largest |energy - start - work|, and when
  double stretch, t_stretch;  // least of a rod, and when
  const char* rod;            // which
  bool buckled;               // rods gave way to prescribed motion out of the straight position
  double t_buckled;           // when
  const char* shaky;          // constraint that was singular at the start, NULL: none
  long steps, next;           // taken; the one whose end is looked at next
  long evaluations;           // of the equations, up to the last look
} td_trust_measures;

// Describe a folded segment (td_largest_fold) and the remedy.
void td_say_fold(const td_model* model, int node, double angle, char* text, size_t size);

// At the first state, which must have been unpacked.
void td_trust_begin(td_trust_measures* measures, td_motion* motion, double atol);
// At a state that was unpacked and placed: its energies and the work done so far.
void td_trust_look(td_trust_measures* measures, const td_motion* motion, const td_energies* energy,
                   double work);
// At the end of a step: the work done so far, with that of impulses, and the evaluations so far.
// Some of them are looked at, fewer as a run gets longer, so that energies between the rows are
// known.
void td_trust_step(td_trust_measures* measures, td_motion* motion, double work, long evaluations);
// The verdict, from the measures, the rows and the statistics.
void td_trust_judge(const td_trust_measures* measures, const td_motion* motion, bool near_chart_end,
                    td_status status, td_trajectory* out);

#endif
