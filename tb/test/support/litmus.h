#pragma once

#include <string>
#include <vector>

#include "tb/scenario/loader.h"

namespace fenceline::support {

/// A scenario of scenarios/litmus. @param overrides as of `--set`.
inline scenario::Scenario litmus(const std::string& name,
                                 const std::vector<std::string>& overrides = {}) {
  scenario::LoadOptions options;
  options.set = overrides;
  return scenario::load(std::string(FENCELINE_SOURCE_DIR) + "/scenarios/litmus/" + name + ".json",
                        options);
}

}  // namespace fenceline::support
