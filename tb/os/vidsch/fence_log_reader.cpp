#include "tb/os/vidsch/fence_log_reader.h"

#include <algorithm>

#include "models/abi/mutant.h"

namespace fenceline::os {

using common::Operation;
using event::Reader;

NTSTATUS FenceLogReader::set_buffer(QueueLogs& logs, FenceLog& log) {
  DXGK_NATIVE_FENCE_LOG_HEADER header{};
  header.Type = log.type;
  header.NumberOfEntries = log.entries;
  void* const kernel =
      adapter_.driver_port().give(log.backing.bus_address(adapter_.gpu()), log.backing.bytes);
  adapter_.port().write_memory(kernel, &header, sizeof header);
  adapter_.cpu().drain_stores();
  log.read = 0;
  DXGKARG_SETNATIVEFENCELOGBUFFER args{};
  args.hHwQueue = logs.queue;
  args.NumberOfEntries = log.entries;
  args.LogBufferCpuVa = static_cast<DXGK_NATIVE_FENCE_LOG_BUFFER*>(kernel);
  args.LogBufferGpuVa = log.process_address;
  args.LogBufferSystemProcessGpuVa = log.system_address;
  const Adapter::Visit visit(adapter_);
  const KIRQL old = adapter_.cpu().raise(DISPATCH_LEVEL);
  const NTSTATUS status = adapter_.call<Ddi::DxgkDdiSetNativeFenceLogBuffer>(&args);
  adapter_.cpu().lower(old);
  adapter_.cpu().simulation().emit(
      event::LogSet{log.object, log.type, static_cast<std::uint32_t>(status), log.queue});
  return status;
}

std::uint64_t FenceLogReader::read_header(const FenceLog& log) {
  const void* address = to_kernel_address(log.backing.bus_address(adapter_.gpu()));
  const std::uint64_t header =
      adapter_.port().read_value(address, Operation::kRead, Reader::kOther);
  adapter_.cpu().simulation().emit(event::LogHeaderRead{log.object, header});
  return (header >> 32) * log.entries + (header & 0xFFFFFFFF);
}

void FenceLogReader::flush(const std::vector<QueueLogs*>& queues) {
  common::Simulation& simulation = adapter_.cpu().simulation();
  const auto for_each = [&](const auto& report) {
    for (const QueueLogs* queue : queues)
      for (const FenceLog* log : {&queue->waits, &queue->signals}) report(log->object);
  };
  std::vector<HANDLE> handles;
  handles.reserve(queues.size());
  for (const QueueLogs* queue : queues) handles.push_back(queue->queue);
  DXGKARG_UPDATENATIVEFENCELOGS args{};
  args.NumberOfQueues = static_cast<UINT>(handles.size());
  args.hHWQueue = handles.data();
  for_each([&](event::LogId log) { simulation.emit(event::LogFlushCall{log}); });
  adapter_.call<Ddi::DxgkDdiUpdateNativeFenceLogs>(&args);
  for_each([&](event::LogId log) { simulation.emit(event::LogFlushReturn{log}); });
}

void FenceLog::mark(std::uint64_t count, std::uint64_t order) {
  // Marks at entries that are already read are equivalent: the newest one replaces them.
  std::uint64_t behind = 0;
  for (; !marks.empty() && marks.begin()->first <= read; marks.erase(marks.begin()))
    behind = std::max(behind, marks.begin()->second);
  if (behind != 0) marks[read] = behind;
  std::uint64_t& known = marks[std::max(count, read)];
  known = std::max(known, order);
}

std::uint64_t FenceLog::older_waits(std::uint64_t entry) const {
  std::uint64_t result = 0;
  for (const auto& [count, order] : marks)
    if (count <= entry) result = std::max(result, order);
  return result;
}

std::uint64_t FenceLogReader::state_hash() const {
  common::Hasher hasher;
  for (const QueueLogs* queue : known_) {
    for (const FenceLog* log : {&queue->waits, &queue->signals})
      hasher.add(std::uint64_t{log->object} << 32 | log->entries).add(log->read);
    for (const auto& fence : queue->doubts) hasher.add(fence->object);
  }
  return hasher.value();
}

void FenceLogReader::mark(QueueLogs& logs, std::uint64_t waits) {
  const std::uint32_t object = logs.signals.object;
  const std::uint64_t count = read_header(logs.signals);
  if (logs.signals.object == object) logs.signals.mark(count, waits);
}

LogHarvest FenceLogReader::read(const std::vector<QueueLogs*>& queues, std::uint64_t waits) {
  LogHarvest harvest;
  for (const QueueLogs* queue : queues)
    if (std::find(known_.begin(), known_.end(), queue) == known_.end()) known_.push_back(queue);
  if (ordering_.update_logs == UpdateLogs::kBeforeIndex && !queues.empty()) flush(queues);
  std::vector<Fresh> fresh;
  std::vector<QueueLogs*> touched;
  for (QueueLogs* queue : queues) {
    bool any = false;
    for (FenceLog* log : {&queue->waits, &queue->signals}) {
      const std::uint64_t written = read_header(*log);
      log->mark(written, waits);
      if (written == log->read) continue;
      fresh.push_back({log, queue, written});
      any = true;
    }
    if (any) touched.push_back(queue);
    harvest.doubts.insert(harvest.doubts.end(), queue->doubts.begin(), queue->doubts.end());
    queue->doubts.clear();
  }
  if (ordering_.update_logs == UpdateLogs::kAfterIndex && !touched.empty()) flush(touched);
  for (const Fresh& item : fresh) read_entries(item, harvest);
  for (const QueueLogs* queue : queues)
    for (const FenceLog* log : {&queue->waits, &queue->signals})
      adapter_.cpu().simulation().emit(event::LogReadDone{log->object});
  return harvest;
}

void FenceLogReader::read_entry(FenceLog& log, LoggedOperation& operation) {
  common::Simulation& simulation = adapter_.cpu().simulation();
  const auto index = static_cast<std::uint32_t>(log.read % log.entries);
  const auto* base =
      static_cast<const unsigned char*>(to_kernel_address(log.backing.bus_address(adapter_.gpu())));
  adapter_.port().read_memory(
      base + sizeof(DXGK_NATIVE_FENCE_LOG_HEADER) + index * sizeof operation.entry,
      &operation.entry, sizeof operation.entry);
  simulation.emit(event::LogEntryRead{log.object, index, operation.entry.FenceValue,
                                      operation.entry.FenceEndGpuTimestamp});
  simulation.emit(event::LogEntryTimes{
      log.object, operation.entry.hNativeFence, operation.entry.OperationType,
      operation.entry.FenceObservedGpuTimestamp, log.queue, adapter_.object()});
  const std::uint64_t hash =
      common::Hasher().add_words(&operation.entry, sizeof operation.entry).value();
  if (!simulation.log_truth.matches(log.object, index, hash))
    simulation.emit(event::LogEntryTorn{log.object, index, operation.entry.FenceValue});
}

/// The index again, after the entries were read. A flush brings those that are behind their
/// entries, as far as the writer may have been a turn ahead with them.
std::uint64_t FenceLogReader::read_header_again(const Fresh& fresh, std::uint64_t unread) {
  constexpr std::uint64_t kMaxInFlight = 16;  // entries of a log; A-862
  const FenceLog& log = *fresh.log;
  if (ordering_.update_logs == UpdateLogs::kAfterIndex &&
      ordering_.overrun_check != OverrunCheck::kAgainUnflushed &&
      unread + kMaxInFlight > log.entries)
    flush({fresh.logs});
  if (ordering_.load_barrier) adapter_.cpu().load_barrier();
  return read_header(log);
}

void FenceLogReader::read_entries(const Fresh& fresh, LogHarvest& harvest) {
  FenceLog& log = *fresh.log;
  const std::uint64_t written = fresh.written;
  const auto overrun = [&](std::uint64_t lost) {
    if (abi::mutant(abi::Mutant::kOverrunIgnored)) return;
    harvest.overruns.push_back(fresh.logs->process);
    adapter_.cpu().simulation().emit(event::LogOverrun{log.object, lost});
  };
  if (written < log.read) log.read = 0;  // the buffer was replaced meanwhile
  if (written - log.read > log.entries) {
    overrun(written - log.read - log.entries);
    log.read = written - log.entries;
  }
  const std::uint64_t first = log.read;
  const std::size_t trusted = harvest.operations.size();
  if (ordering_.load_barrier) adapter_.cpu().load_barrier();
  for (; log.read < written; ++log.read) {
    LoggedOperation operation;
    operation.logs = fresh.logs;
    operation.older_waits = log.older_waits(log.read);
    read_entry(log, operation);
    harvest.operations.push_back(operation);
  }
  // The GPU does not wait for readers: overwritten entries cannot be trusted.
  if (ordering_.overrun_check != OverrunCheck::kOnce) {
    const std::uint64_t now = read_header_again(fresh, written - first);
    // The next entry may already be in flight; therefore a full turn is one too many.
    const std::uint64_t turn =
        log.entries + (ordering_.overrun_check == OverrunCheck::kAgainAbove ? 1 : 0);
    if (now <= first || now - first < turn) return;
    overrun(now - first - log.entries);
    if (!abi::mutant(abi::Mutant::kOverrunKeepsEntries)) harvest.operations.resize(trusted);
  }
}

}  // namespace fenceline::os
