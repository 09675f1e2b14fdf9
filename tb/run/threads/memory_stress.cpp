#include "tb/run/threads/memory_stress.h"

namespace fenceline::run {

using event::MapMode;

MemoryStress::MemoryStress(os::Kernel& kernel, ProcessState& state,
                           const scenario::MemoryStressStep& step, std::uint64_t scenario_seed)
    : kernel_(kernel),
      state_(state),
      step_(step),
      random_(common::hash_values(scenario_seed, step.seed)) {
  // Patched contexts use only memory that stays in its place.
  for (const auto& [name, context] : state.contexts)
    if (dynamic_cast<user::PatchedWriter*>(context.get()) == nullptr)
      contexts_.push_back(context.get());
}

void MemoryStress::require(NTSTATUS status, const char* what) const {
  if (!NT_SUCCESS(status)) throw Refused{what, status};
}

/// Refusals that the rules of locks and the size of VRAM bring about now and then.
bool MemoryStress::is_in_order(NTSTATUS status) const {
  return NT_SUCCESS(status) || status == STATUS_NO_MEMORY || status == STATUS_INVALID_PARAMETER ||
         status == STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION;
}

void MemoryStress::run() {
  for (std::uint64_t i = 0; i < step_.operations; ++i) operation();
  while (!items_.empty()) destroy();
}

void MemoryStress::operation() {
  switch (random_.below(12)) {
    case 0:
      return create();
    case 1:
      return random_.below(3) == 0 ? destroy() : create();
    case 2:
    case 3:
      return toggle_residency();
    case 4:
    case 5:
      return map_and_touch();
    case 6:
    case 7:
      return lock_and_touch();
    default:
      return work();
  }
}

MemoryStress::Item* MemoryStress::pick() {
  return items_.empty() ? nullptr : &items_[random_.below(items_.size())];
}

MemoryStress::Item* MemoryStress::pick_resident() {
  for (int tries = 0; tries < 4; ++tries)
    if (Item* item = pick(); item != nullptr && item->resident && !item->resource->mapped())
      return item;
  return nullptr;
}

void MemoryStress::create() {
  if (items_.size() >= step_.allocations) return destroy();
  abi::AllocationPrivateData wanted{};
  wanted.bytes = (1 + random_.below(step_.largest_bytes / os::kPage)) * os::kPage;
  constexpr std::uint32_t kBoth = kmd_host::kVramSegmentBit | kmd_host::kApertureSegmentBit;
  const std::uint64_t kind = random_.below(8);
  wanted.segments = kind == 0   ? kmd_host::kVramSegmentBit
                    : kind == 1 ? kmd_host::kApertureSegmentBit
                                : kBoth;
  if (random_.below(4) != 0) wanted.flags |= abi::kUsedByCpu;
  const std::uint64_t cached = kernel_.system.snoops(*state_.process) ? 1 : 3;  // of four
  if ((wanted.flags & abi::kUsedByCpu) != 0 && random_.below(4) < cached)
    wanted.flags |= abi::kCachedByCpu;
  if (random_.below(8) == 0) wanted.flags |= abi::kUsedByAddress;
  Item item;
  item.cpu_visible = (wanted.flags & abi::kUsedByCpu) != 0;
  item.resource = std::make_unique<user::Resource>(
      kernel_, *state_.process, "s" + std::to_string(++made_), wanted, state_.config->map_duties);
  require(item.resource->create(), "D3DKMTCreateAllocation2");
  items_.push_back(std::move(item));
}

void MemoryStress::destroy() {
  if (items_.empty()) return;
  const std::size_t which = random_.below(items_.size());
  user::Resource& resource = *items_[which].resource;
  if (resource.mapped()) require(resource.unmap(), "the unmap");
  UINT flags = 0;
  if (random_.below(3) == 0 && resource.idle())
    flags |= D3DDDICB_DESTROYALLOCATION2FLAGS::kAssumeNotInUse;
  if (random_.below(4) == 0) flags |= D3DDDICB_DESTROYALLOCATION2FLAGS::kSynchronousDestroy;
  require(resource.destroy(flags), "D3DKMTDestroyAllocation2");
  items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(which));
}

void MemoryStress::toggle_residency() {
  Item* const item = pick();
  if (item == nullptr) return;
  NTSTATUS status = STATUS_SUCCESS;
  if (item->resident) {
    const UINT flags = random_.below(3) == 0 ? D3DDDI_EVICT_FLAGS::kEvictOnlyIfNecessary : 0;
    status = user::Resource::evict(kernel_, *state_.process, {item->resource.get()}, flags);
    require(status, "D3DKMTEvict");
    item->resident = false;
    return;
  }
  status = user::Resource::make_resident(kernel_, *state_.process, {item->resource.get()});
  if (!is_in_order(status)) require(status, "D3DKMTMakeResident");
  item->resident = NT_SUCCESS(status);
}

/// Where caches have to be maintained, the same lines are used again and again.
std::uint64_t MemoryStress::offset(const Item& item) {
  constexpr std::uint64_t kBusyWords = 24;
  const bool busy = !kernel_.system.snoops(*state_.process) && random_.below(4) != 0;
  return random_.below(busy ? kBusyWords : item.resource->bytes() / 8) * 8;
}

/// A few loads and stores at random places.
void MemoryStress::touch(const Item& item, std::uint64_t base, bool writes) {
  for (std::uint64_t i = 1 + random_.below(4); i > 0; --i) {
    std::uint64_t value = ++value_;
    const bool write = writes && random_.below(2) == 0;
    require(kernel_.user_access.touch_memory(*state_.process, base + offset(item), write, value),
            "an access by the CPU");
  }
}

void MemoryStress::map_and_touch() {
  Item* const item = pick();
  if (item == nullptr) return;
  const auto mode = static_cast<MapMode>(random_.below(4));
  const NTSTATUS status = item->resource->map(mode, random_.below(4) == 0);
  if (status == D3DDDIERR_WASSTILLDRAWING) return;
  if (!is_in_order(status)) require(status, "the map");
  if (!NT_SUCCESS(status)) return;
  touch(*item, item->resource->user_address(), mode != MapMode::kRead);
  require(item->resource->unmap(), "the unmap");
}

/// A lock of its own beside those of maps. Without a map user mode sees to it itself that the GPU
/// is done.
void MemoryStress::lock_and_touch() {
  Item* const item = pick();
  if (item == nullptr || item->resource->mapped() || !item->resource->idle()) return;
  D3DKMT_LOCK2 args{};
  args.hDevice = state_.process->device();
  args.hAllocation = item->resource->handle();
  const NTSTATUS status = kernel_.memory.D3DKMTLock2(*state_.process, args);
  if (!is_in_order(status)) require(status, "D3DKMTLock2");
  if (!NT_SUCCESS(status)) return;
  const user::MapDuties& duties = state_.config->map_duties;
  if (duties.invalidates) item->resource->invalidate_cache();
  touch(*item, reinterpret_cast<std::uint64_t>(args.pData), true);
  if (duties.flushes) item->resource->invalidate_cache();
  require(
      kernel_.memory.D3DKMTUnlock2(*state_.process, {state_.process->device(), args.hAllocation}),
      "D3DKMTUnlock2");
}

/// A buffer of writes and copies. Two contexts of a process are in no order: what one uses, another
/// leaves alone until it is done.
void MemoryStress::work() {
  if (contexts_.empty()) return;
  user::ContextWriter& context = *contexts_[random_.below(contexts_.size())];
  user::Submission submission(context);
  for (std::uint64_t i = 1 + random_.below(4); i > 0; --i) {
    Item* const to = pick_resident();
    Item* const from = pick_resident();
    if (to == nullptr) break;
    if (!to->resource->free_for(context)) continue;
    if (from != nullptr && from != to && from->resource->free_for(context) &&
        random_.below(2) == 0) {
      const std::uint64_t bytes = std::min(from->resource->bytes(), to->resource->bytes());
      const std::uint64_t start = random_.below(bytes / 8) * 8;
      const std::uint64_t count = (1 + random_.below((bytes - start) / 8)) * 8;
      from->resource->note_use(context, false);
      to->resource->note_use(context, true);
      context.copy(from->resource->address() + start, to->resource->address() + start, count);
    } else {
      to->resource->note_use(context, true);
      context.write(to->resource->address() + offset(*to), ++value_);
    }
  }
  submission.submit();
}

}  // namespace fenceline::run
