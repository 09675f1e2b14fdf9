#pragma once

#include <string>

#include "tb/os/driver/adapter.h"

namespace fenceline::run {

/// A kernel-mode driver from a shared library that exports DriverEntry. Stays loaded while this
/// object lives.
class DriverLibrary {
 public:
  /// Empty path: the driver built into the program. Throws std::invalid_argument when the library
  /// cannot be loaded or has no DriverEntry.
  explicit DriverLibrary(const std::string& path);
  ~DriverLibrary();
  DriverLibrary(const DriverLibrary&) = delete;
  DriverLibrary& operator=(const DriverLibrary&) = delete;

  os::DriverEntryFunction entry() const { return entry_; }

 private:
  void* library_ = nullptr;
  os::DriverEntryFunction entry_ = nullptr;
};

}  // namespace fenceline::run
