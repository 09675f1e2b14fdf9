#include "models/engine/store_port.h"

#include "models/common/stores.h"

namespace fenceline::engine {

using common::Barrier;
using common::BarrierReach;
using common::EngineCommand;

bool StorePort::note_fault(bool ok, std::uint64_t address, bool written) {
  if (!ok && fault_ == abi::FaultCode::kNone) {
    fault_ = written ? abi::FaultCode::kPageWrite : abi::FaultCode::kPageRead;
    fault_address_ = address;
  }
  return ok;
}

tlm::tlm_response_status StorePort::send(const EngineCommand& command, const Store& store,
                                         const void* data, std::size_t bytes, bool partial,
                                         common::Time before) {
  auto write = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, store.address,
                                             const_cast<void*>(data), bytes);
  write->attributes.address_space = store.space;
  write->attributes.operation = common::Operation::kIssue;
  write->attributes.posted = true;
  write->attributes.partial = partial;
  write->attributes.log_queue = store.purpose == Purpose::kLog ? command.queue_slot + 1 : 0;
  if (store.signal != 0) write->attributes.signal = {store.signal, command.queue};
  write->attributes.work = store.purpose == Purpose::kWork ? command.queue : 0;
  return common::send(simulation_.steps, port(store.purpose), write, before);
}

bool StorePort::post(const EngineCommand& command, const Store& store, const void* data,
                     std::size_t bytes) {
  const auto response = send(command, store, data, bytes, false, uses_.issue);
  return note_fault(response == tlm::TLM_OK_RESPONSE, store.address, true);
}

bool StorePort::post_value(const EngineCommand& command, const Store& store, std::uint64_t value,
                           common::Stores stores) {
  stores = common::stores_of(stores, uses_.whole_stores);
  if (stores == common::Stores::kWhole) return post(command, store, &value, sizeof value);
  bool ok = true;
  for (const common::Piece piece : common::Pieces(stores)) {
    Store half = store;
    half.address += piece.offset;
    const auto* bytes = reinterpret_cast<const unsigned char*>(&value) + piece.offset;
    const auto response = send(command, half, bytes, piece.bytes, piece.more, 0);
    ok = note_fault(response == tlm::TLM_OK_RESPONSE, half.address, true) && ok;
  }
  return ok;
}

void StorePort::send_barrier(Barrier kind, BarrierReach reach, Purpose purpose) {
  auto transaction = simulation_.transactions.lend(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0);
  transaction->attributes.barrier = kind;
  transaction->attributes.reach = reach;
  common::send(simulation_.steps, port(purpose), transaction);
}

void StorePort::barrier(Barrier kind, BarrierReach reach, Purpose purpose) {
  send_barrier(kind, reach, purpose);
  if (kind == Barrier::kSelf && &port(purpose) == &uses_.memory) wrote_ = false;
}

/// The running packet may have writes of its own: `wrote_` stays set.
void StorePort::barrier_for_report() {
  const BarrierReach reach = simulation_.ordering.gpu.barrier_reach;
  send_barrier(Barrier::kSelf, reach, Purpose::kValue);
  if (cmp_logs()) send_barrier(Barrier::kSelf, reach, Purpose::kLog);
}

void StorePort::signal_barrier(const EngineCommand& command) {
  const BarrierReach reach = simulation_.ordering.gpu.barrier_reach;
  barrier(Barrier::kSelf, reach);
  const auto header = common::packet_of<abi::PacketHeader>(command);
  if (cmp_logs() && (header.flags & abi::kLogFollows) != 0)
    barrier(Barrier::kSelf, reach, Purpose::kLog);
}

}  // namespace fenceline::engine
