// Options: one table drives reading, the help and the hints for typing mistakes.
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// One option.  To add one: its member in `options` (cli.h) and its row in option_table.
typedef struct option_row {
  char letter;       // in command.accepts
  const char* name;  // "--rtol"
  const char* short_name;
  const char* value;  // as shown in the help, NULL: a flag; in brackets: only behind '='
  // Read a value into the member at `at`, or with at = 0 into the options; returns what is wrong
  // with the value, NULL: nothing.
  const char* (*read)(void* to, const char* value);
  size_t at;
  const char* text;
} option_row;

#define AT(member) offsetof(options, member)

// ---- kinds of values: each reads one member --------------------------------------------------

// Read a finite number that is the whole text.
static bool number(const char* s, double* x) {
  char* end;
  *x = strtod(s, &end);
  return end != s && *end == '\0' && isfinite(*x);
}

static const char* read_number(void* to, const char* s) {
  return number(s, to) ? NULL : "must be a number";
}

static const char* read_positive(void* to, const char* s) {
  double* x = to;
  return number(s, x) && *x > 0 ? NULL : "must be a positive number";
}

static const char* read_share(void* to, const char* s) {
  double* x = to;
  return number(s, x) && *x >= 0 && *x < 1 ? NULL : "must be a number from 0 to below 1";
}

static const char* read_natural(void* to, const char* s) {
  double x;
  if (!number(s, &x) || x < 1 || x > 1e6 || x != floor(x)) return "must be a whole number from 1";
  *(int*)to = (int)x;
  return NULL;
}

static const char* read_flag(void* to, const char* s) {
  *(bool*)to = true;
  return (void)s, NULL;
}

static const char* read_word(void* to, const char* s) {
  *(const char**)to = s;
  return *s ? NULL : "must not be empty";
}

// A file that is read; it may be given once.
static const char* read_once(void* to, const char* s) {
  return *(const char**)to ? "was given before" : read_word(to, s);
}

// ---- values of single options -----------------------------------------------------------------

// A range of frequencies, A:B with 0 < A < B
static const char* read_range(void* to, const char* s) {
  options* o = to;
  char* end;
  o->low = strtod(s, &end);
  if (end == s || *end != ':' || !number(end + 1, &o->high) || !(o->low > 0 && o->low < o->high))
    return "must look like 0.1:100, two positive numbers in ascending order";
  return NULL;
}

// A list of whole numbers, 4,8,16
static const char* read_list(void* to, const char* s) {
  options* o = to;
  static const char wrong[] = "must be up to 16 whole numbers from 1, like 4,8,16";
  o->nlist = 0;
  for (;;) {
    char* end;
    const long n = strtol(s, &end, 10);
    if (end == s || n < 1 || n > 10000 || o->nlist == 16 || (*end && *end != ',')) return wrong;
    o->list[o->nlist++] = (int)n;
    if (!*end) return NULL;
    s = end + 1;
  }
}

// Read times, 0:0.1:1 or 0,0.5,2, into the list unless it is NULL; returns how many, 0: the text is
// wrong.
int times_of(const char* s, double* list, int max) {
  char *end, *last;
  const double first = strtod(s, &end);
  if (end == s || !isfinite(first)) return 0;
  if (*end == ':') {
    const double step = strtod(end + 1, &last);
    double to;
    if (last == end + 1 || *last != ':' || !number(last + 1, &to) || step == 0) return 0;
    const double count = floor((to - first) / step * (1 + 1e-12) + 1e-9) + 1;
    if (!(count >= 1 && count <= max)) return 0;
    for (int i = 0; list && i < (int)count; i++) list[i] = first + i * step;
    return (int)count;
  }
  int n = 0;
  for (;;) {
    const double t = strtod(s, &end);
    if (end == s || !isfinite(t) || n == max || (*end && *end != ',')) return 0;
    if (list) list[n] = t;
    n++;
    if (!*end) return n;
    s = end + 1;
  }
}
static const char* read_times(void* to, const char* s) {
  options* o = to;
  o->times = s;
  return times_of(s, NULL, MOST_TIMES) > 0 ? NULL
                                           : "must look like 0:0.1:1 (first:step:last) or 0,0.5,2";
}

#define SOLVER_WORD(value, word, what) ", " #word
#define SOLVER_WORDS TD_SOLVERS(SOLVER_WORD)

static const char* read_solver(void* to, const char* s) {
  options* o = to;
  o->solver = td_solver_named(s);
  o->solver_given = true;
  return o->solver < TD_SOLVER_COUNT ? NULL : "must be one of auto" SOLVER_WORDS;
}

// Find a word in a list.
static bool choice(const char* s, const char* const* words, int n, int* chosen) {
  for (int i = 0; i < n; i++) {
    if (strcmp(s, words[i]) == 0) {
      *chosen = i;
      return true;
    }
  }
  return false;
}

// Language of derived equations
static const char* read_language(void* to, const char* s) {
  options* o = to;
  static const char* const words[] = {"c", "octave", "python", "latex"};
  int i;
  if (!choice(s, words, 4, &i)) return "must be c, octave, python or latex";
  o->language = (td_derive_language)i;
  o->language_given = true;
  return NULL;
}

// Style of derived equations
static const char* read_style(void* to, const char* s) {
  options* o = to;
  static const char* const words[] = {"whole", "element", "terms", "matrix"};
  int i;
  if (!choice(s, words, 4, &i)) return "must be whole, element, terms or matrix";
  o->style = (td_derive_style)i;
  o->style_given = true;
  return NULL;
}

static const char* read_fmi(void* to, const char* s) {
  options* o = to;
  if (strcmp(s, "2") != 0 && strcmp(s, "3") != 0) return "must be 2 or 3";
  o->fmi = s[0] - '0';
  return NULL;
}

// Another value for a parameter or input, name=value
static const char* read_set(void* to, const char* s) {
  options* o = to;
  const char* equals = strchr(s, '=');
  if (!equals || equals == s || !equals[1]) return "must look like name=value";
  o->set[o->nset++] = s;
  return NULL;
}

// A parameter that controllers assume, name=value
static const char* read_assume(void* to, const char* s) {
  options* o = to;
  const char* equals = strchr(s, '=');
  if (!equals || equals == s || !equals[1]) return "must look like name=value";
  o->assume[o->nassume++] = s;
  return NULL;
}

// An unknown with its deviations, name=sigma:walk
static const char* read_estimate(void* to, const char* s) {
  options* o = to;
  const char* equals = strchr(s, '=');
  char* end;
  const double sigma = equals ? strtod(equals + 1, &end) : -1;
  double walk;
  if (!equals || equals == s || !(sigma >= 0) || *end != ':' || !number(end + 1, &walk) || walk < 0)
    return "must look like name=sigma:walk, deviations at the start and after one second";
  o->estimate[o->nestimate++] = s;
  return NULL;
}

// Initial deviations of positions and velocities, Q:V
static const char* read_sigma(void* to, const char* s) {
  options* o = to;
  char* end;
  o->sigma_q = strtod(s, &end);
  if (end == s || *end != ':' || !number(end + 1, &o->sigma_v) || !(o->sigma_q >= 0) ||
      o->sigma_v < 0)
    return "must look like 0.01:0.1, deviations of positions and velocities at the start";
  return NULL;
}

static const char* read_drift(void* to, const char* s) {
  options* o = to;
  return number(s, &o->drift) && o->drift >= 0 ? NULL : "must be zero or a positive number";
}

static const char* read_filter(void* to, const char* s) {
  options* o = to;
  o->filter = strcmp(s, "ukf") == 0 ? TD_UKF : TD_EKF;
  return o->filter == TD_UKF || strcmp(s, "ekf") == 0 ? NULL : "must be ekf or ukf";
}

// Read what a fit leaves out in turn; 1 is short for recordings.
static const char* read_leave_out(void* to, const char* s) {
  options* o = to;
  static const char* const words[] = {"1", "recording", "row"};
  int i;
  if (!choice(s, words, 3, &i)) return "must be 1 or recording (each in turn), or row";
  o->leave_out = i == 2 ? TD_LEAVE_ROWS : TD_LEAVE_RECORDINGS;
  return NULL;
}

// A parameter and its range, P=a:b
static const char* read_param(void* to, const char* s) {
  options* o = to;
  const char* equals = strchr(s, '=');
  char* end = NULL;
  if (equals && equals != s) o->from = strtod(equals + 1, &end);
  if (!end || end == equals + 1 || *end != ':' || !isfinite(o->from) || !number(end + 1, &o->to) ||
      o->from == o->to) {
    return "must look like P=from:to with two different numbers";
  }
  o->param = s;
  return NULL;
}

// Use of derived code, --jit or --jit=WORD
static const char* read_jit(void* to, const char* s) {
  options* o = to;
  static const char* const words[] = {"swap", "wait", "always"};
  int i = 0;
  if (s && !choice(s, words, 3, &i)) return "must be swap, wait or always";
  o->jit = (jit_use)(JIT_SWAP + i);
  return NULL;
}
// Port of a server
static const char* read_port(void* to, const char* s) {
  options* o = to;
  double x;
  if (!number(s, &x) || x < 0 || x > 65535 || x != floor(x))
    return "must be a whole number in range";
  o->port = (int)x;
  return NULL;
}

static const char* read_udp(void* to, const char* s) {
  double x;
  if (!number(s, &x) || x < 0 || x > 65535 || x != floor(x))
    return "must be a whole number from 0 to 65535";
  *(int*)to = (int)x;
  return NULL;
}

// Two of the letters x, y, z
static const char* read_plane(void* to, const char* s) {
  options* o = to;
  o->plane = s;
  return strlen(s) == 2 && strspn(s, "xyz") == 2 && s[0] != s[1] ? NULL : "must look like xz";
}
// Size of a picture, 1280x720
static const char* read_size(void* to, const char* s) {
  options* o = to;
  char* end;
  const long w = strtol(s, &end, 10);
  const long h = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
  if (*end || w < 64 || h < 64 || w > 8192 || h > 8192) return "must look like 1280x720";
  o->width = (int)w;
  o->height = (int)h;
  return NULL;
}

// Axes of a grid, E=1e5:1e6/20; the library reads them
static const char* read_vary(void* to, const char* s) {
  options* o = to;
  if (!strchr(s, '=')) return "must look like E=1e5:1e6/20, E=1e5:1e6/20log or n={2,3,4}";
  o->vary[o->nvary++] = s;
  return NULL;
}

static const char* read_sample(void* to, const char* s) {
  options* o = to;
  o->sample = td_sampling_named(s);
  return o->sample < TD_SAMPLING_COUNT ? NULL : "must be sobol, lhs or random";
}

static const char* read_what(void* to, const char* s) {
  options* o = to;
  o->what = td_sweep_kind_named(s);
  return o->what < TD_SWEEP_COUNT ? NULL : "must be equil, modes, sim or check";
}

// A number of points, with a message that names the limit
static const char* read_points(void* to, const char* s) {
  double x;
  if (!number(s, &x) || x < 1 || x > TD_MOST_POINTS || x != floor(x))
    return "must be a whole number from 1 to 10000000";
  *(int*)to = (int)x;
  return NULL;
}

static const char* read_seed(void* to, const char* s) {
  *(const char**)to = s;
  return *s && strspn(s, "0123456789") == strlen(s) && strlen(s) < 19
             ? NULL
             : "must be a whole number from 0";
}

// clang-format off
static const option_row option_table[] = {
    {'o', "--output", "-o", "DIR", read_word, AT(out), "where results go (default: the model's name + .out)"},
    {'s', "--set", NULL, "NAME=VALUE", read_set, 0, "another value for a param or input of the model; may be repeated"},
    {'s', "--force-range", NULL, NULL, read_flag, AT(force_range), "let --set, --inputs and --at go beyond the ranges that the model gives"},
    {'j', "--json", NULL, NULL, read_flag, AT(json), "machine-readable result on the standard output"},
    {'q', "--quiet", NULL, NULL, read_flag, AT(quiet), "print nothing but errors"},
    {'c', "--accuracy", NULL, "X", read_share, AT(accuracy), "error that results may have, relative to rod lengths or results; 0: no error bars (default: par.accuracy)"},
    {'c', "--write-discretisation", NULL, "FILE", read_word, AT(discretisation), "write the resolution of rods that --accuracy or par.accuracy chose, as lines of a model"},
    {'r', "--rtol", NULL, "X", read_positive, AT(rtol), "relative tolerance (default: par.rtol)"},
    {'a', "--atol", NULL, "X", read_positive, AT(atol), "absolute tolerance (default: par.atol)"},
    {'f', "--t-final", NULL, "T", read_number, AT(t_final), "end of the simulation in s (default: par.t_final)"},
    {'d', "--dt-out", NULL, "T", read_positive, AT(dt_out), "time between output rows in s (default: par.dt_out)"},
    {'v', "--solver", NULL, "NAME", read_solver, 0, "auto" SOLVER_WORDS " (default: par.solver)"},
    {'v', "--step", NULL, "T", read_positive, AT(step), "step of the solver 'fixed' in s (default: par.step)"},
    {'J', "--jit", NULL, "[=WHEN]", read_jit, 0, "compile derived code and use it if it is faster: =swap when it is there (default), =wait from the start, =always from the start and unmeasured"},
    {'h', "--halve", NULL, NULL, read_flag, AT(halve), "simulate again with tighter tolerances, report the time error"},
    {'m', "--mat", NULL, NULL, read_flag, AT(mat), "write trajectory.mat too"},
    {'k', "--no-report", NULL, NULL, read_flag, AT(no_report), "do not write report.html"},
    {'s', "--allow-read", NULL, NULL, read_flag, AT(allow_read), 
     "let include, table and meshes read files outside the model's folder and TENDRIL_DATA"},
    {'p', "--allow-post", NULL, NULL, read_flag, AT(allow_post), "allow the script named by par.post"},
    {'n', "--count", "-n", "N", read_natural, AT(count), "how many modes are printed (default: 10); all are written"},
    {'l', "--n", NULL, "LIST", read_list, 0, "segments and orders, like 4,8,16 (default: 2,4,8,16,32; rom and gvs 2 to 6)"},
    {'i', "--static", NULL, NULL, read_flag, AT(only_static), "compare equilibria alone"},
    {'y', "--dynamic", NULL, NULL, read_flag, AT(only_dynamic), "compare simulations alone"},
    {'t', "--param", NULL, "P=A:B", read_param, 0, "parameter or input to follow and its range"},
    {'@', "--at", NULL, "FILE", read_once, AT(at), "start at a state: a state file, equilibrium.json, trajectory.csv or .h5, or their DIR"},
    {'@', "--time", NULL, "T", read_number, AT(time), "with --at: the row of the trajectory nearest to T (default: the last)"},
    {'z', "--any", NULL, NULL, read_flag, AT(any), "the nearest equilibrium, also where it is unstable (default: a stable one)"},
    {'x', "--times", NULL, "LIST", read_times, 0, "equilibria at these times, each from the one before: first:step:last or a,b,c"},
    {'e', "--from-equilibrium", NULL, NULL, read_flag, AT(from_rest), "find the equilibrium first and start there"},
    {'w', "--port", NULL, "N", read_port, 0, "port of the server (default: a free one)"},
    {'b', "--open", NULL, NULL, read_flag, AT(open), "open the page in the desktop's browser"},
    {'O', "--output", "-o", "FILE", read_word, AT(out), "file to write"},
    {'Y', "--y", NULL, "NAMES", read_word, AT(y), "columns to plot, like tip_x,tip_z (default: all sensors)"},
    {'X', "--x", NULL, "NAME", read_word, AT(x), "column to plot them over (default: t)"},
    {'5', "--strain", NULL, "ROD[,NAMES]", read_word, AT(strain), "strain of a rod over its arc length, like arm or arm,bend_y,twist (default: the bends that there are)"},
    {'5', "--snapshots", NULL, NULL, read_flag, AT(snapshots), "shapes at several times laid over each other"},
    {'5', "--times", NULL, "LIST", read_times, 0, "with these: times, first:step:last or a,b,c (default: five over the whole motion)"},
    {'5', "--plane", NULL, "XY", read_plane, 0, "of the snapshots, like xz (default: where they extend most)"},
    {'g', "--gnuplot", NULL, NULL, read_flag, AT(gnuplot), "a gnuplot script instead of the drawing"},
    {'P', "--png", NULL, NULL, read_flag, AT(png), "a picture of it as well: report.png, or the file of -o"},
    {'G', "--page", NULL, NULL, read_flag, AT(page), "with --png: the whole page, not the picture alone"},
    {'S', "--size", NULL, "WxH", read_size, 0, "pixels (default: 1280x720)"},
    {'F', "--fps", NULL, "N", read_positive, AT(fps), "frames a second (default: 30)"},
    {'V', "--speed", NULL, "X", read_positive, AT(speed), "seconds of the model in one of the video (default: 1)"},
    {'T', "--time", NULL, "T", read_number, AT(time), "time to show in s (default: the middle)"},
    {'D', "--dark", NULL, NULL, read_flag, AT(dark), "on a dark ground"},
    {'4', "--lang", NULL, "NAME", read_language, 0, "c, octave, python or latex (default: c)"},
    {'1', "--style", NULL, "NAME", read_style, 0, "functions for the whole, or also by element, terms, matrix"},
    {'2', "--symbolic", NULL, "NAMES", read_word, AT(symbolic), "params that stay symbols, like E,l0, or all"},
    {'3', "--fmi", NULL, "N", read_fmi, 0, "version of the standard for an FMU: 2 or 3 (default: 2)"},
    {'A', "--assume", NULL, "NAME=VALUE", read_assume, 0, "a param as tasks and controllers believe it to be; may be repeated"},
    {'U', "--allow-plugin", NULL, NULL, read_flag, AT(allow_plugin), "allow the controllers named by control.plugin"},
    {'K', "--data", NULL, "FILE", read_once, AT(data), "measured sensors and inputs by name, CSV with a column t"},
    {'B', "--inputs", NULL, "FILE", read_once, AT(inputs), "inputs over time by name, CSV with a column t; straight lines between its rows"},
    {'M', "--filter", NULL, "NAME", read_filter, 0, "ekf (extended, default) or ukf (unscented)"},
    {'E', "--estimate", NULL, "NAME=S:W", read_estimate, 0, "an unknown input or param: deviation at the start and after 1 s; may be repeated"},
    {'N', "--sigma", NULL, "Q:V", read_sigma, 0, "deviation of positions and velocities at the start (default: 0.01:0.1)"},
    {'W', "--drift", NULL, "X", read_drift, 0, "deviation of every velocity after 1 s, from forces not modelled (default: 0.01)"},
    {'6', "--by", NULL, "NAMES", read_once, AT(by), "params to find, like E,rho; they start at their values"},
    {'6', "--on", NULL, "NAMES", read_once, AT(on), "recordings to fit, by name or number (default: all); the others are predicted"},
    {'6', "--start", NULL, "N", read_natural, AT(starts), "how many starts (default: 1), further ones drawn from the ranges"},
    {'6', "--seed", NULL, "N", read_natural, AT(fit_seed), "of these draws (default: 1)"},
    {'6', "--leave-out", NULL, "WHAT", read_leave_out, 0, "fit again without each recording (1 or recording) or row, and predict it"},
    {'R', "--reduce", NULL, "N", read_natural, AT(reduce), "the linear model of the first N natural modes"},
    {'R', "--correct", NULL, NULL, read_flag, AT(correct), "with --reduce: one more shape for each input, for the right static response"},
    {'Q', "--weights", NULL, "FILE", read_once, AT(weights), "what to weigh, see docs/control.md (default: every output and input 1)"},
    {'9', "--of", NULL, "NAMES", read_word, AT(of), "results: sensors (tip_z, or tip for all of its components), energy, frequency1, damping1 (default: all sensors)"},
    {'9', "--by", NULL, "NAMES", read_word, AT(by), "params, inputs and internal states, like E,rho; of motions initial values too, q:NAME and v:NAME (default: all params that may change, all inputs)"},
    {'9', "--at", NULL, "WHERE", read_once, AT(at), "equil (default); end: the end of the motion that sim makes, with its options; or the file of a state that is an equilibrium, as --at of modes takes it"},
    {'9', "--time", NULL, "T", read_number, AT(time), "with the file of a trajectory: the row nearest to T (default: the last)"},
    {'H', "--range", NULL, "A:B", read_range, 0, "frequencies in Hz (default: around the poles)"},
    {'I', "--points", NULL, "N", read_natural, AT(points), "how many frequencies (default: 400)"},
    {'C', "--vary", NULL, "AXES", read_vary, 0, "a grid: E=1e5:1e6/20 (20 values), /20log (by factors), n={2,3,4} (a list), separated by commas; may be repeated"},
    {'C', "--sample", NULL, "HOW", read_sample, 0, "a sample of -N points --over some names: sobol, lhs (Latin hypercube) or random"},
    {'C', "--number", "-N", "N", read_points, AT(number), "how many points of the sample"},
    {'C', "--over", NULL, "NAMES", read_once, AT(over), "what the sample varies: E,L with the ranges of the model, or E=1e5:1e6, E=1e5:1e6log"},
    {'C', "--seed", NULL, "N", read_seed, AT(seed), "another sample (default: 1; of sobol 0, the plain sequence)"},
    {'C', "--indices", NULL, NULL, read_flag, AT(indices), "with --sample: first-order and total Sobol indices, from N (names + 2) points"},
    {'C', "--table", NULL, "FILE", read_once, AT(table), "points from a CSV file, one column for each name"},
    {'C', "--do", NULL, "WHAT", read_what, 0, "the analysis of each point: equil (default), modes, sim or check"},
    {'C', "--keep", NULL, "NAMES", read_once, AT(keep), "what is kept, like tip_x,tip_z@max (default: all sensors); of sim @end, @max, @min, @mean"},
    {'C', "--jobs", "-j", "N", read_natural, AT(jobs), "threads (default: 1)"},
    {'C', "--resume", NULL, NULL, read_flag, AT(resume), "go on with a sweep that was stopped or killed"},
    {'L', "--rate", NULL, "HZ", read_positive, AT(rate), "steps in a second (default: 1/par.dt_out)"},
    {'L', "--udp", NULL, "PORT", read_udp, AT(udp), "packets over UDP on 127.0.0.1, 0: a free port (default)"},
    {'L', "--shm", NULL, "NAME", read_once, AT(shm), "shared memory /NAME instead"},
    {'L', "--steps", NULL, "N", read_natural, AT(steps), "end after N steps (default: until Ctrl-C)"},
    {'L', "--free-run", NULL, NULL, read_flag, AT(free_run), "do not wait for the clock: step as fast as possible, and count steps longer than a period"},
    {'L', "--fifo", NULL, NULL, read_flag, AT(fifo), "lock the memory and run with the real-time class SCHED_FIFO of the scheduler"},
    {'Z', "--check", NULL, NULL, read_flag, AT(check), "write nothing; name the files that are not formatted, exit code 2 if there are any"},
    {'Z', "--stdout", NULL, NULL, read_flag, AT(to_stdout), "print the formatted text instead of writing the file"},
    {'?', "--help", "-h", NULL, read_flag, AT(help), "this text"},
};
// clang-format on
enum { NOPTION = sizeof option_table / sizeof *option_table };

static bool accepts(const command* cmd, const option_row* row) {
  return row->letter == '?' || strchr(cmd->accepts, row->letter);
}

// Print the options of a command.
void options_help(const command* cmd, FILE* out) {
  fprintf(out, "usage: tendril %s %s [options]\n  %s\n\n", cmd->name, cmd->arguments, cmd->text);
  for (int i = 0; i < NOPTION; i++) {
    const option_row* row = &option_table[i];
    if (!accepts(cmd, row)) continue;
    char left[64];
    snprintf(left, sizeof left, "%s%s%s %s", row->short_name ? row->short_name : "",
             row->short_name ? ", " : "", row->name, row->value ? row->value : "");
    fprintf(out, "  %-22s %s\n", left, row->text);
  }
}

// ---- reading ----------------------------------------------------------------------------------

// Find the option of an argument, "--name" or "--name=value", among those of the command first,
// since options may share a name; *value: the text behind '='.
static const option_row* find(const command* cmd, const char* arg, const char** value) {
  *value = NULL;
  for (int k = 0; k < 2 * NOPTION; k++) {
    const option_row* row = &option_table[k % NOPTION];
    if (k < NOPTION && !accepts(cmd, row)) continue;
    const size_t n = strlen(row->name);
    if (row->short_name && strcmp(arg, row->short_name) == 0) return row;
    if (strncmp(arg, row->name, n) != 0 || (arg[n] && arg[n] != '=')) continue;
    if (arg[n]) *value = arg + n + 1;
    return row;
  }
  return NULL;
}

// Complain about an unknown option, with the nearest name.
static int unknown(const command* cmd, const char* arg) {
  const char* names[NOPTION];
  int n = 0;
  for (int i = 0; i < NOPTION; i++) {
    if (accepts(cmd, &option_table[i])) names[n++] = option_table[i].name;
  }
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)(strcspn(arg, "=") > 60 ? 60 : strcspn(arg, "=")), arg);
  const char* near = td_nearest(name, names, n);
  if (near) return complain(CODE_USE, "unknown option '%s'; did you mean '%s'?", name, near);
  return complain(CODE_USE, "unknown option '%s'; see 'tendril help %s'", name, cmd->name);
}

// Read the option at argv[*i]; moves *i past its value.
static int read_one(const command* cmd, options* opt, int* i) {
  const char* arg = opt->argv[*i];
  const char* value;
  const option_row* row = find(cmd, arg, &value);
  if (!row) return unknown(cmd, arg);
  if (!accepts(cmd, row)) {
    return complain(CODE_USE, "'%s' does not take %s; see 'tendril help %s'", cmd->name, row->name,
                    cmd->name);
  }

  // its value, behind '=' or as the next argument
  if (!row->value && value) return complain(CODE_USE, "%s takes no value", row->name);
  if (row->value && row->value[0] != '[' && !value) {
    if (*i + 1 >= opt->argc)
      return complain(CODE_USE, "%s needs a value: %s", row->name, row->value);
    value = opt->argv[++*i];
  }
  const char* wrong = row->read((char*)opt + row->at, value);
  if (!wrong) return CODE_DONE;
  return complain(CODE_USE, "%s %s, got '%s'", row->name, wrong, value);
}

// Read an argument that is no option.
static int read_target(const command* cmd, options* opt, const char* arg) {
  if (cmd->targets == 2 && !opt->kind) {
    opt->kind = arg;
    return CODE_DONE;
  }
  if (cmd->targets == 3 && *arg) {
    opt->target = opt->target ? opt->target : arg;
    opt->files[opt->nfile++] = arg;
    return CODE_DONE;
  }
  if (cmd->targets == 0 || opt->target) {
    return complain(CODE_USE, "'%s' is one argument too many for '%s'", arg, cmd->name);
  }
  if (!*arg) return complain(CODE_USE, "the name of the model must not be empty");
  opt->target = arg;
  return CODE_DONE;
}

// Read all arguments behind the command's name, and check that they fit together.
int options_read(const command* cmd, int argc, char** argv, options* opt) {
  *opt = (options){.accuracy = NAN,
                   .rtol = NAN,
                   .atol = NAN,
                   .t_final = NAN,
                   .dt_out = NAN,
                   .step = NAN,
                   .time = NAN,
                   .rate = NAN,
                   .udp = -1,
                   .sigma_q = NAN,
                   .sigma_v = NAN,
                   .drift = NAN,
                   .sample = TD_SAMPLING_COUNT,
                   .fps = NAN,
                   .speed = NAN};
  opt->argc = argc;
  opt->argv = argv;
  opt->set = calloc(5 * (size_t)argc, sizeof *opt->set);
  opt->files = opt->set ? opt->set + 4 * argc : NULL;
  opt->vary = opt->set ? opt->set + 3 * argc : NULL;
  opt->estimate = opt->set ? opt->set + 2 * argc : NULL;
  opt->assume = opt->set ? opt->set + argc : NULL;
  if (!opt->set) return complain(CODE_NUMERICS, "out of memory");

  // options and arguments
  bool plain = false;  // behind "--"
  for (int i = 2; i < argc; i++) {
    int code = CODE_DONE;
    if (!plain && strcmp(argv[i], "--") == 0) {
      plain = true;
    } else if (!plain && argv[i][0] == '-' && argv[i][1]) {
      code = read_one(cmd, opt, &i);
    } else {
      code = read_target(cmd, opt, argv[i]);
    }
    if (code) return code;
  }

  // what fits together
  if (!isnan(opt->time) && !opt->at && strchr(cmd->accepts, '@'))
    return complain(CODE_USE, "--time needs --at");
  if (opt->at && opt->from_rest && strchr(cmd->accepts, '@')) {
    return complain(CODE_USE, "--at and --from-equilibrium are two places to start from; give one");
  }
  if (opt->correct && !opt->reduce) return complain(CODE_USE, "--correct needs --reduce");
  if (cmd->targets > 0 && !opt->target && !opt->help) {
    return complain(CODE_USE, "which %s? usage: tendril %s %s [options]",
                    strcmp(cmd->arguments, "DIR") == 0 ? "results"
                    : cmd->targets == 3                ? "files"
                                                       : "model",
                    cmd->name, cmd->arguments);
  }
  return CODE_DONE;
}

void options_free(options* opt) { free(opt->set); }
