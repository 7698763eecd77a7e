// The model's text and names for the page, as members of a JSON object.
#ifndef TD_DESCRIBE_H
#define TD_DESCRIBE_H

#include "base/base.h"

// "sources": [{"name", "text"}]
void td_describe_sources(td_text* out, const td_spec* spec);
// "understood": names of joints, coordinates, forces, constraints, inputs and rods, the first of
// each.
void td_describe_model(td_text* out, const td_model* model);

#endif
