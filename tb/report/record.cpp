#include "tb/report/record.h"

#include <utility>

#include "tb/os/driver/ddi_names.h"

namespace fenceline::report {

void Record::attach(common::EventStream& stream, const std::vector<common::Event>& state) {
  for (const common::Event& event : state) {
    statistics.on_event(event);
    if (limit_ > 0) recorder.on_event(event);
  }
  stream.subscribe(statistics);
  stream.subscribe(fences, FenceTimeline::kinds());
  if (limit_ > 0) stream.subscribe(recorder);
}

void Record::finish(const common::EventStream& stream, RunReport& report) {
  Names captured = Names::capture(stream);
  names.objects = std::move(captured.objects);
  names.opcodes = std::move(captured.opcodes);
  if (names.ddis.empty()) {
    for (std::size_t i = 0; i < os::kDdiCount; ++i) {
      names.ddis.emplace_back(os::ddi_info(static_cast<os::Ddi>(i)).name);
    }
  }
  if (names.c_states.empty() && report.scenario != nullptr) {
    names.c_states.emplace_back("C0");
    for (const host::CState& state : report.scenario->platform.host.c_states) {
      names.c_states.push_back(state.name);
    }
  }
  statistics.finish(names, report);
  fences.add_counters(report);
}

}  // namespace fenceline::report
