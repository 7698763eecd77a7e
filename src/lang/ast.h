// The syntax tree of a model text.  Nodes live in one pool per source and are freed together.
#ifndef TD_AST_H
#define TD_AST_H

#include "base/diag.h"

typedef enum ast_kind {
  // expressions
  AST_NUMBER,     // number
  AST_STRING,     // text; `dquote` for "..."
  AST_NAME,       // text
  AST_COLON,      // a bare ':' used as an index
  AST_END,        // `end` inside an index
  AST_UNARY,      // op, a
  AST_BINARY,     // op, a, b        (&& and || included)
  AST_POSTFIX,    // op (' or .'), a
  AST_RANGE,      // a : b  or a : step : b   (a, b = step or NULL, c = last)
  AST_INDEX,      // a(list)
  AST_CELLINDEX,  // a{list}
  AST_FIELD,      // a.text, or a.(b) with b != NULL
  AST_MATRIX,     // [rows]: list of AST_ROW
  AST_ROW,        // list of expressions
  AST_CELL,       // {rows}: list of AST_ROW
  AST_LAMBDA,     // @(list of names) a
  AST_HANDLE,     // @text
  // statements
  AST_ASSIGN,  // list of targets (lvalues; AST_NAME "~" skips), a = value; `quiet` when ended by ;
  AST_OPASSIGN,  // a op= b  (+= -= *= /=; a++ and a-- with b = 1)
  AST_EXPR,      // a
  AST_COMMAND,   // text: `clear all`, `syms a b`, `hold on`: words in list (AST_STRING); a lone
                 // `clc`, `clear`,
                 // `close`, `format` or `hold` has no words
  AST_IF,        // list: AST_BRANCH...; a branch with a == NULL is else
  AST_BRANCH,    // a condition, body
  AST_SWITCH,    // a subject, list: AST_BRANCH (a value or cell; NULL: otherwise)
  AST_FOR,       // a = loop variable (lvalue), b = range, body
  AST_WHILE,     // a, body
  AST_TRY,       // body; a: the block behind `catch`, NULL when there is none
  AST_GLOBAL,    // list of names
  AST_BREAK,
  AST_CONTINUE,
  AST_RETURN,
  AST_FUNCTION,  // text name, list parameters (names), outs names, body
  AST_BLOCK      // list of statements
} ast_kind;

// Binary and unary operators.
typedef enum ast_op {
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_DIV,
  OP_LDIV,
  OP_POW,  // matrix
  OP_EMUL,
  OP_EDIV,
  OP_ELDIV,
  OP_EPOW,  // element by element
  OP_EQ,
  OP_NE,
  OP_LT,
  OP_LE,
  OP_GT,
  OP_GE,
  OP_AND,
  OP_OR,
  OP_ANDAND,
  OP_OROR,
  OP_NOT,
  OP_NEG,
  OP_PLUS,
  OP_CTRANSPOSE,
  OP_TRANSPOSE
} ast_op;

typedef struct ast ast;
struct ast {
  ast_kind kind;
  ast_op op;
  td_span at;       // the whole construct
  td_span name_at;  // the name itself: field name, function name, keyword; of an operation its
                    // sign; of a(list) and a{list} that of a
  double number;
  const char* text;  // interned in the pool: equal texts of one source are the same pointer
  bool quiet, dquote;
  ast *a, *b, *c;
  ast** list;  // n elements
  int n;
  ast** outs;  // AST_FUNCTION
  int nout;
  ast* body;   // AST_BLOCK
  int height;  // of an expression: 1 + that of its highest part; at most AST_HEIGHT_LIMIT
};

// Limits that protect the stack of functions that walk a tree: levels of parentheses, matrices,
// blocks and unary operators in the text, and the height of one expression (a + b + c is as high as
// it is long).
enum { AST_NEST_LIMIT = 200, AST_HEIGHT_LIMIT = 1000 };

// Files larger than this [bytes], or with more nodes, are refused.
enum { AST_SIZE_LIMIT = 64 << 20, AST_NODE_LIMIT = 2000000 };

typedef struct ast_pool ast_pool;  // owns every node and string of one source

// True if a name is a command or program of MATLAB or of the published packages (modules.c).
// Housekeeping has no effect on the model or its results; other programs are listed in a note.
bool td_is_housekeeping(const char* name);
bool td_is_program_name(const char* name);

// Parse a source.  The result is an AST_BLOCK; functions are among its statements.  Syntax errors
// are reported (several per text: after one, parsing resumes at the next statement) and the
// statements that parsed are still returned.  NULL only when out of memory.
ast* td_parse(td_diags* diags, int source, ast_pool** pool);
void td_ast_free(ast_pool* pool);

#endif
