#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tb/os/allocations/allocation.h"
#include "tb/os/allocations/user_pages.h"
#include "tb/os/contexts/context_submission.h"
#include "tb/os/core/shared_data.h"
#include "tb/os/objects/doorbells.h"
#include "tb/os/objects/sync_object.h"
#include "tb/os/vidmm/address_space.h"
#include "tb/os/vidsch/fence_log_reader.h"
#include "tb/os/vidsch/hardware_scheduler.h"

namespace fenceline::os {

/// A hardware queue in the OS.
struct HwQueue {
  std::string name;
  std::uint32_t object = 0;  ///< ObjectKind::kQueue
  HANDLE driver_handle = nullptr;
  HwContext* context = nullptr;
  HANDLE doorbell = nullptr;       ///< handle of the driver
  std::uint64_t doorbell_bus = 0;  ///< address of a doorbell that the queue owns for good
  std::unique_ptr<UserDoorbell> user_doorbell;  ///< for shared doorbells, else null
  QueueLogs logs;
  bool has_logs = false;
  std::uint32_t log_generation = 0;  ///< number of log buffers set so far
  D3DKMT_HANDLE progress_fence = 0;  ///< its native progress fence, 0: none
};

/// A process with its device on one adapter and its handles.
struct Process {
  /// @param shared guards the handles of all processes
  explicit Process(SharedData& shared, std::size_t device_number = 0)
      : objects(shared), number(device_number) {}

  // Object of a handle; null if there is none.
  LocalFence* fence(D3DKMT_HANDLE handle);
  SyncObject* sync_object(D3DKMT_HANDLE handle);
  ContextQueue* context(D3DKMT_HANDLE handle);
  Allocation* allocation(D3DKMT_HANDLE handle);
  HwContext* hw_context(D3DKMT_HANDLE handle);
  HwQueue* hw_queue(D3DKMT_HANDLE handle);
  HwQueue& queue(D3DKMT_HANDLE handle) { return *hw_queue(handle); }  ///< @pre it is one
  /// Handle of its device, or of its object with an index.
  D3DKMT_HANDLE device() const { return own(kDeviceHandle, 0); }
  D3DKMT_HANDLE own(D3DKMT_HANDLE mark, std::size_t index_plus_1) const {
    return mark | static_cast<D3DKMT_HANDLE>(number << kDeviceShift | index_plus_1);
  }
  /// Memory that it shares with its GPU for good, by GPU virtual address; null for none.
  const Backing* fixed_memory(D3DGPU_VIRTUAL_ADDRESS address) const;
  /// NT handle by which another process opens a shared fence; null for one that is not shared.
  HANDLE nt_handle(D3DKMT_HANDLE handle);
  /// Native fences of one adapter that work of the process may signal: open ones, and closed ones
  /// that others have open.
  FenceList signalled_natives() const;
  /// Work of the process may signal this native fence of one adapter.
  bool may_signal(const NativeFence& fence) const;
  /// The fence that a handle stands for, or stood for until its close; null if it is destroyed.
  std::shared_ptr<NativeFence> native_of(D3DKMT_HANDLE handle);
  /// True if the OS has given drivers this handle for an object of this process.
  bool has(Adapter::Known wanted, HANDLE handle) const;
  /// Adds an event object to the process; returns its NT handle.
  HANDLE add_event(KernelEvent& event) {
    events.push_back(&event);
    return &event;
  }

  SharedData& objects;
  const std::size_t number;
  std::string name;
  std::uint32_t object = 0;  ///< ObjectKind::kProcess
  std::size_t adapter = 0;
  std::unique_ptr<AddressSpace> space;
  UserPages user_pages;
  /// By handle. Handles are never reused within the run.
  std::map<D3DKMT_HANDLE, LocalFence> fences;
  std::size_t last_fence = 0;
  std::vector<std::unique_ptr<HwQueue>> queues;  ///< by the index of their handles, as below
  std::vector<std::unique_ptr<HwContext>> hw_contexts;
  std::map<D3DKMT_HANDLE, SyncObject> sync_objects;  ///< by handle, as above
  std::size_t last_sync_object = 0;
  /// A closed fence that is not destroyed yet: other processes have it open, or its close is under
  /// way. Submissions up to the close may still signal it.
  template <typename Of>
  struct Closed {
    std::weak_ptr<Of> fence;
    std::vector<ContextQueue::Mark> marks;
    /// True once those submissions are complete. Hardware queues do not report completion.
    bool passed() const {
      return std::all_of(marks.begin(), marks.end(), [](const auto& mark) {
        return mark.context->completed >= mark.submitted;
      });
    }
  };
  template <typename Of>
  using ClosedFences = std::map<std::uint32_t, Closed<Of>>;  ///< by number
  ClosedFences<MonitoredFence> closed_fences;
  ClosedFences<NativeFence> closed_natives;
  std::map<D3DKMT_HANDLE, std::weak_ptr<NativeFence>> closed_handles;  ///< of `closed_natives`
  template <typename Of>
  static void keep_closed(ClosedFences<Of>& all, const std::shared_ptr<Of>& fence,
                          std::vector<ContextQueue::Mark> marks) {
    for (auto it = all.begin(); it != all.end();)
      it = it->second.fence.expired() ? all.erase(it) : std::next(it);
    all[fence->object] = {fence, std::move(marks)};
  }
  /// A DMA buffer of a flip. It is free again once the work of its last flip is complete.
  struct FlipBuffer {
    Backing backing;
    D3DGPU_VIRTUAL_ADDRESS address = 0;
    ContextQueue::Mark last{nullptr, 0};
    bool taken = false;  ///< a thread has it written and queued
    bool free() const { return !taken && (last.context == nullptr || last.passed()); }
  };
  std::deque<FlipBuffer> flip_buffers;
  std::vector<ContextQueue*> contexts;  ///< the index is the handle without kContextHandle
  std::vector<std::unique_ptr<Allocation>> states;  ///< states of contexts
  /// State memory of contexts that threads are creating at the moment.
  std::map<common::AgentId, Allocation*> states_made;
  /// Memory that the driver allocates for all contexts of its device.
  std::vector<std::unique_ptr<Allocation>> device_states;
  std::vector<std::unique_ptr<Allocation>> managed;
  std::map<D3DGPU_VIRTUAL_ADDRESS, Backing> fixed;  ///< see fixed_memory
  D3DKMT_HANDLE paging_fence = 0;    ///< of its paging queue, among sync_objects; 0: no queue
  std::uint64_t paging_value = 0;    ///< last one handed out
  std::vector<KernelEvent*> events;  ///< whose handles are this process's
  ProcessKind kind = ProcessKind::kHost;
  bool has_device = true;
  bool in_error = false;                 ///< its device is in error: its submissions are ignored
  bool blocked = false;                  ///< it gets no further device
  std::set<std::uint64_t> cached_pages;  ///< bus pages that user mode maps write-back
  /// Only with an IOMMU: addresses that CPU and GPU share, and their bus addresses.
  std::map<std::uint64_t, std::uint64_t> shared_addresses;
  PVOID add_shared_address(D3DGPU_VIRTUAL_ADDRESS address, std::uint64_t bus);
  // Packed pages of fences that cannot be shared, with their fill level.
  struct Packed {
    Backing page;
    std::uint64_t used = 4096;
    std::vector<std::pair<Backing, std::uint64_t>> returned{};  ///< page and offset of freed values
  };
  Packed packed_current[2], packed_monitored[2];  ///< by home
};

}  // namespace fenceline::os
