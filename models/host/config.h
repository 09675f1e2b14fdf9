#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/time.h"

namespace fenceline::host {

using common::Time;

/// Memory order of a core's own loads and stores. Source: docs/background/architecture.md, hardware
/// freedom.
enum class MemoryModel : std::uint8_t {
  kStrong,  ///< program order, each store visible when it completes
  kTso,     ///< a store buffer: loads may pass older stores, stores keep their order
  kWeak     ///< stores to different addresses, and loads of one record, may also pass each other
};

/// Events that flush a core's write-combining buffers, besides barriers and a lack of buffers.
enum class CombiningOrder : std::uint8_t {
  kSerializing,  ///< also atomic operations, uncached accesses and interrupts: x86
  kBarriers      ///< no other event: Arm
};

/// Buffers for a core's stores to write-combined mappings. Assumption A-405.
struct WriteCombiningConfig {
  std::uint32_t buffers = 0;             ///< number of 64-byte buffers; 0: such stores are uncached
  Time evict = 2 * common::kNanosecond;  ///< send a buffer to make room
  Time flush = 5 * common::kNanosecond;  ///< send a buffer on request
  Time fence = 90 * common::kNanosecond;  ///< a store fence after all buffers are sent
  Time drain = 0;  ///< an idle buffer leaves after this time; 0: it stays; A-661
  CombiningOrder order = CombiningOrder::kSerializing;
  bool sends_full = true;  ///< a full buffer leaves at once; off: it is handled like others; A-662
};

/// One idle state of a core.
struct CState {
  std::string name;       ///< C1, C1E, C6 ...
  Time exit_latency;      ///< [ps]
  Time target_residency;  ///< [ps] expected idle time required to enter the state
};

/// The CPU side: cores, their interrupts, caches and idle states.
struct HostConfig {
  std::uint32_t cores = 4;  ///< 2 to 64
  MemoryModel memory_model = MemoryModel::kStrong;
  bool io_coherent = true;  ///< caches see device writes to memory
  /// The prefetcher refetches dropped lines of write-back mappings without a program access. Only
  /// used when some device does not snoop.
  bool speculative_reads = false;
  Time speculation = 100 * common::kNanosecond;  ///< from the drop of a line to its refetch; A-411
  std::uint32_t cache_lines = 8192;  ///< total over all caches, if their content is modelled; A-410
  Time cache_hit = 2 * common::kNanosecond;    ///< A-10
  Time store = 1 * common::kNanosecond;        ///< A-11
  Time mmio_write = 50 * common::kNanosecond;  ///< to issue an uncached store; A-12
  Time lock = 20 * common::kNanosecond;        ///< uncontended spin lock; A-13
  Time interrupt_delivery =
      300 *
      common::kNanosecond;  ///< from the MSI at the local APIC to the first ISR instruction; A-14
  Time fence_fallback =
      500 * common::kMillisecond;  ///< from a wait without a release to a check of all fences; A-25
  Time isr_overhead = 500 * common::kNanosecond;  ///< kernel dispatch of the ISR; A-15
  Time dpc_latency =
      700 * common::kNanosecond;  ///< from queueing a DPC to its first instruction; A-16
  Time thread_wake = 2 * common::kMicrosecond;  ///< from ready to running on an awake core; A-17
  /// Time slice of one of several computing threads on a core; A-35
  Time time_slice = 31'250 * common::kMicrosecond;
  Time system_call = 400 * common::kNanosecond;    ///< user to kernel and back; A-18
  Time poll_interval = 100 * common::kNanosecond;  ///< between two reads of a polling loop; A-19
  Time ring_poll_interval =
      2 * common::kMicrosecond;  ///< between two checks by user mode for room in a full ring; A-24
  WriteCombiningConfig write_combining;
  /// Shallowest first; empty: cores never sleep.
  std::vector<CState> c_states{{"C1", 1 * common::kMicrosecond, 1 * common::kMicrosecond},
                               {"C1E", 2 * common::kMicrosecond, 4 * common::kMicrosecond},
                               {"C6", 220 * common::kMicrosecond, 600 * common::kMicrosecond}};
};

}  // namespace fenceline::host
