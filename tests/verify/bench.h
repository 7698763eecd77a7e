// A model from a text, ready to be analysed through the public API.
#ifndef TD_VERIFY_BENCH_H
#define TD_VERIFY_BENCH_H

#include "check.h"
#include "tendril/tendril.h"

typedef struct bench {
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;
} bench;

// Compile what the spec holds; takes the spec.
static inline bench bench_of(td_spec* spec) {
  bench b = {.spec = spec};
  if (td_model_compile(b.spec, &b.model) != TD_OK) {
    print_error("%s\n", td_spec_messages(b.spec));
    fail();
  }
  b.work = td_work_new(b.model);
  b.state = td_state_new(b.model);
  assert_int_equal(td_state_initial(b.model, b.work, b.state), TD_OK);
  return b;
}

static inline bench bench_new(const char* text) {
  td_spec* spec = td_spec_new();
  td_spec_load_string(spec, "test.m", text);
  return bench_of(spec);
}

static inline void bench_free(bench* b) {
  td_state_free(b->state);
  td_work_free(b->work);
  td_model_free(b->model);
  td_spec_free(b->spec);
}

#endif
