// The program: options, a session with one model, and the stages that commands consist of.
#ifndef TD_CLI_H
#define TD_CLI_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/commands.h"
#include "tendril/accuracy.h"
#include "tendril/control.h"
#include "tendril/editor.h"
#include "tendril/estimate.h"
#include "tendril/generate.h"
#include "tendril/sweep.h"
#include "tendril/tendril.h"
#include "tendril/tools.h"
#include "tendril/view.h"

#if defined(__GNUC__)
#define CLI_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define CLI_PRINTF(format_index, first)
#endif

// Exit codes, a contract with scripts.
enum { CODE_DONE = 0, CODE_USE = 1, CODE_MODEL = 2, CODE_NUMERICS = 3, CODE_FILE = 4 };
int code_of(td_status status);

// ---- options (options.c) ----------------------------------------------------------------------

// Derived code in the engine's place (--jit).
typedef enum jit_use { JIT_NONE, JIT_SWAP, JIT_WAIT, JIT_ALWAYS } jit_use;

// The options of a command as read.
typedef struct options {
  const char* target;  // MODEL, or the name of a demo
  const char* kind;    // export: c or fmu
  const char *out, *at, *param;
  double time;                               // --time, NaN: not given
  const char* times;                         // --times of equil, NULL: not given
  double from, to;                           // --param P=from:to
  double rtol, atol, t_final, dt_out, step;  // NaN: not given
  double accuracy;                           // --accuracy, NaN: not given
  const char* discretisation;                // --write-discretisation, NULL: not given
  td_solver solver;
  bool solver_given;
  int count;            // -n, 0: not given
  int list[16], nlist;  // --n of compare
  int reduce, points;   // --reduce, --points; 0: not given
  const char *weights, *data;
  const char *of, *by;  // of gradient and fit: lists of names, NULL: not given
  const char* inputs;   // --inputs of sim, NULL: not given
  td_filter filter;
  double sigma_q, sigma_v, drift;  // of observe, NaN: not given
  const char** estimate;           // "name=sigma:walk"
  int nestimate;
  const char* on;        // of fit: names of recordings separated by commas, NULL: not given
  int starts, fit_seed;  // of fit, 0: not given
  td_leave_out leave_out;
  double low, high;  // --range of frequencies [Hz], 0: not given
  bool only_static, only_dynamic;
  td_derive_language language;  // derive
  td_derive_style style;
  bool language_given, style_given;
  const char* symbolic;  // "E,l0" or "all", NULL: none
  int fmi;               // export fmu: 2 or 3, 0: not given
  jit_use jit;
  bool json, quiet, halve, mat, allow_post, allow_plugin, allow_read, from_rest, any, help,
      no_report, correct, force_range;
  bool open, png, page, dark, gnuplot;
  const char *y, *x;   // columns to plot
  const char* strain;  // rod whose strain is plotted over its arc length
  const char* plane;   // of snapshots, like "xz"
  bool snapshots;
  const char* more;  // text added to the model's, NULL: none
  int port;
  int width, height;  // of a picture [pixels], 0: not given
  double fps, speed;  // NaN: not given
  const char** set;   // "name=value"
  int nset;
  const char** assume;  // "name=value" that controllers take for granted
  int nassume;
  const char** vary;  // of sweep: "E=1e5:1e6/20"
  int nvary;
  td_sampling sample;  // TD_SAMPLING_COUNT: none
  const char *over, *table, *keep, *seed;
  td_sweep_kind what;
  int number, jobs;  // 0: not given
  bool indices, resume;
  double rate;      // of serve [Hz], NaN: not given
  int udp, steps;   // of serve: port, -1: not given; 0: until it is stopped
  const char* shm;  // of serve: name of the shared memory, NULL: not given
  bool free_run, fifo;
  bool check, to_stdout;  // of fmt
  const char** files;     // of fmt
  int nfile;
  int argc;  // the command as typed
  char** argv;
} options;

// One command.
typedef struct command {
  const char* name;
  const char* arguments;  // as shown in the help
  const char* accepts;    // letters of the options it takes, see options.c
  int targets;            // 0: none, 1: one, -1: at most one, 2: a kind and one,
                          // 3: files
  int (*run)(const options* opt);
  const char* text;
} command;

// Read everything behind the command's name.  A message is printed when it is wrong.
int options_read(const command* cmd, int argc, char** argv, options* opt);
void options_free(options* opt);
// Read the times of "first:step:last" or "a,b,c"; returns how many, 0: the text is neither, or has
// more than max.  `list` may be NULL.
enum { MOST_TIMES = 100000 };
int times_of(const char* text, double* list, int max);
void options_help(const command* cmd, FILE* out);

// main.c: the table of commands.h, closed by a NULL name
extern const command command_table[];

// ---- messages and signals (talk.c) ------------------------------------------------------------

double seconds(void);  // monotonic clock
bool colour_on(FILE* f);
// Print "tendril: ..." on stderr; returns code.
int complain(int code, const char* format, ...) CLI_PRINTF(2, 3);
char* format_text(const char* format, ...) CLI_PRINTF(1, 2);  // allocated; NULL when out of memory

// Progress on a terminal, and Ctrl-C.
typedef struct progress {
  double start, shown;  // when the step began, when it was last shown (0: never)
} progress;
// SIGINT, SIGTERM and SIGHUP end the program at once with a message, until stop_on_signal().
void heed_signals(void);
void stop_on_signal(void);  // from now on they request the running stage to stop
// Enclose work that cannot be stopped, during which no file is staged: a signal ends the program at
// once again.  False: a stop was requested before, do not begin.
bool deaf_begin(void);
void deaf_end(void);
// Enclose work that can be stopped, but may notice it late (large dense matrices), during which no
// file is staged: two seconds after a signal it ends the program.
void slow_begin(void);
void slow_end(void);
bool stop_asked(void);
bool progress_show(void* user, double fraction, const char* what);  // a td_progress
void progress_clear(progress* p);

// ---- JSON (json.c) ----------------------------------------------------------------------------

// Numbers keep all their bits; those that JSON cannot hold become null.
cJSON* json_number(double x);
cJSON* json_vector(const double* x, int n);
cJSON* json_matrix(const double* x, int rows, int cols);
void json_add(cJSON* object, const char* name, cJSON* item);
void json_add_number(cJSON* object, const char* name, double x);
// Read an object from a file; NULL when there is none.  Its numbers are printed with all their
// bits.
cJSON* json_read(const char* path);
// Print to stdout and free.
int json_print(cJSON* object);

// ---- a session with one model (session.c) -----------------------------------------------------

typedef enum timing {
  TIME_LOAD,
  TIME_COMPILE,
  TIME_EQUIL,
  TIME_MODES,
  TIME_SIMULATE,
  TIME_WRITE,
  TIME_COUNT
} timing;

// Verdict on error bars and its reasons, one in each line; NULL: none were computed.
typedef struct bar_trust {
  td_verdict verdict;
  char* reasons;
} bar_trust;

// Errors against what was asked for; sensors are numbers, -1: none or a frequency
typedef struct bar_judged {
  double reached;       // largest error relative to its scale; NaN: there are no bars
  double missing;       // what misses its request most is so many times too inaccurate; 0: all met
  double worst, asked;  // its error, and what was asked of it,
  int sensor;           // by sensor(k).accuracy of this one,
  bool written;         // or by par.accuracy or --accuracy; false: by default
  int without;          // sensor with a request of its own, but without a bar
} bar_judged;

// A model with everything that commands compute of it.
typedef struct session {
  const options* opt;
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;  // the state that is analysed
  td_sizes n;
  const char* name;  // of the model, as shown
  const char* text;  // model text of a demo, NULL: read the file
  char* out;         // output directory
  td_files* files;
  double timings[TIME_COUNT];
  progress progress;
  bool partial;    // stopped or failed half-way: results are marked
  char from[600];  // origin of the state, "" when it is the model's initial one
  bool reports;    // report.html is among its results
  bool from_rest;  // the simulation starts at the equilibrium, as the file requests
  bool compiles;   // derived code is compiled and used where it is faster, as the file requests
  bool derives;    // equations of motion are written too

  // results, absent when NULL or false
  bool has_equil;
  bool stable;  // find a stable equilibrium, unless --any
  td_equil_result equil;
  td_state* rest;  // the equilibrium, or the initial state where modes are computed without one
  double* study;   // with --times: a record for each, t, sensors, q, v and three numbers
  int nstudy;
  td_modes_result* modes;
  td_trajectory* trajectory;
  // error bars (accuracy.c): of each sensor at the equilibrium and of each frequency [rad/s], NULL
  // without; the accuracy requested, and what was reached, relative to td_bars_scale()
  td_bars* bars;
  double *sensor_error, *frequency_error;
  double asked;
  bar_judged equil_judged, modes_judged;
  bool asked_written;  // by the text or the command line
  char chosen[6000];   // rods that were refined for it, "": none
  bar_trust equil_trust, modes_trust, motion_trust;
  double* motion_error;      // rows x nsensor, NULL: none
  double motion_reached[4];  // of all, of the rods, time and constraints
  td_work* belief;           // with --assume
  td_input_table inputs;     // with --inputs; t is NULL without
  double* input_block;
  int* input_index;
} session;

// Load and compile opt->target (or s->text under s->name) and go to the initial state, or to that
// of --at.  Messages are printed.
int session_open(session* s, const options* opt);
// Report whether --set gives this name another value.
bool is_set(const options* opt, const char* name);
// Open the output directory, before results are computed.
int session_output(session* s);
void session_close(session* s);
// Open a session, run a command in it and close it.
int session_run(const options* opt, int (*run)(session* s));
// Load the session's text with the parameters of --set into a spec of the caller's.
td_status session_load(const session* s, td_spec* spec);
// Add summary.json (with `result` as its member `what`, or NULL) and put all files in place; prints
// where they are.
int session_commit(session* s, const char* what, cJSON* result);
// Print for people: not with --json or --quiet.
void say(const session* s, const char* format, ...) CLI_PRINTF(2, 3);
void say_heading(const session* s, const char* format, ...) CLI_PRINTF(2, 3);
// Report a failed analysis; returns its exit code.
int session_failed(session* s, td_status status, const char* what);
// Print the time of statics, if the model depends on time.
void say_time(session* s, double t);
// Report a failure to write files; returns the exit code.
int session_wrote(session* s, td_status status);
// The page of a directory's report.html, its data in the viewer of this version; allocated.  NULL:
// a message was printed.
char* report_read(const char* directory);
// Write one file into a directory; complains.
int file_write(const char* directory, const char* name, const char* text);
bool is_directory(const char* path);
// Stage an object as a file; frees it.
td_status session_write_json(session* s, const char* name, cJSON* object);
// Values of the sensors (nsensor), also where some of them are not finite; false: there are none.
bool sensors_at(const session* s, const td_state* state, double* values);

// ---- results (summary.c) ----------------------------------------------------------------------

cJSON* sizes_json(const session* s);
// Names of n things of a model
cJSON* names_json(const td_model* model, int n, const char* (*name)(const td_model*, int));
cJSON* sensors_json(session* s, const td_state* state);
// Numbers (nsensor) by the names of the sensors, those of vectors together.
cJSON* by_sensor_json(const session* s, const double* values);
// Components name_x, name_y, name_z or name_1 ... of one sensor: how many share the stem, starting
// at i; the length of the stem when there are several.
int component_count(const session* s, int i, size_t* stem);
cJSON* inputs_json(const session* s, const td_state* state);  // by name
cJSON* internals_json(const session* s, const td_state* state);
cJSON* energies_json(td_energies e);
const char* trust_text(td_verdict verdict);  // "ok", "look", "wrong"
// A verdict and its reasons, one in each line, as {verdict, reasons}; and printed in one line
// "trust: look: this; that".  The verdict "wrong" is printed even where nothing else is.
cJSON* trust_json(td_verdict verdict, const char* reasons);
void say_trust(session* s, td_verdict verdict, const char* reasons);
cJSON* summary_json(session* s);
cJSON* earlier_json(const session* s);  // NULL: no other command was here
void say_sizes(session* s);

// ---- stages shared between commands ------------------------------------------------------------

int equil_step(session* s);  // stage_equil.c: compute and print
int equil_write(session* s);
cJSON* equil_json(session* s);
// accuracy.c: compute the bars of the equilibrium or the modes; false: there are none to show
bool bars_equil(session* s);
bool bars_modes(session* s);
bool bars_asked(session* s);  // is an accuracy requested, and are there rods to have bars of?
void bars_moved(session* s);  // keeps the verdict on those of a simulation
int bars_motion(session* s);  // prints and judges them
// The verdict on a simulation and on its bars, with all reasons, one in each line; to be freed.
char* bars_reasons(const session* s, td_verdict* verdict);
// Print reasons to look, and judge what was reached: an exit code, after a message where a written
// request is not met.
int bars_judge(session* s, const bar_judged* judged, const bar_trust* trust, const char* what);
cJSON* accuracy_json(const session* s);
int modes_step(session* s);  // stage_modes.c: at s->rest
int modes_write(session* s);
cJSON* modes_json(const session* s);
int sim_step(session* s);                // stage_sim.c: from the initial state
td_sim_options sim_options(session* s);  // of the command line or the model
int sim_write(session* s);
int sim_inputs(session* s);    // reads --inputs, if it is given
int derive_write(session* s);  // equations of motion, if they can be had (cmd_derive.c)
// data.c: a whole text file, NULL after a message; a table of numbers from a CSV file
char* text_of_file(const char* path, int* code);
// Read a whole file of fewer than `limit` bytes, *size of them and a zero behind; to be freed.
// NULL: errno tells why, EFBIG where it is larger.
char* bytes_of_file(const char* path, size_t limit, size_t* size);
typedef struct table {
  char** names;
  int cols, rows;
  double* x;  // rows x cols, NaN where nothing is written
  int* line;  // (rows) of the file
  char* text;
} table;
int table_read(const char* path, table* t);        // complains
int table_find(const table* t, const char* name);  // -1: none
void table_free(table* t);
int linear_point(session* s);  // cmd_linearize.c: where to linearize about, in s->rest
int linear_step(session* s, td_linear** linear);  // there
cJSON* linear_json(const session* s, const td_linear* linear);
int linear_weights(const session* s, const td_linear* linear, double* Q, double* R, double* W,
                   double* V);                                 // weights.c: --weights
int run_stages(session* s, bool equil, bool modes, bool sim);  // cmd_run.c
// Open a page in a browser of the desktop, when there is one to start.
void open_page(const char* address);    // cmd_view.c
bool starts_at_rest(const session* s);  // cmd_run.c

// The commands (commands.h), each in its file cmd_<name>.c; exit codes.
#define X(name, ...) int cmd_##name(const options* opt);
COMMANDS(X)
#undef X

#endif
