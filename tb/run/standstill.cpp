#include "tb/run/standstill.h"

#include <algorithm>

#include "models/abi/packets.h"

namespace fenceline::run {

namespace {
/// Timers that follow one another without anything else, each behind the one before: the quantum
/// of a context, then the time in which it must leave its node, then those of a reset.
constexpr std::uint64_t kChain = 4;
}  // namespace

void Standstill::attach(common::EventStream& events) {
  events.subscribe(*this, common::kinds_that_are(event::kAdvances));
}

void Standstill::on_event(const common::Event& event) {
  if (moved_) return;
  if (!event.is<event::PacketEnd>()) {
    moved_ = true;
    return;
  }
  // A node that changes contexts has executed nothing.
  const auto opcode = static_cast<abi::Opcode>(event.as<event::PacketEnd>().opcode);
  moved_ = opcode != abi::Opcode::kPreempted && opcode != abi::Opcode::kSuspended;
}

bool Standstill::found() {
  const common::Time now = steps_.now();
  if (moved_ || advances_ != steps_.advances()) {
    moved_ = false;
    advances_ = steps_.advances();
    since_ = now;
    since_beats_ = steps_.beats();
    pending_ = std::max(now, steps_.latest_end());
    steps_.forget_longest_wait();
    return false;
  }
  const common::Time idle_from = std::max(pending_, since_ + kChain * steps_.longest_wait());
  if (now > idle_from && now - idle_from >= limits_.standstill) return true;
  const bool awaited = idle_from > now;
  return !awaited && steps_.beats() - since_beats_ >= limits_.standstill_steps;
}

}  // namespace fenceline::run
