#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fenceline::generate {

/// A size that is drawn: both ends are included.
struct Span {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
};

/// Sizes of a scenario.
struct Sizes {
  Span adapters{1, 2};
  Span processes{2, 3};
  Span threads{3, 6};
  Span queues{3, 5};
  Span contexts{0, 3};
  Span fences{3, 7};
  Span allocations{2, 4};
  Span commands{40, 80};   ///< of all queues and contexts
  Span steps{15, 40};      ///< of all threads, submissions included
  Span submission{1, 10};  ///< commands of one submission
};

/// How often something occurs [%].
struct Features {
  std::uint32_t shared_fences = 50;
  std::uint32_t cross_adapter_fences = 60;
  std::uint32_t monitored_fences = 25;
  std::uint32_t traced_fences = 10;
  std::uint32_t fence_flags = 10;
  std::uint32_t fence_homes = 30;
  std::uint32_t initial_values = 30;
  std::uint32_t large_values = 10;
  std::uint32_t answers = 20;
  std::uint32_t relays = 20;
  std::uint32_t logs = 80;
  std::uint32_t short_logs = 30;
  std::uint32_t progress_fences = 25;
  std::uint32_t queue_programs = 25;
  std::uint32_t thread_cores = 25;
  std::uint32_t drivers = 30;
  std::uint32_t preemption = 25;
  std::uint32_t context_scheduling = 25;
  std::uint32_t faults = 10;
  std::uint32_t mistakes = 4;
  std::uint32_t refused_submissions = 0;
  std::uint32_t memory = 25;
  std::uint32_t cpu_events = 25;
  std::uint32_t doorbells = 20;
  std::uint32_t device_errors = 20;
  std::uint32_t after_errors = 0;
  std::uint32_t power = 30;
  std::uint32_t display = 15;
  std::uint32_t negotiation = 10;
  std::uint32_t patched_contexts = 10;
  std::uint32_t submissions_aside = 15;
  std::uint32_t holds = 8;
  std::uint32_t guests = 10;
  std::uint32_t iommu = 10;
  std::uint32_t platform_values = 20;
  std::uint32_t released_by_logs = 20;
  std::uint32_t reused_addresses = 30;
  std::uint32_t weak_hosts = 0;
  std::uint32_t early_checks = 0;
  std::uint32_t fences_of_32_bits = 0;
  std::uint32_t small_bars = 0;
  std::uint32_t stale_caches = 0;
  std::uint32_t races = 0;
  std::uint32_t strays = 0;
};

/// Values of the ordering switches.
enum class SwitchMode : std::uint8_t { kMostlyDefaults, kDefaults, kSafe, kUnsafe };

/// Relative weights, by name.
using Weights = std::map<std::string, std::uint32_t>;

/// Sizes, features and weights of generated scenarios.
struct Constraints {
  Constraints();  ///< all defaults; the weights of words are those of their rules

  Sizes sizes;
  Features features;
  SwitchMode switches = SwitchMode::kMostlyDefaults;
  Weights gpus;               ///< profiles of adapters
  Weights hosts;              ///< profiles of hosts
  Weights steps;              ///< by verb
  Weights commands;           ///< by verb
  bool expectations = false;  ///< the values of fences at the end are expected
};

/// Reads a constraint file. Throws scenario::ScenarioError at the first error.
Constraints load_constraints(const std::string& path);
/// The same from text; `name` replaces the path in messages.
Constraints constraints_of(std::string_view text, const std::string& name);
/// The JSON schema of constraint files.
std::string constraints_schema();

/// Names of the built-in constraints.
std::vector<std::string> preset_names();
/// Built-in constraints, by a name of preset_names().
/// @pre the name is known.
Constraints preset(const std::string& name);

}  // namespace fenceline::generate
