#pragma once

#include <vector>

#include "tb/os/vidsch/fence_scheduler.h"

namespace fenceline::os {

/// Stops the machine over lost waits: waits whose value was reached long ago.
///
/// While threads wait, it checks once per HostConfig::fence_fallback at DISPATCH_LEVEL. A wait
/// whose value is reached in two checks in a row is lost: bug check VIDEO_SCHEDULER_INTERNAL_ERROR
/// with first parameter kLostWait. With os.watchdog at `every_wait` that includes waits with a
/// thread that is woken but does not run yet. After kMaxVain checks in a row without a finding it
/// rests until a wait begins or ends. While exploring, it checks when nothing else can continue.
/// Source: the hang check of Linux i915, commit 7839d956fc6a.
class LostWaitCheck : public common::Hashed {
 public:
  static constexpr std::uint32_t kMaxVain = 8;
  static constexpr std::uint64_t kLostWait = 0x14;

  /// @param core on which it runs. All arguments must outlive it.
  LostWaitCheck(Adapter& adapter, WatchdogRule kind, std::uint32_t core);

  /// A thread waits for `points` during the lifetime of this object. @param check null: not
  /// watched
  class Watch {
   public:
    Watch(LostWaitCheck* check, const Waiter& waiter,
          const std::vector<FenceScheduler::Point>& points)
        : check_(check), number_(waiter.number) {
      if (check_ != nullptr) check_->begin(waiter, points);
    }
    ~Watch() {
      if (check_ != nullptr) check_->end(number_);
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    LostWaitCheck* const check_;
    const std::uint32_t number_;
  };
  /// Body of its agent.
  void run();
  std::uint64_t state_hash() const override;

 private:
  struct Wait {
    const Waiter* waiter;
    std::vector<FenceScheduler::Point> points;
    bool overdue;  ///< in the last check
  };
  void begin(const Waiter& waiter, const std::vector<FenceScheduler::Point>& points);
  void end(std::uint32_t number);
  void look();
  bool is_overdue(const Wait& wait);
  void changed();
  Wait* find(std::uint32_t number);

  Adapter& adapter_;
  const WatchdogRule kind_;
  const std::uint32_t core_;
  const std::uint64_t place_;  ///< place for footprints
  common::Gate changed_;
  std::vector<Wait> waits_;
  std::uint32_t vain_ = 0;
};

}  // namespace fenceline::os
