#include "tb/report/meters/fault_list.h"

#include <fmt/format.h>

namespace fenceline::report {

namespace {

constexpr std::size_t kMostFaults = 16;

}  // namespace

std::string FaultList::text_of(const Seen& seen, const Names& names) {
  const std::string queue(names.object(common::ObjectKind::kQueue, seen.object));
  if (seen.event == common::kKindOf<event::EngineFault>) return "the engine of " + queue + " hangs";
  if (seen.event == common::kKindOf<event::PacketFault>)
    return "the engine of " + queue + " cannot execute a packet";
  const event::Description& of = common::description(seen.event);
  return fmt::format(
      "{}: {} (number {})", names.object(common::ObjectKind::kLink, seen.object),
      common::word_of(common::format_of(of, "kind"), static_cast<std::uint64_t>(seen.kind)),
      seen.number);
}

void FaultList::add(const Seen& seen) {
  if (seen.fault == 0) return;
  seen_.push_back(seen);
  if (seen_.size() > kMostFaults) seen_.pop_front();
}

void FaultList::report(const Names& names, RunReport& report) const {
  report.faults.clear();
  for (const Seen& seen : seen_) {
    FaultSeen& it = report.faults.emplace_back();
    it.text = text_of(seen, names);
    it.time = seen.time;
    if (report.scenario == nullptr || seen.fault > report.scenario->faults.size()) continue;
    const scenario::Location& at = report.scenario->faults[seen.fault - 1].location;
    it.pointer = at.pointer;
    it.line = at.line;
  }
}

}  // namespace fenceline::report
