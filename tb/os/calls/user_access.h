#pragma once

#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// Loads and stores of user mode through the addresses that the OS has given it.
class UserAccess {
 public:
  explicit UserAccess(System& system) : system_(system) {}

  /// Reads through an address that user mode was given.
  std::uint64_t read(Process& process, const void* address, event::Reader reader);
  /// The same for the value of a fence, whole.
  std::uint64_t read_value(Process& process, const Fence& fence, const void* address);
  /// A thread touches a value of a fence by an address of its process: STATUS_ACCESS_VIOLATION
  /// where the page is not mapped so. @param value in or out.
  NTSTATUS touch_value(Process& process, const LocalFence& fence, event::UserTarget target,
                       std::uint64_t& value);
  /// The same with the first 64 bits of a log of a queue of `owner`, by the kernel's address.
  NTSTATUS touch_log(Process& process, Process& owner, D3DKMT_HANDLE handle, bool signals,
                     bool write, std::uint64_t& value);
  /// User mode loads or stores 64 bits at an address that a lock returned, or near it.
  /// STATUS_ACCESS_VIOLATION where nothing is locked.
  NTSTATUS touch_memory(Process& process, std::uint64_t address, bool write, std::uint64_t& value);

 private:
  System& system_;
};

}  // namespace fenceline::os
