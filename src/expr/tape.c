// Compile the nodes that some outputs need into a tape; tape.h tells what a tape is.
#include "expr/tape.h"

#include <string.h>

#include "expr/graph.h"

// Allocate a tape of these sizes with `ndata` numbers of tables in one block: the struct, the
// arrays of doubles, then the rest.  NULL: no memory.
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

// Compile the needed nodes: count, allocate, copy tables, write instructions.
td_tape* td_tape_new(const td_exprs* g, const ex* outputs, int n) {
  for (int i = 0; i < n; i++) {
    if (!is_node(g, outputs[i])) return NULL;
  }
  reach need;
  if (!td_reach(g, outputs, n, (reach_rule){0, false}, &need)) return NULL;
  td_tape sizes = {.nout = n}, *t = NULL;
  size_t ndata = 0;
  int* place = malloc(((size_t)need.n + (size_t)g->ntable + 1) * sizeof *place);  // in the scratch
  if (!place) goto done;
  int* table_number = place + need.n;  // number in the tape of each table of g, -1: not used

  // count constants, variables, instructions and tables
  for (int i = 0; i < g->ntable; i++) table_number[i] = -1;
  for (int i = 0; i < need.n; i++) {
    const node* at = node_at(g, need.list[i]);
    *(at->op == EX_CONST ? &sizes.nconst : at->op == EX_VAR ? &sizes.nvar : &sizes.ncode) += 1;
    if (at->op == EX_TABLE && table_number[at->arg[1]] < 0) {
      const table* from = &g->tables[at->arg[1]];
      table_number[at->arg[1]] = sizes.ntable++;
      ndata += (size_t)from->n + (size_t)(from->n - 1) * (size_t)from->order;
    }
  }

  t = allocate(&sizes, ndata);
  if (!t) goto done;

  // copy the tables
  size_t next = 0;
  for (int i = 0; i < g->ntable; i++) {
    if (table_number[i] < 0) continue;
    const table* from = &g->tables[i];
    const size_t size = (size_t)from->n + (size_t)(from->n - 1) * (size_t)from->order;
    t->tables[table_number[i]] = (tape_table){from->n, from->order, from->clamp, next};
    memcpy(t->data + next, from->data, size * sizeof(double));
    next += size;
  }

  // give each node its place in the scratch and write its instruction
  int nconst = 0, nvar = 0, ncode = 0;
  for (int i = 0; i < need.n; i++) {
    const node* at = node_at(g, need.list[i]);
    if (at->op == EX_CONST) {
      place[i] = nconst;
      t->consts[nconst++] = td_node_value(at);
    } else if (at->op == EX_VAR) {
      place[i] = t->nconst + nvar;
      t->vars[nvar++] = at->arg[0];
    } else {
      int from[3];
      for (int k = 0; k < 3; k++) {
        const bool used = k < td_op_arity((ex_op)at->op);
        from[k] = used ? place[reach_rank(&need, at->arg[k])] : from[0];
      }
      if (at->op == EX_TABLE) from[1] = table_number[at->arg[1]];
      place[i] = t->nconst + t->nvar + ncode;
      t->code[ncode++] = (instruction){(ex_op)at->op, from[0], from[1], from[2]};
    }
  }

  for (int i = 0; i < n; i++) t->outs[i] = place[reach_rank(&need, outputs[i])];
done:
  free(place);
  td_reach_free(&need);
  return t;
}

void td_tape_free(td_tape* tape) { free(tape); }
int td_tape_length(const td_tape* tape) { return tape->ncode; }

// ---- one expression ---------------------------------------------------------------------------

// Value of e at the variables vars (indexed by variable number), by evaluating the nodes it needs
// in order.  NaN: no such expression or no memory.
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
