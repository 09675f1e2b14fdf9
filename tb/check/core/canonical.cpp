#include "tb/check/core/canonical.h"

#include "tb/check/core/world.h"

namespace fenceline::check {

std::uint64_t Canonical::signal(std::uint64_t number) const {
  if (number == 0) return 0;
  for (const Name& name : names_) {
    if (name.number == number) return name.name;
  }
  return 0;
}

std::uint64_t Canonical::position(std::uint32_t fence, std::uint64_t position) const {
  if (position == kNever) return 0;
  if (stale_) return 1 + world_.fences[fence].position - position;
  // Without stale reads, the next read returns the newest value: only the marks can be older.
  std::uint64_t place = 1;
  for (const Mark& mark : marks_) {
    if (mark.fence != fence || mark.position > position) continue;
    place += mark.position < position ? 2 : 1;
  }
  return place;
}

std::uint64_t Canonical::before(std::uint64_t seq) const {
  std::uint64_t sum = 0;
  for (const Dpc& dpc : dpcs_) {
    if (dpc.seq > seq) sum += common::hash_values(dpc.agent);
  }
  return sum;
}

}  // namespace fenceline::check
