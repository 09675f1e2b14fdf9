#include "tb/check/doorbell.h"

#include <algorithm>

namespace fenceline::check {

using common::Event;
using common::Hasher;
using common::ObjectKind;

namespace {
constexpr std::uint64_t kAbort = 3;  // D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT
}  // namespace

void DoorbellChecks::on_mapped(const Event& event) {
  Queue& queue = queues_[event.object];
  queue.adapter = event.c;
  queue.doorbell = event.a;
  if (event.a == 0) return;
  world_.report.checked(Invariant::kOneDoorbell);
  for (std::size_t other = 0; other < queues_.size(); ++other)
    if (other != event.object && queues_[other].doorbell == event.a &&
        queues_[other].adapter == event.c)
      fail(Invariant::kOneDoorbell, event.object,
           "gets doorbell " + text(event.a) + ", to which the address of queue " +
               queue_name(other) + " still leads");
}

void DoorbellChecks::on_status(const Event& event) {
  Queue& queue = queues_[event.object];
  queue.statuses.push_back(event.a);
  queue.lost = queue.lost || event.a == kAbort;
}

void DoorbellChecks::on_status_visible(const Event& event) {
  Queue& queue = queues_[event.object];
  world_.report.checked(Invariant::kStatusCell);
  const auto stored = std::find(queue.statuses.begin(), queue.statuses.end(), event.a);
  if (stored != queue.statuses.begin() || queue.statuses.empty())
    return fail(Invariant::kStatusCell, event.object,
                "has status " + text(event.a) + ", which the operating system has not stored");
  queue.statuses.erase(stored);
}

void DoorbellChecks::on_rung(const Event& event) {
  Queue& queue = queues_[event.object];
  queue.rung = std::max(queue.rung, event.a);
  if (event.b != 0) rings_.push_back({event.c, event.b, event.a, event.object});
}

/// The write that arrives is one of the queue that has the doorbell, if there is such a one.
void DoorbellChecks::on_arrived(const Event& event) {
  if (event.b == 0) return;
  const auto fits = [&](const Ring& ring) {
    return ring.adapter == event.c && ring.doorbell == event.b && ring.write_pointer == event.a;
  };
  auto it = std::find_if(rings_.begin(), rings_.end(), [&](const Ring& ring) {
    return fits(ring) && ring.queue == event.object;
  });
  if (it == rings_.end()) it = std::find_if(rings_.begin(), rings_.end(), fits);
  if (it == rings_.end()) return;
  const Ring ring = *it;
  rings_.erase(it);
  if (event.object == 0) return;
  world_.report.checked(Invariant::kOneDoorbell);
  if (ring.queue != event.object)
    return fail(Invariant::kOneDoorbell, ring.queue,
                "rang doorbell " + text(event.b) + " for write pointer " + text(event.a) +
                    ", and queue " + queue_name(event.object) + " was woken");
  learn(event.object, event.a);
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
      fail(Invariant::kWorkAnnounced, static_cast<std::uint32_t>(number),
           "was rung for write pointer " + text(queue.rung) + ", and the device knows of " +
               text(queue.known));
  }
}

void DoorbellChecks::clear() {
  queues_.clear();
  rings_.clear();
}

std::string DoorbellChecks::queue_name(std::uint64_t queue) const {
  return world_.report.name(ObjectKind::kQueue, queue);
}

void DoorbellChecks::fail(Invariant invariant, std::uint32_t queue, const std::string& what) {
  if (!world_.report.broken(invariant, queue)) return;
  world_.report.add(
      invariant, 0,
      "queue " + queue_name(queue) + " " + what + ", " + at_time(world_.report.time()));
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
