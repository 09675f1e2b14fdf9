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

/// Facts that the checkers cannot learn from the events.
struct CheckOptions {
  std::uint64_t release_bound = 0;  ///< I3 [ps]: longest release of a waiter; 0 sets no bound
  std::uint32_t log_entries = 84;   ///< entries of a log buffer: (4096 - 40) / 48
  /// For state_hash(): set where a read of CurrentValue or of a log header may return bytes that
  /// are not at its home, as where values are stored in halves. False merges states that differ
  /// only for such reads.
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

  /// Call it after the last event. It judges what must hold at quiescence if the last event was
  /// Quiescent; a run that was stopped (EndOfRun) is not judged for that.
  void finish();

  /// Covers only what a later verdict may depend on: no times, no running numbers, nothing settled.
  /// Two runs with equal hashes and equal machine states break the same invariants from here on.
  /// Invariants that are already broken do not count.
  std::uint64_t state_hash() const override;

  /// Broken invariants in the order of detection; each is listed once per fence, queue or log.
  const std::vector<Violation>& violations() const;
  /// For each invariant, how often it was tested and how often it broke.
  std::vector<Exercise> exercised() const;
  /// The number of tests only, in the order of all_invariants(); cheaper than exercised().
  std::array<std::uint64_t, kInvariantCount> tested() const;

  std::uint64_t max_release() const;  ///< longest release of a waiter so far [ps]
  std::uint64_t spurious() const;     ///< interrupts that released nobody
  std::uint64_t unjudged() const;     ///< waits on several fences whose kind (any, all) is unknown

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fenceline::check
