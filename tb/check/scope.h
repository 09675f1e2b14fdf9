#pragma once

#include <cstdint>
#include <string>

#include "tb/check/world.h"

namespace fenceline::check {

/// Memory that driver and device may use for a time only: I21 VA_SCOPE and I28 LOG_BUF.
class ScopeChecks {
 public:
  explicit ScopeChecks(World& world) : world_(world) {}

  void on_update_call(const common::Event& event) { ++slots_[slot(event.object, event.c)].calls; }
  void on_update_return(const common::Event& event);
  void on_monitored_stored(const common::Event& event);
  void on_log_retired(const common::Event& event);
  void on_log_visible(const common::Event& event);
  void forget(std::uint32_t fence) {
    for (std::size_t adapter = 0; adapter < kAdapters; ++adapter)
      slots_.forget(slot(fence, adapter));
  }
  void clear();
  void add_to(Canonical& hash) const;

 private:
  /// A fence on an adapter.
  struct Slot {
    void clear() { calls = 0; }
    std::uint64_t calls = 0;  ///< updates that have not returned
  };
  struct Log {
    void clear() { retired = false; }
    bool retired = false;
  };
  static constexpr std::size_t kAdapters = 16;  ///< more than a scenario can have
  static std::size_t slot(std::uint32_t fence, std::uint64_t adapter) {
    return fence * kAdapters + adapter % kAdapters;
  }

  World& world_;
  Dense<Slot> slots_;
  Dense<Log> logs_;
};

}  // namespace fenceline::check
