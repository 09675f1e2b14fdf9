#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/dense.h"
#include "models/common/event_handlers.h"
#include "tb/run/machine/scenario_machine.h"

namespace fenceline::run {

/// Remembers what explanations need and the machine itself does not keep: who wrote each fence
/// last, and how many entries each adapter put into its interrupt ring.
class RunHistory : public common::EventSink {
 public:
  void attach(common::EventStream& stream) {
    stream.subscribe(*this, common::Handlers<RunHistory>::kinds());
  }
  void on_event(const common::Event& event) override {
    common::Handlers<RunHistory>::hand(*this, event);
  }
  void on(const common::At<event::CurrentValueVisible>& event);
  void on(const common::At<event::FenceStorageFree>& event);
  void on(const common::At<event::InterruptRaised>& event);
  void on(const common::At<event::EngineInterrupt>& event);
  void on(const common::At<event::IsrBegin>& event);

  struct Write {
    common::AgentId agent = 0;
    std::uint64_t time = 0;
  };
  Write last_write(std::uint32_t fence) const { return writes_[fence]; }
  struct Entries {
    std::uint64_t written = 0;
    std::uint64_t before_isr = 0;  ///< those that were there when the last ISR began
  };
  Entries interrupt_entries(std::uint32_t adapter) const {
    return adapter < entries_.size() ? entries_[adapter] : Entries{};
  }

 private:
  common::Dense<Write> writes_;   ///< by fence
  std::vector<Entries> entries_;  ///< by adapter
};

/// What keeps a run from being done, a line each: threads and waiters with what they wait for, the
/// head of every hardware queue, interrupts, DPCs, busy cores, writes on their way, held agents.
/// Empty if nothing does.
std::vector<std::string> explain_waiting(ScenarioMachine& machine, const RunHistory& history);

}  // namespace fenceline::run
