// Sentences for single steps, used by stories and by choices.
#include <fmt/format.h>

#include "tb/explore/story/story.h"

namespace fenceline::explore {

using common::Operation;

namespace {

struct Meaning {
  Operation operation;
  const char* text;
};

/// Sentence for each operation, for steps without a printable event.
constexpr Meaning kMeanings[] = {
    {Operation::kTimer, "runs out of time"},
    {Operation::kIssue, "puts a write into its FIFO"},
    {Operation::kDrain, "moves its oldest write on"},
    {Operation::kBarrier, "passes its barrier: what it waited for has arrived"},
    {Operation::kNotice, "tells the CMP of its signal"},
    {Operation::kTakeNotice, "takes up what an engine told"},
    {Operation::kTakeUpdate, "takes up that MonitoredValue was written"},
    {Operation::kTakeRequest, "takes up a request of the driver"},
    {Operation::kReadMonitored, "reads MonitoredValue"},
    {Operation::kRaise, "writes an interrupt entry and asks for a message"},
    {Operation::kRescan, "looks through the parked queues"},
    {Operation::kPark, "parks the queue"},
    {Operation::kWork, "begins its work"},
    {Operation::kRead, "reads memory"},
    {Operation::kWrite, "writes memory"},
    {Operation::kDeliver, "takes the interrupt"},
    {Operation::kDeferredCall, "begins"},
    {Operation::kLock, "takes a lock"},
    {Operation::kAcknowledge, "tells the device how many entries it has read"},
    {Operation::kDoorbell, "rings the doorbell of a queue"},
    {Operation::kRegisterRead, "reads a register of the device"},
    {Operation::kRegisterWrite, "writes a register of the device"},
    {Operation::kWaitEnter, "begins to wait"},
    {Operation::kResume, "goes on after its wait"},
    {Operation::kBegin, "begins the next part of its program"},
    {Operation::kTable, "looks at what the OS keeps in lists"},
    {Operation::kLevel, "raises its IRQL"},
};

const char* meaning(Operation operation) {
  for (const Meaning& it : kMeanings)
    if (it.operation == operation) return it.text;
  return "goes on";
}

}  // namespace

bool explains(common::EventKind kind) { return common::description(kind).is(event::kExplains); }

std::string describe_operation(const std::vector<ReplayedStep>& trace, std::size_t step,
                               const common::Steps& steps, const report::Names& names) {
  const common::OperationInstance& of = trace[step].instance;
  const std::string agent = steps.name(of.agent) + " ";
  // The event of a write comes with the step before the one that puts the write into its FIFO.
  for (std::size_t i = step; of.operation == Operation::kIssue && i-- > 0;) {
    for (const common::Event& event : trace[i].events) {
      if (event.agent != of.agent) continue;
      if (event.is<event::CurrentValueIssued>()) {
        const auto write = event.as<event::CurrentValueIssued>();
        return fmt::format("{}puts CurrentValue {} of {} into its FIFO", agent, write.value,
                           names.object(common::ObjectKind::kFence, write.fence));
      }
      if (event.is<event::ShadowIssued>())
        return fmt::format(
            "{}puts the shadow MonitoredValue of {} into its FIFO", agent,
            names.object(common::ObjectKind::kFence, event.as<event::ShadowIssued>().fence));
    }
    if (trace[i].instance.agent == of.agent && trace[i].instance.operation == of.operation) break;
  }
  return agent + meaning(of.operation);
}

std::string with_agent(const std::string& agent, const std::string& text) {
  const bool begins = text.compare(0, agent.size() + 1, agent + " ") == 0;
  return begins ? text : agent + ": " + text;
}

}  // namespace fenceline::explore
