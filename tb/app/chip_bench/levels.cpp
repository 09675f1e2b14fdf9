#include <array>

#include "models/engine/work.h"
#include "tb/app/chip_bench/jobs.h"
#include "tb/app/chip_bench/samples.h"

namespace fenceline::chip_bench {

namespace {

using Compute = abi::ComputeGranularity;
using Graphics = abi::GraphicsGranularity;

template <class Level>
struct Named {
  const char* name;
  Level level;
};
constexpr std::array<Named<Compute>, 5> kCompute{{{"DMA buffer", Compute::kBuffer},
                                                  {"dispatch", Compute::kDispatch},
                                                  {"thread group", Compute::kThreadGroup},
                                                  {"thread", Compute::kThread},
                                                  {"shader", Compute::kShader}}};
constexpr std::array<Named<Graphics>, 5> kGraphics{{{"DMA buffer", Graphics::kBuffer},
                                                    {"primitive", Graphics::kPrimitive},
                                                    {"triangle", Graphics::kTriangle},
                                                    {"pixel", Graphics::kPixel},
                                                    {"shader", Graphics::kShader}}};

/// Waits, bytes and complete switches of one level, at the same moments for each level.
template <class Level>
Json at(const LevelsJob& job, const abi::WorkPacket& packet, const Named<Level>& named) {
  const engine::ChipConfig& chip = job.chip.config();
  const engine::Work work(packet, {}, chip, 1);
  common::Random random(1);
  std::vector<Time> waits;
  std::vector<Time> switches;
  double bytes = 0;
  for (std::uint32_t i = 0; i < job.samples; ++i) {
    const engine::Stop stop = work.stop(named.level, random.below(work.duration()));
    waits.push_back(stop.after);
    switches.push_back(stop.after + stop.overhead + engine::save_time(chip, stop.state_bytes));
    bytes += static_cast<double>(stop.state_bytes) / job.samples;
  }
  return {{"level", named.name},
          {"wait", summary(waits)},
          {"bytes", bytes},
          {"switch", summary(switches)}};
}

}  // namespace

std::string run(const LevelsJob& job) {
  Json result = Json::array();
  if (job.kernel)
    for (const auto& named : kCompute) result.push_back(at(job, packet_of(*job.kernel), named));
  if (job.draw)
    for (const auto& named : kGraphics) result.push_back(at(job, packet_of(*job.draw), named));
  return result.dump();
}

}  // namespace fenceline::chip_bench
