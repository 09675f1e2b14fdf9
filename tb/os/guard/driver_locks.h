#pragma once

#include <memory>
#include <vector>

#include "kmd_stub/host/host_port.h"
#include "tb/os/guard/driver_guard.h"

namespace fenceline::os {

/// The spin locks of a driver and their holders.
///
/// Rules: a lock is acquired at DISPATCH_LEVEL or below, by an agent that does not hold it;
/// released by its holder, the last one first, because a release restores the IRQL from before the
/// acquisition; and not held when the DDI that acquired it returns.
/// Source: WDK, KeAcquireSpinLock and KeReleaseSpinLock.
class DriverLocks {
 public:
  using Id = kmd_host::HostPort::LockId;
  DriverLocks(Cpu& cpu, DriverGuard& guard) : cpu_(cpu), guard_(guard) {}

  /// @param content what the lock protects, null: unknown.
  Id create(const common::Hashed* content);
  void acquire(Id id, const kmd_host::CallSite& site);
  void release(Id id, const kmd_host::CallSite& site);
  /// The current agent is about to leave its innermost DDI: what it has left locked is unlocked.
  void leave();
  void set_content(const common::Hashed* content);

 private:
  struct Lock {
    std::unique_ptr<SpinLock> lock;
    KIRQL old = 0;
  };
  /// An acquisition.
  struct Held {
    common::AgentId agent;
    Id id;
    std::uint32_t depth;  ///< DDIs that the agent was in
    bool refused;         ///< it was reported, and the lock was not taken
    kmd_host::CallSite site;
  };
  void settle(std::size_t index);

  Cpu& cpu_;
  DriverGuard& guard_;
  std::vector<Lock> locks_;
  std::vector<Held> held_;  ///< in the order of acquisition
};

}  // namespace fenceline::os
