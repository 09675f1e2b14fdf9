// Allocations of a scenario.
#include "models/abi/private_data.h"
#include "tb/run/machine.h"

namespace fenceline::run {

namespace {

abi::AllocationPrivateData private_data(const scenario::Allocation& allocation) {
  abi::AllocationPrivateData data{};
  data.bytes = allocation.bytes;
  data.segments = allocation.segments;
  if (allocation.preferred) data.preferred = *allocation.preferred == common::Home::kVram ? 1 : 2;
  if (allocation.cpu_visible) data.flags |= abi::kUsedByCpu;
  if (allocation.cached) data.flags |= abi::kCachedByCpu;
  if (allocation.accessed_physically) data.flags |= abi::kUsedByAddress;
  return data;
}

}  // namespace

void Machine::create_allocations(ProcessState& state) {
  for (const scenario::Allocation& allocation : state.config->allocations) {
    if (allocation.segments != 0) {
      create_allocation(state, allocation);
      continue;
    }
    ProcessState::Allocation& made = state.allocations[allocation.name];
    made.backing =
        kernel_->fixed_memory.allocate(*state.process, allocation.bytes, allocation.home);
    made.address = state.process->space->map(made.backing, true);
  }
}

void Machine::create_allocation(ProcessState& state, const scenario::Allocation& allocation) {
  auto resource =
      std::make_unique<user::Resource>(*kernel_, *state.process, allocation.name,
                                       private_data(allocation), state.config->map_duties);
  NTSTATUS status = resource->create();
  if (NT_SUCCESS(status) && allocation.resident)
    status = user::Resource::make_resident(*kernel_, *state.process, {resource.get()});
  check_status(allocation.at.pointer, "creating the allocation", status, allocation.status);
  if (!NT_SUCCESS(status)) return;
  names_.alter();
  state.allocations[allocation.name].resource = std::move(resource);
}

}  // namespace fenceline::run
