#pragma once

#include "models/abi/private_data.h"
#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// Doorbells that GPUs ring for each other: who signals a shared fence rings all other adapters
/// that have it. No DDI for this is published: escapes stand in for one.
class PeerDoorbellLinks {
 public:
  explicit PeerDoorbellLinks(System& system) : system_(system) {}

  /// Whoever signals the fence rings all others from now on. Again when queues have come.
  void connect(const MonitoredFence& fence);
  /// The same for all fences that the process has open.
  void connect_all(const Process& process);

 private:
  void connect(const NativeFence& from, const NativeFence& to);
  static NTSTATUS escape_to(Adapter& adapter, abi::PeerDoorbellEscape& data);

  System& system_;
};

}  // namespace fenceline::os
