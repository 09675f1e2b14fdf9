#include "tb/generate/mistakes.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "tb/generate/world.h"

namespace fenceline::generate {

namespace {

constexpr const char* kInvalidHandle = "STATUS_INVALID_HANDLE";
constexpr const char* kInvalidParameter = "STATUS_INVALID_PARAMETER";
constexpr const char* kAccessDenied = "STATUS_ACCESS_DENIED";

using Points = std::vector<scenario::FencePoint>;

Event refused_wait(Plan& plan, AgentId thread, Points points, const char* status) {
  scenario::WaitStep wait;
  wait.points = std::move(points);
  wait.status = status;
  return plan.step(thread, std::move(wait));
}

Event refused_signal(Plan& plan, AgentId thread, Points points, const char* status) {
  scenario::SignalStep signal;
  signal.points = std::move(points);
  signal.status = status;
  return plan.step(thread, std::move(signal));
}

/// A wait or a signal that fails.
Event refused_call(Plan& plan, AgentId thread, Points points, const char* status) {
  return plan.draw().chance(50) ? refused_wait(plan, thread, std::move(points), status)
                                : refused_signal(plan, thread, std::move(points), status);
}

/// A fence of that kind that is there for sure and has no flags that forbid a call. A progress
/// fence is none: where programs race, the call may succeed. Native fences
/// of several adapters count as monitored in calls.
std::optional<std::size_t> plain_fence(Plan& plan, AgentId thread, bool monitored) {
  std::vector<std::size_t> fences;
  for (const std::size_t fence : plan.usable_fences(thread, Plan::Use::kSignal)) {
    const FencePlan& one = plan.fences()[fence];
    if (plan.monitored(thread, fence) == monitored && (monitored || !one.cross_adapter) &&
        !one.signalled_by_os && plan.can_use(thread, one, Plan::Use::kWait) &&
        plan.agent(thread).known.knows(one.made))
      fences.push_back(fence);
  }
  if (fences.empty()) return std::nullopt;
  return plan.draw().one_of(fences);
}

/// The point of a call that fails.
scenario::FencePoint point_of(Plan& plan, AgentId thread, std::size_t fence) {
  return {plan.name_of(thread, fence), scenario::Expression{plan.stamp()}};
}

/// The point of a wait that fails: the wait would end at once, or after a signal, or never.
scenario::FencePoint point_of_wait(Plan& plan, AgentId thread, std::size_t fence) {
  scenario::FencePoint point = point_of(plan, thread, fence);
  const FencePlan& one = plan.fences()[fence];
  if (!one.signals.empty() && plan.draw().chance(50))
    point.value = scenario::Expression{plan.draw().one_of(one.signals).value};
  else if (one.may_never_reach(plan.agent(thread).process) && plan.draw().chance(50))
    point.value = scenario::Expression{kNever};
  return point;
}

/// Nobody sets the event of a wait that fails.
void wait_for_its_event(Plan& plan, AgentId thread, Points points) {
  scenario::WaitStep wait;
  wait.points = std::move(points);
  wait.event = plan.fresh_name("e");
  wait.status = kInvalidHandle;
  scenario::WaitEventStep in_vain;
  in_vain.event = *wait.event;
  in_vain.timeout = plan.draw().between(1, 20) * common::kMicrosecond;
  plan.step(thread, std::move(wait));
  plan.step(thread, std::move(in_vain));
}

/// One call takes fences of one kind.
bool mix_kinds(Plan& plan, AgentId thread) {
  const std::optional<std::size_t> native = plain_fence(plan, thread, false);
  const std::optional<std::size_t> monitored = plain_fence(plan, thread, true);
  if (!native || !monitored) return false;
  Points points{point_of(plan, thread, *native), point_of(plan, thread, *monitored)};
  if (plan.draw().chance(50)) std::swap(points[0], points[1]);
  refused_call(plan, thread, std::move(points), kInvalidParameter);
  plan.use(thread, *native);
  plan.use(thread, *monitored);
  return true;
}

/// A value so far from the last one that a fence of 32 bits cannot have it. @pre has_32_bits
bool go_out_of_reach(Plan& plan, AgentId thread) {
  constexpr std::uint64_t kBeyond = 1ULL << 32U;
  const std::optional<std::size_t> fence = plain_fence(plan, thread, true);
  // The GPU changes no other fences, which have 64 bits.
  if (!fence || plan.may_be_given_up(plan.fences()[*fence]) ||
      !plan.fences()[*fence].names.at(plan.agent(thread).process).gpu_access)
    return false;
  Points points{point_of(plan, thread, *fence)};
  points.front().value = scenario::Expression{plan.fences()[*fence].value + kBeyond};
  refused_call(plan, thread, std::move(points), kInvalidParameter);
  plan.use(thread, *fence);
  return true;
}

/// No fence has both NoSignal and NoWait, and none is for one GPU alone. So a wait for it finds no
/// handle.
bool create_refused_fence(Plan& plan, AgentId thread) {
  using Flags = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;
  scenario::CreateFenceStep create;
  create.fence.name = plan.fresh_name("N");
  create.fence.monitored = plan.draw().chance(50) || !is_native(plan, plan.agent(thread).process);
  if (create.fence.monitored)
    create.fence.flags = {Flags::kNoSignal, Flags::kNoWait};
  else
    create.fence.intra_gpu = true;
  create.fence.status = kInvalidParameter;
  Points points{{create.fence.name, scenario::Expression{plan.stamp()}}};
  plan.step(thread, std::move(create));
  if (plan.draw().chance(50)) refused_wait(plan, thread, std::move(points), kInvalidHandle);
  return true;
}

/// A progress fence ends with its queue, not before.
bool destroy_progress_fence(Plan& plan, AgentId thread) {
  std::vector<std::string> names;
  for (const AgentId queue : plan.queues_of(plan.agent(thread).process))
    if (plan.agent(queue).progress)
      names.push_back(plan.name_of(queue, *plan.agent(queue).progress));
  if (names.empty()) return false;
  scenario::DestroyFenceStep destroy;
  destroy.fence = plan.draw().one_of(names);
  destroy.status = kInvalidParameter;
  plan.step(thread, std::move(destroy));
  return true;
}

/// Hardware queues take no monitored fences.
bool wait_for_monitored(Plan& plan, AgentId thread) {
  const std::vector<AgentId> queues = plan.queues_of(plan.agent(thread).process);
  std::vector<std::size_t> fences;
  for (const std::size_t fence : plan.usable_fences(thread))
    if (plan.monitored(thread, fence) && plan.order(thread, plan.fences()[fence].made))
      fences.push_back(fence);
  if (fences.empty() || queues.empty()) return false;
  const std::size_t fence = plan.draw().one_of(fences);
  scenario::GpuWaitStep wait;
  wait.queue = plan.agent(plan.draw().one_of(queues)).name;
  wait.point = point_of(plan, thread, fence);
  wait.status = kInvalidParameter;
  plan.step(thread, std::move(wait));
  plan.use(thread, fence);
  return true;
}

/// A call that the flags of the handle forbid: NoSignal or NoWait.
bool break_flag(Plan& plan, AgentId thread) {
  for (const std::size_t fence : plan.usable_fences(thread)) {
    const FencePlan& used = plan.fences()[fence];
    const bool may_signal = plan.can_use(thread, used, Plan::Use::kSignal);
    const bool may_wait = plan.can_use(thread, used, Plan::Use::kWait);
    if ((may_signal && may_wait) || !plan.order(thread, Event(used.made))) continue;
    Points points{point_of(plan, thread, fence)};
    may_wait ? refused_signal(plan, thread, std::move(points), kAccessDenied)
             : refused_wait(plan, thread, std::move(points), kAccessDenied);
    plan.use(thread, fence);
    return true;
  }
  return false;
}

/// An allocation of the thread's process, or none.
std::optional<std::size_t> memory_that(Plan& plan, AgentId thread,
                                       const std::function<bool(const MemoryPlan&)>& fits) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < plan.memories().size(); ++i)
    if (plan.memories()[i].process == plan.agent(thread).process && fits(plan.memories()[i]))
      found.push_back(i);
  if (found.empty()) return std::nullopt;
  const std::size_t memory = plan.draw().one_of(found);
  if (!plan.agent(thread).known.knows(plan.memories()[memory].residency)) return std::nullopt;
  return memory;
}

/// Allocations that have to be in VRAM must fit there.
bool bring_too_large(Plan& plan, AgentId thread) {
  const auto memory =
      memory_that(plan, thread, [](const MemoryPlan& one) { return one.too_large; });
  if (!memory) return false;
  scenario::MakeResidentStep resident;
  resident.allocations = {plan.memories()[*memory].name};
  resident.status = "STATUS_NO_MEMORY";
  plan.step(thread, std::move(resident));
  return true;
}

/// Reserved bits, both flags of a direction, or a flag that no allocation here has a use for.
bool lock_wrongly(Plan& plan, AgentId thread) {
  using Flags = D3DDDICB_LOCKFLAGS;
  const auto memory =
      memory_that(plan, thread, [](const MemoryPlan& one) { return one.managed && !one.gone; });
  if (!memory) return false;
  scenario::LockStep lock;
  lock.allocation = plan.memories()[*memory].name;
  lock.older = plan.draw().chance(50);
  if (!lock.older)
    lock.reserved = 1U << plan.draw().below(32);
  else if (plan.draw().chance(50))
    lock.flags = {Flags::kReadOnly, Flags::kWriteOnly};
  else
    lock.flags = {plan.draw().one_of(
        std::vector<std::uint32_t>{Flags::kAcquireAperture, Flags::kDiscard,
                                   Flags::kNoExistingReference, Flags::kUseAlternateVA})};
  lock.status = kInvalidParameter;
  plan.note_access(*memory, false, plan.step(thread, std::move(lock)));
  return true;
}

bool invalidate_beyond(Plan& plan, AgentId thread) {
  const auto memory =
      memory_that(plan, thread, [&](const MemoryPlan& one) { return one.locker == thread; });
  if (!memory) return false;
  const MemoryPlan& target = plan.memories()[*memory];
  scenario::InvalidateCacheStep invalidate;
  invalidate.allocation = target.name;
  invalidate.offset = plan.draw().below(target.bytes);
  invalidate.bytes = target.bytes - invalidate.offset + plan.draw().between(1, 8);
  invalidate.status = kInvalidParameter;
  plan.note_access(*memory, false, plan.step(thread, std::move(invalidate)));
  return true;
}

/// Nobody waits for a CPU event as for a fence, or signals it so.
bool use_cpu_event_as_fence(Plan& plan, AgentId thread) {
  for (CpuEventPlan& event : plan.cpu_events()) {
    if (event.process != plan.agent(thread).process || !plan.order(thread, Clock(event.calls)))
      continue;
    Points points{{event.name, scenario::Expression{plan.stamp()}}};
    event.calls.learn(refused_call(plan, thread, std::move(points), kInvalidParameter));
    return true;
  }
  return false;
}

/// A fence that the process has closed, by its index in the plan.
std::optional<std::size_t> closed_name(Plan& plan, AgentId thread) {
  std::vector<std::size_t> names;
  for (std::size_t i = 0; i < plan.closed_names().size(); ++i)
    if (plan.closed_names()[i].process == plan.agent(thread).process) names.push_back(i);
  if (names.empty()) return std::nullopt;
  const std::size_t index = plan.draw().one_of(names);
  if (!plan.order(thread, plan.closed_names()[index].used)) return std::nullopt;
  return index;
}

/// A command that a submission to a context leaves out.
struct LeftOut {
  scenario::Command command;
  const char* status;
  bool by_os;  ///< user mode sees that others name no fence
};

/// It is for a fence that the process has closed.
LeftOut for_closed(Plan& plan, const FenceHandle& handle) {
  const scenario::FencePoint point{handle.name, scenario::Expression{plan.stamp()}};
  if (handle.monitored || plan.draw().chance(50))
    return {{scenario::WaitCommand{point}, {}}, kInvalidHandle, handle.monitored};
  return {{scenario::SignalCommand{point}, {}}, kInvalidHandle, false};
}

/// A monitored fence with NoWait, which the context may not wait for.
std::optional<std::size_t> fence_without_wait(Plan& plan, AgentId thread) {
  std::vector<std::size_t> fences;
  for (const std::size_t fence : plan.usable_fences(thread))
    if (plan.monitored(thread, fence) &&
        !plan.can_use(thread, plan.fences()[fence], Plan::Use::kWait) &&
        plan.agent(thread).known.knows(plan.fences()[fence].made))
      fences.push_back(fence);
  if (fences.empty()) return std::nullopt;
  return plan.draw().one_of(fences);
}

/// A context whose submissions no progress fence counts, and that takes native fences.
std::optional<std::string> context_of(Plan& plan, std::size_t process) {
  std::vector<std::string> contexts;
  for (const AgentId context : plan.contexts_of(process))
    if (!plan.agent(context).progress && !plan.agent(context).patched)
      contexts.push_back(plan.agent(context).name);
  if (contexts.empty() || plan.in_error(process)) return std::nullopt;
  return plan.draw().one_of(contexts);
}

/// A submission of one or two commands that are left out. Its status is that of the first call to
/// the OS that fails, or else that of user mode.
bool submit_left_out(Plan& plan, AgentId thread) {
  const std::size_t process = plan.agent(thread).process;
  scenario::SubmitStep submit;
  submit.context = context_of(plan, process);
  if (!submit.context) return false;
  const std::optional<std::size_t> closed = closed_name(plan, thread);
  const std::optional<std::size_t> fence = fence_without_wait(plan, thread);
  std::vector<LeftOut> commands;
  if (closed) commands.push_back(for_closed(plan, plan.closed_names()[*closed].handle));
  if (fence)
    commands.push_back(
        {{scenario::WaitCommand{point_of(plan, thread, *fence)}, {}}, kAccessDenied, true});
  if (commands.empty()) return false;
  if (commands.size() > 1 && plan.draw().chance(50)) std::swap(commands[0], commands[1]);
  const auto first =
      std::find_if(commands.begin(), commands.end(), [](const LeftOut& one) { return one.by_os; });
  submit.status = first != commands.end() ? first->status : kInvalidHandle;
  for (LeftOut& one : commands) submit.commands.push_back(std::move(one.command));
  const Event event = plan.step(thread, std::move(submit));
  if (closed) plan.closed_names()[*closed].used.learn(event);
  if (fence) plan.use(thread, *fence);
  return true;
}

}  // namespace

/// It names the closed fence alone or beside an open one.
bool plan_use_of_closed(Plan& plan, AgentId thread) {
  const std::optional<std::size_t> closed = closed_name(plan, thread);
  if (!closed) return false;
  const std::size_t index = *closed;
  const FenceHandle handle = plan.closed_names()[index].handle;
  Points points{{handle.name, scenario::Expression{plan.stamp()}}};
  const std::uint64_t call = plan.draw().below(3);
  std::optional<std::size_t> other;
  if (call != 2 && plan.draw().chance(50)) other = plain_fence(plan, thread, handle.monitored);
  if (other)
    points.insert(plan.draw().chance(50) ? points.begin() : points.end(),
                  call == 0 ? point_of_wait(plan, thread, *other) : point_of(plan, thread, *other));
  scenario::DestroyFenceStep destroy;
  switch (call) {
    case 0:
      if (plan.draw().chance(30))
        wait_for_its_event(plan, thread, std::move(points));
      else
        refused_wait(plan, thread, std::move(points), kInvalidHandle);
      break;
    case 1:
      refused_signal(plan, thread, std::move(points), kInvalidHandle);
      break;
    default:
      destroy.fence = handle.name;
      destroy.status = kInvalidHandle;
      plan.step(thread, std::move(destroy));
  }
  if (other) plan.use(thread, *other);
  plan.closed_names()[index].used.learn(Event{thread, plan.agent(thread).acts});
  return true;
}

std::uint32_t percent_of_closes(const Constraints& constraints) {
  return std::min(100U, 10 * constraints.features.mistakes);
}

bool plan_mistake(Plan& plan, AgentId thread) {
  if (plan.draw().occurs(plan.constraints().features.refused_submissions))
    return submit_left_out(plan, thread);
  if (has_32_bits(plan.scenario()) && plan.draw().chance(50)) return go_out_of_reach(plan, thread);
  switch (plan.draw().below(11)) {
    case 0:
      return destroy_progress_fence(plan, thread);
    case 1:
      return wait_for_monitored(plan, thread);
    case 2:
      return bring_too_large(plan, thread);
    case 3:
      return lock_wrongly(plan, thread);
    case 4:
      return break_flag(plan, thread);
    case 5:
      return use_cpu_event_as_fence(plan, thread);
    case 6:
      return mix_kinds(plan, thread);
    case 7:
      return create_refused_fence(plan, thread);
    case 8:
      return invalidate_beyond(plan, thread);
    default:
      return plan_use_of_closed(plan, thread);
  }
}

}  // namespace fenceline::generate
