#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tb/reference/program/program.h"

namespace fenceline::reference {

// Statuses of calls as NTSTATUS names.

/// A fence is created or opened with the flag.
bool has_flag(const nlohmann::json& fence, const char* flag);
/// Status of the flags with which a fence is created or opened.
std::string flags_status(const nlohmann::json& fence);
/// Status of the creation of a fence with these members.
std::string creation_status(const nlohmann::json& fence);
/// Status of a wait by a thread or context for these fences.
std::string wait_status(const Program& program, const std::vector<Point>& points);
/// Status of a signal by a thread or context of these fences.
std::string signal_status(const Program& program, const std::vector<Point>& points);

}  // namespace fenceline::reference
