#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/common/steps/operations.h"
#include "tb/scenario/shapes/ordering_names.h"
#include "tb/scenario/shapes/reader.h"

namespace fenceline::scenario {

/// Limits for the size of the explored scenario; no value: no limit.
struct ExploreBounds {
  static constexpr const char* kName = "explore_bounds";
  std::optional<std::uint64_t> signals;
  std::optional<std::uint64_t> waiters;
  std::optional<std::uint64_t> queues;
  std::optional<std::uint64_t> preemptions;
  std::optional<std::uint64_t> pending;
  std::optional<std::uint64_t> interrupts;

  template <class V, class T>
  static void fields(V& v, T& t) {
    const IntegerCodec number{0, 1'000'000};
    v.field("signals", t.signals, maybe(number), "Signals of queues and threads.");
    v.field("waiters", t.waiters, maybe(number), "Waits of threads.");
    v.field("queues", t.queues, maybe(number), "Number of queues with work.");
    v.field("preemptions", t.preemptions, maybe(IntegerCodec{0, 0}),
            "Preemptions of nodes: only 0, for scenarios without platform.os.preemption.");
    v.field("pending", t.pending, maybe(IntegerCodec{1, 1024}), "Writes in one posted FIFO.");
    v.field("interrupts", t.interrupts, maybe(IntegerCodec{1, 1'000'000}),
            "Interrupts raised since a core last accepted one. Runs with more are not explored.");
  }
};

constexpr std::array<Choice<common::Grain>, 3> kGrains{
    {{common::grain_name(common::Grain::kCoarse), common::Grain::kCoarse},
     {common::grain_name(common::Grain::kShared), common::Grain::kShared},
     {common::grain_name(common::Grain::kAll), common::Grain::kAll}}};

/// Settings of an exploration.
struct ExploreSettings {
  static constexpr const char* kName = "explore";
  ExploreBounds bounds;
  std::uint64_t executions = 5'000'000;
  std::uint64_t states = 20'000'000;
  std::optional<common::Grain> steps;
  std::vector<std::string> matrix;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("bounds", t.bounds, ObjectCodec<ExploreBounds>{},
            "Size limits of the scenario, also for runs.");
    v.field("executions", t.executions, IntegerCodec{1, 1'000'000'000'000},
            "Limit of runs, including those cut short. The search then gives up.");
    v.field("states", t.states, IntegerCodec{1, 1'000'000'000},
            "Limit of different states. The search then gives up.");
    v.field("steps", t.steps, maybe(choice(kGrains)),
            "Step size of threads. Default: `coarse` in random runs, `all` in searches.");
    v.field("matrix", t.matrix, list(WordCodec{mechanism_names()}, 0, 12),
            "Ordering switches of which `explore --matrix` tries every subset.");
  }
};

}  // namespace fenceline::scenario
