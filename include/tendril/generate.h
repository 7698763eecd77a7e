// Equations to take away: derive them symbolically, print them as code or formulas, export a model
// as standalone C or as a functional mock-up unit.
#ifndef TENDRIL_GENERATE_H
#define TENDRIL_GENERATE_H

#include "tendril/tools.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- symbolic equations -----------------------------------------------------------------------

typedef struct td_derived td_derived;

// (Options.)
typedef struct td_derive_options {
  size_t size;                  // bytes of this struct, by td_derive_options_default()
  const char* const* symbolic;  // parameters that stay symbols; the others become numbers
  int nsymbolic;
  bool all_symbolic;  // all that can
  bool elements;      // what each force adds, apart: for the styles that write elements
  bool loops;         // polynomial rods as loops over their points, which are then symbols, and not
                      // as a sum of so many terms: for td_derive_write() with TD_DERIVE_WHOLE in
                      // all languages but LaTeX
  bool power;         // the power of forces without potential too: for td_jit
} td_derive_options;
TD_API void td_derive_options_fill(td_derive_options* options, size_t size);
static inline td_derive_options td_derive_options_default(void) {
  td_derive_options options;
  td_derive_options_fill(&options, sizeof options);
  return options;
}

// The equations of motion of a model, element by element.  On failure *derived is NULL and
// `message` says what stands in the way: TD_E_MODEL for an element that has no closed form here,
// TD_E_USAGE for a parameter that cannot be a symbol, TD_E_NOMEM.
TD_API td_status td_derive(const td_model* model, const td_derive_options* options,
                           td_derived** derived, char* message, size_t size);
TD_API void td_derived_free(td_derived* derived);
TD_API int td_derived_size(const td_derived* derived);  // nodes of the expression graph

// ---- printed ----------------------------------------------------------------------------------

typedef enum td_derive_language {
  TD_DERIVE_C,       // C99 without allocation or dependencies beyond <math.h>
  TD_DERIVE_OCTAVE,  // functions for Octave and Matlab
  TD_DERIVE_PYTHON,  // a module on numpy
  TD_DERIVE_LATEX    // formulas
} td_derive_language;

// How the equations are cut into functions, beside the one that gives all of them at once.
typedef enum td_derive_style {
  TD_DERIVE_WHOLE,    // no others
  TD_DERIVE_ELEMENT,  // one for each element, with all its terms  (par.fun = 1)
  TD_DERIVE_TERMS,    // one for each term of each element         (par.fun = 2)
  TD_DERIVE_MATRIX    // one for each matrix and vector            (par.fun = 3; 4 in C)
} td_derive_style;

// Stage the files of one language (TD_E_USAGE: a derivation with loops as formulas, or cut into
// elements or matrices), with a program or script that compares them with the engine.
// `title` is the model's name: its letters and digits name the functions.
TD_API td_status td_derive_write(const td_model* model, td_derived* derived, const char* title,
                                 td_derive_language language, td_derive_style style,
                                 td_files* files);

// ---- just in time -----------------------------------------------------------------------------

// The derived v' of a model, compiled while a simulation runs: at once by libtcc, where the library
// was built with it, then with more care by the system's C compiler (CC or cc, in a directory under
// TMPDIR).  Give td_jit_source() to td_sim_options.code; the simulation measures each code when it
// comes and takes it if it is faster.  For one simulation at a time.
typedef struct td_jit td_jit;

// Begin, in a thread of its own, with the parameters as they are in `work` now.  TD_E_NOMEM.
TD_API td_status td_jit_new(const td_model* model, const td_work* work, td_jit** jit);
// Wait until no more code will come.
TD_API void td_jit_wait(td_jit* jit);
// Will no more code come?  td_jit_wait() returns at once then.
TD_API bool td_jit_done(const td_jit* jit);
// End what is still going on.  Code that was made stays.
TD_API void td_jit_stop(td_jit* jit);
TD_API void td_jit_free(td_jit* jit);  // not before the simulation has ended
TD_API const td_code_source* td_jit_source(const td_jit* jit);
// After td_jit_wait() or td_jit_stop(): why there is no code, or less than there could be; "" when
// all is well.
TD_API const char* td_jit_message(const td_jit* jit);

// ---- standalone models ------------------------------------------------------------------------

// Stage NAME.c, NAME.h and NAME_check.c: the engine and the model in one C file that allocates
// nothing, for any model.
TD_API td_status td_export_c(const td_model* model, const char* title, td_files* files);

// Stage NAME.fmu, a functional mock-up unit of FMI 2.0 or 3.0 (version 2 or 3) for model exchange
// and co-simulation: parameters, inputs, sensors as outputs, directional derivatives; sources, and
// a binary for this machine when a C compiler is found.  `message` says when there is none.
TD_API td_status td_export_fmu(const td_model* model, const char* title, int version,
                               td_files* files, char* message, size_t size);

#ifdef __cplusplus
}
#endif
#endif
