#pragma once

#include <cstdint>

#include "models/common/events.h"
#include "models/common/steps/steps.h"
#include "tb/scenario/scenario.h"

namespace fenceline::run {

/// Finds out that a run in time goes on and comes to nothing: no fence, packet, allocation or
/// thread advances, but threads that poll, timers that repeat, contexts that take turns.
///
/// The run stands still when nothing has advanced for `standstill` of simulated time, counted from
/// when the last wait was over that had begun before, such as a long dispatch, and for longer by
/// four times the longest wait that has begun since. Where time does not pass, steps count.
class Standstill : public common::EventSink {
 public:
  Standstill(common::Steps& steps, const scenario::RunLimits& limits)
      : steps_(steps), limits_(limits) {}
  void attach(common::EventStream& events);
  void on_event(const common::Event& event) override;

  /// To be asked now and then; the more often, the finer.
  bool found();

 private:
  common::Steps& steps_;
  const scenario::RunLimits limits_;
  bool moved_ = true;
  std::uint64_t advances_ = 0;
  common::Time since_ = 0;         ///< nothing has advanced
  std::uint64_t since_beats_ = 0;  ///< the same in steps
  common::Time pending_ = 0;       ///< end of what was under way then
};

}  // namespace fenceline::run
