// Depth-first order: hops in any order of making become contiguous subtrees, and columns know their
// slots on the way from the ground.
#include "compiled.h"
#include "model/arrays.h"
#include "model/build.h"

static void test_hops_made_breadth_first_are_put_depth_first(void** state) {
  (void)state;
  // 0 and 1 on the ground, 2 and 3 on 0, 4 on 1, 5 on 2; each with one column
  static const int parent[6] = {-1, -1, 0, 0, 1, 2}, want[6] = {0, 4, 1, 3, 5, 2};
  td_model* m = calloc(1, sizeof *m);
  for (int i = 0; i < 6; i++) {
    model_hop* hop = td_push_hop(m, 1);
    *hop = (model_hop){.kind = HOP_SCREW, .parent = parent[i], .col = i, .nv = 1, .group = i};
    model_col* col = td_push_col(m, 1);
    *col = (model_col){.hop = i, .v = i, .q = i};
    td_push_station(m, 1)->hop = i;
  }
  int* to;
  assert_int_equal(td_sort_hops(m, &to), TD_OK);
  for (int i = 0; i < 6; i++) {
    assert_int_equal(to[i], want[i]);
    assert_int_equal(m->station[i].hop, want[i]);
    const model_hop* hop = &m->hop[to[i]];
    assert_int_equal(hop->parent, parent[i] < 0 ? -1 : to[parent[i]]);
    assert_int_equal(m->col[hop->col].v, i);  // columns go with their hops

    // as many slots as hops from the ground, its own last
    int depth = 0;
    for (int up = i; up >= 0; up = parent[up]) depth++;
    assert_int_equal(hop->end, depth);
    assert_int_equal(m->col[hop->col].slot, depth - 1);
    assert_int_equal(hop->alike, 6);
  }
  free(to);
  td_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hops_made_breadth_first_are_put_depth_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
