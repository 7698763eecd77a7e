// Tendril: model, analyse, simulate and control robots made of rigid and soft parts.
//
// The way through the library is one direction:
//
//   text -> td_spec -> td_model -> (td_state, td_work) -> analyses -> td_trajectory
//
//   td_spec* spec = td_spec_new();
//   td_spec_load_file(spec, "arm.m");                 // or td_spec_load_string, or td_spec_number
//   ... td_model* model; if (td_model_compile(spec, &model) != TD_OK) puts(td_spec_messages(spec));
//   td_work* work = td_work_new(model);
//   td_state* state = td_state_new(model);
//   td_state_initial(model, work, state);
//   td_forward_dynamics(model, state, work);          // td_work_vdot(work), td_work_lambda(work)
//
// Conventions.  SI units.  Twists, strains and wrenches are [translational(3), rotational(3)].
// Matrices are row-major.  q (nq) are generalised positions, v (nv) generalised velocities, qdot =
// N(q) v; where a rotation is a unit quaternion q has one number more than v and v is the body
// angular velocity. Derivatives "with respect to q" are along the nv tangent directions: column k
// is the change for a displacement of unit v_k over unit time.
//
// A model never changes after it is compiled and may be shared between threads; each thread has its
// own td_work and td_state.  The library never prints, exits or keeps global state.  Every _free
// accepts NULL.
//
// A caller's mistake (NULL, an index out of range, a number that is not finite where one is wanted,
// a state of other sizes, a work or result of another model) gives TD_E_USAGE from functions that
// return a status, and NULL, "", 0, -1 or NaN from those that return a value; nothing is changed.
//
// Structs that grow.  Programs keep working with later versions of libtendril.so of the same
// SONAME, without being compiled again: functions keep their arguments, and a struct is of one of
// these kinds, which its comment names.
//
//   options    The caller fills them and the library reads them.  They may get further members at
//              their end, so the first member, `size`, tells how many bytes the caller knows.
//              Begin with td_..._default(), which sets it together with all defaults, and change
//              what you want:  td_sim_options o = td_sim_options_default();  o.rtol = 1e-8;
//              The library takes its own defaults for members that an older caller does not know.
//              It refuses with TD_E_USAGE a `size` that no struct can have (zero: the struct was
//              not made by its _default()), and a newer caller that sets a member which this
//              library does not know; a newer caller that leaves those zero is served.  NULL in
//              place of options means all defaults.
//   answers    The caller has room for them and the library fills them in.  They may get further
//              members at their end.  The function that fills one is an inline function of the
//              header, which tells the library how many bytes the caller knows: the function
//              ending in _into, for other languages.  The library writes no more bytes than
//              those, and zero in members that it does not know itself.
//   results    The library makes and frees them, the caller reads them through the pointer.  They
//              may get further members at their end, so do not make or copy one.
//   fixed      They never change.
//
// Enumerations may get further values, never others for the names they have.
#ifndef TENDRIL_H
#define TENDRIL_H

#include <stdbool.h>
#include <stddef.h>

// What the shared library shows: the functions of these headers and nothing else.
#if defined(__GNUC__) && !defined(TD_API)
#define TD_API __attribute__((visibility("default")))
#elif !defined(TD_API)
#define TD_API
#endif

// Stands before the first member that a version adds to a struct of options or answers.  It keeps
// that member out of the padding at the end of the older struct, where older callers have anything.
#ifdef __cplusplus
#define TD_ADDED alignas(size_t)
#else
#define TD_ADDED _Alignas(size_t)
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- status -----------------------------------------------------------------------------------

// One list, three uses: the enum, td_status_text() and the table in docs/errors.md.
#define TD_STATUS_LIST(X)                                            \
  X(OK, "success")                                                   \
  X(E_NOMEM, "out of memory")                                        \
  X(E_USAGE, "the function was called with arguments it cannot use") \
  X(E_SYNTAX, "the model text does not parse")                       \
  X(E_MODEL, "the model is not well posed")                          \
  X(E_SINGULAR, "a linear system is singular")                       \
  X(E_DIVERGED, "the iteration did not converge")                    \
  X(E_STOPPED, "the run was stopped")                                \
  X(E_IO, "a file could not be read or written")                     \
  X(E_INFINITE, "a result is not a finite number")

typedef enum td_status {
#define X(name, text) TD_##name,
  TD_STATUS_LIST(X)
#undef X
      TD_STATUS_COUNT
} td_status;

// One sentence for a status; never NULL.
TD_API const char* td_status_text(td_status status);

// Version of the library, "major.minor.patch".
TD_API const char* td_version(void);

// Called now and then during long work with the fraction done (0..1) and what is going on.  Return
// false to stop: the analysis then returns TD_E_STOPPED and keeps what it has computed.
typedef bool (*td_progress)(void* user, double fraction, const char* what);

// ---- spec: what the user wrote ----------------------------------------------------------------

// A description of a robot: the values of `body`, `joint`, ... as the model language leaves them,
// with their source positions, and the messages about them.
typedef struct td_spec td_spec;

typedef enum td_severity { TD_NOTE, TD_WARNING, TD_ERROR } td_severity;

// A message about the text.  Strings belong to the spec.  line and column count from 1; 0: no
// position.  (Answers.)
typedef struct td_message {
  td_severity severity;
  const char* file;
  int line, column;
  const char* text;  // "unknown field 'sprng' of joint"
} td_message;

TD_API td_spec* td_spec_new(void);  // NULL when out of memory
TD_API void td_spec_free(td_spec* spec);

// Give a `param` or a named `input` of the model another value than its default.  Call before
// loading.  The text may be a number, or any other text for a string parameter.  An override that
// no param() or input() used is an error at compile.
TD_API td_status td_spec_override(td_spec* spec, const char* name, const char* value_text);

// Texts read files (include, table, meshes) from the folder of the file that is loaded (of a
// string: of its name), from the folder TENDRIL_DATA, and from what is allowed here: a folder, a
// file, or with NULL everything.  Nothing else is opened.  A path that does not exist allows
// nothing.
TD_API td_status td_spec_allow_read(td_spec* spec, const char* path);

// Run a model text.  May be called several times: later texts see the variables of earlier ones.
TD_API td_status td_spec_load_file(td_spec* spec, const char* path);
TD_API td_status td_spec_load_string(td_spec* spec, const char* name, const char* text);

// Set one field without writing text, e.g. td_spec_number(spec, "body(1).m", 2.5).
TD_API td_status td_spec_number(td_spec* spec, const char* path, double value);
TD_API td_status td_spec_matrix(td_spec* spec, const char* path, int rows, int cols,
                                const double* row_major);
TD_API td_status td_spec_string(td_spec* spec, const char* path, const char* value);

TD_API int td_spec_message_count(const td_spec* spec);
TD_API void td_spec_message_into(const td_spec* spec, int i, td_message* message, size_t size);
static inline td_message td_spec_message(const td_spec* spec, int i) {
  td_message message;
  td_spec_message_into(spec, i, &message, sizeof message);
  return message;
}
TD_API int td_spec_error_count(const td_spec* spec);
// All messages, rendered with source line and caret.  Belongs to the spec; valid until the next
// call.
TD_API const char* td_spec_messages(td_spec* spec);

// ---- model: compiled and constant -------------------------------------------------------------

typedef struct td_model td_model;

// How many there are of everything.  (Answers.)
typedef struct td_sizes {
  int nq, nv;       // generalised positions, velocities (prescribed ones included)
  int nfree;        // velocities that are not prescribed
  int nu;           // named inputs
  int nparam;       // parameters
  int nbody;        // bodies, repeated ones counted each
  int njoint;       // joints as written
  int nstation;     // named places with a pose
  int nconstraint;  // constraint rows
  int nforce;       // springs, dampers, inputs and loads that act between stations or on DOFs
  int nsensor;      // numbers that sensors give (a vector counts its components)
  int nevent;
  int nrod;         // rods
  int ncable;       // cables
  int nwet;         // places in the fluid
  int ncontact;     // contacts
  int nmesh;        // meshes
  int nmemory;      // numbers that controllers remember, 0: nothing controls
  TD_ADDED int nz;  // internal states
} td_sizes;

// Check and compile a description.  On failure *model is NULL and `spec` holds the messages.  The
// model does not refer to the spec afterwards.
TD_API td_status td_model_compile(td_spec* spec, td_model** model);
TD_API void td_model_free(td_model* model);

TD_API void td_model_sizes_into(const td_model* model, td_sizes* sizes, size_t size);
static inline td_sizes td_model_sizes(const td_model* model) {
  td_sizes sizes;
  td_model_sizes_into(model, &sizes, sizeof sizes);
  return sizes;
}

// Names; they belong to the model.  NULL when the index is out of range.
TD_API const char* td_model_q_name(const td_model* model,
                                   int i);  // "joint(2).dof(1)", "arm[3].rot_x" ...
TD_API const char* td_model_v_name(const td_model* model, int i);
TD_API const char* td_model_input_name(const td_model* model, int i);
TD_API const char* td_model_param_name(const td_model* model, int i);
TD_API const char* td_model_internal_name(const td_model* model, int i);
TD_API const char* td_model_internal_unit(const td_model* model,
                                          int i);  // "kg", "" where not given
TD_API const char* td_model_sensor_name(const td_model* model,
                                        int i);  // "tip_x": as the columns of trajectory.csv
TD_API const char* td_model_station_name(const td_model* model, int i);
TD_API const char* td_model_constraint_name(const td_model* model, int i);
TD_API const char* td_model_force_name(const td_model* model, int i);
TD_API bool td_model_is_controlled(
    const td_model* model);  // tasks or controllers give inputs in td_simulate
TD_API const char* td_model_cable_name(const td_model* model, int i);
TD_API const char* td_model_contact_name(const td_model* model, int i);
TD_API int td_model_input_find(const td_model* model, const char* name);  // -1: none
TD_API int td_model_param_find(const td_model* model, const char* name);
TD_API int td_model_internal_find(const td_model* model, const char* name);
TD_API int td_model_sensor_find(const td_model* model, const char* name);

// ---- state and work ---------------------------------------------------------------------------

// Scratch memory and everything computed from a state.  One per thread.
typedef struct td_work td_work;

// What the solver integrates and what drives it, nothing else.  Copying it is saving it.  Its
// length is fixed: what later versions add takes the places that are kept free for it, which are
// zero.
typedef struct td_state {
  double t;   // time                          [s]
  double* q;  // generalised positions         (nq)
  double* v;  // generalised velocities        (nv)
  double* u;  // named inputs                  (nu)
  // What tasks and controllers remember (nmemory): integrals of errors, when the next sample is,
  // inputs on their way.  All zero: they start anew.  td_simulate() leaves what is needed to go on.
  double* memory;
  // nq, nv, nu, nmemory, nz and a place kept free, as td_state_new() made it: models of other sizes
  // refuse it.  All zero: the caller made it and answers for its arrays.
  int size[6];
  // Whose coordinates these are: models with other joints, rods, inputs or names refuse it even if
  // the sizes are the same.  Those with other numbers for the same elements take it.
  unsigned long long identity;
  double* z;            // internal states               (nz)
  double* reserved[1];  // a place kept free: NULL, anything else is refused
} td_state;

TD_API td_work* td_work_new(const td_model* model);  // NULL when out of memory
TD_API void td_work_free(td_work* work);

// Change a parameter for this work alone; numbers that follow from it (lengths of rods, places and
// axes included) are recomputed before the next use, and the work is that of the model text with
// this value, to rounding.  TD_E_USAGE when there is no such parameter or it was used while loading
// for the structure of the model; TD_E_MODEL when a number that follows from it breaks the rule of
// its field (a negative mass), or when the structure of the discretisation would change (a place
// that passes a point of its rod's quadrature): load the model again.  The parameter then keeps its
// value, and td_work_failure (tools.h) has the message.
TD_API td_status td_work_set_param(const td_model* model, td_work* work, int param, double value);
TD_API double td_work_param(const td_model* model, const td_work* work, int param);

TD_API td_state* td_state_new(const td_model* model);
TD_API void td_state_free(td_state* state);
TD_API td_status td_state_copy(const td_model* model, const td_state* from, td_state* to);
// The state the file describes: initial values and rates, default inputs, constraints satisfied by
// projection, controllers that remember nothing. TD_E_DIVERGED when the loops cannot be closed from
// the given values.
TD_API td_status td_state_initial(const td_model* model, td_work* work, td_state* state);
// Which inextensible cables are taut is part of the work.  For a state from elsewhere: those
// without gap whose gap does not open and that pull; nothing is moved.  td_state_initial() and
// simulations do it themselves.
TD_API td_status td_taut_choose(const td_model* model, const td_state* state, td_work* work);

// ---- equations at one state -------------------------------------------------------------------

// At states so large that a result overflows, or where an expression of the model has no value,
// these functions and the analyses return TD_E_INFINITE, and td_work_failure (tools.h) names what
// is not finite.

// v' and the constraint multipliers.  TD_E_SINGULAR when the mass matrix is singular on the allowed
// motions.
TD_API td_status td_forward_dynamics(const td_model* model, const td_state* state, td_work* work);
TD_API const double* td_work_vdot(const td_work* work);  // (nv)
TD_API const double* td_work_lambda(
    const td_work* work);  // (nconstraint); minimum norm if constraints are redundant

// What the last evaluation noticed.  (Answers.)
typedef struct td_flags {
  int constraint_rank;     // independent rows
  bool lambda_not_unique;  // redundant rows: lambda is the minimum-norm one
} td_flags;
TD_API void td_work_flags_into(const td_work* work, td_flags* flags, size_t size);
static inline td_flags td_work_flags(const td_work* work) {
  td_flags flags;
  td_work_flags_into(work, &flags, sizeof flags);
  return flags;
}

// F = M a + h - tau - Jc' lambda at the given acceleration and multipliers (nv).
TD_API td_status td_residual(const td_model* model, const td_state* state, td_work* work,
                             const double* a, const double* lambda, double* F);
TD_API td_status td_mass_matrix(const td_model* model, const td_state* state, td_work* work,
                                double* M);  // nv x nv
// h: Coriolis, gravity, springs, dampers; tau: inputs and loads;  M v' + h = tau + Jc' lambda.
TD_API td_status td_bias(const td_model* model, const td_state* state, td_work* work, double* h,
                         double* tau);
// Exact dF/dq and dF/dv (nv x nv each) at that a and lambda.
TD_API td_status td_tangent(const td_model* model, const td_state* state, td_work* work,
                            const double* a, const double* lambda, double* dFdq, double* dFdv);
// Exact derivative of the right-hand side with respect to the named inputs (nv x nu): d(tau -
// h)/du.
TD_API td_status td_input_map(const td_model* model, const td_state* state, td_work* work,
                              double* B);
// Constraint rows Jc (nconstraint x nv), position error e and velocity error (nconstraint); any may
// be NULL.
TD_API td_status td_constraints(const td_model* model, const td_state* state, td_work* work,
                                double* Jc, double* e, double* edot);
// d v'/dq, d v'/dv (nv x nv) and d v'/du (nv x nu, may be NULL): the linearised forward dynamics.
TD_API td_status td_forward_tangent(const td_model* model, const td_state* state, td_work* work,
                                    double* dq, double* dv, double* du);

// (Fixed.)
typedef struct td_energies {
  double kinetic, elastic, gravity;  // [J]
} td_energies;
TD_API td_energies td_energy(const td_model* model, const td_state* state, td_work* work);

// Rates of the internal states (nz), and their exact derivatives along the tangent directions of q,
// by v (nz x nv each), by the inputs (nz x nu) and by themselves (nz x nz); any of them may be
// NULL.
TD_API td_status td_internal_rates(const td_model* model, const td_state* state, td_work* work,
                                   double* rates);
TD_API td_status td_internal_tangent(const td_model* model, const td_state* state, td_work* work,
                                     double* dq, double* dv, double* du, double* dz);
// Exact derivative of the right-hand side with respect to the internal states (nv x nz).
TD_API td_status td_internal_map(const td_model* model, const td_state* state, td_work* work,
                                 double* B);

// Values of all sensors (nsensor).  Acceleration-level ones evaluate the forward dynamics.
TD_API td_status td_sensors(const td_model* model, const td_state* state, td_work* work,
                            double* values);

// Positions in the world of n stations from `first` on, 3 numbers each.
TD_API td_status td_station_positions(const td_model* model, const td_state* state, td_work* work,
                                      int first, int n, double* positions);
// A station's pose (4x4, row-major) in the world and its body twist [v, omega] (6).
TD_API td_status td_station(const td_model* model, const td_state* state, td_work* work,
                            int station, double pose[16], double twist[6]);

// q_out = q moved by the tangent displacement dv (nv); q_out may be q.
TD_API td_status td_displace(const td_model* model, const double* q, const double* dv,
                             double* q_out);

// ---- analyses ---------------------------------------------------------------------------------

typedef enum td_strategy { TD_NEWTON, TD_LOAD_CONTINUATION, TD_PSEUDO_TRANSIENT } td_strategy;
typedef enum td_stability {
  TD_STABLE,
  TD_NEUTRAL,
  TD_DIVERGENCE,
  TD_FLUTTER,
  TD_UNKNOWN
} td_stability;
TD_API const char* td_strategy_text(td_strategy strategy);
TD_API const char* td_stability_text(td_stability stability);

// (Options.)
typedef struct td_equil_options {
  size_t size;           // bytes of this struct, by td_equil_options_default()
  double tol;            // residual relative to the largest generalised force, default 1e-10
  int max_iterations;    // of Newton, default 60
  td_progress progress;  // may be NULL
  void* user;
  bool stable;  // where the nearest is unstable, go on downhill to a stable one; default false
} td_equil_options;
TD_API void td_equil_options_fill(td_equil_options* options, size_t size);
static inline td_equil_options td_equil_options_default(void) {
  td_equil_options options;
  td_equil_options_fill(&options, sizeof options);
  return options;
}

// (Answers.)
typedef struct td_equil_result {
  bool converged;
  td_strategy strategy;  // which one found it
  double residual;       // largest generalised force left over
  td_stability stability;
  double critical;  // smallest stiffness eigenvalue, or largest real part [1/s] (non-conservative)
  bool conservative;
  int iterations, evaluations, tangents;
  char note[256];  // why none was found, which cables are slack, what was left for a stable one
} td_equil_result;

// Static (or, with prescribed steady motion, relative) equilibrium near `state`, which is
// overwritten by it; lambda is left in `work`.  When it does not converge the state is the best one
// found.
TD_API td_status td_equilibrium_into(const td_model* model, td_work* work, td_state* state,
                                     const td_equil_options* options, td_equil_result* result,
                                     size_t size);
static inline td_status td_equilibrium(const td_model* model, td_work* work, td_state* state,
                                       const td_equil_options* options, td_equil_result* result) {
  return td_equilibrium_into(model, work, state, options, result, sizeof *result);
}

// Natural modes about a state that is an equilibrium.  Arrays belong to the result.  (Results.)
typedef struct td_modes_result {
  int n;  // undamped modes (DOFs left by the constraints, rigid-body ones included)
  double*
      omega;     // undamped natural frequencies [rad/s], ascending; negative: unstable, -sqrt(-w^2)
  double* zeta;  // modal damping ratios
  double* shape;          // n x nv mass-normalised shapes
  int ncomplex;           // eigenvalues of the damped first-order system
  double* re;             // real parts [1/s]
  double* im;             // imaginary parts [rad/s]; complex pairs are adjacent
  double* complex_shape;  // ncomplex x nv x 2 (re, im): the velocity-coordinate part
  char note[256];  // what to know when reading them, e.g. power-law dampers that vanish at rest
  const td_model* model;  // it was made from
} td_modes_result;
TD_API td_status td_modes(const td_model* model, const td_state* state, td_work* work,
                          td_modes_result** result);
TD_API void td_modes_free(td_modes_result* result);

// One equilibrium on a path.
typedef enum td_path_kind { TD_REGULAR, TD_LIMIT, TD_BIFURCATION, TD_HOPF } td_path_kind;
// (Options.)
typedef struct td_trace_options {
  size_t size;      // bytes of this struct, by td_trace_options_default()
  int param;        // parameter followed; nparam + i: input i
  double from, to;  // its range
  double step;      // first and largest arc-length step relative to the range, default 0.02
  int max_points;   // default 2000
  double tol;       // default 1e-10
  td_progress progress;
  void* user;
} td_trace_options;
TD_API void td_trace_options_fill(td_trace_options* options, size_t size);
static inline td_trace_options td_trace_options_default(void) {
  td_trace_options options;
  td_trace_options_fill(&options, sizeof options);
  return options;
}
// (Results.)
typedef struct td_trace_result {
  int n;               // points in path order, critical points included
  double* p;           // parameter (n)
  double* q;           // n x nq
  double* sensors;     // n x nsensor
  td_path_kind* kind;  // critical points are located, the rest are TD_REGULAR
  td_stability* stability;
  bool complete;  // reached `to`
} td_trace_result;
TD_API td_status td_trace(const td_model* model, td_work* work, td_state* state,
                          const td_trace_options* options, td_trace_result** result);
TD_API void td_trace_free(td_trace_result* result);

// x' = A x + B u, y = C x + D u about a state, x = [dq (tangent), dv, dz] of the unprescribed
// motion the constraints allow and of the internal states.  Arrays are row-major and belong to the
// result; callers may also fill one with matrices of their own.  (Fixed.)
typedef struct td_linear {
  int nx, nu, ny;
  double *A, *B, *C, *D;
  double* basis;          // (2 nv + nz) x nx: from x to displacements, velocities, internal states
  double* inverse;        // nx x (2 nv + nz): and back
  int* output;            // (ny) which sensor each row of C and D is
  char note[256];         // sensors that were left out and why; "" when all are there
  const td_model* model;  // it was made from
} td_linear;
TD_API td_status td_linearize(const td_model* model, const td_state* state, td_work* work,
                              td_linear** result);
TD_API void td_linear_free(td_linear* linear);

// The solvers of motion, one line each: the end of its value TD_SOLVER_..., its word in texts,
// options and results, what it is.  TD_SOLVER_AUTO leaves the choice to the rule of
// docs/simulation.md.
#define TD_SOLVERS(X)                                                                            \
  X(EXPLICIT, explicit, "adaptive explicit Runge-Kutta method of order 8 (ARKODE)")              \
  X(STIFF, stiff, "adaptive BDF (CVODES) or Radau method with the exact Jacobian")               \
  X(LEAPFROG, leapfrog, "adaptive leapfrog of order 2, one evaluation per step: large networks") \
  X(ADAMS, adams, "adaptive Adams method of orders 1 to 12 (CVODES): smooth, costly, not stiff") \
  X(FIXED, fixed, "implicit Radau method of order 5 with equal steps (par.step): known cost")
#define TD_SOLVER_VALUE(value, word, what) TD_SOLVER_##value,
typedef enum td_solver { TD_SOLVER_AUTO, TD_SOLVERS(TD_SOLVER_VALUE) TD_SOLVER_COUNT } td_solver;
#undef TD_SOLVER_VALUE
// The word of a solver, NULL: there is no such solver (any number may be asked for).
TD_API const char* td_solver_name(td_solver solver);
// The solver of a word, "auto" among them; TD_SOLVER_COUNT: none has it.
TD_API td_solver td_solver_named(const char* word);

// Code for v' of one model, made elsewhere (td_jit of generate.h).  `forward` gives v' (nv) and, if
// `power` is not NULL, the power of all forces without potential, at a state and the integrated
// controls; 0: done, else the engine is asked.  (Fixed.)
typedef struct td_code {
  const char* maker;  // "tcc", "cc"
  void* user;
  int (*forward)(void* user, const td_state* state, const double* targets, double* vdot,
                 double* power);
  bool has_power;  // else power must be NULL
} td_code;

// Where code comes from while a run goes on: the best there is now, NULL: none yet.  (Fixed.)
typedef struct td_code_source {
  void* user;
  const td_code* (*latest)(void* user);
} td_code_source;

// Inputs over time, in place of those of the state: straight lines between the rows, whose times
// ascend and cover the run.  Corners are met exactly.  Nothing is copied or kept.  (Fixed.)
typedef struct td_input_table {
  int rows, n;           // at least one row; how many inputs
  const double* t;       // (rows)
  const int* input;      // (n) which inputs, each once
  const double* values;  // rows x n
} td_input_table;

// (Options.)
typedef struct td_sim_options {
  size_t size;             // bytes of this struct, by td_sim_options_default()
  double t_final, dt_out;  // [s]; NaN: as the model says
  double rtol, atol;       // NaN: as the model says
  td_solver solver;
  bool halve;  // run a second time with both tolerances a tenth: gives time_error; the finer run is
               // returned
  long max_steps;  // 0: no limit
  td_progress progress;
  void* user;
  td_work* belief;    // what tasks take the parameters to be (td_work_set_param); NULL: as they are
  bool allow_plugin;  // run the plug-ins that the model names (control.plugin)
  const td_code_source* code;  // asked between steps for code that is faster than the engine; NULL:
                               // none is used
  bool code_always;            // use it without measuring
  TD_ADDED double step;        // of TD_SOLVER_FIXED [s]; NaN: as the model says
  TD_ADDED const td_input_table* inputs;  // NULL: the inputs of the state are held
  double memory;  // td_simulate_adjoint keeps steps up to this [bytes]; 0: 2 GB
} td_sim_options;
TD_API void td_sim_options_fill(td_sim_options* options, size_t size);
static inline td_sim_options td_sim_options_default(void) {
  td_sim_options options;
  td_sim_options_fill(&options, sizeof options);
  return options;
}

// What the state that a simulation starts from is: its derivatives (gradient.h) and error bars
// (accuracy.h) follow it there.
typedef enum td_start {
  TD_START_GIVEN,       // any: it is held, whatever the parameters and the rods
  TD_START_INITIAL,     // that of td_state_initial(): written values, closed loops
  TD_START_EQUILIBRIUM  // an equilibrium of the model at rest, which td_equilibrium() left
} td_start;

typedef struct td_trajectory td_trajectory;

// (Answers; that of a trajectory belongs to it.)
typedef struct td_sim_stats {
  long steps, rejected, evaluations, tangents, factorisations, projections, events, stops;
  double max_constraint_error, max_velocity_error;  // after projection, over all accepted steps
  double energy_start, energy_end, work_done,
      energy_error;   // balance: end - start - work of non-potential forces
  double time_error;  // from halving; NaN when not asked for
  td_solver solver;   // the one used
  char why[160];      // and why
  bool partial;       // stopped early
  double t_end;
  char code[240];  // when code took the place of the engine and what it gained; "" when none came
} td_sim_stats;

// Integrate from `state` (overwritten by the final state).  On failure or stop the trajectory holds
// what was computed and `diagnosis` (td_trajectory_diagnosis) says what went wrong, where, when,
// and what may help.
TD_API td_status td_simulate(const td_model* model, td_work* work, td_state* state,
                             const td_sim_options* options, td_trajectory** trajectory);
TD_API void td_trajectory_free(td_trajectory* trajectory);
TD_API int td_trajectory_rows(const td_trajectory* trajectory);
TD_API double td_trajectory_time(const td_trajectory* trajectory, int row);
TD_API const double* td_trajectory_q(const td_trajectory* trajectory, int row);        // (nq)
TD_API const double* td_trajectory_v(const td_trajectory* trajectory, int row);        // (nv)
TD_API const double* td_trajectory_z(const td_trajectory* trajectory, int row);        // (nz)
TD_API const double* td_trajectory_sensors(const td_trajectory* trajectory, int row);  // (nsensor)
TD_API const double* td_trajectory_energy(const td_trajectory* trajectory,
                                          int row);  // kinetic, elastic, gravity, work
TD_API const double* td_trajectory_inputs(const td_trajectory* trajectory, int row);  // (nu)
// What controllers remembered (nmemory); NULL where it is too much to keep for every row.
TD_API const double* td_trajectory_memory(const td_trajectory* trajectory, int row);
TD_API const td_sim_stats* td_trajectory_stats(const td_trajectory* trajectory);
TD_API const char* td_trajectory_diagnosis(
    const td_trajectory* trajectory);  // "" when all went well
// Can the numbers be trusted?  Energy balance, bounds of states and sensors, constraints, charts
// and rods are looked at; docs/simulation.md has the limits.
typedef enum td_verdict {
  TD_TRUST_OK,
  TD_TRUST_LOOK,  // have a look before use
  TD_TRUST_WRONG
} td_verdict;
// `reasons` (may be NULL): sentences, one a line, that belong to the trajectory; "" when ok.
TD_API td_verdict td_trajectory_trust(const td_trajectory* trajectory, const char** reasons);
// Events that happened: time and index of the model's event.
TD_API int td_trajectory_event_count(const td_trajectory* trajectory);
TD_API td_status td_trajectory_event(const td_trajectory* trajectory, int i, double* t, int* event);

#ifdef __cplusplus
}
#endif
#endif
