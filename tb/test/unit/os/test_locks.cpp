// Cores, mutexes and shared lists of the OS: who waits for whom, and what a search knows of it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>

#include "tb/os/core/mutex.h"
#include "tb/os/core/shared_data.h"

namespace fenceline::test_locks {

using common::Footprint;
using common::Grain;
using common::Operation;
using common::Place;
using os::Mutex;
using os::MutexScope;
using os::SharedData;

namespace {

using Deeds = std::vector<std::string>;
constexpr common::Time kWhile = common::kMillisecond;

/// What a mutex guards.
struct Content : common::Hashed {
  std::uint64_t value = 0;
  std::uint64_t state_hash() const override { return value; }
};

struct FirstOfAll : common::Policy {
  std::size_t pick(const std::vector<common::Candidate>& /*candidates*/,
                   const std::function<std::uint64_t()>& /*state*/) override {
    return 0;
  }
};

/// Two cores with threads, and a list of what was done.
struct Machine : sc_core::sc_module {
  tlm_utils::simple_target_socket<Machine> SC_NAMED(memory0);
  tlm_utils::simple_target_socket<Machine> SC_NAMED(memory1);
  common::Simulation simulation{common::Ordering{}};
  common::Steps& steps = simulation.steps;
  host::Core core0{"core0", simulation, 0, "core0", host::HostConfig()};
  host::Core core1{"core1", simulation, 1, "core1", host::HostConfig()};
  os::Cpu cpu{simulation, {&core0, &core1}};
  Content content;
  common::Gate start{steps};
  bool started = true;
  Deeds done;

  explicit Machine(const sc_core::sc_module_name& name = "machine") : sc_module(name) {
    memory0.register_b_transport(this, &Machine::transport);
    memory1.register_b_transport(this, &Machine::transport);
    core0.memory.bind(memory0);
    core1.memory.bind(memory1);
  }
  void add_thread(const std::string& name, std::uint32_t core, std::function<void()> body) {
    const auto agent = steps.add_agent(name, [this, body = std::move(body)] {
      steps.wait_until(start, [this] { return started; });
      cpu.run_thread(Operation::kBegin, 0);
      body();
      cpu.stop_thread();
    });
    cpu.place(agent, core);
  }
  void run() { sc_core::sc_start(); }
  void explore(Grain grain) {
    started = false;
    steps.take_steps_of(grain);
    steps.add_agent("controller", [this] {
      started = true;
      FirstOfAll policy;
      steps.explore(policy, 1000);
      sc_core::sc_stop();
    });
    sc_core::sc_start();
  }
  /// Since the last step somebody has written to the place, or read it.
  bool touched(Place place, std::uint64_t index, bool write) const {
    const auto wanted = Footprint::access(place, index, write);
    const auto& list = steps.touched();
    return std::any_of(list.begin(), list.end(), [&](const auto& touch) {
      return touch.access.location == wanted.location && touch.access.write == wanted.write;
    });
  }
  std::uint64_t knowledge() const { return steps.knowledge().value(); }
  /// What the current agent has touched so far no longer counts.
  void step() { steps.step(Operation::kWork, {}); }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

}  // namespace

TEST_CASE("a mutex keeps threads of different cores apart", "[cpu]") {
  Machine machine;
  Mutex mutex(machine.cpu, machine.content);
  for (const std::uint32_t core : {0U, 1U}) {
    const std::string name = core == 0 ? "a" : "b";
    machine.add_thread(name, core, [&, name] {
      for (int turn = 0; turn < 2; ++turn) {
        mutex.acquire();
        CHECK(mutex.mine());
        machine.done.push_back(name + " in");
        machine.steps.elapse(kWhile);
        machine.done.push_back(name + " out");
        mutex.release();
        CHECK_FALSE(mutex.mine());
        machine.steps.elapse(1);
      }
    });
  }
  machine.run();
  REQUIRE(machine.done.size() == 8);
  for (std::size_t i = 0; i < 8; i += 2)
    CHECK(machine.done[i].substr(0, 1) + " out" == machine.done[i + 1]);
}

TEST_CASE("who waits for a mutex gives up its core", "[cpu]") {
  Machine machine;
  Mutex mutex(machine.cpu, machine.content);
  machine.add_thread("holder", 0, [&] {
    mutex.acquire();
    machine.steps.elapse(3 * kWhile);
    machine.done.emplace_back("released");
    mutex.release();
  });
  machine.add_thread("waiter", 1, [&] {
    machine.steps.elapse(kWhile);
    mutex.acquire();
    machine.done.emplace_back("acquired");
    mutex.release();
  });
  machine.add_thread("other", 1, [&] { machine.done.emplace_back("other"); });
  machine.run();
  CHECK(machine.done == Deeds{"other", "released", "acquired"});
}

TEST_CASE("the scope of a mutex inside another one changes nothing", "[cpu]") {
  Machine machine;
  Mutex mutex(machine.cpu, machine.content);
  machine.add_thread("a", 0, [&] {
    {
      const MutexScope outer(mutex);
      CHECK(mutex.mine());
      { const MutexScope inner(mutex); }
      CHECK(mutex.mine());
    }
    CHECK_FALSE(mutex.mine());
    machine.done.emplace_back("a");
  });
  machine.run();
  CHECK(machine.done == Deeds{"a"});
}

TEST_CASE("the state of a mutex tells its holder and its content apart", "[cpu]") {
  Machine machine;
  std::deque<Mutex> mutexes;
  std::vector<std::uint64_t> held;
  for (const char* name : {"a", "b"}) {
    Mutex& mutex = mutexes.emplace_back(machine.cpu, machine.content);
    machine.add_thread(name, 0, [&] {
      std::vector<std::uint64_t> states{mutex.state_hash()};
      mutex.acquire();
      states.push_back(mutex.state_hash());
      held.push_back(states.back());
      mutex.release();
      states.push_back(mutex.state_hash());  // somebody has been here
      mutex.acquire();
      states.push_back(mutex.state_hash());
      machine.content.value = 1;
      states.push_back(mutex.state_hash());
      machine.content.value = 0;
      mutex.release();
      std::sort(states.begin(), states.end());
      CHECK(std::adjacent_find(states.begin(), states.end()) == states.end());
      machine.done.emplace_back("done");
    });
  }
  machine.run();
  REQUIRE(machine.done.size() == 2);
  CHECK(held[0] != held[1]);
}

TEST_CASE("a search sees who takes a mutex and who gives it back", "[cpu]") {
  Machine machine;
  const std::uint64_t place = machine.steps.new_place() + 2;  // behind that of its event
  Mutex mutex(machine.cpu, machine.content);
  machine.add_thread("a", 0, [&] {
    mutex.acquire();
    CHECK(machine.touched(Place::kLock, place, true));
    machine.step();
    CHECK_FALSE(machine.touched(Place::kLock, place, true));
    mutex.release();
    CHECK(machine.touched(Place::kLock, place, true));
    machine.done.emplace_back("a");
  });
  machine.explore(Grain::kCoarse);
  CHECK(machine.done == Deeds{"a"});
}

TEST_CASE("a search sees who takes a spin lock and who gives it back", "[cpu]") {
  Machine machine;
  os::SpinLock lock(machine.steps);
  machine.add_thread("a", 0, [&] {
    const auto old = machine.cpu.acquire(lock, DISPATCH_LEVEL);
    CHECK(machine.touched(Place::kLock, lock.id, true));
    CHECK(lock.held);
    CHECK(machine.cpu.irql() == DISPATCH_LEVEL);
    machine.step();
    machine.cpu.release(lock, old);
    CHECK(machine.touched(Place::kLock, lock.id, true));
    CHECK_FALSE(lock.held);
    CHECK(machine.cpu.irql() == PASSIVE_LEVEL);
    machine.done.emplace_back("a");
  });
  machine.explore(Grain::kCoarse);
  CHECK(machine.done == Deeds{"a"});
}

TEST_CASE("who takes a spin lock learns what it guards", "[cpu]") {
  Machine machine;
  Content other;
  other.value = 5;
  os::SpinLock guards(machine.steps, &machine.content), guards_other(machine.steps, &other);
  os::SpinLock bare(machine.steps), used(machine.steps);
  used.trail = 7;
  std::vector<std::uint64_t> learned;
  for (os::SpinLock* lock : {&guards, &guards_other, &bare, &used})
    machine.add_thread("thread" + std::to_string(learned.size()) + std::to_string(lock->id), 0,
                       [&, lock] {
                         machine.steps.forget_at(0);
                         const auto old = machine.cpu.acquire(*lock, DISPATCH_LEVEL);
                         learned.push_back(machine.knowledge());
                         machine.cpu.release(*lock, old);
                       });
  machine.explore(Grain::kCoarse);
  REQUIRE(learned.size() == 4);
  CHECK(learned[0] != learned[1]);
  CHECK(learned[2] != learned[3]);
}

TEST_CASE("a wait with a limit says whether its event came in time", "[cpu]") {
  Machine machine;
  os::KernelEvent set(machine.steps), never(machine.steps);
  std::vector<std::uint64_t> learned;
  machine.add_thread("setter", 1, [&] {
    machine.steps.elapse(kWhile);
    set.set();
  });
  machine.add_thread("waiter", 0, [&] {
    const common::Time limit = 2 * kWhile;
    CHECK(machine.cpu.block(set, &limit));
    CHECK_FALSE(machine.cpu.block(never, &limit));
    CHECK(machine.cpu.block(set, nullptr));
    CHECK(machine.steps.now() >= 3 * kWhile);
    machine.done.emplace_back("waiter");
  });
  machine.run();
  CHECK(machine.done == Deeds{"waiter"});
}

TEST_CASE("who waits with a limit learns whether the event came in time", "[cpu]") {
  Machine machine;
  os::KernelEvent set(machine.steps), never(machine.steps);
  set.set();
  std::vector<std::uint64_t> learned;
  machine.add_thread("a", 0, [&] {
    for (os::KernelEvent* event : {&set, &set, &never}) {
      machine.steps.forget_at(0);
      const common::Time limit = kWhile;
      CHECK(machine.cpu.block(*event, &limit) == (event == &set));
      learned.push_back(machine.knowledge());
    }
  });
  machine.explore(Grain::kCoarse);
  REQUIRE(learned.size() == 3);
  CHECK(learned[0] == learned[1]);
  CHECK(learned[0] != learned[2]);
}

TEST_CASE("in the finest steps a lock raises the level when it is taken", "[cpu]") {
  Machine machine;
  os::SpinLock lock(machine.steps);
  machine.add_thread("a", 0, [&] {
    const auto old = machine.cpu.acquire(lock, DISPATCH_LEVEL);
    CHECK(machine.cpu.irql() == DISPATCH_LEVEL);
    machine.cpu.release(lock, old);
    CHECK(machine.cpu.irql() == PASSIVE_LEVEL);
    machine.done.emplace_back("a");
  });
  machine.explore(Grain::kAll);
  CHECK(machine.done == Deeds{"a"});
}

TEST_CASE("coarse steps leave out steps of threads and levels", "[cpu]") {
  Machine machine;
  machine.add_thread("a", 0, [&] {
    const std::uint64_t before = machine.steps.steps_taken();
    machine.cpu.step(Operation::kTable, {});
    const KIRQL old = machine.cpu.raise(DISPATCH_LEVEL);
    CHECK(old == PASSIVE_LEVEL);
    CHECK(machine.cpu.irql() == DISPATCH_LEVEL);
    machine.cpu.lower(old);
    CHECK(machine.steps.steps_taken() == before);
    machine.done.emplace_back("a");
  });
  machine.explore(Grain::kCoarse);
  CHECK(machine.done == Deeds{"a"});
}

TEST_CASE("a level that stays as it is takes no step", "[cpu]") {
  Machine machine;
  machine.add_thread("a", 0, [&] {
    const KIRQL old = machine.cpu.raise(DISPATCH_LEVEL);
    const std::uint64_t before = machine.steps.steps_taken();
    machine.cpu.raise(DISPATCH_LEVEL);
    CHECK(machine.steps.steps_taken() == before);
    machine.cpu.raise(DISPATCH_LEVEL + 1);
    machine.cpu.lower(old);
    machine.done.emplace_back("a");
  });
  machine.explore(Grain::kAll);
  CHECK(machine.done == Deeds{"a"});
}

TEST_CASE("in fine steps a search follows who reads and who changes a list", "[cpu]") {
  Machine machine;
  const std::uint64_t place = machine.steps.new_place() + 1;
  SharedData list(machine.cpu);
  machine.add_thread("a", 0, [&] {
    std::uint64_t before = machine.knowledge();
    list.look();
    CHECK(machine.touched(Place::kEvent, place, false));
    CHECK_FALSE(machine.touched(Place::kEvent, place, true));
    CHECK(machine.knowledge() != before);
    CHECK(list.state_hash() == 0);
    before = machine.knowledge();
    list.alter();
    CHECK(machine.touched(Place::kEvent, place, true));
    CHECK_FALSE(machine.touched(Place::kEvent, place, false));
    CHECK(machine.knowledge() != before);
    CHECK(list.state_hash() != 0);
    machine.done.emplace_back("a");
  });
  machine.explore(Grain::kShared);
  CHECK(machine.done == Deeds{"a"});
}

TEST_CASE("in coarse steps a list is part of no footprint unless it always is", "[cpu]") {
  Machine machine;
  const std::uint64_t place = machine.steps.new_place() + 1;
  SharedData list(machine.cpu);
  SharedData always(machine.cpu, true);
  machine.add_thread("a", 0, [&] {
    const std::uint64_t before = machine.knowledge();
    list.alter();
    list.look();
    always.alter();
    CHECK(machine.knowledge() == before);
    CHECK(list.state_hash() == 0);
    CHECK_FALSE(machine.touched(Place::kEvent, place, true));
    CHECK_FALSE(machine.touched(Place::kEvent, place, false));
    CHECK(machine.touched(Place::kEvent, place + 1, true));
    machine.done.emplace_back("a");
  });
  machine.explore(Grain::kCoarse);
  CHECK(machine.done == Deeds{"a"});
}

TEST_CASE("an agent that is no thread takes a step before its level rises", "[cpu]") {
  Machine machine;
  const auto agent = machine.steps.add_agent("dpc", [&] {
    machine.steps.wait_until(machine.start, [&] { return machine.started; });
    machine.core0.enter(DISPATCH_LEVEL, Operation::kDeferredCall, 0);
    const std::uint64_t before = machine.steps.steps_taken();
    machine.cpu.raise(DISPATCH_LEVEL + 1);
    CHECK(machine.steps.steps_taken() == before + 1);
    machine.core0.leave();
    machine.done.emplace_back("dpc");
  });
  machine.cpu.place(agent, 0);
  machine.explore(Grain::kShared);
  CHECK(machine.done == Deeds{"dpc"});
}

}  // namespace fenceline::test_locks
