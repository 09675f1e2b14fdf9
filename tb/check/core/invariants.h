#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fenceline::check {

/// The invariants that the checkers watch; the order is that of `all_invariants()`. Each is
/// declared once, in tb/check/invariants: its enumerator, then the fields of InvariantInfo.
enum class Invariant : std::uint8_t {
#define INVARIANT(name, ...) name,
#include "tb/check/invariants/all.def"
#undef INVARIANT
  kCount
};

constexpr std::size_t kInvariantCount = static_cast<std::size_t>(Invariant::kCount);

/// Description of an invariant in messages, in docs/reference/invariants.md and in coverage tables.
struct InvariantInfo {
  const char* id;        ///< e.g. "I1"
  const char* name;      ///< e.g. "NO_LOST_WAITER"
  const char* sentence;  ///< what must hold
  const char* source;    ///< the public text it follows
  const char* rows;      ///< ids of the requirements it guards, separated by blanks, e.g. "NF3 NF4"
  const char* broken_by;  ///< the shortest way to break it, as a sentence
};

const std::array<InvariantInfo, kInvariantCount>& all_invariants();
const InvariantInfo& info(Invariant invariant);

}  // namespace fenceline::check
