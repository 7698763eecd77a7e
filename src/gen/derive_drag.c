// Edges of meshes in a fluid (engine/force_drag.c) have no closed form here and are refused.
#include "gen/deriver.h"

static bool has_closed_form(const td_model* m, int i) { return (void)m, (void)i, false; }
static bool is_measured(const td_model* m, int i) { return (void)m, (void)i, false; }
static void derive(deriver* d, int i, load_x* passive, load_x* active) {
  (void)d, (void)i, (void)passive, (void)active;
}

const derive_ops td_derive_drag = {has_closed_form, derive, is_measured};
