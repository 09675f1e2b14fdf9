#include "tb/sweep/pool.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <poll.h>
#include <set>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" void __gcov_dump() __attribute__((weak));  // NOLINT: gcov's name; there if it measures

namespace fenceline::sweep {

namespace {

constexpr int kPollEvery = 200;  ///< [ms]
/// Signals by which a fault in the code ends its process.
constexpr std::array<int, 7> kFaults{SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
constexpr char kComplete = '.';  ///< ends what a process sends

[[noreturn]] void leave(int code) {
  if (__gcov_dump != nullptr) __gcov_dump();
  ::_exit(code);
}

void send(int out, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::write(out, bytes.data() + done, bytes.size() - done);
    if (written <= 0) ::_exit(1);
    done += static_cast<std::size_t>(written);
  }
}

/// The life of a process: it ends with its parent, and takes so much CPU time only.
[[noreturn]] void live(const std::function<std::string(std::uint64_t)>& work, std::uint64_t number,
                       const PoolOptions& options, pid_t parent, int out) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (const int fault : kFaults) std::signal(fault, SIG_DFL);
  // The parent hears of these and says when to stop.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const auto most = static_cast<rlim_t>(options.most_cpu.count());
  const rlimit cpu{most, most + 1};
  ::setrlimit(RLIMIT_CPU, &cpu);
  std::string result = work(number);
  result += kComplete;
  send(out, result);
  leave(0);
}

/// A piece of work under way.
class Process {
 public:
  Process(const std::function<std::string(std::uint64_t)>& work, std::uint64_t number,
          const PoolOptions& options)
      : number_(number) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw std::runtime_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    in_ = ends[0];
    const pid_t parent = ::getpid();
    id_ = ::fork();
    if (id_ == 0) {
      ::close(ends[0]);
      live(work, number, options, parent, ends[1]);
    }
    const int error = errno;
    ::close(ends[1]);
    if (id_ > 0) return;
    ::close(in_);
    throw std::runtime_error(fmt::format("cannot start a process: {}", std::strerror(error)));
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
  std::uint64_t number() const { return number_; }

  /// Reads what there is; false once the process has nothing more to send.
  bool read() {
    std::array<char, 65536> buffer;
    const ssize_t got = ::read(in_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return true;
    if (got > 0) bytes_.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  Finished end(const PoolOptions& options) {
    int status = 0;
    ::waitpid(id_, &status, 0);
    ended_ = true;
    Finished finished;
    finished.work = number_;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !bytes_.empty() &&
        bytes_.back() == kComplete) {
      bytes_.pop_back();
      finished.result = std::move(bytes_);
    } else if (WIFEXITED(status)) {
      finished.how = Finished::How::kCrashed;
      finished.why = fmt::format("exit code {}", WEXITSTATUS(status));
    } else {
      judge_signal(WTERMSIG(status), options, finished);
    }
    return finished;
  }

 private:
  static void judge_signal(int signal, const PoolOptions& options, Finished& finished) {
    const bool fault = std::find(kFaults.begin(), kFaults.end(), signal) != kFaults.end();
    finished.how = signal == SIGXCPU ? Finished::How::kEndless
                   : fault           ? Finished::How::kCrashed
                                     : Finished::How::kKilled;
    finished.why = signal == SIGXCPU
                       ? fmt::format("no end after {} s of CPU time", options.most_cpu.count())
                       : std::string("SIG") + sigabbrev_np(signal);
  }

  const std::uint64_t number_;
  pid_t id_ = 0;
  int in_ = -1;
  std::string bytes_;
  bool ended_ = false;
};

class Pool {
 public:
  Pool(const std::vector<std::uint64_t>& works,
       const std::function<std::string(std::uint64_t)>& work, const PoolOptions& options,
       const std::function<void(const Finished&)>& finished)
      : works_(works), work_(work), options_(options), finished_(finished) {}

  bool run() {
    std::fflush(nullptr);  // what a process leaves in its buffers must not be written twice
    while (next_ < works_.size() || !processes_.empty()) {
      if (stopped()) return false;
      while (next_ < works_.size() && processes_.size() < std::max(1U, options_.jobs))
        start(works_[next_++]);
      look();
    }
    return true;
  }

 private:
  bool stopped() const { return options_.interrupted != nullptr && *options_.interrupted; }

  void start(std::uint64_t number) {
    processes_.push_back(std::make_unique<Process>(work_, number, options_));
  }

  void look() {
    std::vector<pollfd> files;
    for (const auto& process : processes_) files.push_back({process->in(), POLLIN, 0});
    if (::poll(files.data(), files.size(), kPollEvery) <= 0) return;
    for (std::size_t i = files.size(); i > 0; --i)
      if (files[i - 1].revents != 0 && !processes_[i - 1]->read()) end(i - 1);
  }

  void end(std::size_t index) {
    const std::unique_ptr<Process> process = std::move(processes_[index]);
    processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(index));
    const Finished finished = process->end(options_);
    // Somebody else's doing, such as a machine without memory, says nothing about the work.
    if (finished.how == Finished::How::kKilled && again_.insert(finished.work).second)
      start(finished.work);
    else
      finished_(finished);
  }

  const std::vector<std::uint64_t>& works_;
  const std::function<std::string(std::uint64_t)>& work_;
  const PoolOptions& options_;
  const std::function<void(const Finished&)>& finished_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::set<std::uint64_t> again_;
  std::size_t next_ = 0;
};

}  // namespace

bool run_pool(const std::vector<std::uint64_t>& works,
              const std::function<std::string(std::uint64_t)>& work, const PoolOptions& options,
              const std::function<void(const Finished&)>& finished) {
  return Pool(works, work, options, finished).run();
}

}  // namespace fenceline::sweep
