#pragma once

#include <cstdint>

namespace fenceline::common {

/// Kind of an event's `object`. Each kind has its own numbering, from 1; 0 is "none".
enum class ObjectKind : std::uint8_t {
  kNone,
  kFence,       ///< a native fence (one for all adapters it is opened on)
  kQueue,       ///< a hardware queue
  kLog,         ///< one fence log buffer (waits or signals) of a hardware queue
  kEngine,      ///< a node of an adapter
  kCore,        ///< a CPU core
  kThread,      ///< a user-mode thread
  kAdapter,     ///< a GPU
  kLink,        ///< one direction of a PCIe link
  kProcess,     ///< a user-mode process
  kAgent,       ///< an agent of `Steps`
  kAllocation,  ///< memory that the OS manages for a process
  kCallSite,    ///< call site in a driver that misused the kernel or the machine
  kCount
};

}  // namespace fenceline::common
