#include "tb/app/cli/services.h"

#include "tb/run/run_scenario.h"
#include "tb/scenario/loader.h"
#include "tb/scenario/shapes/schema.h"

namespace fenceline::cli {

namespace {

scenario::Scenario load(const LoadRequest& request) {
  const scenario::LoadOptions options{request.overrides, request.seed};
  return request.text ? scenario::load_text(*request.text, request.path, options)
                      : scenario::load(request.path, options);
}

report::RunReport run(const scenario::Scenario& scenario, const RunRequest& request,
                      report::Record& record) {
  fenceline::run::RunOptions options;
  options.seed = request.seed;
  options.policy = request.policy;
  options.stop_at = request.stop_at;
  options.kmd = request.kmd;
  options.choices = request.choices;
  options.trace = request.trace;
  options.pulse = request.pulse;
  return fenceline::run::run_scenario(scenario, options, record);
}

}  // namespace

Services program_services() {
  return {load, run, fenceline::run::run_contained, scenario::schema_text};
}

}  // namespace fenceline::cli
