// The engine's sources as one text: headers before what includes them, local includes dropped, and
// file-local functions renamed so that no two files share one.
#ifndef TD_BUNDLE_H
#define TD_BUNDLE_H

#include "base/base.h"

typedef struct source_text {
  const char* name;  // "vec3.h"
  const char* text;
} source_text;
extern const source_text td_engine_sources[];  // made by the build, closed by a NULL name

extern const source_text td_fmu_sources[];  // of fmu/

// False: no memory, or a header is missing.
bool td_bundle(td_text* out);

#endif
