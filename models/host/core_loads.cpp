// Loads that later loads of the core may pass.
#include <algorithm>

#include "models/host/core.h"

namespace fenceline::host {

using common::AgentId;
using common::Footprint;
using common::Operation;
using common::Place;

void Core::begin_load(common::TransactionPool::Loan& transaction) {
  touch_load();
  transaction->attributes.core = number_ + 1;
  loads_.push_back({simulation_.steps.current(), &transaction, false, 0});
  changed_.open();
}

std::vector<Core::Load>::iterator Core::load_of(AgentId agent) {
  return std::find_if(loads_.begin(), loads_.end(),
                      [agent](const Load& load) { return load.agent == agent; });
}

void Core::serve_loads() {
  common::Steps& steps = simulation_.steps;
  for (;;) {
    steps.forget();
    AgentId next = 0;
    steps.wait_until(changed_, [&] {
      const auto it =
          std::find_if(loads_.begin(), loads_.end(), [](const Load& load) { return !load.done; });
      if (it != loads_.end()) next = it->agent;
      return it != loads_.end();
    });
    common::TransactionPool::Loan& transaction = *load_of(next)->transaction;
    const tlm::tlm_generic_payload& payload = transaction->payload;
    steps.step(Operation::kRead,
               Footprint().reads(Place::kMemory, payload.get_address() / common::kLineBytes));
    load(transaction);
    touch_load();
    Load& done = *load_of(next);
    done.done = true;
    done.content =
        common::Hasher().add_words(payload.get_data_ptr(), payload.get_data_length()).value();
    changed_.open();
  }
}

void Core::end_load() {
  const AgentId me = simulation_.steps.current();
  simulation_.steps.wait_until(changed_, [&] { return load_of(me)->done; });
  touch_load();
  simulation_.steps.observe(load_of(me)->content);
  loads_.erase(load_of(me));
  changed_.open();
  wait_to_run();
}

}  // namespace fenceline::host
