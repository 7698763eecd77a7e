// The robot of the benchmark: a serial chain of n hinges with axes y, z, x, y ... and links that are
// slender, lopsided and inclined, so that no inertia is diagonal and no product vanishes.
#ifndef BENCH_CHAIN_H
#define BENCH_CHAIN_H

typedef struct chain_link {
  double m, com[3], I[6];  // I about the centre of mass: xx yy zz xy xz yz
  double length;           // to the next hinge, along z
  int axis;                // of the hinge at its start: 0, 1, 2
} chain_link;

chain_link chain_link_at(int k);  // k from 0

// The chain as texts of the two programs.  The caller frees them.
char* chain_model_text(int n);
char* chain_mjcf(int n);

#endif
