// tendril linearize: x' = A x + B u, y = C x + D u about the equilibrium or a state; linear.json
// and linear.mat.
#include <stdlib.h>

#include "cli/cli.h"

// A linear model with names and the point of linearisation
cJSON* linear_json(const session* s, const td_linear* l) {
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "about", s->opt->at ? "state" : "equilibrium");
  json_add_number(o, "nx", l->nx);
  json_add_number(o, "nu", l->nu);
  json_add_number(o, "ny", l->ny);
  json_add(o, "inputs", names_json(s->model, l->nu, td_model_input_name));
  cJSON* outputs = cJSON_AddArrayToObject(o, "outputs");
  for (int i = 0; i < l->ny; i++) {
    cJSON_AddItemToArray(outputs, cJSON_CreateString(td_model_sensor_name(s->model, l->output[i])));
  }

  // point of linearisation
  cJSON_AddStringToObject(o, "note", l->note);
  json_add(o, "velocities", names_json(s->model, s->n.nv, td_model_v_name));
  json_add_number(o, "t", s->rest->t);
  json_add(o, "q", json_vector(s->rest->q, s->n.nq));
  json_add(o, "v", json_vector(s->rest->v, s->n.nv));
  json_add(o, "u", json_vector(s->rest->u, s->n.nu));
  const int parts = 2 * s->n.nv + s->n.nz;
  if (s->n.nz) json_add(o, "internals", names_json(s->model, s->n.nz, td_model_internal_name));
  if (s->n.nz) json_add(o, "z", json_vector(s->rest->z, s->n.nz));

  // matrices
  json_add(o, "A", json_matrix(l->A, l->nx, l->nx));
  json_add(o, "B", json_matrix(l->B, l->nx, l->nu));
  json_add(o, "C", json_matrix(l->C, l->ny, l->nx));
  json_add(o, "D", json_matrix(l->D, l->ny, l->nu));
  json_add(o, "basis", json_matrix(l->basis, parts, l->nx));
  json_add(o, "inverse", json_matrix(l->inverse, l->nx, parts));
  return o;
}

// Write linear.mat: A, B, C, D, the basis of the states and its inverse, the state linearised
// about, and the names of inputs and outputs.
static td_status write_mat(session* s, const td_linear* l) {
  const char** inputs = calloc((size_t)l->nu + 1, sizeof *inputs);
  const char** outputs = calloc((size_t)l->ny + 1, sizeof *outputs);
  const int parts = 2 * s->n.nv + s->n.nz;
  td_status status = TD_E_NOMEM;
  if (inputs && outputs) {
    for (int i = 0; i < l->nu; i++) inputs[i] = td_model_input_name(s->model, i);
    for (int i = 0; i < l->ny; i++) outputs[i] = td_model_sensor_name(s->model, l->output[i]);
    const td_matrix list[] = {
        {"A", "", l->nx, l->nx, l->nx, l->A, NULL},
        {"B", "", l->nx, l->nu, l->nu, l->B, NULL},
        {"C", "", l->ny, l->nx, l->nx, l->C, NULL},
        {"D", "", l->ny, l->nu, l->nu, l->D, NULL},
        {"basis", "", parts, l->nx, l->nx, l->basis, NULL},
        {"inverse", "", l->nx, parts, parts, l->inverse, NULL},
        {"q", "", s->n.nq, 1, 1, s->rest->q, NULL},
        {"v", "", s->n.nv, 1, 1, s->rest->v, NULL},
        {"inputs", "", l->nu, 1, 1, NULL, inputs},
        {"outputs", "", l->ny, 1, 1, NULL, outputs},
        {"z", "", s->n.nz, 1, 1, s->rest->z, NULL},
    };
    const int n = (int)(sizeof list / sizeof *list);
    status = td_files_mat(s->files, "linear.mat", list, s->n.nz > 0 ? n : n - 1);
  }
  free(inputs);
  free(outputs);
  return status;
}

int linear_point(session* s) {
  if (!s->opt->at) return equil_step(s);
  td_state_copy(s->model, s->state, s->rest);
  return CODE_DONE;
}

// Find the point of linearisation, linearise there, with --reduce by natural modes, and print it.
int linear_step(session* s, td_linear** l) {
  const int code = linear_point(s);
  if (code) return code;

  // linearise
  const int reduce = s->opt->reduce;
  td_status status;
  if (!deaf_begin()) return session_failed(s, TD_E_STOPPED, "linearize");
  if (!reduce)
    status = td_linearize(s->model, s->rest, s->work, l);
  else if (s->opt->correct)
    status = td_static_reduction(s->model, s->rest, s->work, reduce, l);
  else
    status = td_modal_reduction(s->model, s->rest, s->work, reduce, l);
  deaf_end();
  if (status != TD_OK) return session_failed(s, status, reduce ? "modal reduction" : "linearize");

  // report
  say_heading(s, "Linear model about the %s", s->opt->at ? "given state" : "equilibrium");
  say(s, "  x' = A x + B u, y = C x + D u with %d states, %d inputs, %d outputs\n", (*l)->nx,
      (*l)->nu, (*l)->ny);
  if (*(*l)->note) say(s, "  %s\n", (*l)->note);
  say_time(s, s->rest->t);
  if (reduce)
    say(s, "  x = [z, z'] of the first natural modes%s, %d shapes\n",
        s->opt->correct ? " and a static one for each input" : "", (*l)->nx / 2);
  return CODE_DONE;
}

// Linearise about the equilibrium or a state, and write linear.json and linear.mat.  Returns the
// exit code.
static int linearize(session* s) {
  int code = session_output(s);
  if (code) return code;
  say_sizes(s);
  td_linear* l = NULL;
  code = linear_step(s, &l);
  if (code == CODE_DONE) {
    td_status status = session_write_json(s, "linear.json", linear_json(s, l));
    if (status == TD_OK) status = write_mat(s, l);
    code = session_wrote(s, status);
    if (code == CODE_DONE && s->has_equil) code = equil_write(s);
    if (code == CODE_DONE) code = session_commit(s, NULL, NULL);
  }
  if (s->opt->json && code == CODE_DONE) json_print(linear_json(s, l));
  td_linear_free(l);
  return code;
}

int cmd_linearize(const options* opt) { return session_run(opt, linearize); }
