#include "tb/generate/holds.h"

#include <string>
#include <vector>

namespace fenceline::generate {

namespace {

constexpr std::uint64_t kMaxHolds = 3;
constexpr std::uint32_t kMaxTurn = 12;
using Words = std::vector<std::string>;

/// All threads leave the last core to others.
void pin_threads(scenario::Scenario& scenario, std::uint32_t cores) {
  std::uint32_t next = 0;
  for (scenario::Program& program : scenario.programs)
    if (!program.queue && !program.core) program.core = next++ % cores;
}

/// One of the operations of the agent, as they come.
scenario::Hold hold_of(Draw& draw, std::string agent, const Words& operations) {
  scenario::Hold hold;
  hold.operation.agent = std::move(agent);
  hold.operation.op = draw.one_of(operations);
  hold.operation.nth = static_cast<std::uint32_t>(draw.between(1, kMaxTurn));
  return hold;
}

/// Of an engine, of its writes on their way, or of the CMP.
scenario::Hold hold_of_hardware(Draw& draw, const top::GpuConfig& gpu) {
  static const Words kEngine{"work", "issue", "notice", "read_value", "read_shadow", "park", "any"};
  static const Words kCmp{"take_notice", "take_update", "read_value", "read_monitored", "any"};
  if (draw.chance(25)) return hold_of(draw, gpu.name + ".cmp", kCmp);
  std::string engine = gpu.name + "." + draw.one_of(gpu.engines).name;
  if (!draw.chance(30)) return hold_of(draw, std::move(engine), kEngine);
  const std::uint64_t bank = draw.between(0, gpu.fabric.write_banks - 1);
  engine += (draw.chance(70) ? ".vram" : ".host") + std::to_string(bank);
  return hold_of(draw, std::move(engine), {"drain"});
}

/// Of a thread, or of what the driver and the OS do after an interrupt.
scenario::Hold hold_of_software(Draw& draw, const Words& threads) {
  static const Words kThread{"look", "lock", "table", "read", "write", "any"};
  static const Words kInterrupt{"deliver", "read", "any"};
  static const Words kDeferred{"deferred_call", "lock", "read", "read_value", "any"};
  if (!threads.empty() && draw.chance(50)) return hold_of(draw, draw.one_of(threads), kThread);
  return draw.chance(30) ? hold_of(draw, "core0.isr", kInterrupt)
                         : hold_of(draw, "core0.dpc", kDeferred);
}

Words threads_of(const scenario::Scenario& scenario) {
  Words names;
  for (const scenario::Program& program : scenario.programs)
    if (!program.queue) names.push_back(program.name);
  return names;
}

}  // namespace

void draw_holds(const Constraints& constraints, Draw& draw, scenario::Scenario& scenario) {
  if (!draw.occurs(constraints.features.holds)) return;
  std::uint32_t& cores = scenario.platform.host.cores;
  pin_threads(scenario, cores);
  const Words threads = threads_of(scenario);
  const std::uint64_t count = draw.between(1, kMaxHolds);
  for (std::uint64_t i = 0; i < count; ++i) {
    scenario::Program sleeper;
    sleeper.name = "h" + std::to_string(i);
    if (scenario.processes.size() > 1) sleeper.process = scenario.processes.front().name;
    sleeper.core = cores;
    sleeper.steps.push_back(
        {scenario::DelayStep{draw.between(1, 60) * 500 * common::kNanosecond}, {}});
    scenario::Hold hold = draw.chance(70)
                              ? hold_of_hardware(draw, draw.one_of(scenario.platform.gpus))
                              : hold_of_software(draw, threads);
    hold.until.agent = sleeper.name;
    hold.until.op = "resume";
    hold.until.nth = 1;
    scenario.programs.push_back(std::move(sleeper));
    scenario.holds.push_back(std::move(hold));
  }
  ++cores;
}

}  // namespace fenceline::generate
