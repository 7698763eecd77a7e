// A model from text, ready to be used, for the tests of this folder.
#ifndef TD_TEST_ROBOT_H
#define TD_TEST_ROBOT_H

#include "check.h"
#include "tendril/tendril.h"

typedef struct robot {
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;
  td_sizes n;
} robot;

static inline robot robot_open(const char* text) {
  robot r = {.spec = td_spec_new()};
  if (td_spec_load_string(r.spec, "test.m", text) != TD_OK ||
      td_model_compile(r.spec, &r.model) != TD_OK) {
    print_error("%s\n", td_spec_messages(r.spec));
    fail();
  }
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  r.n = td_model_sizes(r.model);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  return r;
}

static inline void robot_close(robot* r) {
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
  td_spec_free(r->spec);
}

#endif
