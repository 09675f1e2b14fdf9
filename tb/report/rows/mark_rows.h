#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "tb/report/rows/given_buffers.h"
#include "tb/report/rows/timeline_draft.h"

namespace fenceline::report {

/// Events that are a mark on one lane: see record/shown_events.h.
class MarkRows {
 public:
  MarkRows(TimelineDraft& draft, const Names& names)
      : draft_(draft), names_(names), engines_(names) {}

  void take(const common::Event& event);

 private:
  using Key = std::pair<common::ObjectKind, common::AgentId>;

  std::uint32_t object_of(Lane lane, const common::Event& event);
  std::uint32_t of_agent(common::ObjectKind kind, common::AgentId agent);

  TimelineDraft& draft_;
  const Names& names_;
  GivenBuffers engines_;
  std::map<Key, std::uint32_t> agents_;  ///< objects of agents
};

}  // namespace fenceline::report
