#include "tb/os/vidsch/log_follower.h"

#include <algorithm>
#include <utility>

#include "models/abi/mutant.h"

namespace fenceline::os {

LogFollower::LogFollower(Adapter& adapter, FenceScheduler& scheduler, const OsOrdering& ordering)
    : adapter_(adapter),
      scheduler_(scheduler),
      ordering_(ordering),
      reader_(adapter, ordering),
      lock_(adapter.cpu().simulation().steps, this) {
  scheduler.on_waiting = [this](const std::vector<FenceScheduler::Point>& points) {
    note_waits(points);
  };
}

std::uint64_t LogFollower::state_hash() const {
  common::Hasher hasher;
  hasher.add(reader_.state_hash());
  if (!releases()) return hasher.value();
  for (const QueueLogs* logs : queues_)
    for (const auto& [count, order] : logs->signals.marks)
      if (count > logs->signals.read) hasher.add(count).add(scheduler_.waits_hash(order));
  return hasher.value();
}

void LogFollower::add(QueueLogs& logs) {
  LockScope lock(adapter_.cpu(), lock_, DISPATCH_LEVEL);
  queues_.push_back(&logs);
}

std::optional<NTSTATUS> LogFollower::replace(QueueLogs& logs, FenceLog waits, FenceLog signals) {
  const Adapter::Visit visit(adapter_);
  const KIRQL old = adapter_.cpu().raise(DISPATCH_LEVEL);
  LogHarvest harvest;
  const std::optional<NTSTATUS> refused = exchange(logs, waits, signals, harvest);
  settle(harvest);
  adapter_.cpu().lower(old);
  return refused;
}

/// Without readers, the driver takes over each prepared buffer, which flushes the old one; the
/// unread rest of the old one is read.
std::optional<NTSTATUS> LogFollower::exchange(QueueLogs& logs, FenceLog& waits, FenceLog& signals,
                                              LogHarvest& harvest) {
  LockScope lock(adapter_.cpu(), lock_, DISPATCH_LEVEL);
  signals.mark(0, scheduler_.waits());  // the log is still empty
  for (FenceLog* log : {&waits, &signals})
    if (const NTSTATUS status = reader_.set_buffer(logs, *log);
        !NT_SUCCESS(status) && adapter_.system().mandatory_logs)
      return status;
  harvest = reader_.read({&logs}, scheduler_.waits());
  for (const FenceLog* retired : {&logs.waits, &logs.signals})
    adapter_.cpu().simulation().emit(event::LogRetired{retired->object});
  logs.waits = std::move(waits);
  logs.signals = std::move(signals);
  return std::nullopt;
}

LogFollower::Place LogFollower::place_of(const QueueLogs& logs, bool signals) {
  LockScope lock(adapter_.cpu(), lock_, DISPATCH_LEVEL);
  const FenceLog& log = signals ? logs.signals : logs.waits;
  return {log.object, log.backing.bus_address(adapter_.gpu())};
}

std::vector<QueueLogs*> LogFollower::of(const FenceList& fences) const {
  std::vector<QueueLogs*> result;
  std::copy_if(queues_.begin(), queues_.end(), std::back_inserter(result),
               [&](const QueueLogs* logs) { return has_any(logs->process, fences); });
  return result;
}

/// Waiters are in the lists of the fences: entries that appear from now on are newer than their
/// waits.
void LogFollower::note_waits(const std::vector<FenceScheduler::Point>& points) {
  if (queues_.empty() || !releases()) return;
  FenceList fences;
  for (const FenceScheduler::Point& point : points) fences.push_back(point.fence);
  const std::uint64_t waits = scheduler_.waits();
  LockScope lock(adapter_.cpu(), lock_, DISPATCH_LEVEL);
  for (QueueLogs* logs : of(fences)) reader_.mark(*logs, waits);
}

LogHarvest LogFollower::read(const std::vector<QueueLogs*>& queues) {
  if (queues.empty()) return {};
  LockScope lock(adapter_.cpu(), lock_, DISPATCH_LEVEL);
  return reader_.read(queues, scheduler_.waits());
}

std::size_t LogFollower::settle(const LogHarvest& harvest) {
  std::size_t released = 0;
  if (releases()) {
    for (const LoggedOperation& operation : harvest.operations) released += release(operation);
    if (!harvest.doubts.empty()) released += scheduler_.look(harvest.doubts, false);
  }
  if (!ordering_.overrun_fallback) return released;
  // The lost entries may hold any signal.
  std::vector<std::size_t> devices = harvest.overruns;
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  for (const std::size_t process : devices) released += scheduler_.look(fences_of(process), true);
  return released;
}

std::size_t LogFollower::release(const LoggedOperation& operation) {
  if (operation.entry.OperationType != DXGK_NATIVE_FENCE_LOG_OPERATION_SIGNAL_EXECUTED) return 0;
  const std::shared_ptr<NativeFence> fence =
      fence_of(operation.logs->process, operation.entry.hNativeFence);
  if (fence == nullptr || fence->origin != nullptr) return 0;
  bool doubtful = false;
  const std::size_t released = scheduler_.release_logged(*fence, operation.entry.FenceValue,
                                                         operation.older_waits, doubtful);
  if (!doubtful || abi::mutant(abi::Mutant::kDoubtsForgotten)) return released;
  LockScope lock(adapter_.cpu(), lock_, DISPATCH_LEVEL);
  auto& doubts = operation.logs->doubts;
  if (std::find(doubts.begin(), doubts.end(), fence) == doubts.end()) doubts.push_back(fence);
  return released;
}

void LogFollower::forget(const NativeFence& fence) {
  const auto left = [&](const QueueLogs* logs) { return !logs->doubts.empty(); };
  if (std::none_of(queues_.begin(), queues_.end(), left)) return;
  LockScope lock(adapter_.cpu(), lock_, DISPATCH_LEVEL);
  for (QueueLogs* logs : queues_) remove(logs->doubts, fence);
}

}  // namespace fenceline::os
