#pragma once

#include <array>
#include <cstdint>

#include "kmd_stub/wddm/base.h"
#include "models/common/time.h"

namespace fenceline::os {

/// Header version of the OS build: meaning of the first word of DXGK_NATIVE_FENCE_CAPS.
enum class MonitoredValueField : std::uint8_t {
  kStride,   ///< distance between two MonitoredValues [bytes]
  kPadding,  ///< padding after each MonitoredValue [bytes]
};

/// Doorbells between GPUs for fences shared by several adapters: payload of a signal's write to the
/// other GPUs. An idea for a later version of Windows; not documented.
enum class PeerDoorbells : std::uint8_t {
  kOff,     ///< the OS notifies the others
  kBare,    ///< no payload: every waiting queue looks again
  kFence,   ///< the fence: queues that wait for it look again
  kQueues,  ///< queues: those of processes that have the fence open look again, if they wait
};

/// Sharing of nodes between contexts. Source: WDDM, GPU preemption, timeout detection and recovery;
/// `platform.os.preemption` of docs/reference/scenario.md.
struct PreemptionOptions {
  /// Contexts have allocations for their state, and work of lower priority is preempted. Off: a
  /// buffer at the driver runs to its end, without a timeout.
  bool enabled = false;
  common::Time quantum = 10 * common::kMillisecond;      ///< for contexts of equal priority; A-462
  common::Time tdr_delay = 2000 * common::kMillisecond;  ///< TdrDelay
  common::Time tdr_limit_time = 60'000 * common::kMillisecond;  ///< TdrLimitTime
  std::uint32_t tdr_limit_count = 5;                            ///< TdrLimitCount
  common::Time tdr_ddi_delay = 5000 * common::kMillisecond;     ///< TdrDdiDelay
  /// Time for preempting other nodes that are reset with a hung one.
  common::Time dependents_delay = 500 * common::kMillisecond;
  bool detects_timeouts = true;  ///< TdrLevel: recover; false: off
  /// [bytes] limit of a part of a split buffer; 0: split where possible.
  std::uint64_t part_memory = 0;
  // Rules that can be removed:
  bool finds_leaks = true;      ///< parts of split buffers leave no slot bound for others
  bool resubmits = true;        ///< preempted buffers are submitted again
  bool paging_first = true;     ///< paging buffers keep their ids and come first
  bool preempts_first = true;   ///< a reset requires a preemption without acknowledgement
  bool spares_others = true;    ///< a reset puts only devices in error that lost work
  bool leaves_contexts = true;  ///< a node leaves a context before its allocation moves
  bool awaits_memory = true;    ///< a buffer is given only with all memory of its context present
  bool signals_lost = true;     ///< fences of a device in error are signalled to the last value
  bool ends_faulted = true;     ///< the device of a faulted buffer is put in error
  bool preempts_dependents = true;  ///< nodes that are reset with a hung one are preempted first
  bool exclusive_reset = true;      ///< during an adapter reset no other thread is in the driver
  bool looks_after_reset = true;    ///< all fences are scanned after an adapter reset
  bool blocks_processes = true;     ///< a process that has hung engines too often gets no device
  bool resets_hung_engines = true;  ///< an engine that the device reports as hung is reset
  bool ends_all_work = true;  ///< all contexts and hardware queues of a device in error are ended
  bool keeps_values = true;   ///< fences with NoSignalMaxValueOnTdr keep their value
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
  bool enabled = false;
  std::array<common::Time, 4> band_grace{};  ///< grace period of each band, from idle to realtime
  // A rule that can be removed:
  bool checks_fence = true;  ///< only an acknowledgement with the last fence counts
};

/// Shared doorbells: rules that can be removed. Source: WDDM, user-mode work submission;
/// `platform.os.doorbells` of docs/reference/scenario.md.
struct UserModeSubmissionOptions {
  bool disconnects_for_d3 = true;    ///< doorbells are disconnected before D3
  bool looks_at_last_queued = true;  ///< a queue with work then keeps the adapter in D0
  bool connects_again = true;        ///< after D3 the driver is called again once the status is set
};

/// Features and demands of the OS. The defaults match current Windows and are correct; the rules in
/// the second part can be removed. Source: `platform.os` of docs/reference/scenario.md.
struct SystemOptions {
  DXGK_WDDMVERSION wddm = DXGKDDI_WDDMv3_2;
  bool native_fence = true;         ///< DXGK_FEATURE_NATIVE_FENCE is enabled
  bool hardware_scheduling = true;  ///< DXGK_FEATURE_HWSCH, required by native_fence
  MonitoredValueField monitored_value_field = MonitoredValueField::kStride;
  bool batched_updates = false;  ///< one call of DxgkDdiUpdateMonitoredValues for several fences
  std::uint32_t offered_log_type = 0;  ///< third fence log offered to drivers; 0: none

  /// The fallback timer also calls the driver's interrupt routine, in case a message was lost.
  bool fallback_polls_interrupt = false;
  PeerDoorbells peer_doorbells = PeerDoorbells::kOff;
  PreemptionOptions preemption;
  ContextSchedulingOptions context_scheduling;
  UserModeSubmissionOptions doorbells;

  /// VRAM for allocations on each adapter [bytes]; 0: three quarters of it.
  std::uint64_t video_memory = 0;
  /// Submissions list their allocations, and caches are maintained by that.
  bool allocation_lists = false;
  bool resize_bar = true;  ///< the bus driver enlarges VRAM BARs as far as device and bridge allow

  bool defers_destruction = true;      ///< an allocation lives until earlier work is done
  bool flushes_tlb = true;             ///< after changes of page-table entries
  bool waits_for_transfers = true;     ///< an allocation is reused only after its move is complete
  bool rotates_mappings = true;        ///< user mode's addresses follow moves
  bool lock_rules = true;              ///< locks are refused, and pin, as documented
  bool tracks_host_aperture = true;    ///< it remembers used pages of the window
  bool unmaps_for_d3 = true;           ///< locked allocations leave the window before D3
  bool flushes_listed = true;          ///< caches write listed allocations back before the work
  bool invalidates_listed = true;      ///< and drop them after it
  bool flushes_moves = true;           ///< and write back before an allocation leaves system memory
  bool suspends_queues = true;         ///< hardware contexts are suspended while their memory moves
  bool drains_stores = true;           ///< cores drain stores before addresses are remapped
  bool flips_wait_for_drawing = true;  ///< an image is shown only once it is drawn
  bool start_checks = true;          ///< an adapter with a driver that breaks a rule does not start
  bool storage_rules = true;         ///< distance, own pages and segments of values are respected
  bool protects_values = true;       ///< CurrentValue is read-only in user mode
  bool protects_logs = true;         ///< no fence log is mapped in user mode
  bool maps_for_the_cmp = true;      ///< addresses given to the system process are mapped
  bool mandatory_logs = true;        ///< queue creation fails without both fence logs
  bool level_to_user_mode = true;    ///< verbose logging is announced to user-mode drivers
  bool level_to_kernel_mode = true;  ///< and to kernel-mode drivers

  /// Timeout detection and recovery is enabled, for contexts or for hardware queues.
  bool finds_timeouts() const {
    return preemption.detects_timeouts && (preemption.enabled || context_scheduling.enabled);
  }
};

/// Bytes from one MonitoredValue to the next in a page.
constexpr std::uint64_t monitored_value_distance(const SystemOptions& system, std::uint32_t field) {
  return system.monitored_value_field == MonitoredValueField::kPadding ? 8ULL + field : field;
}

}  // namespace fenceline::os
