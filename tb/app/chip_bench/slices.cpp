#include "models/engine/work.h"
#include "tb/app/chip_bench/jobs.h"
#include "tb/app/chip_bench/samples.h"

namespace fenceline::chip_bench {

namespace {

/// One context: its position in its kernels, and the ends of its tasks.
class Context {
 public:
  Context(const Stream& stream, const Chip& chip, std::uint32_t number)
      : stream_(stream), chip_(chip), number_(number), begun_(stream.start) {}

  /// Runs for `slice`, or without a limit, and stops at the next possible place. @return the time
  /// used; `state` and `overhead` are the costs of its switch
  Time run(Time now, Time slice, std::uint64_t& state, Time& overhead) {
    Time used = 0;
    for (;;) {
      const engine::Work work(packet_of(stream_.kernel, number_), at_, chip_.config(), done_);
      const Time rest = work.duration();
      if (used + rest <= slice) {
        used += rest;
        complete(now + used);
        continue;
      }
      const engine::Stop stop = work.stop(chip_.level, slice - used);
      used = slice + stop.after;
      state = stop.state_bytes;
      overhead = stop.overhead;
      at_ = stop.progress;
      if (stop.finished) complete(now + used);
      if (stop.finished) overhead = chip_.config().firmware;
      return used;
    }
  }
  std::vector<Time> latencies;
  std::vector<Time> gaps;
  Time left = 0;  ///< time at which it lost the GPU
  std::uint64_t saved = 0;

 private:
  void complete(Time now) {
    at_ = {};
    if (++done_ % stream_.kernels != 0) return;
    latencies.push_back(now - begun_);
    begun_ = now;
  }

  const Stream stream_;
  const Chip& chip_;
  const std::uint32_t number_;
  engine::Progress at_;
  std::uint64_t done_ = 0;
  Time begun_;
};

void take_turns(const SlicesJob& job, std::vector<Context>& contexts) {
  const engine::ChipConfig& chip = job.chip.config();
  Time now = 0;
  for (std::size_t turn = 0; now < job.length; turn = (turn + 1) % contexts.size()) {
    Context& context = contexts[turn];
    if (context.left != 0) context.gaps.push_back(now - context.left);
    Time overhead = 0;
    const bool alone = contexts.size() == 1;
    now += context.run(now, alone ? job.length : job.slice, context.saved, overhead);
    context.left = now;
    if (alone) break;
    const Context& next = contexts[(turn + 1) % contexts.size()];
    now += overhead + job.gap + engine::save_time(chip, context.saved + next.saved);
  }
}

/// Kernels of all contexts run at once. Each is slowed down by the share of the others.
void share(const SlicesJob& job, std::vector<Context>& contexts) {
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    Stream slower = job.streams[i];
    const auto others = static_cast<double>(contexts.size() - 1);
    const double factor = 1 + others * (1 - job.overlap_permille / 1000.0);
    slower.kernel.duration =
        static_cast<Time>(static_cast<double>(slower.kernel.duration) * factor);
    Context alone(slower, job.chip, static_cast<std::uint32_t>(i));
    Time overhead = 0;
    alone.run(0, job.length, alone.saved, overhead);
    contexts[i].latencies = alone.latencies;
  }
}

}  // namespace

std::string run(const SlicesJob& job) {
  std::vector<Context> contexts;
  for (std::size_t i = 0; i < job.streams.size(); ++i)
    contexts.emplace_back(job.streams[i], job.chip, static_cast<std::uint32_t>(i));
  if (job.together)
    share(job, contexts);
  else
    take_turns(job, contexts);
  Json result = Json::array();
  for (const Context& context : contexts) {
    Json one{{"latency", summary(context.latencies)}, {"gap", summary(context.gaps)}};
    one["rate"] = static_cast<double>(context.latencies.size()) / microseconds(job.length) * 1e6;
    result.push_back(one);
  }
  return result.dump();
}

}  // namespace fenceline::chip_bench
