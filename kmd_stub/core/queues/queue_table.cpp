#include "kmd_stub/core/queues/queue_table.h"

namespace fenceline::kmd {

namespace {

std::uint64_t entry(std::uint32_t slot) { return abi::kQueueTable + abi::kQueueEntryBytes * slot; }

std::uint64_t entry_counts(const QueueLogs& logs) {
  return logs.waits.entries | static_cast<std::uint64_t>(logs.signals.entries) << 32;
}

}  // namespace

std::optional<std::uint32_t> QueueTable::reserve() {
  const SpinLock::Guard guard(lock_);
  return free_.take();
}

void QueueTable::release(std::uint32_t slot) {
  const SpinLock::Guard guard(lock_);
  free_.release(slot);
}

void QueueTable::enable(std::uint32_t slot, const QueueEntry& queue) {
  const std::uint64_t base = entry(slot);
  port_.write_register(base + abi::kQueueRingBase, queue.ring_base);
  port_.write_register(base + abi::kQueueRingBytes, queue.ring_bytes);
  port_.write_register(base + abi::kQueueReadPointer, queue.read_pointer);
  port_.write_register(base + abi::kQueueVmid, queue.vmid);
  port_.write_register(base + abi::kQueueEngine, queue.node);
  port_.write_register(base + abi::kQueueWaitLog, 0);
  port_.write_register(base + abi::kQueueSignalLog, 0);
  port_.write_register(base + abi::kQueueLogEntries, 0);
  port_.write_register(base + abi::kQueueSystemWaitLog, 0);
  port_.write_register(base + abi::kQueueSystemSignalLog, 0);
  if (queue.write_pointer != 0)
    port_.write_register(base + abi::kQueueWritePointer, queue.write_pointer);
  control_[slot] = (control_[slot] & abi::kQueueRemoved) | abi::kQueueEnabled |
                   (queue.physical ? abi::kQueuePhysical : 0) |
                   (queue.no_timeout ? abi::kQueueNoTimeout : 0);
  port_.write_register(base + abi::kQueueControl, control_[slot] | verbose_bit());
}

void QueueTable::set_context(std::uint32_t slot, std::uint32_t context) {
  port_.write_register(entry(slot) + abi::kQueueContext, context);
}

void QueueTable::set_removed(std::uint32_t slot, bool removed) {
  const SpinLock::Guard guard(lock_);
  std::uint64_t& control = control_[slot];
  control = removed ? control | abi::kQueueRemoved : control & ~abi::kQueueRemoved;
  if ((control & abi::kQueueEnabled) != 0)
    port_.write_register(entry(slot) + abi::kQueueControl, control | verbose_bit());
}

bool QueueTable::set_verbose(bool verbose) {
  std::uint32_t last = 0;
  {
    const SpinLock::Guard guard(lock_);
    verbose_ = verbose;
    for (std::uint32_t slot = 0; slot < control_.size(); ++slot) {
      if ((control_[slot] & abi::kQueueEnabled) == 0) continue;
      port_.write_register(entry(slot) + abi::kQueueControl, control_[slot] | verbose_bit());
      last = slot;
    }
  }
  // Register writes arrive in order: writes before the flush have arrived.
  return wait_log_flushes(post_log_flush(last));
}

void QueueTable::set_owner(std::uint32_t slot, HANDLE queue) {
  auto& owner = owners_[slot];
  if (!owner.has_value()) owner.emplace(port_);
  owner->store(queue);
}

HANDLE QueueTable::owner(std::uint32_t slot) const {
  if (slot >= owners_.size() || !owners_[slot].has_value()) return nullptr;
  return owners_[slot]->load();
}

bool QueueTable::disable(std::uint32_t slot) {
  {
    const SpinLock::Guard guard(lock_);
    control_[slot] = 0;
    port_.write_register(entry(slot) + abi::kQueueControl, 0);
  }
  return wait_log_flushes(post_log_flush(slot));
}

void QueueTable::set_log(std::uint32_t slot, LogKind kind, const LogPlace& place, QueueLogs& logs) {
  const SpinLock::Guard guard(lock_);
  const bool waits = kind == LogKind::kWaits;
  (waits ? logs.waits : logs.signals) = place;
  const std::uint64_t base = entry(slot);
  port_.write_register(base + abi::kQueueLogEntries, entry_counts(logs));
  port_.write_register(base + (waits ? abi::kQueueSystemWaitLog : abi::kQueueSystemSignalLog),
                       place.system_address);
  port_.write_register(base + (waits ? abi::kQueueWaitLog : abi::kQueueSignalLog), place.address);
}

std::uint64_t QueueTable::post_log_flush(std::uint32_t slot) {
  const SpinLock::Guard guard(
      lock_);  // requests must reach the device in the order of their numbers
  port_.write_register(abi::kLogFlush, slot);
  return ++flushes_;
}

bool QueueTable::wait_log_flushes(std::uint64_t count) {
  return port_.poll_register(abi::kLogFlushesDone, count);
}

}  // namespace fenceline::kmd
