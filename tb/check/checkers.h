#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/common/events.h"
#include "models/common/hash.h"
#include "tb/check/core/invariants.h"
#include "tb/check/core/violation.h"

namespace fenceline::check {

/// What the checkers cannot know from the events.
struct CheckOptions {
  std::uint64_t release_bound = 0;  ///< I3 [ps]: longest release of a waiter; 0 sets no bound
  std::uint32_t log_entries = 84;   ///< entries of a log buffer: (4096 - 40) / 48
  /// For state_hash(): reads of CurrentValue and of log headers may return what is not at its home,
  /// as where values are stored in halves. False makes states equal that only such reads tell
  /// apart.
  bool stale_reads = true;
};

/// The always-on checkers: they subscribe to the events they need and judge them as they come.
/// Memory is bounded by what is in flight, not by the length of the run.
class Checkers : public common::Hashed {
 public:
  /// Both the stream and this object must live until the last event.
  explicit Checkers(common::EventStream& stream, const CheckOptions& options = {});
  ~Checkers() override;
  Checkers(const Checkers&) = delete;
  Checkers& operator=(const Checkers&) = delete;

  /// Call it after the last event. Judges what must hold when nothing is left to do, if the last
  /// word was Quiescent; a run that was stopped (EndOfRun) is not judged for that.
  void finish();

  /// Covers what a later verdict may depend on and nothing else: no times, no numbers that count
  /// over the run, nothing that is settled. Two runs with the same hash and the machine in the same
  /// state break the same invariants from here on. What is broken already does not count.
  std::uint64_t state_hash() const override;

  /// Broken invariants, each once a fence, queue or log, in the order they were noticed.
  const std::vector<Violation>& violations() const;
  /// For each invariant how often it was put to the test and how often it broke.
  std::vector<Exercise> exercised() const;
  /// The first of it alone, which costs less; in the order of all_invariants().
  std::array<std::uint64_t, kInvariantCount> tested() const;

  std::uint64_t max_release() const;  ///< longest release of a waiter so far [ps]
  std::uint64_t spurious() const;     ///< interrupts that released nobody
  std::uint64_t unjudged() const;     ///< waits on several fences whose kind (any, all) is unknown

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fenceline::check
