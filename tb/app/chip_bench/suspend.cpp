#include "models/engine/work.h"
#include "tb/app/chip_bench/jobs.h"
#include "tb/app/chip_bench/samples.h"

namespace fenceline::chip_bench {

namespace {

/// Kernels that the GPU has accepted and cannot give back: batches follow when there is room.
/// @return time from `time` after the resume until all have ended
Time drained(const SuspendJob& job, Time kernel, Time time) {
  std::uint64_t given = job.in_flight;
  std::uint64_t ended = time / kernel;
  while (given - std::min(ended, given) + job.batch <= job.in_flight) given += job.batch;
  return given * kernel - time;
}

Time one(const SuspendJob& job, common::Random& random) {
  const Time at = random.below(job.window);
  const bool idle = random.below(1000) < job.idle_permille;
  const engine::ChipConfig& chip = job.chip.config();
  if (idle) return job.request;
  const engine::Work work(packet_of(job.kernel), {}, chip, random.next());
  if (job.chip.level < abi::ComputeGranularity::kThreadGroup)
    return job.request + drained(job, work.duration(), at);
  const Time into = (at + job.lead) % work.duration();
  const engine::Stop stop = work.stop(job.chip.level, into);
  return job.request + stop.after + stop.overhead + engine::save_time(chip, stop.state_bytes);
}

}  // namespace

std::string run(const SuspendJob& job) {
  common::Random random(1);
  std::vector<Time> samples;
  for (std::uint32_t i = 0; i < job.samples; ++i) samples.push_back(one(job, random));
  return summary(samples).dump();
}

}  // namespace fenceline::chip_bench
