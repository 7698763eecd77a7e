// Numbers of forces: which slots of a model belong to laws, kind by kind.
#include "model/force_words.h"

#include "compiled.h"

static int marked(const td_model* m, force_kind kind) {
  bool* force = calloc((size_t)m->nnumber + 1, sizeof(bool));
  int n = 0;
  td_force_words[kind]->numbers(m, force);
  for (int i = 0; i < m->nnumber; i++) n += force[i];
  free(force);
  return n;
}

static void test_every_kind_marks_the_numbers_of_its_laws(void** state) {
  (void)state;
  const compiled c = compile_text(
      "for k = 1:2, body(k).m = 1; body(k).I = eye(3); joint(k).second = k; joint(k).type = "
      "'revolute'; end\n"
      "joint(1).dof(1).spring.coeff = 3; joint(3).first = 1; joint(3).second = 2; "
      "joint(3).spring.coeff = 5; joint(3).tr2nd.trans = [0 0 1];\n"
      "joint(4).second = 2; joint(4).spring.coeff = [1 1 1 1 1 1]; exload(1).exbody = 1; "
      "exload(1).ftau = [1 0 0 0 0 0];");
  assert_int_equal(marked(c.m, FORCE_spring), 6);  // k, rest, compr, mu, nu, input
  assert_int_equal(marked(c.m, FORCE_axial), 6);   //
  assert_int_equal(marked(c.m, FORCE_beam), 36);   // of six directions
  assert_int_equal(marked(c.m, FORCE_load), 6);    // a wrench
  assert_int_equal(marked(c.m, FORCE_strain), 0);  // no rods
  for (int k = 0; k < FORCE_KINDS; k++) assert_non_null(td_force_words[k]->numbers);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_kind_marks_the_numbers_of_its_laws),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
