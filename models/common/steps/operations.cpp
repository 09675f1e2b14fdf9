#include "models/common/steps/operations.h"

namespace fenceline::common {

namespace {
constexpr std::array<const char*, kOperationCount> kNames{
    "idle",        "timer",        "issue",          "drain",         "barrier",
    "read_shadow", "read_value",   "read_monitored", "notice",        "take_notice",
    "take_update", "take_request", "raise",          "rescan",        "park",
    "work",        "read",         "write",          "deliver",       "deferred_call",
    "lock",        "acknowledge",  "doorbell",       "register_read", "register_write",
    "wait_enter",  "resume",       "look",           "begin",         "table",
    "level",       "any"};
}  // namespace

const char* operation_name(Operation operation) {
  return kNames[static_cast<std::size_t>(operation)];
}

Operation find_operation(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (name == kNames[i]) return static_cast<Operation>(i);
  return Operation::kCount;
}

}  // namespace fenceline::common
