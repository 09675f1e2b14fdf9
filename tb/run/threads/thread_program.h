#pragma once

#include <string>
#include <vector>

#include "tb/run/machine/scenario_machine.h"

namespace fenceline::run {

/// Runs the steps of one program in its thread.
class ThreadProgram {
 public:
  ThreadProgram(ScenarioMachine& machine, ScenarioMachine::Thread& thread);
  void run();

 private:
  void run_steps(const scenario::Steps& steps);
  void run_step(const scenario::Step& step);
  bool packet_of_queue(const scenario::GpuPointStep& step, bool signals);
  void write_commands(user::CommandWriter& queue, const scenario::Commands& commands);
  void write_command(user::CommandWriter& queue, const scenario::Command& command);
  template <class C>
  abi::WorkPacket work(user::CommandWriter& queue, const C& command);

  void perform(const scenario::WaitStep& step);
  void perform(const scenario::WaitEventStep& step);
  void perform(const scenario::SignalStep& step);
  void perform(const scenario::PollStep& step);
  void perform(const scenario::SubmitStep& step);
  void perform(const scenario::DelayStep& step);
  void perform(const scenario::ComputeStep& step);
  void perform(const scenario::PaceStep& step);
  void perform(const scenario::MarkStep& step);
  void perform(const scenario::CreateFenceStep& step);
  void perform(const scenario::DestroyFenceStep& step);
  void perform(const scenario::AccessStep& step);
  void perform(const scenario::TouchLogStep& step);
  void perform(const scenario::SignalElsewhereStep& step);
  void perform(const scenario::FailDeviceStep& step);
  void perform(const scenario::QueryAdapterStep& step);
  void perform(const scenario::SetLogBuffersStep& step);
  void perform(const scenario::CaptureLogsStep& step);
  void perform(const scenario::GpuWaitStep& step);
  void perform(const scenario::GpuSignalStep& step);
  void perform(const scenario::CreateCpuEventStep& step);
  void perform(const scenario::UseCpuEventStep& step);
  void perform(const scenario::PassHandleStep& step);
  void perform(const scenario::SetPowerStep& step);
  void perform(const scenario::PresentStep& step);
  void perform(const scenario::ConnectDoorbellStep& step);
  void perform(const scenario::DestroyDeviceStep& step);
  void perform(const scenario::SuspendContextStep& step);
  void perform(const scenario::ResumeContextStep& step);
  void perform(const scenario::SetSchedulingStep& step);
  void perform(const scenario::ResetEngineStep& step);
  void perform(const scenario::CreateDeviceStep& step);
  void perform(const scenario::CreateAllocationStep& step);
  void perform(const scenario::DestroyAllocationStep& step);
  void perform(const scenario::MakeResidentStep& step);
  void perform(const scenario::EvictStep& step);
  void perform(const scenario::LockStep& step);
  void perform(const scenario::UnlockStep& step);
  void perform(const scenario::MapStep& step);
  void perform(const scenario::UnmapStep& step);
  void perform(const scenario::StoreStep& step);
  void perform(const scenario::LoadStep& step);
  void perform(const scenario::InvalidateCacheStep& step);
  void perform(const scenario::MemoryStressStep& step);
  void perform(const scenario::RepeatStep& step);

  // thread_memory.cpp
  /// What is recorded goes to "process/context" too, with its process's allocations.
  void broadcast(user::ContextWriter& writer, const std::string& other);
  ProcessState::Allocation& allocation(const std::string& name, ProcessState& process);
  ProcessState::Allocation& allocation(const std::string& name) { return allocation(name, state_); }
  /// One that the memory manager has.
  user::Resource& resource(const std::string& name);
  std::vector<user::Resource*> resources(const std::vector<std::string>& names);
  NTSTATUS touch(const scenario::MemoryStep& step, bool write, std::uint64_t& value);
  /// GPU virtual address of an allocation that a command for `context` (null: a queue) uses.
  D3DGPU_VIRTUAL_ADDRESS use(const std::string& name, user::CommandWriter& writer, bool writes);

  /// Of an object whose creation failed: the expectation that it is there fails, and the thread
  /// ends. Every look-up by name that finds nothing comes here.
  /// The step needs what is not so: says it, and ends the thread.
  [[noreturn]] void end_thread(const std::string& expected, const std::string& found);
  [[noreturn]] void never_made(const char* kind, const std::string& name);
  user::QueueWriter& queue(const std::string& name);
  user::ContextWriter& context(const std::string& name);
  os::HwContext& hw_context(const std::string& name);
  /// The thread ends where the operating system has none.
  os::HardwareScheduler& hardware();
  /// For calls, which refuse handle 0: that of a fence that could not be made.
  const user::UserFence& fence(const std::string& name) const;
  /// For packets, which name a slot and an address. Those of hardware queues know native fences
  /// only.
  const user::UserFence& usable(const std::string& name, const user::CommandWriter& writer);
  /// An access by a user address has ended. The thread does, too, where it was not to be refused.
  void check_access(NTSTATUS status, bool violates);
  /// Emits the status that a call has returned.
  void report_status(NTSTATUS status);
  void check_submission(const char* call, NTSTATUS status,
                        const std::optional<std::string>& wanted);
  void check_status(const char* call, NTSTATUS status, const std::optional<std::string>& wanted);
  /// Fences and values as calls take them.
  struct Points {
    std::vector<D3DKMT_HANDLE> handles;
    std::vector<UINT64> values;
  };
  Points points(const std::vector<scenario::FencePoint>& points);
  std::uint64_t value(const scenario::FencePoint& point) { return point.value.evaluate(counters_); }
  void sleep(common::Time duration);
  void set_state(event::ThreadStateKind state);
  /// Makes a call that may block the thread. @param what it waits for then
  template <typename Call>
  NTSTATUS blocked(const std::string& what, Call&& call) {
    thread_.waits_for = what;
    set_state(event::ThreadStateKind::kBlocked);
    const NTSTATUS status = call();
    set_state(event::ThreadStateKind::kRunning);
    thread_.waits_for.clear();
    return status;
  }

  ScenarioMachine& machine_;
  ScenarioMachine::Thread& thread_;
  ProcessState& state_;
  os::Kernel& kernel_;
  scenario::Counters counters_;
  std::uint64_t step_index_ = 0;
  const std::string* at_;  ///< pointer of the step that runs, of the program before the first
};

}  // namespace fenceline::run
