#include "models/engine/grid.h"

#include <algorithm>
#include <cmath>

#include "models/common/hash.h"

namespace fenceline::engine {

using common::Time;

namespace {

constexpr double kRoot3 = 1.7320508075688772;

std::uint64_t divided_up(std::uint64_t what, std::uint64_t by) { return (what + by - 1) / by; }

std::uint64_t waves(const ChipConfig& chip, const abi::WorkPacket& packet) {
  return divided_up(packet.threads, chip.wave_threads);
}

/// Registers are allocated per wave, not per thread.
std::uint64_t group_registers(const ChipConfig& chip, const abi::WorkPacket& packet) {
  return waves(chip, packet) * chip.wave_threads * packet.registers;
}

/// Approximately normal with mean 0 and variance 1, within 3.5: the sum of four uniform numbers.
double bell(std::uint64_t random) {
  double sum = -2;
  for (int i = 0; i < 4; ++i) sum += static_cast<double>(random >> (16 * i) & 0xFFFFU) / 65'536;
  return sum * kRoot3;
}

/// Mean of exp(sigma * bell()).
double bell_mean(double sigma) {
  const double half = sigma * kRoot3 / 2;
  return half == 0 ? 1 : std::pow(std::sinh(half) / half, 4);
}

}  // namespace

std::uint32_t groups_on_unit(const ChipConfig& chip, const abi::WorkPacket& packet) {
  std::uint64_t groups = chip.groups_per_unit;
  const auto allow = [&groups](std::uint64_t room, std::uint64_t need) {
    if (need != 0) groups = std::min(groups, room / need);
  };
  allow(chip.threads_per_unit, waves(chip, packet) * chip.wave_threads);
  allow(chip.registers_per_unit, group_registers(chip, packet));
  allow(chip.shared_memory_per_unit, packet.shared_bytes);
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(groups, 1));
}

std::uint64_t group_bytes(const ChipConfig& chip, const abi::WorkPacket& packet) {
  return 4 * group_registers(chip, packet) + packet.shared_bytes +
         waves(chip, packet) * chip.wave_bytes;
}

Grid::Grid(const ChipConfig& chip, const abi::WorkPacket& packet, std::uint64_t first,
           std::uint64_t seed)
    : mean_(std::max<Time>(packet.duration, 1)),
      variation_(packet.variation / 1000.0),
      distribution_(packet.distribution),
      first_(first),
      count_(std::max<std::uint64_t>(packet.units, first) - first),
      slots_(std::uint64_t{chip.compute_units} * groups_on_unit(chip, packet)),
      rounds_(divided_up(packet.threads, chip.lanes_per_unit)),
      seed_(seed),
      sigma_(std::sqrt(std::log(1 + variation_ * variation_))),
      max_time_(packet.variation == 0 ? mean_
                : distribution_ == abi::GroupTimes::kUniform
                    ? mean_ + static_cast<Time>(static_cast<double>(mean_) * kRoot3 * variation_) +
                          1
                    : static_cast<Time>(static_cast<double>(mean_) * std::exp(2 * kRoot3 * sigma_) /
                                        bell_mean(sigma_)) +
                          1),
      length_(find_length()) {}

Time Grid::group_time(std::uint64_t number) const {
  if (variation_ == 0) return mean_;
  const std::uint64_t random = common::mix(seed_ ^ common::mix(number));
  double factor = 0;
  if (distribution_ == abi::GroupTimes::kUniform) {
    const double within = static_cast<double>(random >> 11U) / static_cast<double>(1ULL << 53U);
    factor = 1 + kRoot3 * variation_ * (2 * within - 1);
  } else {
    factor = std::exp(sigma_ * bell(random)) / bell_mean(sigma_);
  }
  return std::max<Time>(static_cast<Time>(static_cast<double>(mean_) * factor), 1);
}

/// Share of a group's time over which the starts of a wave are spread. The model takes the variance
/// of the time that each slot has run so far, as a uniform distribution, until neighbouring waves
/// touch.
double Grid::spread(std::uint64_t wave) const {
  return std::min(1.0, 2 * kRoot3 * variation_ * std::sqrt(static_cast<double>(wave)));
}

/// Start of group `index`, counted from the first group.
Time Grid::offset(std::uint64_t index) const {
  const std::uint64_t wave = index / slots_;
  const Time middle = wave * mean_;
  if (variation_ == 0 || wave == 0) return middle;
  const double place = static_cast<double>(index % slots_) / static_cast<double>(slots_) - 0.5;
  return static_cast<Time>(static_cast<std::int64_t>(middle) +
                           std::llround(spread(wave) * static_cast<double>(mean_) * place));
}

Time Grid::start(std::uint64_t number) const { return offset(number - first_); }

std::uint64_t Grid::started(Time time) const {
  // First an estimate from the middle of the wave, then the exact group: rounding is off by one or
  // two.
  const std::uint64_t wave = (time + mean_ / 2) / mean_;
  const double width = spread(wave) * static_cast<double>(mean_);
  const double into =
      static_cast<double>(time) - static_cast<double>(wave) * static_cast<double>(mean_);
  double share = into > 0 ? 1 : 0;
  if (width > 0) share = std::clamp(into / width + 0.5, 0.0, 1.0);
  std::uint64_t index =
      wave * slots_ + static_cast<std::uint64_t>(share * static_cast<double>(slots_));
  index = std::min(index, count_);
  while (index < count_ && offset(index) < time) ++index;
  while (index > 0 && offset(index - 1) >= time) --index;
  return index;
}

/// First group, counted from 0, that may still run at `time`.
std::uint64_t Grid::oldest(Time time) const {
  return time <= max_time_ ? 0 : started(time - max_time_);
}

std::uint64_t Grid::residents(Time time) const {
  const std::uint64_t end = started(time);
  std::uint64_t running = 0;
  for (std::uint64_t i = oldest(time); i < end; ++i)
    if (offset(i) + group_time(first_ + i) > time) ++running;
  // Starts are estimates: a few more groups than slots may seem to run.
  return std::min(running, slots_);
}

Time Grid::drain(Time time) const {
  const std::uint64_t end = started(time);
  Time last = time;
  for (std::uint64_t i = oldest(time); i < end; ++i)
    last = std::max(last, offset(i) + group_time(first_ + i));
  return last - time;
}

Time Grid::thread_boundary(Time time) const {
  const Time round = std::max<Time>(mean_ / std::max<std::uint64_t>(rounds_, 1), 1);
  return (time + round - 1) / round * round - time;
}

Time Grid::find_length() const {
  if (count_ == 0) return 0;
  if (variation_ == 0) return divided_up(count_, slots_) * mean_;
  const Time last = offset(count_ - 1);
  return last + 1 + drain(last + 1);
}

}  // namespace fenceline::engine
