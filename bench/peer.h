// MuJoCo on the same chain.
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

typedef struct peer peer;

peer* peer_new(int n);  // chain of n links; prints why and exits when MuJoCo refuses it
void peer_free(peer* p);
const char* peer_version(void);

// v' at (q, v) by the stages that forward dynamics of a tree needs and no others: kinematics,
// composite inertia, its factorisation, velocities, bias forces, solve.  The result belongs to the
// peer.
const double* peer_forward(peer* p, const double* q, const double* v);
// The same by mj_forward, the call most programs make.
const double* peer_forward_whole(peer* p, const double* q, const double* v);
// Dense mass matrix.
void peer_mass_matrix(peer* p, const double* q, const double* v, double* M);

#endif
