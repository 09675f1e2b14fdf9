#pragma once

#include <array>
#include <cstdint>

#include "kmd_stub/wddm/adapter_caps.h"
#include "models/abi/keys.h"

namespace fenceline::kmd_host {

/// Way in which a driver negotiates native fences at adapter start.
enum class Negotiation : std::uint8_t {
  kWhole,          ///< in the documented order
  kNoInterface,    ///< asks whether the feature is enabled, but not for its table and the OS caps
  kAssumed,        ///< assumes the feature without asking: a faulty driver
  kUnsupported,    ///< a driver without native fences
  kNotConfigured,  ///< a driver that supports them, but not on this machine
};
constexpr std::array<abi::Choice<Negotiation>, 5> kNegotiations{
    {{"negotiate", Negotiation::kWhole},
     {"skip_interface", Negotiation::kNoInterface},
     {"assume", Negotiation::kAssumed},
     {"unsupported", Negotiation::kUnsupported},
     {"not_configured", Negotiation::kNotConfigured}}};

/// Where the driver reports the segments for fence storage.
enum class StorageAnswer : std::uint8_t {
  kStandardAllocation,  ///< D3DKMDT_STANDARDALLOCATION_FENCESTORAGE
  kCaps,                ///< DXGK_NATIVE_FENCE_CAPS, as in an earlier version of the document
  kNone,                ///< not reported: system memory
};
constexpr std::array<abi::Choice<StorageAnswer>, 3> kStorageAnswers{
    {{"standard_allocation", StorageAnswer::kStandardAllocation},
     {"caps", StorageAnswer::kCaps},
     {"none", StorageAnswer::kNone}}};

/// Fence logs that the driver accepts. Both are mandatory.
enum class LogTypes : std::uint8_t {
  kBoth,
  kWaits,
  kSignals,
  kAny,  ///< no check: any log that is not a wait log is a signal log
};
constexpr std::array<abi::Choice<LogTypes>, 4> kLogTypes{{{"both", LogTypes::kBoth},
                                                          {"waits", LogTypes::kWaits},
                                                          {"signals", LogTypes::kSignals},
                                                          {"any", LogTypes::kAny}}};

/// Behaviour of DxgkDdiResetEngine.
enum class EngineReset : std::uint8_t {
  kWorks,
  kFails,      ///< returns an error
  kWrongFence  ///< names a fence that was not in the node's queue
};
constexpr std::array<abi::Choice<EngineReset>, 3> kEngineResets{
    {{"works", EngineReset::kWorks},
     {"fails", EngineReset::kFails},
     {"wrong_fence", EngineReset::kWrongFence}}};
/// Behaviour of DxgkDdiResetFromTimeout.
enum class AdapterReset : std::uint8_t { kWorks, kFails };
constexpr std::array<abi::Choice<AdapterReset>, 2> kAdapterResets{
    {{"works", AdapterReset::kWorks}, {"fails", AdapterReset::kFails}}};

/// Behaviour of DxgkDdiResetHwEngine.
enum class HwEngineReset : std::uint8_t {
  kWorks,
  kFails,        ///< returns an error
  kCollateral,   ///< the other contexts of the engine are lost too
  kNoisy,        ///< leaves interrupts of the engine pending
  kWholeNode,    ///< also drops the driver's own ring, without a report
  kWrongContext  ///< names a context that was not on the engine
};
constexpr std::array<abi::Choice<HwEngineReset>, 6> kHwEngineResets{
    {{"works", HwEngineReset::kWorks},
     {"fails", HwEngineReset::kFails},
     {"collateral", HwEngineReset::kCollateral},
     {"noisy", HwEngineReset::kNoisy},
     {"whole_node", HwEngineReset::kWholeNode},
     {"wrong_context", HwEngineReset::kWrongContext}}};
/// Way in which the driver reports a hung engine to the OS, after the report of the device.
enum class EngineTimeout : std::uint8_t {
  kTimeout,      ///< DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT
  kStateChange,  ///< DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE with DXGK_ENGINE_STATE_HUNG
  kDropped       ///< not at all
};
constexpr std::array<abi::Choice<EngineTimeout>, 3> kEngineTimeouts{
    {{"timeout", EngineTimeout::kTimeout},
     {"state_change", EngineTimeout::kStateChange},
     {"dropped", EngineTimeout::kDropped}}};
/// Fence that the driver reports with a suspension.
enum class SuspendFence : std::uint8_t {
  kAsked,
  kNeverIssued  ///< a value above all that the OS has issued
};
constexpr std::array<abi::Choice<SuspendFence>, 2> kSuspendFences{
    {{"asked", SuspendFence::kAsked}, {"never_issued", SuspendFence::kNeverIssued}}};
/// Status of DxgkDdiSubmitCommandVirtual for buffers of user mode.
enum class SubmitAnswer : std::uint8_t { kTakes, kInvalidParameter, kUnsuccessful };
constexpr std::array<abi::Choice<SubmitAnswer>, 3> kSubmitAnswers{
    {{"takes", SubmitAnswer::kTakes},
     {"invalid_parameter", SubmitAnswer::kInvalidParameter},
     {"unsuccessful", SubmitAnswer::kUnsuccessful}}};
/// Way in which the driver reports a buffer that the device gave up.
enum class FaultReport : std::uint8_t {
  kExact,          ///< names the buffer
  kLastSubmitted,  ///< names the last buffer given to the node
  kBadFlags        ///< for a page fault: claims that the fence is unknown and requests no reset
};
constexpr std::array<abi::Choice<FaultReport>, 3> kFaultReports{
    {{"exact", FaultReport::kExact},
     {"last_submitted", FaultReport::kLastSubmitted},
     {"bad_flags", FaultReport::kBadFlags}}};

/// Segment bits, as in AllocationInfo.
constexpr std::uint32_t kVramSegmentBit = 1;
constexpr std::uint32_t kApertureSegmentBit = 2;

/// Most entries that an interrupt ring may have.
constexpr std::uint32_t kMostInterruptEntries = 256;

/// Properties that the driver reports about itself and its device. The defaults are those of a
/// correct driver for the current OS. Source: `platform.drivers` of docs/reference/scenario.md.
struct DriverCaps {
  DXGK_WDDMVERSION wddm = DXGKDDI_WDDMv3_2;
  Negotiation native_fence = Negotiation::kWhole;
  bool feature_interface = true;
  bool hardware_scheduling = true;
  /// DXGK_VIDSCHCAPS without the bits for native fences and atomics.
  std::uint32_t scheduling = DXGK_VIDSCHCAPS::kMultiEngineAware | DXGK_VIDSCHCAPS::kPreemptionAware;
  bool preempted_as_submitted = false;
  bool flip_on_vsync_mmio = true;
  bool per_engine_tdr = true;
  EngineReset engine_reset = EngineReset::kWorks;
  AdapterReset adapter_reset = AdapterReset::kWorks;
  HwEngineReset hw_engine_reset = HwEngineReset::kWorks;
  EngineTimeout engine_timeout = EngineTimeout::kTimeout;
  SuspendFence suspend_fence = SuspendFence::kAsked;
  bool suspends_all_queues = true;
  bool passes_priorities = true;
  bool device_memory = false;
  FaultReport fault_report = FaultReport::kExact;
  SubmitAnswer submit_answer = SubmitAnswer::kTakes;
  bool syncs_first = false;
  bool drains_resets = true;
  bool waits_for_nodes = false;
  bool names_dependents = true;
  bool rebinds_at_splits = true;
  bool linked = false;
  bool patches_in_place = false;
  bool refuses_patches = false;
  bool hides_atomics = false;
  bool offers_anyway = false;
  bool optimized_interrupt = false;
  bool legacy_interrupt = false;
  std::uint32_t interrupt_entries = kMostInterruptEntries;
  std::uint32_t monitored_value_field = 8;
  bool map_to_system_process = true;
  std::uint64_t minimum_address = 0;
  std::uint64_t maximum_address = 0;
  StorageAnswer storage_answer = StorageAnswer::kStandardAllocation;
  std::uint32_t current_value_segments = kVramSegmentBit | kApertureSegmentBit;
  std::uint32_t monitored_value_segments = kVramSegmentBit | kApertureSegmentBit;
  LogTypes log_types = LogTypes::kBoth;
  bool offers_host_aperture = true;
  bool notify_kmd = false;
  bool halves_clock_rate = false;

  template <class V, class T>
  static void keys(V& v, T& t) {
    work_keys(v, t);
    fence_keys(v, t);
    v.flag("offers_host_aperture", t.offers_host_aperture,
           "SupportsCpuHostAperture if the BAR does not show all of VRAM. Otherwise no allocation "
           "in VRAM is CPU visible.");
    v.number("interrupt_entries", t.interrupt_entries, {2, kMostInterruptEntries, true},
             "Entries of the interrupt ring in host memory, a power of two.");
    v.flag("notify_kmd", t.notify_kmd,
           "Its doorbells are CONNECTED_NOTIFY_KMD: user mode calls D3DKMTNotifyWorkSubmission "
           "after each ring.");
  }

 private:
  template <class V, class T>
  static void work_keys(V& v, T& t) {
    v.choice("native_fence", t.native_fence, kNegotiations, "How it negotiates native fences.");
    v.flag("feature_interface", t.feature_interface,
           "Answers feature queries of the operating system.");
    v.flag("hardware_scheduling", t.hardware_scheduling, "Supports DXGK_FEATURE_HWSCH.");
    v.flag("preempted_as_submitted", t.preempted_as_submitted,
           "After a preemption it reports the last submission as the last completed one.");
    v.flag("flip_on_vsync_mmio", t.flip_on_vsync_mmio,
           "DXGK_FLIPCAPS.FlipOnVSyncMmIo: flips by a register, otherwise by DMA buffers.");
    v.flag("per_engine_tdr", t.per_engine_tdr,
           "SupportPerEngineTDR: nodes can be reset one by one.");
    v.choice("engine_reset", t.engine_reset, kEngineResets, "Behaviour of DxgkDdiResetEngine.");
    v.choice("adapter_reset", t.adapter_reset, kAdapterResets,
             "Behaviour of DxgkDdiResetFromTimeout.");
    v.choice("hw_engine_reset", t.hw_engine_reset, kHwEngineResets,
             "Behaviour of DxgkDdiResetHwEngine.");
    v.choice("engine_timeout", t.engine_timeout, kEngineTimeouts,
             "Its report of an engine that the device reports as hung.");
    v.choice("suspend_fence", t.suspend_fence, kSuspendFences,
             "Fence that it reports with a suspension.");
    v.flag("suspends_all_queues", t.suspends_all_queues,
           "All queues of a suspended context leave the run list. Otherwise only the first one.");
    v.flag("passes_priorities", t.passes_priorities,
           "Passes the scheduling properties of contexts to the device.");
    v.choice("fault_report", t.fault_report, kFaultReports,
             "Its report of a buffer that the device gave up.");
    v.choice("submit_answer", t.submit_answer, kSubmitAnswers,
             "Status of DxgkDdiSubmitCommandVirtual for buffers of user mode.");
    v.flag("syncs_first", t.syncs_first,
           "Its interrupt routine reports vertical syncs before DMA buffers.");
    v.flag("waits_for_nodes", t.waits_for_nodes,
           "DxgkDdiUpdateCurrentValuesFromCpu waits without limit until its nodes are idle.");
    v.flag("drains_resets", t.drains_resets,
           "Before a reset it waits for all earlier reports of the device.");
    v.flag("names_dependents", t.names_dependents,
           "DxgkDdiQueryDependentEngineGroup names all nodes that a reset hits.");
    v.flag("device_memory", t.device_memory,
           "Requests memory that all contexts of a device share.");
    v.flag("rebinds_at_splits", t.rebinds_at_splits,
           "Unbinds before each point where a buffer can be split, and binds again after it.");
    v.flag("linked", t.linked, "Its GPU is part of a linked adapter: buffers may be broadcast.");
    v.flag("patches_in_place", t.patches_in_place,
           "With linked: writes addresses into buffers nevertheless.");
    v.flag("refuses_patches", t.refuses_patches, "DxgkDdiPatch fails.");
  }

  template <class V, class T>
  static void fence_keys(V& v, T& t) {
    v.flag("hides_atomics", t.hides_atomics,
           "Does not report No64BitAtomics for a device without 64-bit atomics.");
    v.flag("offers_anyway", t.offers_anyway,
           "Reports NativeGpuFence together with No64BitAtomics.");
    v.flag("optimized_interrupt", t.optimized_interrupt,
           "OptimizedNativeFenceSignaledInterrupt: interrupts name a hardware queue.");
    v.flag("legacy_interrupt", t.legacy_interrupt,
           "EvaluateLegacyMonitoredFences: one interrupt for both kinds of fences.");
    v.number("monitored_value_field", t.monitored_value_field, {0, 8192},
             "First word of the native fence caps: MonitoredValueStride or MonitoredValuePadding.");
    v.flag("map_to_system_process", t.map_to_system_process,
           "MapToGpuSystemProcess: the CMP uses addresses of the system process.");
    v.address("minimum_address", t.minimum_address,
              "Lowest GPU virtual address of a fence; 0: no bound.");
    v.address("maximum_address", t.maximum_address,
              "Highest GPU virtual address of a fence; 0: no bound.");
    v.choice("storage_answer", t.storage_answer, kStorageAnswers,
             "Where it reports the memory for fence storage.");
    v.segments("current_value_segments", t.current_value_segments, "Memory for CurrentValue.");
    v.segments("monitored_value_segments", t.monitored_value_segments,
               "Memory for MonitoredValue.");
    v.choice("log_types", t.log_types, kLogTypes, "Fence logs that it accepts.");
    v.flag("halves_clock_rate", t.halves_clock_rate,
           "Reports half the frequency of the GPU clock.");
  }
};

}  // namespace fenceline::kmd_host
