#include "tb/os/calls/present_calls.h"

#include <algorithm>

#include "tb/os/guard/kernel_address.h"

namespace fenceline::os {

namespace {
constexpr UINT kFlipBytes = 4096;  ///< of a DMA buffer
}  // namespace

NTSTATUS PresentCalls::D3DKMTPresent(Process& process, const D3DKMT_PRESENT& args) {
  system_.enter_call();
  ContextQueue* target = process.context(args.hContext);
  if (target == nullptr) return STATUS_INVALID_HANDLE;
  AdapterState& state = system_.of(process);
  if (state.flips == nullptr || !state.adapter->has_source()) return STATUS_NOT_SUPPORTED;
  if (args.FlipInterval > 1) return STATUS_INVALID_PARAMETER;
  if (target->ended) return STATUS_DEVICE_REMOVED;
  state.power->wake();
  DXGKARG_PRESENT present{};
  present.FlipInterval = args.FlipInterval;
  present.Flags.Value = DXGK_PRESENTFLAGS::kFlip;
  present.PrimaryAddress = args.PrimaryAddress;
  Adapter& adapter = *state.adapter;
  const NTSTATUS status = adapter.flips_by_mmio()
                              ? adapter.call<Ddi::DxgkDdiPresent>(adapter.handle(), &present)
                              : queue_flip(process, *target, present);
  if (!NT_SUCCESS(status)) return status;
  state.flips->present(*target, static_cast<std::uint64_t>(args.PrimaryAddress.QuadPart),
                       args.FlipInterval == 0, args.PresentLimit);
  return STATUS_SUCCESS;
}

/// Has the driver write the DMA buffer of a flip, and queues it.
NTSTATUS PresentCalls::queue_flip(Process& process, ContextQueue& target,
                                  DXGKARG_PRESENT& present) {
  Process::FlipBuffer& buffer = take_buffer(process);
  const NTSTATUS status = write_flip(process, buffer, present);
  if (NT_SUCCESS(status)) {
    const std::uint64_t end = to_bus_address(present.pDmaBuffer) - buffer.backing.address;
    system_.contexts->submission.submit_flip(target, buffer.address, static_cast<UINT>(end));
    buffer.last = {&target, target.submitted};
  }
  buffer.taken = false;
  return status;
}

/// A free buffer, which no other thread takes.
Process::FlipBuffer& PresentCalls::take_buffer(Process& process) {
  const auto free = std::find_if(process.flip_buffers.begin(), process.flip_buffers.end(),
                                 [](const auto& buffer) { return buffer.free(); });
  const bool found = free != process.flip_buffers.end();
  Process::FlipBuffer& buffer = found ? *free : process.flip_buffers.emplace_back();
  buffer.taken = true;
  if (found) return buffer;
  buffer.backing = memory_.allocate(process, kFlipBytes, common::Home::kSysmem);
  buffer.address = process.space->map(buffer.backing, true);
  return buffer;
}

NTSTATUS PresentCalls::write_flip(Process& process, const Process::FlipBuffer& buffer,
                                  DXGKARG_PRESENT& present) {
  Adapter& adapter = *system_.of(process).adapter;
  present.pDmaBuffer = adapter.driver_port().give(buffer.backing.address, kFlipBytes);
  present.DmaSize = kFlipBytes;
  const NTSTATUS status = adapter.call<Ddi::DxgkDdiPresent>(adapter.handle(), &present);
  if (!NT_SUCCESS(status) ||
      is_inside(present.pDmaBuffer, to_kernel_address(buffer.backing.address), kFlipBytes))
    return status;
  adapter.guard().report(Misuse::kAnswerOutside, Ddi::DxgkDdiPresent);
  return STATUS_UNSUCCESSFUL;
}

}  // namespace fenceline::os
