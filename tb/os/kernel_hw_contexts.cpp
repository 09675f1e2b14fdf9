// Contexts of hardware queues.
#include <algorithm>

#include "tb/os/kernel.h"

namespace fenceline::os {

/// Some GPU finds hangs of hardware queues itself.
bool Kernel::finds_hangs() const {
  for (std::size_t i = 0; i < platform_.gpu_count(); ++i)
    if (platform_.gpu(i).config().command_processor.engine_timeout != 0) return true;
  return false;
}

void Kernel::follow_hw_contexts() {
  const SystemOptions& system = options_.adapter.system;
  hardware_ = std::make_unique<HardwareScheduler>(cpu_, system.context_scheduling,
                                                  system.preemption, resets_);
  hardware_->on_lost = [this](const HwContext& lost) {
    for (const auto& process : processes_)
      if (process.get() == lost.owner) fail_device(*process);
  };
  hardware_->on_blocked = [this](const HwContext& lost) {
    for (const auto& process : processes_)
      if (process.get() == lost.owner) block_device(*process);
  };
  hardware_->on_restarted = [this](const Adapter& adapter) {
    if (options_.adapter.system.preemption.looks_after_reset) look_at_all(adapter);
  };
  if (contexts_ != nullptr)
    hardware_->reset_others = [this](Adapter& adapter) { contexts_->reset_adapter(adapter); };
}

/// What the memory manager asks of them; contexts that were never created are no concern of it.
void Kernel::hold_hw_contexts(const Process& process, bool hold) {
  for (const auto& context : process.hw_contexts) {
    if (context->queues == 0) continue;
    if (hold)
      hardware_->hold(*context);
    else if (context->held)
      hardware_->release(*context);
  }
}

HwContext* Kernel::find_hw_context(Process& process, const std::string& name) {
  const auto it = std::find_if(process.hw_contexts.begin(), process.hw_contexts.end(),
                               [&](const auto& context) { return context->name == name; });
  return it == process.hw_contexts.end() ? nullptr : it->get();
}

HwContext* Kernel::hw_context(Process& process, const std::string& name) {
  HwContext* const found = find_hw_context(process, name);
  return found != nullptr && found->queues != 0 ? found : nullptr;
}

void Kernel::plan_hw_context(Process& process, const std::string& name,
                             const SchedulingProperties& properties) {
  process.hw_contexts.push_back(
      std::make_unique<HwContext>(simulation_.steps, *adapters_[process.adapter].adapter));
  process.hw_contexts.back()->name = name;
  process.hw_contexts.back()->properties = properties;
}

/// The queue becomes one of the context, which is created if it is the first.
NTSTATUS Kernel::join_context(Process& process, HwQueue& queue, UINT node, const std::string& name,
                              UINT flags) {
  if (find_hw_context(process, name) == nullptr) plan_hw_context(process, name, {});
  HwContext& context = *find_hw_context(process, name);
  if (context.queues == 0) {
    context.node = node;
    context.owner = &process;
    context.process = process.object;
    DXGKARG_CREATEHWCONTEXT create{};
    create.hHwContext = &context;
    create.NodeOrdinal = node;
    create.EngineAffinity = 1;
    const NTSTATUS status = context.adapter.call(Ddi::kCreateHwContext, [&](auto& ddi) {
      return ddi.DxgkDdiCreateHwContext(process.space->device(), &create);
    });
    if (!NT_SUCCESS(status)) return status;
    context.driver_handle = create.hHwContext;
    if (hardware_ != nullptr) hardware_->add(context);
  }
  ++context.queues;
  queue.context = &context;
  if (hardware_ != nullptr) hardware_->add_queue(context, queue.object);
  if (options_.adapter.system.finds_timeouts() &&
      (flags & D3DDDI_CREATEHWQUEUEFLAGS::kDisableGpuTimeout) == 0)
    simulation_.emit(event::QueueGuarded{queue.object, context.number, context.adapter.object(),
                                         process.object, node + 1});
  return STATUS_SUCCESS;
}

/// A queue of it is no more; it goes with the last one.
void Kernel::leave_context(Adapter& adapter, HwContext& context) {
  if (--context.queues != 0) return;
  adapter.call(Ddi::kDestroyHwContext,
               [&](auto& ddi) { return ddi.DxgkDdiDestroyHwContext(context.driver_handle); });
}

}  // namespace fenceline::os
