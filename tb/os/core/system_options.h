#pragma once

#include <array>
#include <cstdint>

#include "kmd_stub/wddm/base.h"
#include "models/abi/keys.h"
#include "models/common/steps/time.h"

namespace fenceline::os {

/// Names of driver model versions in scenarios.
constexpr std::array<abi::Choice<DXGK_WDDMVERSION>, 6> kWddmVersions{{{"2.0", DXGKDDI_WDDMv2},
                                                                      {"2.7", DXGKDDI_WDDMv2_7},
                                                                      {"2.9", DXGKDDI_WDDMv2_9},
                                                                      {"3.0", DXGKDDI_WDDMv3_0},
                                                                      {"3.1", DXGKDDI_WDDMv3_1},
                                                                      {"3.2", DXGKDDI_WDDMv3_2}}};

/// Header version of the OS build: meaning of the first word of DXGK_NATIVE_FENCE_CAPS.
enum class MonitoredValueField : std::uint8_t {
  kStride,   ///< distance between two MonitoredValues [bytes]
  kPadding,  ///< padding after each MonitoredValue [bytes]
};
constexpr std::array<abi::Choice<MonitoredValueField>, 2> kValueFields{
    {{"stride", MonitoredValueField::kStride}, {"padding", MonitoredValueField::kPadding}}};

/// Doorbells between GPUs for fences shared by several adapters: payload of a signal's write to the
/// other GPUs. An idea for a later version of Windows; not documented.
enum class PeerDoorbells : std::uint8_t {
  kOff,     ///< the OS notifies the others
  kBare,    ///< no payload: every waiting queue looks again
  kFence,   ///< the fence: queues that wait for it look again
  kQueues,  ///< queues: those of processes that have the fence open look again, if they wait
};
constexpr std::array<abi::Choice<PeerDoorbells>, 4> kPeerDoorbells{
    {{"off", PeerDoorbells::kOff},
     {"bare", PeerDoorbells::kBare},
     {"fence", PeerDoorbells::kFence},
     {"queues", PeerDoorbells::kQueues}}};

/// Sharing of nodes between contexts. Source: WDDM, GPU preemption, timeout detection and recovery;
/// `platform.os.preemption` of docs/reference/scenario.md.
struct PreemptionOptions {
  static constexpr const char* kName = "os_preemption";
  bool enabled = false;
  common::Time quantum = 10 * common::kMillisecond;  ///< A-462
  common::Time tdr_delay = 2000 * common::kMillisecond;
  common::Time tdr_limit_time = 60'000 * common::kMillisecond;
  std::uint32_t tdr_limit_count = 5;
  common::Time tdr_ddi_delay = 5000 * common::kMillisecond;
  common::Time dependents_delay = 500 * common::kMillisecond;
  bool detects_timeouts = true;
  std::uint64_t part_memory = 0;
  // Rules that can be removed:
  bool finds_leaks = true;  ///< parts of split buffers leave no slot bound for others
  bool resubmits = true;
  bool paging_first = true;
  bool preempts_first = true;
  bool spares_others = true;
  bool leaves_contexts = true;
  bool awaits_memory = true;
  bool signals_lost = true;
  bool ends_faulted = true;
  bool preempts_dependents = true;
  bool exclusive_reset = true;
  bool looks_after_reset = true;
  bool blocks_processes = true;
  bool resets_hung_engines = true;
  bool ends_all_work = true;
  bool keeps_values = true;

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.flag("enabled", t.enabled,
           "Contexts have allocations for their state, and their buffers can be preempted.");
    v.duration("quantum", t.quantum, {1}, "Time slice of contexts of equal priority on a node.");
    v.flag("detects_timeouts", t.detects_timeouts,
           "TdrLevel: recover. Otherwise there are no timeouts.");
    v.duration(
        "tdr_delay", t.tdr_delay, {1},
        "TdrDelay: a buffer that runs longer is preempted, and a preemption that takes longer "
        "is a timeout.");
    v.duration("tdr_limit_time", t.tdr_limit_time, {1}, "TdrLimitTime.");
    v.number("tdr_limit_count", t.tdr_limit_count, {0, 1000},
             "TdrLimitCount: resets of an adapter within that time before the machine stops.");
    v.duration("tdr_ddi_delay", t.tdr_ddi_delay, {1},
               "TdrDdiDelay: the machine stops if threads do not leave the driver within this time "
               "before an adapter reset.");
    v.duration("dependents_delay", t.dependents_delay, {1},
               "Time for the preemption of nodes that are reset together with a hung node.");
    v.flag("resubmits", t.resubmits, "Preempted buffers are submitted again.");
    v.flag("paging_first", t.paging_first,
           "Paging buffers are resubmitted first, with their old fence ids.");
    v.flag("preempts_first", t.preempts_first,
           "A reset comes only after a preemption that was not acknowledged.");
    v.flag("spares_others", t.spares_others,
           "A reset puts only those devices in error whose buffers it ended.");
    v.flag("ends_faulted", t.ends_faulted,
           "Puts the device of a buffer in error when a node gave up the buffer.");
    v.flag("signals_lost", t.signals_lost, "Ends all waits for fences of a device in error.");
    recovery_rules(v, t);
    v.size("part_memory", t.part_memory, {0, 1ULL << 40U, 4096},
           "Memory limit for the allocations of a part of a buffer; 0B: the buffer is split at "
           "every possible point.");
    v.flag("finds_leaks", t.finds_leaks,
           "Binding-leak detection: no part of a split buffer leaves anything bound.");
    v.flag("leaves_contexts", t.leaves_contexts,
           "A node leaves a context before the state memory of the context is moved.");
    v.flag("awaits_memory", t.awaits_memory,
           "A buffer is submitted only when the memory of its context is resident.");
  }

 private:
  template <class V, class T>
  static void recovery_rules(V& v, T& t) {
    v.flag("preempts_dependents", t.preempts_dependents,
           "Nodes that are reset with a hung one are preempted first.");
    v.flag("exclusive_reset", t.exclusive_reset,
           "No other thread is in the driver during an adapter reset.");
    v.flag("looks_after_reset", t.looks_after_reset,
           "All fences are checked after an adapter reset.");
    v.flag("blocks_processes", t.blocks_processes,
           "A process that lost buffers with TdrLimitCount - 1 engines within TdrLimitTime gets "
           "no new device.");
    v.flag("resets_hung_engines", t.resets_hung_engines,
           "Resets an engine that the device reports as hung.");
    v.flag("ends_all_work", t.ends_all_work,
           "Ends all contexts and hardware queues of a device in error.");
    v.flag("keeps_values", t.keeps_values,
           "Fences with NoSignalMaxValueOnTdr keep their values when a device is in error.");
  }
};

/// Kind of a process; decides where a handle of its events is valid.
enum class ProcessKind : std::uint8_t {
  kHost,
  kGuest,        ///< process in a virtual machine with a paravirtualized GPU
  kSecuredGuest  ///< the same; only known escapes reach the host
};

/// Scheduling of a context of hardware queues. Source: WDDM,
/// DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES; times have steps of 100 ns.
struct SchedulingProperties {
  std::uint32_t band = 1;            ///< 0 idle, 1 normal, 2 focus, 3 realtime
  std::uint32_t realtime_level = 0;  ///< 0 to 31, within the realtime band
  std::int32_t priority = 0;         ///< -7 to 7, among contexts of one process
  common::Time quantum = 0;          ///< running time before others of its rank; 0: unlimited
  common::Time grace_same = 0;       ///< grace period for the next context of its rank
  common::Time grace_lower = 0;      ///< grace period for contexts of lower priority
};

/// Contexts of hardware queues: suspension and priorities by the OS.
struct ContextSchedulingOptions {
  static constexpr const char* kName = "context_scheduling";
  bool enabled = false;
  std::array<common::Time, 4> band_grace{};
  // A rule that can be removed:
  bool checks_fence = true;

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.flag("enabled", t.enabled,
           "The OS suspends hardware contexts and passes their priorities to the driver.");
    v.duration(
        "grace_idle", t.band_grace[0],
        "Time that contexts of the idle band keep running when a context of a higher band is "
        "ready.");
    v.duration("grace_normal", t.band_grace[1], "The same for the normal band.");
    v.duration("grace_focus", t.band_grace[2], "The same for the focus band.");
    v.flag("checks_fence", t.checks_fence,
           "Ignores an acknowledgement whose fence is not that of the last call.");
  }
};

/// Shared doorbells: rules that can be removed. Source: WDDM, user-mode work submission;
/// `platform.os.doorbells` of docs/reference/scenario.md.
struct UserModeSubmissionOptions {
  static constexpr const char* kName = "os_doorbells";
  bool disconnects_for_d3 = true;
  bool looks_at_last_queued = true;
  bool connects_again = true;

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.flag("disconnects_for_d3", t.disconnects_for_d3,
           "All doorbells are disconnected before the adapter goes to D3.");
    v.flag("looks_at_last_queued", t.looks_at_last_queued,
           "Before D3 it checks whether a queue with a progress fence has work, and stays in D0 "
           "if so.");
    v.flag("connects_again", t.connects_again,
           "After D3 it calls DxgkDdiConnectDoorbell again if the status is CONNECTED.");
  }
};

/// Features and demands of the OS. The defaults match current Windows and are correct; the rules in
/// the second part can be removed. Source: `platform.os` of docs/reference/scenario.md.
struct SystemOptions {
  static constexpr const char* kName = "os";
  DXGK_WDDMVERSION wddm = DXGKDDI_WDDMv3_2;
  bool native_fence = true;
  bool hardware_scheduling = true;
  MonitoredValueField monitored_value_field = MonitoredValueField::kStride;
  bool batched_updates = false;
  std::uint32_t offered_log_type = 0;

  bool fallback_polls_interrupt = false;
  PeerDoorbells peer_doorbells = PeerDoorbells::kOff;
  PreemptionOptions preemption;
  ContextSchedulingOptions context_scheduling;
  UserModeSubmissionOptions doorbells;

  std::uint64_t video_memory = 0;
  bool allocation_lists = false;
  bool resize_bar = true;

  std::uint32_t closes_together = 64;

  bool defers_destruction = true;
  bool flushes_tlb = true;
  bool waits_for_transfers = true;
  bool rotates_mappings = true;
  bool lock_rules = true;
  bool tracks_host_aperture = true;
  bool unmaps_for_d3 = true;
  bool flushes_listed = true;
  bool invalidates_listed = true;
  bool flushes_moves = true;
  bool suspends_queues = true;
  bool drains_stores = true;
  bool flips_wait_for_drawing = true;
  bool start_checks = true;
  bool storage_rules = true;
  bool protects_values = true;
  bool protects_logs = true;
  bool maps_for_the_cmp = true;
  bool mandatory_logs = true;
  bool level_to_user_mode = true;
  bool level_to_kernel_mode = true;

  bool resets_asked = false;  ///< somebody asks for resets of engines; no key of a scenario

  /// An engine or the adapter may be reset.
  bool may_reset() const { return finds_timeouts() || resets_asked; }
  /// Timeout detection and recovery is enabled, for contexts or for hardware queues.
  bool finds_timeouts() const {
    return preemption.detects_timeouts && (preemption.enabled || context_scheduling.enabled);
  }

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.choice("wddm", t.wddm, kWddmVersions, "Newest driver model that it supports.");
    v.flag("native_fence", t.native_fence, "DXGK_FEATURE_NATIVE_FENCE is not switched off.");
    v.flag("hardware_scheduling", t.hardware_scheduling,
           "DXGK_FEATURE_HWSCH, on which native fences depend, is not switched off.");
    v.choice("monitored_value_field", t.monitored_value_field, kValueFields,
             "How it reads the first word of the native fence caps.");
    v.flag("batched_updates", t.batched_updates,
           "MonitoredValues of several fences are passed to the driver in one call.");
    v.number("closes_together", t.closes_together, {1, 1024},
             "Number of closes of fences that share one flush of GPU translations; only then are "
             "addresses and memory used again.");
    v.number("offered_log_type", t.offered_log_type, {0, 255},
             "Type of a third fence log that it offers to drivers; 0: none.");
    v.flag("fallback_polls_interrupt", t.fallback_polls_interrupt,
           "The fallback timer calls the driver's interrupt routine, in case a message was lost.");
    v.choice("peer_doorbells", t.peer_doorbells, kPeerDoorbells,
             "For fences that several adapters share: GPUs ring each other's doorbells with this "
             "payload. off: the operating system passes signals on.");
    v.object("preemption", t.preemption, "Sharing of nodes between contexts.");
    v.object("context_scheduling", t.context_scheduling,
             "Sharing of nodes between hardware queues.");
    v.object("doorbells", t.doorbells, "Handling of doorbells that hardware queues share.");
    v.size("video_memory", t.video_memory, {0, 1ULL << 40U, 4096},
           "VRAM per adapter for allocations; 0B: three quarters of it.");
    v.flag("allocation_lists", t.allocation_lists,
           "Submissions to contexts name their allocations, and VidMm uses the list to keep "
           "caches coherent.");
    v.flag("resize_bar", t.resize_bar,
           "Resizes VRAM BARs to the largest size that device and bridge allow.");
    memory_rules(v, t);
    v.flag("flips_wait_for_drawing", t.flips_wait_for_drawing,
           "An image is shown when the work that draws it is complete.");
    v.flag("start_checks", t.start_checks, "An adapter whose driver breaks a rule does not start.");
    v.flag("storage_rules", t.storage_rules,
           "Fence storage follows the rules for distances, separate pages and segments.");
    v.flag("protects_values", t.protects_values, "User mode cannot write CurrentValue.");
    v.flag("protects_logs", t.protects_logs, "User mode cannot reach fence logs.");
    v.flag("maps_for_the_cmp", t.maps_for_the_cmp,
           "Addresses of the system process are mapped before they are passed to the driver.");
    v.flag("mandatory_logs", t.mandatory_logs,
           "A queue whose driver refuses one of its two fence logs is not created.");
    v.flag("level_to_user_mode", t.level_to_user_mode,
           "Announces verbose logging to user-mode drivers.");
    v.flag("level_to_kernel_mode", t.level_to_kernel_mode,
           "Announces verbose logging to kernel-mode drivers.");
  }

 private:
  template <class V, class T>
  static void memory_rules(V& v, T& t) {
    v.flag("defers_destruction", t.defers_destruction,
           "An allocation is kept until the work that was queued before its destruction is done.");
    v.flag("flushes_tlb", t.flushes_tlb, "The GPU drops translations of moved or unmapped memory.");
    v.flag("waits_for_transfers", t.waits_for_transfers,
           "An allocation is used again only after its move is complete.");
    v.flag("rotates_mappings", t.rotates_mappings, "User addresses follow moved memory.");
    v.flag("lock_rules", t.lock_rules,
           "Locks are refused, and locked allocations are pinned, as documented.");
    v.flag("tracks_host_aperture", t.tracks_host_aperture,
           "Tracks which pages of a CPU host aperture are in use.");
    v.flag("unmaps_for_d3", t.unmaps_for_d3,
           "Locked allocations leave the CPU host aperture before D3.");
    v.flag("flushes_listed", t.flushes_listed,
           "With allocation_lists: caches write back before the work begins.");
    v.flag("invalidates_listed", t.invalidates_listed,
           "With allocation_lists: caches drop lines after the work.");
    v.flag("flushes_moves", t.flushes_moves,
           "Caches write back and drop lines of memory that is about to leave system memory.");
    v.flag("suspends_queues", t.suspends_queues,
           "Hardware contexts are suspended while an allocation of their process is moved.");
    v.flag("drains_stores", t.drains_stores,
           "All cores drain their stores before mappings change.");
  }
};

/// Bytes from one MonitoredValue to the next in a page.
constexpr std::uint64_t monitored_value_distance(const SystemOptions& system, std::uint32_t field) {
  return system.monitored_value_field == MonitoredValueField::kPadding ? 8ULL + field : field;
}

}  // namespace fenceline::os
