#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tb/test/support/os/fence_bench.h"

namespace fenceline::support {

/// Fences as in FenceBench, and hardware queues with logs that the test writes.
struct LogBench : FenceBench {
  static constexpr UINT kEntries = 4;
  using FenceBench::FenceBench;

  // In a thread:
  /// A queue with empty logs. @param process number of its process
  os::QueueLogs& add_queue(std::size_t process = 0) {
    os::QueueLogs& queue = *queues.emplace_back(std::make_unique<os::QueueLogs>());
    queue.queue = &queue;
    queue.process = process;
    queue.waits = new_log(DXGK_NATIVE_FENCE_LOG_TYPE_WAITS);
    queue.signals = new_log(DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS);
    return queue;
  }
  os::FenceLog new_log(DXGK_NATIVE_FENCE_LOG_TYPE type) {
    os::FenceLog log;
    log.object = machine.simulation().events.add_object(common::ObjectKind::kLog, "log");
    log.type = type;
    log.backing = {false, machine.kernel().system.pages.allocate(os::kPage), os::kPage};
    log.entries = kEntries;
    return log;
  }
  /// The GPU logs an operation as entry number `count`, from 0.
  void write(
      const os::FenceLog& log, std::uint64_t count, D3DKMT_HANDLE fence, UINT64 value,
      DXGK_NATIVE_FENCE_LOG_OPERATION type = DXGK_NATIVE_FENCE_LOG_OPERATION_SIGNAL_EXECUTED) {
    DXGK_NATIVE_FENCE_LOG_ENTRY entry{};
    entry.FenceValue = value;
    entry.hNativeFence = fence;
    entry.OperationType = type;
    auto* const at = static_cast<unsigned char*>(address_of(log));
    port().write_memory(at + sizeof(DXGK_NATIVE_FENCE_LOG_HEADER) + count % kEntries * sizeof entry,
                        &entry, sizeof entry);
    write_count(log, count + 1);
  }
  /// The GPU says how many entries it has written.
  void write_count(const os::FenceLog& log, std::uint64_t count) {
    port().write_memory(address_of(log), count / kEntries << 32 | count % kEntries);
  }
  void* address_of(const os::FenceLog& log) {
    return os::to_kernel_address(log.backing.bus_address(machine.adapter().gpu()));
  }
  os::HostPortModel& port() { return machine.adapter().port(); }

  std::vector<std::unique_ptr<os::QueueLogs>> queues;
};

}  // namespace fenceline::support
