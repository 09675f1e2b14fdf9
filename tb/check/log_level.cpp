#include "tb/check/log_level.h"

#include "kmd_stub/wddm/native_fence_log.h"
#include "models/abi/packets.h"

namespace fenceline::check {

using common::Event;
using common::EventKind;
using common::Hasher;
using common::LogLevel;
using common::ObjectKind;

void LogLevelChecks::on_log_set(const Event& event) {
  Reporter& report = world_.report;
  report.checked(Invariant::kLogTypes);
  if (event.b != STATUS_SUCCESS) return;
  Queue& queue = queues_[low(event.c)];
  if (event.a == DXGK_NATIVE_FENCE_LOG_TYPE_WAITS) {
    queue.waits = true;
  } else if (event.a == DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS) {
    queue.signals = true;
  } else if (report.broken(Invariant::kLogTypes, event.object)) {
    report.add(Invariant::kLogTypes, 0,
               "log " + report.name(ObjectKind::kLog, event.object) + ": the driver took type " +
                   text(event.a) + ", which it cannot know");
  }
}

void LogLevelChecks::on_doorbell(const Event& event) {
  const Queue& queue = queues_[event.object];
  if (queue.waits == queue.signals) return;
  Reporter& report = world_.report;
  report.checked(Invariant::kLogTypes);
  if (!report.broken(Invariant::kLogTypes, event.object)) return;
  report.add(Invariant::kLogTypes, 0,
             "queue " + report.name(ObjectKind::kQueue, event.object) + " works without a log of " +
                 (queue.waits ? "signals" : "waits"));
}

void LogLevelChecks::on_level(const Event& event) {
  level_ = static_cast<LogLevel>(event.a);
  for (std::size_t number = 0; number < queues_.size(); ++number)
    queues_[number].before = queues_[number].recorded;
}

void LogLevelChecks::begin(const Event& event, bool wait) {
  Command& command = commands_[event.agent];
  judge(command);
  command = {event.a, low(event.c), event.object, wait, false};
}

void LogLevelChecks::on_next(const Event& event) {
  const bool log = event.kind == EventKind::kPacketBegin &&
                   event.a == static_cast<std::uint64_t>(abi::Opcode::kLog);
  Command& command = commands_[event.agent];
  if (!log && command.wait) judge(command);
}

void LogLevelChecks::on_hang(std::uint32_t queue) {
  for (std::size_t agent = 0; agent < commands_.size(); ++agent)
    if (commands_[agent].queue == queue) commands_[agent].clear();
}

void LogLevelChecks::judge(Command& command) {
  if (command.queue == 0) return;
  Queue& queue = queues_[command.queue];
  const bool stale = queue.executed++ < queue.before;
  if (command.wait ? queue.waits : queue.signals) {
    if (traced_[command.fence].set) {
      judge_level(command, stale);
    } else {
      world_.report.checked(Invariant::kLogOnce);
      if (!command.logged) fail(Invariant::kLogOnce, command, "was not logged");
    }
  }
  command.clear();
}

void LogLevelChecks::judge_level(const Command& command, bool stale) {
  if (stale || level_ == LogLevel::kChanging) return;
  world_.report.checked(Invariant::kLogLevel);
  const bool due = level_ == LogLevel::kVerbose;
  if (due && !command.logged) fail(Invariant::kLogLevel, command, "was not logged for the trace");
  if (!due && command.logged)
    fail(Invariant::kLogLevel, command, "was logged although no trace wants it");
}

void LogLevelChecks::fail(Invariant invariant, const Command& command, const std::string& what) {
  Reporter& report = world_.report;
  if (!report.broken(invariant, command.queue)) return;
  report.add(invariant, command.fence,
             std::string(command.wait ? "a wait" : "a signal") + " of queue " +
                 report.name(ObjectKind::kQueue, command.queue) + " for fence " +
                 report.fence(command.fence) + " and value " + text(command.value) + " " + what);
}

void LogLevelChecks::clear() {
  level_ = LogLevel::kNormal;
  commands_.clear();
  queues_.clear();
  traced_.clear();
}

void LogLevelChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = static_cast<std::uint64_t>(level_);
  for (std::size_t number = 0; number < queues_.size(); ++number) {
    const Queue& queue = queues_[number];
    const std::uint64_t stale = queue.before > queue.executed ? queue.before - queue.executed : 0;
    if (!queue.waits && !queue.signals) continue;
    sum += Hasher().add(number).add(stale).add((queue.waits ? 2U : 0U) | queue.signals).value();
  }
  for (std::size_t agent = 0; agent < commands_.size(); ++agent) {
    const Command& command = commands_[agent];
    if (command.queue == 0) continue;
    sum += Hasher()
               .add(agent)
               .add(std::uint64_t{command.queue} << 32 | command.fence)
               .add((command.wait ? 2U : 0U) | command.logged)
               .value();
  }
  hash.add(sum);
}

}  // namespace fenceline::check
