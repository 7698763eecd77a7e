// Figures for papers: SVG with round ticks, a legend, colours that the colour-blind can tell apart
// and dashes for grey print; and the same as a gnuplot script.  This is the only plotter: commands
// and reports fill a td_plot.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "tendril/view.h"

enum { NINK = 8, NDASH = 4, MOST_TICKS = 12, MOST_LINES = 200, MOST_PANELS = 4 };

typedef struct range {
  double low, high;
} range;

// One diagram while it is drawn.
typedef struct figure {
  const td_plot* plot;
  td_text* out;
  range x, y;
  double left, top, width, height;  // box of the axes [mm]
  int lines;                        // lines that the legend takes
  bool last;                        // the lowest diagram, which has the numbers of the x axis
} figure;

// Values at which grid lines are drawn; the first `numbered` of them have a number.
typedef struct ticks {
  double at[MOST_LINES];
  int n, numbered;
} ticks;

// Colours of Okabe and Ito
static const char* const inks[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#000000", "#e69f00", "#56b4e9", "#8a8a00"};
static const char* const dashes[] = {"", "3 1.2", "0.8 1", "4 1 0.8 1"};

static double value(const figure* f, int row, int col) {
  const td_table* t = f->plot->table;
  return t->values[(size_t)row * (size_t)t->cols + (size_t)col];
}

// The column over which curve k is drawn
static int column_x(const td_plot* p, int k) { return p->xs ? p->xs[k] : p->x; }
static const char* curve_name(const td_plot* p, int k) {
  return p->labels ? p->labels[k] : p->table->names[p->y[k]];
}

// Position of a value along the x axis; a logarithm of nothing positive is not finite
static double value_x(const figure* f, int row, int k) {
  const double x = value(f, row, column_x(f->plot, k));
  return f->plot->log_x ? log10(x) : x;
}

static range grown(range r, double x) {
  return isfinite(x) ? (range){fmin(r.low, x), fmax(r.high, x)} : r;
}

// Widen a range by a fraction `air`; a constant gets a range around it, nothing gets [0, 1].
static range aired(range r, double air) {
  if (!(r.low <= r.high)) return (range){0, 1};
  const double d = r.high - r.low, least = 1e-9 * fmax(fabs(r.low), fabs(r.high));
  const double add = d > least ? air * d : fmax(0.5 * fabs(r.high), 1e-12);
  return (range){r.low - add, r.high + add};
}

// Set the ranges of both axes from the data.
static void measure(figure* f) {
  const td_plot* p = f->plot;
  range x = {DBL_MAX, -DBL_MAX}, y = x;
  for (int i = 0; i < p->table->rows; i++) {
    for (int k = 0; k < p->ny; k++) {
      x = grown(x, value_x(f, i, k));
      y = grown(y, value(f, i, p->y[k]));
    }
  }
  f->x = aired(x, p->equal ? 0.04 : 0);
  if (p->log_x && x.low <= x.high && x.high - x.low < 1e-3)
    f->x = (range){x.low - 0.5, x.low + 0.5};
  f->y = aired(y, 0.04);
  const double lacking = p->least - (f->y.high - f->y.low);
  if (lacking > 0) f->y = (range){f->y.low - 0.5 * lacking, f->y.high + 0.5 * lacking};
  if (!p->equal) return;

  // equal scales: the axis with room to spare shows more than the data
  const double scale = fmax((f->x.high - f->x.low) / f->width, (f->y.high - f->y.low) / f->height);
  const double middle_x = 0.5 * (f->x.low + f->x.high), middle_y = 0.5 * (f->y.low + f->y.high);
  f->x = (range){middle_x - 0.5 * scale * f->width, middle_x + 0.5 * scale * f->width};
  f->y = (range){middle_y - 0.5 * scale * f->height, middle_y + 0.5 * scale * f->height};
}

static double at_x(const figure* f, double x) {
  return f->left + (x - f->x.low) / (f->x.high - f->x.low) * f->width;
}
static double at_y(const figure* f, double y) {
  return f->top + (f->y.high - y) / (f->y.high - f->y.low) * f->height;
}

// Distance of ticks, 1, 2 or 5 times a power of ten, so that about n fit
static double tick_step(range r, int n) {
  const double raw = (r.high - r.low) / n, power = pow(10, floor(log10(raw)));
  const double m = raw / power;
  return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

// Append a text with XML's special characters replaced.
static void escape(td_text* out, const char* s) {
  for (; *s; s++) {
    const unsigned char c = (unsigned char)*s;
    if (c == '<') {
      td_text_add(out, "&lt;");
    } else if (c == '&') {
      td_text_add(out, "&amp;");
    } else if (c >= 0x20) {
      td_text_addn(out, s, 1);
    }
  }
}

static void text_at(td_text* out, double x, double y, const char* anchor, const char* s) {
  td_text_printf(out, "<text x=\"%.3f\" y=\"%.3f\" text-anchor=\"%s\">", x, y, anchor);
  escape(out, s);
  td_text_add(out, "</text>\n");
}

// Print a round number without a tail of nines; -0 becomes 0.
static void tick_text(char* s, size_t size, double x, double step) {
  if (fabs(x) < 1e-9 * step) x = 0;
  snprintf(s, size, "%.10g", x);
}

// Ticks at the multiples of a step
static ticks even_ticks(range r, double step) {
  ticks t = {.n = 0};
  const double first = ceil(r.low / step - 1e-9);
  for (int i = 0; i < MOST_TICKS && (first + i) * step <= r.high + 1e-9 * step; i++)
    t.at[t.n++] = (first + i) * step;
  t.numbered = t.n;
  return t;
}

// Distance of ticks that divides a full turn evenly, so that about eight fit
static double angle_step(range r, double turn) {
  static const double parts[] = {72, 24, 8, 4, 2, 1};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if ((r.high - r.low) * parts[i] <= 9 * turn) return turn / parts[i];
  return turn * ceil((r.high - r.low) / (9 * turn));
}

// Ticks of a logarithmic axis: powers of ten, and 2 to 9 times these where they are not too many;
// where fewer than two powers are seen, 2 and 5 times these have numbers too
static ticks log_ticks(range r) {
  ticks t = {.n = 0};
  const double decades = r.high - r.low;
  if (!(decades <= 20)) return even_ticks(r, ceil(decades / 10));
  const int first = (int)floor(r.low), last = (int)ceil(r.high);
  const bool few = floor(r.high + 1e-9) - ceil(r.low - 1e-9) < 1;
  for (int pass = 0; pass < 2; pass++) {
    for (int d = first; d <= last; d++) {
      for (int k = 1; k < 10; k++) {
        const double at = d + log10(k);
        const bool numbered = k == 1 || (few && (k == 2 || k == 5));
        const bool seen = at >= r.low - 1e-9 && at <= r.high + 1e-9;
        if (seen && numbered == (pass == 0) && (pass == 0 || decades <= 8)) t.at[t.n++] = at;
      }
    }
    if (pass == 0) t.numbered = t.n;
  }
  return t;
}

// Draw grid, box and numbers.
static void draw_axes(figure* f) {
  td_text* out = f->out;
  const td_plot* p = f->plot;
  const double right = f->left + f->width, bottom = f->top + f->height;
  const double dx = tick_step(f->x, 7);
  const double dy = p->turn > 0 ? angle_step(f->y, p->turn) : tick_step(f->y, 7);
  const ticks x = p->log_x ? log_ticks(f->x) : even_ticks(f->x, dx), y = even_ticks(f->y, dy);
  char s[40];

  // the grid, fainter where it has no numbers
  td_text_add(out, "<g stroke=\"#d9d9d9\" stroke-width=\"0.15\">\n");
  for (int i = 0; i < x.n; i++)
    td_text_printf(out, "<path d=\"M%.3f %.3fV%.3f\"%s/>\n", at_x(f, x.at[i]), f->top, bottom,
                   !p->log_x        ? ""
                   : i < x.numbered ? " stroke=\"#bbbbbb\""
                                    : " stroke=\"#eeeeee\"");
  for (int i = 0; i < y.n; i++)
    td_text_printf(out, "<path d=\"M%.3f %.3fH%.3f\"/>\n", f->left, at_y(f, y.at[i]), right);
  td_text_printf(out,
                 "</g>\n<rect x=\"%.3f\" y=\"%.3f\" width=\"%.3f\" height=\"%.3f\" fill=\"none\" "
                 "stroke=\"#333333\" stroke-width=\"0.25\"/>\n",
                 f->left, f->top, f->width, f->height);

  // numbers
  for (int i = 0; f->last && i < x.numbered; i++) {
    if (p->log_x)
      snprintf(s, sizeof s, "%.6g", pow(10, x.at[i]));
    else
      tick_text(s, sizeof s, x.at[i], dx);
    text_at(out, at_x(f, x.at[i]), bottom + 4, "middle", s);
  }
  for (int i = 0; i < y.n; i++) {
    tick_text(s, sizeof s, y.at[i], dy);
    text_at(out, f->left - 1.2, at_y(f, y.at[i]) + 1, "end", s);
  }
}

// Draw a curve, or the dots of one; points of a curve within a fiftieth of a millimetre of the one
// before are left out.
static void draw_curve(figure* f, int k) {
  const td_plot* p = f->plot;
  if (p->marks) {
    td_text_printf(f->out, "<g fill=\"%s\" fill-opacity=\"0.6\">\n", inks[k % NINK]);
    for (int i = 0; i < p->table->rows; i++) {
      const double x = value_x(f, i, k), y = value(f, i, p->y[k]);
      if (isfinite(x) && isfinite(y))
        td_text_printf(f->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"0.5\"/>\n", at_x(f, x),
                       at_y(f, y));
    }
    td_text_add(f->out, "</g>\n");
    return;
  }
  td_text_printf(f->out,
                 "<path fill=\"none\" stroke=\"%s\" stroke-width=\"0.4\" stroke-linejoin=\"round\"",
                 inks[k % NINK]);
  if (*dashes[k / NINK % NDASH])
    td_text_printf(f->out, " stroke-dasharray=\"%s\"", dashes[k / NINK % NDASH]);
  td_text_add(f->out, " d=\"");

  // points; one that is not finite lifts the pen
  bool pen = false;
  double px = 0, py = 0;
  for (int i = 0; i < p->table->rows; i++) {
    const double x = value_x(f, i, k), y = value(f, i, p->y[k]);
    if (!isfinite(x) || !isfinite(y)) {
      pen = false;
      continue;
    }
    const double X = at_x(f, x), Y = at_y(f, y);
    const bool last = i == p->table->rows - 1;
    if (pen && !last && fabs(X - px) < 0.02 && fabs(Y - py) < 0.02) continue;
    td_text_printf(f->out, "%c%.2f %.2f", pen ? 'L' : 'M', X, Y);
    pen = true;
    px = X;
    py = Y;
  }
  td_text_add(f->out, "\"/>\n");
}

// Count the lines of the legend, and draw them above the axes where `f` is given.
static int legend(const td_plot* p, double left, double width, const figure* f) {
  enum { MOST_LEGEND = 4 };  // lines; further curves have no name
  int lines = 1;
  double x = left;
  for (int k = 0; k < p->ny; k++) {
    const char* name = curve_name(p, k);
    const double needs = 9 + 1.75 * (double)strlen(name);
    if (x > left && x + needs > left + width + 3) {
      if (lines == MOST_LEGEND) break;
      lines++;
      x = left;
    }
    if (f) {
      const double y = f->top - 2.2 - 4 * (f->lines - lines);
      const char* dash = dashes[k / NINK % NDASH];
      td_text_printf(
          f->out, "<path d=\"M%.2f %.2fh5\" stroke=\"%s\" stroke-width=\"0.6\"%s%s%s/>\n", x,
          y - 0.9, inks[k % NINK], *dash ? " stroke-dasharray=\"" : "", dash, *dash ? "\"" : "");
      text_at(f->out, x + 6, y, "start", name);
    }
    x += needs;
  }
  return lines;
}

// Draw one diagram: axes, curves, and for the first and last one title, legend and label.
static void draw(figure* f, int panel) {
  const td_plot* p = f->plot;
  draw_axes(f);
  if (p->y_label) {
    td_text_printf(f->out, "<g transform=\"translate(4 %.3f) rotate(-90)\">",
                   f->top + 0.5 * f->height);
    text_at(f->out, 0, 0, "middle", p->y_label);
    td_text_add(f->out, "</g>\n");
  }

  // curves, cut at the axes
  td_text_printf(f->out,
                 "<clipPath id=\"axes%.0d\"><rect x=\"%.3f\" y=\"%.3f\" width=\"%.3f\" "
                 "height=\"%.3f\"/></clipPath>\n<g clip-path=\"url(#axes%.0d)\">\n",
                 panel, f->left, f->top, f->width, f->height, panel);
  for (int k = 0; k < p->ny; k++) draw_curve(f, k);
  td_text_add(f->out, "</g>\n");

  // legend and title, labels
  if (panel == 0) legend(p, f->left, f->width, f);
  if (panel == 0 && *p->title) {
    td_text_add(f->out, "<g font-size=\"3.6\" font-weight=\"bold\">");
    text_at(f->out, f->left, f->top - 2.5 - 4 * f->lines, "start", p->title);
    td_text_add(f->out, "</g>\n");
  }
  if (f->last)
    text_at(f->out, f->left + 0.5 * f->width, f->top + f->height + 9.5, "middle",
            p->x_label ? p->x_label : p->table->names[p->x]);
}

void td_plot_fill(td_plot* plot, size_t size) {
  const td_plot own = {.size = size, .title = "", .width = 140, .height = 80};
  struct_into(plot, size, &own, sizeof own);
}

// Report whether a plot can be drawn: sizes, columns and names.
static bool sensible(const td_plot* p) {
  if (!(p->width >= 30 && p->width <= 2000 && p->height >= 30 && p->height <= 2000)) return false;
  if (!p->table || !p->y || !p->title) return false;
  if (!(p->turn >= 0 && isfinite(p->turn) && p->least >= 0 && isfinite(p->least)) ||
      (p->equal && (p->log_x || p->below)))
    return false;

  // columns
  if (p->ny < 1 || p->x < 0 || p->x >= p->table->cols) return false;
  for (int k = 0; k < p->ny; k++) {
    const int x = column_x(p, k);
    if (p->y[k] < 0 || p->y[k] >= p->table->cols || x < 0 || x >= p->table->cols) return false;
    if (p->labels && !p->labels[k]) return false;
  }

  // names and values
  if (!p->table->names || (!p->table->values && p->table->rows > 0)) return false;
  for (int i = 0; i < p->table->cols; i++)
    if (!p->table->names[i]) return false;
  return true;
}

// Give the text to the caller.
static td_status hand_over(td_text* out, char** text) {
  if (out->failed) {
    td_text_free(out);
    return TD_E_NOMEM;
  }
  *text = out->s;
  return TD_OK;
}

// Draw a plot and those below it, which share the x axis.
td_status td_plot_svg(const td_plot* given, char** text) {
  if (!text) return TD_E_USAGE;
  *text = NULL;

  // the diagrams from above, and the height of all
  td_plot panel[MOST_PANELS];
  int n = 0;
  double height = 0, left = 16;
  do {
    if (n == MOST_PANELS) return TD_E_USAGE;
    panel[n] = td_plot_default();
    TD_TRY(td_options_take(given, &panel[n], sizeof panel[n]));
    if (!sensible(&panel[n]) || panel[n].log_x != panel[0].log_x) return TD_E_USAGE;
    height += panel[n].height;
    if (panel[n].y_label) left = 20;
    given = panel[n++].below;
  } while (given);

  td_text out = {0};
  td_text_printf(&out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%gmm\" height=\"%gmm\" "
                 "viewBox=\"0 0 %g %g\" font-family=\"Helvetica, Arial, sans-serif\" "
                 "font-size=\"3\" fill=\"#111111\">\n",
                 panel[0].width, height, panel[0].width, height);
  td_text_add(&out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");

  // title and legend stand at the top, the numbers of the x axis at the bottom
  const double width = panel[0].width - left - 4;
  const int lines = legend(&panel[0], left, width, NULL);
  figure figures[MOST_PANELS];
  double top = 0;
  for (int i = 0; i < n; i++) {
    const double above = i > 0 ? 2 : (*panel[0].title ? 7 : 3) + 4 * lines;
    const double under = i < n - 1 ? 2 : 11;
    figures[i] = (figure){&panel[i],      &out,
                          .left = left,   .top = top + above,
                          .width = width, .height = panel[i].height - above - under,
                          .lines = lines, .last = i == n - 1};
    measure(&figures[i]);
    top += panel[i].height;
  }

  // one x axis for all
  range x = figures[0].x;
  for (int i = 1; i < n; i++) x = grown(grown(x, figures[i].x.low), figures[i].x.high);
  for (int i = 0; i < n; i++) {
    figures[i].x = x;
    draw(&figures[i], i);
  }
  td_text_add(&out, "</svg>\n");
  return hand_over(&out, text);
}

// ---- gnuplot ----------------------------------------------------------------------------------

// Append a text in double quotes, where gnuplot knows backslashes.
static void quote(td_text* out, const char* s) {
  td_text_add(out, "\"");
  for (; *s; s++) {
    if (*s == '"' || *s == '\\' || *s == '`') td_text_add(out, "\\");
    td_text_addn(out, *s == '\n' ? " " : s, 1);
  }
  td_text_add(out, "\"");
}

// Write a gnuplot script that reads the CSV file `path` and draws the plot into the SVG file
// `output`. *text is to be freed, NULL on failure.  TD_E_USAGE for a plot without curves or with a
// second panel.
td_status td_plot_gnuplot(const td_plot* given, const char* path, const char* output, char** text) {
  td_plot own = td_plot_default();
  const td_plot* p = &own;
  if (!path || !output || !text) return TD_E_USAGE;
  *text = NULL;
  TD_TRY(td_options_take(given, &own, sizeof own));
  if (!sensible(p) || p->below) return TD_E_USAGE;
  td_text out = {0};
  td_text_add(&out, "# Made by tendril plot: gnuplot draws it.\nset datafile separator ','\n");
  td_text_printf(&out, "set terminal svg size %.0f,%.0f font 'Helvetica,11' background 'white'\n",
                 p->width * 96 / 25.4, p->height * 96 / 25.4);

  // output, axes, title
  td_text_add(&out, "set output ");
  quote(&out, output);
  if (p->log_x) td_text_add(&out, "\nset logscale x");
  td_text_add(&out, "\nset grid lc rgb '#d9d9d9'\nset key above left\nset xlabel ");
  quote(&out, p->x_label ? p->x_label : p->table->names[p->x]);
  if (p->y_label) {
    td_text_add(&out, "\nset ylabel ");
    quote(&out, p->y_label);
  }
  if (*p->title) {
    td_text_add(&out, "\nset title ");
    quote(&out, p->title);
  }

  // curves
  td_text_add(&out, "\nplot ");
  for (int k = 0; k < p->ny; k++) {
    if (k) td_text_add(&out, ", \\\n     ");
    quote(&out, path);
    td_text_printf(&out, " using %d:%d with lines lw 1.5 lc rgb '%s' title ", p->x + 1, p->y[k] + 1,
                   inks[k % NINK]);
    quote(&out, p->labels ? p->labels[k] : p->table->names[p->y[k]]);
    td_text_add(&out, " noenhanced");
  }
  td_text_add(&out, "\n");
  return hand_over(&out, text);
}
