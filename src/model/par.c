// Settings: what to do with the model, and how.  Their fields and rules; the compiler reads them.
#include <math.h>
#include <string.h>

#include "model/structure.h"
#include "model/tolerance.h"

// the words of the solvers, each after a bar, and what they are
#define SOLVER_WORD(value, word, what) "|" #word
#define SOLVER_IS(value, word, what) "; " #word " is an " what

static const td_field fields[] = {
    {"par", FIELD_STRUCT, "1", "", "", FIXED, "", "", "what to do with the model, and how"},
    {"par.anim", FIELD_FLAG, "1", "0", "", FIXED, "", "",
     "1: `run` opens the report, which has the animation, if there is a display and a terminal"},
    {"par.mov", FIELD_FLAG, "1", "0", "", FIXED, "", "",
     "1: `run` writes video.mp4 too (needs chromium and ffmpeg)"},
    {"par.derive", FIELD_FLAG, "1", "0", "", FIXED, "", "",
     "`run` writes the symbolic equations of motion too, as `derive` does"},
    {"par.fun", FIELD_INT, "1", "", "", FIXED, "", "1|2|3|4",
     "form of the derived functions unless options say it: 1 one for each element, 2 one for each "
     "term of each element, 3 one for each matrix, all for Octave; 4 as 3 but in C; default: the "
     "whole, in C"},
    {"par.mex", FIELD_FLAG, "1", "0", "", FIXED, "", "",
     "1: `run` compiles derived code and simulates with it where it is faster, as `--jit` does"},
    {"par.equil", FIELD_INT, "1", "1", "", FIXED, "", "0|1|2|3",
     "find the static equilibrium: 0 no, 1 to 3 yes; with par.dyn written too, `run` starts the "
     "motion there"},
    {"par.modal", FIELD_INT, "1", "1", "", FIXED, "", "0|1|2|3",
     "find the natural modes: 0 no, 1 to 3 yes; at the initial state where par.equil is 0"},
    {"par.dyn", FIELD_INT, "1", "1", "", FIXED, "", "0|1|2|3",
     "simulate the motion: 0 no, 1 to 3 yes"},
    {"par.nint", FIELD_INT, "1", "50", "", FIXED, "", ">= 1",
     "quadrature points (Gauss) along each rod of joint.rom; default: joint.rom.points"},
    {"par.t_init", FIELD_NUM, "1", "0", "s", FIXED, "", "", "time at which the simulation starts"},
    {"par.t_final", FIELD_NUM, "1", "t_init + 1", "s", FIXED, "", "",
     "time at which it ends, later than `t_init`"},
    {"par.dt_out", FIELD_NUM, "1", "0.01", "s", FIXED, "", "> 0",
     "interval between the rows of the result; the solver chooses its own steps"},
    {"par.step", FIELD_NUM, "1", "", "s", FIXED, "", "> 0",
     "longest step of the solver 'fixed', which takes equal ones; default: par.dt_out"},
    {"par.rtol", FIELD_NUM, "1", "1e-6", "", FIXED, "", "> 0", "relative tolerance of the solver"},
    {"par.atol", FIELD_NUM, "1", "1e-9", "", FIXED, "", "> 0",
     "absolute tolerance of the solver; for robots below a millimetre 1e-6 of their size"},
    {"par.accuracy", FIELD_NUM, "1", "1e-3", "", FIXED, "", ">= 0",
     "error that results may have: of the length of its rod for a place, relative for other "
     "sensors and frequencies; 0: no error bars are computed (docs/accuracy.md)"},
    {"par.solver", FIELD_STR, "", "auto", "", FIXED, "", "auto" TD_SOLVERS(SOLVER_WORD),
     "how motion is integrated; auto chooses by the rule of simulation.md" TD_SOLVERS(SOLVER_IS)},
    {"par.linear", FIELD_STR, "", "auto", "", FIXED, "", "auto|dense|sparse",
     "linear algebra: dense matrices, or sparse ones for networks; `auto` decides by the "
     "structure"},
    {"par.seed", FIELD_INT, "1", "1", "", FIXED, "", ">= 0", "start of the random numbers"},
    {"par.control", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "the computer that tasks and controllers run on"},
    {"par.control.rate", FIELD_NUM, "1", "0", "Hz", FIXED, "", ">= 0",
     "how often it measures and sets inputs, which are held in between; 0: at all times"},
    {"par.control.delay", FIELD_NUM, "1", "0", "s", FIXED, "", ">= 0",
     "time from a measurement to the inputs that follow from it"},
    {"par.control.quantum", FIELD_NUM, "1", "0", "", FIXED, "", ">= 0",
     "smallest step of the inputs it sets, 0: none"},
    {"par.sym", FIELD_NUM, "", "", "", SYMBOLS, "", "",
     "symbols made with `syms` that become parameters of the model"},
    {"par.var", FIELD_NUM, "", "", "", PARAM, "", "", "their values, in the same order"},
    {"par.post", FIELD_STR, "", "", "", FIXED, "", "",
     "script beside the model that `run` hands the results to in Octave, only with `--allow-post`"},
    {.path = NULL},
};

// The field's number or its default; false for an expression or something else.
static bool scalar(const td_spec* spec, const value* s, int i, const char* path, double* x) {
  const value* v = td_field_get(s, i, path);
  *x = td_field_default(td_field_in(fields, path));
  return !v || (v->kind == V_NUM && td_value_count(v) == 1 && td_check_constant(spec, v, 0, x));
}

// Rules of the settings: tolerances between bounds, t_init < t_final, and numbers of samples and
// steps that can be done.
static void check(td_spec* spec, const value* s, int i, const char* name) {
  double from, to, rtol, atol, row, rate, accuracy;
  if (scalar(spec, s, i, "par.rtol", &rtol) && rtol > 0 && rtol < TD_LEAST_RTOL)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "rtol"),
             "%s.rtol must be at least %g, ten times the rounding of a number, got %g: 1e-10 is "
             "already very fine",
             name, TD_LEAST_RTOL, rtol);
  if (scalar(spec, s, i, "par.atol", &atol) && atol > 0 && atol < TD_LEAST_ATOL)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "atol"),
             "%s.atol must be at least %g, got %g: below it the relative tolerance alone counts",
             name, TD_LEAST_ATOL, atol);
  if (scalar(spec, s, i, "par.atol", &atol) && atol > TD_MOST_ATOL && atol <= TD_MOST_NUMBER)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "atol"),
             "%s.atol must be at most %g, got %g: it is the error in m, rad, m/s and rad/s that a "
             "step may make",
             name, TD_MOST_ATOL, atol);
  if (scalar(spec, s, i, "par.accuracy", &accuracy) && accuracy >= 1)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "accuracy"),
             "%s.accuracy must be below 1, got %g: it is an error relative to the length of a rod, "
             "or to the result",
             name, accuracy);
  if (scalar(spec, s, i, "par.rtol", &rtol) && rtol >= 1)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "rtol"),
             "%s.rtol must be below 1, got %g: it is the relative error that a step may make", name,
             rtol);
  if (!scalar(spec, s, i, "par.t_init", &from) || !scalar(spec, s, i, "par.t_final", &to)) return;
  if (isnan(to)) to = from + 1;

  // times at which steps of a simulation can be told apart
  const double late = fmax(fabs(from), fabs(to)), shortest = 1e-12 * fmax(1, late);
  const char* time = td_get(s, i, "t_final") && !(fabs(from) > TD_MOST_TIME) ? "t_final" : "t_init";
  if (late > TD_MOST_TIME) {
    if (late <= TD_MOST_NUMBER)  // others have their message
      td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, time),
               "%s.%s: times of a simulation may be up to %g s, got %g s", name, time, TD_MOST_TIME,
               strcmp(time, "t_init") == 0 ? from : to);
    return;
  }
  if (to > from && to - from < shortest) {
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, time),
             "%s.%s: a simulation from %g s on lasts at least %g s, got %g s", name, time, from,
             shortest, to - from);
    return;
  }
  const value* control = td_get(s, i, "control");
  if (control && control->kind == V_STRUCT && td_value_count(control) == 1 &&
      scalar(spec, control, 0, "par.control.rate", &rate) && rate * (to - from) > TD_MOST_SAMPLES &&
      rate <= TD_MOST_NUMBER)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(control, 0, "rate"),
             "%s.control.rate: %g Hz for %g s are %.3g samples, they may be %g", name, rate,
             to - from, rate * (to - from), TD_MOST_SAMPLES);
  double step;
  if (td_get(s, i, "step") && scalar(spec, s, i, "par.step", &step) && step > 0 &&
      (to - from) / step > TD_MOST_STEPS)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "step"),
             "%s.step: steps of %g s for %g s are %.3g steps, they may be %g", name, step,
             to - from, (to - from) / step, TD_MOST_STEPS);
  if (!(to <= from)) {
    if (td_get(s, i, "dt_out") && scalar(spec, s, i, "par.dt_out", &row) && row > to - from) {
      td_warn(&spec->diags, td_get_at(s, i, "dt_out"),
              "%s.dt_out (%g s) is longer than the simulation (%g s): the result holds its first "
              "and its last state only",
              name, row, to - from);
    }
    return;
  }
  const char* written = td_get(s, i, "t_final") ? "t_final" : "t_init";
  td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, written),
           "%s.t_final must be later than t_init, got %g s and %g s", name, to, from);
}

static const td_rule rules[] = {
    {"par", .element = check},
    {.path = NULL},
};

const td_structure td_structure_par = {
    .fields = fields,
    .rules = rules,
    .intro =
        "What `tendril run` does with the model, and how the solver works. All of it is optional.",
    .example =
        "par.t_final = 8;\n"
        "par.dt_out  = 0.01;\n"
        "par.modal   = 0;\n",
};
