#include "tb/generate/aftermath.h"

namespace fenceline::generate {

namespace {

bool occurs(Plan& plan) { return plan.draw().occurs(plan.constraints().features.after_errors); }

/// Native fences of devices in error that the agent can signal next to all that the thread knows.
std::vector<std::size_t> lost_fences(const Plan& plan, AgentId id, AgentId thread) {
  std::vector<std::size_t> lost;
  for (const std::size_t fence : plan.usable_fences(id, Plan::Use::kSignal)) {
    const FencePlan& one = plan.fence(fence);
    if (plan.may_be_given_up(one) && !one.signalled_by_os && !plan.monitored(id, fence) &&
        plan.agent(thread).known.knows(one.made) && plan.knows_signals(thread, fence))
      lost.push_back(fence);
  }
  return lost;
}

scenario::FencePoint point(const Plan& plan, AgentId id, std::size_t fence, std::uint64_t value) {
  return {plan.name_of(id, fence), scenario::Expression{value}};
}

bool may_submit_next(const Plan& plan, AgentId thread, AgentId queue) {
  const Clock& known = plan.agent(thread).known;
  return known.knows(plan.agent(queue).submitted) && known.knows(plan.room(queue));
}

/// The thread submits a signal, if it may submit next. The signal has no effect if the device is in
/// error. It may not be: the reset of an engine that runs nothing puts no device in error.
void submit_signal(Plan& plan, AgentId thread, AgentId queue) {
  const std::vector<std::size_t> fences = lost_fences(plan, queue, thread);
  if (fences.empty() || !may_submit_next(plan, thread, queue)) return;
  const std::size_t fence = plan.draw().one_of(fences);
  plan.close(queue);
  plan.open_by(queue, thread);
  const std::uint64_t value = plan.next_value(fence);
  plan.command(queue, scenario::SignalCommand{point(plan, queue, fence, value)});
  plan.note_signal(queue, fence, value);
  plan.close(queue);
}

/// A store by the CPU between two errors. The second error leaves the value as it is.
void signal_between_errors(Plan& plan, AgentId thread) {
  const std::vector<std::size_t> fences = lost_fences(plan, thread, thread);
  if (fences.empty()) return;
  const std::size_t fence = plan.draw().one_of(fences);
  const std::uint64_t value = plan.next_value(fence);
  scenario::SignalStep signal;
  signal.points.push_back(point(plan, thread, fence, value));
  plan.step(thread, std::move(signal));
  plan.note_signal(thread, fence, value);
}

struct Poll {
  std::size_t process;
  scenario::FencePoint point;
};

}  // namespace

void plan_aftermath(Plan& plan, AgentId thread) {
  if (!occurs(plan)) return;
  const std::size_t process = plan.agent(thread).process;
  const DeviceErrors& errors = plan.errors();
  for (const AgentId context : plan.contexts_of(process)) submit_signal(plan, thread, context);
  if (errors.hit(process)) {
    if (!errors.engine && !errors.faulty && plan.draw().chance(50))
      plan.step(thread, scenario::FailDeviceStep{});
    return;
  }
  for (const AgentId queue : plan.queues_of(process)) submit_signal(plan, thread, queue);
  if (!errors.engine || errors.fault || !plan.draw().chance(50)) return;
  signal_between_errors(plan, thread);
  plan.step(thread, scenario::ResetEngineStep{*errors.engine});
}

std::optional<AgentId> lost_waiter(Plan& plan, AgentId thread) {
  const std::size_t process = plan.agent(thread).process;
  if (!occurs(plan) || !plan.errors().hit(process) || !plan.draw().chance(30)) return std::nullopt;
  const std::vector<AgentId> queues = plan.queues_of(process);
  if (queues.empty()) return std::nullopt;
  const AgentId queue = plan.draw().one_of(queues);
  if (!plan.order(thread, plan.agent(queue).submitted)) return std::nullopt;
  return queue;
}

void plan_lost_wait(Plan& plan, AgentId thread, AgentId queue) {
  if (!may_submit_next(plan, thread, queue)) return;
  std::vector<std::size_t> fences;
  for (const std::size_t fence : plan.usable_fences(queue, Plan::Use::kWait))
    if (plan.may_never_reach(plan.agent(queue).process, fence) &&
        plan.agent(thread).known.knows(plan.fence(fence).made))
      fences.push_back(fence);
  if (fences.empty()) return;
  const std::size_t fence = plan.draw().one_of(fences);
  plan.open_by(queue, thread);
  plan.command(queue, scenario::WaitCommand{point(plan, queue, fence, kNever)});
  plan.depend(queue, fence, kNever);
  plan.close(queue);
  plan.scenario().expect.allow({"HANG"});
}

void plan_lost_poll(Plan& plan) {
  // Until a hang is found the poll would take more steps than a run may have.
  if (plan.errors().fault == scenario::FaultKind::kEngineHang) return;
  if (!occurs(plan) || !plan.draw().chance(30)) return;
  std::vector<Poll> polls;
  for (const FencePlan& fence : plan.fences())
    for (const auto& [process, handle] : fence.names)
      if (plan.may_be_given_up(fence) && fence.value > UINT32_MAX && fence.made.index == 0 &&
          !fence.traced && !handle.monitored && handle.may_wait)
        polls.push_back({process, {handle.name, scenario::Expression{fence.value}}});
  if (polls.empty()) return;
  const Poll& poll = plan.draw().one_of(polls);
  scenario::PollStep step;
  step.point = poll.point;
  plan.step(plan.add_thread(poll.process), std::move(step));
  plan.scenario().expect.allow({"HANG"});
}

void plan_behind_packet(Plan& plan, AgentId context) {
  if (!occurs(plan)) return;
  std::vector<std::size_t> fences;
  for (const std::size_t fence : plan.native_fences(context))
    if (plan.can_use(context, plan.fence(fence), Plan::Use::kSignal) &&
        plan.agent(context).known.knows(plan.fence(fence).made))
      fences.push_back(fence);
  if (fences.empty()) return;
  const std::size_t fence = plan.draw().one_of(fences);
  plan.command(context,
               scenario::SignalCommand{point(plan, context, fence, plan.next_value(fence))});
  plan.use(context, fence);
}

}  // namespace fenceline::generate
