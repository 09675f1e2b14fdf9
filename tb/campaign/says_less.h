#pragma once

#include <optional>
#include <string>

#include "tb/reference/outcome.h"

namespace fenceline::campaign {

/// A place at which one prediction says less than another one of the same scenario.
struct Less {
  std::string place;     ///< JSON pointer of the step or command; else the name of the object
  std::string sentence;  ///< such as "fence app/F may have more values at the end"
};

/// The first place at which `outcome` allows all that `full` allows, and more. None: there is none.
std::optional<Less> says_less(const reference::Outcome& outcome, const reference::Outcome& full);
/// Two predictions say the same.
bool is_same(const reference::Outcome& one, const reference::Outcome& other);

}  // namespace fenceline::campaign
