#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tb/test/support/driver_double.h"
#include "tb/user/machine.h"

namespace fenceline::support {

/// Always picks the first agent.
struct FirstChoice : common::Policy {
  std::size_t pick(const std::vector<common::Candidate>& /*candidates*/,
                   const std::function<std::uint64_t()>& /*state*/) override {
    return 0;
  }
};

/// Keeps the events of one kind.
template <typename Kind>
struct EventsOf : common::EventSink {
  void on_event(const common::Event& event) override {
    if (event.is<Kind>()) events.push_back(event.as<Kind>());
  }
  std::vector<Kind> events;
};

/// Built before the machine that uses it.
struct OwnSimulation {
  common::Simulation own_simulation;
};

/// A small machine with a whole kernel over a DriverDouble, for tests of its classes: a test builds
/// the class under test for one of the adapters, and uses it in threads.
class OsMachine : private OwnSimulation, public DriverDouble, public user::Machine {
 public:
  struct Config {
    top::PlatformConfig platform;
    os::KernelOptions options;
  };
  explicit OsMachine(const Config& config = {})
      : OwnSimulation{common::Simulation(config.options.ordering)},
        Machine(own_simulation, config.platform, config.options, &DriverDouble::entry) {}

  /// Adds a thread at PASSIVE_LEVEL, on a core of its own as long as there are any.
  void add(const std::string& name, std::function<void()> body) {
    auto thread = std::make_unique<Thread>();
    thread->name = name;
    thread->body = std::move(body);
    add_thread(std::move(thread));
  }
  /// Runs `body` as a thread beside those that were added; false if a thread does not end.
  bool run_thread(std::function<void()> body) {
    add("test", std::move(body));
    return run();
  }

  os::Cpu& cpu() { return kernel().cpu(); }
  os::Adapter& adapter() { return kernel().adapter(0); }
  os::AdapterState& state() { return kernel().system.adapters[0]; }
  common::Steps& steps() { return simulation().steps; }
  /// Time passes for the calling thread, which leaves its core meanwhile.
  void sleep(common::Time time) {
    cpu().stop_thread();
    steps().elapse(time);
    cpu().run_thread(common::Operation::kIdle, 0);
  }
  /// The events of one kind from now on.
  template <typename Kind>
  const std::vector<Kind>& watch() {
    auto sink = std::make_unique<EventsOf<Kind>>();
    simulation().events.subscribe(*sink);
    const auto& events = sink->events;
    sinks_.push_back(std::move(sink));
    return events;
  }
  /// Runs `body` at DISPATCH_LEVEL, as a DPC.
  template <typename Body>
  auto dispatched(Body&& body) {
    struct Level {
      os::Cpu& cpu;
      KIRQL old;
      ~Level() { cpu.lower(old); }
    } level{cpu(), cpu().raise(DISPATCH_LEVEL)};
    return body();
  }

 private:
  std::vector<std::unique_ptr<common::EventSink>> sinks_;
};

}  // namespace fenceline::support
