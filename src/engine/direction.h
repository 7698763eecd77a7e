// Changes along a direction: of the state, of accelerations and multipliers, and of every number of
// the model (w->dnum).  See residual_diff.c.
//
// All that hangs on a hop moves by a twist X, which is itself a function of time along the motion;
// U and Z are its first and second rate:
//
//   δV = X × V + U                  δA = X × A + U × V + Z
//
// X is the sum of what the hops on the way from the ground add, and so are U and Z.  A hop adds ε,
// seen from the frame before it, where its own pose E changes by δE = ε E; that frame moves with
// the twist V and the acceleration A of the parent,
//
//   X = Ad ε      U = V × X + Ad ε̇      Z = A × X + V × (V × X) + 2 V × Ad ε̇ + Ad ε̈
//
// and a fixed transformation before the hop the same with a constant ε.  The columns of the motion
// subspace change by  δS_k = X × S_k + Ad ∂ε/∂q_k.
#ifndef TD_DIRECTION_H
#define TD_DIRECTION_H

#include "engine/stages.h"

// Instead of a column in td_frame_change and all that follows from it: the direction w->along.
enum { ALONG = -2 };

typedef struct hop_change {
  spatial X, U, Z;
} hop_change;

typedef struct direction {
  const double *q, *v, *a;     // (nvel) changes of coordinates (turns of quaternions), rates, v'
  double *moved, *moved_rate;  // q and v, where prescribed motion writes its own
  const double* accel;         // v' itself
  const double* lambda;        // (nrow) changes of the multipliers
  const double* none;          // (nvel, nrow) zeros
  double* unit;                // (nvel) zeros but while a column is looked at
  bool gravity;                // the accelerations of the hops count gravity
  hop_change* hop;
  // changes of what the initial geometry gives
  double* zero;      // (ncable) lengths
  vec3* axes;        // (nbeam_frame) turns of the beams' axes, in the first station's frame
  vec3* reference;   // (nreference) turns δQ0 = [0, turn/2] Q0
  double* length0;   // (nprobe)
  double* row_zero;  // (nrow) values of the rows
  // ... and of what cables pull with at the state
  double *tension, *share;  // (ncable), (ncrossing)
} direction;

// Rates that a hop's series is made with.
typedef struct hop_rates {
  const double *v, *a;  // (nvel)
  const double *q_change, *v_change, *a_change;
} hop_rates;

// ε and its two rates.
typedef struct twist_series {
  spatial x, d, dd;
} twist_series;
typedef void (*hop_series)(const td_model* m, const td_work* w, int hop, const hop_rates* r,
                           twist_series* out);

// Ad: a twist given in the axes of a pose at its origin, in the world.
static inline spatial twist_out(const pose* g, const spatial* x) {
  const vec3 w = mat3_apply(g->R, spatial_r(x));
  return spatial_of(vec3_add(mat3_apply(g->R, spatial_t(x)), vec3_cross(g->p, w)), w);
}

// Rates of a point that moves with a frame, x(t) given in the parts of a product with a turning
// twist: x × y of two series.
static inline void series_cross(const vec3 a[3], const vec3 b[3], vec3 out[3]) {
  out[0] = vec3_cross(a[0], b[0]);
  out[1] = vec3_add(vec3_cross(a[1], b[0]), vec3_cross(a[0], b[1]));
  out[2] = vec3_add(vec3_add(vec3_cross(a[2], b[0]), vec3_cross(a[0], b[2])),
                    vec3_scale(2, vec3_cross(a[1], b[1])));
}

// The twist δg g⁻¹ of some fixed transformations one behind the other with the numbers.
spatial td_fix_change(const td_model* m, const td_work* w, int fix, int nfix);
// The twist that a station's own transformations add to that of its hop, in the world.
spatial td_station_change(const td_model* m, const td_work* w, int station);
// Its frame along w->along.
frame_change td_frame_along(const td_model* m, const td_work* w, int station);
// The change of a unit vector with the numbers of three slots, n its direction.
vec3 td_unit_change(const td_work* w, num slots, vec3 n);

// The two operations of a hop (hop.h) by its series.
void td_vary_by(const td_model* m, td_work* w, int first, int end, const direction* d,
                hop_series series);
void td_vary_forces_by(const td_model* m, td_work* w, int first, int end, const direction* d,
                       hop_series series, double* out);
// Put what a hop adds: its series, behind its fixed transformations.
void td_vary_put(const td_model* m, td_work* w, int hop, const direction* d,
                 const twist_series* own);
// Change of a chart's numbers, of their rates and accelerations.
void td_chart_change(const td_model* m, const td_work* w, const model_hop* hop, const hop_rates* r,
                     vec3 dy[3]);

// A turn by q about an axis n and a way lead · q along it, where the axis changes by `turned`,
// which is across it, and the lead by `lead_change`:
//
//   ε_r = n δq + sin q δn + (1 - cos q) n × δn      ε_t = δp - ε_r × p,  p = lead q n
typedef struct axis_motion {
  vec3 axis, turned;
  bool turns;
  double lead, lead_change, q;
} axis_motion;
void td_axis_series(const axis_motion* x, int v, const hop_rates* r, twist_series* out);

// Changes of the coordinate that a velocity belongs to, and of its rate, along w->along; 0: there
// is no direction.
static inline double along_q(const td_work* w, int v) { return w->along ? w->along->q[v] : 0; }
static inline double along_v(const td_work* w, int v) { return w->along ? w->along->v[v] : 0; }

// The change of a body's inertia in the frame of its station with its numbers.
inertia td_body_change(const td_work* w, num mass, num com, num I, bool symmetric);
// Change of an inertia that moves by a twist.
inertia td_inertia_turning(const inertia* I, const spatial* X);
// Calls `each` for every body and lump that moves: the change of its inertia in the world beside
// moving with its hop.
void td_each_body_change(const td_model* m, const td_work* w,
                         void (*each)(void* ctx, int hop, const inertia* change), void* ctx);

// The change of a row less that of its target, and of its acceleration less its drive.
row_value td_row_along(const td_model* m, const td_work* w, int row, double* defect);

// Change of the energy, or of the potential energy alone, along w->along (sensor_energy.c).
double td_energy_along(const td_model* m, const td_work* w, bool kinetic);

// Changes of the tensions and shares of all cables along w->along.
void td_cables_along(const td_model* m, td_work* w);

// Check that no parameter which was used while loading is changed; TD_E_USAGE with a message in the
// work otherwise.
td_status td_direction_check(const td_model* m, td_work* w, const td_direction* along);
// A direction without changes in the scratch of the work, and the bytes it takes there.
direction* td_direction_new(const td_model* m, td_work* w);
size_t td_direction_bytes(const td_model* m);
enum { TD_RATES_MOST = 8 };
// How many directions td_rates_diff takes at once: one in sparse models, whose work is large.
static inline int rates_block(const td_model* m) { return m->sparse ? 1 : TD_RATES_MOST; }
// Changes of numbers that a tape makes, from those of its variables (w->dvar).
void td_tape_numbers(td_work* w, const td_tape* tape, const num* slot, int n);
// Prescribed motion: its numbers, and the changes of its coordinates and rates.
void td_motion_diff(const td_model* m, td_work* w, double* q, double* v);
// Enter a state with accelerations a (NULL: zero), and make all changes but those of forces and
// rows. The direction is w->along and lives in the scratch until td_along_end.
direction* td_along_begin(const td_model* m, const td_state* state, td_work* w,
                          const td_direction* along, const double* a, bool gravity);
void td_along_end(const td_model* m, td_work* w);
// Evaluate the wrenches that the hops transmit (hop.F), and the changes w->df and w->dtau of all
// forces, those that the masses need included; `unused` (nvel) is written to.
void td_wrenches_along(const td_model* m, td_work* w, const direction* d, const double* lambda,
                       const double* dlambda, double* unused);
// X, U, Z of all hops, after the changes of coordinates, rates and numbers.
void td_vary(const td_model* m, td_work* w, direction* d);
// Rest values (among w->dnum) and d->zero, axes, reference, length0, row_zero, for the changes
// w->dnum of the numbers that follow parameters alone (initial_diff.c).  The work is to be placed
// again afterwards.
void td_initial_diff(const td_model* m, td_work* w, direction* d);

#endif
