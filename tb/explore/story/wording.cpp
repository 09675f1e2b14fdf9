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

/// The line of bus addresses that a step declared; 0 if it declared none.
std::uint64_t line_of(const ReplayedStep& step) {
  for (std::size_t i = 0; i < step.declared.size(); ++i)
    if (common::Footprint::place_of(step.declared[i].location) == common::Place::kMemory)
      return step.declared[i].location;
  return 0;
}

/// A sentence about the register that a step reads or writes; empty if the register has no name.
std::string device_text(const ReplayedStep& step, const run::KnownPlaces& places) {
  const bool rings = step.instance.operation == Operation::kDoorbell;
  if (!rings && step.instance.operation != Operation::kDrain) return {};
  const std::string target = places.device(line_of(step));
  if (!target.empty()) return rings ? "rings " + target : "moves its write to " + target + " on";
  if (!rings || step.declared.size() == 0) return {};
  const std::string address = places.word(step.declared[0].location);
  return address.empty() ? address : "rings what " + address + " leads to";
}

/// The event of the write that a step puts into its FIFO: it comes with the step before. Null if
/// there is none.
const common::Event* write_of(const std::vector<ReplayedStep>& trace, std::size_t step) {
  const common::OperationInstance& of = trace[step].instance;
  if (of.operation != Operation::kIssue) return nullptr;
  for (std::size_t i = step; i-- > 0;) {
    for (const common::Event& event : trace[i].events)
      if (event.agent == of.agent &&
          (event.is<event::CurrentValueIssued>() || event.is<event::ShadowIssued>() ||
           event.is<event::PeerRung>()))
        return &event;
    if (trace[i].instance.agent == of.agent && trace[i].instance.operation == of.operation) break;
  }
  return nullptr;
}

/// The line of bus addresses of a doorbell that an event says to be rung.
std::uint64_t line_of(const common::Event& rung) {
  return rung.as<event::PeerRung>().address / common::kLineBytes;
}

/// The write that an engine or the CMP issues.
std::string write_text(const common::Event& event, const report::Names& names,
                       const run::KnownPlaces& places) {
  if (event.is<event::PeerRung>()) return "its write to " + places.device(line_of(event));
  const auto fence = [&names](std::uint32_t of) {
    return names.object(common::ObjectKind::kFence, of);
  };
  if (event.is<event::ShadowIssued>())
    return fmt::format("the shadow MonitoredValue of {}",
                       fence(event.as<event::ShadowIssued>().fence));
  const auto write = event.as<event::CurrentValueIssued>();
  return fmt::format("CurrentValue {} of {}", write.value, fence(write.fence));
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
  if (const std::string text = device_text(trace[step], places); !text.empty()) return agent + text;
  if (const common::Event* write = write_of(trace, step))
    return fmt::format("{}puts {} into its FIFO", agent, write_text(*write, names, places));
  return agent + meaning_of(is_posted(trace[step]) ? Operation::kIssue : of.operation);
}

bool rings_peer(const std::vector<ReplayedStep>& trace, std::size_t step,
                const run::KnownPlaces& places) {
  if (trace[step].instance.operation == Operation::kDrain)
    return places.is_peer_doorbell(line_of(trace[step]));
  const common::Event* write = write_of(trace, step);
  return write != nullptr && write->is<event::PeerRung>();
}

std::string with_agent(const std::string& agent, const std::string& text) {
  const bool begins = text.compare(0, agent.size() + 1, agent + " ") == 0;
  return begins ? text : agent + ": " + text;
}

}  // namespace fenceline::explore
