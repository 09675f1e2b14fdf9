#include "models/memory/watched_memory.h"

#include <algorithm>

#include "models/abi/fence_log.h"

namespace fenceline::memory {

using common::Watch;
using common::WatchKind;

void WatchedMemory::access(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const std::size_t length = payload.get_data_length();
  if (address + length > bytes_.size() || address + length < address)
    return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  const common::Attributes& attributes = common::attributes_of(payload);
  const bool exploring = simulation_.steps.exploring();
  if (exploring) touch(address, length, payload.is_write());
  if (payload.is_write()) {
    if (exploring) toggle(address, length);
    if (exploring && space_bit_ != 0 && simulation_.store_history.kept())
      simulation_.store_history.add(simulation_.steps, address, length,
                                    [this](std::uint64_t at) { return bytes_.word(at); });
    bytes_.write(address, payload.get_data_ptr(), length);
    if (exploring) toggle(address, length);
  } else {
    bytes_.read(address, payload.get_data_ptr(), length);
    if (attributes.seen_before != common::StoreHistory::kNow) load_early(payload);
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (const Watch* watch = watches_.find(address | space_bit_)) {
    if (payload.is_write())
      report_write(*watch, payload);
    else
      report_read(*watch, payload, attributes.reader);
  }
}

/// A load that takes effect before the last stores to these bytes.
void WatchedMemory::load_early(tlm::tlm_generic_payload& payload) {
  const std::uint64_t before = common::attributes_of(payload).seen_before;
  simulation_.store_history.undo(payload.get_address(), payload.get_data_ptr(),
                                 payload.get_data_length(), before);
  common::Hasher content;
  for (std::size_t i = 0; i < payload.get_data_length(); ++i)
    content.add(payload.get_data_ptr()[i]);
  simulation_.steps.observe(content.value());
}

void WatchedMemory::fetch(const tlm::tlm_generic_payload& payload) {
  if (simulation_.steps.exploring()) touch(payload.get_address(), payload.get_data_length(), false);
  bytes_.read(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
}

void WatchedMemory::touch(std::uint64_t address, std::size_t length, bool write) {
  common::Steps& steps = simulation_.steps;
  // Track words: values of several independent fences share a line.
  for (std::uint64_t at = address & ~7ULL; at < address + length; at += 8) {
    steps.touch(common::Place::kMemory, place_of(at), write);
    if (!write) steps.observe(bytes_.word(at));
  }
}

void WatchedMemory::toggle(std::uint64_t address, std::size_t length) {
  for (std::uint64_t at = address & ~7ULL; at < address + length; at += 8)
    hash_ ^= common::hash_values(at, bytes_.word(at));
}

void WatchedMemory::report_read(const Watch& watch, const tlm::tlm_generic_payload& payload,
                                event::Reader reader) {
  if (watch.kind != WatchKind::kCurrentValue && watch.kind != WatchKind::kShadow) return;
  std::uint64_t value = 0;
  std::memcpy(&value, payload.get_data_ptr(), std::min<std::size_t>(8, payload.get_data_length()));
  if (watch.kind == WatchKind::kCurrentValue)
    simulation_.emit(event::CurrentValueRead{watch.object, value, reader});
  else
    simulation_.emit(event::ShadowRead{watch.object, value, watch.adapter});
}

void WatchedMemory::report_write(const Watch& watch, tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const common::Attributes& attributes = common::attributes_of(payload);
  if (watch.kind == WatchKind::kLog)
    return report_log_write(watch, address, payload.get_data_length());
  if (watch.kind == WatchKind::kRing || attributes.partial) return;
  const std::uint64_t value = bytes_.word(address);
  if (watch.kind == WatchKind::kCurrentValue)
    simulation_.emit(
        event::CurrentValueVisible{{watch.object, value, watch.adapter}, attributes.signal.number});
  else if (watch.kind == WatchKind::kDoorbellStatus)
    simulation_.emit(event::DoorbellStatusVisible{watch.object, value, watch.adapter});
  else if (watch.kind == WatchKind::kMonitoredValue)
    simulation_.emit(event::MonitoredValueVisible{watch.object, value, watch.adapter});
  else
    simulation_.emit(event::ShadowVisible{watch.object, value, watch.adapter});
}

void WatchedMemory::report_log_write(const Watch& watch, std::uint64_t address,
                                     std::size_t length) {
  const std::uint64_t offset = (address | space_bit_) - watch.address;
  if (offset < sizeof(abi::FenceLogHeader)) {
    if (offset == 0) simulation_.emit(event::LogHeaderVisible{watch.object, bytes_.word(address)});
    return;
  }
  // An entry is visible when its last bytes arrive. Its pieces may arrive in either order: readers
  // must compare whole entries.
  const std::uint64_t entry = (offset - sizeof(abi::FenceLogHeader)) / sizeof(abi::FenceLogEntry);
  const std::uint64_t start = sizeof(abi::FenceLogHeader) + entry * sizeof(abi::FenceLogEntry);
  if (offset + length < start + sizeof(abi::FenceLogEntry)) return;
  simulation_.emit(
      event::LogEntryVisible{watch.object, entry, bytes_.word(address - offset + start)});
}

}  // namespace fenceline::memory
