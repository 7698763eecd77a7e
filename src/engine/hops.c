// The table of hops: the kinds of joints and of rod steps, in the order of TD_HOPS.
#include "engine/hop.h"
#include "engine/stages.h"

const hop_ops* const td_hop_table[HOP_KINDS] = {
#define X(kind, name, ...) &td_hop_##name,
    TD_HOPS(X)
#undef X
};
