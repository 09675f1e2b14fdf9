#include "tb/coverage/reasons.h"

#include <algorithm>

namespace fenceline::coverage {

namespace {

using Words = std::vector<std::string>;

/// Points of one group, or with a word of that group.
struct Rule {
  Group group;
  Words first;   ///< one of these; empty: any
  Words second;  ///< and one of these; empty: any
  Reason reason;
};

const Words kOfRings{"packet_begin",    "packet_end",        "packet_fault",
                     "stale_packet",    "command_done",      "commands_dropped",
                     "work_issued",     "work_visible",      "signal_begin",
                     "signal_end",      "gpu_wait_park",     "interrupt_raised",
                     "notify",          "notify_queue",      "log_entry_times",
                     "log_made",        "log_set",           "progress_fence",
                     "queue_state",     "ring_fetched",      "ring_scan",
                     "doorbell",        "doorbell_mapped",   "doorbell_status",
                     "doorbell_taken",  "doorbell_answer",   "doorbell_status_visible",
                     "doorbell_rung",   "queue_guarded",     "doorbell_connect",
                     "engine_fault",    "work_dropped",      "engine_timed_out",
                     "scheduled_queue", "context_rank_taken"};
const Words kOfContexts{"context_ended",  "context_given",   "context_memory",     "context_packet",
                        "context_submit", "software_packet", "software_packet_run"};
const Words kRingStates{"queue idle", "queue ready", "queue running", "queue parked",
                        "queue suspended"};
const Words kContextStates{"queue context_packet", "queue context_submit", "queue context_ended"};
const Words kNotRunning{"queue idle", "queue ready", "queue parked", "queue suspended"};
const Words kRunningOnly{"signal_begin", "signal_end",       "gpu_wait_begin",
                         "stale_packet", "gpu_wait_park",    "work_issued",
                         "packet_fault", "engine_timed_out", "ring_fetched"};
const Words kEndOfRunning{"packet_begin", "packet_end",   "gpu_wait_unblock",
                          "engine_fault", "command_done", "work_dropped"};
const Words kOfQueueCreation{"progress_fence", "scheduled_queue", "queue_guarded"};
const Words kBehindAction{"signal_end",       "wait_release",         "wait_done",
                          "wait_timeout",     "wait_let_go",          "shadow_read",
                          "decision",         "interrupt_raised",     "notify",
                          "log_entry_issued", "current_value_issued", "peer_rung"};
const Words kOfCreation{"fence_kind", "fence_mapped", "fence_traced", "fence_storage",
                        "cross_adapter_fence"};
const Words kBehindCreation{"fence wait_add",    "fence wait_done",        "fence gpu_wait_park",
                            "fence signal_end",  "fence gpu_wait_unblock", "fence signal_begin",
                            "fence fence_close", "fence fence_destroy"};

const Words kBeforeClosing{"fence fence_create", "fence wait_add", "fence signal_begin"};
const Words kEndsOfSetUp{"DxgkDdiStopDevice",     "DxgkDdiRemoveDevice",
                         "DxgkDdiDestroyDevice",  "DxgkDdiDestroyContext",
                         "DxgkDdiDestroyProcess", "DxgkDdiDestroyHwContext",
                         "DxgkDdiDestroyHwQueue", "DxgkDdiDestroyDoorbell"};
const Words kNotCalled{"DxgkDdiQueryCurrentFence", "DxgkDdiQueryEngineStatus",
                       "DxgkDdiGetNodeMetadata", "DxgkDdiGetRootPageTableSize"};

/// Of events in states of their queue or context.
std::vector<Rule> rules_of_queue_states() {
  return {
      {Group::kEventInState, kOfRings, kContextStates, {"contexts have no ring", true}},
      {Group::kEventInState, kOfContexts, kRingStates, {"the OS feeds contexts only", true}},
      {Group::kEventInState,
       kRunningOnly,
       kNotRunning,
       {"a queue executes packets while it runs", true}},
      {Group::kEventInState,
       kEndOfRunning,
       kNotRunning,
       {"a queue executes packets while it runs, unless a reset has ended it before", false}},
      {Group::kEventInState,
       kOfQueueCreation,
       {},
       {"queues are made before the programs, and this comes with them", true}},
      {Group::kEventInState,
       {"context_rank_taken"},
       {},
       {"the generator changes the properties of suspended contexts only", false}},
      {Group::kEventInState,
       {},
       {"queue context_ended"},
       {"the OS takes no more work of a context whose device is in error", false}},
  };
}

/// Of events in states of their fence.
std::vector<Rule> rules_of_fence_states() {
  return {
      {Group::kEventInState,
       {"update_monitored_call"},
       {},
       {"MonitoredValue is set for a wait or a signal, when the fence has had one", false}},
      {Group::kEventInState, {"fence_create"}, {}, {"a fence is created once and first", true}},
      {Group::kEventInState,
       kOfCreation,
       kBehindCreation,
       {"it follows the creation of the fence at once", true}},
      {Group::kEventInState,
       {"fence_open"},
       kBehindCreation,
       {"the generator opens fences before the programs, or with their creation", false}},
      {Group::kEventInState,
       {"fence_destroy", "fence_storage_free"},
       kBeforeClosing,
       {"each process closes a fence before it is destroyed", false}},
      {Group::kEventInState,
       kBehindAction,
       {"fence fence_create"},
       {"it comes of a wait or a signal, which changes the state of the fence before", true}},
      {Group::kEventInState,
       {},
       {"fence fence_destroy"},
       {"the OS destroys a fence when nobody can use it any more; unsafe switches change that",
        false}},
  };
}

constexpr const char* kNoAperture = "only adapters with small_bars have a CpuHostAperture";

/// Of calls of the driver.
std::vector<Rule> rules_of_calls() {
  return {
      {Group::kEvent, {"host_aperture"}, {}, {kNoAperture, false}},
      {Group::kDriverCall,
       {"DxgkDdiMapCpuHostAperture", "DxgkDdiUnmapCpuHostAperture"},
       {},
       {kNoAperture, false}},
      {Group::kDriverCall,
       kEndsOfSetUp,
       {},
       {"what the set-up has made stays until the end of the run", false}},
      {Group::kDriverCall, kNotCalled, {}, {"only the set-up calls it, or nothing does", false}},
  };
}

std::vector<Rule> rules_of_pairs() {
  return {
      {Group::kPair,
       {"update_monitored_call of a monitored fence"},
       {},
       {"a monitored fence has no MonitoredValue", true}},
      {Group::kPair,
       {"isr_begin"},
       {"isr_begin"},
       {"one core takes the interrupts of all adapters", true}},
      {Group::kPair,
       {"dpc_begin"},
       {"dpc_begin"},
       {"one core takes the interrupts of all adapters", true}},
      {Group::kPair,
       {"step mark", "step unmap", "step repeat"},
       {"step mark", "step unmap", "step repeat"},
       {"these steps take no time, and no other agent comes in between", false}},
      {Group::kPair,
       {"step reset_engine", "step fail_device"},
       {},
       {"the error comes last, behind all that it must not change, and with one adapter", false}},
  };
}

std::vector<Rule> other_rules() {
  return {
      {Group::kCommand, {"repeat"}, {}, {"it makes several packets and is no packet itself", true}},
      {Group::kEvent,
       {"handle_violation", "irql_violation", "driver_misuse", "bug_check"},
       {},
       {"a broken rule: a run with it fails", false}},
      {Group::kEvent,
       {"message_lost", "fallback", "batch_bad", "interrupts_masked"},
       {},
       {"it takes a value of a switch that the constraints rule out", false}},
      {Group::kEvent,
       {"cache_maintained"},
       {},
       {"the generator caches no allocation where the GPU does not see the caches", false}},
      {Group::kEvent,
       {"gpu_fault"},
       {},
       {"the generator lets no process take memory from the GPU that the CMP needs", false}},
      {Group::kOrder,
       {},
       {},
       {"the opposite order has come; no declaration says whether this one can", false}},
      {Group::kSwitchValue,
       {},
       {},
       {"each scenario has one value; the campaign has not drawn this one", false}},
      {Group::kBroken,
       {},
       {},
       {"what an unsafe value may break takes an order that no run had", false}},
  };
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> all = other_rules();
    for (const auto& more :
         {rules_of_queue_states(), rules_of_fence_states(), rules_of_calls(), rules_of_pairs()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return rules;
}

bool has(const Words& words, const std::string& word) {
  return words.empty() || std::find(words.begin(), words.end(), word) != words.end();
}

bool applies(const Rule& rule, Group group, const std::array<std::string, 2>& parts) {
  if (rule.group == Group::kEvent && (group == Group::kEventInState || group == Group::kOrder))
    return has(rule.first, parts[0]) || (group == Group::kOrder && has(rule.first, parts[1]));
  if (rule.group != group) return false;
  const bool there = has(rule.first, parts[0]) && has(rule.second, parts[1]);
  return there ||
         (group == Group::kPair && has(rule.first, parts[1]) && has(rule.second, parts[0]));
}

}  // namespace

const Reason* reason_of(Point point) {
  static const std::vector<const Reason*> reasons = [] {
    const Space& space = Space::all();
    std::vector<const Reason*> found(space.size());
    for (Point it = 0; it < found.size(); ++it) {
      const auto rule = std::find_if(rules().begin(), rules().end(), [&](const Rule& one) {
        return applies(one, space.group(it), space.parts(it));
      });
      if (rule != rules().end()) found[it] = &rule->reason;
    }
    return found;
  }();
  return reasons[point];
}

bool is_impossible(Point point) {
  const Reason* const reason = reason_of(point);
  return reason != nullptr && reason->impossible;
}

std::vector<std::string> unknown_words() {
  const Space& space = Space::all();
  std::vector<std::string> unknown;
  for (const Rule& rule : rules())
    for (std::size_t part = 0; part < 2; ++part)
      for (const std::string& word : part == 0 ? rule.first : rule.second) {
        Point point = space.begin(rule.group);
        while (point < space.end(rule.group) && space.parts(point)[part] != word &&
               (rule.group != Group::kPair || space.parts(point)[1 - part] != word))
          ++point;
        if (point == space.end(rule.group)) unknown.push_back(word);
      }
  return unknown;
}

}  // namespace fenceline::coverage
