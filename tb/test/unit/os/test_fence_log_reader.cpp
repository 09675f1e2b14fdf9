// Reading of fence logs: which entries count, and when the driver is asked for them.
#include <catch2/catch.hpp>
#include <set>
#include <utility>

#include "tb/test/support/os/log_bench.h"

namespace fenceline::os::test_fence_log_reader {

using Queues = std::vector<QueueLogs*>;
using Values = std::vector<UINT64>;

namespace {

OsOrdering with_flush(UpdateLogs when) {
  OsOrdering ordering;
  ordering.update_logs = when;
  ordering.overrun_check = OverrunCheck::kOnce;
  return ordering;
}
OsOrdering with_check(OverrunCheck check) {
  OsOrdering ordering;
  ordering.overrun_check = check;
  return ordering;
}

struct Bench : support::LogBench {
  explicit Bench(const OsOrdering& of = {}) : LogBench(of), reader(machine.adapter(), of) {}

  LogHarvest read(const Queues& all, std::uint64_t waits = 0) {
    return machine.dispatched([&] { return reader.read(all, waits); });
  }
  static Values values_of(const LogHarvest& harvest) {
    Values result;
    for (const LoggedOperation& operation : harvest.operations)
      result.push_back(operation.entry.FenceValue);
    return result;
  }
  /// Writes entries with the values first to last, entry 0 with 0.
  void write_all(const FenceLog& log, UINT64 first, UINT64 last) {
    for (UINT64 value = first; value <= last; ++value) write(log, value, 1, value);
  }

  FenceLogReader reader;
};

/// Values read from a log in which so many entries have appeared at once, and the overruns.
struct Read {
  Values values;
  std::size_t overruns = 0;
};
Read read_at_once(OverrunCheck check, UINT64 count) {
  Bench bench(with_check(check));
  Read result;
  CHECK(bench.run([&] {
    QueueLogs& queue = bench.add_queue(7);
    bench.write_all(queue.signals, 0, count - 1);
    const LogHarvest harvest = bench.read({&queue});
    result = {Bench::values_of(harvest), harvest.overruns.size()};
    for (const std::size_t process : harvest.overruns) CHECK(process == 7);
    CHECK(queue.signals.read == count);
    CHECK(bench.read({&queue}).operations.empty());
  }));
  return result;
}

/// Entries that are read although they appear in the flush, and flushes of an idle queue.
std::pair<std::size_t, std::size_t> flushed(UpdateLogs when) {
  Bench bench(with_flush(when));
  std::pair<std::size_t, std::size_t> result;
  CHECK(bench.run([&] {
    QueueLogs& queue = bench.add_queue();
    QueueLogs& idle = bench.add_queue();
    bench.write(queue.signals, 0, 1, 5);
    bench.machine.on_log_flush = [&] { bench.write(queue.signals, 1, 1, 6); };
    result.first = bench.read({&queue, &idle}).operations.size() - 1;
    for (const auto& call : bench.machine.log_flushes)
      for (const HANDLE handle : call) result.second += handle == idle.queue ? 1 : 0;
    CHECK(bench.machine.log_flushes.size() == (when == UpdateLogs::kNone ? 0 : 1));
    bench.machine.on_log_flush = nullptr;
    bench.machine.log_flushes.clear();
    CHECK(bench.read({}).operations.empty());
    CHECK(bench.machine.log_flushes.empty());
  }));
  return result;
}
using Flushed = std::pair<std::size_t, std::size_t>;

}  // namespace

TEST_CASE("a log that the driver gets is empty and has its type and size") {
  Bench bench;
  CHECK(bench.run([&] {
    QueueLogs& queue = bench.add_queue();
    FenceLog& log = queue.signals;
    log.process_address = 0x10000;
    log.system_address = 0x20000;
    log.read = 3;
    bench.write(log, 2, 1, 5);
    CHECK(bench.reader.set_buffer(queue, log) == STATUS_SUCCESS);
    CHECK(log.read == 0);
    DXGK_NATIVE_FENCE_LOG_HEADER header{};
    bench.port().read_memory(bench.address_of(log), &header, sizeof header);
    CHECK(header.FirstFreeEntryIndex == 0);
    CHECK(header.Type == DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS);
    CHECK(header.NumberOfEntries == Bench::kEntries);
    REQUIRE(bench.machine.log_buffers.size() == 1);
    const DXGKARG_SETNATIVEFENCELOGBUFFER& given = bench.machine.log_buffers[0];
    CHECK(given.hHwQueue == queue.queue);
    CHECK(given.NumberOfEntries == Bench::kEntries);
    CHECK(given.LogBufferCpuVa == bench.address_of(log));
    CHECK(given.LogBufferGpuVa == 0x10000);
    CHECK(given.LogBufferSystemProcessGpuVa == 0x20000);
    bench.machine.log_status = STATUS_UNSUCCESSFUL;
    CHECK(bench.reader.set_buffer(queue, log) == STATUS_UNSUCCESSFUL);
    CHECK(bench.machine.cpu().irql() == PASSIVE_LEVEL);
  }));
}

TEST_CASE("each entry of both logs is read once and names its queue") {
  Bench bench;
  CHECK(bench.run([&] {
    QueueLogs& queue = bench.add_queue();
    QueueLogs& other = bench.add_queue();
    bench.write(queue.waits, 0, 1, 3);
    bench.write(queue.signals, 0, 1, 5);
    bench.write(other.signals, 0, 2, 9);
    const LogHarvest harvest = bench.read({&queue, &other});
    CHECK(Bench::values_of(harvest) == Values{3, 5, 9});
    CHECK(harvest.operations[1].logs == &queue);
    CHECK(harvest.operations[2].logs == &other);
    CHECK(harvest.operations[2].entry.hNativeFence == 2);
    CHECK(bench.read({&queue, &other}).operations.empty());
    bench.write_all(queue.signals, 1, 2);
    CHECK(Bench::values_of(bench.read({&queue})) == Values{1, 2});
    bench.write_all(queue.signals, 3, 5);  // over the end
    CHECK(Bench::values_of(bench.read({&queue})) == Values{3, 4, 5});
  }));
}

TEST_CASE("a flush after the index covers what the index covers and spares idle queues") {
  CHECK(flushed(UpdateLogs::kAfterIndex) == Flushed{0, 0});
}

TEST_CASE("a flush before the index is for all queues and later entries count") {
  CHECK(flushed(UpdateLogs::kBeforeIndex) == Flushed{1, 1});
}

TEST_CASE("the driver is not asked for logs where that rule is removed") {
  CHECK(flushed(UpdateLogs::kNone) == Flushed{0, 0});
}

TEST_CASE("a full turn of entries since the last read is one too many") {
  const Read read = read_at_once(OverrunCheck::kAgain, Bench::kEntries);
  CHECK(read.values.empty());
  CHECK(read.overruns == 1);
}

TEST_CASE("less than a turn of entries is trusted") {
  const Read read = read_at_once(OverrunCheck::kAgain, Bench::kEntries - 1);
  CHECK(read.values == Values{0, 1, 2});
  CHECK(read.overruns == 0);
}

TEST_CASE("a full turn of entries counts where only more are too many") {
  const Read read = read_at_once(OverrunCheck::kAgainAbove, Bench::kEntries);
  CHECK(read.values == Values{0, 1, 2, 3});
  CHECK(read.overruns == 0);
}

TEST_CASE("the first entries of more than a turn are lost and the OS knows it") {
  const Read read = read_at_once(OverrunCheck::kOnce, Bench::kEntries + 2);
  CHECK(read.values == Values{2, 3, 4, 5});
  CHECK(read.overruns == 1);
}

TEST_CASE("entries that may be overwritten while they are read do not count") {
  Bench bench;
  CHECK(bench.run([&] {
    QueueLogs& first = bench.add_queue();
    QueueLogs& queue = bench.add_queue();
    bench.write(first.signals, 0, 1, 9);
    bench.write_all(queue.signals, 0, 1);
    // After the index, before the entries:
    bench.machine.on_log_flush = [&] { bench.write_count(queue.signals, Bench::kEntries); };
    const LogHarvest harvest = bench.read({&first, &queue});
    CHECK(Bench::values_of(harvest) == Values{9});
    CHECK(harvest.overruns.size() == 1);
  }));
}

/// Values read while the second flush brings the index of a full turn, and the number of flushes.
std::pair<Values, std::size_t> second_flush(OverrunCheck check, UINT entries) {
  Bench bench(with_check(check));
  std::pair<Values, std::size_t> result;
  CHECK(bench.run([&] {
    QueueLogs& queue = bench.add_queue();
    queue.signals.entries = entries;
    bench.write(queue.signals, 0, 1, 5);
    bench.machine.on_log_flush = [&] {
      if (bench.machine.log_flushes.size() == 2) bench.write_count(queue.signals, Bench::kEntries);
    };
    result.first = Bench::values_of(bench.read({&queue}));
    result.second = bench.machine.log_flushes.size();
  }));
  return result;
}
using SecondFlush = std::pair<Values, std::size_t>;

TEST_CASE("a log with few free entries is flushed before its index is read again") {
  CHECK(second_flush(OverrunCheck::kAgain, Bench::kEntries) == SecondFlush{{}, 2});
}

TEST_CASE("a log with as many entries as may be in flight is flushed twice") {
  CHECK(second_flush(OverrunCheck::kAgain, 16) == SecondFlush{{}, 2});
}

TEST_CASE("a log with more free entries than may be in flight is flushed once") {
  CHECK(second_flush(OverrunCheck::kAgain, 17) == SecondFlush{{5}, 1});
}

TEST_CASE("a log is flushed once where that rule is removed") {
  CHECK(second_flush(OverrunCheck::kAgainUnflushed, Bench::kEntries) == SecondFlush{{5}, 1});
}

TEST_CASE("entries are read once where the OS does not look at the index again") {
  Bench bench(with_check(OverrunCheck::kOnce));
  CHECK(bench.run([&] {
    QueueLogs& queue = bench.add_queue();
    bench.write_all(queue.signals, 0, 1);
    bench.machine.on_log_flush = [&] { bench.write_count(queue.signals, Bench::kEntries); };
    CHECK(Bench::values_of(bench.read({&queue})) == Values{0, 1});
  }));
}

TEST_CASE("a log that counts less than before is a new one") {
  Bench bench;
  CHECK(bench.run([&] {
    QueueLogs& queue = bench.add_queue();
    bench.write_all(queue.signals, 0, 2);
    CHECK(bench.read({&queue}).operations.size() == 3);
    bench.write(queue.signals, 0, 1, 7);
    CHECK(Bench::values_of(bench.read({&queue})) == Values{7});
    CHECK(queue.signals.read == 1);
  }));
}

TEST_CASE("an entry is younger than the waits at the time of an earlier look at the index") {
  Bench bench;
  CHECK(bench.run([&] {
    QueueLogs& queue = bench.add_queue();
    bench.write(queue.signals, 0, 1, 5);
    bench.reader.mark(queue, 3);
    bench.write(queue.signals, 1, 1, 6);
    const LogHarvest harvest = bench.read({&queue}, 4);
    REQUIRE(harvest.operations.size() == 2);
    CHECK(harvest.operations[0].older_waits == 0);
    CHECK(harvest.operations[1].older_waits == 3);
    bench.write(queue.signals, 2, 1, 7);
    CHECK(bench.read({&queue}, 9).operations[0].older_waits == 4);
  }));
}

TEST_CASE("marks of a log keep the newest wait for each number of entries") {
  FenceLog log;
  log.mark(2, 5);
  log.mark(2, 4);
  log.mark(4, 8);
  CHECK(log.older_waits(1) == 0);
  CHECK(log.older_waits(2) == 5);
  CHECK(log.older_waits(3) == 5);
  CHECK(log.older_waits(4) == 8);
  log.read = 3;
  log.mark(1, 6);  // entries that are already read do not matter
  CHECK(log.older_waits(2) == 0);
  CHECK(log.older_waits(3) == 6);
  CHECK(log.marks.size() == 2);
}

TEST_CASE("doubts of a queue come with its next read") {
  Bench bench;
  CHECK(bench.run([&] {
    QueueLogs& queue = bench.add_queue();
    queue.doubts.push_back(bench.add());
    QueueLogs& other = bench.add_queue();
    CHECK(bench.read({&other}).doubts.empty());
    CHECK(bench.read({&queue}).doubts.size() == 1);
    CHECK(queue.doubts.empty());
    CHECK(bench.read({&queue}).doubts.empty());
  }));
}

TEST_CASE("the state of the reader tells positions and doubts of known logs apart") {
  Bench bench;
  CHECK(bench.run([&] {
    std::set<std::uint64_t> states{bench.reader.state_hash()};
    QueueLogs& queue = bench.add_queue();
    CHECK(bench.read({&queue}).operations.empty());
    states.insert(bench.reader.state_hash());
    CHECK(bench.read({&queue}).operations.empty());  // the same state
    states.insert(bench.reader.state_hash());
    queue.signals.read = 2;
    states.insert(bench.reader.state_hash());
    queue.doubts.push_back(bench.add());
    states.insert(bench.reader.state_hash());
    CHECK(states.size() == 4);
  }));
}

}  // namespace fenceline::os::test_fence_log_reader
