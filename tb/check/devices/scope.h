#pragma once

#include <cstdint>
#include <string>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Memory that driver and device may use only for a limited time: I21 VA_SCOPE and I28 LOG_BUF.
class ScopeChecks : public Checks<ScopeChecks> {
 public:
  explicit ScopeChecks(World& world) : Checks(world) {}

  void on(const common::At<event::UpdateMonitoredCall>& event) {
    ++slots_[slot(event.fence, event.adapter)].calls;
  }
  void on(const common::At<event::UpdateMonitoredReturn>& event);
  void on(const common::At<event::MonitoredValueStored>& event);
  void on(const common::At<event::LogRetired>& event);
  void on(const common::At<event::LogEntryVisible>& event) { judge_log(event.log); }
  void on(const common::At<event::LogHeaderVisible>& event) { judge_log(event.log); }
  void forget(std::uint32_t fence) override {
    for (std::size_t adapter = 0; adapter < kAdapters; ++adapter)
      slots_.forget(slot(fence, adapter));
  }

  void add_to(Canonical& hash) const override;

 private:
  void judge_log(std::uint32_t log);
  /// A fence on an adapter.
  struct Slot {
    std::uint64_t calls = 0;  ///< updates that have not returned
  };
  struct Log {
    bool retired = false;
  };
  static constexpr std::size_t kAdapters = 16;  ///< more than a scenario can have
  static std::size_t slot(std::uint32_t fence, std::uint64_t adapter) {
    return fence * kAdapters + adapter % kAdapters;
  }

  Dense<Slot> slots_;
  Dense<Log> logs_;
};

}  // namespace fenceline::check
