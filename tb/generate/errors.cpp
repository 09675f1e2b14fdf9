#include "tb/generate/errors.h"

#include <algorithm>

#include "tb/generate/rules.h"

namespace fenceline::generate {

namespace {

scenario::BadPacketCommand drawn_packet(Draw& draw) {
  return {scenario::kBadPackets[draw.below(scenario::kBadPackets.size())].value};
}

/// The reset of an engine hits the devices of all hardware queues on it.
void draw_reset(Plan& plan, const std::vector<AgentId>& queues) {
  const Agent& hit = plan.agent(plan.draw().one_of(queues));
  plan.errors().engine = hit.engine;
  for (const Agent& agent : plan.agents())
    if (agent.kind == Agent::Kind::kQueue && agent.engine == hit.engine)
      plan.errors().processes.insert(agent.process);
}

void drop_flags(Plan& plan) {
  using Flags = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;
  for (scenario::Process& process : plan.scenario().processes)
    for (scenario::Fence& fence : process.fences) {
      auto& flags = fence.flags;
      flags.erase(std::remove(flags.begin(), flags.end(), Flags::kNoSignalMaxValueOnTdr),
                  flags.end());
    }
}

/// Actions that have to be over before the devices are in error: waits for fences of the devices,
/// which count as signalled then, and calls that a device in error refuses.
Clock before_error(Plan& plan) {
  Clock before;
  for (std::size_t fence = 0; fence < plan.fences().size(); ++fence) {
    if (!plan.may_be_given_up(fence)) continue;
    const FencePlan& one = plan.fences()[fence];
    before.learn(one.made);
    before.learn(one.waited);
  }
  for (const Agent& agent : plan.agents())
    if (plan.errors().hit(agent.process)) before.learn(agent.device_call);
  return before;
}

/// To come after some of it may take further waits of others, which must be over too.
bool comes_after_all(Plan& plan, AgentId thread) {
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    const Clock before = before_error(plan);
    if (plan.agent(thread).known.knows(before)) return true;
    if (!plan.order(thread, before)) return false;
  }
  return false;
}

void close_all(Plan& plan) {
  for (AgentId id = 0; id < plan.agents().size(); ++id)
    if (plan.agent(id).takes_commands() && plan.errors().hit(plan.agent(id).process))
      plan.close(id);
}

template <class S>
bool plan_error(Plan& plan, AgentId thread, S step) {
  if (!comes_after_all(plan, thread)) return false;
  close_all(plan);
  plan.step(thread, std::move(step));
  plan.errors().planned = true;
  return true;
}

/// A thread submits the packet. Of the work before it in the context nothing is lost.
bool plan_faulty_buffer(Plan& plan, AgentId context) {
  for (const AgentId thread : plan.threads_of(plan.agent(context).process)) {
    if (!comes_after_all(plan, thread) || !plan.order(thread, plan.agent(context).submitted) ||
        !comes_after_all(plan, thread))
      continue;
    close_all(plan);
    plan.open_by(context, thread);
    plan.command(context, drawn_packet(plan.draw()));
    plan.close(context);
    plan.errors().planned = true;
    return true;
  }
  return false;
}

}  // namespace

void draw_errors(Plan& plan) {
  Draw& draw = plan.draw();
  const std::uint32_t percent = plan.constraints().features.device_errors;
  // The driver never signals the event of a buffer that is lost. On other adapters a fence of the
  // device only has a high value, which later signals replace.
  const bool several = plan.scenario().platform.gpus.size() > 1;
  if (percent == 0 || !draw.chance(percent) || plan.driver_signals() || several) return;
  std::vector<AgentId> queues;
  std::vector<AgentId> all;
  for (AgentId id = 0; id < plan.agents().size(); ++id) {
    if (plan.agent(id).kind == Agent::Kind::kQueue) queues.push_back(id);
    if (plan.agent(id).takes_commands()) all.push_back(id);
  }
  const bool resets = plan.scenario().platform.system.context_scheduling.enabled;
  if (all.empty()) return;
  if (resets && !queues.empty() && draw.chance(60)) {
    draw_reset(plan, queues);
  } else {
    const AgentId hit = draw.one_of(all);
    plan.errors().processes.insert(plan.agent(hit).process);
    if (plan.agent(hit).kind == Agent::Kind::kContext && draw.chance(50))
      plan.errors().faulty = hit;
  }
  drop_flags(plan);
}

void plan_last_error(Plan& plan) {
  if (plan.errors().faulty) {
    plan_faulty_buffer(plan, *plan.errors().faulty);
    return;
  }
  for (AgentId id = 0; id < plan.agents().size() && !plan.errors().planned; ++id)
    if (plan.agent(id).kind == Agent::Kind::kThread &&
        !Rule<scenario::FailDeviceStep>::plan(plan, id))
      Rule<scenario::ResetEngineStep>::plan(plan, id);
}

bool Rule<scenario::FailDeviceStep>::plan(Plan& plan, AgentId thread) {
  const DeviceErrors& errors = plan.errors();
  if (errors.planned || errors.engine || errors.faulty || !errors.hit(plan.agent(thread).process))
    return false;
  return plan_error(plan, thread, scenario::FailDeviceStep{});
}

bool Rule<scenario::ResetEngineStep>::plan(Plan& plan, AgentId thread) {
  const DeviceErrors& errors = plan.errors();
  if (errors.planned || !errors.engine) return false;
  return plan_error(plan, thread, scenario::ResetEngineStep{*errors.engine});
}

bool Rule<scenario::BadPacketCommand>::plan(Plan& plan, AgentId queue) {
  if (plan.agent(queue).kind == Agent::Kind::kContext)
    return !plan.errors().planned && plan.errors().faulty == queue &&
           plan_faulty_buffer(plan, queue);
  const scenario::BadPacketCommand packet = drawn_packet(plan.draw());
  // Without its size a ring has no next packet, and user mode does not report a BIND.
  if (packet.what == scenario::BadPacket::kSize || packet.what == scenario::BadPacket::kBind ||
      !plan.open(queue))
    return false;
  plan.command(queue, packet);
  return true;
}

bool Rule<scenario::CreateDeviceStep>::plan(Plan& plan, AgentId thread) {
  scenario::CreateDeviceStep create;
  create.status = "STATUS_INVALID_PARAMETER";
  plan.step(thread, std::move(create));
  return true;
}

bool Rule<scenario::DestroyDeviceStep>::plan(Plan& plan, AgentId thread) {
  const scenario::Process& process = plan.scenario().processes[plan.agent(thread).process];
  if (process.queues.empty() && process.contexts.empty()) return false;
  scenario::DestroyDeviceStep destroy;
  destroy.status = "STATUS_INVALID_PARAMETER";
  plan.step(thread, std::move(destroy));
  return true;
}

}  // namespace fenceline::generate
