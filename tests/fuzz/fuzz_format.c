// Any text is formatted or refused, formatting twice changes nothing more, and the check that
// tokens stay never has to step in.
#include "base/base.h"
#include "tendril/editor.h"

enum { SIZE_LIMIT = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > SIZE_LIMIT) return 0;
  char* text = td_strndup((const char*)data, size);
  td_spec *spec = td_spec_new(), *again = td_spec_new();
  char *once = NULL, *twice = NULL;
  if (text && spec && again) {
    const td_status status = td_editor_format(spec, "a.m", text, &once);
    require((status == TD_OK) == (once != NULL));
    require(!strstr(td_spec_messages(spec), "formatting would change"));
    if (once) {
      require(td_editor_format(again, "a.m", once, &twice) == TD_OK);
      require(strcmp(once, twice) == 0);
    }
  }
  free(once);
  free(twice);
  free(text);
  td_spec_free(spec);
  td_spec_free(again);
  return 0;
}
