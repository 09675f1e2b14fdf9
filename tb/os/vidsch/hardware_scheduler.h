#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tb/os/core/system_options.h"
#include "tb/os/driver/adapter.h"
#include "tb/os/driver/adapter_resets.h"

namespace fenceline::os {

/// A context of hardware queues as the OS keeps it. Its handle of the OS is its address.
struct HwContext {
  HwContext(common::Steps& steps, Adapter& on) : adapter(on), answered(steps) {}

  std::string name;
  std::uint32_t number = 0;  ///< over the run, from 1; 0: the OS does not schedule it
  Adapter& adapter;
  UINT node = 0;
  HANDLE driver_handle = nullptr;
  const void* owner = nullptr;  ///< process that it belongs to
  std::uint32_t process = 0;    ///< ObjectKind::kProcess of that
  std::uint32_t queues = 0;
  SchedulingProperties properties;
  bool stopped = false;  ///< a thread has suspended it
  bool held = false;     ///< memory of its process is being moved
  // Lock of the scheduler.
  UINT64 fence = 0;        ///< of the last suspension
  bool asking = false;     ///< it is neither acknowledged nor taken back
  bool suspended = false;  ///< as far as the OS knows
  bool lost = false;       ///< a reset has ended it
  bool ended = false;      ///< its device is in error: it is suspended, and stays so
  KernelEvent answered;    ///< set when `asking` becomes false
};

/// VidSch for contexts whose queues user mode feeds: the hardware decides who runs, the OS suspends
/// contexts, resumes them and tells their priorities.
///
/// Calls of threads run at PASSIVE_LEVEL. A suspension that is not acknowledged within TdrDelay is
/// a timeout: the engine is reset, or the adapter where that fails, and devices whose contexts the
/// driver reports as lost are in error. So is the device of a queue whose engine the GPU takes for
/// hung: the thread of `run` resets that. Source: WDDM, DxgkDdiSuspendContext,
/// DxgkDdiResetHwEngine, DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT.
class HardwareScheduler : public common::Hashed {
 public:
  HardwareScheduler(Cpu& cpu, const ContextSchedulingOptions& options,
                    const PreemptionOptions& preemption, AdapterResets& resets);

  /// An adapter has started: its driver is told of the priority bands.
  void set_up(Adapter& adapter);
  /// A context has been created, or a queue in it.
  void add(HwContext& context);
  void add_queue(const HwContext& context, std::uint32_t queue);
  /// What the driver returns. Source: WDDM, DxgkDdiSetContextSchedulingProperties.
  NTSTATUS set_properties(HwContext& context, const SchedulingProperties& properties);

  /// What the driver returns; with `wait` after it is acknowledged or the context is lost.
  NTSTATUS suspend(HwContext& context, bool wait);
  void resume(HwContext& context);
  /// Suspended until `release`, whatever threads ask for meanwhile. On return nothing of it runs.
  void hold(HwContext& context);
  void release(HwContext& context);
  /// The device of the process is in error: its contexts are suspended for good. Does not wait:
  /// where an engine does not leave one, the device finds that. Source: WDDM, user-mode work
  /// submission.
  void end(const void* owner);
  /// The adapter works again after its reset: what its device said meanwhile was dropped, so that
  /// suspensions by `end` that are not acknowledged are asked for once more.
  void ask_again(const Adapter& adapter);
  /// The engine is taken for hung.
  void reset_engine(Adapter& adapter, UINT node);
  /// Devices whose contexts the driver has reported as lost are in error.
  void give_up_lost();
  /// The body of its agent, where GPUs find hangs: resets engines that have hung.
  void run();
  /// The GPU takes an engine for hung. At DISPATCH_LEVEL.
  void timed_out(Adapter& adapter, UINT node);

  /// The driver has reported a suspension. At DISPATCH_LEVEL. Bug check for a fence never issued.
  void completed(Adapter& adapter, HANDLE handle, UINT64 fence);
  /// DxgkCbInvalidateHwContext.
  NTSTATUS invalidated(const Adapter& adapter, HANDLE handle, UINT flags);

  /// Called at PASSIVE_LEVEL: the device that the context belongs to is in error.
  std::function<void(const HwContext&)> on_lost;
  /// Likewise: the process of the context is kept from the adapter.
  std::function<void(const HwContext&)> on_blocked;
  /// Likewise: an adapter works again after its reset.
  std::function<void(const Adapter&)> on_restarted;
  /// Called at PASSIVE_LEVEL: resets an adapter whose other contexts the OS feeds. Unset: there are
  /// none.
  std::function<void(Adapter&)> reset_others;
  std::uint64_t state_hash() const override;

 private:
  static bool stops(const HwContext& context);
  HwContext* find(HANDLE context) const;
  bool pending(const HwContext& context, UINT64 fence);
  void wait_for(HwContext& context, UINT64 fence);
  NTSTATUS call_suspend(HwContext& context, bool wait);
  void call_resume(HwContext& context);
  void reset_adapter(Adapter& adapter);
  void report_adapter(const Adapter& adapter, event::RecoveryStage stage);
  bool follow_hang();
  void forget_hangs(const Adapter& adapter, std::optional<UINT> node);

  Cpu& cpu_;
  const ContextSchedulingOptions options_;
  const PreemptionOptions preemption_;
  AdapterResets& resets_;
  SpinLock lock_;  ///< guards contexts
  std::vector<HwContext*> contexts_;
  struct Lost {
    HwContext* context;
    bool collateral;
  };
  std::vector<Lost> lost_;  ///< reported, and not yet followed up
  struct Hang {
    Adapter* adapter;
    UINT node;
  };
  std::vector<Hang> hangs_;  ///< the same of engines
  KernelEvent work_;         ///< set when `run` has something to do
  UINT64 last_fence_ = 0;
};

}  // namespace fenceline::os
