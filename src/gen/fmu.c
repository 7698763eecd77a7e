// Export as a functional mock-up unit (FMI 2.0 or 3.0) for model exchange and co-simulation: an
// archive of a description in XML, C sources and, where a C compiler is found, a binary for this
// machine.  Variables have value references in the order of variable_at().
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zip.h>

#include "engine/engine.h"
#include "engine/stages.h"
#include "gen/bundle.h"
#include "gen/compiler.h"
#include "gen/export.h"
#include "gen/identifier.h"
#include "io/files.h"

// A unit while it is written.
typedef struct fmu_writer {
  td_export e;
  int version;
  char guid[40];
  int nx;
  int* params;  // parameters that an importer may change
  int np;
  int nguard;  // guards of one-sided elements
  td_state* start;
  td_work* w;
} fmu_writer;

// The texts of a unit.
typedef struct unit {
  td_text model, header, source, description, build;
} unit;

// ---- variables --------------------------------------------------------------------------------

typedef enum role {
  ROLE_STATE,
  ROLE_RATE,
  ROLE_INPUT,
  ROLE_PARAM,
  ROLE_OUTPUT,
  ROLE_TIME,
  ROLE_EVENT,
  ROLE_GUARD
} role;

typedef struct variable {
  role role;
  int index;  // within its role
  char name[200];
  char about[200];
  double start;
  const model_named* named;  // inputs and parameters
} variable;

static int variable_count(const fmu_writer* f) {
  const td_model* m = f->e.m;
  return 2 * f->nx + m->ninput + f->np + m->noutput_name + 1 + m->nevent + f->nguard;
}

// Name of state x_i and its description: coordinates, velocities, integrated controls, internal
// states
static void state_name(const fmu_writer* f, int i, char* name, size_t size, const char** about) {
  const td_model* m = f->e.m;
  if (i < m->npos) {
    snprintf(name, size, "q[%d]", i + 1);
    *about = td_model_q_name(m, i);
  } else if (i < m->npos + m->nvel) {
    snprintf(name, size, "v[%d]", i - m->npos + 1);
    *about = td_model_v_name(m, i - m->npos);
  } else if (i < m->npos + m->nvel + 2 * m->ntarget) {
    snprintf(name, size, "target[%d]", i - m->npos - m->nvel + 1);
    *about = "integrated control";
  } else {
    snprintf(name, size, "%s", td_model_internal_name(m, i - m->npos - m->nvel - 2 * m->ntarget));
    *about = "internal state";
  }
}

// Initial value of state x_i
static double state_start(const fmu_writer* f, int i) {
  const td_model* m = f->e.m;
  if (i < m->npos) return f->start->q[i];
  if (i < m->npos + m->nvel) return f->start->v[i - m->npos];
  const int inner = i - m->npos - m->nvel - 2 * m->ntarget;
  return inner >= 0 ? f->start->z[inner] : td_targets(f->w)[i - m->npos - m->nvel];
}

// The variable with value reference vr; the order is states, their derivatives, inputs, parameters,
// outputs, time, event indicators of the model's events and of one-sided elements.
static variable variable_at(const fmu_writer* f, int vr) {
  const td_model* m = f->e.m;
  variable v = {.role = ROLE_STATE, .index = vr};
  const char* about = "";
  char name[80];

  // which range of value references it is in
  if (vr < 2 * f->nx) {
    v.role = vr < f->nx ? ROLE_STATE : ROLE_RATE;
    v.index = vr % f->nx;
    state_name(f, v.index, name, sizeof name, &about);
    snprintf(v.name, sizeof v.name, v.role == ROLE_RATE ? "der(%s)" : "%s", name);
    v.start = state_start(f, v.index);
  } else if ((vr -= 2 * f->nx) < m->ninput) {
    v.role = ROLE_INPUT;
    v.index = vr;
    snprintf(v.name, sizeof v.name, "%s", td_model_input_name(m, vr));
    v.named = &m->input[vr];
  } else if ((vr -= m->ninput) < f->np) {
    v.role = ROLE_PARAM;
    v.index = vr;
    snprintf(v.name, sizeof v.name, "%s", td_model_param_name(m, f->params[vr]));
    v.named = &m->param[f->params[vr]];
  } else if ((vr -= f->np) < m->noutput_name) {
    v.role = ROLE_OUTPUT;
    v.index = vr;
    snprintf(v.name, sizeof v.name, "%s", td_model_sensor_name(m, vr));
    const bool taken = td_model_input_find(m, v.name) >= 0 || td_model_param_find(m, v.name) >= 0;
    if (taken) strncat(v.name, "_out", sizeof v.name - strlen(v.name) - 1);
  } else if ((vr -= m->noutput_name) == 0) {
    v.role = ROLE_TIME;
    snprintf(v.name, sizeof v.name, "time");
  } else if (vr <= m->nevent) {
    v.role = ROLE_EVENT;
    snprintf(v.name, sizeof v.name, "event[%d]", vr);
    about = "crosses zero when the event happens";
  } else {
    v.role = ROLE_GUARD;
    snprintf(v.name, sizeof v.name, "guard[%d]", vr - m->nevent);
    about = "crosses zero where a one-sided element begins or ceases to act";
  }
  if (v.named) v.start = v.named->value;
  snprintf(v.about, sizeof v.about, "%.190s", about);
  return v;
}

// Append a text with XML's special characters replaced.
static void escape(td_text* out, const char* s) {
  for (; *s; s++) {
    const char* to = *s == '&'                 ? "&amp;"
                     : *s == '<'               ? "&lt;"
                     : *s == '>'               ? "&gt;"
                     : *s == '"'               ? "&quot;"
                     : (unsigned char)*s < ' ' ? "_"  // XML has no place for it
                                               : NULL;
    if (to) {
      td_text_add(out, to);
    } else {
      td_text_addn(out, s, 1);
    }
  }
}

// ---- description ------------------------------------------------------------------------------

// Append an XML attribute.
static void attribute(td_text* out, const char* name, const char* value) {
  td_text_printf(out, " %s=\"", name);
  escape(out, value);
  td_text_add(out, "\"");
}

// Write the element of one variable.
static void write_variable(const fmu_writer* f, int vr, td_text* out) {
  const variable v = variable_at(f, vr);
  static const char* const causality[] = {"local",  "local",       "input", "parameter",
                                          "output", "independent", "local", "local"};
  const bool two = f->version == 2;
  td_text_add(out, two ? "    <ScalarVariable" : "    <Float64");
  attribute(out, "name", v.name);
  td_text_printf(out, " valueReference=\"%d\" causality=\"%s\" variability=\"%s\"", vr,
                 causality[v.role], v.role == ROLE_PARAM ? "fixed" : "continuous");
  if (v.role == ROLE_STATE || v.role == ROLE_PARAM) td_text_add(out, " initial=\"exact\"");
  if (v.role == ROLE_RATE || v.role == ROLE_OUTPUT || v.role >= ROLE_EVENT)
    td_text_add(out, " initial=\"calculated\"");

  // description, start value, and the state whose derivative it is
  if (*v.about) attribute(out, "description", v.about);
  if (two) td_text_add(out, "><Real");
  if (v.role == ROLE_STATE || v.role == ROLE_INPUT || v.role == ROLE_PARAM) {
    td_text_printf(out, " start=\"%.17g\"", v.start);
  }
  if (v.named && !f->e.m->ranges_lifted) {
    if (isfinite(v.named->low)) td_text_printf(out, " min=\"%.17g\"", v.named->low);
    if (isfinite(v.named->high)) td_text_printf(out, " max=\"%.17g\"", v.named->high);
  }
  // counted from 1 in the list of variables, or by value reference
  if (v.role == ROLE_RATE) td_text_printf(out, " derivative=\"%d\"", v.index + two);
  td_text_add(out, two ? "/></ScalarVariable>\n" : "/>\n");
}

// List the variables of a role as unknowns of the model structure; FMI 2 counts variables from 1,
// FMI 3 gives value references.
static void write_unknowns(const fmu_writer* f, const char* element, role wanted, td_text* out) {
  for (int vr = 0; vr < variable_count(f); vr++) {
    if (variable_at(f, vr).role != wanted) continue;
    if (f->version == 2)
      td_text_printf(out, "      <%s index=\"%d\"/>\n", element, vr + 1);
    else
      td_text_printf(out, "    <%s valueReference=\"%d\"/>\n", element, vr);
  }
}

// Write which outputs and derivatives are unknowns, in FMI 3 also the event indicators.
static void write_structure(const fmu_writer* f, td_text* out) {
  if (f->version == 3) {
    write_unknowns(f, "Output", ROLE_OUTPUT, out);
    write_unknowns(f, "ContinuousStateDerivative", ROLE_RATE, out);
    write_unknowns(f, "InitialUnknown", ROLE_RATE, out);
    write_unknowns(f, "InitialUnknown", ROLE_OUTPUT, out);
    write_unknowns(f, "EventIndicator", ROLE_EVENT, out);
    write_unknowns(f, "EventIndicator", ROLE_GUARD, out);
    return;
  }
  if (f->e.m->noutput_name > 0) {
    td_text_add(out, "    <Outputs>\n");
    write_unknowns(f, "Unknown", ROLE_OUTPUT, out);
    td_text_add(out, "    </Outputs>\n");
  }
  td_text_add(out, "    <Derivatives>\n");
  write_unknowns(f, "Unknown", ROLE_RATE, out);
  td_text_add(out, "    </Derivatives>\n    <InitialUnknowns>\n");
  write_unknowns(f, "Unknown", ROLE_RATE, out);
  write_unknowns(f, "Unknown", ROLE_OUTPUT, out);
  td_text_add(out, "    </InitialUnknowns>\n");
}

// Write the element of an interface (model exchange or co-simulation) with its capabilities.
static void write_kind(const fmu_writer* f, const char* kind, bool cosim, td_text* out) {
  const bool two = f->version == 2;
  td_text_printf(out,
                 "  <%s modelIdentifier=\"%s\" providesDirectionalDerivative%s=\"true\" "
                 "canGetAndSetFMU%s=\"true\" canSerializeFMU%s=\"true\"%s",
                 kind, f->e.name, two ? "" : "s", two ? "state" : "State", two ? "state" : "State",
                 cosim ? " canHandleVariableCommunicationStepSize=\"true\"" : "");
  if (two) {
    td_text_printf(out, ">\n    <SourceFiles><File name=\"fmu.c\"/></SourceFiles>\n  </%s>\n",
                   kind);
  } else {
    td_text_add(out, "/>\n");
  }
}

// Write modelDescription.xml.
static void write_description(const fmu_writer* f, td_text* out) {
  const bool two = f->version == 2;
  td_text_printf(out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<fmiModelDescription fmiVersion=\"%d.0\"",
                 f->version);
  attribute(out, "modelName", f->e.name);
  attribute(out, two ? "guid" : "instantiationToken", f->guid);
  attribute(out, "description", f->e.title);
  td_text_printf(out, " generationTool=\"Tendril %s\" variableNamingConvention=\"structured\"",
                 td_version());
  if (two) td_text_printf(out, " numberOfEventIndicators=\"%d\"", f->e.m->nevent + f->nguard);
  td_text_add(out, ">\n");

  // interfaces
  write_kind(f, "ModelExchange", false, out);
  write_kind(f, "CoSimulation", true, out);

  // variables
  const double* settings = f->e.m->settings;
  td_text_printf(
      out,
      "  <DefaultExperiment startTime=\"%.17g\" stopTime=\"%.17g\" tolerance=\"%.17g\"/>\n"
      "  <ModelVariables>\n",
      settings[0], settings[1], settings[3]);
  for (int vr = 0; vr < variable_count(f); vr++) write_variable(f, vr, out);
  td_text_add(out, "  </ModelVariables>\n  <ModelStructure>\n");

  write_structure(f, out);
  td_text_add(out, "  </ModelStructure>\n</fmiModelDescription>\n");
}

// ---- sources ----------------------------------------------------------------------------------

// Write fmu.c: constants, the standalone model, the core, the functions of the standard.
static void write_source(const fmu_writer* f, td_text* out) {
  const td_model* m = f->e.m;
  td_text_printf(
      out,
      "// %s as a functional mock-up unit, exported by Tendril %s.\n"
      "#include <stdio.h>\n#include <stdlib.h>\n\n"
      "#define TD_MESSAGES  // of the engine\n"
      "#include \"%s.c\"\n\n"
      "#undef calloc\n#undef malloc\n#undef free\n#undef abort\n#undef assert\n#undef vsnprintf\n\n"
      "#define FMU_GUID \"%s\"\n",
      td_plain(f->e.title).s, td_version(), f->e.name, f->guid);
  td_text_printf(
      out,
      "enum {\n  FMU_NQ = %d,\n  FMU_NV = %d,\n  FMU_NT = %d,\n  FMU_NU = %d,\n  FMU_NP = %d,\n"
      "  FMU_NY = %d,\n  FMU_NE = %d,\n  FMU_NG = %d,\n  FMU_NZ = %d,\n"
      "  FMU_MEMORY = %s_memory\n};\n"
      "static const int fmu_params[%d] = {",
      m->npos, m->nvel, 2 * m->ntarget, m->ninput, f->np, m->noutput_name, m->nevent, f->nguard,
      m->ninternal, f->e.name, max_int(f->np, 1));
  for (int i = 0; i < f->np; i++) td_text_printf(out, "%s%d", i ? ", " : "", f->params[i]);
  td_text_add(out, f->np ? "};\n\n" : "0};\n\n");

  // the core and the functions of the standard
  td_text_add(out, td_source_text(td_fmu_sources, "fmu_core.c"));
  td_text_add(out, "\n");
  td_text_add(out, td_source_text(td_fmu_sources, "fmu_steps.c"));
  td_text_add(out, "\n");
  td_text_add(out, td_source_text(td_fmu_sources, f->version == 3 ? "fmu3.c" : "fmu2.c"));
  td_text_add(out, "\n");
  td_text_add(out, td_source_text(td_fmu_sources, "fmu_shared.c"));
}

// Make the identifier of a unit, a hash of its source: the same model has the same identifier.
static void make_guid(const td_text* source, char* guid, size_t size) {
  uint64_t h[2] = {0xcbf29ce484222325u, 0x9e3779b97f4a7c15u};
  for (int i = 0; i < source->n; i++) {
    for (int k = 0; k < 2; k++)
      h[k] = (h[k] ^ (uint64_t)(unsigned char)source->s[i] ^ (uint64_t)k) * 0x100000001b3u;
  }
  snprintf(guid, size, "{%08x-%04x-%04x-%04x-%012llx}", (unsigned)(h[0] >> 32),
           (unsigned)(h[0] >> 16 & 0xffff), (unsigned)(h[0] & 0xffff), (unsigned)(h[1] >> 48),
           (unsigned long long)(h[1] & 0xffffffffffffu));
}

// ---- binary -----------------------------------------------------------------------------------

// Compile the text of the model with the rest of the unit's sources and link it.
static bool compile(const fmu_writer* f, const unit* u, const td_text* model, const char* archive,
                    td_build* build, char* path, size_t size) {
  static const char* const flags[] = {
      "-std=gnu11",          "-O2", "-fPIC",      "-shared",
      "-fvisibility=hidden", "-w",  "-Wno-psabi", "-Werror=implicit-function-declaration"};
  char name[80], header[80];
  snprintf(name, sizeof name, "%s.c", f->e.name);
  snprintf(header, sizeof header, "%s.h", f->e.name);
  return td_build_file(build, "fmu.c", u->source.s, (size_t)u->source.n) &&
         td_build_file(build, name, model->s, (size_t)model->n) &&
         td_build_file(build, header, u->header.s, (size_t)u->header.n) &&
         td_build_library(build, "fmu.c", archive, flags, sizeof flags / sizeof *flags, path, size);
}

// Most of a unit is the engine, the same in all: the model alone is compiled and linked with the
// engine that was compiled with this library.  Another compiler, other flags or a linker that does
// not take the archive compile all of the sources, as importers do.
static bool build_binary(const fmu_writer* f, const unit* u, td_build* build, char* path,
                         size_t size) {
  static const char archive[] = "engine.a";
  const size_t n = (size_t)(td_engine_archive_end - td_engine_archive);
  td_text model = {0};
  const bool linked = !td_build_is_chosen() && td_export_source(&f->e, false, &model) &&
                      td_build_file(build, archive, (const char*)td_engine_archive, n) &&
                      compile(f, u, &model, archive, build, path, size);
  td_text_free(&model);
  return linked || (!build->stopped && compile(f, u, &u->model, NULL, build, path, size));
}

// ---- archive ----------------------------------------------------------------------------------

// A zip file while it is written.
typedef struct archive {
  zip_t* zip;
  bool failed;
} archive;

// Add a file with a fixed time, so that the same unit gives the same archive; the source's memory
// must live until the archive is closed.
static void add_file(archive* a, const char* name, zip_source_t* source) {
  const zip_int64_t i = source ? zip_file_add(a->zip, name, source, ZIP_FL_ENC_UTF_8) : -1;
  if (i < 0 && source) zip_source_free(source);
  if (i >= 0) zip_file_set_mtime(a->zip, (zip_uint64_t)i, 315619200, 0);
  a->failed = a->failed || i < 0;
}

static void add_text(archive* a, const char* name, const td_text* text) {
  const bool ok = !text->failed && text->s;
  add_file(a, name, ok ? zip_source_buffer(a->zip, text->s, (zip_uint64_t)text->n, 0) : NULL);
}

// Write the archive; binary NULL: sources only.
static td_status write_archive(const fmu_writer* f, const unit* u, const char* binary,
                               td_files* files) {
  char name[200];
  snprintf(name, sizeof name, "%s.fmu", f->e.name);
  const char* path = td_files_stage(files, name);
  if (!path) return TD_E_IO;

  // description, sources and binary
  int error = 0;
  archive a = {.zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &error)};
  if (!a.zip) return td_files_broken(files, name, "the archive cannot be opened");
  add_text(&a, "modelDescription.xml", &u->description);
  add_text(&a, "sources/fmu.c", &u->source);
  snprintf(name, sizeof name, "sources/%s.c", f->e.name);
  add_text(&a, name, &u->model);
  snprintf(name, sizeof name, "sources/%s.h", f->e.name);
  add_text(&a, name, &u->header);
  if (f->version == 3) add_text(&a, "sources/buildDescription.xml", &u->build);
  snprintf(name, sizeof name, "binaries/%s/%s.so", f->version == 3 ? "x86_64-linux" : "linux64",
           f->e.name);
  if (binary) add_file(&a, name, zip_source_file(a.zip, binary, 0, -1));

  // close the archive, or leave nothing behind
  if (a.failed) {
    zip_discard(a.zip);
    td_files_unstage(files);
    return TD_E_NOMEM;
  }
  snprintf(name, sizeof name, "%s.fmu", f->e.name);
  if (zip_close(a.zip) != 0) {
    zip_discard(a.zip);
    return td_files_broken(files, name, "the archive cannot be written");
  }
  return td_files_staged(files);
}

// Compile the unit and write the archive; without a compiler it has sources only, and a message.
static td_status pack(const fmu_writer* f, const unit* u, td_files* files, char* message,
                      size_t size) {
  td_build build;
  char binary[600];
  bool compiled = td_build_open(&build);
  build.go_on = td_files_go_on;
  build.user = files;
  compiled = compiled && build_binary(f, u, &build, binary, sizeof binary);
  if (build.stopped) {
    td_build_close(&build);
    return TD_E_STOPPED;
  }
  if (!compiled) {
    const char* scratch = getenv("TMPDIR");
    snprintf(
        message, size,
        "cc could not build the binary (is a C compiler installed, and is there room in %s?): the "
        "FMU has sources only",
        scratch && *scratch ? scratch : "/tmp");
  }
  const td_status status = write_archive(f, u, compiled ? binary : NULL, files);
  td_build_close(&build);
  return status;
}

// ---- all --------------------------------------------------------------------------------------

// Count the variables and set the initial state.
static td_status prepare(fmu_writer* f) {
  const td_model* m = f->e.m;
  f->nx = m->npos + m->nvel + 2 * m->ntarget + m->ninternal;
  f->nguard = td_guard_count(m);
  f->params = malloc(((size_t)m->nparam + 1) * sizeof *f->params);
  f->w = td_work_new(m);
  f->start = td_state_new(m);
  if (!f->params || !f->w || !f->start) return TD_E_NOMEM;

  // parameters that are used while the model is loaded are fixed
  for (int i = 0; i < m->nparam; i++) {
    if (!m->param[i].structural) f->params[f->np++] = i;
  }
  return td_state_initial(m, f->w, f->start);
}

// Write all texts of a unit (model, header, source, build and model description) and pack them into
// the archive.
static td_status write_unit(fmu_writer* f, unit* u, td_files* files, char* message, size_t size) {
  if (!td_export_source(&f->e, true, &u->model)) return TD_E_NOMEM;
  td_export_header(&f->e, &u->header);
  make_guid(&u->model, f->guid, sizeof f->guid);
  write_source(f, &u->source);
  td_text_printf(
      &u->build,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
      "  <BuildConfiguration modelIdentifier=\"%s\">\n"
      "    <SourceFileSet language=\"C11\"><SourceFile name=\"fmu.c\"/></SourceFileSet>\n"
      "    <Library name=\"m\"/>\n  </BuildConfiguration>\n</fmiBuildDescription>\n",
      f->e.name);
  write_description(f, &u->description);
  if (u->header.failed || u->source.failed || u->description.failed || u->build.failed)
    return TD_E_NOMEM;
  return pack(f, u, files, message, size);
}

// Refuse models that cannot be a unit, with a reason in `message`, else write the unit.  After
// success `message` may tell that it has sources only.
td_status td_export_fmu(const td_model* m, const char* title, int version, td_files* files,
                        char* message, size_t size) {
  if (!m || !title || !files || (!message && size > 0)) return TD_E_USAGE;
  fmu_writer f = {.version = version};
  unit u = {0};
  if (size > 0) message[0] = '\0';
  if (version != 2 && version != 3) return TD_E_USAGE;

  // refuse what a unit cannot have: sparse matrices, controllers, cables that go slack
  if (m->sparse) {
    snprintf(message, size,
             "networks with sparse matrices cannot be exported; par.linear = 'dense' "
             "makes small ones dense");
    return TD_E_USAGE;
  }
  if (m->ntask > 0 || m->nloop > 0) {
    snprintf(message, size,
             "%s(1) sets inputs by itself and does not come along: leave it out of the model, and "
             "the importer gives these inputs",
             m->ntask > 0 ? "task" : "control");
    return TD_E_USAGE;
  }
  if (m->ntaut > 0) {
    snprintf(message, size,
             "%s cannot be stretched: a functional mock-up unit does not let it go and catch; give "
             "it a stiffness [N/m]",
             td_taut_name(m, 0));
    return TD_E_USAGE;
  }

  // write the unit
  td_status status = td_export_open(m, title, &f.e);
  if (status == TD_OK) status = prepare(&f);
  if (status == TD_OK) status = write_unit(&f, &u, files, message, size);
  td_text_free(&u.model);
  td_text_free(&u.header);
  td_text_free(&u.source);
  td_text_free(&u.description);
  td_text_free(&u.build);
  td_state_free(f.start);
  td_work_free(f.w);
  free(f.params);
  return status;
}
