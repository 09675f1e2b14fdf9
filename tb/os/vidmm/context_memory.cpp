#include "tb/os/vidmm/context_memory.h"

#include <algorithm>

#include "models/abi/page_table.h"

namespace fenceline::os {

NTSTATUS ContextMemory::create(DXGKARGCB_CREATECONTEXTALLOCATION& args) {
  const bool shared = (args.ContextAllocationFlags.Value &
                       DXGK_CREATECONTEXTALLOCATIONFLAGS::kSharedAcrossContexts) != 0;
  if (shared != (args.hContext == nullptr)) return STATUS_INVALID_PARAMETER;
  if (shared) return create_for_device(args);
  Process* const owner = owner_of(args.hContext);
  // A context that only holds the page tables of a process gets no work.
  if (owner == nullptr) return STATUS_NOT_SUPPORTED;
  if (args.Size == 0) return STATUS_INVALID_PARAMETER;
  // State memory of a hardware context does not move.
  if (system_.of(*owner).memory != nullptr && owner == args.hContext)
    return create_managed(*owner, args);
  constexpr std::uint64_t page = abi::kPageBytes;
  const Backing backing =
      memory_.allocate(*owner, (args.Size + page - 1) / page * page, common::Home::kVram);
  args.GpuVirtualAddress = owner->space->map(backing, true);
  args.hAllocation = owner;
  return STATUS_SUCCESS;
}

/// The process of a context. Contexts that the OS feeds are identified by their process, hardware
/// contexts by themselves.
Process* ContextMemory::owner_of(HANDLE context) const {
  const auto has = [&](const Process& process) {
    return system_.suspends_contexts() && process.has(Adapter::Known::kHwContext, context);
  };
  const auto owner =
      std::find_if(system_.processes.begin(), system_.processes.end(),
                   [&](const auto& process) { return process.get() == context || has(*process); });
  return owner != system_.processes.end() ? owner->get() : nullptr;
}

NTSTATUS ContextMemory::create_managed(Process& owner, DXGKARGCB_CREATECONTEXTALLOCATION& args) {
  std::unique_ptr<Allocation>& made = owner.states.emplace_back();
  made = std::make_unique<Allocation>(system_.simulation.steps);
  Allocation* const of_context = made.get();
  const NTSTATUS status = system_.of(owner).memory->create_state(owner, args, *of_context);
  args.GpuVirtualAddress = of_context->gpu_address;
  args.hAllocation = of_context;
  owner.states_made[system_.simulation.steps.current()] = of_context;
  return status;
}

/// As above, for all contexts of a device. The system device has none.
NTSTATUS ContextMemory::create_for_device(DXGKARGCB_CREATECONTEXTALLOCATION& args) {
  const auto owner =
      std::find_if(system_.processes.begin(), system_.processes.end(), [&](const auto& process) {
        return args.hDevice != nullptr && process->space.get() == args.hDevice;
      });
  if (owner == system_.processes.end() || args.Size == 0) return STATUS_INVALID_PARAMETER;
  AdapterState& state = system_.of(**owner);
  if (state.memory == nullptr) return STATUS_NOT_SUPPORTED;
  Allocation& made =
      *(*owner)->device_states.emplace_back(std::make_unique<Allocation>(system_.simulation.steps));
  const NTSTATUS status = state.memory->create_state(**owner, args, made);
  args.GpuVirtualAddress = made.gpu_address;
  args.hAllocation = &made;
  return status;
}

}  // namespace fenceline::os
