#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/time.h"

namespace fenceline::host {

using common::Time;

/// What a core's own loads and stores may do. Source: docs/architecture.md, hardware freedom.
enum class MemoryModel : std::uint8_t {
  kStrong,  ///< program order, each store visible when it completes
  kTso,     ///< a store buffer: loads may pass older stores, stores keep their order
  kWeak     ///< stores to different addresses may pass each other too, and loads of one record
};

/// What has a core's write-combining buffers sent, beside barriers and want of room.
enum class CombiningOrder : std::uint8_t {
  kSerializing,  ///< atomic operations, uncached accesses and interrupts, too: x86
  kBarriers      ///< nothing else: Arm
};

/// Buffers for stores of a core to write-combined mappings. Assumption A-405.
struct WriteCombiningConfig {
  std::uint32_t buffers = 0;              ///< of 64 bytes each; 0: such stores are uncached ones
  Time evict = 2 * common::kNanosecond;   ///< to send one whose place is needed
  Time flush = 5 * common::kNanosecond;   ///< to send one that has been asked for
  Time fence = 90 * common::kNanosecond;  ///< a store fence, when all are sent
  Time drain = 0;  ///< a buffer that nobody asks for leaves after it; 0: it stays; A-661
  CombiningOrder order = CombiningOrder::kSerializing;
  bool sends_full = true;  ///< a full buffer leaves at once; off: as any other; A-662
};

/// One idle state of a core.
struct CState {
  std::string name;       ///< C1, C1E, C6 ...
  Time exit_latency;      ///< [ps]
  Time target_residency;  ///< [ps] an idle period must promise before the state is entered
};

/// The CPU side: cores, their interrupts, caches and idle states.
struct HostConfig {
  std::uint32_t cores = 4;  ///< 2 to 64
  MemoryModel memory_model = MemoryModel::kStrong;
  bool io_coherent = true;  ///< caches see what devices write to memory
  /// Lines of write-back mappings come back to caches that have dropped them although no program
  /// asks; only where something is kept from devices.
  bool speculative_reads = false;
  Time speculation = 100 * common::kNanosecond;  ///< from the drop of a line to its return; A-411
  std::uint32_t cache_lines = 8192;            ///< of all caches, while their content counts; A-410
  Time cache_hit = 2 * common::kNanosecond;    ///< A-10
  Time store = 1 * common::kNanosecond;        ///< A-11
  Time mmio_write = 50 * common::kNanosecond;  ///< issue of an uncached store; A-12
  Time lock = 20 * common::kNanosecond;        ///< uncontended spin lock; A-13
  Time interrupt_delivery =
      300 * common::kNanosecond;  ///< MSI at the local APIC to first ISR instruction; A-14
  Time fence_fallback =
      500 * common::kMillisecond;  ///< waits without a release, to a look at all fences; A-25
  Time isr_overhead = 500 * common::kNanosecond;  ///< dispatch of the ISR by the kernel; A-15
  Time dpc_latency = 700 * common::kNanosecond;   ///< DPC queued to first instruction; A-16
  Time thread_wake = 2 * common::kMicrosecond;    ///< ready to running on an awake core; A-17
  /// For which one of several threads that compute has a core, before the next one has it; A-35
  Time time_slice = 31'250 * common::kMicrosecond;
  Time system_call = 400 * common::kNanosecond;    ///< user to kernel and back; A-18
  Time poll_interval = 100 * common::kNanosecond;  ///< between two looks of a polling loop; A-19
  Time ring_poll_interval =
      2 * common::kMicrosecond;  ///< between two looks of user mode for room in a full ring; A-24
  WriteCombiningConfig write_combining;
  /// Shallowest first; empty: cores never sleep.
  std::vector<CState> c_states{{"C1", 1 * common::kMicrosecond, 1 * common::kMicrosecond},
                               {"C1E", 2 * common::kMicrosecond, 4 * common::kMicrosecond},
                               {"C6", 220 * common::kMicrosecond, 600 * common::kMicrosecond}};
};

}  // namespace fenceline::host
