#include "tb/reference/statuses.h"

#include <algorithm>

#include "models/abi/mutant.h"

namespace fenceline::reference {

namespace {

/// A wait with a timeout succeeds if the value is there when it begins, and stays.
bool there_at_begin(const Analysis& analysis, Ref wait) {
  const Op& op = analysis.program.at(wait);
  const auto there = [&](const Point& point) {
    return analysis.certain.there_at_begin(point, wait);
  };
  return op.any ? std::any_of(op.waits.begin(), op.waits.end(), there)
                : std::all_of(op.waits.begin(), op.waits.end(), there);
}

bool may_be_reached(const Analysis& analysis, Ref wait) {
  const Op& op = analysis.program.at(wait);
  const auto reached = [&](const Point& point) {
    return analysis.certain.may_be_reached(point, wait);
  };
  return op.any ? std::any_of(op.waits.begin(), op.waits.end(), reached)
                : std::all_of(op.waits.begin(), op.waits.end(), reached);
}

/// Handles that a call names: they may be closed already, or not there yet.
struct HandleState {
  bool surely_closed = false;
  bool may_be_closed = false;
  bool may_be_too_early = false;
};

/// Commands that the step submits, the last one first.
std::vector<Ref> commands_of(const Program& program, Ref step) {
  std::vector<Ref> commands;
  const std::optional<Ref>& last = program.at(step).last_command;
  if (!last) return commands;
  for (Ref command = *last; program.at(command).origin == step; --command.op) {
    commands.push_back(command);
    if (command.op == 0) break;
  }
  return commands;
}

/// Handles that the operation names, and those of the commands that it submits.
std::vector<Id> handles_of(const Program& program, Ref ref) {
  const Op& op = program.at(ref);
  std::vector<Id> handles = op.closes;
  handles.insert(handles.end(), op.names.begin(), op.names.end());
  for (const Point& point : op.waits) handles.push_back(point.handle);
  for (const Point& point : op.signals) handles.push_back(point.handle);
  if (!op.last_command || abi::mutant(abi::Mutant::kSubmissionNamesNothing)) return handles;
  for (const Ref command : commands_of(program, ref)) {
    const std::vector<Id> named = handles_of(program, command);
    handles.insert(handles.end(), named.begin(), named.end());
  }
  return handles;
}

/// Another object has the name when the step begins.
bool is_open_again(const Analysis& analysis, const Handle& handle, Ref closer, Ref step) {
  if (abi::mutant(abi::Mutant::kNeverOpenAgain)) return false;
  return std::any_of(handle.openers.begin(), handle.openers.end(), [&](Ref opener) {
    return analysis.order.before(closer, opener) && analysis.order.before_begin(opener, step);
  });
}

/// The steps that open it may all come later.
bool may_be_too_early(const Analysis& analysis, const Handle& handle, Ref step) {
  if (handle.declared || handle.openers.empty() || abi::mutant(abi::Mutant::kNeverTooEarly))
    return false;
  return std::none_of(handle.openers.begin(), handle.openers.end(),
                      [&](Ref opener) { return analysis.order.before_begin(opener, step); });
}

HandleState handle_state(const Analysis& analysis, Ref step) {
  HandleState state;
  for (const Id id : handles_of(analysis.program, step)) {
    const Handle& handle = analysis.program.handles[id];
    state.may_be_too_early = state.may_be_too_early || may_be_too_early(analysis, handle, step);
    const bool unclear = analysis.program.fences[handle.fence].unclear;
    for (const Ref closer : handle.closers) {
      if (closer == step) continue;
      if (analysis.ends(closer) == Happens::kNever || analysis.order.before(step, closer) ||
          is_open_again(analysis, handle, closer, step))
        continue;
      state.may_be_closed = true;
      // Another object may have the name since.
      if ((!unclear || abi::mutant(abi::Mutant::kNameIsOneObject)) &&
          analysis.order.before_begin(closer, step))
        state.surely_closed = true;
    }
  }
  return state;
}

/// The context surely refuses the submission, and no other call of the step decides its status:
/// one for a wait or a signal by the OS.
bool is_refused(const Analysis& analysis, Ref step) {
  const Program& program = analysis.program;
  const std::optional<Ref>& last = program.at(step).last_command;
  if (!last || !analysis.certain.surely_refused(*last)) return false;
  bool packets = false;
  for (const Ref command : commands_of(program, step)) {
    const Op& op = program.at(command);
    packets = packets || op.counted || op.faulty;
    if (program.is_signal_of_os(op) || (!op.counted && !op.waits.empty())) return false;
  }
  return packets;
}

/// The step, or the program of a queue, has commands that must run. They are missing if it is
/// refused.
bool submits(const Analysis& analysis, Ref ref) {
  const Op& op = analysis.program.at(ref);
  const bool own = analysis.program.lanes[ref.lane].kind == Lane::Kind::kQueue && !op.origin;
  if (own) return !analysis.certain.may_be_lost(ref);
  const std::vector<Ref> commands = commands_of(analysis.program, ref);
  return std::any_of(commands.begin(), commands.end(),
                     [&](Ref command) { return !analysis.certain.may_be_lost(command); });
}

}  // namespace

std::string call_misuse(const Analysis& analysis) {
  for (Id lane = 0; lane < analysis.program.lanes.size(); ++lane)
    for (Id i = 0; i < analysis.program.lanes[lane].ops.size(); ++i) {
      const Ref ref{lane, i};
      if (analysis.program.at(ref).on_error == OnError::kRefused &&
          !abi::mutant(abi::Mutant::kRefusedObjectIsThere) && analysis.certain.may_meet_error(ref))
        return "a device in error may refuse an object";
      const HandleState handles = handle_state(analysis, ref);
      if (handles.may_be_too_early) return "a use of a fence that may not be there yet";
      if (handles.may_be_closed && submits(analysis, ref) &&
          !abi::mutant(abi::Mutant::kRefusedSubmissionRuns))
        return "a submission may name a closed fence";
      if (analysis.program.at(ref).polls && handles.may_be_closed &&
          !abi::mutant(abi::Mutant::kPollOfClosed))
        return "a poll of a fence that may be closed";
    }
  return "";
}

std::set<std::string> statuses_of(const Analysis& analysis, Ref step) {
  const Op& op = analysis.program.at(step);
  if (analysis.ends(step) == Happens::kNever) return {};
  std::set<std::string> statuses(op.statuses.begin(), op.statuses.end());
  if (statuses.empty()) return {};
  if (op.on_error != OnError::kNothing && analysis.certain.may_meet_error_in_call(step)) {
    if (op.on_error == OnError::kUnknown) return {};
    if (!abi::mutant(abi::Mutant::kRemovedSucceeds)) statuses.insert("STATUS_DEVICE_REMOVED");
    if (is_refused(analysis, step)) statuses.erase("STATUS_SUCCESS");
  }
  const HandleState handles = handle_state(analysis, step);
  if (handles.may_be_closed && !abi::mutant(abi::Mutant::kClosedSucceeds))
    statuses.insert("STATUS_INVALID_HANDLE");
  if (handles.surely_closed && !abi::mutant(abi::Mutant::kClosedMaySucceed)) {
    // Of several mistakes the documents do not say which one the call returns.
    statuses.erase("STATUS_SUCCESS");
    return statuses;
  }
  if (!op.may_time_out || op.waits.empty()) return statuses;
  if (!may_be_reached(analysis, step)) statuses.erase("STATUS_SUCCESS");
  if (!there_at_begin(analysis, step) && !abi::mutant(abi::Mutant::kNeverTimesOut))
    statuses.insert("STATUS_TIMEOUT");
  return statuses;
}

}  // namespace fenceline::reference
