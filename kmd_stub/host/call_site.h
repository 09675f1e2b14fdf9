#pragma once

namespace fenceline::kmd_host {

/// The place in a driver's source that makes a call: the default of a last parameter
/// `const CallSite& site = CallSite::here()` is the caller's own place.
struct CallSite {
  const char* file = "";
  int line = 0;
  const char* function = "";

  // C++17 has no std::source_location; both compilers of the project have these built-ins.
  static constexpr CallSite here(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                                 const char* function = __builtin_FUNCTION()) {
    return {file, line, function};
  }
};

}  // namespace fenceline::kmd_host
