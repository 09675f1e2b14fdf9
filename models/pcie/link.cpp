#include "models/pcie/link.h"

#include <algorithm>

#include "models/abi/registers.h"

namespace fenceline::pcie {

using common::EventKind;
using common::Footprint;
using common::InterruptKind;
using common::Operation;
using common::Place;
using common::TlpKind;

namespace {
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

std::uint64_t Link::Direction::ahead(std::uint64_t last) const {
  std::uint64_t count = 0;
  for (const Lane* lane : {&ordered, &relaxed})
    for (const Posted& posted : lane->writes) count += posted.number <= last ? 1 : 0;
  return count;
}

std::uint64_t Link::Direction::state_hash() const {
  common::Hasher hasher;
  for (const Lane* lane : {&ordered, &relaxed, &wire}) {
    for (const Posted& posted : lane->writes)
      hasher.add(posted.address)
          .add_words(posted.data.data(), (posted.bytes + 7) / 8 * 8)
          .add(std::uint64_t{posted.bytes} << 32 | (issued - posted.number));
    hasher.add(lane->writes.size());
  }
  std::uint64_t waiting = 0;  // in whatever order they came
  for (const Mark& mark : marks)
    waiting += common::Hasher().add(mark.agent).add(ahead(mark.number)).value();
  return hasher.add(waiting).value();
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
  for (Direction* direction : {&down_, &up_}) {
    const std::string way = agent_name + (direction == &down_ ? ".down" : ".up");
    direction->place = steps.new_place();
    direction->object = simulation_.events.add_object(common::ObjectKind::kLink, way);
    add_drain(*direction, direction->ordered, way);
    add_drain(*direction, direction->relaxed, way + "_relaxed");
    steps.add_state(*direction);
  }
  if (simulation_.ordering.pcie.interrupt == InterruptKind::kIntx)
    add_drain(up_, up_.wire, agent_name + ".intx");
}

void Link::add_drain(Direction& direction, Lane& lane, const std::string& agent_name) {
  simulation_.steps.add_agent(agent_name, [this, &direction, &lane] { drain(direction, lane); });
}

std::size_t Link::pending() const {
  return down_.ordered.writes.size() + down_.relaxed.writes.size() + up_.ordered.writes.size() +
         up_.relaxed.writes.size() + up_.wire.writes.size();
}

void Link::transport(int way, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  simulation_.steps.elapse(delay.value());
  delay = sc_core::SC_ZERO_TIME;
  Direction& here = way == kDown ? down_ : up_;
  Direction& back = way == kDown ? up_ : down_;
  const common::Attributes& attributes = common::attributes_of(payload);
  if (attributes.barrier != common::Barrier::kNone) {
    wait_behind(here, TlpClass::kPosted);
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
  const bool message = is_message(payload.get_address()) && &direction == &up_;
  const bool beside = message && simulation_.ordering.pcie.interrupt == InterruptKind::kIntx;
  Lane& lane = beside ? direction.wire : attributes.relaxed ? direction.relaxed : direction.ordered;
  simulation_.steps.wait_until(direction.changed, [&] {
    return direction.ordered.writes.size() + direction.relaxed.writes.size() <
           config_.posted_header_credits;
  });
  simulation_.steps.touch(Place::kFifo, direction.place, true);
  simulation_.steps.touch(Place::kMark, direction.place, true);
  Posted posted;
  posted.address = payload.get_address();
  posted.bytes = payload.get_data_length();
  std::copy_n(payload.get_data_ptr(), posted.bytes, posted.data.begin());
  posted.number = ++direction.issued;
  posted.order.relaxed_ordering = attributes.relaxed || beside;
  posted.partial = attributes.partial;
  posted.work = attributes.work;
  posted.work_number = attributes.work_number;
  const TlpKind kind = message ? TlpKind::kMessageSignaledInterrupt : TlpKind::kPostedWrite;
  posted.ready = beside ? sc_core::sc_time_stamp().value() + config_.propagation
                        : occupy(direction, wire_.write(posted.bytes), kind, posted.bytes);
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
               Footprint().writes(Place::kMemory, posted.address / common::kLineBytes),
               posted.ready > now ? posted.ready - now : 0);
    auto transaction =
        simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, posted.address,
                                      const_cast<unsigned char*>(posted.data.data()), posted.bytes);
    transaction->attributes.partial = posted.partial;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    direction.out->b_transport(transaction->payload, delay);
    if (posted.work != 0)
      simulation_.events.emit(EventKind::kWorkVisible, steps.current(), posted.work,
                              posted.work_number);
    lane.writes.pop_front();
    direction.changed.open();
  }
}

/// While it lives, the current agent is known to wait behind what has been sent so far.
class Link::Behind {
 public:
  Behind(const common::Steps& steps, Direction& direction)
      : direction_(direction), mark_{steps.current(), direction.issued} {
    direction_.marks.push_back(mark_);
  }
  ~Behind() {
    auto& marks = direction_.marks;
    marks.erase(std::find_if(marks.begin(), marks.end(),
                             [this](const Mark& mark) { return mark.agent == mark_.agent; }));
  }
  Behind(const Behind&) = delete;
  Behind& operator=(const Behind&) = delete;

  bool clear(const TlpOrder& order) const { return direction_.clear_for(order, mark_.number); }

 private:
  Direction& direction_;
  const Mark mark_;
};

void Link::wait_behind(Direction& direction, TlpClass behind) {
  common::Steps& steps = simulation_.steps;
  steps.touch(Place::kFifo, direction.place, false);
  TlpOrder order;
  order.tlp_class = behind;
  const Behind mark(steps, direction);
  steps.wait_until(direction.changed, [&] { return mark.clear(order); });
}

void Link::read(Direction& request, Direction& completion, tlm::tlm_generic_payload& payload) {
  common::Steps& steps = simulation_.steps;
  common::Attributes& attributes = common::attributes_of(payload);
  TlpOrder order;
  order.tlp_class = payload.is_write() ? TlpClass::kNonPostedWithData : TlpClass::kReadRequest;
  // A poll is a step where it is answered, at the far end; who waits in no step of its own goes on
  // as soon as it can, and then it matters what was ahead.
  const bool poll = attributes.operation == Operation::kIdle || attributes.at_least != 0;
  steps.touch(poll ? Place::kFifo : Place::kMark, request.place, false);
  const std::uint64_t bytes = payload.get_data_length();
  const bool writes = payload.is_write();
  const Time arrival =
      steps.exploring()
          ? 0
          : occupy(request, writes ? wire_.write(bytes) : wire_.read_request(bytes),
                   writes ? TlpKind::kPostedWrite : TlpKind::kReadRequest, writes ? bytes : 0);
  const Time now = sc_core::sc_time_stamp().value();
  const Time travel = arrival > now ? arrival - now : 0;
  {
    const Behind mark(steps, request);
    const auto clear = [&] { return mark.clear(order); };
    if (poll) {
      steps.wait_until(request.changed, clear);
      steps.elapse(travel);
    } else {
      const std::uint64_t index = payload.get_address() / common::kLineBytes;
      steps.step_when(request.changed, clear, attributes.operation,
                      writes ? Footprint().writes(Place::kMemory, index)
                             : Footprint().reads(Place::kMemory, index),
                      travel);
      attributes.operation = Operation::kIdle;  // taken: the far end is not another step
    }
  }
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  request.out->b_transport(payload, delay);
  steps.elapse(delay.value());

  if (!steps.exploring()) {
    const Time back = occupy(completion, wire_.completion(writes ? 0 : bytes), TlpKind::kCompletion,
                             writes ? 0 : bytes);
    const Time here = sc_core::sc_time_stamp().value();
    steps.elapse(back > here ? back - here : 0);
  }
  if (simulation_.ordering.pcie.completion_ordered) wait_behind(completion, TlpClass::kCompletion);
}

}  // namespace fenceline::pcie
