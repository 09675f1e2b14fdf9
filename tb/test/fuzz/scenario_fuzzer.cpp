// Loads arbitrary bytes as a scenario. A good one must survive the way out and back.
// Run as: scenario_fuzzer -close_fd_mask=1 -max_len=65536 NEW_CORPUS tb/test/fuzz/corpus

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tb/scenario/loader.h"

namespace {

namespace scenario = fenceline::scenario;

/// What loading gives must load again, to the same.
void check_round_trip(const scenario::Scenario& loaded) {
  try {
    const auto again = scenario::load_text(loaded.effective_json, "effective");
    if (again.effective_json != loaded.effective_json) std::abort();
  } catch (const scenario::ScenarioError&) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scenario::Scenario loaded;
  try {
    loaded = scenario::load_text({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const scenario::ScenarioError&) {
    return 0;
  }
  check_round_trip(loaded);
  return 0;
}

// The SystemC library refers to it; a fuzzer never calls it.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }
