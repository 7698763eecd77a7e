// The mesh files of a model: found beside the model, read, their nodes joined, and kept in the spec
// for the compiler.
#include "io/cad.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "model/field.h"

enum { FILE_LIMIT = 400000000 };  // bytes: about a million lines in an IGES file

// File name relative to the text that names it; to be freed, NULL: no memory
static char* beside(const td_spec* spec, td_span at, const char* name) {
  const bool known = at.source >= 0 && at.source < spec->diags.nsource;
  return td_file_beside(known ? spec->diags.sources[at.source].name : "", name);
}

// A mesh and its file.
typedef struct mesh_file {
  td_spec* spec;
  int mesh;  // from 0
  td_span at;
  const char *name, *path;  // as written, and where it is
} mesh_file;

static td_status refuse(const mesh_file* f, td_status status, const char* why) {
  return td_error(&f->spec->diags, status, f->at, "mesh(%d): cannot read '%.200s': %s", f->mesh + 1,
                  f->name, why);
}

// Read a file of limited size that the model may read.
static td_status read_bytes(const mesh_file* f, char** text, size_t* size) {
  if (!td_spec_may_read(f->spec, f->path)) {
    refuse(f, TD_E_IO, "it is outside the model's folder and TENDRIL_DATA");
    td_hint(&f->spec->diags, "--allow-read, if you trust the model");
    return TD_E_IO;
  }

  const char* why;
  const td_status status = td_file_read(f->path, FILE_LIMIT, text, size, &why);
  return status == TD_E_IO ? refuse(f, status, why ? why : "it is larger than 400 MB") : status;
}

static double number_of(const value* mesh, int i, const char* field) {
  const value* v = td_get(mesh, i, field);
  return v && v->kind == V_NUM ? v->x[0] : 0;
}

static bool ends_with(const char* path, const char* end) {
  const size_t n = strlen(path), k = strlen(end);
  return n >= k && strcasecmp(path + n - k, end) == 0;
}

// Read the wireframe of a file, STL or IGES, and join its nodes.
static td_status read_wire(const mesh_file* f, const value* mesh, const char* text, size_t size,
                           td_wire* out) {
  td_cad cad = {.unit = number_of(mesh, f->mesh, "unit"),
                .chord = number_of(mesh, f->mesh, "chord"),
                .limit = 4 * f->spec->limits.nodes};
  const bool stl = ends_with(f->path, ".stl");
  td_status status = stl ? td_stl_read(text, size, &cad) : td_iges_read(text, size, &cad);

  // join the nodes
  const double tol = td_get(mesh, f->mesh, "tol") ? number_of(mesh, f->mesh, "tol")
                                                  : 1e-6 * td_wire_extent(&cad.wire);
  const bool empty = cad.wire.nedge == 0;
  if (status == TD_OK) status = td_wire_join(&cad.wire, tol);
  if (status == TD_OK && cad.wire.nedge == 0)
    status = td_cad_fail(&cad, empty ? "it has no lines or curves" : "all nodes are within tol");

  // report, or keep the wire
  if (status == TD_E_SYNTAX) refuse(f, TD_E_MODEL, cad.message);
  if (status == TD_OK)
    *out = cad.wire;
  else
    td_wire_free(&cad.wire);
  return status == TD_E_SYNTAX ? TD_E_MODEL : status;
}

// Read the file of mesh i.
static td_status read_mesh(td_spec* spec, const value* mesh, int i) {
  const value* name = td_field_get(mesh, i, "mesh.file_name");
  const char* field = td_get(mesh, i, "file_name") ? "file_name" : "file";
  mesh_file f = {spec, i, td_get_at(mesh, i, field), name->s, NULL};
  char* path = beside(spec, f.at, name->s);
  char* text = NULL;
  size_t size = 0;
  f.path = path;
  td_status status = path ? read_bytes(&f, &text, &size) : TD_E_NOMEM;
  if (status == TD_OK) status = read_wire(&f, mesh, text, size, &spec->wires[i]);
  free(text);
  free(path);
  return status;
}

// Read the files of all meshes; every one that fails is reported.
td_status td_read_meshes(td_spec* spec) {
  const value* mesh = td_get(spec->root, 0, "mesh");
  if (!mesh || mesh->kind != V_STRUCT) return TD_OK;
  const int n = td_value_count(mesh);
  TD_TRY(td_spec_wires(spec, n));
  td_status worst = TD_OK;
  for (int i = 0; i < n; i++) {
    const value* name = td_field_get(mesh, i, "mesh.file_name");
    const td_status s = name && name->kind == V_STR ? read_mesh(spec, mesh, i) : TD_OK;
    if (s != TD_OK) worst = s;
  }
  return worst;
}
