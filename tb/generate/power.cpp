#include "tb/generate/power.h"

#include "tb/generate/managed.h"
#include "tb/generate/negotiation.h"
#include "tb/generate/rules.h"
#include "tb/generate/sharing.h"
#include "tb/generate/world.h"

namespace fenceline::generate {

/// The OS keeps an adapter in D0 while it has work. It does not know the work of a hardware queue
/// that owns its doorbell, or that has no progress fence.
void draw_power(Plan& plan) {
  const std::uint32_t percent = plan.constraints().features.power;
  const scenario::Platform& platform = plan.scenario().platform;
  for (const top::GpuConfig& gpu : platform.gpus)
    if ((!has_native_fences(platform, gpu) || shares_doorbells(gpu)) && plan.draw().occurs(percent))
      plan.sleepers().insert(gpu.name);
}

namespace {

/// The thread waits for all work of its adapter so far.
bool wait_until_idle(Plan& plan, AgentId thread) {
  const std::string& adapter = adapter_of(plan.scenario(), plan.agent(thread).process).name;
  for (AgentId id = 0; id < plan.agents().size(); ++id) {
    const Agent& agent = plan.agent(id);
    if (!agent.takes_commands() || adapter_of(plan.scenario(), agent.process).name != adapter)
      continue;
    if (!plan.order(thread, Event{id, agent.acts})) return false;
  }
  return true;
}

}  // namespace

/// Calls that need the device wake it. D3 has no effect while there is work.
/// Memory may stay locked meanwhile: most often where windows may show it, which are opened again.
bool Rule<scenario::SetPowerStep>::plan(Plan& plan, AgentId thread) {
  const bool windows = asks_for_windows(plan);
  const bool locks = !plan.in_error(plan.agent(thread).process) &&
                     plan.draw().chance(windows ? 90 : 40) &&
                     Rule<scenario::LockStep>::plan(plan, thread);
  if (plan.draw().chance(60) && !wait_until_idle(plan, thread)) return locks;
  plan.step(thread, scenario::SetPowerStep{plan.draw().chance(80) ? "D3" : "D0"});
  if (locks && plan.draw().chance(50)) Rule<scenario::StoreStep>::plan(plan, thread);
  if (locks && plan.draw().chance(windows ? 90 : 50)) Rule<scenario::LoadStep>::plan(plan, thread);
  return true;
}

}  // namespace fenceline::generate
