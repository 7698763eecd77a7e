// Kinematics of a state: poses and twists of hops, frames of stations, and their first-order
// changes (kinematics.c, coordinates.c, hop_chart.c).
//
// Derivatives are taken along a column: one DOF at one hop.  A DOF of a rod has a column at each
// step of the rod; the first of them leads (model_col), stands for all of them, and is the only one
// for which derivatives are requested.
#ifndef TD_KINEMATICS_H
#define TD_KINEMATICS_H

#include "elem/chart.h"
#include "elem/frame.h"
#include "model/model.h"

// Compute poses, motion subspaces S, twists V and bias accelerations c of all hops at a state;
// nothing is done when the work already holds that state.
void td_place(const td_model* m, const td_state* state, td_work* w);
// Evaluate prescribed motion at time t: its numbers, and q (npos) and v (nvel) of the prescribed
// coordinates.
void td_place_motion(const td_model* m, td_work* w, double t, double* q, double* v);

// Frame of a station: pose, velocity and, after td_accelerate (without gravity), acceleration.
frame td_frame(const td_model* m, const td_work* w, int station);
// First-order change of a station's frame along a column: of its position coordinate (rate = false)
// or of its velocity (rate = true).  Needs the tangent vectors of the columns (td_tangent_columns).
frame_change td_frame_change(const td_model* m, const td_work* w, int station, int col, bool rate);
// True when a motion of the hop moves the station.
static inline bool station_moves(const td_model* m, int station, int hop) {
  if (station < 0) return false;
  const int h = m->station[station].hop;
  return h >= hop && h <= m->hop[hop].last;
}

// q' of one hop, with the hop's own q and v.
void td_hop_rate(const model_hop* hop, const double* q, const double* v, double* qdot);

// The three numbers y of a hop with a chart, and their rates for velocities v (nvel).
vec3 td_chart_numbers(const td_model* m, const td_work* w, const model_hop* hop);
vec3 td_chart_rates(const td_model* m, const td_work* w, const model_hop* hop, const double* v);
// The kind of a hop's chart, and whether that chart ends at half a turn.
chart_kind td_hop_chart(const model_hop* hop);
bool td_chart_ends(const model_hop* hop);

#endif
