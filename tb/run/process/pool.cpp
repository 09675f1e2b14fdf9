#include "tb/run/process/pool.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <poll.h>
#include <set>
#include <sys/resource.h>
#include <utility>

namespace fenceline::run {

namespace {

using How = Ended::How;

constexpr int kPoolPollEvery = 200;    ///< [ms]
constexpr std::size_t kMaxBatch = 64;  ///< pieces of work per process

/// A process sends its results one after another, each after a header with its size. A
/// header of kind kEnd announces a normal end. Pieces that it has not started stay for others.
struct Header {
  enum class Kind : std::uint64_t { kResult, kEnd };
  Kind kind = Kind::kResult;
  std::uint64_t size = 0;  ///< [bytes] size of a result
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

using Work = std::function<std::string(std::uint64_t, Pulse&)>;

/// Body of a process.
void live(const Work& work, const std::vector<std::uint64_t>& numbers, const PoolOptions& options,
          Pulse& pulse, const ChildProcess::Send& send) {
  for (const std::uint64_t number : numbers) {
    if (cpu_time() >= options.slice && number != numbers.front()) break;
    const std::string result = work(number, pulse);
    send(header(Header::Kind::kResult, result.size()) + result);
  }
  send(header(Header::Kind::kEnd, 0));
}

/// A process with the pieces of work that it got.
class Process {
 public:
  Process(const Work& work, std::vector<std::uint64_t> numbers, const PoolOptions& options)
      : numbers_(std::move(numbers)),
        process_(
            [&](Pulse& pulse, const ChildProcess::Send& send) {
              live(work, numbers_, options, pulse, send);
            },
            options.stuck) {}

  int in() const { return process_.in(); }
  /// Reads available bytes. False when the process has ended its output.
  bool read() { return process_.read(); }
  /// Kills the process if it makes no progress.
  void look_after() { process_.look_after(); }

  /// The next complete result.
  std::optional<Finished> next() {
    std::string& bytes = process_.received();
    Header head;
    if (bytes.size() - at_ < sizeof head) return std::nullopt;
    std::memcpy(&head, bytes.data() + at_, sizeof head);
    if (head.kind == Header::Kind::kEnd) {
      ended_ = true;
      return std::nullopt;
    }
    if (bytes.size() - at_ - sizeof head < head.size) return std::nullopt;
    Finished finished;
    finished.work = numbers_[done_++];
    finished.ended.result = bytes.substr(at_ + sizeof head, head.size);
    at_ += sizeof head + head.size;
    if (at_ > bytes.size() / 2) bytes.erase(0, std::exchange(at_, 0));
    return finished;
  }

  /// The piece at which it failed; none after a normal end.
  std::optional<Finished> end() {
    Ended ended = process_.end();
    if ((ended_ && ended.how == How::kWell) || done_ == numbers_.size()) return std::nullopt;
    if (ended.how == How::kWell) ended.how = How::kCrashed;  // it has called exit
    return Finished{numbers_[done_++], std::move(ended)};
  }
  /// Pieces that it has not started. @pre it has ended.
  std::vector<std::uint64_t> unstarted() const {
    return {numbers_.begin() + static_cast<std::ptrdiff_t>(done_), numbers_.end()};
  }

 private:
  const std::vector<std::uint64_t> numbers_;
  WatchedProcess process_;
  std::size_t at_ = 0;    ///< bytes consumed
  std::size_t done_ = 0;  ///< finished pieces of work
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
    std::fflush(nullptr);  // buffered output must not be written twice
    while (!waiting_.empty() || !processes_.empty()) {
      if (options_.interrupted != nullptr && *options_.interrupted) return false;
      while (!waiting_.empty() && processes_.size() < jobs_) start();
      look();
    }
    return true;
  }

 private:
  /// Starts a process with part of the waiting work. The share shrinks towards the end so that all
  /// processes end at about the same time.
  void start() {
    const std::size_t share = waiting_.size() / (std::size_t{4} * jobs_);
    const std::size_t count = std::clamp<std::size_t>(share, 1, kMaxBatch);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<std::uint64_t> numbers(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    processes_.push_back(std::make_unique<Process>(work_, std::move(numbers), options_));
  }

  void look() {
    std::vector<pollfd> files;
    for (const auto& process : processes_) files.push_back({process->in(), POLLIN, 0});
    ::poll(files.data(), files.size(), kPoolPollEvery);
    for (std::size_t i = files.size(); i > 0; --i) {
      if (files[i - 1].revents == 0) {
        processes_[i - 1]->look_after();
        continue;
      }
      Process& process = *processes_[i - 1];
      const bool more = process.read();
      while (const std::optional<Finished> it = process.next()) finished_(*it);
      if (!more) end(i - 1);
    }
  }

  void end(std::size_t index) {
    const std::unique_ptr<Process> process = std::move(processes_[index]);
    processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(index));
    const std::optional<Finished> last = process->end();
    const std::vector<std::uint64_t> unstarted = process->unstarted();
    waiting_.insert(waiting_.begin(), unstarted.begin(), unstarted.end());
    if (!last) return;
    // A kill from outside, e.g. without free memory, says nothing about the work: try again once.
    if (last->ended.how == How::kKilled && again_.insert(last->work).second)
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
              const std::function<std::string(std::uint64_t, Pulse&)>& work,
              const PoolOptions& options, const std::function<void(const Finished&)>& finished) {
  return Pool(works, work, options, finished).run();
}

}  // namespace fenceline::run
