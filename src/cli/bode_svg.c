// A Bode diagram as SVG: gain in dB above, phase in degrees below, frequency on a logarithmic axis.
#include <math.h>

#include "cli/cli.h"

enum { WIDTH = 860, LEFT = 70, RIGHT = 20, TOP = 40, HEIGHT = 250, GAP = 30 };
static const char* const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e",
                                      "#17becf", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22"};
enum { NCOLOUR = sizeof colours / sizeof *colours, MOST_CURVES = 20 };

// One of the two diagrams: where it is and what its axis spans.
typedef struct panel {
  FILE* out;
  double y, low, high, step;
  double f0, f1;  // log10 of the frequencies
} panel;

static double px(const panel* p, double f) {
  return LEFT + (WIDTH - LEFT - RIGHT) * (log10(f) - p->f0) / (p->f1 - p->f0);
}
static double py(const panel* p, double v) {
  return p->y + HEIGHT * (p->high - v) / (p->high - p->low);
}

// Axis from the data: whole steps, at least two, at most about eight.
static void span(panel* p, const double* v, int n, const double* steps, int nstep) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < n; i++) {
    if (!isfinite(v[i])) continue;
    low = fmin(low, v[i]);
    high = fmax(high, v[i]);
  }
  if (!(low <= high)) low = -1, high = 1;
  int k = 0;
  while (k + 1 < nstep && (high - low) / steps[k] > 8) k++;
  p->step = steps[k];
  p->low = p->step * floor(low / p->step);
  p->high = fmax(p->step * ceil(high / p->step), p->low + 2 * p->step);
}

static void grid(const panel* p, const char* label, bool numbers) {
  fprintf(p->out, "<g stroke='#ddd' fill='#444' font-size='11'>\n");
  for (double v = p->low; v <= p->high + 1e-9 * p->step; v += p->step) {
    fprintf(p->out, "<path d='M%d %.1fH%d'/>", LEFT, py(p, v), WIDTH - RIGHT);
    fprintf(p->out, "<text stroke='none' x='%d' y='%.1f' text-anchor='end'>%g</text>\n", LEFT - 6,
            py(p, v) + 4, v);
  }
  for (int d = (int)floor(p->f0); d <= (int)ceil(p->f1); d++) {
    for (int k = 1; k < 10; k++) {
      const double f = k * pow(10, d);
      if (log10(f) < p->f0 - 1e-9 || log10(f) > p->f1 + 1e-9) continue;
      fprintf(p->out, "<path d='M%.1f %.1fv%d' stroke='%s'/>", px(p, f), p->y, HEIGHT,
              k == 1 ? "#bbb" : "#eee");
      if (numbers && k == 1)
        fprintf(p->out, "<text stroke='none' x='%.1f' y='%.1f' text-anchor='middle'>%g</text>\n",
                px(p, f), p->y + HEIGHT + 16, f);
    }
  }
  fprintf(p->out,
          "<text stroke='none' transform='translate(18 %.1f) rotate(-90)' "
          "text-anchor='middle' font-size='13'>%s</text></g>\n",
          p->y + HEIGHT / 2.0, label);
}

static void curve(const panel* p, const double* hz, int n, const double* v, int stride, int k) {
  bool pen = false;
  fprintf(p->out, "<path fill='none' stroke-width='1.6' stroke='%s' d='", colours[k % NCOLOUR]);
  for (int i = 0; i < n; i++) {
    const double y = v[i * stride];
    if (isfinite(y)) fprintf(p->out, "%c%.2f %.2f", pen ? 'L' : 'M', px(p, hz[i]), py(p, y));
    pen = isfinite(y);
  }
  fprintf(p->out, "'/>\n");
}

static void put_escaped(FILE* out, const char* s) {
  for (; *s; s++) {
    if (*s == '<')
      fputs("&lt;", out);
    else if (*s == '&')
      fputs("&amp;", out);
    else
      putc(*s, out);
  }
}

static void legend(FILE* out, const char* const* names, int shown, int curves) {
  for (int k = 0; k < shown; k++) {
    fprintf(out, "<text x='%d' y='%d' font-size='11' text-anchor='end' fill='%s'>",
            WIDTH - RIGHT - 8, TOP + 16 + 14 * k, colours[k % NCOLOUR]);
    put_escaped(out, names[k]);
    fprintf(out, "</text>\n");
  }
  if (curves > shown)
    fprintf(out,
            "<text x='%d' y='%d' font-size='11' text-anchor='end'>%d more in bode.csv</text>\n",
            WIDTH - RIGHT - 8, TOP + 16 + 14 * shown, curves - shown);
}

void bode_svg(FILE* out, const char* title, const double* hz, int n, const double* db,
              const double* deg, const char* const* names, int curves) {
  static const double db_steps[] = {1, 2, 5, 10, 20, 50, 100},
                      deg_steps[] = {5, 15, 45, 90, 180, 360};
  const int shown = curves < MOST_CURVES ? curves : MOST_CURVES;
  panel p = {.out = out, .y = TOP, .f0 = log10(hz[0]), .f1 = log10(hz[n - 1])};
  if (!(p.f1 > p.f0)) p.f1 = p.f0 + 1;
  fprintf(out,
          "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' "
          "font-family='sans-serif'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
          WIDTH, TOP + 2 * HEIGHT + GAP + 46);
  fprintf(out, "<text x='%d' y='24' font-size='15'>Frequency response of ", LEFT);
  put_escaped(out, title);
  fprintf(out, "</text>\n");
  span(&p, db, n * curves, db_steps, 7);
  grid(&p, "gain [dB]", false);
  for (int k = 0; k < shown; k++) curve(&p, hz, n, db + k, curves, k);
  p.y = TOP + HEIGHT + GAP;
  span(&p, deg, n * curves, deg_steps, 6);
  grid(&p, "phase [deg]", true);
  for (int k = 0; k < shown; k++) curve(&p, hz, n, deg + k, curves, k);
  legend(out, names, shown, curves);
  fprintf(out, "<text x='%d' y='%d' font-size='13' text-anchor='middle'>frequency [Hz]</text>\n",
          (LEFT + WIDTH - RIGHT) / 2, TOP + 2 * HEIGHT + GAP + 38);
  fprintf(out, "</svg>\n");
}
