#include "tb/run/unended.h"

#include <algorithm>
#include <memory>
#include <variant>

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

/// "; CurrentValue of F is 1", for each fence that the wait names.
std::string values_text(const ScenarioMachine& machine, const ScenarioMachine::Thread& thread,
                        const std::vector<scenario::FencePoint>& points) {
  std::string text;
  for (const scenario::FencePoint& point : points) {
    const auto fence = machine.objects.find_fence(thread.program->process + "/" + point.fence);
    if (fence == nullptr) continue;
    text += "; CurrentValue of " + point.fence + " is " +
            std::to_string(machine.objects.current_value(*fence));
  }
  return text;
}

std::string unended_text(const ScenarioMachine& machine, const ScenarioMachine::Thread& thread) {
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
         values_text(machine, thread, wait->points);
}

}  // namespace

std::vector<std::string> unended_threads(const ScenarioMachine& machine) {
  std::vector<std::string> lines;
  for (const auto* thread : machine.threads())
    if (!thread->finished) lines.push_back(unended_text(machine, *thread));
  return lines;
}

}  // namespace fenceline::run
