// Rules of steps for fences and time.
#include <algorithm>
#include <iterator>
#include <optional>

#include "tb/generate/closing.h"
#include "tb/generate/mistakes.h"
#include "tb/generate/rules.h"
#include "tb/generate/world.h"

namespace fenceline::generate {

namespace {

using common::kNanosecond;
using common::kSecond;

/// Longer than any run on the cycle timeline. A random order may have the timeout first.
constexpr common::Time kLongTimeout = kSecond;
constexpr std::size_t kMaxPoints = 4;  ///< fences of one call

std::vector<std::size_t> signalled_fences(Plan& plan, AgentId thread) {
  std::vector<std::size_t> fences;
  for (const std::size_t fence : plan.usable_fences(thread, Plan::Use::kWait))
    if (!plan.fences()[fence].signals.empty()) fences.push_back(fence);
  return fences;
}

/// A value that the fence has by the time that the plan has reached.
std::uint64_t reached_value(Plan& plan, std::size_t fence) {
  return plan.draw().one_of(plan.fences()[fence].signals).value;
}

/// True if the OS takes both fences in one call: only if monitored ones, and those that several
/// adapters share, are not among others.
bool go_together(Plan& plan, AgentId thread, std::size_t one, std::size_t other) {
  const auto by_os = [&](std::size_t fence) {
    return plan.monitored(thread, fence) || plan.fences()[fence].cross_adapter;
  };
  return by_os(one) == by_os(other);
}

/// Different fences of `all` for one call, which the thread knows to be there.
std::vector<std::size_t> some_of(Plan& plan, AgentId thread, std::vector<std::size_t> all,
                                 std::size_t most) {
  std::vector<std::size_t> chosen;
  while (!all.empty() && chosen.size() < most) {
    const std::size_t index = plan.draw().below(all.size());
    const std::size_t fence = all[index];
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(index));
    if (!chosen.empty() && !go_together(plan, thread, chosen.front(), fence)) continue;
    if (plan.order(thread, plan.fences()[fence].made)) chosen.push_back(fence);
  }
  return chosen;
}

common::Time short_time(Plan& plan, std::uint64_t most_nanoseconds) {
  return plan.draw().between(1, most_nanoseconds / 10) * 10 * kNanosecond;
}

/// A wait that times out.
bool wait_in_vain(Plan& plan, AgentId thread, std::size_t fence) {
  scenario::WaitStep wait;
  wait.points.push_back({plan.name_of(thread, fence), scenario::Expression{kNever}});
  wait.timeout = short_time(plan, 20'000);
  plan.step(thread, std::move(wait));
  plan.depend(thread, fence, kNever);
  return true;
}

bool wait_for_several(Plan& plan, AgentId thread, const std::vector<std::size_t>& fences) {
  const std::size_t process = plan.agent(thread).process;
  scenario::WaitStep wait;
  wait.any = plan.draw().chance(40);
  const bool several = wait.any && fences.size() > 1;
  const bool only_first = several && plan.draw().chance(50) &&
                          std::all_of(fences.begin() + 1, fences.end(), [&](std::size_t fence) {
                            return plan.may_never_reach(process, fence);
                          });
  std::vector<std::uint64_t> values;
  for (const std::size_t fence : fences) {
    const bool never = only_first && fence != fences.front();
    values.push_back(never ? kNever : reached_value(plan, fence));
    wait.points.push_back({plan.name_of(thread, fence), scenario::Expression{values.back()}});
  }
  if (plan.draw().chance(10)) {
    if (fences.size() == 1 && plan.may_never_reach(process, fences.front()) &&
        plan.draw().chance(50))
      return wait_in_vain(plan, thread, fences.front());
    wait.timeout = kLongTimeout;
  }
  // The end of the wait does not tell which value is there.
  const bool open = wait.timeout || (several && !only_first);
  plan.step(thread, std::move(wait));
  for (std::size_t i = 0; i < fences.size(); ++i) {
    if (open || values[i] == kNever)
      plan.depend(thread, fences[i], values[i]);
    else
      plan.learn(thread, fences[i], values[i]);
  }
  return true;
}

/// The name of an event that was used before.
std::optional<std::string> used_event(Plan& plan, AgentId thread) {
  std::vector<FreeEvent>& free = plan.free_events();
  for (std::size_t i = 0; i < free.size(); ++i) {
    if (free[i].process != plan.agent(thread).process || !plan.draw().chance(80)) continue;
    const FreeEvent event = free[i];
    if (!plan.order(thread, event.used)) continue;
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(i));
    return event.name;
  }
  return std::nullopt;
}

/// A wait that sets an event; a later step waits for the event.
bool wait_with_event(Plan& plan, AgentId thread, const std::vector<std::size_t>& fences) {
  const std::optional<std::string> used = used_event(plan, thread);
  PendingEvent event;
  event.process = plan.agent(thread).process;
  event.name = used ? *used : plan.fresh_name("e");
  scenario::WaitStep wait;
  wait.event = event.name;
  for (const std::size_t fence : fences) {
    event.points.emplace_back(fence, reached_value(plan, fence));
    wait.points.push_back(
        {plan.name_of(thread, fence), scenario::Expression{event.points.back().second}});
  }
  const Event call = plan.step(thread, std::move(wait));
  if (used) event.after.learn(call);
  plan.events().push_back(std::move(event));
  return true;
}

/// What the end of a wait for the event tells.
void note_event(Plan& plan, AgentId thread, const PendingEvent& event, bool may_time_out) {
  Agent& agent = plan.agent(thread);
  agent.needs.learn(event.needs);
  if (!may_time_out) agent.known.learn(event.over);
  for (CpuEventPlan& cpu_event : plan.cpu_events()) {
    if (cpu_event.event != event.name || may_time_out) continue;
    cpu_event.waited = true;
    cpu_event.calls.learn(Event{thread, agent.acts});
  }
  // Events that the driver sets have no points; they are not used again.
  if (!may_time_out && !event.points.empty()) {
    FreeEvent& free = plan.free_events().emplace_back();
    free.process = event.process;
    free.name = event.name;
    free.used.learn(Event{thread, agent.acts});
  }
  for (const auto& [fence, value] : event.points)
    if (may_time_out) {
      plan.depend(thread, fence, value);
      plan.fences()[fence].kept = true;  // the call that sets the event may come later
    } else
      plan.learn(thread, fence, value);
}

/// The last action of each agent of the process with the fence.
Clock uses_in(Plan& plan, const FencePlan& fence, std::size_t process) {
  Clock uses;
  for (AgentId id = 0; id < plan.agents().size(); ++id)
    if (plan.agent(id).process == process) uses.learn(Event{id, fence.used.over(id)});
  return uses;
}

/// Gives the fence a name: at times one that the process has closed, and that no action uses now.
/// All fences of one name are of one kind, because hardware queues take one kind only.
void name_fence(Plan& plan, AgentId thread, scenario::Fence& fence) {
  const FenceHandle handle = plan_of(fence, 0).names.at(0);
  std::vector<ClosedName>& names = plan.closed_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].process != plan.agent(thread).process || !plan.draw().chance(40)) continue;
    const ClosedName closed = names[i];
    if (!closed.handle.same_kind(handle) || !plan.order(thread, closed.used)) continue;
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(i));
    fence.name = closed.handle.name;
    return;
  }
}

/// Mostly any. At times one that other processes have open, too.
std::size_t fence_to_close(Plan& plan, const std::vector<std::size_t>& fences) {
  std::vector<std::size_t> shared;
  std::copy_if(fences.begin(), fences.end(), std::back_inserter(shared),
               [&](std::size_t fence) { return plan.fences()[fence].names.size() > 1; });
  return plan.draw().one_of(!shared.empty() && plan.draw().chance(40) ? shared : fences);
}

}  // namespace

bool Rule<scenario::WaitStep>::plan(Plan& plan, AgentId thread) {
  Draw& draw = plan.draw();
  const std::size_t most = draw.chance(25) ? draw.between(2, kMaxPoints) : 1;
  const std::vector<std::size_t> fences =
      some_of(plan, thread, signalled_fences(plan, thread), most);
  if (fences.empty()) return false;
  if (draw.chance(20)) return wait_with_event(plan, thread, fences);
  return wait_for_several(plan, thread, fences);
}

bool Rule<scenario::WaitEventStep>::plan(Plan& plan, AgentId thread) {
  std::vector<PendingEvent>& events = plan.events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].process != plan.agent(thread).process) continue;
    const PendingEvent event = events[i];
    if (!plan.order(thread, event.after)) continue;
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(i));
    scenario::WaitEventStep wait;
    wait.event = event.name;
    const bool may_time_out = plan.draw().chance(20);
    if (may_time_out) wait.timeout = kLongTimeout;
    plan.step(thread, std::move(wait));
    note_event(plan, thread, event, may_time_out);
    return true;
  }
  return false;
}

bool Rule<scenario::SignalStep>::plan(Plan& plan, AgentId thread) {
  const std::size_t most = plan.draw().chance(25) ? plan.draw().between(2, kMaxPoints) : 1;
  std::vector<std::size_t> fences;
  for (const std::size_t fence :
       some_of(plan, thread, plan.usable_fences(thread, Plan::Use::kSignal), most))
    if (plan.prepare_signal(thread, fence)) fences.push_back(fence);
  const auto passed = [&](std::size_t fence) { return !plan.knows_signals(thread, fence); };
  fences.erase(std::remove_if(fences.begin(), fences.end(), passed), fences.end());
  if (fences.empty()) return false;
  scenario::SignalStep signal;
  std::vector<std::uint64_t> values;
  for (const std::size_t fence : fences) {
    values.push_back(plan.next_value(fence));
    signal.points.push_back({plan.name_of(thread, fence), scenario::Expression{values.back()}});
  }
  const Clock before = plan.agent(thread).known;
  plan.step(thread, std::move(signal));
  if (fences.size() == 1) plan.note_signal(thread, fences.front(), values.front());
  for (std::size_t i = 0; i < fences.size() && fences.size() > 1; ++i)
    plan.note_signal_of_several(thread, fences[i], values[i], before);
  return true;
}

/// The adapter of the fence is told of the value.
bool Rule<scenario::SignalElsewhereStep>::plan(Plan& plan, AgentId thread) {
  std::vector<std::size_t> fences;
  for (const std::size_t fence : plan.native_fences(thread))
    if (!plan.fences()[fence].cross_adapter) fences.push_back(fence);
  if (fences.empty()) return false;
  const std::size_t fence = plan.draw().one_of(fences);
  if (!plan.prepare_signal(thread, fence)) return false;
  const std::uint64_t value = plan.next_value(fence);
  scenario::SignalElsewhereStep signal;
  signal.point = {plan.name_of(thread, fence), scenario::Expression{value}};
  plan.step(thread, std::move(signal));
  plan.note_signal(thread, fence, value);
  return true;
}

bool Rule<scenario::PollStep>::plan(Plan& plan, AgentId thread) {
  const std::vector<std::size_t> fences = some_of(plan, thread, signalled_fences(plan, thread), 1);
  // A poll looks at CurrentValue alone, which tells nothing of a device in error, and may be half a
  // value.
  if (fences.empty() || has_32_bits(plan.scenario()) ||
      plan.may_be_given_up(plan.fences()[fences.front()]))
    return false;
  const std::uint64_t value = reached_value(plan, fences.front());
  scenario::PollStep poll;
  poll.point = {plan.name_of(thread, fences.front()), scenario::Expression{value}};
  const bool may_time_out = plan.draw().chance(20);
  if (may_time_out) poll.timeout = kLongTimeout;
  plan.step(thread, std::move(poll));
  if (may_time_out)
    plan.depend(thread, fences.front(), value);
  else
    plan.learn(thread, fences.front(), value);
  return true;
}

bool Rule<scenario::DelayStep>::plan(Plan& plan, AgentId thread) {
  plan.step(thread, scenario::DelayStep{short_time(plan, 5000)});
  return true;
}

bool Rule<scenario::ComputeStep>::plan(Plan& plan, AgentId thread) {
  plan.step(thread, scenario::ComputeStep{short_time(plan, 3000)});
  return true;
}

bool Rule<scenario::PaceStep>::plan(Plan& plan, AgentId thread) {
  plan.step(thread, scenario::PaceStep{plan.draw().between(1, 10) * common::kMicrosecond});
  return true;
}

bool Rule<scenario::MarkStep>::plan(Plan& plan, AgentId thread) {
  plan.step(thread, scenario::MarkStep{plan.fresh_name("m")});
  return true;
}

bool Rule<scenario::CreateFenceStep>::plan(Plan& plan, AgentId thread) {
  const std::size_t process = plan.agent(thread).process;
  scenario::CreateFenceStep create;
  create.fence = draw_fence(plan, process, plan.fresh_name("N"));
  name_fence(plan, thread, create.fence);
  create.fence.shared = create.fence.cross_adapter = false;
  create_fence(plan, thread, std::move(create));
  return true;
}

/// All uses of the fence by its process are over before the process closes it. Other processes may
/// have it open still.
bool Rule<scenario::DestroyFenceStep>::plan(Plan& plan, AgentId thread) {
  const std::vector<std::size_t> fences = plan.usable_fences(thread);
  if (fences.empty()) return false;
  const std::size_t fence = fence_to_close(plan, fences);
  const std::size_t process = plan.agent(thread).process;
  for (const PendingEvent& event : plan.events())
    if (event.process == process && event.waits_for(fence)) return false;
  const FencePlan before = plan.fences()[fence];
  if (before.signalled_by_os || before.kept) return false;
  plan.fences()[fence].names.erase(process);  // it orders nothing in the process any more
  if (!plan.order(thread, before.made) || !plan.order(thread, uses_in(plan, before, process))) {
    plan.fences()[fence].names = before.names;
    return false;
  }
  EndedWaits waits;
  if (!plan_ended_waits(plan, thread, before, waits)) {
    plan.fences()[fence].names = before.names;
    plan.fences()[fence].kept = true;
    return false;
  }
  scenario::DestroyFenceStep destroy;
  destroy.fence = before.names.at(process).name;
  ClosedName closed{process, before.names.at(process), {}};
  closed.used.learn(plan.step(thread, std::move(destroy)));
  note_ended_waits(plan, thread, waits);
  plan.closed_names().push_back(std::move(closed));
  if (plan.draw().chance(percent_of_closes(plan.constraints())))
    plan_use_of_closed(plan, plan.draw().one_of(plan.threads_of(process)));
  if (!plan.in_error(process) && plan.draw().chance(70))
    Rule<scenario::CreateFenceStep>::plan(plan, thread);
  return true;
}

bool Rule<scenario::AccessStep>::plan(Plan& plan, AgentId thread) {
  const std::vector<std::size_t> fences = some_of(plan, thread, plan.native_fences(thread), 1);
  if (fences.empty()) return false;
  scenario::AccessStep access;
  access.fence = plan.name_of(thread, fences.front());
  access.monitored = plan.draw().chance(30);
  if (plan.draw().chance(30)) access.write = scenario::Expression{plan.stamp()};
  access.violates = access.monitored || access.write;  // user mode may read CurrentValue only
  plan.step(thread, std::move(access));
  plan.use(thread, fences.front());
  return true;
}

}  // namespace fenceline::generate
