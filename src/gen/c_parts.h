// Texts of printed C that do not depend on the model, but for its name where they have '@'.
#ifndef TD_C_PARTS_H
#define TD_C_PARTS_H

#include "base/base.h"

extern const char td_c_math[];
extern const char td_c_sign[], td_c_step[], td_c_mod[], td_c_pieces[];
extern const char td_c_multiply[], td_c_interface[], td_c_unpack[], td_c_unpack_rows[];
extern const char td_c_factor[], td_c_rows[], td_c_forward[], td_c_given[], td_c_given_rows[];
extern const char td_c_solve[], td_c_solve_rows[], td_c_check[];
extern const char td_c_check_sensors[], td_c_check_none[], td_c_check_main[];

// standalone models (c_export.c)
extern const char td_c_export_shims[], td_c_export_interface[], td_c_export_functions[],
    td_c_export_rest[];
extern const char td_c_export_check[];

// Add a number as C writes it, with INFINITY or NAN of <math.h> where it is not finite.
void td_c_number(td_text* out, double x);

// Add a text with '@' replaced by the name.
void td_c_put(td_text* out, const char* text, const char* name);

#endif
