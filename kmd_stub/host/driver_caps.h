#pragma once

#include <cstdint>

#include "kmd_stub/wddm/adapter_caps.h"

namespace fenceline::kmd_host {

/// How a driver goes about native fences when its adapter starts.
enum class Negotiation : std::uint8_t {
  kWhole,          ///< asks in the documented order
  kNoInterface,    ///< asks whether the feature is enabled, not for its table and the OS' caps
  kAssumed,        ///< takes the feature for granted: a driver that lies
  kUnsupported,    ///< a driver without native fences
  kNotConfigured,  ///< a driver that has them, but not on this machine
};

/// Where the driver tells which segments fence storage may be in.
enum class StorageAnswer : std::uint8_t {
  kStandardAllocation,  ///< D3DKMDT_STANDARDALLOCATION_FENCESTORAGE
  kCaps,                ///< DXGK_NATIVE_FENCE_CAPS, as an earlier text has it
  kNone,                ///< nowhere: then it is system memory
};

/// Fence logs that the driver takes. Both are mandatory.
enum class LogTypes : std::uint8_t {
  kBoth,
  kWaits,
  kSignals,
  kAny,  ///< it does not look: what is not a log of waits is one of signals
};

/// What DxgkDdiResetEngine does.
enum class EngineReset : std::uint8_t {
  kWorks,
  kFails,      ///< it returns an error
  kWrongFence  ///< it names a fence that was not in the node's queue
};
/// What DxgkDdiResetFromTimeout does.
enum class AdapterReset : std::uint8_t { kWorks, kFails };

/// What DxgkDdiResetHwEngine does.
enum class HwEngineReset : std::uint8_t {
  kWorks,
  kFails,        ///< it returns an error
  kCollateral,   ///< the other contexts of the engine are lost too
  kNoisy,        ///< it leaves interrupts of the engine for later
  kWholeNode,    ///< it resets the node with all that the driver's own ring holds, and tells nobody
  kWrongContext  ///< it names a context that was not at the engine
};
/// How the driver reports a hung engine to the OS, after the device has reported it to the driver.
enum class EngineTimeout : std::uint8_t {
  kTimeout,      ///< DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT
  kStateChange,  ///< DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE with DXGK_ENGINE_STATE_HUNG
  kDropped       ///< nothing
};
/// Which fence the driver reports with a suspension.
enum class SuspendFence : std::uint8_t {
  kAsked,
  kNeverIssued  ///< one that is above all that the OS has issued
};
/// What DxgkDdiSubmitCommandVirtual returns for buffers of user mode.
enum class SubmitAnswer : std::uint8_t { kTakes, kInvalidParameter, kUnsuccessful };
/// What the driver makes of a buffer that the device has given up.
enum class FaultReport : std::uint8_t {
  kExact,          ///< it names the buffer
  kLastSubmitted,  ///< it names the last one that the node was given
  kBadFlags        ///< of a page fault it says that the fence is not known, and asks for no reset
};

/// Segments by bit, as AllocationInfo has them.
constexpr std::uint32_t kVramSegmentBit = 1;
constexpr std::uint32_t kApertureSegmentBit = 2;

/// What the driver says about itself and its device. The defaults are those of a correct driver
/// for today's OS. Source: `platform.drivers` of docs/scenario.md.
struct DriverCaps {
  DXGK_WDDMVERSION wddm = DXGKDDI_WDDMv3_2;
  Negotiation native_fence = Negotiation::kWhole;
  bool feature_interface = true;    ///< answers DxgkDdiQueryInterface for features
  bool hardware_scheduling = true;  ///< supports DXGK_FEATURE_HWSCH
  /// DXGK_VIDSCHCAPS without those of native fences and atomics.
  std::uint32_t scheduling = DXGK_VIDSCHCAPS::kMultiEngineAware | DXGK_VIDSCHCAPS::kPreemptionAware;
  bool preempted_as_submitted = false;  ///< it names the last submission for the last completed one
  bool flip_on_vsync_mmio = true;       ///< DXGK_FLIPCAPS; else a flip is a DMA buffer
  bool per_engine_tdr = true;           ///< DXGK_DRIVERCAPS.SupportPerEngineTDR
  EngineReset engine_reset = EngineReset::kWorks;
  AdapterReset adapter_reset = AdapterReset::kWorks;
  HwEngineReset hw_engine_reset = HwEngineReset::kWorks;
  EngineTimeout engine_timeout = EngineTimeout::kTimeout;
  SuspendFence suspend_fence = SuspendFence::kAsked;
  bool suspends_all_queues = true;  ///< of a context; else the first one only
  bool passes_priorities = true;    ///< the device is told of scheduling properties
  bool device_memory = false;       ///< it asks for memory that all contexts of a device need
  FaultReport fault_report = FaultReport::kExact;
  SubmitAnswer submit_answer = SubmitAnswer::kTakes;
  bool syncs_first = false;      ///< its ISR reports vertical syncs before DMA buffers
  bool drains_resets = true;     ///< no report of a node arrives behind its reset
  bool waits_for_nodes = false;  ///< where fences are signalled from the CPU, without a bound
  bool names_dependents = true;  ///< DxgkDdiQueryDependentEngineGroup names all that a reset hits
  /// It binds anew, where a buffer can be split, what packets behind the split use.
  bool rebinds_at_splits = true;
  bool linked = false;               ///< its GPU is one of a linked adapter: buffers are broadcast
  bool patches_in_place = false;     ///< and it writes addresses into those all the same
  bool refuses_patches = false;      ///< DxgkDdiPatch fails
  bool hides_atomics = false;        ///< a device with 32-bit atomics is said to have 64-bit ones
  bool offers_anyway = false;        ///< native fences with No64BitAtomics
  bool optimized_interrupt = false;  ///< interrupts name the queue instead of fences
  bool legacy_interrupt = false;     ///< one interrupt for native and monitored fences
  std::uint32_t monitored_value_field = 8;  ///< MonitoredValueStride, or ...Padding: see the OS
  bool map_to_system_process = true;        ///< the CMP uses addresses of the system process
  std::uint64_t minimum_address = 0;        ///< of fence mappings; 0: no bound
  std::uint64_t maximum_address = 0;        ///< inclusive; 0: no bound
  StorageAnswer storage_answer = StorageAnswer::kStandardAllocation;
  std::uint32_t current_value_segments = kVramSegmentBit | kApertureSegmentBit;
  std::uint32_t monitored_value_segments = kVramSegmentBit | kApertureSegmentBit;
  LogTypes log_types = LogTypes::kBoth;
  /// SupportsCpuHostAperture; else the window to VRAM is kept to kernel mode, and no allocation
  /// there is CPU visible.
  bool offers_host_aperture = true;
  bool notify_kmd = false;         ///< doorbells are CONNECTED_NOTIFY_KMD: user mode is to call
  bool halves_clock_rate = false;  ///< it reports half the frequency of the GPU clock
};

}  // namespace fenceline::kmd_host
