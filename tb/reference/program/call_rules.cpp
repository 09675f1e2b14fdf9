#include "tb/reference/program/call_rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fenceline::reference {

using nlohmann::json;

namespace {

bool has_flag(const json& fence, const char* flag) {
  const json flags = fence.value("flags", json::array());
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

/// Rules of the creation of a fence, with the place in the documents.
struct CreationRule {
  const char* source;
  bool (*breaks)(const json& fence);
};

constexpr CreationRule kCreationRules[] = {
    {"A-119: intra-GPU fences are not offered",
     [](const json& fence) { return fence.value("intra_gpu", false); }},
    {"WDDM, synchronization object flags: NoWait not together with NoSignal",
     [](const json& fence) { return has_flag(fence, "NoSignal") && has_flag(fence, "NoWait"); }},
};

}  // namespace

std::string creation_status(const json& fence) {
  const bool breaks = std::any_of(std::begin(kCreationRules), std::end(kCreationRules),
                                  [&](const CreationRule& rule) { return rule.breaks(fence); });
  return breaks ? "STATUS_INVALID_PARAMETER" : "STATUS_SUCCESS";
}

std::string wait_status(const Program& program, const std::vector<Point>& points) {
  const bool allowed = std::all_of(points.begin(), points.end(), [&](const Point& point) {
    return program.handles[point.handle].may_wait;
  });
  return allowed ? "STATUS_SUCCESS" : "STATUS_ACCESS_DENIED";
}

std::string signal_status(const Program& program, const std::vector<Point>& points) {
  const bool allowed = std::all_of(points.begin(), points.end(), [&](const Point& point) {
    return program.handles[point.handle].may_signal;
  });
  return allowed ? "STATUS_SUCCESS" : "STATUS_ACCESS_DENIED";
}

}  // namespace fenceline::reference
