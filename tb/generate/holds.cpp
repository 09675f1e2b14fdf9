#include "tb/generate/holds.h"

#include <string>
#include <vector>

namespace fenceline::generate {

namespace {

constexpr std::uint64_t kMaxHolds = 3;
constexpr std::uint32_t kMaxTurn = 12;

/// All threads leave the last core to others.
void pin_threads(scenario::Scenario& scenario, std::uint32_t cores) {
  std::uint32_t next = 0;
  for (scenario::Program& program : scenario.programs)
    if (!program.queue && !program.core) program.core = next++ % cores;
}

scenario::Hold drawn_hold(Draw& draw, const scenario::Platform& platform) {
  static const std::vector<std::string> kHeld{"work",        "issue", "notice", "read_value",
                                              "read_shadow", "park",  "any"};
  const top::GpuConfig& gpu = draw.one_of(platform.gpus);
  scenario::Hold hold;
  hold.operation.agent = gpu.name + "." + draw.one_of(gpu.engines).name;
  hold.operation.op = draw.one_of(kHeld);
  hold.operation.nth = static_cast<std::uint32_t>(draw.between(1, kMaxTurn));
  return hold;
}

}  // namespace

void draw_holds(const Constraints& constraints, Draw& draw, scenario::Scenario& scenario) {
  const std::uint32_t percent = constraints.features.holds;
  if (percent == 0 || !draw.chance(percent)) return;
  std::uint32_t& cores = scenario.platform.host.cores;
  pin_threads(scenario, cores);
  const std::uint64_t count = draw.between(1, kMaxHolds);
  for (std::uint64_t i = 0; i < count; ++i) {
    scenario::Program sleeper;
    sleeper.name = "h" + std::to_string(i);
    if (scenario.processes.size() > 1) sleeper.process = scenario.processes.front().name;
    sleeper.core = cores;
    sleeper.steps.push_back(
        {scenario::DelayStep{draw.between(1, 60) * 500 * common::kNanosecond}, {}});
    scenario::Hold hold = drawn_hold(draw, scenario.platform);
    hold.until.agent = sleeper.name;
    hold.until.op = "resume";
    hold.until.nth = 1;
    scenario.programs.push_back(std::move(sleeper));
    scenario.holds.push_back(std::move(hold));
  }
  ++cores;
}

}  // namespace fenceline::generate
