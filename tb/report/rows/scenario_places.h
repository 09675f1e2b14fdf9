#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tb/report/record/timeline.h"
#include "tb/scenario/scenario.h"

namespace fenceline::report {

/// Numbers the programs, steps, commands and objects of a scenario from 1, in the order of
/// Timeline::places.
class ScenarioPlaces {
 public:
  explicit ScenarioPlaces(const scenario::Scenario& scenario);

  /// @pre `at` belongs to the scenario, which is at the same address as before.
  std::uint32_t number(const scenario::Location& at) const { return numbers_.at(&at); }
  std::vector<ScenarioPlace> list;

 private:
  void add(const scenario::Location& at, const std::string& object = {});
  void add(const scenario::Process& process);
  void add(const scenario::Steps& steps);
  void add(const scenario::Commands& commands);

  std::map<const scenario::Location*, std::uint32_t> numbers_;
};

}  // namespace fenceline::report
