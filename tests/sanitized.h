// Built with the address sanitizer?  It has a malloc of its own, and long computations, which show
// nothing new there, are left out.
#ifndef TD_SANITIZED_H
#define TD_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define CHECK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHECK_SANITIZED 1
#endif
#endif
#ifndef CHECK_SANITIZED
#define CHECK_SANITIZED 0
#endif

#endif
