#include "tb/reference/safe_settings.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/abi/mutant.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

/// A switch and its values with which no rule of the documents is broken.
struct SafeValues {
  const char* name;
  std::initializer_list<const char*> values;  ///< as JSON
};

/// Source: the table of switches in reference/scenario.md, and reference/switches.md.
const SafeValues kSafeSwitches[] = {
    {"gpu.signal_barrier", {"\"before_check\""}},
    {"gpu.load_hoist", {"false"}},
    {"gpu.release_before_cv", {"true"}},
    {"gpu.log_barrier", {"false", "true"}},
    {"gpu.park_check", {"true"}},
    {"gpu.wait_once", {"true"}},
    {"gpu.completion_barrier", {"true"}},
    {"gpu.preempt_barrier", {"true"}},
    {"gpu.preempt_waits", {"true"}},
    {"gpu.suspend_barrier", {"true"}},
    {"gpu.fence_tag", {"true"}},
    {"gpu.suspend_holds", {"true"}},
    {"gpu.rescan", {"\"latched\""}},
    {"barrier.reach", {"\"host\""}},
    {"cmp.mv_barrier", {"\"sync\""}},
    {"cmp.recheck", {"true"}},
    {"cmp.value", {"\"payload\""}},
    {"cmp.clear_first", {"true"}},
    {"log.writer", {"\"engine\"", "\"cmp\""}},
    {"flush.covers_cv", {"false", "true"}},
    {"mem.cv_home", {"\"vram\"", "\"sysmem\""}},
    {"mem.mv_home", {"\"vram\"", "\"sysmem\""}},
    {"mem.cv64", {"true"}},
    {"mem.mv64", {"true"}},
    {"log.hdr64", {"true"}},
    {"pcie.msi_ordered", {"true"}},
    {"pcie.completion_ordered", {"true"}},
    {"pcie.id_based_ordering", {"false"}},
    {"pcie.interrupt", {"\"message\""}},
    {"xad.doorbell_ordered", {"true"}},
    {"host.masked_edges", {"\"kept\""}},
    {"host.load_order", {"\"strong\""}},
    {"kmd.umv_ack", {"true"}},
    {"kmd.ucv_order", {"true"}},
    {"kmd.store_barrier", {"true"}},
    {"kmd.log_drain", {"true"}},
    {"kmd.batch_checked", {"true"}},
    {"kmd.va_cached", {"false"}},
    {"kmd.event_lock", {"true"}},
    {"kmd.destroy_drain", {"3"}},
    {"kmd.resume_state", {"true"}},
    {"isr.ack_first", {"true"}},
    {"isr.live_filter", {"true"}},
    {"isr.null_array", {"false", "true"}},
    {"isr.read_flush", {"false", "true"}},
    {"isr.load_barrier", {"false", "true"}},
    {"kmd.victim_first", {"true"}},
    {"kmd.victim_scan", {"true"}},
    {"kmd.connect_scan", {"true"}},
    {"kmd.device_lock", {"true"}},
    {"os.resample", {"\"always\"", "\"after_ddi\""}},
    {"os.on_change", {"true", "false"}},
    {"os.scan_atomic", {"true"}},
    {"os.fallback_timer", {"false", "true"}},
    {"os.lockless_signal", {"false", "true"}},
    {"os.store_barrier", {"true"}},
    {"os.event_clear", {"true"}},
    {"os.watchdog", {"\"off\""}},
    {"kmd.update_logs", {"\"after_index\""}},
    {"os.log_driven", {"false"}},
    {"os.overrun_check", {"\"again\""}},
    {"os.load_barrier", {"true"}},
    {"os.overrun_fallback", {"true"}},
    {"os.refcount", {"true"}},
    {"os.unwait", {"true"}},
    {"os.hold_gpu_waits", {"true"}},
    {"os.wrap32", {"\"handled\""}},
    {"os.fence_cache", {"\"by_coherency\""}},
    {"xad.mv_zero", {"true"}},
    {"xad.propagate", {"true"}},
    {"umd.read_status", {"true"}},
    {"umd.ring_again", {"true"}},
    {"umd.submission_lock", {"true"}},
};

/// Further values: another mechanism does the same, so no rule is broken if one switch has such a
/// value. Without the barrier of gpu.signal_barrier a queue may see a value from before its own
/// signal: where values fall, its wait ends too early. Source: reference/switches.md.
const SafeValues kBackedUp[] = {
    {"gpu.load_hoist", {"true"}},
    {"gpu.rescan", {"\"parked_only\""}},
    {"cmp.mv_barrier", {"\"self\"", "\"drain\""}},
    {"cmp.recheck", {"false"}},
    {"cmp.value", {"\"reread\""}},
    {"pcie.msi_ordered", {"false"}},
    {"xad.doorbell_ordered", {"false"}},
    {"kmd.destroy_drain", {"1"}},
    {"isr.live_filter", {"false"}},
    {"os.scan_atomic", {"\"apart\""}},
    {"os.store_barrier", {"false", "\"signaller\"", "\"waiter\""}},
    {"os.watchdog", {"\"sleeping\""}},
    {"os.log_driven", {"true"}},
    {"umd.read_status", {"\"before\""}},
    {"umd.ring_again", {"false"}},
};

/// Settings of the operating system with which it starts adapters and keeps all its rules.
const SafeValues kSafeSystem[] = {
    {"defers_destruction", {"true"}},
    {"flushes_tlb", {"true"}},
    {"waits_for_transfers", {"true"}},
    {"rotates_mappings", {"true"}},
    {"lock_rules", {"true"}},
    {"tracks_host_aperture", {"true"}},
    {"flushes_listed", {"true"}},
    {"invalidates_listed", {"true"}},
    {"flushes_moves", {"true"}},
    {"suspends_queues", {"true"}},
    {"drains_stores", {"true"}},
    {"unmaps_for_d3", {"true"}},
    {"flips_wait_for_drawing", {"true"}},
    {"start_checks", {"true"}},
    {"storage_rules", {"true"}},
    {"protects_values", {"true"}},
    {"protects_logs", {"true"}},
    {"maps_for_the_cmp", {"true"}},
    {"mandatory_logs", {"true"}},
    {"monitored_value_field", {"\"stride\""}},
    {"offered_log_type", {"0"}},
};

/// Variants of drivers with which resets and reports of faults end without a bug check. Source:
/// background/preemption.md, faults; WDDM, adapter reset.
const SafeValues kSafeRecovery[] = {
    {"adapter_reset", {"\"works\""}},
    {"engine_reset", {"\"works\"", "\"fails\""}},
    {"hw_engine_reset", {"\"works\"", "\"fails\""}},
    {"engine_timeout", {"\"timeout\"", "\"state_change\""}},
    {"fault_report", {"\"exact\""}},
};

/// Variants of drivers that start and keep all rules while no work is lost.
const SafeValues kSafeDriver[] = {
    {"native_fence", {"\"negotiate\"", "\"unsupported\"", "\"not_configured\""}},
    {"scheduling_caps", {"[\"MultiEngineAware\",\"PreemptionAware\"]"}},
    {"suspend_fence", {"\"asked\""}},
    {"suspends_all_queues", {"true"}},
    {"device_memory", {"false", "true"}},
    {"submit_answer", {"\"takes\""}},
    {"preempted_as_submitted", {"false"}},
    {"hides_atomics", {"false"}},
    {"offers_anyway", {"false"}},
    {"waits_for_nodes", {"false"}},
    {"monitored_value_field", {"8", "64"}},
    {"minimum_address", {"0"}},
    {"maximum_address", {"0"}},
    {"monitored_value_segments", {"[\"vram\",\"sysmem\"]", "[\"sysmem\"]"}},
    {"log_types", {"\"both\""}},
    {"linked", {"false"}},
    {"patches_in_place", {"false"}},
    {"refuses_patches", {"false"}},
    {"rebinds_at_splits", {"true"}},
    {"user_writes_status", {"false"}},
};

bool is_safe(const json& settings, const SafeValues& safe) {
  if (!settings.contains(safe.name)) return false;
  const std::string value = settings.at(safe.name).dump();
  if (abi::mutant(abi::Mutant::kOneValueIsSafe)) return value == *safe.values.begin();
  return std::find(safe.values.begin(), safe.values.end(), value) != safe.values.end();
}

template <std::size_t kCount>
std::vector<std::string> all_unsafe(const json& settings, const SafeValues (&table)[kCount]) {
  std::vector<std::string> names;
  for (const SafeValues& safe : table)
    if (!is_safe(settings, safe)) names.emplace_back(safe.name);
  return names;
}

template <std::size_t kCount>
std::string first_unsafe(const json& settings, const SafeValues (&table)[kCount]) {
  const std::vector<std::string> names = all_unsafe(settings, table);
  return names.empty() ? "" : names.front();
}

bool is_backed_up(const json& ordering, const std::string& name) {
  return std::any_of(std::begin(kBackedUp), std::end(kBackedUp), [&](const SafeValues& safe) {
    return safe.name == name && is_safe(ordering, safe);
  });
}

}  // namespace

std::string unsafe_switch(const json& ordering, bool weak_host) {
  std::vector<std::string> names = all_unsafe(ordering, kSafeSwitches);
  if (weak_host && !ordering.at("isr.load_barrier").get<bool>())
    names.emplace_back("isr.load_barrier");
  const bool alone = !weak_host && names.size() == 1 && is_backed_up(ordering, names.front());
  return names.empty() || alone ? "" : names.front();
}

std::string unsafe_system(const json& os) { return first_unsafe(os, kSafeSystem); }

std::string unsafe_driver(const json& driver) { return first_unsafe(driver, kSafeDriver); }

std::string unsafe_recovery(const json& driver) { return first_unsafe(driver, kSafeRecovery); }

}  // namespace fenceline::reference
