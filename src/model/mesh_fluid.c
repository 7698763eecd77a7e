// Edges of meshes in the fluid: drag as on a rod with a round section (elem/edge_drag.h), and the
// buoyancy of what they displace, half of it at either end.  Lengths are those of the geometry.
#include <math.h>
#include <stdlib.h>

#include "elem/edge_drag.h"
#include "model/fields.h"
#include "model/meshes.h"
#include "model/rods.h"

// What the edges of one mesh have in common.
typedef struct wet_edges {
  const value *width, *drag;
  int n;  // edges
  ex rho;
  ex last[2];  // drag of the edge before, and its slots
  num slots;
  int name;
} wet_edges;

static ex coefficient(builder* b, const wet_edges* e, int i) {
  static const double plain[2] = {1.1, 0.01};
  if (!e->drag) return num_ex(b, plain[i]);
  const int n = td_value_count(e->drag);
  return td_value_ex(e->drag, i == 0 ? 0 : n - 1, b->spec->graph);
}

static double edge_length(const td_wire* w, int e) {
  const double *x = w->x + 3 * (size_t)w->edge[2 * e], *y = w->x + 3 * (size_t)w->edge[2 * e + 1];
  return hypot(hypot(y[0] - x[0], y[1] - x[1]), y[2] - x[2]);
}

// Edges that follow each other with the same drag share their numbers.
static td_status push_drag(builder* b, int k, wet_edges* all, int e, ex width) {
  const build_mesh* mesh = &b->mesh[k];
  const ex wide = times(b, 0.5 * edge_length(mesh->wire, e), mul(b, all->rho, width));
  const ex drag[2] = {mul(b, wide, coefficient(b, all, 0)), mul(b, wide, coefficient(b, all, 1))};
  if (all->slots == NUM_NONE || drag[0] != all->last[0] || drag[1] != all->last[1]) {
    if (!td_push_number_ex(b->m, 2)) return TD_E_NOMEM;
    all->slots = b->m->nnumber_ex - 2;
    for (int i = 0; i < 2; i++) b->m->number_ex[all->slots + i] = all->last[i] = drag[i];
  }
  // where the stream varies it is taken at the Gauss points, which lie between the nodes
  num stream = 0;
  if (b->m->stream_varies) {
    ex end[2][3], here[3];
    for (int i = 0; i < 2; i++)
      TD_TRY(td_build_here(
          b,
          (td_sensor_ref){.root = 'm', .index = k + 1, .element = mesh->wire->edge[2 * e + i] + 1},
          end[i]));
    for (int i = 0; i < 2; i++) {
      num slots;
      for (int c = 0; c < 3; c++)
        here[c] =
            add(b, times(b, 1 - edge_gauss[i], end[0][c]), times(b, edge_gauss[i], end[1][c]));
      TD_TRY(td_build_stream(b, here, &slots));
      if (i == 0) stream = slots;
    }
  }
  model_drag* f = td_push_drag(b->m, 1);
  if (!f) return TD_E_NOMEM;
  *f = (model_drag){.name = all->name,
                    .a = mesh->instance + mesh->wire->edge[2 * e],
                    .b = mesh->instance + mesh->wire->edge[2 * e + 1],
                    .drag = all->slots,
                    .stream = stream};
  return TD_OK;
}

static td_status push_edges(builder* b, int k, wet_edges* all, ex* displaced) {
  static const double quarter_pi = 0.78539816339744830962;
  const build_mesh* mesh = &b->mesh[k];
  for (int e = 0; e < all->n; e++) {
    const ex width = td_build_pick(b, all->width, e, all->n, 0, 1, 0);
    const ex area = times(b, quarter_pi, mul(b, width, width));
    const ex half = times(b, 0.5 * edge_length(mesh->wire, e), mul(b, all->rho, area));
    TD_TRY(push_drag(b, k, all, e, width));
    for (int end = 0; end < 2; end++) {
      ex* sum = &displaced[mesh->wire->edge[2 * e + end]];
      *sum = add(b, *sum, half);
    }
  }
  return TD_OK;
}

td_status td_mesh_fluid(builder* b, int k, ex rho) {
  const value* fluid = td_get(b->meshes, k, "fluid");
  if (!fluid) return TD_OK;
  const build_mesh* mesh = &b->mesh[k];
  wet_edges all = {.width = td_get(fluid, 0, "width"),
                   .drag = td_get(fluid, 0, "drag"),
                   .n = mesh->nedge,
                   .rho = rho,
                   .slots = NUM_NONE};
  if (!td_field_fit("nx1", all.width, all.n).ok)
    return td_error(b->diags, TD_E_MODEL, td_get_at(fluid, 0, "width"),
                    "mesh(%d).fluid.width has %d rows, but the mesh has %d edges", k + 1,
                    td_value_count(all.width), all.n);
  char name[100];
  td_mesh_name(b, k, name, sizeof name);
  all.name = td_push_name(b->m, "%s", name);
  ex* displaced = malloc(((size_t)mesh->wire->nnode + 1) * sizeof(ex));
  td_status status = displaced ? TD_OK : TD_E_NOMEM;
  for (int i = 0; displaced && i < mesh->wire->nnode; i++) displaced[i] = num_ex(b, 0);
  if (status == TD_OK) status = push_edges(b, k, &all, displaced);
  for (int i = 0; status == TD_OK && i < mesh->wire->nnode; i++)
    if (!mesh->fixed[i]) status = td_build_buoyancy(b, mesh->instance + i, displaced[i]);
  free(displaced);
  return status;
}
