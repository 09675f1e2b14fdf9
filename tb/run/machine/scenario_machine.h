#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tb/run/machine/objects.h"
#include "tb/user/machine.h"

namespace fenceline::run {

/// The machine of one scenario: a set-up thread creates the objects, then the programs start, at
/// time 0.
class ScenarioMachine : public user::Machine, public common::Hashed {
 public:
  ScenarioMachine(common::Simulation& simulation, const scenario::Scenario& scenario,
                  os::DriverEntryFunction driver);

  /// Called in the set-up thread when everything is ready and quiet, just before the programs
  /// start. Exploring runs happen inside `run_programs`, which is called next.
  std::function<void()> on_ready;
  std::function<void()> run_programs;

  const scenario::Scenario& scenario() const { return scenario_; }
  /// Covers the event objects of user mode.
  std::uint64_t state_hash() const override;

  /// Thread of a program.
  struct Thread : user::Machine::Thread {
    const scenario::Program* program = nullptr;
    std::uint64_t index = 0;                     ///< among the threads of its program
    const os::KernelEvent* event = nullptr;      ///< of its own waits
    std::string waits_for;                       ///< what it waits for now; empty if it does not
    const os::Fence* polls = nullptr;            ///< whose value it looks at again and again
    const scenario::Step* step = nullptr;        ///< that it has begun last
    const scenario::Command* command = nullptr;  ///< that it has recorded last
  };
  const std::vector<Thread*>& threads() const { return programs_; }
  bool somebody_polls() const;
  /// "FILE:LINE:COLUMN: POINTER: " of the step that an agent is at; "FILE: " if it is no thread of
  /// a program.
  std::string place_of(common::AgentId agent) const;

  void reach_mark(const Thread& thread, const std::string& label);
  /// CurrentValue of each fence, by "process/fence", when a label was reached last; null if it was
  /// not. @pre the scenario expects something there.
  const std::map<std::string, std::uint64_t>* values_at(const std::string& label) const;
  /// Different labels that programs have reached.
  const std::vector<std::string>& labels() const { return labels_; }

  StepChecks checks;
  Objects objects;

 private:
  void prepare() override { objects.create_all(); }
  void before_start() override;
  void after_start() override;
  void add_program(const scenario::Program& program, std::uint64_t index);
  void run_program(Thread& thread);
  std::string place(const scenario::Location& at) const;
  std::vector<common::HoldRule> hold_rules() const;
  common::OperationInstance resolve(const scenario::OperationRef& reference,
                                    const scenario::Location& at) const;

  const scenario::Scenario& scenario_;
  std::vector<Thread*> programs_;
  std::map<std::string, std::map<std::string, std::uint64_t>> marks_;
  std::vector<std::string> labels_;
};

}  // namespace fenceline::run
