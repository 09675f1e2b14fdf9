#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/check/core/world.h"
#include "tb/check/fences/lost.h"
#include "tb/check/logs/interrupt.h"

namespace fenceline::check {

/// One slot of a log buffer: the last entries written to it.
struct LogSlot {
  struct Entry {
    std::uint64_t number = kNever;  ///< index, counted from the first entry of the log
    std::uint64_t value = 0;
    std::uint32_t fence = 0;
  };
  Entry issued;             ///< newest
  Entry visible;            ///< newest whose bytes are all visible
  Ring<Entry, 64> pending;  ///< issued, not yet visible
  bool early = false;       ///< an entry became visible before its issue was reported
};

/// A finding that is dropped if the same DPC flags an overrun.
struct LogSuspicion {
  Invariant invariant = Invariant::kLogWhole;
  std::uint32_t fence = 0;
  std::string what;
};

/// A log buffer as its events show it. Entries and headers are counted from the first entry of the
/// log: a header counts WraparoundCount * entries + FirstFreeEntryIndex. Writing a header of 0
/// starts the log again.
struct LogState {
  struct Notified {
    std::uint64_t seq = 0;
    std::uint64_t entry = 0;
  };
  struct HeaderReader {
    common::AgentId agent = 0;
    std::uint64_t count = 0;
  };
  void restart();
  std::uint64_t entries() const { return slots.size(); }
  /// Number of entries that a header counts.
  std::uint64_t count(std::uint64_t header) const;

  bool known = false;  ///< an event has named it
  std::vector<LogSlot> slots;
  std::size_t used = 0;                ///< slots from here on are untouched
  std::vector<std::uint32_t> fences;   ///< fences with entries; at most 64 are kept
  Ring<std::uint64_t, 256> headers;    ///< headers that became visible
  Ring<std::uint64_t, 256> in_flight;  ///< headers issued but not yet visible
  std::uint64_t header_issued = 0;
  std::uint64_t header_visible = 0;
  std::uint64_t since_header = 0;  ///< entries issued since the last header
  std::uint64_t consumed = 0;      ///< entries below it were read
  std::uint64_t stamp = 0;         ///< newest timestamp that is not 0
  std::uint64_t stamped = 0;       ///< 1 + index of the entry with `stamp`
  std::uint64_t before = 0;  ///< `stamp` before the entry read last; 0: that one is not judged
  std::vector<HeaderReader> readers;
  std::vector<Notified> notified;  ///< entries whose interrupt was reported to the OS
  // State of the DPC or other reader that reads the log now.
  std::uint64_t header_read = 0;
  bool header_seen = false;
  bool entry_seen = false;     ///< an entry was read after the header
  common::AgentId reader = 0;  ///< agent that has read the header
  bool lost = false;           ///< entries were overwritten before they were read
  bool flagged = false;        ///< the reader flagged an overrun
  std::vector<LogSuspicion> suspicions;
};

/// Fence log buffers: I13 LOG_ORDER to I19 LOG_ONCE, and I11 NO_TEAR for headers.
class LogChecks : public Checks<LogChecks> {
 public:
  LogChecks(World& world, WaiterChecks& waiters, const InterruptChecks& interrupts,
            std::uint32_t entries)
      : Checks(world), waiters_(waiters), interrupts_(interrupts), entries_(entries) {}

  /// A buffer was made. A buffer without this event has CheckOptions::log_entries entries.
  void on(const common::At<event::LogMade>& event);
  // Writes of the engine: log_write.cpp.
  void on(const common::At<event::PacketBegin>& event);
  void on(const common::At<event::QueueState>& event);
  void on(const common::At<event::SignalBegin>& event);
  void on(const common::At<event::GpuWaitUnblock>& event);
  void on(const common::At<event::LogEntryIssued>& event);
  void on(const common::At<event::LogEntryVisible>& event);
  void on(const common::At<event::LogHeaderIssued>& event);
  void on(const common::At<event::LogHeaderVisible>& event);
  void on(const common::At<event::Decision>& event);
  void on(const common::At<event::InterruptRaised>& event);
  void on(const common::At<event::MessageSent>& event);
  void on(const common::At<event::MessageCoalesced>& event);
  void on(const common::At<event::MessageDelivered>& event);

  // Reads of the OS: log_read.cpp.
  void on(const common::At<event::Notify>& event);
  void on(const common::At<event::DpcBegin>& event);
  void on(const common::At<event::DpcEnd>& event);
  void on(const common::At<event::LogHeaderRead>& event);
  void on(const common::At<event::LogEntryRead>& event) {
    read_entry(event.log, {event.index, event.value, event.end_time, false});
  }
  void on(const common::At<event::LogEntryTimes>& event);
  void on(const common::At<event::LogEntryTorn>& event) {
    read_entry(event.log, {event.index, event.value, 0, true});
  }
  void on(const common::At<event::LogOverrun>& event);
  void on(const common::At<event::LogReadDone>& event);
  void on(const common::At<event::CurrentValueRead>& event);

  void finish_quiescent() override;

  void mark(Canonical& hash) const override;
  void add_to(Canonical& hash) const override;

 private:
  /// The logged command that an agent runs.
  struct Command {
    std::uint64_t signal = 0;
    std::uint64_t value = 0;
    std::uint32_t fence = 0;
    std::uint32_t queue = 0;  ///< queue of a wait
    bool wait = false;
    bool again = false;  ///< a wait that was unblocked and logged before it was preempted
    std::uint32_t entries = 0;
  };
  /// The last logged wait of a queue.
  struct QueueWait {
    std::uint64_t cookie = 0;
    std::uint64_t logged_cookie = 0;
    std::uint64_t value = 0;
    std::uint32_t fence = 0;
    bool preempted = false;
  };
  struct Covered {
    std::uint64_t signal = 0;
    std::uint64_t entry = 0;
    std::uint64_t message = 0;  ///< 1, 2, ... per adapter, 0 until it is sent
    std::uint32_t log = 0;
    std::uint32_t fence = 0;
  };
  /// Interrupts of logged signals in flight. Only adapters with one message vector are judged.
  struct Adapter {
    std::vector<Covered> raised;
    std::uint64_t vector = kNever;
    std::uint64_t sent = 0;
    std::uint64_t delivered = 0;
    bool several = false;
  };
  /// A log that a DPC has read.
  struct Reading {
    std::uint32_t log = 0;
    std::uint64_t header = 0;  ///< header of its last read
    bool lost = false;         ///< see LogState
    bool flagged = false;
  };
  struct Reader {
    void clear();
    std::uint64_t begin = 0;  ///< event at which its DPC began, 0 outside a DPC
    std::vector<Reading> logs;
    std::vector<std::uint32_t> scanned;  ///< fences
  };

  LogState& log(std::uint32_t number);
  void check_command(const common::At<event::LogEntryIssued>& event, std::uint64_t entry);
  void check_wait_entry(const common::At<event::LogEntryIssued>& event, Command& command);
  void check_delivered(const Covered& covered);
  static bool whole(const LogState& state, std::uint64_t count);
  void check_header(const common::At<event::LogHeaderRead>& event, LogState& state,
                    std::uint64_t read);
  /// An entry as it was read.
  struct ReadEntry {
    std::uint64_t index;
    std::uint64_t value;
    std::uint64_t end_time;
    bool torn;
  };
  void read_entry(std::uint32_t number, const ReadEntry& read);
  void judge_entry(std::uint32_t number, const ReadEntry& read, LogState& state,
                   std::uint64_t entry);
  void check_stamp(std::uint32_t number, const ReadEntry& read, LogState& state,
                   std::uint64_t entry);
  static void suspect(LogState& state, Invariant invariant, std::uint32_t fence,
                      const std::string& what);
  void settle(std::uint32_t number, Reading* reading);
  void settle_late(const Reading& reading, const Reader& reader);
  void settle_overrun(const Reading& reading, const Reader& reader);
  void fail(Invariant invariant, std::uint32_t number, std::uint32_t fence,
            const std::string& what);

  static std::uint64_t slots_of(const LogState& state);
  static std::uint64_t headers_of(const LogState& state, const Canonical& hash);
  static std::uint64_t reading_of(const LogState& state, const Canonical& hash);
  std::uint64_t commands_of(const Canonical& hash) const;
  std::uint64_t queues_of() const;
  std::uint64_t adapters_of(const Canonical& hash) const;
  std::uint64_t readers_of() const;

  WaiterChecks& waiters_;
  const InterruptChecks& interrupts_;
  const std::uint32_t entries_;
  Dense<LogState> logs_;
  Dense<Command> commands_;  ///< by agent
  Dense<QueueWait> queues_;
  Dense<Adapter> adapters_;
  Dense<Reader> readers_;  ///< by agent
};

}  // namespace fenceline::check
