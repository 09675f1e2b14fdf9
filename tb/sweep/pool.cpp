#include "tb/sweep/pool.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <set>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern "C" void __gcov_dump() __attribute__((weak));  // NOLINT: gcov's name; there if it measures

namespace fenceline::sweep {

namespace {

constexpr int kPollEvery = 200;  ///< [ms]
/// Signals by which a fault in the code ends its process.
constexpr std::array<int, 7> kFaults{SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
constexpr std::size_t kMostBatch = 64;  ///< pieces of work that a process is given

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

/// A process sends its results one after another, each behind its size, and says how many of its
/// pieces of work it leaves to others when it ends by itself.
struct Header {
  enum class Kind : std::uint64_t { kResult, kLeft };
  Kind kind = Kind::kResult;
  std::uint64_t size = 0;  ///< [bytes] of a result
};

std::string header(Header::Kind kind, std::uint64_t size) {
  const Header head{kind, size};
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

std::chrono::microseconds cpu_time() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/// The process is sent SIGXCPU when it has taken so much more CPU time.
void limit_cpu(std::chrono::seconds most) {
  rlimit limit{};
  ::getrlimit(RLIMIT_CPU, &limit);
  const auto used = std::chrono::ceil<std::chrono::seconds>(cpu_time());
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>((used + most).count()));
  ::setrlimit(RLIMIT_CPU, &limit);
}

using Work = std::function<std::string(std::uint64_t)>;

/// The life of a process: it ends with its parent.
[[noreturn]] void live(const Work& work, const std::vector<std::uint64_t>& numbers,
                       const PoolOptions& options, pid_t parent, int out) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (const int fault : kFaults) std::signal(fault, SIG_DFL);
  // The parent hears of these and says when to stop.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const std::uint64_t number : numbers) {
    if (cpu_time() >= options.slice && number != numbers.front()) break;
    limit_cpu(options.most_cpu);
    const std::string result = work(number);
    send(out, header(Header::Kind::kResult, result.size()) + result);
  }
  send(out, header(Header::Kind::kLeft, 0));
  leave(0);
}

/// Some pieces of work under way.
class Process {
 public:
  Process(const Work& work, std::vector<std::uint64_t> numbers, const PoolOptions& options)
      : numbers_(std::move(numbers)) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw std::runtime_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    in_ = ends[0];
    const pid_t parent = ::getpid();
    id_ = ::fork();
    if (id_ == 0) {
      ::close(ends[0]);
      live(work, numbers_, options, parent, ends[1]);
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

  /// Reads what there is; false once the process has nothing more to send.
  bool read() {
    std::array<char, 65536> buffer;
    const ssize_t got = ::read(in_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return true;
    if (got > 0) bytes_.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  /// The next result that is there as a whole.
  std::optional<Finished> next() {
    Header head;
    if (bytes_.size() - at_ < sizeof head) return std::nullopt;
    std::memcpy(&head, bytes_.data() + at_, sizeof head);
    if (head.kind == Header::Kind::kLeft) {
      left_ = true;
      return std::nullopt;
    }
    if (bytes_.size() - at_ - sizeof head < head.size) return std::nullopt;
    Finished finished;
    finished.work = numbers_[done_++];
    finished.result = bytes_.substr(at_ + sizeof head, head.size);
    at_ += sizeof head + head.size;
    if (at_ > bytes_.size() / 2) bytes_.erase(0, std::exchange(at_, 0));
    return finished;
  }

  /// What it was at when it ended, unless it ended by itself.
  std::optional<Finished> end(const PoolOptions& options) {
    int status = 0;
    ::waitpid(id_, &status, 0);
    ended_ = true;
    if ((left_ && WIFEXITED(status) && WEXITSTATUS(status) == 0) || done_ == numbers_.size())
      return std::nullopt;
    Finished finished;
    finished.work = numbers_[done_++];
    if (WIFEXITED(status)) {
      finished.how = Finished::How::kCrashed;
      finished.why = fmt::format("exit code {}", WEXITSTATUS(status));
    } else {
      judge_signal(WTERMSIG(status), options, finished);
    }
    return finished;
  }
  /// What it has not come to. @pre it has ended.
  std::vector<std::uint64_t> left() const {
    return {numbers_.begin() + static_cast<std::ptrdiff_t>(done_), numbers_.end()};
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

  const std::vector<std::uint64_t> numbers_;
  pid_t id_ = 0;
  int in_ = -1;
  std::string bytes_;
  std::size_t at_ = 0;    ///< bytes that were taken
  std::size_t done_ = 0;  ///< pieces of work
  bool left_ = false;
  bool ended_ = false;
};

class Pool {
 public:
  Pool(const std::vector<std::uint64_t>& works, const Work& work, const PoolOptions& options,
       const std::function<void(const Finished&)>& finished)
      : waiting_(works.begin(), works.end()),
        work_(work),
        options_(options),
        jobs_(std::max(1U, options.jobs)),
        finished_(finished) {}

  bool run() {
    std::fflush(nullptr);  // what a process leaves in its buffers must not be written twice
    while (!waiting_.empty() || !processes_.empty()) {
      if (options_.interrupted != nullptr && *options_.interrupted) return false;
      while (!waiting_.empty() && processes_.size() < jobs_) start();
      look();
    }
    return true;
  }

 private:
  /// Gives a new process some of what is waiting, less towards the end: so all end together.
  void start() {
    const std::size_t share = waiting_.size() / (std::size_t{4} * jobs_);
    const std::size_t count = std::clamp<std::size_t>(share, 1, kMostBatch);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<std::uint64_t> numbers(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    processes_.push_back(std::make_unique<Process>(work_, std::move(numbers), options_));
  }

  void look() {
    std::vector<pollfd> files;
    for (const auto& process : processes_) files.push_back({process->in(), POLLIN, 0});
    if (::poll(files.data(), files.size(), kPollEvery) <= 0) return;
    for (std::size_t i = files.size(); i > 0; --i) {
      if (files[i - 1].revents == 0) continue;
      Process& process = *processes_[i - 1];
      const bool more = process.read();
      while (const std::optional<Finished> it = process.next()) finished_(*it);
      if (!more) end(i - 1);
    }
  }

  void end(std::size_t index) {
    const std::unique_ptr<Process> process = std::move(processes_[index]);
    processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(index));
    const std::optional<Finished> last = process->end(options_);
    const std::vector<std::uint64_t> left = process->left();
    waiting_.insert(waiting_.begin(), left.begin(), left.end());
    if (!last) return;
    // Somebody else's doing, such as a machine without memory, says nothing about the work.
    if (last->how == Finished::How::kKilled && again_.insert(last->work).second)
      waiting_.push_front(last->work);
    else
      finished_(*last);
  }

  std::deque<std::uint64_t> waiting_;
  const Work& work_;
  const PoolOptions& options_;
  const std::size_t jobs_;
  const std::function<void(const Finished&)>& finished_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::set<std::uint64_t> again_;
};

}  // namespace

bool run_pool(const std::vector<std::uint64_t>& works,
              const std::function<std::string(std::uint64_t)>& work, const PoolOptions& options,
              const std::function<void(const Finished&)>& finished) {
  return Pool(works, work, options, finished).run();
}

}  // namespace fenceline::sweep
