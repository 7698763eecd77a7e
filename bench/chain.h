// The robot of the benchmark: a serial chain of n hinges with axes y, z, x, y ... and links that
// are slender, lopsided and inclined, so that no inertia is diagonal and no product vanishes.
#ifndef BENCH_CHAIN_H
#define BENCH_CHAIN_H

typedef struct chain_link {
  double m, com[3];
  double principal[3];  // moments of inertia about the centre of mass ...
  double quat[4];       // ... and the attitude of their axes, a unit quaternion
  double length;        // to the next hinge, along z
  int axis;             // of the hinge at its start: 0, 1, 2
} chain_link;

chain_link chain_link_at(int k);  // k from 0

// The chain as texts of the two programs.  The caller frees them.  MJCF nests a body in its parent
// and its reader refuses more than a hundred levels, so the text comes in parts of CHAIN_PART
// links: the one that starts at link `first` is the file chain<first>.xml, and each part includes
// the next one.
enum { CHAIN_PART = 50 };
char* chain_model_text(int n);
char* chain_mjcf(int n, int first);

#endif
