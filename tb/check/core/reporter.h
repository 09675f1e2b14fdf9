#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/events.h"
#include "tb/check/core/invariants.h"
#include "tb/check/core/violation.h"

namespace fenceline::check {

/// Collects violations and test counts; knows the current event and the names of objects.
class Reporter {
 public:
  explicit Reporter(const common::EventStream& stream) : stream_(stream) {}

  /// Sets the clock to an event. Events are counted from 1.
  void tick(const common::Event& event) {
    ++seq_;
    time_ = event.time;
  }
  std::uint64_t seq() const { return seq_; }
  std::uint64_t time() const { return time_; }
  std::string now() const;  ///< "at 1200 ps"

  void checked(Invariant invariant, std::uint64_t times = 1) {
    counts_[index(invariant)].checked += times;
  }

  /// Counts a break. Only the first break of each object is reported, as a violation.
  /// @param fence that the violation concerns, 0: none
  void fail(Invariant invariant, std::uint64_t object, std::uint32_t fence,
            const std::string& message);
  void fail(Invariant invariant, std::uint64_t object, const std::string& message) {
    fail(invariant, object, 0, message);
  }
  void fail_fence(Invariant invariant, std::uint32_t fence, const std::string& message) {
    fail(invariant, fence, fence, message);
  }

  const std::vector<Violation>& violations() const { return violations_; }
  std::vector<Exercise> exercised() const;
  std::array<std::uint64_t, kInvariantCount> tested() const;

  /// Quoted name of an object, or its kind and number if it has none.
  std::string fence(std::uint64_t number) const;
  std::string name(common::ObjectKind kind, std::uint64_t number) const;

 private:
  struct Count {
    std::uint64_t checked = 0;
    std::uint64_t broken = 0;
    std::vector<bool> reported;
  };
  static std::size_t index(Invariant invariant) { return static_cast<std::size_t>(invariant); }

  const common::EventStream& stream_;
  std::uint64_t seq_ = 0;
  std::uint64_t time_ = 0;
  std::array<Count, kInvariantCount> counts_;
  std::vector<Violation> violations_;
};

/// A blank and the number, as a piece of a message.
std::string text(std::uint64_t number);
/// In hexadecimal, for values that may be torn.
std::string hex(std::uint64_t number);
/// "at 1200 ps".
std::string at_time(std::uint64_t time);

}  // namespace fenceline::check
