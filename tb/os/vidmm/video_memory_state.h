#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "models/host/caches.h"
#include "models/memory/system_memory.h"
#include "tb/os/allocations/allocation.h"
#include "tb/os/core/shared_data.h"
#include "tb/os/vidmm/pager.h"

namespace fenceline::os {

/// State that all parts of one adapter's VidMm share.
struct VideoMemoryState {
  VideoMemoryState(Cpu& all, Adapter& of, ContextScheduler& scheduler, MonitoredFences& fences,
                   memory::SystemMemory& memory, const host::Caches& all_caches, bool snooping)
      : cpu(all),
        adapter(of),
        contexts(scheduler),
        host_memory(memory),
        caches(all_caches),
        snoops(snooping),
        pager(all, of, scheduler, fences),
        work(all.simulation().steps),
        unused(all.simulation().steps),
        lists(all) {}

  Cpu& cpu;
  Adapter& adapter;
  ContextScheduler& contexts;
  memory::SystemMemory& host_memory;
  const host::Caches& caches;
  const bool snoops;  ///< caches see the adapter's accesses to system memory
  Pager pager;
  KernelEvent work;                      ///< set when the thread of VidMm may have work
  KernelEvent unused;                    ///< set when the last CPU access to an allocation ends
  SharedData lists;                      ///< requests, claims, locks and accesses of allocations
  std::function<void()> wake;            ///< puts the adapter in D0
  bool asleep = false;                   ///< the adapter is in D3 or on the way there
  std::vector<Allocation*> allocations;  ///< existing ones, in order of creation

  /// A CPU access has ended. Who waits for that has an event of its own: another waiter could clear
  /// a common one before it looks.
  void end_access(Allocation& allocation) {
    if (--allocation.accessors != 0) return;
    work.set();
    unused.set();
  }
  /// VRAM is out of reach soon: the accesses in progress end.
  void end_vram_accesses() {
    const auto in_use = [](const Allocation* allocation) {
      return allocation->placement == event::Placement::kVram && allocation->accessors != 0;
    };
    while (std::any_of(allocations.begin(), allocations.end(), in_use)) {
      unused.clear();
      if (std::any_of(allocations.begin(), allocations.end(), in_use)) cpu.block(unused, nullptr);
    }
  }

  /// User addresses change: every core drains its stores and drops its translations.
  void drain_all_cores() const {
    if (!adapter.system().drains_stores) return;
    for (std::uint32_t core = 0; core < cpu.core_count(); ++core) cpu.core(core).wait_for_stores();
    end_early_loads();
  }
  /// User addresses are there: no load by them comes before.
  void end_early_loads() const {
    for (std::uint32_t core = 0; core < cpu.core_count(); ++core) cpu.core(core).end_early_loads();
  }
};

}  // namespace fenceline::os
