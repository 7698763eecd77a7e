// The page: web/ built to one HTML file (web/dist/viewer.html), embedded by the build.  Data take
// the place of its mark.
#ifndef TD_PAGE_H
#define TD_PAGE_H

#include "base/base.h"

extern const char td_page_text[];  // zero-terminated

// The page with this JSON as its data (safe in a script: no '<').  False when out of memory.
bool td_page_write(td_text* out, const char* json);

// The data of a page that was so made: *n bytes at the returned place, NULL: it has none.
const char* td_page_data(const char* page, size_t* n);

#endif
