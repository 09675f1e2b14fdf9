// Fences of a scenario: how they are made, and what calls on them must return.
#include <cstring>
#include <stdexcept>

#include "models/abi/private_data.h"
#include "tb/run/machine.h"

namespace fenceline::run {

NTSTATUS Machine::open_fence(ProcessState& state, const scenario::Fence& fence,
                             user::UserFence& result) {
  const std::size_t slash = fence.open->find('/');
  ProcessState& owner = process(fence.open->substr(0, slash));
  const auto theirs = owner.fences.find(fence.open->substr(slash + 1));
  D3DKMT_OPENNATIVEFENCEFROMNTHANDLE args{};
  if (owner.process != nullptr && theirs != owner.fences.end())
    args.hNtHandle = kernel_->nt_handle(*owner.process, theirs->second.handle);
  const NTSTATUS status = kernel_->D3DKMTOpenNativeFenceFromNtHandle(*state.process, args);
  if (!NT_SUCCESS(status)) return status;
  abi::FencePrivateData data{};
  std::memcpy(&data, args.PrivateDriverData, sizeof data);
  result = {args.hSyncObject, data.fence_slot, args.NativeFenceMapping.CurrentValueGpuVa,
            args.NativeFenceMapping.CurrentValueCpuVa};
  return status;
}

NTSTATUS Machine::make_fence(ProcessState& state, const scenario::Fence& fence,
                             user::UserFence& result) {
  const common::MemoryOrdering& homes = scenario_.platform.ordering.mem;
  D3DKMT_CREATENATIVEFENCE args{};
  args.Info.InitialFenceValue = fence.initial_value;
  if (fence.intra_gpu) args.Info.Type = D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU;
  if (fence.shared)
    args.Info.Flags.Value = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kShared |
                            D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kNtSecuritySharing;
  const NTSTATUS status = kernel_->D3DKMTCreateNativeFence(
      *state.process, args, fence.name, fence.current_value_home.value_or(homes.cv_home),
      fence.monitored_value_home.value_or(homes.mv_home));
  if (!NT_SUCCESS(status)) return status;
  abi::FencePrivateData data{};
  std::memcpy(&data, args.PrivateDriverData, sizeof data);
  result = {args.hSyncObject, data.fence_slot, args.Info.NativeFenceMapping.CurrentValueGpuVa,
            args.Info.NativeFenceMapping.CurrentValueCpuVa};
  return status;
}

void Machine::create_fence(ProcessState& state, const scenario::Fence& fence) {
  user::UserFence result;
  const NTSTATUS status =
      fence.open ? open_fence(state, fence, result) : make_fence(state, fence, result);
  check_status(fence.at.pointer,
               fence.open ? "D3DKMTOpenNativeFenceFromNtHandle" : "D3DKMTCreateNativeFence", status,
               fence.status);
  if (!NT_SUCCESS(status)) return;
  state.fences[fence.name] = result;
  fences_[state.config->name + "/" + fence.name] =
      kernel_->fence(*state.process, result.handle)->fence;
}

void Machine::check_status(const std::string& pointer, const std::string& call, NTSTATUS status,
                           const std::optional<std::string>& wanted) {
  const char* found = fenceline::wddm::status_name(status);
  if (wanted)
    check(pointer, call + " returns " + *wanted, found, *wanted == found);
  else if (!NT_SUCCESS(status))
    check(pointer, call + " succeeds", found, false);
}

void Machine::check(const std::string& pointer, const std::string& text, const std::string& found,
                    bool holds) {
  const auto [at, fresh] = checked_.try_emplace(pointer);
  if (fresh || at->second.holds) at->second = {pointer, text, found, holds};
}

}  // namespace fenceline::run
