#include "models/engine/work.h"

#include <algorithm>

namespace fenceline::engine {

using common::Time;

Work::Work(const abi::WorkPacket& packet, const Progress& from) : packet_(packet), from_(from) {}

Time Work::duration() const {
  const Time done = std::min(from_.units, units()) * unit_time() + from_.into;
  return packet_.duration > done ? packet_.duration - done : 0;
}

Stop Work::at_end(Time elapsed) const {
  Stop stop;
  stop.after = duration() - elapsed;
  stop.progress.units = units();
  stop.finished = true;
  return stop;
}

/// The unit that runs comes to its end.
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

Stop Work::stop(abi::GraphicsGranularity level, Time elapsed) const {
  using Level = abi::GraphicsGranularity;
  if (level < Level::kPrimitive) return at_end(elapsed);
  return level == Level::kPrimitive ? at_unit(elapsed) : at_once(elapsed);
}

Stop Work::stop(abi::ComputeGranularity level, Time elapsed) const {
  using Level = abi::ComputeGranularity;
  if (level < Level::kThreadGroup) return at_end(elapsed);
  return level == Level::kThreadGroup ? at_unit(elapsed) : at_once(elapsed);
}

}  // namespace fenceline::engine
