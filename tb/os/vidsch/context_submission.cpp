// Submissions of threads into the queues of contexts.
#include <algorithm>
#include <utility>

#include "tb/os/vidsch/context_scheduler.h"

namespace fenceline::os {

using Packet = ContextQueue::Packet;

/// False if another thread has used the free place. A packet for a context whose device is in error
/// is dropped.
bool ContextScheduler::put(ContextQueue& context, Packet& packet) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  if (context.ended) return true;
  if (packet.kind == Packet::Kind::kBuffer) {
    if (!packet.leaves && !has_room(context)) return false;
    if (packet.part != nullptr) {
      context.sender = packet.part->last ? 0 : cpu_.simulation().steps.current();
      if (packet.part->last) context.room.set();
    }
    ++context.buffers;
    ++context.submitted;
    if (!packet.leaves) {
      packet.number = ++context.numbered;
      common::Simulation& simulation = cpu_.simulation();
      simulation.emit(event::ContextPacket{context.object, packet.number, packet.address,
                                           context.paging, context.process});
    }
  }
  context.packets.push_back(std::move(packet));
  work_.set();
  return true;
}

bool ContextScheduler::has_room(const ContextQueue& context) const {
  return context.buffers < kMaxQueued &&
         (context.sender == 0 || context.sender == cpu_.simulation().steps.current());
}

/// Blocks until `free()` holds under the lock, or the context's device is in error.
template <typename Free>
void ContextScheduler::wait_until_free(ContextQueue& context, Free&& free) {
  for (;;) {
    {
      LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
      if (context.ended || free()) return;
      context.room.clear();
    }
    cpu_.block(context.room, nullptr);
  }
}

NTSTATUS ContextScheduler::put_buffer(ContextQueue& context, Packet packet) {
  do wait_until_free(context, [&] { return has_room(context); });
  while (!put(context, packet));
  return context.ended ? STATUS_DEVICE_REMOVED : STATUS_SUCCESS;
}

/// Reserves in the order of object numbers. So two threads cannot deadlock.
void ContextScheduler::reserve(std::vector<ContextQueue*> contexts) {
  std::sort(contexts.begin(), contexts.end(),
            [](const auto* one, const auto* other) { return one->object < other->object; });
  const common::AgentId me = cpu_.simulation().steps.current();
  for (ContextQueue* context : contexts)
    wait_until_free(*context, [&] {
      if (context->sender != 0 && context->sender != me) return false;
      context->sender = me;
      return true;
    });
}

NTSTATUS ContextScheduler::submit(ContextQueue& context, D3DGPU_VIRTUAL_ADDRESS address, UINT bytes,
                                  std::vector<Allocation*> listed) {
  Packet packet;
  packet.address = address;
  packet.bytes = bytes;
  packet.listed = std::move(listed);
  return put_buffer(context, std::move(packet));
}

NTSTATUS ContextScheduler::submit_flip(ContextQueue& context, D3DGPU_VIRTUAL_ADDRESS address,
                                       UINT bytes) {
  Packet packet;
  packet.address = address;
  packet.bytes = bytes;
  packet.flips = true;
  return put_buffer(context, std::move(packet));
}

NTSTATUS ContextScheduler::submit(ContextQueue& context, std::shared_ptr<const PatchedPart> part) {
  Packet packet;
  packet.address = part->buffer->memory.gpu_physical() + part->range.start;
  packet.bytes = part->range.end - part->range.start;
  packet.part = std::move(part);
  return put_buffer(context, std::move(packet));
}

}  // namespace fenceline::os
