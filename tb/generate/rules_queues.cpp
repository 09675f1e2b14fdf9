// Rules of steps for queues, contexts and their logs.
#include "tb/generate/rules.h"
#include "tb/generate/sharing.h"
#include "tb/generate/world.h"

namespace fenceline::generate {

namespace {

constexpr std::uint64_t kMaxRoundTrips = 5;
constexpr std::uint64_t kMaxAside = 4;          ///< commands
constexpr std::uint64_t kManyRoundTrips = 120;  ///< more than a small ring has room for

/// Hardware queues and contexts of the thread's process.
std::vector<AgentId> queues_of(Plan& plan, AgentId thread) {
  std::vector<AgentId> found;
  for (AgentId id = 0; id < plan.agents().size(); ++id) {
    const Agent& agent = plan.agent(id);
    if (agent.takes_commands() && agent.process == plan.agent(thread).process) found.push_back(id);
  }
  return found;
}

/// A queue of the thread's process with logs.
std::optional<std::string> logged_queue(Plan& plan, AgentId thread) {
  std::vector<std::string> names;
  for (const scenario::Queue& queue : plan.scenario().processes[plan.agent(thread).process].queues)
    if (queue.logs) names.push_back(queue.name);
  if (names.empty()) return std::nullopt;
  return plan.draw().one_of(names);
}

/// A hardware context of the thread's process, if the OS schedules them. One with a name of its own
/// belongs to the first thread; any thread may suspend the others.
std::optional<std::string> hardware_context(Plan& plan, AgentId thread, bool named) {
  if (!plan.scenario().platform.system.context_scheduling.enabled) return std::nullopt;
  const std::size_t process = plan.agent(thread).process;
  const bool first = plan.threads_of(process).front() == thread;
  std::vector<std::string> names;
  for (const scenario::Queue& queue : plan.scenario().processes[process].queues)
    if (queue.context ? first : !named) names.push_back(queue.context.value_or(queue.name));
  if (names.empty()) return std::nullopt;
  return plan.draw().one_of(names);
}

/// The thread suspends the context, does these steps, which wait for nothing, and resumes it.
void plan_suspension(Plan& plan, AgentId thread, const std::string& context, bool waits,
                     const scenario::Steps& meanwhile) {
  scenario::SuspendContextStep suspend;
  suspend.context = context;
  suspend.wait = waits;
  scenario::Steps steps{{std::move(suspend), {}}};
  steps.insert(steps.end(), meanwhile.begin(), meanwhile.end());
  steps.push_back({scenario::ResumeContextStep{context}, {}});
  plan.step(thread, std::move(steps));
}

/// A queue or context for a step between its submissions.
std::optional<AgentId> idle_queue(Plan& plan, AgentId thread) {
  const std::vector<AgentId> queues = queues_of(plan, thread);
  if (queues.empty()) return std::nullopt;
  const AgentId queue = plan.draw().one_of(queues);
  if (plan.agent(queue).progress) return std::nullopt;  // its fence counts submissions
  plan.close(queue);
  if (!plan.order(thread, plan.agent(queue).submitted)) return std::nullopt;
  return queue;
}

/// The OS holds these waits and makes these signals: only monitored fences for contexts.
std::vector<std::size_t> point_fences(Plan& plan, AgentId thread, AgentId queue, Plan::Use use) {
  std::vector<std::size_t> fences;
  for (const std::size_t fence : plan.usable_fences(queue, use))
    if (plan.monitored(queue, fence) == (plan.agent(queue).kind == Agent::Kind::kContext) &&
        plan.can_use(thread, plan.fences()[fence]) &&
        plan.agent(thread).known.knows(plan.fences()[fence].made))
      fences.push_back(fence);
  return fences;
}

/// Work that comes at any time among the submissions of other threads, and that nobody waits for.
/// A progress fence would count it.
bool submit_aside(Plan& plan, AgentId thread, AgentId queue) {
  const Agent& target = plan.agent(queue);
  if (target.progress || plan.errors().hit(target.process)) return false;
  scenario::SubmitStep submit;
  address(target, submit);
  const bool works = target.engine_kind != engine::EngineKind::kCopy && plan.draw().chance(70);
  const std::uint64_t count = plan.draw().between(1, kMaxAside);
  for (std::uint64_t i = 0; i < count; ++i) {
    scenario::DispatchCommand work;
    work.duration = draw_work_time(plan);
    if (works) submit.commands.push_back({std::move(work), {}});
    if (!works) submit.commands.push_back({scenario::BarrierCommand{}, {}});
  }
  plan.step(thread, std::move(submit));
  plan.agent(queue).packets += count + 1;
  return true;
}

/// Another thread changes the level of logging, in no order with this one.
void change_level_meanwhile(Plan& plan, AgentId thread) {
  std::vector<AgentId> others;
  for (AgentId id = 0; id < plan.agents().size(); ++id)
    if (id != thread && plan.agent(id).kind == Agent::Kind::kThread &&
        !plan.in_error(plan.agent(id).process))
      others.push_back(id);
  if (others.empty()) return;
  scenario::CaptureLogsStep capture;
  capture.verbose = plan.draw().chance(50);
  plan.step(plan.draw().one_of(others), capture);
}

/// A fence that the queue can signal and that only verbose logging logs. The thread may create it.
std::optional<std::size_t> traced_fence(Plan& plan, AgentId thread, AgentId queue) {
  std::vector<std::size_t> fences;
  for (const std::size_t fence : plan.usable_fences(queue, Plan::Use::kSignal))
    if (plan.fences()[fence].traced) fences.push_back(fence);
  if (!fences.empty()) return plan.draw().one_of(fences);
  const std::size_t process = plan.agent(thread).process;
  scenario::CreateFenceStep create;
  create.fence = draw_fence(plan, process, plan.fresh_name("N"));
  if (create.fence.monitored) return std::nullopt;
  create.fence.traced = true;
  return create_fence(plan, thread, std::move(create));
}

}  // namespace

bool Rule<scenario::SubmitStep>::plan(Plan& plan, AgentId thread) {
  const std::vector<AgentId> queues = queues_of(plan, thread);
  if (queues.empty()) return false;
  const AgentId queue = plan.draw().one_of(queues);
  if (plan.draw().chance(plan.constraints().features.submissions_aside))
    return submit_aside(plan, thread, queue);
  plan.close(queue);
  return plan_command(plan, queue);
}

bool Rule<scenario::SetLogBuffersStep>::plan(Plan& plan, AgentId thread) {
  const std::optional<std::string> queue = logged_queue(plan, thread);
  if (!queue) return false;
  const auto entries = static_cast<std::uint32_t>(plan.draw().between(1, 84));
  plan.step(thread, scenario::SetLogBuffersStep{*queue, entries});
  return true;
}

/// Takes a doorbell from another queue, if that has the last one. Work of that queue goes on.
bool Rule<scenario::ConnectDoorbellStep>::plan(Plan& plan, AgentId thread) {
  const std::size_t process = plan.agent(thread).process;
  const std::vector<AgentId> queues = plan.queues_of(process);
  if (queues.empty() || !shares_doorbells(adapter_of(plan.scenario(), process))) return false;
  scenario::ConnectDoorbellStep connect;
  connect.queue = plan.agent(plan.draw().one_of(queues)).name;
  if (plan.draw().chance(50)) connect.status = "STATUS_SUCCESS";
  plan.step(thread, std::move(connect));
  return true;
}

/// Another thread may change the level at the same time. Commands that were recorded with verbose
/// logging may run when it is off again.
bool Rule<scenario::CaptureLogsStep>::plan(Plan& plan, AgentId thread) {
  scenario::CaptureLogsStep capture;
  if (plan.draw().chance(80)) capture.verbose = plan.draw().chance(70);
  plan.step(thread, capture);
  if (plan.draw().chance(40)) change_level_meanwhile(plan, thread);
  const std::vector<AgentId> queues = queues_of(plan, thread);
  if (!capture.verbose || queues.empty()) return true;
  const AgentId queue = plan.draw().one_of(queues);
  const std::optional<std::size_t> fence = traced_fence(plan, thread, queue);
  if (!fence || !plan.signal(queue, *fence)) return true;
  plan.close(queue);
  if (!plan.draw().chance(50)) return true;
  capture.verbose = !*capture.verbose;
  plan.step(thread, capture);
  return true;
}

bool Rule<scenario::TouchLogStep>::plan(Plan& plan, AgentId thread) {
  const std::optional<std::string> queue = logged_queue(plan, thread);
  if (!queue) return false;
  scenario::TouchLogStep touch;
  touch.queue = *queue;
  touch.waits = plan.draw().chance(50);
  if (plan.draw().chance(50)) touch.write = scenario::Expression{plan.stamp()};
  touch.violates = true;  // no process has a log mapped
  plan.step(thread, std::move(touch));
  return true;
}

bool Rule<scenario::QueryAdapterStep>::plan(Plan& plan, AgentId thread) {
  scenario::QueryAdapterStep query;
  // The class of the query is that of WDDM 3.1.
  if (plan.scenario().platform.system.wddm >= DXGKDDI_WDDMv3_1 && plan.draw().chance(50))
    query.status = "STATUS_SUCCESS";
  plan.step(thread, std::move(query));
  return true;
}

bool Rule<scenario::GpuWaitStep>::plan(Plan& plan, AgentId thread) {
  const std::optional<AgentId> queue = idle_queue(plan, thread);
  if (!queue) return false;
  std::vector<std::size_t> fences;
  for (const std::size_t fence : point_fences(plan, thread, *queue, Plan::Use::kWait))
    if (!plan.fences()[fence].signals.empty()) fences.push_back(fence);
  if (fences.empty()) return false;
  const std::size_t fence = plan.draw().one_of(fences);
  const std::uint64_t value = plan.draw().one_of(plan.fences()[fence].signals).value;
  scenario::GpuWaitStep wait;
  address(plan.agent(*queue), wait);
  wait.point = {plan.name_of(thread, fence), scenario::Expression{value}};
  plan.step(thread, std::move(wait));
  plan.submitted(*queue, thread);
  plan.act(*queue);
  plan.learn(*queue, fence, value);
  return true;
}

bool Rule<scenario::GpuSignalStep>::plan(Plan& plan, AgentId thread) {
  const std::optional<AgentId> queue = idle_queue(plan, thread);
  if (!queue) return false;
  std::vector<std::size_t> fences;
  for (const std::size_t fence : point_fences(plan, thread, *queue, Plan::Use::kSignal)) {
    const FencePlan& plan_of = plan.fences()[fence];
    if (!plan_of.signalled_by_os &&
        (plan.knows_signals(*queue, fence) || plan.knows_signals(thread, fence)))
      fences.push_back(fence);
  }
  if (fences.empty()) return false;
  const std::size_t fence = plan.draw().one_of(fences);
  const std::uint64_t value = plan.next_value(fence);
  scenario::GpuSignalStep signal;
  address(plan.agent(*queue), signal);
  signal.point = {plan.name_of(thread, fence), scenario::Expression{value}};
  plan.step(thread, std::move(signal));
  plan.submitted(*queue, thread);
  plan.act(*queue);
  plan.note_signal(*queue, fence, value);
  return true;
}

bool Rule<scenario::SuspendContextStep>::plan(Plan& plan, AgentId thread) {
  const std::optional<std::string> context = hardware_context(plan, thread, false);
  if (!context) return false;
  const scenario::DelayStep delay{plan.draw().between(1, 20) * common::kMicrosecond};
  const bool waits = plan.draw().chance(60);
  scenario::Steps meanwhile;
  if (plan.draw().chance(50)) meanwhile.push_back({delay, {}});
  if (plan.draw().chance(30)) {
    scenario::SuspendContextStep again;
    again.context = *context;
    again.wait = plan.draw().chance(60);
    meanwhile.push_back({std::move(again), {}});
  }
  plan_suspension(plan, thread, *context, waits, meanwhile);
  return true;
}

/// The context is suspended meanwhile: when the device resumes it, the device has its properties.
bool Rule<scenario::SetSchedulingStep>::plan(Plan& plan, AgentId thread) {
  const std::optional<std::string> context = hardware_context(plan, thread, true);
  if (!context) return false;
  const scenario::SetSchedulingStep change{*context, draw_scheduling(plan.draw())};
  plan_suspension(plan, thread, *context, true, {{change, {}}});
  return true;
}

/// Round trips: a thread submits a signal and waits for it, several times.
bool Rule<scenario::RepeatStep>::plan(Plan& plan, AgentId thread) {
  const std::optional<AgentId> queue = idle_queue(plan, thread);
  if (!queue || plan.agent(*queue).kind != Agent::Kind::kQueue) return false;
  std::vector<std::size_t> fences;
  for (const std::size_t fence : plan.native_fences(thread))
    if (!plan.fences()[fence].signalled_by_os && plan.order(thread, plan.fences()[fence].made) &&
        plan.order(thread, plan.fences()[fence].last))
      fences.push_back(fence);
  if (fences.empty() || !plan.order(thread, plan.agent(*queue).submitted)) return false;
  plan.close(*queue);
  const std::size_t fence = plan.draw().one_of(fences);
  if (!plan.knows_signals(thread, fence)) return false;
  const std::uint64_t most = plan.draw().chance(50) ? kManyRoundTrips : kMaxRoundTrips;
  const Plan::Values values = plan.next_values(fence, plan.draw().between(2, most));
  const scenario::FencePoint point{plan.name_of(thread, fence), values.expression()};
  scenario::SubmitStep submit;
  submit.queue = plan.agent(*queue).name;
  submit.commands.push_back({scenario::SignalCommand{point}, {}});
  scenario::WaitStep wait;
  wait.points.push_back(point);
  scenario::RepeatStep repeat;
  repeat.count = scenario::Expression{values.count};
  repeat.counter = "i";
  repeat.body.push_back({std::move(submit), {}});
  repeat.body.push_back({std::move(wait), {}});
  Clock before = plan.agent(*queue).known;
  before.learn(plan.agent(thread).known);
  plan.step(thread, std::move(repeat));
  plan.submitted(*queue, thread);
  if (values.count > kMaxRoundTrips) plan.agent(*queue).wraps = true;
  plan.agent(*queue).packets += 2;  // each wait ends when all packets before it are done
  plan.act(*queue);
  plan.note_signals(*queue, fence, values, before);
  // Others may see the last value before the thread does.
  before.learn(Event{*queue, plan.agent(*queue).acts});
  plan.fences()[fence].signals.back().over = before;
  plan.learn(thread, fence, values.at(values.count - 1));
  return true;
}

}  // namespace fenceline::generate
