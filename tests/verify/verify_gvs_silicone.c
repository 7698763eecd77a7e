// Silicone cantilevers released under gravity as a user writes them, points and steps of the rod
// chosen by themselves: all moments, damping laws and strains of rows D10 to D14, with so many
// functions of each strain as the rows ask (n functions are polynomials up to order n - 1).
//
// Row D11 gives 2e-5 m to n = 8 and 5e-8 m to n = 12.  That is what polynomials up to order 8 and
// 12 reach, one function more, but for the Cosserat rod with iso damping at 0.5 s, where order 12
// leaves 9e-8 and order 13 is asked; D13 with shear takes one function more, too.  It is the basis
// and not its integration: order 12 with twenty more points, and at a time tolerance a hundred
// times smaller, differs by less than a tenth of that error, and order 14 differs from order 12 by
// as much as the figure does.
#include "rods_motion.h"

// ---- one rod, its moments ---------------------------------------------------------------------

enum { moments = 5, most_numbers = 7 };
static const double at_time[moments] = {0.05, 0.1, 0.2, 0.5, 1};

typedef struct release {
  const char *name, *text;
  int size;  // numbers of `tip`
  double want[moments][most_numbers];
} release;

static void run(const release* r, int order, const char* more, double rtol,
                double x[moments][most_numbers]) {
  char text[6000];
  snprintf(text, sizeof text, "%s%s", r->text, more);
  bench b = bench_new(text, "gvs", order);
  td_trajectory* path = bench_run(&b, 1, 0.05, rtol);
  for (int i = 0; i < moments; i++)
    memcpy(x[i], td_trajectory_sensors(path, (int)lround(at_time[i] / 0.05)),
           sizeof(double) * (size_t)r->size);
  td_trajectory_free(path);
  bench_free(&b);
}

// Errors count in metres, those of turns in lengths.
static void meets(const release* r, int order, double tol) {
  double x[moments][most_numbers];
  run(r, order, "", fmax(1e-10, 1e-2 * tol), x);
  for (int i = 0; i < moments; i++) {
    char what[80];
    snprintf(what, sizeof what, "%s, order %d, t=%g", r->name, order, at_time[i]);
    CHECK_REACHED(what, distance(x[i], r->want[i], r->size), tol);
  }
}

#define SILICONE                                                                             \
  ROD_HEAD                                                                                   \
  "r = 0.015; A = pi*r^2; I = pi*r^4/4; L = 0.3; rod(1).length = L; rod(1).radius = r; "     \
  "rod(1).rho = 1000; rod(1).tr.rot = along_x; world.g = [0 -9.81 0]; p = pos(rod(1), L);\n" \
  "R = rot(rod(1), L); sensor(1).name = 'tip'; sensor(1).value = p(1:2);\n"
#define CASE_A "rod(1).E = 1e6; rod(1).damping = 1e4"
#define CASE_B "rod(1).E = 1e5; rod(1).damping = 1e3"
#define ISO "*[A A A I I 2*I];\n"
#define SOROSIM "*[A A 3*A 3*I 3*I 2*I];\n"
#define IN_PLANE_KIRCHHOFF "rod(1).modes = [0 0 0 0 1 0];\n"
#define IN_PLANE_COSSERAT "rod(1).modes = [1 0 1 0 1 0];\n"
#define NO_ROTARY "rod(1).inertia = 1000*[A A A 0 0 0];\n"

static const release case_a[6] = {{"D10 Kirchhoff iso",
                                   SILICONE CASE_A ISO IN_PLANE_KIRCHHOFF,
                                   2,
                                   {{0.299568015108, -0.0152661999502},
                                    {0.291679288616, -0.0662981024337},
                                    {0.223215129483, -0.185671765176},
                                    {0.287471984572, -0.0809727771062},
                                    {0.238315676358, -0.169289194076}}},
                                  {"D10 Kirchhoff sorosim",
                                   SILICONE CASE_A SOROSIM IN_PLANE_KIRCHHOFF,
                                   2,
                                   {{0.299544988595, -0.0160029216652},
                                    {0.292655768938, -0.0625001326225},
                                    {0.236097426754, -0.171756644553},
                                    {0.274989126257, -0.112523485904},
                                    {0.245967871751, -0.159680847107}}},
                                  {"D10 Kirchhoff iso, no rotary inertia",
                                   SILICONE CASE_A ISO IN_PLANE_KIRCHHOFF NO_ROTARY,
                                   2,
                                   {{0.299565393173, -0.0153325201745},
                                    {0.291628203755, -0.0664858395816},
                                    {0.222959908701, -0.185921732345},
                                    {0.28768151492, -0.0803138969161},
                                    {0.239238126661, -0.168204889801}}},
                                  {"D10 Kirchhoff sorosim, no rotary inertia",
                                   SILICONE CASE_A SOROSIM IN_PLANE_KIRCHHOFF NO_ROTARY,
                                   2,
                                   {{0.299541720899, -0.0160609554831},
                                    {0.292614114115, -0.0626651238768},
                                    {0.23591767009, -0.171964568044},
                                    {0.275173170113, -0.112131024575},
                                    {0.246333730154, -0.15920971574}}},
                                  {"D10 Cosserat iso",
                                   SILICONE CASE_A ISO IN_PLANE_COSSERAT,
                                   2,
                                   {{0.299617626148, -0.0151707366368},
                                    {0.291972933722, -0.0661594621298},
                                    {0.223813168836, -0.186093866917},
                                    {0.286775213003, -0.0841369783592},
                                    {0.23522531409, -0.173773323825}}},
                                  {"D10 Cosserat sorosim",
                                   SILICONE CASE_A SOROSIM IN_PLANE_COSSERAT,
                                   2,
                                   {{0.299579332255, -0.0158979079079},
                                    {0.292853547096, -0.0624305807029},
                                    {0.236390465675, -0.172348101483},
                                    {0.274397821607, -0.11461701602},
                                    {0.24454720873, -0.162271710828}}}};

static const release case_b[6] = {{"D11 Kirchhoff iso",
                                   SILICONE CASE_B ISO IN_PLANE_KIRCHHOFF,
                                   2,
                                   {{0.29932561488, -0.0119969323942},
                                    {0.292031138522, -0.0496282142681},
                                    {0.181472155655, -0.230285854994},
                                    {-0.150445123742, -0.0957483037569},
                                    {0.238935933068, -0.166387356995}}},
                                  {"D11 Kirchhoff sorosim",
                                   SILICONE CASE_B SOROSIM IN_PLANE_KIRCHHOFF,
                                   2,
                                   {{0.299417277598, -0.0120365836482},
                                    {0.292867445218, -0.0536994811057},
                                    {0.185780245245, -0.226900573231},
                                    {-0.160368623505, -0.123391197581},
                                    {0.237987449732, -0.177032601954}}},
                                  {"D11 Kirchhoff iso, no rotary inertia",
                                   SILICONE CASE_B ISO IN_PLANE_KIRCHHOFF NO_ROTARY,
                                   2,
                                   {{0.299319885287, -0.0119507338577},
                                    {0.291994850142, -0.0496356162869},
                                    {0.180389447339, -0.23085952875},
                                    {-0.150190817778, -0.0955852175017},
                                    {0.238268124042, -0.169597711937}}},
                                  {"D11 Kirchhoff sorosim, no rotary inertia",
                                   SILICONE CASE_B SOROSIM IN_PLANE_KIRCHHOFF NO_ROTARY,
                                   2,
                                   {{0.299412773412, -0.0119999696924},
                                    {0.292847827225, -0.0538232156677},
                                    {0.184961887732, -0.227414842636},
                                    {-0.160143886067, -0.123705037895},
                                    {0.236640256029, -0.178738830044}}},
                                  {"D11 Cosserat iso",
                                   SILICONE CASE_B ISO IN_PLANE_COSSERAT,
                                   2,
                                   {{0.299810770022, -0.0120486395629},
                                    {0.29457438481, -0.0493991191895},
                                    {0.196020337459, -0.232647879463},
                                    {-0.163756945806, -0.103283322457},
                                    {0.245957520701, -0.165162485964}}},
                                  {"D11 Cosserat sorosim",
                                   SILICONE CASE_B SOROSIM IN_PLANE_COSSERAT,
                                   2,
                                   {{0.299713036826, -0.0120788019216},
                                    {0.294510595082, -0.053161459635},
                                    {0.196978968715, -0.228918300902},
                                    {-0.169216470878, -0.12911800404},
                                    {0.24799035555, -0.168574416998}}}};

// ---- the rows ---------------------------------------------------------------------------------

static bool is_long(void) { return getenv("TENDRIL_LONG") != NULL; }

static void test_D10_six_and_eight_functions(void** state) {
  (void)state;
  for (int k = 0; k < (CHECK_SANITIZED ? 1 : 6); k++) {
    meets(&case_a[k], 5, 2e-6);
    if (!CHECK_SANITIZED) meets(&case_a[k], 7, 5e-9);
  }
}

static void test_D11_orders_eight_and_twelve(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  for (int k = 0; k < 6; k++) {
    meets(&case_b[k], 8, 2e-5);
    if (k == 0 || k == 5 || is_long()) meets(&case_b[k], k == 4 ? 13 : 12, 5e-8);
  }
}

// What order 12 leaves in the Cosserat rod is its basis.
static void test_D11_order_twelve_is_at_its_limit(void** state) {
  (void)state;
  if (CHECK_SANITIZED || !is_long()) skip();
  const release* r = &case_b[4];
  double x[moments][most_numbers], finer[moments][most_numbers], more[moments][most_numbers];
  run(r, 12, "", 1e-10, x);
  run(r, 12, "rod(1).points = 2*n + 21;\n", 1e-12, finer);
  run(r, 14, "", 1e-10, more);
  const double error = distance(x[3], r->want[3], 2);
  printf("D11 Cosserat iso, t=0.5: error %.2g, more points %.2g, from order 14 %.2g\n", error,
         distance(x[3], finer[3], 2), distance(x[3], more[3], 2));
  assert_true(distance(x[3], finer[3], 2) < 0.1 * error);
  assert_true(fabs(distance(x[3], more[3], 2) - error) < 0.1 * error);
}

#define TIP_AND_TURN "sensor(1).value = [p(1:2) L*atan2(R(2,3), R(1,3))];\n"

static void test_D12_a_tendon_is_pulled_at_once(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  const release row = {"D12",
                       SILICONE CASE_A ISO IN_PLANE_KIRCHHOFF TIP_AND_TURN
                       "cable(1).path = [0.01 0]; cable(1).tension = 5;\n",
                       3,
                       {{0.299007996827, -0.00233468195501, 0.3 * 0.16067622683},
                        {0.296699583062, -0.0418224844274, 0.3 * -0.058631663143},
                        {0.262900606558, -0.136671964382, 0.3 * -0.513030328506},
                        {0.291311299824, -0.0684164815359, 0.3 * -0.174550638544},
                        {0.257153321807, -0.145800966005, 0.3 * -0.563677515609}}};
  meets(&row, 5, 2e-6);
  meets(&row, 7, 5e-9);
}

#define TIP_MASS                                                                               \
  TIP_AND_TURN                                                                                 \
  "body(1).m = 0.05; body(1).I = zeros(3); joint(1).first = at(rod(1), L); joint(1).second = " \
  "1; joint(1).type = 'fixed';\n"

static void test_D13_a_mass_at_the_tip(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  const release rows[2] = {{"D13 Kirchhoff",
                            SILICONE CASE_A ISO IN_PLANE_KIRCHHOFF TIP_MASS,
                            3,
                            {{0.299625948609, -0.0133994511908, 0.3 * -0.0134685534901},
                             {0.29379748293, -0.0577710480159, 0.3 * -0.235446582537},
                             {0.225095854596, -0.18404138867, 0.3 * -0.907872965463},
                             {0.183354528262, -0.218413547283, 0.3 * -1.15431092753},
                             {0.145511652377, -0.23732038674, 0.3 * -1.3757146591}}},
                           {"D13 Cosserat",
                            SILICONE CASE_A ISO IN_PLANE_COSSERAT TIP_MASS,
                            3,
                            {{0.299685442542, -0.0133577507374, 0.3 * -0.0130852324604},
                             {0.294177163088, -0.0576681153469, 0.3 * -0.231427196591},
                             {0.226192387659, -0.184481970319, 0.3 * -0.900748939876},
                             {0.180004757445, -0.222232691994, 0.3 * -1.16810912468},
                             {0.149846418884, -0.23691524133, 0.3 * -1.34691125419}}}};
  for (int k = 0; k < 2; k++) {
    meets(&rows[k], 5, 2e-6);
    meets(&rows[k], 7 + k, 5e-9);
  }
}

// A body without mass at the tip has the axes of the figures: along the rod, then of its section.
static void test_D14_a_curved_rod_falls_out_of_its_plane(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  const release row = {"D14",
                       SILICONE CASE_A ISO
                       "world.g = [0 0 -9.81]; rod(1).shape = [0 0 0 0 4 0]; body(1).m = 0; "
                       "body(1).I = zeros(3); joint(1).first = at(rod(1), L); joint(1).second = 1; "
                       "joint(1).type = 'fixed'; joint(1).tr.rot = [-2*pi/3 1 1 1];\n"
                       "sensor(1).value = [p L*quat(body(1))];\n",
                       7,
                       {{0.232903540757, 0.159157877759, -0.0139454456491, 0.3 * 0.825783483857,
                         0.3 * 0.0267254911239, 0.3 * 0.0206180216647, 0.3 * 0.562976272231},
                        {0.22830813465, 0.15488545829, -0.0631921233278, 0.3 * 0.824155247311,
                         0.3 * 0.0197291139462, 0.3 * 0.140057443789, 0.3 * 0.548418455954},
                        {0.174258734549, 0.116487980844, -0.179900043352, 0.3 * 0.745117965679,
                         0.3 * -0.0339711804165, 0.3 * 0.435158664274, 0.3 * 0.504263931915},
                        {0.225119364694, 0.146790570909, -0.0880722438026, 0.3 * 0.818958728044,
                         0.3 * -0.0312515545898, 0.3 * 0.191337604182, 0.3 * 0.540110973154},
                        {0.190159931613, 0.115824494149, -0.166250304319, 0.3 * 0.764629196552,
                         0.3 * -0.0631089525377, 0.3 * 0.391750373749, 0.3 * 0.507829790932}}};
  meets(&row, 5, 2e-6);
  meets(&row, 7, 5e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_D10_six_and_eight_functions),
      cmocka_unit_test(test_D11_orders_eight_and_twelve),
      cmocka_unit_test(test_D11_order_twelve_is_at_its_limit),
      cmocka_unit_test(test_D12_a_tendon_is_pulled_at_once),
      cmocka_unit_test(test_D13_a_mass_at_the_tip),
      cmocka_unit_test(test_D14_a_curved_rod_falls_out_of_its_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
