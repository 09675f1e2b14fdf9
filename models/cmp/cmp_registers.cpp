// Register interface of the CMP. It runs in the process of the agent that delivers the access.
#include <cstring>

#include "models/cmp/cmp.h"

namespace fenceline::cmp {

using common::Footprint;
using common::Operation;
using common::Place;

void Cmp::add_registers() {
  const auto add_counter = [this](abi::Register at, const std::uint64_t& counter) {
    register_file_.add_read_only(at, [&counter](const auto&) { return counter; });
  };
  add_counter(abi::kMonitoredUpdatesDone, completed_.updates);
  add_counter(abi::kFenceKicksDone, completed_.kicks);
  add_counter(abi::kLogFlushesDone, completed_.flushes);
  add_counter(abi::kFenceRetiresDone, completed_.retires);

  const auto add_request = [this](abi::Register at, Input::Kind kind, std::uint32_t slots) {
    register_file_.add_write_only(at, [this, kind, slots](std::uint64_t, std::uint64_t slot) {
      inbox_.push({kind, static_cast<std::uint32_t>(slot) % slots});
    });
  };
  add_request(abi::kMonitoredUpdate, Input::Kind::kUpdate, abi::kFenceSlots);
  add_request(abi::kLogFlush, Input::Kind::kFlush, abi::kQueueSlots);
  add_request(abi::kFenceRetire, Input::Kind::kRetire, abi::kFenceSlots);
  register_file_.add_write_only(abi::kFenceKick,
                                [this](std::uint64_t, std::uint64_t value) { kick(value); });
  register_file_.add_write_only(abi::kInterruptAcknowledge,
                                [this](std::uint64_t, std::uint64_t value) {
                                  interrupts_.acknowledge(value);
                                  reports_.retry();
                                });
  register_file_.add_write_only(abi::kShadowBase, [this](std::uint64_t, std::uint64_t base) {
    fences_.set_shadow_base(base);
    pass_on(abi::kShadowBase, base);
  });
  const auto pass_on_array = [this](abi::Register first, std::uint64_t count) {
    register_file_.add_write_only({first, count},
                                  [this, first](std::uint64_t index, std::uint64_t value) {
                                    pass_on(first + 8 * index, value);
                                  });
  };
  pass_on_array(abi::kPeerDoorbell, abi::kPeers);
  pass_on_array(abi::kPeerTable, abi::kFenceSlots * abi::kPeers);
}

void Cmp::access_register(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (payload.is_write() || !register_file_.has(payload.get_address()))
    return register_file_.access(payload);
  simulation_.steps.elapse(delay.value());
  delay = sc_core::SC_ZERO_TIME;
  read_register(payload);
}

void Cmp::read_register(tlm::tlm_generic_payload& payload) {
  common::Steps& steps = simulation_.steps;
  const std::uint64_t offset = payload.get_address();
  const Operation operation = common::attributes_of(payload).operation;
  const std::uint64_t at_least = common::attributes_of(payload).at_least;
  // While exploring, a poll looks again only when the counter has increased.
  if (operation != Operation::kIdle)
    steps.step_when(
        done_, [&] { return !steps.exploring() || register_file_.read(offset) >= at_least; },
        operation, Footprint().reads(Place::kRegister, identity_.adapter));
  // While exploring, a poll only learns that the counter has reached its value, not how far it is
  // beyond it. Then the order of the answer and later increments does not matter.
  const std::uint64_t asked = steps.exploring() ? at_least : 0;
  if (asked == 0) steps.touch(Place::kRegister, counters_place_, false);
  const std::uint64_t value = asked != 0 ? asked : register_file_.read(offset);
  steps.observe(value);
  std::memcpy(payload.get_data_ptr(), &value, sizeof value);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

/// Engines have copies of some registers.
void Cmp::pass_on(std::uint64_t offset, std::uint64_t value) {
  for (unsigned engine = 0; engine < engines.size(); ++engine) {
    auto write =
        simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value);
    common::deliver(engines[static_cast<int>(engine)], write->payload);
  }
}

void Cmp::kick(std::uint64_t value) {
  fences_.rescan(static_cast<std::uint32_t>(value) % abi::kFenceSlots, value | abi::kKickFromCpu);
  ++completed_.kicks;
  note_completed();
}

}  // namespace fenceline::cmp
