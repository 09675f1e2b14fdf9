#include "tb/explore/contained.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <stdexcept>

#include "tb/explore/bytes.h"
#include "tb/run/child_process.h"
#include "tb/run/cpu_watch.h"

namespace fenceline::explore {

namespace {

constexpr int kPollEvery = 50;                     ///< [ms]
constexpr std::chrono::milliseconds kToHear{500};  ///< that one is to stop

/// What a process sends when it is done.
enum class Result : std::uint8_t { kWell, kInvalid, kFailed };

std::string result_of(const Task& task, Flight& flight) {
  Writer out;
  const auto failed = [&out](Result kind, const std::exception& error) {
    out.number(kind);
    out.text(error.what());
  };
  try {
    const std::string result = task(flight);
    out.number(Result::kWell);
    out.text(result);
  } catch (const std::invalid_argument& error) {
    failed(Result::kInvalid, error);
  } catch (const std::exception& error) {
    failed(Result::kFailed, error);
  }
  return out.take();
}

class Process {
 public:
  Process(const Task& task, const Watch& watch)
      : flight_(watch.most_steps),
        stuck_(watch.stuck),
        watch_(watch.stuck),
        process_([this, &task](const run::ChildProcess::Send& send) {
          run::leave_interrupts_to_parent();
          send(result_of(task, flight_));
        }) {}

  int in() const { return process_.in(); }
  Flight& flight() { return flight_; }
  /// Reads what there is; false once the process has nothing more to send.
  bool read() { return process_.read(); }

  /// Kills the process if its step has taken too much of its CPU time: a loaded machine is no
  /// reason.
  void look_after() {
    // While it sends its result there are no steps.
    if (!watch_.stuck(process_.id(), flight_.beats(), !process_.received().empty())) return;
    killed_ = true;
    process_.kill();
  }

  Ended end() {
    const run::ChildProcess::End how = process_.wait();
    Ended ended;
    if (how.well() && !process_.received().empty()) {
      ended.result = result();
      return ended;
    }
    if (how.signal != 0 && !how.fault && !killed_)
      throw std::runtime_error(fmt::format(
          "a process of the exploration was ended from outside, by signal {}", how.signal));
    ended.how = killed_ ? Ended::How::kStuck : Ended::How::kCrashed;
    ended.trace = flight_.trace();
    ended.why = killed_ ? fmt::format("no end after {} s of CPU time",
                                      std::chrono::duration<double>(stuck_).count())
                        : how.why();
    return ended;
  }

 private:
  std::string result() {
    Reader in(process_.received());
    const auto kind = in.number<Result>();
    std::string text = in.text();
    if (kind == Result::kInvalid) throw std::invalid_argument(text);
    if (kind == Result::kFailed) throw std::runtime_error(text);
    return text;
  }

  Flight flight_;
  const std::chrono::nanoseconds stuck_;
  run::CpuWatch watch_;
  run::ChildProcess process_;
  bool killed_ = false;
};

/// Some tasks, of which a few are under way.
class Crew {
 public:
  Crew(const std::vector<Task>& tasks, const Watch& watch)
      : tasks_(tasks), watch_(watch), processes_(tasks.size()), ended_(tasks.size()) {}

  std::vector<Ended> run() {
    while (next_ < tasks_.size() || running_ > 0) {
      for (; next_ < tasks_.size() && running_ < std::max(1U, watch_.at_once); ++next_, ++running_)
        processes_[next_] = std::make_unique<Process>(tasks_[next_], watch_);
      look();
    }
    return std::move(ended_);
  }

 private:
  void look() {
    std::vector<pollfd> files;
    std::vector<std::size_t> who;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      if (!processes_[i]) continue;
      files.push_back({processes_[i]->in(), POLLIN, 0});
      who.push_back(i);
    }
    ::poll(files.data(), files.size(), kPollEvery);
    for (std::size_t i = 0; i < files.size(); ++i) {
      std::unique_ptr<Process>& process = processes_[who[i]];
      if (watch_.interrupted != nullptr && *watch_.interrupted) stop(*process);
      if (files[i].revents == 0) {
        process->look_after();
      } else if (!process->read()) {
        add(process->flight().counts(), done_);
        ended_[who[i]] = process->end();
        process.reset();
        --running_;
      }
    }
    report();
  }

  void stop(Process& process) {
    const auto now = std::chrono::steady_clock::now();
    if (!stopped_) stopped_ = now;
    process.flight().stop();
    if (!process.flight().heard() && now - *stopped_ > kToHear)
      throw Interrupted("interrupted amid a step that does not come to an end");
  }

  static void add(const Flight::Counts& counts, Flight::Counts& sum) {
    sum.executions += counts.executions;
    sum.states += counts.states;
  }

  void report() {
    if (!watch_.progress) return;
    Flight::Counts sum = done_;
    for (const auto& process : processes_)
      if (process) add(process->flight().counts(), sum);
    watch_.progress(sum);
  }

  const std::vector<Task>& tasks_;
  const Watch& watch_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<Ended> ended_;
  Flight::Counts done_;
  std::optional<std::chrono::steady_clock::time_point> stopped_;
  std::size_t next_ = 0;
  unsigned running_ = 0;
};

}  // namespace

FatalStep fatal_step(const Ended& ended, bool anywhere) {
  return {ended.trace, ended.how == Ended::How::kStuck ? kEndlessLoop : kCrash, ended.why,
          anywhere};
}

std::vector<Ended> run_contained(const std::vector<Task>& tasks, const Watch& watch) {
  return Crew(tasks, watch).run();
}

}  // namespace fenceline::explore
