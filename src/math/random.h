// Reproducible random numbers: splitmix64 [steele2014] and the Box-Muller transform.
#ifndef TD_RANDOM_H
#define TD_RANDOM_H

#include <math.h>
#include <stdint.h>

// Next 64 random bits; advances the seed.
static inline uint64_t random_bits(uint64_t* seed) {
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Uniform in (0, 1)
static inline double random_uniform(uint64_t* seed) {
  return ((double)(random_bits(seed) >> 11) + 0.5) * 0x1p-53;
}

// Normal with mean 0 and variance 1
static inline double random_normal(uint64_t* seed) {
  const double r = sqrt(-2 * log(random_uniform(seed)));
  return r * cos(6.283185307179586 * random_uniform(seed));
}

#endif
