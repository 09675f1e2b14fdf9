#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tb/os/kernel.h"
#include "tb/run/machine/step_checks.h"
#include "tb/run/machine/submitters.h"
#include "tb/scenario/scenario.h"
#include "tb/user/context_writer.h"
#include "tb/user/patched_writer.h"
#include "tb/user/queue_writer.h"
#include "tb/user/resource.h"

namespace fenceline::run {

/// One process of a scenario with everything in it by name.
struct ProcessState {
  os::Process* process = nullptr;  ///< null: its adapter has not started
  const scenario::Process* config = nullptr;
  std::map<std::string, user::UserFence> fences;
  std::map<std::string, D3DKMT_HANDLE> hw_contexts;
  std::map<std::string, std::unique_ptr<user::QueueWriter>> queues;
  std::map<std::string, std::unique_ptr<user::ContextWriter>> contexts;
  /// Contexts of earlier devices: threads may still record for them.
  std::vector<std::unique_ptr<user::ContextWriter>> replaced;
  struct Allocation {
    os::Backing backing;
    D3DGPU_VIRTUAL_ADDRESS address = 0;
    std::unique_ptr<user::Resource> resource;  ///< null for one that nobody moves
    std::uint64_t user_address = 0;            ///< that a lock or map returned last
  };
  std::map<std::string, Allocation> allocations;
  std::map<std::string, std::unique_ptr<os::KernelEvent>> events;
};

/// The processes of a scenario with their objects, by the names that it gives them. What the calls
/// that create them return is checked.
class Objects {
 public:
  Objects(os::Kernel& kernel, const scenario::Scenario& scenario, StepChecks& checks)
      : kernel_(kernel),
        scenario_(scenario),
        checks_(checks),
        submitters_(scenario),
        names_(kernel.cpu()) {}

  /// Creates all that the scenario begins with. In a thread.
  void create_all();
  /// Returns the status of the call, which is checked here.
  NTSTATUS create_fence(ProcessState& state, const scenario::Fence& fence);
  /// Creates the contexts that the scenario gives the process; they replace earlier ones.
  void create_contexts(ProcessState& state);
  /// Creates an allocation that the memory manager has; makes it resident if the scenario says it.
  /// Returns the status of the call, which is checked here.
  NTSTATUS create_allocation(ProcessState& state, const scenario::Allocation& allocation);

  const std::map<std::string, ProcessState>& processes() const { return processes_; }
  ProcessState& process(const std::string& name);
  /// Node ordinal of an engine of the process's adapter.
  UINT node(const ProcessState& state, const std::string& engine) const;
  os::KernelEvent& event(ProcessState& process, const std::string& name);
  /// Objects by name in user mode; threads share this data.
  os::SharedData& names() { return names_; }

  /// By "process/fence" or a unique fence name; null if unknown.
  std::shared_ptr<const os::Fence> find_fence(const std::string& name) const;
  /// Those that are there, and of those that are gone the last one of each name: native ones first,
  /// in the order of their creation.
  std::vector<std::shared_ptr<const os::Fence>> fences() const;
  /// Values of a fence at its home now; a monitored fence has no MonitoredValue.
  std::uint64_t current_value(const os::Fence& fence) const;
  std::uint64_t monitored_value(const os::Fence& of) const;
  /// The 64 bits at `offset` of an allocation now, wherever it is; none if it does not exist.
  std::optional<std::uint64_t> word(const std::string& process, const std::string& allocation,
                                    std::uint64_t offset);
  /// CurrentValue of each fence now, by "process/fence"; the last one if it is destroyed.
  std::map<std::string, std::uint64_t> current_values() const;
  /// The same of fences that are not destroyed.
  std::map<std::string, std::uint64_t> current_values_of_alive() const;

 private:
  /// False if there is no such process, because its adapter has not started.
  bool create_process(ProcessState& state);
  void create_allocations(ProcessState& state);
  /// The one of a queue; it is created when its first queue is.
  D3DKMT_HANDLE hw_context(ProcessState& state, const scenario::Queue& queue);
  void create_queue(ProcessState& state, const scenario::Queue& queue);
  void create_context(ProcessState& state, const scenario::Context& context);
  /// @param call which one it was
  NTSTATUS open_shared(ProcessState& state, const scenario::Fence& fence, user::UserFence& result,
                       const char*& call);
  NTSTATUS make_native(ProcessState& state, const scenario::Fence& fence, user::UserFence& result);
  NTSTATUS open_native(ProcessState& state, HANDLE handle, user::UserFence& result);
  NTSTATUS make_monitored(ProcessState& state, const scenario::Fence& fence,
                          user::UserFence& result);
  NTSTATUS open_monitored(ProcessState& state, const scenario::Fence& fence, HANDLE handle,
                          user::UserFence& result);
  std::uint64_t word(os::Adapter& adapter, const os::Backing& page, std::uint64_t offset) const;

  os::Kernel& kernel_;
  const scenario::Scenario& scenario_;
  StepChecks& checks_;
  const Submitters submitters_;
  os::SharedData names_;
  std::map<std::string, ProcessState> processes_;
  /// By "process/fence"; the last one that was called so.
  std::map<std::string, std::shared_ptr<const os::Fence>> fences_;
};

}  // namespace fenceline::run
