#include "tb/report/statistics.h"

#include <algorithm>

#include "models/common/event_handlers.h"

namespace fenceline::report {

using common::Event;
using common::EventKind;

namespace {

/// A counter that is the number of events of one kind.
struct Counted {
  EventKind kind;
  const char* name;
  const char* meaning;
};

constexpr Counted kCounted[] = {
    {EventKind::kInterruptRaised, "interrupts.raised", "interrupts that the CMP asked for"},
    {EventKind::kMessageSent, "interrupts.messages", "MSI-X writes that left the device"},
    {EventKind::kMessageCoalesced, "interrupts.coalesced", "interrupts merged into a pending one"},
    {EventKind::kMessageLost, "interrupts.lost", "interrupts that came while masked, and are gone"},
    {EventKind::kLinkFault, "faults.link", "messages and packets that went wrong as asked for"},
    {EventKind::kEngineFault, "faults.engine", "engines that hung as asked for"},
    {EventKind::kMessageDelivered, "interrupts.delivered", "interrupts accepted by a core"},
    {EventKind::kSpuriousInterrupt, "interrupts.spurious", "DPCs that released nobody"},
    {EventKind::kFallback, "fallback.scans", "times the OS looked at all fences by itself"},
    {EventKind::kIsrBegin, "isr.runs", "runs of the driver's ISR"},
    {EventKind::kDpcBegin, "dpc.runs", "runs of a DPC"},
    {EventKind::kNotify, "notify.fences", "fences named to DxgkCbNotifyInterrupt"},
    {EventKind::kNotifyAll, "notify.null", "calls of DxgkCbNotifyInterrupt without an array"},
    {EventKind::kNotifyCall, "notify.calls", "calls of DxgkCbNotifyInterrupt about native fences"},
    {EventKind::kNotifyQueue, "notify.queues", "hardware queues named to DxgkCbNotifyInterrupt"},
    {EventKind::kGpuFault, "gpu.faults", "translations that the CMP did not find"},
    {EventKind::kSignalEnd, "signals.gpu", "signal commands that queues completed"},
    {EventKind::kCpuSignal, "signals.cpu", "signals by the CPU"},
    {EventKind::kWaitAdd, "waits.added", "CPU waits that entered a list"},
    {EventKind::kWaitRelease, "waits.released", "CPU waits that the OS found satisfied"},
    {EventKind::kWaitDone, "waits.done", "CPU waits whose thread or event was resumed"},
    {EventKind::kWaitTimeout, "waits.timed_out", "CPU waits that gave up"},
    {EventKind::kWaitLetGo, "waits.let_go", "CPU waits that ended with the close of their fence"},
    {EventKind::kGpuWaitBegin, "gpu_waits.begun", "wait commands that queues reached"},
    {EventKind::kGpuWaitPark, "gpu_waits.parked", "wait commands that parked their queue"},
    {EventKind::kGpuWaitUnblock, "gpu_waits.unblocked", "wait commands that were satisfied"},
    {EventKind::kUpdateMonitoredCall, "umv.updates", "updates of a MonitoredValue"},
    {EventKind::kDoorbell, "doorbells", "doorbell writes that arrived"},
    {EventKind::kDoorbellConnect, "doorbells.connected", "calls of DxgkDdiConnectDoorbell"},
    {EventKind::kDoorbellTaken, "doorbells.taken", "doorbells that the driver took from a queue"},
    {EventKind::kLogEntryVisible, "log.written", "log entries that reached memory"},
    {EventKind::kLogEntryRead, "log.read", "log entries that the OS read"},
    {EventKind::kLogHeaderRead, "log.headers", "times the OS read the header of a log"},
    {EventKind::kLogEntryTorn, "log.torn", "log entries read in pieces of two commands"},
    {EventKind::kLogOverrun, "log.overruns", "times the OS noticed lost log entries"},
};

template <typename T>
const T* find_named(const std::vector<T>& list, const std::string& name) {
  const auto it =
      std::find_if(list.begin(), list.end(), [&](const T& entry) { return entry.name == name; });
  return it == list.end() ? nullptr : &*it;
}

}  // namespace

void Statistics::on_event(const Event& event) {
  ++events_;
  // What names a queue stands for no fence.
  if (!event.is<event::Notify>() || event.object != 0)
    ++counts_[static_cast<std::size_t>(event.kind)];
  if (event.is<event::Decision>() && !event.as<event::Decision>().above) ++suppressed_;
  if (event.is<event::DoorbellAnswer>())
    ++answers_[event.as<event::DoorbellAnswer>().status % answers_.size()];
  common::Handlers<LatencyTracker>::hand(latencies_, event);
  common::Handlers<ActivityMeter>::hand(activity_, event);
  common::Handlers<MemoryMeter>::hand(memory_, event);
}

void Statistics::finish(const Names& names, RunReport& report) {
  report.event_count = events_;
  report.counters.clear();
  for (const Counted& counted : kCounted) {
    report.counters.push_back({counted.name, "count", counted.meaning, count(counted.kind)});
  }
  report.counters.push_back(
      {"signals.suppressed", "count", "signals that the engine kept from the CMP", suppressed_});
  report.counters.push_back({"doorbells.notified", "count",
                             "calls of D3DKMTNotifyWorkSubmission that a status asked for",
                             answers_[1]});
  report.counters.push_back({"doorbells.retried", "count",
                             "times a status said that a doorbell is to be connected",
                             answers_[2]});
  report.counters.push_back(
      {"doorbells.aborted", "count", "times a status said that a queue is lost", answers_[3]});
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
