// The page: web/ built to one HTML file (web/dist/viewer.html), embedded by the build, with an
// element for data.
#ifndef TD_PAGE_H
#define TD_PAGE_H

#include "base/base.h"

extern const char td_page_text[];  // zero-terminated

// Append the page with this JSON as its data (no '<', so that it is safe in a script).  False when
// out of memory.
bool td_page_write(td_text* out, const char* json);

// Find the data of such a page: *n bytes at the returned place, NULL: it has none.
const char* td_page_data(const char* page, size_t* n);

#endif
