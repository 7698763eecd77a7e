// The tape against the slow evaluation, and its promises: no heap call, independent of the graph.
#include <malloc.h>

#include "expr/tape.h"
#include "samples.h"

enum { NVAR = 4, NOUT = 8 };

// A random graph of n operations, each on nodes made shortly before.
static td_exprs* random_graph(uint64_t* seed, int n, ex* out) {
  td_exprs* g = td_exprs_new();
  ex* made = malloc((size_t)(n + NVAR) * sizeof *made);
  for (int i = 0; i < NVAR; i++) made[i] = td_ex_var(g, td_exprs_var(g, "v", TD_ON_STATE));
  for (int i = NVAR; i < n + NVAR; i++) {
    ex arg[3];
    for (int k = 0; k < 3; k++) {
      const int back = (int)(fabs(check_random(seed)) * min_int(i, 30));
      arg[k] = check_random(seed) > 0.6 ? td_ex_const(g, 2 * check_random(seed))
                                        : made[i - 1 - min_int(back, i - 1)];
    }
    const int op = EX_NEG + (int)(fabs(check_random(seed)) * (EX_OP_COUNT - EX_NEG));
    made[i] = sample_op(g, (ex_op)op, arg[0], arg[1], arg[2]);
  }
  for (int i = 0; i < NOUT; i++) out[i] = made[n + NVAR - 1 - i];
  free(made);
  return g;
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void test_the_tape_is_the_slow_evaluation_to_the_bit(void** state) {
  (void)state;
  uint64_t seed = 11;
  for (int round = 0; round < 300; round++) {
    ex out[NOUT];
    td_exprs* g = random_graph(&seed, NOUT + round, out);
    const double v[NVAR] = {check_random(&seed), check_random(&seed), 3 * check_random(&seed), 0};
    double want[NOUT], got[NOUT];
    for (int i = 0; i < NOUT; i++) want[i] = td_ex_eval(g, out[i], v);

    // the graph may go once the tape is made
    td_tape* tape = td_tape_new(g, out, NOUT);
    td_exprs_free(g);
    double* scratch = malloc((size_t)(td_tape_scratch(tape) + 1) * sizeof *scratch);
    td_tape_eval(tape, v, scratch, got);
    for (int i = 0; i < NOUT; i++) assert_true(same(got[i], want[i]));
    free(scratch);
    td_tape_free(tape);
  }
}

static void test_every_operation_is_on_the_tape(void** state) {
  (void)state;
  sample s = sample_new();
  ex out[EX_OP_COUNT] = {sample_const(&s, 2.5), s.y};
  for (int op = EX_NEG; op < EX_OP_COUNT; op++) {
    out[op] = sample_op(s.g, (ex_op)op, s.x, s.y, s.z);
  }
  td_tape* tape = td_tape_new(s.g, out, EX_OP_COUNT);
  assert_int_equal(td_tape_length(tape), EX_OP_COUNT - EX_NEG);
  double* scratch = malloc((size_t)td_tape_scratch(tape) * sizeof *scratch);
  const double v[3] = {0.3, 0.8, -0.5};
  double got[EX_OP_COUNT];
  td_tape_eval(tape, v, scratch, got);
  for (int op = 0; op < EX_OP_COUNT; op++) {
    if (!same(got[op], td_ex_eval(s.g, out[op], v))) fail_msg("%s", op_names[op]);
  }
  free(scratch);
  td_tape_free(tape);
  td_exprs_free(s.g);
}

static void test_evaluation_makes_no_heap_call(void** state) {
  (void)state;
  uint64_t seed = 5;
  ex out[NOUT];
  td_exprs* g = random_graph(&seed, 1000, out);
  td_tape* tape = td_tape_new(g, out, NOUT);
  double* scratch = malloc((size_t)td_tape_scratch(tape) * sizeof *scratch);
  double v[NVAR] = {0.1, 0.2, 0.3, 0.4}, got[NOUT];

  const struct mallinfo2 before = mallinfo2();
  for (int i = 0; i < 100; i++) td_tape_eval(tape, v, scratch, got);
  const struct mallinfo2 after = mallinfo2();
  assert_int_equal(before.uordblks, after.uordblks);
  assert_int_equal(before.fordblks, after.fordblks);
  assert_int_equal(before.hblks, after.hblks);
  free(scratch);
  td_tape_free(tape);
  td_exprs_free(g);
}

static void test_shared_work_is_done_once_and_unused_work_never(void** state) {
  (void)state;
  sample s = sample_new();
  const ex shared = td_ex_1(s.g, EX_SIN, s.x), unused = td_ex_1(s.g, EX_COS, s.x);
  const ex out[2] = {td_ex_2(s.g, EX_MUL, shared, s.y), td_ex_2(s.g, EX_ADD, shared, s.y)};
  td_tape* tape = td_tape_new(s.g, out, 2);
  assert_int_equal(td_tape_length(tape), 3);
  assert_true(unused != EX_NONE);
  td_tape_free(tape);
  td_exprs_free(s.g);
}

static void test_a_tape_of_nothing_or_of_no_node(void** state) {
  (void)state;
  sample s = sample_new();
  const ex none = EX_NONE;
  assert_null(td_tape_new(s.g, &none, 1));
  td_tape* tape = td_tape_new(s.g, NULL, 0);
  assert_non_null(tape);
  assert_int_equal(td_tape_scratch(tape), 0);
  td_tape_eval(tape, NULL, NULL, NULL);
  td_tape_free(tape);
  td_tape_free(NULL);
  td_exprs_free(s.g);
}

static void test_a_chain_of_a_million_nodes_runs(void** state) {
  (void)state;
  sample s = sample_new();
  ex e = s.x;
  for (int i = 0; i < 1000000; i++) {
    e = td_ex_2(s.g, i % 2 ? EX_ADD : EX_MUL, td_ex_const(s.g, 0.5 + i % 3), e);
  }
  td_tape* tape = td_tape_new(s.g, &e, 1);
  double* scratch = malloc((size_t)td_tape_scratch(tape) * sizeof *scratch);
  const double v[3] = {0.3, 0, 0};
  double got;
  td_tape_eval(tape, v, scratch, &got);
  assert_true(same(got, td_ex_eval(s.g, e, v)));
  free(scratch);
  td_tape_free(tape);
  td_exprs_free(s.g);
}

// Piece k of a table of steps has the value k.
static void test_a_table_finds_the_piece_of_every_place(void** state) {
  (void)state;
  uint64_t seed = 7;
  for (int n = 2; n < 60; n++)
    for (int uneven = 0; uneven < 2; uneven++) {
      double knots[60], held[60];
      for (int i = 0; i < n; i++) {
        knots[i] = uneven ? (i == 0 ? -3 : knots[i - 1] + exp(6 * check_random(&seed))) : 0.05 * i;
        held[i] = i;
      }
      for (int i = 0; i < 4 * n; i++) {
        const double at = knots[i % n],
                     x = i < n       ? at
                         : i < 2 * n ? nextafter(at, -INFINITY)
                         : i < 3 * n
                             ? nextafter(at, INFINITY)
                             : knots[0] + 1.2 * (knots[n - 1] - knots[0]) * check_random(&seed);
        int piece = 0;
        while (piece < n - 2 && knots[piece + 1] <= x) piece++;
        assert_true(td_table_eval(knots, n, held, 1, false, x) == piece);
      }
      assert_true(td_table_eval(knots, n, held, 1, false, INFINITY) == n - 2);
      assert_true(td_table_eval(knots, n, held, 1, false, -INFINITY) == 0);
    }
}

// Changes of the outputs along a direction are those of the expressions' derivatives.
static void test_changes_of_the_tape_are_those_of_the_expressions(void** state) {
  (void)state;
  uint64_t seed = 5;
  for (int op = EX_NEG; op < EX_OP_COUNT; op++) {
    sample s = sample_new();
    const ex product = td_ex_2(s.g, EX_MUL, s.x, s.y);
    const ex out[2] = {sample_op(s.g, (ex_op)op, s.x, s.y, product),
                       sample_op(s.g, (ex_op)op, product, s.z, s.x)};
    td_tape* tape = td_tape_new(s.g, out, 2);
    double* scratch = malloc(2 * (size_t)(td_tape_scratch(tape) + 1) * sizeof *scratch);
    for (int round = 0; round < 20; round++) {
      double v[3], dv[3], value[2], d[2];
      for (int k = 0; k < 3; k++) v[k] = 0.55 + 0.3 * check_random(&seed);
      for (int k = 0; k < 3; k++) dv[k] = check_random(&seed);
      td_tape_diff(tape, v, dv, scratch, value, d);
      for (int i = 0; i < 2; i++) {
        double want = 0;
        for (int k = 0; k < 3; k++) want += td_ex_eval(s.g, td_ex_diff(s.g, out[i], k), v) * dv[k];
        if (!(fabs(d[i] - want) <= 1e-12 * fmax(1, fabs(want))))
          fail_msg("%s: %.15g, derivative %.15g", op_names[op], d[i], want);
        assert_true(value[i] == td_ex_eval(s.g, out[i], v));
      }
    }
    free(scratch);
    td_tape_free(tape);
    td_exprs_free(s.g);
  }
}

// The weights of the variables are the transpose of the changes: closed forms by the expressions'
// derivatives, operation by operation, with outputs that share their work.
static void test_weights_of_the_tape_are_its_changes_transposed(void** state) {
  (void)state;
  uint64_t seed = 6;
  for (int op = EX_NEG; op < EX_OP_COUNT; op++) {
    sample s = sample_new();
    const ex product = td_ex_2(s.g, EX_MUL, s.x, s.y);
    const ex out[3] = {sample_op(s.g, (ex_op)op, s.x, s.y, product),
                       sample_op(s.g, (ex_op)op, product, s.z, s.x), product};
    td_tape* tape = td_tape_new(s.g, out, 3);
    double* scratch = malloc(2 * (size_t)(td_tape_scratch(tape) + 1) * sizeof *scratch);
    for (int round = 0; round < 20; round++) {
      double v[3], weight[3], value[3], bar[3];
      for (int k = 0; k < 3; k++) v[k] = 0.55 + 0.3 * check_random(&seed);
      for (int k = 0; k < 3; k++) weight[k] = check_random(&seed);
      for (int k = 0; k < 3; k++) bar[k] = 7;  // is added to
      td_tape_reverse(tape, v, weight, scratch, value, bar);
      for (int k = 0; k < 3; k++) {
        double want = 7;
        for (int i = 0; i < 3; i++)
          want += weight[i] * td_ex_eval(s.g, td_ex_diff(s.g, out[i], k), v);
        if (!(fabs(bar[k] - want) <= 1e-12 * fmax(1, fabs(want))))
          fail_msg("%s: %.15g, derivative %.15g", op_names[op], bar[k], want);
      }
    }
    free(scratch);
    td_tape_free(tape);
    td_exprs_free(s.g);
  }
}

// weights·dout = bar·dvars on random graphs, wherever both are finite.
static void test_random_tapes_are_transposed(void** state) {
  (void)state;
  uint64_t seed = 12;
  int compared = 0;
  for (int round = 0; round < 300; round++) {
    ex out[NOUT];
    td_exprs* g = random_graph(&seed, NOUT + round % 60, out);
    td_tape* tape = td_tape_new(g, out, NOUT);
    double* scratch = malloc(2 * (size_t)(td_tape_scratch(tape) + 1) * sizeof *scratch);
    double v[NVAR], dv[NVAR], weight[NOUT], value[NOUT], d[NOUT], bar[NVAR] = {0};
    double here = 0, there = 0, size = 1;
    for (int k = 0; k < NVAR; k++) v[k] = check_random(&seed), dv[k] = check_random(&seed);
    for (int i = 0; i < NOUT; i++) weight[i] = check_random(&seed);
    td_tape_diff(tape, v, dv, scratch, value, d);
    td_tape_reverse(tape, v, weight, scratch, value, bar);
    for (int i = 0; i < NOUT; i++) here += weight[i] * d[i], size += fabs(weight[i] * d[i]);
    for (int k = 0; k < NVAR; k++) there += bar[k] * dv[k], size += fabs(bar[k] * dv[k]);
    if (isfinite(here) && isfinite(there)) {
      compared++;
      if (!(fabs(here - there) <= 1e-9 * size)) fail_msg("%.15g and %.15g", here, there);
    }
    free(scratch);
    td_tape_free(tape);
    td_exprs_free(g);
  }
  assert_true(compared > 100);
}

// v |v| has the derivative 0 at v = 0, although |v| = sqrt(v^2) has none.
static void test_a_root_that_vanishes_leaves_the_slope_of_a_product(void** state) {
  (void)state;
  sample s = sample_new();
  const ex square = td_ex_2(s.g, EX_MUL, s.x, s.x),
           out = td_ex_2(s.g, EX_MUL, s.x, td_ex_1(s.g, EX_SQRT, square));
  td_tape* tape = td_tape_new(s.g, &out, 1);
  double scratch[32], value, d;
  const double v[3] = {0, 0, 0}, dv[3] = {1, 0, 0};
  td_tape_diff(tape, v, dv, scratch, &value, &d);
  assert_true(d == 0);
  const double weight = 1;
  double bar[3] = {0, 0, 0};
  td_tape_reverse(tape, v, &weight, scratch, &value, bar);
  assert_true(bar[0] == 0);
  td_tape_free(tape);
  td_exprs_free(s.g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_tape_is_the_slow_evaluation_to_the_bit),
      cmocka_unit_test(test_every_operation_is_on_the_tape),
      cmocka_unit_test(test_evaluation_makes_no_heap_call),
      cmocka_unit_test(test_shared_work_is_done_once_and_unused_work_never),
      cmocka_unit_test(test_a_tape_of_nothing_or_of_no_node),
      cmocka_unit_test(test_a_chain_of_a_million_nodes_runs),
      cmocka_unit_test(test_a_table_finds_the_piece_of_every_place),
      cmocka_unit_test(test_changes_of_the_tape_are_those_of_the_expressions),
      cmocka_unit_test(test_weights_of_the_tape_are_its_changes_transposed),
      cmocka_unit_test(test_random_tapes_are_transposed),
      cmocka_unit_test(test_a_root_that_vanishes_leaves_the_slope_of_a_product),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
