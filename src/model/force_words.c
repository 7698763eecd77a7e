// Kinds of forces that have no structure of their own, and the table of all.
#include "model/force_words.h"

const force_words* const td_force_words[FORCE_KINDS] = {
#define X(type, kind, text) &td_words_##kind,
    TD_FORCES(X)
#undef X
};

static void mark_law(const model_law* l, bool* force) {
  const num slots[6] = {l->k, l->rest, l->compr, l->mu, l->nu, l->input};
  for (int s = 0; s < 6; s++) force[slots[s]] = true;
}

static void spring(const td_model* m, bool* force) {
  for (int i = 0; i < m->nspring; i++) mark_law(&m->spring[i].law, force);
}
static void axial(const td_model* m, bool* force) {
  for (int i = 0; i < m->naxial; i++) mark_law(&m->axial[i].law, force);
}
static void beam(const td_model* m, bool* force) {
  for (int i = 0; i < 6 * m->nbeam; i++) mark_law(&m->beam[i / 6].law[i % 6], force);
}
static void load(const td_model* m, bool* force) {
  for (int i = 0; i < 6 * m->nload; i++) force[m->load[i / 6].wrench + i % 6] = true;
}
static void strain(const td_model* m, bool* force) {
  for (int i = 0; i < m->nstrain; i++)
    for (int s = 0; s < SECTION_POWER; s++) force[m->strain[i].section + s] = s < SECTION_HELD;
}
// A parameter of the fluid shapes the model.
static void drag(const td_model* m, bool* force) { (void)m, (void)force; }

const force_words td_words_spring = {.numbers = spring};
const force_words td_words_axial = {.numbers = axial};
const force_words td_words_beam = {.numbers = beam};
const force_words td_words_load = {.numbers = load};
const force_words td_words_strain = {.numbers = strain};
const force_words td_words_drag = {.numbers = drag};
