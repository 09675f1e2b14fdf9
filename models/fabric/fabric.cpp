#include "models/fabric/fabric.h"

#include <algorithm>

#include "models/abi/page_table.h"

namespace fenceline::fabric {

using common::Barrier;
using common::Footprint;
using common::Operation;
using common::Place;

namespace {
constexpr std::uint64_t kHostInterleave = 64;  ///< [bytes] coherence line: unit of the host banks
}  // namespace

bool Fabric::Client::drained_to(std::uint64_t number) const {
  for (const auto& fifo : vram)
    if (!fifo->drained_to(number)) return false;
  return host_drained_to(number);
}

bool Fabric::Client::host_drained_to(std::uint64_t number) const {
  for (const auto& fifo : host)
    if (!fifo->drained_to(number)) return false;
  return true;
}

bool Fabric::Client::logs_drained_to(std::uint32_t log_queue, std::uint64_t number) const {
  for (const auto& fifo : host)
    if (!fifo->logs_drained_to(log_queue, number)) return false;
  return true;
}

std::uint64_t Fabric::Client::state_hash() const {
  common::Hasher hasher;
  for (const auto& fifo : vram) hasher.add(fifo->hash());
  for (const auto& fifo : host) hasher.add(fifo->hash());
  return hasher.add(issued).add(window << 1 | (window_open ? 1U : 0U)).add(window_closed).value();
}

bool Fabric::Mark::passed() const {
  if (!in_window) return client->drained_to(number);
  const bool still_inside = client->window_open && client->window == window;
  return !still_inside && client->drained_to(std::max(number, client->window_closed));
}

Fabric::Fabric(const sc_core::sc_module_name& name, common::Simulation& simulation,
               const FabricConfig& config, const VramPlace& vram_place,
               const std::vector<ClientConfig>& client_configs)
    : sc_module(name),
      simulation_(simulation),
      config_(config),
      vram_place_(vram_place),
      drained_(simulation.steps) {
  clients.register_b_transport(this, &Fabric::transport);
  clients.register_transport_dbg(this, &Fabric::debug_transport);
  for (const ClientConfig& client_config : client_configs) {
    clients_.push_back(std::make_unique<Client>());
    Client& client = *clients_.back();
    client.config = client_config;
    client.place = simulation_.steps.new_place();
    for (const bool to_host : {false, true})
      for (std::uint32_t bank = 0; client_config.posts && bank < config_.write_banks; ++bank) {
        auto& fifos = to_host ? client.host : client.vram;
        fifos.push_back(
            std::make_unique<PostedFifo>(simulation_.steps, simulation_.steps.new_place()));
        const std::string fifo_name =
            client_config.name + (to_host ? ".host" : ".vram") + std::to_string(bank);
        simulation_.steps.add_agent(
            fifo_name, [this, fifo = fifos.back().get(), to_host] { drain(*fifo, to_host); });
      }
    simulation_.steps.add_state(client);
  }
}

std::size_t Fabric::pending() const {
  std::size_t count = 0;
  for (const auto& client : clients_) {
    for (const auto& fifo : client->vram) count += fifo->size();
    for (const auto& fifo : client->host) count += fifo->size();
  }
  return count;
}

void Fabric::transport(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  // Side effects must happen in time order: first elapse the time that the caller owes.
  simulation_.steps.elapse(delay.value());
  delay = sc_core::SC_ZERO_TIME;
  Client& client = *clients_[static_cast<std::size_t>(id)];
  const common::Attributes& attributes = common::attributes_of(payload);
  if (attributes.barrier != Barrier::kNone)
    barrier(client, payload);
  else if (attributes.posted)
    post(client, payload);
  else
    access(client, payload, delay);
}

unsigned Fabric::debug_transport(int /*id*/, tlm::tlm_generic_payload& payload) {
  return (payload.get_address() & abi::kSystemMemoryBit) != 0 ? 0 : vram->transport_dbg(payload);
}

PostedFifo& Fabric::fifo_for(Client& client, std::uint64_t address) const {
  if ((address & abi::kSystemMemoryBit) != 0)
    return *client.host[address / kHostInterleave % config_.write_banks];
  return *client.vram[address / vram_place_.interleave_bytes % config_.write_banks];
}

void Fabric::post(Client& client, tlm::tlm_generic_payload& payload) {
  const common::Attributes& attributes = common::attributes_of(payload);
  PostedFifo& fifo = fifo_for(client, payload.get_address());
  const auto has_room = [&] { return fifo.size() < config_.fifo_depth; };
  if (attributes.operation == Operation::kIdle)
    simulation_.steps.wait_until(fifo.changed, has_room);
  else
    simulation_.steps.step_when(fifo.changed, has_room, attributes.operation,
                                Footprint().writes(Place::kFifo, fifo.id()));
  simulation_.steps.touch(Place::kFifo, client.place, true);
  simulation_.steps.touch(Place::kMark, client.place, true);
  PostedFifo::Write write;
  write.address = payload.get_address();
  write.bytes = payload.get_data_length();
  std::copy_n(payload.get_data_ptr(), write.bytes, write.data.begin());
  write.number = ++client.issued;
  write.relaxed = attributes.relaxed;
  write.partial = attributes.partial;
  write.log_queue = attributes.log_queue;
  write.work = attributes.work;
  write.signal = attributes.signal;
  write.arrival = attributes.arrival;
  write.requester = client.config.function;
  if (write.work != 0) simulation_.emit(event::WorkIssued{write.work, write.number});
  const common::Time now = sc_core::sc_time_stamp().value();
  const common::Time begin = std::max(now, fifo.free_at());
  fifo.free_at() = begin + config_.drain_interval;
  write.ready = begin + config_.drain_latency;
  fifo.push(write);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void Fabric::access(Client& client, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const std::size_t bytes = payload.get_data_length();
  common::Attributes& attributes = common::attributes_of(payload);
  if ((address & abi::kSystemMemoryBit) != 0) {
    // The path keeps order: a read or a non-posted write does not pass the client's own writes.
    const std::uint64_t last = client.issued;
    simulation_.steps.wait_until(drained_, [&] { return client.host_drained_to(last); });
    simulation_.steps.elapse(config_.read_latency);
    payload.set_address(address & ~abi::kSystemMemoryBit);
    attributes.requester = client.config.function;
    host->b_transport(payload, delay);
    payload.set_address(address);
    return;
  }
  if (!client.config.posts) {
    simulation_.steps.elapse(config_.read_latency);
    return vram->b_transport(payload, delay);
  }
  PostedFifo& fifo = fifo_for(client, address);
  const auto settled = [&] { return !fifo.overlaps(address, bytes); };
  const std::uint64_t index = (vram_place_.bus_address + address) / common::kLineBytes;
  if (attributes.operation == Operation::kIdle) {
    simulation_.steps.wait_until(fifo.changed, settled);
    // A long access also has bytes in other banks.
    if (address % vram_place_.interleave_bytes + bytes > vram_place_.interleave_bytes)
      for (const auto& other : client.vram)
        simulation_.steps.wait_until(other->changed,
                                     [&] { return !other->overlaps(address, bytes); });
    simulation_.steps.elapse(config_.read_latency);
  } else {
    const Footprint footprint = payload.is_write() ? Footprint().writes(Place::kMemory, index)
                                                   : Footprint().reads(Place::kMemory, index);
    simulation_.steps.step_when(fifo.changed, settled, attributes.operation, footprint,
                                config_.read_latency);
  }
  vram->b_transport(payload, delay);
}

void Fabric::barrier(Client& client, tlm::tlm_generic_payload& payload) {
  common::Attributes& attributes = common::attributes_of(payload);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (attributes.barrier == Barrier::kOpenWindow) {
    simulation_.steps.touch(Place::kRegister, client.place, true);
    client.window_open = true;
    ++client.window;
    return;
  }
  if (attributes.barrier == Barrier::kCloseWindow) {
    simulation_.steps.touch(Place::kRegister, client.place, true);
    client.window_open = false;
    client.window_closed = client.issued;
    return drained_.open();
  }
  if (attributes.barrier == Barrier::kLogs) return wait_for_logs(payload);
  const std::uint64_t own = client.issued;
  // The client's earlier writes become visible before it samples the engines. A command that could
  // not see these writes is then among the sampled ones.
  if (attributes.barrier != Barrier::kSelf)
    simulation_.steps.wait_until(drained_, [&] { return client.drained_to(own); });
  std::vector<Mark> engines;
  if (attributes.barrier != Barrier::kSelf)
    for (const auto& other : clients_)
      if (other->config.engine)
        engines.push_back(mark(*other, attributes.barrier == Barrier::kSync));
  const auto done = [&] {
    if (!client.drained_to(own)) return false;
    for (const Mark& mark : engines)
      if (!mark.passed()) return false;
    return true;
  };
  Footprint footprint;
  for (const auto& fifo : client.vram) footprint = footprint.reads(Place::kFifo, fifo->id());
  simulation_.steps.step_when(drained_, done, Operation::kBarrier, footprint);
  if (attributes.reach == common::BarrierReach::kHost) {
    common::deliver(host, payload);
  }
}

Fabric::Mark Fabric::mark(const Client& client, bool windows) const {
  common::Steps& steps = simulation_.steps;
  steps.touch(Place::kMark, client.place, false);
  if (windows) steps.touch(Place::kRegister, client.place, false);
  const Mark result{&client, client.issued, client.window, client.window_open && windows};
  steps.observe(result.number);
  steps.observe(result.window << 1 | (result.in_window ? 1U : 0U));
  return result;
}

void Fabric::wait_for_logs(tlm::tlm_generic_payload& payload) {
  const std::uint32_t queue = common::attributes_of(payload).log_queue;
  std::vector<std::uint64_t> marks;
  marks.reserve(clients_.size());
  for (const auto& client : clients_) {
    simulation_.steps.touch(Place::kFifo, client->place,
                            false);  // it waits without a step of its own
    marks.push_back(mark(*client, false).number);
  }
  simulation_.steps.wait_until(drained_, [&] {
    for (std::size_t i = 0; i < clients_.size(); ++i)
      if (!clients_[i]->logs_drained_to(queue, marks[i])) return false;
    return true;
  });
  common::deliver(host, payload);
}

void Fabric::drain(PostedFifo& fifo, bool to_host) {
  common::Steps& steps = simulation_.steps;
  for (;;) {
    steps.forget();
    steps.wait_until(fifo.changed, [&] { return !fifo.empty(); });
    const PostedFifo::Write& head = fifo.head();
    const common::Time now = sc_core::sc_time_stamp().value();
    Footprint footprint = Footprint().writes(Place::kFifo, fifo.id());
    if (!to_host)
      footprint = footprint.writes(Place::kMemory,
                                   (vram_place_.bus_address + head.address) / common::kLineBytes);
    steps.step(Operation::kDrain, footprint, head.ready > now ? head.ready - now : 0);
    PostedFifo::Write write = head;
    deliver(write, to_host);
    fifo.pop();
    drained_.open();
  }
}

void Fabric::deliver(PostedFifo::Write& write, bool to_host) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (write.arrival != 0) {
    auto arrival = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, write.arrival - 1,
                                                 write.data.data(), 8);
    return arrivals->b_transport(arrival->payload, delay);
  }
  auto transaction =
      simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, write.address & ~abi::kSystemMemoryBit,
                                    write.data.data(), write.bytes);
  transaction->attributes.posted = to_host;
  transaction->attributes.relaxed = write.relaxed;
  transaction->attributes.requester = write.requester;
  transaction->attributes.partial = write.partial;
  transaction->attributes.work = write.work;
  transaction->attributes.work_number = write.number;
  transaction->attributes.signal = write.signal;
  if (to_host)
    host->b_transport(transaction->payload, delay);
  else
    vram->b_transport(transaction->payload, delay);
  if (write.work != 0) simulation_.emit(event::WorkVisible{write.work, write.number, to_host});
}

}  // namespace fenceline::fabric
