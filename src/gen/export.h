// Standalone models: the parts that the C export and the FMU share.
#ifndef TD_EXPORT_H
#define TD_EXPORT_H

#include "model/model.h"
#include "tendril/generate.h"

// A model to be exported.
typedef struct td_export {
  const td_model* m;
  const char* title;
  char name[64];  // an identifier
} td_export;

// Check that a model can be exported and name it; write its header and its source.
td_status td_export_open(const td_model* m, const char* title, td_export* e);
void td_export_header(const td_export* e, td_text* out);
// The engine and the model, or the model alone for the linker to join with td_engine_archive.
// False: no memory.
bool td_export_source(const td_export* e, bool with_engine, td_text* out);

#endif
