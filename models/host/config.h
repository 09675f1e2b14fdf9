#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/abi/keys.h"
#include "models/common/steps/time.h"

namespace fenceline::host {

using common::Time;

/// Memory order of a core's own loads and stores. Source: docs/background/architecture.md, hardware
/// freedom.
enum class MemoryModel : std::uint8_t {
  kStrong,  ///< program order, each store visible when it completes
  kTso,     ///< a store buffer: loads may pass older stores, stores keep their order
  kWeak     ///< stores to different addresses, and loads of one record, may also pass each other
};
constexpr std::array<abi::Choice<MemoryModel>, 3> kMemoryModels{
    {{"strong", MemoryModel::kStrong}, {"tso", MemoryModel::kTso}, {"weak", MemoryModel::kWeak}}};

/// Events that flush a core's write-combining buffers, besides barriers and a lack of buffers.
enum class CombiningOrder : std::uint8_t {
  kSerializing,  ///< also atomic operations, uncached accesses and interrupts: x86
  kBarriers      ///< no other event: Arm
};
constexpr std::array<abi::Choice<CombiningOrder>, 2> kCombiningOrders{
    {{"serializing", CombiningOrder::kSerializing}, {"barriers", CombiningOrder::kBarriers}}};

/// Buffers for a core's stores to write-combined mappings. Assumption A-405.
struct WriteCombiningConfig {
  static constexpr const char* kName = "write_combining";
  std::uint32_t buffers = 0;
  Time evict = 2 * common::kNanosecond;
  Time flush = 5 * common::kNanosecond;
  Time fence = 90 * common::kNanosecond;
  Time drain = 0;  ///< A-661
  CombiningOrder order = CombiningOrder::kSerializing;
  bool sends_full = true;  ///< a full buffer leaves at once; off: it is handled like others; A-662

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.number("buffers", t.buffers, {0, 64},
             "64-byte buffers per core; 0: such stores are uncached.");
    v.choice("sent_by", t.order, kCombiningOrders,
             "Events that flush the buffers: only barriers, or also atomic operations, uncached "
             "accesses and interrupts.");
    v.duration("drain", t.drain, "Time after which an idle buffer is sent; 0ns: it stays.");
    v.duration("evict", t.evict, "Time to send a buffer to make room for a line.");
    v.duration("flush", t.flush, "Time to send a buffer that is full or requested.");
    v.duration("fence", t.fence, "Time of a store fence after all buffers are sent.");
  }
};

/// One idle state of a core.
struct CState {
  static constexpr const char* kName = "c_state";
  std::string name;
  Time exit_latency;
  Time target_residency;

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.required().name("name", t.name, "C1, C6 ...");
    v.required().duration("exit_latency", t.exit_latency,
                          "Time from wake-up to the first instruction.");
    v.required().duration("target_residency", t.target_residency,
                          "Shortest idle period for which a core enters the state.");
  }
};

/// The CPU side: cores, their interrupts, caches and idle states.
struct HostConfig {
  std::uint32_t cores = 4;
  MemoryModel memory_model = MemoryModel::kStrong;
  bool io_coherent = true;
  bool speculative_reads = false;
  Time speculation = 100 * common::kNanosecond;         ///< A-411
  std::uint32_t cache_lines = 8192;                     ///< A-410
  Time cache_hit = 2 * common::kNanosecond;             ///< A-10
  Time store = 1 * common::kNanosecond;                 ///< A-11
  Time mmio_write = 50 * common::kNanosecond;           ///< A-12
  Time lock = 20 * common::kNanosecond;                 ///< A-13
  Time interrupt_delivery = 300 * common::kNanosecond;  ///< A-14
  Time fence_fallback = 500 * common::kMillisecond;     ///< A-25
  Time isr_overhead = 500 * common::kNanosecond;        ///< A-15
  Time dpc_latency = 700 * common::kNanosecond;         ///< A-16
  Time thread_wake = 2 * common::kMicrosecond;          ///< A-17
  Time time_slice = 31'250 * common::kMicrosecond;      ///< A-35
  Time system_call = 400 * common::kNanosecond;         ///< A-18
  Time poll_interval = 100 * common::kNanosecond;       ///< A-19
  Time ring_poll_interval = 2 * common::kMicrosecond;   ///< A-24
  WriteCombiningConfig write_combining;
  std::vector<CState> c_states{{"C1", 1 * common::kMicrosecond, 1 * common::kMicrosecond},
                               {"C1E", 2 * common::kMicrosecond, 4 * common::kMicrosecond},
                               {"C6", 220 * common::kMicrosecond, 600 * common::kMicrosecond}};

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.number("cores", t.cores, {2, 64}, "CPU cores.");
    v.choice(
        "memory_model", t.memory_model, kMemoryModels,
        "Memory order of a core: strong, stores wait in a store buffer, or loads and stores may "
        "also pass each other.");
    v.flag("io_coherent", t.io_coherent, "Caches see device writes to memory.");
    v.flag("speculative_reads", t.speculative_reads,
           "If caches do not see device writes: dropped lines of cached allocations are refetched "
           "without a program access.");
    v.duration("speculation", t.speculation, {1}, "Time from the drop of a line to its refetch.");
    v.number("cache_lines", t.cache_lines, {1, 1 << 20},
             "Number of cache lines, if their content is modelled.");
    v.duration("cache_hit", t.cache_hit, "Time of a load that hits.");
    v.duration("store", t.store, "Time of a store to cached memory.");
    v.duration("mmio_write", t.mmio_write, "Time to issue an uncached store.");
    v.object("write_combining", t.write_combining,
             "Buffers for stores to allocations that are not cached.");
    v.duration("lock", t.lock, "Time of an uncontended spin lock.");
    v.duration("interrupt_delivery", t.interrupt_delivery,
               "Time from the MSI at the local APIC to the first instruction of the ISR.");
    v.duration("isr_overhead", t.isr_overhead, "Time of the kernel to dispatch the ISR.");
    v.duration("dpc_latency", t.dpc_latency, "Time from queueing a DPC to its first instruction.");
    v.duration("thread_wake", t.thread_wake, "Time from ready to running on an awake core.");
    v.duration("time_slice", t.time_slice, {1'000},
               "Time slice of a thread on a core that others wait for.");
    v.duration("fence_fallback", t.fence_fallback, {1},
               "With os.fallback_timer: time without a release before all fences are checked. With "
               "os.watchdog: time between two checks.");
    v.duration("system_call", t.system_call, "Time from user to kernel mode and back.");
    v.duration("poll_interval", t.poll_interval, {1}, "Time between two reads of a polling loop.");
    v.duration("ring_poll_interval", t.ring_poll_interval, {1},
               "Time between two checks of a submitting thread for room in a full ring.");
    v.list("c_states", t.c_states, 0, 8,
           "Idle states, shallowest first; empty: cores never sleep.");
  }
};

}  // namespace fenceline::host
