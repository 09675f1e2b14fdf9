// Rules of steps for events that the driver sets.
#include "tb/generate/rules.h"

namespace fenceline::generate {

namespace {

constexpr std::size_t kMaxCpuEvents = 6;  ///< of all processes

PendingEvent set_by(Plan& plan, AgentId thread, const std::string& event) {
  PendingEvent pending;
  pending.process = plan.agent(thread).process;
  pending.name = event;
  pending.over = plan.agent(thread).known;
  pending.needs = plan.agent(thread).needs;
  return pending;
}

/// A CPU event of the thread's process, behind all earlier calls for it.
std::optional<std::size_t> cpu_event(Plan& plan, AgentId thread,
                                     bool (*fits)(const CpuEventPlan&)) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < plan.cpu_events().size(); ++i)
    if (plan.cpu_events()[i].process == plan.agent(thread).process && fits(plan.cpu_events()[i]))
      found.push_back(i);
  if (found.empty()) return std::nullopt;
  const std::size_t index = plan.draw().one_of(found);
  if (!plan.order(thread, Clock(plan.cpu_events()[index].calls))) return std::nullopt;
  return index;
}

std::optional<AgentId> context_of(Plan& plan, AgentId thread) {
  const std::vector<AgentId> contexts = plan.contexts_of(plan.agent(thread).process);
  if (contexts.empty()) return std::nullopt;
  return plan.draw().one_of(contexts);
}

/// The driver signals at once.
void use_now(Plan& plan, AgentId thread, std::size_t index, scenario::UseCpuEventStep use) {
  CpuEventPlan& event = plan.cpu_events()[index];
  use.use = abi::CpuEventUse::kNow;
  event.calls.learn(plan.step(thread, std::move(use)));
  event.waited = true;
  plan.events().push_back(set_by(plan, thread, event.event));
}

/// The driver signals when a buffer of the engine is complete. Which buffer that is, the event does
/// not tell.
bool use_for_buffers(Plan& plan, AgentId thread, std::size_t index, scenario::UseCpuEventStep use) {
  const std::optional<AgentId> context = context_of(plan, thread);
  if (!context) return false;
  plan.close(*context);
  if (!plan.take_turn(thread, *context)) return false;
  use.use = abi::CpuEventUse::kBufferCompleted;
  use.engine = plan.agent(*context).engine;
  CpuEventPlan& event = plan.cpu_events()[index];
  event.calls.learn(plan.step(thread, std::move(use)));
  PendingEvent pending = set_by(plan, thread, event.event);
  plan.open_by(*context, thread);
  plan.command(*context, scenario::BarrierCommand{});
  plan.note_barrier(*context);
  plan.close(*context);
  pending.needs.learn(plan.agent(*context).needs);
  plan.events().push_back(std::move(pending));
  return true;
}

bool destroy_cpu_event(Plan& plan, AgentId thread) {
  const std::optional<std::size_t> index =
      cpu_event(plan, thread, [](const CpuEventPlan& one) { return one.used && one.waited; });
  if (!index) return false;
  scenario::DestroyFenceStep destroy;
  destroy.fence = plan.cpu_events()[*index].name;
  plan.step(thread, std::move(destroy));
  plan.cpu_events().erase(plan.cpu_events().begin() + static_cast<std::ptrdiff_t>(*index));
  return true;
}

}  // namespace

bool Rule<scenario::CreateCpuEventStep>::plan(Plan& plan, AgentId thread) {
  if (!plan.driver_signals() || plan.cpu_events().size() >= kMaxCpuEvents) return false;
  CpuEventPlan event;
  event.process = plan.agent(thread).process;
  event.name = plan.fresh_name("V");
  event.event = plan.fresh_name("e");
  scenario::CreateCpuEventStep create;
  create.name = event.name;
  create.event = event.event;
  event.calls.learn(plan.step(thread, std::move(create)));
  plan.cpu_events().push_back(std::move(event));
  return true;
}

bool Rule<scenario::UseCpuEventStep>::plan(Plan& plan, AgentId thread) {
  if (plan.draw().chance(25)) return destroy_cpu_event(plan, thread);
  const std::optional<std::size_t> index =
      cpu_event(plan, thread, [](const CpuEventPlan& one) { return !one.used; });
  if (!index) return false;
  scenario::UseCpuEventStep use;
  use.name = plan.cpu_events()[*index].name;
  use.wakes = plan.draw().chance(30);
  if (plan.draw().chance(60) && use_for_buffers(plan, thread, *index, use)) {
    plan.cpu_events()[*index].used = true;
    return true;
  }
  plan.cpu_events()[*index].used = true;
  if (plan.draw().chance(80)) {
    use_now(plan, thread, *index, std::move(use));
    return true;
  }
  use.use = abi::CpuEventUse::kNever;
  plan.cpu_events()[*index].calls.learn(plan.step(thread, std::move(use)));
  plan.cpu_events()[*index].waited = true;
  return true;
}

/// Handles of a guest mean nothing on the host, and escapes of a secured one do not get there.
bool Rule<scenario::PassHandleStep>::plan(Plan& plan, AgentId thread) {
  if (!plan.driver_signals()) return false;
  scenario::PassHandleStep pass;
  pass.event = plan.fresh_name("e");
  const std::string event = pass.event;
  const os::ProcessKind kind = plan.scenario().processes[plan.agent(thread).process].kind;
  if (kind == os::ProcessKind::kGuest) pass.status = "STATUS_INVALID_HANDLE";
  if (kind == os::ProcessKind::kSecuredGuest) pass.status = "STATUS_ACCESS_DENIED";
  plan.step(thread, std::move(pass));
  if (kind == os::ProcessKind::kHost) plan.events().push_back(set_by(plan, thread, event));
  return true;
}

}  // namespace fenceline::generate
