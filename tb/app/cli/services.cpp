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

}  // namespace

Services program_services() {
  return {load, fenceline::run::run_scenario, fenceline::run::run_contained, scenario::schema_text};
}

}  // namespace fenceline::cli
