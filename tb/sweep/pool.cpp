#include "tb/sweep/pool.h"

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

namespace fenceline::sweep {

namespace {

using How = run::Ended::How;

constexpr int kPollEvery = 200;         ///< [ms]
constexpr std::size_t kMostBatch = 64;  ///< pieces of work that a process is given

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

using Work = std::function<std::string(std::uint64_t, run::Pulse&)>;

/// The life of a process.
void live(const Work& work, const std::vector<std::uint64_t>& numbers, const PoolOptions& options,
          run::Pulse& pulse, const run::ChildProcess::Send& send) {
  for (const std::uint64_t number : numbers) {
    if (cpu_time() >= options.slice && number != numbers.front()) break;
    const std::string result = work(number, pulse);
    send(header(Header::Kind::kResult, result.size()) + result);
  }
  send(header(Header::Kind::kLeft, 0));
}

/// Some pieces of work under way.
class Process {
 public:
  Process(const Work& work, std::vector<std::uint64_t> numbers, const PoolOptions& options)
      : numbers_(std::move(numbers)),
        process_(
            [&](run::Pulse& pulse, const run::ChildProcess::Send& send) {
              live(work, numbers_, options, pulse, send);
            },
            options.stuck) {}

  int in() const { return process_.in(); }
  /// Reads what there is; false once the process has nothing more to send.
  bool read() { return process_.read(); }
  /// Has the process end if it does not come along.
  void look_after() { process_.look_after(); }

  /// The next result that is there as a whole.
  std::optional<Finished> next() {
    std::string& bytes = process_.received();
    Header head;
    if (bytes.size() - at_ < sizeof head) return std::nullopt;
    std::memcpy(&head, bytes.data() + at_, sizeof head);
    if (head.kind == Header::Kind::kLeft) {
      left_ = true;
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

  /// What it was at when it ended, unless it ended by itself.
  std::optional<Finished> end() {
    run::Ended ended = process_.end();
    if ((left_ && ended.how == How::kWell) || done_ == numbers_.size()) return std::nullopt;
    if (ended.how == How::kWell) ended.how = How::kCrashed;  // it has called exit
    return Finished{numbers_[done_++], std::move(ended)};
  }
  /// What it has not come to. @pre it has ended.
  std::vector<std::uint64_t> left() const {
    return {numbers_.begin() + static_cast<std::ptrdiff_t>(done_), numbers_.end()};
  }

 private:
  const std::vector<std::uint64_t> numbers_;
  run::WatchedProcess process_;
  std::size_t at_ = 0;    ///< bytes that were taken
  std::size_t done_ = 0;  ///< pieces of work
  bool left_ = false;
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
    ::poll(files.data(), files.size(), kPollEvery);
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
    const std::vector<std::uint64_t> left = process->left();
    waiting_.insert(waiting_.begin(), left.begin(), left.end());
    if (!last) return;
    // Somebody else's doing, such as a machine without memory, says nothing about the work.
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
              const std::function<std::string(std::uint64_t, run::Pulse&)>& work,
              const PoolOptions& options, const std::function<void(const Finished&)>& finished) {
  return Pool(works, work, options, finished).run();
}

}  // namespace fenceline::sweep
