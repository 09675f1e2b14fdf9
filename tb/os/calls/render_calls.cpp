#include "tb/os/calls/render_calls.h"

#include <algorithm>

#include "tb/os/guard/kernel_address.h"

namespace fenceline::os {

namespace {

/// Element 0 is no allocation.
std::vector<DXGK_ALLOCATIONLIST> allocation_list(const Adapter& adapter,
                                                 const std::vector<Backing>& allocations) {
  std::vector<DXGK_ALLOCATIONLIST> result(1);
  for (const Backing& backing : allocations) {
    DXGK_ALLOCATIONLIST element{};
    element.hDeviceSpecificAllocation = to_kernel_address(backing.address);
    element.Value = DXGK_ALLOCATIONLIST::kWriteOperation;
    if (backing.vram) element.Value |= kVramSegment << DXGK_ALLOCATIONLIST::kSegmentShift;
    element.PhysicalAddress.QuadPart =
        static_cast<LONGLONG>(backing.address - (backing.vram ? adapter.vram_segment_base() : 0));
    result.push_back(element);
  }
  return result;
}

struct Recipient {
  ContextQueue* context;
  std::shared_ptr<const std::vector<DXGK_ALLOCATIONLIST>> allocations;
};

/// Every context gets all parts, with its own allocations.
NTSTATUS submit_parts(ContextSubmission& submission, const std::vector<Recipient>& recipients,
                      const std::shared_ptr<const PatchedBuffer>& buffer,
                      const std::vector<PartRange>& parts) {
  if (recipients.size() > 1 && parts.size() > 1) {
    std::vector<ContextQueue*> all;
    all.reserve(recipients.size());
    for (const Recipient& to : recipients) all.push_back(to.context);
    submission.reserve(std::move(all));
  }
  NTSTATUS result = STATUS_SUCCESS;
  for (const PartRange& part : parts) {
    const bool last = &part == &parts.back();
    for (const Recipient& to : recipients) {
      const NTSTATUS status = submission.submit(
          *to.context,
          std::make_shared<const PatchedPart>(PatchedPart{buffer, to.allocations, part, last}));
      if (NT_SUCCESS(result)) result = status;
    }
  }
  return result;
}

}  // namespace

NTSTATUS RenderCalls::render(const RenderRequest& request, PatchedBuffer& buffer) {
  const RenderRequest::Target& first = request.targets.front();
  Adapter& adapter = *system_.of(*first.process).adapter;
  const std::vector<DXGK_ALLOCATIONLIST> allocations = allocation_list(adapter, first.allocations);
  constexpr std::size_t kMaxLocations = 512;
  buffer.locations.assign(kMaxLocations, {});
  DXGKARG_RENDER args{};
  args.pCommand = request.commands.data();
  args.CommandLength = static_cast<UINT>(request.commands.size());
  args.pDmaBuffer = adapter.driver_port().give(buffer.memory.address, buffer.memory.bytes);
  args.DmaSize = static_cast<UINT>(buffer.memory.bytes);
  args.pAllocationList = allocations.data();
  args.AllocationListSize = static_cast<UINT>(allocations.size());
  args.pPatchLocationListIn = request.locations.data();
  args.PatchLocationListInSize = static_cast<UINT>(request.locations.size());
  args.pPatchLocationListOut = buffer.locations.data();
  args.PatchLocationListOutSize = static_cast<UINT>(buffer.locations.size());
  const HANDLE handle = first.process->context(first.context)->driver_handle;
  const NTSTATUS status = adapter.call(Ddi::DxgkDdiRender, [&](auto& ddi) {
    return ddi.DxgkDdiRender == nullptr ? STATUS_NOT_SUPPORTED : ddi.DxgkDdiRender(handle, &args);
  });
  const auto* const first_location = buffer.locations.data();
  if (!is_inside(args.pDmaBuffer, to_kernel_address(buffer.memory.address), buffer.memory.bytes) ||
      args.pPatchLocationListOut < first_location ||
      args.pPatchLocationListOut > first_location + kMaxLocations) {
    adapter.guard().report(Misuse::kAnswerOutside, Ddi::DxgkDdiRender);
    return STATUS_UNSUCCESSFUL;
  }
  buffer.bytes = static_cast<UINT>(to_bus_address(args.pDmaBuffer) - buffer.memory.address);
  buffer.locations.resize(
      static_cast<std::size_t>(args.pPatchLocationListOut - buffer.locations.data()));
  return status;
}

/// All contexts can take it, and their adapters are awake.
NTSTATUS RenderCalls::check(const RenderRequest& request) {
  if (request.targets.empty() || request.commands.empty()) return STATUS_INVALID_PARAMETER;
  for (const RenderRequest::Target& target : request.targets) {
    const ContextQueue* found = target.process->context(target.context);
    if (found == nullptr) return STATUS_INVALID_HANDLE;
    if (found->ended) return STATUS_DEVICE_REMOVED;
    if (target.allocations.size() != request.targets.front().allocations.size())
      return STATUS_INVALID_PARAMETER;
    system_.of(*target.process).power->wake();
  }
  return STATUS_SUCCESS;
}

/// Where parts stay together they may rely on each other.
void RenderCalls::check_bindings(const RenderRequest& request, const PatchedBuffer& buffer,
                                 const std::vector<PartRange>& parts) {
  Adapter& adapter = *system_.of(*request.targets.front().process).adapter;
  if (!system_.options.adapter.system.preemption.finds_leaks ||
      !adapter.has_cap(DXGK_VIDSCHCAPS::kPreemptionAware))
    return;
  if (const auto leak = find_binding_leak(buffer, parts))
    adapter.bug_check(VIDEO_MEMORY_MANAGEMENT_INTERNAL,
                      {fenceline::wddm::kMemoryNotReprogrammed, *leak},
                      "a part of a split buffer neither unbinds nor binds anew what an earlier "
                      "part has bound");
}

NTSTATUS RenderCalls::D3DKMTRender(const RenderRequest& request) {
  system_.enter_call();
  if (const NTSTATUS status = check(request); !NT_SUCCESS(status)) return status;
  const std::shared_ptr<PatchedBuffer> buffer = buffers_.take(system_.pages);
  if (const NTSTATUS status = render(request, *buffer); !NT_SUCCESS(status)) return status;
  buffer->broadcast = request.targets.size() > 1 ? ++buffers_.broadcasts : 0;
  std::vector<std::uint64_t> sizes(1);
  for (const Backing& backing : request.targets.front().allocations) sizes.push_back(backing.bytes);
  const PreemptionOptions& rules = system_.options.adapter.system.preemption;
  const std::vector<PartRange> parts = split_buffer(*buffer, sizes, rules.part_memory);
  if (parts.empty()) return STATUS_GRAPHICS_NO_VIDEO_MEMORY;
  check_bindings(request, *buffer, parts);
  std::vector<Recipient> recipients;
  for (const RenderRequest::Target& target : request.targets)
    recipients.push_back({target.process->context(target.context),
                          std::make_shared<const std::vector<DXGK_ALLOCATIONLIST>>(allocation_list(
                              *system_.of(*target.process).adapter, target.allocations))});
  return submit_parts(system_.contexts->submission, recipients, buffer, parts);
}

}  // namespace fenceline::os
