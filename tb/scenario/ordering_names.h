#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/common/ordering.h"
#include "tb/scenario/reader.h"

namespace fenceline::scenario {

// The words of the ordering switches.
constexpr std::array<Choice<common::SignalBarrier>, 3> kSignalBarriers{
    {{"off", common::SignalBarrier::kOff},
     {"before_check", common::SignalBarrier::kBeforeCheck},
     {"before_raise", common::SignalBarrier::kBeforeRaise}}};
constexpr std::array<Choice<common::MonitoredBarrier>, 4> kMonitoredBarriers{
    {{"none", common::MonitoredBarrier::kNone},
     {"self", common::MonitoredBarrier::kSelf},
     {"drain", common::MonitoredBarrier::kDrain},
     {"sync", common::MonitoredBarrier::kSync}}};
constexpr std::array<Choice<common::BarrierReach>, 2> kBarrierReaches{
    {{"gpu", common::BarrierReach::kGpu}, {"host", common::BarrierReach::kHost}}};
constexpr std::array<Choice<common::CmpValue>, 2> kCmpValues{
    {{"payload", common::CmpValue::kPayload}, {"reread", common::CmpValue::kReread}}};
constexpr std::array<Choice<common::LogWriter>, 2> kLogWriters{
    {{"engine", common::LogWriter::kEngine}, {"cmp", common::LogWriter::kCmp}}};
constexpr std::array<Choice<common::UpdateLogs>, 3> kUpdateLogs{
    {{"none", common::UpdateLogs::kNone},
     {"after_index", common::UpdateLogs::kAfterIndex},
     {"before_index", common::UpdateLogs::kBeforeIndex}}};
constexpr std::array<Choice<common::Resample>, 3> kResamples{
    {{"off", common::Resample::kOff},
     {"after_ddi", common::Resample::kAfterDdi},
     {"always", common::Resample::kAlways}}};
constexpr std::array<Choice<common::Rescan>, 3> kRescans{
    {{"ignore", common::Rescan::kIgnore},
     {"parked_only", common::Rescan::kParkedOnly},
     {"latched", common::Rescan::kLatched}}};
constexpr std::array<Choice<common::Home>, 2> kHomes{
    {{"vram", common::Home::kVram}, {"sysmem", common::Home::kSysmem}}};
constexpr std::array<Choice<common::OverrunCheck>, 2> kOverrunChecks{
    {{"once", common::OverrunCheck::kOnce}, {"again", common::OverrunCheck::kAgain}}};
constexpr std::array<Choice<common::InterruptKind>, 2> kInterruptKinds{
    {{"message", common::InterruptKind::kMessage}, {"intx", common::InterruptKind::kIntx}}};

constexpr std::array<Choice<common::MaskedEdges>, 2> kMaskedEdges{
    {{"kept", common::MaskedEdges::kKept}, {"lost", common::MaskedEdges::kLost}}};
constexpr std::array<Choice<common::LoadOrder>, 2> kLoadOrders{
    {{"strong", common::LoadOrder::kStrong}, {"weak", common::LoadOrder::kWeak}}};
constexpr std::array<Choice<common::Watchdog>, 3> kWatchdogs{
    {{"off", common::Watchdog::kOff},
     {"every_wait", common::Watchdog::kEveryWait},
     {"sleeping", common::Watchdog::kSleeping}}};

constexpr std::array<Choice<common::Wrap32>, 3> kWraps{{{"handled", common::Wrap32::kHandled},
                                                        {"unchecked", common::Wrap32::kUnchecked},
                                                        {"ignored", common::Wrap32::kIgnored}}};
constexpr std::array<Choice<common::FenceCache>, 2> kFenceCaches{
    {{"by_coherency", common::FenceCache::kByCoherency},
     {"write_back", common::FenceCache::kWriteBack}}};

/// Members of /platform/ordering.
struct OrderingShape {
  using Type = common::Ordering;
  static constexpr const char* kName = "ordering";
  static constexpr bool kFromProfile = false;

  template <class V, class T>
  static void fields(V& v, T& t) {
    gpu(v, t);
    cmp(v, t);
    driver(v, t);
    os(v, t);
    memory(v, t);
    host(v, t);
    cross_adapter(v, t);
    doorbells(v, t);
  }

 private:
  template <class V, class T>
  static void gpu(V& v, T& t) {
    v.field("gpu.signal_barrier", t.gpu.signal_barrier, choice(kSignalBarriers),
            "The engine's barrier after its CurrentValue and log writes: before it reads "
            "MonitoredValue, or only on the path that tells the CMP.");
    v.field("gpu.load_hoist", t.gpu.load_hoist, BooleanCodec{},
            "MonitoredValue may be read before CurrentValue is issued.");
    v.field("gpu.release_before_cv", t.gpu.release_before_cv, BooleanCodec{},
            "Writes of the work before a signal are visible before CurrentValue is issued.");
    v.field("gpu.log_barrier", t.gpu.log_barrier, BooleanCodec{},
            "A barrier between a log entry and its index.");
    v.field("gpu.park_check", t.gpu.park_check, BooleanCodec{},
            "A queue reads CurrentValue again after it went on the parked list.");
    v.field("gpu.wait_once", t.gpu.wait_once, BooleanCodec{}, "A satisfied wait is logged once.");
    v.field("gpu.completion_barrier", t.gpu.completion_barrier, BooleanCodec{},
            "A DMA buffer is reported complete when all its writes are visible.");
    v.field("gpu.preempt_barrier", t.gpu.preempt_barrier, BooleanCodec{},
            "A preemption is reported when what was stopped has written and its saved state are "
            "visible.");
    v.field("gpu.preempt_waits", t.gpu.preempt_waits, BooleanCodec{},
            "A wait of a buffer can be preempted before it is satisfied.");
    v.field("gpu.suspend_barrier", t.gpu.suspend_barrier, BooleanCodec{},
            "A suspension is reported when all that the context has written is visible.");
    v.field("gpu.fence_tag", t.gpu.fence_tag, BooleanCodec{},
            "A packet that names a destroyed fence is not executed.");
    v.field("gpu.suspend_holds", t.gpu.suspend_holds, BooleanCodec{},
            "A suspended queue stays so when its write pointer advances.");
    v.field("gpu.rescan", t.gpu.rescan, choice(kRescans),
            "What a notice from the CPU does to queues that wait.");
    v.field("barrier.reach", t.gpu.barrier_reach, choice(kBarrierReaches),
            "How far a barrier looks for writes to system memory.");
  }
  template <class V, class T>
  static void cmp(V& v, T& t) {
    v.field(
        "cmp.mv_barrier", t.cmp.mv_barrier, choice(kMonitoredBarriers),
        "The CMP's barrier between its shadow write and its CurrentValue read: own FIFOs, those "
        "of the engines too, or also signal commands in flight.");
    v.field("cmp.recheck", t.cmp.recheck, BooleanCodec{},
            "The CMP compares CurrentValue after an update of MonitoredValue.");
    v.field("cmp.value", t.cmp.value, choice(kCmpValues),
            "What the CMP compares after a notice from an engine.");
    v.field("cmp.clear_first", t.cmp.clear_first, BooleanCodec{},
            "The CMP clears an engine's pending bit before it reads CurrentValue.");
    v.field("log.writer", t.cmp.log_writer, choice(kLogWriters),
            "Who writes log entries: the engine in the queue's process, or the CMP, with "
            "MapToGpuSystemProcess in the system process.");
    v.field("flush.covers_cv", t.cmp.flush_covers_cv, BooleanCodec{},
            "A flush of a queue's logs covers its CurrentValue writes too.");
  }
  template <class V, class T>
  static void driver(V& v, T& t) {
    v.field("kmd.umv_ack", t.kmd.umv_ack, BooleanCodec{},
            "DxgkDdiUpdateMonitoredValues waits for the CMP before it returns.");
    v.field("kmd.ucv_order", t.kmd.ucv_order, BooleanCodec{},
            "The CPU's CurrentValue store is visible before the CMP is told.");
    v.field("kmd.store_barrier", t.kmd.store_barrier, BooleanCodec{},
            "The driver has a barrier between its store of a value and the register write that "
            "tells of it.");
    v.field("kmd.log_drain", t.kmd.log_drain, BooleanCodec{},
            "A new log buffer is reported set when the writes to the old one are there.");
    v.field("kmd.batch_checked", t.kmd.batch_checked, BooleanCodec{},
            "The driver checks all of a batch before it stores anything of it.");
    v.field(
        "kmd.va_cached", t.kmd.va_cached, BooleanCodec{},
        "The driver keeps MonitoredValue's address and stores to it when a fence is destroyed.");
    v.field("kmd.event_lock", t.kmd.event_lock, BooleanCodec{},
            "The driver signals a CPU event under the lock that destroys it.");
    v.field("kmd.destroy_drain", t.kmd.destroy_drain, IntegerCodec{0, 3},
            "What destroying a fence drains: 1 the CMP, 2 interrupts, 3 both.");
    v.field("kmd.resume_state", t.kmd.resume_state, BooleanCodec{},
            "A buffer that is submitted again goes on from the state that its context saved.");
    v.field("isr.ack_first", t.kmd.ack_first, BooleanCodec{},
            "The ISR acknowledges before it handles, naming how far it read.");
    v.field("isr.live_filter", t.kmd.live_filter, BooleanCodec{},
            "The ISR drops handles that are not alive.");
    v.field("isr.null_array", t.kmd.null_array, BooleanCodec{},
            "The ISR always reports a NULL array.");
    v.field("isr.read_flush", t.kmd.read_flush, BooleanCodec{},
            "The ISR reads a device register before it looks at the interrupt ring.");
    v.field("isr.load_barrier", t.kmd.load_barrier, BooleanCodec{},
            "The ISR has a barrier between the sequence number of an entry and the rest.");
  }
  template <class V, class T>
  static void os(V& v, T& t) {
    v.field("kmd.update_logs", t.os.update_logs, choice(kUpdateLogs),
            "When the OS has logs flushed, relative to its read of the entry index.");
    v.field("kmd.device_lock", t.os.device_lock, BooleanCodec{},
            "DxgkDdiUpdateMonitoredValues runs under the interrupt lock.");
    v.field("os.resample", t.os.resample, choice(kResamples),
            "When the OS reads CurrentValue again after an update of MonitoredValue.");
    v.field("os.on_change", t.os.on_change, BooleanCodec{},
            "The OS updates MonitoredValue only if it changed.");
    v.field("os.scan_atomic", t.os.scan_atomic, BooleanCodec{},
            "One lock over scanning waiters and recomputing MonitoredValue.");
    v.field("os.refcount", t.os.refcount, BooleanCodec{},
            "A fence is destroyed only after the last close.");
    v.field("os.unwait", t.os.unwait, BooleanCodec{},
            "Closing a fence ends the waits of threads that came by its handle.");
    v.field("os.log_driven", t.os.log_driven, BooleanCodec{},
            "Waiters are released from the logs alone.");
    v.field("os.overrun_check", t.os.overrun_check, choice(kOverrunChecks),
            "How often the OS looks whether a log overran while it read.");
    v.field("os.overrun_fallback", t.os.overrun_fallback, BooleanCodec{},
            "After an overrun the OS scans all fences.");
    v.field("os.hold_gpu_waits", t.os.hold_gpu_waits, BooleanCodec{},
            "Work of a context behind a wait stays in the OS until the fence has the value.");
    v.field(
        "os.wrap32", t.os.wrap32, choice(kWraps),
        "Values of GPUs with 32-bit atomics: wrap handled and far ones refused, not refused, or "
        "lower halves compared as they are.");
    v.field("os.fence_cache", t.os.fence_cache, choice(kFenceCaches),
            "User mapping of a monitored fence: write-back on coherent hosts, or everywhere.");
    v.field("os.fallback_timer", t.os.fallback_timer, BooleanCodec{},
            "When nobody was released for fence_fallback, the OS looks at all fences by itself.");
    v.field("os.lockless_signal", t.os.lockless_signal, BooleanCodec{},
            "A signal by the CPU takes the lock of the waiters only if a counter says that there "
            "are any.");
    v.field("os.store_barrier", t.os.store_barrier, BooleanCodec{},
            "With os.lockless_signal, a barrier between the store of CurrentValue and the look at "
            "the counter, and between the counter and the look at CurrentValue.");
    v.field("os.event_clear", t.os.event_clear, BooleanCodec{},
            "The OS clears a thread's event before the thread waits with it again.");
    v.field("os.watchdog", t.os.watchdog, choice(kWatchdogs),
            "A watchdog stops the machine over waits whose value has been there for "
            "fence_fallback: all that are not over, or those that nobody has woken.");
  }
  template <class V, class T>
  static void memory(V& v, T& t) {
    v.field("mem.cv_home", t.mem.cv_home, choice(kHomes), "Where CurrentValue is stored.");
    v.field("mem.mv_home", t.mem.mv_home, choice(kHomes), "Where MonitoredValue is stored.");
    v.field("mem.cv64", t.mem.cv64, BooleanCodec{}, "CurrentValue is stored as a whole.");
    v.field("mem.mv64", t.mem.mv64, BooleanCodec{}, "MonitoredValue is stored as a whole.");
    v.field("log.hdr64", t.mem.log_hdr64, BooleanCodec{},
            "FirstFreeEntryIndex and WraparoundCount are stored as a whole.");
    v.field("pcie.msi_ordered", t.pcie.msi_ordered, BooleanCodec{},
            "MSI-X stays behind earlier writes of its path; otherwise it is relaxed-ordered.");
    v.field(
        "pcie.completion_ordered", t.pcie.completion_ordered, BooleanCodec{},
        "The completion of a read stays behind posted writes of its direction; otherwise it may "
        "pass them.");
    v.field(
        "pcie.id_based_ordering", t.pcie.id_based, BooleanCodec{},
        "Packets of the device carry IDO=1: they may pass posted writes of its other functions.");
    v.field("pcie.interrupt", t.pcie.interrupt, choice(kInterruptKinds),
            "How the device interrupts: by MSI-X, or by a wire that is in no order with writes.");
  }
  template <class V, class T>
  static void host(V& v, T& t) {
    v.field("host.masked_edges", t.host.masked_edges, choice(kMaskedEdges),
            "What becomes of an interrupt that arrives while its core masks it.");
    v.field("host.load_order", t.host.load_order, choice(kLoadOrders),
            "Whether a core loads the words of a record in order, or any before the first.");
  }
  template <class V, class T>
  static void cross_adapter(V& v, T& t) {
    v.field("xad.mv_zero", t.xad.mv_zero, BooleanCodec{},
            "MonitoredValue of a fence that several adapters share is 0 on each of them.");
    v.field("xad.propagate", t.xad.propagate, BooleanCodec{},
            "The OS tells the other adapters of a signal of such a fence.");
    v.field("xad.doorbell_ordered", t.xad.doorbell_ordered, BooleanCodec{},
            "Doorbells between GPUs stay behind earlier writes of their path; otherwise they are "
            "relaxed-ordered.");
  }
  template <class V, class T>
  static void doorbells(V& v, T& t) {
    v.field("kmd.victim_first", t.kmd.victim_first, BooleanCodec{},
            "The driver gives a doorbell away after DxgkCbDisconnectDoorbell has returned.");
    v.field("kmd.victim_scan", t.kmd.victim_scan, BooleanCodec{},
            "Then it has the device look at the ring of the queue that had the doorbell.");
    v.field("kmd.connect_scan", t.kmd.connect_scan, BooleanCodec{},
            "It has the device look at the ring of a queue that gets a doorbell.");
    v.field("umd.read_status", t.umd.read_status, BooleanCodec{},
            "User mode reads the status of its doorbell after it has rung.");
    v.field("umd.ring_again", t.umd.ring_again, BooleanCodec{},
            "User mode rings again when it has had its doorbell connected.");
    v.field("umd.submission_lock", t.umd.submission_lock, BooleanCodec{},
            "One thread at a time records commands for a queue or context and submits them.");
  }
};

/// Names of all switches, in the order of the documentation.
std::vector<std::string> ordering_names();

}  // namespace fenceline::scenario
