#pragma once

#include <string>

#include "models/common/events.h"
#include "tb/report/record.h"
#include "tb/scenario/scenario.h"

namespace fenceline::report::sample {

using common::EventStream;
using common::ObjectKind;

/// A hand-made run: two queues, two threads, two cores, one GPU, two fences. Everything that the
/// writers draw occurs at least once. `rounds` repeats it.
struct Run {
  explicit Run(unsigned rounds = 1);

  EventStream stream;
  scenario::Scenario scenario;
  RunReport report;
  Record record;
  std::uint64_t now = 0;  ///< [ps]

 private:
  void name_objects();
  void play(std::uint64_t round);
  void signal(std::uint64_t value, std::uint64_t number);
  void interrupt(std::uint64_t value);
  void fill_report();
  /// `agent` does it at `time` of the round [ps].
  template <class E>
  void at(std::uint64_t time, common::AgentId agent, const E& event) {
    now = start_ + time;
    stream.emit(agent, event);
  }

  std::uint64_t start_ = 0;  ///< [ps] of the round
};

// Numbers of the objects, in the order in which Run names them.
constexpr std::uint32_t kFrame = 1, kData = 2;         // fences
constexpr std::uint32_t kRender = 1, kCopy = 2;        // queues
constexpr std::uint32_t kGfx = 1, kDma = 2;            // engines
constexpr std::uint32_t kMain = 1, kWorker = 2;        // threads
constexpr std::uint32_t kCpu0 = 1, kCpu1 = 2;          // cores
constexpr std::uint32_t kGpu = 1;                      // adapter
constexpr std::uint32_t kUp = 1, kDown = 2;            // link directions
constexpr std::uint32_t kSignalLog = 1, kWaitLog = 2;  // logs
constexpr common::AgentId kEngineAgent = 1, kCmpAgent = 2, kOsAgent = 3;

}  // namespace fenceline::report::sample
