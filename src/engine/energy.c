// Kinetic, elastic and potential energy of a placed state.
#include "engine/stages.h"

// T = Σ ½ Vᵀ I V, the elastic energy of all forces, and -Σ m g·c where gravity has a potential; the
// fluid adds the kinetic energy of added mass and the potential of buoyancy.
td_energies td_energies_at(const td_model* m, td_work* w) {
  td_energies e = {0, td_elastic_energy(m, w), 0};
  const vec3 g = vec3_scale(w->load, vec3_of(w->num + m->gravity));

  for (int i = 0; i < m->nhop; i++) {
    if (!w->hop_heavy[i]) continue;
    const hop_work* h = &w->hop[i];
    const spatial IV = inertia_apply(&h->I, &h->V);
    e.kinetic += 0.5 * spatial_dot(&h->V, &IV);
    if (m->gravity_constant) e.gravity -= vec3_dot(g, h->I.mc);
  }

  e.kinetic += td_fluid_kinetic(m, w);
  if (m->gravity_constant) e.gravity += td_fluid_buoyancy(m, w);
  return e;
}
