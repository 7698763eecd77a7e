// A model as a standalone C program: the engine's sources in one file, the compiled model as
// constant tables, memory given by the caller or a static buffer.  Nothing is allocated and nothing
// beyond the mathematical library is called.
//
// Tables are dumped as words of 64 bits with the layout the structs have here; the exported file
// asserts that its compiler agrees (sizes of the structs, little endian).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/stages.h"
#include "expr/tape.h"
#include "gen/bundle.h"
#include "gen/c_parts.h"
#include "gen/export.h"
#include "gen/identifier.h"
#include "gen/layout.h"
#include "gen/program.h"

// The fields of td_model after its arrays are written by write_model(): a field that is added to
// the struct must be added there too.
_Static_assert(sizeof(td_model) - offsetof(td_model, gravity) == 552,
               "td_model has got a new field: export_c.c must write it");

// ---- tables -----------------------------------------------------------------------------------

// Copy an array with the padding of its structs cleared; NULL: no memory.
static void* without_padding(const void* data, int n, size_t size, const char* type) {
  unsigned char* copy = malloc((size_t)n * size + 1);
  layout l;
  if (!copy) return NULL;
  if (n > 0) memcpy(copy, data, (size_t)n * size);
  const bool structs = strncmp(type, "model_", 6) == 0;
  if (!structs || !td_layout(td_engine_sources, type, &l) || (size_t)l.size != size) return copy;
  for (size_t i = 0; i < (size_t)n * size; i++) {
    if (!l.used[i % size]) copy[i] = 0;
  }
  return copy;
}

// Write memory as a constant array of 64-bit words.
static void write_words(td_text* out, const char* name, const void* data, size_t bytes) {
  const size_t n = (bytes + 7) / 8;
  td_text_printf(out, "static const uint64_t %s[%zu] = {", name, n > 0 ? n : 1);
  for (size_t i = 0; i < n; i++) {
    uint64_t word = 0;
    const size_t left = bytes - 8 * i;
    memcpy(&word, (const char*)data + 8 * i, left < 8 ? left : 8);
    td_text_printf(out, "%s0x%llx%s", i % 6 == 0 ? "\n    " : " ", (unsigned long long)word,
                   i + 1 < n ? "," : "");
  }
  td_text_add(out, n > 0 ? "};\n" : "0};\n");
}

// Write one array of the model as table_<array>.  Handles of expressions are left out: they mean
// nothing without their graph.
static void write_array(const char* array, const char* type, const void* data, int n, size_t size,
                        td_text* out) {
  const bool handles = strcmp(array, "number_ex") == 0 || strcmp(array, "output_ex") == 0;
  char name[60];
  void* clean = without_padding(data, n, size, type);
  if (!clean) out->failed = true;
  snprintf(name, sizeof name, "table_%s", array);
  if (clean) write_words(out, name, clean, handles ? 0 : (size_t)n * size);
  free(clean);
}

// Write a tape: instructions, constants, variables, outputs, interpolation tables.
static void write_tape(const char* name, const td_tape* t, td_text* out) {
  char part[60];
  snprintf(part, sizeof part, "%s_code", name);
  write_words(out, part, t->code, (size_t)t->ncode * sizeof *t->code);
  snprintf(part, sizeof part, "%s_consts", name);
  write_words(out, part, t->consts, (size_t)t->nconst * sizeof *t->consts);
  snprintf(part, sizeof part, "%s_vars", name);
  write_words(out, part, t->vars, (size_t)t->nvar * sizeof *t->vars);
  snprintf(part, sizeof part, "%s_outs", name);
  write_words(out, part, t->outs, (size_t)t->nout * sizeof *t->outs);

  // interpolation tables and their data
  size_t ndata = 0;

  // the tape, which points to all of them
  td_text_printf(out, "static const tape_table %s_tables[%d] = {", name, max_int(t->ntable, 1));
  for (int i = 0; i < t->ntable; i++) {
    const tape_table* k = &t->tables[i];
    td_text_printf(out, "%s{%d, %d, %d, %zu}", i ? ", " : "", k->n, k->order, k->clamp, k->at);
    ndata += (size_t)k->n + (size_t)(k->n - 1) * (size_t)k->order;
  }
  td_text_add(out, t->ntable > 0 ? "};\n" : "{0, 0, 0, 0}};\n");
  snprintf(part, sizeof part, "%s_data", name);
  write_words(out, part, t->data, ndata * sizeof *t->data);
  td_text_printf(out,
                 "static const td_tape %s = {%d, %d, %d, %d, %d, (instruction*)(uintptr_t)%s_code, "
                 "(double*)(uintptr_t)%s_consts,\n    (int*)(uintptr_t)%s_vars, "
                 "(int*)(uintptr_t)%s_outs, (tape_table*)(uintptr_t)%s_tables, "
                 "(double*)(uintptr_t)%s_data};\n",
                 name, t->ncode, t->nconst, t->nvar, t->nout, t->ntable, name, name, name, name,
                 name, name);
}

#define MODEL_TAPES(X) \
  X(bound_tape)        \
  X(param_tape)        \
  X(motion_tape)       \
  X(live_tape)         \
  X(strain_tape)       \
  X(strain_rate_tape)  \
  X(motion_open_tape)  \
  X(strain_open_tape)  \
  X(live_probe_tape)   \
  X(live_input_tape)   \
  X(output_tape) X(output_probe_tape) X(output_input_tape) X(event_tape) X(kink_tape) X(clock_tape)

// Write the model: its arrays and tapes, then the struct that points to them.
static void write_model(const td_model* m, td_text* out) {
#define X(type, array, text)                                                                 \
  td_text_printf(out, "// %s\n_Static_assert(sizeof(%s) == %zu, \"layout of %s\");\n", text, \
                 #type, sizeof(type), #type);                                                \
  write_array(#array, #type, m->array, m->n##array, sizeof(type), out);
  TD_MODEL_ARRAYS(X)
#undef X
  td_text_add(out, "_Static_assert(sizeof(instruction) == 16, \"layout of instruction\");\n");
#define X(name) write_tape("the_" #name, m->name, out);
  MODEL_TAPES(X)
#undef X

  // the struct: arrays and tapes, then single numbers
  td_text_add(out, "static const td_model the_model = {\n");
#define X(type, name, text)                                                                  \
  td_text_printf(out, "    .%s = (%s*)(uintptr_t)table_%s,\n    .n%s = %d,\n", #name, #type, \
                 #name, #name, m->n##name);
  TD_MODEL_ARRAYS(X)
#undef X
#define X(name) td_text_add(out, "    ." #name " = (td_tape*)(uintptr_t)&the_" #name ",\n");
  MODEL_TAPES(X)
#undef X

  // numbers that are no arrays
  const struct {
    const char* name;
    int x;
  } fields[] = {{"gravity", m->gravity},
                {"fluid_velocity", m->fluid_velocity},
                {"internal_rate", m->internal_rate},
                {"stream_varies", m->stream_varies},
                {"has_added", m->has_added},
                {"strains_timed", m->strains_timed},
                {"ntaut", m->ntaut},
                {"nkink", m->nkink},
                {"nclock", m->nclock},
                {"nclock_motion", m->nclock_motion},
                {"clock_straight", m->clock_straight},
                {"clock_curved", m->clock_curved},
                {"has_blocks", m->has_blocks},
                {"nstrain_octet", m->nstrain_octet},
                {"nstrain_weight", m->nstrain_weight},
                {"nrun_weight", m->nrun_weight},
                {"time_var", m->time_var},
                {"nvar", m->nvar},
                {"nbeam_frame", m->nbeam_frame},
                {"nreference", m->nreference},
                {"ntarget", m->ntarget},
                {"recursive", m->recursive},
                {"output_accel", m->output_accel},
                {"event_accel", m->event_accel},
                {"gravity_constant", m->gravity_constant},
                {"ranges_lifted", m->ranges_lifted}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    td_text_printf(out, "    .%s = %d,\n", fields[i].name, fields[i].x);
  }
  td_text_printf(out, "    .size = %.17g,\n    .accuracy = %.17g,\n    .accuracy_written = %d,\n",
                 m->size, m->accuracy, m->accuracy_written);
  const double* p = m->settings;
  td_text_printf(out, "    .settings = {%.17g, %.17g, %.17g, %.17g, %.17g, %.17g},\n};\n", p[0],
                 p[1], p[2], p[3], p[4], p[5]);
}

// ---- files ------------------------------------------------------------------------------------

// Bytes of an instance; without LAPACK the factors need other memory (plain_dense.c).
static size_t memory_size(const td_model* m) {
  const size_t n = (size_t)m->nvel, r = (size_t)m->nrow;
  const size_t plain = n * r + 4 * n * n + 4 * r * r + 8 * (n + r) * (n + 2) + 1024;
  const size_t size = td_work_bytes(m) + 4 * sizeof(double) * plain + 4096;
  return (size + 63) & ~(size_t)63;
}

static void write_head(const td_export* e, td_text* out) {
  td_text_printf(out, "// %s as a standalone model, exported by Tendril %s.\n",
                 td_plain(e->title).s, td_version());
}

// Write the name of a parameter or input with its range.
static void write_named(const td_model* m, const model_named* x, td_text* out) {
  td_text_add(out, td_plain(model_name(m, x->name)).s);
  if (isfinite(x->low) || isfinite(x->high)) td_text_printf(out, ", %g to %g", x->low, x->high);
}

// Write the header: names of all coordinates, inputs, parameters and sensors, sizes, declarations.
void td_export_header(const td_export* e, td_text* out) {
  const td_model* m = e->m;
  write_head(e, out);
  for (int i = 0; i < m->npos; i++)
    td_text_printf(out, "//   q[%d]  %s\n", i, td_plain(td_model_q_name(m, i)).s);
  for (int i = 0; i < m->nvel; i++)
    td_text_printf(out, "//   v[%d]  %s\n", i, td_plain(td_model_v_name(m, i)).s);
  for (int i = 0; i < m->ninput; i++) {
    td_text_printf(out, "//   u[%d]  ", i);
    write_named(m, &m->input[i], out);
    td_text_add(out, "\n");
  }
  for (int i = 0; i < m->ninternal; i++)
    td_text_printf(out, "//   z[%d]  %s\n", i, td_plain(td_model_internal_name(m, i)).s);
  for (int i = 0; i < m->nparam; i++) {
    td_text_printf(out, "//   parameter %d  ", i);
    write_named(m, &m->param[i], out);
    td_text_add(out, m->param[i].structural ? " (fixed)\n" : "\n");
  }
  for (int i = 0; i < m->noutput_name; i++) {
    td_text_printf(out, "//   y[%d]  %s\n", i, td_plain(td_model_sensor_name(m, i)).s);
  }

  // sizes, memory and interface
  td_text_printf(out, "#ifndef %s_MODEL_H\n#define %s_MODEL_H\n\n", e->name, e->name);
  td_text_printf(out,
                 "enum {\n  %s_nq = %d,\n  %s_nv = %d,\n  %s_nu = %d,\n  %s_np = %d,\n"
                 "  %s_nrow = %d,\n  %s_ny = %d,\n  %s_nz = %d,\n"
                 "  %s_memory = %zu  // bytes of an instance\n};\n\n",
                 e->name, m->npos, e->name, m->nvel, e->name, m->ninput, e->name, m->nparam,
                 e->name, m->nrow, e->name, m->noutput_name, e->name, m->ninternal, e->name,
                 memory_size(m));
  td_c_put(out, td_c_export_interface, e->name);
  td_text_add(out, "\n#endif\n");
}

// Write the source: the engine or only its headers, the model's tables, the functions of the
// interface.
bool td_export_source(const td_export* e, bool with_engine, td_text* out) {
  write_head(e, out);
  td_c_put(out, td_c_export_shims, e->name);
  if (!td_bundle(out, !with_engine)) return false;
  td_text_add(out, "\n// ==== the model ====\n\n");
  write_model(e->m, out);
  td_c_put(out, td_c_export_functions, e->name);
  td_c_put(out, td_c_export_rest, e->name);
  return !out->failed;
}

// Name the exported model after its file.  Networks, whose matrices are sparse, and models with
// controllers are refused.
td_status td_export_open(const td_model* m, const char* title, td_export* e) {
  const char* slash = strrchr(title, '/');
  char base[60];
  snprintf(base, sizeof base, "%.59s", slash ? slash + 1 : title);
  *e = (td_export){.m = m, .title = slash ? slash + 1 : title};
  char* dot = strrchr(base, '.');
  if (dot && dot != base) *dot = '\0';
  td_identifier(base, e->name, sizeof e->name);
  if (m->ntask > 0 || m->nloop > 0 || m->sparse) return TD_E_USAGE;
  return m->failed ? TD_E_NOMEM : TD_OK;
}

// ---- a program that compares with the library -------------------------------------------------

// Write a constant array of numbers.
static void write_numbers(td_text* out, const char* name, const double* x, int n) {
  td_text_printf(out, "static const double %s[%d] = {", name, max_int(n, 1));
  for (int i = 0; i < n; i++) {
    td_text_add(out, i ? ", " : "");
    td_c_number(out, x[i]);
  }
  td_text_add(out, n > 0 ? "};\n" : "0};\n");
}

enum { CHECK_STEPS = 20 };

// Sizes of the terms in each component of F = M v' + h - tau - J' lambda before they cancel:
// inertia, the forces themselves, the forces that stiffness and damping make of the coordinates,
// and multipliers.  Weights M_ii^-1/2 take out the units; they are 0 for prescribed motion.
// row_scale: size of the accelerations where nothing cancels.
static td_status term_sizes(const td_model* m, const td_state* s, td_work* w, double* size,
                            double* weight, double* row_scale) {
  const size_t n = (size_t)m->nvel, r = (size_t)m->nrow;
  double* block = calloc(4 * n * n + (r + 4) * (n + 1) + r, sizeof *block);
  if (!block) return TD_E_NOMEM;

  // mass matrix, forces, tangent and constraint rows at the state
  double *M = block, *K = M + n * n, *D = K + n * n, *J = D + n * n, *h = J + r * n, *tau = h + n;
  double *a = tau + n, *lambda = a + n;
  memcpy(a, td_work_vdot(w), n * sizeof *a);
  if (r > 0) memcpy(lambda, td_work_lambda(w), r * sizeof *lambda);
  td_status status = td_trial_mass_matrix(m, s, w, M);
  if (status == TD_OK) status = td_trial_bias(m, s, w, h, tau);
  if (status == TD_OK) status = td_trial_tangent(m, s, w, a, lambda, K, D);
  if (status == TD_OK && r > 0) status = td_trial_constraints(m, s, w, J, NULL, NULL);

  // weights, with the least mass where a velocity has none
  double lightest = INFINITY;
  for (size_t i = 0; i < n; i++)
    if (M[i * n + i] > 0) lightest = fmin(lightest, M[i * n + i]);

  // sizes
  for (size_t i = 0; i < n; i++) {
    const double mass = M[i * n + i] > 0 ? M[i * n + i] : isfinite(lightest) ? lightest : 1;
    size[i] = fabs(h[i]) + fabs(tau[i]);
    for (size_t k = 0; k < n; k++) {
      const int partner = m->vel[k].partner;
      const double q = partner >= 0 ? fabs(s->q[partner]) : 1;  // of quaternions: a turn
      size[i] += fabs(M[i * n + k] * a[k]) + fabs(K[i * n + k]) * q + fabs(D[i * n + k] * s->v[k]);
    }
    for (size_t k = 0; k < r; k++) size[i] += fabs(J[k * n + i] * lambda[k]);
    weight[i] = m->vel[i].motion == NUM_NONE ? 1 / sqrt(mass) : 0;
  }

  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, weight[i] * size[i]);
  for (size_t i = 0; i < n; i++) {
    row_scale[i] = fabs(a[i]) + largest * weight[i];
  }
  free(block);
  return status;
}

// Write the engine's numbers at the start and after some steps, and the program that compares them.
static td_status write_check(const td_export* e, td_text* out) {
  const td_model* m = e->m;
  td_work* w = td_work_new(m);
  td_state* s = td_state_new(m);
  double* y = calloc((size_t)m->noutput_name + 1, sizeof *y);
  double* size = calloc(3 * (size_t)m->nvel + 1, sizeof *size);
  td_status status = w && s && y && size ? td_state_initial(m, w, s) : TD_E_NOMEM;
  double dt = 1e-6;
  write_head(e, out);
  td_c_put(out,
           "// Compares it with the library's numbers.\n#include \"@.h\"\n\n#include <math.h>\n"
           "#include <stdio.h>\n\n",
           e->name);

  // accelerations, multipliers and sizes of terms at the start
  if (status == TD_OK) status = td_trial_dynamics(m, s, w);
  if (status == TD_OK) {
    write_numbers(out, "want_q0", s->q, m->npos);
    write_numbers(out, "want_vdot", td_work_vdot(w), m->nvel);
    write_numbers(out, "want_lambda", td_work_lambda(w), m->nrow);
    status = term_sizes(m, s, w, size, size + m->nvel, size + 2 * m->nvel);
  }
  if (status == TD_OK) {
    write_numbers(out, "size", size, m->nvel);
    write_numbers(out, "weight", size + m->nvel, m->nvel);
    write_numbers(out, "row_scale", size + 2 * m->nvel, m->nvel);
    status = td_trial_dynamics(m, s, w);
  }

  // largest speed and acceleration there
  double fastest = 0, most = 0;
  for (int i = 0; status == TD_OK && i < m->nvel; i++) {
    fastest = fmax(fastest, fabs(td_work_vdot(w)[i]));
    most = fmax(most, fabs(s->v[i]));
  }

  // steps short enough for an explicit method, since light bodies with strong dampers are faster
  // than any rod; rods that have to buckle do so within the first step
  const double stuck = status == TD_OK ? td_stuck(m, s, w, s->t + 1) : 0;
  if (stuck > 0) dt = 2 * stuck;
  while (status == TD_OK) {
    // begin as the exported program does: nothing is remembered of attempts with longer steps
    td_work_free(w);
    w = td_work_new(m);
    if (!w) status = TD_E_NOMEM;
    if (status == TD_OK) status = td_state_initial(m, w, s);
    for (int i = 0; i < CHECK_STEPS && status == TD_OK; i++) status = td_fixed_step(m, s, w, dt);
    bool settled = status == TD_OK || stuck > 0;
    for (int i = 0; settled && stuck == 0 && i < m->nvel; i++)
      settled = fabs(s->v[i]) <= 10 * (most + CHECK_STEPS * dt * fastest) + 1e-12;
    if (settled || dt < 1e-13 || status == TD_E_NOMEM) break;
    status = TD_OK;
    dt *= 1e-2;
  }

  // coordinates, velocities, sensors and internal states after the steps
  if (status == TD_OK) status = td_trial_sensors(m, s, w, y);
  if (status == TD_OK) {
    write_numbers(out, "want_q", s->q, m->npos);
    write_numbers(out, "want_v", s->v, m->nvel);
    write_numbers(out, "want_y", y, m->noutput_name);
    write_numbers(out, "want_z", s->z, m->ninternal);
    td_text_printf(out, "static const double dt = %.17g;\nenum { steps = %d };\n\n", dt,
                   CHECK_STEPS);
    td_c_put(out, td_c_export_check, e->name);
  }
  free(y);
  free(size);
  td_state_free(s);
  td_work_free(w);
  return status;
}

// Write a standalone model, its header and its check as files.
td_status td_export_c(const td_model* m, const char* title, td_files* files) {
  if (!m || !title || !files) return TD_E_USAGE;
  td_export e;
  td_text source = {0}, header = {0}, check = {0};
  td_status status = td_export_open(m, title, &e);
  if (status == TD_OK && !td_export_source(&e, true, &source)) status = TD_E_NOMEM;
  if (status == TD_OK) td_export_header(&e, &header);
  if (status == TD_OK) status = write_check(&e, &check);
  if (status == TD_OK) status = td_stage_text(files, e.name, ".c", &source);
  if (status == TD_OK) status = td_stage_text(files, e.name, ".h", &header);
  if (status == TD_OK) status = td_stage_text(files, e.name, "_check.c", &check);
  td_text_free(&source);
  td_text_free(&header);
  td_text_free(&check);
  return status;
}
