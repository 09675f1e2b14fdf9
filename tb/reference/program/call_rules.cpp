#include "tb/reference/program/call_rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/abi/mutant.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

/// Rules of the creation of a fence, with the place in the documents.
struct CreationRule {
  const char* source;
  bool (*breaks)(const json& fence);
};

constexpr CreationRule kCreationRules[] = {
    {"A-119: intra-GPU fences are not offered",
     [](const json& fence) {
       return fence.value("intra_gpu", false) && !abi::mutant(abi::Mutant::kIntraGpuOffered);
     }},
    {"WDDM, synchronization object flags: NoWait not together with NoSignal",
     [](const json& fence) { return flags_status(fence) != "STATUS_SUCCESS"; }},
};

/// One call takes fences of one kind: assumption A-863.
bool is_mixed(const Program& program, const std::vector<Point>& points) {
  const auto by_os = [&](const Point& point) {
    return program.handles[point.handle].monitored || program.fence_of(point).cross_adapter;
  };
  return std::any_of(points.begin(), points.end(), by_os) &&
         !std::all_of(points.begin(), points.end(), by_os);
}

std::string points_status(const Program& program, const std::vector<Point>& points,
                          bool Handle::*right) {
  const bool allowed = std::all_of(points.begin(), points.end(), [&](const Point& point) {
    return program.handles[point.handle].*right;
  });
  const bool other = abi::mutant(abi::Mutant::kDeniedIsParameter);
  if (!allowed) return other ? "STATUS_INVALID_PARAMETER" : "STATUS_ACCESS_DENIED";
  return is_mixed(program, points) && !abi::mutant(abi::Mutant::kMixedSucceeds)
             ? "STATUS_INVALID_PARAMETER"
             : "STATUS_SUCCESS";
}

}  // namespace

bool has_flag(const json& fence, const char* flag) {
  const json flags = fence.value("flags", json::array());
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

std::string flags_status(const json& fence) {
  const bool breaks = has_flag(fence, "NoSignal") && has_flag(fence, "NoWait");
  return breaks && !abi::mutant(abi::Mutant::kNeitherUse) ? "STATUS_INVALID_PARAMETER"
                                                          : "STATUS_SUCCESS";
}

std::string creation_status(const json& fence) {
  const bool breaks = std::any_of(std::begin(kCreationRules), std::end(kCreationRules),
                                  [&](const CreationRule& rule) { return rule.breaks(fence); });
  return breaks ? "STATUS_INVALID_PARAMETER" : "STATUS_SUCCESS";
}

std::string wait_status(const Program& program, const std::vector<Point>& points) {
  return points_status(program, points, &Handle::may_wait);
}

std::string signal_status(const Program& program, const std::vector<Point>& points) {
  return points_status(program, points, &Handle::may_signal);
}

}  // namespace fenceline::reference
