// Footprints of the CMP's steps: the places that each reads and writes.
#include "tb/test/unit/models/test_cmp.h"

namespace fenceline::test_cmp::test_cmp_footprints {

using common::Footprint;
using common::Place;
using Kind = common::SignalNotice::Kind;

namespace {

/// Lets the driver do what it wants and then the others in turn, and keeps what each step has
/// touched.
class Explored : common::Policy {
 public:
  Explored(Bench& bench, std::function<void()> driver) : bench_(bench), go_(steps()) {
    steps().add_agent("driver", [this, driver = std::move(driver)] {
      steps().wait_until(go_, [this] { return going_; });
      driver();
    });
    steps().add_agent("controller", [this] {
      steps().wait_until(started_, [this] { return starts_; });
      going_ = true;
      go_.open();
      steps().explore(*this, 1000);
      keep();
    });
    bench.begin();
  }
  Explored(const Explored&) = delete;
  Explored& operator=(const Explored&) = delete;

  void run() {
    starts_ = true;
    started_.open();
    bench_.settle();
  }
  /// Each step of the agent with that operation has written the place, and there is one.
  bool writes(const std::string& agent, Operation operation, Place place, std::uint64_t index) {
    std::size_t count = 0;
    for (const Step& step : steps_taken_) {
      if (step.agent != steps().find_agent(agent) || step.operation != operation) continue;
      ++count;
      if (!has(step, place, index, true)) return false;
    }
    return count != 0;
  }
  /// The agent has read the place, or written it.
  bool touches(const std::string& agent, Place place, std::uint64_t index, bool write) {
    const auto wanted = Footprint::access(place, index, write);
    return std::any_of(all_.begin(), all_.end(), [&](const auto& touch) {
      return touch.agent == steps().find_agent(agent) && touch.access.write == write &&
             touch.access.location == wanted.location;
    });
  }
  /// True if the driver has written the place since its last step.
  bool driver_writes(Place place, std::uint64_t index) {
    for (const auto& touch : steps().touched())
      if (touch.agent == steps().current() && touch.access.write &&
          touch.access.location == Footprint::access(place, index, true).location)
        return true;
    return false;
  }

  /// Knowledge of the agent before each of its steps with that operation.
  std::vector<std::uint64_t> known(const std::string& agent, Operation operation) {
    std::vector<std::uint64_t> result;
    for (const Step& step : steps_taken_)
      if (step.agent == steps().find_agent(agent) && step.operation == operation)
        result.push_back(step.history);
    return result;
  }

  bool driver_first = false;  ///< the others come when the driver is through

 private:
  struct Step {
    common::AgentId agent;
    Operation operation;
    std::uint64_t history;
    std::vector<common::Steps::Touch> touched;
  };
  static bool has(const Step& step, Place place, std::uint64_t index, bool write) {
    for (const auto& touch : step.touched)
      if (touch.agent == step.agent && touch.access.write == write &&
          touch.access.location == Footprint::access(place, index, write).location)
        return true;
    return false;
  }
  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& /*state*/) override {
    keep();
    const std::size_t picked =
        driver_first && candidates.back().agent == steps().find_agent("driver")
            ? candidates.size() - 1
            : 0;
    const common::Candidate& one = candidates[picked];
    steps_taken_.push_back({one.agent, one.operation, one.history, {}});
    return picked;
  }
  void keep() {
    const auto& touched = steps().touched();
    all_.insert(all_.end(), touched.begin(), touched.end());
    if (!steps_taken_.empty()) steps_taken_.back().touched = touched;
  }
  common::Steps& steps() const { return bench_.simulation.steps; }

  Bench& bench_;
  common::Gate go_;
  common::Gate started_{bench_.simulation.steps};
  bool going_ = false, starts_ = false;
  std::vector<Step> steps_taken_;
  std::vector<common::Steps::Touch> all_;
};

std::uint64_t inbox(const Bench& bench) { return bench.last_place + 1; }
std::uint64_t counters(const Bench& bench) { return bench.last_place + 2; }
std::uint64_t ring(const Bench& bench) { return bench.last_place + 3; }
void step(Bench& bench) { bench.simulation.steps.step(Operation::kWork, {}); }

Ordering reread(bool clear_first) {
  Ordering result;
  result.cmp.value = common::CmpValue::kReread;
  result.cmp.clear_first = clear_first;
  return result;
}

}  // namespace

TEST_CASE("each notice of a merge writes the inbox", "[cmp]") {
  Bench bench;
  Explored* all = nullptr;
  std::vector<bool> written;
  Explored explored(bench, [&] {
    bench.signaled(0, kSlot, 30);
    bench.notice({1, 0, 0, 0, 5, Kind::kBufferCompleted});
    step(bench);
    bench.signaled(0, kSlot, 31);
    written.push_back(all->driver_writes(Place::kRegister, inbox(bench)));
    step(bench);
    bench.notice({1, 0, 0, 0, 6, Kind::kBufferCompleted});
    written.push_back(all->driver_writes(Place::kRegister, inbox(bench)));
  });
  all = &explored;
  all->driver_first = true;
  all->run();
  CHECK(written == std::vector<bool>{true, true});
}

TEST_CASE("an acknowledgement writes the interrupt ring", "[cmp]") {
  Bench bench;
  Explored* all = nullptr;
  bool written = false;
  Explored explored(bench, [&] {
    bench.store(abi::kInterruptAcknowledge, 0);
    written = all->driver_writes(Place::kRegister, ring(bench));
  });
  all = &explored;
  all->run();
  CHECK(written);
}

TEST_CASE("the step that raises an interrupt writes the ring", "[cmp]") {
  Bench bench;
  Explored explored(bench, [&] {
    bench.values(kSlot, 30, 20);
    bench.store(abi::kMonitoredUpdate, kSlot);
    bench.signaled(0, kSlot, 30);
  });
  explored.run();
  CHECK(explored.writes("cmp", Operation::kRaise, Place::kRegister, ring(bench)));
  CHECK(explored.writes("cmp", Operation::kTakeNotice, Place::kRegister, inbox(bench)));
  CHECK(explored.writes("cmp", Operation::kTakeUpdate, Place::kRegister, counters(bench)));
}

TEST_CASE("the step that reports a fault or a buffer writes the ring", "[cmp]") {
  Bench bench;
  Explored explored(bench, [&] {
    bench.memory.unmapped = {kCurrent + 8 * kSlot};
    bench.store(abi::kMonitoredUpdate, kSlot);
    bench.notice({1, 0, 0, 0, 5, Kind::kBufferCompleted});
    bench.notice({1, 4, 0, 0, 5, Kind::kSuspended});
  });
  explored.run();
  CHECK(explored.writes("cmp", Operation::kRaise, Place::kRegister, ring(bench)));
}

TEST_CASE("a report that finds no room writes the inbox", "[cmp]") {
  Bench bench;
  Explored explored(bench, [&] { bench.notice({1, 0, 0, 0, 5, Kind::kBufferCompleted}); });
  for (std::uint64_t id = 1; id <= kRingEntries; ++id) {
    bench.notice({9, 0, 0, 0, id, Kind::kBufferCompleted});
    bench.settle();
  }
  explored.run();
  CHECK(explored.writes("cmp", Operation::kRaise, Place::kRegister, inbox(bench)));
}

TEST_CASE("the step that reports a suspension writes the inbox", "[cmp]") {
  Bench bench;
  Explored explored(bench, [&] { bench.notice({1, 4, 0, 0, 5, Kind::kSuspended}); });
  explored.run();
  CHECK(explored.writes("cmp", Operation::kTakeNotice, Place::kRegister, inbox(bench)));
  CHECK(explored.writes("cmp", Operation::kRaise, Place::kRegister, inbox(bench)));
}

TEST_CASE("the CMP knows what it has taken before it reports it", "[cmp]") {
  Bench bench;
  Explored explored(bench, [&] {
    const std::vector<common::SignalNotice> notices{
        {1, 0, 0, 0, 0, Kind::kFenceWritten},    {1, 0, 0, 0, 0, Kind::kBufferCompleted},
        {1, 0, 0, 0, 1, Kind::kBufferCompleted}, {1, 0, 0, 0, 0, Kind::kPreempted},
        {1, 0, 0, 0, 1, Kind::kPreempted},       {1, 0, 0, 0, 0, Kind::kVerticalSync},
        {1, 0, 0, 0, 1, Kind::kVerticalSync},    {1, 0, 0, 0, 0, Kind::kTimedOut},
        {1, 0, 1, 0, 0, Kind::kTimedOut},        {1, 0, 0, 0, 0, Kind::kLogUnmapped},
        {1, 0, 0, 0, 1, Kind::kLogUnmapped},     {1, 0, 1, 0, 0, Kind::kLogUnmapped},
        {1, 0, 0, 0, 0, Kind::kBufferFaulted},   {1, 1, 0, 0, 0, Kind::kBufferFaulted},
        {1, 0, 1, 0, 0, Kind::kBufferFaulted},   {1, 0, 0, 0, 1, Kind::kBufferFaulted},
        {1, 7, 0, 0, 70, Kind::kSuspended},      {1, 8, 0, 0, 70, Kind::kSuspended},
        {2, 7, 0, 0, 70, Kind::kSuspended},      {1, 7, 0, 0, 71, Kind::kSuspended},
    };
    for (const auto& notice : notices) {
      bench.notice(notice);
      step(bench);  // the CMP takes it, for it is the first
    }
    bench.notice({1, 0, 0, 0, 0, Kind::kFenceWritten});
    bench.notice({1, 0, 0, 0, 0, Kind::kBufferCompleted});
    step(bench);
    bench.notice({1, 0, 0, 0, 0, Kind::kBufferCompleted});
    bench.notice({1, 0, 0, 0, 0, Kind::kPreempted});
    step(bench);
    bench.notice({1, 0, 0, 0, 0, Kind::kBufferCompleted});
    bench.notice({1, 0, 0, 0, 0, Kind::kBufferFaulted});
    step(bench);
  });
  bench.store(abi::kInterruptRingEntries, 1024);
  explored.run();
  std::vector<std::uint64_t> known = explored.known("cmp", Operation::kRaise);
  CHECK(known.size() == 23);
  std::sort(known.begin(), known.end());
  CHECK(std::adjacent_find(known.begin(), known.end()) == known.end());
}

TEST_CASE("the CMP knows which signals it has taken before it interrupts", "[cmp]") {
  Bench bench;
  Explored explored(bench, [&] {
    for (const std::uint32_t slot : {kSlot, kOtherSlot}) {
      bench.store(abi::kMonitoredUpdate, slot);
      step(bench);
      for (std::uint32_t queue = 1; queue < 3; ++queue)
        for (std::uint64_t value = 30; value < 32; ++value) {
          bench.signaled(0, slot, value, queue);
          step(bench);
        }
    }
    bench.signaled(0, kSlot, 31, 2);
    bench.signaled(0, kOtherSlot, 31, 2);
    step(bench);
  });
  bench.store(abi::kInterruptRingEntries, 1024);
  for (const std::uint32_t slot : {kSlot, kOtherSlot})
    bench.memory.words[kMonitored + 8 * slot] = 20;
  explored.run();
  std::vector<std::uint64_t> known = explored.known("cmp", Operation::kRaise);
  CHECK(known.size() == 9);
  std::sort(known.begin(), known.end());
  CHECK(std::adjacent_find(known.begin(), known.end()) == known.end());
}

TEST_CASE("an update that serves notices writes the inbox", "[cmp]") {
  Bench bench(reread(true));
  Explored explored(bench, [&] {
    bench.store(abi::kMonitoredUpdate, kSlot);
    bench.signaled(0, kSlot, 30);
  });
  explored.run();
  CHECK(explored.writes("cmp", Operation::kTakeUpdate, Place::kRegister, inbox(bench)));
}

TEST_CASE("a bit that is cleared late is a step that writes the inbox", "[cmp]") {
  Bench bench(reread(false));
  Explored explored(bench, [&] { bench.signaled(0, kSlot, 30); });
  explored.run();
  CHECK(explored.writes("cmp", Operation::kTakeNotice, Place::kRegister, inbox(bench)));
}

TEST_CASE("a request that is done writes the counters", "[cmp]") {
  Bench bench;
  Explored explored(bench, [&] { bench.store(abi::kLogFlush, 6); });
  explored.run();
  CHECK(explored.writes("cmp", Operation::kTakeRequest, Place::kRegister, counters(bench)));
}

TEST_CASE("a fence that is retired beside the CMP is in the footprints of both", "[cmp]") {
  cmp::CmpConfig config;
  config.engines_hang = true;
  Bench bench({}, config);
  Explored explored(bench, [&] { bench.store(abi::kFenceRetire, kSlot); });
  explored.run();
  CHECK(bench.load(abi::kFenceRetiresDone) == 1);
  CHECK(explored.writes("cmp", Operation::kTakeRequest, Place::kRegister, inbox(bench)));
  for (const bool write : {false, true})
    CHECK(explored.touches("cmp.retire", Place::kRegister, inbox(bench), write));
  CHECK(explored.touches("cmp.retire", Place::kRegister, kAdapter, true));
}

TEST_CASE("a poll of a counter learns no more than it has asked for", "[cmp]") {
  Bench bench;
  std::uint64_t polled = 0, read = 0;
  Explored explored(bench, [&] {
    for (int i = 0; i < 3; ++i) bench.store(abi::kLogFlush, 6);
    polled = bench.load(abi::kLogFlushesDone, Operation::kRegisterRead, 2);
    step(bench);
    for (int i = 0; i < 8; ++i) step(bench);
    read = bench.load(abi::kLogFlushesDone);
  });
  explored.run();
  CHECK(polled == 2);
  CHECK(read >= 2);
  CHECK(explored.touches("driver", Place::kRegister, counters(bench), false));
}

}  // namespace fenceline::test_cmp::test_cmp_footprints
