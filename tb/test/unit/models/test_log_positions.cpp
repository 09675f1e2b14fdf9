// Where the next entry of a fence log goes, and when the driver may move the log.
#include "models/command_processor/log_positions.h"
#include "tb/test/unit/models/test_processor_parts.h"

namespace fenceline::test_command_processor::test_log_positions {

using common::kNanosecond;
using common::LogCursor;
using common::LogKind;

namespace {

constexpr std::uint64_t kWaitLog = 0x6000, kSignalLog = 0x7000;  ///< of the queue
constexpr std::uint64_t kSystemWaitLog = 0x8000, kSystemSignalLog = 0x9000;
constexpr std::uint32_t kSpace = 7, kLogObject = 31;

common::Ordering written_by(common::LogWriter writer) {
  common::Ordering ordering;
  ordering.cmp.log_writer = writer;
  return ordering;
}

/// A queue with both logs.
struct Bench : Parts {
  command_processor::LogPositions positions{shared, memory_port};

  explicit Bench(common::LogWriter writer = common::LogWriter::kEngine)
      : Parts(parts_config(), written_by(writer)) {
    program(abi::kQueueVmid, kSpace);
    program(abi::kQueueWaitLog, kWaitLog);
    program(abi::kQueueSignalLog, kSignalLog);
    program(abi::kQueueSystemWaitLog, kSystemWaitLog);
    program(abi::kQueueSystemSignalLog, kSystemSignalLog);
    program(abi::kQueueLogEntries, 8 | std::uint64_t{16} << 32);
    for (auto* log : {&user.waits, &user.signals}) log->place = simulation.steps.new_place();
  }
  void program(abi::QueueField field, std::uint64_t value) { user.table[field / 8] = value; }
  /// An engine begins an entry, or ends it with the next position.
  LogCursor begin(LogKind kind) {
    LogCursor cursor;
    access(tlm::TLM_READ_COMMAND, kind, cursor);
    return cursor;
  }
  void end(LogKind kind, LogCursor cursor) { access(tlm::TLM_WRITE_COMMAND, kind, cursor); }

 private:
  void access(tlm::tlm_command command, LogKind kind, LogCursor& cursor) {
    auto transaction = simulation.transactions.lend(command, common::log_address(kUserSlot, kind),
                                                    &cursor, sizeof cursor);
    positions.access(transaction->payload);
    CHECK(transaction->payload.is_response_ok());
  }
};

/// When the driver has moved the signal log, at 10 ns, while an engine writes an entry of a log
/// from 0 to 100 ns.
common::Time moved_at(LogKind written) {
  Bench bench;
  common::Time moved = 0;
  bench.simulation.steps.add_agent("engine", [&] {
    for (const LogKind kind : {LogKind::kWaits, LogKind::kSignals})
      bench.positions.set(bench.user, kind);
    LogCursor cursor = bench.begin(written);
    bench.simulation.steps.elapse(100 * kNanosecond);
    ++cursor.index;
    bench.end(written, cursor);
  });
  bench.run([&] {
    bench.simulation.steps.elapse(10 * kNanosecond);
    bench.positions.set(bench.user, LogKind::kSignals);
    moved = bench.simulation.steps.now();
    CHECK(bench.user.signals.next.index == 0);
  });
  CHECK_FALSE(bench.user.signals.writing);
  return moved;
}

}  // namespace

TEST_CASE("a log begins at the address that the driver has written for the queue", "[log]") {
  Bench bench;
  bench.watches.add({kSignalLog, 4096, common::WatchKind::kLog, kLogObject, 1});
  bench.run([&] {
    bench.user.waits.next.index = bench.user.waits.next.wraparounds = 3;
    for (const LogKind kind : {LogKind::kWaits, LogKind::kSignals})
      bench.positions.set(bench.user, kind);
  });
  CHECK(bench.user.waits.next.address == kWaitLog);
  CHECK(bench.user.waits.next.entries == 8);
  CHECK(bench.user.waits.next.index == 0);
  CHECK(bench.user.waits.next.wraparounds == 0);
  CHECK(bench.user.waits.next.object == 0);
  CHECK(bench.user.signals.next.address == kSignalLog);
  CHECK(bench.user.signals.next.entries == 16);
  CHECK(bench.user.signals.next.space == kSpace);
  CHECK(bench.user.signals.next.object == kLogObject);
  CHECK(bench.memory.space == kSpace);
}

TEST_CASE("the CMP writes a log at its address in the system process", "[log]") {
  Bench bench(common::LogWriter::kCmp);
  bench.run([&] {
    for (const LogKind kind : {LogKind::kWaits, LogKind::kSignals})
      bench.positions.set(bench.user, kind);
  });
  CHECK(bench.user.waits.next.address == kSystemWaitLog);
  CHECK(bench.user.signals.next.address == kSystemSignalLog);
  CHECK(bench.user.signals.next.space == abi::kSystemVmid);
}

TEST_CASE("the CMP writes a log that the system process does not map where the queue has it",
          "[log]") {
  Bench bench(common::LogWriter::kCmp);
  bench.program(abi::kQueueSystemSignalLog, 0);
  bench.run([&] { bench.positions.set(bench.user, LogKind::kSignals); });
  CHECK(bench.user.signals.next.address == kSignalLog);
  CHECK(bench.user.signals.next.space == kSpace);
}

TEST_CASE("an engine takes the position of an entry and gives the next one back", "[log]") {
  Bench bench;
  bench.run([&] {
    for (const LogKind kind : {LogKind::kWaits, LogKind::kSignals})
      bench.positions.set(bench.user, kind);
    LogCursor cursor = bench.begin(LogKind::kWaits);
    CHECK(cursor.address == kWaitLog);
    CHECK(bench.user.waits.writing);
    CHECK_FALSE(bench.user.signals.writing);
    cursor.index = 1;
    bench.end(LogKind::kWaits, cursor);
    CHECK_FALSE(bench.user.waits.writing);
    CHECK(bench.begin(LogKind::kWaits).index == 1);
    CHECK(bench.begin(LogKind::kSignals).address == kSignalLog);
    CHECK(bench.user.signals.writing);
  });
}

TEST_CASE("a log that is not there has no entry under way", "[log]") {
  Bench bench;
  bench.run([&] { CHECK(bench.begin(LogKind::kSignals).address == 0); });
  CHECK_FALSE(bench.user.signals.writing);
}

TEST_CASE("a log is moved when the entry under way has ended", "[log]") {
  CHECK(moved_at(LogKind::kSignals) == 100 * kNanosecond);
}

TEST_CASE("a log is moved at once while an entry of the other one is under way", "[log]") {
  CHECK(moved_at(LogKind::kWaits) == 10 * kNanosecond);
}

TEST_CASE("the footprint of a log has its position", "[log]") {
  Bench bench;
  bench.explore([&] {
    const std::uint64_t place = bench.user.signals.place;
    bench.positions.set(bench.user, LogKind::kSignals);
    CHECK(bench.touches(place, true) == 2);
    bench.begin(LogKind::kSignals);
    CHECK(bench.touches(place, true) == 3);
    CHECK(bench.touches(bench.user.waits.place, true) == 0);
  });
}

}  // namespace fenceline::test_command_processor::test_log_positions
