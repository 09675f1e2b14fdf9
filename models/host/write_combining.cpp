#include "models/host/write_combining.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fenceline::host {

using common::Footprint;
using common::kLineBytes;
using common::Operation;
using common::Place;
using event::CombiningDrain;

namespace {
/// Mask with one bit per byte: `bytes` bytes from `first` on.
std::uint64_t bits(std::size_t first, std::size_t bytes) {
  return (bytes == kLineBytes ? UINT64_MAX : (1ULL << bytes) - 1) << first;
}
}  // namespace

WriteCombining::WriteCombining(common::Simulation& simulation, const WriteCombiningConfig& config,
                               const std::string& core_name, std::uint32_t core, Send send)
    : simulation_(simulation),
      config_(config),
      core_(core),
      send_(std::move(send)),
      place_(simulation.steps.new_place()),
      agents_(std::min<std::size_t>(config.buffers, kAgents)),
      changed_(simulation.steps),
      buffers_(config.buffers) {
  for (std::size_t agent = 0; agent < agents_; ++agent)
    simulation.steps.add_agent(core_name + ".combine" + std::to_string(agent),
                               [this, agent] { serve(agent); });
  simulation.steps.add_state(*this);
}

std::uint64_t WriteCombining::state_hash() const {
  common::Hasher hasher;
  for (const Buffer& buffer : buffers_) {
    hasher.add(buffer.mask);
    if (!buffer.used) continue;
    hasher.add(issued_ - buffer.number + 1)
        .add(buffer.line << 1 | (buffer.leaving ? 1U : 0U))
        .add_words(buffer.data.data(), buffer.data.size());
  }
  return hasher.value();
}

bool WriteCombining::pending() const {
  return std::any_of(buffers_.begin(), buffers_.end(), [](const Buffer& it) { return it.used; });
}

std::size_t WriteCombining::used() const {
  touch(false);
  return static_cast<std::size_t>(
      std::count_if(buffers_.begin(), buffers_.end(), [](const Buffer& it) { return it.used; }));
}

WriteCombining::Buffer* WriteCombining::find(std::uint64_t line) {
  touch(false);
  const auto at = std::find_if(buffers_.begin(), buffers_.end(),
                               [line](const Buffer& it) { return it.used && it.line == line; });
  return at != buffers_.end() ? &*at : nullptr;
}

WriteCombining::Buffer* WriteCombining::free_place() {
  touch(false);
  const auto at =
      std::find_if(buffers_.begin(), buffers_.end(), [](const Buffer& it) { return !it.used; });
  return at != buffers_.end() ? &*at : nullptr;
}

/// The oldest buffer that is not leaving.
WriteCombining::Buffer* WriteCombining::oldest() {
  Buffer* result = nullptr;
  for (Buffer& buffer : buffers_)
    if (buffer.used && !buffer.leaving && (result == nullptr || buffer.number < result->number))
      result = &buffer;
  return result;
}

WriteCombining::Buffer& WriteCombining::take(std::uint64_t line) {
  Buffer* place = free_place();
  if (place == nullptr) {
    ++want_room_;
    if (Buffer* const first = oldest(); first != nullptr) first->asked = true;
    changed_.open();
    simulation_.steps.wait_until(changed_, [&] { return (place = free_place()) != nullptr; });
    --want_room_;
  }
  touch(true);
  *place = Buffer();
  place->used = true;
  place->line = line;
  place->number = ++issued_;
  place->since = simulation_.steps.now();
  return *place;
}

void WriteCombining::store(std::uint64_t address, const void* data, std::size_t bytes,
                           bool device) {
  const std::uint64_t line = address / kLineBytes;
  Buffer* buffer = find(line);
  if (buffer != nullptr && buffer->leaving) {  // stores to a line stay in order
    simulation_.steps.wait_until(changed_, [&] { return find(line) == nullptr; });
    buffer = nullptr;
  }
  if (buffer == nullptr) buffer = &take(line);
  touch(true);
  const std::size_t first = address % kLineBytes;
  std::memcpy(buffer->data.data() + first, data, bytes);
  buffer->mask |= bits(first, bytes);
  buffer->device = device;
  buffer->asked = buffer->asked || (config_.sends_full && buffer->mask == UINT64_MAX);
  changed_.open();
}

void WriteCombining::send_line(std::uint64_t address) {
  const std::uint64_t line = address / kLineBytes;
  Buffer* const buffer = find(line);
  if (buffer == nullptr) return;
  buffer->asked = true;
  changed_.open();
  simulation_.steps.wait_until(changed_, [&] { return find(line) == nullptr; });
}

/// True if all buffers up to `number` have left. Later buffers of other agents may stay.
bool WriteCombining::sent_up_to(std::uint64_t number) const {
  touch(false);
  return std::none_of(buffers_.begin(), buffers_.end(), [number](const Buffer& buffer) {
    return buffer.used && buffer.number <= number;
  });
}

void WriteCombining::drain(CombiningDrain why) {
  if (used() == 0) return;
  const common::Time start = simulation_.steps.now();
  for (Buffer& buffer : buffers_) buffer.asked = buffer.used;
  changed_.open();
  const std::uint64_t last = issued_;
  simulation_.steps.wait_until(changed_, [&] { return sent_up_to(last); });
  if (why == CombiningDrain::kFence) simulation_.steps.elapse(config_.fence);
  simulation_.emit(event::CombiningDrained{core_, why, simulation_.steps.now() - start});
}

void WriteCombining::fence() { drain(CombiningDrain::kFence); }

std::optional<std::uint64_t> WriteCombining::word(std::uint64_t address) const {
  const std::size_t first = address % kLineBytes & ~std::size_t{7};
  for (const Buffer& buffer : buffers_) {
    const std::uint64_t wanted = bits(first, sizeof(std::uint64_t));
    if (!buffer.used || buffer.line != address / kLineBytes || (buffer.mask & wanted) != wanted)
      continue;
    std::uint64_t value = 0;
    std::memcpy(&value, buffer.data.data() + first, sizeof value);
    return value;
  }
  return std::nullopt;
}

bool WriteCombining::due(const Buffer& buffer) const {
  return buffer.asked ||
         (config_.drain != 0 && simulation_.steps.now() - buffer.since >= config_.drain);
}

/// The buffer that an agent may send now. On the timeline the first agent sends all due buffers.
WriteCombining::Buffer* WriteCombining::next(std::size_t agent) {
  touch(false);
  const bool exploring = simulation_.steps.exploring();
  Buffer* result = nullptr;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    Buffer& buffer = buffers_[i];
    const bool mine = exploring ? i % agents_ == agent : agent == 0 && due(buffer);
    if (buffer.used && mine && (result == nullptr || buffer.number < result->number))
      result = &buffer;
  }
  return result;
}

/// Body of an agent.
void WriteCombining::serve(std::size_t agent) {
  common::Steps& steps = simulation_.steps;
  const bool timed = config_.drain != 0 && agent == 0;
  for (;;) {
    steps.forget();
    Buffer* buffer = nullptr;
    const auto ready = [&] { return (buffer = next(agent)) != nullptr; };
    steps.wait_until(
        changed_, [&] { return ready() || (timed && !steps.exploring() && oldest() != nullptr); });
    if (buffer == nullptr) {
      const common::Time age = steps.now() - oldest()->since;
      steps.wait_until_for(changed_, ready, config_.drain - age);
      continue;
    }
    steps.step(Operation::kDrain,
               Footprint().writes(Place::kFifo, place_).writes(Place::kMemory, buffer->line),
               want_room_ != 0 ? config_.evict : config_.flush);
    send(*buffer);
  }
}

void WriteCombining::send(Buffer& buffer) {
  touch(true);
  buffer.leaving = true;
  std::size_t sent = 0;
  for (std::size_t first = 0; first < kLineBytes;) {
    if ((buffer.mask >> first & 1U) == 0) {
      ++first;
      continue;
    }
    std::size_t end = first + 1;
    while (end < kLineBytes && (buffer.mask >> end & 1U) != 0) ++end;
    send_(
        {buffer.line * kLineBytes + first, buffer.data.data() + first, end - first, buffer.device});
    sent += end - first;
    first = end;
  }
  simulation_.emit(event::CombiningSent{core_, buffer.line * kLineBytes, sent});
  touch(true);
  buffer = Buffer();
  changed_.open();
}

}  // namespace fenceline::host
