#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "models/common/events.h"
#include "tb/report/record/names.h"
#include "tb/report/rows/given_buffers.h"
#include "tb/report/rows/program_walk.h"
#include "tb/report/rows/scenario_places.h"

namespace fenceline::report {

/// Finds the place of the scenario whose work an event belongs to: the step that a thread is at, or
/// the command that a queue or context has come to.
class Causes {
 public:
  Causes(const scenario::Scenario& scenario, const Names& names);

  /// Place of the next event of the run; 0: none.
  std::uint32_t take(const common::Event& event);
  const std::vector<ScenarioPlace>& places() const { return places_.list; }

  void on(const common::At<event::ThreadState>& event);
  void on(const common::At<event::ThreadStep>& event);
  void on(const common::At<event::ThreadStepEnd>& event);
  void on(const common::At<event::ThreadCommand>& event);
  void on(const common::At<event::CommandRecorded>& event);
  void on(const common::At<event::CommandDone>& event);
  void on(const common::At<event::CommandsDropped>& event);
  void on(const common::At<event::ContextPacket>& event);
  void on(const common::At<event::ContextGiven>& event) { given_.take(event); }
  void on(const common::At<event::BufferBegin>& event);
  void on(const common::At<event::PacketBegin>& event);
  void on(const common::At<event::LinkFault>& event) { place_ = of_fault(event.fault); }
  void on(const common::At<event::EngineFault>& event) { place_ = of_fault(event.fault); }
  void on(const common::At<event::PacketFault>& event) { place_ = of_fault(event.fault); }
  void on(const common::At<event::SignalBegin>& event) { place_ = of_queue(event.queue); }
  void on(const common::At<event::GpuWaitBegin>& event) { place_ = of_queue(event.queue); }

 private:
  /// A thread of a program.
  struct Runner {
    const scenario::Program* program = nullptr;
    scenario::Counters counters;
    StepWalk steps;
    CommandWalk commands;
    std::uint32_t step = 0;     ///< place
    std::uint32_t command = 0;  ///< place; 0: the step has none, or has not come to it
  };
  /// A command in a ring.
  struct Recorded {
    std::uint64_t end;
    std::uint32_t place;
  };
  /// A buffer of a context, and the next of its commands.
  struct Buffer {
    std::uint32_t step = 0;
    std::vector<std::uint32_t> commands;
    std::size_t next = 0;

    std::uint32_t place() const { return next < commands.size() ? commands[next] : step; }
  };

  void add_threads(const scenario::Scenario& scenario, const Names& names);
  /// Null for an agent that is no thread of a program.
  Runner* runner(common::AgentId agent);
  /// @param number from 1; 0: the scenario does not ask for the fault
  std::uint32_t of_fault(std::uint64_t number) const {
    return number == 0 || number > faults_.size() ? place_ : faults_[number - 1];
  }
  std::uint32_t of_queue(std::uint32_t queue) const;
  Buffer* running(std::uint32_t engine);
  void pass(std::uint32_t queue, std::uint64_t end);

  ScenarioPlaces places_;
  GivenBuffers given_;
  std::map<std::uint32_t, Runner> runners_;                            ///< by thread
  std::map<common::AgentId, Runner*> agents_;                          ///< once they have begun
  std::map<std::uint32_t, std::deque<Recorded>> rings_;                ///< by queue
  std::map<std::uint32_t, std::vector<std::uint32_t>> recorded_;       ///< by context: next buffer
  std::map<std::pair<std::uint32_t, std::uint64_t>, Buffer> buffers_;  ///< by context and number
  std::map<std::uint32_t, GivenBuffers::Buffer> on_engine_;
  std::vector<std::uint32_t> faults_;  ///< places, in the order of the scenario
  std::uint32_t place_ = 0;
};

}  // namespace fenceline::report
