#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "models/abi/mutant.h"
#include "tb/app/cli/options.h"
#include "tb/reference/outcome.h"

namespace fenceline::cli {

/// A line of models/abi/mutants.def.
struct MutantInfo {
  const char* name;      ///< for the option --mutant
  const char* room;      ///< the part that is wrong
  abi::Mutant fault;     ///< kNone: the fault is an ordering switch
  const char* ordering;  ///< "switch=value" that belongs to it; empty: none
  const char* what;      ///< one sentence
  bool of_reference;     ///< it makes predictions wrong, and not the machine
};

// Only programs with FENCELINE_MUTANTS contain these.

/// In the order of the file.
const std::vector<MutantInfo>& mutant_infos();
/// Turns the program into the mutant named in the options: enables its fault of the model, or gives
/// its ordering switch to every scenario. Throws UsageError for an unknown name.
void turn_on_mutant(Options& options);
/// The prediction of a reference with this fault. The call turns the fault on and off again.
reference::Outcome predict_with(abi::Mutant fault, const nlohmann::json& scenario);

}  // namespace fenceline::cli
