// Pictures: reports, the live view, videos and plots.
#ifndef TENDRIL_VIEW_H
#define TENDRIL_VIEW_H

#include "tendril/tools.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- reports ----------------------------------------------------------------------------------

// What a report shows.  Everything stays the caller's; what was not computed is NULL.
typedef struct td_report {
  const td_spec* spec;  // for the model's text
  const td_model* model;
  td_work* work;
  const td_state* state;            // how the model stands when there is nothing else to show
  const td_state* rest;             // its equilibrium
  const td_modes_result* modes;     // about `rest`
  const td_trajectory* trajectory;  // the replay and the plots
  const char* title;
  const char* summary;  // the text of summary.json
} td_report;

// Stage a page that shows it all: one file that needs nothing else, neither network nor program,
// but a browser.
td_status td_report_write(td_files* files, const char* name, const td_report* report);

// Put the data of a report (its whole text) into the page of this version.  *page is to be freed.
// TD_E_SYNTAX: the text is not a report.
td_status td_report_renew(const char* report, char** page);

// ---- the view in a browser --------------------------------------------------------------------

// A server for one page, on this machine alone: it binds 127.0.0.1, wants a random token in the
// address, and refuses pages of other origins.
typedef struct td_view td_view;

typedef struct td_view_options {
  const char* page;        // a finished page (a report); NULL: a live model
  const char* model;       // its file, or the name of its text
  const char* text;        // its text; NULL: the file is read, and read again when it changes
  const char* const* set;  // values of parameters: "name=value" (nset)
  int nset;
  int port;  // 0: a free one
} td_view_options;

// Start it; it works in threads of its own.  On failure *view is NULL and `message` says why.
td_status td_view_open(const td_view_options* options, td_view** view, char* message, size_t size);
// "http://127.0.0.1:40123/0123456789abcdef0123456789abcdef/"; belongs to the view.
const char* td_view_address(const td_view* view);
void td_view_close(td_view* view);

#ifdef __cplusplus
}
#endif
#endif
