#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tb/os/allocations/allocation_locks.h"
#include "tb/os/allocations/allocation_moves.h"

namespace fenceline::os {

/// VidMm of one adapter: creates and destroys allocations. Its thread serves requests of processes
/// and moves content to and from VRAM with paging buffers. Source: WDDM, video memory management;
/// assumptions.
class VideoMemory : public common::Hashed {
 public:
  VideoMemory(Cpu& cpu, Adapter& adapter, ContextScheduler& contexts, MonitoredFences& fences,
              memory::SystemMemory& host_memory, const host::Caches& caches, bool snoops);

  /// The adapter has started. @param wake puts it in D0 @param fence of the paging buffers
  void start(AddressSpace& system, PagePool& vram_pages, PagePool& system_pages,
             std::shared_ptr<MonitoredFence> fence, std::function<void()> wake);
  /// Body of its thread.
  void run();
  /// A buffer has completed. Up to DISPATCH_LEVEL.
  void progress() { state_.work.set(); }

  // Calls of threads at PASSIVE_LEVEL. MemoryCalls documents their results.
  NTSTATUS create(Process& process, D3DDDI_ALLOCATIONINFO2& info, const std::string& name,
                  D3DKMT_HANDLE handle, std::unique_ptr<Allocation>& made);
  /// Creates memory for the state of a context. On return it is resident and initialised.
  NTSTATUS create_state(Process& process, const DXGKARGCB_CREATECONTEXTALLOCATION& args,
                        Allocation& made);
  /// Makes the state of a context resident again, then calls BufferDispatch::state_returned.
  void bring_state(ContextQueue& context);
  /// Paging buffers were lost in a reset of the adapter: the devices that own the memory are in
  /// error. At PASSIVE_LEVEL, in any thread.
  void lose_paging();
  /// @param value out: of the paging queue's fence once all of them are resident
  NTSTATUS make_resident(Process& process, const std::vector<Allocation*>& list,
                         std::uint64_t& value, std::uint64_t& to_trim);
  void evict(Process& process, const std::vector<Allocation*>& list, bool only_if_necessary);
  /// @param synchronous return only when the memory is free
  void destroy(Process& process, const std::vector<Allocation*>& list, bool assume_not_in_use,
               bool synchronous);

  AllocationCaches& caches() { return caches_; }
  AllocationMoves& moves() { return moves_; }
  AllocationLocks& locks() { return locks_; }
  const AllocationReports& reports() const { return reports_; }

  /// It is serving a request and needs the adapter in D0.
  bool serving() const { return serving_; }
  /// Before D3. False, without any change, if it is serving a request. Later requests wake the
  /// adapter.
  bool sleep();
  /// After D3, or if the adapter stays in D0.
  void wake_up();

  /// The context needs the allocation from now on.
  static void join(ContextQueue& context, Allocation& allocation);
  std::uint64_t state_hash() const override;

 private:
  bool has_lawful_place(const DXGK_ALLOCATIONINFO& wanted) const;
  NTSTATUS create_at_driver(DXGK_ALLOCATIONINFO& wanted);
  NTSTATUS open_at_driver(Process& process, D3DKMT_HANDLE handle, HANDLE& opened);
  void destroy_at_driver(HANDLE allocation);
  void enter(Process& process, Allocation& made);
  void set_asleep(bool asleep);
  bool serve_one();
  bool serve(MemoryRequest& request);
  bool serve_make_resident(MemoryRequest& request);
  void serve_evict(const MemoryRequest& request);
  void free(Allocation& allocation, bool not_in_use);

  VideoMemoryState state_;
  MonitoredFences& fences_;
  AllocationClaims claims_;
  AllocationWindows windows_;
  AllocationCaches caches_;
  AllocationReports reports_;
  AllocationPages pages_;
  PagingOperations paging_;
  MemoryRequests requests_;
  AllocationMoves moves_;
  AllocationLocks locks_;
  std::uint32_t states_made_ = 0;  ///< number of context allocations so far
  std::uint64_t next_user_address_ = 1ULL << 46;
  bool serving_ = false;
};

}  // namespace fenceline::os
