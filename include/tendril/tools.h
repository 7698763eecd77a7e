// Around the library: what programs that load models and write results need beyond the equations
// themselves. Settings the model file asks for, what it printed, files that appear complete or not
// at all, state files.
#ifndef TENDRIL_TOOLS_H
#define TENDRIL_TOOLS_H

#include "tendril/tendril.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- what the model file asks for -------------------------------------------------------------

// Settings from `par`, defaults filled in.  (Answers.)
typedef struct td_settings {
  double t_init, t_final, dt_out;  // [s]
  double rtol, atol;
  td_solver solver;
  bool equil, modal, dyn;  // what `tendril run` does
  TD_ADDED double step;    // of the solver 'fixed' [s]
} td_settings;
TD_API void td_model_settings_into(const td_model* model, td_settings* settings, size_t size);
static inline td_settings td_model_settings(const td_model* model) {
  td_settings settings;
  td_model_settings_into(model, &settings, sizeof settings);
  return settings;
}

// Which linear algebra the model uses, and why.  (Answers.)
typedef struct td_linear_choice {
  bool sparse;      // matrices of blocks, for networks; else dense ones
  const char* why;  // "10000 blocks of DOFs, 0.05 % of the matrix filled"; belongs to the model
} td_linear_choice;
TD_API void td_model_linear_into(const td_model* model, td_linear_choice* choice, size_t size);
static inline td_linear_choice td_model_linear(const td_model* model) {
  td_linear_choice choice;
  td_model_linear_into(model, &choice, sizeof choice);
  return choice;
}

// What disp and fprintf of the model text wrote.  Belongs to the spec; "" when nothing.
TD_API const char* td_spec_printed(const td_spec* spec);

// Text of a string value of the model, e.g. "par.post"; NULL when it is absent or not a string.
// Belongs to the spec.
TD_API const char* td_spec_text(const td_spec* spec, const char* path);

// A number of the model, e.g. "par.fun"; NaN when it is absent or no number.
TD_API double td_spec_value(const td_spec* spec, const char* path);

// Whether result files are to hold this ("q", "v" or the name of a sensor): `output` of the model
// names it, or the model has no `output`.
TD_API bool td_spec_wants(const td_spec* spec, const char* name);

// How many structures of this name the text has made, e.g. "rod"; 0: none.
TD_API int td_spec_count(const td_spec* spec, const char* name);

// What a generalised position or velocity belongs to: a joint or a rod.  Strings belong to the
// model.  (Answers.)
typedef struct td_coordinate {
  const char* name;   // as td_model_q_name, td_model_v_name
  const char* joint;  // name of its joint, "" when it is of a rod
  int number;         // of that joint, from 1; 0 when it is of a rod
  int element, dof;   // of a repeated joint, and which of its DOFs; of a rod: segment, node or
                      // function, and which of its numbers; from 1
  const char* unit;   // "m", "rad", "m/s", "rad/s"; "" for quaternion components
  bool prescribed;    // a given function of time
  const char* rod;    // name of its rod, "" when it is of a joint
  int rod_number;     // from 1, 0: of a joint or a mesh
  const char* mode;   // rods: "bend_x", "stretch" (srl, ebr), "x", "q0" (eba), "x", "qy" (rom);
                      // meshes: "x", "q0", "omega_x"; else ""
  const char* mesh;   // name of its mesh, "" when it is of none; `element` is then the node
  int mesh_number;    // from 1, 0: of none
} td_coordinate;
// False when i is out of range.
TD_API bool td_model_q_about_into(const td_model* model, int i, td_coordinate* about, size_t size);
static inline bool td_model_q_about(const td_model* model, int i, td_coordinate* about) {
  return td_model_q_about_into(model, i, about, sizeof *about);
}
TD_API bool td_model_v_about_into(const td_model* model, int i, td_coordinate* about, size_t size);
static inline bool td_model_v_about(const td_model* model, int i, td_coordinate* about) {
  return td_model_v_about_into(model, i, about, sizeof *about);
}

// Unit of a number that sensors give: "m", "rad/s", "N m"; "" where it is none, or an expression
// whose unit cannot be told.
TD_API const char* td_model_sensor_unit(const td_model* model, int i);

// A rod as it was compiled.  Strings belong to the model.  (Answers.)
typedef struct td_rod {
  const char* name;
  const char* model;  // "gvs", "srl", "ebr", "eba" or "rom"
  int n;              // as written: segments, polynomial order, or resolution (gvs)
  double length;      // [m]
  int nv;             // its generalised velocities
  // gvs, of each strain [shear x, shear y, stretch, bend x, bend y, twist]: the highest order of
  // its basis (-1: it is held, or the basis has no order), its elements and its functions, which
  // are its coordinates, of all parts together.  Zero in other models.
  int order[6], elements[6], functions[6];
  TD_ADDED int points;  // gvs: points of its quadrature
  int magnus;           // gvs: order of the steps between them
} td_rod;
TD_API bool td_model_rod_about_into(const td_model* model, int i, td_rod* about, size_t size);
static inline bool td_model_rod_about(const td_model* model, int i, td_rod* about) {
  return td_model_rod_about_into(model, i, about, sizeof *about);
}

// A mesh as it was compiled.  Its nodes are stations, bodies and its edges forces with consecutive
// numbers; edges come first, then diagonals.  Edges with `rom` are rods with consecutive numbers
// instead.  The name belongs to the model.  (Answers.)
typedef struct td_mesh {
  const char* name;
  int nnode, nfixed;  // nodes, and those of them that the ground holds
  int nedge, ndiagonal;
  int rod, nrod;  // the first edge that is a rod, from 1, and how many there are; 0: none
  int station;    // of its first node, from 0
  int body;       // number of its first node as a body, from 1
  int force;      // of its first edge, from 0
} td_mesh;
TD_API bool td_model_mesh_about_into(const td_model* model, int i, td_mesh* about, size_t size);
static inline bool td_model_mesh_about(const td_model* model, int i, td_mesh* about) {
  return td_model_mesh_about_into(model, i, about, sizeof *about);
}
// The stations of the nodes that an edge or, after these, a diagonal of mesh i is between, both
// numbered from 0; false: there is none.
TD_API bool td_model_mesh_edge(const td_model* model, int i, int edge, int stations[2]);

// The stations a spring, damper or beam is between; false: it is along a DOF, or a load.
TD_API bool td_model_force_ends(const td_model* model, int force, int stations[2]);

// Is a station fixed to the ground?
TD_API bool td_model_station_fixed(const td_model* model, int station);

// The rod a station is on, from 1, and its arc length there [m]; 0: on none.
TD_API int td_model_station_rod(const td_model* model, int station, double* arc);

// Pull at a point of a station (in its frame) towards a place in the world, in this work alone: a
// spring of no length [N/m] and a damper [N s/m], on top of all forces of the model.  station < 0:
// let go.  TD_E_USAGE when there is no such station, or some number is not finite or negative.
TD_API td_status td_work_pull(const td_model* model, td_work* work, int station,
                              const double point[3], const double target[3], double stiffness,
                              double damping);

// A message about the last evaluation that failed: which element, when, why, what may help.  ""
// when none.
TD_API const char* td_work_failure(const td_work* work);

// The candidate nearest to `name`, or NULL when none is near enough to be a likely typing mistake.
TD_API const char* td_nearest(const char* name, const char* const* candidates, int n);

// Whether forces, gravity, prescribed motion or controls are functions of time, so that statics
// depends on the time at which it is done.
TD_API bool td_model_uses_time(const td_model* model);

// Params of the text, those that are texts or shape the structure included.  A value or a text: the
// other is NaN or NULL.  Strings belong to the spec; false when i is out of range.
TD_API bool td_spec_param_about(const td_spec* spec, int i, const char** name, double* value,
                                const char** text);

// The text that was loaded first, with other default values of n params in place; *text is to be
// freed.  `message` (of `size` bytes) is "", or says which of them are not written there as
// param('name', value): these stay as they are.
TD_API td_status td_spec_rewrite(const td_spec* spec, const char* const* names,
                                 const double* values, int n, char** text, char* message,
                                 size_t size);

// The range that param('E', 5e5, [1e5 1e6]) or input('T1', 0, [0 20]) is written with; false: none
// is. logarithmic (may be NULL): it counts by factors (param(..., 'log')).
TD_API bool td_model_param_range(const td_model* model, int i, double range[2], bool* logarithmic);
TD_API bool td_model_input_range(const td_model* model, int i, double range[2]);
// Does a task or a controller of the model set the input?
TD_API bool td_model_input_is_set(const td_model* model, int i);
// Let parameters and inputs go beyond the ranges, which is an error otherwise: in
// td_spec_override(), td_work_set_param(), tables of inputs, plants and state files.  Call before
// loading.
TD_API td_status td_spec_beyond_ranges(td_spec* spec);

// ---- state files ------------------------------------------------------------------------------

// Read {"t": 0, "q": [...], "v": [...], "z": {"name": value}, "u": {"name": value}} into `state`;
// what is absent keeps its value. Every number must be finite, arrays must have nq and nv elements,
// inputs must exist. The texts of equilibrium.json (then v is zero) and of `tendril eval --json`
// are states too; what else they hold is passed over. On TD_E_SYNTAX the state is unchanged and
// `message` (of `size` bytes) says what is wrong.
TD_API td_status td_state_parse(const td_model* model, const char* json, td_state* state,
                                char* message, size_t size);

// Read a state from a file: one of the above, or a row of trajectory.csv or trajectory.h5, the one
// nearest to `time` (NaN: the last); rows keep the inputs of `state`, but for models with
// controllers, whose inputs and memory they have.  A directory stands for its equilibrium.json or,
// with a time or without that file, for its trajectory.  `message` says which state it is or, on
// failure, what is wrong.
TD_API td_status td_state_read(const td_model* model, const char* path, double time,
                               td_state* state, char* message, size_t size);

// ---- result files -----------------------------------------------------------------------------

// A named table of numbers or words, as the writers take it.  Nothing is copied or kept.  (Fixed.)
typedef struct td_matrix {
  const char* name;
  const char* unit;  // "m", "rad/s"; "" none
  int rows, cols;    // cols = 1 with words
  int stride;        // element (i, j) is values[i * stride + j]
  const double* values;
  const char* const* words;  // instead of values: one word per row; NULL otherwise
} td_matrix;

// A text about the whole file ("model", "four_bar.m"), stored where the format has room for it.
// (Fixed.)
typedef struct td_note {
  const char *name, *text;
} td_note;

// A set of result files for one directory.  They are written under a hidden name beside their place
// and moved there by td_files_commit(): a new directory appears with all its files at once; in an
// existing one each file is replaced in one step, in the order of writing.  A program that dies
// before leaves the directory as it was; what it had staged is removed by the next set for the same
// place.  Not for use by two threads at once.
typedef struct td_files td_files;

// Check that `directory` can be written or made; changes nothing visible.  On failure *files is
// NULL and `message` says why.
TD_API td_status td_files_open(const char* directory, td_files** files, char* message, size_t size);
// Ask this now and then while something that takes long is made for the set (a compiler runs); when
// it says stop, what is making the file returns TD_E_STOPPED.  NULL: ask nobody, as at first.
TD_API void td_files_progress(td_files* files, td_progress progress, void* user);

// Removes what was not committed.
TD_API void td_files_close(td_files* files);

// Stage one file.  Names are plain file names.  On TD_E_IO td_files_error() says what went wrong.
TD_API td_status td_files_text(td_files* files, const char* name, const char* text);
// One line of names, then one per row, 17 significant digits; every matrix is one column.
TD_API td_status td_files_csv(td_files* files, const char* name, const td_matrix* columns, int n);
// One dataset per matrix with the attribute `unit`; notes become attributes of the file.  Slashes
// in names become underscores.
TD_API td_status td_files_h5(td_files* files, const char* name, const td_matrix* list, int n,
                             const td_note* notes, int nnote);
// Units of datasets of such a file: that of names[i] at units + i * size, "" where there is none.
TD_API td_status td_h5_units(const char* path, const char* const* names, int n, char* units,
                             size_t size);
// One variable per matrix, MAT-file version 5; names are made valid and unique.
TD_API td_status td_files_mat(td_files* files, const char* name, const td_matrix* list, int n);

// Columns of a table under construction: names are copied, units and values stay where they are and
// must live until the table is written.  What fails on the way (memory, a NULL) is told by the
// functions that write them.
typedef struct td_columns td_columns;
TD_API td_columns* td_columns_new(void);
TD_API void td_columns_free(td_columns* columns);
// One column of `rows` values, `stride` apart.
TD_API void td_columns_add(td_columns* columns, const char* name, const char* unit, int rows,
                           int stride, const double* values);
// ... called name + ending where the name is taken, or that of a coordinate.
TD_API void td_columns_add_other(td_columns* columns, const char* name, const char* ending,
                                 const char* unit, int rows, int stride, const double* values);
TD_API void td_columns_add_words(td_columns* columns, const char* name, int rows,
                                 const char* const* words);
// Sensors by name, then q1..., v1... (unless without) and the internal states by name of a block in
// which row i begins at values + i * stride and has sensors, q, v, z one after the other.  States
// that the `output` of the spec does not name are left out (NULL: none is).
TD_API void td_columns_add_state(td_columns* columns, const td_spec* spec, const td_model* model,
                                 int rows, int stride, const double* values, bool with_v);
// Stage them as one file.
TD_API td_status td_columns_csv(const td_columns* columns, td_files* files, const char* name);
TD_API td_status td_columns_mat(const td_columns* columns, td_files* files, const char* name);
TD_API td_status td_columns_h5(const td_columns* columns, td_files* files, const char* name,
                               const td_note* notes, int nnote);

// Stage a simulation as trajectory.csv and trajectory.h5, and trajectory.mat where that is asked
// for: t, sensors, q, v, internal states, inputs where they change, memory of controllers.  `spec`
// tells which of them are wanted (NULL: all), `name` what the model is called.
TD_API td_status td_trajectory_write(const td_trajectory* trajectory, const td_spec* spec,
                                     const char* name, bool mat, td_files* files);
// The same with the half-widths `error` (rows x nsensor) of td_bars_simulate(): those of a sensor
// are NAME_error in trajectory.h5 and trajectory.mat, and trajectory_error.csv has them under the
// header of trajectory.csv; columns of states and inputs have no bars.
TD_API td_status td_trajectory_write_errors(const td_trajectory* trajectory, const td_spec* spec,
                                            const char* name, bool mat, const double* error,
                                            td_files* files);
// All at once: trajectory.csv and trajectory.h5 in a directory.  On failure `message` says why.
TD_API td_status td_trajectory_save(const td_trajectory* trajectory, const char* name,
                                    const char* directory, char* message, size_t size);

// Move all staged files to their places, synchronised to the disk.
TD_API td_status td_files_commit(td_files* files);

TD_API int td_files_count(const td_files* files);
TD_API const char* td_files_name(const td_files* files,
                                 int i);  // in the order of writing; NULL out of range
TD_API const char* td_files_error(const td_files* files);  // "" when nothing went wrong

// Parts this library is built on, with the versions in use: "HDF5" "1.10.8" ...  (Fixed.)
typedef struct td_part {
  const char* name;
  char version[32];
} td_part;
TD_API int td_parts(td_part* parts, int limit);  // how many were filled

#ifdef __cplusplus
}
#endif
#endif
