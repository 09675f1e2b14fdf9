// What events are declared with: fields, their places in a record, words.
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "models/common/events.h"
#include "tb/report/writers/narrative.h"

namespace fenceline::models_tests::test_events {

namespace {

namespace common = fenceline::common;
namespace event = fenceline::event;
namespace report = fenceline::report;

struct Listener final : common::EventSink {
  std::vector<common::Event> all;
  void on_event(const common::Event& event) override { all.push_back(event); }
};

}  // namespace

TEST_CASE("an event comes out of its record as it went in", "[events]") {
  const event::ContextRank rank{1, 2, 3, 4, 5, 6, (1ULL << 56) - 1, 8};
  const event::Record record = event::record_of(rank);
  CHECK(record == event::Record{1, 2, 3 | 4 << 8 | 5 << 16 | 6ULL << 32, ~0ULL >> 8 | 8ULL << 56});
  const auto again = event::event_of<event::ContextRank>(record);
  CHECK(event::record_of(again) == record);
}

TEST_CASE("a word that an event skips holds nothing", "[events]") {
  const event::MessageDelivered delivered{1, 2, 3};
  CHECK(event::record_of(delivered) == event::Record{1, 2, 0, 3});
  CHECK(event::event_of<event::MessageDelivered>({1, 2, 9, 3}).core == 3);
  CHECK(event::record_of(event::Quiescent{}) == event::Record{});
}

TEST_CASE("an event is emitted with its agent to those who listen", "[events]") {
  common::EventStream stream;
  Listener listener;
  stream.subscribe(listener, {common::kKindOf<event::SignalEnd>});
  CHECK(stream.wants<event::SignalEnd>());
  CHECK_FALSE(stream.wants<event::SignalBegin>());
  stream.emit(7, event::SignalBegin{1, 5, 3, 2});
  stream.emit(7, event::SignalEnd{1, 5, 3, 2});
  REQUIRE(listener.all.size() == 1);
  REQUIRE(listener.all[0].is<event::SignalEnd>());
  const auto end = common::at<event::SignalEnd>(listener.all[0]);
  CHECK(end.agent == 7);
  CHECK(end.fence == 1);
  CHECK(end.value == 5);
  CHECK(end.signal == 3);
  CHECK(end.queue == 2);
}

TEST_CASE("every event has a name of its own and a sentence and fields that fit its record",
          "[events]") {
  std::set<std::string> names;
  for (const event::Description& it : event::kDescriptions) {
    INFO(it.words.name);
    CHECK(names.insert(it.words.name).second);
    CHECK_FALSE(std::string(it.words.sentence).empty());
    for (std::size_t i = 0; i < it.count; ++i) {
      CHECK(it.fields[i].place.word < 4);
      CHECK(it.fields[i].place.shift + it.fields[i].place.bits <= 64);
    }
    if (it.count > 0) CHECK(it.fields[0].place.word == 0);
  }
}

TEST_CASE("a sentence prints objects and words and numbers as it says", "[events]") {
  report::Names names;
  names.objects[static_cast<std::size_t>(common::ObjectKind::kFence)] = {"none", "F"};
  names.objects[static_cast<std::size_t>(common::ObjectKind::kAgent)] = {"none", "core0"};
  const auto say = [&](const auto& event, common::AgentId agent) {
    const event::Record record = event::record_of(event);
    using E = std::decay_t<decltype(event)>;
    return report::describe({0, common::kKindOf<E>, agent, static_cast<std::uint32_t>(record[0]),
                             record[1], record[2], record[3]},
                            names);
  };
  CHECK(say(event::CmpDecision{1, 5, ~0ULL, true, event::Decider::kMonitoredUpdate}, 1) ==
        "the CMP compares CurrentValue 5 of F with MonitoredValue none: interrupt (after an "
        "update)");
  CHECK(say(event::CurrentValueRead{1, 5, event::Reader::kCmp}, 1) ==
        "core0 reads CurrentValue 5 of F");
  CHECK(say(event::CurrentValueRead{1, 5, event::Reader::kCmp}, 0) ==
        "somebody reads CurrentValue 5 of F");
  CHECK(say(event::QueueState{0, static_cast<event::QueueStateKind>(9)}, 0) == "none is state 9");
}

}  // namespace fenceline::models_tests::test_events
