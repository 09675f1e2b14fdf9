#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/events.h"
#include "tb/run/machine.h"

namespace fenceline::run {

/// Remembers who wrote each fence last, for explanations.
class LastWriters : public common::EventSink {
 public:
  void attach(common::EventStream& stream) {
    stream.subscribe(*this, {common::EventKind::kCurrentValueVisible});
  }
  void on_event(const common::Event& event) override {
    if (writes_.size() <= event.object) writes_.resize(event.object + 1U);
    writes_[event.object] = {event.agent, event.time, event.a};
  }
  struct Write {
    common::AgentId agent = 0;
    std::uint64_t time = 0;
    std::uint64_t value = 0;
  };
  Write of(std::uint32_t fence) const { return fence < writes_.size() ? writes_[fence] : Write{}; }

 private:
  std::vector<Write> writes_;
};

/// One line for each thread and queue that waits: for what, what the value is, who wrote it last,
/// and what is still on its way.
std::vector<std::string> explain_waiting(Machine& machine, const LastWriters& writers);

}  // namespace fenceline::run
