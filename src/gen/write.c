// Writing a derivation as files, by the printer of the language.
#include "gen/program.h"

// Make the program of a derivation and print it.
td_status td_derive_write(const td_model* model, td_derived* derived, const char* title,
                          td_derive_language language, td_derive_style style, td_files* files) {
  if (!model || !derived || derived->model != model || !title || !files ||
      (unsigned)language > TD_DERIVE_LATEX || (unsigned)style > TD_DERIVE_MATRIX)
    return TD_E_USAGE;
  gen_program p;
  if (derived->nquadrature > 0 && (language == TD_DERIVE_LATEX || style != TD_DERIVE_WHOLE)) {
    return TD_E_USAGE;
  }

  // print in the language
  td_status status = td_program_open(model, derived, title, style, &p);
  if (status == TD_OK) {
    switch (language) {
      case TD_DERIVE_C:
        status = td_print_c(&p, files);
        break;
      case TD_DERIVE_OCTAVE:
        status = td_print_octave(&p, files);
        break;
      case TD_DERIVE_PYTHON:
        status = td_print_python(&p, files);
        break;
      case TD_DERIVE_LATEX:
        status = td_print_latex(&p, files);
        break;
    }
  }
  td_program_close(&p);
  return status;
}
