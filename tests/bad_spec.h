// Messages of a spec, for bad.h.
#ifndef TD_TEST_BAD_SPEC_H
#define TD_TEST_BAD_SPEC_H

#include "bad.h"
#include "model/spec.h"

static td_spec* bad_load(const char* path) {
  td_spec* spec = td_spec_new();
  td_text text = {0};
  char name[64], number[64];
  bad_read(path, &text);
  if (text.s && sscanf(text.s, "%% set %63s %63s", name, number) == 2)
    td_spec_override(spec, name, number);
  td_text_free(&text);
  td_spec_load_file(spec, path);
  return spec;
}

// Takes the spec.
static void bad_messages(td_spec* spec, td_text* out) {
  for (int i = 0; i < td_spec_message_count(spec); i++) {
    const td_message m = td_spec_message(spec, i);
    bad_add(out, m.line, m.column, m.severity, m.text);
  }
  td_spec_free(spec);
}

#endif
