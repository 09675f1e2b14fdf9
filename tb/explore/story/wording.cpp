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

/// By operation. Stories have it in the place of events that are not printed.
constexpr Meaning kMeanings[] = {
    {Operation::kTimer, "runs out of time"},
    {Operation::kIssue, "puts a write into its FIFO"},
    {Operation::kDrain, "moves its oldest write on"},
    {Operation::kBarrier, "passes its barrier: what it waited for has arrived"},
    {Operation::kNotice, "tells the CMP of its signal"},
    {Operation::kTakeNotice, "takes up the notice of an engine"},
    {Operation::kTakeUpdate, "takes up an update of MonitoredValue"},
    {Operation::kTakeRequest, "takes up a request of the driver"},
    {Operation::kReadShadow, "reads the shadow MonitoredValue"},
    {Operation::kReadValue, "reads CurrentValue"},
    {Operation::kReadMonitored, "reads MonitoredValue in memory"},
    {Operation::kRaise, "writes an interrupt entry and requests an interrupt"},
    {Operation::kRescan, "looks through the parked queues"},
    {Operation::kPark, "parks the queue"},
    {Operation::kWork, "begins its work"},
    {Operation::kRead, "reads memory"},
    {Operation::kWrite, "writes memory"},
    {Operation::kDeliver, "takes the interrupt"},
    {Operation::kDeferredCall, "begins a deferred procedure call"},
    {Operation::kLock, "takes a lock"},
    {Operation::kAcknowledge, "tells the device how many entries it has read"},
    {Operation::kDoorbell, "rings the doorbell of a queue"},
    {Operation::kRegisterRead, "reads a register of the device"},
    {Operation::kRegisterWrite, "writes a register of the device"},
    {Operation::kWaitEnter, "begins to wait"},
    {Operation::kLook, "reads CurrentValue before its wait is armed"},
    {Operation::kResume, "goes on after its wait"},
    {Operation::kBegin, "begins the next part of its program"},
    {Operation::kTable, "reads or changes shared lists of the OS"},
    {Operation::kLevel, "raises its IRQL"},
};

/// Words for a write to the event of a thread: its own thread clears it, another agent sets it.
/// Empty for a step that touches memory or no such event.
std::string event_text(const ReplayedStep& step, const common::Steps& steps,
                       const run::EventOwners& owners) {
  std::string text;
  for (const common::Footprint::Access& access : step.touched) {
    const common::Place place = common::Footprint::place_of(access.location);
    if (place == common::Place::kMemory) return {};
    if (place != common::Place::kEvent || !access.write) continue;
    const common::Footprint::Access none = common::Footprint::access(place, 0, false);
    const auto owner = owners.find(access.location ^ none.location);
    if (owner == owners.end()) continue;
    const std::string& thread = steps.name(owner->second);
    text = owner->second == step.instance.agent
               ? "the OS clears the event of " + thread
               : steps.name(step.instance.agent) + " sets the event of " + thread;
  }
  return text;
}

}  // namespace

const char* meaning_of(Operation operation) {
  for (const Meaning& it : kMeanings)
    if (it.operation == operation) return it.text;
  return "goes on";
}

bool explains(common::EventKind kind) { return common::description(kind).is(event::kExplains); }

std::string describe_operation(const std::vector<ReplayedStep>& trace, std::size_t step,
                               const common::Steps& steps, const report::Names& names,
                               const run::EventOwners& owners) {
  const common::OperationInstance& of = trace[step].instance;
  if (of.operation == Operation::kWrite)
    if (std::string text = event_text(trace[step], steps, owners); !text.empty()) return text;
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
  return agent + meaning_of(of.operation);
}

std::string with_agent(const std::string& agent, const std::string& text) {
  const bool begins = text.compare(0, agent.size() + 1, agent + " ") == 0;
  return begins ? text : agent + ": " + text;
}

}  // namespace fenceline::explore
