#include "tb/run/process/contained.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <poll.h>
#include <utility>
#include <vector>

namespace fenceline::run {

namespace {

constexpr int kPollEvery = 50;  ///< [ms]

/// Pieces of work, of which a few are under way.
class Crew {
 public:
  Crew(const Works& works, const Watch& watch) : works_(works), watch_(watch) {}

  void run() {
    for (;;) {
      const bool stop = watch_.interrupted != nullptr && *watch_.interrupted;
      while ((!stop || watch_.begins_all) && next_ < works_.count &&
             running_.size() < std::max(1U, watch_.jobs))
        start();
      if (running_.empty()) return;
      look(stop);
    }
  }

 private:
  void start() {
    const std::size_t number = next_++;
    if (works_.prepare && !works_.prepare(number)) return;
    std::fflush(nullptr);  // what the process would write again
    // A result may be empty: the sign in front of it says that there is one.
    const auto life = [this, number](Pulse& pulse, const ChildProcess::Send& send) {
      send("+" + works_.work(number, pulse));
    };
    Pulse* pulse = works_.pulse ? &works_.pulse(number) : nullptr;
    running_.emplace_back(number, std::make_unique<WatchedProcess>(life, watch_.stuck, pulse));
  }

  void look(bool stop) {
    std::vector<pollfd> files;
    for (const auto& [number, process] : running_) files.push_back({process->in(), POLLIN, 0});
    ::poll(files.data(), files.size(), kPollEvery);
    for (std::size_t i = files.size(); i > 0; --i) {
      const auto it = running_.begin() + static_cast<std::ptrdiff_t>(i - 1);
      WatchedProcess& process = *it->second;
      if (stop) process.stop();
      if (files[i - 1].revents == 0) {
        process.look_after();
        if (watch_.progress) watch_.progress(it->first, process.pulse());
      } else if (!process.read()) {
        const std::size_t number = it->first;
        Ended ended = process.end();
        const std::string& received = process.received();
        if (ended.how == Ended::How::kWell && received.empty()) ended.how = Ended::How::kCrashed;
        if (ended.how == Ended::How::kWell) ended.result = received.substr(1);
        running_.erase(it);
        works_.ended(number, std::move(ended));
      }
    }
  }

  const Works& works_;
  const Watch& watch_;
  std::vector<std::pair<std::size_t, std::unique_ptr<WatchedProcess>>> running_;
  std::size_t next_ = 0;
};

}  // namespace

void run_contained(const Works& works, const Watch& watch) { Crew(works, watch).run(); }

void run_here(const Works& works, const Watch& watch) {
  for (std::size_t i = 0; i < works.count; ++i) {
    if (watch.interrupted != nullptr && *watch.interrupted) return;
    if (works.prepare && !works.prepare(i)) continue;
    Pulse pulse;
    Ended ended;
    ended.result = works.work(i, pulse);
    works.ended(i, std::move(ended));
  }
}

}  // namespace fenceline::run
