// Joints as they are written: each field is read once, by td_joint_read (build_joint.c).  A member
// is NULL where its field is absent.
#ifndef TD_JOINTS_H
#define TD_JOINTS_H

#include "model/spec.h"

// Spring, damper and input: of a joint, of a degree of freedom, of the edges of a mesh.
typedef struct law_words {
  const value *spring, *coeff, *init, *compr;  // the spring and its fields
  const value *damp, *visc, *pow, *along;      // the damper and its fields
  const value *input, *dir;
} law_words;
law_words td_law_read(const value* s, int i);
// Where a field of the law of s(i) was written: "spring.coeff", "input".
td_span td_law_at(const value* s, int i, const char* path);

// Does it have a spring, a damper or an input?
static inline bool has_law(const law_words* w) { return w->spring || w->damp || w->input; }

// A degree of freedom.
typedef struct dof_words {
  const value *equal2, *init, *init_s, *rate, *motion;
  law_words law;
} dof_words;

// tr(i) or tr2nd(i): a translation, then a rotation.
typedef struct tr_words {
  const value *trans, *rot;
} tr_words;
static inline tr_words tr_read(const value* tr, int i) {
  return (tr_words){td_get(tr, i, "trans"), td_get(tr, i, "rot")};
}

typedef struct joint_words {
  const value* s;  // element i of this structure describes it
  int i;
  const value *first, *second, *tr, *tr2nd, *refbody;  // what it connects
  const char *type, *chart;
  const value *axis, *pitch, *dof, *motion;  // its freedom
  const value *fixed, *control;              // a constraint
  const value *rom, *points;                 // a polynomial rod, and its quadrature
  law_words law;
  const value *xaxis, *beam;
  bool mid;  // the strain of a beam is measured half-way between its ends
} joint_words;
joint_words td_joint_read(const value* s, int i);
// dof(d), from 0: all of it is absent where it is not written.
dof_words td_joint_dof(const joint_words* w, int d);

#endif
