#include "models/pcie/link.h"

#include <algorithm>

#include "models/abi/registers.h"

namespace fenceline::pcie {

using common::EventKind;
using common::Footprint;
using common::Operation;
using common::Place;
using common::TlpKind;

namespace {
constexpr std::uint64_t kLaneIds = 1ULL << 32;  ///< apart from the numbers of fabric FIFOs

bool is_message(std::uint64_t address) {
  return address >= abi::kMessageWindow && address < abi::kMessageWindow + abi::kMessageWindowBytes;
}
}  // namespace

bool Link::Direction::clear_for(const TlpOrder& order, std::uint64_t last) const {
  for (const Lane* lane : {&ordered, &relaxed})
    for (const Posted& posted : lane->writes) {
      if (posted.number > last) break;
      if (!may_pass(order, posted.order)) return false;
    }
  return true;
}

std::uint64_t Link::Direction::state_hash() const {
  common::Hasher hasher;
  for (const Lane* lane : {&ordered, &relaxed}) {
    for (const Posted& posted : lane->writes) {
      std::uint64_t first = 0;
      std::memcpy(&first, posted.data.data(), sizeof first);
      hasher.add(posted.address).add(first);
    }
    hasher.add(lane->writes.size());
  }
  return hasher.value();
}

Link::Link(const sc_core::sc_module_name& name, common::Simulation& simulation,
           const std::string& agent_name, const LinkConfig& config)
    : sc_module(name),
      simulation_(simulation),
      config_(config),
      wire_(config),
      down_(simulation.steps, to_device),
      up_(simulation.steps, to_host) {
  from_host.register_b_transport(this, &Link::transport, kDown);
  from_device.register_b_transport(this, &Link::transport, kUp);
  common::Steps& steps = simulation_.steps;
  std::uint64_t id = kLaneIds + 16 * steps.agent_count();
  for (Direction* direction : {&down_, &up_}) {
    const std::string way = agent_name + (direction == &down_ ? ".down" : ".up");
    direction->object = simulation_.events.add_object(common::ObjectKind::kLink, way);
    for (Lane* lane : {&direction->ordered, &direction->relaxed}) {
      lane->id = id++;
      steps.add_agent(way + (lane == &direction->ordered ? "" : "_relaxed"),
                      [this, direction, lane] { drain(*direction, *lane); });
    }
    steps.add_state(*direction);
  }
}

std::size_t Link::pending() const {
  return down_.ordered.writes.size() + down_.relaxed.writes.size() + up_.ordered.writes.size() +
         up_.relaxed.writes.size();
}

void Link::transport(int way, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  simulation_.steps.elapse(delay.value());
  delay = sc_core::SC_ZERO_TIME;
  Direction& here = way == kDown ? down_ : up_;
  Direction& back = way == kDown ? up_ : down_;
  const common::Attributes& attributes = common::attributes_of(payload);
  if (attributes.barrier != common::Barrier::kNone) {
    const std::uint64_t last = here.issued;
    const TlpOrder strict;
    simulation_.steps.wait_until(here.changed, [&] { return here.clear_for(strict, last); });
    return payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  if (payload.is_write() && attributes.posted) return post(here, payload);
  read(here, back, payload);
}

Time Link::occupy(Direction& direction, Time held, TlpKind kind, std::uint64_t bytes) {
  const Time now = sc_core::sc_time_stamp().value();
  const Time begin = std::max(now, direction.free_at);
  direction.free_at = begin + held;
  simulation_.events.emit(EventKind::kPcieTransfer, simulation_.steps.current(), direction.object,
                          static_cast<std::uint64_t>(kind) << 32 | bytes,
                          simulation_.steps.now() + (begin - now), held);
  return direction.free_at + config_.propagation;
}

void Link::post(Direction& direction, tlm::tlm_generic_payload& payload) {
  const common::Attributes& attributes = common::attributes_of(payload);
  Lane& lane = attributes.relaxed ? direction.relaxed : direction.ordered;
  simulation_.steps.wait_until(direction.changed, [&] {
    return direction.ordered.writes.size() + direction.relaxed.writes.size() <
           config_.posted_header_credits;
  });
  Posted posted;
  posted.address = payload.get_address();
  posted.bytes = payload.get_data_length();
  std::copy_n(payload.get_data_ptr(), posted.bytes, posted.data.begin());
  posted.number = ++direction.issued;
  posted.order.relaxed_ordering = attributes.relaxed;
  posted.partial = attributes.partial;
  const TlpKind kind = is_message(posted.address) && &direction == &up_
                           ? TlpKind::kMessageSignaledInterrupt
                           : TlpKind::kPostedWrite;
  posted.ready = occupy(direction, wire_.write(posted.bytes), kind, posted.bytes);
  lane.writes.push_back(posted);
  direction.changed.open();
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void Link::drain(Direction& direction, Lane& lane) {
  common::Steps& steps = simulation_.steps;
  for (;;) {
    steps.forget();
    steps.wait_until(direction.changed, [&] {
      return !lane.writes.empty() &&
             direction.clear_for(lane.writes.front().order, lane.writes.front().number - 1);
    });
    const Posted posted = lane.writes.front();
    const Time now = sc_core::sc_time_stamp().value();
    steps.step(Operation::kDrain,
               Footprint().writes(Place::kMemory, posted.address / 8).writes(Place::kFifo, lane.id),
               posted.ready > now ? posted.ready - now : 0);
    auto transaction =
        simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, posted.address,
                                      const_cast<unsigned char*>(posted.data.data()), posted.bytes);
    transaction->attributes.partial = posted.partial;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    direction.out->b_transport(transaction->payload, delay);
    lane.writes.pop_front();
    direction.changed.open();
  }
}

void Link::read(Direction& request, Direction& completion, tlm::tlm_generic_payload& payload) {
  common::Steps& steps = simulation_.steps;
  common::Attributes& attributes = common::attributes_of(payload);
  TlpOrder order;
  order.tlp_class = payload.is_write() ? TlpClass::kNonPostedWithData : TlpClass::kReadRequest;
  const std::uint64_t last = request.issued;
  const std::uint64_t bytes = payload.get_data_length();
  const bool writes = payload.is_write();
  const Time arrival =
      steps.exploring()
          ? 0
          : occupy(request, writes ? wire_.write(bytes) : wire_.read_request(bytes),
                   writes ? TlpKind::kPostedWrite : TlpKind::kReadRequest, writes ? bytes : 0);
  const Time now = sc_core::sc_time_stamp().value();
  const auto clear = [&] { return request.clear_for(order, last); };
  const Time travel = arrival > now ? arrival - now : 0;
  if (attributes.operation == Operation::kIdle) {
    steps.wait_until(request.changed, clear);
    steps.elapse(travel);
  } else {
    const std::uint64_t index = payload.get_address() / 8;
    steps.step_when(request.changed, clear, attributes.operation,
                    writes ? Footprint().writes(Place::kMemory, index)
                           : Footprint().reads(Place::kMemory, index),
                    travel);
    attributes.operation = Operation::kIdle;  // taken: the far end is not another step
  }
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  request.out->b_transport(payload, delay);
  steps.elapse(delay.value());

  TlpOrder returning;
  returning.tlp_class = TlpClass::kCompletion;
  const std::uint64_t before = completion.issued;
  if (!steps.exploring()) {
    const Time back = occupy(completion, wire_.completion(writes ? 0 : bytes), TlpKind::kCompletion,
                             writes ? 0 : bytes);
    const Time here = sc_core::sc_time_stamp().value();
    steps.elapse(back > here ? back - here : 0);
  }
  steps.wait_until(completion.changed, [&] { return completion.clear_for(returning, before); });
}

}  // namespace fenceline::pcie
