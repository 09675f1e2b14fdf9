#include "tb/check/core/invariants.h"

#include "tb/check/core/invariant_sources.h"

namespace fenceline::check {

namespace {

constexpr std::array<InvariantInfo, kInvariantCount> kTable{{
#define INVARIANT(name, ...) {__VA_ARGS__},
#include "tb/check/invariants/all.def"
#undef INVARIANT
}};

}  // namespace

const std::array<InvariantInfo, kInvariantCount>& all_invariants() { return kTable; }

const InvariantInfo& info(Invariant invariant) {
  return kTable[static_cast<std::size_t>(invariant)];
}

}  // namespace fenceline::check
