#include "tb/check/fences/monitored_fence.h"

#include <algorithm>

#include "kmd_stub/wddm/wddm.h"
#include "models/abi/private_data.h"
#include "models/abi/registers.h"

namespace fenceline::check {

using common::At;
using common::hash_values;
using common::ObjectKind;

void MonitoredFenceChecks::judge_value(std::uint32_t fence, std::uint64_t value, const char* what) {
  constexpr std::uint64_t kReach = UINT32_MAX / 2;
  const FenceOrder& order = world_.fences[fence];
  // Any value of a device in error counts as signalled.
  if (!order.narrow || order.always_signaled) return;
  Reporter& report = world_.report;
  report.checked(Invariant::kWait32);
  const std::uint64_t distance = std::max(order.home, value) - std::min(order.home, value);
  if (distance <= kReach) return;
  report.fail_fence(Invariant::kWait32, fence,
                    std::string(what) + " for " + text(value) + " of fence " + report.fence(fence) +
                        " " + report.now() + " is " + text(distance) + " from its value " +
                        text(order.home) + "; 32 bits reach " + text(kReach));
}

void MonitoredFenceChecks::on(const At<event::GpuWaitUnblock>& event) { end_wait(event.queue); }

void MonitoredFenceChecks::on(const At<event::CpuSignal>& event) {
  using Flags = DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS;
  const bool stores = (event.flags & (Flags::kAlwaysSignaled | Flags::kNotificationOnly)) == 0;
  if (stores) judge_value(event.fence, event.value, "the signal of the CPU");
}

void MonitoredFenceChecks::end_wait(std::size_t queue) {
  Context& context = contexts_[queue];
  if (context.waits != 0) --context.waits;
}

void MonitoredFenceChecks::on(const At<event::ContextGiven>& event) {
  Context& context = contexts_[event.context];
  context.again = event.buffer <= context.highest;
  context.highest = std::max(context.highest, event.buffer);
}

void MonitoredFenceChecks::on(const At<event::ContextSubmit>& event) {
  Reporter& report = world_.report;
  report.checked(Invariant::kHeldWork);
  if (contexts_[event.context].waits == 0 || contexts_[event.context].again) return;
  report.fail(Invariant::kHeldWork, event.context,
              "the OS gave buffer " + text(event.submission) + " of context " +
                  report.name(ObjectKind::kQueue, event.context) + " to the driver " +
                  at_time(event.time) + ", behind a wait that is not over");
}

void MonitoredFenceChecks::on(const At<event::FenceMapped>& event) {
  const auto has = [&](event::FenceMapping bit) { return (event.mapping & bit) != 0; };
  Reporter& report = world_.report;
  report.checked(Invariant::kFenceMapping);
  const bool gpu = !has(event::kMapNoGpuAccess) && !has(event::kMapIommu);
  const bool writable = has(event::kMapIommu) && !has(event::kMapNoGpuAccess);
  const char* wrong = nullptr;
  if (has(event::kMapCpuCached) != has(event::kMapHostCoherent))
    wrong = has(event::kMapCpuCached) ? "write-back on a host that is not coherent with devices"
                                      : "uncached on a host that is coherent with devices";
  if (has(event::kMapCpuWritable) != writable)
    wrong = writable ? "read only, although the GPU uses the address" : "writable by user mode";
  if (has(event::kMapGpu) != gpu)
    wrong = gpu ? "not mapped for the GPU" : "mapped for a GPU that must not use it";
  if (wrong == nullptr) return;
  report.fail_fence(Invariant::kFenceMapping, event.fence,
                    "the value of fence " + report.fence(event.fence) + " in process " +
                        report.name(ObjectKind::kProcess, event.process) + " is " + wrong);
}

void MonitoredFenceChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t c = 0; c < contexts_.size(); ++c)
    if (contexts_[c].waits != 0) sum += hash_values(c, contexts_[c].waits);
  hash.add(sum);
}

/// A completion that is known to the driver but not yet handled may count for a new use.
void CpuEventChecks::on(const At<event::CpuEventUse>& event) {
  CpuEvent& of = events_[event.event];
  const auto use = static_cast<abi::CpuEventUse>(event.use);
  if (use == abi::CpuEventUse::kNow) {
    of.due = std::min(of.due + 1, kMaxDue);
    return;
  }
  of.node = use == abi::CpuEventUse::kBufferCompleted
                ? std::uint64_t{event.adapter} << 32 | event.engine
                : 0;
  const auto completed = completed_.find(of.node);
  of.due = completed == completed_.end() ? 0 : completed->second;
}

void CpuEventChecks::on(const At<event::EngineInterrupt>& event) {
  const auto cause = static_cast<abi::InterruptCause>(event.cause);
  if (cause != abi::InterruptCause::kBufferCompleted &&
      cause != abi::InterruptCause::kBufferFaulted)
    return;
  const std::uint64_t node = std::uint64_t{event.adapter} << 32 | (event.engine + 1);
  std::uint64_t& completed = completed_[node];
  completed = std::min(completed + 1, kMaxDue);
  for (std::size_t e = 0; e < events_.size(); ++e)
    if (events_[e].node == node) events_[e].due = std::min(events_[e].due + 1, kMaxDue);
}

/// One signal may stand for several completions, and another may arrive while it is being made.
void CpuEventChecks::check_scope(const At<event::CpuEventSignal>& event) {
  CpuEvent& of = events_[event.event];
  Reporter& report = world_.report;
  report.checked(Invariant::kEventScope);
  const bool wanted = of.due != 0;
  if (wanted) --of.due;
  if (wanted) return;
  report.fail(Invariant::kEventScope, event.event,
              "CPU event " + text(event.event) + " of " +
                  report.name(ObjectKind::kAdapter, event.adapter) + " was signalled " +
                  at_time(event.time) + ", and nothing has happened that its user wants to know");
}

void CpuEventChecks::on(const At<event::CpuEventSignal>& event) {
  if (events_[event.event].alive) check_scope(event);
  Reporter& report = world_.report;
  report.checked(Invariant::kCpuEvent);
  constexpr std::uint64_t kDispatch = 2;
  const char* wrong = nullptr;
  if ((event.faults & event::kEventWrongFields) != 0) wrong = "with wrong fields";
  if (event.irql > kDispatch) wrong = "above DISPATCH_LEVEL";
  if (!events_[event.event].alive) wrong = "after it was destroyed";
  if (wrong == nullptr) return;
  report.fail(Invariant::kCpuEvent, event.event,
              "DxgkCbSignalEvent for CPU event " + text(event.event) + " of " +
                  report.name(ObjectKind::kAdapter, event.adapter) + " " + at_time(event.time) +
                  " came " + wrong);
}

void CpuEventChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t e = 0; e < events_.size(); ++e)
    if (events_[e].alive) sum += hash_values(e, events_[e].node << 8 | events_[e].due << 1 | 1);
  if (sum != 0)
    for (const auto& [node, buffers] : completed_) sum += hash_values(node, 1 + buffers);
  hash.add(sum);
}

}  // namespace fenceline::check
