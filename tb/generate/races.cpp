#include "tb/generate/races.h"

#include <algorithm>
#include <variant>

#include "kmd_stub/wddm/wddm.h"
#include "tb/generate/plan.h"
#include "tb/generate/strays.h"
#include "tb/generate/world.h"

namespace fenceline::generate {

namespace {

using FenceFlags = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;

constexpr std::uint32_t kWaits = 10;   ///< percent that get a lower value
constexpr std::uint32_t kSignals = 5;  ///< the same
constexpr std::uint32_t kEndless = 1;  ///< percent of the waits that get a value above all
constexpr std::uint32_t kFlags = 10;   ///< percent of the fences that get a flag
constexpr std::uint64_t kAbove = 1'000'000;
constexpr std::uint64_t kMostBelow = 3;     ///< mostly the value of an earlier signal, or of none
constexpr std::uint64_t kNear = 1U << 31U;  ///< so far from 0 a monitored fence may be

/// Longer than most runs that do not hang. While others poll for ever, a second would take as many
/// steps as a run may have.
constexpr common::Time kMostTime = 10 * common::kMillisecond;

class Races {
 public:
  explicit Races(Draw& draw) : draw_(draw) {}

  /// In an error their values stay, or waits for them stay although a handle is closed.
  void visit(std::vector<scenario::Fence>& fences) {
    for (scenario::Fence& fence : fences)
      for (const UINT flag :
           {FenceFlags::kNoSignalMaxValueOnTdr, FenceFlags::kUnwaitCpuWaitersOnlyOnDestroy})
        if (!fence.open && draw_.chance(kFlags) &&
            std::find(fence.flags.begin(), fence.flags.end(), flag) == fence.flags.end())
          fence.flags.push_back(flag);
  }

  void visit(scenario::Steps& steps) {
    for (scenario::Step& step : steps) {
      if (auto* poll = std::get_if<scenario::PollStep>(&step.what)) shorten(poll->timeout);
      if (auto* wait = std::get_if<scenario::WaitEventStep>(&step.what)) shorten(wait->timeout);
      if (auto* wait = std::get_if<scenario::WaitStep>(&step.what); wait && !wait->status) {
        shorten(wait->timeout);
        for (scenario::FencePoint& point : wait->points) change_wait(point);
      }
      if (auto* wait = std::get_if<scenario::GpuWaitStep>(&step.what); wait && !wait->status)
        change_wait(wait->point);
      if (auto* signal = std::get_if<scenario::SignalStep>(&step.what); signal && !signal->status)
        for (scenario::FencePoint& point : signal->points) lower(point, kSignals);
      if (auto* signal = std::get_if<scenario::GpuSignalStep>(&step.what);
          signal && !signal->status)
        lower(signal->point, kSignals);
      if (auto* submit = std::get_if<scenario::SubmitStep>(&step.what)) visit(submit->commands);
      if (auto* repeat = std::get_if<scenario::RepeatStep>(&step.what)) visit(repeat->body);
    }
  }

  void visit(scenario::Commands& commands) {
    for (scenario::Command& command : commands) {
      if (auto* wait = std::get_if<scenario::WaitCommand>(&command.what)) change_wait(wait->point);
      if (auto* signal = std::get_if<scenario::SignalCommand>(&command.what))
        lower(signal->point, kSignals);
      if (auto* repeat = std::get_if<scenario::RepeatCommands>(&command.what)) visit(repeat->body);
    }
  }

 private:
  static void shorten(std::optional<common::Time>& timeout) {
    if (timeout) timeout = std::min(*timeout, kMostTime);
  }
  void change_wait(scenario::FencePoint& point) {
    const std::uint64_t value = point.value.constant();
    if (value < kNear && draw_.chance(kEndless))
      point.value = scenario::Expression(value + kAbove, point.value.terms());
    else
      lower(point, kWaits);
  }
  void lower(scenario::FencePoint& point, std::uint32_t percent) {
    const std::uint64_t value = point.value.constant();
    if (value == 0 || value >= kNever || !draw_.chance(percent)) return;
    const std::uint64_t by =
        value < kNear && draw_.chance(30) ? value : draw_.between(1, std::min(value, kMostBelow));
    point.value = scenario::Expression(value - by, point.value.terms());
  }

  Draw& draw_;
};

}  // namespace

bool draw_races(const Constraints& constraints, Draw& draw, scenario::Scenario& scenario) {
  if (!draw.occurs(constraints.features.races)) return false;
  // Calls may fail, work may use memory that is away or mapped or stored to, and a present may be
  // behind work that never ends: the program is at fault.
  scenario.expect.allow({"CALL", "HANG", "I81", "I82", "I85", "I94", "I108"});
  scenario.limits.standstill = kMostTime;
  // A signal that comes too early may be for a value that the fence does not reach yet.
  if (has_32_bits(scenario)) scenario.expect.allow({"I26"});
  // A packet may use the address of a fence that its process has closed.
  scenario.platform.system.closes_together = os::SystemOptions().closes_together;
  Races races(draw);
  for (auto& process : scenario.processes) races.visit(process.fences);
  for (scenario::Program& program : scenario.programs) {
    races.visit(program.steps);
    races.visit(program.commands);
  }
  if (draw.occurs(constraints.features.strays)) draw_strays(draw, scenario);
  return true;
}

}  // namespace fenceline::generate
