#pragma once

#include "tb/os/core/system_options.h"
#include "tb/scenario/scenario.h"
#include "tb/scenario/shapes/ordering_names.h"
#include "tb/scenario/shapes/reader.h"

namespace fenceline::scenario {

// Shapes of /platform/os and /platform/drivers: see reader.h.

constexpr std::array<Choice<DXGK_WDDMVERSION>, 6> kWddmVersions{{{"2.0", DXGKDDI_WDDMv2},
                                                                 {"2.7", DXGKDDI_WDDMv2_7},
                                                                 {"2.9", DXGKDDI_WDDMv2_9},
                                                                 {"3.0", DXGKDDI_WDDMv3_0},
                                                                 {"3.1", DXGKDDI_WDDMv3_1},
                                                                 {"3.2", DXGKDDI_WDDMv3_2}}};
constexpr std::array<Choice<os::MonitoredValueField>, 2> kValueFields{
    {{"stride", os::MonitoredValueField::kStride}, {"padding", os::MonitoredValueField::kPadding}}};
constexpr std::array<Choice<kmd_host::Negotiation>, 5> kNegotiations{
    {{"negotiate", kmd_host::Negotiation::kWhole},
     {"skip_interface", kmd_host::Negotiation::kNoInterface},
     {"assume", kmd_host::Negotiation::kAssumed},
     {"unsupported", kmd_host::Negotiation::kUnsupported},
     {"not_configured", kmd_host::Negotiation::kNotConfigured}}};
constexpr std::array<Choice<kmd_host::StorageAnswer>, 3> kStorageAnswers{
    {{"standard_allocation", kmd_host::StorageAnswer::kStandardAllocation},
     {"caps", kmd_host::StorageAnswer::kCaps},
     {"none", kmd_host::StorageAnswer::kNone}}};

constexpr std::array<Choice<kmd_host::LogTypes>, 4> kLogTypes{
    {{"both", kmd_host::LogTypes::kBoth},
     {"waits", kmd_host::LogTypes::kWaits},
     {"signals", kmd_host::LogTypes::kSignals},
     {"any", kmd_host::LogTypes::kAny}}};
constexpr std::array<Choice<os::PeerDoorbells>, 4> kPeerDoorbells{
    {{"off", os::PeerDoorbells::kOff},
     {"bare", os::PeerDoorbells::kBare},
     {"fence", os::PeerDoorbells::kFence},
     {"queues", os::PeerDoorbells::kQueues}}};

/// DXGK_VIDSCHCAPS capabilities that a scenario can give a driver.
struct SchedulingCap {
  const char* name;
  UINT bit;
};
constexpr std::array<SchedulingCap, 6> kSchedulingCaps{
    {{"MultiEngineAware", DXGK_VIDSCHCAPS::kMultiEngineAware},
     {"VSyncPowerSaveAware", DXGK_VIDSCHCAPS::kVSyncPowerSaveAware},
     {"PreemptionAware", DXGK_VIDSCHCAPS::kPreemptionAware},
     {"NoDmaPatching", DXGK_VIDSCHCAPS::kNoDmaPatching},
     {"CancelCommandAware", DXGK_VIDSCHCAPS::kCancelCommandAware},
     {"LowIrqlPreemptCommand", DXGK_VIDSCHCAPS::kLowIrqlPreemptCommand}}};
/// Names of kSchedulingCaps, and the bits of a list of names.
std::vector<std::string> scheduling_cap_names();
std::uint32_t scheduling_bits(const std::vector<std::string>& names);

struct OsPreemptionShape {
  using Type = os::PreemptionOptions;
  static constexpr const char* kName = "os_preemption";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("enabled", t.enabled, BooleanCodec{},
            "Contexts have allocations for their state, and their buffers can be preempted.");
    v.field("quantum", t.quantum, duration(1),
            "Time slice of contexts of equal priority on a node.");
    v.field("detects_timeouts", t.detects_timeouts, BooleanCodec{},
            "TdrLevel: recover. Otherwise there are no timeouts.");
    v.field("tdr_delay", t.tdr_delay, duration(1),
            "TdrDelay: a buffer that runs longer is preempted, and a preemption that takes longer "
            "is a timeout.");
    v.field("tdr_limit_time", t.tdr_limit_time, duration(1), "TdrLimitTime.");
    v.field("tdr_limit_count", t.tdr_limit_count, IntegerCodec{0, 1000},
            "TdrLimitCount: resets of an adapter within that time before the machine stops.");
    v.field("tdr_ddi_delay", t.tdr_ddi_delay, duration(1),
            "TdrDdiDelay: the machine stops if threads do not leave the driver within this time "
            "before an adapter reset.");
    v.field("dependents_delay", t.dependents_delay, duration(1),
            "Time for the preemption of nodes that are reset together with a hung node.");
    v.field("resubmits", t.resubmits, BooleanCodec{}, "Preempted buffers are submitted again.");
    v.field("paging_first", t.paging_first, BooleanCodec{},
            "Paging buffers are resubmitted first, with their old fence ids.");
    v.field("preempts_first", t.preempts_first, BooleanCodec{},
            "A reset comes only after a preemption that was not acknowledged.");
    v.field("spares_others", t.spares_others, BooleanCodec{},
            "A reset puts only those devices in error whose buffers it ended.");
    v.field("ends_faulted", t.ends_faulted, BooleanCodec{},
            "Puts the device of a buffer in error when a node gave up the buffer.");
    v.field("signals_lost", t.signals_lost, BooleanCodec{},
            "Ends all waits for fences of a device in error.");
    recovery_rules(v, t);
    v.field("part_memory", t.part_memory, size(0, 1ULL << 40U, 4096),
            "Memory limit for the allocations of a part of a buffer; 0B: the buffer is split at "
            "every possible point.");
    v.field("finds_leaks", t.finds_leaks, BooleanCodec{},
            "Binding-leak detection: no part of a split buffer leaves anything bound.");
    v.field("leaves_contexts", t.leaves_contexts, BooleanCodec{},
            "A node leaves a context before the state memory of the context is moved.");
    v.field("awaits_memory", t.awaits_memory, BooleanCodec{},
            "A buffer is submitted only when the memory of its context is resident.");
  }

 private:
  template <class V, class T>
  static void recovery_rules(V& v, T& t) {
    v.field("preempts_dependents", t.preempts_dependents, BooleanCodec{},
            "Nodes that are reset with a hung one are preempted first.");
    v.field("exclusive_reset", t.exclusive_reset, BooleanCodec{},
            "No other thread is in the driver during an adapter reset.");
    v.field("looks_after_reset", t.looks_after_reset, BooleanCodec{},
            "All fences are checked after an adapter reset.");
    v.field("blocks_processes", t.blocks_processes, BooleanCodec{},
            "A process that lost buffers with TdrLimitCount - 1 engines within TdrLimitTime gets "
            "no new device.");
    v.field("resets_hung_engines", t.resets_hung_engines, BooleanCodec{},
            "Resets an engine that the device reports as hung.");
    v.field("ends_all_work", t.ends_all_work, BooleanCodec{},
            "Ends all contexts and hardware queues of a device in error.");
    v.field("keeps_values", t.keeps_values, BooleanCodec{},
            "Fences with NoSignalMaxValueOnTdr keep their values when a device is in error.");
  }
};

struct ContextSchedulingShape {
  using Type = os::ContextSchedulingOptions;
  static constexpr const char* kName = "context_scheduling";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("enabled", t.enabled, BooleanCodec{},
            "The OS suspends hardware contexts and passes their priorities to the driver.");
    v.field("grace_idle", t.band_grace[0], duration(),
            "Time that contexts of the idle band keep running when a context of a higher band is "
            "ready.");
    v.field("grace_normal", t.band_grace[1], duration(), "The same for the normal band.");
    v.field("grace_focus", t.band_grace[2], duration(), "The same for the focus band.");
    v.field("checks_fence", t.checks_fence, BooleanCodec{},
            "Ignores an acknowledgement whose fence is not that of the last call.");
  }
};

struct OsDoorbellsShape {
  using Type = os::UserModeSubmissionOptions;
  static constexpr const char* kName = "os_doorbells";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("disconnects_for_d3", t.disconnects_for_d3, BooleanCodec{},
            "All doorbells are disconnected before the adapter goes to D3.");
    v.field("looks_at_last_queued", t.looks_at_last_queued, BooleanCodec{},
            "Before D3 it checks whether a queue with a progress fence has work, and stays in D0 "
            "if so.");
    v.field("connects_again", t.connects_again, BooleanCodec{},
            "After D3 it calls DxgkDdiConnectDoorbell again if the status is CONNECTED.");
  }
};

struct OsShape {
  using Type = os::SystemOptions;
  static constexpr const char* kName = "os";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("wddm", t.wddm, choice(kWddmVersions), "Newest driver model that it supports.");
    v.field("native_fence", t.native_fence, BooleanCodec{},
            "DXGK_FEATURE_NATIVE_FENCE is not switched off.");
    v.field("hardware_scheduling", t.hardware_scheduling, BooleanCodec{},
            "DXGK_FEATURE_HWSCH, on which native fences depend, is not switched off.");
    v.field("monitored_value_field", t.monitored_value_field, choice(kValueFields),
            "How it reads the first word of the native fence caps.");
    v.field("batched_updates", t.batched_updates, BooleanCodec{},
            "MonitoredValues of several fences are passed to the driver in one call.");
    v.field("offered_log_type", t.offered_log_type, IntegerCodec{0, 255},
            "Type of a third fence log that it offers to drivers; 0: none.");
    v.field("fallback_polls_interrupt", t.fallback_polls_interrupt, BooleanCodec{},
            "The fallback timer calls the driver's interrupt routine, in case a message was lost.");
    v.field("peer_doorbells", t.peer_doorbells, choice(kPeerDoorbells),
            "For fences that several adapters share: GPUs ring each other's doorbells with this "
            "payload. off: the operating system passes signals on.");
    v.field("preemption", t.preemption, ObjectCodec<OsPreemptionShape>{},
            "Sharing of nodes between contexts.");
    v.field("context_scheduling", t.context_scheduling, ObjectCodec<ContextSchedulingShape>{},
            "Sharing of nodes between hardware queues.");
    v.field("doorbells", t.doorbells, ObjectCodec<OsDoorbellsShape>{},
            "Handling of doorbells that hardware queues share.");
    v.field("video_memory", t.video_memory, size(0, 1ULL << 40U, 4096),
            "VRAM per adapter for allocations; 0B: three quarters of it.");
    v.field("allocation_lists", t.allocation_lists, BooleanCodec{},
            "Submissions to contexts name their allocations, and VidMm uses the list to keep "
            "caches coherent.");
    v.field("resize_bar", t.resize_bar, BooleanCodec{},
            "Resizes VRAM BARs to the largest size that device and bridge allow.");
    memory_rules(v, t);
    v.field("flips_wait_for_drawing", t.flips_wait_for_drawing, BooleanCodec{},
            "An image is shown when the work that draws it is complete.");
    v.field("start_checks", t.start_checks, BooleanCodec{},
            "An adapter whose driver breaks a rule does not start.");
    v.field("storage_rules", t.storage_rules, BooleanCodec{},
            "Fence storage follows the rules for distances, separate pages and segments.");
    v.field("protects_values", t.protects_values, BooleanCodec{},
            "User mode cannot write CurrentValue.");
    v.field("protects_logs", t.protects_logs, BooleanCodec{}, "User mode cannot reach fence logs.");
    v.field("maps_for_the_cmp", t.maps_for_the_cmp, BooleanCodec{},
            "Addresses of the system process are mapped before they are passed to the driver.");
    v.field("mandatory_logs", t.mandatory_logs, BooleanCodec{},
            "A queue whose driver refuses one of its two fence logs is not created.");
    v.field("level_to_user_mode", t.level_to_user_mode, BooleanCodec{},
            "Announces verbose logging to user-mode drivers.");
    v.field("level_to_kernel_mode", t.level_to_kernel_mode, BooleanCodec{},
            "Announces verbose logging to kernel-mode drivers.");
  }

 private:
  template <class V, class T>
  static void memory_rules(V& v, T& t) {
    v.field("defers_destruction", t.defers_destruction, BooleanCodec{},
            "An allocation is kept until the work that was queued before its destruction is done.");
    v.field("flushes_tlb", t.flushes_tlb, BooleanCodec{},
            "The GPU drops translations of moved or unmapped memory.");
    v.field("waits_for_transfers", t.waits_for_transfers, BooleanCodec{},
            "An allocation is used again only after its move is complete.");
    v.field("rotates_mappings", t.rotates_mappings, BooleanCodec{},
            "User addresses follow moved memory.");
    v.field("lock_rules", t.lock_rules, BooleanCodec{},
            "Locks are refused, and locked allocations are pinned, as documented.");
    v.field("tracks_host_aperture", t.tracks_host_aperture, BooleanCodec{},
            "Tracks which pages of a CPU host aperture are in use.");
    v.field("unmaps_for_d3", t.unmaps_for_d3, BooleanCodec{},
            "Locked allocations leave the CPU host aperture before D3.");
    v.field("flushes_listed", t.flushes_listed, BooleanCodec{},
            "With allocation_lists: caches write back before the work begins.");
    v.field("invalidates_listed", t.invalidates_listed, BooleanCodec{},
            "With allocation_lists: caches drop lines after the work.");
    v.field("flushes_moves", t.flushes_moves, BooleanCodec{},
            "Caches write back and drop lines of memory that is about to leave system memory.");
    v.field("suspends_queues", t.suspends_queues, BooleanCodec{},
            "Hardware contexts are suspended while an allocation of their process is moved.");
    v.field("drains_stores", t.drains_stores, BooleanCodec{},
            "All cores drain their stores before mappings change.");
  }
};

constexpr std::array<Choice<kmd_host::EngineReset>, 3> kEngineResets{
    {{"works", kmd_host::EngineReset::kWorks},
     {"fails", kmd_host::EngineReset::kFails},
     {"wrong_fence", kmd_host::EngineReset::kWrongFence}}};
constexpr std::array<Choice<kmd_host::AdapterReset>, 2> kAdapterResets{
    {{"works", kmd_host::AdapterReset::kWorks}, {"fails", kmd_host::AdapterReset::kFails}}};

constexpr std::array<Choice<kmd_host::HwEngineReset>, 6> kHwEngineResets{
    {{"works", kmd_host::HwEngineReset::kWorks},
     {"fails", kmd_host::HwEngineReset::kFails},
     {"collateral", kmd_host::HwEngineReset::kCollateral},
     {"noisy", kmd_host::HwEngineReset::kNoisy},
     {"whole_node", kmd_host::HwEngineReset::kWholeNode},
     {"wrong_context", kmd_host::HwEngineReset::kWrongContext}}};
constexpr std::array<Choice<kmd_host::EngineTimeout>, 3> kEngineTimeouts{
    {{"timeout", kmd_host::EngineTimeout::kTimeout},
     {"state_change", kmd_host::EngineTimeout::kStateChange},
     {"dropped", kmd_host::EngineTimeout::kDropped}}};
constexpr std::array<Choice<kmd_host::SuspendFence>, 2> kSuspendFences{
    {{"asked", kmd_host::SuspendFence::kAsked},
     {"never_issued", kmd_host::SuspendFence::kNeverIssued}}};
constexpr std::array<Choice<kmd_host::SubmitAnswer>, 3> kSubmitAnswers{
    {{"takes", kmd_host::SubmitAnswer::kTakes},
     {"invalid_parameter", kmd_host::SubmitAnswer::kInvalidParameter},
     {"unsuccessful", kmd_host::SubmitAnswer::kUnsuccessful}}};
constexpr std::array<Choice<kmd_host::FaultReport>, 3> kFaultReports{
    {{"exact", kmd_host::FaultReport::kExact},
     {"last_submitted", kmd_host::FaultReport::kLastSubmitted},
     {"bad_flags", kmd_host::FaultReport::kBadFlags}}};

struct DriverShape {
  using Type = Driver;
  static constexpr const char* kName = "driver";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("adapter", t.adapter, scenario::name(), "Adapter of the driver.");
    v.field("wddm", t.wddm, maybe(choice(kWddmVersions)),
            "Driver model version. Default: that of the operating system.");
    v.field("scheduling_caps", t.scheduling_caps, list(WordCodec{scheduling_cap_names()}, 0, 6),
            "DXGK_VIDSCHCAPS without native fences and atomics.");
    caps(v, t.caps);
    fence_caps(v, t.caps);
    v.field("offers_host_aperture", t.caps.offers_host_aperture, BooleanCodec{},
            "SupportsCpuHostAperture if the BAR does not show all of VRAM. Otherwise no allocation "
            "in VRAM is CPU visible.");
    v.field("notify_kmd", t.caps.notify_kmd, BooleanCodec{},
            "Its doorbells are CONNECTED_NOTIFY_KMD: user mode calls D3DKMTNotifyWorkSubmission "
            "after each ring.");
    v.field("user_writes_status", t.user_writes_status, BooleanCodec{},
            "Its user-mode part writes the status of a doorbell itself after it connected the "
            "doorbell.");
    v.location(t.at);
  }

 private:
  template <class V, class T>
  static void caps(V& v, T& t) {
    v.field("native_fence", t.native_fence, choice(kNegotiations),
            "How it negotiates native fences.");
    v.field("feature_interface", t.feature_interface, BooleanCodec{},
            "Answers feature queries of the operating system.");
    v.field("hardware_scheduling", t.hardware_scheduling, BooleanCodec{},
            "Supports DXGK_FEATURE_HWSCH.");
    v.field("preempted_as_submitted", t.preempted_as_submitted, BooleanCodec{},
            "After a preemption it reports the last submission as the last completed one.");
    v.field("flip_on_vsync_mmio", t.flip_on_vsync_mmio, BooleanCodec{},
            "DXGK_FLIPCAPS.FlipOnVSyncMmIo: flips by a register, otherwise by DMA buffers.");
    v.field("per_engine_tdr", t.per_engine_tdr, BooleanCodec{},
            "SupportPerEngineTDR: nodes can be reset one by one.");
    v.field("engine_reset", t.engine_reset, choice(kEngineResets),
            "Behaviour of DxgkDdiResetEngine.");
    v.field("adapter_reset", t.adapter_reset, choice(kAdapterResets),
            "Behaviour of DxgkDdiResetFromTimeout.");
    v.field("hw_engine_reset", t.hw_engine_reset, choice(kHwEngineResets),
            "Behaviour of DxgkDdiResetHwEngine.");
    v.field("engine_timeout", t.engine_timeout, choice(kEngineTimeouts),
            "Its report of an engine that the device reports as hung.");
    v.field("suspend_fence", t.suspend_fence, choice(kSuspendFences),
            "Fence that it reports with a suspension.");
    v.field("suspends_all_queues", t.suspends_all_queues, BooleanCodec{},
            "All queues of a suspended context leave the run list. Otherwise only the first one.");
    v.field("passes_priorities", t.passes_priorities, BooleanCodec{},
            "Passes the scheduling properties of contexts to the device.");
    v.field("fault_report", t.fault_report, choice(kFaultReports),
            "Its report of a buffer that the device gave up.");
    v.field("submit_answer", t.submit_answer, choice(kSubmitAnswers),
            "Status of DxgkDdiSubmitCommandVirtual for buffers of user mode.");
    v.field("syncs_first", t.syncs_first, BooleanCodec{},
            "Its interrupt routine reports vertical syncs before DMA buffers.");
    v.field("waits_for_nodes", t.waits_for_nodes, BooleanCodec{},
            "DxgkDdiUpdateCurrentValuesFromCpu waits without limit until its nodes are idle.");
    v.field("drains_resets", t.drains_resets, BooleanCodec{},
            "Before a reset it waits for all earlier reports of the device.");
    v.field("names_dependents", t.names_dependents, BooleanCodec{},
            "DxgkDdiQueryDependentEngineGroup names all nodes that a reset hits.");
    v.field("device_memory", t.device_memory, BooleanCodec{},
            "Requests memory that all contexts of a device share.");
    v.field("rebinds_at_splits", t.rebinds_at_splits, BooleanCodec{},
            "Unbinds before each point where a buffer can be split, and binds again after it.");
    v.field("linked", t.linked, BooleanCodec{},
            "Its GPU is part of a linked adapter: buffers may be broadcast.");
    v.field("patches_in_place", t.patches_in_place, BooleanCodec{},
            "With linked: writes addresses into buffers nevertheless.");
    v.field("refuses_patches", t.refuses_patches, BooleanCodec{}, "DxgkDdiPatch fails.");
  }

  template <class V, class T>
  static void fence_caps(V& v, T& t) {
    v.field("hides_atomics", t.hides_atomics, BooleanCodec{},
            "Does not report No64BitAtomics for a device without 64-bit atomics.");
    v.field("offers_anyway", t.offers_anyway, BooleanCodec{},
            "Reports NativeGpuFence together with No64BitAtomics.");
    v.field("optimized_interrupt", t.optimized_interrupt, BooleanCodec{},
            "OptimizedNativeFenceSignaledInterrupt: interrupts name a hardware queue.");
    v.field("legacy_interrupt", t.legacy_interrupt, BooleanCodec{},
            "EvaluateLegacyMonitoredFences: one interrupt for both kinds of fences.");
    v.field("monitored_value_field", t.monitored_value_field, IntegerCodec{0, 8192},
            "First word of the native fence caps: MonitoredValueStride or MonitoredValuePadding.");
    v.field("map_to_system_process", t.map_to_system_process, BooleanCodec{},
            "MapToGpuSystemProcess: the CMP uses addresses of the system process.");
    v.field("minimum_address", t.minimum_address, ValueCodec{},
            "Lowest GPU virtual address of a fence; 0: no bound.");
    v.field("maximum_address", t.maximum_address, ValueCodec{},
            "Highest GPU virtual address of a fence; 0: no bound.");
    v.field("storage_answer", t.storage_answer, choice(kStorageAnswers),
            "Where it reports the memory for fence storage.");
    v.field("current_value_segments", t.current_value_segments, SegmentsCodec{},
            "Memory for CurrentValue.");
    v.field("monitored_value_segments", t.monitored_value_segments, SegmentsCodec{},
            "Memory for MonitoredValue.");
    v.field("log_types", t.log_types, choice(kLogTypes), "Fence logs that it accepts.");
    v.field("halves_clock_rate", t.halves_clock_rate, BooleanCodec{},
            "Reports half the frequency of the GPU clock.");
  }
};

}  // namespace fenceline::scenario
