#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "models/common/events.h"
#include "tb/report/record/window.h"
#include "tb/report/rows/timeline_draft.h"

namespace fenceline::report {

/// Calls of the driver, the CMP, interrupts, logs and what went wrong.
class DriverRows {
 public:
  DriverRows(TimelineDraft& draft, const Names& names) : draft_(draft), names_(names) {}

  void take(const common::Event& event);

  void on(const common::At<event::UpdateMonitoredCall>& event);
  void on(const common::At<event::UpdateMonitoredReturn>& event);
  void on(const common::At<event::ShadowIssued>& event);
  void on(const common::At<event::ShadowVisible>& event);
  void on(const common::At<event::DdiCall>& event);
  void on(const common::At<event::DdiReturn>& event);
  void on(const common::At<event::CmpDecision>& event);
  void on(const common::At<event::InterruptRaised>& event);
  void on(const common::At<event::MessageSent>& event);
  void on(const common::At<event::IsrBegin>& event);
  void on(const common::At<event::IsrEnd>& event);
  void on(const common::At<event::DpcBegin>& event);
  void on(const common::At<event::DpcEnd>& event);
  void on(const common::At<event::LogHeaderRead>& event);
  void on(const common::At<event::LogEntryRead>& event);
  void on(const common::At<event::LogOverrun>& event);

 private:
  std::uint32_t adapter_of(common::AgentId agent);

  TimelineDraft& draft_;
  const Names& names_;
  Window<std::size_t> updates_;                      ///< by update number
  TimelineDraft::Open shadows_;                      ///< by fence << 32 | adapter
  TimelineDraft::Open ddis_;                         ///< by agent, adapter and DDI
  TimelineDraft::Open isrs_, dpcs_;                  ///< by core
  std::map<std::uint32_t, std::uint64_t> log_read_;  ///< by log: when the OS last read it [ps]
  std::vector<std::uint32_t> agent_adapter_;         ///< by agent; 0: not known yet
};

}  // namespace fenceline::report
