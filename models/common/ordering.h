#pragma once

#include <cstdint>

#include "models/abi/switch.h"

namespace fenceline::common {

// Ordering switches of the hardware. Scenarios set them at /platform/ordering/<name>. With the
// defaults no waiter is lost. Declaration: see models/abi/switch.h. Source: assumptions A-01 to
// A-08 of docs/assumptions.md where no public document says more.

enum class SignalBarrier : std::uint8_t { kOff, kBeforeRaise, kBeforeCheck };
constexpr abi::SwitchValues<SignalBarrier, 3> kSignalBarriers{{
    {"off", SignalBarrier::kOff, "nothing orders the writes of a signal before its notice",
     "I1 I2 I7 I9 I13 I15 HANG"},
    {"before_raise", SignalBarrier::kBeforeRaise,
     "a barrier only before a notice to the CMP: the cheap variant, which needs cmp.mv_barrier",
     abi::kNothing},
    {"before_check", SignalBarrier::kBeforeCheck, "a barrier before MonitoredValue is read"},
}};

enum class Rescan : std::uint8_t { kIgnore, kParkedOnly, kLatched };
constexpr abi::SwitchValues<Rescan, 3> kRescans{{
    {"ignore", Rescan::kIgnore, "queues check their waits again only when the GPU signals",
     "I2 I94 HANG"},
    {"parked_only", Rescan::kParkedOnly, "a notice does not reach a queue that is about to park",
     abi::kNothing},
    {"latched", Rescan::kLatched,
     "a notice makes parked queues, and a queue that is about to park, check again"},
}};

enum class BarrierReach : std::uint8_t { kGpu, kHost };
constexpr abi::SwitchValues<BarrierReach, 2> kBarrierReaches{{
    {"gpu", BarrierReach::kGpu,
     "a write to system memory counts as done once it is in the PCIe FIFO", "I1 I7"},
    {"host", BarrierReach::kHost,
     "a write to system memory counts as done when it is in system memory"},
}};

struct GpuOrdering {
  SignalBarrier signal_barrier = SignalBarrier::kBeforeCheck;
  bool load_hoist = false;
  bool release_before_cv = true;
  bool log_barrier = false;
  bool park_check = true;
  bool wait_once = true;
  bool completion_barrier = true;
  bool preempt_barrier = true;
  bool preempt_waits = true;
  bool suspend_barrier = true;
  bool fence_tag = true;
  bool suspend_holds = true;
  Rescan rescan = Rescan::kLatched;
  BarrierReach barrier_reach = BarrierReach::kHost;

  template <class V, class T>
  static void switches(V& v, T& t) {
    signals(v, t);
    waits(v, t);
    work(v, t);
  }

 private:
  template <class V, class T>
  static void signals(V& v, T& t) {
    v.mechanism("gpu.signal_barrier", t.signal_barrier, kSignalBarriers,
                "The engine's barrier after its CurrentValue and log writes: before it reads "
                "MonitoredValue, or only before a notice to the CMP.");
    v.mechanism(
        "gpu.load_hoist", t.load_hoist,
        abi::when_false("CurrentValue is in a FIFO before MonitoredValue is read", abi::kNothing),
        "MonitoredValue may be read before CurrentValue is issued.");
    v.mechanism(
        "gpu.release_before_cv", t.release_before_cv,
        abi::when_true("CurrentValue may be seen before the writes that it announces", "I27"),
        "Writes of the work before a signal are visible before CurrentValue is issued.");
    v.mechanism("gpu.log_barrier", t.log_barrier,
                abi::when_true("the index may be seen before the entry, unless the OS has the log "
                               "flushed",
                               abi::kNothing),
                "A barrier between a log entry and its index.");
  }
  template <class V, class T>
  static void waits(V& v, T& t) {
    v.mechanism("gpu.park_check", t.park_check,
                abi::when_true("a queue reads CurrentValue only before it goes on the parked list",
                               "I2 I94 HANG"),
                "A queue reads CurrentValue again after it went on the parked list.");
    v.mechanism(
        "gpu.wait_once", t.wait_once,
        abi::when_true("a parked wait is logged again when it is found satisfied", "I18 I19 I100"),
        "A satisfied wait is logged once.");
  }
  template <class V, class T>
  static void work(V& v, T& t) {
    v.mechanism("gpu.completion_barrier", t.completion_barrier,
                abi::when_true("the report may overtake the last writes of the buffer", "I1 HANG"),
                "A DMA buffer is reported complete when all its writes are visible.");
    v.mechanism("gpu.preempt_barrier", t.preempt_barrier,
                abi::when_true("the report may overtake writes and saved state", "I90"),
                "A preemption is reported when the writes and the saved state of the stopped work "
                "are visible.");
    v.mechanism("gpu.preempt_waits", t.preempt_waits,
                abi::when_true("a buffer that waits keeps its engine until the value is there",
                               "I96 HANG CALL"),
                "A wait of a buffer can be preempted before it is satisfied.");
    v.mechanism("gpu.suspend_barrier", t.suspend_barrier,
                abi::when_true("the report may overtake writes of the context", "I97"),
                "A suspension is reported when all that the context has written is visible.");
    v.mechanism("gpu.fence_tag", t.fence_tag,
                abi::when_true("a packet of a destroyed fence acts on the next fence in its slot",
                               "I7 I13 I31 HANG"),
                "A packet that names a destroyed fence is not executed.");
    v.mechanism("gpu.suspend_holds", t.suspend_holds,
                abi::when_true("a doorbell puts the queue back into the run list", "I97"),
                "A suspended queue stays suspended when its write pointer advances.");
    v.mechanism("gpu.rescan", t.rescan, kRescans,
                "What a notice from the CPU does to queues that wait.");
    v.mechanism("barrier.reach", t.barrier_reach, kBarrierReaches,
                "Point that writes to system memory must reach before a barrier ends.");
  }
};

enum class MonitoredBarrier : std::uint8_t { kNone, kSelf, kDrain, kSync };
constexpr abi::SwitchValues<MonitoredBarrier, 4> kMonitoredBarriers{{
    {"none", MonitoredBarrier::kNone,
     "CurrentValue may be read before the new MonitoredValue is seen", "I1 I5 I6 I7 I9 HANG"},
    {"self", MonitoredBarrier::kSelf, "the CMP's own FIFOs are empty", abi::kNothing},
    {"drain", MonitoredBarrier::kDrain, "the FIFOs of the CMP and of the engines are empty",
     abi::kNothing},
    {"sync", MonitoredBarrier::kSync,
     "the FIFOs of the CMP and of the engines are empty, and no signal command is in progress that "
     "read MonitoredValue before this barrier"},
}};

enum class CmpValue : std::uint8_t { kPayload, kReread };
constexpr abi::SwitchValues<CmpValue, 2> kCmpValues{{
    {"payload", CmpValue::kPayload, "the value in the notice"},
    {"reread", CmpValue::kReread, "CurrentValue, read again", abi::kNothing},
}};

enum class LogWriter : std::uint8_t { kEngine, kCmp };
constexpr abi::SwitchValues<LogWriter, 2> kLogWriters{{
    {"engine", LogWriter::kEngine, "the engine, by the addresses of the queue's process"},
    {"cmp", LogWriter::kCmp,
     "the CMP's port, with MapToGpuSystemProcess by the addresses of the system process",
     abi::kNothing},
}};

enum class Recheck : std::uint8_t { kOff, kBelow, kAtLeast, kAbove };
constexpr abi::SwitchValues<Recheck, 4> kRechecks{{
    {"false", Recheck::kOff, "only the OS can find a value that was written before the update",
     abi::kNothing},
    {"below", Recheck::kBelow, "the comparison is reversed", "I34"},
    {"at_least", Recheck::kAtLeast,
     "the comparison is >= instead of >: a value that no waiter waits for interrupts the CPU",
     "I13 I14 I34"},
    {"true", Recheck::kAbove, "a value above MonitoredValue interrupts the CPU"},
}};

struct CmpOrdering {
  MonitoredBarrier mv_barrier = MonitoredBarrier::kSync;
  Recheck recheck = Recheck::kAbove;
  CmpValue value = CmpValue::kPayload;
  bool clear_first = true;
  LogWriter log_writer = LogWriter::kEngine;
  bool flush_covers_cv = false;

  template <class V, class T>
  static void switches(V& v, T& t) {
    v.mechanism("cmp.mv_barrier", t.mv_barrier, kMonitoredBarriers,
                "The CMP's barrier between its write of the shadow MonitoredValue and its "
                "CurrentValue read: it drains its own FIFOs, also the engines' FIFOs, or also "
                "signal commands in flight.");
    v.mechanism("cmp.recheck", t.recheck, kRechecks,
                "The CMP compares CurrentValue after an update of MonitoredValue.");
    v.variant("cmp.value", t.value, kCmpValues,
              "What the CMP compares after a notice from an engine.");
    v.mechanism(
        "cmp.clear_first", t.clear_first,
        abi::when_true("a notice that merges after the read is cleared unread", "I1 I9 HANG"),
        "The CMP clears an engine's pending bit before it reads CurrentValue.");
    v.variant("log.writer", t.log_writer, kLogWriters,
              "Who writes log entries: the engine in the queue's process, or the CMP, with "
              "MapToGpuSystemProcess in the system process.");
    v.mechanism(
        "flush.covers_cv", t.flush_covers_cv,
        abi::when_true("CurrentValue may arrive after the flush of the logs", abi::kNothing),
        "A flush of a queue's logs covers its CurrentValue writes too.");
  }
};

enum class Home : std::uint8_t { kVram, kSysmem };
constexpr abi::SwitchValues<Home, 2> kHomes{{
    {"vram", Home::kVram, "memory of the GPU: reads of the CPU cross the link"},
    {"sysmem", Home::kSysmem, "system memory: writes of the GPU cross the link", abi::kNothing},
}};

enum class Stores : std::uint8_t { kHighFirst, kLowFirst, kWhole };
/// @param high_first, low_first as abi::SwitchValue::breaks
constexpr abi::SwitchValues<Stores, 3> stores(const char* high_first, const char* low_first) {
  return {{
      {"false", Stores::kHighFirst, "in halves, the high one first", high_first},
      {"low_first", Stores::kLowFirst, "in halves, the low one first", low_first},
      {"true", Stores::kWhole, "in one piece: no reader sees one half without the other"},
  }};
}

struct MemoryOrdering {
  Home cv_home = Home::kVram;
  Home mv_home = Home::kVram;
  Stores cv64 = Stores::kWhole;
  Stores mv64 = Stores::kWhole;
  Stores log_hdr64 = Stores::kWhole;

  template <class V, class T>
  static void switches(V& v, T& t) {
    v.variant("mem.cv_home", t.cv_home, kHomes, "Where CurrentValue is stored.");
    v.variant("mem.mv_home", t.mv_home, kHomes, "Where MonitoredValue is stored.");
    v.mechanism("mem.cv64", t.cv64, stores("I4 I11 I12 I19 HANG", "I4 I11 I12 I19 HANG"),
                "CurrentValue is stored as a whole.");
    v.mechanism("mem.mv64", t.mv64, stores("I11", "I11"), "MonitoredValue is stored as a whole.");
    v.mechanism("log.hdr64", t.log_hdr64, stores("I11 I13 I14 I16 I17", "I11 I13 I14 I16 I17"),
                "FirstFreeEntryIndex and WraparoundCount are stored as a whole.");
  }
};

enum class InterruptKind : std::uint8_t { kMessage, kIntx };
constexpr abi::SwitchValues<InterruptKind, 2> kInterruptKinds{{
    {"intx", InterruptKind::kIntx, "a separate wire, in no order with writes",
     "I1 I2 I9 I23 I87 I94 I96 I98 HANG"},
    {"message", InterruptKind::kMessage, "MSI-X: a posted write"},
}};

struct PcieOrdering {
  bool msi_ordered = true;
  bool completion_ordered = true;
  bool id_based = false;
  InterruptKind interrupt = InterruptKind::kMessage;
  bool doorbell_ordered = true;

  template <class V, class T>
  static void switches(V& v, T& t) {
    v.mechanism(
        "pcie.msi_ordered", t.msi_ordered,
        abi::when_true("the message carries RO=1 and may pass posted writes", abi::kNothing),
        "MSI-X stays behind earlier writes of its path; otherwise it is relaxed-ordered.");
    v.mechanism(
        "pcie.completion_ordered", t.completion_ordered,
        abi::when_true("the completion carries RO=1 (rule D2b)", "I27"),
        "The completion of a read stays behind posted writes of its direction; otherwise it "
        "may pass them.");
    v.mechanism("pcie.id_based_ordering", t.id_based,
                abi::when_false("packets stay behind posted writes of all functions", "I27"),
                "Packets of the device carry IDO=1: they may pass posted writes of its other "
                "functions.");
    v.mechanism(
        "pcie.interrupt", t.interrupt, kInterruptKinds,
        "How the device interrupts: by MSI-X, or by a wire that is in no order with writes.");
    v.mechanism(
        "xad.doorbell_ordered", t.doorbell_ordered,
        abi::when_true(
            "doorbells of other GPUs carry RO=1 and may pass the value that they announce",
            abi::kNothing),
        "Doorbells between GPUs stay behind earlier writes of their path; otherwise they are "
        "relaxed-ordered.");
  }
};

enum class MaskedEdges : std::uint8_t { kKept, kLost };
constexpr abi::SwitchValues<MaskedEdges, 2> kMaskedEdges{{
    {"lost", MaskedEdges::kLost, "the interrupt is lost", "I1 I2 I9 I23 I87 I94 I96 I98 HANG"},
    {"kept", MaskedEdges::kKept, "the core takes the interrupt when it unmasks it"},
}};

enum class LoadOrder : std::uint8_t { kStrong, kWeak };
constexpr abi::SwitchValues<LoadOrder, 2> kLoadOrders{{
    {"weak", LoadOrder::kWeak, "any word may be loaded before the first",
     "I1 I2 I9 I23 I37 I87 I89 I94 I96 I98 HANG"},
    {"strong", LoadOrder::kStrong, "in order of addresses"},
}};

struct HostOrdering {
  MaskedEdges masked_edges = MaskedEdges::kKept;
  LoadOrder load_order = LoadOrder::kStrong;

  template <class V, class T>
  static void switches(V& v, T& t) {
    v.mechanism("host.masked_edges", t.masked_edges, kMaskedEdges,
                "Treatment of an interrupt that arrives while its core masks it.");
    v.mechanism("host.load_order", t.load_order, kLoadOrders,
                "Whether a core loads the words of a record in order, or any before the first.");
  }
};

/// All switches of the hardware.
struct Ordering {
  GpuOrdering gpu;
  CmpOrdering cmp;
  MemoryOrdering mem;
  PcieOrdering pcie;
  HostOrdering host;

  template <class V, class T>
  static void switches(V& v, T& t) {
    GpuOrdering::switches(v, t.gpu);
    CmpOrdering::switches(v, t.cmp);
    MemoryOrdering::switches(v, t.mem);
    PcieOrdering::switches(v, t.pcie);
    HostOrdering::switches(v, t.host);
  }
};

}  // namespace fenceline::common
