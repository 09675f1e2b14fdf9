#include "tb/os/objects/waiter.h"

#include "tb/os/core/cpu.h"

namespace fenceline::os {

void Registration::leave() {
  if (list_ == nullptr) return;
  list_->by_value_.erase(at_);
  list_ = nullptr;
}

Registration* WaitList::first_through(const LocalObject* local) const {
  for (const auto& [key, registration] : by_value_)
    if (local == nullptr || registration->through() == local) return registration;
  return nullptr;
}

Registration* WaitList::reached(std::uint64_t current, std::uint64_t older) const {
  for (const auto& [key, registration] : by_value_) {
    if (key > current) break;
    if (registration->order() <= older) return registration;
  }
  return nullptr;
}

void WaitList::add_to(common::Hasher& hasher) const {
  for (const auto& [value, registration] : by_value_) {
    const Waiter& waiter = registration->waiter();
    hasher.add(value)
        .add(std::uint64_t{waiter.thread} << 1 | (waiter.any ? 1U : 0U))
        .add(waiter.remaining);
  }
}

void report_wait_end(common::Simulation& simulation, const Waiter& waiter, event::FenceId fence,
                     std::uint64_t value, bool in_time) {
  if (in_time)
    simulation.emit(event::WaitDone{fence, value, waiter.number, waiter.thread});
  else
    simulation.emit(event::WaitTimeout{fence, value, waiter.number, waiter.thread});
}

void Waiter::enter(WaitList& list, std::uint64_t key, std::uint64_t value, LocalPointer through,
                   std::uint64_t order) {
  registrations_.emplace_back(new Registration(*this, value, std::move(through)));
  Registration& made = *registrations_.back();
  made.at_ = list.by_value_.emplace(key, &made);
  made.order_ = order;
  made.list_ = &list;
}

void Waiter::leave() {
  for (const auto& registration : registrations_) registration->leave();
}

bool Waiter::leave_satisfied(Registration& registration) {
  registration.leave();
  return --remaining == 0;
}

void Waiter::satisfy() {
  satisfied = true;
  leave();
  KernelEvent& wakes = *event;
  if (asynchronous != nullptr) asynchronous->end(number);
  wakes.set();
}

bool Waiter::is_in(const WaitList& list) const {
  return std::any_of(registrations_.begin(), registrations_.end(),
                     [&](const auto& registration) { return registration->in(list); });
}

std::int32_t Waits::leave_open(Waiter& waiter, std::int32_t status) {
  if (status < 0 || waiter.satisfied)
    end(waiter.number);
  else
    waiter.asynchronous = this;
  return status;
}

Waiter& Waits::open(std::uint32_t thread, KernelEvent& event, bool any) {
  const std::uint32_t number = next_number();
  Waiter& waiter = open_[number];
  waiter.number = number;
  waiter.thread = thread;
  waiter.event = &event;
  waiter.any = any;
  return waiter;
}

}  // namespace fenceline::os
