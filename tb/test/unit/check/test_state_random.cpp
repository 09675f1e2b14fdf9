// States of the checkers that are called equal, put to the test: random pasts that meet in the same
// state of a machine, and the same random futures from there.
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>

#include "tb/test/support/toy_logs.h"
#include "tb/test/support/toy_machine.h"

namespace fenceline::check::test_state_random {

namespace {

using Ids = std::set<std::string>;

/// Which invariants break in the further course of a run, also those that had been broken before.
class Breaks {
 public:
  explicit Breaks(const Checkers& checkers) : checkers_(checkers), before_(checkers.exercised()) {}
  Ids since() const {
    Ids ids;
    const auto after = checkers_.exercised();
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (after[i].broken != before_[i].broken) ids.insert(after[i].invariant);
    }
    return ids;
  }

 private:
  const Checkers& checkers_;
  const std::vector<Exercise> before_;
};

/// What one past leads to: the verdicts of some futures.
using Verdicts = std::vector<Ids>;

struct Tally {
  int met = 0;     ///< pasts whose state had been there before
  int told = 0;    ///< times that the same machine with another hash led to another verdict
  int broken = 0;  ///< futures that broke something
};

/// Compares the verdicts of all pasts of one machine.
class Meetings {
 public:
  explicit Meetings(Tally& tally) : tally_(tally) {}
  void add(const std::vector<std::uint64_t>& machine, std::uint64_t hash,
           const Verdicts& verdicts) {
    auto& hashes = seen_[machine];
    for (const auto& [other, theirs] : hashes) tally_.told += other != hash && theirs != verdicts;
    for (const Ids& ids : verdicts) tally_.broken += ids.empty() ? 0 : 1;
    const auto [known, fresh] = hashes.try_emplace(hash, verdicts);
    if (fresh) return;
    ++tally_.met;
    REQUIRE(known->second == verdicts);
  }

 private:
  Tally& tally_;
  std::map<std::vector<std::uint64_t>, std::map<std::uint64_t, Verdicts>> seen_;
};

constexpr std::uint32_t kFutures = 3;

/// Runs each past up to some point and from there into each future, and compares.
template <class Machine, class Make>
void compare(const Make& make, std::uint32_t pasts, Tally& tally) {
  Meetings meetings(tally);
  for (std::uint32_t past = 1; past <= pasts; ++past) {
    Verdicts verdicts;
    std::uint64_t hash = 0;
    std::vector<std::uint64_t> state;
    for (std::uint32_t future = 0; future < kFutures; ++future) {
      const std::unique_ptr<Machine> machine = make(past);
      machine->run_until(2 + past % 40);
      hash = machine->script.checkers.state_hash();
      state = machine->state();
      const Breaks breaks(machine->script.checkers);
      machine->run_on(future);
      machine->script.checkers.finish();
      verdicts.push_back(breaks.since());
    }
    INFO("past " << past);
    meetings.add(state, hash, verdicts);
  }
}

void toy_runs(std::uint32_t content, bool stale, Tally& tally) {
  const auto bit = [content](std::uint32_t n) { return (content * 2654435761U >> n & 1) != 0; };
  ToyFaults faults{};
  faults.signal_barrier = bit(20);
  faults.cmp_barrier = bit(21);
  faults.acknowledge = bit(22);
  faults.reread = bit(23);
  faults.drop = bit(24);
  faults.null_array = bit(25);
  faults.stale = stale;
  CheckOptions options;
  options.stale_reads = stale;
  const ToyProgram program{2 + content % 3, content % 4, content % 3, content};
  INFO("content " << content);
  compare<ToyMachine>(
      [&](std::uint32_t past) {
        return std::make_unique<ToyMachine>(past, faults, program, options);
      },
      250, tally);
}

void log_runs(std::uint32_t faults, Tally& tally) {
  INFO("faults " << faults);
  compare<ToyLogs>([&](std::uint32_t past) { return std::make_unique<ToyLogs>(past, faults); }, 220,
                   tally);
}

}  // namespace

TEST_CASE("the same state has the same future", "[check][slow]") {
  Tally tally;
  for (std::uint32_t content = 1; content <= 40; ++content) toy_runs(content, false, tally);
  CHECK(tally.met > 2500);
  CHECK(tally.told > 100);
  CHECK(tally.broken > 5000);
}

TEST_CASE("the same state has the same future where reads may be stale", "[check][slow]") {
  Tally tally;
  for (std::uint32_t content = 1; content <= 40; ++content) toy_runs(content, true, tally);
  CHECK(tally.met > 2500);
  CHECK(tally.told > 100);
  CHECK(tally.broken > 5000);
}

TEST_CASE("the same state of logs and waiters has the same future", "[check][slow]") {
  Tally tally;
  for (std::uint32_t faults = 0; faults < 128; ++faults) log_runs(faults, tally);
  CHECK(tally.met > 5000);
  CHECK(tally.told > 100);
  CHECK(tally.broken > 5000);
}

}  // namespace fenceline::check::test_state_random
