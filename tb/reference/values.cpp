#include "tb/reference/values.h"

#include <algorithm>

namespace fenceline::reference {

namespace {

/// Signals of one lane that may be the last ones of a fence.
struct LastSignals {
  const SignalsOfLane* of_lane = nullptr;
  std::size_t first = 0;            ///< first that may be the last of its lane
  std::optional<Ref> last_certain;  ///< last one that always happens
};

std::vector<LastSignals> last_of_lanes(const Analysis& analysis, Id fence) {
  std::vector<LastSignals> result;
  const Point point{analysis.program.fences[fence].handles.front(), 0};
  for (const SignalsOfLane& it : analysis.signals.of(fence)) {
    LastSignals last;
    last.of_lane = &it;
    for (std::size_t i = 0; i < it.ops.size(); ++i) {
      const Ref signal{it.lane, it.ops[i]};
      if (!analysis.certain.signals(signal, point)) continue;
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

/// Each submission signals the next value of a progress fence, whatever their order.
Allowed counted(const Analysis& analysis, Id fence) {
  std::uint64_t submissions = 0;
  const Point point{analysis.program.fences[fence].handles.front(), 0};
  for (const Lane& lane : analysis.program.lanes)
    for (const Op& op : lane.ops)
      for (const Point& it : op.signals)
        if (it.handle == point.handle) ++submissions;
  std::uint64_t certain = 0;
  for (const SignalsOfLane& it : analysis.signals.of(fence))
    for (const Id i : it.ops)
      if (analysis.certain.signals({it.lane, i}, point)) ++certain;
  if (certain == submissions) return {false, {submissions}};
  return {true, {}};
}

/// Whether steps have closed all handles of the fence.
Happens closed(const Analysis& analysis, const Fence& fence) {
  Happens all = Happens::kAlways;
  for (const Id handle : fence.handles) {
    Happens one = Happens::kNever;
    for (const Ref closer : analysis.program.handles[handle].closers)
      one = std::min(one, analysis.ends(closer));
    all = std::max(all, one);
  }
  return all;
}

}  // namespace

Happens Analysis::begins(Ref ref) const {
  Happens result = ref.op == 0 ? Happens::kAlways : ends({ref.lane, ref.op - 1});
  const std::optional<Ref>& origin = program.at(ref).origin;
  if (origin) result = std::max(result, ends(*origin));
  return result;
}

std::optional<Allowed> final_value(const Analysis& analysis, Id id) {
  const Fence& fence = analysis.program.fences[id];
  if (fence.unclear) return Allowed{true, {}};
  const Happens gone = closed(analysis, fence);
  const Happens made = fence.created ? analysis.ends(*fence.created) : Happens::kAlways;
  if (gone == Happens::kAlways || made == Happens::kNever) return std::nullopt;
  if (gone == Happens::kMaybe || made == Happens::kMaybe) return Allowed{true, {}};
  if (fence.counts) return counted(analysis, id);
  Allowed allowed;
  const std::vector<LastSignals> lanes = last_of_lanes(analysis, id);
  const bool signalled = std::any_of(lanes.begin(), lanes.end(), [](const LastSignals& it) {
    return it.last_certain.has_value();
  });
  if (!signalled) allowed.values.insert(fence.initial);
  for (const LastSignals& it : lanes)
    for (std::size_t i = it.first; i < it.of_lane->ops.size(); ++i)
      if (!followed(analysis, {it.of_lane->lane, it.of_lane->ops[i]}, id, lanes))
        allowed.values.insert(it.of_lane->values[i]);
  return allowed;
}

}  // namespace fenceline::reference
