#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fenceline::reference {

/// A fault of an engine behind a mark of a program.
struct EngineFault {
  std::string engine;    ///< "adapter/engine"
  bool hangs = false;    ///< false: the engine cannot execute a packet
  bool adapter = false;  ///< the whole adapter is reset
};

const nlohmann::json& adapter_named(const nlohmann::json& scenario, const std::string& name);
const nlohmann::json& engine_named(const nlohmann::json& adapter, const std::string& name);
/// A hardware queue of the adapter is not reset alone.
bool resets_adapter(const nlohmann::json& scenario, const std::string& adapter);

/// Faults of engines that may come when a program has reached the mark.
std::vector<EngineFault> engine_faults(const nlohmann::json& scenario, const std::string& mark);

/// Why nothing is said about a scenario with this fault; empty: it is judged. A fault that comes
/// behind a mark and puts devices in error is judged. Other faults may lose a packet of a queue,
/// stop the machine, or never be found. Source: background/preemption.md.
std::string unjudged_fault(const nlohmann::json& scenario, const nlohmann::json& fault);

}  // namespace fenceline::reference
