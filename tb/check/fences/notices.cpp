#include "tb/check/fences/notices.h"

#include <algorithm>

#include "kmd_stub/wddm/wddm.h"
#include "models/abi/registers.h"
#include "tb/os/driver/ddi_names.h"

namespace fenceline::check {

using common::AgentId;
using common::At;
using common::hash_values;
using common::Hasher;
using common::ObjectKind;
using os::Ddi;

namespace {
bool is_signal(std::uint64_t ddi) {
  return ddi == static_cast<std::uint64_t>(Ddi::DxgkDdiUpdateCurrentValuesFromCpu);
}
}  // namespace

void NoticeChecks::Agent::clear() {
  signals = false;
  told.clear();
}

void NoticeChecks::fail(Invariant invariant, std::uint32_t fence, const std::string& what) {
  Reporter& report = world_.report;
  report.fail_fence(invariant, fence,
                    "fence " + report.fence(fence) + ": " + what + " " + report.now());
}

void NoticeChecks::fail_adapter(Invariant invariant, std::uint32_t adapter,
                                const std::string& what) {
  Reporter& report = world_.report;
  report.fail(
      invariant, adapter,
      "adapter " + report.name(ObjectKind::kAdapter, adapter) + ": " + what + " " + report.now());
}

NoticeChecks::Told* NoticeChecks::find(AgentId agent, std::uint32_t fence, bool monitored) {
  for (Told& told : agents_[agent].told)
    if (told.fence == fence && told.monitored == monitored && !told.stored) return &told;
  return nullptr;
}

void NoticeChecks::on(const At<event::UpdateMonitoredCall>& event) {
  agents_[event.agent].told.push_back({event.fence, event.value, true, false});
}

void NoticeChecks::on(const At<event::UpdateMonitoredReturn>& event) {
  auto& told = agents_[event.agent].told;
  const auto own = [&](const Told& one) { return one.monitored && one.fence == event.fence; };
  told.erase(std::remove_if(told.begin(), told.end(), own), told.end());
}

void NoticeChecks::judge_store(AgentId agent, std::uint32_t fence, std::uint64_t value,
                               bool monitored) {
  Told* const told = find(agent, fence, monitored);
  if (told == nullptr) return;
  const Invariant invariant = monitored ? Invariant::kOnlyAbove : Invariant::kCpuValue;
  world_.report.checked(invariant);
  told->stored = true;
  if (told->value != value)
    fail(invariant, fence,
         "the driver was told to store " + text(told->value) + " in " +
             (monitored ? "MonitoredValue" : "CurrentValue") + " and stores " + text(value));
}

void NoticeChecks::on(const At<event::CmpDecision>& event) {
  if (!event.raised) return;
  world_.report.checked(Invariant::kOnlyAbove);
  if (event.current <= event.monitored)
    fail(Invariant::kOnlyAbove, event.fence,
         "the CMP interrupts for the value " + text(event.current) + ", and MonitoredValue is " +
             text(event.monitored));
}

void NoticeChecks::on(const At<event::CpuSignal>& event) {
  using Flags = DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS;
  if ((event.flags & (Flags::kAlwaysSignaled | Flags::kNotificationOnly)) == 0)
    agents_[event.agent].told.push_back({event.fence, event.value, false, false});
}

/// Only stores of the driver are judged; the OS may store values on its own.
void NoticeChecks::on(const At<event::CurrentValueStored>& event) {
  if (agents_[event.agent].signals)
    return judge_store(event.agent, event.fence, event.value, false);
  auto& told = agents_[event.agent].told;
  const auto own = [&](const Told& one) { return !one.monitored && one.fence == event.fence; };
  told.erase(std::remove_if(told.begin(), told.end(), own), told.end());
}

void NoticeChecks::on(const At<event::DdiCall>& event) {
  if (is_signal(event.ddi)) agents_[event.agent].signals = true;
}

void NoticeChecks::on(const At<event::DdiReturn>& event) {
  if (!is_signal(event.ddi)) return;
  Agent& agent = agents_[event.agent];
  for (const Told& told : agent.told)
    if (!told.monitored && !told.stored && event.status == 0)
      fail(Invariant::kCpuValue, told.fence,
           "the driver was told to store " + text(told.value) +
               " in CurrentValue and has returned without");
  agent.clear();
}

void NoticeChecks::on(const At<event::AdapterStarted>& event) {
  adapters_[event.adapter].optimised =
      (event.caps & DXGK_VIDSCHCAPS::kOptimizedNativeFenceSignaledInterrupt) != 0;
}

void NoticeChecks::on(const At<event::InterruptRaised>& event) {
  const bool monitored = event.both_kinds && adapters_[event.adapter].owes;
  written(event.adapter, {event.queue, monitored});
}

void NoticeChecks::on(const At<event::EngineInterrupt>& event) {
  const auto cause = static_cast<abi::InterruptCause>(event.cause);
  written(event.adapter, {0, cause == abi::InterruptCause::kFenceWritten});
}

void NoticeChecks::written(std::uint32_t number, const Entry& entry) {
  Adapter& adapter = adapters_[number];
  ++adapter.ring.written;
  adapter.entries.push_back(entry);
}

void NoticeChecks::on(const At<event::IsrAcknowledge>& event) {
  Adapter& adapter = adapters_[event.adapter];
  if (adapter.reader != event.agent) begin_reading(event.adapter, event.agent);
  adapter.ring.acknowledge(event.read);
  if (adapter.ring.uncounted) return adapter.entries.clear();
  const std::uint64_t first = adapter.ring.written - adapter.entries.size();
  const auto end = adapter.entries.begin() +
                   static_cast<std::ptrdiff_t>(std::max(adapter.ring.acknowledged, first) - first);
  adapter.read.insert(adapter.read.end(), adapter.entries.begin(), end);
  adapter.entries.erase(adapter.entries.begin(), end);
}

void NoticeChecks::begin_reading(std::uint32_t number, AgentId reader) {
  end_reading(number);
  adapters_[number].reader = reader;
}

void NoticeChecks::judge_queue(std::uint32_t number, std::uint32_t queue) {
  const Adapter& adapter = adapters_[number];
  world_.report.checked(Invariant::kQueueNamed);
  const auto& named = adapter.named;
  if (adapter.covered || std::find(named.begin(), named.end(), queue) != named.end()) return;
  fail_adapter(Invariant::kQueueNamed, number,
               "the device has interrupted for queue " +
                   world_.report.name(ObjectKind::kQueue, queue) +
                   ", and the interrupt routine that read it named neither that nor all");
}

/// After reading entries, the driver must have reported each queue named in them, or the whole
/// node. It must have reported monitored fences if an entry stands for one.
void NoticeChecks::end_reading(std::uint32_t number) {
  Adapter& adapter = adapters_[number];
  for (const Entry& entry : adapter.read) {
    if (adapter.optimised && entry.queue != 0) judge_queue(number, entry.queue);
    if (!entry.monitored) continue;
    world_.report.checked(Invariant::kBothKinds);
    if (adapter.looked) continue;
    fail_adapter(Invariant::kBothKinds, number,
                 "the device has interrupted for a monitored fence, and the interrupt routine that "
                 "read it has not had the OS look at monitored fences");
  }
  adapter.reader = 0;
  adapter.read.clear();
  adapter.named.clear();
  adapter.covered = adapter.looked = false;
}

void NoticeChecks::on(const At<event::NotifyCall>& event) {
  Adapter& adapter = adapters_[event.adapter];
  const bool both =
      (event.flags & DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS::kEvaluateLegacyMonitoredFences) != 0;
  if (!both) return;
  world_.report.checked(Invariant::kBothKinds);
  adapter.owes = false;
  adapter.looked = true;
  if (event.named != 0 && !adapter.optimised)
    fail_adapter(Invariant::kBothKinds, event.adapter,
                 "an interrupt that stands for fences of both kinds names some");
}

void NoticeChecks::on(const At<event::InterruptType>& event) {
  if (event.type != DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED) return;
  adapters_[event.adapter].owes = false;
  adapters_[event.adapter].looked = true;
}

void NoticeChecks::finish_quiescent() {
  for (std::size_t at = 0; at < adapters_.size(); ++at) {
    const auto number = static_cast<std::uint32_t>(at);
    end_reading(number);
    // The driver cannot report an entry before an interrupt has made it read the entry.
    if (adapters_[number].owes && adapters_[number].entries.empty())
      fail_adapter(Invariant::kBothKinds, number,
                   "an engine has written a monitored fence that is to interrupt, and no "
                   "notification followed that has the OS look at monitored fences");
  }
}

void NoticeChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t number = 0; number < agents_.size(); ++number) {
    const Agent& agent = agents_[number];
    if (agent.signals) sum += hash_values(number);
    for (const Told& told : agent.told)
      sum += hash_values(pair_of(number, told.fence), told.value,
                         bits_of(told.monitored, told.stored));
  }
  for (std::size_t number = 0; number < adapters_.size(); ++number) {
    const Adapter& adapter = adapters_[number];
    const bool follows = adapter.optimised && !adapter.ring.uncounted;
    const auto monitored = [](const std::vector<Entry>& entries) {
      return std::any_of(entries.begin(), entries.end(),
                         [](const Entry& entry) { return entry.monitored; });
    };
    const bool due = monitored(adapter.entries) || monitored(adapter.read);
    if (!adapter.owes && !follows && !due && !adapter.ring.uncounted) continue;
    Hasher item;
    item.add(number).add(bits_of(adapter.owes, adapter.covered, adapter.ring.uncounted));
    if (follows || due) {
      item.add(adapter.looked ? 1 : 0).add(adapter.reader);
      for (const Entry& entry : adapter.entries) item.add(pair_of(entry.monitored, entry.queue));
      for (const Entry& entry : adapter.read) item.add(pair_of(2 | entry.monitored, entry.queue));
    }
    for (const std::uint64_t queue : adapter.named) item.add(queue);
    sum += item.value();
  }
  hash.add(sum);
}

}  // namespace fenceline::check
