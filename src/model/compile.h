// Compile a spec without judging its mechanics (td_model_compile does both).
#ifndef TD_COMPILE_H
#define TD_COMPILE_H

#include "model/model.h"
#include "model/spec.h"

td_status td_compile(td_spec* spec, td_model** model);

#endif
