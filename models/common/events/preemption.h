#pragma once

#include "models/common/events/event_type.h"

/// Buffers of contexts, preemption, recovery.
namespace fenceline::event {

/// Stages of timeout detection and recovery, with the meaning of the id.
enum class RecoveryStage : std::uint64_t {
  kTimeout,       ///< a preemption was not acknowledged in time; its id
  kEngineReset,   ///< DxgkDdiResetEngine returned; LastAbortedFenceId
  kAdapterReset,  ///< DxgkDdiResetFromTimeout returned
  kRestart,       ///< DxgkDdiRestartFromTimeout returned
  kDependent,     ///< preemption of a node that is reset with another one; its id
  kBlocked,       ///< a process may no longer use the adapter; the process
  kRefused,       ///< the driver refused a buffer; its id
  kMemoryLost     ///< a paging buffer for memory of a process was lost; the process, no engine
};

/// The OS submits a buffer to the driver.
struct ContextSubmit {
  QueueId context;
  std::uint64_t submission;
  AdapterId adapter;
  FENCELINE_FIELDS(context, submission, adapter)
  static constexpr Words kWords{"context_submit", kStory,
                                "the OS gives the driver buffer {submission} of {context}"};
};
/// The OS was notified of the end of a buffer.
struct BufferComplete {
  AdapterId adapter;
  std::uint64_t submission;
  std::uint64_t engine;  ///< from 1
  FENCELINE_FIELDS(adapter, submission, engine)
  static constexpr Words kWords{"buffer_complete", kStory | kAdvances,
                                "{adapter} reports that buffer {submission} is complete"};
};
/// A buffer at a point of its commands.
struct BufferAt {
  AdapterId adapter;
  std::uint64_t submission;
  std::uint64_t where;   ///< hash of the point; 0 at the beginning
  std::uint64_t engine;  ///< from 1
  FENCELINE_FIELDS(adapter, submission, where, engine)
};
/// A node starts or resumes a buffer.
struct BufferBegin : BufferAt {
  static constexpr Words kWords{"buffer_begin", kStory,
                                "engine {engine} of {adapter} starts buffer {submission}"};
};
/// A node finished a buffer.
struct BufferEnd {
  AdapterId adapter;
  std::uint64_t submission;
  std::uint64_t engine;  ///< from 1
  FENCELINE_FIELDS(adapter, submission, skip, engine)
  static constexpr Words kWords{"buffer_end", kStory,
                                "engine {engine} of {adapter} is through with buffer {submission}"};
};
/// A buffer left the node before its end.
struct BufferStopped : BufferAt {
  static constexpr Words kWords{"buffer_stopped", kStory,
                                "engine {engine} of {adapter} stops buffer {submission}"};
};
/// A buffer was given up.
struct BufferFaulted {
  AdapterId adapter;
  std::uint64_t submission;
  std::uint64_t address;  ///< address without a translation
  Part<8> engine;         ///< from 1
  Part<56> code;          ///< abi::FaultCode
  FENCELINE_FIELDS(adapter, submission, address, engine, code)
  static constexpr Words kWords{"buffer_faulted", kStory | kAdvances,
                                "engine {engine} of {adapter} gives buffer {submission} up: "
                                "{code|no fault|a packet it cannot execute|a privileged packet|"
                                "a read without translation|a write without translation}"};
};
/// The OS was notified of a fault.
struct FaultTold {
  AdapterId adapter;
  std::uint64_t submission;
  std::uint64_t address;
  Part<8> engine;  ///< from 1
  Part<56> type;   ///< DXGK_INTERRUPT_TYPE
  FENCELINE_FIELDS(adapter, submission, address, engine, type)
  static constexpr Words kWords{"fault_told", kStory,
                                "{adapter} reports that buffer {submission} has faulted"};
};
/// The state of a context in memory.
struct ContextState {
  AdapterId adapter;
  Part<48> address;     ///< GPU virtual
  Part<16> space;       ///< VMID
  std::uint64_t state;  ///< hash
  Part<8> engine;       ///< from 1
  Part<56> bytes;
  FENCELINE_FIELDS(adapter, address, space, state, engine, bytes)
};
/// The state of a context is being written to memory.
struct ContextSaved : ContextState {
  static constexpr Words kWords{"context_saved", kStory,
                                "{adapter} saves the state of a context at {address:hex}"};
};
/// State was read from memory.
struct ContextRestored : ContextState {
  static constexpr Words kWords{"context_restored", kStory,
                                "{adapter} takes the state of a context from {address:hex}"};
};
/// DxgkDdiPreemptCommand is called.
struct PreemptCall {
  AdapterId adapter;
  std::uint64_t preemption;  ///< id
  std::uint64_t engine;      ///< from 1
  FENCELINE_FIELDS(adapter, preemption, skip, engine)
  static constexpr Words kWords{"preempt_call", kStory,
                                "the OS asks the driver of {adapter} for preemption {preemption}"};
};
/// The OS was notified of the end of a preemption.
struct Preempted {
  AdapterId adapter;
  std::uint64_t preemption;
  std::uint64_t completed;  ///< last submission id
  std::uint64_t engine;     ///< from 1
  FENCELINE_FIELDS(adapter, preemption, completed, engine)
  static constexpr Words kWords{
      "preempted", kStory,
      "{adapter} has made preemption {preemption}; buffer {completed} was complete"};
};
/// A thread submitted a buffer.
struct ContextPacket {
  QueueId context;
  std::uint64_t buffer;  ///< number of the buffer in its context
  std::uint64_t address;
  Part<8, bool> paging;  ///< 1: a paging buffer
  Part<56> process;
  FENCELINE_FIELDS(context, buffer, address, paging, process)
  static constexpr Words kWords{"context_packet", kStory | kAdvances,
                                "buffer {buffer} is submitted to {context}"};
};
/// A thread queued a wait or signal that the OS itself performs for a context.
struct SoftwarePacket {
  QueueId context;
  std::uint64_t number;  ///< among those of the context, from 1
  FENCELINE_FIELDS(context, number)
  static constexpr Words kWords{"software_packet", kPlain,
                                "{context} gets software packet {number}"};
};
/// The OS signals, or has waited, for a context.
struct SoftwarePacketRun {
  QueueId context;
  std::uint64_t number;
  FENCELINE_FIELDS(context, number)
  static constexpr Words kWords{"software_packet_run", kPlain,
                                "the OS runs software packet {number} of {context}"};
};
/// Additional event after ContextSubmit.
struct ContextGiven {
  QueueId context;
  std::uint64_t buffer;  ///< number; 0: none, the node drops the context
  std::uint64_t submission;
  Part<8> engine;    ///< from 1
  Part<40> flags;    ///< DXGK_SUBMITCOMMANDFLAGS
  Part<16> adapter;  ///< object
  FENCELINE_FIELDS(context, buffer, submission, engine, flags, adapter)
  static constexpr Words kWords{"context_given", kPlain,
                                "buffer {buffer} of {context} gets the id {submission}"};
};
/// The device of a context is in error: its submissions are void.
struct ContextEnded {
  QueueId context;
  ProcessId process;
  FENCELINE_FIELDS(context, process)
  static constexpr Words kWords{"context_ended", kStory | kAdvances,
                                "the device of {context} is in error"};
};
/// A context allocation that a context needs is moved.
struct ContextMemory {
  QueueId context;
  std::uint64_t allocation;  ///< number
  bool mapped;               ///< 1: the GPU can access it from now on
  FENCELINE_FIELDS(context, allocation, mapped)
  static constexpr Words kWords{"context_memory", kPlain, "memory that {context} needs is moved"};
};
/// A slot of a buffer and what is bound to it.
struct Binding {
  AdapterId adapter;
  Part<32> submission;
  Part<32> engine;        ///< from 1
  std::uint64_t binding;  ///< slot << 56 | address; 0: not bound
  std::uint64_t packet;   ///< GPU physical address
  FENCELINE_FIELDS(adapter, submission, engine, binding, packet)
};
/// The driver patched a BIND in a buffer for the OS.
struct PatchLocation : Binding {
  static constexpr Words kWords{"patch_location", kStory,
                                "the driver of {adapter} has bound a slot at {packet}"};
};
/// A node uses the memory bound to a slot.
struct BoundUse : Binding {
  static constexpr Words kWords{"bound_use", kStory, "{adapter} uses a binding at {packet}"};
};
/// A node runs a packet of a buffer with bindings.
struct PacketRead {
  AdapterId adapter;
  Part<32> submission;
  Part<32> engine;
  std::uint64_t bytes;  ///< hash of the bytes
  std::uint64_t packet;
  FENCELINE_FIELDS(adapter, submission, engine, bytes, packet)
  static constexpr Words kWords{"packet_read", kPlain, "{adapter} runs a packet at {packet}"};
};
/// A part of a buffer with bindings is about to be submitted.
struct PartGiven {
  AdapterId adapter;
  Part<32> submission;
  Part<32> engine;
  std::uint64_t broadcast;  ///< number; 0: for one adapter
  std::uint64_t begin;      ///< GPU physical address
  FENCELINE_FIELDS(adapter, submission, engine, broadcast, begin)
  static constexpr Words kWords{"part_given", kStory,
                                "a part of a buffer, from {begin}, is for {adapter}"};
};
/// Timeout detection and recovery.
struct Recovery {
  AdapterId adapter;
  RecoveryStage stage;
  std::uint64_t id = 0;      ///< see RecoveryStage
  std::uint64_t engine = 0;  ///< from 1
  FENCELINE_FIELDS(adapter, stage, id, engine)
  static constexpr Words kWords{"recovery", kStory | kAdvances,
                                "{adapter} is recovered: {stage|a preemption is late|an engine was "
                                "reset|the adapter was reset|the driver restarts|a dependent node "
                                "is preempted|a process is blocked|the driver refused a "
                                "buffer|memory is lost}"};
};
/// Recovery limits of the OS.
struct RecoveryLimits {
  NoObject none;
  std::uint64_t count;   ///< TdrLimitCount
  std::uint64_t period;  ///< [ps] TdrLimitTime
  FENCELINE_FIELDS(none, count, period)
  static constexpr Words kWords{"recovery_limits", kPlain, "TdrLimitCount is {count}"};
};
/// D3DKMTCreateDevice returned to a thread.
struct DeviceCreated {
  ProcessId process;
  std::uint64_t status;  ///< NTSTATUS
  FENCELINE_FIELDS(process, status)
  static constexpr Words kWords{"device_created", kStory, "{process} asks for a device"};
};
/// The device of a process is in error.
struct DeviceError {
  ProcessId process;
  AdapterId adapter;
  bool asked;  ///< 1: requested by a thread
  FENCELINE_FIELDS(process, adapter, asked)
  static constexpr Words kWords{"device_error", kStory | kAdvances,
                                "the device of {process} is in error"};
};

using PreemptionEvents =
    List<ContextSubmit, BufferComplete, BufferBegin, BufferEnd, BufferStopped, BufferFaulted,
         FaultTold, ContextSaved, ContextRestored, PreemptCall, Preempted, ContextPacket,
         SoftwarePacket, SoftwarePacketRun, ContextGiven, ContextEnded, ContextMemory,
         PatchLocation, BoundUse, PacketRead, PartGiven, Recovery, RecoveryLimits, DeviceCreated,
         DeviceError>;

}  // namespace fenceline::event
