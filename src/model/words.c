// Words of URDF, MuJoCo (MJCF), SDF and Simscape for what has another name here.  One row for each
// word of a structure: "" are structures themselves, "*" is any structure that has no row of its
// own for the word, "x =" are values of the field x, "()" functions.
#include <string.h>

#include "model/fields.h"

typedef struct foreign_word {
  const char *parent, *word, *meaning;
} foreign_word;

static const char limits[] =
    "a stop: joint(k).dof(i).spring with .init at the stop and dof(i).dir = 1 or -1";
static const char torque[] = "joint(k).dof(i).input = input('name', 0)";

static const foreign_word words[] = {
    // structures
    {"", "link", "body(k), and joint(k) for how it moves"},
    {"", "links", "body(k), and joint(k) for how it moves"},
    {"", "bodies", "body(k)"},
    {"", "joints", "joint(k)"},
    {"", "worldbody", "body(k) and joint(k) with joint(k).first = 0"},
    {"", "geom", "body(k).m and .I for its inertia, contact(k) for what it touches"},
    {"", "collision", "contact(k)"},
    {"", "visual", "nothing: bodies are drawn by their tips, rods by their sections"},
    {"", "inertial", "body(k).m, .I and .l_com"},
    {"", "actuator", "joint(k).dof(i).input = input('name', 0), or cable(k)"},
    {"", "motor", torque},
    {"", "transmission", torque},
    {"", "tendon", "cable(k)"},
    {"", "equality", "joint(k).type between two bodies closes a loop"},
    {"", "constraint", "joint(k).type between two bodies closes a loop"},
    {"", "gravity", "world.g = [0 0 -9.81]"},
    {"", "option", "par and world.g"},
    {"", "options", "par and world.g"},
    {"", "settings", "par"},
    {"", "timestep",
     "par.dt_out (results; the solver chooses its own steps, but par.step with par.solver = "
     "'fixed')"},
    {"", "time_step",
     "par.dt_out (results; the solver chooses its own steps, but par.step with par.solver = "
     "'fixed')"},
    {"", "integrator", "par.solver"},
    {"", "duration", "par.t_final"},
    {"", "asset", "mesh(k).file"},
    {"", "keyframe", "joint(k).dof(i).init, or --at STATE.json"},
    {"", "site", "at(body(k), [x y z]) in sensors and loads"},
    {"", "force", "exload(k).ftau"},
    {"", "load", "exload(k).ftau"},
    {"", "wrench", "exload(k).ftau"},
    {"", "spring", "joint(k).spring between two bodies, joint(k).dof(i).spring along a joint"},
    {"", "damper", "joint(k).damp between two bodies, joint(k).dof(i).damp along a joint"},
    {"", "beam", "rod(k)"},
    {"", "ground", "body number 0"},
    {"", "cloth", "mesh(k)"},
    {"", "flex", "mesh(k) or rod(k)"},
    {"", "composite", "mesh(k) or rod(k)"},
    // world and settings
    {"world", "gravity", "world.g"},
    {"par", "gravity", "world.g"},
    {"par", "timestep",
     "par.dt_out (results; the solver chooses its own steps, but par.step with par.solver = "
     "'fixed')"},
    {"par", "time_step",
     "par.dt_out (results; the solver chooses its own steps, but par.step with par.solver = "
     "'fixed')"},
    {"par", "dt",
     "par.dt_out (results; the solver chooses its own steps, but par.step with par.solver = "
     "'fixed')"},
    {"par", "duration", "par.t_final"},
    {"par", "integrator", "par.solver"},
    {"par", "tolerance", "par.rtol"},
    {"par", "t_end", "par.t_final"},
    {"par", "tend", "par.t_final"},
    {"par", "tf", "par.t_final"},
    {"par", "t_f", "par.t_final"},
    {"par", "tmax", "par.t_final"},
    {"par", "tspan", "par.t_init and par.t_final"},
    {"par", "t_span", "par.t_init and par.t_final"},
    {"par", "RelTol", "par.rtol"},
    {"par", "AbsTol", "par.atol"},
    {"par.solver =", "ode15s", "'stiff'"},
    {"par.solver =", "ode15i", "'stiff'"},
    {"par.solver =", "ode23s", "'stiff'"},
    {"par.solver =", "ode23t", "'stiff'"},
    {"par.solver =", "ode23tb", "'stiff'"},
    {"par.solver =", "radau", "'stiff'"},
    {"par.solver =", "sundials", "'stiff'"},
    {"par.solver =", "ode45", "'explicit'"},
    {"par.solver =", "ode23", "'explicit'"},
    {"par.solver =", "ode113", "'adams'"},
    {"par.solver =", "matlab", "'auto'"},
    // functions
    {"()", "position", "pos(body(k))"},
    {"()", "velocity", "vel(body(k))"},
    {"()", "acceleration", "acc(body(k))"},
    {"()", "radians", "deg2rad(x)"},
    {"()", "degrees", "rad2deg(x)"},
    {"()", "time", "t"},
    {"()", "SorosimLink",
     "rod(k), or body(k) with joint(k): docs/migration.md has SoRoSim's words"},
    {"()", "SorosimLinkage", "the whole file: docs/migration.md has SoRoSim's words"},
    {"()", "SorosimTwist", "rod(k).basis, .order and .shape, see docs/migration.md"},
    {"()", "np", "nothing: write sin(x), pi, zeros(n, m) without it"},
    {"()", "math", "nothing: write sin(x), pi, sqrt(x) without it"},
    {"()", "numpy", "nothing: write sin(x), pi, zeros(n, m) without it"},
    {"()", "len", "numel(x)"},
    {"()", "None", "[]"},
    {"()", "True", "true"},
    {"()", "False", "false"},
    // bodies
    {"*", "mass", "m"},
    {"body", "mass", "body(k).m"},
    {"body", "inertia", "body(k).I"},
    {"body", "diaginertia", "body(k).I"},
    {"body", "fullinertia", "body(k).I"},
    {"body", "ixx", "body(k).I"},
    {"body", "inertial", "body(k).m, .I and .l_com"},
    {"body", "com", "body(k).l_com"},
    {"body", "ipos", "body(k).l_com"},
    {"body", "origin", "joint(k).tr: .trans and .rot lead from its parent to it"},
    {"body", "pos", "joint(k).tr.trans"},
    {"body", "xyz", "joint(k).tr.trans"},
    {"body", "rpy", "joint(k).tr.rot"},
    {"body", "quat", "joint(k).tr.rot"},
    {"body", "euler", "joint(k).tr.rot"},
    {"body", "parent", "joint(k).first"},
    {"body", "joint", "joint(k).second is this body"},
    {"body", "geom", "contact(k) with .first this body and .ball"},
    {"body", "collision", "contact(k) with .first this body and .ball"},
    {"body", "visual", "nothing: bodies are drawn by their tips, rods by their sections"},
    {"body", "color", "nothing: colours are chosen by the view"},
    {"body", "rgba", "nothing: colours are chosen by the view"},
    {"body", "site", "at(body(k), [x y z]) in sensors and loads"},
    {"body", "density", "body(k).m and .I"},
    {"body", "length", "body(k).tip"},
    {"body", "friction", "contact(k).friction"},
    {"body", "damping", "joint(k).dof(i).damp.visc"},
    {"body", "gravcomp", "world.g"},
    // joints
    {"joint", "parent", "joint(k).first"},
    {"joint", "child", "joint(k).second"},
    {"joint", "body1", "joint(k).first"},
    {"joint", "body2", "joint(k).second"},
    {"joint", "origin", "joint(k).tr: .trans and .rot"},
    {"joint", "xyz", "joint(k).tr.trans"},
    {"joint", "pos", "joint(k).tr.trans"},
    {"joint", "rpy", "joint(k).tr.rot"},
    {"joint", "quat", "joint(k).tr.rot"},
    {"joint", "euler", "joint(k).tr.rot"},
    {"joint", "stiffness", "joint(k).dof(i).spring.coeff"},
    {"joint", "springref", "joint(k).dof(i).spring.init"},
    {"joint", "damping", "joint(k).dof(i).damp.visc"},
    {"joint", "friction", "joint(k).dof(i).damp, with .pow below 1 for dry friction"},
    {"joint", "frictionloss", "joint(k).dof(i).damp, with .pow below 1 for dry friction"},
    {"joint", "dynamics", "joint(k).dof(i).damp.visc"},
    {"joint", "armature", "body(k).I"},
    {"joint", "range", limits},
    {"joint", "limit", limits},
    {"joint", "limits", limits},
    {"joint", "limited", limits},
    {"joint", "lower", limits},
    {"joint", "upper", limits},
    {"joint", "effort", "task.limits or control.limits bound inputs"},
    {"joint", "velocity", "joint(k).dof(i).rate at the start, .motion prescribes"},
    {"joint", "qpos0", "joint(k).dof(i).init"},
    {"joint", "ref", "joint(k).dof(i).init"},
    {"joint", "init", "joint(k).dof(i).init"},
    {"joint", "rate", "joint(k).dof(i).rate"},
    {"joint", "mimic", "joint(k).dof(i).equal2"},
    {"joint", "actuator", torque},
    {"joint", "motor", torque},
    {"joint", "torque", torque},
    {"joint", "force", torque},
    {"joint.dof", "range", limits},
    {"joint.dof", "limit", limits},
    {"joint.dof", "limits", limits},
    {"joint.dof", "lower", limits},
    {"joint.dof", "upper", limits},
    {"joint.dof", "stiffness", "joint(k).dof(i).spring.coeff"},
    {"joint.dof", "damping", "joint(k).dof(i).damp.visc"},
    {"joint.dof", "friction", "joint(k).dof(i).damp, with .pow below 1 for dry friction"},
    {"joint.dof", "velocity", "joint(k).dof(i).rate"},
    {"joint.dof", "position", "joint(k).dof(i).init"},
    {"joint.dof", "effort", "task.limits or control.limits bound inputs"},
    {"joint.dof", "torque", torque},
    {"joint.dof", "force", torque},
    {"*", "stiffness", "coeff"},
    {"joint.dof.spring", "k", "joint(k).dof(i).spring.coeff"},
    {"joint.spring", "k", "joint(k).spring.coeff"},
    {"joint.dof.damp", "coeff", "joint(k).dof(i).damp.visc"},
    {"joint.damp", "coeff", "joint(k).damp.visc"},
    {"joint.dof.damp", "damping", "joint(k).dof(i).damp.visc"},
    {"joint.damp", "damping", "joint(k).damp.visc"},
    {"joint.tr", "xyz", "joint(k).tr.trans"},
    {"joint.tr", "pos", "joint(k).tr.trans"},
    {"joint.tr", "rpy", "joint(k).tr.rot"},
    {"joint.tr", "quat", "joint(k).tr.rot"},
    {"joint.type =", "hinge", "'revolute'"},
    {"joint.type =", "continuous", "'revolute'"},
    {"joint.type =", "rotational", "'revolute'"},
    {"joint.type =", "rotary", "'revolute'"},
    {"joint.type =", "pin", "'revolute'"},
    {"joint.type =", "slide", "'prismatic'"},
    {"joint.type =", "slider", "'prismatic'"},
    {"joint.type =", "translational", "'prismatic'"},
    {"joint.type =", "ball", "'spherical'"},
    {"joint.type =", "floating", "'free'"},
    {"joint.type =", "freejoint", "'free'"},
    {"joint.type =", "6dof", "'free'"},
    {"joint.type =", "screw", "'helical'"},
    {"joint.type =", "weld", "'fixed'"},
    {"joint.type =", "rigid", "'fixed'"},
    {"joint.type =", "hooke", "'universal'"},
    {"joint.type =", "cardan", "'universal'"},
    // rods, contacts, loads
    {"rod", "density", "rod(k).rho"},
    {"rod", "young", "rod(k).E"},
    {"rod", "youngs_modulus", "rod(k).E"},
    {"rod", "poisson", "rod(k).nu"},
    {"rod", "diameter", "rod(k).radius, half of it"},
    {"rod", "segments", "rod(k).n"},
    {"rod", "mass", "rod(k).rho, the density"},
    {"rod", "parent", "rod(k).first"},
    {"rod", "viscosity", "rod(k).eta"},
    {"contact", "mu", "contact(k).friction"},
    {"contact", "size", "contact(k).ball or .radius"},
    {"contact", "geom1", "contact(k).first"},
    {"contact", "geom2", "contact(k).second"},
    {"contact", "body1", "contact(k).first"},
    {"contact", "body2", "contact(k).second"},
    {"contact", "solref", "contact(k).stiffness and .damping"},
    {"sensor", "type", "sensor(k).value = pos(body(k)), vel, acc, force(joint(k)) and so on"},
    {"sensor", "body", "sensor(k).value = pos(body(k))"},
    {"sensor", "joint", "sensor(k).value = dof(joint(k), i)"},
    {"sensor", "site", "sensor(k).value = pos(at(body(k), [x y z]))"},
    {"sensor", "objname", "sensor(k).value = pos(body(k))"},
    {"exload", "force", "exload(k).ftau, [force torque]"},
    {"exload", "wrench", "exload(k).ftau, [force torque]"},
    {"exload", "torque", "exload(k).ftau, [force torque]"},
    {"exload", "pos", "exload(k).tr.trans"},
    {"cable", "site", "cable(k).via or .path"},
    {"cable", "range", "cable(k).pull or .tension"},
};

// A row of the structure itself comes before one of any structure ("*"), which counts only if the
// structure has the field it names.
const char* td_foreign_word(const char* parent, const char* word) {
  const char* any = NULL;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strcmp(words[i].word, word) != 0) continue;
    if (strcmp(words[i].parent, parent) == 0) return words[i].meaning;
    if (strcmp(words[i].parent, "*") == 0 && parent[0]) any = words[i].meaning;
  }
  // only where the structure has such a field
  char path[128];
  if (!any || strlen(parent) + strlen(any) + 2 > sizeof path) return NULL;
  strcpy(path, parent);
  strcat(path, ".");
  strcat(path, any);
  return td_field_find(path) ? any : NULL;
}

// The names of the fields directly below `parent` ("": the structures); returns how many, at most
// `max`.
static int children(const char* parent, const char** names, int max) {
  const bool part = strcmp(parent, "rod.part") == 0;
  const char* of = part ? "rod" : parent;
  const size_t length = strlen(of);
  int n = 0;
  const td_field* f;
  for (int i = 0; n < max && (f = td_field_row(i)); i++) {
    const char *path = f->path, *name = td_field_name(f);
    const bool below =
        length == 0 ? name == path : name == path + length + 1 && strncmp(path, of, length) == 0;
    if (below && (!part || td_field_of_part(name))) names[n++] = name;
  }
  return n;
}

// Error with the translation of a foreign word or the nearest name, and the list of all fields.
void td_field_unknown(td_diags* diags, const char* parent, const char* name, td_span at) {
  if (parent[0])
    td_error(diags, TD_E_MODEL, at, "unknown field '%s' of %s", name, parent);
  else
    td_error(diags, TD_E_MODEL, at, "unknown structure '%s'", name);
  if (!diags->last) return;  // the message was not kept

  // the fields that there are, and the most likely one
  const char* names[64];
  const int n = children(parent, names, 64);
  td_text list = {0};
  for (int i = 0; i < n; i++) td_text_printf(&list, " %s", names[i]);
  const char* meaning = td_foreign_word(parent, name);
  if (meaning)
    td_hint(diags, "here this is %s", meaning);
  else
    td_suggest(diags, name, names, n);
  if (list.s) td_more(diags, parent[0] ? "fields of %s:%s" : "structures%s:%s", parent, list.s);
  td_text_free(&list);
}
