// Files of the published packages: programs they call and data they keep.
//
// Such a file ends with calls of the package's own programs (tmt_eom_derive, equil, dyn_sim, anim,
// post_proc, save, ...), plots, and whatever its authors did with the results.  `run` does this
// work here, so these calls are left out.  A value that would come from one of them is unknown: a
// statement that needs it is left out too, unless it describes the robot, which is an error.  The
// structure `par` also carries the authors' own data; fields that are no settings are kept.  Each
// kind is told in one note.
#include <stdio.h>
#include <string.h>

#include "eval.h"
#include "fields.h"

// ---- programs ---------------------------------------------------------------------------------

// Programs of the packages, and functions of MATLAB that draw, read or write.
static bool is_known_program(const char* name) {
  static const char* const names[] = {
      // the packages
      "anim", "AnimEOM", "check", "dyn_sim", "dyn_sym", "equil", "EquilEoM", "int_mid_step",
      "mesh_import", "modal", "post_proc", "save_eom_mex", "SimEoM", "TMTEoM_QP",
      // pictures and films
      "axis", "close", "drawnow", "figure", "gca", "gcf", "getframe", "grid", "legend", "open",
      "plot", "plot3", "plotIGES", "print", "saveas", "savefig", "set", "subplot", "surf", "title",
      "VideoWriter", "view", "writeVideo", "xlabel", "xlim", "ylabel", "ylim", "zlabel", "zlim",
      // files, programs, symbolic calculation
      "ccode", "codegen", "csvwrite", "load", "makeIGESmex", "matlabFunction", "mex", "mkdir",
      "save", "simplify", "xlsread", "xlswrite"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i], name) == 0) return true;
  }
  return strncmp(name, "tmt_eom_", 8) == 0;
}

// Is a structure of the model handed over as a whole, as the package does?  No function of the
// language but those that ask for sizes and kinds takes one.
static bool takes_structure(lang* L, const ast* node) {
  static const char* const roots[] = {"par", "world", "body", "joint", "mesh", "exload"};
  for (int i = 0; node->kind == AST_INDEX && i < node->n; i++) {
    const ast* arg = node->list[i];
    const variable* var = arg->kind == AST_NAME ? td_scope_find(L->scope, arg->text) : NULL;
    for (size_t k = 0; var && k < sizeof roots / sizeof *roots; k++) {
      if (strcmp(roots[k], arg->text) == 0) return true;
    }
  }
  return false;
}

static void add_name(td_text* list, int* n, const char* before, const char* name) {
  enum { SHOWN = 8 };
  td_text word = {0};
  td_text_printf(&word, "%s%s", before, name);
  const char* found = list->s && word.s ? strstr(list->s, word.s) : NULL;
  while (found && found[word.n] && found[word.n] != ',') found = strstr(found + 1, word.s);
  if (!found && word.s) {
    if ((*n)++ < SHOWN) td_text_printf(list, "%s%s", list->n ? ", " : "", word.s);
  }
  td_text_free(&word);
}

bool td_skip_call(lang* L, const char* name, td_span at) {
  if (L->nskipped == 0) L->skipped_at = at;
  add_name(&L->skipped, &L->nskipped, "", name);
  if (strcmp(name, "load") == 0) L->loaded = true;
  L->skipping = name;
  return false;
}

bool td_is_program(lang* L, const ast* name, const ast* node, bool is_builtin) {
  if (is_builtin) return strcmp(name->text, "exp") == 0 && takes_structure(L, node);
  return is_known_program(name->text) || takes_structure(L, node);
}

bool td_is_program_name(const char* name) { return is_known_program(name); }

// ---- data -------------------------------------------------------------------------------------

void td_keep_data(lang* L, const char* name, td_span at) {
  const char* names[64];
  int n = 0;
  for (int i = 0; i < td_field_count && n < 64; i++) {
    const char* path = td_fields[i].path;
    if (strncmp(path, "par.", 4) == 0 && !strchr(path + 4, '.')) names[n++] = path + 4;
  }
  if (strlen(name) > 2 && td_nearest(name, names, n)) {
    td_warn(L->diags, at, "par.%s is no setting; it is kept as data of this file", name);
    td_suggest(L->diags, name, names, n);
    return;
  }
  if (L->nkept == 0) L->kept_at = at;
  add_name(&L->kept, &L->nkept, "par.", name);
}

// ---- notes ------------------------------------------------------------------------------------

static void tell(lang* L, td_text* list, int* n, td_span at, const char* one, const char* many,
                 const char* so) {
  enum { SHOWN = 8 };
  if (*n > 0 && list->s) {
    char more[32] = "";
    if (*n > SHOWN) snprintf(more, sizeof more, " and %d more", *n - SHOWN);
    td_remark(L->diags, at, "%s%s %s%s", list->s, more, *n > 1 ? many : one, so);
  }
  td_text_free(list);
  *list = (td_text){0};
  *n = 0;
}

void td_tell_skipped(lang* L) {
  tell(L, &L->kept, &L->nkept, L->kept_at, "is no setting", "are no settings",
       ": kept as data of this file");
  tell(L, &L->skipped, &L->nskipped, L->skipped_at, "is not called", "are not called",
       " here: `run` does what par asks for");
}
