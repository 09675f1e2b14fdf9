#include "tb/check/logs/log_level.h"

#include "kmd_stub/wddm/fences/native_fence_log.h"
#include "models/abi/packets.h"

namespace fenceline::check {

using common::AgentId;
using common::At;
using common::hash_values;
using common::ObjectKind;
using event::LogLevel;

void LogLevelChecks::on(const At<event::LogSet>& event) {
  Reporter& report = world_.report;
  report.checked(Invariant::kLogTypes);
  if (event.status != STATUS_SUCCESS) return;
  Queue& queue = queues_[event.queue];
  if (event.type == DXGK_NATIVE_FENCE_LOG_TYPE_WAITS) {
    queue.waits = true;
  } else if (event.type == DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS) {
    queue.signals = true;
  } else {
    report.fail(Invariant::kLogTypes, event.log,
                "log " + report.name(ObjectKind::kLog, event.log) + ": the driver took type " +
                    text(event.type) + ", which it cannot know");
  }
}

void LogLevelChecks::on(const At<event::Doorbell>& event) {
  const Queue& queue = queues_[event.queue];
  if (queue.waits == queue.signals) return;
  Reporter& report = world_.report;
  report.checked(Invariant::kLogTypes);
  report.fail(Invariant::kLogTypes, event.queue,
              "queue " + report.name(ObjectKind::kQueue, event.queue) + " works without a log of " +
                  (queue.waits ? "signals" : "waits"));
}

void LogLevelChecks::on(const At<event::LogLevelChanged>& event) {
  level_ = event.level;
  ++changes_;
  for (std::size_t number = 0; number < queues_.size(); ++number)
    queues_[number].before = queues_[number].recorded;
}

void LogLevelChecks::begin(AgentId agent, const Command& command) {
  judge(commands_[agent]);
  commands_[agent] = command;
}

void LogLevelChecks::on(const At<event::PacketBegin>& event) {
  if (event.opcode != static_cast<std::uint64_t>(abi::Opcode::kLog)) next(event.agent);
}

void LogLevelChecks::next(AgentId agent) {
  Command& command = commands_[agent];
  if (command.wait) judge(command);
}

void LogLevelChecks::on(const At<event::EngineFault>& event) {
  for (std::size_t agent = 0; agent < commands_.size(); ++agent)
    if (commands_[agent].queue == event.queue) commands_[agent] = {};
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
  command = {};
}

void LogLevelChecks::judge_level(const Command& command, bool stale) {
  const bool due = level_ == LogLevel::kVerbose;
  const bool passed_over = !due && command.changes == changes_;
  if ((stale && !passed_over) || level_ == LogLevel::kChanging) return;
  world_.report.checked(Invariant::kLogLevel);
  if (due && !command.logged) fail(Invariant::kLogLevel, command, "was not logged for the trace");
  if (!due && command.logged)
    fail(Invariant::kLogLevel, command, "was logged although no trace wants it");
}

void LogLevelChecks::fail(Invariant invariant, const Command& command, const std::string& what) {
  Reporter& report = world_.report;
  report.fail(invariant, command.queue, command.fence,
              std::string(command.wait ? "a wait" : "a signal") + " of queue " +
                  report.name(ObjectKind::kQueue, command.queue) + " for fence " +
                  report.fence(command.fence) + " and value " + text(command.value) + " " + what);
}

void LogLevelChecks::add_to(Canonical& hash) const {
  auto sum = static_cast<std::uint64_t>(level_);
  for (std::size_t number = 0; number < queues_.size(); ++number) {
    const Queue& queue = queues_[number];
    const std::uint64_t stale = queue.before > queue.executed ? queue.before - queue.executed : 0;
    if (!queue.waits && !queue.signals) continue;
    sum += hash_values(
        number, stale,
        (queue.waits_since == changes_ ? 4U : 0U) | (queue.waits ? 2U : 0U) | queue.signals);
  }
  for (std::size_t agent = 0; agent < commands_.size(); ++agent) {
    const Command& command = commands_[agent];
    if (command.queue == 0) continue;
    sum += hash_values(
        agent, std::uint64_t{command.queue} << 32 | command.fence,
        (command.changes == changes_ ? 4U : 0U) | (command.wait ? 2U : 0U) | command.logged);
  }
  hash.add(sum);
}

}  // namespace fenceline::check
