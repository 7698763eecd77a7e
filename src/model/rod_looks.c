// Data of a rod for pictures, beyond its mechanics: how thick it is along its length, and where its
// ends are.
#include <string.h>

#include "model/field.h"
#include "model/rods.h"

typedef struct look {
  ex width, height, E;
} look;

static ex root(builder* b, ex x) { return td_ex_1(b->spec->graph, EX_SQRT, x); }

// The axes of the ellipse with these moments per area:  I/A = (axis/4)².
static ex axis_of(builder* b, ex I, ex A) { return times(b, 4, root(b, over(b, I, A))); }

// A rod that a joint with `rom` makes: round, its rotary inertia per length is m r²/2.
static look printed_look(builder* b, int joint) {
  const int body = b->joint[joint].second.body - 1;
  const value *m = td_get(b->bodies, body, "m"), *I = td_field_get(b->bodies, body, "body.I");
  const ex none = num_ex(b, 0);
  if (!m || !I) return (look){none, none, none};
  const ex ratio = over(b, td_value_ex(I, 8, b->spec->graph), td_value_ex(m, 0, b->spec->graph));
  const ex diameter = times(b, 2, root(b, times(b, 2, ratio)));
  return (look){diameter, diameter, none};
}

// Width, height and Young's modulus of a rod's section at an arc length, for pictures.
static look look_at(builder* b, int rod, double arc) {
  if (b->rod[rod].joint >= 0) return printed_look(b, b->rod[rod].joint);
  const rod_words* w = td_rod_words(b, rod, arc);
  const char* kind = b->rod[rod].w.section;
  const ex E = td_rod_number(b, rod, w->E, 0, arc, w->material ? w->material->E : 0);
  if (strcmp(kind, "rectangle") == 0 || strcmp(kind, "ellipse") == 0)
    return (look){td_rod_number(b, rod, w->width, 0, arc, 0),
                  td_rod_number(b, rod, w->height, 0, arc, 0), E};
  if (strcmp(kind, "custom") == 0) {
    if (!b->rod[rod].w.area) return (look){num_ex(b, 0), num_ex(b, 0), E};
    const ex A = td_rod_number(b, rod, w->area, 0, arc, 0);
    return (look){axis_of(b, td_rod_number(b, rod, w->Iy, 0, arc, 0), A),
                  axis_of(b, td_rod_number(b, rod, w->Ix, 0, arc, 0), A), E};
  }
  const ex diameter = times(b, 2, td_rod_number(b, rod, w->radius, 0, arc, 0));
  return (look){diameter, diameter, E};
}

td_status td_build_rod_looks(builder* b, int rod) {
  const double length = b->rod[rod].length;
  const char* kind = b->rod[rod].w.section;  // NULL: a joint makes it
  if (!td_push_number_ex(b->m, ROD_OUTLINE)) return TD_E_NOMEM;
  const num at = b->m->nnumber_ex - ROD_OUTLINE;
  for (int i = 0; i < ROD_LOOKS; i++) {
    const look x = look_at(b, rod, length * i / (ROD_LOOKS - 1));
    b->m->number_ex[at + i] = x.width;
    b->m->number_ex[at + ROD_LOOKS + i] = x.height;
    b->m->number_ex[at + 2 * ROD_LOOKS + i] = x.E;
  }
  b->m->rod[rod].outline = at;
  b->m->rod[rod].angular = kind && strcmp(kind, "rectangle") == 0;
  int station;
  TD_TRY(td_rod_station(b, rod, 0, &station));
  return td_rod_station(b, rod, length, &station);
}
