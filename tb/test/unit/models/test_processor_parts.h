#pragma once

#include <functional>

#include "models/command_processor/scheduling/hang_watch.h"
#include "models/command_processor/scheduling/ring_preemption.h"
#include "tb/test/support/event_list.h"
#include "tb/test/unit/models/test_command_processor.h"

/// Parts of a command processor without front ends: nothing runs but what a test calls.
namespace fenceline::test_command_processor {

inline command_processor::CommandProcessorConfig parts_config() {
  command_processor::CommandProcessorConfig config;
  config.schedules = true;
  config.stops = {{true, true}};
  return config;
}

struct Parts : sc_core::sc_module {
  static constexpr std::uint32_t kUserSlot = 2, kDriverSlot = 5;
  static constexpr std::uint32_t kContext = 1;
  static constexpr std::uint32_t kUserObject = 21;

  const command_processor::CommandProcessorConfig config;
  common::Simulation simulation;
  support::EventList events;
  common::GpuClock clock{simulation.steps, {}};
  common::FenceNames fences{abi::kFenceSlots};
  common::Watches watches;
  command_processor::MemoryPort::Socket memory_socket{"memory_socket"};
  command_processor::EnginePort::Socket engine_socket{"engine_socket"};
  Memory memory{"memory"};
  Engine engine{"engine"};
  common::RegisterFile registers;
  command_processor::Shared shared{simulation, config, 1, {clock, fences, 1}};
  command_processor::MemoryPort memory_port{simulation, memory_socket, {&watches, &watches}, 0};
  command_processor::Binder binder{shared, memory_port};
  command_processor::SaveAreas areas{shared, memory_port, binder, registers};
  command_processor::EnginePort engines{shared, engine_socket, areas};
  command_processor::Turns turns{shared, engines};
  command_processor::ContextRanks ranks;
  command_processor::Suspensions suspensions{shared, ranks, engines};
  command_processor::Scheduler scheduler{shared, {ranks, suspensions, areas, turns}, registers};
  command_processor::HangWatch hang_watch{shared, turns, engines};
  command_processor::Resets resets{shared, engines, scheduler, registers};
  command_processor::RingPreemption preemption{shared, {areas, engines, turns, resets}, registers};
  command_processor::Node& node = *shared.nodes[0];
  command_processor::HardwareQueue& user = shared.queues.create(kUserSlot);
  command_processor::HardwareQueue& driver = shared.queues.create(kDriverSlot);

  explicit Parts(const command_processor::CommandProcessorConfig& settings = parts_config(),
                 const common::Ordering& ordering = {},
                 const sc_core::sc_module_name& name = "parts")
      : sc_module(name), config(settings), simulation(ordering) {
    simulation.events.subscribe(events);
    memory_socket.bind(memory.socket);
    engine_socket.bind(engine.socket);
    driver.table[abi::kQueueControl / 8] = abi::kQueuePhysical;
    user.table[abi::kQueueContext / 8] = kContext;
    user.object = kUserObject;
    for (command_processor::HardwareQueue* queue : {&user, &driver}) {
      queue->enabled = true;
      queue->place = simulation.steps.new_place();
      shared.queues.attach(*queue);
    }
  }
  /// Runs `body` as an agent, for at most this time.
  void run(std::function<void()> body, const sc_core::sc_time& limit = {1, sc_core::SC_MS}) {
    simulation.steps.add_agent("test", std::move(body));
    sc_core::sc_start(limit);
  }
  /// Runs `body` as the only agent while exploring.
  void explore(const std::function<void()>& body) {
    struct First : common::Policy {
      std::size_t pick(const std::vector<common::Candidate>& /*candidates*/,
                       const std::function<std::uint64_t()>& /*state*/) override {
        return 0;
      }
    } first;
    common::Gate go(simulation.steps);
    bool goes = false;
    simulation.steps.add_agent("explored", [&] {
      simulation.steps.wait_until(go, [&] { return goes; });
      body();
    });
    run([&] {
      goes = true;
      go.open();
      simulation.steps.explore(first, 1000);
    });
  }
  /// While exploring: how often an agent has read or written the place since the last step.
  std::ptrdiff_t touches(std::uint64_t place, bool write) const {
    const auto wanted = common::Footprint::access(common::Place::kRegister, place, write);
    const auto& all = simulation.steps.touched();
    return std::count_if(all.begin(), all.end(), [&](const auto& touch) {
      return touch.access.location == wanted.location && touch.access.write == write;
    });
  }
  /// A front end that waits for work of the node.
  bool woken = false;
  void add_front_end(std::function<bool()> has_work) {
    simulation.steps.add_agent("front end", [this, has_work = std::move(has_work)] {
      simulation.steps.wait_until(node.ready, has_work);
      woken = true;
    });
  }
  /// The user-mode queue is at the node.
  void bring() { node.turn.queue = kUserSlot + 1; }
};

}  // namespace fenceline::test_command_processor
