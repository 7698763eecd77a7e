// Loops shared by threads.
#include "base/team.h"

#include "check.h"

enum { ITEMS = 5000 };

typedef struct tally {
  int done[ITEMS];
  int by[ITEMS];
} tally;

static void count(void* ctx, int member, int first, int end) {
  tally* t = ctx;
  for (int i = first; i < end; i++) {
    t->done[i]++;
    t->by[i] = member;
  }
}

static void every_item_is_done_once_by_a_member(void** state) {
  (void)state;
  static const int members[] = {1, 2, 3, 16, 99}, chunks[] = {1, 7, 64, ITEMS, 2 * ITEMS};
  for (int k = 0; k < 5; k++) {
    td_team* team = td_team_new(members[k]);
    assert_non_null(team);
    assert_in_range(td_team_size(team), 1, TEAM_MOST);
    for (int c = 0; c < 5; c++)
      for (int n = ITEMS; n > 0; n /= 10) {
        tally* t = calloc(1, sizeof *t);
        td_team_run(team, n, chunks[c], count, t);
        for (int i = 0; i < ITEMS; i++) {
          assert_int_equal(t->done[i], i < n);
          assert_in_range(t->by[i], 0, td_team_size(team) - 1);
        }
        free(t);
      }
    td_team_free(team);
  }
}

static void without_a_team_the_caller_works_alone(void** state) {
  (void)state;
  tally* t = calloc(1, sizeof *t);
  td_team_run(NULL, 100, 10, count, t);
  td_team_run(NULL, 0, 10, count, t);
  for (int i = 0; i < ITEMS; i++) assert_int_equal(t->done[i], i < 100);
  assert_int_equal(td_team_size(NULL), 1);
  assert_in_range(td_team_processors(), 1, TEAM_MOST);
  td_team_free(NULL);
  free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_item_is_done_once_by_a_member),
      cmocka_unit_test(without_a_team_the_caller_works_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
