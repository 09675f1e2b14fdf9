#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tb/os/address_space.h"

namespace fenceline::os {

struct Waiter;

/// One registration of a waiter with a fence.
struct Registration {
  Waiter* waiter = nullptr;
  std::uint64_t value = 0;
  std::uint32_t number = 0;  ///< of the waiter, which may be gone after a bug check
  std::uint64_t order = 0;   ///< among the waits of its scheduler, from 1
};

/// A wait: for all of its fences or any one of them.
struct Waiter {
  std::uint32_t number = 0;      ///< over the run, from 1
  std::uint32_t thread = 0;      ///< ObjectKind::kThread, 0 for a context
  KernelEvent* event = nullptr;  ///< set when the wait is satisfied
  bool any = false;
  std::size_t remaining = 0;  ///< registrations that still hold it up
  bool satisfied = false;
};

/// What all kinds of fences have: a 64-bit CurrentValue in memory and waiters for it.
struct Fence {
  enum class Kind : std::uint8_t { kNative, kMonitored };
  explicit Fence(Kind of) : kind(of) {}

  const Kind kind;
  std::string name;
  std::uint32_t object = 0;  ///< ObjectKind::kFence
  bool alive = true;
  bool shared = false;
  Adapter* adapter = nullptr;
  Backing current;                   ///< page that holds CurrentValue
  std::uint64_t current_offset = 0;  ///< [bytes] in the page
  std::uint64_t initial_value = 0;
  std::uint32_t opens = 0;
  /// By value, then by age.
  std::multimap<std::uint64_t, Registration> waiters;

  std::uint64_t current_bus() const { return current.bus_address(adapter->gpu()) + current_offset; }
};

}  // namespace fenceline::os
