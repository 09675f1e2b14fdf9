#pragma once

#include <cstdint>

#include "kmd_stub/host/driver_policy.h"
#include "models/common/ordering.h"

namespace fenceline::os {

// The ordering switches of the operating system; scenarios set them at /platform/ordering/<name>.
// models/abi/switch.h explains their declaration.

enum class UpdateLogs : std::uint8_t { kNone, kBeforeIndex, kAfterIndex };
constexpr abi::SwitchValues<UpdateLogs, 3> kUpdateLogs{{
    {"none", UpdateLogs::kNone, "no flush: entries may still be on their way", "I13 I14 I15"},
    {"before_index", UpdateLogs::kBeforeIndex,
     "before the index is read: it may cover entries written after the flush", "I13 I14"},
    {"after_index", UpdateLogs::kAfterIndex,
     "after the index is read: all entries below it have arrived"},
}};

enum class Resample : std::uint8_t { kOff, kBeforeDdi, kAfterDdi, kAlways };
constexpr abi::SwitchValues<Resample, 4> kResamples{{
    {"off", Resample::kOff, "a wait does not read CurrentValue", "I1 I2 I94 HANG"},
    {"before_ddi", Resample::kBeforeDdi,
     "only before DxgkDdiUpdateMonitoredValues: a value that arrives in between is missed",
     "I1 I2 I94 HANG"},
    {"after_ddi", Resample::kAfterDdi, "after DxgkDdiUpdateMonitoredValues, if it was called",
     abi::kNothing},
    {"always", Resample::kAlways, "after every registration of a waiter"},
}};

/// True if the OS reads CurrentValue again after the device has the new MonitoredValue.
constexpr bool looks_after(Resample resample) { return resample >= Resample::kAfterDdi; }

enum class ScanLock : std::uint8_t { kNone, kApart, kWhole };
constexpr abi::SwitchValues<ScanLock, 3> kScanLocks{{
    {"false", ScanLock::kNone, "a waiter may be added between the scan and the new value",
     "I1 I10 HANG"},
    {"apart", ScanLock::kApart,
     "the lock is free between the scan and the new value: a waiter may be added there",
     abi::kNothing},
    {"true", ScanLock::kWhole, "one lock covers both"},
}};

enum class OverrunCheck : std::uint8_t { kOnce, kAgainAbove, kAgainUnflushed, kAgain };
constexpr abi::SwitchValues<OverrunCheck, 4> kOverrunChecks{{
    {"once", OverrunCheck::kOnce,
     "only before the entries are read: they may be overwritten meanwhile", "I17"},
    {"again_above", OverrunCheck::kAgainAbove,
     "also after the entries are read, for more than a full turn: one entry too late", "I17"},
    {"again_unflushed", OverrunCheck::kAgainUnflushed,
     "also after the entries are read, for a full turn; indexes of several entries may be on their "
     "way behind the entries",
     "I17"},
    {"again", OverrunCheck::kAgain,
     "also after the entries are read, for a full turn; where few entries of the log are free, it "
     "is flushed before"},
}};

enum class WatchdogRule : std::uint8_t { kOff, kEveryWait, kSleeping };
constexpr abi::SwitchValues<WatchdogRule, 3> kWatchdogs{{
    {"off", WatchdogRule::kOff, "no watchdog"},
    {"every_wait", WatchdogRule::kEveryWait,
     "all waits that are not over, including those whose thread has been woken", "BUG_CHECK"},
    {"sleeping", WatchdogRule::kSleeping, "only waits whose thread has not been woken",
     abi::kNothing},
}};

enum class FenceCache : std::uint8_t { kByCoherency, kWriteBack };
constexpr abi::SwitchValues<FenceCache, 2> kFenceCaches{{
    {"write_back", FenceCache::kWriteBack, "write-back everywhere: a line may stay stale forever",
     "I52 HANG"},
    {"by_coherency", FenceCache::kByCoherency,
     "write-back where the host keeps caches coherent with devices, else uncached"},
}};

enum class Wrap32 : std::uint8_t { kIgnored, kUnchecked, kHandled };
constexpr abi::SwitchValues<Wrap32, 3> kWraps{{
    {"ignored", Wrap32::kIgnored, "only the lower halves are compared", "I4"},
    {"unchecked", Wrap32::kUnchecked, "the OS keeps the upper half; far values are accepted",
     "I26"},
    {"handled", Wrap32::kHandled,
     "the OS keeps the upper half and refuses distances over UINT_MAX / 2"},
}};

enum class EventClear : std::uint8_t { kNever, kLate, kFirst };
constexpr abi::SwitchValues<EventClear, 3> kEventClears{{
    {"false", EventClear::kNever, "never: the thread continues at once, as if its wait were over",
     "I4 I10 I82 HANG CALL"},
    {"late", EventClear::kLate,
     "after the check whether the wait is over: an earlier wake-up is lost", "I94 HANG"},
    {"true", EventClear::kFirst, "before the waiter is registered"},
}};

enum class StoreBarrier : std::uint8_t { kNone, kSignaller, kWaiter, kBoth };
constexpr abi::SwitchValues<StoreBarrier, 4> kStoreBarriers{{
    {"false", StoreBarrier::kNone, "both may read before the other's store is visible",
     abi::kNothing},
    {"signaller", StoreBarrier::kSignaller,
     "the waiter may read CurrentValue before its own store is visible", abi::kNothing},
    {"waiter", StoreBarrier::kWaiter,
     "the signaller may read the counter before its own store is visible", abi::kNothing},
    {"true", StoreBarrier::kBoth, "each store is visible before the read that follows it"},
}};

struct OsOrdering {
  UpdateLogs update_logs = UpdateLogs::kAfterIndex;
  bool device_lock = true;
  Resample resample = Resample::kAlways;
  bool on_change = true;
  ScanLock scan_atomic = ScanLock::kWhole;
  bool refcount = true;
  bool unwait = true;
  bool log_driven = false;
  OverrunCheck overrun_check = OverrunCheck::kAgain;
  bool overrun_fallback = true;
  bool load_barrier = true;
  bool hold_gpu_waits = true;
  Wrap32 wrap32 = Wrap32::kHandled;
  FenceCache fence_cache = FenceCache::kByCoherency;
  bool fallback_timer = false;
  bool lockless_signal = false;
  StoreBarrier store_barrier = StoreBarrier::kBoth;
  EventClear event_clear = EventClear::kFirst;
  WatchdogRule watchdog = WatchdogRule::kOff;

  template <class V, class T>
  static void switches(V& v, T& t) {
    waits(v, t);
    logs(v, t);
    objects(v, t);
  }

 private:
  template <class V, class T>
  static void waits(V& v, T& t) {
    v.mechanism("kmd.device_lock", t.device_lock,
                abi::when_true("two calls may overlap, and the older value stays", "I22"),
                "DxgkDdiUpdateMonitoredValues runs under the interrupt lock.");
    v.mechanism("os.resample", t.resample, kResamples,
                "When the OS reads CurrentValue again after an update of MonitoredValue.");
    v.variant("os.on_change", t.on_change,
              abi::when_true("the OS calls the driver each time", abi::kNothing),
              "The OS updates MonitoredValue only if it changed.");
    v.mechanism("os.scan_atomic", t.scan_atomic, kScanLocks,
                "One lock over scanning waiters and recomputing MonitoredValue.");
    v.variant("os.fallback_timer", t.fallback_timer,
              abi::when_true("a lost interrupt stays lost", abi::kNothing),
              "If no waiter was released for fence_fallback, the OS scans all fences without an "
              "interrupt.");
    v.mechanism(
        "os.lockless_signal", t.lockless_signal,
        abi::when_false("a signal always takes the lock", abi::kNothing),
        "A signal by the CPU takes the lock of the waiters only if a counter shows that there are "
        "waiters.");
    v.mechanism(
        "os.store_barrier", t.store_barrier, kStoreBarriers,
        "With os.lockless_signal: barriers between a store and the read that follows it. The "
        "signaller stores CurrentValue and reads the counter; the waiter stores the counter "
        "and reads CurrentValue.");
    v.mechanism("os.event_clear", t.event_clear, kEventClears,
                "The OS clears a thread's event before the thread waits with it again.");
    v.variant("os.watchdog", t.watchdog, kWatchdogs,
              "A watchdog stops the machine if a wait is not over although its value was reached "
              "fence_fallback ago.");
  }
  template <class V, class T>
  static void logs(V& v, T& t) {
    v.mechanism(
        "kmd.update_logs", t.update_logs, kUpdateLogs,
        "When the OS asks the driver to flush logs, relative to its read of the entry index.");
    v.mechanism("os.log_driven", t.log_driven,
                abi::when_false("CurrentValue is read as well", abi::kNothing),
                "Waiters are released from the logs alone.");
    v.mechanism("os.overrun_check", t.overrun_check, kOverrunChecks,
                "When the OS checks whether a log was overwritten while it read.");
    v.mechanism(
        "os.load_barrier", t.load_barrier,
        abi::when_true("on a weak host entries may be older than the index, or newer than the "
                       "second read of it",
                       "I17"),
        "The OS has barriers between its reads of a log's index, of its entries, and of the index "
        "again.");
    v.mechanism("os.overrun_fallback", t.overrun_fallback,
                abi::when_true("signals in overwritten entries are lost", "I1 I17"),
                "After an overrun the OS scans all fences.");
  }
  template <class V, class T>
  static void objects(V& v, T& t) {
    v.mechanism("os.refcount", t.refcount,
                abi::when_true("the first close destroys the fence", "I20 BUG_CHECK"),
                "A fence is destroyed only after the last close.");
    v.mechanism("os.unwait", t.unwait,
                abi::when_true("the waits continue for a closed fence", "I30 HANG"),
                "Closing a handle of a fence ends the waits that threads began with it.");
    v.mechanism("os.hold_gpu_waits", t.hold_gpu_waits,
                abi::when_true("work is given to the GPU before its wait is satisfied",
                               "I2 I19 I50 I94 HANG CALL"),
                "Work of a context behind a wait stays in the OS until the fence has the value.");
    v.mechanism("os.wrap32", t.wrap32, kWraps,
                "Values of GPUs with 32-bit atomics: the OS handles wraps and refuses far values, "
                "or accepts "
                "them, or compares only the lower halves.");
    v.mechanism("os.fence_cache", t.fence_cache, kFenceCaches,
                "User mapping of a monitored fence: write-back on coherent hosts, or everywhere.");
  }
};

/// Fences shared by several adapters.
struct CrossAdapterOrdering {
  bool mv_zero = true;
  bool propagate = true;

  template <class V, class T>
  static void switches(V& v, T& t) {
    v.mechanism("xad.mv_zero", t.mv_zero,
                abi::when_true(
                    "as for a fence of one adapter: without a waiter a signal does not interrupt",
                    "I1 I2 I23 I94 HANG"),
                "MonitoredValue of a fence that several adapters share is 0 on each of them.");
    v.mechanism("xad.propagate", t.propagate,
                abi::when_true("only the signalling adapter knows", "I1 I2 I23 I60 I94 HANG"),
                "The OS passes a signal of such a fence on to the other adapters.");
  }
};

/// All switches below user mode.
struct Ordering : common::Ordering {
  kmd_host::DriverSwitches kmd;
  OsOrdering os;
  CrossAdapterOrdering xad;

  template <class V, class T>
  static void switches(V& v, T& t) {
    common::Ordering::switches(v, t);
    kmd_host::DriverSwitches::switches(v, t.kmd);
    OsOrdering::switches(v, t.os);
    CrossAdapterOrdering::switches(v, t.xad);
  }
};

}  // namespace fenceline::os
