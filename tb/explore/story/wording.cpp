// Sentences for single steps, used by stories and by choices.
#include <algorithm>
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
                       const run::KnownPlaces& places) {
  std::string text;
  for (const common::Footprint::Access& access : step.touched) {
    if (common::Footprint::place_of(access.location) == common::Place::kMemory) return {};
    const common::AgentId* owner = places.thread_of(access.location);
    if (owner == nullptr || !access.write) continue;
    const std::string& thread = steps.name(*owner);
    text = *owner == step.instance.agent
               ? "the OS clears the event of " + thread
               : steps.name(step.instance.agent) + " sets the event of " + thread;
  }
  return text;
}

/// The words of memory that a step reads or writes, each once; empty if none is known.
std::string words_text(const ReplayedStep& step, bool write, const run::KnownPlaces& places) {
  std::vector<std::string> names;
  for (const common::Footprint::Access& access : step.touched) {
    if (access.write != write) continue;
    std::string name = places.word(access.location);
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

/// Sentence for a step that declared a read of memory and touches none: a core lets a load that has
/// begun take an older value. Empty if that memory has no name.
std::string early_text(const ReplayedStep& step, const run::KnownPlaces& places) {
  const auto in_memory = [](const common::Footprint::Access& access) {
    return common::Footprint::place_of(access.location) == common::Place::kMemory;
  };
  if (std::any_of(step.touched.begin(), step.touched.end(), in_memory)) return {};
  for (std::size_t i = 0; i < step.declared.size(); ++i) {
    if (!in_memory(step.declared[i])) continue;
    const std::string words = places.line(step.declared[i].location);
    if (!words.empty()) return fmt::format("lets a load of {} take effect earlier", words);
  }
  return {};
}

/// True for a write that does not reach memory in its own step.
bool is_posted(const ReplayedStep& step) {
  const auto in = [&](common::Place place) {
    return std::any_of(step.touched.begin(), step.touched.end(), [&](const auto& access) {
      return common::Footprint::place_of(access.location) == place;
    });
  };
  return step.instance.operation == Operation::kWrite && !in(common::Place::kMemory) &&
         in(common::Place::kFifo);
}

/// What a step does to words of memory that are known; empty if there are none.
std::string memory_text(const ReplayedStep& step, const run::KnownPlaces& places) {
  const bool reads = step.instance.operation == Operation::kRead;
  const bool drains = step.instance.operation == Operation::kDrain;
  if (!reads && !drains && step.instance.operation != Operation::kWrite) return {};
  const std::string words = words_text(step, !reads, places);
  if (words.empty()) return reads ? early_text(step, places) : std::string();
  if (drains) return fmt::format("moves its write of {} on", words);
  return (reads ? "reads " : "writes ") + words;
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
                               const run::KnownPlaces& places) {
  const common::OperationInstance& of = trace[step].instance;
  if (of.operation == Operation::kWrite)
    if (std::string text = event_text(trace[step], steps, places); !text.empty()) return text;
  const std::string agent = steps.name(of.agent) + " ";
  if (const std::string text = memory_text(trace[step], places); !text.empty()) return agent + text;
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
  return agent + meaning_of(is_posted(trace[step]) ? Operation::kIssue : of.operation);
}

std::string with_agent(const std::string& agent, const std::string& text) {
  const bool begins = text.compare(0, agent.size() + 1, agent + " ") == 0;
  return begins ? text : agent + ": " + text;
}

}  // namespace fenceline::explore
