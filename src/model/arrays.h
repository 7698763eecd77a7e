// Growing the model's arrays while it is compiled: one function per array of TD_MODEL_ARRAYS.
#ifndef TD_ARRAYS_H
#define TD_ARRAYS_H

#include "model/model.h"

// Append n zeroed elements and return the first; NULL when out of memory.
#define X(type, name, text) type* td_push_##name(td_model* m, int n);
TD_MODEL_ARRAYS(X)
#undef X

// Give back what the arrays have in reserve, once all are complete.
void td_trim(td_model* m);

// Append a formatted name and return its offset, -1 when out of memory.
int td_push_name(td_model* m, const char* format, ...) TD_PRINTF(2, 3);

#endif
