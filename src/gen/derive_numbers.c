// Numbers of the model as expressions of time, inputs, coordinates and the parameters that stay
// symbols; the other parameters become constants.
#include <stdio.h>
#include <string.h>

#include "gen/deriver.h"
#include "gen/identifier.h"

// ---- symbols ----------------------------------------------------------------------------------

// Write the message of a refusal; returns `status`.
td_status td_derive_refuse(deriver* d, td_status status, const char* format, ...) {
  va_list args;
  va_start(args, format);
  if (d->size > 0) vsnprintf(d->message, d->size, format, args);
  va_end(args);
  return status;
}

void td_derive_replace(deriver* d, int var, ex with) {
  d->old_var[d->nreplace] = var;
  d->new_ex[d->nreplace++] = with;
}

// The variable itself, or a new one whose name printed code can use, which replaces it
int td_derive_safe(deriver* d, int var) {
  char name[80];
  const char* old = td_exprs_var_name(d->g, var);
  td_identifier(old, name, sizeof name);
  if (strcmp(name, old) == 0) return var;
  const int other = td_exprs_var(d->g, name, td_exprs_var_kind(d->g, var));
  if (other >= 0) td_derive_replace(d, var, td_ex_var(d->g, other));
  return other >= 0 ? other : var;
}

// ---- slots ------------------------------------------------------------------------------------

// The number in a slot as an expression.  A number that quadrature points have in common is the
// expression that stands for all of them; a number measured at the initial configuration (NaN in
// the model) is a constant.
ex td_derive_number(deriver* d, num slot) {
  if (d->generic && d->generic[slot] != EX_NONE) {
    return td_ex_substitute(d->g, d->generic[slot], d->old_var, d->new_ex, d->nreplace);
  }
  const ex e = d->m->number_ex[slot];
  const bool constant = td_ex_is_const(d->g, e);
  if (constant && isnan(td_ex_value(d->g, e))) return xnum(d->g, d->w->num[slot]);
  if (constant || e >= d->nmemo) return e;

  // substitute parameters and probes once
  if (d->memo[e] == EX_NONE) {
    d->memo[e] = td_ex_substitute(d->g, e, d->old_var, d->new_ex, d->nreplace);
  }
  return d->memo[e];
}

x3 td_derive_vector(deriver* d, num slot) {
  x3 v;
  for (int i = 0; i < 3; i++) v.a[i] = td_derive_number(d, slot + i);
  return v;
}

x33 td_derive_matrix(deriver* d, num slot) {
  x33 M;
  for (int i = 0; i < 9; i++) M.m[i] = td_derive_number(d, slot + i);
  return M;
}

// A new variable that is Σ e over the points of a quadrature; EX_NONE: no memory
ex td_derive_sum(deriver* d, int quadrature, ex e) {
  td_derived* out = d->out;
  char name[40];
  snprintf(name, sizeof name, "sum%d", out->nsum + 1);
  tmt_sum* sums = td_grow(out->sum, &out->sum_cap, out->nsum + 1, sizeof *sums);
  const int var = sums ? td_exprs_var(d->g, name, TD_ON_SYMBOL) : -1;
  if (sums) out->sum = sums;
  if (var < 0) return EX_NONE;
  out->sum[out->nsum++] = (tmt_sum){var, quadrature, e};
  return td_ex_var(d->g, var);
}
