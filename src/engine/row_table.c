// The table of constraint rows, and what follows from it row by row.
#include "engine/row_table.h"

const row_ops* const td_row_table[ROW_KINDS] = {
#define X(kind, name, ...) &td_row_##name,
    TD_ROWS(X)
#undef X
};

row_value td_row_at(const td_model* m, const td_work* w, int row) {
  return td_row_table[m->row[row].kind]->value(m, w, row);
}

bool td_row_moves(const td_model* m, int row, int hop) {
  return td_row_table[m->row[row].kind]->moves(m, row, hop);
}

void td_row_forces(const td_model* m, td_work* w, const double* lambda) {
  for (int i = 0; i < m->nrow; i++) td_row_table[m->row[i].kind]->add(m, w, i, lambda[i]);
}

void td_row_forces_change(const td_model* m, td_work* w, const double* lambda, int col, bool rate,
                          spatial* df) {
  for (int i = 0; i < m->nrow; i++) {
    if (!td_row_moves(m, i, m->col[col].hop)) continue;
    td_row_table[m->row[i].kind]->add_diff(m, w, i, lambda[i], col, rate, df);
  }
}
