#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "models/abi/packets.h"
#include "tb/report/record.h"
#include "tb/report/record/timeline.h"
#include "tb/report/record/timeline_words.h"
#include "tb/report/rows/timeline_builder.h"

/// A timeline of events that a test gives by hand.
namespace fenceline::report_tests::rows_bench {

inline constexpr std::uint32_t kContext = 1, kQueue = 2, kKernel = 3;  // queues
inline constexpr std::uint32_t kEngine = 2;             // gpu0.compute1, its second engine
inline constexpr std::uint32_t kImage = 1, kStill = 2;  // allocations
inline constexpr auto kDispatch = static_cast<std::uint64_t>(abi::Opcode::kDispatch);

/// A run of two processes on one adapter, by hand.
struct Bench {
  Bench() {
    stream.set_clock([](const void* bench) { return static_cast<const Bench*>(bench)->now; }, this);
    add(common::ObjectKind::kQueue, {"draw", "user", "gpu0.compute1.kernel"});
    add(common::ObjectKind::kEngine, {"gpu0.compute0", "gpu0.compute1"});
    add(common::ObjectKind::kAdapter, {"gpu0"});
    add(common::ObjectKind::kProcess, {"game", "other"});
    add(common::ObjectKind::kAllocation, {"image", "still"});
    add(common::ObjectKind::kCore, {"core0"});
    record.attach(stream);
  }
  void add(common::ObjectKind kind, std::initializer_list<const char*> names) {
    for (const char* name : names) stream.add_object(kind, name);
  }
  template <class E>
  void at(std::uint64_t time, const E& event, common::AgentId agent = 0) {
    now = time;
    stream.emit(agent, event);
  }
  report::Timeline timeline() {
    record.names = report::Names::capture(stream);
    return report::build_timeline(record.recorder, record.names, 1000, &scenario);
  }
  /// "begin-end name" of the slices of a lane.
  std::vector<std::string> slices(report::Lane lane, std::uint32_t object) {
    std::vector<std::string> list;
    for (const report::Slice& it : timeline().slices)
      if (it.lane == lane && it.object == object)
        list.push_back(std::to_string(it.begin) + "-" + std::to_string(it.end) + " " +
                       slice_name(it, record.names) + (it.open ? " open" : ""));
    return list;
  }
  /// "time name" of the instants of a lane.
  std::vector<std::string> instants(report::Lane lane, std::uint32_t object) {
    std::vector<std::string> list;
    for (const report::Instant& it : timeline().instants)
      if (it.lane == lane && it.object == object)
        list.push_back(std::to_string(it.time) + " " + instant_name(it, record.names));
    return list;
  }
  /// Buffer 7 of the context is given with id 70 and begins at 10.
  void begin_buffer() {
    at(1, event::ContextPacket{kContext, 7, 0, false, 1});
    at(2, event::ContextGiven{kContext, 7, 70, 2, 0, 1});
    at(10, event::BufferBegin{{1, 70, 0, 2}});
  }

  scenario::Scenario scenario;
  common::EventStream stream;
  report::Record record;
  std::uint64_t now = 0;
};

}  // namespace fenceline::report_tests::rows_bench
