#pragma once

#include "tb/os/core/cpu.h"

namespace fenceline::os {

/// Lists of the OS shared by threads.
///
/// The lock is held for one use at a time: a lookup, or a check with its insertion. Between two
/// uses nothing is held. Therefore each use begins with a step and declares its reads and writes.
class SharedData : public common::Hashed {
 public:
  /// @param always its footprints also count in coarse steps (common::Grain)
  explicit SharedData(Cpu& cpu, bool always = false)
      : cpu_(cpu), always_(always), place_(cpu.simulation().steps.new_place()) {
    cpu.simulation().steps.add_state(*this);
  }

  /// Begins a use. Uses of other threads come before or after it.
  void begin();
  /// This use reads the lists.
  void read() const;
  /// This use changes them.
  void change();
  /// A use that reads them.
  void look() {
    begin();
    read();
  }
  /// A use that changes them.
  void alter() {
    begin();
    change();
  }
  /// This use reads or changes the lists; its result is part of some other state.
  void footprint(bool write) const;

  /// The knowledge of the threads that changed the lists stands for their content.
  std::uint64_t state_hash() const override { return trail_; }

 private:
  Cpu& cpu_;
  const bool always_;
  const std::uint64_t place_;  ///< place for footprints
  std::uint64_t trail_ = 0;
};

}  // namespace fenceline::os
