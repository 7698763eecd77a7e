// A program to be printed, in any language: functions, each with named output arrays of
// expressions.
#ifndef TD_PROGRAM_H
#define TD_PROGRAM_H

#include "gen/derive.h"
#include "gen/listing.h"

// One output array of a function.
typedef struct gen_output {
  const char* name;  // of the array in the code
  int rows, cols;
  const ex* e;  // row-major; EX_NONE: left out
  bool local;   // an array inside the function: factors of a product
} gen_output;

enum { GEN_OUTPUTS = 7 };
// One function of the program.
typedef struct gen_function {
  char name[80];
  char what[200];  // one line about it
  gen_output out[GEN_OUTPUTS];
  int nout;
  bool products;   // the mass matrix is the product of its outputs T and D
  bool motion;     // takes accelerations and multipliers too
  bool given;      // sets some coordinates, as functions of time
  int quadrature;  // quadrature, from 1, of which it adds one point, with the point's numbers z; 0:
                   // none
  bool sums;       // adds to the sums over points that other functions use
} gen_function;

// The array and index that a variable of the graph is read from.
typedef struct gen_input {
  char array;  // t, q, v, u, p, a, l (multipliers), c (integrated controls), z (numbers of a
               // point), s (sums over points); 0: none
  int index;
} gen_input;

// A program: the derivation it prints, its functions, and the mass matrix in the form it is
// printed.
typedef struct gen_program {
  td_derived* d;
  const td_model* m;
  td_derive_style style;
  bool core;          // computes v' alone
  char name[64];      // an identifier
  const char* title;  // of the model, as the user has written it
  gen_function* f;
  int n, cap;
  gen_input* input;  // by variable of the graph when the program was made
  int ninput;
  name_pool pool;
  bool cases;  // conditions are statements in this language

  ex* M;              // nv x nv, lower profile filled; NULL: products are used
  int *first, *diag;  // lower profile: first column of each row, place of its diagonal
  int nprofile;
  ex* profile;  // entries of M there
  ex *T, *D;    // factors of the products: 6 n numbers of T, [m, I] of 10, per mass
  int nT;
  ex** owned;  // arrays of outputs made on the way
  int nowned, owned_cap;
  bool failed;
} gen_program;

// Make a program; td_program_close() in any case.  `title`: the model's file name.
td_status td_program_open(const td_model* m, td_derived* d, const char* title,
                          td_derive_style style, gen_program* p);
// Make the program that td_print_c_core() prints, which computes v' alone.
td_status td_program_core(const td_model* m, td_derived* d, const char* title, gen_program* p);
void td_program_close(gen_program* p);
gen_function* td_program_add(gen_program* p, const char* name, const char* what);
void td_program_output(gen_function* f, const char* name, int rows, int cols, const ex* e);
bool td_program_factors(gen_program* p);           // T and D; false: no memory
bool td_program_has_motion(const gen_program* p);  // some motion is prescribed
// Report whether a function uses sums over quadrature points.
bool td_program_uses_sums(const gen_program* p, const listing* l);
// List the statements of a function; its outputs are numbered one after the other.
bool td_program_list(gen_program* p, const gen_function* f, bool outputs_last, listing* l);

// The engine's numbers at a state near the initial one, for the drivers that check the code.
typedef struct gen_reference {
  td_work* w;
  td_state *start, *state;
  double *M, *h, *tau, *vdot, *y, *p;
  int nM;  // numbers in M: none where it is too large, and v' alone depends on it
} gen_reference;
td_status td_reference_open(const gen_program* p, gen_reference* r);
void td_reference_close(gen_reference* r);
// Report whether sensors are compared: without constraint rows, since multipliers of redundant rows
// are not unique.
bool td_reference_has_sensors(const gen_program* p);

// Print a program in a language, as files.
td_status td_print_c(gen_program* p, td_files* files);
// Print the solution for v' alone, as a text that needs no header: int NAME_forward(t, q, v, u, p,
// vdot, lambda, work) with `nwork` numbers of work, the last of which is the power.
td_status td_print_c_core(gen_program* p, td_text* out, int* nwork);
td_status td_print_python(gen_program* p, td_files* files);
td_status td_print_octave(gen_program* p, td_files* files);
td_status td_print_latex(gen_program* p, td_files* files);
// Add a text as the file name + ending.
td_status td_stage_text(td_files* files, const char* name, const char* ending, td_text* text);

#endif
