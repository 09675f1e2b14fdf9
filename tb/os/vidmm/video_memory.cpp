#include "tb/os/vidmm/video_memory.h"

#include <algorithm>
#include <utility>

#include "models/abi/mutant.h"
#include "models/abi/private_data.h"
#include "tb/os/dxgk/process.h"

namespace fenceline::os {

using event::Placement;

VideoMemory::VideoMemory(Cpu& cpu, Adapter& adapter, ContextScheduler& contexts,
                         MonitoredFences& fences, memory::SystemMemory& host_memory,
                         const host::Caches& caches, bool snoops)
    : state_(cpu, adapter, contexts, fences, host_memory, caches, snoops),
      fences_(fences),
      claims_(state_),
      windows_(state_),
      caches_(state_),
      reports_(state_, windows_),
      pages_(state_),
      paging_(state_),
      requests_(state_),
      moves_(state_, {claims_, windows_, caches_, reports_, pages_, paging_, requests_}),
      locks_(state_, {claims_, windows_, caches_, reports_, pages_, requests_}) {
  cpu.simulation().steps.add_state(*this);
}

void VideoMemory::start(AddressSpace& system, PagePool& vram_pages, PagePool& system_pages,
                        std::shared_ptr<MonitoredFence> fence, std::function<void()> wake) {
  state_.wake = std::move(wake);
  pages_.start(vram_pages, system_pages);
  paging_.start(system_pages);
  state_.pager.start(system, system_pages, std::move(fence));
}

std::uint64_t VideoMemory::state_hash() const {
  common::Hasher hasher;
  for (const Allocation* allocation : state_.allocations) {
    hasher.add(allocation->object).add(static_cast<std::uint64_t>(allocation->placement));
    hasher.add(std::uint64_t{allocation->locks} << 32 | allocation->residency);
    hasher.add((allocation->busy ? 1U : 0U) | (allocation->alive ? 2U : 0U) |
               (allocation->shown ? 4U : 0U) | std::uint64_t{allocation->listed} << 3);
    for (const std::uint64_t page : allocation->vram) hasher.add(page);
    for (const std::uint64_t page : allocation->system) hasher.add(page);
    for (const std::uint32_t page : allocation->window) hasher.add(page);
  }
  for (const MemoryRequest& request : requests_.all())
    hasher.add(static_cast<std::uint64_t>(request.kind)).add(request.value);
  return hasher.add(state_.asleep ? 1 : 0).value();
}

/// If the CPU cannot see VRAM at all, a CPU-visible allocation must be allowed in the aperture
/// segment. Source: WDDM, Lock2.
bool VideoMemory::has_lawful_place(const DXGK_ALLOCATIONINFO& wanted) const {
  if (!state_.adapter.system().lock_rules || state_.adapter.vram_cpu_visible() ||
      state_.adapter.allocation_window() != nullptr)
    return true;
  return (wanted.FlagsWddm2.Value & Allocation::Flags::kCpuVisible) == 0 ||
         (wanted.SupportedWriteSegmentSet & 1U << (kApertureSegment - 1)) != 0;
}

/// Gives the allocation its addresses and adds it to the list.
void VideoMemory::enter(Process& process, Allocation& made) {
  state_.lists.alter();
  made.gpu_address = process.space->reserve(made.pages);
  state_.allocations.push_back(&made);
}

NTSTATUS VideoMemory::create_at_driver(DXGK_ALLOCATIONINFO& wanted) {
  Adapter& adapter = state_.adapter;
  DXGKARG_CREATEALLOCATION create{};
  create.NumAllocations = 1;
  create.pAllocationInfo = &wanted;
  const NTSTATUS status = adapter.call<Ddi::DxgkDdiCreateAllocation>(adapter.handle(), &create);
  if (!NT_SUCCESS(status) || has_lawful_place(wanted)) return status;
  destroy_at_driver(wanted.hAllocation);
  return STATUS_INVALID_PARAMETER;
}

NTSTATUS VideoMemory::open_at_driver(Process& process, D3DKMT_HANDLE handle, HANDLE& opened) {
  DXGK_OPENALLOCATIONINFO info{};
  info.hAllocation = handle;
  DXGKARG_OPENALLOCATION open{};
  open.NumAllocations = 1;
  open.pOpenAllocation = &info;
  open.Flags.Value = DXGK_OPENALLOCATIONFLAGS::kCreate;
  const NTSTATUS status =
      state_.adapter.call<Ddi::DxgkDdiOpenAllocation>(process.space->device(), &open);
  opened = info.hDeviceSpecificAllocation;
  return status;
}

void VideoMemory::destroy_at_driver(HANDLE allocation) {
  Adapter& adapter = state_.adapter;
  DXGKARG_DESTROYALLOCATION destroy{1, &allocation, nullptr, {}};
  adapter.call<Ddi::DxgkDdiDestroyAllocation>(adapter.handle(), &destroy);
}

NTSTATUS VideoMemory::create(Process& process, D3DDDI_ALLOCATIONINFO2& info,
                             const std::string& name, D3DKMT_HANDLE handle,
                             std::unique_ptr<Allocation>& made) {
  DXGK_ALLOCATIONINFO wanted{};
  wanted.pPrivateDriverData = info.pPrivateDriverData;
  wanted.PrivateDriverDataSize = info.PrivateDriverDataSize;
  if (const NTSTATUS status = create_at_driver(wanted); !NT_SUCCESS(status)) return status;
  HANDLE opened = nullptr;
  if (const NTSTATUS status = open_at_driver(process, handle, opened); !NT_SUCCESS(status)) {
    destroy_at_driver(wanted.hAllocation);
    return status;
  }
  common::Simulation& simulation = state_.cpu.simulation();
  made = std::make_unique<Allocation>(simulation.steps);
  made->name = name;
  made->object = simulation.events.add_object(common::ObjectKind::kAllocation, name);
  made->process = &process;
  made->driver_handle = wanted.hAllocation;
  made->opened = opened;
  made->pages = wanted.Size / kPage;
  made->flags = wanted.FlagsWddm2.Value;
  made->segments = wanted.SupportedWriteSegmentSet;
  made->preferred = wanted.PreferredSegment;
  enter(process, *made);
  made->user_address = next_user_address_;
  next_user_address_ += (made->pages + 1) * kPage;  // an unused guard page
  info.hAllocation = handle;
  info.GpuVirtualAddress = made->gpu_address;
  simulation.emit(event::AllocationCreated{made->object, made->gpu_address, wanted.Size,
                                           process.space->root(), state_.adapter.object()});
  return STATUS_SUCCESS;
}

NTSTATUS VideoMemory::create_state(Process& process, const DXGKARGCB_CREATECONTEXTALLOCATION& args,
                                   Allocation& made) {
  made.process = &process;
  made.driver_handle = args.hDriverAllocation;
  made.of_context = true;
  made.number = ++states_made_;
  made.pages = (args.Size + kPage - 1) / kPage;
  made.flags = Allocation::Flags::kAccessedPhysically;  // it is initialised as one contiguous piece
  made.segments = args.SupportedSegmentSet;
  made.preferred = args.PreferredSegment;
  enter(process, made);
  requests_.ask_and_wait({MemoryRequest::Kind::kState, &process, {&made}});
  return made.placement == Placement::kSystem ? STATUS_NO_MEMORY : STATUS_SUCCESS;
}

void VideoMemory::bring_state(ContextQueue& context) {
  MemoryRequest request{MemoryRequest::Kind::kState, context.states.front()->process,
                        context.states};
  request.context = &context;
  requests_.ask(std::move(request));
}

void VideoMemory::join(ContextQueue& context, Allocation& allocation) {
  context.states.push_back(&allocation);
  allocation.contexts.push_back(&context);
}

void VideoMemory::lose_paging() {
  std::vector<Process*> owners;
  for (Allocation* allocation : state_.pager.lose()) {
    allocation->lost = true;
    if (std::find(owners.begin(), owners.end(), allocation->process) == owners.end())
      owners.push_back(allocation->process);
  }
  for (const Process* owner : owners)
    state_.contexts.lost_work.lose_memory(state_.adapter, owner, owner->object);
}

/// Allocations that support only VRAM must fit there together; all others can make room.
NTSTATUS VideoMemory::make_resident(Process& process, const std::vector<Allocation*>& list,
                                    std::uint64_t& value, std::uint64_t& to_trim) {
  state_.lists.alter();
  std::uint64_t needed = 0;
  for (const Allocation* allocation : state_.allocations) {
    const bool named = std::find(list.begin(), list.end(), allocation) != list.end();
    if ((named || allocation->residency != 0) && allocation->alive &&
        !allocation->supports(kApertureSegment))
      needed += allocation->pages;
  }
  to_trim = needed > pages_.vram().limit() ? (needed - pages_.vram().limit()) * kPage : 0;
  if (to_trim != 0) return STATUS_NO_MEMORY;
  if (state_.adapter.system().lock_rules && !windows_.keep_room(list))
    return STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION;
  for (Allocation* allocation : list) ++allocation->residency;
  value = requests_.ask({MemoryRequest::Kind::kMakeResident, &process, list});
  return STATUS_PENDING;
}

void VideoMemory::evict(Process& process, const std::vector<Allocation*>& list,
                        bool only_if_necessary) {
  state_.lists.alter();
  for (Allocation* allocation : list)
    if (allocation->residency != 0) --allocation->residency;
  MemoryRequest request{
      only_if_necessary ? MemoryRequest::Kind::kRelease : MemoryRequest::Kind::kEvict, &process,
      list};
  request.marks = state_.contexts.table.marks(&process);
  requests_.ask(std::move(request));
}

void VideoMemory::destroy(Process& process, const std::vector<Allocation*>& list,
                          bool assume_not_in_use, bool synchronous) {
  state_.lists.alter();
  for (Allocation* allocation : list) allocation->alive = false;
  MemoryRequest request{MemoryRequest::Kind::kDestroy, &process, list};
  request.not_in_use = assume_not_in_use;
  if (!assume_not_in_use && state_.adapter.system().defers_destruction)
    request.marks = state_.contexts.table.marks(&process);
  if (synchronous) return requests_.ask_and_wait(std::move(request));
  requests_.ask(std::move(request));
}

void VideoMemory::run() {
  state_.cpu.run_thread(common::Operation::kIdle, 0);
  for (;;) {
    state_.cpu.simulation().steps.forget();
    state_.cpu.block(state_.work, nullptr);
    state_.work.clear();
    while (serve_one()) {
    }
  }
}

/// Serves the first request that is ready; false if there is none. MakeResident calls of a process
/// are served in order, so that its fence never runs ahead.
bool VideoMemory::serve_one() {
  state_.lists.alter();
  std::vector<const Process*> waiting;
  for (auto request = requests_.all().begin(); request != requests_.all().end(); ++request) {
    const bool ready = std::all_of(request->marks.begin(), request->marks.end(),
                                   [](const auto& mark) { return mark.passed(); });
    const bool in_turn =
        request->kind != MemoryRequest::Kind::kMakeResident ||
        std::find(waiting.begin(), waiting.end(), request->process) == waiting.end();
    if (ready && in_turn) {
      if (state_.asleep) state_.wake();
      serving_ = true;
      const bool served = serve(*request);
      serving_ = false;
      if (served) {
        requests_.all().erase(request);
        return true;
      }
    }
    if (request->kind == MemoryRequest::Kind::kMakeResident) waiting.push_back(request->process);
  }
  return false;
}

/// False if it must be retried after a change.
bool VideoMemory::serve(MemoryRequest& request) {
  switch (request.kind) {
    case MemoryRequest::Kind::kMakeResident:
      return serve_make_resident(request);
    case MemoryRequest::Kind::kEvict:
      serve_evict(request);
      return true;
    case MemoryRequest::Kind::kState:
      for (Allocation* allocation : request.list)
        if (!moves_.bring_in(*allocation, request.list) && request.done == nullptr) return false;
      if (request.context != nullptr) state_.contexts.dispatch.state_returned(*request.context);
      break;
    case MemoryRequest::Kind::kRelease:
      return true;  // from now on it may be evicted
    case MemoryRequest::Kind::kDestroy:
      for (Allocation* allocation : request.list) free(*allocation, request.not_in_use);
      break;
    case MemoryRequest::Kind::kMoveOut:
      for (Allocation* allocation : request.list)
        if (allocation->placement == Placement::kVram)
          moves_.move(*allocation,
                      allocation->residency != 0 ? Placement::kAperture : Placement::kSystem);
      break;
  }
  if (request.done != nullptr) request.done->set();
  return true;
}

/// An allocation that was made resident and evicted again meanwhile stays: the later call waits for
/// more work.
void VideoMemory::serve_evict(const MemoryRequest& request) {
  for (Allocation* allocation : request.list)
    if (allocation->residency == 0 && allocation->exists &&
        !requests_.end_use_of(*allocation, &request) && allocation->placement != Placement::kSystem)
      moves_.move(*allocation, Placement::kSystem);
}

bool VideoMemory::serve_make_resident(MemoryRequest& request) {
  for (Allocation* allocation : request.list)
    if (allocation->residency != 0 && allocation->exists &&
        !moves_.bring_in(*allocation, request.list))
      return false;
  const SyncObject& fence = request.process->sync_objects.at(request.process->paging_fence);
  fences_.signal({{fence.fence, request.value}}, nullptr);
  return true;
}

/// Frees an allocation. Work that still uses it finds no translation.
void VideoMemory::free(Allocation& allocation, bool not_in_use) {
  claims_.claim(allocation);
  moves_.wait_for_accessors(allocation);
  state_.work.set();
  state_.drain_all_cores();
  state_.cpu.simulation().emit(event::AllocationDestroyed{allocation.object, not_in_use});
  allocation.exists = false;
  allocation.locks = 0;
  moves_.take_away(allocation);
  state_.allocations.erase(
      std::find(state_.allocations.begin(), state_.allocations.end(), &allocation));
  state_.pager.forget(allocation);
  DXGKARG_CLOSEALLOCATION close{1, &allocation.opened};
  state_.adapter.call<Ddi::DxgkDdiCloseAllocation>(allocation.process->space->device(), &close);
  destroy_at_driver(allocation.driver_handle);
  claims_.let_go(allocation);
  state_.work.set();  // others may have room now
}

/// Each access of the CPU looks at it.
void VideoMemory::set_asleep(bool asleep) {
  for (const Allocation* allocation : state_.allocations) claims_.touch_use(*allocation, true);
  state_.asleep = asleep;
}

bool VideoMemory::sleep() {
  if (serving_) return false;
  set_asleep(true);
  state_.end_vram_accesses();
  state_.drain_all_cores();
  windows_.hide_all();
  return true;
}

void VideoMemory::wake_up() {
  if (!abi::mutant(abi::Mutant::kWakesWithoutWindows)) windows_.show_all();
  set_asleep(false);  // from now on VRAM is reached through the windows
  state_.work.set();
}

}  // namespace fenceline::os
