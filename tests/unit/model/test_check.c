// td_spec_check on values made by hand: what a text cannot write, limits, and the order of
// messages.
#include "model/fields.h"
#include "spec_values.h"

static void an_empty_spec_is_fine(void** state) {
  (void)state;
  expect_none(td_spec_new());
}

static void every_published_default_passes_the_check(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  const td_field* f;
  for (int i = 0; (f = td_field_row(i)); i++) {
    const double x = td_field_number(f->path);
    if (f->kind == FIELD_STR && *f->options && *f->fallback) put_text(spec, f->path, f->fallback);
    if (!isnan(x)) put_number(spec, f->path, x);
  }
  put_number(spec, "exload(1).exbody", 0);
  put_text(spec, "fit(1).data", "x.csv");
  put_text(spec, "fit(1).kind", "motion");
  put(spec, "fit(1).sensor", td_value_cell(1, 2));
  put_number(spec, "rod(1).length", 1);
  put_number(spec, "rod(1).radius", 0.01);
  put_number(spec, "rod(1).E", 1e5);
  put_number(spec, "rod(1).rho", 1000);
  put_text(spec, "rod(1).model", "rom");
  put_text(spec, "sensor(1).name", "x");
  put_number(spec, "sensor(1).value", 1);
  put_number(spec, "task(1).value", 1);
  put_number(spec, "task(1).desired", 1);
  put_number(spec, "chamber(1).area", 1e-5);
  put_number(spec, "chamber(1).pressure", 1e4);
  put_number(spec, "cable(1).tension", 1);
  put_number(spec, "fluid.rho", 1000);
  put(spec, "contact(1).first", td_value_ref("rod", 1));
  put_text(spec, "contact(1).second", "plane");
  put_number(spec, "contact(1).stiffness", 100);
  put(spec, "contact(1).ball", td_value_num(0, 0, 1));  // of bodies
  put(spec, "contact(1).ball2", td_value_num(0, 0, 1));
  put(spec, "joint(1).rom", td_value_num(0, 0, 1));
  put(spec, "mesh(1).joint(2).spring.coeff", td_value_scalar(1));
  put(spec, "mesh(1).joint(2).damp.along", td_value_scalar(1));
  put_number(spec, "mesh(1).grid", 2);
  value* joints = slot_at(spec, "mesh(1).joint")->v;
  for (int k = 0; k < joints->nfield; k++) {  // what edges have, nodes have not
    if (strcmp(joints->names[k], "dof") == 0) continue;
    td_value_drop(joints->slots[k].v);
    joints->slots[k].v = NULL;
  }
  put(spec, "event(1).when", td_value_expr(td_ex_var(spec->graph, spec->time_var)));
  expect_none(spec);
}

// A rigid body's inertia is R diag(a,b,c) R' with a <= b + c and so on, for every rotation R.
static void inertias_of_real_bodies_pass_in_every_orientation(void** state) {
  (void)state;
  uint64_t seed = 7;
  for (int k = 0; k < 200; k++) {
    // points of positive mass: I = sum m (|r|^2 - r r'); two of them make a rod, the limit
    double I[9] = {0};
    for (int p = 0; p < 2 + k % 4; p++) {
      const double r[3] = {check_random(&seed), check_random(&seed), check_random(&seed)};
      const double m = pow(10, 6 * check_random(&seed));
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          I[i + 3 * j] += m * ((i == j) * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) - r[i] * r[j]);
    }
    td_spec* spec = td_spec_new();
    put_matrix(spec, "body(1).I", 3, 3, I);
    put_number(spec, "body(1).m", 1);
    expect_none(spec);
  }
}

static void impossible_inertias_are_told_apart(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  put_matrix(spec, "body(1).I", 3, 3, (double[]){1, 0, 0, 0.5, 1, 0, 0, 0, 1});
  expect(spec, "body(1).I must be symmetric, but element (1,2) is 0.5 and (2,1) is 0");
  spec = td_spec_new();
  put_matrix(spec, "body(1).I", 3, 3, (double[]){1, 2, 0, 2, 1, 0, 0, 0, 1});
  expect(spec, "body(1).I must not have a negative principal moment, got -1 kg m^2");
  spec = td_spec_new();
  put_matrix(spec, "body(1).I", 3, 3, (double[]){1, 0, 0, 0, 4, 0, 0, 0, 2});
  expect(spec,
         "body(1).I: no body has a principal moment larger than the sum of the other two, got 1, 2 "
         "and 4 "
         "kg m^2");
}

static void each_page_of_an_inertia_is_checked(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  value* v = td_value_num(3, 3, 2);
  v->x[0] = v->x[4] = v->x[8] = 1;
  v->x[9] = v->x[13] = 1;
  v->x[17] = -1;
  put(spec, "body(1).I", v);
  expect(spec, "body(1).I(:,:,2) must not have a negative principal moment, got -1 kg m^2");
}

static void an_empty_structure_is_none(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  put(spec, "mesh", td_value_num(0, 0, 1));
  expect_none(spec);
}

// A parameter in a field that must be known while loading is replaced by its value, and changing it
// loads the model again.
static void a_parameter_in_the_structure_is_settled(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  spec_param* p = td_spec_param(spec, "n", 3, NULL, NULL, td_span_none());
  put(spec, "par.seed", td_value_expr(td_ex_var(spec->graph, p->var)));
  assert_int_equal(td_spec_check(spec), TD_OK);
  const value* seed = td_get(td_get(spec->root, 0, "par"), 0, "seed");
  assert_true(!seed->e || seed->e[0] == EX_NONE);
  CHECK_NEAR(seed->x[0], 3, 0);
  assert_true(spec->params[0].structural);
  td_spec_free(spec);

  // the value obeys the field's rules
  spec = td_spec_new();
  p = td_spec_param(spec, "n", 2.5, NULL, NULL, td_span_none());
  put(spec, "par.seed", td_value_expr(td_ex_var(spec->graph, p->var)));
  expect(spec, "par.seed must be a whole number, got 2.5");
}

static void both_spellings_at_once_are_an_error(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  put_number(spec, "joint(1).spring.comp", 0.5);
  put_number(spec, "joint(1).spring.compr", 0.5);
  expect(spec, "joint(1).spring.comp and compr are the same field; write one of them");
}

static void messages_come_in_the_order_of_the_structures(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  put_number(spec, "world.g", 9.81);
  put_number(spec, "body(1).m", -1);
  put_text(spec, "body(2).m", "heavy");
  put_number(spec, "joint(1).dof(3).spring.compr", 2);
  assert_int_equal(td_spec_check(spec), TD_E_MODEL);
  const char* const want[] = {"world.g must be 1x3, got 1x1",
                              "body(1).m must not be negative, got -1 kg",
                              "body(2).m must be a number, got a string",
                              "joint(1).dof(3).spring.compr must be in (0,1], got 2"};
  assert_int_equal(spec->diags.n, 4);
  for (int i = 0; i < 4; i++) assert_string_equal(spec->diags.list[i].text, want[i]);
  td_spec_free(spec);
}

// Names are sorted, not compared pair by pair, and messages stop at their limit.
static void many_elements_with_many_mistakes_are_checked_in_bounded_time(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  const int n = 20000;
  value* s = td_value_struct(1, n);
  for (int i = 0; i < n; i++) {
    td_value_slot_make(s, i, "name")->v = td_value_string("same", 4);
    td_value_slot_make(s, i, "m")->v = td_value_scalar(-1);
  }
  put(spec, "body", s);
  assert_int_equal(td_spec_check(spec), TD_E_MODEL);
  assert_true(spec->diags.n <= TD_DIAG_LIMIT + 1);
  td_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_spec_is_fine),
      cmocka_unit_test(every_published_default_passes_the_check),
      cmocka_unit_test(inertias_of_real_bodies_pass_in_every_orientation),
      cmocka_unit_test(impossible_inertias_are_told_apart),
      cmocka_unit_test(each_page_of_an_inertia_is_checked),
      cmocka_unit_test(an_empty_structure_is_none),
      cmocka_unit_test(a_parameter_in_the_structure_is_settled),
      cmocka_unit_test(both_spellings_at_once_are_an_error),
      cmocka_unit_test(messages_come_in_the_order_of_the_structures),
      cmocka_unit_test(many_elements_with_many_mistakes_are_checked_in_bounded_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
