#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fenceline::scenario {

/// The tree of a JSON text, as nlohmann::json::parse makes it. Here so that the parser is compiled
/// once: it takes seconds wherever it is used.
/// @tparam Json nlohmann::json or nlohmann::ordered_json
/// @param throws false: a text that is no JSON gives a discarded value, not an exception
template <typename Json>
Json json_tree(const std::string& text, bool throws = true);

}  // namespace fenceline::scenario
