#pragma once

#include "models/common/events/event_type.h"

/// Interrupts from the CMP to the DPC, and notifications of drivers to the OS.
namespace fenceline::event {

/// The CMP queued an entry and requested an interrupt.
struct InterruptRaised {
  AdapterId adapter;
  FenceId fence;  ///< 0: unknown
  std::uint64_t value;
  Part<32, QueueId> queue;
  Part<1, bool> both_kinds;  ///< stands for native and monitored fences
  FENCELINE_FIELDS(adapter, fence, value, queue, both_kinds)
  static constexpr Words kWords{
      "interrupt_raised", kStory | kOrdered | kExplains,
      "the CMP of {adapter} raises an interrupt for {fence:known} at {value}"};
};
/// The MSI-X write left the device.
struct MessageSent {
  AdapterId adapter;
  std::uint64_t vector;
  FENCELINE_FIELDS(adapter, vector)
  static constexpr Words kWords{"message_sent", kStory | kOrdered,
                                "an MSI-X write leaves {adapter}, vector {vector}"};
};
/// No MSI-X write was needed, one is already pending.
struct MessageCoalesced {
  AdapterId adapter;
  std::uint64_t vector;
  FENCELINE_FIELDS(adapter, vector)
  static constexpr Words kWords{
      "message_coalesced", kStory | kOrdered,
      "{adapter} sends no MSI-X write: vector {vector} is already pending"};
};
/// An interrupt arrived while its core masked it, and is lost.
struct MessageLost {
  CoreId core;
  std::uint64_t vector;
  FENCELINE_FIELDS(core, vector)
  static constexpr Words kWords{"message_lost", kStory | kOrdered | kExplains,
                                "the interrupt of vector {vector} is lost: {core} masks interrupts "
                                "and keeps no pending bit"};
};
/// A core begins or ceases to mask interrupts, on a host where a masked interrupt is lost.
struct InterruptsMasked {
  CoreId core;
  bool masked;
  FENCELINE_FIELDS(core, masked)
  static constexpr Words kWords{"interrupts_masked", kStory | kExplains,
                                "{agent} {masked|unmasks|masks} the interrupts of {core}"};
};
/// A core accepted the interrupt.
struct MessageDelivered {
  AdapterId adapter;
  std::uint64_t vector;
  CoreId core;
  FENCELINE_FIELDS(adapter, vector, skip, core)
  static constexpr Words kWords{"message_delivered", kStory | kOrdered | kExplains,
                                "{core} accepts the interrupt of {adapter}"};
};
/// An interrupt of an adapter, on a core.
struct OnCore {
  AdapterId adapter;
  CoreId core;
  FENCELINE_FIELDS(adapter, core)
};
/// The interrupt service routine begins.
struct IsrBegin : OnCore {
  static constexpr Words kWords{"isr_begin", kStory | kOrdered,
                                "the ISR of {adapter} begins on {core}"};
};
/// The ISR acknowledged the entries that it has read.
struct IsrAcknowledge {
  AdapterId adapter;
  std::uint64_t read;  ///< read pointer, or abi::kAcknowledgeWithoutCount
  FENCELINE_FIELDS(adapter, read)
  static constexpr Words kWords{"isr_acknowledge", kOrdered,
                                "the ISR of {adapter} acknowledges entries {read:acknowledged}"};
};
/// The interrupt service routine ends.
struct IsrEnd : OnCore {
  static constexpr Words kWords{"isr_end", kOrdered, "the ISR of {adapter} ends on {core}"};
};
/// DxgkCbNotifyInterrupt named a fence.
struct Notify {
  FenceId fence;       ///< 0: a queue is named instead
  std::uint64_t type;  ///< DXGK_INTERRUPT_TYPE
  AdapterId adapter;
  QueueId queue{};
  FENCELINE_FIELDS(fence, type, adapter, queue)
  static constexpr Words kWords{"notify", kStory | kOrdered | kExplains,
                                "the ISR tells the OS that {fence} was signalled"};
};
/// DxgkCbNotifyInterrupt with a NULL array or queue: all waiters must be scanned.
struct NotifyAll {
  AdapterId adapter;
  std::uint64_t type;    ///< DXGK_INTERRUPT_TYPE
  std::uint64_t engine;  ///< from 1
  FENCELINE_FIELDS(adapter, type, skip, engine)
  static constexpr Words kWords{"notify_all", kStory | kOrdered | kExplains,
                                "the ISR of {adapter} tells the OS to look at everything"};
};
/// A deferred procedure call begins.
struct DpcBegin : OnCore {
  static constexpr Words kWords{"dpc_begin", kOrdered, "a DPC for {adapter} begins on {core}"};
};
/// A deferred procedure call ends.
struct DpcEnd {
  AdapterId adapter;
  CoreId core;
  std::uint64_t released;  ///< number of released waiters
  FENCELINE_FIELDS(adapter, core, released)
  static constexpr Words kWords{
      "dpc_end", kStory | kOrdered,
      "the DPC for {adapter} ends on {core}: {released} waiters released"};
};
/// A DPC released no waiter.
struct SpuriousInterrupt : OnCore {
  static constexpr Words kWords{"spurious_interrupt", kStory | kOrdered,
                                "the interrupt of {adapter} released nobody"};
};
/// The OS checked all fences by its fallback timer.
struct Fallback {
  AdapterId adapter;
  CoreId core;
  std::uint64_t released;  ///< number of released waiters
  FENCELINE_FIELDS(adapter, core, released)
  static constexpr Words kWords{
      "fallback", kStory | kOrdered | kExplains,
      "the OS looks at every fence of {adapter} by itself: {released} waiters released"};
};
/// The CMP queued an entry without a fence.
struct EngineInterrupt {
  AdapterId adapter;
  std::uint64_t cause;  ///< abi::InterruptCause
  std::uint64_t submission;
  std::uint64_t engine;  ///< from 1
  FENCELINE_FIELDS(adapter, cause, submission, engine)
  static constexpr Words kWords{"engine_interrupt", kStory,
                                "{adapter} interrupts for its engine {engine}: cause {cause}"};
};
/// An engine notified the CMP of a written monitored fence that must interrupt.
struct MonitoredFenceTold {
  AdapterId adapter;
  std::uint64_t engine;  ///< from 1
  FENCELINE_FIELDS(adapter, skip, skip, engine)
  static constexpr Words kWords{"monitored_fence_told", kPlain,
                                "an engine of {adapter} has written a monitored fence"};
};
/// DxgkCbNotifyInterrupt was called for an event other than native fences.
struct InterruptType {
  AdapterId adapter;
  std::uint64_t type;  ///< DXGK_INTERRUPT_TYPE
  CoreId core;
  FENCELINE_FIELDS(adapter, type, skip, core)
  static constexpr Words kWords{"interrupt_type", kPlain,
                                "the driver of {adapter} notifies of type {type}"};
};
/// DxgkCbNotifyInterrupt was called.
struct NotifyCall {
  AdapterId adapter;
  std::uint64_t type;   ///< DXGK_INTERRUPT_TYPE
  std::uint64_t named;  ///< number of handles
  std::uint64_t flags;  ///< DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS
  FENCELINE_FIELDS(adapter, type, named, flags)
  static constexpr Words kWords{"notify_call", kPlain,
                                "the driver of {adapter} notifies: {named} named"};
};
/// DxgkCbNotifyInterrupt named a hardware queue.
struct NotifyQueue {
  QueueId queue;
  AdapterId adapter;
  FENCELINE_FIELDS(queue, adapter)
  static constexpr Words kWords{"notify_queue", kStory,
                                "the ISR tells the OS that {queue} has signalled"};
};
/// DxgkCbNotifyInterrupt named the engine.
struct EngineNotify {
  AdapterId adapter;
  std::uint64_t type;    ///< DXGK_INTERRUPT_TYPE
  std::uint64_t engine;  ///< from 1
  FENCELINE_FIELDS(adapter, type, skip, engine)
  static constexpr Words kWords{
      "engine_notify", kPlain,
      "engine {engine} of {adapter} has an interrupt of type {type} notified"};
};

using InterruptEvents =
    List<InterruptRaised, MessageSent, MessageCoalesced, MessageLost, InterruptsMasked,
         MessageDelivered, IsrBegin, IsrAcknowledge, IsrEnd, Notify, NotifyAll, DpcBegin, DpcEnd,
         SpuriousInterrupt, Fallback, EngineInterrupt, MonitoredFenceTold, InterruptType,
         NotifyCall, NotifyQueue, EngineNotify>;

}  // namespace fenceline::event
