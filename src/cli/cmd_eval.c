// tendril eval: the equations at one state.
//
//   M v' + h = tau + Jc' lambda,      F = M v' + h - tau - Jc' lambda,  dF/dq and dF/dv at that v'
//   and lambda
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// Everything at the state, in one block.
typedef struct equations {
  double *M, *h, *tau, *Jc, *e, *dFdq, *dFdv, *vdot, *lambda, *zdot, *sensors;
} equations;

// Evaluate everything; returns the block, to be freed.  *status: of the first part that fails,
// which td_work_failure() names.
static double* fill(session* s, equations* eq, td_status* status) {
  const size_t nv = (size_t)s->n.nv, nc = (size_t)s->n.nconstraint, nz = (size_t)s->n.nz,
               ny = (size_t)s->n.nsensor;
  double* block = calloc(3 * nv * nv + 3 * nv + nc * nv + 2 * nc + nz + ny + 1, sizeof *block);
  *status = block ? TD_OK : TD_E_NOMEM;
  if (!block) return NULL;
  double* p = block;
  const struct {
    double** to;
    size_t n;
  } parts[] = {{&eq->M, nv * nv}, {&eq->dFdq, nv * nv}, {&eq->dFdv, nv * nv}, {&eq->h, nv},
               {&eq->tau, nv},    {&eq->vdot, nv},      {&eq->Jc, nc * nv},   {&eq->e, nc},
               {&eq->lambda, nc}, {&eq->zdot, nz},      {&eq->sensors, ny}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    *parts[i].to = p;
    p += parts[i].n;
  }

  // v' and lambda of the last evaluation belong to the work, which later calls overwrite
  if (nv) memcpy(eq->vdot, td_work_vdot(s->work), nv * sizeof *p);
  if (nc) memcpy(eq->lambda, td_work_lambda(s->work), nc * sizeof *p);

  // mass matrix, forces, constraints, tangent, rates, sensors, stations
  *status = td_mass_matrix(s->model, s->state, s->work, eq->M);
  if (*status == TD_OK) *status = td_bias(s->model, s->state, s->work, eq->h, eq->tau);
  if (*status == TD_OK) *status = td_constraints(s->model, s->state, s->work, eq->Jc, eq->e, NULL);
  if (*status == TD_OK)
    *status = td_tangent(s->model, s->state, s->work, eq->vdot, eq->lambda, eq->dFdq, eq->dFdv);
  if (*status == TD_OK) *status = td_internal_rates(s->model, s->state, s->work, eq->zdot);
  if (*status == TD_OK) *status = td_sensors(s->model, s->state, s->work, eq->sensors);
  for (int i = 0; *status == TD_OK && i < s->n.nstation; i++) {
    double pose[16], twist[6];
    *status = td_station(s->model, s->state, s->work, i, pose, twist);
  }
  return block;
}

// Names, poses and velocities of all stations
static cJSON* stations_json(session* s) {
  cJSON* list = cJSON_CreateArray();
  for (int i = 0; i < s->n.nstation; i++) {
    double pose[16], twist[6];
    td_station(s->model, s->state, s->work, i, pose, twist);
    cJSON* item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", td_model_station_name(s->model, i));
    double arc = 0;
    const int rod = td_model_station_rod(s->model, i, &arc);
    td_rod about;
    if (td_model_rod_about(s->model, rod - 1, &about)) {
      cJSON_AddStringToObject(item, "rod", about.name);
    }
    json_add_number(item, "arc_length", rod > 0 ? arc : 0);  // rigid bodies have none
    json_add(item, "pose", json_matrix(pose, 4, 4));
    json_add(item, "twist", json_vector(twist, 6));
    cJSON_AddItemToArray(list, item);
  }
  return list;
}

// State, equations, energy, sensors and stations
static cJSON* eval_json(session* s, const equations* eq, td_flags flags) {
  const int nv = s->n.nv, nc = s->n.nconstraint;
  cJSON* o = cJSON_CreateObject();
  json_add_number(o, "nq", s->n.nq);
  json_add_number(o, "nv", nv);
  json_add_number(o, "t", s->state->t);
  json_add(o, "q", json_vector(s->state->q, s->n.nq));
  json_add(o, "v", json_vector(s->state->v, nv));
  if (s->n.nz) {
    json_add(o, "z", internals_json(s, s->state));
    json_add(o, "zdot", json_vector(eq->zdot, s->n.nz));
  }
  json_add(o, "u", inputs_json(s, s->state));

  // equations of motion
  json_add(o, "M", json_matrix(eq->M, nv, nv));
  json_add(o, "h", json_vector(eq->h, nv));
  json_add(o, "tau", json_vector(eq->tau, nv));
  json_add(o, "vdot", json_vector(eq->vdot, nv));
  json_add(o, "lambda", json_vector(eq->lambda, nc));

  // constraints
  cJSON_AddBoolToObject(o, "lambda_not_unique", flags.lambda_not_unique);
  json_add_number(o, "constraint_rank", flags.constraint_rank);
  json_add(o, "constraint_error", json_vector(eq->e, nc));
  json_add(o, "Jc", json_matrix(eq->Jc, nc, nv));

  // tangent, energy, sensors, stations
  json_add(o, "dFdq", json_matrix(eq->dFdq, nv, nv));
  json_add(o, "dFdv", json_matrix(eq->dFdv, nv, nv));
  json_add(o, "energy", energies_json(td_energy(s->model, s->state, s->work)));
  json_add(o, "sensors", sensors_json(s, s->state));
  json_add(o, "stations", stations_json(s));
  return o;
}

// Print the equations, energies and positions.
static void say_eval(session* s, const equations* eq) {
  const td_energies e = td_energy(s->model, s->state, s->work);
  say_sizes(s);
  say_heading(s, "At t = %g s", s->state->t);
  say(s, "          v            v'             h           tau   of\n");
  for (int i = 0; i < s->n.nv; i++) {
    say(s, "  %12.5g  %12.5g  %12.5g  %12.5g   %s\n", s->state->v[i], eq->vdot[i], eq->h[i],
        eq->tau[i], td_model_v_name(s->model, i));
  }
  for (int i = 0; i < s->n.nconstraint; i++) {
    say(s, "  lambda %12.5g   error %10.3g   %s\n", eq->lambda[i], eq->e[i],
        td_model_constraint_name(s->model, i));
  }

  // explain the rows t1 ... r3, when there are any
  for (int i = 0; i < s->n.nconstraint; i++) {
    const char* dot = strrchr(td_model_constraint_name(s->model, i), '.');
    if (!dot || !strchr("tr", dot[1]) || dot[2] < '1' || dot[2] > '3') continue;
    say(s,
        "  (.t1 .t2 .t3: the ends stay together across the joint's axis, twice, and along it;\n"
        "   .r1 .r2 .r3: they do not turn about these directions; lambda in N and N m)\n");
    break;
  }

  say(s, "  energy [J]: kinetic %.6g, elastic %.6g, gravity %.6g\n", e.kinetic, e.elastic,
      e.gravity);
  for (int i = 0; i < s->n.nstation; i++) {
    double pose[16], twist[6];
    td_station(s->model, s->state, s->work, i, pose, twist);
    say(s, "  [%10.5g %10.5g %10.5g] m   %s\n", pose[3], pose[7], pose[11],
        td_model_station_name(s->model, i));
  }
}

// Velocities of a network up to which its matrices, dense here, are shown.
enum { LARGE_NETWORK = 1000 };

// Evaluate the equations at the session's state and print them.
static int evaluate(session* s) {
  int code = CODE_DONE;
  if (s->n.nv > LARGE_NETWORK && td_model_linear(s->model).sparse)
    return complain(CODE_USE,
                    "eval: a network of %d velocities has no matrices to show; up to %d do",
                    s->n.nv, LARGE_NETWORK);

  // accelerations and multipliers
  td_status status = td_forward_dynamics(s->model, s->state, s->work);
  if (status != TD_OK) return session_failed(s, status, "eval");
  const td_flags flags = td_work_flags(s->work);

  // everything else, which must be finite
  equations eq;
  double* block = fill(s, &eq, &status);
  const td_energies e = td_energy(s->model, s->state, s->work);
  if (status != TD_OK) {
    code = session_failed(s, status, "eval");
  } else if (!isfinite(e.kinetic + e.elastic + e.gravity)) {
    code = complain(CODE_NUMERICS, "eval: %s: the energy, kinetic %g J, elastic %g J, gravity %g J",
                    td_status_text(TD_E_INFINITE), e.kinetic, e.elastic, e.gravity);
  } else if (s->opt->json) {
    code = json_print(eval_json(s, &eq, flags));
  } else {
    say_eval(s, &eq);
  }
  free(block);
  return code;
}

int cmd_eval(const options* opt) { return session_run(opt, evaluate); }
