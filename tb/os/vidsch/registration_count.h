#pragma once

#include "tb/os/core/ordering.h"
#include "tb/os/driver/adapter.h"

namespace fenceline::os {

/// Number of registrations of an adapter, in kernel memory, for os.lockless_signal: a signal reads
/// it without the lock of the lists. Without the switch there is no such word: see used().
class RegistrationCount {
 public:
  RegistrationCount(Adapter& adapter, const OsOrdering& ordering)
      : adapter_(adapter), barrier_(ordering.store_barrier) {
    if (ordering.lockless_signal)
      word_ = adapter.port().allocate_contiguous(kPage, "the number of waiters").kernel_address;
  }

  bool used() const { return word_ != nullptr; }
  /// Stores the count if it has changed. @pre used()
  void store(std::uint64_t count) {
    if (count == stored_) return;
    stored_ = count;
    adapter_.port().write_memory(word_, count);
  }
  /// True if there is a registration. @pre used()
  bool any() { return adapter_.port().read_memory(word_) != 0; }
  /// Barrier of one side between its store and its load, if os.store_barrier has it. Does nothing
  /// unless used().
  void barrier(StoreBarrier side) {
    if (used() && (barrier_ == StoreBarrier::kBoth || barrier_ == side))
      adapter_.port().memory_barrier();
  }

 private:
  Adapter& adapter_;
  const StoreBarrier barrier_;
  void* word_ = nullptr;
  std::uint64_t stored_ = 0;
};

}  // namespace fenceline::os
