#include "models/command_processor/memory_port.h"

#include <algorithm>

#include "models/abi/page_table.h"

namespace fenceline::command_processor {

namespace {
constexpr std::uint64_t kLine = 64;  // [bytes] the largest posted write
}  // namespace

bool MemoryPort::read(const Node& node, Location at, void* data, std::size_t bytes, Use use) {
  auto read = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, at.address, data, bytes);
  read->attributes.address_space = at.space;
  read->attributes.operation = use.operation;
  read->attributes.reader = use.reader;
  return common::send(simulation_.steps, socket_[static_cast<int>(node.number)], read) ==
         tlm::TLM_OK_RESPONSE;
}

void MemoryPort::post(const Node& node, Location at, const void* data, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes; done += kLine) {
    auto* from = const_cast<unsigned char*>(static_cast<const unsigned char*>(data)) + done;
    auto write = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, at.address + done, from,
                                               std::min<std::size_t>(bytes - done, kLine));
    write->attributes.address_space = at.space;
    write->attributes.posted = true;
    common::send(simulation_.steps, socket_[static_cast<int>(node.number)], write);
  }
}

void MemoryPort::move(const Node& node, Location at, std::uint64_t bytes, bool writes) {
  if (bytes == 0) return;
  auto traffic = simulation_.transactions.lend_traffic(
      writes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, at.address, bytes, at.space);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket_[static_cast<int>(node.number)]->b_transport(traffic->payload, delay);
  constexpr std::uint64_t kPerMegabyte = 1'000'000;  // [ps] per byte at 1 MB/s
  const common::Time at_least = state_mbps_ == 0 ? 0 : bytes * kPerMegabyte / state_mbps_;
  simulation_.steps.elapse(std::max<common::Time>(delay.value(), at_least));
}

void MemoryPort::barrier(const Node& node) {
  auto barrier = simulation_.transactions.lend(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0);
  barrier->attributes.barrier = common::Barrier::kSelf;
  barrier->attributes.reach = common::BarrierReach::kHost;
  common::send(simulation_.steps, socket_[static_cast<int>(node.number)], barrier);
}

std::uint32_t MemoryPort::object_at(std::uint32_t engine, Location at) {
  return watches_.object_at(socket_[static_cast<int>(engine)], simulation_.transactions, at.address,
                            at.space);
}

}  // namespace fenceline::command_processor
