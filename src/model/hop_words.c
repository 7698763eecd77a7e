// Kinds of hops that have no fields of their own, and the table of all.
#include "model/hop_words.h"

const hop_words td_hop_words_screw = {.fields = NULL};
const hop_words td_hop_words_ball = {.fields = NULL};
const hop_words td_hop_words_circle = {.fields = NULL};
const hop_words td_hop_words_quat3 = {.fields = NULL};
const hop_words td_hop_words_cayley = {.fields = NULL};
const hop_words td_hop_words_turn = {.fields = NULL};
const hop_words td_hop_words_move = {.fields = NULL};
const hop_words td_hop_words_strain = {.fields = NULL};

const hop_words* const td_hop_words[HOP_KINDS] = {
#define X(kind, name, ...) &td_hop_words_##name,
    TD_HOPS(X)
#undef X
};
