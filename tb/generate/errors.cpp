#include "tb/generate/errors.h"

#include <algorithm>

#include "tb/generate/aftermath.h"
#include "tb/generate/rules.h"

namespace fenceline::generate {

namespace {

scenario::BadPacketCommand drawn_packet(Draw& draw) {
  return {scenario::kBadPackets[draw.below(scenario::kBadPackets.size())].value};
}

/// The devices of all queues or contexts on the engine are in error, or may be.
void hit_all(Plan& plan, const std::string& engine, Agent::Kind kind) {
  plan.errors().engine = engine;
  for (const Agent& agent : plan.agents())
    if (agent.kind == kind && agent.engine == engine) plan.errors().processes.insert(agent.process);
}

/// A device that resets its engines together resets the adapter for a hardware queue.
void draw_reset_of_adapter(Plan& plan) {
  constexpr std::uint32_t kPercent = 25;
  if (!plan.draw().chance(kPercent)) return;
  plan.scenario().platform.gpus.front().preemption.resets_together = true;
  for (const Agent& agent : plan.agents())
    if (agent.takes_commands()) plan.errors().processes.insert(agent.process);
}

/// With timeout detection the OS finds a context that hangs if it preempts, and the device a
/// hardware queue, unless DisableGpuTimeout exempts it.
bool may_be_watched(Plan& plan, const Agent& agent) {
  const os::SystemOptions& system = plan.scenario().platform.system;
  if (agent.kind == Agent::Kind::kContext) return system.preemption.enabled;
  const auto& queues = plan.scenario().processes[agent.process].queues;
  return system.context_scheduling.enabled &&
         std::any_of(queues.begin(), queues.end(), [&](const scenario::Queue& it) {
           return it.name == agent.name && it.gpu_timeout;
         });
}

/// The OS may move memory with this engine of the only adapter.
bool runs_paging(Plan& plan, const std::string& engine) {
  const auto managed = [](const MemoryPlan& memory) { return memory.managed; };
  const auto& engines = plan.scenario().platform.gpus.front().engines;
  const auto found = std::find_if(engines.begin(), engines.end(),
                                  [&](const auto& it) { return it.name == engine; });
  return (found == engines.begin() || found->kind == engine::EngineKind::kCopy) &&
         std::any_of(plan.memories().begin(), plan.memories().end(), managed);
}

/// The engine has agents of one kind, and its fault is found and hits one process. Queues skip a
/// packet that the engine cannot execute. The OS does not survive such a packet of its own.
bool may_have(Plan& plan, scenario::FaultKind fault, const Agent& hit) {
  if (runs_paging(plan, hit.engine)) return false;
  const bool hangs = fault == scenario::FaultKind::kEngineHang;
  if (!hangs && hit.kind != Agent::Kind::kContext) return false;
  return std::all_of(plan.agents().begin(), plan.agents().end(), [&](const Agent& agent) {
    if (!agent.takes_commands() || agent.engine != hit.engine) return true;
    return agent.kind == hit.kind && (!hangs || may_be_watched(plan, agent));
  });
}

/// Threads may poll until the hang is found: far longer than all work takes, and not for seconds.
void detect_soon(Plan& plan) {
  const common::Time delay = plan.draw().between(20, 60) * common::kMillisecond;
  plan.scenario().platform.system.preemption.detects_timeouts = true;
  plan.scenario().platform.system.preemption.tdr_delay = delay;
  plan.scenario().platform.gpus.front().preemption.engine_timeout = delay;
}

/// Hangs first: they have more conditions.
bool draw_fault(Plan& plan, const std::vector<AgentId>& queues) {
  for (const auto wanted : {scenario::FaultKind::kEngineHang, scenario::FaultKind::kEngineFault}) {
    std::vector<AgentId> possible;
    for (const AgentId id : queues)
      if (may_have(plan, wanted, plan.agent(id))) possible.push_back(id);
    if (possible.empty() || plan.draw().chance(30)) continue;
    const Agent& hit = plan.agent(plan.draw().one_of(possible));
    plan.errors().fault = wanted;
    hit_all(plan, hit.engine, hit.kind);
    if (wanted != scenario::FaultKind::kEngineHang) return true;
    detect_soon(plan);
    // A random order has one timeout. The OS may never ask the context to stop, or in vain, and so
    // not find that it hangs; then presents behind it are not shown.
    if (hit.kind == Agent::Kind::kContext) plan.scenario().expect.allow({"HANG", "I94", "I96"});
    draw_reset_of_adapter(plan);
    return true;
  }
  return false;
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

void draw_cause(Plan& plan) {
  Draw& draw = plan.draw();
  std::vector<AgentId> queues;
  std::vector<AgentId> all;
  for (AgentId id = 0; id < plan.agents().size(); ++id) {
    if (plan.agent(id).kind == Agent::Kind::kQueue) queues.push_back(id);
    if (plan.agent(id).takes_commands()) all.push_back(id);
  }
  if (all.empty()) return;
  if (draw.chance(70) && draw_fault(plan, all)) return;
  const bool resets = plan.scenario().platform.system.context_scheduling.enabled;
  if (resets && !queues.empty() && draw.chance(60)) {
    hit_all(plan, plan.agent(draw.one_of(queues)).engine, Agent::Kind::kQueue);
    return draw_reset_of_adapter(plan);
  }
  const AgentId hit = draw.one_of(all);
  plan.errors().processes.insert(plan.agent(hit).process);
  const Agent& agent = plan.agent(hit);
  // The driver refuses a buffer for patches that has such a packet.
  const bool takes = agent.kind == Agent::Kind::kContext && !agent.patched;
  if (takes && draw.chance(50)) plan.errors().faulty = hit;
}

/// Actions that have to be over before the devices are in error: waits for fences of the devices,
/// which count as signalled then, and calls that a device in error refuses.
Clock before_error(Plan& plan) {
  Clock before;
  for (const FencePlan& one : plan.fences()) {
    if (!plan.may_be_given_up(one)) continue;
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
  const std::optional<AgentId> waiter = lost_waiter(plan, thread);
  if (!comes_after_all(plan, thread)) return false;
  close_all(plan);
  if (waiter) plan_lost_wait(plan, thread, *waiter);
  plan.step(thread, std::move(step));
  plan.errors().planned = true;
  plan_aftermath(plan, thread);
  return true;
}

/// A thread that may submit to the queue or context next, and comes after all that the error must
/// not change.
std::optional<AgentId> last_submitter(Plan& plan, AgentId queue) {
  for (const AgentId thread : plan.threads_of(plan.agent(queue).process))
    if (comes_after_all(plan, thread) && plan.order(thread, plan.agent(queue).submitted) &&
        comes_after_all(plan, thread))
      return thread;
  return std::nullopt;
}

/// A thread submits the packet. Of the work before it in the context nothing is lost.
bool plan_faulty_buffer(Plan& plan, AgentId context) {
  const std::optional<AgentId> thread = last_submitter(plan, context);
  if (!thread) return false;
  close_all(plan);
  const scenario::BadPacketCommand packet = drawn_packet(plan.draw());
  plan.open_by(context, *thread);
  plan.command(context, packet);
  plan_behind_packet(plan, context);
  plan.close(context);
  plan.errors().planned = true;
  return true;
}

/// The fault befalls the first packet of the engine after a mark, and there is one.
bool plan_engine_fault(Plan& plan) {
  const DeviceErrors& errors = plan.errors();
  for (AgentId queue = 0; queue < plan.agents().size(); ++queue) {
    if (!plan.agent(queue).takes_commands() || plan.agent(queue).engine != *errors.engine) continue;
    const std::optional<AgentId> thread = last_submitter(plan, queue);
    if (!thread) continue;
    close_all(plan);
    scenario::Fault fault;
    fault.kind = *errors.fault;
    fault.engine = errors.engine;
    fault.after = plan.fresh_name("m");
    plan.step(*thread, scenario::MarkStep{*fault.after});
    plan.scenario().faults.push_back(std::move(fault));
    plan.open_by(queue, *thread);
    plan.command(queue, scenario::BarrierCommand{});
    plan.close(queue);
    plan.errors().planned = true;
    return true;
  }
  return false;
}

}  // namespace

void draw_errors(Plan& plan) {
  const std::uint32_t percent = plan.constraints().features.device_errors;
  // The driver never signals the event of a buffer that is lost. On other adapters a fence of the
  // device only has a high value, which later signals replace.
  const bool several = plan.scenario().platform.gpus.size() > 1;
  if (plan.draw().occurs(percent) && !plan.driver_signals() && !several) {
    draw_cause(plan);
    drop_flags(plan);
  }
  // In a random order any preemption may time out. Calls of that device fail from then on, and what
  // others wait for may not come.
  const auto& preemption = plan.scenario().platform.system.preemption;
  if (preemption.enabled && preemption.detects_timeouts)
    plan.scenario().expect.allow({"CALL", "HANG"});
}

void plan_last_error(Plan& plan) {
  if (plan.errors().faulty) {
    plan_faulty_buffer(plan, *plan.errors().faulty);
    return;
  }
  if (plan.errors().fault) {
    plan_engine_fault(plan);
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
  if (errors.fault) return plan_engine_fault(plan);
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
