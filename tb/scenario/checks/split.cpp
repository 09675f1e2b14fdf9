// Contexts with physical addresses, and broadcast buffers.
#include <algorithm>

#include "tb/scenario/checks/checks.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::scenario {

namespace {

/// Collects the allocations in the commands of a broadcast. Rejects commands that only a single
/// context supports.
class BroadcastCommands {
 public:
  explicit BroadcastCommands(const Places& places) : places_(places) {}

  void walk(const Commands& commands) {
    for (const Command& command : commands) {
      at_ = command.at.pointer;
      std::visit(*this, command.what);
    }
  }
  void operator()(const SignalCommand&) const { refuse(); }
  void operator()(const WaitCommand&) const { refuse(); }
  void operator()(const WriteCommand& command) { names.insert(command.allocation); }
  void operator()(const CopyCommand& command) {
    names.insert(command.source);
    names.insert(command.destination);
  }
  void operator()(const DispatchCommand& command) { work(command.allocation); }
  void operator()(const DrawCommand& command) { work(command.allocation); }
  void operator()(const RepeatCommands& command) { walk(command.body); }
  template <class T>
  void operator()(const T&) const {}

  std::set<std::string> names;

 private:
  void work(const std::optional<std::string>& allocation) {
    if (allocation) names.insert(*allocation);
  }
  void refuse() const {
    places_.fail(at_, "a broadcast neither signals nor waits", {},
                 "use gpu_signal and gpu_wait steps, or another submit");
  }

  const Places& places_;
  std::string at_;
};

class BroadcastChecker {
 public:
  BroadcastChecker(const Scenario& scenario, const Places& places, const Names& names)
      : scenario_(scenario), places_(places), names_(names) {}

  void walk(const Steps& steps, const ProcessNames& own) {
    for (const Step& step : steps) {
      if (const auto* repeat = std::get_if<RepeatStep>(&step.what)) walk(repeat->body, own);
      const auto* submit = std::get_if<SubmitStep>(&step.what);
      if (submit != nullptr && !submit->broadcast.empty())
        check(*submit, step.at.pointer + "/submit", own);
    }
  }

 private:
  void check(const SubmitStep& step, const std::string& pointer, const ProcessNames& own) const {
    BroadcastCommands commands(places_);
    commands.walk(step.commands);
    linked(own, *step.context, pointer + "/context");
    std::set<const top::GpuConfig*> taken{own.adapter};
    for (std::size_t i = 0; i < step.broadcast.size(); ++i) {
      const std::string at = pointer + "/broadcast/" + std::to_string(i);
      const auto [process, context] = split_path(step.broadcast[i]);
      const ProcessNames& other = places_.find(at, "process", process, names_.processes).second;
      places_.find(at, "context", context, other.contexts, "process " + in_quotes(process));
      if (!taken.insert(other.adapter).second)
        places_.fail(at, "adapter " + in_quotes(other.adapter->name) + " has the buffer", {},
                     "a broadcast goes to one context of an adapter");
      linked(other, context, at);
      for (const std::string& name : commands.names) same(name, own, other, at);
    }
  }

  void linked(const ProcessNames& process, const std::string& context,
              const std::string& at) const {
    if (process.patched.count(context) == 0)
      places_.fail(at, "context " + in_quotes(context) + " is not patched", {},
                   "give it \"patched\": true");
    const auto& drivers = scenario_.platform.drivers;
    const auto driver = std::find_if(drivers.begin(), drivers.end(), [&](const Driver& one) {
      return one.adapter == process.adapter->name;
    });
    if (driver == drivers.end() || !driver->caps.linked)
      places_.fail(at, "adapter " + in_quotes(process.adapter->name) + " is not linked", {},
                   "give its driver \"linked\": true");
    const auto& caps = driver->scheduling_caps;
    if (std::find(caps.begin(), caps.end(), "NoDmaPatching") != caps.end())
      places_.fail(at, "the driver of " + in_quotes(process.adapter->name) + " has NoDmaPatching",
                   {}, "broadcasts are modelled for buffers that are patched");
  }

  void same(const std::string& name, const ProcessNames& own, const ProcessNames& other,
            const std::string& at) const {
    const Allocation& found = *places_
                                   .find(at, "allocation", name, other.allocations,
                                         "process " + in_quotes(other.process->name))
                                   .second;
    if (found.bytes != own.allocations.at(name)->bytes)
      places_.fail(at, "allocation " + in_quotes(name) + " has another size there");
    if (found.segments != 0 || found.home != common::Home::kVram)
      places_.fail(at, "allocation " + in_quotes(name) + " does not stay in VRAM there");
  }

  const Scenario& scenario_;
  const Places& places_;
  const Names& names_;
};

}  // namespace

void check_broadcasts(const Scenario& scenario, const Places& places, const Names& names) {
  BroadcastChecker checker(scenario, places, names);
  for (const Program& program : scenario.programs)
    if (!program.queue) checker.walk(program.steps, names.processes.at(program.process));
}

}  // namespace fenceline::scenario
