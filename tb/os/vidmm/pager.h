#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tb/os/vidsch/context_scheduler.h"

namespace fenceline::os {

/// Paging buffers: operations of DxgkDdiBuildPagingBuffer, gathered in a DMA buffer of the system
/// process, run by the paging node, and waited for by a fence. All calls in one thread at
/// PASSIVE_LEVEL. Source: WDDM, DxgkDdiBuildPagingBuffer.
class Pager {
 public:
  Pager(Cpu& cpu, Adapter& adapter, ContextScheduler& contexts, MonitoredFences& fences)
      : cpu_(cpu),
        adapter_(adapter),
        contexts_(contexts),
        fences_(fences),
        done_(cpu.simulation().steps) {}

  /// @param system the paging process. @param fence signalled behind each buffer.
  void start(AddressSpace& system, PagePool& system_pages, std::shared_ptr<MonitoredFence> fence);

  /// The driver builds an operation; what does not fit one buffer goes into several. Bug check for
  /// a status that is not documented.
  void build(DXGKARG_BUILDPAGINGBUFFER& args);
  /// Runs what was built. @param wait returns when it is done, else it may be under way still.
  void run(bool wait);
  /// What is built from now on is about this allocation.
  void set_subject(Allocation& allocation) { subject_ = &allocation; }
  /// The buffer that runs was lost in a reset, and counts as complete. Returns what it was about.
  std::vector<Allocation*> lose() { return std::move(running_); }
  /// The allocation is no more.
  void forget(const Allocation& allocation);

  std::uint64_t buffers_run() const { return value_; }

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
  UINT written_ = 0;         ///< [bytes]
  std::uint64_t value_ = 0;  ///< of the fence, for the last buffer
  bool under_way_ = false;
  Allocation* subject_ = nullptr;
  std::vector<Allocation*> built_;    ///< allocations of the buffer that is gathered
  std::vector<Allocation*> running_;  ///< of the one that was submitted last
};

}  // namespace fenceline::os
