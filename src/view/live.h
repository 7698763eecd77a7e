// A model that is simulated in real time: loaded from a file that may change, its parameters and
// inputs changed and its parts pulled at while it moves.  One thread uses it.
#ifndef TD_LIVE_H
#define TD_LIVE_H

#include "base/base.h"
#include "tendril/tools.h"

typedef struct td_live td_live;

// Make a live model of a file, or of a text under that name (text != NULL; then no file is
// watched). `set`: "name=value" as --set has it; copied.  NULL when out of memory.  Nothing is
// loaded yet.
td_live* td_live_new(const char* name, const char* text, const char* const* set, int nset,
                     bool allow_read);
void td_live_free(td_live* live);

// Load (again).  A model that has errors leaves the one before in place; td_live_errors() then has
// the messages, rendered with line and caret.
bool td_live_load(td_live* live);
const char* td_live_errors(const td_live* live);  // "" when the text is good
// Report whether a file it was loaded from has changed since, and is the same as at the last call:
// a file that is still being written counts later.
bool td_live_changed(td_live* live);

bool td_live_ready(const td_live* live);  // there is a model
int td_live_serial(const td_live* live);  // counts models
// {"type": "model", "serial", "title", "scene", "params", "inputs", "sensors", "sources", ...}
bool td_live_describe(const td_live* live, td_text* out);

// Numbers of one picture: [serial, t, running, speed], sensors, three energies, the scene's frame.
int td_live_count(const td_live* live);
void td_live_frame(td_live* live, float* out);

// Advance by dt of simulated time, but not longer than `wall` seconds.  When the solver fails, the
// model stops and td_live_trouble() tells why.
void td_live_advance(td_live* live, double dt, double wall);
const char* td_live_trouble(const td_live* live);  // "" when all is well
void td_live_reset(td_live* live);
void td_live_run(td_live* live, bool on);
bool td_live_running(const td_live* live);

// False when there is no such parameter or input, or the value is refused.
bool td_live_set_param(td_live* live, const char* name, double x);
bool td_live_set_input(td_live* live, const char* name, double x);
// Grip a station at a point of its frame (station < 0: let go), then pull it to places of the
// world.
bool td_live_grip(td_live* live, int station, const double point[3], double strength);
bool td_live_pull(td_live* live, const double target[3]);

#endif
