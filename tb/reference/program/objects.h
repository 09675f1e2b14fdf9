#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>

#include "tb/reference/program/name_uses.h"
#include "tb/reference/program/program.h"

namespace fenceline::reference {

/// Objects of a scenario by process and name. The name of a fence may stand for one object after
/// another; it is resolved at the current point of the unrolling.
class Objects {
 public:
  /// Adds the declared objects to `program`. The references must live as long as this.
  Objects(const nlohmann::json& scenario, Program& program);

  /// None: the name has no fence any more, or has none yet.
  std::optional<Id> handle(const Name& name) const;
  bool is_progress(const Name& fence) const;
  Id queue(const Name& name) const { return queues_.at(name); }
  Id process(const std::string& name) const { return processes_.at(name); }
  /// "adapter/engine" of the adapter of a process.
  std::string engine(const std::string& process, const std::string& name) const;
  /// A name that is not declared is one that a step creates.
  Id allocation(const Name& name);
  /// Allocations of the memory manager, also those that a step creates.
  const std::map<Name, const nlohmann::json*>& managed() const { return managed_; }
  /// Null: it stays in its place.
  const nlohmann::json* managed(const Name& name) const {
    const auto found = managed_.find(name);
    return found == managed_.end() ? nullptr : found->second;
  }
  /// Several managed allocations may have the name.
  bool is_created_again(const Name& allocation) const { return again_.count(allocation) != 0; }
  bool has_contexts(const std::string& process) const;
  /// "process/context" of a hardware context, or of that of a queue.
  std::string hardware_context(const Name& name) const;
  /// Contexts are suspended by one thread alone: the OS does not do so for its own ends.
  bool is_suspended_by_one() const;
  /// The process has hardware queues or contexts.
  bool has_queues(const std::string& process) const;
  /// The driver of the process's adapter signals CPU events.
  bool has_cpu_events(const std::string& process) const;
  /// The adapter of a process.
  const nlohmann::json& adapter_of(const std::string& process) const {
    return *adapters_.at(process);
  }
  /// The status of a call that passes a handle of the host to the driver: a guest has none.
  const char* status_of_handles(const std::string& process) const;
  const nlohmann::json& scenario() const { return scenario_; }
  /// Settings of the operating system.
  const nlohmann::json& system() const;
  /// Index in Program::cpu_events; none: no step creates a CPU event of this name.
  std::optional<Id> cpu_event(const Name& name) const;
  /// Events that the driver sets when buffers of the node complete.
  const std::vector<Id>& set_by_buffers(const std::string& node) const;
  /// The reason why nothing is said about CPU events. Empty: none.
  const std::string& odd_cpu_events() const { return odd_cpu_events_; }
  /// A process opens a fence of another adapter that is no cross-adapter fence.
  bool opens_elsewhere() const { return opens_elsewhere_; }
  /// Handle of an event: a fence with the values 0 (clear) and 1 (set).
  Id event(const Name& name);

  /// A step creates or opens a fence. Returns the status of the call; empty: not known.
  std::string create(const std::string& process, const nlohmann::json& fence);
  /// A step closes a fence. Returns its handle; none: the name has no fence.
  std::optional<Id> close(const Name& name);
  /// The name had a monitored fence, which a step has closed.
  bool was_monitored(const Name& name) const {
    const auto found = closed_.find(name);
    return found != closed_.end() && found->second;
  }
  bool was_closed(const Name& name) const { return closed_.count(name) != 0; }
  /// The adapter of the process has hardware queues whose work does not keep it in D0: assumption
  ///
  bool has_unknown_work(const std::string& process) const;
  const NameUses& uses() const { return uses_; }

 private:
  void declare_allocations(const nlohmann::json& process);
  void declare_created(const std::string& process, const nlohmann::json& steps, bool repeated);
  void declare_fences();
  void declare_cpu_events();
  void watch_buffers(const std::string& process, const nlohmann::json& use);
  void declare_queues(const nlohmann::json& process);
  void declare_contexts(const nlohmann::json& process);
  /// A fence that is there from the start.
  void declare(const std::string& process, const nlohmann::json& fence);
  std::string make(const std::string& process, const nlohmann::json& fence);
  std::optional<Id> opened(const std::string& name) const;
  bool is_unclear(const Name& name) const;
  Id add_handle(Id fence, const nlohmann::json& flags, bool monitored,
                std::optional<Id> process = {});
  bool native_adapter(const std::string& process) const;

  const nlohmann::json& scenario_;
  Program& program_;
  NameUses uses_;
  std::map<std::string, const nlohmann::json*> adapters_;  ///< by process
  std::map<std::string, Id> processes_;
  std::map<Name, Id> handles_;
  std::map<Name, Id> queues_;
  std::map<Name, Id> allocations_;
  std::map<Name, const nlohmann::json*> managed_;
  std::set<Name> again_;
  std::map<Name, bool> closed_;  ///< names that steps have closed: whether one was monitored
  std::map<Name, Id> events_;
  std::map<Name, Id> cpu_events_;
  std::map<std::string, std::vector<Id>> set_by_buffers_;  ///< by node
  std::string odd_cpu_events_;
  bool opens_elsewhere_ = false;
};

}  // namespace fenceline::reference
