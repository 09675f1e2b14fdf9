#pragma once

#include "tb/os/core/mutex.h"
#include "tb/os/vidsch/log_buffers.h"

namespace fenceline::os {

/// Calls for a trace of fences: the content of logs, and the level of logging.
class TraceCalls : public common::Hashed {
 public:
  TraceCalls(System& system, LogBuffers& logs)
      : system_(system), logs_(logs), one_change_(system.cpu, *this) {}

  /// A trace session begins or ends: compares the clocks and reads the logs of the adapter.
  void capture_logs(Process& process);
  /// A trace session wants verbose logging, or does no more: both drivers are told. User mode
  /// records what only a trace wants while the device executes it: the kernel-mode driver is told
  /// first when it begins and last when it ends. One change at a time, so that both know the same.
  /// PASSIVE_LEVEL.
  void set_verbose(bool verbose);
  bool verbose();  ///< what user-mode drivers are told
  std::uint64_t state_hash() const override { return user_verbose_ ? 1 : 0; }

 private:
  void calibrate_clock(Adapter& adapter);
  static void tell_driver(Adapter& adapter, bool verbose);

  System& system_;
  LogBuffers& logs_;
  Mutex one_change_;
  bool user_verbose_ = false;  ///< what user-mode drivers see
};

}  // namespace fenceline::os
