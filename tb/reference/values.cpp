#include "tb/reference/values.h"

#include <algorithm>

#include "models/abi/mutant.h"

namespace fenceline::reference {

namespace {

using Values = std::set<std::uint64_t>;

/// Signals of one lane that may be the last ones of a fence.
struct LastSignals {
  const SignalsOfLane* of_lane = nullptr;
  std::size_t first = 0;            ///< first that may be the last of its lane
  std::optional<Ref> last_certain;  ///< last one that always happens
};

/// No device in error may keep the signal from happening, or from changing the value.
bool surely_signals(const Analysis& analysis, Ref signal, const Point& point) {
  return analysis.certain.signals(signal) && !analysis.certain.may_be_skipped(signal, point);
}

std::vector<LastSignals> last_of_lanes(const Analysis& analysis, Id fence) {
  std::vector<LastSignals> result;
  const Point point{analysis.program.fences[fence].handles.front(), 0};
  for (const SignalsOfLane& it : analysis.signals.of(fence)) {
    LastSignals last;
    last.of_lane = &it;
    for (std::size_t i = 0; i < it.ops.size(); ++i) {
      const Ref signal{it.lane, it.ops[i]};
      if (!surely_signals(analysis, signal, point)) continue;
      if (!last.last_certain || last.last_certain->op != it.ops[i]) last.first = i;
      last.last_certain = signal;
    }
    result.push_back(last);
  }
  return result;
}

bool followed(const Analysis& analysis, Ref signal, Id fence, const std::vector<LastSignals>& all) {
  return std::any_of(all.begin(), all.end(), [&](const LastSignals& other) {
    return other.last_certain && other.of_lane->lane != signal.lane &&
           analysis.order.signal_before(signal, fence, *other.last_certain);
  });
}

/// Submissions that signal a progress fence.
std::uint64_t submissions_of(const Analysis& analysis, Id fence) {
  std::uint64_t submissions = 0;
  for (const Lane& lane : analysis.program.lanes)
    for (const Op& op : lane.ops)
      for (const Point& it : op.signals)
        if (it.handle == analysis.program.fences[fence].handles.front()) ++submissions;
  return submissions;
}

/// Each submission signals the next value of a progress fence, whatever their order.
Allowed counted(const Analysis& analysis, Id fence) {
  const Point point{analysis.program.fences[fence].handles.front(), 0};
  const std::uint64_t submissions = submissions_of(analysis, fence);
  std::uint64_t certain = 0;
  for (const SignalsOfLane& it : analysis.signals.of(fence))
    for (const Id i : it.ops)
      if (surely_signals(analysis, {it.lane, i}, point)) ++certain;
  if (certain == submissions)
    return {false, {submissions - (abi::mutant(abi::Mutant::kCountsOneLess) ? 1 : 0)}};
  return {true, {}};
}

/// The OS keeps the value, not the device alone.
bool by_os(const Analysis& analysis, const Fence& fence) {
  return fence.cross_adapter ||
         std::any_of(fence.handles.begin(), fence.handles.end(),
                     [&](Id handle) { return analysis.program.handles[handle].monitored; });
}

/// The device in error gives its fence a high value. Source: background/preemption.md, timeouts.
Values values_of_device(const Analysis& analysis, Id id) {
  const std::uint64_t native =
      abi::mutant(abi::Mutant::kErrorFillsNative) ? UINT64_MAX : UINT32_MAX;
  const Fence& fence = analysis.program.fences[id];
  if (fence.cross_adapter) return {UINT64_MAX, native};
  return {by_os(analysis, fence) ? UINT64_MAX : native};
}

/// Errors that surely come. A faulty command is lost only to another failure of its device.
std::vector<Failure> sure_errors(const Analysis& analysis, const Fence& fence) {
  std::vector<Failure> always;
  for (const Failure& it : fence.given_up)
    if (it.always && analysis.certain.ends()[it.step.lane] > it.step.op) always.push_back(it);
  return always;
}

/// The first error of the device surely comes after the signal: later ones change no value.
bool comes_before(const Analysis& analysis, Ref signal, const Fence& fence, const Failure& error) {
  return std::all_of(fence.given_up.begin(), fence.given_up.end(), [&](const Failure& it) {
    const bool other = it.process != error.process || abi::mutant(abi::Mutant::kErrsAgain);
    return (other && !(it.step == error.step)) ||
           it.step.op >= analysis.possible.ends[it.step.lane] ||
           analysis.order.before(signal, it.step);
  });
}

/// An engine that begins the signal of a native fence writes nothing: assumption A-115.
bool is_skipped(const Analysis& analysis, Ref signal, const Fence& fence, const Failure& error) {
  return analysis.program.lanes[signal.lane].kind == Lane::Kind::kQueue &&
         !by_os(analysis, fence) && analysis.certain.in_effect(error, signal) &&
         !abi::mutant(abi::Mutant::kErrorStoresSignals);
}

/// The fence is surely given up: no signal before one of these errors is the last.
Allowed given_up(const Analysis& analysis, Id id, const std::vector<Failure>& always) {
  const Fence& fence = analysis.program.fences[id];
  Allowed allowed{false, values_of_device(analysis, id)};
  bool lasts = false;  // the value of a signal
  for (const SignalsOfLane& it : analysis.signals.of(id))
    for (std::size_t i = 0; i < it.ops.size(); ++i) {
      const Ref signal{it.lane, it.ops[i]};
      const auto gone = [&](const Failure& error) {
        return comes_before(analysis, signal, fence, error) ||
               is_skipped(analysis, signal, fence, error);
      };
      if (!abi::mutant(abi::Mutant::kErrorLastsForever) &&
          std::none_of(always.begin(), always.end(), gone)) {
        allowed.values.insert(it.values[i]);
        lasts = true;
      }
    }
  // Each of the submissions may have been the last one in front of the error.
  const std::uint64_t last = fence.counts && lasts ? submissions_of(analysis, id) : 0;
  for (std::uint64_t i = 1; i <= last; ++i) allowed.values.insert(i);
  return allowed;
}

/// The values of the last signals.
Allowed signalled(const Analysis& analysis, Id id) {
  Allowed allowed;
  const std::vector<LastSignals> lanes = last_of_lanes(analysis, id);
  const bool certain = std::any_of(lanes.begin(), lanes.end(), [](const LastSignals& it) {
    return it.last_certain.has_value();
  });
  if (!certain || abi::mutant(abi::Mutant::kInitialStays))
    allowed.values.insert(analysis.program.fences[id].initial);
  for (const LastSignals& it : lanes)
    for (std::size_t i = abi::mutant(abi::Mutant::kEarlierIsLast) ? 0 : it.first;
         i < it.of_lane->ops.size(); ++i)
      if (abi::mutant(abi::Mutant::kFollowedStays) ||
          !followed(analysis, {it.of_lane->lane, it.of_lane->ops[i]}, id, lanes))
        allowed.values.insert(it.of_lane->values[abi::mutant(abi::Mutant::kFirstIsLast) ? 0 : i]);
  return allowed;
}

/// Whether steps have closed all handles of the fence.
Happens closed(const Analysis& analysis, const Fence& fence) {
  Happens all = Happens::kAlways;
  for (const Id handle : fence.handles) {
    Happens one = Happens::kNever;
    for (const Ref closer : analysis.program.handles[handle].closers)
      one = one_of(one, analysis.ends(closer));
    all = both_of(all, one);
  }
  return all;
}

/// Whether the step that creates the fence ends.
Happens made(const Analysis& analysis, const Fence& fence) {
  return fence.created && !abi::mutant(abi::Mutant::kCreatedFromStart)
             ? analysis.ends(*fence.created)
             : Happens::kAlways;
}

}  // namespace

bool is_never_made(const Analysis& analysis, Id id) {
  return made(analysis, analysis.program.fences[id]) == Happens::kNever;
}

Happens Analysis::begins(Ref ref) const {
  Happens result = ref.op == 0 ? Happens::kAlways : ends({ref.lane, ref.op - 1});
  const std::optional<Ref>& origin = program.at(ref).origin;
  if (origin) result = both_of(result, ends(*origin));
  return result;
}

std::optional<Allowed> final_value(const Analysis& analysis, Id id) {
  const Fence& fence = analysis.program.fences[id];
  if (fence.unclear) return Allowed{true, {}};
  const Happens gone =
      abi::mutant(abi::Mutant::kClosedStays) ? Happens::kNever : closed(analysis, fence);
  if (gone == Happens::kAlways) return std::nullopt;
  if (gone == Happens::kMaybe || made(analysis, fence) == Happens::kMaybe) return Allowed{true, {}};
  if (const std::vector<Failure> always = sure_errors(analysis, fence); !always.empty())
    return given_up(analysis, id, always);
  Allowed allowed = fence.counts ? counted(analysis, id) : signalled(analysis, id);
  if (!fence.given_up.empty() && !abi::mutant(abi::Mutant::kErrorKeepsValue)) {
    const Values device = values_of_device(analysis, id);
    allowed.values.insert(device.begin(), device.end());
  }
  return allowed;
}

}  // namespace fenceline::reference
