#pragma once

#include <deque>
#include <utility>

#include "tb/os/core/mutex.h"
#include "tb/os/core/system_options.h"
#include "tb/os/driver/adapter.h"

namespace fenceline::os {

/// Resets of adapters that are taken for hung. One for the machine: TdrLimitCount is about all of
/// its adapters. Source: WDDM, timeout detection and recovery; TDR registry keys.
class AdapterResets : public common::Hashed {
 public:
  AdapterResets(Cpu& cpu, const PreemptionOptions& preemption)
      : cpu_(cpu), preemption_(preemption), one_at_a_time_(cpu, *this) {}

  /// DxgkDdiResetFromTimeout, with nobody else in the driver. On return the device is silent; what
  /// it had is lost. Bug check 0x116 where it fails, or was needed more than TdrLimitCount times
  /// within TdrLimitTime. At PASSIVE_LEVEL.
  void reset(Adapter& adapter);
  /// DxgkDdiRestartFromTimeout, likewise: the device works again.
  static void restart(Adapter& adapter);

  /// An engine was reset over work of that process. True if it is to be kept from the adapter:
  /// resets of engines do not count with those of adapters, and may be one less.
  /// Source: WDDM, TDR in Windows 8; bug check 0x142, which stops nothing.
  bool blocks(const void* process);
  /// Held by the thread that recovers an engine, where more than one may.
  Mutex& one_at_a_time() { return one_at_a_time_; }
  std::uint64_t state_hash() const override {
    return common::hash_values(resets_.size(), engines_.size());
  }

 private:
  Cpu& cpu_;
  const PreemptionOptions preemption_;
  std::deque<common::Time> resets_;                           ///< within TdrLimitTime
  std::deque<std::pair<const void*, common::Time>> engines_;  ///< the same of engines, by process
  Mutex one_at_a_time_;
};

}  // namespace fenceline::os
