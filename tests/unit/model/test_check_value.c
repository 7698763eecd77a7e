// Values judged by the rows of their fields: dependences, numbers along rods, places.
#include "model/fields.h"
#include "spec_values.h"

// What a field may depend on is a set of kinds: those in its row pass, all others do not.  A
// parameter passes everywhere: where a number must be known while loading, its value is.
static void every_numeric_field_accepts_exactly_the_dependences_of_its_row(void** state) {
  (void)state;
  const td_field* f;
  for (int i = 0; (f = td_field_row(i)); i++) {
    if (f->kind != FIELD_NUM ||
        !(td_field_fit(f->shape, &(value){.rows = 1, .cols = 1, .pages = 1}, 1).ok))
      continue;
    for (unsigned kind = TD_ON_PARAM; kind <= TD_ON_SYMBOL; kind *= 2) {
      td_spec* spec = td_spec_new();
      put_variable(spec, f->path, "x", (td_depends)kind);
      td_spec_check(spec);
      bool refused = false;
      for (int k = 0; k < spec->diags.n; k++)
        refused = refused || strstr(spec->diags.list[k].text, "depend") != NULL;
      assert_int_equal(refused, ((f->depends | TD_ON_PARAM) & kind) == 0);
      td_spec_free(spec);
    }
  }
}

static void a_dependence_is_named_with_its_variable(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  put(spec, "body(1).m", td_value_expr(td_ex_var(spec->graph, spec->time_var)));
  expect(spec, "body(1).m may depend on parameters only, but it depends on time (t)");

  spec = td_spec_new();
  put_variable(spec, "joint(1).dof(2).motion", "u1", TD_ON_INPUT);
  expect(spec,
         "joint(1).dof(2).motion may depend on parameters and time only, but it depends on inputs "
         "(u1)");

  spec = td_spec_new();
  put_variable(spec, "joint(3).input", "a", TD_ON_ACCEL);
  expect(spec,
         "joint(3).input may depend on parameters, time, inputs, states and rates only, but it "
         "depends "
         "on accelerations (a)");

  spec = td_spec_new();
  put_variable(spec, "par.anim", "u", TD_ON_INPUT);
  expect(spec, "par.anim must be known when the model is loaded, but it depends on inputs (u)");

  spec = td_spec_new();
  put_variable(spec, "joint(3).input", "k", TD_ON_SYMBOL);
  expect(spec, "joint(3).input depends on the symbol 'k', which has no value");
}

static void put_rod(td_spec* spec) {
  put_number(spec, "rod(1).length", 0.3);
  put_number(spec, "rod(1).radius", 0.01);
  put_number(spec, "rod(1).E", 1e5);
  put_number(spec, "rod(1).rho", 1000);
}

// a + b s
static value* along(td_spec* spec, double a, double b) {
  td_exprs* g = spec->graph;
  const ex s = td_ex_var(g, spec->arc_var);
  return td_value_expr(
      td_ex_2(g, EX_ADD, td_ex_const(g, a), td_ex_2(g, EX_MUL, td_ex_const(g, b), s)));
}

static void fields_along_a_rod_are_judged_at_its_ends_and_middle(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  put_rod(spec);
  put(spec, "rod(1).radius", along(spec, 0.01, -0.04));
  expect(spec, "rod(1).radius at s = 0.3 m must be positive, got -0.002 m");

  spec = td_spec_new();
  put_rod(spec);
  put(spec, "rod(1).radius", along(spec, 0.03, -0.1));  // a cone
  expect_none(spec);

  spec = td_spec_new();
  put_rod(spec);
  put(spec, "rod(1).rho", along(spec, -1, 1000));
  expect(spec, "rod(1).rho at s = 0 m must not be negative, got -1 kg/m^3");
}

static value* place(const char* root, int index, td_spec* spec, double element) {
  value* v = td_value_ref(root, index);
  v->ref.has_place = element > 0;
  v->ref.place = td_ex_const(spec->graph, element);
  return v;
}

static void references_are_places_on_bodies_and_rods(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  put(spec, "joint(1).first", place("body", 2, spec, 0));
  put(spec, "joint(1).second", place("body", 3, spec, 4));
  expect_none(spec);

  spec = td_spec_new();
  put(spec, "joint(1).first", place("body", 2, spec, 1.5));
  expect(spec,
         "joint(1).first: the element in at(body(2), ...) must be a whole number from 1, got 1.5");
  spec = td_spec_new();
  put(spec, "joint(1).first", place("joint", 2, spec, 0));
  expect(spec, "joint(1).first must be a body, got joint(2)");
  spec = td_spec_new();
  put(spec, "joint(1).first", place("rod", 1, spec, 0.3));
  expect_none(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_numeric_field_accepts_exactly_the_dependences_of_its_row),
      cmocka_unit_test(a_dependence_is_named_with_its_variable),
      cmocka_unit_test(fields_along_a_rod_are_judged_at_its_ends_and_middle),
      cmocka_unit_test(references_are_places_on_bodies_and_rods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
