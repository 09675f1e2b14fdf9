// Steps for allocations that the memory manager has.
#include "tb/run/threads/memory_stress.h"
#include "tb/run/threads/thread_killed.h"
#include "tb/run/threads/thread_program.h"

namespace fenceline::run {

ProcessState::Allocation& ThreadProgram::allocation(const std::string& name,
                                                    ProcessState& process) {
  const auto found = process.allocations.find(name);
  if (found == process.allocations.end()) never_made("allocation", name);
  return found->second;
}

user::Resource& ThreadProgram::resource(const std::string& name) {
  const ProcessState::Allocation& found = allocation(name);
  if (found.resource == nullptr) never_made("allocation", name);
  return *found.resource;
}

std::vector<user::Resource*> ThreadProgram::resources(const std::vector<std::string>& names) {
  std::vector<user::Resource*> result;
  result.reserve(names.size());
  for (const std::string& name : names) result.push_back(&resource(name));
  return result;
}

D3DGPU_VIRTUAL_ADDRESS ThreadProgram::use(const std::string& name, user::CommandWriter& writer,
                                          bool writes) {
  const ProcessState::Allocation& used = allocation(name);
  if (used.resource == nullptr) {
    auto* const patched = dynamic_cast<user::PatchedWriter*>(&writer);
    return patched != nullptr ? patched->bind(used.backing, used.address) : used.address;
  }
  if (auto* const context = dynamic_cast<user::ContextWriter*>(&writer))
    used.resource->note_use(*context, writes);
  return used.resource->address();
}

void ThreadProgram::broadcast(user::ContextWriter& writer, const std::string& other) {
  auto& recorded = dynamic_cast<user::PatchedWriter&>(writer);
  const std::size_t slash = other.find('/');
  ProcessState& target = machine_.objects.process(other.substr(0, slash));
  std::vector<os::Backing> allocations;
  for (const os::Backing& backing : recorded.bound())
    for (const auto& [name, own] : state_.allocations)
      if (own.backing.address == backing.address && own.backing.vram == backing.vram)
        allocations.push_back(allocation(name, target).backing);
  const auto context = target.contexts.find(other.substr(slash + 1));
  if (context == target.contexts.end()) never_made("context", other);
  recorded.also(*target.process, context->second->handle(), std::move(allocations));
}

void ThreadProgram::perform(const scenario::CreateAllocationStep& step) {
  report_status(machine_.objects.create_allocation(state_, step.allocation));
}

void ThreadProgram::perform(const scenario::DestroyAllocationStep& step) {
  using Flags = D3DDDICB_DESTROYALLOCATION2FLAGS;
  check_status("D3DKMTDestroyAllocation2",
               resource(step.allocation)
                   .destroy((step.assume_not_in_use ? Flags::kAssumeNotInUse : 0U) |
                            (step.synchronous ? Flags::kSynchronousDestroy : 0U)),
               step.status);
}

void ThreadProgram::perform(const scenario::MakeResidentStep& step) {
  check_status("D3DKMTMakeResident",
               user::Resource::make_resident(kernel_, *state_.process, resources(step.allocations)),
               step.status);
}

void ThreadProgram::perform(const scenario::EvictStep& step) {
  const UINT flags = step.only_if_necessary ? D3DDDI_EVICT_FLAGS::kEvictOnlyIfNecessary : 0;
  check_status("D3DKMTEvict",
               user::Resource::evict(kernel_, *state_.process, resources(step.allocations), flags),
               step.status);
}

void ThreadProgram::perform(const scenario::LockStep& step) {
  const user::Resource& target = resource(step.allocation);
  std::uint64_t& address = allocation(step.allocation).user_address;
  if (step.older) {
    D3DKMT_LOCK args{};
    args.hDevice = state_.process->device();
    args.hAllocation = target.handle();
    for (const std::uint32_t flag : step.flags) args.Flags.Value |= flag;
    check_status("D3DKMTLock", kernel_.memory.D3DKMTLock(*state_.process, args), step.status);
    if (args.pData != nullptr) address = reinterpret_cast<std::uint64_t>(args.pData);
    return;
  }
  D3DKMT_LOCK2 args{};
  args.hDevice = state_.process->device();
  args.hAllocation = target.handle();
  args.Flags.Value = step.reserved;
  check_status("D3DKMTLock2", kernel_.memory.D3DKMTLock2(*state_.process, args), step.status);
  if (args.pData != nullptr) address = reinterpret_cast<std::uint64_t>(args.pData);
}

void ThreadProgram::perform(const scenario::UnlockStep& step) {
  const D3DKMT_HANDLE handle = resource(step.allocation).handle();
  if (step.older) {
    const D3DKMT_UNLOCK args{state_.process->device(), 1, &handle};
    return check_status("D3DKMTUnlock", kernel_.memory.D3DKMTUnlock(*state_.process, args),
                        step.status);
  }
  check_status("D3DKMTUnlock2",
               kernel_.memory.D3DKMTUnlock2(*state_.process, {state_.process->device(), handle}),
               step.status);
}

void ThreadProgram::perform(const scenario::MapStep& step) {
  user::Resource& target = resource(step.allocation);
  const NTSTATUS status =
      blocked("map of " + step.allocation, [&] { return target.map(step.mode, step.do_not_wait); });
  if (NT_SUCCESS(status)) allocation(step.allocation).user_address = target.user_address();
  check_status("the map", status, step.status);
}

void ThreadProgram::perform(const scenario::UnmapStep& step) {
  check_status("the unmap", resource(step.allocation).unmap(), std::nullopt);
}

/// What user mode has been told as the address of an allocation; nothing is mapped at 0.
NTSTATUS ThreadProgram::touch(const scenario::MemoryStep& step, bool write, std::uint64_t& value) {
  const std::uint64_t base = allocation(step.allocation).user_address;
  const NTSTATUS status =
      kernel_.user_access.touch_memory(*state_.process, base + step.offset, write, value);
  check_access(status, step.violates);
  return status;
}

void ThreadProgram::perform(const scenario::StoreStep& step) {
  std::uint64_t value = step.value ? step.value->evaluate(counters_) : 0;
  touch(step, true, value);
}

void ThreadProgram::perform(const scenario::LoadStep& step) {
  std::uint64_t found = 0;
  if (!NT_SUCCESS(touch(step, false, found)) || !step.value) return;
  const std::uint64_t wanted = step.value->evaluate(counters_);
  machine_.checks.check(*at_ + "/load/value", "the value is " + std::to_string(wanted),
                        std::to_string(found), found == wanted);
}

void ThreadProgram::perform(const scenario::InvalidateCacheStep& step) {
  const user::Resource& target = resource(step.allocation);
  D3DKMT_INVALIDATECACHE args{};
  args.hDevice = state_.process->device();
  args.hAllocation = target.handle();
  args.Offset = step.offset;
  args.Length = step.bytes != 0 ? step.bytes : target.bytes() - step.offset;
  check_status("D3DKMTInvalidateCache", kernel_.memory.D3DKMTInvalidateCache(*state_.process, args),
               step.status);
}

void ThreadProgram::perform(const scenario::MemoryStressStep& step) {
  try {
    MemoryStress(kernel_, state_, step, machine_.scenario().seed).run();
  } catch (const MemoryStress::Refused& refused) {
    check_status(refused.call, refused.status, {});
    throw ThreadKilled();
  }
}

}  // namespace fenceline::run
