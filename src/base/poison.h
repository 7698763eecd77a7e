// Mark memory that is kept for later as unusable until then, so that the address sanitizer reports
// its use like that of freed memory.  Without the sanitizer both functions do nothing.
#ifndef TD_POISON_H
#define TD_POISON_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define TD_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TD_POISON 1
#endif
#endif

#ifdef TD_POISON
#include <sanitizer/asan_interface.h>
static inline void poison(const void* p, size_t size) { __asan_poison_memory_region(p, size); }
static inline void unpoison(const void* p, size_t size) { __asan_unpoison_memory_region(p, size); }
#else
static inline void poison(const void* p, size_t size) { (void)p, (void)size; }
static inline void unpoison(const void* p, size_t size) { (void)p, (void)size; }
#endif

#endif
