#pragma once

#include <chrono>
#include <cstdint>

#include "tb/report/meters/event_counters.h"
#include "tb/run/process/shared_text.h"
#include "tb/run/run_scenario.h"

namespace fenceline::cli {

/// Largest text of a LiveRun [bytes].
constexpr std::size_t kMaxRunText = std::size_t{32} << 10U;

/// Follows a run for the live page, in the process of the run: writes the parts of the page that
/// are about this run as a JSON list, a few times per second.
class LiveRun final : public run::RunObserver, public common::EventSink {
 public:
  /// Both must outlive it. @param name of the run, for titles
  LiveRun(std::string name, run::SharedText& text) : name_(std::move(name)), text_(text) {}

  void ready(run::ScenarioMachine& machine) override;
  void passing(run::ScenarioMachine& machine, const run::RunHistory& history) override;
  void ended(run::ScenarioMachine& machine, const report::RunReport& report) override;
  void on_event(const common::Event& event) override;

 private:
  using Clock = std::chrono::steady_clock;

  void write(const std::vector<std::string>& waiting, const char* title);

  const std::string name_;
  run::SharedText& text_;
  report::EventCounters counters_;
  std::uint64_t events_ = 0;
  Clock::time_point next_{};
};

}  // namespace fenceline::cli
