#pragma once

#include <cstdint>

namespace fenceline::common {

/// Every ordering mechanism has a switch here; scenarios set them at /platform/ordering/<name>.
/// The defaults are the design in which no waiter is lost.
/// Source: assumptions of docs/assumptions.md where no public document says more.

/// `gpu.signal_barrier`: the engine's barrier after its CurrentValue (and log) writes.
enum class SignalBarrier : std::uint8_t {
  kOff,
  kBeforeCheck,  ///< before MonitoredValue is read
  kBeforeRaise   ///< only on the path that tells the CMP: the cheap variant
};
/// `cmp.mv_barrier`: the CMP's barrier between its shadow write and its CurrentValue read.
enum class MonitoredBarrier : std::uint8_t {
  kNone,
  kSelf,   ///< own FIFOs are empty
  kDrain,  ///< and those of the engines
  kSync    ///< and no signal command in flight that read MonitoredValue before this barrier
};
/// `barrier.reach`: how far a barrier looks for writes to system memory.
enum class BarrierReach : std::uint8_t { kGpu, kHost };
/// `cmp.value`: what the CMP compares after a notice from an engine.
enum class CmpValue : std::uint8_t { kPayload, kReread };
/// `log.writer`: whose port, and whose address of the buffer, the writes of log entries take.
enum class LogWriter : std::uint8_t { kEngine, kCmp };
/// `kmd.update_logs`: when the OS has logs flushed, relative to its read of the entry index.
enum class UpdateLogs : std::uint8_t { kNone, kAfterIndex, kBeforeIndex };
/// `os.resample`: when the OS reads CurrentValue again.
enum class Resample : std::uint8_t { kOff, kAfterDdi, kAlways };
/// `gpu.rescan`: what a notice from the CPU does to queues that wait.
enum class Rescan : std::uint8_t { kIgnore, kParkedOnly, kLatched };
/// `mem.cv_home`, `mem.mv_home`: where a value is stored.
enum class Home : std::uint8_t { kVram, kSysmem };
/// `os.overrun_check`: how often the OS looks whether a log overran while it read.
enum class OverrunCheck : std::uint8_t { kOnce, kAgain };
/// `pcie.interrupt`: how the device interrupts.
enum class InterruptKind : std::uint8_t {
  kMessage,  ///< MSI-X: a posted write
  kIntx      ///< a wire beside the link, in no order with writes
};
/// `host.masked_edges`: what becomes of an interrupt that arrives while its core masks it.
enum class MaskedEdges : std::uint8_t { kKept, kLost };
/// `host.load_order`: whether a core keeps the order of two of its loads.
enum class LoadOrder : std::uint8_t { kStrong, kWeak };

/// `os.watchdog`: whose waits it takes for lost when their value has been there for long.
enum class Watchdog : std::uint8_t {
  kOff,
  kEveryWait,  ///< all that are not over
  kSleeping    ///< those that nobody has woken yet
};

/// `os.fence_cache`: how user mode's mapping of a monitored fence's value is cached.
enum class FenceCache : std::uint8_t {
  kByCoherency,  ///< write-back where the host keeps caches coherent with devices, else uncached
  kWriteBack     ///< write-back everywhere
};
/// `os.wrap32`: what the OS does about the values of GPUs with 32-bit atomics.
enum class Wrap32 : std::uint8_t {
  kHandled,    ///< the upper half is its own, and distances over UINT_MAX / 2 are refused
  kUnchecked,  ///< the same, and no distance is refused
  kIgnored     ///< the lower halves are compared as they are
};

struct GpuOrdering {
  SignalBarrier signal_barrier = SignalBarrier::kBeforeCheck;
  bool load_hoist = false;         ///< MonitoredValue may be read before CurrentValue is issued
  bool release_before_cv = true;   ///< work writes are visible before CurrentValue is issued
  bool log_barrier = false;        ///< a barrier between a log entry and its index
  bool park_check = true;          ///< read CurrentValue again after parking
  bool wait_once = true;           ///< a satisfied wait is logged once
  bool completion_barrier = true;  ///< a buffer is complete when all its writes are visible
  bool preempt_barrier = true;     ///< a preemption is reported when all saved state is visible
  bool preempt_waits = true;       ///< a wait of a buffer can be preempted before it is satisfied
  bool suspend_barrier = true;  ///< a suspension is reported when all the context wrote is visible
  bool fence_tag = true;        ///< a packet of a destroyed fence is not executed
  bool suspend_holds = true;    ///< nothing is fetched of a suspended queue, whatever it is given
  Rescan rescan = Rescan::kLatched;
  BarrierReach barrier_reach = BarrierReach::kHost;
};

struct CmpOrdering {
  MonitoredBarrier mv_barrier = MonitoredBarrier::kSync;
  bool recheck = true;  ///< compare CurrentValue after a MonitoredValue update
  CmpValue value = CmpValue::kPayload;
  bool clear_first = true;  ///< clear an engine's pending bit before reading CurrentValue
  LogWriter log_writer = LogWriter::kEngine;
  bool flush_covers_cv = false;
};

struct DriverOrdering {
  bool umv_ack = true;        ///< wait for the CMP before DxgkDdiUpdateMonitoredValues returns
  bool ucv_order = true;      ///< the CPU's CurrentValue store is visible before the kick
  bool ack_first = true;      ///< the ISR acknowledges before it handles, naming how far it read
  bool live_filter = true;    ///< the ISR drops handles that are not alive
  bool null_array = false;    ///< the ISR always reports a NULL array
  bool read_flush = false;    ///< the ISR reads a register before it looks at the ring
  bool load_barrier = false;  ///< a barrier between an entry's sequence number and the rest
  bool store_barrier = true;  ///< a barrier between the store of a value and what tells of it
  bool log_drain = true;      ///< a new log buffer waits for the writes to the old one
  bool batch_checked = true;  ///< a batch is checked as a whole before anything of it is stored
  bool va_cached = false;     ///< MonitoredValue is stored outside of its update, too
  bool event_lock = true;     ///< a CPU event is signalled under the lock that destroys it
  bool resume_state = true;   ///< a buffer that is submitted again goes on from its saved state
  std::uint8_t destroy_drain = 3;  ///< bit 0 drains the CMP, bit 1 drains interrupts
  bool victim_first = true;  ///< a doorbell is given away after DxgkCbDisconnectDoorbell returned
  bool victim_scan = true;   ///< then the device looks at the ring of the queue that had it
  bool connect_scan = true;  ///< the device looks at the ring of a queue that gets a doorbell
};

struct OsOrdering {
  Resample resample = Resample::kAlways;
  UpdateLogs update_logs = UpdateLogs::kAfterIndex;
  bool device_lock = true;  ///< DxgkDdiUpdateMonitoredValues runs under the interrupt lock
  bool on_change = true;    ///< call it only if MonitoredValue changed
  bool scan_atomic = true;  ///< one lock over scan and recompute
  bool refcount = true;     ///< destroy only after the last close
  bool unwait = true;       ///< closing a fence ends the waits that came by its handle
  bool log_driven = false;  ///< wake waiters from the logs alone
  OverrunCheck overrun_check = OverrunCheck::kAgain;
  bool overrun_fallback = true;
  bool fallback_timer = false;   ///< after a long wait without news all fences are looked at
  bool lockless_signal = false;  ///< a signal takes the lock only if somebody is said to wait
  bool store_barrier = true;     ///< a barrier between the OS's own store and the look behind it
  bool event_clear = true;       ///< a thread's event is cleared before it waits with it again
  Watchdog watchdog = Watchdog::kOff;
  bool hold_gpu_waits = true;  ///< work behind a wait stays in the OS until the value is there
  Wrap32 wrap32 = Wrap32::kHandled;
  FenceCache fence_cache = FenceCache::kByCoherency;
};

struct MemoryOrdering {
  Home cv_home = Home::kVram;
  Home mv_home = Home::kVram;
  bool cv64 = true;       ///< CurrentValue is stored as a whole
  bool mv64 = true;       ///< MonitoredValue is stored as a whole
  bool log_hdr64 = true;  ///< FirstFreeEntryIndex and WraparoundCount are stored as a whole
};

struct PcieOrdering {
  bool msi_ordered = true;         ///< MSI-X stays behind earlier writes; off: it carries RO=1
  bool completion_ordered = true;  ///< completions stay behind earlier writes (rule D2a)
  bool id_based = false;           ///< packets carry IDO=1: no order between PCIe functions
  InterruptKind interrupt = InterruptKind::kMessage;
};

struct HostOrdering {
  MaskedEdges masked_edges = MaskedEdges::kKept;
  LoadOrder load_order = LoadOrder::kStrong;
};

/// Fences that several adapters share.
struct CrossAdapterOrdering {
  bool mv_zero = true;    ///< MonitoredValue is 0 on each adapter, so that signals interrupt
  bool propagate = true;  ///< the OS tells the other adapters of a signal
  bool doorbell_ordered =
      true;  ///< doorbells between GPUs stay behind writes; off: they carry RO=1
};

/// User-mode submission.
struct UserOrdering {
  bool read_status = true;      ///< the status of a doorbell is read after it was rung
  bool ring_again = true;       ///< a doorbell that was connected anew is rung again
  bool submission_lock = true;  ///< one thread at a time records and submits to a queue or context
};

/// All switches of one platform.
struct Ordering {
  GpuOrdering gpu;
  CmpOrdering cmp;
  DriverOrdering kmd;
  OsOrdering os;
  MemoryOrdering mem;
  PcieOrdering pcie;
  HostOrdering host;
  CrossAdapterOrdering xad;
  UserOrdering umd;
};

}  // namespace fenceline::common
