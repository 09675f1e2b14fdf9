#pragma once

#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// Pages that never move: rings, logs, values of fences.
class FixedMemory {
 public:
  explicit FixedMemory(System& system) : system_(system) {}

  /// @param used a single page that may hold old content of another owner
  Backing allocate(Process& process, std::uint64_t bytes, common::Home home, bool used = false);
  /// Maps it for the process's GPU; the process may name it by that address.
  D3DGPU_VIRTUAL_ADDRESS share(Process& process, const Backing& backing);
  /// Takes back a page. @pre nobody uses it any more
  void give_back(Adapter& adapter, const Backing& page);
  /// From now on, accesses to this range are reported as accesses to a part of `object`.
  void watch(const Backing& backing, std::uint64_t offset, std::uint64_t bytes,
             common::WatchKind kind, std::uint32_t object, const AdapterState& state);
  void unwatch(const Backing& backing, std::uint64_t offset, Adapter& adapter);

 private:
  memory::WatchedMemory& memory_of(const Backing& backing, Adapter& adapter);

  System& system_;
};

}  // namespace fenceline::os
