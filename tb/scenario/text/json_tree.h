#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fenceline::scenario {

/// Parses a JSON text with nlohmann::json::parse. It is wrapped here because the parser takes
/// seconds to compile in each file. @tparam Json nlohmann::json or nlohmann::ordered_json. @param
/// throws false: an invalid text gives a discarded value instead of an exception
template <typename Json>
Json json_tree(const std::string& text, bool throws = true);

}  // namespace fenceline::scenario
