// The tree: parents before children, depth first, in ranges of one kind, whatever the order of the
// text.
#include "compiled.h"

static const char* branched =
    "for k = 1:6, body(k).m = k; body(k).I = eye(3); joint(k).second = k; joint(k).tr(1).rot = [2 "
    "inf]; end\n"
    "joint(6).first = 5; joint(5).first = 1; joint(4).first = 2; joint(3).first = 1; "
    "joint(2).first = 1;";
// the same tree, its joints written the other way round
static const char* reversed =
    "for k = 1:6, body(k).m = k; body(k).I = eye(3); end\n"
    "for k = 1:6, joint(k).second = 7 - k; joint(k).tr(1).rot = [2 inf]; end\n"
    "joint(1).first = 5; joint(2).first = 1; joint(3).first = 2; joint(4).first = 1; "
    "joint(5).first = 1;";

static void check_order(const td_model* m) {
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* h = &m->hop[i];
    assert_true(h->parent < i);
    assert_true(h->last >= i && h->alike > i && h->alike <= m->nhop);
    // its subtree follows it without a gap, and ranges are of one kind
    for (int k = i + 1; k < m->nhop; k++) {
      int up = k;
      while (up > i) up = m->hop[up].parent;
      assert_int_equal(up == i, k <= h->last);
    }
    for (int k = i; k < h->alike; k++) assert_int_equal(m->hop[k].kind, h->kind);
  }
}

// Mass of a body's own and of all that it carries, by its hop.
static double carried(const td_model* m, int body) {
  const int hop = m->station[m->body[body].station].hop;
  double sum = 0;
  for (int i = 0; i < m->nbody; i++) {
    const int h = m->station[m->body[i].station].hop;
    if (h >= hop && h <= m->hop[hop].last) sum += fixed_number(m, m->body[i].m);
  }
  return sum;
}

static void test_hops_are_depth_first_whatever_the_order_of_the_text(void** state) {
  (void)state;
  const compiled a = compile_text(branched), b = compile_text(reversed);
  const double want[6] = {21, 6, 3, 4, 11, 6};
  check_order(a.m);
  check_order(b.m);
  for (int i = 0; i < 6; i++) {
    CHECK_NEAR(carried(a.m, i), want[i], 0);
    CHECK_NEAR(carried(b.m, i), want[i], 0);
  }
  compiled_free(a), compiled_free(b);
}

static void test_several_trees_stand_one_after_the_other(void** state) {
  (void)state;
  const compiled c = compile_text(
      "for k = 1:3, body(k).m = 1; body(k).I = eye(3); joint(k).second = k; joint(k).type = "
      "'free'; end");
  check_order(c.m);
  assert_int_equal(c.m->nvel, 18);
  assert_int_equal(c.m->npos, 21);
  int roots = 0;
  for (int i = 0; i < c.m->nhop; i++) roots += c.m->hop[i].parent < 0;
  assert_int_equal(roots, 3);
  compiled_free(c);
}

static void test_bodies_in_a_circle_and_without_a_joint_are_refused(void** state) {
  (void)state;
  compiled_free(
      refuse_text("body(1).m = 1; body(1).I = eye(3); body(2).m = 1; body(2).I = eye(3);\n"
                  "joint(1).first = 2; joint(1).second = 1; joint(1).tr(1).rot = [2 inf];\n"
                  "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).rot = [2 inf];",
                  "joint"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hops_are_depth_first_whatever_the_order_of_the_text),
      cmocka_unit_test(test_several_trees_stand_one_after_the_other),
      cmocka_unit_test(test_bodies_in_a_circle_and_without_a_joint_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
