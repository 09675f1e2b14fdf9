#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tb/scenario/scenario.h"
#include "tb/scenario/shapes/node.h"

namespace fenceline::scenario {

/// Checks beyond the structure: names resolve and are unique, and values are consistent. Throws
/// ScenarioError at the first error. `document` is the parsed document.
void check_scenario(const Scenario& scenario, const Node& document);

// ------------------------------------------------------------------ parts of the check

inline const std::string& name_of_element(const std::string& element) { return element; }
template <class V>
const std::string& name_of_element(const std::pair<const std::string, V>& element) {
  return element.first;
}
template <class T>
const std::string& name_of_element(const T& element) {
  return element.name;
}

/// Names of the elements of a map, a set, or a list of items with names, in their order.
template <class C>
std::vector<std::string> names_in(const C& container) {
  std::vector<std::string> names;
  names.reserve(container.size());
  for (const auto& element : container) names.push_back(name_of_element(element));
  return names;
}

template <class C>
auto find_by_name(C& container, const std::string& name) -> decltype(container.find(name)) {
  return container.find(name);
}
template <class T>
auto find_by_name(const std::vector<T>& items, const std::string& name) {
  return std::find_if(items.begin(), items.end(), [&](const T& item) { return item.name == name; });
}

/// Document positions for errors at a JSON pointer.
class Places {
 public:
  explicit Places(const Node& document) : document_(document) {}

  /// Throws ScenarioError at the value of `pointer`, or at the nearest value around it.
  [[noreturn]] void fail(const std::string& pointer, std::string message, std::string expected = {},
                         std::string hint = {}) const;
  /// Throws ScenarioError: `name` is not among `known`. @param what kind of object, e.g. "fence".
  /// @param owner e.g. "process "app""; empty: the scenario.
  [[noreturn]] void fail_unknown(const std::string& pointer, const std::string& what,
                                 const std::string& name, const std::vector<std::string>& known,
                                 const std::string& owner = {}) const;
  /// The element with that name: see names_in(). Throws as fail_unknown() does if there is none.
  template <class C>
  auto& find(const std::string& pointer, const std::string& what, const std::string& name,
             C& container, const std::string& owner = {}) const {
    const auto found = find_by_name(container, name);
    if (found == container.end()) fail_unknown(pointer, what, name, names_in(container), owner);
    return *found;
  }
  bool has(const std::string& pointer) const { return position(pointer).second; }

 private:
  /// Position of the value, or of the nearest value around it; and whether the value exists.
  std::pair<Position, bool> position(const std::string& pointer) const;

  const Node& document_;
};

/// Names that programs of a process may use.
struct ProcessNames {
  const Process* process = nullptr;
  const top::GpuConfig* adapter = nullptr;
  std::map<std::string, const Queue*> queues;
  std::map<std::string, Queue> contexts;                 ///< each as a queue of its engine
  std::map<std::string, std::string> hardware_contexts;  ///< engine by name
  bool schedules = false;                                ///< the OS may suspend hardware contexts
  std::set<std::string> patched;  ///< contexts whose buffers use physical addresses
  std::map<std::string, const Allocation*> allocations;
  std::map<std::string, const Fence*> fences;  ///< including those of create_fence steps
  std::set<std::string> destroyed;             ///< fences that a step destroys
  std::set<std::string> monitored;             ///< fences that are monitored in this process
  std::set<std::string> cpu_events;            ///< CPU events; they share the name space of fences
  std::set<std::string> events;                ///< events that a wait sets
};

/// Names of the whole scenario.
struct Names {
  std::map<std::string, ProcessNames> processes;
  std::set<std::string> marks;
};

/// Throws ScenarioError at the second item with the same name. @param key key of the name in an
/// item.
template <class T>
void require_unique(const Places& places, const std::vector<T>& items, const std::string& what,
                    const std::string& pointer, const std::string& key = "name");

void check_platform(const Scenario& scenario, const Places& places);
/// Names of the processes. Programs add more.
Names check_processes(const Scenario& scenario, const Places& places);
/// Hardware contexts of a process, and implicit ones of its queues.
void check_hardware_contexts(ProcessNames& names, const std::string& pointer, const Places& places);
/// @pre check_processes created `names`.
void check_programs(const Scenario& scenario, const Places& places, Names& names);
/// Checks broadcast buffers. @pre check_programs.
void check_broadcasts(const Scenario& scenario, const Places& places, const Names& names);
/// Every opened fence must be a shared fence that a process creates.
void check_opened_fences(const Names& names, const Places& places);
/// @pre check_programs added the marks.
void check_faults(const Scenario& scenario, const Places& places, const Names& names);
void check_holds(const Scenario& scenario, const Places& places);
void check_expectations(const Scenario& scenario, const Places& places, const Names& names);
void check_sweep(const Scenario& scenario, const Places& places);

/// "process/fence", as in scenario files.
inline std::string fence_path(const std::string& process, const std::string& fence) {
  return process + "/" + fence;
}

/// The parts of such a path.
inline std::pair<std::string, std::string> split_path(const std::string& path) {
  const std::size_t slash = path.find('/');
  return {path.substr(0, slash), path.substr(slash + 1)};
}

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

}  // namespace fenceline::scenario
