#include "tb/os/contexts/preemption_policy.h"

#include <algorithm>

namespace fenceline::os {

using common::Time;
using Given = ContextNode::Given;

namespace {

/// Paging outranks everything else.
int rank(const ContextQueue& context) {
  constexpr int kPaging = 100;
  return context.paging ? kPaging : context.priority;
}

/// True if the context has a buffer that could be given to the node now. Otherwise preempting for
/// it is useless.
bool wants_node(const ContextQueue& context, const ContextNode& node) {
  if (&context.adapter != node.adapter || context.node != node.node || context.holds != 0 ||
      context.stopped() || !context.has_states())
    return false;
  if (!context.preempted.empty()) return true;
  return !context.packets.empty() &&
         context.packets.front().kind == ContextQueue::Packet::Kind::kBuffer;
}

/// True if VidMm waits for the node to give up or leave a context, and that would take long. A wait
/// in a buffer may even depend on the memory that VidMm is about to free.
bool has_to_stop(const ContextNode& node) {
  return std::any_of(node.in_flight.begin(), node.in_flight.end(), [](const Given& given) {
    return given.packet.leaves || given.context->holds != 0;
  });
}

}  // namespace

std::vector<ContextQueue*> PreemptionPolicy::by_rank() const {
  std::vector<ContextQueue*> result;
  for (const auto& context : table_.contexts) result.push_back(context.get());
  if (!table_.preemption.enabled) return result;
  std::stable_sort(
      result.begin(), result.end(), [this](const ContextQueue* left, const ContextQueue* right) {
        if (!table_.preemption.paging_first && (left->paging || right->paging)) return false;
        return rank(*left) != rank(*right) ? rank(*left) > rank(*right) : left->turn < right->turn;
      });
  return result;
}

/// True if the node's work may be preempted. During exploration a driver of the Windows 7 model is
/// not asked, to bound the search.
bool PreemptionPolicy::may_ask(const ContextNode& node) const {
  if (node.aware) return true;
  if (steps().exploring() || node.kept != nullptr) return false;
  return std::none_of(node.in_flight.begin(), node.in_flight.end(), [](const Given& given) {
    const PatchedPart* const part = given.packet.part.get();
    return part != nullptr && (part->range.start != 0 || !part->last);
  });
}

bool PreemptionPolicy::must_preempt(const ContextQueue& context, const ContextNode& node) const {
  if (!table_.preemption.enabled || context.paging || !may_ask(node)) return false;
  const ContextQueue* const runs = node.runs();
  return runs != nullptr && rank(context) > rank(*runs);
}

bool PreemptionPolicy::should_preempt(const ContextNode& node) const {
  if (node.preempting || table_.resetting == node.adapter || node.in_flight.empty()) return false;
  const Time now = steps().simulated();
  const bool exploring = steps().exploring();
  if (!exploring && table_.preemption.detects_timeouts &&
      now - node.since >= table_.preemption.tdr_delay)
    return true;
  const ContextQueue* const first = node.runs();
  if (first == nullptr || !may_ask(node)) return false;
  const ContextQueue& runs = *first;
  const bool expired =
      exploring ? table_.quanta < kMaxQuanta : now - node.since >= table_.preemption.quantum;
  const bool behind =
      std::any_of(node.in_flight.begin(), node.in_flight.end(), [&](const Given& given) {
        return !given.packet.leaves && given.context != &runs && rank(*given.context) == rank(runs);
      });
  if (expired && (behind || has_to_stop(node))) return true;
  return std::any_of(table_.contexts.begin(), table_.contexts.end(), [&](const auto& context) {
    if (context.get() == &runs || !wants_node(*context, node)) return false;
    return must_preempt(*context, node) || (expired && rank(*context) == rank(runs));
  });
}

bool PreemptionPolicy::not_asked(const ContextNode& node) const {
  return steps().exploring() && !node.aware && !node.in_flight.empty();
}

bool PreemptionPolicy::next_deadline(Time& limit) const {
  if (!table_.preemption.enabled) return false;
  const Time now = steps().simulated();
  bool any = false;
  for (const auto& node : table_.nodes) {
    if (node->idle() || table_.resetting == node->adapter) continue;
    Time bound = table_.preemption.tdr_delay;
    bool counts = table_.preemption.detects_timeouts;
    if (!node->preempting) {
      const ContextQueue* const runs = node->runs();
      const auto shares = [&](const auto& other) {
        const bool there =
            other->in_flight != 0 && other->node == node->node && &other->adapter == node->adapter;
        return other.get() != runs && (there || wants_node(*other, *node)) &&
               rank(*other) == rank(*runs);
      };
      const bool shared =
          runs != nullptr && (has_to_stop(*node) ||
                              std::any_of(table_.contexts.begin(), table_.contexts.end(), shares));
      if (shared && may_ask(*node))
        bound = counts ? std::min(bound, table_.preemption.quantum) : table_.preemption.quantum;
      counts = counts || shared;
    }
    if (!counts) continue;
    const Time left = node->since + bound > now ? node->since + bound - now : 1;
    limit = any ? std::min(limit, left) : left;
    any = true;
  }
  if (!steps().exploring()) return any;
  // During exploration the search for preemptions ends quanta. One preemption may time out at any
  // moment until it is acknowledged; where none is requested, one buffer may.
  return table_.preemption.detects_timeouts && !table_.recovered &&
         std::any_of(table_.nodes.begin(), table_.nodes.end(),
                     [this](const auto& node) { return node->preempting || not_asked(*node); });
}

}  // namespace fenceline::os
