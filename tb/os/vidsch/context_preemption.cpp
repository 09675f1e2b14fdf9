// VidSch: preemption of contexts and detection of preemptions that take too long.
#include <algorithm>

#include "tb/os/vidmm/allocation.h"
#include "tb/os/vidsch/context_scheduler.h"

namespace fenceline::os {

using common::Time;
using Packet = ContextQueue::Packet;

bool ContextScheduler::Node::holds(const ContextQueue& context) const {
  return std::find(held.begin(), held.end(), &context) != held.end();
}

ContextQueue* ContextScheduler::Node::runs() const {
  const auto it = std::find_if(in_flight.begin(), in_flight.end(),
                               [](const Given& given) { return !given.packet.leaves; });
  return it == in_flight.end() ? nullptr : it->context;
}

void ContextScheduler::set_priority(ContextQueue& context, INT priority) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  context.priority = priority;
  work_.set();
}

/// Paging outranks everything else.
int ContextScheduler::rank(const ContextQueue& context) {
  constexpr int kPaging = 100;
  return context.paging ? kPaging : context.priority;
}

/// Contexts in the order of service.
std::vector<ContextQueue*> ContextScheduler::by_rank() const {
  std::vector<ContextQueue*> result;
  for (const auto& context : contexts_) result.push_back(context.get());
  if (!preemption_.enabled) return result;
  std::stable_sort(
      result.begin(), result.end(), [this](const ContextQueue* left, const ContextQueue* right) {
        if (!preemption_.paging_first && (left->paging || right->paging)) return false;
        return rank(*left) != rank(*right) ? rank(*left) > rank(*right) : left->turn < right->turn;
      });
  return result;
}

/// False for the Windows 7 model: the driver is asked too, but its contexts have no state memory.
/// So a node stops only between buffers, and the parts of a split buffer follow each other.
bool ContextScheduler::is_aware(const Node& node) {
  return node.adapter->has_cap(DXGK_VIDSCHCAPS::kPreemptionAware);
}

/// True if the node's work may be preempted. During exploration a driver of the Windows 7 model is
/// not asked, to bound the search.
bool ContextScheduler::may_ask(const Node& node) const {
  if (is_aware(node)) return true;
  if (cpu_.simulation().steps.exploring() || node.kept != nullptr) return false;
  return std::none_of(node.in_flight.begin(), node.in_flight.end(), [](const Node::Given& given) {
    const PatchedPart* const part = given.packet.part.get();
    return part != nullptr && (part->range.start != 0 || !part->last);
  });
}

/// True if the context has a buffer that could be given to the node now. Otherwise preempting for
/// it is useless.
bool ContextScheduler::wants_node(const ContextQueue& context, const Node& node) const {
  if (&context.adapter != node.adapter || context.node != node.node || context.holds != 0 ||
      context.ended || !state_there(context))
    return false;
  if (!context.preempted.empty()) return true;
  return !context.packets.empty() && context.packets.front().kind == Packet::Kind::kBuffer;
}

/// True if the buffer must replace running work of lower priority instead of queueing behind it.
/// Paging queues behind the running work, in front of all else.
bool ContextScheduler::must_preempt(const ContextQueue& context, const Node& node) const {
  if (!preemption_.enabled || context.paging || !may_ask(node)) return false;
  const ContextQueue* const runs = node.runs();
  return runs != nullptr && rank(context) > rank(*runs);
}

/// True if VidMm waits for the node to give up or leave a context, and that would take long. A wait
/// in a buffer may even depend on the memory that VidMm is about to free.
bool ContextScheduler::has_to_stop(const Node& node) const {
  return std::any_of(node.in_flight.begin(), node.in_flight.end(), [](const Node::Given& given) {
    return given.packet.leaves || given.context->holds != 0;
  });
}

bool ContextScheduler::should_preempt(const Node& node) const {
  if (node.preempting) return false;
  const ContextQueue* const first = node.runs();
  if (first == nullptr) return false;
  const ContextQueue& runs = *first;
  const Time now = cpu_.simulation().steps.simulated();
  const bool exploring = cpu_.simulation().steps.exploring();
  if (!exploring && preemption_.detects_timeouts && now - node.since >= preemption_.tdr_delay)
    return true;
  if (!may_ask(node)) return false;
  const bool expired = exploring ? quanta_ < kMaxQuanta : now - node.since >= preemption_.quantum;
  const bool behind =
      std::any_of(node.in_flight.begin(), node.in_flight.end(), [&](const Node::Given& given) {
        return !given.packet.leaves && given.context != &runs && rank(*given.context) == rank(runs);
      });
  if (expired && (behind || has_to_stop(node))) return true;
  return std::any_of(contexts_.begin(), contexts_.end(), [&](const auto& context) {
    if (context.get() == &runs || !wants_node(*context, node)) return false;
    return must_preempt(*context, node) || (expired && rank(*context) == rank(runs));
  });
}

/// True if the node has work but is never asked to preempt it: its buffers must not run long
/// either.
bool ContextScheduler::not_asked(const Node& node) const {
  return cpu_.simulation().steps.exploring() && !is_aware(node) && !node.in_flight.empty();
}

/// Requests due preemptions and recovers nodes that did not acknowledge one. True if contexts may
/// be able to continue.
bool ContextScheduler::watch_nodes() {
  if (!preemption_.enabled) return false;
  bool changed = false;
  for (const auto& node : nodes_) {
    // Between two nodes the thread's only state is the identity of the next node.
    const std::uint64_t which = std::uint64_t{node->adapter->object()} << 32 | node->node;
    cpu_.simulation().steps.forget_at(common::Hasher().add(changed ? 3 : 4).add(which).value());
    bool due = false;
    bool late = false;
    {
      LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
      due = should_preempt(*node);
      const Time now = cpu_.simulation().steps.simulated();
      const bool exploring = cpu_.simulation().steps.exploring();
      const bool asked = node->preempting || not_asked(*node);
      late = preemption_.detects_timeouts && asked &&
             (exploring ? timer_fired_ && !recovered_ : now - node->since >= preemption_.tdr_delay);
    }
    if (due || late) pause();
    if (due && !preemption_.preempts_first &&
        cpu_.simulation().steps.simulated() - node->since >= preemption_.tdr_delay)
      late = true;
    else if (due)
      preempt(*node);
    if (late) recover(*node);
    changed = changed || late;
  }
  return changed;
}

void ContextScheduler::preempt(Node& node) {
  common::Simulation& simulation = cpu_.simulation();
  const Adapter::Visit visit(*node.adapter);
  DXGKARG_PREEMPTCOMMAND args{};
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    ContextQueue* const runs = node.runs();
    if (runs == nullptr) return;  // it has completed by now
    args.PreemptionFenceId = ++node.last_preemption;
    node.preempting = true;
    // The context that had the node now comes after others of its priority.
    runs->turn = ++turns_;
    node.since = simulation.steps.simulated();
    if (simulation.steps.exploring()) ++quanta_;
  }
  args.NodeOrdinal = node.node;
  simulation.emit(
      event::PreemptCall{node.adapter->object(), args.PreemptionFenceId, node.node + 1});
  const KIRQL old = cpu_.raise(DISPATCH_LEVEL);
  const NTSTATUS status =
      node.adapter->call<Ddi::DxgkDdiPreemptCommand>(node.adapter->handle(), &args);
  cpu_.lower(old);
  if (!NT_SUCCESS(status))
    node.adapter->bug_check(
        VIDEO_SCHEDULER_INTERNAL_ERROR,
        {fenceline::wddm::kSchedulerSubmitFailed, static_cast<std::uint32_t>(status)},
        "DxgkDdiPreemptCommand failed");
}

void ContextScheduler::preempted(Adapter& adapter, UINT node, UINT id, UINT last) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  Node& at = node_of(adapter, node);
  if (!at.preempting || id != at.last_preemption)
    adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR, {fenceline::wddm::kSchedulerInvalidFenceId},
                      adapter.gpu().config().name + ": a preemption is reported that nobody asked");
  common::Simulation& simulation = cpu_.simulation();
  simulation.emit(event::Preempted{adapter.object(), id, last, node + 1});
  at.preempting = false;
  complete_through(at, last);
  take_back(at, preemption_.resubmits);
  if (on_completed) on_completed(adapter);
}

/// Returns all buffers of the node to the front of their contexts, in order.
void ContextScheduler::take_back(Node& node, bool resubmit) {
  for (; !node.in_flight.empty(); node.in_flight.pop_back()) {
    Node::Given& given = node.in_flight.back();
    ContextQueue& context = *given.context;
    if (given.packet.leaves) {
      context.leave_given = false;
      continue;
    }
    --context.in_flight;
    if (on_listed && !context.lists.empty()) context.lists.pop_back();
    if (context.ended) --context.buffers;  // the packet is dropped with the others
    if (!resubmit) {
      --context.buffers;
      context.room.set();
      continue;
    }
    given.packet.id = given.id;
    if (given.packet.part != nullptr && !is_aware(node))
      node.kept = given.packet.part->range.start != 0 ? &context : nullptr;
    context.preempted.push_front(std::move(given.packet));
  }
  work_.set();
}

/// True if a deadline is pending. @param limit time until the earliest
bool ContextScheduler::next_deadline(Time& limit) const {
  if (!preemption_.enabled) return false;
  const Time now = cpu_.simulation().steps.simulated();
  bool any = false;
  for (const auto& node : nodes_) {
    if (node->in_flight.empty()) continue;
    Time bound = preemption_.tdr_delay;
    bool counts = preemption_.detects_timeouts;
    if (!node->preempting) {
      const ContextQueue* const runs = node->runs();
      const auto shares = [&](const auto& other) {
        const bool there =
            other->in_flight != 0 && other->node == node->node && &other->adapter == node->adapter;
        return other.get() != runs && (there || wants_node(*other, *node)) &&
               rank(*other) == rank(*runs);
      };
      const bool shared =
          runs != nullptr &&
          (has_to_stop(*node) || std::any_of(contexts_.begin(), contexts_.end(), shares));
      if (shared && may_ask(*node))
        bound = counts ? std::min(bound, preemption_.quantum) : preemption_.quantum;
      counts = counts || shared;
    }
    if (!counts) continue;
    const Time left = node->since + bound > now ? node->since + bound - now : 1;
    limit = any ? std::min(limit, left) : left;
    any = true;
  }
  if (!cpu_.simulation().steps.exploring()) return any;
  // During exploration the search for preemptions ends quanta. One preemption may time out at any
  // moment until it is acknowledged; where none is requested, one buffer may.
  return preemption_.detects_timeouts && !recovered_ &&
         std::any_of(nodes_.begin(), nodes_.end(), [this](const auto& node) {
           return (node->preempting || not_asked(*node)) && !node->in_flight.empty();
         });
}

/// Several buffers may be complete at once. Ids are no measure, because paging buffers reuse
/// theirs.
ContextScheduler::Owners ContextScheduler::complete_through(Node& node, UINT id) {
  const auto it = std::find_if(node.in_flight.begin(), node.in_flight.end(),
                               [id](const Node::Given& given) { return given.id == id; });
  Owners owners;
  if (it == node.in_flight.end()) return owners;
  node.last_completed = id;
  if (!node.preempting) node.since = cpu_.simulation().steps.simulated();
  for (auto left = it - node.in_flight.begin() + 1; left > 0; --left) {
    const bool leaves = node.in_flight.front().packet.leaves;
    ContextQueue& context = *node.in_flight.front().context;
    node.in_flight.pop_front();
    if (leaves) {
      has_left(node, context);
      continue;
    }
    owners.push_back(context.owner);
    count_complete(context);
  }
  return owners;
}

void ContextScheduler::count_complete(ContextQueue& context) const {
  --context.buffers;
  --context.in_flight;
  ++context.completed;
  if (on_listed) ++context.lists_done;
  context.room.set();
}

}  // namespace fenceline::os
