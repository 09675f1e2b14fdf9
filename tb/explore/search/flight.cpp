#include "tb/explore/search/flight.h"

#include <new>
#include <sys/mman.h>

namespace fenceline::explore {

Flight::Flight(std::size_t max_steps)
    : max_steps_(max_steps), bytes_(sizeof(Shared) + max_steps * sizeof(TraceStep)) {
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  shared_ = new (memory) Shared{};
  steps_ = reinterpret_cast<TraceStep*>(static_cast<char*>(memory) + sizeof(Shared));
}

Flight::~Flight() { munmap(shared_, bytes_); }

Trace Flight::trace() const {
  const std::uint64_t length = shared_->length.load();
  return length > max_steps_ ? Trace() : Trace(steps_, steps_ + length);
}

void Flight::count(std::uint64_t executions, std::uint64_t states) {
  shared_->executions.store(executions, std::memory_order_relaxed);
  shared_->states.store(states, std::memory_order_relaxed);
}

void Flight::count(const Frontier& frontier) {
  shared_->open.store(frontier.open, std::memory_order_relaxed);
  shared_->left.store(frontier.left, std::memory_order_relaxed);
}

Flight::Counts Flight::counts() const {
  return {shared_->executions.load(),
          shared_->states.load(),
          {shared_->open.load(), shared_->left.load()}};
}

}  // namespace fenceline::explore
