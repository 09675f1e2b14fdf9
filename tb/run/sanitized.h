#pragma once

/// Defined where a sanitizer has its own functions of memory: nothing may take their place.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FENCELINE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define FENCELINE_SANITIZED 1
#endif
#endif
