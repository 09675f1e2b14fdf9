#pragma once

#include "tb/os/core/cpu.h"

namespace fenceline::os {

/// Lists of the OS that threads share.
///
/// Its lock is held for one use at a time: a thread looks something up, or checks and inserts it,
/// and nobody comes between. From one use to the next nothing is held. So each use begins with a
/// step, whether or not the thread takes other steps in between, and says what it reads and
/// changes.
class SharedData : public common::Hashed {
 public:
  /// @param always its footprints count in coarse steps (common::Grain) too.
  explicit SharedData(Cpu& cpu, bool always = false)
      : cpu_(cpu), always_(always), place_(cpu.simulation().steps.new_place()) {
    cpu.simulation().steps.add_state(*this);
  }

  /// A use begins: what others do with the lists comes before it or after it.
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
  /// This use reads or changes them, and what comes of it is part of some other state.
  void footprint(bool write) const;

  /// What those knew who have changed the lists stands for their content.
  std::uint64_t state_hash() const override { return trail_; }

 private:
  Cpu& cpu_;
  const bool always_;
  const std::uint64_t place_;  ///< of footprints
  std::uint64_t trail_ = 0;
};

}  // namespace fenceline::os
