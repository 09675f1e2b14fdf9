#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kmd_stub/wddm/d3dkmt.h"
#include "kmd_stub/wddm/d3dkmt_adapter.h"
#include "models/top/platform.h"
#include "tb/os/fallback_timer.h"
#include "tb/os/fence_logs.h"
#include "tb/os/fence_scheduler.h"
#include "tb/os/user_pages.h"
#include "tb/os/watchdog.h"

namespace fenceline::os {

/// A hardware queue as the OS keeps it.
struct HwQueue {
  std::string name;
  std::uint32_t object = 0;  ///< ObjectKind::kQueue
  HANDLE driver_handle = nullptr;
  std::uint64_t doorbell_bus = 0;
  QueueLogs logs;
  bool has_logs = false;
  std::uint32_t log_generation = 0;  ///< buffers set so far
  D3DKMT_HANDLE progress_fence = 0;  ///< its native progress fence, 0: none
};

/// A process with its device on one adapter.
struct Process {
  std::string name;
  std::uint32_t object = 0;  ///< ObjectKind::kProcess
  std::size_t adapter = 0;
  std::unique_ptr<AddressSpace> space;
  UserPages user_pages;
  std::vector<LocalFence> fences;                ///< D3DKMT_HANDLE - 1 is the index
  std::vector<std::unique_ptr<HwQueue>> queues;  ///< the same
  // Fences that cannot be shared are packed: pages in use and how far.
  struct Packed {
    Backing page;
    std::uint64_t used = 4096;
  };
  Packed packed_current[2], packed_monitored[2];  ///< by home
};

/// Everything the scenario decides about the OS.
struct KernelOptions {
  common::Ordering ordering;
  AdapterOptions adapter;
  kmd_host::DriverPolicy driver;
  std::vector<kmd_host::DriverCaps> driver_caps;  ///< by adapter; those not given are the default
};

/// Dxgkrnl: processes, native fences, hardware queues, and the D3DKMT calls of user mode.
///
/// D3DKMT functions run in the caller's thread at PASSIVE_LEVEL, take simulated time, and return
/// NTSTATUS as documented for each. Handles are per process.
class Kernel {
 public:
  Kernel(common::Simulation& simulation, top::Platform& platform, const KernelOptions& options);
  ~Kernel();

  /// Adds the agents of the OS (deferred procedure calls). During elaboration.
  void add_agents();
  /// Starts every adapter with the driver. In a thread. An adapter that does not start has a
  /// start_failure, and nothing else can be done with it.
  void start(DriverEntryFunction entry);
  const std::optional<StartFailure>& start_failure(std::size_t adapter) const {
    return adapters_[adapter].failure;
  }

  Process& create_process(const std::string& name, std::size_t adapter);
  Backing allocate(Process& process, std::uint64_t bytes, common::Home home);

  NTSTATUS D3DKMTCreateNativeFence(Process& process, D3DKMT_CREATENATIVEFENCE& args,
                                   const std::string& name, common::Home current_home,
                                   common::Home monitored_home);
  NTSTATUS D3DKMTOpenNativeFenceFromNtHandle(Process& process,
                                             D3DKMT_OPENNATIVEFENCEFROMNTHANDLE& args);
  NTSTATUS D3DKMTDestroySynchronizationObject(Process& process, D3DKMT_HANDLE handle);
  /// Form 1 (hAsyncEvent null): blocks the thread, at most `limit`; STATUS_TIMEOUT when it gave up.
  /// Form 2: returns at once and sets the event, a KernelEvent, when satisfied.
  NTSTATUS D3DKMTWaitForSynchronizationObjectFromCpu(
      Process& process, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& args,
      std::uint32_t thread, KernelEvent& own_event, const common::Time* limit);
  NTSTATUS D3DKMTSignalSynchronizationObjectFromCpu(
      Process& process, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU& args,
      std::optional<std::size_t> bad = std::nullopt);
  /// Creates hardware context, queue, logs and a connected doorbell.
  NTSTATUS D3DKMTCreateHwQueue(Process& process, D3DKMT_CREATEHWQUEUE& args,
                               const std::string& name, UINT node, UINT log_entries,
                               const Backing& ring);
  /// Answers KMTQAITYPE_WDDM_3_1_CAPS; STATUS_INVALID_PARAMETER for types that an OS of this
  /// version does not know, STATUS_BUFFER_TOO_SMALL.
  NTSTATUS D3DKMTQueryAdapterInfo(std::size_t adapter, const D3DKMT_QUERYADAPTERINFO& args);
  /// STATUS_NOT_SUPPORTED by an OS without feature services.
  NTSTATUS D3DKMTIsFeatureEnabled(std::size_t adapter, D3DKMT_ISFEATUREENABLED& args);

  /// A thread touches a value of a fence by an address of its process: STATUS_ACCESS_VIOLATION
  /// where the page is not mapped so. @param value in or out.
  NTSTATUS touch_value(Process& process, const LocalFence& fence, common::UserTarget target,
                       std::uint64_t& value);
  /// Another adapter has stored values of fences. @param notify the driver is told.
  NTSTATUS signal_from_elsewhere(Process& process, const std::vector<D3DKMT_HANDLE>& handles,
                                 const std::vector<UINT64>& values, bool notify);
  /// The device of a process is in error: its fences count as signalled from now on, whatever the
  /// value. Source: WDDM, DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS.AlwaysSignaled.
  void fail_device(Process& process);
  /// Sets both log buffers of a queue anew, with fresh memory.
  void set_log_buffers(Process& process, D3DKMT_HANDLE handle, UINT entries);

  /// What a trace session does when it begins and when it ends: compares the clocks, and reads what
  /// is new in the logs of the process's adapter.
  void capture_logs(Process& process);

  /// NT handle by which another process opens a shared fence.
  HANDLE nt_handle(Process& process, D3DKMT_HANDLE handle);
  LocalFence* fence(Process& process, D3DKMT_HANDLE handle);
  HwQueue& queue(Process& process, D3DKMT_HANDLE handle) { return *process.queues[handle - 1]; }

  Cpu& cpu() { return cpu_; }
  common::Simulation& simulation() { return simulation_; }
  top::Platform& platform() { return platform_; }
  Adapter& adapter(std::size_t i) { return *adapters_[i].adapter; }
  const std::vector<std::unique_ptr<NativeFence>>& fences() const { return fences_; }
  const KernelOptions& options() const { return options_; }

 private:
  struct AdapterState {
    std::unique_ptr<PagePool> vram_pages;
    std::unique_ptr<Adapter> adapter;
    std::unique_ptr<FenceScheduler> scheduler;
    std::unique_ptr<FallbackTimer> fallback;  ///< null without os.fallback_timer
    std::unique_ptr<Watchdog> watchdog;       ///< null without os.watchdog
    std::unique_ptr<FenceLogReader> logs;
    std::unique_ptr<AddressSpace> system;
    std::vector<QueueLogs*> queue_logs;
    std::unique_ptr<SpinLock> log_lock;  ///< guards queue_logs and what is read of them
    std::optional<StartFailure> failure;
  };

  void run_deferred_calls(std::uint32_t core);
  void calibrate_clock(Adapter& adapter);
  void on_fences_signaled(AdapterState& state, const FenceNotification& notification);
  /// Reads what is new in the logs; true if entries were lost.
  bool follow_logs(AdapterState& state, const FenceNotification& notification,
                   std::size_t& released);
  std::size_t release_logged(AdapterState& state, const LogHarvest& harvest);
  std::vector<QueueLogs*> logs_concerned(const AdapterState& state,
                                         const FenceNotification& notification) const;
  Backing value_storage(Process& process, bool shared, common::Home home, bool monitored,
                        std::uint64_t& offset);
  common::Home storage_home(const Adapter& adapter, bool shared, common::Home wanted,
                            bool monitored) const;
  void store_values(AdapterState& state, Process& process, NativeFence& fence,
                    common::Home current_home, common::Home monitored_home);
  D3DGPU_VIRTUAL_ADDRESS map_values(AddressSpace& space, const Adapter& adapter,
                                    const Backing& backing, bool writable) const;
  void watch(const Backing& backing, std::uint64_t offset, std::uint64_t bytes,
             common::WatchKind kind, std::uint32_t object, const AdapterState& state);
  NTSTATUS create_at_driver(AdapterState& state, NativeFence& fence, BYTE* private_data);
  NTSTATUS open_at_driver(AdapterState& state, Process& process, NativeFence& fence,
                          LocalFence& local);
  std::vector<FenceScheduler::Point> points(Process& process, UINT count,
                                            const D3DKMT_HANDLE* handles, const UINT64* values);
  NTSTATUS create_at_driver(AdapterState& state, Process& process, HwQueue& queue, UINT node,
                            D3DKMT_CREATEHWQUEUE& args);
  NTSTATUS create_progress_fence(Process& process, HwQueue& queue, D3DKMT_CREATEHWQUEUE& args);
  NTSTATUS connect_doorbell(Adapter& adapter, HwQueue& queue);
  FenceLog create_log(AdapterState& state, Process& process, HwQueue& queue, bool signals,
                      UINT entries);

  common::Simulation& simulation_;
  top::Platform& platform_;
  const KernelOptions options_;
  Cpu cpu_;
  PagePool system_pages_;
  common::Gate dpc_queued_;
  const std::uint64_t handles_;  ///< place of footprints: which handles are good
  std::vector<AdapterState> adapters_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<std::unique_ptr<NativeFence>> fences_;
  std::vector<std::unique_ptr<Waiter>> asynchronous_;
  std::uint32_t waiters_ = 0;
};

}  // namespace fenceline::os
