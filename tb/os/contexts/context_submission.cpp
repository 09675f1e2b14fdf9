#include "tb/os/contexts/context_submission.h"

#include <algorithm>
#include <utility>

namespace fenceline::os {

using Packet = ContextQueue::Packet;

/// False if another thread has used the free place. A packet for a context whose device is in error
/// is dropped.
bool ContextSubmission::put(ContextQueue& context, Packet& packet) {
  LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
  if (context.ended) return true;
  if (packet.kind == Packet::Kind::kBuffer) {
    if (!has_room(context)) return false;
    if (packet.part != nullptr) {
      context.sender = packet.part->last ? 0 : table_.cpu.simulation().steps.current();
      if (packet.part->last) context.room.set();
    }
    ++context.buffers;
    packet.number = ++context.submitted;
    table_.cpu.simulation().emit(event::ContextPacket{context.object, packet.number, packet.address,
                                                      context.paging, context.process});
  } else {
    packet.number = ++context.software;
    if (packet.wait != nullptr) packet.wait->number = packet.number;
    table_.cpu.simulation().emit(event::SoftwarePacket{context.object, packet.number});
  }
  context.packets.push_back(std::move(packet));
  table_.work.set();
  return true;
}

bool ContextSubmission::has_room(const ContextQueue& context) const {
  return context.buffers < kMaxQueued &&
         (context.sender == 0 || context.sender == table_.cpu.simulation().steps.current());
}

/// Blocks until `free()` holds under the lock, or the context's device is in error.
template <typename Free>
void ContextSubmission::wait_until_free(ContextQueue& context, Free&& free) {
  for (;;) {
    {
      LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
      if (context.ended || free()) return;
      context.room.clear();
    }
    table_.cpu.block(context.room, nullptr);
  }
}

NTSTATUS ContextSubmission::put_buffer(ContextQueue& context, Packet packet) {
  do wait_until_free(context, [&] { return has_room(context); });
  while (!put(context, packet));
  // It may have left D0 since the caller woke it. From now on the buffer keeps it there.
  if (table_.sleeps(context.adapter)) table_.wake(context.adapter);
  return context.ended ? STATUS_DEVICE_REMOVED : STATUS_SUCCESS;
}

/// Reserves in the order of object numbers. So two threads cannot deadlock.
void ContextSubmission::reserve(std::vector<ContextQueue*> contexts) {
  std::sort(contexts.begin(), contexts.end(),
            [](const auto* one, const auto* other) { return one->object < other->object; });
  const common::AgentId me = table_.cpu.simulation().steps.current();
  for (ContextQueue* context : contexts)
    wait_until_free(*context, [&] {
      if (context->sender != 0 && context->sender != me) return false;
      context->sender = me;
      return true;
    });
}

NTSTATUS ContextSubmission::submit(ContextQueue& context, D3DGPU_VIRTUAL_ADDRESS address,
                                   UINT bytes, std::vector<Allocation*> listed) {
  Packet packet;
  packet.address = address;
  packet.bytes = bytes;
  packet.listed = std::move(listed);
  return put_buffer(context, std::move(packet));
}

NTSTATUS ContextSubmission::submit(ContextQueue& context, std::shared_ptr<const PatchedPart> part) {
  Packet packet;
  packet.address = part->buffer->memory.gpu_physical() + part->range.start;
  packet.bytes = part->range.end - part->range.start;
  packet.part = std::move(part);
  return put_buffer(context, std::move(packet));
}

NTSTATUS ContextSubmission::submit_flip(ContextQueue& context, D3DGPU_VIRTUAL_ADDRESS address,
                                        UINT bytes) {
  Packet packet;
  packet.address = address;
  packet.bytes = bytes;
  packet.flips = true;
  return put_buffer(context, std::move(packet));
}

void ContextSubmission::put_wait(ContextQueue& context,
                                 std::shared_ptr<ContextQueue::HeldWait> wait,
                                 std::uint32_t number) {
  Packet packet;
  packet.kind = Packet::Kind::kWait;
  packet.wait = std::move(wait);
  packet.wait->waiter.number = number;
  packet.wait->waiter.event = &table_.work;
  put(context, packet);
}

void ContextSubmission::wait(ContextQueue& context, const MonitoredFences::Point& point,
                             std::uint32_t number) {
  auto wait = std::make_shared<ContextQueue::HeldWait>();
  wait->point = point;
  put_wait(context, std::move(wait), number);
}

void ContextSubmission::wait(ContextQueue& context, const FenceScheduler::Point& point,
                             std::uint32_t number) {
  auto wait = std::make_shared<ContextQueue::HeldWait>();
  wait->native = point.fence;
  wait->point.value = point.value;
  put_wait(context, std::move(wait), number);
}

void ContextSubmission::signal(ContextQueue& context, std::vector<MonitoredFences::Point> points) {
  Packet packet;
  packet.kind = Packet::Kind::kSignal;
  packet.points = std::move(points);
  put(context, packet);
}

void ContextSubmission::signal(ContextQueue& context, std::vector<FenceScheduler::Point> points) {
  Packet packet;
  packet.kind = Packet::Kind::kSignal;
  packet.natives = std::move(points);
  put(context, packet);
}

}  // namespace fenceline::os
