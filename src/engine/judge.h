// Judgement of a compiled model at its initial state, for judge.c and judge_elements.c.
#ifndef TD_JUDGE_H
#define TD_JUDGE_H

#include "engine/stages.h"
#include "model/spec.h"

// A compiled model at its initial state, with the description it came from.
typedef struct trial {
  td_spec* spec;
  const td_model* m;
  td_work* w;
  td_state* state;
} trial;

// Source position of the first of some fields of root(index) that was written, of the definition of
// a mesh's edges ("joint") or nodes ("body"), of a joint, and of a coordinate's value.
td_span td_field_span(const td_spec* spec, const char* root, int index, const char* const* fields);
td_span td_mesh_span(const td_spec* spec, int mesh, const char* field);
td_span td_joint_span(const td_spec* spec, int joint);
td_span td_dof_span(const td_spec* spec, const model_dof* d);

// Check all numbers that follow from expressions and parameters, and charts, springs, beams and
// stretch() sensors at the start; each reports as many faults as possible.
td_status td_judge_numbers(const trial* t);
td_status td_judge_geometry(const trial* t);

#endif
