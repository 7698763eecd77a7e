// The page and the JSON data embedded in it.
#include "view/page.h"

#include <limits.h>
#include <string.h>

static const char begin[] = "<script id=\"data\" type=\"application/json\">", end[] = "</script>";

// Find the data of a page.
const char* td_page_data(const char* page, size_t* n) {
  const char* at = strstr(page, begin);
  if (!at) return NULL;
  at += strlen(begin);
  const char* stop = strstr(at, end);
  if (!stop) return NULL;
  *n = (size_t)(stop - at);
  return at;
}

// Append the page with its data replaced.
bool td_page_write(td_text* out, const char* json) {
  size_t n;
  const char* at = td_page_data(td_page_text, &n);
  require(at != NULL);  // the build checks the page
  td_text_addn(out, td_page_text, (int)(at - td_page_text));
  td_text_add(out, json);
  td_text_add(out, at + n);
  return !out->failed;
}
