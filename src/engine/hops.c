// The table of hops.
#include "engine/hop.h"
#include "engine/stages.h"

const hop_ops* const td_hop_table[HOP_KINDS] = {
#define X(kind, name, ...) &td_hop_##name,
    TD_HOPS(X)
#undef X
};
