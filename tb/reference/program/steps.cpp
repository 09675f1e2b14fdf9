#include "tb/reference/program/steps.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "models/abi/mutant.h"
#include "tb/reference/program/call_rules.h"
#include "tb/reference/program/commands.h"
#include "tb/reference/program/engine_faults.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

/// Steps that end without a condition and change nothing that is predicted.
const std::set<std::string> kPlainSteps{
    "delay",           "compute",   "pace",           "query_adapter",    "capture_logs",
    "set_log_buffers", "touch_log", "set_scheduling", "connect_doorbell", "set_power"};

/// Of these the calls that succeed.
const std::set<std::string> kSuccessful{"set_scheduling", "connect_doorbell"};

bool is_plain(const std::string& verb) { return kPlainSteps.count(verb) != 0; }

Lane lane_of_thread(const std::string& name, Id process) {
  Lane lane;
  lane.name = name;
  lane.process = process;
  return lane;
}

std::vector<Id> handles_of(const std::vector<Point>& points) {
  std::vector<Id> handles(points.size());
  std::transform(points.begin(), points.end(), handles.begin(),
                 [](const Point& point) { return point.handle; });
  return handles;
}

/// Calls that need a device that is not in error. The others go on.
OnError on_error(const std::string& verb) {
  static const std::map<std::string, OnError> kCalls{{"submit", OnError::kRemoved},
                                                     {"gpu_wait", OnError::kRemoved},
                                                     {"gpu_signal", OnError::kRemoved},
                                                     {"connect_doorbell", OnError::kUnknown},
                                                     {"set_scheduling", OnError::kUnknown},
                                                     {"suspend_context", OnError::kUnknown},
                                                     {"resume_context", OnError::kUnknown},
                                                     {"create_fence", OnError::kRefused},
                                                     {"present", OnError::kRefused},
                                                     {"create_device", OnError::kRefused},
                                                     {"create_allocation", OnError::kRefused},
                                                     {"create_cpu_event", OnError::kRefused},
                                                     {"destroy_allocation", OnError::kRefused},
                                                     {"make_resident", OnError::kRefused},
                                                     {"evict", OnError::kRefused},
                                                     {"lock", OnError::kRefused},
                                                     {"unlock", OnError::kRefused},
                                                     {"store", OnError::kRefused},
                                                     {"load", OnError::kRefused},
                                                     {"map", OnError::kRefused},
                                                     {"unmap", OnError::kRefused},
                                                     {"invalidate_cache", OnError::kRefused},
                                                     {"memory_stress", OnError::kRefused}};
  const auto found = kCalls.find(verb);
  return found == kCalls.end() ? OnError::kNothing : found->second;
}

}  // namespace

ThreadSteps::ThreadSteps(Unrolling& unrolling, std::string process, const std::string& thread)
    : unrolling_(unrolling),
      process_(std::move(process)),
      thread_(thread),
      lane_(unrolling.add_lane(lane_of_thread(thread, unrolling.objects.process(process_)))) {}

void ThreadSteps::add(const json& steps, const std::string& pointer, const Counters& counters) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string& verb = steps[i].begin().key();
    const json& value = steps[i].begin().value();
    Op op;
    op.pointer = pointer + "/" + std::to_string(i);
    op.on_error = on_error(verb);
    add_one(verb, value, counters, std::move(op));
  }
}

void ThreadSteps::add_one(const std::string& verb, const json& value, const Counters& counters,
                          Op op) {
  if (!suspended_.empty() && !is_plain(verb) && verb != "suspend_context" &&
      verb != "resume_context")
    unrolling_.be_silent("", "a step between the suspension of a context and its resumption");
  if (verb == "repeat") return add_repeat(value, counters, std::move(op));
  const bool names_fence =
      verb == "wait" || verb == "signal" || verb == "gpu_wait" || verb == "gpu_signal";
  if (names_fence && names_cpu_event(value)) return add_refused(value, std::move(op));
  if (verb == "wait") return add_wait(value, counters, std::move(op));
  if (verb == "poll") return add_poll(value, counters, std::move(op));
  if (verb == "wait_event") return add_wait_event(value, std::move(op));
  if (verb == "signal") return add_signal(value, counters, std::move(op));
  if (verb == "signal_elsewhere") return add_signal_elsewhere(value, counters, std::move(op));
  if (verb == "submit") return add_submit(value, counters, std::move(op));
  if (verb == "gpu_wait" || verb == "gpu_signal")
    return add_gpu_point(verb, value, counters, std::move(op));
  if (verb == "destroy_fence") return add_destroy(value, std::move(op));
  if (verb == "create_fence") return add_create(value, std::move(op));
  if (verb == "create_device" || verb == "destroy_device")
    return add_device_call(verb, std::move(op));
  if (verb == "present") return add_present(value, std::move(op));
  if (verb == "access") return add_access(value, std::move(op));
  if (verb == "suspend_context" || verb == "resume_context")
    return add_suspension(verb, value, std::move(op));
  if (verb == "fail_device" || verb == "reset_engine")
    return add_failure(verb, value, std::move(op));
  if (verb == "mark") return add_mark(value, std::move(op));
  if (add_memory_step(verb, value, counters, op) || add_event_step(verb, value, op)) return;
  if (!is_plain(verb)) unrolling_.be_silent("", "the step " + verb + " is not judged");
  if (verb == "set_power" && unrolling_.objects.has_unknown_work(process_))
    unrolling_.be_silent("", "power of an adapter with work that the OS does not know");
  if (kSuccessful.count(verb) != 0) op.statuses = {"STATUS_SUCCESS"};
  const Ref step = put(std::move(op));
  if (verb == "delay") drain(step);
}

/// The repeat itself is a step that begins before its body.
void ThreadSteps::add_repeat(const json& value, const Counters& counters, Op op) {
  const std::string pointer = op.pointer + "/repeat/steps";
  put(std::move(op));
  Counters inner = counters;
  const std::uint64_t count = evaluate(value.at("count"), counters);
  for (std::uint64_t turn = abi::mutant(abi::Mutant::kFirstRoundMissing) ? 1 : 0; turn < count;
       ++turn) {
    if (value.contains("counter")) inner[value.at("counter")] = turn;
    add(value.at("steps"), pointer, inner);
  }
}

bool ThreadSteps::read_points(const json& value, const Counters& counters,
                              std::vector<Point>& points) const {
  const json& list = value.contains("fences") ? value.at("fences") : json::array({value});
  bool all_there = true;
  for (const json& it : list) {
    const auto handle = unrolling_.objects.handle({process_, it.at("fence")});
    if (handle) points.push_back({*handle, evaluate(it.at("value"), counters)});
    all_there = all_there && handle;
  }
  return all_there;
}

void ThreadSteps::add_wait(const json& value, const Counters& counters, Op op) {
  std::vector<Point> points;
  if (!read_points(value, counters, points)) {
    const bool other = abi::mutant(abi::Mutant::kUnknownIsParameter);
    op.statuses = {other ? "STATUS_INVALID_PARAMETER" : "STATUS_INVALID_HANDLE"};
    put(std::move(op));
    return;
  }
  op.statuses = {wait_status(unrolling_.program(), points)};
  if (op.statuses.front() != "STATUS_SUCCESS") {
    op.names = handles_of(points);
    put(std::move(op));
    return;
  }
  op.waits = std::move(points);
  op.any = value.value("any", false);
  op.may_time_out = value.contains("timeout");
  if (value.contains("event")) return add_wait_with_event(value, std::move(op));
  put(std::move(op));
}

void ThreadSteps::add_poll(const json& value, const Counters& counters, Op op) {
  if (!read_points(value, counters, op.waits)) unrolling_.be_silent("", "a poll of no fence");
  op.may_time_out = value.contains("timeout");
  op.polls = true;
  put(std::move(op));
}

/// The step clears the event and returns; a helper waits and sets the event.
void ThreadSteps::add_wait_with_event(const json& value, Op op) {
  const Id event = unrolling_.objects.event({process_, value.at("event")});
  Op wait = op;
  op.names = handles_of(op.waits);
  op.waits.clear();
  op.may_time_out = false;
  if (!abi::mutant(abi::Mutant::kEventStaysSet)) op.signals = {{event, 0}};
  Lane helper;
  helper.kind = Lane::Kind::kHelper;
  const Id lane = unrolling_.add_lane(std::move(helper));
  wait.origin = put(std::move(op));
  wait.statuses.clear();
  wait.may_time_out = false;
  wait.signals = {{event, 1}};
  unrolling_.add(lane, std::move(wait));
}

void ThreadSteps::add_wait_event(const json& value, Op op) {
  op.waits = {{unrolling_.objects.event({process_, value.at("event")}), 1}};
  op.may_time_out = value.contains("timeout");
  put(std::move(op));
}

void ThreadSteps::add_signal(const json& value, const Counters& counters, Op op) {
  std::vector<Point> points;
  if (!read_points(value, counters, points)) {
    op.statuses = {"STATUS_INVALID_HANDLE"};
  } else {
    op.statuses = {signal_status(unrolling_.program(), points)};
    if (op.statuses.front() == "STATUS_SUCCESS")
      op.signals = std::move(points);
    else
      op.names = handles_of(points);
  }
  if (value.contains("bad_handle")) unrolling_.be_silent("", "bad handles are not judged");
  const bool signals = !op.signals.empty();
  const Ref step = put(std::move(op));
  if (signals) drain_by_lock(step);
}

/// The adapter of the process is told of the value: the same as a signal.
void ThreadSteps::add_signal_elsewhere(const json& value, const Counters& counters, Op op) {
  if (!value.at("notify")) unrolling_.be_silent("", "a value of which nobody is told");
  const auto handle = unrolling_.objects.handle({process_, value.at("fence")});
  const Program& program = unrolling_.program();
  if (!handle || program.handles[*handle].monitored ||
      program.fences[program.handles[*handle].fence].cross_adapter)
    unrolling_.be_silent("", "a value from elsewhere for a fence that is not native");
  add_signal(value, counters, std::move(op));
}

void ThreadSteps::end_submission(Ref step, Submission& submission) {
  submission.end();
  Op& op = unrolling_.program().lanes[step.lane].ops[step.op];
  op.last_command = submission.last();
  op.statuses = submission.statuses();
  op.names = submission.refused();
}

void ThreadSteps::add_submit(const json& value, const Counters& counters, Op op) {
  const bool context = value.contains("context");
  const std::string pointer = op.pointer;
  const Name target{process_, value.at(context ? "context" : "queue")};
  const Ref step = put(std::move(op));
  drain(step);
  Submission submission(unrolling_, target, {thread_, step, process_, pointer});
  submission.add(value.at("commands"), pointer + "/submit/commands", counters);
  end_submission(step, submission);
  if (context && !value.at("broadcast").empty())
    unrolling_.be_silent("", "broadcasts are not judged");
}

void ThreadSteps::add_gpu_point(const std::string& verb, const json& value,
                                const Counters& counters, Op op) {
  const bool context = value.contains("context");
  const std::string pointer = op.pointer;
  const Name target{process_, value.at(context ? "context" : "queue")};
  const auto handle = unrolling_.objects.handle({process_, value.at("fence")});
  // Of two mistakes the documents do not say which one the call returns.
  if (!context && !handle && unrolling_.objects.was_monitored({process_, value.at("fence")})) {
    op.statuses = {"STATUS_INVALID_PARAMETER", "STATUS_INVALID_HANDLE"};
    put(std::move(op));
    return;
  }
  // A hardware queue takes native fences only: background/native_fences.md, contexts.
  if (!abi::mutant(abi::Mutant::kQueueTakesMonitored) && !context && handle &&
      unrolling_.program().handles[*handle].monitored) {
    op.statuses = {"STATUS_INVALID_PARAMETER"};
    op.names = {*handle};
    put(std::move(op));
    return;
  }
  const Ref step = put(std::move(op));
  if (!context) drain(step);
  Submission submission(unrolling_, target, {thread_, step, process_, pointer});
  const std::uint64_t wanted = evaluate(value.at("value"), counters);
  const auto doer = context ? Submission::Doer::kOs : Submission::Doer::kNode;
  if (verb == "gpu_wait")
    submission.add_wait(value.at("fence"), wanted, pointer, doer);
  else
    submission.add_signal(value.at("fence"), wanted, pointer, doer);
  end_submission(step, submission);
}

void ThreadSteps::end() {
  if (!suspended_.empty()) unrolling_.be_silent("", "a context that stays suspended");
}

/// User mode may only read CurrentValue: background/native_fences.md, values in user mode.
void ThreadSteps::add_access(const json& value, Op op) {
  const Name fence{process_, value.at("fence")};
  const auto handle = unrolling_.objects.handle(fence);
  const bool fixed = unrolling_.objects.uses().kind(fence) == NameUses::Kind::kFixed;
  const bool refused = value.at("target") != "current_value" || value.contains("write");
  if (!handle || !fixed || unrolling_.program().handles[*handle].monitored)
    unrolling_.be_silent("", "accesses to fences that are not native or may be closed");
  else if (refused != value.at("violates"))
    unrolling_.be_silent("", "accesses that end their thread");
  op.statuses = {refused && !abi::mutant(abi::Mutant::kAccessSucceeds) ? "STATUS_ACCESS_VIOLATION"
                                                                       : "STATUS_SUCCESS"};
  put(std::move(op));
}

void ThreadSteps::add_create(const json& value, Op op) {
  const std::string source = value.value("open", "");
  const std::size_t slash = source.find('/');
  if (slash != std::string::npos) {
    const Name opened{source.substr(0, slash), source.substr(slash + 1)};
    if (unrolling_.objects.uses().is_destroyed(opened))
      unrolling_.be_silent("", "a step opens a fence that may be closed");
    if (const auto handle = unrolling_.objects.handle(opened)) op.names.push_back(*handle);
  }
  const std::string status = unrolling_.objects.create(process_, value);
  if (!status.empty()) op.statuses = {status};
  const Ref step = put(std::move(op));
  const auto handle = unrolling_.objects.handle({process_, value.at("name")});
  if (!handle) return;
  unrolling_.program().handles[*handle].openers.push_back(step);
  if (!value.contains("open")) unrolling_.program().fence_of({*handle, 0}).created = step;
}

void ThreadSteps::add_destroy(const json& value, Op op) {
  const std::string fence = value.is_string() ? value : value.at("fence");
  // A progress fence ends with its queue: background/native_fences.md, uses of a closed fence.
  if (unrolling_.objects.is_progress({process_, fence})) {
    op.statuses = {"STATUS_INVALID_PARAMETER"};
    put(std::move(op));
    return;
  }
  if (const auto event = unrolling_.objects.cpu_event({process_, fence})) {
    op.statuses = {"STATUS_SUCCESS"};
    unrolling_.program().cpu_events[*event].destroys.push_back(put(std::move(op)));
    return;
  }
  const auto handle = unrolling_.objects.close({process_, fence});
  op.statuses = {handle ? "STATUS_SUCCESS" : "STATUS_INVALID_HANDLE"};
  if (handle) op.closes = {*handle};
  const Ref step = put(std::move(op));
  if (handle) unrolling_.program().handles[*handle].closers.push_back(step);
}

}  // namespace fenceline::reference
