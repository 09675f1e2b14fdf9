#include "tb/report/statistics.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "kmd_stub/wddm/doorbell.h"
#include "models/common/event_handlers.h"

namespace fenceline::report {

using common::Event;
using common::EventKind;

namespace {

/// A counter that is the number of events of one kind, or of some of them.
struct Counted {
  EventKind kind;
  const char* name;
  const char* meaning;
  bool (*counts)(const Event& event) = nullptr;  ///< null: every event of the kind counts
};

template <class E>
constexpr Counted every(const char* name, const char* meaning) {
  return {common::kKindOf<E>, name, meaning};
}

bool names_fence(const Event& event) { return event.as<event::Notify>().fence != 0; }
bool kept_from_cmp(const Event& event) { return !event.as<event::Decision>().above; }
template <D3DDDI_DOORBELLSTATUS status>
bool answers(const Event& event) {
  return event.as<event::DoorbellAnswer>().status == status;
}

/// In the order of stats.json. Counters of one kind stand together.
constexpr Counted kCounted[] = {
    every<event::InterruptRaised>("interrupts.raised", "interrupts that the CMP asked for"),
    every<event::MessageSent>("interrupts.messages", "MSI-X writes that left the device"),
    every<event::MessageCoalesced>("interrupts.coalesced", "interrupts merged into a pending one"),
    every<event::MessageLost>("interrupts.lost", "interrupts that came while masked, and are gone"),
    every<event::LinkFault>("faults.link", "messages and packets that went wrong as asked for"),
    every<event::EngineFault>("faults.engine", "engines that hung as asked for"),
    every<event::MessageDelivered>("interrupts.delivered", "interrupts accepted by a core"),
    every<event::SpuriousInterrupt>("interrupts.spurious", "DPCs that released nobody"),
    every<event::Fallback>("fallback.scans", "times the OS looked at all fences by itself"),
    every<event::IsrBegin>("isr.runs", "runs of the driver's ISR"),
    every<event::DpcBegin>("dpc.runs", "runs of a DPC"),
    {common::kKindOf<event::Notify>, "notify.fences", "fences named to DxgkCbNotifyInterrupt",
     names_fence},
    every<event::NotifyAll>("notify.null", "calls of DxgkCbNotifyInterrupt without an array"),
    every<event::NotifyCall>("notify.calls", "calls of DxgkCbNotifyInterrupt about native fences"),
    every<event::NotifyQueue>("notify.queues", "hardware queues named to DxgkCbNotifyInterrupt"),
    every<event::GpuFault>("gpu.faults", "translations that the CMP did not find"),
    every<event::SignalEnd>("signals.gpu", "signal commands that queues completed"),
    every<event::CpuSignal>("signals.cpu", "signals by the CPU"),
    every<event::WaitAdd>("waits.added", "CPU waits that entered a list"),
    every<event::WaitRelease>("waits.released", "CPU waits that the OS found satisfied"),
    every<event::WaitDone>("waits.done", "CPU waits whose thread or event was resumed"),
    every<event::WaitTimeout>("waits.timed_out", "CPU waits that gave up"),
    every<event::WaitLetGo>("waits.let_go", "CPU waits that ended with the close of their fence"),
    every<event::GpuWaitBegin>("gpu_waits.begun", "wait commands that queues reached"),
    every<event::GpuWaitPark>("gpu_waits.parked", "wait commands that parked their queue"),
    every<event::GpuWaitUnblock>("gpu_waits.unblocked", "wait commands that were satisfied"),
    every<event::UpdateMonitoredCall>("umv.updates", "updates of a MonitoredValue"),
    every<event::Doorbell>("doorbells", "doorbell writes that arrived"),
    every<event::DoorbellConnect>("doorbells.connected", "calls of DxgkDdiConnectDoorbell"),
    every<event::DoorbellTaken>("doorbells.taken", "doorbells that the driver took from a queue"),
    every<event::LogEntryVisible>("log.written", "log entries that reached memory"),
    every<event::LogEntryRead>("log.read", "log entries that the OS read"),
    every<event::LogHeaderRead>("log.headers", "times the OS read the header of a log"),
    every<event::LogEntryTorn>("log.torn", "log entries read in pieces of two commands"),
    every<event::LogOverrun>("log.overruns", "times the OS noticed lost log entries"),
    {common::kKindOf<event::Decision>, "signals.suppressed",
     "signals that the engine kept from the CMP", kept_from_cmp},
    {common::kKindOf<event::DoorbellAnswer>, "doorbells.notified",
     "calls of D3DKMTNotifyWorkSubmission that a status asked for",
     answers<D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD>},
    {common::kKindOf<event::DoorbellAnswer>, "doorbells.retried",
     "times a status said that a doorbell is to be connected",
     answers<D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY>},
    {common::kKindOf<event::DoorbellAnswer>, "doorbells.aborted",
     "times a status said that a queue is lost", answers<D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT>},
};

/// Index of the first counter of each kind of event; std::size(kCounted): the kind has none.
constexpr auto kFirstOfKind = [] {
  std::array<std::size_t, event::All::kCount> first{};
  for (std::size_t& it : first) it = std::size(kCounted);
  for (std::size_t i = std::size(kCounted); i-- > 0;)
    first[static_cast<std::size_t>(kCounted[i].kind)] = i;
  return first;
}();

template <typename T>
const T* find_named(const std::vector<T>& list, const std::string& name) {
  const auto it =
      std::find_if(list.begin(), list.end(), [&](const T& entry) { return entry.name == name; });
  return it == list.end() ? nullptr : &*it;
}

}  // namespace

Statistics::Statistics() : counts_(std::size(kCounted)) {}

void Statistics::on_event(const Event& event) {
  ++events_;
  for (std::size_t i = kFirstOfKind[static_cast<std::size_t>(event.kind)];
       i < std::size(kCounted) && kCounted[i].kind == event.kind; ++i)
    if (kCounted[i].counts == nullptr || kCounted[i].counts(event)) ++counts_[i];
  common::Handlers<LatencyTracker>::hand(latencies_, event);
  common::Handlers<ActivityMeter>::hand(activity_, event);
  common::Handlers<MemoryMeter>::hand(memory_, event);
}

void Statistics::finish(const Names& names, RunReport& report) {
  report.event_count = events_;
  report.counters.clear();
  for (std::size_t i = 0; i < counts_.size(); ++i)
    report.counters.push_back({kCounted[i].name, "count", kCounted[i].meaning, counts_[i]});
  activity_.report(names, report.end_time, report.counters);
  memory_.report(report.counters);
  report.latencies = latencies_.summarise();
}

const Counter* find_counter(const RunReport& report, const std::string& name) {
  return find_named(report.counters, name);
}

const Latency* find_latency(const RunReport& report, const std::string& name) {
  return find_named(report.latencies, name);
}

}  // namespace fenceline::report
