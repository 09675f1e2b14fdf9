#include "tb/report/meters/event_counters.h"

#include <array>
#include <functional>
#include <iterator>

#include "kmd_stub/wddm/fences/native_fence.h"
#include "kmd_stub/wddm/queues/doorbell.h"

namespace fenceline::report {

using common::Event;

namespace {

/// Condition for a counter in stats.json.
enum class Listed : std::uint8_t {
  kAlways,
  kIfAny,        ///< when it is not 0
  kPreempts,     ///< when it is not 0; then every counter of kIfPreempted is listed, too
  kIfPreempted,  ///< so that tables of many runs have the same columns; also when it is not 0
};

struct Rule {
  common::EventKind kind;
  const char* name;
  const char* meaning;
  Listed listed;
  std::uint64_t (*amount)(const Event& event);  ///< what an event adds; null: 1
  const char* unit;
};

/// Counts every event of type `E`.
template <class E>
constexpr Rule count(const char* name, const char* meaning, Listed listed = Listed::kAlways) {
  return {common::kKindOf<E>, name, meaning, listed, nullptr, "count"};
}

/// Adds up `amount`: a field of `E`, or a function of it.
template <class E, auto amount>
constexpr Rule sum(const char* name, const char* meaning, Listed listed = Listed::kAlways,
                   const char* unit = "count") {
  return {common::kKindOf<E>,
          name,
          meaning,
          listed,
          [](const Event& event) {
            return static_cast<std::uint64_t>(std::invoke(amount, event.as<E>()));
          },
          unit};
}

bool names_fence(const event::Notify& event) { return event.fence != 0; }
bool kept_from_cmp(const event::Decision& event) { return !event.above; }
bool wakes(const event::AdapterPower& event) { return event.state == 0; }
bool passed_on(const event::CpuSignal& event) {
  return event.told != 0 &&
         (event.flags & DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kNotificationOnly) != 0;
}
template <D3DDDI_DOORBELLSTATUS status>
bool has_status(const event::DoorbellAnswer& event) {
  return event.status == status;
}
template <D3DDDI_DOORBELLSTATUS status>
constexpr Rule answer(const char* name, const char* meaning) {
  return sum<event::DoorbellAnswer, has_status<status>>(name, meaning);
}
template <event::RecoveryStage stage>
bool has_stage(const event::Recovery& event) {
  return event.stage == stage;
}
template <event::RecoveryStage stage>
constexpr Rule recovery(const char* name, const char* meaning, Listed listed) {
  return sum<event::Recovery, has_stage<stage>>(name, meaning, listed);
}

using event::RecoveryStage;

/// In the order of stats.json.
constexpr Rule kRules[] = {
    count<event::InterruptRaised>("interrupts.raised", "interrupts that the CMP asked for"),
    count<event::MessageSent>("interrupts.messages", "MSI-X writes that left the device"),
    count<event::MessageCoalesced>("interrupts.coalesced", "interrupts merged into a pending one"),
    count<event::MessageLost>("interrupts.lost",
                              "interrupts that came while masked, and are gone; messages that a "
                              "fault loses count as faults.link"),
    count<event::LinkFault>("faults.link",
                            "faults of links that the scenario asks for: messages lost, sent twice "
                            "or late, packets sent again"),
    count<event::EngineFault>("faults.engine", "engines that hung as asked for"),
    count<event::MessageDelivered>("interrupts.delivered", "interrupts accepted by a core"),
    count<event::SpuriousInterrupt>("interrupts.spurious", "DPCs that released nobody"),
    count<event::Fallback>("fallback.scans", "times the OS looked at all fences by itself"),
    count<event::IsrBegin>("isr.runs", "runs of the driver's ISR"),
    count<event::DpcBegin>("dpc.runs", "runs of a DPC"),
    sum<event::Notify, names_fence>("notify.fences", "fences named to DxgkCbNotifyInterrupt"),
    count<event::NotifyAll>("notify.null", "calls of DxgkCbNotifyInterrupt without an array"),
    count<event::NotifyCall>("notify.calls", "calls of DxgkCbNotifyInterrupt about native fences"),
    count<event::NotifyQueue>("notify.queues", "hardware queues named to DxgkCbNotifyInterrupt"),
    count<event::GpuFault>("gpu.faults", "translations that the CMP did not find"),
    count<event::SignalEnd>("signals.gpu", "signal commands that queues completed"),
    count<event::CpuSignal>("signals.cpu", "signals by the CPU"),
    count<event::WaitAdd>("waits.added", "CPU waits that entered a list"),
    count<event::WaitRelease>("waits.released", "CPU waits that the OS found satisfied"),
    count<event::WaitDone>("waits.done", "CPU waits whose thread or event was resumed"),
    count<event::WaitTimeout>("waits.timed_out", "CPU waits that gave up"),
    count<event::WaitLetGo>("waits.let_go", "CPU waits that ended with the close of their fence"),
    count<event::GpuWaitBegin>("gpu_waits.begun", "wait commands that queues reached"),
    count<event::GpuWaitPark>("gpu_waits.parked", "wait commands that parked their queue"),
    count<event::GpuWaitUnblock>("gpu_waits.unblocked", "wait commands that were satisfied"),
    count<event::UpdateMonitoredCall>("umv.updates", "updates of a MonitoredValue"),
    count<event::Doorbell>("doorbells", "doorbell writes that arrived"),
    count<event::DoorbellConnect>("doorbells.connected", "calls of DxgkDdiConnectDoorbell"),
    count<event::DoorbellTaken>("doorbells.taken", "doorbells that the driver took from a queue"),
    count<event::LogEntryVisible>("log.written", "log entries that reached memory"),
    count<event::LogEntryRead>("log.read", "log entries that the OS read"),
    count<event::LogHeaderRead>("log.headers", "times the OS read the header of a log"),
    count<event::LogEntryTorn>("log.torn", "log entries read in pieces of two commands"),
    count<event::LogOverrun>("log.overruns", "times the OS noticed lost log entries"),
    sum<event::Decision, kept_from_cmp>("signals.suppressed",
                                        "signals that the engine kept from the CMP"),
    answer<D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD>(
        "doorbells.notified", "calls of D3DKMTNotifyWorkSubmission that a status asked for"),
    answer<D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY>(
        "doorbells.retried", "times a status said that a doorbell is to be connected"),
    answer<D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT>("doorbells.aborted",
                                                     "times a status said that a queue is lost"),
    sum<event::LogOverrun, &event::LogOverrun::lost>(
        "log.lost", "log entries overwritten before the OS read them", Listed::kAlways, "entries"),
    count<event::EngineInterrupt>("interrupts.engine",
                                  "interrupt entries for monitored fences and complete buffers",
                                  Listed::kIfAny),
    count<event::ContextSubmit>("contexts.submits", "buffers that the OS gave to a driver",
                                Listed::kIfAny),
    count<event::BufferFaulted>("contexts.faults", "buffers that a node has given up over a packet",
                                Listed::kIfAny),
    count<event::PreemptCall>("preemption.requests", "calls of DxgkDdiPreemptCommand",
                              Listed::kPreempts),
    count<event::BufferStopped>("preemption.stopped", "buffers that left a node before their end",
                                Listed::kIfPreempted),
    count<event::ContextSaved>("preemption.saves", "times that state of a context was saved",
                               Listed::kIfPreempted),
    sum<event::ContextSaved, &event::ContextSaved::bytes>(
        "preemption.state_bytes", "saved of stopped work", Listed::kIfPreempted, "bytes"),
    recovery<RecoveryStage::kTimeout>(
        "tdr.timeouts", "preemptions that were not acknowledged in time", Listed::kPreempts),
    recovery<RecoveryStage::kEngineReset>("tdr.engine_resets", "nodes that were reset alone",
                                          Listed::kIfPreempted),
    recovery<RecoveryStage::kAdapterReset>(
        "tdr.adapter_resets", "nodes that were reset with their adapter", Listed::kIfPreempted),
    recovery<RecoveryStage::kDependent>(
        "tdr.dependents", "nodes preempted before another was reset with them", Listed::kIfAny),
    recovery<RecoveryStage::kBlocked>("tdr.blocked", "processes that may use an adapter no more",
                                      Listed::kIfAny),
    recovery<RecoveryStage::kRefused>("submissions.refused", "buffers that a driver has not taken",
                                      Listed::kIfAny),
    recovery<RecoveryStage::kMemoryLost>(
        "tdr.memory_lost", "processes that a reset has cost memory that was being moved",
        Listed::kIfAny),
    count<event::CpuEventSignal>("cpu_events.signals", "CPU events signalled by a driver",
                                 Listed::kIfAny),
    sum<event::CpuSignal, passed_on>("signals.passed_on",
                                     "adapters told of a signal elsewhere by NotificationOnly",
                                     Listed::kIfAny),
    count<event::PeerDoorbell>("doorbells.peer", "doorbells of other GPUs that arrived",
                               Listed::kIfAny),
    sum<event::PeerDoorbell, &event::PeerDoorbell::queues>(
        "doorbells.peer_scanned", "queues that looked again for them", Listed::kIfAny),
    sum<event::AdapterPower, wakes>("power.adapter_wakes", "adapters that left D3", Listed::kIfAny),
};

Counter counter_of(const Rule& rule, std::uint64_t value) {
  return {rule.name, rule.unit, rule.meaning, value};
}

constexpr std::size_t kRuleCount = std::size(kRules);

/// The rules of each kind of event, as lists of indices that end with kRuleCount.
struct RulesByKind {
  std::array<std::size_t, event::All::kCount> first{};
  std::array<std::size_t, kRuleCount> next{};
};
constexpr RulesByKind index_rules() {
  RulesByKind all;
  for (std::size_t& it : all.first) it = kRuleCount;
  for (std::size_t i = kRuleCount; i-- > 0;) {
    std::size_t& first = all.first[static_cast<std::size_t>(kRules[i].kind)];
    all.next[i] = first;
    first = i;
  }
  return all;
}
constexpr RulesByKind kByKind = index_rules();

}  // namespace

EventCounters::EventCounters() : values_(kRuleCount) {}

void EventCounters::on_event(const Event& event) {
  for (std::size_t i = kByKind.first[static_cast<std::size_t>(event.kind)]; i < kRuleCount;
       i = kByKind.next[i])
    values_[i] += kRules[i].amount == nullptr ? 1 : kRules[i].amount(event);
}

void EventCounters::report_always(std::vector<Counter>& counters) const {
  for (std::size_t i = 0; i < kRuleCount; ++i)
    if (kRules[i].listed == Listed::kAlways) counters.push_back(counter_of(kRules[i], values_[i]));
}

void EventCounters::report_used(std::vector<Counter>& counters) const {
  bool preempted = false;
  for (std::size_t i = 0; i < kRuleCount; ++i)
    preempted = preempted || (kRules[i].listed == Listed::kPreempts && values_[i] != 0);
  for (std::size_t i = 0; i < kRuleCount; ++i) {
    const Listed listed = kRules[i].listed;
    const bool of_group = listed == Listed::kPreempts || listed == Listed::kIfPreempted;
    if (listed != Listed::kAlways && (values_[i] != 0 || (of_group && preempted)))
      counters.push_back(counter_of(kRules[i], values_[i]));
  }
}

}  // namespace fenceline::report
