// Files of the published packages: programs that they call and data that they keep.
//
// Such a file ends with calls of the package's own programs (tmt_eom_derive, equil, dyn_sim, anim,
// post_proc, save, ...), plots, and whatever its authors did with the results.  `run` does this
// work here, so that these calls are skipped.  A value that would come from one of them is unknown:
// a statement that needs it is skipped too, unless it describes the robot, which is an error.  The
// structure `par` also carries the authors' own data; fields that are no settings are kept.  Each
// kind is reported in one note.
#include <stdio.h>
#include <string.h>

#include "lang/eval.h"
#include "model/fields.h"
#include "tendril/tools.h"

// ---- programs ---------------------------------------------------------------------------------

// True if a name is one of n names.
static bool is_listed(const char* name, const char* const* names, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (strcmp(names[i], name) == 0) return true;
  }
  return false;
}

// True for commands without effect on the model.
bool td_is_housekeeping(const char* name) {
  static const char* const names[] = {
      "addpath", "assume", "assumeAlso", "beep",    "cd",     "clc",     "clear",  "clearvars",
      "clf",     "close",  "dbclear",    "dbstop",  "diary",  "drawnow", "figure", "format",
      "hold",    "more",   "pause",      "profile", "rmpath", "tic",     "toc",    "warning"};
  return is_listed(name, names, sizeof names / sizeof *names);
}

// Programs of the packages, and functions of MATLAB that draw, read, write, solve or tell the time.
bool td_is_program_name(const char* name) {
  static const char* const names[] = {
      // the packages
      "anim", "AnimEOM", "check", "dyn_sim", "dyn_sym", "equil", "EquilEoM", "int_mid_step",
      "makeIGESmex", "mesh_import", "modal", "plotIGES", "post_proc", "save_eom_mex", "save_func",
      "save_mex", "save_modal_mex", "SimEoM", "TMTEoM_QP",
      // pictures and films
      "addframe", "annotation", "avifile", "axes", "axis", "bar", "barh", "box", "camlight",
      "clabel", "close", "colorbar", "colormap", "contour", "contourf", "daspect", "drawnow",
      "errorbar", "figure", "fill", "fill3", "findobj", "gca", "gcf", "getframe", "grid",
      "histogram", "imread", "imshow", "imwrite", "legend", "lighting", "line", "loglog", "movie",
      "movie2avi", "open", "patch", "pbaspect", "plot", "plot3", "plotyy", "polarplot", "print",
      "quiver", "quiver3", "rotate3d", "saveas", "savefig", "scatter", "scatter3", "semilogx",
      "semilogy", "set", "sgtitle", "shading", "stairs", "stem", "subplot", "suptitle", "surf",
      "surface", "text", "title", "VideoWriter", "view", "waitbar", "writeVideo", "xlabel", "xlim",
      "xticks", "ylabel", "ylim", "yticks", "yyaxis", "zlabel", "zlim", "zoom",
      // files and the computer
      "assert", "clock", "computer", "containers", "copyfile", "cputime", "csvread", "csvwrite",
      "datestr", "delete", "dir", "dlmread", "dlmwrite", "dos", "edit", "etime", "fclose", "fgetl",
      "fgets", "fileparts", "filesep", "fopen", "fread", "fscanf", "fullfile", "fwrite", "genpath",
      "getenv", "gpuArray", "importdata", "ismac", "ispc", "isunix", "keyboard", "load", "ls",
      "matlabpool", "mfilename", "mkdir", "movefile", "msgbox", "now", "parpool", "path", "pwd",
      "rand", "randi", "randn", "randperm", "readmatrix", "readtable", "rehash", "rmdir", "rng",
      "save", "system", "textscan", "tic", "toc", "unix", "ver", "version", "which", "who", "whos",
      "writematrix", "writetable", "xlsread", "xlswrite",
      // solvers
      "bvp4c", "decic", "fmincon", "fminsearch", "fminunc", "fsolve", "fzero", "ga", "integral",
      "lsqcurvefit", "lsqnonlin", "ode113", "ode15i", "ode15s", "ode23", "ode23s", "ode23t",
      "ode45", "odeset", "optimoptions", "optimset", "quad", "quadgk",
      // symbolic calculation and compiled code
      "ccode", "codegen", "coder", "latex", "matlabFunction", "mex", "pretty", "solve"};
  return is_listed(name, names, sizeof names / sizeof *names) || strncmp(name, "tmt_eom_", 8) == 0;
}

// True if a structure of the model is passed as a whole, as the package does.  No function of the
// language takes one, except those that return sizes and kinds.
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

bool td_is_attempt(lang* L, const ast* name, const ast* node, int user, int nout) {
  if (nout == 0 || !takes_structure(L, node)) return false;
  if (user >= 0) return L->function_list[user]->at.source != name->at.source;
  return !td_is_program_name(name->text) && td_is_function_beside(L, name->text, name->at);
}

// True if body or joint is among the outputs and not among the arguments.
bool td_makes_robot(const ast* function, const ast* node) {
  for (int i = 0; i < function->nout; i++) {
    const char* name = function->outs[i]->text;
    bool made = strcmp(name, "body") == 0 || strcmp(name, "joint") == 0;
    for (int k = 0; made && k < node->n; k++)
      made = node->list[k]->kind != AST_NAME || strcmp(node->list[k]->text, name) != 0;
    if (made) return true;
  }
  return false;
}

// Add a name to a list of names, separated by commas, unless it is there.
static void add_name(td_text* list, int* n, const char* before, const char* name) {
  td_text word = {0};
  td_text_printf(&word, "%s%s", before, name);
  const char* found = list->s && word.s ? strstr(list->s, word.s) : NULL;
  while (found &&
         ((found > list->s && found[-1] != ' ') || (found[word.n] && found[word.n] != ',')))
    found = strstr(found + 1, word.s);
  if (!found && word.s) {
    td_text_printf(list, "%s%s", list->n ? ", " : "", word.s);
    (*n)++;
  }
  td_text_free(&word);
}

// Record a call that is skipped.
bool td_skip_call(lang* L, const char* name, td_span at) {
  if (!td_spend(L, 100 + L->skipped.n / 16, at)) return false;
  if (L->nskipped == 0) L->skipped_at = at;
  add_name(&L->skipped, &L->nskipped, "", name);
  if (strcmp(name, "load") == 0) L->loaded = true;
  if (strncmp(name, "tmt_eom_", 8) == 0 || strcmp(name, "TMTEoM_QP") == 0) L->derivations++;
  L->skipping = name;
  return false;
}

bool td_is_program(lang* L, const ast* name, const ast* node, bool is_builtin) {
  if (is_builtin) return strcmp(name->text, "exp") == 0 && takes_structure(L, node);
  return td_is_program_name(name->text) || takes_structure(L, node);
}

// ---- data -------------------------------------------------------------------------------------

// Record a field of par that is no setting; warn if it is near to one.
void td_keep_data(lang* L, const char* name, td_span at) {
  const char* names[64];
  int n = 0;
  const td_field* f;

  for (int i = 0; n < 64 && (f = td_field_row(i)); i++) {
    const char* path = f->path;
    if (strncmp(path, "par.", 4) == 0 && !strchr(path + 4, '.')) names[n++] = path + 4;
  }

  const char* meaning = td_foreign_word("par", name);
  if (meaning || (strlen(name) > 2 && td_nearest(name, names, n))) {
    td_warn(L->diags, at, "par.%s is no setting; it is kept as data of this file", name);
    if (meaning)
      td_hint(L->diags, "here this is %s", meaning);
    else
      td_suggest(L->diags, name, names, n);
    return;
  }
  if (L->nkept == 0) L->kept_at = at;
  add_name(&L->kept, &L->nkept, "par.", name);
}

// ---- notes ------------------------------------------------------------------------------------

// Report the names of a list, at most eight, in one note, and clear the list.
static void tell(lang* L, td_text* list, int* n, td_span at, const char* one, const char* many,
                 const char* so) {
  enum { SHOWN = 8 };
  if (*n > 0 && list->s) {
    char more[32] = "";
    int shown = list->n;
    if (*n > SHOWN) {
      snprintf(more, sizeof more, " and %d more", *n - SHOWN);
      shown = 0;
      for (int k = 0; k < SHOWN; k++) shown += (int)strcspn(list->s + shown, ",") + 1;
      shown--;
    }
    td_remark(L->diags, at, "%.*s%s %s%s", shown, list->s, more, *n > 1 ? many : one, so);
  }
  td_text_free(list);
  *list = (td_text){0};
  *n = 0;
}

// Report data and skipped calls in one note each.
void td_tell_skipped(lang* L) {
  tell(L, &L->kept, &L->nkept, L->kept_at, "is no setting", "are no settings",
       ": kept as data of this file");
  tell(L, &L->skipped, &L->nskipped, L->skipped_at, "is not called", "are not called",
       L->derivations > 1
           ? " here: `run` does what par asks for, with the robot as it is at the end of the file"
           : " here: `run` does what par asks for");
  L->derivations = 0;
}
