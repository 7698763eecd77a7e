// tendril check: load and check a model; print what it consists of, how stiff it is and how long a
// simulation may take.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"

static const double two_pi = 6.28318530717958647692;

// Cost of one evaluation and natural frequencies at the initial state.
typedef struct outlook {
  int rank;  // independent constraint rows
  bool has_modes;
  double slowest, fastest;  // natural frequencies [Hz], zero and unstable ones left out
  int unstable;             // modes that grow
  double evaluation;        // wall time of the forward dynamics [s]
  double simulation;        // expected wall time of `sim` [s]; NaN: cannot be told
  double busy;              // the same, of the processor alone [s]
  double pilot;             // wall time of the simulation that was tried [s]
  bool whole;               // the trial reached the end
  char solver[32];          // solver of the trial
  char why_not[200];        // reason for which the trial gave no answer
} outlook;

// Find the range of natural frequencies.
static void frequency_range(session* s, outlook* o) {
  if (s->n.nv == 0 || s->n.nv > 400) return;  // a dense eigenproblem
  td_modes_result* m = NULL;
  if (td_modes(s->model, s->state, s->work, &m) == TD_OK && m->n > 0) {
    o->has_modes = true;

    // zero and unstable frequencies do not count
    const double floor = 1e-6 * fabs(m->omega[m->n - 1]);
    for (int i = 0; i < m->n; i++) {
      const double f = m->omega[i] / two_pi;
      if (m->omega[i] < -floor) o->unstable++;
      if (m->omega[i] <= floor) continue;
      if (o->slowest == 0) o->slowest = f;
      o->fastest = f;
    }
  }
  td_modes_free(m);
}

// Processor time of this program [s]
static double busy_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

// A trial simulation: the fraction done after each processor time.
enum { MOST_SAMPLES = 200 };
typedef struct pilot {
  double start, start_busy;
  double busy[MOST_SAMPLES], done[MOST_SAMPLES];
  int n;
} pilot;

// Record the progress of the trial, and end it after a short while.
static bool watch(void* user, double fraction, const char* what) {
  (void)what;
  pilot* p = user;
  const double busy = busy_seconds() - p->start_busy;
  if (p->n == MOST_SAMPLES) return false;
  p->busy[p->n] = busy;
  p->done[p->n++] = fraction;
  return busy < 0.5 && seconds() - p->start < 2 && !stop_asked();
}

// Fraction done per second in a quarter of the trial, 0 to 3
static double pace(const pilot* p, int quarter) {
  const double end = p->busy[p->n - 1];
  int first = 0, last = p->n - 1;
  while (first < last - 1 && p->busy[first] < 0.25 * quarter * end) first++;
  while (last > first + 1 && p->busy[last] > 0.25 * (quarter + 1) * end) last--;
  const double time = p->busy[last] - p->busy[first];
  return time > 0 ? (p->done[last] - p->done[first]) / time : 0;
}

// Estimate the time of a simulation, which depends on the solver, its steps and the motion, by a
// short trial as `sim` would do.  Most simulations end within it.  Others are assumed to continue
// at the best pace of a quarter of the trial: steps grow after the start, trials of other solvers
// end, and motion that began with impacts settles.
static void expect_time(session* s, outlook* o) {
  o->simulation = o->busy = NAN;
  td_state* state = td_state_new(s->model);
  if (!state) return;
  td_state_copy(s->model, s->state, state);

  // simulate for a short while
  pilot p = {.start = seconds(), .start_busy = busy_seconds()};
  td_sim_options how = sim_options(s);
  how.progress = watch;
  how.user = &p;
  td_trajectory* trajectory = NULL;
  const td_status status = td_simulate(s->model, s->work, state, &how, &trajectory);
  o->pilot = seconds() - p.start;
  const double busy = busy_seconds() - p.start_busy;
  const td_sim_stats* stats = trajectory ? td_trajectory_stats(trajectory) : NULL;
  if (stats) snprintf(o->solver, sizeof o->solver, "%s", td_solver_name(stats->solver));

  // extrapolate, unless it came to the end
  if (status == TD_OK) {
    o->whole = true;
    o->simulation = o->pilot;
    o->busy = busy;
  } else if (status == TD_E_STOPPED && p.n > 0) {
    double rate = p.done[p.n - 1] / busy;
    for (int quarter = 0; quarter < 4; quarter++) rate = fmax(rate, pace(&p, quarter));
    if (rate > 0) {
      o->busy = busy + (1 - p.done[p.n - 1]) / rate;
      o->simulation = o->busy * o->pilot / busy;
    }
  } else if (status != TD_E_STOPPED) {
    snprintf(o->why_not, sizeof o->why_not, "%s", td_status_text(status));
  }
  td_trajectory_free(trajectory);
  td_state_free(state);
}

// Evaluate the model at its initial state: rank, cost, frequencies, time of a simulation.
static td_status assess(session* s, outlook* o) {
  *o = (outlook){0};
  const td_status status = td_forward_dynamics(s->model, s->state, s->work);
  if (status != TD_OK) return status;
  o->rank = td_work_flags(s->work).constraint_rank;

  // the best of a few evaluations, so that other load on the machine does not count
  o->evaluation = INFINITY;
  for (int i = 0; i < 20 && !isnan(o->evaluation); i++) {
    const double start = seconds();
    const bool ok = td_forward_dynamics(s->model, s->state, s->work) == TD_OK;
    o->evaluation = ok ? fmin(o->evaluation, seconds() - start) : (double)NAN;
  }
  frequency_range(s, o);
  expect_time(s, o);
  return TD_OK;
}

// Coordinates or velocities with their origin, unit and initial value
static cJSON* coordinates_json(const session* s, int n,
                               bool (*about)(const td_model*, int, td_coordinate*), char letter) {
  cJSON* list = cJSON_CreateArray();
  for (int i = 0; i < n; i++) {
    td_coordinate c;
    if (!about(s->model, i, &c)) continue;
    char symbol[24];
    snprintf(symbol, sizeof symbol, "%c%d", letter, i + 1);
    cJSON* item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "symbol", symbol);
    cJSON_AddStringToObject(item, "name", c.name);

    // the mesh, rod or joint it belongs to
    if (c.mesh_number > 0) {
      cJSON_AddStringToObject(item, "mesh", c.mesh);
      json_add_number(item, "mesh_number", c.mesh_number);
      cJSON_AddStringToObject(item, "mode", c.mode);
    } else if (c.rod_number > 0) {
      cJSON_AddStringToObject(item, "rod", c.rod);
      json_add_number(item, "rod_number", c.rod_number);
      cJSON_AddStringToObject(item, "mode", c.mode);
    } else {
      cJSON_AddStringToObject(item, "joint", c.joint);
      json_add_number(item, "joint_number", c.number);
    }

    // its place there, unit and initial value
    json_add_number(item, "element", c.element);
    json_add_number(item, "dof", c.dof);
    cJSON_AddStringToObject(item, "unit", c.unit);
    cJSON_AddBoolToObject(item, "prescribed", c.prescribed);
    json_add_number(item, "initial", letter == 'q' ? s->state->q[i] : s->state->v[i]);
    cJSON_AddItemToArray(list, item);
  }
  return list;
}

// Ranges of parameters and inputs that have one, {"E": [1e5, 1e6]}
static cJSON* ranges_json(const session* s) {
  cJSON* o = cJSON_CreateObject();
  double range[2];
  for (int i = 0; i < s->n.nparam; i++)
    if (td_model_param_range(s->model, i, range, NULL))
      json_add(o, td_model_param_name(s->model, i), json_vector(range, 2));
  for (int i = 0; i < s->n.nu; i++)
    if (td_model_input_range(s->model, i, range))
      json_add(o, td_model_input_name(s->model, i), json_vector(range, 2));
  return o;
}

// Rods with their continuum models
static cJSON* rods_json(const session* s) {
  cJSON* list = cJSON_CreateArray();
  for (int i = 0; i < s->n.nrod; i++) {
    td_rod rod;
    if (!td_model_rod_about(s->model, i, &rod)) continue;
    cJSON* item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", rod.name);
    cJSON_AddStringToObject(item, "model", rod.model);
    json_add_number(item, "n", rod.n);
    json_add_number(item, "length", rod.length);
    json_add_number(item, "dof", rod.nv);
    if (strcmp(rod.model, "gvs") == 0) {  // one number for each strain
      cJSON_AddItemToObject(item, "order", cJSON_CreateIntArray(rod.order, 6));
      cJSON_AddItemToObject(item, "elements", cJSON_CreateIntArray(rod.elements, 6));
      cJSON_AddItemToObject(item, "coordinates", cJSON_CreateIntArray(rod.functions, 6));
    }
    cJSON_AddItemToArray(list, item);
  }
  return list;
}

// Positions of the nodes of a mesh, and the number of edges that meet there.
typedef struct node_table {
  double* x;  // 3 per node
  int* edges;
} node_table;

// Compute the node table of mesh k.  False: no memory.
static bool node_table_new(session* s, int k, const td_mesh* mesh, node_table* t) {
  const size_t n = (size_t)mesh->nnode + 1;
  *t = (node_table){malloc(3 * n * sizeof(double)), calloc(n, sizeof(int))};
  if (!t->x || !t->edges) return false;
  td_station_positions(s->model, s->state, s->work, mesh->station, mesh->nnode, t->x);
  int ends[2];
  for (int e = 0; td_model_mesh_edge(s->model, k, e, ends); e++) {
    for (int i = 0; i < 2; i++) t->edges[ends[i] - mesh->station]++;
  }
  return true;
}

static void node_table_free(node_table* t) {
  free(t->x);
  free(t->edges);
}

// Meshes with their nodes and edges
static cJSON* meshes_json(session* s) {
  cJSON* list = cJSON_CreateArray();
  for (int i = 0; i < s->n.nmesh; i++) {
    td_mesh mesh;
    if (!td_model_mesh_about(s->model, i, &mesh)) continue;
    cJSON* item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", mesh.name);
    json_add_number(item, "fixed", mesh.nfixed);
    json_add_number(item, "diagonals", mesh.ndiagonal);

    // nodes
    cJSON* nodes = cJSON_AddArrayToObject(item, "nodes");
    node_table t;
    const int n = node_table_new(s, i, &mesh, &t) ? mesh.nnode : 0;
    for (int k = 0; k < n; k++) {
      cJSON* node = cJSON_CreateObject();
      json_add_number(node, "node", k + 1);
      json_add_number(node, "body", mesh.body + k);
      json_add(node, "position", cJSON_CreateDoubleArray(t.x + 3 * (size_t)k, 3));
      cJSON_AddBoolToObject(node, "fixed", td_model_station_fixed(s->model, mesh.station + k));
      json_add_number(node, "edges", t.edges[k]);
      cJSON_AddItemToArray(nodes, node);
    }
    node_table_free(&t);

    // edges
    cJSON* edges = cJSON_AddArrayToObject(item, "edges");
    int ends[2];
    for (int e = 0; td_model_mesh_edge(s->model, i, e, ends); e++) {
      for (int k = 0; k < 2; k++) ends[k] += 1 - mesh.station;
      cJSON_AddItemToArray(edges, cJSON_CreateIntArray(ends, 2));
    }
    cJSON_AddItemToArray(list, item);
  }
  return list;
}

// Everything that `check` finds
static cJSON* check_json(session* s, const outlook* o) {
  cJSON* object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "model", s->name);
  json_add(object, "sizes", sizes_json(s));
  json_add(object, "rods", rods_json(s));
  json_add(object, "meshes", meshes_json(s));

  // matrices and coordinates
  const td_linear_choice linear = td_model_linear(s->model);
  cJSON_AddStringToObject(object, "matrices", linear.sparse ? "sparse" : "dense");
  cJSON_AddStringToObject(object, "matrices_why", linear.why);
  json_add_number(object, "constraint_rank", o->rank);
  json_add_number(object, "dof", s->n.nfree - o->rank);
  json_add(object, "q", coordinates_json(s, s->n.nq, td_model_q_about, 'q'));
  json_add(object, "v", coordinates_json(s, s->n.nv, td_model_v_about, 'v'));

  // names
  json_add(object, "stations", names_json(s->model, s->n.nstation, td_model_station_name));
  json_add(object, "constraints", names_json(s->model, s->n.nconstraint, td_model_constraint_name));
  json_add(object, "forces", names_json(s->model, s->n.nforce, td_model_force_name));
  json_add_number(object, "wetted_places", s->n.nwet);
  json_add(object, "contacts", names_json(s->model, s->n.ncontact, td_model_contact_name));
  json_add(object, "cables", names_json(s->model, s->n.ncable, td_model_cable_name));
  json_add(object, "inputs", names_json(s->model, s->n.nu, td_model_input_name));
  json_add(object, "ranges", ranges_json(s));
  json_add(object, "internals", names_json(s->model, s->n.nz, td_model_internal_name));
  json_add(object, "parameters", names_json(s->model, s->n.nparam, td_model_param_name));
  json_add(object, "sensors", names_json(s->model, s->n.nsensor, td_model_sensor_name));

  // frequencies and cost
  cJSON* range = cJSON_AddObjectToObject(object, "frequency_range_hz");
  json_add_number(range, "slowest", o->has_modes ? o->slowest : NAN);
  json_add_number(range, "fastest", o->has_modes ? o->fastest : NAN);
  json_add_number(range, "unstable_modes", o->unstable);
  cJSON* cost = cJSON_AddObjectToObject(object, "timings");
  json_add_number(cost, "evaluation", o->evaluation);
  json_add_number(cost, "expected_simulation", o->simulation);
  json_add_number(cost, "expected_processor", o->busy);
  json_add_number(cost, "tried", o->pilot);
  cJSON_AddBoolToObject(cost, "tried_whole", o->whole);
  cJSON_AddStringToObject(cost, "solver", o->solver);
  return object;
}

// Print the bases of a rod's strains, those that are alike in one line.
static void say_bases(session* s, const td_rod* rod) {
  static const char* const strains[6] = {"shear x", "shear y", "stretch",
                                         "bend x",  "bend y",  "twist"};
  bool said[6] = {false};
  for (int d = 0; d < 6; d++) {
    char names[80] = "";
    int alike = 0;
    for (int k = d; k < 6; k++) {
      if (said[k] || rod->functions[k] == 0 || rod->functions[k] != rod->functions[d] ||
          rod->order[k] != rod->order[d] || rod->elements[k] != rod->elements[d])
        continue;
      said[k] = true;
      snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", alike++ ? ", " : "",
               strains[k]);
    }
    if (alike == 0) continue;

    // order, elements and coordinates of those that are alike
    char order[40] = "";
    if (rod->order[d] >= 0) snprintf(order, sizeof order, "order %d, ", rod->order[d]);
    if (rod->elements[d] > 0)
      snprintf(order + strlen(order), sizeof order - strlen(order), "%d element%s, ",
               rod->elements[d], rod->elements[d] == 1 ? "" : "s");
    say(s, "      %s: %s%d coordinate%s%s\n", alike == 6 ? "all strains" : names, order,
        rod->functions[d], rod->functions[d] == 1 ? "" : "s", alike > 1 ? " each" : "");
  }
}

// Print the rods with their continuum models.
static void say_rods(session* s) {
  say(s, "  rods          %6d\n", s->n.nrod);
  for (int i = 0; i < s->n.nrod; i++) {
    td_rod rod;
    if (!td_model_rod_about(s->model, i, &rod)) continue;
    const bool gvs = strcmp(rod.model, "gvs") == 0;
    char n[40] = "";
    if (!gvs)
      snprintf(n, sizeof n, ", %s %d", strcmp(rod.model, "rom") == 0 ? "order" : "segments", rod.n);
    say(s, "    %-12s %s%s, %g m long, %d DOFs\n", rod.name, rod.model, n, rod.length, rod.nv);
    if (gvs) say_bases(s, &rod);
  }
}

enum { SHOWN = 60 };  // rows of a table on the screen; --json has all

// Print a table of the nodes of a mesh.
static void say_nodes(session* s, int k, const td_mesh* mesh) {
  node_table t;
  const int n = node_table_new(s, k, mesh, &t) ? mesh->nnode : 0;
  say_heading(s, "Nodes");
  say(s, "  %-24s %6s %6s %12s %12s %12s\n", "", "body", "edges", "x [m]", "y [m]", "z [m]");
  for (int i = 0; i < n && i < SHOWN; i++) {
    const double* x = t.x + 3 * (size_t)i;
    say(s, "  %-24s %6d %6d %12.5g %12.5g %12.5g%s\n",
        td_model_station_name(s->model, mesh->station + i), mesh->body + i, t.edges[i], x[0], x[1],
        x[2], td_model_station_fixed(s->model, mesh->station + i) ? "  fixed" : "");
  }
  if (n > SHOWN) say(s, "  ... %d more, see --json\n", n - SHOWN);
  node_table_free(&t);
}

// Print what the model consists of, its cost and its coordinates.
static void say_check(session* s, const outlook* o) {
  const td_sizes n = s->n;
  const td_settings par = td_model_settings(s->model);
  say(s, "%s is well posed\n\n", s->name);
  if (*s->chosen) say(s, "  %s\n\n", s->chosen);
  say(s, "  bodies        %6d\n  joints        %6d\n", n.nbody, n.njoint);
  say_rods(s);
  if (n.nmesh > 0) say(s, "  meshes        %6d\n", n.nmesh);
  for (int i = 0; i < n.nmesh; i++) {
    td_mesh mesh;
    if (!td_model_mesh_about(s->model, i, &mesh)) continue;
    say(s, "    %-12s %d nodes, %d of them fixed, %d edges, %d diagonals\n", mesh.name, mesh.nnode,
        mesh.nfixed, mesh.nedge + mesh.nrod, mesh.ndiagonal);
  }
  say(s, "  coordinates   %6d   (%d velocities, %d prescribed)\n", n.nq, n.nv, n.nv - n.nfree);
  say(s, "  constraints   %6d   (%d independent)\n", n.nconstraint, o->rank);
  say(s, "  DOFs          %6d   left by the constraints\n", n.nfree - o->rank);
  if (n.nz > 0) say(s, "  internal      %6d   first-order states beside them\n", n.nz);
  say(s, "  forces        %6d   springs, dampers, inputs, loads\n", n.nforce);
  if (n.ncable > 0) say(s, "  cables        %6d\n", n.ncable);
  if (n.nwet > 0) say(s, "  in the fluid  %6d   points of rods, and bodies\n", n.nwet);
  if (n.ncontact > 0) say(s, "  contacts      %6d\n", n.ncontact);
  say(s, "  inputs        %6d\n  parameters    %6d\n  sensors       %6d\n", n.nu, n.nparam,
      n.nsensor);
  const td_linear_choice linear = td_model_linear(s->model);
  say(s, "  matrices      %6s   %s\n", linear.sparse ? "sparse" : "dense", linear.why);

  // stiffness and cost
  if (o->has_modes && o->fastest > 0) {
    say(s, "  stiffness     %.4g to %.4g Hz at the initial state", o->slowest, o->fastest);
    if (o->unstable) say(s, ", %d unstable", o->unstable);
    say(s, "\n");
  }
  say(s, "  cost          %.3g us per evaluation; ", 1e6 * o->evaluation);
  const double span = par.t_final - par.t_init;
  if (*o->why_not)
    say(s, "a simulation cannot be tried: %s\n", o->why_not);
  else if (isnan(o->simulation))
    say(s, "%g s of simulation take long: none of it was done in %.2g s\n", span, o->pilot);
  else
    say(s, "%g s of simulation %s about %.2g s (%s solver)\n", span,
        o->whole ? "took" : "will take", o->simulation, o->solver);
  if (o->rank < n.nconstraint)
    say(s, "  some constraints are redundant: lambda is the least one\n");

  // nodes and coordinates
  for (int i = 0; i < n.nmesh; i++) {
    td_mesh mesh;
    if (td_model_mesh_about(s->model, i, &mesh)) say_nodes(s, i, &mesh);
  }
  say_heading(s, "Coordinates");
  for (int i = 0; i < n.nq; i++) {
    td_coordinate c;
    if (n.nmesh > 0 && i == SHOWN) {
      say(s, "  ... %d more, see --json\n", n.nq - SHOWN);
      break;
    }
    if (!td_model_q_about(s->model, i, &c)) continue;
    say(s, "  q%-4d %12.5g %-4s %s%s\n", i + 1, s->state->q[i], c.unit, c.name,
        c.prescribed ? " (prescribed)" : "");
  }
  for (int i = 0; i < n.nz; i++)
    say(s, "  %-5s %12.5g %-4s internal state\n", td_model_internal_name(s->model, i),
        s->state->z[i], td_model_internal_unit(s->model, i));
}

// Assess the model and print it.
static int check(session* s) {
  outlook o;
  const td_status status = assess(s, &o);
  if (status != TD_OK) return session_failed(s, status, "check");
  if (s->opt->json) return json_print(check_json(s, &o));
  say_check(s, &o);
  return CODE_DONE;
}

int cmd_check(const options* opt) { return session_run(opt, check); }
