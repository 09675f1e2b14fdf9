#include "tb/generate/managed.h"

namespace fenceline::generate {

namespace {

using common::Home;
using kmd_host::kApertureSegmentBit;
using kmd_host::kVramSegmentBit;

constexpr std::uint64_t kManagedPage = 4096;
constexpr std::uint64_t kMaxPages = 16;

/// Where VRAM is small, only allocations that are there from the start may have to be in it.
std::uint32_t drawn_segments(Plan& plan) {
  const bool is_small = plan.scenario().platform.system.video_memory != 0;
  const std::uint32_t vram_only = asks_for_windows(plan) ? 40 : 15;
  const std::size_t kind = plan.draw().weighted({60, 25, is_small ? 0U : vram_only});
  if (kind == 0) return kVramSegmentBit | kApertureSegmentBit;
  return kind == 1 ? kApertureSegmentBit : kVramSegmentBit;
}

/// True if a lock has a way wherever the allocation is: background/memory.md, locks.
bool always_locks(const scenario::Allocation& allocation) {
  const bool moves = (allocation.segments & kVramSegmentBit) != 0;
  return (allocation.segments & kApertureSegmentBit) != 0 && !(moves && allocation.cached);
}

/// Bytes of all allocations that have to be in VRAM and are not too large for it.
std::uint64_t bytes_of_vram_only(const scenario::Scenario& scenario) {
  const std::uint64_t room = scenario.platform.system.video_memory;
  std::uint64_t bytes = 0;
  for (const scenario::Process& process : scenario.processes)
    for (const scenario::Allocation& allocation : process.allocations)
      if (allocation.segments == kVramSegmentBit && (room == 0 || allocation.bytes <= room))
        bytes += allocation.bytes;
  return bytes;
}

/// Bytes that stresses of memory may have in VRAM at the same time.
std::uint64_t bytes_of_stresses(const scenario::Scenario& scenario) {
  std::uint64_t bytes = 0;
  for (const scenario::Program& program : scenario.programs)
    for (const scenario::Step& step : program.steps)
      if (const auto* stress = std::get_if<scenario::MemoryStressStep>(&step.what))
        bytes += stress->allocations * stress->largest_bytes;
  return bytes;
}

/// An allocation that never gets its place.
void add_too_large(Plan& plan, std::size_t process, std::uint64_t room) {
  scenario::Allocation allocation;
  allocation.name = plan.fresh_name("L");
  allocation.bytes = room + kManagedPage * plan.draw().between(1, 4);
  allocation.segments = kVramSegmentBit;
  allocation.cpu_visible = allocation.resident = false;
  MemoryPlan memory;
  memory.process = process;
  memory.name = allocation.name;
  memory.managed = memory.too_large = true;
  memory.resident = false;
  plan.add_memory(std::move(memory));
  plan.scenario().processes[process].allocations.push_back(std::move(allocation));
}

}  // namespace

bool asks_for_windows(const Plan& plan) { return plan.constraints().features.small_bars != 0; }

scenario::Allocation drawn_allocation(Plan& plan, std::size_t process, const std::string& name,
                                      MemoryPlan& memory) {
  Draw& draw = plan.draw();
  scenario::Allocation allocation;
  allocation.name = name;
  allocation.bytes = kManagedPage * draw.between(1, kMaxPages);
  allocation.segments = drawn_segments(plan);
  const bool everywhere = allocation.segments == (kVramSegmentBit | kApertureSegmentBit);
  if (everywhere && draw.chance(30)) allocation.preferred = Home::kSysmem;
  // Without windows the CPU may have no way to VRAM.
  const bool vram_only = allocation.segments == kVramSegmentBit;
  allocation.cpu_visible = (!vram_only || asks_for_windows(plan)) && draw.chance(70);
  allocation.cached = allocation.segments == kApertureSegmentBit && allocation.cpu_visible &&
                      draw.chance(50) && plan.scenario().platform.host.io_coherent;
  allocation.accessed_physically = everywhere && draw.chance(15);
  allocation.resident = draw.chance(75);
  memory.process = process;
  memory.name = name;
  memory.bytes = allocation.bytes;
  memory.managed = true;
  memory.shown_in_vram = vram_only && allocation.cpu_visible;
  memory.lockable = memory.shown_in_vram || always_locks(allocation);
  memory.resident = allocation.resident;
  return allocation;
}

void draw_managed(Plan& plan, std::size_t process, const std::string& name) {
  MemoryPlan memory;
  scenario::Allocation allocation = drawn_allocation(plan, process, name, memory);
  plan.add_memory(std::move(memory));
  plan.scenario().processes[process].allocations.push_back(std::move(allocation));
}

void draw_video_memory(Plan& plan) {
  Draw& draw = plan.draw();
  if (draw.chance(50)) return;
  const std::uint64_t room =
      bytes_of_vram_only(plan.scenario()) + kManagedPage * draw.between(1, 24);
  plan.scenario().platform.system.video_memory = room;
  if (draw.chance(50)) add_too_large(plan, draw.below(plan.scenario().processes.size()), room);
}

std::uint64_t free_video_memory(const scenario::Scenario& scenario) {
  const std::uint64_t room = scenario.platform.system.video_memory;
  const std::uint64_t kept = bytes_of_vram_only(scenario);
  if (room == 0 || kept == 0) return UINT64_MAX;
  const std::uint64_t taken = kept + bytes_of_stresses(scenario);
  return room > taken ? room - taken : 0;
}

}  // namespace fenceline::generate
