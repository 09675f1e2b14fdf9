#pragma once

#include <cstdint>

#include "tb/os/context_scheduler.h"

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
};

}  // namespace fenceline::os
