#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tb/os/core/mutex.h"
#include "tb/os/core/system_options.h"
#include "tb/os/driver/adapter.h"
#include "tb/os/driver/adapter_resets.h"

namespace fenceline::os {

/// A context of hardware queues in the OS. Its OS handle is its address.
struct HwContext {
  HwContext(common::Steps& steps, Adapter& on) : adapter(on), answered(steps) {}

  std::string name;
  std::uint32_t number = 0;  ///< from 1 over the run; 0: the OS does not schedule it
  Adapter& adapter;
  UINT node = 0;
  HANDLE driver_handle = nullptr;
  const void* owner = nullptr;  ///< process that owns it
  std::uint32_t process = 0;    ///< object of that process
  std::uint32_t queues = 0;
  SchedulingProperties properties;
  bool stopped = false;  ///< a thread has suspended it
  bool held = false;     ///< memory of its process is being moved
  // Guarded by the lock of the scheduler.
  UINT64 fence = 0;        ///< fence of the last suspension
  bool asking = false;     ///< the suspension is neither acknowledged nor taken back
  bool suspended = false;  ///< suspended as far as the OS knows
  bool lost = false;       ///< a reset has ended it
  bool ended = false;      ///< its device is in error: it stays suspended
  KernelEvent answered;    ///< set when `asking` becomes false
};

/// VidSch for contexts with queues that user mode feeds: the hardware schedules; the OS suspends
/// and resumes contexts and sets their priorities.
///
/// Threads call it at PASSIVE_LEVEL. A suspension that is not acknowledged within TdrDelay is a
/// timeout: the engine is reset, or the adapter if that fails. Devices with contexts that the
/// driver reports as lost are in error. If the GPU reports a hung engine, the thread of `run`
/// resets the engine, and the device of its queue is in error. Source: WDDM, DxgkDdiSuspendContext,
/// DxgkDdiResetHwEngine, DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT.
class HardwareScheduler : public common::Hashed {
 public:
  HardwareScheduler(Cpu& cpu, const ContextSchedulingOptions& options,
                    const PreemptionOptions& preemption, AdapterResets& resets);

  /// An adapter has started: sends the priority bands to its driver.
  void set_up(Adapter& adapter);
  /// A context was created, or a queue in it.
  void add(HwContext& context);
  void add_queue(const HwContext& context, std::uint32_t queue);
  /// Returns the driver's status. Source: WDDM, DxgkDdiSetContextSchedulingProperties.
  NTSTATUS set_properties(HwContext& context, const SchedulingProperties& properties);

  /// Returns the driver's status; with `wait` only after the acknowledgement or the loss of the
  /// context.
  NTSTATUS suspend(HwContext& context, bool wait);
  void resume(HwContext& context);
  /// Suspends until `release`, whatever threads request meanwhile. No work runs on return.
  void hold(HwContext& context);
  void release(HwContext& context);
  /// The device of the process is in error: suspends its contexts for good, without waiting. The
  /// device detects an engine that does not leave one. Source: WDDM, user-mode work submission.
  void end(const void* owner);
  /// The adapter works again after its reset. Its reports were dropped meanwhile: suspensions by
  /// `end` without acknowledgement are requested again.
  void ask_again(const Adapter& adapter);
  /// Resets an engine that hangs.
  void reset_engine(Adapter& adapter, UINT node);
  /// Puts devices in error whose contexts the driver has reported as lost.
  void give_up_lost();
  /// Body of its agent on GPUs that detect hangs: resets hung engines.
  void run();
  /// The GPU has reported a hung engine. At DISPATCH_LEVEL.
  void timed_out(Adapter& adapter, UINT node);

  /// The driver has reported a suspension. At DISPATCH_LEVEL. Bug check for a fence never issued.
  void completed(Adapter& adapter, HANDLE handle, UINT64 fence);
  /// DxgkCbInvalidateHwContext.
  NTSTATUS invalidated(const Adapter& adapter, HANDLE handle, UINT flags);

  /// Called at PASSIVE_LEVEL: the device of the context is in error.
  std::function<void(const HwContext&)> on_lost;
  /// Likewise: the process of the context is blocked from the adapter.
  std::function<void(const HwContext&)> on_blocked;
  /// Likewise: an adapter works again after its reset.
  std::function<void(const Adapter&)> on_restarted;
  /// Called at PASSIVE_LEVEL: resets an adapter with contexts that the OS feeds. Unset: there are
  /// none.
  std::function<void(Adapter&)> reset_others;
  std::uint64_t state_hash() const override;

 private:
  static bool stops(const HwContext& context);
  HwContext* find(HANDLE context) const;
  bool pending(const HwContext& context, UINT64 fence);
  void wait_for(HwContext& context, UINT64 fence);
  /// Calls the driver with a new fence, which it returns.
  NTSTATUS call_suspend(HwContext& context, UINT64& fence);
  void call_resume(HwContext& context);
  void reset_adapter(Adapter& adapter);
  /// The caller holds the mutex of resets.
  void reset_node(Adapter& adapter, UINT node);
  void report_adapter(const Adapter& adapter, event::RecoveryStage stage);
  bool follow_hang();
  void forget_hangs(const Adapter& adapter, std::optional<UINT> node);

  Cpu& cpu_;
  const ContextSchedulingOptions options_;
  const PreemptionOptions preemption_;
  AdapterResets& resets_;
  SpinLock lock_;  ///< guards contexts
  /// All suspensions and resumptions are called one after the other: drivers see them in the order
  /// in which the OS decides them.
  Mutex one_call_;
  std::vector<HwContext*> contexts_;
  struct Lost {
    HwContext* context;
    bool collateral;
  };
  std::vector<Lost> lost_;  ///< reported, but not handled yet
  struct Hang {
    Adapter* adapter;
    UINT node;
  };
  std::vector<Hang> hangs_;  ///< hung engines, not handled yet
  KernelEvent work_;         ///< set when `run` has work
  UINT64 last_fence_ = 0;
};

}  // namespace fenceline::os
