#pragma once

#include "models/common/events/event_type.h"

/// Values of fences in memory, signals that write them, and updates of MonitoredValue.
namespace fenceline::event {

/// Reader of a CurrentValue.
enum class Reader : std::uint8_t { kUserPoll, kOsResample, kOsDpcScan, kCmp, kQueueWait, kOther };
/// Compare of the CMP that decided.
enum class Decider : std::uint8_t { kSignalNotice, kMonitoredUpdate };

/// A write to CurrentValue entered its posted FIFO.
struct CurrentValueIssued {
  FenceId fence;
  std::uint64_t value;
  Serial signal;  ///< number (SignalBegin)
  FENCELINE_FIELDS(fence, value, signal)
  static constexpr Words kWords{"current_value_issued", kOrdered | kExplains,
                                "{agent} issues CurrentValue {value} of {fence}"};
};
/// A value of a fence, as one adapter has it.
struct AdapterValue {
  FenceId fence;
  std::uint64_t value;
  AdapterId adapter;  ///< of CurrentValue: for which the memory is watched
  FENCELINE_FIELDS(fence, value, adapter)
};
/// CurrentValue reached memory.
struct CurrentValueVisible : AdapterValue {
  Serial signal{};  ///< number (SignalBegin); 0: another store, mostly of a CPU
  FENCELINE_FIELDS(fence, value, adapter, signal)
  static constexpr Words kWords{"current_value_visible", kStory | kOrdered | kExplains | kAdvances,
                                "CurrentValue of {fence} is {value}"};
};
/// CurrentValue was read from memory.
struct CurrentValueRead {
  FenceId fence;
  std::uint64_t value;
  Reader reader;
  FENCELINE_FIELDS(fence, value, reader)
  static constexpr Words kWords{"current_value_read", kOrdered | kExplains,
                                "{agent} reads CurrentValue {value} of {fence}"};
};
/// A write to MonitoredValue reached memory.
struct MonitoredValueVisible : AdapterValue {
  static constexpr Words kWords{"monitored_value_visible", kStory | kOrdered | kExplains,
                                "MonitoredValue of {fence} is {value:monitored} for {adapter}"};
};
/// The driver stores MonitoredValue.
struct MonitoredValueStored : AdapterValue {
  static constexpr Words kWords{"monitored_value_stored", kOrdered,
                                "{agent} stores MonitoredValue {value:monitored} of {fence}"};
};
/// Kernel mode stores CurrentValue.
struct CurrentValueStored : AdapterValue {
  static constexpr Words kWords{"current_value_stored", kOrdered,
                                "kernel mode stores {value} in CurrentValue of {fence}"};
};
/// The CMP's shadow of MonitoredValue got a value in GPU memory.
struct ShadowVisible : AdapterValue {
  static constexpr Words kWords{
      "shadow_visible", kOrdered | kExplains,
      "the shadow MonitoredValue of {fence} in {adapter} is {value:monitored}"};
};
/// An engine read the shadow.
struct ShadowRead : AdapterValue {
  static constexpr Words kWords{
      "shadow_read", kOrdered | kExplains,
      "{agent} reads the shadow MonitoredValue {value:monitored} of {fence}"};
};
/// A work write of a queue entered its posted FIFO.
struct WorkIssued {
  QueueId queue;
  std::uint64_t write;  ///< number, unique in the queue
  FENCELINE_FIELDS(queue, write)
  static constexpr Words kWords{"work_issued", kOrdered, "write {write} of {queue} is issued"};
};
/// The work write reached memory, or the link to host memory. Later reads of its own device stay
/// behind it on the link.
struct WorkVisible {
  QueueId queue;
  std::uint64_t write;
  bool on_link = false;
  FENCELINE_FIELDS(queue, write, on_link)
  static constexpr Words kWords{"work_visible", kOrdered,
                                "write {write} of {queue} is {on_link|in memory|on the link}"};
};
/// A signal command of a queue.
struct QueueSignal {
  FenceId fence;
  std::uint64_t value;
  Serial signal;  ///< counts over the whole run from 1
  QueueId queue;
  FENCELINE_FIELDS(fence, value, signal, queue)
};
/// A queue starts a signal command.
struct SignalBegin : QueueSignal {
  static constexpr Words kWords{"signal_begin", kStory | kOrdered | kAdvances,
                                "{queue} begins signal {signal}: {fence} to {value}"};
};
/// The engine compared the value of a signal with MonitoredValue.
struct Decision {
  FenceId fence;
  std::uint64_t value;
  Serial signal;
  bool above;  ///< true: the CMP is notified
  FENCELINE_FIELDS(fence, value, signal, above)
  static constexpr Words kWords{
      "decision", kStory | kOrdered | kExplains,
      "the engine compares signal {signal} of {fence} ({value}) with MonitoredValue: "
      "{above|not above, the CMP is not told|above, the CMP is told}"};
};
/// The CMP compared CurrentValue with MonitoredValue.
struct CmpDecision {
  FenceId fence;
  std::uint64_t current;  ///< CurrentValue used in the compare
  std::uint64_t monitored;
  Part<1, bool> raised;
  Part<8, Decider> decider;
  FENCELINE_FIELDS(fence, current, monitored, raised, decider)
  static constexpr Words kWords{
      "cmp_decision", kStory | kOrdered | kExplains,
      "the CMP compares CurrentValue {current} of {fence} with MonitoredValue "
      "{monitored:monitored}: {raised|no interrupt|interrupt} "
      "({decider|after a signal|after an update})"};
};
/// A signal command is complete.
struct SignalEnd : QueueSignal {
  static constexpr Words kWords{"signal_end", kStory | kOrdered | kAdvances,
                                "{queue} ends signal {signal}: {fence} to {value}"};
};
/// The OS stored CurrentValue for a CPU signal, or passes the signal on to a driver.
struct CpuSignal {
  FenceId fence;
  std::uint64_t value;
  std::uint64_t flags;  ///< DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS
  AdapterId told{};     ///< adapter whose driver is notified; 0: the OS stored it
  FENCELINE_FIELDS(fence, value, flags, told)
  static constexpr Words kWords{"cpu_signal", kStory | kOrdered | kAdvances,
                                "the OS {flags:signal} {fence} to {value}"};
};
/// A call of DxgkDdiUpdateMonitoredValues.
struct MonitoredUpdate {
  FenceId fence;
  std::uint64_t value;  ///< new MonitoredValue
  Serial update;        ///< counts over the run from 1
  AdapterId adapter;
  FENCELINE_FIELDS(fence, value, update, adapter)
};
/// DxgkDdiUpdateMonitoredValues is called.
struct UpdateMonitoredCall : MonitoredUpdate {
  static constexpr Words kWords{
      "update_monitored_call", kStory | kOrdered | kExplains,
      "the OS asks the driver to set MonitoredValue of {fence} to {value:monitored}"};
};
/// DxgkDdiUpdateMonitoredValues returned.
struct UpdateMonitoredReturn : MonitoredUpdate {
  static constexpr Words kWords{
      "update_monitored_return", kStory | kOrdered | kExplains,
      "the driver has set MonitoredValue of {fence} to {value:monitored}"};
};
/// The CMP issued the shadow write for an update.
struct ShadowIssued : AdapterValue {
  static constexpr Words kWords{
      "shadow_issued", kOrdered | kExplains,
      "the CMP issues the shadow MonitoredValue {value:monitored} of {fence}"};
};

using ValueEvents =
    List<CurrentValueIssued, CurrentValueVisible, CurrentValueRead, MonitoredValueVisible,
         MonitoredValueStored, CurrentValueStored, ShadowVisible, ShadowRead, WorkIssued,
         WorkVisible, SignalBegin, Decision, CmpDecision, SignalEnd, CpuSignal, UpdateMonitoredCall,
         UpdateMonitoredReturn, ShadowIssued>;

}  // namespace fenceline::event
