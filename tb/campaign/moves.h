#pragma once

#include <string>
#include <vector>

#include "tb/campaign/reducer.h"

namespace fenceline::campaign {

/// The body of a loop, once: its counter is replaced by `round`.
Document body_of_round(const Document& loop, std::uint64_t round);

/// A number of a scenario, or a text such as "50us".
struct Quantity {
  std::uint64_t number = 0;
  std::optional<std::string> unit{};  ///< of a text

  /// The value of the document with another number.
  Document with(std::uint64_t other) const;
};
/// The quantity that a value of a scenario is; none for other values.
std::optional<Quantity> quantity_of(const Document& value);

/// An object that can be called otherwise.
struct NamedThing {
  std::string name;
  std::string shorter;
};
/// Names of a scenario that are longer than needed.
std::vector<NamedThing> long_names(const Document& scenario);
/// The scenario with another name everywhere, also as a part of "process/name" and "adapter.agent".
Document renamed(const Document& scenario, const NamedThing& thing);

}  // namespace fenceline::campaign
