#pragma once

#include "tb/os/vidmm/video_memory_state.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::support {

/// A VidMm without parts beside that of the kernel, for tests of its parts.
struct MemoryStateBench : KernelBench {
  using KernelBench::KernelBench;

  /// A platform whose caches do not see the GPU's accesses.
  static top::PlatformConfig unsnooped() {
    top::PlatformConfig platform = small_platform();
    platform.host.io_coherent = false;
    return platform;
  }
  /// Runs `body` in a thread. @param snoops as in VideoMemoryState
  void with_state(const std::function<void(os::VideoMemoryState&)>& body, bool snoops = true) {
    run({[&](os::Kernel& kernel) {
      os::VideoMemoryState memory(kernel.cpu(), kernel.adapter(0), *kernel.system.contexts,
                                  kernel.system.monitored, kernel.platform().system_memory(),
                                  kernel.platform().caches(), snoops);
      state = &memory;
      events.all.clear();
      body(memory);
    }});
  }
  /// An allocation with pages of system memory that are not in order.
  os::Allocation& make(std::uint64_t pages, UINT flags = os::Allocation::Flags::kCached) {
    auto& made = allocations.emplace_back(std::make_unique<os::Allocation>(simulation().steps));
    made->object = static_cast<std::uint32_t>(allocations.size());
    made->pages = pages;
    made->flags = flags;
    for (std::uint64_t i = 0; i < pages; ++i)
      made->system.insert(made->system.begin(), kernel().system.pages.allocate(os::kPage));
    return *made;
  }
  /// An allocation in VRAM.
  os::Allocation& make_in_vram(std::uint64_t pages, UINT flags = 0) {
    os::Allocation& made = make(0, flags);
    made.pages = pages;
    made.placement = event::Placement::kVram;
    os::PagePool& pool = *kernel().system.adapters[0].vram_pages;
    for (std::uint64_t i = 0; i < pages; ++i) made.vram.push_back(pool.allocate(os::kPage));
    return made;
  }
  static std::uint64_t address(const os::Allocation& allocation, std::uint64_t offset) {
    return allocation.system[offset / os::kPage] + offset % os::kPage;
  }
  /// User mode stores 64 bits at a bus address. @param cached else write-combined, or uncached
  void store(std::uint64_t bus, std::uint64_t value, bool cached = true) {
    kernel().adapter(0).port().access_user(bus, true, value, cached);
  }
  /// True if the word is in a dirty line.
  bool dirty(const os::Allocation& allocation, std::uint64_t offset) {
    return kernel().platform().caches().unwritten(address(allocation, offset)).has_value();
  }
  std::uint64_t word(const os::Allocation& allocation, std::uint64_t offset) {
    return kernel().platform().system_memory().memory().bytes().word(address(allocation, offset));
  }

  os::VideoMemoryState* state = nullptr;
  std::vector<std::unique_ptr<os::Allocation>> allocations;
};

}  // namespace fenceline::support
