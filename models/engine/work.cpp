#include "models/engine/work.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "models/common/hash.h"

namespace fenceline::engine {

using common::Time;

namespace {

/// A random number that depends on all parts of the list.
std::uint64_t random_of(std::initializer_list<std::uint64_t> parts) {
  std::uint64_t random = 0;
  for (const std::uint64_t part : parts) random = common::mix(random ^ part);
  return random;
}

/// Identity of a piece of work, without its memory addresses.
std::uint64_t seed_of(const abi::WorkPacket& packet, std::uint64_t seed) {
  return random_of({seed, packet.duration, std::uint64_t{packet.units} << 32U | packet.cookie,
                    std::uint64_t{packet.threads} << 32U | packet.registers});
}

/// A random time with mean `value` and a coefficient of variation of `permille` thousandths:
/// usually short, sometimes much longer.
Time varied(Time value, std::uint32_t permille, std::uint64_t random) {
  const double within = (static_cast<double>(random >> 11U) + 1) / static_cast<double>(1ULL << 53U);
  const double share = permille / 1000.0;
  return static_cast<Time>(static_cast<double>(value) * (1 - share - share * std::log(within)));
}

}  // namespace

Time save_time(const ChipConfig& chip, std::uint64_t bytes) {
  return common::transfer_time(bytes, chip.state_mbps);
}

Work::Work(const abi::WorkPacket& packet, const Progress& from, const ChipConfig& chip,
           std::uint64_t seed)
    : packet_(packet), from_(from), chip_(chip), seed_(seed_of(packet, seed)) {
  if (packet.header.opcode == abi::Opcode::kDraw) {
    if (packet.triangles + packet.pixels != 0) pipeline_.emplace(chip_, packet_);
  } else if (packet.threads != 0) {
    grid_.emplace(chip_, packet_, from_.units, seed_);
  }
}

/// Time from its last drain to its end.
Time Work::length() const {
  if (grid_) return grid_->length();
  const Time done =
      std::min(from_.units, units()) * (pipeline_ ? pipeline_->primitive_time() : unit_time());
  const Time whole = pipeline_ ? pipeline_->length() : packet_.duration;
  return whole > done ? whole - done : 0;
}

Time Work::duration() const {
  const Time whole = length();
  return whole > from_.into ? whole - from_.into : 0;
}

/// Adds the cost of a switch, unless the work finished first.
Stop Work::with_overhead(Stop stop, Time elapsed) const {
  if (stop.finished) return stop;
  const std::uint64_t random = random_of({seed_, from_.units, from_.into + elapsed});
  stop.overhead = varied(chip_.firmware, chip_.firmware_variation, random);
  if ((packet_.header.flags & abi::kWriteThrough) != 0) return stop;
  const std::uint64_t lines = chip_.cache_bytes * chip_.dirty_permille / 1000;
  stop.overhead += save_time(chip_, std::min(lines, packet_.write_bytes));
  return stop;
}

Stop Work::at_end(Time elapsed) const {
  Stop stop;
  stop.after = duration() - elapsed;
  stop.progress.units = units();
  stop.finished = true;
  return stop;
}

/// Work without a shape: the running unit finishes.
Stop Work::at_unit(Time elapsed) const {
  const Time unit = std::max<Time>(unit_time(), 1);
  const Time now = from_.units * unit_time() + from_.into + elapsed;
  const std::uint64_t next = (now + unit - 1) / unit;
  if (next >= units()) return at_end(elapsed);
  return {next * unit - now, 0, {next, 0}, false};
}

Stop Work::at_once(Time elapsed) const {
  const Time unit = std::max<Time>(unit_time(), 1);
  const Time now = from_.units * unit_time() + from_.into + elapsed;
  return {0, 0, {now / unit, now % unit}, false};
}

/// The running groups finish.
Stop Work::at_group(Time elapsed) const {
  const Time now = from_.into + elapsed;
  const std::uint64_t started = grid_->started(now);
  if (started == grid_->size()) return at_end(elapsed);
  return {grid_->drain(now), chip_.command_bytes, {from_.units + started, 0}, false};
}

/// The running threads finish, and no other thread of their groups begins. Their registers are free
/// then.
Stop Work::at_thread(Time elapsed) const {
  const Time now = from_.into + elapsed;
  const Time after = grid_->thread_boundary(now);
  Stop groups = at_group(elapsed);
  if (groups.after <= after) return groups;
  abi::WorkPacket kept = packet_;
  kept.registers = 0;
  const std::uint64_t state = grid_->residents(now + after) * group_bytes(chip_, kept);
  return {after, chip_.command_bytes + state, {from_.units, now + after}, false};
}

/// The running instructions finish. No thread advances further meanwhile.
Stop Work::at_instruction(Time elapsed) const {
  const Time now = from_.into + elapsed;
  Stop threads = at_thread(elapsed);
  if (threads.after <= chip_.instruction_drain) return threads;
  const std::uint64_t state = grid_->residents(now) * group_bytes(chip_, packet_);
  return {chip_.instruction_drain, chip_.command_bytes + state, {from_.units, now}, false};
}

/// Primitives stop entering at the next boundary. Items that `level` cannot save leave the
/// pipeline.
Stop Work::in_pipeline(abi::GraphicsGranularity level, Time elapsed) const {
  const Time now = from_.into + elapsed;
  if (now == 0) return {0, chip_.command_bytes, from_, false};  // no primitive has entered
  const std::uint64_t state = pipeline_->state_bytes(level);
  if (level == abi::GraphicsGranularity::kShader) {
    if (duration() - elapsed <= pipeline_->drain(level)) return at_end(elapsed);
    return {pipeline_->drain(level), state, {from_.units, now}, false};
  }
  const Time entering = pipeline_->entering() - from_.units * pipeline_->primitive_time();
  if (now >= entering) return at_end(elapsed);
  const Time boundary = pipeline_->boundary(level, now);
  if (boundary >= entering) return at_end(elapsed);
  Stop stop{boundary - now + pipeline_->drain(level), state, {from_.units, boundary}, false};
  if (level != abi::GraphicsGranularity::kPrimitive) return stop;
  stop.progress = {from_.units + boundary / pipeline_->primitive_time(), 0};
  return stop;
}

Stop Work::stop(abi::GraphicsGranularity level, Time elapsed) const {
  if (level < abi::GraphicsGranularity::kPrimitive) return at_end(elapsed);
  if (pipeline_) return with_overhead(in_pipeline(level, elapsed), elapsed);
  return with_overhead(
      level == abi::GraphicsGranularity::kPrimitive ? at_unit(elapsed) : at_once(elapsed), elapsed);
}

Stop Work::stop(abi::ComputeGranularity level, Time elapsed) const {
  if (level < abi::ComputeGranularity::kThreadGroup) return at_end(elapsed);
  if (!grid_)
    return with_overhead(
        level == abi::ComputeGranularity::kThreadGroup ? at_unit(elapsed) : at_once(elapsed),
        elapsed);
  Stop stop = level == abi::ComputeGranularity::kThreadGroup ? at_group(elapsed)
              : level == abi::ComputeGranularity::kThread    ? at_thread(elapsed)
                                                             : at_instruction(elapsed);
  return with_overhead(stop, elapsed);
}

}  // namespace fenceline::engine
