#pragma once

#include "models/abi/private_data.h"
#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// Doorbells between GPUs: a GPU that signals a shared fence rings all other adapters that have it.
/// There is no public DDI for this; escapes replace it.
class PeerDoorbellLinks {
 public:
  explicit PeerDoorbellLinks(System& system) : system_(system) {}

  /// Links all adapters of the fence. Must be repeated after new queues were created.
  void connect(const MonitoredFence& fence);
  /// As connect(), for all fences that the process has open.
  void connect_all(const Process& process);

 private:
  void connect(const NativeFence& from, const NativeFence& to);
  static NTSTATUS escape_to(Adapter& adapter, abi::PeerDoorbellEscape& data);

  System& system_;
};

}  // namespace fenceline::os
