#include "tb/check/core/checker.h"

namespace fenceline::check {

void Checker::on_visible(Signal& /*signal*/, common::AgentId /*writer*/) {}
void Checker::on_destroyed(std::uint32_t /*fence*/) {}
void Checker::forget(std::uint32_t /*fence*/) {}
void Checker::finish_quiescent() {}
void Checker::mark(Canonical& /*hash*/) const {}
void Checker::add_to(Canonical& /*hash*/) const {}

std::vector<common::EventKind> Roster::kinds() const {
  std::vector<common::EventKind> kinds;
  for (std::size_t kind = 0; kind < takers_.size(); ++kind)
    if (!takers_[kind].all.empty()) kinds.push_back(static_cast<common::EventKind>(kind));
  return kinds;
}

}  // namespace fenceline::check
