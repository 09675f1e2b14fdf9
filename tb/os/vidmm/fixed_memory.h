#pragma once

#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// Pages that the OS hands out for good and never moves: rings, logs, values of fences.
class FixedMemory {
 public:
  explicit FixedMemory(System& system) : system_(system) {}

  /// @param used one page: it may hold what somebody else has left there.
  Backing allocate(Process& process, std::uint64_t bytes, common::Home home, bool used = false);
  /// Takes back a page. @pre nobody uses it any more
  void give_back(const Adapter& adapter, const Backing& page);
  /// Memory reports accesses to this range as those to a part of `object` from now on.
  void watch(const Backing& backing, std::uint64_t offset, std::uint64_t bytes,
             common::WatchKind kind, std::uint32_t object, const AdapterState& state);
  void unwatch(const Backing& backing, std::uint64_t offset, Adapter& adapter);

 private:
  memory::WatchedMemory& memory_of(const Backing& backing, Adapter& adapter);

  System& system_;
};

}  // namespace fenceline::os
