// Error bars: how far a result is from that of the same robot with rods that are resolved to the
// end.  docs/accuracy.md has the method and how often the bars are right.
//
//   td_bars* bars;
//   td_bars_new(spec, model, &bars);                    // the model compiled from this spec
//   td_equilibrium(model, work, state, NULL, &result);
//   td_bars_equilibrium(bars, work, state, &result, error);       // error[i] of sensor i
//   td_modes(model, state, work, &modes);
//   td_bars_modes(bars, work, state, modes, frequency_error);     // rad/s
//
// A bar is the error of the discretisation of the rods (their functions or segments, quadrature
// points and steps), not of the model's numbers.  Where there can be no bar it is NaN, and
// td_bars_trust() tells why.
#ifndef TENDRIL_ACCURACY_H
#define TENDRIL_ACCURACY_H

#include "tendril/tendril.h"

#ifdef __cplusplus
extern "C" {
#endif

// The refined companion of a model: every element of its rods halved and of one order more, or
// twice as many segments.  Not to be shared between threads.
typedef struct td_bars td_bars;

// Compile the companion of a model from the spec that the model was compiled from, which must not
// have changed since; the spec keeps its messages.  TD_OK also where there can be no bars (a rod
// that cannot be refined): then all of them are NaN.  A model without rods has bars of 0.
TD_API td_status td_bars_new(td_spec* spec, const td_model* model, td_bars** bars);
TD_API void td_bars_free(td_bars* bars);

// Errors (nsensor) of the sensors at an equilibrium that td_equilibrium() found with this result
// (NULL: stable).  The components of a vector (of one unit) share the error of the vector.  An
// unstable equilibrium has no bars.
TD_API td_status td_bars_equilibrium(td_bars* bars, td_work* work, const td_state* state,
                                     const td_equil_result* result, double* error);

// Errors (modes->n) of the undamped natural frequencies [rad/s] at a state.
TD_API td_status td_bars_modes(td_bars* bars, td_work* work, const td_state* state,
                               const td_modes_result* modes, double* error);

// td_simulate() with error bars, by two more simulations: one with the tolerances that are asked
// for, while the run itself has a third of them, and one with other rods: two orders more, or half
// as many segments.  `start` tells what the state is, so that the companions start there, too.
// *error (rows x nsensor, to be freed by td_bars_drop): largest half-widths up to each time.
// reached: what was reached by all, by space, time and constraints, relative to td_bars_scale() of
// the largest values.
TD_API td_status td_bars_simulate(td_bars* bars, td_spec* spec, td_work* work, td_state* state,
                                  td_start start, const td_sim_options* options,
                                  td_trajectory** trajectory, double** error, double reached[4]);
TD_API void td_bars_drop(double* error);

// Can the bars of the last call be trusted?  `reasons` (may be NULL): sentences, one a line, that
// belong to the bars; "" when ok.
TD_API td_verdict td_bars_trust(const td_bars* bars, const char** reasons);

// What an accuracy (par.accuracy) is relative to, for a sensor among these values of all: the
// length of its rod for places, 1 for angles and ratios, else the size of the value, of a vector
// its norm.
TD_API double td_bars_scale(const td_bars* bars, int sensor, const double* values);

// Accuracy that the text asks for: par.accuracy, 1e-3 where it is not written (*written false); 0:
// no bars.
TD_API double td_model_accuracy(const td_model* model, bool* written);

// Accuracy that the text asks for of a sensor: sensor(k).accuracy, -1 where it is not written and
// par.accuracy holds; 0: it is not judged.
TD_API double td_sensor_accuracy(const td_model* model, int sensor);

// Refine the rods of a model for which the text writes neither n, order, elements, basis, points
// nor strains until the error bars of sensors at the equilibrium and of the first three frequencies
// there are below `accuracy` (of sensors with an accuracy of their own below that; 0: these alone),
// in at most four rounds.  *model, compiled from the spec, is replaced
// by the last one; the spec has the chosen rod(k).n, or order and elements of each strain of 'gvs'
// rods whose strains need different ones.  `said` (may be NULL): what was reached and, behind
// "with", the choice as statements; "" where nothing is open.  A model without a stable equilibrium keeps its rods.
TD_API td_status td_model_choose(td_spec* spec, double accuracy, td_model** model, char* said,
                                 size_t size);

#ifdef __cplusplus
}
#endif
#endif
