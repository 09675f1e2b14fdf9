#include "tb/check/devices/device_errors.h"

#include "kmd_stub/wddm/wddm.h"

namespace fenceline::check {

using common::At;
using common::ObjectKind;

void DeviceErrorChecks::on(const At<event::DeviceError>& event) {
  world_.report.checked(Invariant::kAllWorkEnds);
  in_error_[event.process] = event.asked;
  renewed_.erase(event.process);
  for (auto& [object, work] : contexts_)
    if (work.process == event.process) work.of_later_device = false;
}

void DeviceErrorChecks::on(const At<event::DeviceCreated>& event) {
  if (event.status == STATUS_SUCCESS && in_error_.count(event.process) != 0)
    renewed_.insert(event.process);
}

void DeviceErrorChecks::on(const At<event::ContextPacket>& event) {
  if (event.paging) return;
  const auto [at, fresh] = contexts_.try_emplace(event.context);
  Work& work = at->second;
  if (fresh) work.of_later_device = renewed_.count(event.process) != 0;
  work.process = event.process;
  work.queue = event.context;
}

void DeviceErrorChecks::on(const At<event::QueueGuarded>& event) {
  Work& work = hardware_[{event.adapter, event.context}];
  work.process = event.process;
  work.queue = event.queue;
}

void DeviceErrorChecks::on(const At<event::ContextEnded>& event) {
  Work& work = contexts_[event.context];
  work.process = event.process;
  work.queue = event.context;
  work.ended = true;
}

void DeviceErrorChecks::end_hardware(const HardwareKey& key) {
  const auto it = hardware_.find(key);
  if (it != hardware_.end()) it->second.ended = true;
}

void DeviceErrorChecks::on(const At<event::ResumeCall>& event) {
  const auto it = hardware_.find({event.adapter, event.context});
  if (it != hardware_.end()) it->second.ended = false;
}

void DeviceErrorChecks::on(const At<event::FenceCreate>& event) {
  if ((event.flags & event::kFenceKeepsValue) != 0) kept_.insert(event.fence);
}

void DeviceErrorChecks::on(const At<event::CpuSignal>& event) {
  if (kept_.count(event.fence) == 0) return;
  Reporter& report = world_.report;
  report.checked(Invariant::kKeptValue);
  if ((event.flags & DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kAlwaysSignaled) == 0) return;
  report.fail_fence(Invariant::kKeptValue, event.fence,
                    report.fence(event.fence) +
                        " was created with NoSignalMaxValueOnTdr, and is signalled for a device in "
                        "error, " +
                        report.now());
}

void DeviceErrorChecks::look(const Work& work, bool hardware) const {
  const auto error = in_error_.find(work.process);
  if (work.ended || work.of_later_device || error == in_error_.end()) return;
  const bool asked = error->second;
  if (hardware && asked) return;  // without hardware scheduling nothing suspends the context
  Reporter& report = world_.report;
  report.fail(Invariant::kAllWorkEnds, work.queue,
              "the device of process " + report.name(ObjectKind::kProcess, work.process) +
                  " is in error, and " + report.name(ObjectKind::kQueue, work.queue) +
                  " was never ended");
}

void DeviceErrorChecks::finish_quiescent() {
  for (const auto& [object, work] : contexts_) look(work, false);
  for (const auto& [key, work] : hardware_) look(work, true);
}

void DeviceErrorChecks::add_to(Canonical& hash) const {
  for (const auto& [process, asked] : in_error_) hash.add(process << 1 | renewed_.count(process));
  if (in_error_.empty()) return;
  for (const auto& [object, work] : contexts_)
    hash.add(object << 2 | (work.of_later_device ? 2U : 0U) | (work.ended ? 1U : 0U));
  for (const auto& [key, work] : hardware_)
    hash.add(key.first << 32 | key.second << 1 | (work.ended ? 1U : 0U));
}

}  // namespace fenceline::check
