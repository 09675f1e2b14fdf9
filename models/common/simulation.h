#pragma once

#include "models/common/events.h"
#include "models/common/log_truth.h"
#include "models/common/ordering.h"
#include "models/common/steps/steps.h"
#include "models/common/store_history.h"
#include "models/common/transaction.h"

namespace fenceline::common {

/// State that all blocks of one simulation share. It is built first and destroyed last.
struct Simulation {
  explicit Simulation(const Ordering& switches) : ordering(switches), steps(events) {}

  const Ordering ordering;
  EventStream events;
  Steps steps;
  TransactionPool transactions;
  LogTruth log_truth;
  StoreHistory store_history;
  /// Emits an event of the current agent.
  template <class E>
  void emit(const E& event) {
    events.emit(steps.current(), event);
  }

  /// Allocation content is tracked: engines report the memory they access.
  bool tracks_memory = false;
  /// CPU caches may hide data from engines: engines also report what copies read.
  bool tracks_caches = false;
  /// Write-combining buffers may hold data back: engines report as for caches.
  bool tracks_combining = false;
};

}  // namespace fenceline::common
