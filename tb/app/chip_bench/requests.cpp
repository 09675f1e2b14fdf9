#include "models/engine/work.h"
#include "tb/app/chip_bench/jobs.h"
#include "tb/app/chip_bench/samples.h"

namespace fenceline::chip_bench {

namespace {

/// A context with work at all times.
class BestEffort {
 public:
  explicit BestEffort(const RequestsJob& job) : job_(job) {}

  void run(Time time) {
    for (;;) {
      const Time rest = work().duration() - elapsed_;
      if (rest > time) break;
      time -= rest;
      complete();
    }
    elapsed_ += time;
  }
  /// Stops it. @return time until another context has the GPU
  Time stop() {
    const engine::Stop stop = work().stop(job_.chip.level, elapsed_);
    elapsed_ = 0;
    at_ = stop.progress;
    saved_ = stop.state_bytes;
    if (stop.finished) complete();
    return stop.after + stop.overhead + engine::save_time(job_.chip.config(), saved_);
  }
  /// Time until it runs again.
  Time resume() const {
    const engine::ChipConfig& chip = job_.chip.config();
    return chip.firmware + engine::save_time(chip, saved_) + job_.refill;
  }
  double tasks() const { return static_cast<double>(done_) / job_.kernels; }

 private:
  engine::Work work() const {
    return engine::Work(packet_of(job_.kernel), at_, job_.chip.config(), done_);
  }
  void complete() {
    at_ = {};
    elapsed_ = 0;
    ++done_;
  }

  const RequestsJob& job_;
  engine::Progress at_;
  Time elapsed_ = 0;  ///< running time since then
  std::uint64_t done_ = 0;
  std::uint64_t saved_ = 0;
};

}  // namespace

std::string run(const RequestsJob& job) {
  BestEffort best_effort(job);
  const engine::ChipConfig& chip = job.chip.config();
  const Time own = engine::Work(packet_of(job.critical), {}, chip, 0).duration();
  const Time ahead = job.early ? std::min(job.ahead, job.preparation) : 0;
  std::vector<Time> added;
  std::vector<Time> switches;
  common::Random random(1);
  Time free = 0;  // time from which best effort has the GPU
  Time now = 0;
  for (std::uint32_t i = 0; i < job.requests; ++i) {
    // The phase of requests drifts relative to the kernels.
    const Time arrival = i * job.period + random.below(job.period / 10 + 1);
    const Time ready = arrival + job.preparation;
    const Time asked = std::max(ready - ahead + (job.early ? 0 : job.notice), free);
    best_effort.run(asked - free);
    const Time taken = best_effort.stop();
    switches.push_back(taken);
    const Time start = std::max(asked + taken, ready);
    added.push_back(start - ready);
    now = start + own;
    free = now + best_effort.resume();
  }
  Json result{{"added", summary(added)}, {"switch", summary(switches)}};
  result["rate"] = best_effort.tasks() / microseconds(now) * 1e6;
  return result.dump();
}

}  // namespace fenceline::chip_bench
