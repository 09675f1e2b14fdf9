#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/common/steps.h"

namespace fenceline::explore {

/// What one step has touched: sorted, each location once, `write` if any access wrote.
using Touched = std::vector<common::Footprint::Access>;

/// What Steps recorded, without who it was.
Touched touched_by(const std::vector<common::Steps::Touch>& record);
/// True if the steps do not commute: they share a location that one of them writes.
bool conflict(const Touched& a, const Touched& b);

/// What is known of all steps of an exploration: which locations several agents use, and what each
/// step touches that an agent takes in a given situation.
///
/// A step that touches only what no other agent cares for commutes with everything that others may
/// ever do: it can be taken at once. Whether nobody else cares is learnt while exploring; if a
/// location on which such a step relied turns out to be shared, `outdated` says so, and the
/// exploration has to begin again with what is known now.
class Footprints {
 public:
  /// Notes the step taken at `candidate`, as Steps recorded it.
  void learn(const common::Candidate& candidate, const std::vector<common::Steps::Touch>& record,
             const Touched& touched);
  /// The step is known to touch only what no other agent cares for.
  bool is_private(const common::Candidate& candidate) const;
  /// Such a step was taken at once. False if it has touched something that is shared after all.
  bool rely(const Touched& touched);

  bool outdated() const { return outdated_; }
  void begin_again() { outdated_ = false; }
  std::size_t shared() const { return shared_; }

 private:
  struct Location {
    common::AgentId agent = 0;  ///< the first that touched it
    bool several = false;       ///< others have touched it too
    bool written = false;
    bool relied = false;

    bool shared() const { return several && written; }
  };
  static std::uint64_t key(const common::Candidate& candidate);

  std::unordered_map<std::uint64_t, Location> locations_;
  std::unordered_map<std::uint64_t, Touched> known_;
  std::size_t shared_ = 0;
  bool outdated_ = false;
};

}  // namespace fenceline::explore
