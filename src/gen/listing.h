// An expression graph as a list of statements: an expression that is used more than once, or would
// make a line too long, gets a name x1, x2 ... and is written once.
#ifndef TD_LISTING_H
#define TD_LISTING_H

#include "expr/expr.h"

// One statement: a name or an output, and the expression that it gets.
typedef struct statement {
  int x;      // name it defines, from 1; 0: none
  int root;   // output it gives, -1: none
  ex e;       // what is to be printed: an expression of variables and names
  int* refs;  // names from 1 and variables v of the graph, as -1 - v, that it uses
  int nref;
} statement;

// All statements of a function, in the order in which they must be evaluated.
typedef struct listing {
  statement* list;
  int n, nx;
  int* refs;             // of all statements
  bool* used;            // (nvar) variables that occur
  bool sign, step, mod;  // helpers that occur
  bool* table;           // (ntable) tables that occur
} listing;

// Names are variables of the graph, shared between listings; zero-initialise.
typedef struct name_pool {
  int* var;
  int n, cap;
} name_pool;

// Rules for names and for the order of outputs.
typedef struct listing_rule {
  bool outputs_last;  // outputs come after all names, else as soon as they are known
  int least;          // operations a shared expression must have to get a name
  bool cases;         // a choice by a condition is a statement of its own
} listing_rule;

// List the statements for n roots (EX_NONE: left out).  False: no memory.
bool td_listing_make(td_exprs* g, const ex* roots, int n, listing_rule rule, name_pool* pool,
                     listing* out);
void td_listing_free(listing* l);
void td_name_pool_free(name_pool* pool);

#endif
