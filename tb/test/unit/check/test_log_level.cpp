// I70 to I72, and of I19 that nothing is missing.
#include <catch2/catch.hpp>

#include "kmd_stub/wddm/wddm.h"
#include "models/abi/packets.h"
#include "tb/test/support/event_script.h"

namespace fenceline::check::test_log_level {

namespace {

using event::LogLevel;
using S = EventScript;
using Ids = std::vector<std::string>;

constexpr std::uint32_t kQueue = 1;

/// Queue 1, whose driver has given this answer for a log of a type.
S& set(S& s, UINT type, NTSTATUS status = STATUS_SUCCESS) {
  return s.on(S::kCpu, event::LogSet{1, type, static_cast<std::uint32_t>(status), kQueue});
}
S& with_logs(S& s) {
  set(s, DXGK_NATIVE_FENCE_LOG_TYPE_WAITS);
  return set(s, DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS);
}
S& doorbell(S& s) { return s.on(S::kUser, event::Doorbell{kQueue, 64, 0, 0}); }
S& level(S& s, LogLevel to) { return s.on(S::kCpu, event::LogLevelChanged{1, to}); }
S& recorded(S& s, std::uint64_t value) {
  return s.on(S::kUser, event::SignalQueued{1, value, 0x40, kQueue});
}
/// A signal of fence 1 by queue 1, with its entry or without.
S& signal(S& s, std::uint64_t value, bool logged) {
  s.begin(1, value, value).issue(1, value, value);
  if (logged) s.on(S::kEngine, event::LogEntryIssued{1, value, value, 1});
  return s.end(1, value, value);
}
S& begins_wait(S& s) { return s.on(S::kEngine, event::GpuWaitBegin{1, 0, kQueue}); }
S& ends_wait(S& s, bool logged) {
  s.on(S::kEngine, event::GpuWaitUnblock{1, 0, 0, kQueue});
  const auto packet = [&](abi::Opcode opcode) {
    s.on(S::kEngine, event::PacketBegin{kQueue, static_cast<std::uint64_t>(opcode), 0, 0});
  };
  if (logged) {
    packet(abi::Opcode::kLog);
    s.on(S::kEngine, event::LogEntryIssued{1, 0, 0, 1});
  }
  packet(abi::Opcode::kDispatch);
  return s;
}
S& waited(S& s, bool logged) {
  begins_wait(s);
  return ends_wait(s, logged);
}
std::uint64_t times(S& s, const std::string& id) { return s.checked(id); }
bool has(const Ids& ids, const char* id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

TEST_CASE("I70: a queue works with both logs or with none", "[check][log]") {
  S both;
  doorbell(with_logs(both));
  CHECK(both.checkers.violations().empty());
  S none;
  CHECK(doorbell(none).broken().empty());
  S waits;
  set(waits, DXGK_NATIVE_FENCE_LOG_TYPE_WAITS);
  set(waits, DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS, STATUS_NOT_SUPPORTED);
  CHECK(waits.checkers.violations().empty());
  CHECK(doorbell(waits).broken() == Ids{"I70"});
  S signals;
  set(signals, DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS);
  CHECK(doorbell(signals).broken() == Ids{"I70"});
}

TEST_CASE("I70: no driver takes a log of a type that it cannot know", "[check][log]") {
  S refused;
  CHECK(set(with_logs(refused), 3, STATUS_NOT_SUPPORTED).broken().empty());
  S taken;
  CHECK(set(with_logs(taken), 3).broken() == Ids{"I70"});
}

TEST_CASE("I19: a queue with logs logs each executed command", "[check][log]") {
  S missing;
  CHECK(has(signal(with_logs(missing.create()), 1, false).broken(), "I19"));
  S missing_wait;
  CHECK(has(waited(with_logs(missing_wait.create()), false).broken(), "I19"));
  S there;
  signal(waited(with_logs(there.create()), true), 1, true);
  CHECK_FALSE(has(there.broken(), "I19"));
  S without;
  signal(without.create(), 1, false);
  CHECK_FALSE(has(without.broken(), "I19"));
}

TEST_CASE("I19: a reset takes the entry that the engine hangs over", "[check][log]") {
  const auto script = [](std::uint32_t hung) {
    S s;
    with_logs(s.create()).on(S::kEngine, event::GpuWaitUnblock{1, 0, 0, kQueue});
    const auto log = static_cast<std::uint64_t>(abi::Opcode::kLog);
    s.on(S::kEngine, event::PacketBegin{kQueue, log, 0, 0});
    s.on(S::kEngine, event::EngineFault{hung, 0, 1});
    s.on(S::kEngine, event::PacketEnd{kQueue, log, 0, 0});
    s.on(S::kEngine,
         event::PacketBegin{kQueue + 1, static_cast<std::uint64_t>(abi::Opcode::kDispatch), 0, 0});
    return has(s.broken(), "I19");
  };
  CHECK_FALSE(script(kQueue));
  CHECK(script(kQueue + 1));
}

TEST_CASE("I71: entries for traces are logged while both drivers know of verbose logging",
          "[check][log]") {
  S s;
  with_logs(s.create()).on(S::kUser, event::FenceTraced{1});
  SECTION("it is missing") {
    level(s, LogLevel::kVerbose);
    signal(recorded(s, 1), 1, false);
    CHECK(has(s.broken(), "I71"));
  }
  SECTION("it is there") {
    level(s, LogLevel::kVerbose);
    signal(recorded(s, 1), 1, true);
    CHECK_FALSE(has(s.broken(), "I71"));
    CHECK(times(s, "I71") == 1);
  }
  SECTION("nobody wants it") {
    signal(recorded(s, 1), 1, true);
    CHECK(has(s.broken(), "I71"));
  }
  SECTION("it was recorded for a trace that is over when it begins") {
    level(s, LogLevel::kVerbose);
    recorded(s, 1);
    level(s, LogLevel::kNormal);
    signal(s, 1, true);
    CHECK(has(s.broken(), "I71"));
  }
  SECTION("the trace ends while it runs") {
    level(s, LogLevel::kVerbose);
    recorded(s, 1);
    s.begin(1, 1, 1).issue(1, 1, 1);
    level(s, LogLevel::kNormal);
    s.on(S::kEngine, event::LogEntryIssued{1, 1, 1, 1}).end(1, 1, 1);
    CHECK_FALSE(has(s.broken(), "I71"));
  }
  SECTION("it was recorded before the trace began, or the drivers are being told") {
    recorded(s, 1);
    level(s, LogLevel::kVerbose);
    signal(s, 1, false);
    level(s, LogLevel::kChanging);
    signal(recorded(s, 2), 2, false);
    CHECK_FALSE(has(s.broken(), "I71"));
    CHECK(times(s, "I71") == 0);
  }
}

TEST_CASE("I71: a wait begins when its queue begins to wait", "[check][log]") {
  S s;
  with_logs(s.create()).on(S::kUser, event::FenceTraced{1});
  level(s, LogLevel::kVerbose);
  const auto record = [&] { s.on(S::kUser, event::WaitQueued{1, 0, 0x40, kQueue}); };
  record();
  begins_wait(s);
  level(s, LogLevel::kChanging);
  level(s, LogLevel::kNormal);
  ends_wait(s, true);
  CHECK_FALSE(has(s.broken(), "I71"));
  record();
  waited(s, true);
  CHECK(has(s.broken(), "I71"));
}

TEST_CASE("I72: an operation lies between its record and the reading of its entry",
          "[check][log]") {
  constexpr std::uint64_t kMillisecond = 1'000'000'000;  // [ps]
  S s;
  s.create();
  s.time = kMillisecond;
  // 1 GHz: at a time of 1 ms the GPU has counted 5000.
  s.on(S::kCpu, event::ClockCalibrated{1, 5000, 10'000, 1'000'000'000});
  s.time = 2 * kMillisecond;
  recorded(s, 1);
  s.time = 3 * kMillisecond;
  const auto read = [&](std::uint64_t ticks, bool overrun = false) {
    s.on(S::kDpc, event::LogEntryRead{1, 0, 1, ticks});
    s.on(S::kDpc, event::LogEntryTimes{1, 0x40, 0, 0, kQueue, 1U});
    if (overrun) s.on(S::kDpc, event::LogOverrun{1, 1});
    s.on(S::kDpc, event::LogReadDone{{1}});
    return has(s.broken(), "I72");
  };
  SECTION("in between") {
    CHECK_FALSE(read(5000 + 1'500'000));
    CHECK(times(s, "I72") == 1);
  }
  SECTION("before it was recorded") { CHECK(read(5000 + 900'000)); }
  SECTION("after it was read") { CHECK(read(5000 + 2'100'000)); }
  SECTION("overwritten while it was read") { CHECK_FALSE(read(5000 + 2'100'000, true)); }
  SECTION("without a timestamp") {
    CHECK_FALSE(read(0));
    CHECK(times(s, "I72") == 0);
  }
}

TEST_CASE("I72: a newer entry that is read first leaves older records in place", "[check][log]") {
  constexpr std::uint64_t kMillisecond = 1'000'000'000;  // [ps]
  S s;
  s.create();
  s.time = kMillisecond;
  s.on(S::kCpu, event::ClockCalibrated{1, 0, 10'000, 1'000'000'000});  // 1 GHz
  for (const std::uint64_t value : {1U, 2U, 1U}) {
    s.time += kMillisecond;
    recorded(s, value);
  }
  s.time += kMillisecond;
  for (const std::uint64_t value : {2U, 1U}) {
    s.on(S::kDpc, event::LogEntryRead{1, 0, value, 2'500'000});  // after the records of both
    s.on(S::kDpc, event::LogEntryTimes{1, 0x40, 0, 0, kQueue, 1U});
    s.on(S::kDpc, event::LogReadDone{{1}});
  }
  CHECK_FALSE(has(s.broken(), "I72"));
  CHECK(times(s, "I72") == 2);
}

TEST_CASE("I72: a reading that is given up leaves the record in place", "[check][log]") {
  constexpr std::uint64_t kMillisecond = 1'000'000'000;  // [ps]
  S s;
  s.create();
  s.time = kMillisecond;
  s.on(S::kCpu, event::ClockCalibrated{1, 0, 10'000, 1'000'000'000});  // 1 GHz
  for (const bool overrun : {true, false}) {
    s.time += kMillisecond;
    recorded(s, 1);
    s.on(S::kDpc, event::LogEntryRead{1, 0, 1, 1'000'001});  // after the first record only
    s.on(S::kDpc, event::LogEntryTimes{1, 0x40, 0, 0, kQueue, 1U});
    if (overrun) s.on(S::kDpc, event::LogOverrun{1, 1});
    s.on(S::kDpc, event::LogReadDone{{1}});
  }
  CHECK_FALSE(has(s.broken(), "I72"));
  CHECK(times(s, "I72") == 1);
}

TEST_CASE("I72: a calibration that took long tells nothing of the rate", "[check][log]") {
  constexpr std::uint64_t kMicrosecond = 1'000'000;  // [ps]
  S s;
  s.create();
  s.time = 10 * kMicrosecond;
  s.on(S::kCpu, event::ClockCalibrated{1, 4'000, 70, 1'000'000'000});  // 1 GHz, 3 us late
  s.time = 13 * kMicrosecond;
  s.on(S::kCpu, event::ClockCalibrated{1, 13'000, 130, 1'000'000'000});
  s.time = 30 * kMicrosecond;
  recorded(s, 1);
  s.time = 40 * kMicrosecond;
  s.on(S::kDpc, event::LogEntryRead{1, 0, 1, 31'000});
  s.on(S::kDpc, event::LogEntryTimes{1, 0x40, 0, 0, kQueue, 1U});
  s.on(S::kDpc, event::LogReadDone{{1}});
  CHECK(times(s, "I72") == 1);
  CHECK_FALSE(has(s.broken(), "I72"));
}

TEST_CASE("I72: two calibrations that are close tell little of the rate", "[check][log]") {
  constexpr std::uint64_t kMicrosecond = 1'000'000;  // [ps]
  for (const std::uint64_t apart : {2U, 200U}) {
    S s;
    s.create();
    s.time = 100 * kMicrosecond;
    s.on(S::kCpu, event::ClockCalibrated{1, 100'000, 1'000, 1'000'000'000});
    // The CPU's counter has gone on by one tick of 100 ns more than it ought to have.
    s.time = (100 + apart) * kMicrosecond;
    s.on(S::kCpu,
         event::ClockCalibrated{1, 100'000 + 1000 * apart, 1'001 + 10 * apart, 1'000'000'000});
    s.time = 500 * kMicrosecond;
    recorded(s, 1);
    s.time = 2000 * kMicrosecond;
    s.on(S::kDpc, event::LogEntryRead{1, 0, 1, 1'990'000});
    s.on(S::kDpc, event::LogEntryTimes{1, 0x40, 0, 0, kQueue, 1U});
    s.on(S::kDpc, event::LogReadDone{{1}});
    CHECK_FALSE(has(s.broken(), "I72"));
    CHECK(times(s, "I72") == 1);
  }
}

}  // namespace fenceline::check::test_log_level
