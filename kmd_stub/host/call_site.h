#pragma once

namespace fenceline::kmd_host {

/// Source location of a call in a driver. As the default of a last parameter, `const CallSite& site
/// = CallSite::here()` is the location of the caller.
struct CallSite {
  const char* file = "";
  int line = 0;
  const char* function = "";

  // C++17 has no std::source_location. Both supported compilers have these built-ins.
  static constexpr CallSite here(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                                 const char* function = __builtin_FUNCTION()) {
    return {file, line, function};
  }
};

}  // namespace fenceline::kmd_host
