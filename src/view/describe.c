// The model's text, and the names of the model that was made of it, as JSON.
#include "view/describe.h"

#include "model/model.h"
#include "model/spec.h"
#include "tendril/tools.h"
#include "view/text_json.h"

enum { LISTED = 400 };  // names of each kind

// Add the texts of the model.
void td_describe_sources(td_text* out, const td_spec* spec) {
  const td_diags* d = &spec->diags;
  td_json_key(out, "sources");
  td_text_add(out, "[");
  for (int i = 0; i < d->nsource; i++) {
    td_json_next(out);
    td_text_add(out, "{\"name\":");
    td_json_string(out, d->sources[i].name);
    td_text_add(out, ",\"text\":");
    td_json_string(out, d->sources[i].text);
    td_text_add(out, "}");
  }
  td_text_add(out, "]");
}

// Add a list of names.
static void add_names(td_text* out, const td_model* m, const char* what, int n,
                      const char* (*name)(const td_model* m, int i)) {
  td_json_key(out, what);
  td_text_add(out, "[");
  for (int i = 0; i < min_int(n, LISTED); i++) {
    td_json_next(out);
    td_json_string(out, name(m, i));
  }
  td_text_add(out, "]");
}

static const char* joint_name(const td_model* m, int i) { return model_name(m, m->joint[i].name); }

// Add the names of joints, coordinates, forces, constraints, inputs and rods.
void td_describe_model(td_text* out, const td_model* m) {
  const td_sizes n = td_model_sizes(m);
  td_json_key(out, "understood");
  td_text_add(out, "{");
  add_names(out, m, "joints", n.njoint, joint_name);
  add_names(out, m, "positions", n.nq, td_model_q_name);
  add_names(out, m, "forces", n.nforce, td_model_force_name);
  add_names(out, m, "constraints", n.nconstraint, td_model_constraint_name);
  add_names(out, m, "inputs", n.nu, td_model_input_name);

  // rods with their continuum model
  td_json_key(out, "rods");
  td_text_add(out, "[");
  for (int i = 0; i < min_int(m->nrod, LISTED); i++) {
    td_rod rod;
    if (!td_model_rod_about(m, i, &rod)) continue;
    td_json_next(out);
    td_text_add(out, "{\"name\":");
    td_json_string(out, rod.name);
    td_text_printf(out, ",\"model\":\"%s\",\"n\":%d,\"dof\":%d,\"length\":", rod.model, rod.n,
                   rod.nv);
    td_json_number(out, rod.length);
    td_text_add(out, "}");
  }
  td_text_add(out, "]");
  td_text_add(out, "}");
}
