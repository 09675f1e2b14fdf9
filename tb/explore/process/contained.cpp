#include "tb/explore/process/contained.h"

#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <utility>

#include "tb/explore/search/bytes.h"
#include "tb/run/process/contained.h"

namespace fenceline::explore {

namespace {

/// Last message of a process.
enum class Result : std::uint8_t { kWell, kInvalid, kFailed };

std::string result_of(const Task& task, Flight& flight) {
  try {
    return to_bytes(Result::kWell, task(flight));
  } catch (const std::invalid_argument& error) {
    return to_bytes(Result::kInvalid, std::string(error.what()));
  } catch (const std::exception& error) {
    return to_bytes(Result::kFailed, std::string(error.what()));
  }
}

/// The result of a task; what it has thrown is thrown here.
std::string unpacked(const std::string& bytes) {
  Result kind{};
  std::string text;
  from_bytes(bytes, kind, text);
  if (kind == Result::kInvalid) throw std::invalid_argument(text);
  if (kind == Result::kFailed) throw std::runtime_error(text);
  return text;
}

/// Some tasks, of which a few are under way.
class Crew {
 public:
  Crew(const std::vector<Task>& tasks, const Watch& watch)
      : tasks_(tasks), watch_(watch), flights_(tasks.size()), ended_(tasks.size()) {}

  std::vector<Ended> run() {
    run::Works works;
    works.count = tasks_.size();
    works.pulse = [this](std::size_t number) -> run::Pulse& {
      flights_[number] = std::make_unique<Flight>(watch_.max_steps);
      flights_[number]->expect_beats(true);
      if (number < watch_.before.size()) flights_[number]->count(watch_.before[number]);
      begun_ = number + 1;
      return *flights_[number];
    };
    works.work = [this](std::size_t number, run::Pulse& pulse) {
      std::string result = result_of(tasks_[number], *flights_[number]);
      pulse.expect_beats(false);  // while it sends its result there are no steps
      return result;
    };
    works.ended = [this](std::size_t number, run::Ended ended) { end(number, std::move(ended)); };
    run::Watch watch;
    watch.jobs = watch_.at_once;
    watch.stuck = watch_.stuck;
    watch.interrupted = watch_.interrupted;
    watch.begins_all = true;  // a part that gets the stop request at once is a part, too
    watch.progress = [this](std::size_t, const run::Pulse&) { report(); };
    run::run_contained(works, watch);
    return std::move(ended_);
  }

 private:
  void end(std::size_t number, run::Ended ended) {
    using How = run::Ended::How;
    if (ended.how == How::kInterrupted)
      throw Interrupted("interrupted amid a step that does not come to an end");
    if (ended.how == How::kKilled)
      throw std::runtime_error(
          fmt::format("a process of the exploration was ended from outside, by {}", ended.why));
    Ended& mine = ended_[number];
    static_cast<run::Ended&>(mine) = std::move(ended);
    if (mine.how == How::kWell)
      mine.result = unpacked(mine.result);
    else
      mine.trace = flights_[number]->trace();
    add(flights_[number]->counts(), done_);
    flights_[number].reset();
    report();
  }

  static void add(const Flight::Counts& counts, Flight::Counts& sum) {
    sum.executions += counts.executions;
    sum.states += counts.states;
    sum.frontier.open += counts.frontier.open;
    sum.frontier.left += counts.frontier.left;
  }

  void report() const {
    if (!watch_.progress) return;
    Flight::Counts sum = done_;
    for (const auto& flight : flights_)
      if (flight) add(flight->counts(), sum);
    for (std::size_t i = begun_; i < watch_.before.size(); ++i) add({0, 0, watch_.before[i]}, sum);
    watch_.progress(sum);
  }

  const std::vector<Task>& tasks_;
  const Watch& watch_;
  std::vector<std::unique_ptr<Flight>> flights_;  ///< of those under way
  std::vector<Ended> ended_;
  std::size_t begun_ = 0;  ///< tasks; they begin in order
  Flight::Counts done_;
};

}  // namespace

FatalStep fatal_step(const Ended& ended, bool anywhere) {
  return {ended.trace, ended.how == Ended::How::kStuck ? kEndlessLoop : kCrash, ended.what(),
          anywhere};
}

std::vector<Ended> run_contained(const std::vector<Task>& tasks, const Watch& watch) {
  return Crew(tasks, watch).run();
}

}  // namespace fenceline::explore
