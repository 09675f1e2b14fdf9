#include "kmd_stub/core/queues/hw_scheduling.h"

#include <algorithm>

#include "kmd_stub/core/adapter.h"

namespace fenceline::kmd {

namespace {

constexpr INT kMaxPriority = 7;
constexpr INT kMaxLevel = 31;

std::uint64_t of_context(const HwContext& context, abi::HwContextField field) {
  return abi::kHwContextTable + abi::kHwContextBytes * context.save_area.slot + field;
}

/// The context of a handle if it belongs to the adapter. Otherwise null, with the error in
/// `status`.
HwContext* context_of(const Adapter& adapter, HANDLE handle, NTSTATUS& status) {
  auto* context = from_handle<HwContext>(handle);
  status = context == nullptr              ? STATUS_INVALID_HANDLE
           : &context->adapter != &adapter ? STATUS_INVALID_PARAMETER
                                           : STATUS_SUCCESS;
  return NT_SUCCESS(status) ? context : nullptr;
}

/// Describes the context and its queues to the device. False without a free slot.
bool make_known(HwContext& context) {
  if (context.known) return true;
  Adapter& adapter = context.adapter;
  if (context.save_area.slot == 0)
    context.save_area.slot = adapter.context_slots().take().value_or(0);
  if (context.save_area.slot == 0) return false;
  context.known = true;
  adapter.os().synchronize(
      [&] { adapter.scheduled_contexts().set(context.save_area.slot, &context); });
  adapter.port().write_register(of_context(context, abi::kContextVmid), context.vmid);
  for (const std::uint32_t slot : context.queues)
    adapter.queue_table().set_context(slot, context.save_area.slot);
  return true;
}

/// Removes the queues of a context from the run list, or puts them back.
void set_in_run_list(HwContext& context, bool in) {
  context.out_of_run_list = !in;
  const bool one = !context.adapter.caps().suspends_all_queues;
  for (const std::uint32_t slot : context.queues) {
    context.adapter.queue_table().set_removed(slot, !in);
    if (one) return;
  }
}

/// Stops all queues of the context and reports to the OS that it is lost.
void lose(HwContext& context, UINT flags) {
  Adapter& adapter = context.adapter;
  for (const std::uint32_t slot : context.queues) adapter.queue_table().disable(slot);
  if (context.known) adapter.port().write_register(of_context(context, abi::kContextResume), 1);
  adapter.os().synchronize([&] { context.lost = true; });
  adapter.os().invalidate_hw_context(context.os_handle, flags);
}

/// Contexts with queues on the node that are not lost. Call under the interrupt lock.
std::vector<HwContext*> contexts_now(Adapter& adapter, UINT node) {
  std::vector<HwContext*> result;
  for (std::uint32_t slot = 0; slot < abi::kQueueSlots; ++slot) {
    HwContext* const context = adapter.scheduled_contexts().of_queue(slot);
    if (context != nullptr && context->node == node && !context->lost &&
        std::find(result.begin(), result.end(), context) == result.end())
      result.push_back(context);
  }
  return result;
}

std::vector<HwContext*> contexts_on(Adapter& adapter, UINT node) {
  std::vector<HwContext*> result;
  adapter.os().synchronize([&] { result = contexts_now(adapter, node); });
  return result;
}

/// True if the last reset of its node ended a queue of the context.
bool was_ended(const HwContext& context, std::uint64_t ended) {
  const auto& queues = context.queues;
  return ended != 0 && std::find(queues.begin(), queues.end(),
                                 static_cast<std::uint32_t>(ended - 1)) != queues.end();
}

/// True if a reset of the node also resets other nodes.
bool resets_with_others(const Adapter& adapter, UINT node) {
  const std::uint64_t group = adapter.hardware().reset_group;
  return (group >> node & 1U) != 0 && (group & ~(1ULL << node)) != 0;
}

}  // namespace

void add_queue(HwContext& context, std::uint32_t slot) {
  context.queues.push_back(slot);
  Adapter& adapter = context.adapter;
  adapter.os().synchronize([&] { adapter.scheduled_contexts().set_queue(slot, &context); });
  if (!context.known) return;
  adapter.queue_table().set_context(slot, context.save_area.slot);
  if (context.out_of_run_list) adapter.queue_table().set_removed(slot, true);
}

void remove_queue(HwContext& context, std::uint32_t slot) {
  auto& queues = context.queues;
  queues.erase(std::remove(queues.begin(), queues.end(), slot), queues.end());
  Adapter& adapter = context.adapter;
  adapter.os().synchronize([&] { adapter.scheduled_contexts().set_queue(slot, nullptr); });
  if (!context.known) return;
  adapter.queue_table().set_context(slot, 0);
}

void forget_context(HwContext& context) {
  Adapter& adapter = context.adapter;
  const std::uint32_t slot = context.save_area.slot;
  if (context.known)
    adapter.os().synchronize([&] { adapter.scheduled_contexts().set(slot, nullptr); });
  if (context.save_area.allocation != nullptr)
    free_save_area(adapter, context.save_area);
  else if (slot != 0)
    adapter.context_slots().release(slot);
}

NTSTATUS DxgkDdiSuspendContext(Adapter& adapter, const DXGKARG_SUSPENDCONTEXT& args) {
  NTSTATUS status = STATUS_SUCCESS;
  HwContext* const context = context_of(adapter, args.hContext, status);
  if (context == nullptr) return status;
  if (!make_known(*context)) return STATUS_INSUFFICIENT_RESOURCES;
  bool already = false;
  adapter.os().synchronize([&] {
    already = context->suspended || context->lost;
    if (!already) context->suspend_fence = args.ContextSuspendFence;
  });
  if (already) return STATUS_SUCCESS;
  set_in_run_list(*context, false);
  adapter.port().write_register(of_context(*context, abi::kContextSuspend),
                                args.ContextSuspendFence);
  return STATUS_PENDING;
}

NTSTATUS DxgkDdiResumeContext(Adapter& adapter, const DXGKARG_RESUMECONTEXT& args) {
  NTSTATUS status = STATUS_SUCCESS;
  HwContext* const context = context_of(adapter, args.hContext, status);
  if (context == nullptr) return status;
  if (!context->known || context->lost) return STATUS_SUCCESS;
  adapter.os().synchronize([&] {
    context->suspended = false;
    context->suspend_fence = 0;
  });
  adapter.port().write_register(of_context(*context, abi::kContextResume), 1);
  set_in_run_list(*context, true);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiSetContextSchedulingProperties(Adapter& adapter,
                                               const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES& args) {
  NTSTATUS status = STATUS_SUCCESS;
  HwContext* const context = context_of(adapter, args.hContext, status);
  if (context == nullptr) return status;
  if (args.PriorityBand >= kSchedulingPriorityBands || args.RealtimeBandPriorityLevel < 0 ||
      args.RealtimeBandPriorityLevel > kMaxLevel || args.InProcessPriority < -kMaxPriority ||
      args.InProcessPriority > kMaxPriority)
    return STATUS_INVALID_PARAMETER;
  if (!make_known(*context)) return STATUS_INSUFFICIENT_RESOURCES;
  if (!adapter.caps().passes_priorities) return STATUS_SUCCESS;
  kmd_host::HostPort& port = adapter.port();
  const bool realtime = args.PriorityBand == DXGK_SCHEDULING_PRIORITY_BAND_REALTIME;
  const auto level = static_cast<std::uint64_t>(realtime ? args.RealtimeBandPriorityLevel : 0);
  const auto priority =
      static_cast<std::uint64_t>(std::int64_t{args.InProcessPriority} + kMaxPriority);
  port.write_register(of_context(*context, abi::kContextQuantum), args.Quantum);
  port.write_register(of_context(*context, abi::kContextGraceSame), args.GracePeriodSamePriority);
  port.write_register(of_context(*context, abi::kContextGraceLower), args.GracePeriodLowerPriority);
  port.write_register(of_context(*context, abi::kContextRank),
                      args.PriorityBand | level << 8 | priority << 16);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiSetupPriorityBands(Adapter& adapter, const DXGKARG_SETUPPRIORITYBANDS& args) {
  constexpr UINT kMaxPercentage = 50;
  if (args.TargetNormalBandPercentage > kMaxPercentage) return STATUS_INVALID_PARAMETER;
  if (!adapter.caps().passes_priorities) return STATUS_SUCCESS;
  for (UINT band = 0; band < kSchedulingPriorityBands; ++band)
    adapter.port().write_register(of_node(abi::kBandGrace, band), args.GracePeriodForBand[band]);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiResetHwEngine(Adapter& adapter, const DXGKARG_RESETHWENGINE& args) {
  if (!is_engine(adapter, args.NodeOrdinal, args.EngineOrdinal)) return STATUS_INVALID_PARAMETER;
  const kmd_host::HwEngineReset how = adapter.caps().hw_engine_reset;
  // The OS would not learn what other nodes lose: the whole adapter must be reset.
  if (how == kmd_host::HwEngineReset::kFails || resets_with_others(adapter, args.NodeOrdinal)) {
    adapter.scheduled_contexts().not_reset |= 1U << args.NodeOrdinal;
    return STATUS_UNSUCCESSFUL;
  }
  const std::uint64_t reset = how == kmd_host::HwEngineReset::kWholeNode ? 1 : abi::kResetAndHold;
  if (!reset_node(adapter, args.NodeOrdinal, reset)) return STATUS_UNSUCCESSFUL;
  const std::uint64_t ended =
      adapter.port().read_register(of_node(abi::kEngineQueue, args.NodeOrdinal));
  if (how != kmd_host::HwEngineReset::kNoisy) {
    if (!adapter.drain_reports()) return STATUS_UNSUCCESSFUL;
    adapter.os().synchronize([&] { adapter.interrupts().hold(args.NodeOrdinal); });
  }
  for (HwContext* const context : contexts_on(adapter, args.NodeOrdinal)) {
    const bool other = how == kmd_host::HwEngineReset::kWrongContext;
    if (was_ended(*context, ended) != other)
      lose(*context, 0);
    else if (how == kmd_host::HwEngineReset::kCollateral)
      lose(*context, DXGK_INVALIDATEHWCONTEXTFLAGS::kCollateralDamage);
  }
  return STATUS_SUCCESS;
}

bool lose_ended(Adapter& adapter, UINT node, UINT flags) {
  const std::uint64_t ended = adapter.port().read_register(of_node(abi::kEngineQueue, node));
  for (HwContext* const context : contexts_on(adapter, node)) {
    if (!was_ended(*context, ended)) continue;
    lose(*context, flags);
    return true;
  }
  return false;
}

NTSTATUS DxgkDdiResumeHwEngine(Adapter& adapter, const DXGKARG_RESUMEHWENGINE& args) {
  if (!is_engine(adapter, args.NodeOrdinal, args.EngineOrdinal)) return STATUS_INVALID_PARAMETER;
  adapter.os().synchronize([&] {
    if (adapter.interrupts().release(args.NodeOrdinal)) adapter.os().queue_dpc();
  });
  resume_node(adapter, args.NodeOrdinal);
  return STATUS_SUCCESS;
}

bool has_hw_contexts(Adapter& adapter, UINT node) {
  if ((adapter.scheduled_contexts().not_reset >> node & 1U) != 0) return true;
  if (!adapter.scheduled_contexts().any()) return false;
  const std::vector<HwContext*> contexts = contexts_on(adapter, node);
  return std::any_of(contexts.begin(), contexts.end(),
                     [](const HwContext* context) { return context->known; });
}

bool shares_node(Adapter& adapter, UINT node) { return !contexts_now(adapter, node).empty(); }

void lose_hw_contexts(Adapter& adapter, UINT node) {
  if (!adapter.scheduled_contexts().any()) return;
  for (HwContext* const context : contexts_on(adapter, node))
    if (context->known) lose(*context, DXGK_INVALIDATEHWCONTEXTFLAGS::kCollateralDamage);
}

}  // namespace fenceline::kmd
