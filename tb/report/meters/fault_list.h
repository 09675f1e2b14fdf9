#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "models/common/events.h"
#include "tb/report/record/names.h"
#include "tb/report/record/run_report.h"

namespace fenceline::report {

/// Keeps the last faults that a scenario asked for: one of them may be the reason why a run is
/// blocked.
class FaultList {
 public:
  void on(const common::At<event::LinkFault>& event) {
    add({common::kKindOf<event::LinkFault>, event.link, event.kind, event.number, event.begin,
         event.fault});
  }
  void on(const common::At<event::EngineFault>& event) {
    add({common::kKindOf<event::EngineFault>, event.queue, {}, 0, event.time, event.fault});
  }
  void on(const common::At<event::PacketFault>& event) {
    add({common::kKindOf<event::PacketFault>, event.queue, {}, 0, event.time, event.fault});
  }

  /// Fills `report.faults`.
  void report(const Names& names, RunReport& report) const;

 private:
  struct Seen {
    common::EventKind event;
    std::uint32_t object;       ///< the link, or the queue of the engine
    event::LinkFaultKind kind;  ///< on a link
    std::uint64_t number;       ///< of the message or packet
    std::uint64_t time;         ///< [ps] of its mark on the timeline
    std::uint64_t fault;        ///< from 1
  };
  static std::string text_of(const Seen& seen, const Names& names);
  void add(const Seen& seen);

  std::deque<Seen> seen_;
};

}  // namespace fenceline::report
