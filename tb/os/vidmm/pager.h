#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tb/os/contexts/context_scheduler.h"

namespace fenceline::os {

/// Paging buffers: gathers operations of DxgkDdiBuildPagingBuffer in a DMA buffer of the system
/// process, runs it on the paging node, and waits for its fence. All calls in one thread at
/// PASSIVE_LEVEL. Source: WDDM, DxgkDdiBuildPagingBuffer.
class Pager {
 public:
  Pager(Cpu& cpu, Adapter& adapter, ContextScheduler& contexts, MonitoredFences& fences)
      : cpu_(cpu),
        adapter_(adapter),
        contexts_(contexts),
        fences_(fences),
        done_(cpu.simulation().steps) {}

  /// @param system the paging process @param fence signalled after each buffer
  void start(AddressSpace& system, PagePool& system_pages, std::shared_ptr<MonitoredFence> fence);

  /// Lets the driver build an operation, in several buffers if necessary. Bug check for an
  /// undocumented status.
  void build(DXGKARG_BUILDPAGINGBUFFER& args);
  /// Submits the gathered buffer. @param wait return only after its completion
  void run(bool wait);
  /// Sets the allocation of the next operations.
  void set_subject(Allocation& allocation) { subject_ = &allocation; }
  /// The running buffer was lost in a reset and counts as complete. Returns its allocations.
  std::vector<Allocation*> lose() { return std::move(running_); }
  /// The allocation is destroyed.
  void forget(const Allocation& allocation);

 private:
  void settle();

  Cpu& cpu_;
  Adapter& adapter_;
  ContextScheduler& contexts_;
  MonitoredFences& fences_;
  KernelEvent done_;
  ContextQueue* context_ = nullptr;
  std::shared_ptr<MonitoredFence> fence_;
  Backing buffer_;
  D3DGPU_VIRTUAL_ADDRESS address_ = 0;
  UINT written_ = 0;         ///< [bytes] in the gathered buffer
  std::uint64_t value_ = 0;  ///< fence value of the last buffer
  bool under_way_ = false;
  Allocation* subject_ = nullptr;
  std::vector<Allocation*> built_;    ///< allocations of the gathered buffer
  std::vector<Allocation*> running_;  ///< allocations of the last submitted buffer
};

}  // namespace fenceline::os
