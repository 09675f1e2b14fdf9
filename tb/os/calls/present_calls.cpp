#include "tb/os/calls/present_calls.h"

#include "tb/os/driver/kernel_address.h"

namespace fenceline::os {

NTSTATUS PresentCalls::D3DKMTPresent(Process& process, const D3DKMT_PRESENT& args) {
  system_.enter_call();
  ContextQueue* target = process.context(args.hContext);
  if (target == nullptr) return STATUS_INVALID_HANDLE;
  AdapterState& state = system_.of(process);
  if (state.flips == nullptr || !state.adapter->has_source()) return STATUS_NOT_SUPPORTED;
  if (args.FlipInterval > 1) return STATUS_INVALID_PARAMETER;
  if (target->ended) return STATUS_DEVICE_REMOVED;
  DXGKARG_PRESENT present{};
  present.FlipInterval = args.FlipInterval;
  present.Flags.Value = DXGK_PRESENTFLAGS::kFlip;
  present.PrimaryAddress = args.PrimaryAddress;
  const NTSTATUS status = build_flip(process, *target, present);
  if (!NT_SUCCESS(status)) return status;
  state.flips->present(*target, static_cast<std::uint64_t>(args.PrimaryAddress.QuadPart),
                       args.FlipInterval == 0, args.PresentLimit);
  return STATUS_SUCCESS;
}

/// Has the driver write the DMA buffer of a flip, where one is needed, and queues it.
NTSTATUS PresentCalls::build_flip(Process& process, ContextQueue& target,
                                  DXGKARG_PRESENT& present) {
  constexpr UINT kBytes = 4096;
  Adapter& adapter = *system_.of(process).adapter;
  Process::FlipBuffer* buffer = nullptr;
  if (!adapter.flips_by_mmio()) {
    buffer = &process.flip_buffers[process.next_flip_buffer++ % process.flip_buffers.size()];
    if (buffer->address == 0) {
      buffer->backing = memory_.allocate(process, kBytes, common::Home::kSysmem);
      buffer->address = process.space->map(buffer->backing, true);
    }
    present.pDmaBuffer = adapter.driver_port().give(buffer->backing.address, kBytes);
    present.DmaSize = kBytes;
  }
  const NTSTATUS status = adapter.call<Ddi::DxgkDdiPresent>(adapter.handle(), &present);
  if (!NT_SUCCESS(status) || buffer == nullptr) return status;
  if (!is_inside(present.pDmaBuffer, to_kernel_address(buffer->backing.address), kBytes)) {
    adapter.guard().report(Misuse::kAnswerOutside, Ddi::DxgkDdiPresent);
    return STATUS_UNSUCCESSFUL;
  }
  const std::uint64_t end = to_bus_address(present.pDmaBuffer) - buffer->backing.address;
  system_.contexts->submission.submit_flip(target, buffer->address, static_cast<UINT>(end));
  return status;
}

}  // namespace fenceline::os
