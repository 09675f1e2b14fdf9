#include "tb/test/support/interconnect.h"

#include "models/abi/bus.h"
#include "models/abi/page_table.h"
#include "models/abi/registers.h"

namespace fenceline::support {

using common::Operation;

namespace {

constexpr std::uint64_t kMemoryBytes = 1ULL << 20;
constexpr pcie::BarMap kBars{1ULL << 40, (1ULL << 40) + (1ULL << 24), (1ULL << 40) + (1ULL << 36),
                             kMemoryBytes};

memory::VramConfig vram_config() {
  memory::VramConfig config;
  config.size_bytes = kMemoryBytes;
  return config;
}

memory::SystemMemoryConfig system_memory_config() {
  memory::SystemMemoryConfig config;
  config.size_bytes = kMemoryBytes;
  return config;
}

/// Forgets what has been written: words that tests use lie in the first page.
void clear(memory::WatchedMemory& memory) {
  const std::array<unsigned char, memory::SparseMemory::kPageBytes> zeros{};
  memory.bytes().write(0, zeros.data(), zeros.size());
}

}  // namespace

Interconnect::Interconnect(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name),
      simulation_(config.ordering),
      orders_(simulation_),
      system_memory_("system_memory", simulation_, system_memory_config()),
      vram_("vram", simulation_, vram_config()),
      root_complex_("root_complex", kMemoryBytes, {{kBars.registers, 1ULL << 37}}),
      link_("link", simulation_, "link", config.link, config.engine_function + 1),
      endpoint_("endpoint", simulation_, kBars, {}, kBars.vram_bytes, 0),
      fabric_("fabric", simulation_, config.fabric, {kBars.vram, 256},
              {{"engine", true, true, config.engine_function},
               {"other", true},
               {"cmp", false},
               {"bar", false, false}}) {
  cpu_.bind(root_complex_.cpus);
  root_complex_.memory.bind(system_memory_.socket);
  root_complex_.messages.bind(messages_in_);
  root_complex_.links.bind(link_.from_host);
  link_.to_host.bind(root_complex_.devices);
  link_.to_device.bind(endpoint_.link_in);
  endpoint_.link_out.bind(link_.from_device);
  endpoint_.registers.bind(registers_);
  endpoint_.doorbells.bind(doorbells_);
  for (auto& client : clients_) client.bind(fabric_.clients);
  endpoint_.vram.bind(fabric_.clients);
  fabric_.vram.bind(vram_.socket);
  fabric_.host.bind(endpoint_.dma);
  fabric_.arrivals.bind(arrivals_);
  device_.bind(endpoint_.dma);
  messages_in_.register_b_transport(this, &Interconnect::take_message);
  for (auto* socket : {&registers_, &doorbells_, &arrivals_})
    socket->register_b_transport(this, &Interconnect::ignore);
}

void Interconnect::access(Client client, tlm::tlm_command command, Word word, std::uint64_t& value,
                          bool posted, Post how) {
  const std::uint64_t address = word.offset | (word.host ? abi::kSystemMemoryBit : 0);
  auto transaction = simulation_.transactions.lend(command, address, &value, sizeof value);
  common::Attributes& attributes = transaction->attributes;
  attributes.operation = posted                             ? Operation::kIssue
                         : command == tlm::TLM_READ_COMMAND ? Operation::kRead
                                                            : Operation::kWrite;
  attributes.posted = posted;
  attributes.relaxed = how.relaxed;
  attributes.log_queue = how.log_queue;
  common::send(simulation_.steps, clients_[client], transaction);
}

void Interconnect::post(Client client, Word word, std::uint64_t value, Post how) {
  access(client, tlm::TLM_WRITE_COMMAND, word, value, true, how);
}

void Interconnect::write(Client client, Word word, std::uint64_t value) {
  access(client, tlm::TLM_WRITE_COMMAND, word, value, false, Post());
}

std::uint64_t Interconnect::read(Client client, Word word) {
  std::uint64_t value = 0;
  access(client, tlm::TLM_READ_COMMAND, word, value, false, Post());
  return value;
}

void Interconnect::fetch(Client client, std::size_t bytes) {
  std::array<unsigned char, memory::SparseMemory::kPageBytes> page{};
  auto transaction = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, abi::kSystemMemoryBit,
                                                   page.data(), bytes);
  transaction->attributes.operation = Operation::kRead;
  common::send(simulation_.steps, clients_[client], transaction);
}

void Interconnect::barrier(Client client, common::Barrier kind, common::BarrierReach reach,
                           std::uint32_t log_queue) {
  auto transaction = simulation_.transactions.lend(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0);
  transaction->attributes.barrier = kind;
  transaction->attributes.reach = reach;
  transaction->attributes.log_queue = log_queue;
  common::send(simulation_.steps, clients_[client], transaction);
}

void Interconnect::send_message() {
  std::uint32_t vector = 0;
  auto transaction = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, abi::kVectorWindow,
                                                   &vector, sizeof vector);
  transaction->attributes.posted = true;
  simulation_.steps.step(Operation::kRaise, {});
  common::send(simulation_.steps, device_, transaction);
}

void Interconnect::to_cpu_side(tlm::tlm_command command, std::uint64_t address,
                               std::uint64_t& value, bool device) {
  const bool write = command == tlm::TLM_WRITE_COMMAND;
  const Operation operation = write ? Operation::kWrite : Operation::kRead;
  auto transaction = simulation_.transactions.lend(command, address, &value, sizeof value);
  transaction->attributes.posted = device && write;
  // A read of the device is a step where it is answered.
  if (device && !write)
    transaction->attributes.operation = operation;
  else
    simulation_.steps.step(operation, {});
  common::send(simulation_.steps, cpu_, transaction);
}

void Interconnect::cpu_write(Word word, std::uint64_t value) {
  to_cpu_side(tlm::TLM_WRITE_COMMAND, word.offset + (word.host ? 0 : kBars.vram), value,
              !word.host);
}

std::uint64_t Interconnect::cpu_read(Word word) {
  std::uint64_t value = 0;
  to_cpu_side(tlm::TLM_READ_COMMAND, word.offset + (word.host ? 0 : kBars.vram), value, !word.host);
  return value;
}

void Interconnect::mask_vector(bool masked) {
  std::uint64_t address = abi::kMessageWindow;
  std::uint64_t control = (masked ? 1ULL : 0ULL) << 32;
  const std::uint64_t table = kBars.registers + abi::kMsixTable;
  to_cpu_side(tlm::TLM_WRITE_COMMAND, table, address, true);
  to_cpu_side(tlm::TLM_WRITE_COMMAND, table + 8, control, true);
}

AllOrders::Outcomes Interconnect::outcomes() {
  return orders_.run([this] {
    if (orders_.rounds() == 0) {
      mask_vector(false);
      cpu_read({false, 0});  // behind which the two writes are through
    }
    clear(system_memory_.memory());
    clear(vram_.memory());
    messages_ = 0;
  });
}

void Interconnect::take_message(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
  ++messages_;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void Interconnect::ignore(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace fenceline::support
