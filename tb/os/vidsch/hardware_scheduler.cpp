#include "tb/os/vidsch/hardware_scheduler.h"

#include <algorithm>
#include <utility>

#include "models/top/gpu.h"

namespace fenceline::os {

namespace {

constexpr common::Time kUnit = 100 * common::kNanosecond;  // time unit of the interface

UINT64 units(common::Time time) { return time / kUnit; }

}  // namespace

HardwareScheduler::HardwareScheduler(Cpu& cpu, const ContextSchedulingOptions& options,
                                     const PreemptionOptions& preemption, AdapterResets& resets)
    : cpu_(cpu),
      options_(options),
      preemption_(preemption),
      resets_(resets),
      lock_(cpu.simulation().steps, this),
      one_call_(cpu, *this),
      work_(cpu.simulation().steps) {}

std::uint64_t HardwareScheduler::state_hash() const {
  common::Hasher hasher;
  for (const HwContext* context : contexts_)
    hasher.add(context->fence << 5 | (context->stopped ? 16U : 0U) | (context->held ? 8U : 0U) |
               (context->asking ? 4U : 0U) | (context->suspended ? 2U : 0U) |
               (context->lost ? 1U : 0U) | (context->ended ? 1ULL << 63 : 0));
  for (const Hang& hang : hangs_)
    hasher.add(std::uint64_t{hang.adapter->object()} << 32 | hang.node);
  return hasher.add(last_fence_).value();
}

void HardwareScheduler::set_up(Adapter& adapter) {
  if (!options_.enabled) return;
  constexpr UINT kPercentage = 10;  // default of the interface
  DXGKARG_SETUPPRIORITYBANDS args{};
  for (UINT band = 0; band < kSchedulingPriorityBands; ++band)
    args.GracePeriodForBand[band] = units(options_.band_grace[band]);
  args.TargetNormalBandPercentage = kPercentage;
  adapter.call<Ddi::DxgkDdiSetupPriorityBands>(adapter.handle(), &args);
  for (UINT band = 0; band < kSchedulingPriorityBands; ++band)
    cpu_.simulation().emit(event::BandGrace{adapter.object(), band, args.GracePeriodForBand[band]});
}

void HardwareScheduler::add(HwContext& context) {
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    contexts_.push_back(&context);
    context.number = static_cast<std::uint32_t>(contexts_.size());
  }
  if (options_.enabled) set_properties(context, context.properties);
}

void HardwareScheduler::add_queue(const HwContext& context, std::uint32_t queue) {
  if (!options_.enabled) return;
  cpu_.simulation().emit(event::ScheduledQueue{queue, context.number, context.adapter.object(),
                                               context.node + 1, !stops(context)});
}

/// True if the node can leave a queue that has more packets. Source: WDDM, preemption granularity:
/// none.
bool HardwareScheduler::stops(const HwContext& context) {
  const top::GpuConfig& config = context.adapter.gpu().config();
  const abi::Granularity& levels = config.preemption.granularity;
  return config.engines[context.node].kind == engine::EngineKind::kGraphics
             ? levels.graphics != abi::GraphicsGranularity::kNone
             : levels.compute != abi::ComputeGranularity::kNone;
}

NTSTATUS HardwareScheduler::set_properties(HwContext& context,
                                           const SchedulingProperties& properties) {
  constexpr INT kMaxPriority = 7;
  Adapter& adapter = context.adapter;
  DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES args{};
  args.hContext = context.driver_handle;
  args.PriorityBand = static_cast<DXGK_SCHEDULING_PRIORITY_BAND>(properties.band);
  args.RealtimeBandPriorityLevel = static_cast<INT>(properties.realtime_level);
  args.InProcessPriority = properties.priority;
  args.Quantum = units(properties.quantum);
  args.GracePeriodSamePriority = units(properties.grace_same);
  args.GracePeriodLowerPriority = units(properties.grace_lower);
  const NTSTATUS status =
      adapter.call<Ddi::DxgkDdiSetContextSchedulingProperties>(adapter.handle(), &args);
  if (!NT_SUCCESS(status)) return status;
  context.properties = properties;
  const bool realtime = args.PriorityBand == DXGK_SCHEDULING_PRIORITY_BAND_REALTIME;
  const auto priority =
      static_cast<std::uint64_t>(std::int64_t{args.InProcessPriority} + kMaxPriority);
  cpu_.simulation().emit(event::ContextRank{
      adapter.object(), context.number, properties.band, realtime ? properties.realtime_level : 0,
      priority, context.process, args.GracePeriodLowerPriority, context.node + 1});
  return status;
}

NTSTATUS HardwareScheduler::suspend(HwContext& context, bool wait) {
  UINT64 fence = 0;
  NTSTATUS status = STATUS_SUCCESS;
  {
    MutexScope alone(one_call_);
    context.stopped = true;
    if (context.lost) return STATUS_SUCCESS;
    status = call_suspend(context, fence);
  }
  if (wait && status == STATUS_PENDING) wait_for(context, fence);
  return status;
}

void HardwareScheduler::resume(HwContext& context) {
  MutexScope alone(one_call_);
  context.stopped = false;
  if (!context.held && !context.ended && !context.lost) call_resume(context);
}

void HardwareScheduler::hold(HwContext& context) {
  UINT64 fence = 0;
  {
    MutexScope alone(one_call_);
    context.held = true;
    if (context.lost || call_suspend(context, fence) != STATUS_PENDING) return;
  }
  wait_for(context, fence);
}

void HardwareScheduler::release(HwContext& context) {
  MutexScope alone(one_call_);
  context.held = false;
  if (!context.stopped && !context.lost && !context.ended) call_resume(context);
}

void HardwareScheduler::end(const void* owner) {
  const auto goes_on = [owner](const HwContext* context) {
    return context->owner == owner && !context->lost && !context->ended &&
           context->adapter.gpu().config().command_processor.schedules;
  };
  if (std::none_of(contexts_.begin(), contexts_.end(), goes_on)) return;
  MutexScope alone(one_call_);
  std::vector<HwContext*> run;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    for (HwContext* context : contexts_) {
      if (!goes_on(context)) continue;
      context->ended = true;
      if (!context->asking && !context->suspended) run.push_back(context);
    }
  }
  UINT64 fence = 0;
  for (HwContext* context : run) call_suspend(*context, fence);
}

void HardwareScheduler::ask_again(const Adapter& adapter) {
  const auto asks = [&adapter](const HwContext* context) {
    return &context->adapter == &adapter && context->ended && context->asking && !context->lost;
  };
  if (std::none_of(contexts_.begin(), contexts_.end(), asks)) return;
  MutexScope alone(one_call_);
  UINT64 fence = 0;
  for (HwContext* context : std::vector<HwContext*>(contexts_))
    if (asks(context)) call_suspend(*context, fence);
}

NTSTATUS HardwareScheduler::call_suspend(HwContext& context, UINT64& fence) {
  Adapter& adapter = context.adapter;
  DXGKARG_SUSPENDCONTEXT args{};
  args.hContext = context.driver_handle;
  {
    // Set before the call, because the acknowledgement may arrive before it returns.
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    args.ContextSuspendFence = context.fence = fence = ++last_fence_;
    context.asking = true;
  }
  common::Simulation& simulation = cpu_.simulation();
  simulation.emit(event::SuspendCall{adapter.object(), context.number, args.ContextSuspendFence});
  const NTSTATUS status = adapter.call<Ddi::DxgkDdiSuspendContext>(adapter.handle(), &args);
  simulation.emit(event::SuspendReturn{adapter.object(), context.number, args.ContextSuspendFence,
                                       static_cast<std::uint32_t>(status)});
  if (status == STATUS_PENDING) return status;
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  context.asking = false;
  context.answered.set();  // an earlier call may still wait
  return status;
}

bool HardwareScheduler::pending(const HwContext& context, UINT64 fence) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  return context.asking && context.fence == fence;
}

void HardwareScheduler::wait_for(HwContext& context, UINT64 fence) {
  // During exploration a suspension times out only when nothing else is left to happen.
  const bool limited = preemption_.detects_timeouts;
  bool node_reset = false;
  for (;;) {
    {
      LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
      if (!context.asking || context.fence != fence) return;
      context.answered.clear();
    }
    if (cpu_.block(context.answered, limited ? &preemption_.tdr_delay : nullptr,
                   common::Fires::kLast))
      continue;
    if (!pending(context, fence)) return;
    MutexScope alone(resets_.one_at_a_time());
    // A reset by another thread may have ended it.
    if (!pending(context, fence)) return;
    if (node_reset) {
      reset_adapter(context.adapter);
    } else {
      reset_node(context.adapter, context.node);
      node_reset = true;
    }
  }
}

void HardwareScheduler::call_resume(HwContext& context) {
  Adapter& adapter = context.adapter;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    context.asking = context.suspended = false;
    context.answered.set();
  }
  cpu_.simulation().emit(event::ResumeCall{adapter.object(), context.number});
  DXGKARG_RESUMECONTEXT args{context.driver_handle};
  adapter.call<Ddi::DxgkDdiResumeContext>(adapter.handle(), &args);
}

HwContext* HardwareScheduler::find(HANDLE context) const {
  const auto it = std::find(contexts_.begin(), contexts_.end(), context);
  return it == contexts_.end() ? nullptr : *it;
}

void HardwareScheduler::completed(Adapter& adapter, HANDLE handle, UINT64 fence) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  HwContext* const context = find(handle);
  if (context == nullptr || fence > context->fence)
    adapter.bug_check(
        VIDEO_SCHEDULER_INTERNAL_ERROR, {fenceline::wddm::kSchedulerSuspendFenceNotIssued, fence},
        adapter.gpu().config().name + ": a suspension is acknowledged that nobody asked for");
  const bool counts = context->asking && (fence == context->fence || !options_.checks_fence);
  cpu_.simulation().emit(event::ContextSuspended{adapter.object(), context->number, fence, counts});
  if (!counts) return;
  context->asking = false;
  context->suspended = true;
  context->answered.set();
}

NTSTATUS HardwareScheduler::invalidated(const Adapter& adapter, HANDLE handle, UINT flags) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  HwContext* const context = find(handle);
  if (context == nullptr) return STATUS_INVALID_PARAMETER;
  cpu_.simulation().emit(
      event::ContextLost{adapter.object(), context->number, flags, context->process});
  context->lost = true;
  context->asking = context->suspended = false;
  context->answered.set();
  lost_.push_back({context, (flags & DXGK_INVALIDATEHWCONTEXTFLAGS::kCollateralDamage) != 0});
  work_.set();
  return STATUS_SUCCESS;
}

void HardwareScheduler::timed_out(Adapter& adapter, UINT node) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  hangs_.push_back({&adapter, node});
  work_.set();
}

void HardwareScheduler::run() {
  cpu_.run_thread(common::Operation::kIdle, 0);
  if (!preemption_.enabled || !reset_others) {
    cpu_.simulation().emit(
        event::RecoveryLimits{0, preemption_.tdr_limit_count, preemption_.tdr_limit_time});
  }
  for (;;) {
    cpu_.simulation().steps.forget();
    cpu_.block(work_, nullptr);
    work_.clear();
    while (follow_hang()) {
    }
    give_up_lost();
  }
}

/// False if no engine needs a reset.
bool HardwareScheduler::follow_hang() {
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    if (!preemption_.resets_hung_engines) hangs_.clear();
    if (hangs_.empty()) return false;
  }
  MutexScope alone(resets_.one_at_a_time());
  Hang hang{};
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    if (hangs_.empty()) return false;  // a reset by another thread has ended it
    hang = hangs_.front();
  }
  reset_node(*hang.adapter, hang.node);
  return true;
}

/// Drops hang reports from before a reset: they need no further reset.
void HardwareScheduler::forget_hangs(const Adapter& adapter, std::optional<UINT> node) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  hangs_.erase(std::remove_if(hangs_.begin(), hangs_.end(),
                              [&](const Hang& hang) {
                                return hang.adapter == &adapter &&
                                       (!node.has_value() || hang.node == *node);
                              }),
               hangs_.end());
}

void HardwareScheduler::give_up_lost() {
  std::vector<Lost> lost;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    lost.swap(lost_);
  }
  for (const auto& [context, collateral] : lost) {
    if (!collateral && resets_.blocks(context->owner)) {
      cpu_.simulation().emit(event::Recovery{context->adapter.object(),
                                             event::RecoveryStage::kBlocked, context->process,
                                             context->node + 1});
      if (on_blocked) on_blocked(*context);
    }
    if (on_lost) on_lost(*context);
  }
}

void HardwareScheduler::reset_engine(Adapter& adapter, UINT node) {
  MutexScope alone(resets_.one_at_a_time());
  reset_node(adapter, node);
}

void HardwareScheduler::reset_node(Adapter& adapter, UINT node) {
  common::Simulation& simulation = cpu_.simulation();
  const DXGKARG_RESETHWENGINE reset{node, 0};
  const NTSTATUS status = adapter.call<Ddi::DxgkDdiResetHwEngine>(adapter.handle(), &reset);
  if (!NT_SUCCESS(status)) return reset_adapter(adapter);
  adapter.silence_node(node, true);
  simulation.emit(
      event::HwEngineReset{adapter.object(), true, static_cast<std::uint32_t>(status), node + 1});
  adapter.flush_deferred_calls();
  forget_hangs(adapter, node);
  give_up_lost();
  simulation.emit(event::HwEngineReset{adapter.object(), false, 0, node + 1});
  adapter.silence_node(node, false);
  const DXGKARG_RESUMEHWENGINE resume{node, 0};
  adapter.call<Ddi::DxgkDdiResumeHwEngine>(adapter.handle(), &resume);
}

void HardwareScheduler::reset_adapter(Adapter& adapter) {
  if (reset_others) {
    reset_others(adapter);
    forget_hangs(adapter, std::nullopt);
    return give_up_lost();
  }
  resets_.reset(adapter);
  report_adapter(adapter, event::RecoveryStage::kAdapterReset);
  forget_hangs(adapter, std::nullopt);
  give_up_lost();
  AdapterResets::restart(adapter);
  report_adapter(adapter, event::RecoveryStage::kRestart);
  ask_again(adapter);
  if (on_restarted) on_restarted(adapter);
}

void HardwareScheduler::report_adapter(const Adapter& adapter, event::RecoveryStage stage) {
  cpu_.simulation().emit(event::Recovery{adapter.object(), stage});
}

}  // namespace fenceline::os
