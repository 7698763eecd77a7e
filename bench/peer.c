#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "chain.h"

struct peer {
  mjModel* m;
  mjData* d;
};

// MuJoCo reads files; its own kind of file in memory will do.
static void add_file(mjVFS* files, int n, int first) {
  char name[32];
  snprintf(name, sizeof name, "chain%d.xml", first);
  char* mjcf = chain_mjcf(n, first);
  const int size = (int)strlen(mjcf);
  mj_makeEmptyFileVFS(files, name, size);
  memcpy(files->filedata[mj_findFileVFS(files, name)], mjcf, (size_t)size);
  free(mjcf);
}

static mjModel* model_of(int n) {
  mjVFS* files = malloc(sizeof *files);
  if (!files) abort();
  mj_defaultVFS(files);
  for (int first = 0; first < n; first += CHAIN_PART) add_file(files, n, first);
  char error[1000] = "";
  mjModel* m = mj_loadXML("chain0.xml", files, error, sizeof error);
  mj_deleteVFS(files);
  free(files);
  if (!m) {
    fprintf(stderr, "MuJoCo: %s\n", error);
    exit(1);
  }
  return m;
}

peer* peer_new(int n) {
  peer* p = malloc(sizeof *p);
  if (!p) abort();
  p->m = model_of(n);
  p->d = mj_makeData(p->m);
  return p;
}

void peer_free(peer* p) {
  mj_deleteData(p->d);
  mj_deleteModel(p->m);
  free(p);
}

const char* peer_version(void) { return mj_versionString(); }

static void set(peer* p, const double* q, const double* v) {
  memcpy(p->d->qpos, q, (size_t)p->m->nq * sizeof(double));
  memcpy(p->d->qvel, v, (size_t)p->m->nv * sizeof(double));
}

const double* peer_forward(peer* p, const double* q, const double* v) {
  mjModel* m = p->m;
  mjData* d = p->d;
  set(p, q, v);
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_crb(m, d);
  mj_factorM(m, d);
  mj_comVel(m, d);
  mj_rne(m, d, 0, d->qfrc_bias);
  for (int i = 0; i < m->nv; i++) d->qfrc_smooth[i] = -d->qfrc_bias[i];
  mj_solveM(m, d, d->qacc, d->qfrc_smooth, 1);
  return d->qacc;
}

const double* peer_forward_whole(peer* p, const double* q, const double* v) {
  set(p, q, v);
  mj_forward(p->m, p->d);
  return p->d->qacc;
}

void peer_mass_matrix(peer* p, const double* q, const double* v, double* M) {
  set(p, q, v);
  mj_kinematics(p->m, p->d);
  mj_comPos(p->m, p->d);
  mj_crb(p->m, p->d);
  mj_fullM(p->m, M, p->d->qM);
}
