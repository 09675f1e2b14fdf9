#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tb/run/process/child_process.h"
#include "tb/run/process/cpu_watch.h"
#include "tb/run/process/pulse.h"

namespace fenceline::run {

/// What became of a piece of work in a process of its own.
struct Ended {
  enum class How : std::uint8_t {
    kWell,
    kCrashed,      ///< by a fault, or by ending its process
    kStuck,        ///< no beat for too long: killed
    kInterrupted,  ///< killed because the user wanted to stop
    kKilled        ///< from outside
  };
  How how = How::kWell;
  std::string result;      ///< it ended well
  std::string why;         ///< it did not, such as "SIGSEGV"
  std::string where;       ///< what it was at; empty if it could not say
  bool in_driver = false;  ///< it was at code of the driver
  std::uint64_t now = 0;   ///< [ps] of simulated time that it had reached

  /// Why it did not end well, and where, such as "SIGSEGV, in DxgkDdiPatch of gpu0".
  std::string what() const { return where.empty() ? why : why + ", in " + where; }
  /// A driver from outside has done it, as far as one can tell. @param kmd its file, or empty.
  bool by_driver(const std::string& kmd) const {
    return !kmd.empty() && (in_driver || where.empty());
  }
};

/// A process forked from this one that beats, sends bytes, and is ended when it does not come
/// along. @pre one thread.
class WatchedProcess {
 public:
  using Life = std::function<void(Pulse&, const ChildProcess::Send&)>;

  /// @param stuck CPU time that may pass between two beats.
  /// @param pulse that the process beats; null: one of its own.
  WatchedProcess(const Life& life, std::chrono::nanoseconds stuck, Pulse* pulse = nullptr);

  int in() const { return process_.in(); }
  const Pulse& pulse() const { return pulse_; }
  /// Reads what there is; false once the process has nothing more to send.
  bool read() { return process_.read(); }
  std::string& received() { return process_.received(); }

  /// Has the process end if it does not come along. To be called now and then.
  void look_after();
  /// Asks the process to end, and kills it if it has neither ended nor heard of it after a while.
  void stop();
  /// Waits for its end, and says how it came. `result` is left to the caller.
  Ended end();

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<Pulse> own_;
  Pulse& pulse_;
  const std::chrono::nanoseconds most_;
  CpuWatch watch_;
  ChildProcess process_;
  bool stuck_ = false;
  bool interrupted_ = false;
  std::optional<Clock::time_point> kill_at_;
};

}  // namespace fenceline::run
