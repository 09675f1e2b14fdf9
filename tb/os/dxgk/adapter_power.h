#pragma once

#include "tb/os/core/shared_data.h"

namespace fenceline::os {

struct AdapterState;
struct ContextScheduler;

/// Power state of one adapter: D0 or D3. One thread changes it at a time. All parts that use the
/// device stop before D3 and resume in D0.
class AdapterPower {
 public:
  /// @param contexts null: there are none
  AdapterPower(Cpu& cpu, AdapterState& of, ContextScheduler* contexts);

  /// Sets D0 or D3; STATUS_INVALID_DEVICE_STATE for D3 while the adapter has
  /// work: a context, a queue with a shared doorbell, a move of memory, a flip or a hold. At
  /// PASSIVE_LEVEL.
  /// @param escape_flags of the escape that caused it, for events
  NTSTATUS set(bool on, std::uint64_t escape_flags = 0);
  /// The adapter is in D0 on return. At PASSIVE_LEVEL.
  void wake(std::uint64_t escape_flags = 0);
  /// The adapter is in D0 on return and stays there until `release`. Several may hold it. At
  /// PASSIVE_LEVEL.
  void hold();
  void release();
  /// True in D0 without a transition in progress.
  bool steady() const;
  bool on() const { return on_; }

 private:
  void wait_for_turn();
  bool take_leave() const;
  bool has_context_work() const;
  void finish();
  NTSTATUS tell_driver(bool on) const;

  Cpu& cpu_;
  AdapterState& of_;
  ContextScheduler* const contexts_;
  bool on_ = true;
  bool changing_ = false;
  std::uint32_t holds_ = 0;
  KernelEvent changed_;
  SharedData state_;  ///< guards the state
};

}  // namespace fenceline::os
