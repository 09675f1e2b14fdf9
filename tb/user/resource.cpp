#include "tb/user/resource.h"

#include <algorithm>

namespace fenceline::user {

using event::MapMode;

namespace {
NTSTATUS wait_for(os::Kernel& kernel, os::Process& process, D3DKMT_HANDLE fence, UINT64 value) {
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args{};
  args.ObjectCount = 1;
  args.ObjectHandleArray = &fence;
  args.FenceValueArray = &value;
  return kernel.waits.D3DKMTWaitForSynchronizationObjectFromCpu(process, args);
}
}  // namespace

NTSTATUS Resource::create() {
  std::size_t index = 0;
  return add_instance(index);
}

NTSTATUS Resource::add_instance(std::size_t& index) {
  abi::AllocationPrivateData data = wanted_;
  D3DDDI_ALLOCATIONINFO2 info{};
  info.pPrivateDriverData = &data;
  info.PrivateDriverDataSize = sizeof data;
  D3DKMT_CREATEALLOCATION args{};
  args.hDevice = process_.device();
  args.NumAllocations = 1;
  args.pAllocationInfo2 = &info;
  const std::string turn = instances_.empty() ? "" : "." + std::to_string(instances_.size());
  const os::WithOptions named(kernel_.system.threads, {name_ + turn});
  const NTSTATUS status = kernel_.memory.D3DKMTCreateAllocation2(process_, args);
  if (!NT_SUCCESS(status)) return status;
  index = instances_.size();
  instances_.push_back({info.hAllocation, info.GpuVirtualAddress, 0, false, false, {}});
  return status;
}

NTSTATUS Resource::destroy(UINT flags) {
  if (instances_.empty()) return STATUS_INVALID_HANDLE;
  std::vector<D3DKMT_HANDLE> handles;
  for (const Instance& instance : instances_) handles.push_back(instance.handle);
  D3DKMT_DESTROYALLOCATION2 args{};
  args.hDevice = process_.device();
  args.phAllocationList = handles.data();
  args.AllocationCount = static_cast<UINT>(handles.size());
  args.Flags.Value = flags;
  const NTSTATUS status = kernel_.memory.D3DKMTDestroyAllocation2(process_, args);
  mapped_ = mapped_ && !NT_SUCCESS(status);
  return status;
}

NTSTATUS Resource::make_resident(os::Kernel& kernel, os::Process& process,
                                 const std::vector<Resource*>& resources) {
  D3DKMT_CREATEPAGINGQUEUE queue{};
  queue.hDevice = process.device();
  NTSTATUS status = kernel.memory.D3DKMTCreatePagingQueue(process, queue);
  if (!NT_SUCCESS(status)) return status;
  const std::vector<D3DKMT_HANDLE> handles = handles_of(resources, false);
  D3DDDI_MAKERESIDENT args{};
  args.hPagingQueue = queue.hPagingQueue;
  args.NumAllocations = static_cast<UINT>(handles.size());
  args.AllocationList = handles.data();
  status = kernel.memory.D3DKMTMakeResident(process, args);
  if (status != STATUS_PENDING) return status;
  for (Resource* resource : resources) resource->set_resident(true);
  return wait_for(kernel, process, queue.hSyncObject, args.PagingFenceValue);
}

NTSTATUS Resource::evict(os::Kernel& kernel, os::Process& process,
                         const std::vector<Resource*>& resources, UINT flags) {
  const std::vector<D3DKMT_HANDLE> handles = handles_of(resources, true);
  D3DKMT_EVICT args{};
  args.hDevice = process.device();
  args.NumAllocations = static_cast<UINT>(handles.size());
  args.AllocationList = handles.data();
  args.Flags.Value = flags;
  const NTSTATUS status = kernel.memory.D3DKMTEvict(process, args);
  if (NT_SUCCESS(status))
    for (Resource* resource : resources) resource->set_resident(false);
  return status;
}

void Resource::set_resident(bool resident) {
  resident_ = resident;
  for (Instance& instance : instances_) instance.resident = resident;
}

/// Handles of the allocations that are resident, or not resident. If there are none, all handles.
std::vector<D3DKMT_HANDLE> Resource::handles_of(const std::vector<Resource*>& resources,
                                                bool resident) {
  std::vector<D3DKMT_HANDLE> all;
  std::vector<D3DKMT_HANDLE> some;
  for (const Resource* resource : resources)
    for (const Instance& instance : resource->instances_) {
      all.push_back(instance.handle);
      if (instance.resident == resident) some.push_back(instance.handle);
    }
  return some.empty() ? all : some;
}

void Resource::note_use(ContextWriter& context, bool writes) {
  context.list(handle(), writes);
  auto& uses = instances_[current_].uses;
  auto use = std::find_if(uses.begin(), uses.end(),
                          [&](const Use& known) { return known.context == &context; });
  if (use == uses.end()) use = uses.insert(uses.end(), {&context, 0, 0});
  (writes ? use->written : use->read) = context.next_value();
}

/// Works on a copy: while a value is read, time passes and other threads add uses.
bool Resource::busy(const Instance& instance, bool reads_too) {
  const std::vector<Use> uses = instance.uses;
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    const std::uint64_t last = reads_too ? std::max(use.read, use.written) : use.written;
    return last != 0 && use.context->completed_value() < last;
  });
}

bool Resource::free_for(const ContextWriter& context) {
  const std::vector<Use> uses = instances_[current_].uses;
  return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.context == &context ||
           use.context->completed_value() >= std::max(use.read, use.written);
  });
}

bool Resource::idle() {
  for (std::size_t i = 0; i < instances_.size(); ++i)
    if (busy(instances_[i], true)) return false;
  return true;
}

void Resource::wait_idle(const Instance& instance, bool reads_too) {
  const std::vector<Use> uses = instance.uses;  // other threads add uses meanwhile
  for (const Use& use : uses) {
    const UINT64 last = reads_too ? std::max(use.read, use.written) : use.written;
    if (last == 0) continue;
    wait_for(kernel_, process_, use.context->usage_fence().handle, last);
  }
}

/// Changes to an allocation that the GPU does not use; creates one if necessary.
NTSTATUS Resource::rename() {
  for (std::size_t i = 0; i < instances_.size(); ++i)
    if (instances_[i].resident == resident_ && !busy(instances_[i], true)) {
      current_ = i;
      return STATUS_SUCCESS;
    }
  if (instances_.size() >= kMaxInstances) {
    current_ = (current_ + 1) % instances_.size();  // the least recently used one
    wait_idle(instances_[current_], true);
    return STATUS_SUCCESS;
  }
  std::size_t made = 0;
  if (const NTSTATUS status = add_instance(made); !NT_SUCCESS(status)) return status;
  if (!resident_) {
    current_ = made;
    return STATUS_SUCCESS;
  }
  Resource fresh(kernel_, process_, name_, wanted_, duties_);
  fresh.instances_.push_back(instances_[made]);
  const NTSTATUS status = make_resident(kernel_, process_, {&fresh});
  instances_[made].resident = NT_SUCCESS(status);
  if (NT_SUCCESS(status)) current_ = made;
  return status;
}

NTSTATUS Resource::map(MapMode mode, bool do_not_wait) {
  if (mapped_ || instances_.empty()) return STATUS_INVALID_PARAMETER;
  const bool reads_too = mode != MapMode::kRead;
  if (mode == MapMode::kWriteDiscard) {
    if (duties_.renames)
      if (const NTSTATUS status = rename(); !NT_SUCCESS(status)) return status;
  } else if (mode != MapMode::kWriteNoOverwrite && busy(instances_[current_], reads_too)) {
    if (do_not_wait) return D3DDDIERR_WASSTILLDRAWING;
    if (duties_.waits) wait_idle(instances_[current_], reads_too);
  }
  Instance& target = instances_[current_];
  if (!target.locked) {
    D3DKMT_LOCK2 args{};
    args.hDevice = process_.device();
    args.hAllocation = target.handle;
    if (const NTSTATUS status = kernel_.memory.D3DKMTLock2(process_, args); !NT_SUCCESS(status))
      return status;
    target.user_address = reinterpret_cast<std::uint64_t>(args.pData);
    target.locked = true;
  }
  mapped_ = true;
  mode_ = mode;
  // Data that the CPU writes shares cache lines with other data.
  if (duties_.invalidates) invalidate_cache();
  kernel_.simulation().emit(
      event::AllocationMapped{process_.allocation(target.handle)->object, mode, 1});
  return STATUS_SUCCESS;
}

void Resource::invalidate_cache() const {
  if ((wanted_.flags & abi::kCachedByCpu) == 0 || kernel_.system.snoops(process_)) return;
  D3DKMT_INVALIDATECACHE args{};
  args.hDevice = process_.device();
  args.hAllocation = handle();
  args.Length = wanted_.bytes;
  kernel_.memory.D3DKMTInvalidateCache(process_, args);
}

NTSTATUS Resource::unmap() {
  if (!mapped_) return STATUS_INVALID_PARAMETER;
  mapped_ = false;
  if (duties_.flushes && mode_ != MapMode::kRead) invalidate_cache();
  kernel_.simulation().emit(
      event::AllocationMapped{process_.allocation(handle())->object, mode_, 0});
  return STATUS_SUCCESS;
}

}  // namespace fenceline::user
