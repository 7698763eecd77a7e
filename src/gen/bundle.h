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

// The engine compiled for this machine, position-independent, as an archive for the linker; its
// sources are those of td_engine_sources.  Made by the build.
extern const unsigned char td_engine_archive[], td_engine_archive_end[];

// The text of a source, "" where the table has none of this name.
const char* td_source_text(const source_text* table, const char* name);

// Append all of the engine's sources, or only the headers that a file needs which is linked with
// the archive. False: no memory, or a header is missing.
bool td_bundle(td_text* out, bool headers_only);

#endif
