#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

namespace fenceline::campaign {

/// Takes from sentences about a scenario what only this scenario has: names, places and numbers.
/// The number 0 stays, because it often has a meaning of its own.
class Shapes {
 public:
  explicit Shapes(const nlohmann::json& scenario);
  /// @param place JSON pointer of a step or command, whose kind comes first; else it is ignored
  std::string of(const std::string& place, const std::string& sentence) const;

 private:
  std::string kind_at(const std::string& place) const;
  bool is_name(const std::string& word) const;

  const nlohmann::json& scenario_;
  std::set<std::string> names_;
};

}  // namespace fenceline::campaign
