#include "tb/check/work/split_buffers.h"

#include "models/abi/packets.h"

namespace fenceline::check {

using common::At;
using common::ObjectKind;

std::string SplitBufferChecks::name(const Key& part) const {
  const auto [adapter, engine, submission] = part;
  return "submission " + text(submission) + " of engine " + text(engine - 1) + " of " +
         world_.report.name(ObjectKind::kAdapter, adapter);
}

void SplitBufferChecks::on(const At<event::PartGiven>& event) {
  parts_[key(event)] = {{}, event.broadcast};
}

void SplitBufferChecks::on(const At<event::PatchLocation>& event) {
  parts_[key(event)].locations.push_back(
      {abi::slot_of(event.binding), event.packet, abi::offset_of(event.binding)});
}

void SplitBufferChecks::on(const At<event::BoundUse>& event) {
  world_.report.checked(Invariant::kPartBindings);
  const std::uint32_t slot = abi::slot_of(event.binding);
  const Location* bound = nullptr;
  for (const Location& location : parts_[key(event)].locations)
    if (location.slot == slot && location.place < event.packet) bound = &location;
  if (bound == nullptr || bound->address == 0)
    fail(Invariant::kPartBindings, event.adapter,
         name(key(event)) + " uses slot " + text(slot) +
             ", which no patch location of its own has bound before");
  else if (bound->address != abi::offset_of(event.binding))
    fail(Invariant::kPartBindings, event.adapter,
         name(key(event)) + " finds another allocation in slot " + text(slot) +
             " than the one that its patch location names");
}

void SplitBufferChecks::on(const At<event::PacketRead>& event) {
  const auto found = parts_.find(key(event));
  if (found == parts_.end() || found->second.broadcast == 0) return;
  world_.report.checked(Invariant::kBroadcastData);
  const auto [first, fresh] = runs_.emplace(std::make_pair(found->second.broadcast, event.packet),
                                            FirstRun{event.bytes, event.adapter});
  if (fresh || first->second.hash == event.bytes) return;
  fail(Invariant::kBroadcastData, event.adapter,
       name(key(event)) + " runs another packet of a broadcast buffer than " +
           world_.report.name(ObjectKind::kAdapter, first->second.adapter) +
           " has at the same place: the buffer was modified");
}

void SplitBufferChecks::on(const At<event::BufferEnd>& event) { parts_.erase(key(event)); }

/// Parts that the node loses come back, if at all, as new submissions.
void SplitBufferChecks::empty(std::uint64_t adapter, std::uint64_t engine) {
  parts_.erase(parts_.lower_bound({adapter, engine, 0}),
               parts_.lower_bound({adapter, engine + 1, 0}));
}

void SplitBufferChecks::add_to(Canonical& hash) const {
  for (const auto& [key, part] : parts_) {
    const auto [adapter, engine, submission] = key;
    hash.add(adapter).add(engine << 32 | submission).add(part.broadcast);
    for (const Location& location : part.locations)
      hash.add(location.place).add(abi::bound_address(location.slot, location.address));
  }
  for (const auto& [key, run] : runs_)
    hash.add(key.first).add(key.second).add(run.hash).add(run.adapter);
}

}  // namespace fenceline::check
