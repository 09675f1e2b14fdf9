#pragma once

#include "tb/os/vidmm/fixed_memory.h"

namespace fenceline::os {

/// Storage of native fences' values, and their mappings.
///
/// Fences that can be shared get pages of their own, others are packed at the driver's distance.
/// Source: WDDM, native fence storage.
class FenceStorage {
 public:
  FenceStorage(System& system, FixedMemory& memory) : system_(system), memory_(memory) {}

  /// Allocates both values and stores their initial content.
  void store(AdapterState& state, Process& process, NativeFence& fence, common::Home current_home,
             common::Home monitored_home);
  /// As store(), for MonitoredValue only: CurrentValue is that of a fence of several adapters.
  /// @pre `fence.monitored_value` is set
  void store_monitored(AdapterState& state, Process& process, NativeFence& fence,
                       common::Home monitored_home);
  /// Maps the page of a value within the driver's bounds. Without SystemOptions::maps_for_the_cmp,
  /// addresses of the system process get no mapping.
  D3DGPU_VIRTUAL_ADDRESS map(AddressSpace& space, const Adapter& adapter, const Backing& backing,
                             bool writable) const;
  /// The fence can no longer be used: frees its memory. The CurrentValue of a fence of several
  /// adapters is freed with that fence.
  void give_back(const Fence& fence);

 private:
  common::Home home_of(const Adapter& adapter, bool shared, common::Home wanted,
                       bool monitored) const;
  static Process::Packed& packed(Process& process, common::Home home, bool monitored);
  Backing place(Process& process, bool shared, common::Home home, bool monitored,
                std::uint64_t& offset);
  void report(const Adapter& adapter, const NativeFence& fence);
  void give_back(const Fence& fence, const Backing& page, std::uint64_t offset, bool monitored);

  System& system_;
  FixedMemory& memory_;
};

}  // namespace fenceline::os
