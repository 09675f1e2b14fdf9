#include "tb/reference/progress.h"

#include <algorithm>

#include "models/abi/mutant.h"

namespace fenceline::reference {

namespace {

/// The end of the submissions of one thread.
using Ends = std::vector<Ref>;

/// By lane of the queue; empty: some of them may not happen.
std::vector<Ends> ends_of_lanes(const Program& program, const Queue& queue, const Extent& may_end) {
  std::vector<Ends> all;
  for (const Id lane : queue.lanes) {
    const std::vector<Op>& ops = program.lanes[lane].ops;
    if (may_end[lane] < ops.size()) return {};
    Ends ends;
    for (Id i = 0; i < ops.size(); ++i)
      if (std::any_of(ops[i].signals.begin(), ops[i].signals.end(),
                      [&](const Point& point) { return point.handle == *queue.progress; }))
        ends.push_back({lane, i});
    if (!ends.empty()) all.push_back(std::move(ends));
  }
  return all;
}

/// All of them in their order; empty: it is not known.
Ends merged(const std::vector<Ends>& lanes, const Order& order) {
  Ends all;
  std::vector<std::size_t> next(lanes.size(), 0);
  const auto is_next = [&](std::size_t lane) {
    for (std::size_t other = 0; other < lanes.size(); ++other)
      if (other != lane && next[other] < lanes[other].size() &&
          !order.before(lanes[lane][next[lane]], lanes[other][next[other]]))
        return false;
    return true;
  };
  for (std::size_t lane = 0; lane < lanes.size();) {
    if (next[lane] == lanes[lane].size() || !is_next(lane)) {
      ++lane;
      continue;
    }
    all.push_back(lanes[lane][next[lane]++]);
    lane = 0;
  }
  const bool complete =
      std::equal(next.begin(), next.end(), lanes.begin(),
                 [](std::size_t n, const Ends& ends) { return n == ends.size(); });
  return complete ? all : Ends{};
}

}  // namespace

bool settle_progress(Program& program, const Order& order, const Extent& may_end) {
  bool settled = false;
  for (const Queue& queue : program.queues) {
    if (!queue.progress || !program.fence_of({*queue.progress, 0}).counts) continue;
    const Ends ends = merged(ends_of_lanes(program, queue, may_end), order);
    if (ends.empty() || abi::mutant(abi::Mutant::kProgressNeverSettles)) continue;
    for (std::size_t i = 0; i < ends.size(); ++i)
      for (Point& point : program.lanes[ends[i].lane].ops[ends[i].op].signals)
        if (point.handle == *queue.progress) point.value = i + 1;
    program.fence_of({*queue.progress, 0}).counts = false;
    settled = true;
  }
  return settled;
}

}  // namespace fenceline::reference
