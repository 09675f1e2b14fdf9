#include "tb/scenario/checks/checks.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::scenario {

namespace {

/// Checks that a key is present if and only if this kind of fault needs it.
void require_key(bool there, bool wanted, const char* key, const Fault& fault,
                 const Places& places) {
  if (there == wanted) return;
  const std::string& pointer = fault.location.pointer;
  if (wanted) places.fail(pointer, "the fault has no \"" + std::string(key) + "\"");
  places.fail(pointer + "/" + key, "this kind of fault has no \"" + std::string(key) + "\"");
}

const top::GpuConfig& adapter_of(const Fault& fault, const Scenario& scenario,
                                 const Places& places) {
  const auto& gpus = scenario.platform.gpus;
  if (!fault.adapter) return gpus.front();
  return places.find(fault.location.pointer + "/adapter", "adapter", *fault.adapter, gpus);
}

void check_when(const Fault& fault, const Places& places, const Names& names) {
  const int given = int{fault.at.has_value()} + int{fault.nth.has_value()} +
                    int{fault.every.has_value()} + int{fault.after.has_value()};
  if (given != 1)
    places.fail(fault.location.pointer,
                given == 0 ? "the fault does not say when" : "the fault says twice when",
                R"(one of "at", "nth", "every" and "after")");
  if (fault.after)
    places.find(fault.location.pointer + "/after", "mark", *fault.after, names.marks);
}

}  // namespace

void check_faults(const Scenario& scenario, const Places& places, const Names& names) {
  for (const Fault& fault : scenario.faults) {
    const top::GpuConfig& gpu = adapter_of(fault, scenario, places);
    const bool hang = fault.kind == FaultKind::kEngineHang || fault.kind == FaultKind::kEngineFault;
    const bool replay = fault.kind == FaultKind::kLinkReplay;
    require_key(fault.engine.has_value(), hang, "engine", fault, places);
    require_key(fault.delay.has_value(), replay || fault.kind == FaultKind::kMessageLate, "delay",
                fault, places);
    if (!replay) require_key(fault.way.has_value(), false, "way", fault, places);
    if (hang)
      places.find(fault.location.pointer + "/engine", "engine", *fault.engine, gpu.engines,
                  "adapter " + in_quotes(gpu.name));
    check_when(fault, places, names);
  }
}

}  // namespace fenceline::scenario
