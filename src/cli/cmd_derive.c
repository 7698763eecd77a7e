// tendril derive: symbolic equations of motion, printed as code or formulas.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { MAX_SYMBOLS = 64 };

// Names of --symbolic.
typedef struct symbols {
  char* text;  // the option, cut at its commas
  const char* names[MAX_SYMBOLS];
  int n;
} symbols;

// Read --symbolic, "E,l0" or "all", into the options of the derivation; s owns the names.  Returns
// the exit code.
static int read_symbols(const options* opt, symbols* s, td_derive_options* o) {
  if (!opt->symbolic) return CODE_DONE;
  if (strcmp(opt->symbolic, "all") == 0) {
    o->all_symbolic = true;
    return CODE_DONE;
  }
  s->text = format_text("%s", opt->symbolic);
  if (!s->text) return complain(CODE_NUMERICS, "out of memory");
  for (char* at = strtok(s->text, ","); at; at = strtok(NULL, ",")) {
    if (s->n == MAX_SYMBOLS)
      return complain(CODE_USE, "--symbolic takes at most %d names", MAX_SYMBOLS);
    s->names[s->n++] = at;
  }
  o->symbolic = s->names;
  o->nsymbolic = s->n;
  return CODE_DONE;
}

// Language and style of the equations.
typedef struct form {
  td_derive_language language;
  td_derive_style style;
} form;

// Language and style: of the options, else of par.fun, else the whole in C
static form form_of(const session* s) {
  static const form published[] = {{TD_DERIVE_OCTAVE, TD_DERIVE_ELEMENT},
                                   {TD_DERIVE_OCTAVE, TD_DERIVE_TERMS},
                                   {TD_DERIVE_OCTAVE, TD_DERIVE_MATRIX},
                                   {TD_DERIVE_C, TD_DERIVE_MATRIX}};
  const double fun = td_spec_value(s->spec, "par.fun");
  form f = fun >= 1 && fun <= 4 ? published[(int)fun - 1] : (form){TD_DERIVE_C, TD_DERIVE_WHOLE};
  if (s->opt->language_given) f.language = s->opt->language;
  if (s->opt->style_given) f.style = s->opt->style;
  return f;
}

// Request what the form needs to be derived.
static void prepare(form f, td_derive_options* o) {
  o->elements = f.style == TD_DERIVE_ELEMENT || f.style == TD_DERIVE_TERMS;
  o->loops = f.style == TD_DERIVE_WHOLE && f.language != TD_DERIVE_LATEX;
}

// Derive, print in the form and write.
static int derive(session* s, const td_derive_options* o) {
  td_derived* d = NULL;
  char message[400];
  const double start = seconds();
  if (!deaf_begin()) return session_failed(s, TD_E_STOPPED, "derive");
  const td_status status = td_derive(s->model, o, &d, message, sizeof message);
  deaf_end();
  if (status != TD_OK) {
    return complain(code_of(status), "%s", *message ? message : td_status_text(status));
  }

  // print
  const double derive_time = seconds() - start, begin = seconds();
  const form f = form_of(s);
  const td_status written = td_derive_write(s->model, d, s->name, f.language, f.style, s->files);
  const double print_time = seconds() - begin;

  // report sizes and times
  int code = CODE_DONE;
  if (written == TD_OK) {
    cJSON* result = cJSON_CreateObject();
    json_add_number(result, "nodes", td_derived_size(d));
    json_add_number(result, "derive_s", derive_time);
    json_add_number(result, "print_s", print_time);
    say(s, "derived in %.3f s (%d expressions), printed in %.3f s\n", derive_time,
        td_derived_size(d), print_time);
    if (s->opt->json) json_print(cJSON_Duplicate(result, true));
    code = session_commit(s, "derive", result);
  } else {
    code = written == TD_E_IO ? session_wrote(s, written) : session_failed(s, written, "derive");
  }
  td_derived_free(d);
  return code;
}

// Write the equations beside the results of `run` (par.derive = 1); a model that cannot be derived
// gets a note.
int derive_write(session* s) {
  td_derived* d = NULL;
  td_derive_options o = td_derive_options_default();
  char message[400];
  const form f = form_of(s);
  prepare(f, &o);
  const td_status status = td_derive(s->model, &o, &d, message, sizeof message);
  if (status != TD_OK) {
    if (!s->opt->quiet) {
      complain(0, "note: par.derive: %s", *message ? message : td_status_text(status));
    }
    return CODE_DONE;
  }

  // print
  const td_status written = td_derive_write(s->model, d, s->name, f.language, f.style, s->files);
  td_derived_free(d);
  return session_wrote(s, written);
}

// Derive and write the equations of a model.
int cmd_derive(const options* opt) {
  session s = {0};
  symbols names = {0};
  td_derive_options o = td_derive_options_default();
  int code = read_symbols(opt, &names, &o);
  if (code == CODE_DONE) code = session_open(&s, opt);
  if (code == CODE_DONE) code = session_output(&s);
  if (code == CODE_DONE) prepare(form_of(&s), &o);
  if (code == CODE_DONE) code = derive(&s, &o);
  session_close(&s);
  free(names.text);
  return code;
}
