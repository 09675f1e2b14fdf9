#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tb/reference/program/unrolling.h"

namespace fenceline::reference {

/// VRAM of an adapter that managed allocations surely have [bytes].
std::uint64_t memory_room(const nlohmann::json& os, const nlohmann::json& adapter);
/// The allocation has to be in VRAM.
bool is_vram_only(const nlohmann::json& allocation);
/// It surely has no room in the VRAM that the OS may use.
bool is_too_large(const nlohmann::json& os, const nlohmann::json& allocation);

/// The reason why nothing is said about managed allocations of a scenario. Empty: none.
std::string memory_out_of_scope(const nlohmann::json& scenario, const Unrolling& unrolling);

}  // namespace fenceline::reference
