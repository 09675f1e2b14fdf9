#pragma once

#include <cstdio>

#include "tb/explore/search/arena.h"

namespace fenceline::support {

/// Whether this build can search orders: under a sanitizer it cannot. If not, prints what makes
/// ctest count the test as skipped (cmake/DiscoverTests.cmake); the test should then return.
inline bool can_explore() {
  if (explore::Arena::available()) return true;
  std::puts("skipped: explore does not run under a sanitizer");
  return false;
}

}  // namespace fenceline::support
