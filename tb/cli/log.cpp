#include "tb/cli/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace fenceline::cli {

void set_up_log(const Options& options) {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(spdlog::color_mode::automatic);
  auto logger = std::make_shared<spdlog::logger>("fenceline", std::move(sink));
  logger->set_pattern("%n: %^%l%$: %v");
  logger->set_level(options.quiet     ? spdlog::level::err
                    : options.verbose ? spdlog::level::debug
                                      : spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace fenceline::cli
