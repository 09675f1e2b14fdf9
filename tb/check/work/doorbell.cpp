#include "tb/check/work/doorbell.h"

#include <algorithm>

namespace fenceline::check {

using common::At;
using common::Hasher;
using common::ObjectKind;

namespace {
constexpr std::uint64_t kAbort = 3;  // D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT
}  // namespace

void DoorbellChecks::on(const At<event::DoorbellMapped>& event) {
  Queue& queue = queues_[event.queue];
  queue.adapter = event.adapter;
  queue.doorbell = event.doorbell;
  if (event.doorbell == 0) return;
  world_.report.checked(Invariant::kOneDoorbell);
  for (std::size_t other = 0; other < queues_.size(); ++other)
    if (other != event.queue && queues_[other].doorbell == event.doorbell &&
        queues_[other].adapter == event.adapter)
      fail_queue(Invariant::kOneDoorbell, event.queue,
                 "gets doorbell " + text(event.doorbell) + ", to which the address of queue " +
                     queue_name(other) + " still leads");
}

void DoorbellChecks::on(const At<event::DoorbellStatus>& event) {
  Queue& queue = queues_[event.queue];
  queue.statuses.push_back(event.status);
  queue.lost = queue.lost || event.status == kAbort;
}

void DoorbellChecks::on(const At<event::DoorbellStatusVisible>& event) {
  Queue& queue = queues_[event.queue];
  world_.report.checked(Invariant::kStatusCell);
  const auto stored = std::find(queue.statuses.begin(), queue.statuses.end(), event.status);
  if (stored != queue.statuses.begin() || queue.statuses.empty())
    return fail_queue(
        Invariant::kStatusCell, event.queue,
        "has status " + text(event.status) + ", which the operating system has not stored");
  queue.statuses.erase(stored);
}

void DoorbellChecks::on(const At<event::DoorbellRung>& event) {
  Queue& queue = queues_[event.queue];
  queue.rung = std::max(queue.rung, event.write_pointer);
  if (event.doorbell != 0)
    rings_.push_back({event.adapter, event.doorbell, event.write_pointer, event.queue});
}

/// Matches the write to the queue that owns the doorbell, if there is one.
void DoorbellChecks::on(const At<event::Doorbell>& event) {
  if (event.doorbell == 0) return;
  const auto fits = [&](const Ring& ring) {
    return ring.adapter == event.adapter && ring.doorbell == event.doorbell &&
           ring.write_pointer == event.write_pointer;
  };
  auto it = std::find_if(rings_.begin(), rings_.end(),
                         [&](const Ring& ring) { return fits(ring) && ring.queue == event.queue; });
  if (it == rings_.end()) it = std::find_if(rings_.begin(), rings_.end(), fits);
  if (it == rings_.end()) return;
  const Ring ring = *it;
  rings_.erase(it);
  if (event.queue == 0) return;
  world_.report.checked(Invariant::kOneDoorbell);
  if (ring.queue != event.queue)
    return fail_queue(Invariant::kOneDoorbell, ring.queue,
                      "rang doorbell " + text(event.doorbell) + " for write pointer " +
                          text(event.write_pointer) + ", and queue " + queue_name(event.queue) +
                          " was woken");
  learn(event.queue, event.write_pointer);
}

void DoorbellChecks::learn(std::uint32_t number, std::uint64_t write_pointer) {
  Queue& queue = queues_[number];
  queue.known = std::max(queue.known, write_pointer);
}

void DoorbellChecks::finish_quiescent() {
  for (std::size_t number = 0; number < queues_.size(); ++number) {
    const Queue& queue = queues_[number];
    if (queue.rung == 0 || queue.lost) continue;
    world_.report.checked(Invariant::kWorkAnnounced);
    if (queue.known < queue.rung)
      fail_queue(Invariant::kWorkAnnounced, number,
                 "was rung for write pointer " + text(queue.rung) + ", and the device knows of " +
                     text(queue.known));
  }
}

std::string DoorbellChecks::queue_name(std::uint64_t queue) const {
  return world_.report.name(ObjectKind::kQueue, queue);
}

void DoorbellChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t number = 0; number < queues_.size(); ++number) {
    const Queue& queue = queues_[number];
    if (queue.adapter == 0 && queue.rung == 0 && queue.known == 0 && queue.statuses.empty())
      continue;
    Hasher one;
    one.add(pair_of(number, queue.adapter)).add(queue.doorbell).add(queue.rung).add(queue.known);
    one.add(bits_of(queue.lost));
    for (const std::uint64_t status : queue.statuses) one.add(status);
    sum += one.value();
  }
  hash.add(sum);
  for (const Ring& ring : rings_)
    hash.add(pair_of(ring.queue, ring.doorbell)).add(pair_of(ring.adapter, ring.write_pointer));
}

}  // namespace fenceline::check
