#include "tb/report/rows/machine_rows.h"

#include "models/common/event_handlers.h"

namespace fenceline::report {

using common::At;

void MachineRows::take(const common::Event& event) {
  common::Handlers<MachineRows>::hand(*this, event);
}

// --- links, cores, threads

void MachineRows::on(const At<event::Mark>& event) {
  draft_.mark(InstantKind::kMark, event.time, {Lane::kThread, event.thread, event.label});
}

void MachineRows::on(const At<event::PcieTransfer>& event) {
  const std::uint64_t detail = pair_key(static_cast<std::uint64_t>(event.kind.value), event.bytes);
  OnWire& last = wires_[event.link];
  const bool wrong = last.fault && last.begin == event.start;
  last.slice = draft_.begin(SliceKind::kTransfer, event.start, {Lane::kLink, event.link, detail});
  last.begin = event.start;
  draft_.end(last.slice, event.start + event.duration);
  if (wrong) make_wrong(last);
  last.fault.reset();
}

/// A lost, late or doubled message is on the wire already; a packet that is sent again is not.
void MachineRows::on(const At<event::LinkFault>& event) {
  OnWire& last = wires_[event.link];
  last.fault = event.kind;
  last.place = draft_.place;
  const bool there = last.slice != TimelineDraft::kNoSlice && last.begin == event.begin;
  if (event.kind != event::LinkFaultKind::kReplay && there) return make_wrong(last);
  last.begin = event.begin;
}

void MachineRows::make_wrong(const OnWire& transfer) {
  Slice& slice = draft_.timeline.slices[transfer.slice];
  slice.kind = SliceKind::kWrongTransfer;
  slice.detail |= static_cast<std::uint64_t>(*transfer.fault) << 40;
  slice.place = transfer.place;
}

void MachineRows::add_idle(const IdlePeriod& period) {
  draft_.end(draft_.begin(SliceKind::kIdle, period.begin, {Lane::kCore, period.core, period.state}),
             period.end);
}

void MachineRows::on(const At<event::CombiningDrained>& event) {
  const std::uint64_t begin = event.time - event.duration;
  draft_.end(draft_.begin(SliceKind::kDrained, begin, {Lane::kCore, event.core}), event.time);
}

void MachineRows::on(const At<event::ThreadState>& event) {
  using event::ThreadStateKind;
  draft_.end(threads_, event.thread, event.time);
  if (event.state != ThreadStateKind::kRunning && event.state != ThreadStateKind::kReady) return;
  const SliceKind kind =
      event.state == ThreadStateKind::kRunning ? SliceKind::kRunning : SliceKind::kReady;
  threads_[event.thread] = draft_.begin(kind, event.time, {Lane::kThreadState, event.thread});
}

// --- displays

void MachineRows::on(const At<event::VerticalSync>& event) {
  draft_.end(frames_, event.adapter, event.time);
  frames_[event.adapter] =
      draft_.begin(SliceKind::kFrame, event.time, {Lane::kDisplay, event.adapter, event.frame});
}

void MachineRows::on(const At<event::FlipCall>& event) {
  flips_[pair_key(event.adapter, event.present)] =
      draft_.begin(SliceKind::kFlip, event.time, {Lane::kFlips, event.adapter, event.present});
}

void MachineRows::on(const At<event::FlipEffective>& event) {
  draft_.mark(InstantKind::kScanOut, event.time, {Lane::kDisplay, event.adapter, event.address});
}

void MachineRows::on(const At<event::FlipDone>& event) {
  draft_.end(flips_, pair_key(event.adapter, event.present), event.time);
}

void MachineRows::on(const At<event::AdapterPower>& event) {
  draft_.end(power_, event.adapter, event.time);
  if (event.state != 0)
    power_[event.adapter] =
        draft_.begin(SliceKind::kPower, event.time, {Lane::kPower, event.adapter, event.state});
}

// --- memory

void MachineRows::on(const At<event::AllocationPlaced>& event) {
  const auto placement = static_cast<std::uint64_t>(event.placement);
  const auto known = places_.find(event.allocation);
  const bool first = known == places_.end();
  if (!first && known->second.placement == placement) return;
  Place& place = first ? places_[event.allocation] : *shown(event.allocation);
  draft_.end(place.slice, event.time);
  place = {event.time, placement, TimelineDraft::kNoSlice};
  if (!first) shown(event.allocation);
}

/// The place of an allocation, which has a row from now on; null if it is not known.
MachineRows::Place* MachineRows::shown(std::uint32_t allocation) {
  const auto found = places_.find(allocation);
  if (found == places_.end()) return nullptr;
  Place& place = found->second;
  if (place.slice == TimelineDraft::kNoSlice)
    place.slice = draft_.begin(SliceKind::kPlaced, place.since,
                               {Lane::kAllocation, allocation, place.placement});
  return &place;
}

void MachineRows::on(const At<event::AllocationLocked>& event) {
  if (event.status != 0) return;
  shown(event.allocation);
  draft_.end(locks_, event.allocation, event.time);
  locks_[event.allocation] =
      draft_.begin(SliceKind::kLocked, event.time, {Lane::kAllocation, event.allocation});
}

void MachineRows::on(const At<event::AllocationUnlocked>& event) {
  draft_.end(locks_, event.allocation, event.time);
}

void MachineRows::on(const At<event::AllocationDestroyed>& event) {
  draft_.end(locks_, event.allocation, event.time);
  const auto found = places_.find(event.allocation);
  if (found == places_.end()) return;
  draft_.end(found->second.slice, event.time);
  places_.erase(found);
}

void MachineRows::on(const At<event::CacheMaintained>& event) {
  shown(event.allocation);
  draft_.mark(InstantKind::kCacheFlush, event.time,
              {Lane::kAllocation, event.allocation, event.bytes});
}

}  // namespace fenceline::report
