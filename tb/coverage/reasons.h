#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tb/coverage/space.h"

namespace fenceline::coverage {

/// Why generated scenarios leave points out.
struct Reason {
  const char* text;  ///< one sentence, without a full stop
  /// Nothing can hit the points. They do not count.
  bool impossible;
};

/// The declared reason of a point that no run has hit; null: none is known.
const Reason* reason_of(Point point);

/// It is declared that nothing can hit the point.
bool is_impossible(Point point);

/// Words in the declarations of reasons that no point has: a word was renamed.
std::vector<std::string> unknown_words();

}  // namespace fenceline::coverage
