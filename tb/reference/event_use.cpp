#include "tb/reference/event_use.h"

#include <algorithm>

#include "models/abi/mutant.h"

namespace fenceline::reference {

namespace {

bool all_before(const Order& order, const std::vector<Ref>& firsts,
                const std::vector<Ref>& seconds) {
  return std::all_of(firsts.begin(), firsts.end(), [&](Ref first) {
    return std::all_of(seconds.begin(), seconds.end(),
                       [&](Ref second) { return order.before(first, second); });
  });
}

/// A wait for the event ends before the operation.
bool waited_before(const Analysis& analysis, Id event, Ref ref) {
  const Program& program = analysis.program;
  for (Id lane = 0; lane < program.lanes.size(); ++lane)
    for (Id i = 0; i < program.lanes[lane].ops.size(); ++i) {
      const Op& op = program.lanes[lane].ops[i];
      if (!op.may_time_out && op.waits.size() == 1 && op.waits.front().handle == event &&
          analysis.order.before({lane, i}, ref))
        return true;
    }
  return false;
}

}  // namespace

std::string cpu_event_misuse(const Analysis& analysis) {
  for (const CpuEvent& event : analysis.program.cpu_events) {
    if (!all_before(analysis.order, event.creates, event.uses) ||
        !all_before(analysis.order, event.uses, event.destroys))
      return "calls for a CPU event that may not be there";
    for (const Ref destroy : event.destroys)
      if (event.of_buffers && !abi::mutant(abi::Mutant::kDestroyedEventIsSet) &&
          !waited_before(analysis, event.event, destroy))
        return "a CPU event that may be destroyed before it is signalled";
  }
  return "";
}

}  // namespace fenceline::reference
