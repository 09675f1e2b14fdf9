#include "tb/generate/strays.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fenceline::generate {

namespace {

constexpr std::size_t kMostStrays = 3;
constexpr std::uint64_t kMostPoll = 20;  ///< [us]

/// A program of a thread, and what its process signals.
struct Place {
  scenario::Program* program;
  std::vector<scenario::FencePoint> points;
};

void add_signals(const scenario::Commands& commands, std::vector<scenario::FencePoint>& points) {
  for (const scenario::Command& command : commands)
    if (const auto* signal = std::get_if<scenario::SignalCommand>(&command.what))
      points.push_back(signal->point);
}

/// Points that the process signals. Those in loops are left out: only the loop knows its counter.
std::vector<scenario::FencePoint> signals_of(const scenario::Scenario& scenario,
                                             const std::string& process) {
  std::vector<scenario::FencePoint> points;
  for (const scenario::Program& program : scenario.programs) {
    if (program.process != process) continue;
    add_signals(program.commands, points);
    for (const scenario::Step& step : program.steps) {
      if (const auto* signal = std::get_if<scenario::SignalStep>(&step.what);
          signal && !signal->status)
        points.insert(points.end(), signal->points.begin(), signal->points.end());
      if (const auto* submit = std::get_if<scenario::SubmitStep>(&step.what))
        add_signals(submit->commands, points);
    }
  }
  return points;
}

/// The thread does nothing but end a hold.
bool ends_hold(const scenario::Scenario& scenario, const std::string& thread) {
  return std::any_of(scenario.holds.begin(), scenario.holds.end(),
                     [&](const scenario::Hold& hold) { return hold.until.agent == thread; });
}

bool is_patched(const scenario::Scenario& scenario, const std::string& process,
                const std::string& name) {
  for (const scenario::Process& one : scenario.processes)
    for (const scenario::Context& context : one.contexts)
      if ((process.empty() || one.name == process) && context.name == name) return context.patched;
  return false;
}

std::vector<Place> places(scenario::Scenario& scenario) {
  std::vector<Place> found;
  for (scenario::Program& program : scenario.programs) {
    if (program.steps.empty() || ends_hold(scenario, program.name)) continue;
    Place place{&program, signals_of(scenario, program.process)};
    if (!place.points.empty()) found.push_back(std::move(place));
  }
  return found;
}

template <class Item, class List>
void insert(Draw& draw, List& list, Item item) {
  const auto at = static_cast<std::ptrdiff_t>(draw.below(list.size() + 1));
  list.insert(list.begin() + at, {std::move(item), {}});
}

/// It keeps the node: all that depends on the node may stand still. Patched buffers take no native
/// fences.
void wait_in_buffer(Draw& draw, const scenario::Scenario& scenario, const Place& place) {
  std::vector<scenario::SubmitStep*> buffers;
  for (scenario::Step& step : place.program->steps)
    if (auto* submit = std::get_if<scenario::SubmitStep>(&step.what);
        submit && submit->context &&
        !is_patched(scenario, place.program->process, *submit->context))
      buffers.push_back(submit);
  if (!buffers.empty())
    insert(draw, draw.one_of(buffers)->commands, scenario::WaitCommand{draw.one_of(place.points)});
}

}  // namespace

void draw_strays(Draw& draw, scenario::Scenario& scenario) {
  std::vector<Place> all = places(scenario);
  if (all.empty()) return;
  for (std::size_t left = draw.below(kMostStrays + 1); left > 0; --left) {
    const Place& place = draw.one_of(all);
    scenario::DestroyFenceStep close;
    scenario::PollStep poll;
    switch (draw.below(3)) {
      case 0:
        close.fence = draw.one_of(place.points).fence;
        insert(draw, place.program->steps, std::move(close));
        break;
      case 1:
        poll.point = draw.one_of(place.points);
        poll.timeout = draw.between(1, kMostPoll) * common::kMicrosecond;
        insert(draw, place.program->steps, std::move(poll));
        break;
      default:
        wait_in_buffer(draw, scenario, place);
    }
  }
}

}  // namespace fenceline::generate
