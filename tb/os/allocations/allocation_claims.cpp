#include "tb/os/allocations/allocation_claims.h"

namespace fenceline::os {

void AllocationClaims::touch_use(const Allocation& allocation, bool write) const {
  state_.cpu.simulation().steps.touch(common::Place::kEvent, allocation.changed.id, write);
}

void AllocationClaims::claim(Allocation& allocation) {
  for (;;) {
    state_.lists.begin();
    touch_use(allocation, true);
    if (!allocation.busy) break;
    allocation.changed.clear();
    state_.cpu.block(allocation.changed, nullptr);
  }
  allocation.busy = true;
}

void AllocationClaims::let_go(Allocation& allocation) {
  state_.lists.begin();
  touch_use(allocation, true);
  allocation.busy = false;
  allocation.changed.set();
}

}  // namespace fenceline::os
