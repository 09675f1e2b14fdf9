#include "tb/reference/memory_use.h"

#include <algorithm>

#include "models/abi/mutant.h"

namespace fenceline::reference {

namespace {

using Kind = ResidencyCall::Kind;

/// A use of an allocation, from its first operation to its last one.
struct Use {
  std::optional<Ref> begin;  ///< none: at time 0
  Ref last;
  Ref work;  ///< the operation itself
};

class MemoryUse {
 public:
  explicit MemoryUse(const Analysis& analysis) : analysis_(analysis) {}

  std::string misuse() const {
    for (Id lane = 0; lane < analysis_.program.lanes.size(); ++lane)
      for (Id i = 0; i < analysis_.program.lanes[lane].ops.size(); ++i)
        if (std::string reason = misuse_by({lane, i}); !reason.empty()) return reason;
    for (const Allocation& allocation : analysis_.program.allocations)
      for (const ResidencyCall& call : allocation.calls)
        if (!is_in_order(allocation, call)) return "calls for an allocation that may not be there";
    return "";
  }

 private:
  std::string misuse_by(Ref ref) const {
    const Op& op = analysis_.program.at(ref);
    for (const Id id : op.uses)
      if (!is_resident(analysis_.program.allocations[id], use_of(ref), nullptr) &&
          !abi::mutant(abi::Mutant::kAlwaysResident))
        return "a use of memory that may not be resident";
    if ((op.maps || op.awaits_contexts) && awaits_others(ref))
      return "a wait for work that may wait itself";
    if (op.maps && !abi::mutant(abi::Mutant::kMapsTwice) && may_be_mapped(ref))
      return "a map of memory that another thread may have mapped";
    for (const Id id : op.touches)
      if (!exists_at(analysis_.program.allocations[id], ref))
        return "a call or an access for memory that may not exist";
    return "";
  }

  /// The step waits for submissions to contexts that may not be over, or that may come before it
  /// although they are made later.
  bool awaits_others(Ref step) const {
    const Op& op = analysis_.program.at(step);
    for (Id id = 0; id < analysis_.program.lanes.size(); ++id) {
      const Lane& lane = analysis_.program.lanes[id];
      if (!lane.queue || lane.process != analysis_.program.lanes[step.lane].process ||
          !analysis_.program.queues[*lane.queue].node)
        continue;
      for (Id i = 0; i < lane.ops.size(); ++i)
        if ((!op.maps || uses(lane.ops[i], *op.maps)) && !is_apart(lane, id, i, step)) return true;
    }
    return false;
  }
  /// Maps of one allocation by several threads must be in order. A second one is refused.
  bool may_be_mapped(Ref map) const {
    const Id allocation = *analysis_.program.at(map).maps;
    for (Id id = 0; id < analysis_.program.lanes.size(); ++id)
      for (Id i = 0; id != map.lane && i < analysis_.program.lanes[id].ops.size(); ++i)
        if (analysis_.program.lanes[id].ops[i].maps == allocation && !ends_before({id, i}, map) &&
            !ends_before(map, {id, i}))
          return true;
    return false;
  }
  bool ends_before(Ref map, Ref step) const {
    const std::vector<Op>& ops = analysis_.program.lanes[map.lane].ops;
    for (Id i = map.op + 1; i < ops.size(); ++i)
      if (ops[i].unmaps == ops[map.op].maps) return before({map.lane, i}, step);
    return false;
  }
  static bool uses(const Op& op, Id allocation) {
    return std::find(op.uses.begin(), op.uses.end(), allocation) != op.uses.end();
  }
  /// The submission of the operation is over before the step, or made after it.
  bool is_apart(const Lane& lane, Id id, Id op, Ref step) const {
    const std::optional<Ref>& origin = lane.ops[op].origin;
    if (origin && before(step, *origin)) return true;
    Id last = op;
    while (last + 1 < lane.ops.size() && lane.ops[last + 1].origin == origin) ++last;
    return before({id, last}, step);
  }

  /// The OS waits for the work of contexts before it evicts or frees memory: background/memory.md,
  /// a move. Only user mode knows the work of hardware queues.
  Use use_of(Ref ref) const {
    const Op& op = analysis_.program.at(ref);
    const Lane& lane = analysis_.program.lanes[ref.lane];
    if (!lane.queue) return {ref, ref, ref};
    const bool is_context = analysis_.program.queues[*lane.queue].node.has_value();
    return {op.origin, is_context && op.origin ? *op.origin : ref, ref};
  }

  bool is_resident(const Allocation& allocation, const Use& use, const ResidencyCall* self) const {
    const auto brought = [&](const ResidencyCall& call) {
      return call.resident && !abi::mutant(abi::Mutant::kResidencyIsLost) && use.begin &&
             before(call.step, *use.begin);
    };
    if (!allocation.resident &&
        std::none_of(allocation.calls.begin(), allocation.calls.end(), brought))
      return false;
    return std::all_of(allocation.calls.begin(), allocation.calls.end(), [&](const auto& call) {
      return &call == self || !takes_away(call) ||
             before(call.at_once ? use.work : use.last, call.step) ||
             std::any_of(allocation.calls.begin(), allocation.calls.end(), [&](const auto& later) {
               return brought(later) && before(call.step, later.step);
             });
    });
  }

  bool is_in_order(const Allocation& allocation, const ResidencyCall& call) const {
    if (call.kind == Kind::kCreate) return true;
    if (call.kind == Kind::kEvict &&
        !is_resident(allocation, {call.step, call.step, call.step}, &call))
      return false;
    return std::all_of(allocation.calls.begin(), allocation.calls.end(), [&](const auto& other) {
      if (&other == &call) return true;
      if (other.kind == Kind::kCreate) return before(other.step, call.step);
      return other.kind != Kind::kDestroy || before(call.step, other.step);
    });
  }

  bool exists_at(const Allocation& allocation, Ref step) const {
    return std::all_of(allocation.calls.begin(), allocation.calls.end(), [&](const auto& call) {
      if (call.kind == Kind::kCreate) return before(call.step, step);
      return call.kind != Kind::kDestroy || before(step, call.step);
    });
  }

  static bool takes_away(const ResidencyCall& call) {
    return call.kind == Kind::kEvict || call.kind == Kind::kDestroy;
  }
  bool before(Ref first, Ref second) const { return analysis_.order.before(first, second); }

  const Analysis& analysis_;
};

}  // namespace

std::string memory_misuse(const Analysis& analysis) { return MemoryUse(analysis).misuse(); }

}  // namespace fenceline::reference
