// Making a tape of the nodes some outputs need; see tape.h for what it is.
#include "expr/tape.h"

#include <string.h>

#include "expr/graph.h"

// What is known while a tape is made.
typedef struct maker {
  const td_exprs* g;
  reach need;
  int* place;  // of each node of `need` in the scratch
  int* table;  // by number in g: number in the tape
  size_t ndata;
} maker;

// ---- making -----------------------------------------------------------------------------------

static void count(maker* m, td_tape* t) {
  for (int i = 0; i < m->g->ntable; i++) m->table[i] = -1;
  for (int i = 0; i < m->need.n; i++) {
    const node* n = node_at(m->g, m->need.list[i]);
    if (n->op == EX_CONST) {
      t->nconst++;
    } else if (n->op == EX_VAR) {
      t->nvar++;
    } else {
      t->ncode++;
    }
    if (n->op == EX_TABLE && m->table[n->arg[1]] < 0) {
      const table* from = &m->g->tables[n->arg[1]];
      m->table[n->arg[1]] = t->ntable++;
      m->ndata += (size_t)from->n + (size_t)(from->n - 1) * (size_t)from->order;
    }
  }
}

// One block: the struct, then the arrays of doubles, then the rest.
static td_tape* allocate(const td_tape* sizes, size_t ndata) {
  const size_t doubles = ((size_t)sizes->nconst + ndata) * sizeof(double);
  const size_t tables = (size_t)sizes->ntable * sizeof(tape_table);
  const size_t code = (size_t)sizes->ncode * sizeof(instruction);
  const size_t ints = ((size_t)sizes->nvar + (size_t)sizes->nout) * sizeof(int);
  char* block = malloc(sizeof(td_tape) + doubles + tables + code + ints);
  if (!block) return NULL;

  td_tape* t = (td_tape*)(void*)block;
  *t = *sizes;
  block += sizeof *t;
  t->consts = (double*)(void*)block;
  t->data = t->consts + t->nconst;
  t->tables = (tape_table*)(void*)(block + doubles);
  t->code = (instruction*)(void*)(block + doubles + tables);
  t->vars = (int*)(void*)(block + doubles + tables + code);
  t->outs = t->vars + t->nvar;
  return t;
}

static void copy_tables(const maker* m, td_tape* t) {
  size_t at = 0;
  for (int i = 0; i < m->g->ntable; i++) {
    if (m->table[i] < 0) continue;
    const table* from = &m->g->tables[i];
    const size_t n = (size_t)from->n + (size_t)(from->n - 1) * (size_t)from->order;
    t->tables[m->table[i]] = (tape_table){from->n, from->order, from->clamp, at};
    memcpy(t->data + at, from->data, n * sizeof(double));
    at += n;
  }
}

static instruction instruct(const maker* m, const node* n) {
  int from[3];
  for (int k = 0; k < 3; k++) {
    const bool used = k < td_op_arity((ex_op)n->op);
    from[k] = used ? m->place[reach_rank(&m->need, n->arg[k])] : from[0];
  }
  if (n->op == EX_TABLE) from[1] = m->table[n->arg[1]];
  return (instruction){(ex_op)n->op, from[0], from[1], from[2]};
}

static void write_code(maker* m, td_tape* t) {
  int nconst = 0, nvar = 0, ncode = 0;
  for (int i = 0; i < m->need.n; i++) {
    const node* n = node_at(m->g, m->need.list[i]);
    if (n->op == EX_CONST) {
      m->place[i] = nconst;
      t->consts[nconst++] = td_node_value(n);
    } else if (n->op == EX_VAR) {
      m->place[i] = t->nconst + nvar;
      t->vars[nvar++] = n->arg[0];
    } else {
      m->place[i] = t->nconst + t->nvar + ncode;
      t->code[ncode++] = instruct(m, n);
    }
  }
}

static td_tape* make(maker* m, const ex* outputs, int n) {
  td_tape sizes = {.nout = n};
  count(m, &sizes);
  td_tape* t = allocate(&sizes, m->ndata);
  if (!t) return NULL;

  copy_tables(m, t);
  write_code(m, t);
  for (int i = 0; i < n; i++) t->outs[i] = m->place[reach_rank(&m->need, outputs[i])];
  return t;
}

td_tape* td_tape_new(const td_exprs* g, const ex* outputs, int n) {
  for (int i = 0; i < n; i++) {
    if (!is_node(g, outputs[i])) return NULL;
  }
  maker m = {.g = g};
  if (!td_reach(g, outputs, n, (reach_rule){0, false}, &m.need)) return NULL;

  m.place = malloc(((size_t)m.need.n + (size_t)g->ntable + 1) * sizeof *m.place);
  td_tape* t = NULL;
  if (m.place) {
    m.table = m.place + m.need.n;
    t = make(&m, outputs, n);
  }
  free(m.place);
  td_reach_free(&m.need);
  return t;
}

void td_tape_free(td_tape* tape) { free(tape); }
int td_tape_length(const td_tape* tape) { return tape->ncode; }

// ---- one expression ---------------------------------------------------------------------------

double td_ex_eval(const td_exprs* g, ex e, const double* vars) {
  reach r;
  if (!is_node(g, e) || !td_reach(g, &e, 1, (reach_rule){0, false}, &r)) return (double)NAN;
  double* value = malloc((size_t)r.n * sizeof *value);
  for (int i = 0; value && i < r.n; i++) {
    const node* n = node_at(g, r.list[i]);
    double x[3] = {0, 0, 0};
    for (int k = 0; k < td_op_arity((ex_op)n->op); k++) x[k] = value[reach_rank(&r, n->arg[k])];
    if (n->op == EX_CONST) {
      value[i] = td_node_value(n);
    } else if (n->op == EX_VAR) {
      value[i] = vars[n->arg[0]];
    } else if (n->op == EX_TABLE) {
      value[i] = table_eval(&g->tables[n->arg[1]], x[0]);
    } else {
      value[i] = apply((ex_op)n->op, x[0], x[1], x[2]);
    }
  }
  const double result = value ? value[r.n - 1] : (double)NAN;
  free(value);
  td_reach_free(&r);
  return result;
}
