// What the tests share beyond cmocka: a seeded generator of our own and near-equality that says how
// near.
#ifndef TD_CHECK_H
#define TD_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka wants the headers above first
#include <cmocka.h>

#include "sanitized.h"

// splitmix64; uniform in [-1, 1)
double check_random(uint64_t* seed);

// |got - want| <= tol * max(1, |want|); prints what was found otherwise and fails the test
void check_near_at(double got, double want, double tol, const char* what, const char* file,
                   int line);
#define CHECK_NEAR(got, want, tol) check_near_at((got), (want), (tol), #got, __FILE__, __LINE__)

// A new directory under TMPDIR; false: none could be made.
bool check_directory(char* path, size_t size);

// Report a reached error against its tolerance: "D01 pendulum x(10 s): error 3.1e-09 (tolerance
// 1e-06)"; fails above.
void check_reached_at(const char* what, double error, double tol, const char* file, int line);
#define CHECK_REACHED(what, error, tol) check_reached_at((what), (error), (tol), __FILE__, __LINE__)

#endif
