#pragma once

#include <cstdint>

#include "kmd_stub/wddm/adapter_caps.h"

namespace fenceline::kmd_host {

/// Way in which a driver negotiates native fences at adapter start.
enum class Negotiation : std::uint8_t {
  kWhole,          ///< in the documented order
  kNoInterface,    ///< asks whether the feature is enabled, but not for its table and the OS caps
  kAssumed,        ///< assumes the feature without asking: a faulty driver
  kUnsupported,    ///< a driver without native fences
  kNotConfigured,  ///< a driver that supports them, but not on this machine
};

/// Where the driver reports the segments for fence storage.
enum class StorageAnswer : std::uint8_t {
  kStandardAllocation,  ///< D3DKMDT_STANDARDALLOCATION_FENCESTORAGE
  kCaps,                ///< DXGK_NATIVE_FENCE_CAPS, as in an earlier version of the document
  kNone,                ///< not reported: system memory
};

/// Fence logs that the driver accepts. Both are mandatory.
enum class LogTypes : std::uint8_t {
  kBoth,
  kWaits,
  kSignals,
  kAny,  ///< no check: any log that is not a wait log is a signal log
};

/// Behaviour of DxgkDdiResetEngine.
enum class EngineReset : std::uint8_t {
  kWorks,
  kFails,      ///< returns an error
  kWrongFence  ///< names a fence that was not in the node's queue
};
/// Behaviour of DxgkDdiResetFromTimeout.
enum class AdapterReset : std::uint8_t { kWorks, kFails };

/// Behaviour of DxgkDdiResetHwEngine.
enum class HwEngineReset : std::uint8_t {
  kWorks,
  kFails,        ///< returns an error
  kCollateral,   ///< the other contexts of the engine are lost too
  kNoisy,        ///< leaves interrupts of the engine pending
  kWholeNode,    ///< also drops the driver's own ring, without a report
  kWrongContext  ///< names a context that was not on the engine
};
/// Way in which the driver reports a hung engine to the OS, after the report of the device.
enum class EngineTimeout : std::uint8_t {
  kTimeout,      ///< DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT
  kStateChange,  ///< DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE with DXGK_ENGINE_STATE_HUNG
  kDropped       ///< not at all
};
/// Fence that the driver reports with a suspension.
enum class SuspendFence : std::uint8_t {
  kAsked,
  kNeverIssued  ///< a value above all that the OS has issued
};
/// Status of DxgkDdiSubmitCommandVirtual for buffers of user mode.
enum class SubmitAnswer : std::uint8_t { kTakes, kInvalidParameter, kUnsuccessful };
/// Way in which the driver reports a buffer that the device gave up.
enum class FaultReport : std::uint8_t {
  kExact,          ///< names the buffer
  kLastSubmitted,  ///< names the last buffer given to the node
  kBadFlags        ///< for a page fault: claims that the fence is unknown and requests no reset
};

/// Segment bits, as in AllocationInfo.
constexpr std::uint32_t kVramSegmentBit = 1;
constexpr std::uint32_t kApertureSegmentBit = 2;

/// Properties that the driver reports about itself and its device. The defaults are those of a
/// correct driver for the current OS. Source: `platform.drivers` of docs/reference/scenario.md.
struct DriverCaps {
  DXGK_WDDMVERSION wddm = DXGKDDI_WDDMv3_2;
  Negotiation native_fence = Negotiation::kWhole;
  bool feature_interface = true;    ///< answers DxgkDdiQueryInterface for features
  bool hardware_scheduling = true;  ///< supports DXGK_FEATURE_HWSCH
  /// DXGK_VIDSCHCAPS without the bits for native fences and atomics.
  std::uint32_t scheduling = DXGK_VIDSCHCAPS::kMultiEngineAware | DXGK_VIDSCHCAPS::kPreemptionAware;
  bool preempted_as_submitted = false;  ///< reports the last submission as the last completed one
  bool flip_on_vsync_mmio = true;       ///< DXGK_FLIPCAPS; otherwise a flip is a DMA buffer
  bool per_engine_tdr = true;           ///< DXGK_DRIVERCAPS.SupportPerEngineTDR
  EngineReset engine_reset = EngineReset::kWorks;
  AdapterReset adapter_reset = AdapterReset::kWorks;
  HwEngineReset hw_engine_reset = HwEngineReset::kWorks;
  EngineTimeout engine_timeout = EngineTimeout::kTimeout;
  SuspendFence suspend_fence = SuspendFence::kAsked;
  bool suspends_all_queues = true;  ///< of a context; otherwise only the first one
  bool passes_priorities = true;    ///< passes scheduling properties on to the device
  bool device_memory = false;       ///< requests memory shared by all contexts of a device
  FaultReport fault_report = FaultReport::kExact;
  SubmitAnswer submit_answer = SubmitAnswer::kTakes;
  bool syncs_first = false;      ///< the ISR reports vertical syncs before DMA buffers
  bool drains_resets = true;     ///< no report of a node arrives after its reset
  bool waits_for_nodes = false;  ///< waits without limit for idle nodes when the CPU signals fences
  bool names_dependents =
      true;  ///< DxgkDdiQueryDependentEngineGroup names all nodes that a reset affects
  /// Where a buffer can be split, binds again the memory that packets after the split use.
  bool rebinds_at_splits = true;
  bool linked = false;            ///< the GPU is part of a linked adapter: buffers are broadcast
  bool patches_in_place = false;  ///< writes addresses into broadcast buffers in spite of `linked`
  bool refuses_patches = false;   ///< DxgkDdiPatch fails
  bool hides_atomics = false;     ///< reports 64-bit atomics on a device with 32-bit ones
  bool offers_anyway = false;     ///< reports native fences together with No64BitAtomics
  bool optimized_interrupt = false;         ///< interrupts name queues instead of fences
  bool legacy_interrupt = false;            ///< one interrupt for native and monitored fences
  std::uint32_t monitored_value_field = 8;  ///< MonitoredValueStride or ...Padding; see the OS
  bool map_to_system_process = true;        ///< the CMP uses addresses of the system process
  std::uint64_t minimum_address = 0;        ///< for fence mappings; 0: no limit
  std::uint64_t maximum_address = 0;        ///< inclusive; 0: no limit
  StorageAnswer storage_answer = StorageAnswer::kStandardAllocation;
  std::uint32_t current_value_segments = kVramSegmentBit | kApertureSegmentBit;
  std::uint32_t monitored_value_segments = kVramSegmentBit | kApertureSegmentBit;
  LogTypes log_types = LogTypes::kBoth;
  /// SupportsCpuHostAperture. Otherwise only kernel mode uses the window to VRAM, and no allocation
  /// in VRAM is CPU visible.
  bool offers_host_aperture = true;
  bool notify_kmd = false;  ///< doorbells are CONNECTED_NOTIFY_KMD: user mode must call the driver
  bool halves_clock_rate = false;  ///< reports half the frequency of the GPU clock
};

}  // namespace fenceline::kmd_host
