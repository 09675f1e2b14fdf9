#pragma once

#include "tb/os/vidmm/fixed_memory.h"

namespace fenceline::os {

/// Memory that a driver allocates for the state of a context, or of all contexts of a device.
/// Source: WDDM, DxgkCbCreateContextAllocation.
class ContextMemory {
 public:
  ContextMemory(System& system, FixedMemory& memory) : system_(system), memory_(memory) {}

  /// In VRAM, mapped for the process.
  NTSTATUS create(DXGKARGCB_CREATECONTEXTALLOCATION& args);

 private:
  NTSTATUS create_for_device(DXGKARGCB_CREATECONTEXTALLOCATION& args);
  NTSTATUS create_managed(Process& owner, DXGKARGCB_CREATECONTEXTALLOCATION& args);
  Process* owner_of(HANDLE context) const;

  System& system_;
  FixedMemory& memory_;
};

}  // namespace fenceline::os
