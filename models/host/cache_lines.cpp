// Cache lines with content, for hosts where devices do not snoop.
#include <algorithm>
#include <cstring>

#include "models/host/caches.h"

namespace fenceline::host {

using common::CacheMaintenance;
using common::Footprint;
using common::kLineBytes;
using common::Operation;
using common::Place;

namespace {

std::uint64_t first_line(const tlm::tlm_generic_payload& payload) {
  return payload.get_address() / kLineBytes;
}
/// One past the last line of the access.
std::uint64_t end_line(const tlm::tlm_generic_payload& payload) {
  return (payload.get_address() + payload.get_data_length() + kLineBytes - 1) / kLineBytes;
}

}  // namespace

std::uint64_t Caches::state_hash() const {
  common::Hasher hasher;
  hasher.add(lines_hash_);
  for (const auto& [number, mapped] : wanted_) hasher.add(number << 1 | (mapped ? 1U : 0U));
  return hasher.value();
}

void Caches::toggle(const Line& line) {
  lines_hash_ ^= common::Hasher()
                     .add(line.number << 1 | (line.dirty ? 1U : 0U))
                     .add_words(line.data.data(), line.data.size())
                     .value();
}

/// Footprint of a read or change of the cache place of a line.
void Caches::touch(std::uint64_t number, bool write) const {
  simulation_.steps.touch(Place::kMemory, place_ + number % config_.cache_lines, write);
}

void Caches::touch_wanted() const {
  simulation_.steps.touch(Place::kRegister, wanted_place_, true);
}

Caches::Line* Caches::find(std::uint64_t number) {
  touch(number, false);
  const auto at = lines_.find(number % config_.cache_lines);
  return at != lines_.end() && at->second.number == number ? &at->second : nullptr;
}

std::optional<std::uint64_t> Caches::unwritten(std::uint64_t address) const {
  const std::uint64_t number = address / kLineBytes;
  const auto at = lines_.find(number % config_.cache_lines);
  if (at == lines_.end() || at->second.number != number || !at->second.dirty) return std::nullopt;
  std::uint64_t word = 0;
  std::memcpy(&word, at->second.data.data() + (address % kLineBytes & ~7ULL), sizeof word);
  return word;
}

/// Fills a line from memory and evicts the line at its place.
Caches::Line& Caches::fill(std::uint64_t number) {
  const auto other = lines_.find(number % config_.cache_lines);
  if (other != lines_.end()) {
    sc_core::sc_time later;  // no agent waits for the write-back
    write_back(other->second, later);
    drop(other->second.number);
  }
  touch(number, true);
  Line& fresh = lines_[number % config_.cache_lines];
  fresh.number = number;
  auto fetch = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, number * kLineBytes,
                                             fresh.data.data(), fresh.data.size());
  memory->transport_dbg(fetch->payload);
  toggle(fresh);
  return fresh;
}

void Caches::write_back(Line& line, sc_core::sc_time& delay) {
  if (!line.dirty) return;
  touch(line.number, true);
  auto store = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, line.number * kLineBytes,
                                             line.data.data(), line.data.size());
  memory->b_transport(store->payload, delay);
  toggle(line);
  line.dirty = false;
  toggle(line);
}

/// Drops the line without writing it back.
void Caches::drop(std::uint64_t number) {
  const auto at = lines_.find(number % config_.cache_lines);
  if (at == lines_.end() || at->second.number != number) return;
  touch(number, true);
  toggle(at->second);
  lines_.erase(at);
}

/// @pre the payload lies within a line.
void Caches::read(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t number = first_line(payload);
  if (Line* const line = find(number)) {
    std::memcpy(payload.get_data_ptr(), line->data.data() + payload.get_address() % kLineBytes,
                payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    simulation_.steps.observe(
        common::Hasher().add_words(payload.get_data_ptr(), payload.get_data_length()).value());
    delay += common::kernel_time(config_.cache_hit);
    return;
  }
  memory->b_transport(payload, delay);
  if (payload.is_response_ok()) fill(number);
}

/// @pre the payload lies within a line.
void Caches::write(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t number = first_line(payload);
  Line* const found = find(number);
  Line& line = found != nullptr ? *found : fill(number);
  touch(number, true);
  toggle(line);
  std::memcpy(line.data.data() + payload.get_address() % kLineBytes, payload.get_data_ptr(),
              payload.get_data_length());
  line.dirty = true;
  toggle(line);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  delay += common::kernel_time(config_.store);
}

/// A snooping device, or a core with an uncached mapping, sees the content of the lines. Its writes
/// drop them.
void Caches::snoop(const tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  for (std::uint64_t number = first_line(payload); number < end_line(payload); ++number) {
    Line* const line = find(number);
    if (line == nullptr) continue;
    write_back(*line, delay);
    if (payload.is_write()) drop(number);
  }
}

void Caches::maintain(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const CacheMaintenance what = common::attributes_of(payload).maintenance;
  for (std::uint64_t number = first_line(payload); number < end_line(payload); ++number) {
    delay += common::kernel_time(config_.cache_hit);
    if (keeps_content_) maintain_line(number, what, delay);
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void Caches::maintain_line(std::uint64_t number, CacheMaintenance what, sc_core::sc_time& delay) {
  Line* const line = find(number);
  if (line != nullptr) write_back(*line, delay);
  if (what == CacheMaintenance::kClean) return;
  if (line != nullptr) drop(number);
  if (!config_.speculative_reads) return;
  if (what == CacheMaintenance::kForget) {
    touch_wanted();
    if (const auto known = wanted_.find(number); known != wanted_.end()) known->second = false;
  } else if (line != nullptr) {
    touch_wanted();
    wanted_[number] = true;
    wanted_changed_.open();
  }
}

/// Body of the agent host.prefetch. The wanted line may be present already or no longer mapped.
void Caches::speculate() {
  common::Steps& steps = simulation_.steps;
  for (;;) {
    steps.forget();
    steps.step_when(
        wanted_changed_, [this] { return !wanted_.empty(); }, Operation::kRead,
        Footprint().writes(Place::kRegister, wanted_place_), config_.speculation);
    touch_wanted();
    const auto [number, mapped] = *wanted_.begin();
    wanted_.erase(wanted_.begin());
    if (mapped && find(number) == nullptr) fill(number);
  }
}

}  // namespace fenceline::host
