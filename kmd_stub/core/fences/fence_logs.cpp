#include <cstddef>
#include <cstring>
#include <optional>

#include "kmd_stub/core/adapter.h"
#include "kmd_stub/core/queues/hw_queue.h"
#include "models/abi/mutant.h"
#include "models/abi/page_table.h"
#include "models/abi/private_data.h"

namespace fenceline::kmd {

namespace {

bool is_log_address(D3DGPU_VIRTUAL_ADDRESS address) {
  return address != 0 && address % 8 == 0 && address >> abi::kVirtualAddressBits == 0;
}

/// Kind of the log in `buffer`, from its header; none if the driver does not support it.
std::optional<LogKind> kind_of(kmd_host::HostPort& port, const void* buffer) {
  using kmd_host::LogTypes;
  const LogTypes taken = port.policy().caps.log_types;
  const auto* type =
      static_cast<const std::byte*>(buffer) + offsetof(DXGK_NATIVE_FENCE_LOG_HEADER, Type);
  switch (static_cast<std::uint32_t>(port.read_memory(type))) {
    case DXGK_NATIVE_FENCE_LOG_TYPE_WAITS:
      if (taken == LogTypes::kSignals) return std::nullopt;
      return LogKind::kWaits;
    case DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS:
      if (taken == LogTypes::kWaits) return std::nullopt;
      return LogKind::kSignals;
    default:
      if (taken == LogTypes::kAny) return LogKind::kSignals;
      return std::nullopt;
  }
}

}  // namespace

NTSTATUS DxgkDdiSetNativeFenceLogBuffer(const DXGKARG_SETNATIVEFENCELOGBUFFER& args) {
  auto* queue = from_handle<HwQueue>(args.hHwQueue);
  if (queue == nullptr) return STATUS_INVALID_HANDLE;
  // Only with MapToGpuSystemProcess is there an address for the CMP.
  const bool mapped = queue->adapter.caps().map_to_system_process;
  const D3DGPU_VIRTUAL_ADDRESS system_address = mapped ? args.LogBufferSystemProcessGpuVa : 0;
  if (args.LogBufferCpuVa == nullptr || args.NumberOfEntries == 0 ||
      !is_log_address(args.LogBufferGpuVa) || (mapped && !is_log_address(system_address)))
    return STATUS_INVALID_PARAMETER;
  if (!queue->user_mode) return STATUS_NOT_SUPPORTED;
  QueueTable& table = queue->adapter.queue_table();
  const auto kind = kind_of(queue->adapter.port(), args.LogBufferCpuVa);
  if (!kind.has_value()) return STATUS_NOT_SUPPORTED;
  table.set_log(queue->slot, *kind, {args.LogBufferGpuVa, system_address, args.NumberOfEntries},
                queue->logs);
  if (!queue->adapter.port().policy().log_drain) return STATUS_SUCCESS;
  const bool flushed = table.wait_log_flushes(table.post_log_flush(queue->slot));
  return flushed ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}

NTSTATUS DxgkDdiUpdateNativeFenceLogs(const DXGKARG_UPDATENATIVEFENCELOGS& args) {
  if (args.NumberOfQueues == 0) return STATUS_SUCCESS;
  if (args.hHWQueue == nullptr) return STATUS_INVALID_PARAMETER;
  const auto* first = from_handle<HwQueue>(args.hHWQueue[0]);
  for (UINT i = 0; i < args.NumberOfQueues; ++i) {
    const auto* queue = from_handle<HwQueue>(args.hHWQueue[i]);
    if (queue == nullptr) return STATUS_INVALID_HANDLE;
    if (&queue->adapter != &first->adapter) return STATUS_INVALID_PARAMETER;
  }
  QueueTable& table = first->adapter.queue_table();
  const std::uint32_t wrong_bit = abi::mutant(abi::Mutant::kFlushesOtherQueue) ? 1 : 0;
  std::uint64_t flushes = 0;
  for (UINT i = 0; i < args.NumberOfQueues; ++i)
    flushes = table.post_log_flush(from_handle<HwQueue>(args.hHWQueue[i])->slot ^ wrong_bit);
  const std::uint64_t before = abi::mutant(abi::Mutant::kFlushNotAwaited) ? 1 : 0;
  return table.wait_log_flushes(flushes - before) ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}

NTSTATUS set_logging_level(Adapter& adapter, const DXGKARG_ESCAPE& args) {
  abi::LoggingLevelEscape level{};
  if (args.PrivateDriverDataSize < sizeof level) return STATUS_INVALID_PARAMETER;
  std::memcpy(&level, args.pPrivateDriverData, sizeof level);
  if (level.verbose > 1) return STATUS_INVALID_PARAMETER;
  return adapter.queue_table().set_verbose(level.verbose != 0) ? STATUS_SUCCESS
                                                               : STATUS_UNSUCCESSFUL;
}

}  // namespace fenceline::kmd
