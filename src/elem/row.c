// Table of the formulas of constraint rows between frames (row.h).
#include "elem/row.h"

const row_formulas* const td_row_formulas[FRAME_ROW_KINDS] = {
#define X(kind, name, ...) &td_row_formulas_##name,
    TD_FRAME_ROWS(X)
#undef X
};
