#include "tb/os/vidsch/hw_contexts.h"

#include <algorithm>

namespace fenceline::os {

HwContext* HwContexts::find(Process& process, const std::string& name) {
  const auto it = std::find_if(process.hw_contexts.begin(), process.hw_contexts.end(),
                               [&](const auto& context) { return context->name == name; });
  return it != process.hw_contexts.end() && (*it)->queues != 0 ? it->get() : nullptr;
}

void HwContexts::plan(Process& process, const std::string& name, UINT node) {
  process.hw_contexts.push_back(
      std::make_unique<HwContext>(system_.simulation.steps, *system_.of(process).adapter));
  process.hw_contexts.back()->name = name;
  process.hw_contexts.back()->node = node;
}

NTSTATUS HwContexts::join(Process& process, HwQueue& queue, HwContext& context, UINT flags) {
  if (context.queues == 0)
    if (const NTSTATUS status = create(process, context); !NT_SUCCESS(status)) return status;
  ++context.queues;
  queue.context = &context;
  if (system_.hardware != nullptr) system_.hardware->add_queue(context, queue.object);
  if (system_.options.adapter.system.finds_timeouts() &&
      (flags & D3DDDI_CREATEHWQUEUEFLAGS::kDisableGpuTimeout) == 0)
    system_.simulation.emit(event::QueueGuarded{
        queue.object, context.number, context.adapter.object(), process.object, context.node + 1});
  return STATUS_SUCCESS;
}

NTSTATUS HwContexts::create(Process& process, HwContext& context) {
  context.owner = &process;
  context.process = process.object;
  DXGKARG_CREATEHWCONTEXT args{};
  args.hHwContext = &context;
  args.NodeOrdinal = context.node;
  args.EngineAffinity = 1;
  const NTSTATUS status =
      context.adapter.call<Ddi::DxgkDdiCreateHwContext>(process.space->device(), &args);
  if (!NT_SUCCESS(status)) return status;
  context.driver_handle = args.hHwContext;
  if (system_.hardware != nullptr) system_.hardware->add(context);
  return status;
}

void HwContexts::leave(Adapter& adapter, HwContext& context) {
  if (--context.queues != 0) return;
  adapter.call<Ddi::DxgkDdiDestroyHwContext>(context.driver_handle);
}

void HwContexts::hold(const Process& process, bool stand_still) {
  for (const auto& context : process.hw_contexts) {
    if (context->queues == 0) continue;
    if (stand_still)
      system_.hardware->hold(*context);
    else if (context->held)
      system_.hardware->release(*context);
  }
}

}  // namespace fenceline::os
