#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Processes that hang engines repeatedly: I109. Counts node resets over their buffers,
/// independently of the OS's count.
class BlockedChecks : public Checks<BlockedChecks> {
 public:
  explicit BlockedChecks(World& world) : Checks(world) {}

  void on(const common::At<event::RecoveryLimits>& event);
  /// A node was reset over a buffer of the process. @param time of the event [ps]
  void on_hang(std::uint64_t process, std::uint64_t time);
  void on(const common::At<event::DeviceCreated>& event);

  void add_to(Canonical& hash) const override;

 private:
  std::uint64_t limit_count_ = ~0ULL;  ///< TdrLimitCount
  std::uint64_t limit_time_ = 0;       ///< TdrLimitTime [ps]
  /// Times [ps] within the limit, by process.
  std::map<std::uint64_t, std::deque<std::uint64_t>> hangs_;
  std::set<std::uint64_t> blocked_;  ///< processes
};

}  // namespace fenceline::check
