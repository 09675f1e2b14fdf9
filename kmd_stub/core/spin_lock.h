#pragma once

#include <exception>

#include "kmd_stub/host/host_port.h"

namespace fenceline::kmd {

/// A spin lock of the port. Lock order: no caller holds two of them, and none takes the interrupt
/// lock (DxgkCbSynchronizeExecution) while holding one.
class SpinLock {
 public:
  explicit SpinLock(kmd_host::HostPort& port) : port_(port), id_(port.create_lock()) {}
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

  /// Holds the lock and DISPATCH_LEVEL for a scope. IRQL: up to DISPATCH_LEVEL.
  class Guard {
   public:
    explicit Guard(SpinLock& lock, const kmd_host::CallSite& site = kmd_host::CallSite::here())
        : lock_(lock), site_(site) {
      lock_.port_.acquire_lock(lock_.id_, site_);
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    /// May pass on an exception of the port. During stack unwinding the machine is being destroyed
    /// and must not be called.
    ~Guard() noexcept(false) {
      if (std::uncaught_exceptions() == exceptions_) lock_.port_.release_lock(lock_.id_, site_);
    }

   private:
    SpinLock& lock_;
    kmd_host::CallSite site_;
    int exceptions_ = std::uncaught_exceptions();
  };

 private:
  kmd_host::HostPort& port_;
  kmd_host::HostPort::LockId id_;
};

}  // namespace fenceline::kmd
