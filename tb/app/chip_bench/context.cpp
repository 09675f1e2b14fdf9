#include "models/engine/work.h"
#include "tb/app/chip_bench/jobs.h"
#include "tb/app/chip_bench/samples.h"

namespace fenceline::chip_bench {

std::string run(const ContextJob& job) {
  const engine::ChipConfig& chip = job.chip.config();
  abi::WorkPacket packet = packet_of(job.kernel);
  const std::uint64_t on_unit = engine::groups_on_unit(chip, packet);
  const std::uint64_t unit_bytes = on_unit * engine::group_bytes(chip, packet);
  // All units save at once, each with its share of the bandwidth.
  const std::uint64_t bytes = unit_bytes * chip.compute_units;
  return Json{{"groups_per_unit", on_unit},
              {"unit_bytes", unit_bytes},
              {"bytes", bytes},
              {"save", microseconds(engine::save_time(chip, bytes))}}
      .dump();
}

namespace {

constexpr std::uint64_t kPage = 4096;

std::uint64_t pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// Source: the formula of the Linux driver, kfd_queue.c.
struct SaveArea {
  explicit SaveArea(const SaveAreaJob& job) {
    constexpr std::uint64_t kScalar = 0x4000, kHardware = 0x1000, kHeader = 40, kMaxOfRdna = 0x7000;
    unit = job.vector_bytes + kScalar + job.shared_bytes + kHardware;
    waves = pages(unit * job.units);
    const std::uint64_t count =
        job.generation >= 10 ? std::uint64_t{job.units} * 32
                             : std::min<std::uint64_t>(job.units * 40ULL, job.engines * 512ULL);
    stack = pages(count * (job.generation >= 10 ? 12 : 8) + kHeader);
    if (job.generation == 10) stack = std::min(stack, kMaxOfRdna);
  }
  std::uint64_t unit = 0;   ///< [bytes] per unit
  std::uint64_t waves = 0;  ///< per die
  std::uint64_t stack = 0;  ///< per die
};

}  // namespace

std::string run(const SaveAreaJob& job) {
  const SaveArea area(job);
  const std::uint64_t die = area.waves + area.stack;
  const Time least = common::transfer_time(die * job.dies, job.bandwidth_mbps);
  return Json{{"bytes_per_CU", area.unit},
              {"wave_data_B", area.waves},
              {"control_stack_B", area.stack},
              {"total_per_XCC_B", die},
              {"XCCs", job.dies},
              {"total_B", die * job.dies},
              {"min_save_us_at_peak_bw", microseconds(least)}}
      .dump();
}

}  // namespace fenceline::chip_bench
