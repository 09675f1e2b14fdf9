#pragma once

#include <vector>

#include "tb/os/vidsch/fence_scheduler.h"

namespace fenceline::os {

/// Takes waits for lost whose value has been there for long, and stops the machine over them.
///
/// While threads wait it looks once a HostConfig::fence_fallback, at DISPATCH_LEVEL. A wait that
/// two looks in a row find with its value reached is declared lost: VIDEO_SCHEDULER_INTERNAL_ERROR
/// with first parameter kLostWait. With os.watchdog at `every_wait` that includes waits whose
/// thread has been woken and does not run yet. After kMaxVain looks in a row that found nothing it
/// rests until a wait begins or ends. While exploring, it looks when nothing else can go on.
/// Source: the hang check of Linux i915, commit 7839d956fc6a.
class Watchdog : public common::Hashed {
 public:
  static constexpr std::uint32_t kMaxVain = 8;
  static constexpr std::uint64_t kLostWait = 0x14;

  /// @param core that it runs on; all must outlive it.
  Watchdog(Adapter& adapter, WatchdogRule kind, std::uint32_t core);

  /// A thread waits for `points` while this is in scope. @param watchdog null: nobody looks.
  class Watch {
   public:
    Watch(Watchdog* watchdog, const Waiter& waiter,
          const std::vector<FenceScheduler::Point>& points)
        : watchdog_(watchdog), number_(waiter.number) {
      if (watchdog_ != nullptr) watchdog_->begin(waiter, points);
    }
    ~Watch() {
      if (watchdog_ != nullptr) watchdog_->end(number_);
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Watchdog* const watchdog_;
    const std::uint32_t number_;
  };
  /// The body of its agent.
  void run();
  std::uint64_t state_hash() const override;

 private:
  struct Wait {
    const Waiter* waiter;
    std::vector<FenceScheduler::Point> points;
    bool overdue;  ///< at the last look
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
  const std::uint64_t place_;  ///< of footprints
  common::Gate changed_;
  std::vector<Wait> waits_;
  std::uint32_t vain_ = 0;
};

}  // namespace fenceline::os
