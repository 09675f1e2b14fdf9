// VidMm: allocations come and go, and the thread that serves requests.
#include "tb/os/video_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/abi/private_data.h"
#include "tb/os/kernel.h"

namespace fenceline::os {

using common::Placement;

namespace {
constexpr std::uint64_t kApertureBytes = 1ULL << 32;  ///< of the segment that VidMm uses
}  // namespace

VideoMemory::VideoMemory(Cpu& cpu, Adapter& adapter, ContextScheduler& contexts,
                         MonitoredFences& fences, memory::SystemMemory& host_memory,
                         const host::Caches& caches, bool snoops)
    : cpu_(cpu),
      adapter_(adapter),
      contexts_(contexts),
      fences_(fences),
      host_memory_(host_memory),
      caches_(caches),
      snoops_(snoops),
      pager_(cpu, adapter, contexts, fences),
      work_(cpu.simulation().steps),
      lists_(cpu) {
  cpu.simulation().steps.add_state(*this);
}

void VideoMemory::start(AddressSpace& system, PagePool& vram_pages, PagePool& system_pages,
                        std::shared_ptr<MonitoredFence> fence, std::function<void()> wake) {
  wake_ = std::move(wake);
  const std::uint64_t segment = adapter_.vram_segment().CommitLimit;
  const std::uint64_t wanted = adapter_.system().video_memory;
  const std::uint64_t limit = wanted != 0 ? wanted : segment - segment / 4;
  vram_.set_up(vram_pages, std::min(limit, segment) / kPage);
  system_.set_up(system_pages, UINT64_MAX);
  aperture_pool_ = std::make_unique<PagePool>(0, kApertureBytes, "the aperture segment");
  aperture_.set_up(*aperture_pool_, kApertureBytes / kPage);
  dummy_page_ = system_pages.allocate(kPage);
  pager_.start(system, system_pages, std::move(fence));
  started_ = true;
}

std::uint64_t VideoMemory::state_hash() const {
  common::Hasher hasher;
  for (const Allocation* allocation : allocations_) {
    hasher.add(allocation->object).add(static_cast<std::uint64_t>(allocation->placement));
    hasher.add(std::uint64_t{allocation->locks} << 32 | allocation->residency);
    hasher.add((allocation->busy ? 1U : 0U) | (allocation->alive ? 2U : 0U) |
               std::uint64_t{allocation->listed} << 2);
    for (const std::uint64_t page : allocation->vram) hasher.add(page);
    for (const std::uint64_t page : allocation->system) hasher.add(page);
    for (const std::uint32_t page : allocation->window) hasher.add(page);
  }
  for (const Request& request : requests_)
    hasher.add(static_cast<std::uint64_t>(request.kind)).add(request.value);
  return hasher.add(asleep_ ? 1 : 0).value();
}

/// Where the CPU sees nothing of VRAM, a CPU-visible allocation must be allowed in the aperture
/// segment. Source: WDDM, Lock2.
bool VideoMemory::has_lawful_place(const DXGK_ALLOCATIONINFO& wanted) const {
  if (!adapter_.system().lock_rules || adapter_.vram_cpu_visible() ||
      adapter_.allocation_window() != nullptr)
    return true;
  return (wanted.FlagsWddm2.Value & Flags::kCpuVisible) == 0 ||
         (wanted.SupportedWriteSegmentSet & 1U << (kApertureSegment - 1)) != 0;
}

/// The allocation gets its addresses and a place in the list.
void VideoMemory::enter(Process& process, Allocation& made) {
  lists_.alter();
  made.gpu_address = process.space->reserve(made.pages);
  allocations_.push_back(&made);
}

NTSTATUS VideoMemory::create(Process& process, D3DDDI_ALLOCATIONINFO2& info,
                             const std::string& name, D3DKMT_HANDLE handle,
                             std::unique_ptr<Allocation>& made) {
  DXGK_ALLOCATIONINFO wanted{};
  wanted.pPrivateDriverData = info.pPrivateDriverData;
  wanted.PrivateDriverDataSize = info.PrivateDriverDataSize;
  DXGKARG_CREATEALLOCATION create{};
  create.NumAllocations = 1;
  create.pAllocationInfo = &wanted;
  NTSTATUS status = adapter_.call(Ddi::kCreateAllocation, [&](auto& ddi) {
    return ddi.DxgkDdiCreateAllocation(adapter_.handle(), &create);
  });
  if (!NT_SUCCESS(status)) return status;
  if (!has_lawful_place(wanted)) {
    DXGKARG_DESTROYALLOCATION destroy{1, &wanted.hAllocation, nullptr, {}};
    adapter_.call(Ddi::kDestroyAllocation, [&](auto& ddi) {
      return ddi.DxgkDdiDestroyAllocation(adapter_.handle(), &destroy);
    });
    return STATUS_INVALID_PARAMETER;
  }
  DXGK_OPENALLOCATIONINFO opened{};
  opened.hAllocation = handle;
  DXGKARG_OPENALLOCATION open{};
  open.NumAllocations = 1;
  open.pOpenAllocation = &opened;
  open.Flags.Value = DXGK_OPENALLOCATIONFLAGS::kCreate;
  status = adapter_.call(Ddi::kOpenAllocation, [&](auto& ddi) {
    return ddi.DxgkDdiOpenAllocation(process.space->device(), &open);
  });
  if (!NT_SUCCESS(status)) return status;
  common::Simulation& simulation = cpu_.simulation();
  made = std::make_unique<Allocation>(simulation.steps);
  made->name = name;
  made->object = simulation.events.add_object(common::ObjectKind::kAllocation, name);
  made->process = &process;
  made->driver_handle = wanted.hAllocation;
  made->opened = opened.hDeviceSpecificAllocation;
  made->pages = wanted.Size / kPage;
  made->flags = wanted.FlagsWddm2.Value;
  made->segments = wanted.SupportedWriteSegmentSet;
  made->preferred = wanted.PreferredSegment;
  enter(process, *made);
  made->user_address = next_user_address_;
  next_user_address_ += (made->pages + 1) * kPage;  // a page between two that nobody has
  info.hAllocation = handle;
  info.GpuVirtualAddress = made->gpu_address;
  simulation.emit(event::AllocationCreated{made->object, made->gpu_address, wanted.Size,
                                           process.space->root(), adapter_.object()});
  return STATUS_SUCCESS;
}

NTSTATUS VideoMemory::create_state(Process& process, const DXGKARGCB_CREATECONTEXTALLOCATION& args,
                                   Allocation& made) {
  made.process = &process;
  made.driver_handle = args.hDriverAllocation;
  made.of_context = true;
  made.number = ++states_;
  made.pages = (args.Size + kPage - 1) / kPage;
  made.flags = Allocation::Flags::kAccessedPhysically;  // initialised in one piece
  made.segments = args.SupportedSegmentSet;
  made.preferred = args.PreferredSegment;
  enter(process, made);
  KernelEvent done(cpu_.simulation().steps);
  Request request;
  request.kind = Request::Kind::kState;
  request.process = &process;
  request.list = {&made};
  request.done = &done;
  ask(std::move(request));
  cpu_.block(done, nullptr);
  return made.placement == Placement::kSystem ? STATUS_NO_MEMORY : STATUS_SUCCESS;
}

void VideoMemory::bring_state(ContextQueue& context) {
  Request request;
  request.kind = Request::Kind::kState;
  request.process = context.states.front()->process;
  request.list = context.states;
  request.context = &context;
  ask(std::move(request));
}

void VideoMemory::join(ContextQueue& context, Allocation& allocation) {
  context.states.push_back(&allocation);
  allocation.contexts.push_back(&context);
}

void VideoMemory::set_reached(Allocation& allocation, bool reached) const {
  allocation.reached = reached;
  common::Simulation& simulation = cpu_.simulation();
  for (const ContextQueue* context : allocation.contexts)
    simulation.emit(event::ContextMemory{context->object, allocation.number, reached});
}

void VideoMemory::lose_paging() {
  std::vector<Process*> owners;
  for (Allocation* allocation : pager_.lose()) {
    allocation->lost = true;
    if (std::find(owners.begin(), owners.end(), allocation->process) == owners.end())
      owners.push_back(allocation->process);
  }
  for (const Process* owner : owners) contexts_.lose_memory(adapter_, owner, owner->object);
}

void VideoMemory::ask(Request request) {
  lists_.alter();
  requests_.push_back(std::move(request));
  work_.set();
}

/// What cannot be anywhere but in VRAM has to fit there together; all else can make room.
NTSTATUS VideoMemory::make_resident(Process& process, const std::vector<Allocation*>& list,
                                    std::uint64_t value, std::uint64_t& to_trim) {
  lists_.alter();
  std::uint64_t needed = 0;
  for (const Allocation* allocation : allocations_) {
    const bool named = std::find(list.begin(), list.end(), allocation) != list.end();
    if ((named || allocation->residency != 0) && allocation->alive &&
        !allocation->supports(kApertureSegment))
      needed += allocation->pages;
  }
  to_trim = needed > vram_.limit() ? (needed - vram_.limit()) * kPage : 0;
  if (to_trim != 0) return STATUS_NO_MEMORY;
  if (adapter_.system().lock_rules && !can_follow_locks(list))
    return STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION;
  for (Allocation* allocation : list) ++allocation->residency;
  Request request;
  request.process = &process;
  request.list = list;
  request.value = value;
  ask(std::move(request));
  return STATUS_PENDING;
}

void VideoMemory::evict(Process& process, const std::vector<Allocation*>& list,
                        bool only_if_necessary) {
  lists_.alter();
  for (Allocation* allocation : list)
    if (allocation->residency != 0) --allocation->residency;
  Request request;
  request.kind = only_if_necessary ? Request::Kind::kRelease : Request::Kind::kEvict;
  request.process = &process;
  request.list = list;
  request.marks = contexts_.marks(&process);
  ask(std::move(request));
}

void VideoMemory::destroy(Process& process, const std::vector<Allocation*>& list,
                          bool assume_not_in_use, bool synchronous) {
  lists_.alter();
  for (Allocation* allocation : list) allocation->alive = false;
  KernelEvent done(cpu_.simulation().steps);
  Request request;
  request.kind = Request::Kind::kDestroy;
  request.process = &process;
  request.list = list;
  request.not_in_use = assume_not_in_use;
  if (!assume_not_in_use && adapter_.system().defers_destruction)
    request.marks = contexts_.marks(&process);
  if (synchronous) request.done = &done;
  ask(std::move(request));
  if (synchronous) cpu_.block(done, nullptr);
}

void VideoMemory::run() {
  cpu_.run_thread(common::Operation::kIdle, 0);
  for (;;) {
    cpu_.simulation().steps.forget();
    cpu_.block(work_, nullptr);
    work_.clear();
    while (serve_one()) {
    }
  }
}

/// Serves the first request whose time has come; false if there is none. A process's MakeResident
/// calls are served in order, so that its fence does not run ahead.
bool VideoMemory::serve_one() {
  lists_.alter();
  std::vector<const Process*> waiting;
  for (auto request = requests_.begin(); request != requests_.end(); ++request) {
    const bool ready = std::all_of(request->marks.begin(), request->marks.end(),
                                   [](const auto& mark) { return mark.passed(); });
    const bool in_turn =
        request->kind != Request::Kind::kMakeResident ||
        std::find(waiting.begin(), waiting.end(), request->process) == waiting.end();
    if (ready && in_turn) {
      if (asleep_) wake_();
      serving_ = true;
      const bool served = serve(*request);
      serving_ = false;
      if (served) {
        requests_.erase(request);
        return true;
      }
    }
    if (request->kind == Request::Kind::kMakeResident) waiting.push_back(request->process);
  }
  return false;
}

/// False if it has to be tried again when something has changed.
bool VideoMemory::serve(Request& request) {
  // It has been made resident and evicted again since: the later call waits for more work.
  const auto last_word = [this](const Allocation& allocation, const Request& of) {
    return std::none_of(requests_.begin(), requests_.end(), [&](const Request& other) {
      const bool evicts =
          other.kind == Request::Kind::kEvict || other.kind == Request::Kind::kRelease;
      return evicts && &other != &of &&
             std::find(other.list.begin(), other.list.end(), &allocation) != other.list.end();
    });
  };
  switch (request.kind) {
    case Request::Kind::kMakeResident:
      return serve_make_resident(request);
    case Request::Kind::kEvict:
      for (Allocation* allocation : request.list)
        if (allocation->residency == 0 && allocation->exists && last_word(*allocation, request) &&
            allocation->placement != Placement::kSystem)
          move(*allocation, Placement::kSystem);
      return true;
    case Request::Kind::kState:
      for (Allocation* allocation : request.list)
        if (!bring_in(*allocation, request) && request.done == nullptr) return false;
      if (request.context != nullptr) contexts_.state_returned(*request.context);
      break;
    case Request::Kind::kRelease:
      return true;  // from now on others may drive them out
    case Request::Kind::kDestroy:
      for (Allocation* allocation : request.list) free(*allocation, request.not_in_use);
      break;
    case Request::Kind::kMoveOut:
      for (Allocation* allocation : request.list)
        if (allocation->placement == Placement::kVram)
          move(*allocation, allocation->residency != 0 ? Placement::kAperture : Placement::kSystem);
      break;
  }
  if (request.done != nullptr) request.done->set();
  return true;
}

bool VideoMemory::serve_make_resident(Request& request) {
  for (Allocation* allocation : request.list)
    if (allocation->residency != 0 && allocation->exists && !bring_in(*allocation, request))
      return false;
  const SyncObject& fence = request.process->sync_objects.at(request.process->paging_fence);
  fences_.signal({{fence.fence, request.value}}, nullptr);
  return true;
}

/// The end of an allocation. What still uses it then finds no translation.
void VideoMemory::free(Allocation& allocation, bool not_in_use) {
  common::Simulation& simulation = cpu_.simulation();
  claim(allocation);
  while (allocation.accessors != 0) {
    work_.clear();
    if (allocation.accessors != 0) cpu_.block(work_, nullptr);
  }
  work_.set();
  drain_all_cores();
  simulation.emit(event::AllocationDestroyed{allocation.object, not_in_use});
  allocation.exists = false;
  allocation.locks = 0;
  close_window(allocation);
  if (allocation.placement != Placement::kSystem) unmap_gpu(allocation);
  if (allocation.placement == Placement::kAperture) unmap_aperture(allocation);
  leave_caches(allocation);
  vram_.give(allocation.vram);
  system_.give(allocation.system);
  allocation.vram.clear();
  allocation.system.clear();
  allocations_.erase(std::find(allocations_.begin(), allocations_.end(), &allocation));
  pager_.forget(allocation);
  DXGKARG_CLOSEALLOCATION close{1, &allocation.opened};
  adapter_.call(Ddi::kCloseAllocation, [&](auto& ddi) {
    return ddi.DxgkDdiCloseAllocation(allocation.process->space->device(), &close);
  });
  DXGKARG_DESTROYALLOCATION destroy{1, &allocation.driver_handle, nullptr, {}};
  adapter_.call(Ddi::kDestroyAllocation, [&](auto& ddi) {
    return ddi.DxgkDdiDestroyAllocation(adapter_.handle(), &destroy);
  });
  let_go(allocation);
  work_.set();  // there may be room for others now
}

/// Everything has come to rest: bytes are compared with what they should be.
void VideoMemory::report_content() {
  for (const Allocation* allocation : allocations_)
    if (!allocation->busy && !allocation->of_context) report_place(*allocation);
}

}  // namespace fenceline::os
