// Numbers of the model as expressions of time, inputs, coordinates and the parameters that stay
// symbols; the other parameters become constants.
#include <string.h>

#include "gen/deriver.h"
#include "gen/identifier.h"

// ---- symbols ----------------------------------------------------------------------------------

static bool wanted(const td_derive_options* o, const char* name) {
  for (int i = 0; i < o->nsymbolic; i++) {
    if (strcmp(o->symbolic[i], name) == 0) return true;
  }
  return false;
}

// Numbers that the initial geometry gives and that therefore follow from lengths in a way no
// formula here shows: rest values, beam axes, references of loops.
static const char* measured_element(const td_model* m) {
  const int n = model_forces(m);
  for (int i = 0; i < n; i++) {
    const force_info f = force_at(m, i);
    if (td_derive_table[f.kind]->is_measured(m, f.i)) return model_name(m, f.name);
  }
  for (int i = 0; i < m->nprobe; i++) {
    const model_probe* p = &m->probe[i];
    if (sensor_is(p->kind, OF_START) && p->rod == 0)
      return model_name(m, m->joint[p->joint - 1].name);
  }
  return m->nrow > 0 ? model_name(m, m->row[0].name) : NULL;
}

static td_status judge_symbol(deriver* d, int i) {
  const model_named* p = &d->m->param[i];
  const char* name = model_name(d->m, p->name);
  if (p->structural) {
    return td_derive_refuse(d, TD_E_USAGE,
                            "param '%s' cannot be a symbol: it is used while the model is loaded, "
                            "so changing it means deriving again",
                            name);
  }
  const char* measured = p->shapes ? measured_element(d->m) : NULL;
  if (!measured) return TD_OK;
  return td_derive_refuse(d, TD_E_USAGE,
                          "param '%s' cannot be a symbol: numbers of %s are measured at the "
                          "initial state, which depends on it",
                          name, measured);
}

static td_status known_names(deriver* d, const td_derive_options* o) {
  for (int i = 0; i < o->nsymbolic; i++) {
    if (td_model_param_find(d->m, o->symbolic[i]) < 0) {
      return td_derive_refuse(d, TD_E_USAGE, "the model has no param '%s'", o->symbolic[i]);
    }
  }
  return TD_OK;
}

static void replace(deriver* d, int var, ex with) {
  d->old_var[d->nreplace] = var;
  d->new_ex[d->nreplace++] = with;
}

// The variable itself, or one with a name that printed code can use.
int td_derive_safe(deriver* d, int var) {
  char name[80];
  const char* old = td_exprs_var_name(d->g, var);
  td_identifier(old, name, sizeof name);
  if (strcmp(name, old) == 0) return var;
  const int other = td_exprs_var(d->g, name, td_exprs_var_kind(d->g, var));
  if (other >= 0) replace(d, var, td_ex_var(d->g, other));
  return other >= 0 ? other : var;
}

td_status td_derive_symbols(deriver* d, const td_derive_options* o) {
  const td_model* m = d->m;
  td_derived* out = d->out;
  TD_TRY(known_names(d, o));
  for (int i = 0; i < m->nparam; i++) {
    const bool asked = wanted(o, model_name(m, m->param[i].name));
    bool symbol = asked || o->all_symbolic;
    if (symbol) {
      const td_status status = judge_symbol(d, i);
      if (status != TD_OK && asked) return status;
      symbol = status == TD_OK;
    }
    if (symbol) {
      out->p[out->np] = td_derive_safe(d, m->param[i].var);
      out->param[out->np++] = i;
    } else {
      replace(d, m->param[i].var, xnum(d->g, d->w->vars[m->param[i].var]));
    }
  }
  d->message[0] = '\0';
  return TD_OK;
}

// ---- slots ------------------------------------------------------------------------------------

// Rest values that are measured at the start are numbers already.
static bool is_measured(const deriver* d, num slot) {
  const ex e = d->m->number_ex[slot];
  return td_ex_is_const(d->g, e) && isnan(td_ex_value(d->g, e));
}

ex td_derive_number(deriver* d, num slot) {
  if (d->generic && d->generic[slot] != EX_NONE) {
    return td_ex_substitute(d->g, d->generic[slot], d->old_var, d->new_ex, d->nreplace);
  }
  const ex e = d->m->number_ex[slot];
  if (is_measured(d, slot)) return xnum(d->g, d->w->num[slot]);
  if (td_ex_is_const(d->g, e) || e >= d->nmemo) return e;
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
