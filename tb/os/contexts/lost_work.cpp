#include "tb/os/contexts/lost_work.h"

#include <algorithm>

namespace fenceline::os {

void LostWork::abort(ContextNode& node, std::size_t count) {
  std::vector<const void*> hit;
  bool paging = false;
  {
    LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
    const bool pages =
        std::any_of(node.in_flight.begin(), node.in_flight.end(),
                    [](const ContextNode::Given& given) { return given.context->paging; });
    if (!table_.preemption.spares_others && !pages) count = node.in_flight.size();
    for (std::size_t i = 0; i < count; ++i) {
      const ContextNode::Given given = std::move(node.in_flight.front());
      node.in_flight.pop_front();
      ContextQueue& context = *given.context;
      if (context.paging) {
        paging = true;
        returns_.count_complete(context);
        continue;
      }
      if (std::find(hit.begin(), hit.end(), context.owner) == hit.end())
        hit.push_back(context.owner);
      if (given.packet.leaves) {  // the state that the node was to save is lost
        context.leave_given = false;
        continue;
      }
      --context.in_flight;
      --context.buffers;
      if (table_.on_listed && !context.lists.empty()) ++context.lists_done;
    }
    // The node may still hold state of these contexts; it forgets only its running work.
    node.kept = nullptr;
    returns_.take_back(node, true);
  }
  for (const void* owner : hit) end_device(*node.adapter, owner);
  if (paging && on_paging_lost) on_paging_lost(*node.adapter);
  if (table_.on_completed) table_.on_completed(*node.adapter);
}

void LostWork::end(const Adapter& adapter, const void* owner) {
  const auto goes_on = [&](const auto& context) {
    return context->owner == owner && &context->adapter == &adapter && !context->ended;
  };
  if (std::none_of(table_.contexts.begin(), table_.contexts.end(), goes_on)) return;
  {
    LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
    for (const auto& context : table_.contexts) {
      if (!goes_on(context)) continue;
      table_.cpu.simulation().emit(event::ContextEnded{context->object, context->process});
      context->ended = true;
      context->sender = 0;
      context->buffers = context->in_flight;
      context->room.set();
    }
    table_.work.set();
  }
  if (on_ended) on_ended(adapter);
}

void LostWork::end_device(const Adapter& adapter, const void* owner) {
  end(adapter, owner);
  if (on_aborted) on_aborted(owner);
}

void LostWork::lose_memory(Adapter& adapter, const void* owner, std::uint32_t process) {
  table_.cpu.simulation().emit(
      event::Recovery{adapter.object(), event::RecoveryStage::kMemoryLost, process, 0});
  end_device(adapter, owner);
}

bool LostWork::end_faulted() {
  if (!table_.faults) return false;
  table_.faults = false;
  std::vector<const ContextQueue*> faulted;
  {
    LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
    faulted.swap(table_.faulted);
  }
  for (const ContextQueue* context : faulted) end_device(context->adapter, context->owner);
  return true;
}

}  // namespace fenceline::os
