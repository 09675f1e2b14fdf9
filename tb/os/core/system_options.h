#pragma once

#include <array>
#include <cstdint>

#include "kmd_stub/wddm/base.h"
#include "models/common/time.h"

namespace fenceline::os {

/// Which header the OS was built with: what the first word of DXGK_NATIVE_FENCE_CAPS means.
enum class MonitoredValueField : std::uint8_t {
  kStride,   ///< distance between two MonitoredValues [bytes]
  kPadding,  ///< bytes behind each of them
};

/// Doorbells between GPUs for fences that several adapters share: what a signal writes to the other
/// GPUs. An idea for a later version of Windows, which no document specifies.
enum class PeerDoorbells : std::uint8_t {
  kOff,     ///< the OS tells the others
  kBare,    ///< no payload: every queue that waits looks again
  kFence,   ///< the fence: queues that wait for it look again
  kQueues,  ///< queues: those of processes that have the fence open look again, if they wait
};

/// How VidSch shares nodes between contexts. Source: WDDM, GPU preemption, timeout detection and
/// recovery; `platform.os.preemption` of docs/reference/scenario.md.
struct PreemptionOptions {
  /// Contexts have allocations for their state, and work of lower priority is preempted. Off: a
  /// buffer that the driver has been given runs to its end, and no time is too long.
  bool enabled = false;
  common::Time quantum = 10 * common::kMillisecond;      ///< of contexts of one priority; A-462
  common::Time tdr_delay = 2000 * common::kMillisecond;  ///< TdrDelay
  common::Time tdr_limit_time = 60'000 * common::kMillisecond;  ///< TdrLimitTime
  std::uint32_t tdr_limit_count = 5;                            ///< TdrLimitCount
  common::Time tdr_ddi_delay = 5000 * common::kMillisecond;     ///< TdrDdiDelay
  /// Time in which nodes that are reset with a hung one may be preempted first.
  common::Time dependents_delay = 500 * common::kMillisecond;
  bool detects_timeouts = true;   ///< TdrLevel: recover; false: off
  std::uint64_t part_memory = 0;  ///< of a part of a split buffer [bytes]; 0: split where possible
  // Rules, to be taken away:
  bool finds_leaks = true;          ///< parts of split buffers leave nothing bound for others
  bool resubmits = true;            ///< what was preempted is submitted again
  bool paging_first = true;         ///< paging buffers with their old ids, before all else
  bool preempts_first = true;       ///< no reset without a preemption that was not acknowledged
  bool spares_others = true;        ///< a reset puts only devices in error whose work it ended
  bool leaves_contexts = true;      ///< a node leaves a context before its allocation moves
  bool awaits_memory = true;        ///< no buffer is given before all its context needs is there
  bool signals_lost = true;         ///< the fences of a device in error are signalled to the last
  bool ends_faulted = true;         ///< the device of a buffer that was given up is put in error
  bool preempts_dependents = true;  ///< nodes that are reset with a hung one are preempted first
  bool exclusive_reset = true;      ///< no other thread is in the driver while an adapter is reset
  bool looks_after_reset = true;    ///< it looks at all fences when an adapter has been reset
  bool blocks_processes = true;     ///< one that has hung engines too often gets no device
  bool resets_hung_engines = true;  ///< an engine that the device takes for hung is reset
  bool ends_all_work = true;  ///< all contexts and hardware queues of a device in error are ended
  bool keeps_values = true;   ///< fences with NoSignalMaxValueOnTdr are left as they are
};

/// Kind of a process; it decides where a handle of its events is valid.
enum class ProcessKind : std::uint8_t {
  kHost,
  kGuest,        ///< of a virtual machine with a paravirtualized GPU
  kSecuredGuest  ///< the same; only known escapes reach the host
};

/// What decides which context of hardware queues runs. Source: WDDM,
/// DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES; times end in steps of 100 ns.
struct SchedulingProperties {
  std::uint32_t band = 1;            ///< 0 idle, 1 normal, 2 focus, 3 realtime
  std::uint32_t realtime_level = 0;  ///< 0 to 31, within the realtime band
  std::int32_t priority = 0;         ///< -7 to 7, among contexts of one process
  common::Time quantum = 0;          ///< before others have their turn; 0: no end
  common::Time grace_same = 0;       ///< that it then leaves to one of its rank
  common::Time grace_lower = 0;      ///< that it leaves to one of lower priority
};

/// Contexts of hardware queues: whether the OS suspends them and tells their priorities.
struct ContextSchedulingOptions {
  bool enabled = false;
  std::array<common::Time, 4> band_grace{};  ///< left to contexts of a band, from idle to realtime
  // A rule, to be taken away:
  bool checks_fence = true;  ///< an acknowledgement with another fence than the last does not count
};

/// Doorbells that queues share: rules, to be taken away. Source: WDDM, user-mode work submission;
/// `platform.os.doorbells` of docs/reference/scenario.md.
struct UserModeSubmissionOptions {
  bool disconnects_for_d3 = true;    ///< all doorbells are disconnected before D3
  bool looks_at_last_queued = true;  ///< then a queue with work keeps the adapter in D0
  bool connects_again = true;  ///< behind D3 the driver is called again when the status is there
};

/// What the OS offers and demands. The defaults are today's, and correct; those below the line
/// take a rule away. Source: `platform.os` of docs/reference/scenario.md.
struct SystemOptions {
  DXGK_WDDMVERSION wddm = DXGKDDI_WDDMv3_2;
  bool native_fence = true;         ///< DXGK_FEATURE_NATIVE_FENCE is not switched off
  bool hardware_scheduling = true;  ///< DXGK_FEATURE_HWSCH, on which it depends
  MonitoredValueField monitored_value_field = MonitoredValueField::kStride;
  bool batched_updates = false;  ///< one call of DxgkDdiUpdateMonitoredValues for several fences
  std::uint32_t offered_log_type = 0;  ///< a third fence log that it offers drivers; 0: none

  /// The fallback timer calls the driver's interrupt routine too, in case a message was lost.
  bool fallback_polls_interrupt = false;
  PeerDoorbells peer_doorbells = PeerDoorbells::kOff;
  PreemptionOptions preemption;
  ContextSchedulingOptions context_scheduling;
  UserModeSubmissionOptions doorbells;

  /// VRAM that allocations may take on each adapter [bytes]; 0: three quarters of it.
  std::uint64_t video_memory = 0;
  bool allocation_lists = false;  ///< submissions name their allocations, and caches follow
  bool resize_bar = true;         ///< the bus driver gives VRAM BARs what device and bridge allow

  bool defers_destruction = true;      ///< an allocation lives until the work queued before is done
  bool flushes_tlb = true;             ///< after page-table entries have changed
  bool waits_for_transfers = true;     ///< an allocation is used again when it has been moved
  bool rotates_mappings = true;        ///< user mode's addresses follow what is moved
  bool lock_rules = true;              ///< locks are refused, and pin, as documented
  bool tracks_host_aperture = true;    ///< it remembers which pages of the window are taken
  bool unmaps_for_d3 = true;           ///< locked allocations leave the window before D3
  bool flushes_listed = true;          ///< caches write listed allocations back before the work
  bool invalidates_listed = true;      ///< and drop them after it
  bool flushes_moves = true;           ///< and before an allocation leaves system memory
  bool suspends_queues = true;         ///< hardware contexts, while memory of theirs is moved
  bool drains_stores = true;           ///< cores make their stores before addresses lead elsewhere
  bool flips_wait_for_drawing = true;  ///< an image is shown when it has been drawn
  bool start_checks = true;            ///< an adapter whose driver breaks a rule does not start
  bool storage_rules = true;           ///< distance, own pages and segments of values are kept to
  bool protects_values = true;         ///< CurrentValue is read-only in user mode
  bool protects_logs = true;           ///< no fence log is mapped in user mode
  bool maps_for_the_cmp = true;        ///< addresses handed out for the system process are mapped
  bool mandatory_logs = true;          ///< a queue without one of its two fence logs is not created
  bool level_to_user_mode = true;      ///< verbose logging is announced to user-mode drivers
  bool level_to_kernel_mode = true;    ///< and to kernel-mode drivers

  /// Timeout detection and recovery is there: for contexts, or for hardware queues.
  bool finds_timeouts() const {
    return preemption.detects_timeouts && (preemption.enabled || context_scheduling.enabled);
  }
};

/// Bytes from one MonitoredValue to the next in a page.
constexpr std::uint64_t monitored_value_distance(const SystemOptions& system, std::uint32_t field) {
  return system.monitored_value_field == MonitoredValueField::kPadding ? 8ULL + field : field;
}

}  // namespace fenceline::os
