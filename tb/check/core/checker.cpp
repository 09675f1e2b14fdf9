#include "tb/check/core/checker.h"

namespace fenceline::check {

std::vector<common::EventKind> Roster::kinds() const {
  std::vector<common::EventKind> kinds;
  for (std::size_t kind = 0; kind < takers_.size(); ++kind)
    if (!takers_[kind].all.empty()) kinds.push_back(static_cast<common::EventKind>(kind));
  return kinds;
}

}  // namespace fenceline::check
