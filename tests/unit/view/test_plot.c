// Tables and figures.
#include <unistd.h>

#include "check.h"
#include "tendril/view.h"

static td_table* table_of(const char* text) {
  char path[] = "/tmp/tendril-plot-XXXXXX", message[200];
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  const ssize_t n = write(fd, text, strlen(text));
  assert_int_equal(n, (ssize_t)strlen(text));
  close(fd);
  td_table* t;
  const td_status status = td_table_read(path, &t, message, sizeof message);
  unlink(path);
  if (status != TD_OK) assert_null(t);
  return t;
}

static void columns_are_found_by_name(void** state) {
  (void)state;
  td_table* t = table_of("t,tip_x,word\n0,1.5,good\r\n0.1,-2e-3,bad\n\n0.2,3,\n");
  assert_non_null(t);
  assert_int_equal(t->rows, 3);
  assert_int_equal(t->cols, 3);
  assert_int_equal(td_table_find(t, "tip_x"), 1);
  assert_int_equal(td_table_find(t, "tip"), -1);
  CHECK_NEAR(t->values[4], -2e-3, 1e-18);
  assert_true(isnan(t->values[2]) && isnan(t->values[8]));
  td_table_free(t);
}

static void files_without_numbers_are_refused(void** state) {
  (void)state;
  assert_null(table_of("t,x\n0,1\n0.1\n"));
  assert_null(table_of("t,x\n0,1\n0.1,2,3\n"));
  assert_null(table_of("t,x\n0,1\n0.1,1.5e\n"));
  assert_null(table_of(""));
  assert_null(table_of("t,x\n"));
  assert_null(table_of("% a model\nbody(1).m = 1;\njoint(1).second = 1;\n"));
  char message[200];
  td_table* t;
  assert_int_equal(td_table_read("/nowhere/x.csv", &t, message, sizeof message), TD_E_IO);
  assert_non_null(strstr(message, "/nowhere/x.csv"));
}

// A line from (0, 0) to (10, 1): its path begins at the left lower and ends at the right upper
// corner, 4 % of its height away from both.
static void a_curve_goes_where_its_numbers_say(void** state) {
  (void)state;
  td_table* t = table_of("t,<y&>\n0,0\n5,0.5\n10,1\n");
  const int y[] = {1};
  const td_plot plot = {.size = sizeof(td_plot),
                        .table = t,
                        .x = 0,
                        .y = y,
                        .ny = 1,
                        .title = "",
                        .width = 120,
                        .height = 70};
  char* svg;
  assert_int_equal(td_plot_svg(&plot, &svg), TD_OK);
  const double left = 16, right = 16 + 100, top = 7, height = 70 - 7 - 11;
  const double air = height * 0.04 / 1.08;
  char want[100];
  snprintf(want, sizeof want, "d=\"M%.2f %.2fL%.2f %.2fL%.2f %.2f\"", left, top + height - air,
           0.5 * (left + right), top + 0.5 * height, right, top + air);
  assert_non_null(strstr(svg, want));
  assert_non_null(strstr(svg, "&lt;y&amp;>"));
  assert_non_null(strstr(svg, "</svg>"));
  free(svg);
  td_table_free(t);
}

// Constants, one row, no number at all, a gap: a figure all the same.
static void odd_data_make_a_figure(void** state) {
  (void)state;
  static const char* const texts[] = {
      "t,y\n0,3\n1,3\n",          "t,y\n0,0\n",
      "t,y\n0,nan\n1,x\n2,nan\n", "t,y\n0,1\n1,inf\n2,1e300\n3,-1e300\n",
      "t,y\n-2,1\n-1,2\n",        "t,y\n1e-300,1\n1e300,2\n"};
  for (size_t i = 0; i < 2 * (sizeof texts / sizeof *texts); i++) {
    td_table* t = table_of(texts[i / 2]);
    const int y[] = {1};
    const td_plot plot = {.size = sizeof(td_plot),
                          .table = t,
                          .x = 0,
                          .y = y,
                          .ny = 1,
                          .title = "",
                          .width = 120,
                          .height = 70,
                          .log_x = i % 2 == 1};
    char* svg;
    assert_int_equal(td_plot_svg(&plot, &svg), TD_OK);
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    assert_true(strlen(svg) < 20000);
    free(svg);
    td_table_free(t);
  }
}

static void diagrams_stand_below_each_other(void** state) {
  (void)state;
  td_table* t = table_of("f,gain,phase\n-1,0,0\n0.1,0,0\n1,-20,-90\n10,-40,-180\n");
  const int gain[] = {1}, angle[] = {2};
  td_plot above = td_plot_default();
  above.table = t;
  above.ny = 1;
  above.log_x = true;
  above.width = 124, above.height = 60;
  td_plot below = above;
  above.title = "response";
  above.y = gain;
  above.y_label = "gain [dB]";
  above.below = &below;
  below.y = angle;
  below.y_label = "phase";
  below.turn = 360;
  char* svg;
  assert_int_equal(td_plot_svg(&above, &svg), TD_OK);

  // the negative frequency is left out, the others are 50 mm apart
  const double left = 20, top = 11, height = 60 - top - 2, air = height * 0.04 / 1.08;
  char want[100];
  snprintf(want, sizeof want, "d=\"M%.2f %.2fL%.2f %.2fL%.2f %.2f\"", left, top + air, left + 50,
           top + 0.5 * height, left + 100, top + height - air);
  assert_non_null(strstr(svg, want));
  // the second one ends 11 mm above the edge of the picture, which is 120 mm high
  const double under = 60 - 2 - 11, gap = under * 0.04 / 1.08;
  snprintf(want, sizeof want, "d=\"M%.2f %.2fL%.2f %.2fL%.2f %.2f\"", left, 62 + gap, left + 50,
           62 + 0.5 * under, left + 100, 62 + under - gap);
  assert_non_null(strstr(svg, want));
  assert_non_null(strstr(svg, "height=\"120mm\""));
  static const char* const once[] = {">0.1<", ">10<", ">f<", ">-135<", ">-45<", ">response<"};
  for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
    const char* first = strstr(svg, once[i]);
    if (!first || strstr(first + 1, once[i])) fail_msg("%s is not there once", once[i]);
  }
  free(svg);

  // less than a decade has numbers all the same, and what never ends is refused
  const double narrow[] = {3, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0};
  memcpy(t->values, narrow, sizeof narrow);
  below.least = 10;
  assert_int_equal(td_plot_svg(&below, &svg), TD_OK);
  assert_non_null(strstr(svg, ">5<"));
  free(svg);
  below.log_x = false;
  assert_int_equal(td_plot_svg(&above, &svg), TD_E_USAGE);
  below.log_x = above.equal = true;
  assert_int_equal(td_plot_svg(&above, &svg), TD_E_USAGE);
  above.equal = false;
  assert_int_equal(td_plot_gnuplot(&above, "x.csv", "x.svg", &svg), TD_E_USAGE);
  below.below = &above;
  assert_int_equal(td_plot_svg(&above, &svg), TD_E_USAGE);
  assert_null(svg);
  td_table_free(t);
}

static void senseless_figures_are_refused(void** state) {
  (void)state;
  td_table* t = table_of("t,y\n0,3\n1,3\n");
  const int y[] = {1}, bad[] = {7};
  char* svg;
  td_plot plot = {.size = sizeof(td_plot),
                  .table = t,
                  .x = 0,
                  .y = bad,
                  .ny = 1,
                  .title = "",
                  .width = 120,
                  .height = 70};
  assert_int_equal(td_plot_svg(&plot, &svg), TD_E_USAGE);
  plot.y = y;
  plot.width = 5;
  assert_int_equal(td_plot_svg(&plot, &svg), TD_E_USAGE);
  assert_null(svg);
  td_table_free(t);
}

static void a_script_for_gnuplot_quotes_its_names(void** state) {
  (void)state;
  td_table* t = table_of("t,a\"b\n0,3\n1,3\n");
  const int y[] = {1};
  const td_plot plot = {.size = sizeof(td_plot),
                        .table = t,
                        .x = 0,
                        .y = y,
                        .ny = 1,
                        .title = "",
                        .width = 120,
                        .height = 70};
  char* text;
  assert_int_equal(td_plot_gnuplot(&plot, "out/`rm`.csv", "x.svg", &text), TD_OK);
  assert_non_null(strstr(text, "\"out/\\`rm\\`.csv\" using 1:2"));
  assert_non_null(strstr(text, "title \"a\\\"b\""));
  free(text);
  td_table_free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_found_by_name),
      cmocka_unit_test(files_without_numbers_are_refused),
      cmocka_unit_test(a_curve_goes_where_its_numbers_say),
      cmocka_unit_test(odd_data_make_a_figure),
      cmocka_unit_test(diagrams_stand_below_each_other),
      cmocka_unit_test(senseless_figures_are_refused),
      cmocka_unit_test(a_script_for_gnuplot_quotes_its_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
