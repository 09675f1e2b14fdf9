#include "tb/reference/scope.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

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

/// Settings of the operating system with which it starts adapters and keeps all its rules.
const SafeValues kSafeSystem[] = {
    {"wddm", {"\"3.2\""}},
    {"native_fence", {"true"}},
    {"hardware_scheduling", {"true"}},
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

bool is_safe(const json& settings, const SafeValues& safe) {
  if (!settings.contains(safe.name)) return false;
  const std::string value = settings.at(safe.name).dump();
  return std::find(safe.values.begin(), safe.values.end(), value) != safe.values.end();
}

/// Faults of the hardware that take away nothing: reference/scenario.md, faults.
bool harmless(const json& fault) {
  const std::string kind = fault.at("fault");
  return kind == "message_twice" || kind == "message_late" || kind == "link_replay";
}

std::string system_out_of_scope(const json& platform) {
  for (const SafeValues& safe : kSafeSwitches)
    if (!is_safe(platform.at("ordering"), safe))
      return "the switch " + std::string(safe.name) + " removes a mechanism";
  const json& os = platform.at("os");
  for (const SafeValues& safe : kSafeSystem)
    if (!is_safe(os, safe)) return "platform.os." + std::string(safe.name) + " removes a rule";
  if (os.at("preemption").at("enabled")) return "preemption is not judged";
  if (os.at("context_scheduling").at("enabled")) return "scheduling of contexts is not judged";
  return "";
}

}  // namespace

std::string out_of_scope(const json& scenario) {
  const json& platform = scenario.at("platform");
  if (const std::string reason = system_out_of_scope(platform); !reason.empty()) return reason;
  if (!platform.at("drivers").empty()) return "drivers with variants are not judged";
  for (const json& adapter : platform.at("adapters"))
    if (!adapter.at("atomics64")) return "fences of 32 bits are not judged";
  if (platform.at("host").at("memory_model") == "weak") return "weak hosts are not judged";
  for (const json& fault : scenario.at("faults"))
    if (!harmless(fault)) return "the fault " + fault.at("fault").get<std::string>();
  return "";
}

}  // namespace fenceline::reference
