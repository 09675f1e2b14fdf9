#include "tb/report/record/shown_events.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace fenceline::report {

using common::EventKind;
using common::kKindOf;

namespace {

struct Declared {
  EventKind kind;
  Lane lane;
  const char* style;
  std::string_view value = {};  ///< name of a field; empty: none
  std::string_view time = {};   ///< name of a field; empty: the event itself
};

constexpr const char* kFault = "suspect";

constexpr Declared kMarks[] = {
    // Values and waits
    {kKindOf<event::Decision>, Lane::kEngine, "isr", "above"},
    {kKindOf<event::WaitLetGo>, Lane::kThread, kFault, "value"},
    // Lifetime of fences
    {kKindOf<event::FenceOpen>, Lane::kFence, "mark"},
    {kKindOf<event::FenceClose>, Lane::kFence, "mark"},
    {kKindOf<event::FenceDestroy>, Lane::kFence, "mark"},
    {kKindOf<event::HandleViolation>, Lane::kFence, kFault},
    {kKindOf<event::UserAccess>, Lane::kFence, "mark", "allowed"},
    {kKindOf<event::BatchBad>, Lane::kFence, kFault, "value"},
    {kKindOf<event::UserLogAccess>, Lane::kLog, "mark", "allowed"},
    {kKindOf<event::LogEntryTorn>, Lane::kLog, kFault, "index"},
    {kKindOf<event::LogRetired>, Lane::kLog, "mark"},
    {kKindOf<event::LogLevelChanged>, Lane::kDriver, "mark", "level"},
    // Interrupts
    {kKindOf<event::MessageCoalesced>, Lane::kCmp, "isr", "vector"},
    {kKindOf<event::EngineInterrupt>, Lane::kCmp, "isr", "submission"},
    {kKindOf<event::MonitoredFenceTold>, Lane::kCmp, "isr"},
    {kKindOf<event::PeerDoorbell>, Lane::kCmp, "packet", "queues"},
    {kKindOf<event::GpuFault>, Lane::kCmp, kFault, "address"},
    {kKindOf<event::MessageLost>, Lane::kCore, kFault, "vector"},
    {kKindOf<event::InterruptsMasked>, Lane::kCore, "isr", "masked"},
    {kKindOf<event::MessageDelivered>, Lane::kCore, "isr", "vector"},
    {kKindOf<event::SpuriousInterrupt>, Lane::kCore, "isr"},
    {kKindOf<event::Fallback>, Lane::kCore, "isr", "released"},
    {kKindOf<event::Notify>, Lane::kDriver, "driver"},
    {kKindOf<event::NotifyAll>, Lane::kDriver, "driver"},
    {kKindOf<event::NotifyQueue>, Lane::kDriver, "driver"},
    {kKindOf<event::InterruptType>, Lane::kDriver, "driver", "type"},
    // The driver and its adapter
    {kKindOf<event::AdapterStarted>, Lane::kDriver, "driver"},
    {kKindOf<event::BugCheck>, Lane::kDriver, kFault, "code"},
    {kKindOf<event::IrqlViolation>, Lane::kDriver, kFault, "ddi"},
    {kKindOf<event::DriverMisuse>, Lane::kDriver, kFault, "site"},
    {kKindOf<event::CpuEventCreate>, Lane::kDriver, "driver", "event"},
    {kKindOf<event::CpuEventUse>, Lane::kDriver, "driver", "event"},
    {kKindOf<event::CpuEventSignal>, Lane::kDriver, "driver", "event"},
    {kKindOf<event::CpuEventDestroy>, Lane::kDriver, "driver", "event"},
    {kKindOf<event::DeviceError>, Lane::kDriver, kFault},
    {kKindOf<event::ContextLost>, Lane::kDriver, kFault, "context"},
    {kKindOf<event::Recovery>, Lane::kDriver, kFault, "stage"},
    {kKindOf<event::FaultTold>, Lane::kDriver, kFault, "submission"},
    {kKindOf<event::BufferComplete>, Lane::kDriver, "driver", "submission"},
    {kKindOf<event::ContextRank>, Lane::kDriver, "driver", "context"},
    {kKindOf<event::ContextSuspended>, Lane::kDriver, "suspended", "context"},
    // Engines
    {kKindOf<event::BufferFaulted>, Lane::kEngine, kFault, "code"},
    {kKindOf<event::EngineTimedOut>, Lane::kEngine, kFault},
    {kKindOf<event::HwEngineReset>, Lane::kEngine, kFault, "reset"},
    // Queues and contexts
    {kKindOf<event::WorkDropped>, Lane::kQueue, kFault},
    {kKindOf<event::CommandsDropped>, Lane::kQueue, kFault},
    {kKindOf<event::StalePacket>, Lane::kQueue, kFault, "value"},
    {kKindOf<event::ContextEnded>, Lane::kQueue, kFault},
    {kKindOf<event::ContextMemory>, Lane::kQueue, "memory"},
    {kKindOf<event::ContextRankTaken>, Lane::kQueue, "suspended", "band"},
    {kKindOf<event::SoftwarePacket>, Lane::kQueue, "packet", "number"},
    {kKindOf<event::SoftwarePacketRun>, Lane::kQueue, "packet", "number"},
    {kKindOf<event::DoorbellMapped>, Lane::kQueue, "packet", "doorbell"},
    {kKindOf<event::DoorbellStatusVisible>, Lane::kQueue, "packet", "status"},
    {kKindOf<event::DoorbellRung>, Lane::kQueue, "packet", "write_pointer"},
    {kKindOf<event::DoorbellAnswer>, Lane::kQueue, "packet", "status"},
    {kKindOf<event::DoorbellConnect>, Lane::kQueue, "packet", "doorbell"},
    {kKindOf<event::DoorbellTaken>, Lane::kQueue, "packet", "reason"},
    {kKindOf<event::RingScan>, Lane::kQueue, "packet", "write_pointer"},
    // Links, displays and memory
    {kKindOf<event::LinkFault>, Lane::kLink, kFault, "kind", "begin"},
    {kKindOf<event::Present>, Lane::kFlips, "display", "present"},
    {kKindOf<event::CombiningSent>, Lane::kCore, "memory", "bytes"},
    {kKindOf<event::AllocationMapped>, Lane::kAllocation, "memory", "maps"},
};

/// The declarations above and the reasons below, by kind.
class ShownEvents {
 public:
  ShownEvents() {
    for (const Declared& it : kMarks) add(it);
    add_charts();
    add_parts();
    add_set_up();
    add_memory();
  }

  struct Shown {
    std::optional<EventMark> mark;
    std::string_view format;  ///< of its value in the sentence
    const char* reason = nullptr;
  };
  const Shown& of(EventKind kind) const { return all_.at(static_cast<std::size_t>(kind)); }

 private:
  void add(const Declared& declared);
  void add_charts();
  void add_parts();
  void add_set_up();
  void add_memory();
  template <class... E>
  void no_row(const char* reason) {
    ((all_[static_cast<std::size_t>(kKindOf<E>)].reason = reason), ...);
  }

  std::array<Shown, event::All::kCount> all_;
};

const event::Field& field_named(const event::Description& of, std::string_view name) {
  const auto* const end = of.fields.begin() + of.count;
  const auto* const found =
      std::find_if(of.fields.begin(), end, [&](const event::Field& it) { return it.name == name; });
  if (found == end) throw std::logic_error("a mark names no field of its event");
  return *found;
}

void ShownEvents::add(const Declared& declared) {
  Shown& shown = all_.at(static_cast<std::size_t>(declared.kind));
  const event::Description& of = common::description(declared.kind);
  shown.mark = {declared.lane, declared.style, {}, {}};
  if (!declared.time.empty()) shown.mark->time = field_named(of, declared.time);
  if (declared.value.empty()) return;
  shown.mark->value = field_named(of, declared.value);
  shown.format = common::format_of(of, declared.value);
}

void ShownEvents::add_charts() {
  no_row<event::FenceCreate, event::MonitoredValueVisible>("a step in the chart of its value");
  no_row<event::AllocationCreated>("a step in the chart of memory");
  no_row<event::CommandRecorded, event::SignalQueued, event::WaitQueued, event::Submission>(
      "a step in the chart of the depth of its queue");
  no_row<event::PowerState>("begins or ends the span of a state of its core");
  no_row<event::Quiescent, event::EndOfRun>("the end of the timeline");
}

void ShownEvents::add_parts() {
  no_row<event::CurrentValueIssued, event::CurrentValueRead, event::MonitoredValueStored,
         event::CurrentValueStored, event::ShadowRead>(
      "an access within the span or mark of its signal, update, compare or wait");
  no_row<event::GpuWaitPark>("within the span of the wait");
  no_row<event::ParkedScan>("at its signal, and a queue that it finds ends its wait");
  no_row<event::PeerRung>("within the span of the signal; its arrival has a mark");
  no_row<event::WorkIssued, event::WorkVisible, event::GpuStore, event::GpuCopy, event::GpuLoad,
         event::GpuTraffic, event::RingFetched, event::PacketRead, event::PatchLocation,
         event::BoundUse, event::PartGiven>("an access of a packet, which has a span");
  no_row<event::IsrAcknowledge>("within the span of the ISR");
  no_row<event::NotifyCall, event::EngineNotify>("what it names has a mark");
  no_row<event::LogEntryIssued, event::LogEntryVisible, event::LogHeaderIssued,
         event::LogHeaderVisible, event::LogEntryTimes, event::LogReadDone>(
      "`fences.svg` has the entries of logs");
  no_row<event::LogFlushCall, event::LogFlushReturn, event::ClockCalibrated, event::LogSet,
         event::SuspendCall, event::SuspendReturn, event::ResumeCall, event::ContextSubmit,
         event::FeatureAnswer, event::FeatureTable, event::BandGrace>(
      "the call of the driver has a span");
  no_row<event::ThreadStep, event::ThreadStepEnd, event::ThreadCommand, event::CallStatus>(
      "spans and marks lead to their step in the scenario");
  no_row<event::ScanTop, event::ScanBottom>("within the span of the frame");
}

void ShownEvents::add_set_up() {
  constexpr const char* kSetUp = "a fact about an object that stays as it is; `log.txt` has it";
  no_row<event::FenceStorage, event::FenceStorageFree, event::FenceKind, event::FenceMapped,
         event::CrossAdapterFence, event::ProgressFence, event::FenceTraced, event::LogMade,
         event::RecoveryLimits, event::DeviceCreated, event::ScheduledQueue, event::QueueGuarded,
         event::AddressSpace>(kSetUp);
  no_row<event::DoorbellStatus>("its write has a mark once it is visible");
}

void ShownEvents::add_memory() {
  no_row<event::CpuStore, event::CpuLoad>("one word of an allocation; `log.txt` has it");
  no_row<event::HostAperture>("one page of the window; `log.txt` has it");
}

const ShownEvents::Shown& shown_of(EventKind kind) {
  static const ShownEvents shown;
  return shown.of(kind);
}

/// The value as a word of the title; empty for a number.
std::string value_word(const ShownEvents::Shown& shown, std::uint64_t value, const Names& names) {
  const event::Field& field = shown.mark->value;
  if (field.object != common::ObjectKind::kNone)
    return std::string(names.object(field.object, value));
  if (shown.format == ":ddi") return Names::entry(names.ddis, value, "ddi");
  if (!shown.format.empty() && shown.format[0] == '|')
    return std::string(common::word_of(shown.format, value));
  return {};
}

}  // namespace

const EventMark* event_mark(EventKind kind) {
  const auto& shown = shown_of(kind);
  return shown.mark ? &*shown.mark : nullptr;
}

const char* reason_for_no_row(EventKind kind) { return shown_of(kind).reason; }

std::string event_words(EventKind kind) {
  std::string words = common::event_name(kind);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string mark_title(EventKind kind, std::uint64_t value, const Names& names) {
  std::string title = event_words(kind);
  const std::string word = value_word(shown_of(kind), value, names);
  return word.empty() ? title : title.append(": ").append(word);
}

bool has_number(EventKind kind) {
  const auto& shown = shown_of(kind);
  const event::Field& field = shown.mark->value;
  const bool word = shown.format == ":ddi" || shown.format.substr(0, 1) == "|";
  return !field.name.empty() && field.object == common::ObjectKind::kNone && !word;
}

std::string mark_number(EventKind kind, std::uint64_t value) {
  if (!has_number(kind)) return {};
  return shown_of(kind).format == ":hex" ? fmt::format("{:#x}", value) : std::to_string(value);
}

}  // namespace fenceline::report
