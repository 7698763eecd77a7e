// Questions programs ask about a spec or a model: what the text printed, string settings, what each
// coordinate is, and the versions of the parts that read and write files.
#include <cjson/cJSON.h>
#include <hdf5.h>
#include <matio.h>
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "spec.h"
#include "tendril/tools.h"

const char* td_spec_printed(const td_spec* spec) { return spec->printed.s ? spec->printed.s : ""; }

const char* td_spec_text(const td_spec* spec, const char* path) {
  const value* v = spec->root;
  while (v && *path) {
    const size_t n = strcspn(path, ".");
    char name[64];
    if (n >= sizeof name || v->kind != V_STRUCT || td_value_count(v) < 1) return NULL;
    memcpy(name, path, n);
    name[n] = '\0';
    v = td_get(v, 0, name);
    path += n + (path[n] == '.');
  }
  return v && v->kind == V_STR ? v->s : NULL;
}

static bool is_word(const value* v, const char* name) {
  return v && v->kind == V_STR && strcmp(v->s, name) == 0;
}

bool td_spec_wants(const td_spec* spec, const char* name) {
  const value* list = td_get(spec->root, 0, "output");
  if (!list) return true;
  if (list->kind != V_CELL) return is_word(list, name);
  for (int i = 0; i < td_value_count(list); i++) {
    if (is_word(list->slots[i].v, name)) return true;
  }
  return false;
}

// The hop that owns generalised position (or velocity) i.
static const model_hop* owner(const td_model* m, int i, bool velocity) {
  for (int h = 0; h < m->nhop; h++) {
    const model_hop* hop = &m->hop[h];
    const int first = velocity ? hop->v : hop->q, n = velocity ? hop->nv : hop->nq;
    if (i >= first && i < first + n) return hop;
  }
  return NULL;
}

static const char* unit_of(const model_hop* hop, bool velocity) {
  if (!hop) return "";
  switch (hop->kind) {
    case HOP_SCREW:
      if (hop->turns) return velocity ? "rad/s" : "rad";
      return velocity ? "m/s" : "m";
    case HOP_BALL:
    case HOP_CIRCLE:
      return velocity ? "rad/s" : "";
    case HOP_QUAT3:
      return velocity ? "1/s" : "";
    case HOP_CAYLEY:
      return velocity ? "rad/s" : "rad";
  }
  return "";
}

static td_coordinate describe(const td_model* m, const model_dof* dof, const model_hop* hop,
                              bool velocity) {
  const bool known = dof->joint >= 1 && dof->joint <= m->njoint;
  return (td_coordinate){
      .name = model_name(m, dof->name),
      .joint = known ? model_name(m, m->joint[dof->joint - 1].name) : "",
      .number = dof->joint,
      .element = dof->element,
      .dof = dof->dof,
      .unit = unit_of(hop, velocity),
      .prescribed = hop && hop->prescribed,
  };
}

bool td_model_q_about(const td_model* model, int i, td_coordinate* about) {
  if (i < 0 || i >= model->npos) return false;
  *about = describe(model, &model->pos[i], owner(model, i, false), false);
  return true;
}

bool td_model_v_about(const td_model* model, int i, td_coordinate* about) {
  if (i < 0 || i >= model->nvel) return false;
  *about = describe(model, &model->vel[i], owner(model, i, true), true);
  return true;
}

static int add_part(td_part* parts, int n, int limit, const char* name, const char* version) {
  if (n >= limit) return n;
  parts[n].name = name;
  snprintf(parts[n].version, sizeof parts[n].version, "%s", version);
  return n + 1;
}

int td_parts(td_part* parts, int limit) {
  char text[32];
  int n = 0;
  n = add_part(parts, n, limit, "SUNDIALS", TENDRIL_SUNDIALS);
  n = add_part(parts, n, limit, "OpenBLAS and LAPACK", TENDRIL_OPENBLAS);

  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  snprintf(text, sizeof text, "%u.%u.%u", major, minor, release);
  n = add_part(parts, n, limit, "HDF5", text);

  int a = 0, b = 0, c = 0;
  Mat_GetLibraryVersion(&a, &b, &c);
  snprintf(text, sizeof text, "%d.%d.%d", a, b, c);
  n = add_part(parts, n, limit, "matio", text);
  return add_part(parts, n, limit, "cJSON", cJSON_Version());
}
