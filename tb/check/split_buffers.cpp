#include "tb/check/split_buffers.h"

#include "models/abi/packets.h"

namespace fenceline::check {

using common::Event;
using common::Hasher;
using common::ObjectKind;

SplitBufferChecks& SplitBufferChecks::operator=(const SplitBufferChecks& other) {
  parts_ = other.parts_;
  runs_ = other.runs_;
  return *this;
}

void SplitBufferChecks::fail(Invariant invariant, std::uint64_t object,
                             const std::string& message) {
  Reporter& report = world_.report;
  if (report.broken(invariant, static_cast<std::uint32_t>(object)))
    report.add(invariant, 0, message + " " + at_time(report.time()));
}

std::string SplitBufferChecks::part(const Event& event) const {
  return "submission " + text(event.a & 0xFFFFFFFF) + " of engine " + text((event.a >> 32) - 1) +
         " of " + world_.report.name(ObjectKind::kAdapter, event.object);
}

void SplitBufferChecks::on_part(const Event& event) { parts_[key(event)] = {{}, event.b}; }

void SplitBufferChecks::on_location(const Event& event) {
  parts_[key(event)].locations.push_back({abi::slot_of(event.b), event.c, abi::offset_of(event.b)});
}

void SplitBufferChecks::on_use(const Event& event) {
  world_.report.checked(Invariant::kPartBindings);
  const std::uint32_t slot = abi::slot_of(event.b);
  const Location* bound = nullptr;
  for (const Location& location : parts_[key(event)].locations)
    if (location.slot == slot && location.place < event.c) bound = &location;
  if (bound == nullptr || bound->address == 0)
    fail(Invariant::kPartBindings, event.object,
         part(event) + " uses slot " + text(slot) +
             ", which no patch location of its own has bound before");
  else if (bound->address != abi::offset_of(event.b))
    fail(Invariant::kPartBindings, event.object,
         part(event) + " finds another allocation in slot " + text(slot) +
             " than the one that its patch location names");
}

void SplitBufferChecks::on_packet(const Event& event) {
  const auto found = parts_.find(key(event));
  if (found == parts_.end() || found->second.broadcast == 0) return;
  world_.report.checked(Invariant::kBroadcastData);
  const auto [first, fresh] =
      runs_.emplace(Key{found->second.broadcast, event.c}, FirstRun{event.b, event.object});
  if (fresh || first->second.hash == event.b) return;
  fail(Invariant::kBroadcastData, event.object,
       part(event) + " runs another packet of a broadcast buffer than " +
           world_.report.name(ObjectKind::kAdapter, first->second.adapter) +
           " has at the same place: the buffer was modified");
}

void SplitBufferChecks::on_buffer_end(const Event& event) {
  parts_.erase({event.object, event.a | (event.c & 0xFF) << 32});
}

void SplitBufferChecks::on_emptied(const Event& event) {
  const std::uint64_t engine = event.c & 0xFF;
  parts_.erase(parts_.lower_bound({event.object, engine << 32}),
               parts_.lower_bound({event.object, (engine + 1) << 32}));
}

void SplitBufferChecks::add_to(Canonical& hash) const {
  for (const auto& [key, part] : parts_) {
    hash.add(key.first).add(key.second).add(part.broadcast);
    for (const Location& location : part.locations)
      hash.add(location.place).add(abi::bound_address(location.slot, location.address));
  }
  for (const auto& [key, run] : runs_)
    hash.add(key.first).add(key.second).add(run.hash).add(run.adapter);
}

}  // namespace fenceline::check
