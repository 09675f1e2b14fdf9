#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "models/common/events.h"
#include "tb/report/record/idle_periods.h"
#include "tb/report/rows/timeline_draft.h"

namespace fenceline::report {

/// Links, cores, threads, displays and memory.
class MachineRows {
 public:
  explicit MachineRows(TimelineDraft& draft) : draft_(draft) {}

  void take(const common::Event& event);
  /// Adds a sleep of a core. Sleeps come apart from the events, because some are known only when
  /// the core wakes.
  void add_idle(const IdlePeriod& period);

  void on(const common::At<event::Mark>& event);
  void on(const common::At<event::PcieTransfer>& event);
  void on(const common::At<event::LinkFault>& event);
  void on(const common::At<event::ThreadState>& event);
  void on(const common::At<event::CombiningDrained>& event);
  void on(const common::At<event::VerticalSync>& event);
  void on(const common::At<event::FlipCall>& event);
  void on(const common::At<event::FlipEffective>& event);
  void on(const common::At<event::FlipDone>& event);
  void on(const common::At<event::AdapterPower>& event);
  void on(const common::At<event::AllocationPlaced>& event);
  void on(const common::At<event::AllocationLocked>& event);
  void on(const common::At<event::AllocationUnlocked>& event);
  void on(const common::At<event::AllocationDestroyed>& event);
  void on(const common::At<event::CacheMaintained>& event);

 private:
  /// Where an allocation is. It has a row only if more than its first place is known.
  struct Place {
    std::uint64_t since = 0;  ///< [ps]
    std::uint64_t placement = 0;
    std::size_t slice = TimelineDraft::kNoSlice;
  };
  /// A transfer, and a fault that comes before the transfer that it befalls.
  struct OnWire {
    std::size_t slice = TimelineDraft::kNoSlice;
    std::uint64_t begin = 0;  ///< [ps]
    std::optional<event::LinkFaultKind> fault;
    std::uint32_t place = 0;  ///< of the fault
  };
  Place* shown(std::uint32_t allocation);
  void make_wrong(const OnWire& transfer);

  TimelineDraft& draft_;
  std::map<std::uint32_t, OnWire> wires_;  ///< by link: the last transfer
  TimelineDraft::Open threads_;            ///< by thread
  TimelineDraft::Open frames_;             ///< by adapter
  TimelineDraft::Open flips_;              ///< by adapter << 32 | number of the image
  TimelineDraft::Open power_;              ///< by adapter
  TimelineDraft::Open locks_;              ///< by allocation
  std::map<std::uint32_t, Place> places_;  ///< by allocation
};

}  // namespace fenceline::report
