// The engine's sources as one text: headers before the files that include them, local includes
// dropped, and file-local functions renamed so that no two files share a name.
#ifndef TD_BUNDLE_H
#define TD_BUNDLE_H

#include "base/base.h"

// One source file.
typedef struct source_text {
  const char* name;  // "vec3.h"
  const char* text;
} source_text;
extern const source_text td_engine_sources[];  // made by the build, closed by a NULL name

extern const source_text td_fmu_sources[];  // of fmu/

// Append the engine's sources.  False: no memory, or a header is missing.
bool td_bundle(td_text* out);

#endif
