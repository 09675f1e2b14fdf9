#include "tb/generate/values.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

namespace fenceline::generate {

namespace {

constexpr const char* kByPlan = "the constraints and the plan decide it";
constexpr const char* kTogether = "values of it depend on each other";
constexpr const char* kRule = "without this rule an invariant breaks";
constexpr const char* kFeature = "it decides which features there are";
constexpr const char* kNegotiated = "it is drawn with the feature negotiation";
constexpr const char* kReset = "it matters to lost work only";
constexpr const char* kStale = "the host would have stale lines";

constexpr FixedKey kFixedKeys[] = {
    {"/host/profile", kByPlan},
    {"/host/cores", kByPlan},
    {"/host/time_slice", "it is always drawn, and short: threads that poll spin for so long"},
    {"/host/io_coherent", kByPlan},
    {"/host/c_states", kTogether},
    {"/host/memory/size", "allocations have to fit"},
    {"/host/cache_lines", kStale},
    {"/adapters/profile", kByPlan},
    {"/adapters/chip/profile", kByPlan},
    {"/adapters/chip/registers_per_unit", "thread groups have to fit"},
    {"/adapters/chip/shared_memory_per_unit", "thread groups have to fit"},
    {"/adapters/chip/threads_per_unit", "thread groups have to fit"},
    {"/adapters/vram/size", "allocations have to fit"},
    {"/adapters/link/no_snoop", kStale},
    {"/adapters/log_timestamps", "with times that go backwards an invariant breaks"},
    {"/adapters/native_fences", kFeature},
    {"/adapters/atomics64", kByPlan},
    {"/adapters/vram_bar", kByPlan},
    {"/adapters/preemption/engine_timeout", "no work may take so long"},
    {"/adapters/preemption/resets_together", kReset},
    {"/adapters/doorbells", kByPlan},
    {"/adapters/display", kByPlan},
    {"/adapters/clock_fast_ppm", "the times in logs would drift away between calibrations"},
    {"/adapters/iommu", kByPlan},
    {"/adapters/engines/fence_write", kFeature},
    {"/ordering", "the switch mode of the constraints decides it"},
    {"/os/wddm", kNegotiated},
    {"/os/native_fence", kNegotiated},
    {"/os/hardware_scheduling", kNegotiated},
    {"/os/monitored_value_field", "it belongs to that of the driver"},
    {"/os/offered_log_type", kFeature},
    {"/os/preemption", kByPlan},
    {"/os/context_scheduling", kByPlan},
    {"/os/doorbells", kRule},
    {"/os/video_memory", kByPlan},
    {"/os/closes_together", kByPlan},
    {"/os/allocation_lists", "a lock would wait for all work that lists the allocation"},
    {"/os/defers_destruction", kRule},
    {"/os/flushes_tlb", kRule},
    {"/os/waits_for_transfers", kRule},
    {"/os/rotates_mappings", kRule},
    {"/os/lock_rules", kRule},
    {"/os/tracks_host_aperture", kRule},
    {"/os/unmaps_for_d3", kRule},
    {"/os/flushes_listed", kRule},
    {"/os/invalidates_listed", kRule},
    {"/os/flushes_moves", kRule},
    {"/os/suspends_queues", kRule},
    {"/os/drains_stores", kRule},
    {"/os/flips_wait_for_drawing", kRule},
    {"/os/start_checks", kRule},
    {"/os/storage_rules", kRule},
    {"/os/protects_values", kRule},
    {"/os/protects_logs", kRule},
    {"/os/maps_for_the_cmp", kRule},
    {"/os/mandatory_logs", kRule},
    {"/os/level_to_user_mode", kRule},
    {"/os/level_to_kernel_mode", kRule},
    {"/drivers/wddm", kNegotiated},
    {"/drivers/scheduling_caps", kTogether},
    {"/drivers/native_fence", kNegotiated},
    {"/drivers/feature_interface", kNegotiated},
    {"/drivers/hardware_scheduling", kNegotiated},
    {"/drivers/preempted_as_submitted", kRule},
    {"/drivers/flip_on_vsync_mmio", "a display has steps of its own"},
    {"/drivers/per_engine_tdr", kReset},
    {"/drivers/engine_reset", kReset},
    {"/drivers/adapter_reset", kReset},
    {"/drivers/hw_engine_reset", kReset},
    {"/drivers/engine_timeout", kReset},
    {"/drivers/suspend_fence", kRule},
    {"/drivers/suspends_all_queues", kRule},
    {"/drivers/passes_priorities", kRule},
    {"/drivers/fault_report", kReset},
    {"/drivers/submit_answer", kReset},
    {"/drivers/syncs_first", kRule},
    {"/drivers/waits_for_nodes", "a signal of the CPU could wait for work that it would end"},
    {"/drivers/drains_resets", kReset},
    {"/drivers/names_dependents", kReset},
    {"/drivers/rebinds_at_splits", kRule},
    {"/drivers/linked", kFeature},
    {"/drivers/patches_in_place", kRule},
    {"/drivers/refuses_patches", kRule},
    {"/drivers/hides_atomics", kRule},
    {"/drivers/offers_anyway", kRule},
    {"/drivers/monitored_value_field", "not every distance is allowed"},
    {"/drivers/minimum_address", "fences have to fit"},
    {"/drivers/maximum_address", "fences have to fit"},
    {"/drivers/storage_answer", "without segments an adapter does not start"},
    {"/drivers/current_value_segments", "without segments an adapter does not start"},
    {"/drivers/monitored_value_segments", "without segments an adapter does not start"},
    {"/drivers/log_types", kFeature},
    {"/drivers/interrupt_entries", kByPlan},
    {"/drivers/map_to_system_process", kByPlan},
    {"/drivers/notify_kmd", kByPlan},
    {"/drivers/user_writes_status", kRule},
    {"/drivers/halves_clock_rate", kRule}};

}  // namespace

std::vector<FixedKey> fixed_keys() { return {std::begin(kFixedKeys), std::end(kFixedKeys)}; }

const char* why_fixed(std::string_view path) {
  static const std::map<std::string_view, const char*> kReasons = [] {
    std::map<std::string_view, const char*> reasons;
    for (const FixedKey& key : kFixedKeys) reasons.emplace(key.path, key.reason);
    return reasons;
  }();
  for (; !path.empty(); path.remove_suffix(path.size() - path.rfind('/')))
    if (const auto found = kReasons.find(path); found != kReasons.end()) return found->second;
  return nullptr;
}

std::uint64_t near_value(Draw& draw, std::uint64_t value, std::uint64_t least, std::uint64_t most,
                         bool power_of_two, std::uint64_t multiple) {
  constexpr std::array<std::uint64_t, 8> kQuarters{1, 2, 3, 4, 6, 8, 12, 16};
  constexpr std::uint64_t kHuge = ~std::uint64_t{0} / 16;
  constexpr std::uint64_t kInPlaceOfNone = 1000;
  if (value == 0) value = kInPlaceOfNone;
  std::uint64_t near = value;
  if (power_of_two)
    near = draw.chance(50) ? value * 2 : value / 2;
  else if (value < kHuge)
    near = value * kQuarters[draw.below(kQuarters.size())] / 4;
  if (power_of_two && (near < least || near > most)) return value;
  near = std::clamp(near, least, most);
  return near / multiple * multiple < least ? value : near / multiple * multiple;
}

}  // namespace fenceline::generate
