#include "models/pcie/link.h"

#include <algorithm>

#include "models/abi/page_table.h"
#include "models/abi/registers.h"

namespace fenceline::pcie {

using common::Footprint;
using common::InterruptKind;
using common::Operation;
using common::Place;
using event::LinkFaultKind;
using event::TlpKind;

namespace {
constexpr std::uint64_t kMaxReadBytes = abi::kPageBytes;  ///< largest read that reaches the link
constexpr std::uint32_t kCompleter = 0;  ///< function of the device's registers and memory

constexpr std::uint64_t kDataCreditBytes = 16;

/// Time from now to `instant`; 0 if it has passed.
Time until(Time instant) {
  const Time now = sc_core::sc_time_stamp().value();
  return instant > now ? instant - now : 0;
}

bool is_message(std::uint64_t address) {
  return address >= abi::kMessageWindow && address < abi::kMessageWindow + abi::kMessageWindowBytes;
}
}  // namespace

std::size_t Link::Direction::size() const {
  std::size_t count = relaxed.writes.size();
  for (const Lane& lane : ordered) count += lane.writes.size();
  return count;
}

bool Link::Direction::clear_for(const TlpOrder& order, std::uint64_t last) const {
  bool clear = true;
  for_each([&](const Posted& posted) {
    clear = clear && (posted.number > last || may_pass(order, posted.order));
  });
  return clear;
}

std::uint64_t Link::Direction::ahead(std::uint64_t last) const {
  std::uint64_t count = 0;
  for_each([&](const Posted& posted) { count += posted.number <= last ? 1 : 0; });
  return count;
}

std::uint64_t Link::Direction::state_hash() const {
  common::Hasher hasher;
  const auto add = [&](const Lane& lane) {
    for (const Posted& posted : lane.writes)
      hasher.add(posted.address)
          .add_words(posted.data.data(), (posted.bytes + 7) / 8 * 8)
          .add(std::uint64_t{posted.bytes} << 32 | (issued - posted.number))
          .add(posted.signal.queue);
    hasher.add(lane.writes.size());
  };
  for (const Lane& lane : ordered) add(lane);
  add(relaxed);
  add(wire);
  std::uint64_t waiting = 0;  // unordered sum
  for (const Mark& mark : marks) waiting += common::hash_values(mark.agent, ahead(mark.number));
  for (const Fault& fault : faults) hasher.add(fault.when.hash());
  return hasher.add(waiting).add(tags).value();
}

Link::Link(const sc_core::sc_module_name& name, common::Simulation& simulation,
           const std::string& agent_name, const LinkConfig& config, std::uint32_t functions)
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
    if (direction == &up_ && simulation_.ordering.pcie.id_based)
      direction->ordered = std::vector<Lane>(functions);
    for (std::size_t i = 0; i < direction->ordered.size(); ++i)
      add_drain(*direction, direction->ordered[i],
                i == 0 ? way : way + "_function" + std::to_string(i));
    add_drain(*direction, direction->relaxed, way + "_relaxed");
    steps.add_state(*direction);
  }
  bool late = false;
  for (const LinkFault& fault : config_.faults) {
    (fault.up ? up_ : down_).faults.push_back({&fault, common::Occurrence(fault.when)});
    late = late || fault.kind == LinkFaultKind::kMessageLate;
  }
  const bool intx = simulation_.ordering.pcie.interrupt == InterruptKind::kIntx;
  if (late || intx) add_drain(up_, up_.wire, agent_name + (intx ? ".intx" : ".late"));
}

void Link::add_drain(Direction& direction, Lane& lane, const std::string& agent_name) {
  lane.drain = simulation_.steps.add_agent(agent_name,
                                           [this, &direction, &lane] { drain(direction, lane); });
}

bool Link::arrives_at_once(const Direction& direction, const Lane& lane) const {
  const common::Ordering& ordering = simulation_.ordering;
  const bool one_order = ordering.pcie.interrupt == InterruptKind::kMessage &&
                         ordering.pcie.msi_ordered && ordering.pcie.completion_ordered &&
                         !ordering.pcie.id_based && ordering.pcie.doorbell_ordered &&
                         config_.faults.empty();
  return &direction == &up_ && one_order && direction.size() == 0 &&
         simulation_.steps.may_leave_out(lane.drain);
}

std::size_t Link::pending() const { return down_.size() + up_.size() + up_.wire.writes.size(); }

void Link::transport(int way, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  simulation_.steps.elapse(delay.value());
  delay = sc_core::SC_ZERO_TIME;
  Direction& here = way == kDown ? down_ : up_;
  Direction& back = way == kDown ? up_ : down_;
  const common::Attributes& attributes = common::attributes_of(payload);
  if (attributes.barrier != common::Barrier::kNone) {
    wait_behind(here, {TlpClass::kPosted});
    return payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  if (payload.is_write() && attributes.posted) return post(here, payload);
  read(here, back, payload);
}

void Link::reach(const std::string& mark) {
  for (Direction* direction : {&down_, &up_})
    for (Fault& fault : direction->faults) fault.when.reach(mark);
}

/// Counts one more message or packet, which enters the wire at `begin`. Returns its fault; null if
/// there is none.
const LinkFault* Link::fault(Direction& direction, bool message, Time begin) {
  const Fault* found = nullptr;
  if (!simulation_.steps.counting()) return nullptr;
  for (Fault& fault : direction.faults) {
    if (message == (fault.what->kind == LinkFaultKind::kReplay)) continue;
    if (fault.when.next(simulation_.steps.simulated()) && found == nullptr) found = &fault;
  }
  if (found == nullptr) return nullptr;
  const auto number = static_cast<std::uint32_t>(found->when.count());
  if (simulation_.steps.exploring()) begin = simulation_.steps.now();  // wires have no time there
  simulation_.emit(
      event::LinkFault{direction.object, found->what->kind, number, found->when.fault(), begin});
  return found->what;
}

Time Link::occupy(Direction& direction, Time held, TlpKind kind, std::uint64_t bytes) {
  const Time now = sc_core::sc_time_stamp().value();
  const Time begin = std::max(now, direction.free_at);
  const Time start = simulation_.steps.now() + (begin - now);
  if (const LinkFault* replay = fault(direction, false, start)) held += replay->delay + held;
  direction.free_at = begin + held;
  direction.last_begin = start;
  simulation_.emit(event::PcieTransfer{direction.object, bytes, kind, start, held});
  return direction.free_at + config_.propagation;
}

TlpOrder Link::order_of(TlpClass tlp_class, const Direction& direction,
                        std::uint32_t requester) const {
  TlpOrder order;
  order.tlp_class = tlp_class;
  order.id_based_ordering = simulation_.ordering.pcie.id_based && &direction == &up_;
  order.requester = requester;
  return order;
}

std::uint64_t Link::data_credits(std::uint64_t bytes) const {
  if (config_.posted_data_credits == 0) return 0;
  const std::uint64_t credits = (bytes + kDataCreditBytes - 1) / kDataCreditBytes;
  return std::min<std::uint64_t>(credits, config_.posted_data_credits);
}

void Link::post(Direction& direction, tlm::tlm_generic_payload& payload) {
  const common::Attributes& attributes = common::attributes_of(payload);
  const bool message = is_message(payload.get_address()) && &direction == &up_;
  const bool intx = message && simulation_.ordering.pcie.interrupt == InterruptKind::kIntx;
  const TlpOrder order = order_of(TlpClass::kPosted, direction, attributes.requester);
  Lane& ordered = direction.ordered[order.id_based_ordering ? order.requester : 0];
  Lane& lane = intx ? direction.wire : attributes.relaxed ? direction.relaxed : ordered;
  const bool at_once = arrives_at_once(direction, lane);
  const std::uint64_t bytes = common::length_of(payload);
  const std::uint64_t credits = data_credits(bytes);
  if (!at_once) {
    simulation_.steps.wait_until(direction.changed, [&] {
      return direction.size() < config_.posted_header_credits &&
             (credits == 0 || direction.data_credits + credits <= config_.posted_data_credits);
    });
    simulation_.steps.touch(Place::kFifo, direction.place, true);
    simulation_.steps.touch(Place::kMark, direction.place, true);
  }
  Posted posted;
  posted.address = payload.get_address();
  posted.bytes = payload.get_data_length();
  std::copy_n(payload.get_data_ptr(), posted.bytes, posted.data.begin());
  posted.number = ++direction.issued;
  posted.order = order;
  posted.order.relaxed_ordering = attributes.relaxed || intx;
  posted.partial = attributes.partial;
  posted.work = attributes.work;
  posted.work_number = attributes.work_number;
  posted.signal = attributes.signal;
  posted.traffic_bytes = attributes.traffic_bytes;
  posted.data_credits = credits;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  const TlpKind kind = message ? TlpKind::kMessageSignaledInterrupt : TlpKind::kPostedWrite;
  posted.ready = intx ? sc_core::sc_time_stamp().value() + config_.propagation
                      : occupy(direction, wire_.write(bytes), kind, bytes);
  if (at_once) return deliver(direction, posted);
  if (message) return send_message(direction, lane, posted);
  queue(direction, lane, posted);
}

void Link::queue(Direction& direction, Lane& lane, const Posted& posted) {
  direction.data_credits += posted.data_credits;
  lane.writes.push_back(posted);
  direction.changed.open();
}

void Link::send_message(Direction& direction, Lane& lane, Posted& posted) {
  const bool on_wire = simulation_.ordering.pcie.interrupt == InterruptKind::kMessage;
  const Time begin = on_wire ? direction.last_begin : simulation_.steps.now();
  const LinkFault* wrong = fault(direction, true, begin);
  if (wrong == nullptr) return queue(direction, lane, posted);
  if (wrong->kind == LinkFaultKind::kMessageLate) {
    // It has left its lane, and must not pass the packets sent before it.
    posted.order.relaxed_ordering = false;
    posted.ready += wrong->delay;
    return queue(direction, direction.wire, posted);
  }
  if (wrong->kind == LinkFaultKind::kMessageLost) return;
  queue(direction, lane, posted);
  posted.number = ++direction.issued;
  queue(direction, lane, posted);
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
    steps.step(Operation::kDrain,
               Footprint().writes(Place::kMemory, posted.address / common::kLineBytes),
               until(posted.ready));
    deliver(direction, posted);
    direction.data_credits -= posted.data_credits;
    lane.writes.pop_front();
    direction.changed.open();
  }
}

void Link::deliver(Direction& direction, const Posted& posted) {
  auto transaction =
      simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, posted.address,
                                    const_cast<unsigned char*>(posted.data.data()), posted.bytes);
  transaction->attributes.partial = posted.partial;
  transaction->attributes.signal = posted.signal;
  transaction->attributes.traffic_bytes = posted.traffic_bytes;
  transaction->attributes.no_snoop = config_.no_snoop;
  common::deliver(direction.out, transaction->payload);
  if (posted.work != 0) simulation_.emit(event::WorkVisible{posted.work, posted.work_number});
}

/// Registers the current agent as waiting behind all packets sent so far, until destruction.
class Link::WaitBehind {
 public:
  WaitBehind(const common::Steps& steps, Direction& direction)
      : direction_(direction), mark_{steps.current(), direction.issued} {
    direction_.marks.push_back(mark_);
  }
  ~WaitBehind() {
    auto& marks = direction_.marks;
    marks.erase(std::find_if(marks.begin(), marks.end(),
                             [this](const Mark& mark) { return mark.agent == mark_.agent; }));
  }
  WaitBehind(const WaitBehind&) = delete;
  WaitBehind& operator=(const WaitBehind&) = delete;

  bool clear(const TlpOrder& order) const { return direction_.clear_for(order, mark_.number); }

 private:
  Direction& direction_;
  const Mark mark_;
};

void Link::wait_behind(Direction& direction, const TlpOrder& order) {
  common::Steps& steps = simulation_.steps;
  steps.touch(Place::kFifo, direction.place, false);
  const WaitBehind mark(steps, direction);
  steps.wait_until(direction.changed, [&] { return mark.clear(order); });
}

/// Holds the tags of the current agent's request until destruction.
class Link::Tags {
 public:
  Tags(Link& link, Direction& direction, std::uint64_t pieces)
      : link_(link),
        direction_(direction),
        count_(std::min<std::uint64_t>(pieces, link.config_.tags)) {
    link_.simulation_.steps.wait_until(
        direction_.answered, [this] { return direction_.tags + count_ <= link_.config_.tags; });
    take(count_);
  }
  ~Tags() {
    take(-count_);
    direction_.answered.open();
  }
  Tags(const Tags&) = delete;
  Tags& operator=(const Tags&) = delete;

 private:
  /// Requests compete and have an order only if tags can run out.
  void take(std::uint64_t count) {
    common::Steps& steps = link_.simulation_.steps;
    if (steps.exploring() && !link_.tags_suffice())
      steps.touch(Place::kFifo, direction_.place, true);
    direction_.tags += count;
  }

  Link& link_;
  Direction& direction_;
  const std::uint64_t count_;
};

bool Link::tags_suffice() const {
  return simulation_.steps.agent_count() * wire_.requests(kMaxReadBytes) <= config_.tags;
}

void Link::read(Direction& request, Direction& completion, tlm::tlm_generic_payload& payload) {
  common::Steps& steps = simulation_.steps;
  common::Attributes& attributes = common::attributes_of(payload);
  const std::uint64_t bytes = common::length_of(payload);
  const bool writes = payload.is_write();
  const TlpOrder order = order_of(writes ? TlpClass::kNonPostedWithData : TlpClass::kReadRequest,
                                  request, attributes.requester);
  const Tags tags(*this, request, writes ? 1 : wire_.requests(bytes));
  // A poll takes its step at the far end, where it is answered. An agent without a step here
  // continues as soon as it can, and then the packets ahead of it matter.
  const bool poll = attributes.operation == Operation::kIdle || attributes.at_least != 0;
  steps.touch(poll ? Place::kFifo : Place::kMark, request.place, false);
  const Time arrival =
      steps.exploring()
          ? 0
          : occupy(request, writes ? wire_.write(bytes) : wire_.read_request(bytes),
                   writes ? TlpKind::kPostedWrite : TlpKind::kReadRequest, writes ? bytes : 0);
  Time travel = until(arrival);
  {
    const WaitBehind mark(steps, request);
    const auto clear = [&] { return mark.clear(order); };
    if (config_.pipelined_reads && !steps.exploring()) {
      steps.wait_until(request.changed, clear);
      travel = until(arrival);
    }
    if (poll) {
      steps.wait_until(request.changed, clear);
      steps.elapse(travel);
    } else {
      const std::uint64_t index = payload.get_address() / common::kLineBytes;
      steps.step_when(request.changed, clear, attributes.operation,
                      writes ? Footprint().writes(Place::kMemory, index)
                             : Footprint().reads(Place::kMemory, index),
                      travel);
      attributes.operation = Operation::kIdle;  // step taken: the far end takes no other
    }
  }
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  attributes.no_snoop = config_.no_snoop;
  request.out->b_transport(payload, delay);
  steps.elapse(delay.value());

  if (!steps.exploring()) {
    const Time back = occupy(completion, wire_.completion(writes ? 0 : bytes), TlpKind::kCompletion,
                             writes ? 0 : bytes);
    steps.elapse(until(back));
  }
  if (simulation_.ordering.pcie.completion_ordered)
    wait_behind(completion, order_of(TlpClass::kCompletion, completion, kCompleter));
}

}  // namespace fenceline::pcie
