#pragma once

#include <cstdint>

#include "models/command_processor/engine_port.h"
#include "models/command_processor/scheduling/context_ranks.h"
#include "models/command_processor/shared.h"

namespace fenceline::command_processor {

/// Suspensions of contexts: reports each to the CMP when no queue of the context runs any more.
/// Source: WDDM, DxgkDdiSuspendContext.
class Suspensions {
 public:
  Suspensions(Shared& shared, ContextRanks& ranks, EnginePort& engines)
      : shared_(shared), ranks_(ranks), engines_(engines) {}

  /// A context whose suspension can be reported; null if there is none.
  const ScheduledContext* due() const;
  /// Ends the waits of the context's queues and drops their prefetched packets. Reports the
  /// suspension when all writes of the context are visible. It is a step.
  void report(std::uint32_t slot);

 private:
  bool has_left(std::uint32_t slot) const;
  void leave_node(HardwareQueue& queue) const;

  Shared& shared_;
  ContextRanks& ranks_;
  EnginePort& engines_;
};

}  // namespace fenceline::command_processor
