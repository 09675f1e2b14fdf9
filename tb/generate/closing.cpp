#include "tb/generate/closing.h"

namespace fenceline::generate {

namespace {

scenario::FencePoint point_never(const FencePlan& fence, std::size_t process) {
  return {fence.names.at(process).name, scenario::Expression{kNever}};
}

/// A thread of the process waits with an event.
bool wait_by_thread(Plan& plan, AgentId closer, const FencePlan& closed, EndedWaits& waits) {
  const std::size_t process = plan.agent(closer).process;
  const AgentId waiter = plan.draw().one_of(plan.threads_of(process));
  if (!plan.order(waiter, closed.made)) return true;
  scenario::WaitStep wait;
  wait.points.push_back(point_never(closed, process));
  wait.event = plan.fresh_name("e");
  waits.events.push_back(*wait.event);
  return plan.order(closer, plan.step(waiter, std::move(wait)));
}

/// A hardware queue waits. The thread submits this wait itself: between the submission and the
/// close it waits for nothing that the queue would have to do.
void wait_by_queue(Plan& plan, AgentId closer, const FencePlan& closed, EndedWaits& waits) {
  const std::size_t process = plan.agent(closer).process;
  const std::vector<AgentId> queues = plan.queues_of(process);
  if (queues.empty()) return;
  const AgentId queue = plan.draw().one_of(queues);
  plan.close(queue);
  if (!plan.order(closer, plan.agent(queue).submitted)) return;
  plan.open_by(queue, closer);
  plan.command(queue, scenario::WaitCommand{point_never(closed, process)});
  plan.close(queue);
  waits.queues.push_back(queue);
}

}  // namespace

bool plan_ended_waits(Plan& plan, AgentId thread, const FencePlan& fence, EndedWaits& waits) {
  const std::size_t process = plan.agent(thread).process;
  if (!fence.may_never_reach(process) || !plan.draw().chance(50)) return true;
  // A device in error ends these waits, too, and the plan would not know when.
  if (plan.may_be_given_up(fence)) return true;
  const bool last = fence.names.size() == 1;
  const bool ends_waits_of_threads = last || !fence.ends_waits_last;
  if (ends_waits_of_threads && plan.draw().chance(60) &&
      !wait_by_thread(plan, thread, fence, waits))
    return false;
  // Others may close the fence later than planned, and a queue must not read what is taken back.
  const bool taken_back =
      fence.opened.size() > 1 &&
      plan.scenario().platform.system.closes_together < os::SystemOptions().closes_together;
  if (last && plan.draw().chance(60) && !taken_back) wait_by_queue(plan, thread, fence, waits);
  return true;
}

void note_ended_waits(Plan& plan, AgentId thread, const EndedWaits& waits) {
  const Agent& closer = plan.agent(thread);
  for (const std::string& event : waits.events)
    plan.events().push_back({closer.process, event, closer.known, closer.needs, {}, {}});
  for (const AgentId queue : waits.queues) {
    plan.agent(queue).known.learn(closer.known);
    plan.agent(queue).needs.learn(closer.needs);
  }
}

}  // namespace fenceline::generate
