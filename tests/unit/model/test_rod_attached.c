// Everything that is attached to a rod or measured on it has a frame exactly there.
#include "compiled.h"

// A station of the first rod there.  In a model with points its hop is that of no other place.
static bool has_frame(const td_model* m, double arc, bool points) {
  int hop = -1;
  for (int i = 0; i < m->nstation; i++)
    if (m->station[i].rod == 1 && fabs(m->station[i].arc - arc) < 1e-12) hop = m->station[i].hop;
  for (int i = 0; i < m->nstation && points; i++)
    if (m->station[i].hop == hop && fabs(m->station[i].arc - arc) > 1e-12) return false;
  return hop >= 0;
}

static void test_what_is_attached_has_its_frame_in_every_model(void** state) {
  (void)state;
  static const double arc[] = {0.21, 0.29, 0.37};
  for (int k = 0; k < ROD_MODELS; k++) {
    char text[900];
    snprintf(
        text, sizeof text,
        "for k = 1:2, rod(k).length = 0.4; rod(k).radius = 0.01; rod(k).E = 1e6; rod(k).rho = "
        "1000; end\n"
        "rod(1).model = '%s'; rod(1).n = 4; rod(2).first = at(rod(1), 0.07);\n"
        "body(1).m = 1; body(1).I = eye(3); joint(1).first = at(rod(1), 0.13); "
        "joint(1).second = 1; joint(1).type = 'revolute';\n"
        "exload(1).exbody = at(rod(1), 0.21); exload(1).ftau = [1 0 0 0 0 0];\n"
        "magnet(1).on = at(rod(1), 0.29); magnet(1).moment = [0 0 1]; magnet(1).field = [1 0 0];\n"
        "sensor(1).name = 'here'; sensor(1).value = pos(rod(1), 0.37);",
        td_rod_models[k].name);
    const compiled c = compile_text(text);
    for (int i = 0; i < 3; i++)
      if (!has_frame(c.m, arc[i], td_rod_models[k].points))
        fail_msg("'%s' has no frame at %g m", td_rod_models[k].name, arc[i]);
    assert_int_equal(c.m->nload, 1);
    compiled_free(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_attached_has_its_frame_in_every_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
