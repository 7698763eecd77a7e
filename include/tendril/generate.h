// Equations to take away: derive them symbolically, print them as code or formulas, export a model
// as standalone C or as a functional mock-up unit.
#ifndef TENDRIL_GENERATE_H
#define TENDRIL_GENERATE_H

#include "tendril/tools.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- symbolic equations -----------------------------------------------------------------------

typedef struct td_derived td_derived;

typedef struct td_derive_options {
  const char* const* symbolic;  // parameters that stay symbols; the others become numbers
  int nsymbolic;
  bool all_symbolic;  // all that can
} td_derive_options;

// The equations of motion of a model, element by element.  On failure *derived is NULL and
// `message` says what stands in the way: TD_E_MODEL for an element that has no closed form here,
// TD_E_USAGE for a parameter that cannot be a symbol, TD_E_NOMEM.
td_status td_derive(const td_model* model, const td_derive_options* options, td_derived** derived,
                    char* message, size_t size);
void td_derived_free(td_derived* derived);
int td_derived_size(const td_derived* derived);  // nodes of the expression graph

#ifdef __cplusplus
}
#endif
#endif
