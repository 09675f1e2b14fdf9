#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kmd_stub/wddm/names.h"
#include "kmd_stub/wddm/wddm.h"
#include "tb/os/core/cpu.h"
#include "tb/os/driver/bug_check.h"
#include "tb/os/driver/configuration_space.h"
#include "tb/os/driver/ddi_names.h"
#include "tb/os/driver/driver_door.h"
#include "tb/os/driver/driver_queries.h"
#include "tb/os/driver/features.h"
#include "tb/os/driver/host_port_model.h"
#include "tb/os/driver/interrupt_reports.h"
#include "tb/os/driver/start_checks.h"
#include "tb/os/guard/driver_port.h"
#include "tb/os/vidmm/host_aperture.h"

namespace fenceline::top {
class Gpu;
}

namespace fenceline::os {

struct NativeFence;

/// A driver's entry point: kmd_stub's own, or that of a shared library.
using DriverEntryFunction = NTSTATUS (*)(DRIVER_INITIALIZATION_DATA*);

struct AdapterOptions {
  SystemOptions system;
  std::uint32_t interrupt_core = 0;  ///< core that takes the adapter's messages
  bool device_lock = true;           ///< DxgkDdiUpdateMonitoredValues runs under the interrupt lock
};

/// One adapter as Dxgkrnl sees it: the driver behind its DDI table, interrupts and DPCs.
///
/// Every DDI is called through `call`, which checks its IRQL and reports it:
/// `call<Ddi::DxgkDdi...>` with the arguments of the DDI.
class Adapter : public common::Hashed {
 public:
  /// @param dpc_queued opened when a DPC is queued.
  Adapter(Cpu& cpu, top::Gpu& gpu, std::uint32_t number, PagePool& system_pages,
          const kmd_host::DriverPolicy& policy, const AdapterOptions& options,
          std::uint64_t system_memory_bytes, common::Gate& dpc_queued);
  ~Adapter() override;
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  /// Loads and starts the driver, negotiates features, programs the device's message. In a thread
  /// at PASSIVE_LEVEL. Throws StartFailure saying which rule the driver broke.
  void start(DriverEntryFunction entry);
  void stop();

  /// Calls a DDI. A missing entry is a misuse, and STATUS_NOT_IMPLEMENTED.
  template <Ddi ddi, typename... Arguments>
  NTSTATUS call(const Arguments&... arguments) {
    return call(ddi, entry_of<ddi>(arguments...));
  }
  /// As call, under the interrupt lock at device level.
  template <Ddi ddi, typename... Arguments>
  NTSTATUS call_at_device_level(const Arguments&... arguments) {
    return call_at_device_level(ddi, entry_of<ddi>(arguments...));
  }
  /// Calls a DDI; `function(ddi table)` returns NTSTATUS, also for a missing entry.
  template <typename Function>
  NTSTATUS call(Ddi ddi, Function&& function) {
    const DriverDoor::Stay stay(door_, is_counted(ddi));
    return run(ddi, [&] { return function(table_); });
  }
  /// As call, under the interrupt lock at device level.
  template <typename Function>
  NTSTATUS call_at_device_level(Ddi ddi, Function&& function) {
    const DriverDoor::Stay stay(door_,
                                is_counted(ddi));  // before the lock, which a reset takes too
    if (!options_.device_lock) {
      const KIRQL old = cpu_.raise(DEVICE_LEVEL);
      const NTSTATUS unlocked = call(ddi, function);
      cpu_.lower(old);
      return unlocked;
    }
    LockScope lock(cpu_, interrupt_lock_, DEVICE_LEVEL);
    return call(ddi, function);
  }

  /// Waits until no thread is in the driver; then no other one enters it until `open_driver`, but
  /// for interrupts, DPCs and power. Bug check 0x116 where a thread does not leave within
  /// TdrDdiDelay. At PASSIVE_LEVEL. Source: WDDM, threading and synchronization: level 3; TDR
  /// registry keys.
  void close_driver();
  void open_driver() { door_.open(); }
  bool driver_closed() const { return door_.closed(); }

  /// Calls the driver's interrupt routine on the current core, under the interrupt lock.
  void call_interrupt_routine();

  HANDLE handle() const { return context_; }  ///< hAdapter of the DDIs
  top::Gpu& gpu() { return gpu_; }
  std::uint32_t object() const;
  std::size_t nodes() const;
  std::uint32_t vector() const { return vector_; }  ///< of its messages at the core they go to
  HostPortModel& port() { return port_; }
  DriverPort& driver_port() { return driver_port_; }
  DriverGuard& guard() { return guard_; }
  Cpu& cpu() { return cpu_; }
  const DXGK_DRIVERCAPS& caps() const { return description_.caps; }
  const DXGK_NATIVE_FENCE_CAPS& fence_caps() const { return description_.fence_caps; }
  UINT paging_buffer_bytes() const { return description_.paging_buffer_bytes; }
  /// Descriptor of segment 1 (VRAM).
  const DXGK_SEGMENTDESCRIPTOR4& vram_segment() const { return description_.vram_segment; }
  bool vram_cpu_visible() const { return description_.vram_cpu_visible(); }
  /// Window to VRAM; null where all of it is CPU visible.
  HostAperture* host_aperture() { return host_aperture_.get(); }
  /// The same for allocations: null also where the driver keeps the window to kernel mode.
  HostAperture* allocation_window() {
    constexpr UINT kWindow = DXGK_SEGMENTFLAGS::kSupportsCpuHostAperture;
    return (description_.vram_segment.Flags.Value & kWindow) != 0 ? host_aperture_.get() : nullptr;
  }
  /// Kernel mode reaches this range of VRAM through the BAR from now on. At PASSIVE_LEVEL.
  void map_for_kernel(std::uint64_t vram, std::uint64_t bytes) {
    if (host_aperture_ != nullptr) host_aperture_->map_for_kernel(vram, bytes);
  }
  /// Software begins to use VRAM through the BAR, or ends that: behind a CPU host aperture only an
  /// adapter in D0 shows it. At PASSIVE_LEVEL.
  void use_vram(bool begins) {
    if (host_aperture_ != nullptr && on_vram_use) on_vram_use(begins);
  }
  /// Uses it while this exists.
  class VramUse {
   public:
    explicit VramUse(Adapter& adapter) : adapter_(adapter) { adapter_.use_vram(true); }
    ~VramUse() { adapter_.use_vram(false); }
    VramUse(const VramUse&) = delete;
    VramUse& operator=(const VramUse&) = delete;

   private:
    Adapter& adapter_;
  };
  /// Called: a use of VRAM behind a CPU host aperture begins (true) or ends.
  std::function<void(bool)> on_vram_use;
  /// GPU physical base of segment 1 (VRAM) [bytes].
  std::uint64_t vram_segment_base() const { return description_.vram_segment_base; }
  bool native_fences() const { return has_cap(DXGK_VIDSCHCAPS::kNativeGpuFence); }
  /// Interrupts name queues, and their logs tell the rest.
  bool optimized_interrupts() const {
    return has_cap(DXGK_VIDSCHCAPS::kOptimizedNativeFenceSignaledInterrupt);
  }
  /// It has a video present source, with a display behind it.
  bool has_source() const { return sources_ != 0; }
  /// Flips need no DMA buffer.
  bool flips_by_mmio() const {
    return (description_.caps.FlipCaps.Value & DXGK_FLIPCAPS::kFlipOnVSyncMmIo) != 0;
  }
  /// The driver signals CPU events, since WDDM 3.0.
  bool has_cpu_events() const { return table_.Version >= interface_version(DXGKDDI_WDDMv3_0); }
  /// The driver has doorbells, and with them queues of user mode.
  bool user_mode_queues() const { return table_.DxgkDdiCreateDoorbell != nullptr; }
  /// Queues share doorbells, or the driver is told of work: user mode has to read their status.
  bool shares_doorbells() const;
  bool has_cap(UINT bit) const { return description_.has_cap(bit); }
  /// Power state of the function, in its configuration space; only where something there depends on
  /// it: with a host aperture, or doorbells that queues share.
  void set_device_power(bool on);
  const SystemOptions& system() const { return options_.system; }
  const Features& features() const { return features_; }
  /// Where the driver allows fences to be stored.
  const StorageSegments& storage() const { return description_.storage; }
  /// Bytes from one MonitoredValue to the next.
  std::uint64_t monitored_distance() const {
    return monitored_value_distance(options_.system, description_.fence_caps.MonitoredValueStride);
  }

  /// Called at DISPATCH_LEVEL with what interrupts have reported since the last DPC.
  std::function<void(const FenceNotification&)> on_fences_signaled;
  /// Name of the fence object behind an OS handle, 0 if it is not alive: for events and bug checks.
  std::function<std::uint32_t(HANDLE)> fence_of;
  /// Number of the fence that an OS handle was given to, alive or not; 0 if to none.
  std::function<std::uint32_t(HANDLE)> fence_behind;
  /// Name of the queue object behind a driver's handle, 0 if there is none.
  std::function<std::uint32_t(HANDLE)> queue_of;
  /// DxgkCbCreateContextAllocation and DxgkCbDestroyContextAllocation; unset: there are none.
  std::function<NTSTATUS(DXGKARGCB_CREATECONTEXTALLOCATION&)> create_context_allocation;
  std::function<NTSTATUS(HANDLE)> destroy_context_allocation;
  /// DxgkCbInvalidateHwContext; unset: there is none.
  std::function<NTSTATUS(HANDLE, UINT)> invalidate_hw_context;

  /// What interrupts report of a node from now on counts no more, or does again. At PASSIVE_LEVEL.
  void ignore_node(UINT node, bool ignore);
  /// The node must not interrupt, or may again. At PASSIVE_LEVEL.
  void silence_node(UINT node, bool silent);
  /// On return DPCs have taken what interrupts had reported, where resets may come. At
  /// PASSIVE_LEVEL.
  void flush_deferred_calls();

  bool dpc_queued() const { return dpc_queued_; }
  /// Covers what no lock protects; the driver's state is behind its locks.
  std::uint64_t state_hash() const override { return dpc_queued_ ? 1 : 0; }
  void run_dpc();

  /// The adapter behind a handle that a driver has got in DXGKRNL_INTERFACE, null: there is none.
  static Adapter* find(HANDLE handle);
  /// An adapter in whose driver the current agent is, or any.
  static Adapter* inside();
  /// The driver may call the OS: from DxgkDdiStartDevice to the end of DxgkDdiStopDevice.
  bool serves_driver() const { return serves_driver_; }

  // Functions of DXGKRNL_INTERFACE, called with good arguments.
  void notify_interrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) { interrupts_.record(data); }
  bool queue_dpc();
  void notify_dpc();
  void synchronize(PKSYNCHRONIZE_ROUTINE routine, PVOID context, BOOLEAN* result);
  NTSTATUS query_services(DXGK_SERVICES service, INTERFACE* table);
  NTSTATUS is_feature_enabled(DXGKARGCB_ISFEATUREENABLED2& args);
  NTSTATUS query_feature_interface(DXGKARGCB_QUERYFEATUREINTERFACE& args);
  /// A handle of an object that the OS gives its drivers.
  enum class Known : std::uint8_t { kCpuEvent, kProcess, kHwQueue, kHwContext };
  std::function<bool(Known, HANDLE)> knows;
  /// Handles that DxgkCbCreateContextAllocation has returned.
  std::vector<HANDLE>& context_allocations() { return context_allocations_; }
  /// False after a report: the IRQL is not one of the DDI or callback.
  bool check_irql(Ddi ddi);
  [[noreturn]] void bug_check(std::uint32_t code, const StopParameters& parameters,
                              const std::string& why);
  /// Bug check where a call of the driver failed that may not fail; the status is the second
  /// parameter.
  void must_succeed(NTSTATUS status, Ddi ddi, std::uint32_t code, std::uint32_t first_parameter);

  /// While this exists the adapter is not reset by another agent. A thread that raises its IRQL or
  /// takes a spin lock, and calls the driver then, has one before: at the door of the driver it
  /// would keep the core, or the lock, from the thread that resets. At PASSIVE_LEVEL, or in a DPC.
  /// Source: WDDM, threading and synchronization: level 3.
  class Visit : public DriverDoor::Stay {
   public:
    explicit Visit(Adapter& adapter) : Stay(adapter.door_) {}
  };
  using Visits = std::vector<std::unique_ptr<Visit>>;
  /// That agent runs DPCs: it may be in the driver while the adapter is reset.
  void set_deferred_agent(common::AgentId agent) { door_.set_deferred_agent(agent); }

  const DRIVER_INITIALIZATION_DATA& table() const { return table_; }  ///< what the driver has
  /// Throws StartFailure for a bad status. @param what has failed then
  void require(NTSTATUS status, const char* what) const;

 private:
  /// Calls the entry of a DDI, for the other form of `call`. A DDI without status succeeds.
  template <Ddi ddi, typename... Arguments>
  auto entry_of(const Arguments&... arguments) {
    return [&](const DRIVER_INITIALIZATION_DATA& table) {
      const auto entry = table.*kEntry<ddi>;
      if (entry == nullptr) return guard_.report_missing(ddi);
      if constexpr (std::is_void_v<decltype(entry(arguments...))>)
        return entry(arguments...), STATUS_SUCCESS;
      else
        return entry(arguments...);
    };
  }
  /// False for what may run beside a reset: it is not waited for.
  static constexpr bool is_counted(Ddi ddi) {
    return ddi != Ddi::DxgkDdiInterruptRoutine && ddi != Ddi::DxgkDdiDpcRoutine &&
           ddi != Ddi::DxgkDdiSetPowerState;
  }
  /// Runs the driver's code of a DDI, watched.
  template <typename Function>
  NTSTATUS run(Ddi ddi, Function&& function) {
    const DriverGuard::Stay inside(guard_, ddi);
    before(ddi);
    const NTSTATUS status = guard_.run(std::forward<Function>(function));
    driver_port_.locks().leave();
    after(ddi, status);
    return status;
  }
  void before(Ddi ddi);
  void after(Ddi ddi, NTSTATUS status);
  void load(DriverEntryFunction entry);
  void ask_for_features();
  void start_device();
  void open_host_aperture();
  void program_message();
  void interrupt();

  Cpu& cpu_;
  top::Gpu& gpu_;
  const AdapterOptions options_;
  const std::uint32_t vector_;  ///< of the adapter's messages at the core that takes them
  DriverGuard guard_;
  HostPortModel port_;
  DriverPort driver_port_;
  SpinLock interrupt_lock_;
  DRIVER_INITIALIZATION_DATA table_{};
  DXGKRNL_INTERFACE callbacks_{};
  Features features_;
  PVOID context_ = nullptr;
  AdapterDescription description_;
  std::vector<HANDLE> context_allocations_;
  bool serves_driver_ = false;
  Adapter* next_ = nullptr;  ///< of those that there are
  ULONG sources_ = 0;        ///< NumberOfVideoPresentSources
  std::unique_ptr<HostAperture> host_aperture_;
  const std::uint64_t system_memory_bytes_;
  ConfigurationSpace configuration_;
  InterruptReports interrupts_;
  DriverDoor door_;
  KernelEvent deferred_done_;
  bool dpc_runs_ = false;
  bool dpc_queued_ = false;
  common::Gate& dpc_changed_;  ///< of all adapters
  const std::uint64_t place_;  ///< of footprints: whether a DPC is queued
};

}  // namespace fenceline::os
