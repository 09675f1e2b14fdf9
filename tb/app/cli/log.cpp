#include "tb/app/cli/log.h"

#include <memory>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <systemc>
#include <utility>

namespace fenceline::cli {

namespace {

/// Redirects reports of SystemC: it prints them to standard output, which is reserved for results.
void report_to_log(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if ((actions & sc_core::SC_DISPLAY) != 0) {
    const auto level = report.get_severity() == sc_core::SC_INFO      ? spdlog::level::debug
                       : report.get_severity() == sc_core::SC_WARNING ? spdlog::level::warn
                                                                      : spdlog::level::err;
    spdlog::log(level, "{}: {}", report.get_msg_type(), report.get_msg());
  }
  sc_core::sc_report_handler::default_handler(
      report, actions & ~static_cast<sc_core::sc_actions>(sc_core::SC_DISPLAY));
}

}  // namespace

void set_up_log(const Options& options) {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(spdlog::color_mode::automatic);
  auto logger = std::make_shared<spdlog::logger>("fenceline", std::move(sink));
  logger->set_pattern("%n: %^%l%$: %v");
  logger->set_level(options.quiet     ? spdlog::level::err
                    : options.verbose ? spdlog::level::debug
                                      : spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
  sc_core::sc_report_handler::set_handler(report_to_log);
}

}  // namespace fenceline::cli
