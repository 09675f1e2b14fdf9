#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/event_fields.h"
#include "models/common/events/all.h"
#include "models/common/object_kind.h"

namespace fenceline::common {

/// Index of an agent of `Steps`: whoever issues, drains, delivers or computes. 0 is "nobody".
using AgentId = std::uint16_t;

/// Number of a type of event (models/common/events).
enum class EventKind : std::uint8_t {
  kCurrentValueIssued = event::index_of<event::CurrentValueIssued>(),
  kCurrentValueVisible = event::index_of<event::CurrentValueVisible>(),
  kCurrentValueRead = event::index_of<event::CurrentValueRead>(),
  kMonitoredValueVisible = event::index_of<event::MonitoredValueVisible>(),
  kMonitoredValueStored = event::index_of<event::MonitoredValueStored>(),
  kCurrentValueStored = event::index_of<event::CurrentValueStored>(),
  kShadowVisible = event::index_of<event::ShadowVisible>(),
  kShadowRead = event::index_of<event::ShadowRead>(),
  kWorkIssued = event::index_of<event::WorkIssued>(),
  kWorkVisible = event::index_of<event::WorkVisible>(),
  kSignalBegin = event::index_of<event::SignalBegin>(),
  kDecision = event::index_of<event::Decision>(),
  kCmpDecision = event::index_of<event::CmpDecision>(),
  kSignalEnd = event::index_of<event::SignalEnd>(),
  kCpuSignal = event::index_of<event::CpuSignal>(),
  kUpdateMonitoredCall = event::index_of<event::UpdateMonitoredCall>(),
  kUpdateMonitoredReturn = event::index_of<event::UpdateMonitoredReturn>(),
  kShadowIssued = event::index_of<event::ShadowIssued>(),
  kInterruptRaised = event::index_of<event::InterruptRaised>(),
  kMessageSent = event::index_of<event::MessageSent>(),
  kMessageCoalesced = event::index_of<event::MessageCoalesced>(),
  kMessageLost = event::index_of<event::MessageLost>(),
  kMessageDelivered = event::index_of<event::MessageDelivered>(),
  kIsrBegin = event::index_of<event::IsrBegin>(),
  kIsrAcknowledge = event::index_of<event::IsrAcknowledge>(),
  kIsrEnd = event::index_of<event::IsrEnd>(),
  kNotify = event::index_of<event::Notify>(),
  kNotifyAll = event::index_of<event::NotifyAll>(),
  kDpcBegin = event::index_of<event::DpcBegin>(),
  kDpcEnd = event::index_of<event::DpcEnd>(),
  kSpuriousInterrupt = event::index_of<event::SpuriousInterrupt>(),
  kFallback = event::index_of<event::Fallback>(),
  kEngineInterrupt = event::index_of<event::EngineInterrupt>(),
  kMonitoredFenceTold = event::index_of<event::MonitoredFenceTold>(),
  kInterruptType = event::index_of<event::InterruptType>(),
  kNotifyCall = event::index_of<event::NotifyCall>(),
  kNotifyQueue = event::index_of<event::NotifyQueue>(),
  kEngineNotify = event::index_of<event::EngineNotify>(),
  kWaitAdd = event::index_of<event::WaitAdd>(),
  kWaitRelease = event::index_of<event::WaitRelease>(),
  kWaitDone = event::index_of<event::WaitDone>(),
  kWaitTimeout = event::index_of<event::WaitTimeout>(),
  kWaitLetGo = event::index_of<event::WaitLetGo>(),
  kGpuWaitBegin = event::index_of<event::GpuWaitBegin>(),
  kGpuWaitPark = event::index_of<event::GpuWaitPark>(),
  kGpuWaitUnblock = event::index_of<event::GpuWaitUnblock>(),
  kLogEntryIssued = event::index_of<event::LogEntryIssued>(),
  kLogEntryVisible = event::index_of<event::LogEntryVisible>(),
  kLogHeaderIssued = event::index_of<event::LogHeaderIssued>(),
  kLogHeaderVisible = event::index_of<event::LogHeaderVisible>(),
  kLogHeaderRead = event::index_of<event::LogHeaderRead>(),
  kLogEntryRead = event::index_of<event::LogEntryRead>(),
  kLogEntryTorn = event::index_of<event::LogEntryTorn>(),
  kLogFlushCall = event::index_of<event::LogFlushCall>(),
  kLogFlushReturn = event::index_of<event::LogFlushReturn>(),
  kLogOverrun = event::index_of<event::LogOverrun>(),
  kLogEntryTimes = event::index_of<event::LogEntryTimes>(),
  kLogRetired = event::index_of<event::LogRetired>(),
  kLogReadDone = event::index_of<event::LogReadDone>(),
  kSignalQueued = event::index_of<event::SignalQueued>(),
  kWaitQueued = event::index_of<event::WaitQueued>(),
  kClockCalibrated = event::index_of<event::ClockCalibrated>(),
  kLogMade = event::index_of<event::LogMade>(),
  kLogSet = event::index_of<event::LogSet>(),
  kLogLevel = event::index_of<event::LogLevelChanged>(),
  kFenceTraced = event::index_of<event::FenceTraced>(),
  kFenceCreate = event::index_of<event::FenceCreate>(),
  kFenceOpen = event::index_of<event::FenceOpen>(),
  kFenceClose = event::index_of<event::FenceClose>(),
  kFenceDestroy = event::index_of<event::FenceDestroy>(),
  kHandleViolation = event::index_of<event::HandleViolation>(),
  kFenceStorage = event::index_of<event::FenceStorage>(),
  kFenceStorageFree = event::index_of<event::FenceStorageFree>(),
  kUserAccess = event::index_of<event::UserAccess>(),
  kUserLogAccess = event::index_of<event::UserLogAccess>(),
  kProgressFence = event::index_of<event::ProgressFence>(),
  kBatchBad = event::index_of<event::BatchBad>(),
  kFenceKind = event::index_of<event::FenceKind>(),
  kFenceMapped = event::index_of<event::FenceMapped>(),
  kCrossAdapterFence = event::index_of<event::CrossAdapterFence>(),
  kPacketBegin = event::index_of<event::PacketBegin>(),
  kPacketEnd = event::index_of<event::PacketEnd>(),
  kStalePacket = event::index_of<event::StalePacket>(),
  kQueueState = event::index_of<event::QueueState>(),
  kPcieTransfer = event::index_of<event::PcieTransfer>(),
  kLinkFault = event::index_of<event::LinkFault>(),
  kEngineFault = event::index_of<event::EngineFault>(),
  kPowerState = event::index_of<event::PowerState>(),
  kThreadState = event::index_of<event::ThreadState>(),
  kThreadStep = event::index_of<event::ThreadStep>(),
  kMark = event::index_of<event::Mark>(),
  kPeerDoorbell = event::index_of<event::PeerDoorbell>(),
  kQuiescent = event::index_of<event::Quiescent>(),
  kEndOfRun = event::index_of<event::EndOfRun>(),
  kDdiCall = event::index_of<event::DdiCall>(),
  kDdiReturn = event::index_of<event::DdiReturn>(),
  kBugCheck = event::index_of<event::BugCheck>(),
  kIrqlViolation = event::index_of<event::IrqlViolation>(),
  kDriverMisuse = event::index_of<event::DriverMisuse>(),
  kFeatureAnswer = event::index_of<event::FeatureAnswer>(),
  kFeatureTable = event::index_of<event::FeatureTable>(),
  kAdapterStarted = event::index_of<event::AdapterStarted>(),
  kGpuFault = event::index_of<event::GpuFault>(),
  kCpuEventCreate = event::index_of<event::CpuEventCreate>(),
  kCpuEventUse = event::index_of<event::CpuEventUse>(),
  kCpuEventSignal = event::index_of<event::CpuEventSignal>(),
  kCpuEventDestroy = event::index_of<event::CpuEventDestroy>(),
  kAdapterPower = event::index_of<event::AdapterPower>(),
  kContextSubmit = event::index_of<event::ContextSubmit>(),
  kBufferComplete = event::index_of<event::BufferComplete>(),
  kBufferBegin = event::index_of<event::BufferBegin>(),
  kBufferEnd = event::index_of<event::BufferEnd>(),
  kBufferStopped = event::index_of<event::BufferStopped>(),
  kBufferFaulted = event::index_of<event::BufferFaulted>(),
  kFaultTold = event::index_of<event::FaultTold>(),
  kContextSaved = event::index_of<event::ContextSaved>(),
  kContextRestored = event::index_of<event::ContextRestored>(),
  kPreemptCall = event::index_of<event::PreemptCall>(),
  kPreempted = event::index_of<event::Preempted>(),
  kContextPacket = event::index_of<event::ContextPacket>(),
  kContextGiven = event::index_of<event::ContextGiven>(),
  kContextEnded = event::index_of<event::ContextEnded>(),
  kContextMemory = event::index_of<event::ContextMemory>(),
  kPatchLocation = event::index_of<event::PatchLocation>(),
  kBoundUse = event::index_of<event::BoundUse>(),
  kPacketRead = event::index_of<event::PacketRead>(),
  kPartGiven = event::index_of<event::PartGiven>(),
  kRecovery = event::index_of<event::Recovery>(),
  kRecoveryLimits = event::index_of<event::RecoveryLimits>(),
  kDeviceCreated = event::index_of<event::DeviceCreated>(),
  kDeviceError = event::index_of<event::DeviceError>(),
  kScheduledQueue = event::index_of<event::ScheduledQueue>(),
  kContextRank = event::index_of<event::ContextRank>(),
  kBandGrace = event::index_of<event::BandGrace>(),
  kSuspendCall = event::index_of<event::SuspendCall>(),
  kSuspendReturn = event::index_of<event::SuspendReturn>(),
  kContextSuspended = event::index_of<event::ContextSuspended>(),
  kResumeCall = event::index_of<event::ResumeCall>(),
  kRingFetched = event::index_of<event::RingFetched>(),
  kHwEngineReset = event::index_of<event::HwEngineReset>(),
  kContextLost = event::index_of<event::ContextLost>(),
  kQueueGuarded = event::index_of<event::QueueGuarded>(),
  kEngineTimedOut = event::index_of<event::EngineTimedOut>(),
  kWorkDropped = event::index_of<event::WorkDropped>(),
  kPresent = event::index_of<event::Present>(),
  kFlipCall = event::index_of<event::FlipCall>(),
  kFlipEffective = event::index_of<event::FlipEffective>(),
  kVerticalSync = event::index_of<event::VerticalSync>(),
  kScanTop = event::index_of<event::ScanTop>(),
  kScanBottom = event::index_of<event::ScanBottom>(),
  kFlipDone = event::index_of<event::FlipDone>(),
  kDoorbell = event::index_of<event::Doorbell>(),
  kDoorbellMapped = event::index_of<event::DoorbellMapped>(),
  kDoorbellStatus = event::index_of<event::DoorbellStatus>(),
  kDoorbellStatusVisible = event::index_of<event::DoorbellStatusVisible>(),
  kDoorbellRung = event::index_of<event::DoorbellRung>(),
  kDoorbellAnswer = event::index_of<event::DoorbellAnswer>(),
  kDoorbellConnect = event::index_of<event::DoorbellConnect>(),
  kDoorbellTaken = event::index_of<event::DoorbellTaken>(),
  kRingScan = event::index_of<event::RingScan>(),
  kSubmission = event::index_of<event::Submission>(),
  kCommandRecorded = event::index_of<event::CommandRecorded>(),
  kCommandDone = event::index_of<event::CommandDone>(),
  kCommandsDropped = event::index_of<event::CommandsDropped>(),
  kAllocationCreated = event::index_of<event::AllocationCreated>(),
  kAllocationPlaced = event::index_of<event::AllocationPlaced>(),
  kAllocationLocked = event::index_of<event::AllocationLocked>(),
  kAllocationUnlocked = event::index_of<event::AllocationUnlocked>(),
  kAllocationDestroyed = event::index_of<event::AllocationDestroyed>(),
  kAllocationMapped = event::index_of<event::AllocationMapped>(),
  kCpuStore = event::index_of<event::CpuStore>(),
  kCpuLoad = event::index_of<event::CpuLoad>(),
  kCacheMaintained = event::index_of<event::CacheMaintained>(),
  kCombiningSent = event::index_of<event::CombiningSent>(),
  kCombiningDrained = event::index_of<event::CombiningDrained>(),
  kGpuStore = event::index_of<event::GpuStore>(),
  kGpuCopy = event::index_of<event::GpuCopy>(),
  kGpuLoad = event::index_of<event::GpuLoad>(),
  kGpuTraffic = event::index_of<event::GpuTraffic>(),
  kAddressSpace = event::index_of<event::AddressSpace>(),
  kHostAperture = event::index_of<event::HostAperture>(),
  kCount = event::All::kCount
};

/// Number of the type `E`.
template <class E>
inline constexpr EventKind kKindOf = static_cast<EventKind>(event::index_of<E>());

/// What events of a kind say and hold.
constexpr const event::Description& description(EventKind kind) {
  return event::kDescriptions[static_cast<std::size_t>(kind)];
}
/// All kinds of which that is true.
std::vector<EventKind> kinds_that_are(event::Trait trait);

/// One entry of the stream: 48 bytes, plain data.
struct Event {
  std::uint64_t time;  ///< [ps] of simulated time; while exploring, the logical clock
  EventKind kind;
  AgentId agent;         ///< who did it
  std::uint32_t object;  ///< what it is about
  std::uint64_t a;
  std::uint64_t b;
  std::uint64_t c;

  event::Record record() const { return {object, a, b, c}; }
  /// It is an event of type `E`.
  template <class E>
  bool is() const {
    return kind == kKindOf<E>;
  }
  /// Its fields. @pre is<E>().
  template <class E>
  E as() const {
    return event::event_of<E>(record());
  }
};

/// An event of type `E`, when it was and whose.
template <class E>
struct At : E {
  std::uint64_t time;  ///< see Event
  AgentId agent;
};
template <class E>
At<E> at(const Event& event) {
  return {event.as<E>(), event.time, event.agent};
}

/// Receives events in the order they happen. `on_event` must not step or emit.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_event(const Event& event) = 0;
};

/// The one stream that modules, driver and OS emit to. With no subscriber an event costs a branch.
class EventStream {
 public:
  /// Subscribes to the listed kinds, or to all with an empty list. `sink` must outlive the stream.
  void subscribe(EventSink& sink, const std::vector<EventKind>& kinds = {});

  /// True when somebody listens to `kind`: lets emitters skip work that only the event needs.
  bool wants(EventKind kind) const { return !sinks_[static_cast<std::size_t>(kind)].empty(); }
  template <class E>
  bool wants() const {
    return wants(kKindOf<E>);
  }

  /// `agent` has done it.
  template <class E>
  void emit(AgentId agent, const E& event) {
    if (!wants(kKindOf<E>)) return;
    const event::Record record = event::record_of(event);
    dispatch(kKindOf<E>, agent, static_cast<std::uint32_t>(record[0]), record[1], record[2],
             record[3]);
  }

  void emit(EventKind kind, AgentId agent, std::uint32_t object, std::uint64_t a = 0,
            std::uint64_t b = 0, std::uint64_t c = 0) {
    if (wants(kind)) dispatch(kind, agent, object, a, b, c);
  }

  /// Where the time of an event comes from; set once by `Steps`. @pre not null.
  void set_clock(std::uint64_t (*clock)(const void*), const void* context) {
    now_ = clock;
    clock_context_ = context;
  }
  std::uint64_t now() const { return now_ != nullptr ? now_(clock_context_) : 0; }

  /// Registers an object under a readable name; returns its number (1, 2, ...).
  std::uint32_t add_object(ObjectKind kind, std::string name);
  /// Name of an object; "none" for 0. @pre the number was returned by add_object.
  const std::string& name(ObjectKind kind, std::uint32_t object) const;
  std::uint32_t object_count(ObjectKind kind) const;

 private:
  void dispatch(EventKind kind, AgentId agent, std::uint32_t object, std::uint64_t a,
                std::uint64_t b, std::uint64_t c);

  std::array<std::vector<EventSink*>, static_cast<std::size_t>(EventKind::kCount)> sinks_;
  std::array<std::vector<std::string>, static_cast<std::size_t>(ObjectKind::kCount)> names_;
  std::uint64_t (*now_)(const void*) = nullptr;
  const void* clock_context_ = nullptr;
};

/// What the `object` field of `kind` names.
constexpr ObjectKind object_kind(EventKind kind) { return description(kind).object(); }
/// Stable lower-case name, e.g. "current_value_visible": used in events.csv and in scenarios.
constexpr const char* event_name(EventKind kind) { return description(kind).words.name; }

}  // namespace fenceline::common
