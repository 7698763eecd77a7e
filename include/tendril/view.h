// Pictures: reports, the live view, videos and plots.
#ifndef TENDRIL_VIEW_H
#define TENDRIL_VIEW_H

#include "tendril/estimate.h"
#include "tendril/tools.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- reports ----------------------------------------------------------------------------------

// What a report shows.  Everything stays the caller's; what was not computed is NULL.  (Options.)
typedef struct td_report {
  size_t size;          // bytes of this struct, by td_report_default()
  const td_spec* spec;  // for the model's text
  const td_model* model;
  td_work* work;
  const td_state* state;            // how the model stands when there is nothing else to show
  const td_state* rest;             // its equilibrium
  const td_modes_result* modes;     // about `rest`
  const td_trajectory* trajectory;  // the replay and the plots
  const char* title;
  const char* summary;  // the text of summary.json
  // half-widths of error bars (accuracy.h): of the sensors in the motion (rows x nsensor), of the
  // frequencies [rad/s] of the modes
  const double *errors, *frequency_errors;
} td_report;
TD_API void td_report_fill(td_report* report, size_t size);
static inline td_report td_report_default(void) {
  td_report report;
  td_report_fill(&report, sizeof report);
  return report;
}

// Stage a page that shows it all: one file that needs nothing else, neither network nor program,
// but a browser.
TD_API td_status td_report_write(td_files* files, const char* name, const td_report* report);

// Put the data of a report (its whole text) into the page of this version.  *page is to be freed.
// TD_E_SYNTAX: the text is not a report.
TD_API td_status td_report_renew(const char* report, char** page);

// Stage a page about a fit: values with intervals, correlations, what the recordings cannot see,
// further parameters, residuals as diagrams.  `title` may be NULL.
TD_API td_status td_fit_page(td_files* files, const char* name, const td_model* model,
                             const td_recordings* recordings, const td_fit_result* fit,
                             const char* title);

// ---- the view in a browser --------------------------------------------------------------------

// A server for one page, on this machine alone: it binds 127.0.0.1, wants a random token in the
// address, and refuses pages of other origins.
typedef struct td_view td_view;

// (Options.)
typedef struct td_view_options {
  size_t size;             // bytes of this struct, by td_view_options_default()
  const char* page;        // a finished page (a report); NULL: a live model
  const char* model;       // its file, or the name of its text
  const char* text;        // its text; NULL: the file is read, and read again when it changes
  const char* const* set;  // values of parameters: "name=value" (nset)
  int nset;
  int port;         // 0: a free one
  bool allow_read;  // as td_spec_allow_read(spec, NULL)
} td_view_options;
TD_API void td_view_options_fill(td_view_options* options, size_t size);
static inline td_view_options td_view_options_default(void) {
  td_view_options options;
  td_view_options_fill(&options, sizeof options);
  return options;
}

// Start it; it works in threads of its own.  On failure *view is NULL and `message` says why.
TD_API td_status td_view_open(const td_view_options* options, td_view** view, char* message,
                              size_t size);
// "http://127.0.0.1:40123/0123456789abcdef0123456789abcdef/"; belongs to the view.
TD_API const char* td_view_address(const td_view* view);
TD_API void td_view_close(td_view* view);

// ---- plots -------------------------------------------------------------------------------------

// Columns of a CSV file by name; what is not a number is NaN.  (Fixed.)
typedef struct td_table {
  int rows, cols;
  char** names;    // (cols)
  double* values;  // rows x cols
} td_table;
// On failure *table is NULL and `message` says why.
TD_API td_status td_table_read(const char* path, td_table** table, char* message, size_t size);
TD_API void td_table_free(td_table* table);
TD_API int td_table_find(const td_table* table, const char* name);  // column, -1: none

// Strain of a rod (number from 0) along its arc length at some states: a column s, then for each
// state the six strains that strain(rod, s) gives, named "bend_y, 0.5 s".
TD_API td_status td_strain_table(const td_model* model, td_work* work,
                                 const td_state* const* states, int n, int rod, td_table** table);
// The lines of the model's shape at some states: for each of them columns x, y and z.  Rods, links,
// edges of meshes and bodies follow each other, with a row of NaN between any two.
TD_API td_status td_shape_table(const td_model* model, td_work* work, const td_state* const* states,
                                int n, td_table** table);

// A figure for papers: curves of some columns over another.  (Options.)
typedef struct td_plot {
  size_t size;  // bytes of this struct, by td_plot_default()
  const td_table* table;
  int x;         // column
  const int* y;  // columns (ny)
  int ny;
  const char* title;          // "" for none, the default
  const char* x_label;        // NULL: the column's name
  double width, height;       // [mm], default 140 x 80
  const int* xs;              // columns that each curve is drawn over (ny), NULL: x for all
  const char* const* labels;  // of the curves in the legend (ny), NULL: the columns' names
  const char* y_label;        // NULL: none
  bool equal;                 // one scale for both axes: the picture of something in space
  bool log_x;                 // a logarithmic axis for x; what is not positive is left out
  double least;               // the y axis spans at least this; 0: what the curves do
  double turn;  // what a full turn is in y (360 for degrees), which ticks divide evenly; 0: y is no
                // angle
  const struct td_plot* below;  // a second diagram under this one, along the same x axis and with
                                // curves in the same colours; title, legend and width are those of
                                // the uppermost, of four at most, and not `equal`; NULL: none
  TD_ADDED bool marks;          // a dot at each point instead of a line through them
} td_plot;
TD_API void td_plot_fill(td_plot* plot, size_t size);
static inline td_plot td_plot_default(void) {
  td_plot plot;
  td_plot_fill(&plot, sizeof plot);
  return plot;
}
// An SVG drawing, or a gnuplot script that draws the same from the CSV file at `path` into
// `output`, without a diagram below (TD_E_USAGE).  *text is to be freed.
TD_API td_status td_plot_svg(const td_plot* plot, char** text);
TD_API td_status td_plot_gnuplot(const td_plot* plot, const char* path, const char* output,
                                 char** text);

// ---- pictures and videos of reports -----------------------------------------------------------

// Drawn by a browser without a window (chromium), by its software renderer: the very picture of the
// page, on machines without display or graphics card.  (Options.)
typedef struct td_shot {
  size_t size;         // bytes of this struct, by td_shot_default()
  const char* report;  // path of a report
  int width, height;   // [pixels]
  bool dark;
  bool page;          // all of the page; false: the picture alone
  double time;        // of the replay [s], NaN: the middle
  double fps, speed;  // videos: frames a second, seconds of the model in one of the video
  td_progress progress;
  void* user;
} td_shot;
TD_API void td_shot_fill(td_shot* shot, size_t size);
static inline td_shot td_shot_default(const char* report) {
  td_shot shot;
  td_shot_fill(&shot, sizeof shot);
  shot.report = report;
  return shot;
}

// A PNG file.  On failure `message` says why; TD_E_IO also when there is no browser.
TD_API td_status td_shot_png(const td_shot* shot, const char* path, char* message, size_t size);
// A video by ffmpeg, as the name ends: .mp4, .webm or .gif.
TD_API td_status td_shot_video(const td_shot* shot, const char* path, char* message, size_t size);

#ifdef __cplusplus
}
#endif
#endif
