// Where MuJoCo is not installed there is no peer: the benchmark has its own columns alone.
#include <stddef.h>

#include "peer.h"

peer* peer_new(int n) { return (void)n, NULL; }
void peer_free(peer* p) { (void)p; }
const char* peer_version(void) { return ""; }

const double* peer_forward(peer* p, const double* q, const double* v) {
  return (void)p, (void)q, (void)v, NULL;
}
const double* peer_forward_whole(peer* p, const double* q, const double* v) {
  return (void)p, (void)q, (void)v, NULL;
}
void peer_mass_matrix(peer* p, const double* q, const double* v, double* M) {
  (void)p, (void)q, (void)v, (void)M;
}
