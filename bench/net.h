// Square nets that hang on one edge, as model texts for Tendril and for MuJoCo.
#ifndef BENCH_NET_H
#define BENCH_NET_H

typedef enum net_kind { NET_SPRINGS, NET_ROPES, NET_BEAMS } net_kind;

// n x n nodes of 3 (springs, ropes) or 6 (beams) DOFs, one metre wide, 0.1 kg, at rest in a
// horizontal plane.  The text belongs to the caller.
char* net_text(int n, net_kind kind);
// MuJoCo's own net: a composite of n x n masses, held at one edge.
char* net_mjcf(int n);

#endif
