#include "tb/explore/contained.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tb/explore/bytes.h"

extern "C" void __gcov_dump() __attribute__((weak));  // NOLINT: gcov's name; there if it measures

namespace fenceline::explore {

namespace {

constexpr int kPollEvery = 50;  ///< [ms]
/// Signals by which a fault in the code ends its process.
constexpr std::array<int, 7> kFaults{SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

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

/// The life of a process: it ends with its parent, and a fault in it is nobody else's.
[[noreturn]] void live(const Task& task, Flight& flight, int out) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int fault : kFaults) std::signal(fault, SIG_DFL);
  // The watcher hears of these and says when to stop.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const std::string result = result_of(task, flight);
  for (std::size_t done = 0; done < result.size();) {
    const ssize_t written = ::write(out, result.data() + done, result.size() - done);
    if (written <= 0) ::_exit(1);
    done += static_cast<std::size_t>(written);
  }
  if (__gcov_dump != nullptr) __gcov_dump();
  ::_exit(0);
}

class Process {
 public:
  Process(const Task& task, const Watch& watch) : flight_(watch.most_steps), stuck_(watch.stuck) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
    in_ = ends[0];
    id_ = ::fork();
    if (id_ == 0) {
      ::close(ends[0]);
      live(task, flight_, ends[1]);
    }
    ::close(ends[1]);
    if (id_ > 0) return;
    ::close(in_);
    throw std::runtime_error("cannot start a process");
  }
  ~Process() {
    ::close(in_);
    if (ended_) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int in() const { return in_; }
  Flight& flight() { return flight_; }

  /// Reads what there is; false once the process has nothing more to send.
  bool read() {
    std::array<char, 65536> buffer;
    const ssize_t got = ::read(in_, buffer.data(), buffer.size());
    if (got > 0) bytes_.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  /// Kills the process if its step has taken too much of its CPU time: a loaded machine is no
  /// reason.
  void look_after() {
    clockid_t clock{};
    timespec used{};
    if (clock_getcpuclockid(id_, &clock) != 0 || clock_gettime(clock, &used) != 0) return;
    const auto now = std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
    const std::uint64_t beats = flight_.beats();
    // While it sends its result there are no steps.
    if (beats != beats_ || !bytes_.empty()) {
      beats_ = beats;
      since_ = now;
    } else if (now - since_ > stuck_) {
      killed_ = true;
      ::kill(id_, SIGKILL);
    }
  }

  Ended end() {
    int status = 0;
    ::waitpid(id_, &status, 0);
    ended_ = true;
    Ended ended;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !bytes_.empty()) {
      ended.result = result();
      return ended;
    }
    ended.how = killed_ ? Ended::How::kStuck : Ended::How::kCrashed;
    ended.trace = flight_.trace();
    ended.why = killed_             ? fmt::format("no end after {} s of CPU time",
                                                  std::chrono::duration<double>(stuck_).count())
                : WIFEXITED(status) ? fmt::format("exit code {}", WEXITSTATUS(status))
                                    : fault(WTERMSIG(status));
    return ended;
  }

 private:
  /// Name of the signal. Throws if it came from outside.
  static std::string fault(int signal) {
    for (const int it : kFaults)
      if (it == signal) return std::string("SIG") + sigabbrev_np(signal);
    throw std::runtime_error(
        fmt::format("a process of the exploration was ended from outside, by signal {}", signal));
  }

  std::string result() const {
    Reader in(bytes_);
    const auto kind = in.number<Result>();
    std::string text = in.text();
    if (kind == Result::kInvalid) throw std::invalid_argument(text);
    if (kind == Result::kFailed) throw std::runtime_error(text);
    return text;
  }

  Flight flight_;
  const std::chrono::nanoseconds stuck_;
  pid_t id_ = 0;
  int in_ = -1;
  std::string bytes_;
  std::uint64_t beats_ = 0;
  std::chrono::nanoseconds since_{0};
  bool killed_ = false;
  bool ended_ = false;
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
      if (watch_.interrupted != nullptr && *watch_.interrupted) process->flight().stop();
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
