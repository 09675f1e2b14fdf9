#include "tb/scenario/text/json_tree.h"

#include <nlohmann/json.hpp>

namespace fenceline::scenario {

template <typename Json>
Json json_tree(const std::string& text, bool throws) {
  return Json::parse(text, nullptr, throws);
}

template nlohmann::json json_tree<nlohmann::json>(const std::string& text, bool throws);
template nlohmann::ordered_json json_tree<nlohmann::ordered_json>(const std::string& text,
                                                                  bool throws);

}  // namespace fenceline::scenario
