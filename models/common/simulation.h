#pragma once

#include "models/common/events.h"
#include "models/common/log_truth.h"
#include "models/common/ordering.h"
#include "models/common/steps.h"
#include "models/common/store_history.h"
#include "models/common/transaction.h"

namespace fenceline::common {

/// What every block of one simulation shares: built first, destroyed last.
struct Simulation {
  explicit Simulation(const Ordering& switches) : ordering(switches), steps(events) {}

  const Ordering ordering;
  EventStream events;
  Steps steps;
  TransactionPool transactions;
  LogTruth log_truth;
  StoreHistory store_history;
  /// The current agent has done it.
  template <class E>
  void emit(const E& event) {
    events.emit(steps.current(), event);
  }

  /// There are allocations whose content is followed: engines tell of the memory they touch.
  bool tracks_memory = false;
  /// And caches may hide some of it from engines: they tell of what copies read, too.
  bool tracks_caches = false;
  /// The same of stores that wait in write-combining buffers.
  bool tracks_combining = false;
};

}  // namespace fenceline::common
