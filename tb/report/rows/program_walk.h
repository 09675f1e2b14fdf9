#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tb/scenario/steps/program.h"

namespace fenceline::report {

/// Follows the steps of a thread, or the commands of a step, in the order in which they run. A
/// repeat comes before its first round. @tparam Repeat the kind of Item that repeats others
template <class Item, class Repeat>
class ProgramWalk {
 public:
  ProgramWalk() = default;
  /// @param counters of the enclosing repeats; they must outlive this object, as `list` must
  ProgramWalk(const std::vector<Item>& list, scenario::Counters& counters) : counters_(&counters) {
    levels_.push_back({&list, nullptr, 1});
  }

  /// Null at the end.
  const Item* next() {
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.at < level.list->size()) {
        const Item& item = (*level.list)[level.at++];
        if (const auto* repeat = std::get_if<Repeat>(&item.what)) enter(*repeat);
        return &item;
      }
      level.at = 0;
      ++level.round;
      if (level.round < level.rounds) {
        count(level);
      } else {
        if (level.repeat != nullptr) counters_->erase(level.repeat->counter);
        levels_.pop_back();
      }
    }
    return nullptr;
  }

 private:
  struct Level {
    const std::vector<Item>* list;
    const Repeat* repeat;
    std::uint64_t rounds;
    std::uint64_t round = 0;
    std::size_t at = 0;
  };

  void enter(const Repeat& repeat) {
    const std::uint64_t rounds = repeat.count.evaluate(*counters_);
    if (rounds == 0) return;
    levels_.push_back({&repeat.body, &repeat, rounds});
    count(levels_.back());
  }
  void count(const Level& level) {
    if (level.repeat != nullptr && !level.repeat->counter.empty())
      (*counters_)[level.repeat->counter] = level.round;
  }

  scenario::Counters* counters_ = nullptr;
  std::vector<Level> levels_;
};

using StepWalk = ProgramWalk<scenario::Step, scenario::RepeatStep>;
using CommandWalk = ProgramWalk<scenario::Command, scenario::RepeatCommands>;

}  // namespace fenceline::report
