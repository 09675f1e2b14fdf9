#include "tb/os/vidmm/pager.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/top/gpu.h"

namespace fenceline::os {

void Pager::start(AddressSpace& system, PagePool& system_pages,
                  std::shared_ptr<MonitoredFence> fence) {
  fence_ = std::move(fence);
  const UINT bytes = adapter_.paging_buffer_bytes();
  buffer_ = {false, system_pages.allocate(bytes), bytes};
  address_ = system.map(buffer_, false);
  DXGKARG_CREATECONTEXT create{};
  create.hContext = this;
  create.NodeOrdinal = adapter_.caps().MemoryManagementCaps.PagingNode;
  create.EngineAffinity = 1;
  create.Flags.Value =
      DXGK_CREATECONTEXTFLAGS::kVirtualAddressing | DXGK_CREATECONTEXTFLAGS::kSystemContext;
  const NTSTATUS status = adapter_.call<Ddi::DxgkDdiCreateContext>(system.device(), &create);
  if (!NT_SUCCESS(status))
    throw StartFailure(StartRule::kCallFailed, adapter_.gpu().config().name +
                                                   ": the paging context cannot be created: " +
                                                   fenceline::wddm::status_name(status));
  context_ = &contexts_.table.create(adapter_, adapter_.gpu().config().name + ".paging",
                                     create.NodeOrdinal, create.hContext);
  context_->paging = true;
}

void Pager::build(DXGKARG_BUILDPAGINGBUFFER& args) {
  settle();
  args.MultipassOffset = 0;
  for (;;) {
    const auto room = static_cast<UINT>(buffer_.bytes) - written_;
    args.pDmaBuffer = adapter_.driver_port().give(buffer_.address + written_, room);
    args.DmaSize = room;
    args.DmaBufferGpuVirtualAddress = address_;
    args.DmaBufferWriteOffset = written_;
    const NTSTATUS status = adapter_.call<Ddi::DxgkDdiBuildPagingBuffer>(adapter_.handle(), &args);
    const std::uint64_t end = to_bus_address(args.pDmaBuffer) - buffer_.address;
    if (end < written_ || end > buffer_.bytes)
      adapter_.bug_check(VIDEO_MEMORY_MANAGEMENT_INTERNAL,
                         {fenceline::wddm::kMemoryDmaBufferOverflow, end},
                         "a paging buffer is longer than it may be");
    written_ = static_cast<UINT>(end);
    if (subject_ != nullptr) built_.push_back(subject_);
    if (NT_SUCCESS(status)) return;
    if (status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER || written_ == 0)
      adapter_.must_succeed(status, Ddi::DxgkDdiBuildPagingBuffer, VIDEO_MEMORY_MANAGEMENT_INTERNAL,
                            fenceline::wddm::kMemoryPagingBufferStatus);
    run(true);
  }
}

void Pager::run(bool wait) {
  if (written_ == 0) return;
  under_way_ = true;
  running_ = std::exchange(built_, {});
  contexts_.submission.submit(*context_, address_, written_);
  contexts_.submission.signal(*context_, {{fence_, ++value_}});
  written_ = 0;
  if (wait) settle();
}

/// Waits for the last buffer: its memory cannot be reused before.
void Pager::settle() {
  if (!under_way_) return;
  Waiter waiter;
  done_.clear();
  waiter.event = &done_;
  waiter.number = 0;
  const std::vector<MonitoredFences::Point> points{{fence_, value_}};
  if (NT_SUCCESS(fences_.wait(waiter, points)) && !waiter.satisfied) cpu_.block(done_, nullptr);
  under_way_ = false;
  running_.clear();
}

void Pager::forget(const Allocation& allocation) {
  if (subject_ == &allocation) subject_ = nullptr;
  for (std::vector<Allocation*>* list : {&built_, &running_})
    list->erase(std::remove(list->begin(), list->end(), &allocation), list->end());
}

}  // namespace fenceline::os
