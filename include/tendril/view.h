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

#ifdef __cplusplus
}
#endif
#endif
