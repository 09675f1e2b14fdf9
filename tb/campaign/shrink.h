#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tb/campaign/evaluation.h"
#include "tb/campaign/reducer.h"

namespace fenceline::campaign {

struct ShrinkOptions {
  RunSettings settings;
  unsigned jobs = 1;                        ///< processes at once; changes nothing in the result
  std::chrono::milliseconds stuck{10'000};  ///< limit of CPU time between two beats of a run
  std::optional<std::chrono::milliseconds> time;  ///< limit; the smallest scenario so far counts
  /// Number of seeds that each candidate with random orders is run with.
  std::uint64_t seeds = 8;
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(std::uint64_t runs)> progress;  ///< may be empty
};

struct Shrunk {
  std::string text;    ///< document of the smallest scenario that fails, with its seed
  Failure failure;     ///< of that scenario
  std::uint64_t runs;  ///< that it took
  bool complete;       ///< no single move makes it smaller
};

/// Makes a scenario as small as possible that fails with the same cause and shape. Each run has a
/// process of its own. None if the scenario does not fail. Throws scenario::ScenarioError if it is
/// not valid, std::invalid_argument for a driver that does not load.
/// @param wanted failure to keep. Without a cause: the most serious one of the scenario. Without a
/// shape: the shape that the scenario has first.
std::optional<Shrunk> shrink(const std::string& text, const std::string& name,
                             const ShrinkOptions& options, const Failure& wanted = {});

}  // namespace fenceline::campaign
