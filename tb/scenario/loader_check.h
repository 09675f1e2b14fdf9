#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tb/scenario/node.h"
#include "tb/scenario/scenario.h"

namespace fenceline::scenario {

/// Checks what the structure alone does not give: names resolve and are unique, values fit each
/// other. Throws ScenarioError at the first thing that is wrong. `document` is what was read.
void check_scenario(const Scenario& scenario, const Node& document);

// ------------------------------------------------------------------ its parts

/// The document, for errors at a JSON pointer.
class Places {
 public:
  explicit Places(const Node& document) : document_(document) {}

  /// Throws ScenarioError at the value that `pointer` names, or at the nearest one around it.
  [[noreturn]] void fail(const std::string& pointer, std::string message, std::string expected = {},
                         std::string hint = {}) const;
  /// Throws ScenarioError: `name` of a `what`, e.g. "fence", is not among `known`. `owner` is whose
  /// it would be, e.g. "process "app""; empty: the scenario's.
  [[noreturn]] void fail_unknown(const std::string& pointer, const std::string& what,
                                 const std::string& name, const std::vector<std::string>& known,
                                 const std::string& owner = {}) const;
  bool has(const std::string& pointer) const { return position(pointer).second; }

 private:
  /// Position of the value, or of the nearest one around it; and whether it is there.
  std::pair<Position, bool> position(const std::string& pointer) const;

  const Node& document_;
};

/// What a process's programs may name.
struct ProcessNames {
  const Process* process = nullptr;
  const top::GpuConfig* adapter = nullptr;
  std::map<std::string, const Queue*> queues;
  std::map<std::string, Queue> contexts;                 ///< as if each were a queue of its engine
  std::map<std::string, std::string> hardware_contexts;  ///< engine of each
  bool schedules = false;                                ///< the OS may suspend those
  std::set<std::string> patched;                         ///< contexts whose buffers take addresses
  std::map<std::string, const Allocation*> allocations;
  std::map<std::string, const Fence*> fences;  ///< those that create_fence steps make included
  std::set<std::string> destroyed;             ///< fences that some step destroys
  std::set<std::string> monitored;             ///< fences that are monitored ones here
  std::set<std::string> cpu_events;            ///< not fences, but named among them
  std::set<std::string> events;                ///< set by some wait
};

/// What the whole scenario names.
struct Names {
  std::map<std::string, ProcessNames> processes;
  std::set<std::string> marks;
};

/// Throws ScenarioError at the second of two items with the same name. `key` is where an item keeps
/// it.
template <class T>
void require_unique(const Places& places, const std::vector<T>& items, const std::string& what,
                    const std::string& pointer, const std::string& key = "name");

void check_platform(const Scenario& scenario, const Places& places);
/// Gives the names of the processes alone. Programs add theirs.
Names check_processes(const Scenario& scenario, const Places& places);
/// Hardware contexts of a process, and those that queues have of their own.
void check_hardware_contexts(ProcessNames& names, const std::string& pointer, const Places& places);
/// @pre check_processes made `names`.
void check_programs(const Scenario& scenario, const Places& places, Names& names);
/// @pre check_programs. Buffers that go to several contexts.
void check_broadcasts(const Scenario& scenario, const Places& places, const Names& names);
/// Every opened fence is a shared one that a process creates.
void check_opened_fences(const Names& names, const Places& places);
/// @pre check_programs has added the marks.
void check_faults(const Scenario& scenario, const Places& places, const Names& names);
void check_holds(const Scenario& scenario, const Places& places);
void check_expectations(const Scenario& scenario, const Places& places, const Names& names);
void check_sweep(const Scenario& scenario, const Places& places);

/// "process/fence", as scenarios write it.
inline std::string fence_path(const std::string& process, const std::string& fence) {
  return process + "/" + fence;
}

/// The keys of a map or the elements of a set, sorted.
template <class C>
std::vector<std::string> keys_of(const C& container);

// ------------------------------------------------------------------ templates

template <class T>
void require_unique(const Places& places, const std::vector<T>& items, const std::string& what,
                    const std::string& pointer, const std::string& key) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto [first, fresh] = seen.emplace(items[i].name, i);
    if (fresh) continue;
    const auto element = [&](std::size_t index) { return pointer + "/" + std::to_string(index); };
    places.fail(element(i) + "/" + key,
                "a second " + what + " with the name \"" + first->first + "\"", {},
                "the first is at " + element(first->second));
  }
}

inline const std::string& key_of(const std::string& element) { return element; }
template <class V>
const std::string& key_of(const std::pair<const std::string, V>& element) {
  return element.first;
}

template <class C>
std::vector<std::string> keys_of(const C& container) {
  std::vector<std::string> keys;
  keys.reserve(container.size());
  for (const auto& element : container) keys.push_back(key_of(element));
  return keys;
}

}  // namespace fenceline::scenario
