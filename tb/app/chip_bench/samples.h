#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "models/abi/packets.h"
#include "models/common/hash.h"
#include "models/common/steps/time.h"
#include "tb/scenario/steps/program.h"

namespace fenceline::chip_bench {

using Json = nlohmann::ordered_json;

inline double microseconds(common::Time time) { return static_cast<double>(time) / 1e6; }

/// [us] The sample at rank `share`, rounded to the nearest rank. @pre sorted, not empty
inline double quantile(const std::vector<common::Time>& sorted, double share) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return microseconds(sorted[static_cast<std::size_t>(std::lround(share * last))]);
}

/// Mean, extremes and quantiles [us]; null without samples.
inline Json summary(std::vector<common::Time> samples) {
  if (samples.empty()) return nullptr;
  std::sort(samples.begin(), samples.end());
  double sum = 0;
  for (const common::Time sample : samples) sum += microseconds(sample);
  Json result{{"mean", sum / static_cast<double>(samples.size())}};
  for (const int percent : {1, 5, 50, 95, 99})
    result["p" + std::to_string(percent)] = quantile(samples, percent / 100.0);
  result["min"] = microseconds(samples.front());
  result["max"] = microseconds(samples.back());
  return result;
}

/// A kernel in the hardware's format.
inline abi::WorkPacket packet_of(const scenario::DispatchCommand& kernel,
                                 std::uint32_t cookie = 0) {
  abi::WorkPacket packet{};
  const auto flags = static_cast<std::uint16_t>(kernel.write_through ? abi::kWriteThrough : 0);
  packet.header = {abi::Opcode::kDispatch, flags, sizeof packet};
  packet.duration = kernel.duration;
  packet.units = kernel.groups;
  packet.cookie = cookie;
  packet.threads = kernel.threads;
  packet.registers = kernel.registers;
  packet.shared_bytes = kernel.shared_bytes;
  packet.variation = static_cast<std::uint16_t>(10 * kernel.variation);
  packet.distribution = kernel.distribution;
  packet.write_bytes = kernel.write_bytes;
  return packet;
}

/// A draw in the hardware's format.
inline abi::WorkPacket packet_of(const scenario::DrawCommand& draw) {
  abi::WorkPacket packet{};
  packet.header = {abi::Opcode::kDraw, 0, sizeof packet};
  packet.units = draw.primitives;
  packet.triangles = draw.triangles;
  packet.pixels = draw.pixels;
  packet.registers = draw.registers;
  return packet;
}

}  // namespace fenceline::chip_bench
