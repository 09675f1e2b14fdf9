#pragma once

#include <utility>

#include "models/common/simulation.h"

namespace fenceline::os {

/// Changes of the lists of waiters, for the timer of os.fallback_timer.
class WaitNews {
 public:
  explicit WaitNews(common::Steps& steps)
      : steps_(steps), place_(steps.new_place()), changed_(steps) {}

  /// A waiter has entered a list, was released (`news`), or has left.
  void note(bool news) {
    touch(true);
    news_ = news_ || news;
    changed_.open();
  }
  /// True if a waiter has entered a list or was released since the last take().
  bool there() const {
    touch(false);
    return news_;
  }
  bool take() {
    touch(true);
    return std::exchange(news_, false);
  }
  /// Records that the step reads or writes the lists.
  void touch(bool write) const { steps_.touch(common::Place::kEvent, place_, write); }
  common::Gate& changed() { return changed_; }
  std::uint64_t state() const { return news_ ? 1 : 0; }

 private:
  common::Steps& steps_;
  const std::uint64_t place_;
  common::Gate changed_;
  bool news_ = false;
};

}  // namespace fenceline::os
