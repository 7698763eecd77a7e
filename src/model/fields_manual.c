// The reference page of the model language, written from the tables: fields.c, and TD_SENSOR_LIST
// in sensor.h. What the tables cannot say, a sentence or two and an example per structure, is the
// table `chapters` here.
#include <string.h>

#include "model/force_words.h"

typedef struct chapter {
  const char* root;
  const char* intro;
  const char* example;
} chapter;

static const chapter chapters[] = {
    {"world",
     "Gravity is an acceleration: with z pointing up it is `[0 0 -9.81]`. It may change with time, "
     "as "
     "on a shaking table.",
     "world.g = [0 0 -9.81];\n"},
    {"body",
     "A body is a mass with an inertia. Its frame is the end of its main joint; the centre of mass "
     "may "
     "lie elsewhere. A body that a joint repeats (see below) has one row, or page of `I`, for all "
     "of "
     "its elements, or one for each.",
     "body(1).m     = 1.2;\n"
     "body(1).I     = diag([2e-3 2e-3 4e-4]);\n"
     "body(1).l_com = [0 0 0.15];\n"
     "body(1).name  = 'upper arm';\n"},
    {"fluid",
     "Everything displaces fluid, is dragged by it and carries some of it along: rods by their "
     "section, "
     "bodies by what `body.fluid` says.",
     "fluid.rho = 1000; fluid.velocity = [0.2 0 0];\n"
     "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1100;\n"
     "rod(1).fluid.drag = [1.1 1.1 0.01]; rod(1).fluid.added_mass = [0.6 0.6 0];\n"
     "joint(1).second = 1; joint(1).type = 'free'; body(1).m = 2; body(1).I = 0.01*eye(3);\n"
     "body(1).fluid.volume = 1.9e-3; body(1).fluid.drag_matrix = diag([8 8 8 0.01 0.01 0.01]);\n"
     "body(1).fluid.added_mass = diag([1 1 1 0 0 0]);\n"},
    {"joint",
     "The first joint that leads to a body places it: this is its *main joint*, and all of them "
     "make "
     "the main chain. Every `inf` in the `tr` of a main joint is a degree of freedom (DOF), "
     "numbered in "
     "order of appearance, and `dof(i)` describes the i-th. `type` says the same in one word.\n\n"
     "A joint to a body that already has its main joint links two places, `tr` on the first body "
     "and "
     "`tr2nd` on the second, and makes no DOFs. With `spring`, `damp` or `input` it is a force: "
     "along "
     "the line between the places, or a beam if there are six columns. With `fixed` it is a "
     "constraint, "
     "and `control` (an acceleration) or `motion` (a position) moves it. With `type` it closes a "
     "loop.\n\n"
     "`first = [b 0:n-1]` and `second = [b 1:n]` repeat a joint n times, a chain of n elements of "
     "body "
     "b. Row k of a field then belongs to element k; one row serves all.",
     "joint(1).second       = 1;               % a hinge about y, 10 cm above the ground\n"
     "joint(1).tr(1).trans  = [0 0 0.1];\n"
     "joint(1).tr(2).rot    = [2 inf];\n"
     "joint(1).dof(1).init  = deg2rad(30);\n"
     "joint(1).dof(1).spring.coeff = 0.4;\n"
     "joint(1).dof(1).damp.visc    = 0.01;\n"
     "\n"
     "joint(2).first  = 1;                     % the next body on a screw\n"
     "joint(2).second = 2;\n"
     "joint(2).type   = 'helical';\n"
     "joint(2).axis   = [0 0 1];\n"
     "joint(2).pitch  = 1e-3;\n"
     "\n"
     "joint(3).second = 2;                     % a rope from the ground to body 2\n"
     "joint(3).tr2nd.trans  = [0 0 0.2];\n"
     "joint(3).spring.coeff = 500;\n"
     "joint(3).spring.init  = nan;             % as long as it is at the start\n"
     "joint(3).dir          = 1;\n"},
    {"rod",
     "A rod is a slender body. It grows from `first` along the local z axis; x and y span its "
     "section, and `s` is the arc length, 0 at the base. Its section and material may be "
     "expressions of `s`; its moduli and loads also of time, inputs and sensors. "
     "[rods.md](rods.md) "
     "says how to choose the model and what the degrees of freedom are.\n\n"
     "`at(rod(k), s)` is a place as good as a body, wherever one is asked for: joints, links, "
     "loads "
     "and other rods begin or end there. `at(rod(k))` or `rod(k)` is the tip.",
     "rod(1).length = 0.3;                     % a silicone finger that hangs down\n"
     "rod(1).tr.rot = [1 pi];\n"
     "rod(1).radius = 0.012 - 0.02*s;          % tapered\n"
     "rod(1).E      = 1.1e5;\n"
     "rod(1).rho    = 1080;\n"
     "rod(1).eta    = 300;\n"
     "rod(1).model  = 'ebr';\n"
     "rod(1).n      = 8;\n"
     "\n"
     "rod(2).first  = at(rod(1), 0.2);         % a thin one that grows from it sideways\n"
     "rod(2).tr.rot = [2 pi/2];\n"
     "rod(2).length = 0.1;\n"
     "rod(2).radius = 0.003;\n"
     "rod(2).E      = 1.1e5;\n"
     "rod(2).rho    = 1080;\n"
     "rod(2).model  = 'rom';\n"},
    {"chamber",
     "A chamber under pressure p with the area A pushes with p A along its rod and bends it with "
     "p A [y -x], when it lies at [x y] in the section.",
     "chamber(1).rod      = 1;\n"
     "chamber(1).offset   = [0.006 0];\n"
     "chamber(1).area     = 2e-5;\n"
     "chamber(1).pressure = 2e4*(1 - cos(2*pi*t));\n"
     "chamber(1).to       = 0.2;               % the first 20 cm\n"},
    {"cable",
     "A cable pulls with the same tension all along: it works against the length of its way, "
     "inside "
     "rods "
     "at a place of the section that may change along the rod, or straight from place to place "
     "as over small pulleys. It is driven by a tension or by a length.",
     "rod(1).length = 0.3; rod(1).radius = 0.015; rod(1).E = 1e6; rod(1).rho = 1000;\n"
     "cable(1).rod = 1; cable(1).path = [0.01 0]; cable(1).tension = 5*ramp(t, 0, 1);\n"
     "cable(2).path = 0.01*[cos(20*s) sin(20*s)]; cable(2).to = 0.2; cable(2).tension = 2;\n"
     "cable(3).via = {0, at(rod(1), 0.3)}; cable(3).points = [0.1 0 0; 0 0.01 0];\n"
     "cable(3).pull = 0.01; cable(3).stiffness = 2e3;\n"
     "sensor(1).name = 'T'; sensor(1).value = [tension(cable(3)) length(cable(3))];\n"},
    {"contact",
     "A contact pushes where something is deeper than the surface of something else. Rods touch "
     "with "
     "balls at their points, bodies with the balls that are given.",
     "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1100;\n"
     "contact(1).first = rod(1); contact(1).second = 'plane'; contact(1).point = [0 0 -0.2];\n"
     "contact(1).stiffness = 1e4; contact(1).damping = 1; contact(1).friction = 0.3;\n"
     "contact(2).first = rod(1); contact(2).second = 'cylinder'; contact(2).center = [0.2 0 0];\n"
     "contact(2).axis = [0 1 0]; contact(2).radius = 0.02; contact(2).stiffness = 50;\n"
     "contact(2).law = 'approach'; contact(2).damping = 5; contact(2).per = 'point';\n"},
    {"mesh",
     "A mesh is a net: a mass at each node, a spring, damper or beam along each edge. Its geometry "
     "comes from a CAD file, from `grid`, or from `node` and `edge`. [meshes.md](meshes.md) says "
     "which files are read and how nodes are numbered.\n\n"
     "`at(mesh(k), i)` is node i as a place, for joints, links, loads and sensors: "
     "`pos(mesh(1), 17)`, `vel`, `acc`, `rot`, `quat` and `omega` are about a node, "
     "`length(mesh(1), 5)`, `stretch` and `force` about an edge. Nodes are also bodies, numbered "
     "after those written.",
     "mesh(1).grid = [5 4];                    % a hanging cloth, its upper edge held\n"
     "mesh(1).size = [0.4 0.3];\n"
     "mesh(1).tr.rot = [1 -pi/2];\n"
     "mesh(1).body.m = 0.01;\n"
     "mesh(1).joint(1).tr.trans = [inf inf inf];\n"
     "mesh(1).joint(2).spring.coeff = 80;\n"
     "mesh(1).joint(2).spring.init = nan;\n"
     "mesh(1).joint(2).damp.visc = 0.05;\n"
     "mesh(1).joint(3).spring.coeff = 20;      % diagonals\n"
     "sensor(1).name  = 'hem';\n"
     "sensor(1).value = pos(mesh(1), 18);\n"},
    {"exload",
     "A force, or a force and a torque, on a body. It is given in the world unless `refbody` names "
     "a "
     "body whose frame it follows.",
     "exload(1).exbody = 2;\n"
     "exload(1).tr.trans = [0 0 0.2];\n"
     "exload(1).ftau = [5*sin(2*pi*t) 0 0 0 0 0];\n"},
    {"dynamics",
     "`internal('air', 1e-5)` declares a first-order state with its initial value and returns it; "
     "`dynamics` gives its rate. It may stand wherever forces may depend on the motion. See "
     "language.md.",
     "f = internal('f', 0);                    % a filter of 20 ms ...\n"
     "dynamics(1).of   = 'f';\n"
     "dynamics(1).rate = (sin(2*pi*t) - f)/0.02;\n"
     "joint(1).dof(1).input = 3*f;             % ... drives a joint\n"},
    {"sensor",
     "A sensor records an expression. Everything an expression can ask of the robot is listed "
     "under "
     "[Quantities](#quantities).",
     "sensor(1).name  = 'tip';\n"
     "sensor(1).value = pos(body(2), [0 0 0.2]);\n"},
    {"output",
     "A list of sensor names and of the words `energy`, `q` (positions), `v` (velocities) and `z` "
     "(internal states); without it all sensors, `q`, `v` and `z`.",
     "output = {'tip', 'energy', 'q'};\n"},
    {"event",
     "The solver finds the moment at which an expression passes through zero, in either direction.",
     "event(1).when = pos(body(2))*[0; 0; 1];   % the body reaches the ground\n"
     "event(1).then = 'stop';\n"},
    {"control",
     "A controller has one of `law`, `gains` and `plugin`. With `par.control.rate` it runs as a "
     "computer would: it "
     "measures, computes, and holds its inputs; laws and tasks may also run at all times (rate 0). "
     "See control.md.",
     "F = input('F', 0);\n"
     "control(1).inputs = 'F';\n"
     "control(1).law = -40*dof(joint(1), 1) - 8*ddof(joint(1), 1);\n"
     "par.control.rate = 200;\n"},
    {"task",
     "In `sim` the inputs are those that give every task the acceleration `desired'' + P e + I "
     "(integral of e) + D "
     "e'` with `e = desired - value`, from the exact equations of motion: in the sense of least "
     "squares when there are too few inputs, the smallest ones when there are too many, within "
     "their "
     "limits. The inputs appear in the results. See control.md.",
     "F = input('F', 0);\n"
     "task(1).value   = pos(body(2))*[1; 0; 0];\n"
     "task(1).desired = 0.1*sin(2*t);\n"
     "task(1).P = 400;  task(1).D = 40;\n"
     "task(1).limits = [-5 5];\n"},
    {"par",
     "What `tendril run` does with the model, and how the solver works. All of it is optional.",
     "par.t_final = 8;\n"
     "par.dt_out  = 0.01;\n"
     "par.modal   = 0;\n"},
};

static const char head[] =
    "# Reference of the model language\n"
    "\n"
    "<!-- Written from the tables in src/model/fields.c and src/model/sensor.h.  Do not edit: "
    "change the\n"
    "     tables and run `test_fields --write`. -->\n"
    "\n"
    "A model is a set of structures. Each table below gives, for every field:\n"
    "\n"
    "- **shape**: rows x columns. *n* is one row for all, or one for each repeated element, *m* "
    "any "
    "number. A vector may be written as a row or as a column.\n"
    "- **default**: what an absent or empty (`[]`) field means.\n"
    "- **unit**: SI. Two units: the first for translations, the second for rotations.\n"
    "- **may depend on**: what may stand in an expression there. Each step includes those before "
    "it:\n"
    "  *structure* (known when the model is loaded: a parameter may stand there too, its value is "
    "used, and changing it loads the model again), *parameters* (`param`), *time* (`t`), *forces* "
    "(named inputs, positions and rates too) and *all* (accelerations and constraint forces too). "
    "*s* is the arc length of a rod, *here* the place in the world at which something acts.\n"
    "\n"
    "Strains, twists and wrenches are [translational(3), rotational(3)]. A body is named by its "
    "number, "
    "0 for the ground, by `[body element]`, or by a reference: `body(2)`, `at(body(2), 3)`.\n";

// ---- tables -----------------------------------------------------------------------------------

static const char* depends_name(unsigned depends) {
  if (depends & TD_ON_SYMBOL) return "symbols";
  if (depends & TD_ON_ACCEL) return "all";
  if (depends & TD_ON_STATE && depends & TD_ON_HERE) return "forces, s, here";
  if (depends & TD_ON_STATE) return depends & TD_ON_ARC ? "forces, s" : "forces";
  if (depends & TD_ON_TIME) return depends & TD_ON_HERE ? "time, here" : "time";
  if (depends & TD_ON_ARC) return "parameters, s";
  return depends & TD_ON_PARAM ? "parameters" : "structure";
}

static bool has_children(const td_field* f) {
  return f->kind == FIELD_STRUCT || f->kind == FIELD_STRUCTS;
}

static const char* kind_name(const td_field* f) {
  switch (f->kind) {
    case FIELD_STR:
      return f->options[0] ? "word" : "text";
    case FIELD_STRUCT:
      return "structure";
    case FIELD_STRUCTS:
      return "structures";
    case FIELD_PLACE:
      return "place";
    case FIELD_TARGET:
      return "word or place";
    case FIELD_PLACES:
      return "list of places";
    case FIELD_LIST:
      return "list of names";
    case FIELD_NODES:
      return "word or node numbers";
    case FIELD_NUM:
    case FIELD_FLAG:
    case FIELD_INT:
      break;
  }
  return f->shape[0] ? NULL : "any";
}

static void add_shape(td_text* out, const td_field* f) {
  const char* name = kind_name(f);
  if (name)
    td_text_add(out, name);
  else
    td_field_alternatives(out, f->shape, "");
}

// The path below its root, with (i) behind every array: "dof(i).spring.coeff".
static void add_path(td_text* out, const td_field* f) {
  char path[64] = "";
  const char* s = f->path;
  for (size_t n = 0; n < sizeof path - 1 && s[n];) {
    path[n] = s[n];
    path[++n] = '\0';
    if (s[n] != '.' && s[n] != '\0') continue;
    const td_field* parent = td_field_find(path);
    const char* dot = strrchr(path, '.');
    if (dot) td_text_add(out, strchr(path, '.') == dot ? dot + 1 : dot);
    if (dot && parent && parent->kind == FIELD_STRUCTS) td_text_add(out, "(i)");
  }
}

// Behind the meaning: the allowed words or range, inf or nan, other spellings.
static void add_notes(td_text* out, const td_field* f) {
  if (strchr(f->options, '|') &&
      (f->kind == FIELD_STR || f->kind == FIELD_TARGET || f->kind == FIELD_NODES)) {
    td_text_add(out, ": ");
    td_field_alternatives(out, f->options, "`");
  } else if (f->options[0] == '>' || f->options[0] == '(') {
    td_text_printf(out, "; %s%s", f->options[0] == '(' ? "in " : "", f->options);
  }
  if (f->kind == FIELD_FLAG && !strchr(f->text, '0')) td_text_add(out, ": 1 yes, 0 no");
  if (strcmp(f->special, "inf") == 0) td_text_add(out, "; `inf` makes a DOF");
  if (strcmp(f->special, "limit") == 0) td_text_add(out, "; `inf`: no limit");
  if (strcmp(f->special, "nan") == 0)
    td_text_add(out, "; `nan` takes it from the initial geometry");
  for (int i = 0; i < td_alias_count; i++)
    if (strcmp(td_aliases[i].meaning, f->path) == 0)
      td_text_printf(out, "; also spelled `%s`", strrchr(td_aliases[i].path, '.') + 1);
}

static void add_row(td_text* out, const td_field* f) {
  td_text_add(out, "| `");
  add_path(out, f);
  td_text_add(out, "` | ");
  add_shape(out, f);
  const char* mark = f->fallback[0] && strcmp(f->fallback, TD_REQUIRED) != 0 ? "`" : "";
  td_text_printf(out, " | %s%s%s | %s | %s | %s", mark, f->fallback, mark, f->unit,
                 has_children(f) ? "" : depends_name(f->depends), f->text);
  add_notes(out, f);
  td_text_add(out, " |\n");
}

static void add_fields(td_text* out, const char* root) {
  const size_t length = strlen(root);
  td_text_add(out, "| field | shape | default | unit | may depend on | meaning |\n");
  td_text_add(out, "| --- | --- | --- | --- | --- | --- |\n");
  const td_field* f;
  for (int i = 0; (f = td_field_row(i)); i++)
    if (strncmp(f->path, root, length) == 0 && f->path[length] == '.') add_row(out, f);
}

static void add_chapter(td_text* out, const chapter* c) {
  const td_field* f = td_field_find(c->root);
  td_text_printf(out, "\n## %s%s: %s\n\n%s\n\n", c->root, f->kind == FIELD_STRUCTS ? "(k)" : "",
                 f->text, c->intro);
  if (has_children(f)) {
    add_fields(out, c->root);
    td_text_add(out, "\n");
  }
  td_text_printf(out, "```matlab\n%s```\n", c->example);
}

// ---- sensors and what is to come --------------------------------------------------------------

static const char* sensor_arguments(char about) {
  switch (about) {
    case 'b':
      return "body";
    case 'j':
      return "joint";
    case 'r':
      return "rod, s";
    case 'c':
      return "cable";
    case 'i':
      return "i";
    default:
      return "";
  }
}

static const char* sensor_level(td_depends depends) {
  if (depends & TD_ON_ACCEL) return "accelerations";
  return depends & TD_ON_RATE ? "rates" : "positions";
}

static void add_sensor(td_text* out, const td_sensor_info* s) {
  const bool item = s->traits & WITH_NUMBER;
  td_text_printf(out, "| `%s(%s%s)` | %dx%d | %s | %s |\n", s->name, sensor_arguments(s->about),
                 item ? ", i" : "", s->rows, s->cols, sensor_level(s->depends), s->text);
}

static void add_sensors(td_text* out) {
  td_text_add(
      out,
      "\n## Quantities\n\n"
      "What an expression can ask of the moving robot. A *body* is `body(k)`, or `at(body(k), "
      "element)` of a repeated one; `pos`, `vel` and `acc` take a point in its frame as a second "
      "argument. Instead of a body there may be `rod(k)` and an arc length: `pos(rod(1), 0.2)`. A "
      "*joint* is `joint(k)`; `stretch` also takes a rod, `length` a cable. Those of the level "
      "*accelerations* are "
      "for "
      "sensors and events, not for forces.\n\n"
      "| quantity | size | level | meaning |\n| --- | --- | --- | --- |\n");
  for (int i = 0; i < SENSOR_KIND_COUNT; i++) add_sensor(out, &td_sensor_table[i]);
  td_text_add(out,
              "\n```matlab\n"
              "k = 40*(1 + 0.5*(stretch(joint(3)) - 1));        % a spring that hardens\n"
              "joint(3).spring.coeff = k;\n"
              "exload(2).exbody = 1;\n"
              "exload(2).ftau = [-0.3*vel(body(1)) 0 0 0];      % drag\n"
              "```\n");
}

static void add_laters(td_text* out) {
  td_text_add(out,
              "\n## Not in this version\n\n"
              "These names are reserved. Left empty (`mesh = [];`) they are ignored.\n\n");
  for (int i = 0; i < td_later_count; i++) {
    const char* advice = strchr(td_laters[i].text, ';');
    td_text_printf(out, "- `%s`:%s\n", td_laters[i].path, advice ? advice + 1 : "");
  }
}

void td_fields_manual(td_text* out) {
  td_text_add(out, head);
  for (size_t i = 0; i < sizeof chapters / sizeof chapters[0]; i++) {
    add_chapter(out, &chapters[i]);
    // forces with a structure of their own come behind the loads
    for (int k = 0; k < FORCE_KINDS && strcmp(chapters[i].root, "exload") == 0; k++) {
      const force_words* own = td_force_words[k];
      const chapter more = {own->fields ? own->fields->path : NULL, own->intro, own->example};
      if (own->fields) add_chapter(out, &more);
    }
  }
  add_sensors(out);
  add_laters(out);
}
