#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kmd_stub/wddm/d3dkmt.h"
#include "kmd_stub/wddm/d3dkmt_adapter.h"
#include "kmd_stub/wddm/d3dkmt_memory.h"
#include "kmd_stub/wddm/d3dkmt_sync.h"
#include "models/abi/private_data.h"
#include "models/top/platform.h"
#include "tb/os/fallback_timer.h"
#include "tb/os/fence_scheduler.h"
#include "tb/os/flip_queue.h"
#include "tb/os/kernel_options.h"
#include "tb/os/log_follower.h"
#include "tb/os/monitored_fences.h"
#include "tb/os/process.h"
#include "tb/os/retired_fences.h"
#include "tb/os/video_memory.h"
#include "tb/os/watchdog.h"

namespace fenceline::os {

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
  /// @param used one page: it may hold what somebody else has left there.
  Backing allocate(Process& process, std::uint64_t bytes, common::Home home, bool used = false);

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
  /// @param context hardware context of the process; empty: one of its own. It is created with its
  /// first queue.
  NTSTATUS D3DKMTCreateHwQueue(Process& process, D3DKMT_CREATEHWQUEUE& args,
                               const std::string& name, UINT node, UINT log_entries,
                               const Backing& ring, const std::string& context = {});
  /// What a hardware context is created with: before its first queue is.
  void plan_hw_context(Process& process, const std::string& name,
                       const SchedulingProperties& properties);
  HwContext* hw_context(Process& process, const std::string& name);  ///< null: it has no queue
  /// Null where the OS does not schedule hardware contexts.
  HardwareScheduler* hardware() { return suspends_contexts() ? hardware_.get() : nullptr; }
  /// Where queues share doorbells: connects that of a queue, and wakes the adapter for it.
  /// STATUS_DEVICE_REMOVED for a queue that is lost, or what the driver returns.
  /// Source: WDDM, D3DKMTConnectDoorbell.
  NTSTATUS D3DKMTConnectDoorbell(Process& process, D3DKMT_HANDLE handle);
  /// After each doorbell whose status is CONNECTED_NOTIFY_KMD. Source: WDDM.
  NTSTATUS D3DKMTNotifyWorkSubmission(Process& process, D3DKMT_HANDLE handle);
  /// Answers KMTQAITYPE_WDDM_3_1_CAPS; STATUS_INVALID_PARAMETER for types that an OS of this
  /// version does not know, STATUS_BUFFER_TOO_SMALL.
  NTSTATUS D3DKMTQueryAdapterInfo(std::size_t adapter, const D3DKMT_QUERYADAPTERINFO& args);
  /// STATUS_NOT_SUPPORTED by an OS without feature services.
  NTSTATUS D3DKMTIsFeatureEnabled(std::size_t adapter, D3DKMT_ISFEATUREENABLED& args);

  /// A thread touches a value of a fence by an address of its process: STATUS_ACCESS_VIOLATION
  /// where the page is not mapped so. @param value in or out.
  NTSTATUS touch_value(Process& process, const LocalFence& fence, common::UserTarget target,
                       std::uint64_t& value);
  /// The same with the first 64 bits of a log of a queue of `owner`, by the kernel's address.
  NTSTATUS touch_log(Process& process, Process& owner, D3DKMT_HANDLE handle, bool signals,
                     bool write, std::uint64_t& value);
  /// Another adapter has stored values of fences. @param notify the driver is told.
  NTSTATUS signal_from_elsewhere(Process& process, const std::vector<D3DKMT_HANDLE>& handles,
                                 const std::vector<UINT64>& values, bool notify);
  /// The device of a process is in error: its work ends, and its fences count as signalled from now
  /// on, whatever the value. docs/preemption.md. @param asked by a thread, though nothing happened
  void fail_device(Process& process, bool asked = false);

  /// A monitored fence, or (CPU_NOTIFICATION with SignalByKmd) a CPU event of the driver.
  /// STATUS_INVALID_PARAMETER for flags that do not go together or no device;
  /// STATUS_INVALID_HANDLE for a bad event; STATUS_NOT_SUPPORTED for types and flags of another
  /// age. Source: WDDM, D3DKMTCreateSynchronizationObject2.
  NTSTATUS D3DKMTCreateSynchronizationObject2(Process& process,
                                              D3DKMT_CREATESYNCHRONIZATIONOBJECT2& args,
                                              const std::string& name);
  /// Opens a monitored fence; on another adapter that has native fences it is a native one from
  /// then on. A native fence that may be shared across adapters is a monitored one on those
  /// without. STATUS_INVALID_HANDLE, STATUS_OBJECT_TYPE_MISMATCH for a fence of another kind,
  /// STATUS_NOT_SUPPORTED for a 32-bit one on an adapter with native fences, and for a 64-bit one
  /// on an adapter with 32-bit atomics.
  NTSTATUS D3DKMTOpenSyncObjectFromNtHandle2(Process& process,
                                             D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2& args);

  NTSTATUS D3DKMTCreateContextVirtual(Process& process, D3DKMT_CREATECONTEXTVIRTUAL& args,
                                      const std::string& name);
  /// Buffers take physical addresses, unless NoPatchingRequired. Errors as above.
  NTSTATUS D3DKMTCreateContext(Process& process, D3DKMT_CREATECONTEXT& args,
                               const std::string& name);
  /// Splits; blocks as above. STATUS_GRAPHICS_NO_VIDEO_MEMORY, or what DxgkDdiRender returns.
  NTSTATUS D3DKMTRender(const RenderRequest& request);
  /// Source: WDDM, D3DKMTSetContextSchedulingPriority.
  NTSTATUS D3DKMTSetContextSchedulingPriority(Process& process,
                                              const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY& args);
  /// Queues a DMA buffer; blocks while the context has many. STATUS_DEVICE_REMOVED where the device
  /// is in error.
  /// @param listed what the commands use; known to the OS with `allocation_lists` only, as from
  /// D3DKMTRender.
  NTSTATUS D3DKMTSubmitCommand(Process& process, const D3DKMT_SUBMITCOMMAND& args,
                               const std::vector<D3DDDI_ALLOCATIONLIST>& listed = {});
  /// What is submitted to the context from now on waits. Returns at once.
  /// STATUS_INVALID_HANDLE, STATUS_INVALID_PARAMETER, STATUS_ACCESS_DENIED for a fence opened with
  /// NoWait.
  NTSTATUS D3DKMTWaitForSynchronizationObjectFromGpu(
      Process& process, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU& args);
  /// The OS signals when what was submitted to the context before is complete. Errors as above,
  /// with NoSignal.
  NTSTATUS D3DKMTSignalSynchronizationObjectFromGpu(
      Process& process, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU& args);
  /// STATUS_INVALID_PARAMETER: hardware queues are all fed by user mode.
  NTSTATUS D3DKMTSubmitWaitForSyncObjectsToHwQueue(
      Process& process, const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE& args);
  NTSTATUS D3DKMTSubmitSignalSyncObjectsToHwQueue(
      Process& process, const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE& args);

  /// Shows a primary once what the context has been given is complete; blocks while more than
  /// PresentLimit flips are not done. STATUS_NOT_SUPPORTED on an adapter without a display,
  /// STATUS_INVALID_HANDLE for a bad context, STATUS_DEVICE_REMOVED where the device is in error,
  /// or what the driver returns. Source: WDDM, D3DKMTPresent.
  NTSTATUS D3DKMTPresent(Process& process, const D3DKMT_PRESENT& args);

  // kernel_memory.cpp. All: STATUS_INVALID_PARAMETER for a bad device, an empty list, an allocation
  // named twice or flags that are not known; STATUS_INVALID_HANDLE for a bad allocation;
  // STATUS_NOT_SUPPORTED without managed memory. Nothing has changed then.
  /// One allocation; private data is abi::AllocationPrivateData. It is not resident. What the
  /// driver returns. Source: WDDM, D3DKMTCreateAllocation2.
  NTSTATUS D3DKMTCreateAllocation(Process& process, const D3DKMT_CREATEALLOCATION& args,
                                  const std::string& name);
  /// Never waits for the GPU, but with SynchronousDestroy. Handles are bad on return; the memory is
  /// free when what was queued before is done, or at once with AssumeNotInUse.
  /// Source: WDDM, D3DKMTDestroyAllocation2.
  NTSTATUS D3DKMTDestroyAllocation2(Process& process, const D3DKMT_DESTROYALLOCATION2& args);
  /// A process has one; a second call gives it again. Source: WDDM, D3DKMTCreatePagingQueue.
  NTSTATUS D3DKMTCreatePagingQueue(Process& process, D3DKMT_CREATEPAGINGQUEUE& args);
  /// STATUS_PENDING: the paging queue's fence gets the value. STATUS_NO_MEMORY with NumBytesToTrim:
  /// they cannot all be there at a time. STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION: one is
  /// locked and has to stay outside. Source: WDDM, D3DKMTMakeResident.
  NTSTATUS D3DKMTMakeResident(Process& process, D3DDDI_MAKERESIDENT& args);
  /// STATUS_INVALID_PARAMETER for one that is not resident. Source: WDDM, D3DKMTEvict.
  NTSTATUS D3DKMTEvict(Process& process, D3DKMT_EVICT& args);
  /// docs/memory.md has the rules. STATUS_INVALID_PARAMETER: it can never be locked where it is;
  /// STATUS_NO_MEMORY: not now; STATUS_GRAPHICS_TOO_MANY_REFERENCES. Source: WDDM, D3DKMTLock2.
  NTSTATUS D3DKMTLock2(Process& process, D3DKMT_LOCK2& args);
  /// STATUS_INVALID_PARAMETER for one that is not locked. Source: WDDM, D3DKMTUnlock2.
  NTSTATUS D3DKMTUnlock2(Process& process, const D3DKMT_UNLOCK2& args);
  /// STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION with DonotEvict where it would have to move.
  /// Source: WDDM, D3DKMTLock.
  NTSTATUS D3DKMTLock(Process& process, D3DKMT_LOCK& args);
  NTSTATUS D3DKMTUnlock(Process& process, const D3DKMT_UNLOCK& args);
  /// Caches write back and drop the range. Nothing is left to do where they see what the device
  /// does. Source: WDDM, D3DKMTInvalidateCache.
  NTSTATUS D3DKMTInvalidateCache(Process& process, const D3DKMT_INVALIDATECACHE& args);
  /// User mode loads or stores 64 bits at an address that a lock returned, or near it.
  /// STATUS_ACCESS_VIOLATION where nothing is locked.
  NTSTATUS touch_memory(Process& process, std::uint64_t address, bool write, std::uint64_t& value);
  Allocation* allocation(Process& process, D3DKMT_HANDLE handle);
  /// The host's caches see what the process's GPU does to system memory.
  bool snoops(const Process& process) const { return platform_.snoops(process.adapter); }
  void report_content();  ///< says what all allocations hold, for the checkers

  /// STATUS_ACCESS_DENIED for a private escape of a secured guest, or what the driver returns.
  NTSTATUS D3DKMTEscape(Process& process, const D3DKMT_ESCAPE& args);
  /// STATUS_INVALID_PARAMETER while it has queues or contexts.
  NTSTATUS D3DKMTDestroyDevice(Process& process);
  /// In the place of a device that is in error, else STATUS_INVALID_PARAMETER.
  /// STATUS_DEVICE_REMOVED for a process that has hung engines too often.
  NTSTATUS D3DKMTCreateDevice(Process& process);
  /// Makes an event object one of the process; returns its NT handle.
  HANDLE add_event(Process& process, KernelEvent& event);
  /// The process is gone: its device is destroyed, then what it had made with it.
  void end_process(Process& process);
  /// To D0 or D3; STATUS_INVALID_DEVICE_STATE for D3 while a context has work. @param escape_flags
  /// of the escape that caused it, for events.
  NTSTATUS set_power(std::size_t number, bool on, std::uint64_t escape_flags = 0);

  /// What the kernel-mode driver tells its user-mode half: DXGKQAITYPE_UMDRIVERPRIVATE.
  abi::AdapterPrivateData user_driver_data(Process& process);
  /// Reads through an address that user mode was given.
  std::uint64_t read_user(Process& process, const void* address, common::Reader reader);
  /// The same for the value of a fence, whole.
  std::uint64_t read_user_value(Process& process, const Fence& fence, const void* address);

  /// Sets both log buffers of a queue anew. STATUS_NOT_SUPPORTED for a queue without logs.
  NTSTATUS set_log_buffers(Process& process, D3DKMT_HANDLE handle, UINT entries);
  /// A trace session begins or ends: compares the clocks and reads the logs of the adapter.
  void capture_logs(Process& process);
  /// A trace session wants verbose logging, or does no more: both drivers are told. PASSIVE_LEVEL.
  void set_verbose_logging(bool verbose);
  bool verbose_logging();  ///< what user-mode drivers are told
  /// NT handle by which another process opens a shared fence.
  HANDLE nt_handle(Process& process, D3DKMT_HANDLE handle);
  /// What an NT handle stands for; null once it is closed for good, and for any other value.
  std::shared_ptr<Fence> shared_fence(HANDLE handle) const;
  LocalFence* fence(Process& process, D3DKMT_HANDLE handle);
  HwQueue& queue(Process& process, D3DKMT_HANDLE handle) { return *process.queues[handle - 1]; }
  Cpu& cpu() { return cpu_; }
  common::Simulation& simulation() { return simulation_; }
  top::Platform& platform() { return platform_; }
  Adapter& adapter(std::size_t i) { return *adapters_[i].adapter; }
  const FenceList& fences() const { return fences_; }
  const std::vector<std::shared_ptr<MonitoredFence>>& monitored_fences() const {
    return monitored_.all();
  }
  const MonitoredFences& monitored() const { return monitored_; }
  const ContextScheduler* contexts() const { return contexts_.get(); }  ///< null: none
  SyncObject* sync_object(Process& process, D3DKMT_HANDLE handle);
  ContextQueue* context(Process& process, D3DKMT_HANDLE handle);
  const KernelOptions& options() const { return options_; }

 private:
  struct AdapterState {
    std::unique_ptr<PagePool> vram_pages;
    std::unique_ptr<Adapter> adapter;
    std::unique_ptr<FenceScheduler> scheduler;
    std::unique_ptr<FallbackTimer> fallback;  ///< null without os.fallback_timer
    std::unique_ptr<Watchdog> watchdog;       ///< null without os.watchdog
    std::unique_ptr<LogFollower> logs;
    std::unique_ptr<FlipQueue> flips;      ///< null without a display
    std::unique_ptr<VideoMemory> memory;   ///< null without managed memory
    std::unique_ptr<Mutex> paging_queues;  ///< who creates the paging queue of a process holds it
    std::unique_ptr<Doorbells> doorbells;  ///< null where each queue has its own for good
    std::unique_ptr<AddressSpace> system;
    std::optional<StartFailure> failure;
    bool powered = true;  ///< D0, else D3
    bool changing_power = false;
    std::unique_ptr<KernelEvent> power_changed;  ///< set when it has been changed
    std::unique_ptr<SharedData> power;           ///< its state, which threads look at
  };

  MonitoredPoints monitored_points(Process& process, UINT count, const D3DKMT_HANDLE* handles,
                                   const UINT64* values, UINT refused);
  NTSTATUS wait_for_monitored(const std::vector<MonitoredFences::Point>& points,
                              const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& args,
                              std::uint32_t thread, KernelEvent& own_event,
                              const common::Time* limit);
  D3DKMT_HANDLE add_sync_object(Process& process, const SyncObject& object);
  std::shared_ptr<MonitoredFence> create_monitored(Process& process, std::uint64_t initial,
                                                   UINT flags, const std::string& name);
  void map_monitored(Process& process, SyncObject& object);
  NTSTATUS create_cross_adapter(Process& process, D3DKMT_CREATENATIVEFENCE& args,
                                const std::string& name, common::Home monitored_home,
                                LocalFence& local);
  NTSTATUS open_in_place(Process& process, MonitoredFence& origin, LocalFence& local);
  NTSTATUS open_in_place(Process& process, MonitoredFence& origin, LocalFence& local,
                         common::Home monitored_home, BYTE* private_data);
  NTSTATUS store_in_place(AdapterState& state, Process& process, NativeFence& fence,
                          common::Home monitored_home);
  void report_end(const MonitoredFence& origin, const Process& process);
  void connect_fallback(AdapterState& state);
  bool waits_elsewhere(const AdapterState& state) const;
  void connect_doorbells(const MonitoredFence& fence);
  void connect_doorbell(const NativeFence& from, const NativeFence& to);
  NTSTATUS escape_to(Adapter& adapter, abi::PeerDoorbellEscape& data);
  using LocalFences = std::map<D3DKMT_HANDLE, LocalFence>;
  using SyncObjects = std::map<D3DKMT_HANDLE, SyncObject>;
  void close(Process& process, LocalFences& of, LocalFences::iterator at);
  NTSTATUS close(Process& process, SyncObjects& of, SyncObjects::iterator at);
  static void destroy_at_driver(NativeFence& fence);
  std::vector<ContextScheduler::Mark> marks_of(const Process& process) const;
  void end_work(const Process& process);
  void give_up_fences(Process& process);
  NTSTATUS create_cpu_event(Process& process, D3DKMT_CREATESYNCHRONIZATIONOBJECT2& args);
  NTSTATUS destroy_cpu_event(CpuEvent& event);
  NTSTATUS fill_known_escape(Process& process, DXGKARG_ESCAPE& escape);
  void wake(std::size_t adapter, std::uint64_t escape_flags);
  void enter_call();
  void block_device(Process& process);
  void look_at_all(const Adapter& adapter);
  void add_signalled(const void* owner, MonitoredScan& what) const;
  std::size_t scan_monitored(const AdapterState& state, const FenceNotification& notification);
  NTSTATUS build_flip(Process& process, ContextQueue& target, DXGKARG_PRESENT& present);
  void follow_flips(AdapterState& state, const FenceNotification& notification);
  NTSTATUS create_context_allocation(DXGKARGCB_CREATECONTEXTALLOCATION& args);
  NTSTATUS create_device_allocation(DXGKARGCB_CREATECONTEXTALLOCATION& args);
  NTSTATUS create_context(Process& process, D3DKMT_CREATECONTEXT& args, UINT flags,
                          const std::string& name);
  NTSTATUS render(const RenderRequest& request, PatchedBuffer& buffer);
  NTSTATUS find_allocations(Process& process, D3DKMT_HANDLE device, UINT count,
                            const D3DKMT_HANDLE* list, std::vector<Allocation*>& found);
  void start_memory(std::size_t number);
  NTSTATUS create_paging_fence(Process& process);
  void connect(AdapterState& state);
  void follow_contexts();
  void run_deferred_calls(std::uint32_t core);
  void calibrate_clock(Adapter& adapter);
  static void tell_driver_of_level(Adapter& adapter, bool verbose);
  void on_fences_signaled(AdapterState& state, const FenceNotification& notification);
  FenceList fences_without_logs(const AdapterState& state,
                                const FenceNotification& notification) const;
  std::size_t follow_fences(AdapterState& state, const FenceNotification& notification);
  std::size_t follow_queues(AdapterState& state, const FenceNotification& notification);
  void follow_logs(AdapterState& state);
  static Process::Packed& packed(Process& process, common::Home home, bool monitored);
  void retire(Process& process, const std::shared_ptr<Fence>& fence, bool last,
              GpuMappings mappings);
  static GpuMappings mappings(const Process& process, const LocalFence& local);
  void reclaim(const std::vector<RetiredFences::Entry>& entries);
  void give_back(const Fence& fence);
  void give_back(const Fence& fence, const Backing& page, std::uint64_t offset, bool monitored);
  Backing value_storage(Process& process, bool shared, common::Home home, bool monitored,
                        std::uint64_t& offset);
  common::Home storage_home(const Adapter& adapter, bool shared, common::Home wanted,
                            bool monitored) const;
  void store_values(AdapterState& state, Process& process, NativeFence& fence,
                    common::Home current_home, common::Home monitored_home);
  void report_storage(const Adapter& adapter, const NativeFence& fence);
  D3DGPU_VIRTUAL_ADDRESS map_values(AddressSpace& space, const Adapter& adapter,
                                    const Backing& backing, bool writable) const;
  void watch(const Backing& backing, std::uint64_t offset, std::uint64_t bytes,
             common::WatchKind kind, std::uint32_t object, const AdapterState& state);
  NTSTATUS create_at_driver(AdapterState& state, NativeFence& fence, BYTE* private_data);
  NTSTATUS open_at_driver(AdapterState& state, Process& process,
                          const std::shared_ptr<NativeFence>& opened, LocalFence& local);
  NTSTATUS hand_out(Process& process, const LocalFence& local, D3DKMT_CREATENATIVEFENCE& args);
  D3DKMT_HANDLE add_fence(Process& process, const LocalFence& local);
  std::vector<FenceScheduler::Point> points(Process& process, UINT count,
                                            const D3DKMT_HANDLE* handles, const UINT64* values);
  NTSTATUS create_at_driver(AdapterState& state, Process& process, HwQueue& queue,
                            D3DKMT_CREATEHWQUEUE& args);
  bool suspends_contexts() const { return options_.adapter.system.context_scheduling.enabled; }
  bool finds_hangs() const;
  void follow_hw_contexts();
  void hold_hw_contexts(const Process& process, bool hold);
  void schedule_contexts();
  NTSTATUS join_context(Process& process, HwQueue& queue, UINT node, const std::string& name,
                        UINT flags);
  static void leave_context(Adapter& adapter, HwContext& context);
  NTSTATUS create_device(Process& process);
  static HwContext* find_hw_context(Process& process, const std::string& name);
  NTSTATUS create_progress_fence(Process& process, HwQueue& queue, D3DKMT_CREATEHWQUEUE& args);
  NTSTATUS connect_doorbell(AdapterState& state, Process& process, HwQueue& queue);
  NTSTATUS give_logs(AdapterState& state, Process& process, HwQueue& queue, UINT entries);
  static void destroy_at_driver(Adapter& adapter, const HwQueue& queue);
  void change_logs(Process& process, HwQueue& target, UINT entries);
  void enlarge_logs();
  FenceLog create_log(AdapterState& state, Process& process, HwQueue& queue,
                      DXGK_NATIVE_FENCE_LOG_TYPE type, UINT entries);

  common::Simulation& simulation_;
  top::Platform& platform_;
  const KernelOptions options_;
  Cpu cpu_;
  PagePool system_pages_;
  common::Gate dpc_queued_;
  SharedData objects_;  ///< what handles stand for, and the state of devices
  std::vector<AdapterState> adapters_;
  MonitoredFences monitored_;
  AdapterResets resets_;
  std::unique_ptr<ContextScheduler> contexts_;
  std::unique_ptr<HardwareScheduler> hardware_;
  std::vector<std::unique_ptr<CpuEvent>> cpu_events_;
  std::vector<std::unique_ptr<Process>> processes_;
  FenceList fences_;  ///< that the driver may name, in the order of creation
  RetiredFences retired_;
  Waits waits_;
  PatchedBufferPool patched_buffers_;
  bool user_verbose_ = false;  ///< what user-mode drivers see
};

}  // namespace fenceline::os
