#include "tb/run/unended.h"

#include <algorithm>
#include <memory>
#include <variant>

#include "tb/run/machine/queue_head.h"

namespace fenceline::run {

namespace {

/// A thread sleeps in a wait that the OS no longer has.
bool has_left_all_lists(const ScenarioMachine::Thread& thread,
                        const std::vector<std::shared_ptr<const os::Fence>>& fences) {
  return std::none_of(fences.begin(), fences.end(), [&](const auto& fence) {
    const auto& waits = fence->waiters.by_value();
    return std::any_of(waits.begin(), waits.end(), [&](const auto& wait) {
      return wait.second->waiter().event == thread.event;
    });
  });
}

/// "; CurrentValue of F is 1, written at 9 ps". @param history null: without the time
std::string value_text(const ScenarioMachine& machine, const os::Fence& fence,
                       const std::string& name, const RunHistory* history) {
  std::string text =
      "; CurrentValue of " + name + " is " + std::to_string(machine.objects.current_value(fence));
  const RunHistory::Write write =
      history == nullptr ? RunHistory::Write{} : history->last_write(fence.object);
  if (write.agent != 0) text += ", written at " + std::to_string(write.time) + " ps";
  return text;
}

/// The value of each fence that the wait names.
std::string values_text(const ScenarioMachine& machine, const ScenarioMachine::Thread& thread,
                        const std::vector<scenario::FencePoint>& points,
                        const RunHistory* history) {
  std::string text;
  for (const scenario::FencePoint& point : points) {
    const auto fence = machine.objects.find_fence(thread.program->process + "/" + point.fence);
    if (fence != nullptr) text += value_text(machine, *fence, point.fence, history);
  }
  return text;
}

std::string unended_text(const ScenarioMachine& machine, const ScenarioMachine::Thread& thread,
                         const RunHistory* history) {
  std::string name = thread.name + " has not ended";
  if (thread.waits_for.empty()) return name;
  if (thread.polls != nullptr)
    return name + ": it " + thread.waits_for + "; CurrentValue is " +
           std::to_string(machine.objects.current_value(*thread.polls));
  const scenario::WaitStep* wait =
      thread.step == nullptr ? nullptr : std::get_if<scenario::WaitStep>(&thread.step->what);
  if (wait == nullptr || wait->event) return name + ": it sleeps for ever, for " + thread.waits_for;
  const bool released = has_left_all_lists(thread, machine.objects.fences());
  return name + ": it sleeps " + (released ? "" : "for ever ") + "in its wait for " +
         thread.waits_for +
         (released ? " until its event is set, and the OS has already released the wait" : "") +
         values_text(machine, thread, wait->points, history);
}

/// "queue W still waits for F to reach 1; CurrentValue of F is 1, written at 9 ps".
std::string unended_text(const ScenarioMachine& machine, const QueueHead& head,
                         const RunHistory& history) {
  if (!head.waits || head.fence == nullptr)
    return "queue " + head.name + " has not ended: " + text_of(head);
  return "queue " + head.name + " still waits for " + head.fence->name + " to reach " +
         std::to_string(head.value) + value_text(machine, *head.fence, head.fence->name, &history);
}

std::vector<std::string> threads_text(const ScenarioMachine& machine, const RunHistory* history) {
  std::vector<std::string> lines;
  for (const auto* thread : machine.threads())
    if (!thread->finished) lines.push_back(unended_text(machine, *thread, history));
  return lines;
}

}  // namespace

std::vector<std::string> unended_threads(const ScenarioMachine& machine) {
  return threads_text(machine, nullptr);
}

std::vector<std::string> left_at_end(ScenarioMachine& machine, const RunHistory& history) {
  std::vector<std::string> lines = threads_text(machine, &history);
  for (const QueueHead& head : queue_heads(machine))
    if (!head.empty()) lines.push_back(unended_text(machine, head, history));
  return lines;
}

}  // namespace fenceline::run
