#include "tb/check/device_errors.h"

namespace fenceline::check {

using common::Event;
using common::ObjectKind;

namespace {
constexpr std::uint64_t kNumber = 0xFFFFFFFF;  // low half of field a of kQueueGuarded: the context
constexpr std::uint64_t kKeepsValue = 4;       // bits of kFenceCreate and kCpuSignal
constexpr std::uint64_t kAlwaysSignaled = 1;
}  // namespace

void DeviceErrorChecks::clear() {
  in_error_.clear();
  contexts_.clear();
  hardware_.clear();
  kept_.clear();
}

void DeviceErrorChecks::on_error(const Event& event) {
  world_.report.checked(Invariant::kAllWorkEnds);
  const bool asked = event.b != 0;
  in_error_[event.object] = asked;
}

void DeviceErrorChecks::on_packet(const Event& event) {
  const bool paging = (event.c & 1U) != 0;
  if (paging) return;
  Work& work = contexts_[event.object];
  work.process = event.c >> 8;
  work.queue = event.object;
}

void DeviceErrorChecks::on_guarded(const Event& event) {
  Work& work = hardware_[{event.a >> 32, event.a & kNumber}];
  work.process = event.b;
  work.queue = event.object;
}

void DeviceErrorChecks::on_context_ended(const Event& event) {
  Work& work = contexts_[event.object];
  work.process = event.a;
  work.queue = event.object;
  work.ended = true;
}

void DeviceErrorChecks::on_hardware_ended(const Event& event) {
  const auto it = hardware_.find({event.object, event.a});
  if (it != hardware_.end()) it->second.ended = true;
}

void DeviceErrorChecks::on_resumed(const Event& event) {
  const auto it = hardware_.find({event.object, event.a});
  if (it != hardware_.end()) it->second.ended = false;
}

void DeviceErrorChecks::on_create(const Event& event) {
  if ((event.c & kKeepsValue) != 0) kept_.insert(event.object);
}

void DeviceErrorChecks::on_cpu_signal(const Event& event) {
  if (kept_.count(event.object) == 0) return;
  Reporter& report = world_.report;
  report.checked(Invariant::kKeptValue);
  if ((event.b & kAlwaysSignaled) == 0) return;
  if (report.broken(Invariant::kKeptValue, event.object))
    report.add(Invariant::kKeptValue, event.object,
               report.fence(event.object) +
                   " was created with NoSignalMaxValueOnTdr, and is signalled for a device in "
                   "error, " +
                   at_time(report.time()));
}

void DeviceErrorChecks::look(const Work& work, bool hardware) const {
  const auto error = in_error_.find(work.process);
  if (work.ended || error == in_error_.end()) return;
  const bool asked = error->second;
  if (hardware && asked) return;  // the GPU may not schedule: then nothing suspends a context
  Reporter& report = world_.report;
  if (report.broken(Invariant::kAllWorkEnds, static_cast<std::uint32_t>(work.queue)))
    report.add(Invariant::kAllWorkEnds, 0,
               "the device of process " + report.name(ObjectKind::kProcess, work.process) +
                   " is in error, and " + report.name(ObjectKind::kQueue, work.queue) +
                   " was never ended");
}

void DeviceErrorChecks::finish_quiescent() {
  for (const auto& [object, work] : contexts_) look(work, false);
  for (const auto& [key, work] : hardware_) look(work, true);
}

void DeviceErrorChecks::add_to(Canonical& hash) const {
  for (const auto& [process, asked] : in_error_) hash.add(process);
  if (in_error_.empty()) return;
  for (const auto& [object, work] : contexts_) hash.add(object << 1 | (work.ended ? 1U : 0U));
  for (const auto& [key, work] : hardware_)
    hash.add(key.first << 32 | key.second << 1 | (work.ended ? 1U : 0U));
}

}  // namespace fenceline::check
