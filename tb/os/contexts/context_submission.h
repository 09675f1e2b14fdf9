#pragma once

#include "tb/os/contexts/context_table.h"

namespace fenceline::os {

/// What threads at PASSIVE_LEVEL submit to contexts: buffers, waits and signals, in order. Several
/// threads may submit to one context.
class ContextSubmission {
 public:
  /// Buffers of a context; then the submitting thread blocks.
  static constexpr std::size_t kMaxQueued = 8;

  explicit ContextSubmission(ContextTable& table) : table_(table) {}

  /// Blocks while the context has kMaxQueued buffers. Returns STATUS_DEVICE_REMOVED and queues
  /// nothing if the device is in error.
  NTSTATUS submit(ContextQueue& context, D3DGPU_VIRTUAL_ADDRESS address, UINT bytes,
                  std::vector<Allocation*> listed = {});
  /// As submit(), for a buffer that DxgkDdiPresent has written.
  NTSTATUS submit_flip(ContextQueue& context, D3DGPU_VIRTUAL_ADDRESS address, UINT bytes);
  /// As submit(), for a part of a buffer with patch locations. Other threads that submit to the
  /// context block from the first part to the last.
  NTSTATUS submit(ContextQueue& context, std::shared_ptr<const PatchedPart> part);
  /// Announces that the current thread will submit all parts of a buffer to each of these contexts.
  void reserve(std::vector<ContextQueue*> contexts);
  void wait(ContextQueue& context, const MonitoredFences::Point& point, std::uint32_t number);
  void signal(ContextQueue& context, std::vector<MonitoredFences::Point> points);
  /// As above, for native fences.
  void wait(ContextQueue& context, const FenceScheduler::Point& point, std::uint32_t number);
  void signal(ContextQueue& context, std::vector<FenceScheduler::Point> points);

 private:
  bool put(ContextQueue& context, ContextQueue::Packet& packet);
  NTSTATUS put_buffer(ContextQueue& context, ContextQueue::Packet packet);
  void put_wait(ContextQueue& context, std::shared_ptr<ContextQueue::HeldWait> wait,
                std::uint32_t number);
  bool has_room(const ContextQueue& context) const;
  template <typename Free>
  void wait_until_free(ContextQueue& context, Free&& free);

  ContextTable& table_;
};

}  // namespace fenceline::os
