#include "tb/scenario/shapes/driver.h"

namespace fenceline::scenario {

std::vector<std::string> scheduling_cap_names() {
  std::vector<std::string> names;
  names.reserve(kSchedulingCaps.size());
  for (const SchedulingCap& cap : kSchedulingCaps) names.emplace_back(cap.name);
  return names;
}

std::uint32_t scheduling_bits(const std::vector<std::string>& names) {
  std::uint32_t bits = 0;
  for (const std::string& name : names)
    for (const SchedulingCap& cap : kSchedulingCaps)
      if (name == cap.name) bits |= cap.bit;
  return bits;
}

}  // namespace fenceline::scenario
