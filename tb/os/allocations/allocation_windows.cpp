#include "tb/os/allocations/allocation_windows.h"

#include <algorithm>

#include "models/top/gpu.h"

namespace fenceline::os {

using event::Placement;

/// True if a window is the only way to reach the allocation once it is in VRAM.
bool AllocationWindows::is_needed(const Allocation& allocation) const {
  return state_.adapter.allocation_window() != nullptr && allocation.locks != 0 &&
         allocation.placement != Placement::kVram && !allocation.supports(kApertureSegment);
}

bool AllocationWindows::has_room(const Allocation& allocation) const {
  HostAperture* const window = state_.adapter.allocation_window();
  if (window == nullptr) return false;
  if (!allocation.window.empty() || allocation.expects_window) return true;
  return window->free_pages() >= expected_ + allocation.pages;
}

void AllocationWindows::expect(Allocation& allocation, bool expected) {
  if (allocation.expects_window == expected) return;
  allocation.expects_window = expected;
  expected_ += expected ? allocation.pages : -allocation.pages;
}

bool AllocationWindows::keep_room(const std::vector<Allocation*>& list) {
  std::vector<Allocation*> fresh;
  for (Allocation* allocation : list) {
    const bool needs = is_needed(*allocation);
    if (allocation->pinned || (needs && !has_room(*allocation))) {
      for (Allocation* other : fresh) expect(*other, false);
      return false;
    }
    if (!needs || allocation->expects_window) continue;
    expect(*allocation, true);
    fresh.push_back(allocation);
  }
  return true;
}

bool AllocationWindows::open(Allocation& allocation) {
  HostAperture* const window = state_.adapter.allocation_window();
  if (window == nullptr || !allocation.window.empty()) return window != nullptr;
  expect(allocation, false);
  const auto pages = window->map(allocation.driver_handle, allocation.vram);
  if (pages) allocation.window = *pages;
  allocation.shown = pages.has_value();
  return allocation.shown;
}

void AllocationWindows::close(Allocation& allocation) {
  expect(allocation, false);
  if (allocation.window.empty()) return;
  state_.drain_all_cores();
  HostAperture& window = *state_.adapter.allocation_window();
  if (!allocation.shown) {
    window.give_back(allocation.window);
  } else if (!state_.asleep || state_.adapter.system().unmaps_for_d3) {
    const Adapter::VramUse use(state_.adapter);  // D3 closes windows, too
    window.unmap(allocation.window);
  }
  allocation.window.clear();
  allocation.shown = false;
}

/// The driver is called once, with all pages: meanwhile locks may end, which then give their pages
/// back.
void AllocationWindows::hide_all() {
  HostAperture* const window = state_.adapter.allocation_window();
  if (window == nullptr || !state_.adapter.system().unmaps_for_d3) return;
  std::vector<std::uint32_t> pages;
  for (Allocation* allocation : state_.allocations) {
    if (!allocation->shown) continue;
    allocation->shown = false;
    pages.insert(pages.end(), allocation->window.begin(), allocation->window.end());
  }
  if (!pages.empty()) window->hide(pages);
}

/// Locks may end and allocations may come while the driver is called.
void AllocationWindows::show_all() {
  HostAperture* const window = state_.adapter.allocation_window();
  const auto hidden = [](const Allocation* allocation) {
    return !allocation->window.empty() && !allocation->shown;
  };
  for (;;) {
    const auto next = std::find_if(state_.allocations.begin(), state_.allocations.end(), hidden);
    if (next == state_.allocations.end()) return;
    Allocation& allocation = **next;
    allocation.shown = true;
    window->show(allocation.driver_handle, allocation.window, allocation.vram);
  }
}

std::uint64_t AllocationWindows::bus_address(const Allocation& allocation,
                                             std::uint64_t page) const {
  if (allocation.placement != Placement::kVram) return allocation.system[page];
  const std::uint64_t bar = state_.adapter.gpu().bars().vram;
  return bar +
         (allocation.window.empty() ? allocation.vram[page] : allocation.window[page] * kPage);
}

}  // namespace fenceline::os
