#include "tb/os/vidmm/fixed_memory.h"

#include "models/top/gpu.h"

namespace fenceline::os {

using common::Home;

Backing FixedMemory::allocate(Process& process, std::uint64_t bytes, Home home, bool used) {
  system_.objects.footprint(true);
  const auto take = [&](PagePool& pool) {
    return used && bytes == kPage ? pool.take_page() : pool.allocate(bytes);
  };
  if (home == Home::kVram) {
    AdapterState& state = system_.of(process);
    // Kernel mode accesses it at any IRQL, and user mode without a call.
    state.adapter->use_vram(true);
    const std::uint64_t address = take(*state.vram_pages);
    state.adapter->map_for_kernel(address, bytes);
    return {true, address, bytes};
  }
  return {false, take(system_.pages), bytes};
}

D3DGPU_VIRTUAL_ADDRESS FixedMemory::share(Process& process, const Backing& backing) {
  const D3DGPU_VIRTUAL_ADDRESS address = process.space->map(backing, true);
  process.fixed[address] = backing;
  return address;
}

void FixedMemory::give_back(Adapter& adapter, const Backing& page) {
  if (page.vram) adapter.use_vram(false);
  (page.vram ? *system_.of(adapter).vram_pages : system_.pages).give_back(page.address);
}

memory::WatchedMemory& FixedMemory::memory_of(const Backing& backing, Adapter& adapter) {
  return backing.vram ? adapter.gpu().vram().memory() : system_.platform.system_memory().memory();
}

void FixedMemory::watch(const Backing& backing, std::uint64_t offset, std::uint64_t bytes,
                        common::WatchKind kind, std::uint32_t object, const AdapterState& state) {
  memory_of(backing, *state.adapter)
      .watches()
      .add({backing.gpu_physical() + offset, bytes, kind, object, state.adapter->object()});
}

void FixedMemory::unwatch(const Backing& backing, std::uint64_t offset, Adapter& adapter) {
  memory_of(backing, adapter).watches().remove(backing.gpu_physical() + offset);
}

}  // namespace fenceline::os
