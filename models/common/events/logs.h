#pragma once

#include "models/common/events/event_type.h"

/// Fence log buffers, and the other events of a fence trace.
namespace fenceline::event {

/// State of verbose logging.
enum class LogLevel : std::uint8_t {
  kNormal,   ///< no trace, and both drivers are notified
  kVerbose,  ///< a trace, and both drivers are notified
  kChanging  ///< the drivers are being notified
};

/// The engine issues the writes of an entry.
struct LogEntryIssued {
  LogId log;
  std::uint64_t index;
  std::uint64_t value;  ///< fence value
  FenceId fence;
  FENCELINE_FIELDS(log, index, value, fence)
  static constexpr Words kWords{"log_entry_issued", kOrdered,
                                "an entry {index} is issued to {log}"};
};
/// All bytes of the entry reached memory.
struct LogEntryVisible {
  LogId log;
  std::uint64_t index;
  std::uint64_t value;
  FENCELINE_FIELDS(log, index, value)
  static constexpr Words kWords{"log_entry_visible", kOrdered | kExplains,
                                "entry {index} of {log} is in memory, fence value {value}"};
};
/// The header of a log.
struct LogHeader {
  LogId log;
  std::uint64_t header;  ///< {FirstFreeEntryIndex, WraparoundCount} as one 64-bit word
  FENCELINE_FIELDS(log, header)
};
/// The engine issued {FirstFreeEntryIndex, WraparoundCount}.
struct LogHeaderIssued : LogHeader {
  static constexpr Words kWords{"log_header_issued", kOrdered,
                                "the header of {log} is issued: {header:hex}"};
};
/// The log header reached memory.
struct LogHeaderVisible : LogHeader {
  static constexpr Words kWords{"log_header_visible", kOrdered | kExplains,
                                "the header of {log} is in memory: {header:hex}"};
};
/// The OS read the log header.
struct LogHeaderRead : LogHeader {
  static constexpr Words kWords{"log_header_read", kOrdered | kExplains,
                                "the OS reads the header of {log}: {header:hex}"};
};
/// The OS read an entry.
struct LogEntryRead {
  LogId log;
  std::uint64_t index;
  std::uint64_t value;     ///< FenceValue
  std::uint64_t end_time;  ///< FenceEndGpuTimestamp
  FENCELINE_FIELDS(log, index, value, end_time)
  static constexpr Words kWords{"log_entry_read", kOrdered | kExplains,
                                "the OS reads entry {index} of {log}: fence value {value}"};
};
/// The OS read an entry with bytes of several log commands.
struct LogEntryTorn {
  LogId log;
  std::uint64_t index;
  std::uint64_t value;
  FENCELINE_FIELDS(log, index, value)
  static constexpr Words kWords{"log_entry_torn", kStory | kOrdered | kExplains,
                                "the OS reads a torn entry {index} of {log}: fence value {value}"};
};
/// A log, and nothing else.
struct WholeLog {
  LogId log;
  FENCELINE_FIELDS(log)
};
/// DxgkDdiUpdateNativeFenceLogs is called for the queue of this log.
struct LogFlushCall : WholeLog {
  static constexpr Words kWords{"log_flush_call", kOrdered,
                                "the OS asks the driver to flush {log}"};
};
/// DxgkDdiUpdateNativeFenceLogs returned.
struct LogFlushReturn : WholeLog {
  static constexpr Words kWords{"log_flush_return", kOrdered | kExplains,
                                "the driver has flushed {log}"};
};
/// The OS noticed that entries were overwritten before it read them.
struct LogOverrun {
  LogId log;
  std::uint64_t lost;  ///< number of entries
  FENCELINE_FIELDS(log, lost)
  static constexpr Words kWords{"log_overrun", kStory | kOrdered,
                                "{log} overran: {lost} entries are lost"};
};
/// Further fields of an entry after LogEntryRead.
struct LogEntryTimes {
  LogId log;
  Part<32> user_handle;
  Part<32> operation;           ///< OperationType
  std::uint64_t observed_time;  ///< FenceObservedGpuTimestamp
  Part<32, QueueId> queue;
  Part<32, AdapterId> adapter;
  FENCELINE_FIELDS(log, user_handle, operation, observed_time, queue, adapter)
  static constexpr Words kWords{
      "log_entry_times", kOrdered,
      "the entry of {log} was stamped {observed_time} when it began to wait"};
};
/// A new buffer replaced this log: its memory may be reused.
struct LogRetired : WholeLog {
  static constexpr Words kWords{"log_retired", kStory | kOrdered,
                                "the OS has a new buffer in place of {log}"};
};
/// The OS has read all new entries; overruns were reported before.
struct LogReadDone : WholeLog {
  static constexpr Words kWords{"log_read_done", kOrdered, "the OS has read what is new in {log}"};
};
/// A command for a fence, recorded by user mode.
struct RecordedCommand {
  FenceId fence;
  std::uint64_t value;
  std::uint64_t user_handle;
  QueueId queue;
  FENCELINE_FIELDS(fence, value, user_handle, queue)
};
/// User mode has recorded a signal.
struct SignalQueued : RecordedCommand {
  static constexpr Words kWords{"signal_queued", kOrdered,
                                "a signal of {fence} to {value} is recorded"};
};
/// User mode has recorded a wait.
struct WaitQueued : RecordedCommand {
  static constexpr Words kWords{"wait_queued", kOrdered,
                                "a wait for {fence} to reach {value} is recorded"};
};
/// DxgkDdiCalibrateGpuClock returned.
struct ClockCalibrated {
  AdapterId adapter;
  std::uint64_t gpu_counter;
  std::uint64_t cpu_counter;
  std::uint64_t frequency;  ///< [Hz] of the GPU counter
  FENCELINE_FIELDS(adapter, gpu_counter, cpu_counter, frequency)
  static constexpr Words kWords{
      "clock_calibrated", kOrdered,
      "the clock of {adapter} is at {gpu_counter} while that of the CPU is at {cpu_counter}"};
};
/// The OS created a log buffer.
struct LogMade {
  LogId log;
  std::uint64_t type;
  std::uint64_t entries;
  QueueId queue;
  FENCELINE_FIELDS(log, type, entries, queue)
  static constexpr Words kWords{"log_made", kPlain, "{log} is made for {entries} entries"};
};
/// DxgkDdiSetNativeFenceLogBuffer returned.
struct LogSet {
  LogId log;
  std::uint64_t type;
  std::uint64_t status;  ///< NTSTATUS
  QueueId queue;
  FENCELINE_FIELDS(log, type, status, queue)
  static constexpr Words kWords{"log_set", kPlain, "the driver is given {log}: {type:hex}"};
};
/// Verbose logging changes.
struct LogLevelChanged {
  AdapterId adapter;
  LogLevel level;
  FENCELINE_FIELDS(adapter, level)
  static constexpr Words kWords{"log_level", kStory,
                                "verbose logging of {adapter} is {level|off|on|changing}"};
};
/// The user-mode driver logs the fence only for traces.
struct FenceTraced {
  FenceId fence;
  FENCELINE_FIELDS(fence)
  static constexpr Words kWords{"fence_traced", kPlain,
                                "{fence} is logged for verbose traces only"};
};

using LogEvents = List<LogEntryIssued, LogEntryVisible, LogHeaderIssued, LogHeaderVisible,
                       LogHeaderRead, LogEntryRead, LogEntryTorn, LogFlushCall, LogFlushReturn,
                       LogOverrun, LogEntryTimes, LogRetired, LogReadDone, SignalQueued, WaitQueued,
                       ClockCalibrated, LogMade, LogSet, LogLevelChanged, FenceTraced>;

}  // namespace fenceline::event
