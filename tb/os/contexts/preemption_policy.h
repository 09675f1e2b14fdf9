#pragma once

#include "tb/os/contexts/context_table.h"

namespace fenceline::os {

/// Decides which context is served first, and when a node gives up its work: for a context of
/// higher priority; at the end of a quantum, if others of the same priority wait; and for a buffer
/// that takes longer than TdrDelay. It changes nothing.
/// Source: WDDM, GPU preemption.
class PreemptionPolicy {
 public:
  static constexpr std::uint32_t kMaxQuanta = 2;  ///< quanta that may end in one explored run

  explicit PreemptionPolicy(const ContextTable& table) : table_(table) {}

  /// Contexts in the order of service.
  std::vector<ContextQueue*> by_rank() const;
  /// True if the buffer must replace running work of lower priority instead of queueing behind it.
  /// Paging queues behind the running work, in front of all else.
  bool must_preempt(const ContextQueue& context, const ContextNode& node) const;
  /// True if the node has to be asked now to give up its work.
  bool should_preempt(const ContextNode& node) const;
  /// True if the node has work but is never asked to preempt it: its buffers must not run long
  /// either.
  bool not_asked(const ContextNode& node) const;
  /// True if a deadline is pending. @param limit time until the earliest
  bool next_deadline(common::Time& limit) const;

 private:
  bool may_ask(const ContextNode& node) const;
  common::Steps& steps() const { return table_.cpu.simulation().steps; }

  const ContextTable& table_;
};

}  // namespace fenceline::os
