#include "tb/os/dxgk/thread.h"

namespace fenceline::os {

Thread& Threads::add(common::AgentId agent, std::uint32_t object) {
  if (by_agent_.size() <= agent) by_agent_.resize(agent + 1U);
  by_agent_[agent] = std::make_unique<Thread>(steps_);
  by_agent_[agent]->object = object;
  return *by_agent_[agent];
}

Thread& Threads::of(common::AgentId agent) {
  if (agent < by_agent_.size() && by_agent_[agent] != nullptr) return *by_agent_[agent];
  return add(agent, 0);
}

}  // namespace fenceline::os
