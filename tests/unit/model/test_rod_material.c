// Sections and materials in closed form: stiffness, damping, inertia and what a part changes.
#include "compiled.h"

static const double pi = 3.141592653589793;

// A rod of one segment with E = 3e6 and nu = 0.5, so that G = 1e6, rho = 1000 and eta = 50.
static compiled section_of(const char* section) {
  char text[400];
  snprintf(text, sizeof text,
           "rod(1).length = 1; rod(1).model = 'srl'; rod(1).n = 1; rod(1).E = 3e6; rod(1).rho = "
           "1000; rod(1).eta = 50; rod(1).joint.type = 'free'; %s",
           section);
  return compile_text(text);
}

static void check_section(const char* text, double A, double Ix, double Iy, double J) {
  const compiled c = section_of(text);
  const num at = c.m->strain[0].section;
  const double K[6] = {1e6 * A, 1e6 * A, 3e6 * A, 3e6 * Ix, 3e6 * Iy, 1e6 * J};
  const double D[6] = {50 * A, 50 * A, 150 * A, 150 * Ix, 150 * Iy, 50 * J};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      const double k = fixed_number(c.m, at + SECTION_K + 6 * i + j),
                   d = fixed_number(c.m, at + SECTION_D + 6 * i + j);
      check_reached_at(text, i == j ? fabs(k / K[i] - 1) : fabs(k), 1e-14, __FILE__, __LINE__);
      check_reached_at(text, i == j ? fabs(d / D[i] - 1) : fabs(d), 1e-14, __FILE__, __LINE__);
    }
  CHECK_NEAR(mass_of_lumps(c.m) / (1000 * A), 1, 1e-14);
  compiled_free(c);
}

static void test_sections_have_their_moments(void** state) {
  (void)state;
  const double r = 0.02, i = 0.01, w = 0.03, h = 0.01;
  const double circle = pi / 4 * pow(r, 4), ring = pi / 4 * (pow(r, 4) - pow(i, 4));
  const double torsion = w * h * h * h * (1.0 / 3 - 0.21 * h / w * (1 - pow(h / w, 4) / 12));
  check_section("rod(1).radius = 0.02;", pi * r * r, circle, circle, 2 * circle);
  check_section("rod(1).section = 'ring'; rod(1).radius = [0.02 0.01];", pi * (r * r - i * i), ring,
                ring, 2 * ring);
  check_section("rod(1).section = 'rectangle'; rod(1).width = 0.03; rod(1).height = 0.01;", w * h,
                w * h * h * h / 12, h * w * w * w / 12, torsion);
  check_section("rod(1).section = 'ellipse'; rod(1).width = 0.03; rod(1).height = 0.01;",
                pi / 4 * w * h, pi / 64 * w * h * h * h, pi / 64 * h * w * w * w,
                pi / 16 * pow(w * h, 3) / (w * w + h * h));
  check_section(
      "rod(1).section = 'custom'; rod(1).area = 2e-4; rod(1).Ix = 3e-9; rod(1).Iy = 4e-9; "
      "rod(1).J = 5e-9;",
      2e-4, 3e-9, 4e-9, 5e-9);
}

// Given matrices replace what follows from the section; a load per length acts along the rod.
static void test_given_stiffness_and_inertia_replace_those_of_the_section(void** state) {
  (void)state;
  const compiled c = compile_text(
      "rod(1).length = 2; rod(1).model = 'srl'; rod(1).n = 1; rod(1).joint.type = 'free'; "
      "rod(1).stiffness = [1 2 3 4 5 6]; rod(1).inertia = [7 7 7 1 1 2];");
  for (int d = 0; d < 6; d++)
    CHECK_NEAR(fixed_number(c.m, c.m->strain[0].section + SECTION_K + 7 * d), d + 1, 0);
  CHECK_NEAR(mass_of_lumps(c.m), 14, 1e-14);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sections_have_their_moments),
      cmocka_unit_test(test_given_stiffness_and_inertia_replace_those_of_the_section),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
