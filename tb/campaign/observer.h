#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/common/event_handlers.h"
#include "tb/campaign/command_tracker.h"
#include "tb/run/run_scenario.h"

namespace fenceline::campaign {

/// Makes the observation of one run.
class Observer : public run::RunObserver, private common::EventSink {
 public:
  /// Words of allocations to read at the end: offsets in bytes, by "process/allocation".
  using Wanted = std::map<std::string, std::set<std::uint64_t>>;
  explicit Observer(Wanted wanted = {}) : wanted_(std::move(wanted)) {}

  void ready(run::ScenarioMachine& machine) override;
  void ended(run::ScenarioMachine& machine, const report::RunReport& report) override;

  /// @pre the run has ended.
  const Observation& observation() const { return seen_; }

  void on(const common::At<event::ThreadStep>& event);
  void on(const common::At<event::ThreadStepEnd>& event);
  void on(const common::At<event::CallStatus>& event);
  void on(const common::At<event::CpuLoad>& event);
  void on(const common::At<event::CpuSignal>& event);
  void on(const common::At<event::ThreadCommand>& event);
  /// An event that only the commands are about.
  template <class E>
  auto on(const common::At<E>& event) -> decltype(std::declval<CommandTracker&>().on(event)) {
    commands_.on(event);
  }

 private:
  struct Thread {
    const run::ScenarioMachine::Thread* thread = nullptr;
    std::size_t agent = 0;
    bool in_step = false;
    std::vector<StepSeen> steps;
  };

  void on_event(const common::Event& event) override {
    common::Handlers<Observer>::hand(*this, event);
  }
  /// Null for an agent that is no thread of a program.
  Thread* thread_of(common::AgentId agent);
  void end_step(Thread& thread);
  template <class Step>
  static bool runs(const Thread& thread) {
    return thread.in_step && std::holds_alternative<Step>(thread.thread->step->what);
  }

  const Wanted wanted_;
  Progress progress_;
  CommandTracker commands_{progress_};
  std::map<common::AgentId, Thread> threads_;
  Observation seen_;
};

}  // namespace fenceline::campaign
