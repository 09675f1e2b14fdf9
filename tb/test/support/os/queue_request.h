#pragma once

#include <catch2/catch.hpp>

#include "models/abi/private_data.h"
#include "tb/os/kernel.h"

namespace fenceline::support {

/// Arguments of D3DKMTCreateHwQueue: a context of the process and a ring in its memory.
struct QueueRequest {
  QueueRequest(os::Kernel& of, os::Process& owner, UINT node = 1) : kernel(of), process(owner) {
    D3DKMT_CREATEHWCONTEXT context{};
    context.hDevice = process.device();
    context.NodeOrdinal = node;
    REQUIRE(kernel.queues.D3DKMTCreateHwContext(process, context) == STATUS_SUCCESS);
    ring = kernel.fixed_memory.allocate(process, 4096, common::Home::kSysmem);
    data.ring_address = kernel.fixed_memory.share(process, ring);
    data.ring_bytes = ring.bytes;
    data.read_pointer_address = kernel.fixed_memory.share(
        process, kernel.fixed_memory.allocate(process, 4096, common::Home::kSysmem));
    if (kernel.adapter(process.adapter).shares_doorbells())
      data.write_pointer_address = data.read_pointer_address + 128;
    args.hHwContext = context.hHwContext;
    args.PrivateDriverDataSize = sizeof data;
    args.pPrivateDriverData = &data;
  }
  QueueRequest(const QueueRequest&) = delete;
  QueueRequest& operator=(const QueueRequest&) = delete;

  /// @param log_entries 0: no logs
  NTSTATUS create(UINT log_entries = 0) {
    os::CallOptions options;
    options.log_entries = log_entries;
    const os::WithOptions scope(kernel.system.threads, options);
    return kernel.queues.D3DKMTCreateHwQueue(process, args);
  }
  /// The created queue.
  os::HwQueue& queue() const { return process.queue(args.hHwQueue); }

  os::Kernel& kernel;
  os::Process& process;
  os::Backing ring;
  abi::QueuePrivateData data{};
  D3DKMT_CREATEHWQUEUE args{};
};

}  // namespace fenceline::support
