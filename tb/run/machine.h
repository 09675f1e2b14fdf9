#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/top/platform.h"
#include "tb/os/kernel.h"
#include "tb/report/record/run_report.h"
#include "tb/run/submitters.h"
#include "tb/scenario/scenario.h"
#include "tb/user/context_writer.h"
#include "tb/user/patched_writer.h"
#include "tb/user/queue_writer.h"
#include "tb/user/resource.h"

namespace fenceline::run {

/// One process of a scenario with everything in it by name.
struct ProcessState {
  os::Process* process = nullptr;
  const scenario::Process* config = nullptr;
  std::map<std::string, user::UserFence> fences;
  std::map<std::string, D3DKMT_HANDLE> hw_contexts;
  std::map<std::string, std::unique_ptr<user::QueueWriter>> queues;
  std::map<std::string, std::unique_ptr<user::ContextWriter>> contexts;
  struct Allocation {
    os::Backing backing;
    D3DGPU_VIRTUAL_ADDRESS address = 0;
    std::unique_ptr<user::Resource> resource;  ///< null for one that nobody moves
    std::uint64_t user_address = 0;            ///< that a lock or map returned last
  };
  std::map<std::string, Allocation> allocations;
  std::map<std::string, std::unique_ptr<os::KernelEvent>> events;
};

/// The modelled machine of one scenario: platform, OS, processes, threads. Builds everything at
/// construction; a set-up thread then starts adapters and creates the objects, and the programs
/// start when it is done, at time 0.
class Machine : public common::Hashed {
 public:
  Machine(common::Simulation& simulation, const scenario::Scenario& scenario,
          os::DriverEntryFunction driver);
  ~Machine() override;

  /// Called in the set-up thread when everything is ready and quiet, just before the programs
  /// start. Exploring runs happen inside `run_programs`, which is called next.
  std::function<void()> on_ready;
  std::function<void()> run_programs;

  os::Kernel& kernel() { return *kernel_; }
  top::Platform& platform() { return *platform_; }
  const scenario::Scenario& scenario() const { return scenario_; }
  common::Simulation& simulation() { return simulation_; }

  /// Covers the event objects of user mode.
  std::uint64_t state_hash() const override;

  bool ready() const { return ready_; }
  bool all_finished() const { return finished_ == threads_.size(); }
  /// Threads that have not ended, for reports.
  struct Thread {
    std::string name;
    std::uint32_t object = 0;
    common::AgentId agent = 0;
    const scenario::Program* program = nullptr;
    std::uint64_t index = 0;  ///< among the threads of its program
    bool finished = false;
    const os::KernelEvent* event = nullptr;  ///< of its own waits
    std::string waits_for;                   ///< what it waits for now; empty if it does not
    const os::Fence* polls = nullptr;        ///< whose value it looks at again and again
    const scenario::Location* at = nullptr;  ///< of its step
  };
  const std::vector<std::unique_ptr<Thread>>& threads() const { return threads_; }
  bool somebody_polls() const;
  /// "FILE:LINE:COLUMN: POINTER: " of the step that an agent is at; "FILE: " if it is no thread of
  /// a program.
  std::string place_of(common::AgentId agent) const;
  const std::map<std::string, ProcessState>& processes() const { return processes_; }
  /// CurrentValue of each fence, by "process/fence", when a label was reached last; null if it was
  /// not. @pre the scenario expects something there.
  const std::map<std::string, std::uint64_t>* values_at(const std::string& label) const;
  /// Different labels that programs have reached.
  const std::vector<std::string>& labels() const { return labels_; }

  /// Value of a fence at its home now, by "process/fence" or a unique fence name; null if unknown.
  std::shared_ptr<const os::Fence> find_fence(const std::string& name) const;
  /// Those that are there, and of those that are gone the last one of each name: native ones first,
  /// in the order of their creation.
  std::vector<std::shared_ptr<const os::Fence>> fences() const;
  std::uint64_t current_value(const os::Fence& fence) const;
  std::uint64_t monitored_value(const os::Fence& of) const;

  // For the programs.
  ProcessState& process(const std::string& name);
  os::KernelEvent& event(ProcessState& process, const std::string& name);
  /// What names stand for in user mode. Threads share that.
  os::SharedData& names() { return names_; }
  void reach_mark(const Thread& thread, const std::string& label);
  void create_fence(ProcessState& state, const scenario::Fence& fence);
  /// All that the scenario gives the process, in the place of those that it had.
  void create_contexts(ProcessState& state);
  /// One that the memory manager has, resident if it is to be.
  void create_allocation(ProcessState& state, const scenario::Allocation& allocation);
  /// What a call made at `pointer` returned. @param wanted name of an NTSTATUS; without: no error.
  void check_status(const std::string& pointer, const std::string& call, NTSTATUS status,
                    const std::optional<std::string>& wanted);
  /// Something that a step at `pointer` demands. Of several at one place a broken one counts.
  void check(const std::string& pointer, const std::string& text, const std::string& found,
             bool holds);
  /// What the steps demanded so far and what came of it, by pointer.
  const std::map<std::string, report::Expected>& checked() const { return checked_; }

 private:
  void add_threads();
  void add_thread(const scenario::Program& program, std::uint64_t index, std::uint32_t core);
  void set_up(os::DriverEntryFunction driver);
  void create_processes();
  void create_allocations(ProcessState& state);
  /// The one of a queue; it is created when its first queue is.
  D3DKMT_HANDLE hw_context(ProcessState& state, const scenario::Queue& queue, UINT node);
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
  void settle();
  void start_programs();
  void run_thread(Thread& thread);
  std::string place(const scenario::Location& at) const;
  std::vector<common::HoldRule> hold_rules() const;
  common::OperationInstance resolve(const scenario::OperationRef& reference,
                                    const scenario::Location& at) const;

  common::Simulation& simulation_;
  const scenario::Scenario& scenario_;
  const Submitters submitters_;
  std::unique_ptr<top::Platform> platform_;
  std::unique_ptr<os::Kernel> kernel_;
  os::SharedData names_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::map<std::string, ProcessState> processes_;
  /// By "process/fence"; the last one that was called so.
  std::map<std::string, std::shared_ptr<const os::Fence>> fences_;
  std::map<std::string, std::map<std::string, std::uint64_t>> marks_;
  std::map<std::string, report::Expected> checked_;
  std::vector<std::string> labels_;
  std::size_t finished_ = 0;
  bool ready_ = false;
  bool started_ = false;
  common::Gate start_;
};

}  // namespace fenceline::run
