#include "tb/report/rows/value_series.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "models/common/event_handlers.h"
#include "tb/report/record/timeline_words.h"
#include "tb/report/rows/queue_depths.h"

namespace fenceline::report {

using common::At;
using common::ObjectKind;

namespace {

class Collector {
 public:
  explicit Collector(const Names& names) : names_(names) {}

  void on(const At<event::FenceCreate>& event) {
    current(event.fence).points.emplace_back(event.time, event.initial);
  }
  void on(const At<event::CurrentValueVisible>& event) {
    current(event.fence).points.emplace_back(event.time, event.value);
  }
  void on(const At<event::MonitoredValueVisible>& event) {
    monitored(event.fence, event.adapter).points.emplace_back(event.time, event.value);
  }
  void on(const At<event::AllocationCreated>& event) {
    Held& held = held_[event.allocation] = {static_cast<std::uint32_t>(event.adapter),
                                            event::Placement::kSystem, event.bytes};
    change(held, event.time, held.bytes);
  }
  void on(const At<event::AllocationPlaced>& event) {
    const auto found = held_.find(event.allocation);
    if (found == held_.end() || found->second.placement == event.placement) return;
    Held& held = found->second;
    change(held, event.time, -held.bytes);
    held.placement = event.placement;
    change(held, event.time, held.bytes);
  }
  void on(const At<event::AllocationDestroyed>& event) {
    const auto found = held_.find(event.allocation);
    if (found == held_.end()) return;
    change(found->second, event.time, -found->second.bytes);
    held_.erase(found);
  }
  std::vector<ValueSeries> finish() {
    std::vector<ValueSeries> list;
    for (auto& [key, series] : series_) {
      const bool used = std::any_of(series.points.begin(), series.points.end(),
                                    [](const auto& point) { return point.second != 0; });
      if (std::get<0>(key) != kMemory || used) list.push_back(std::move(series));
    }
    return list;
  }

 private:
  enum Kind : std::uint8_t { kCurrent, kMonitored };
  enum Group : std::uint8_t { kFences, kMemory };
  /// Group, object, kind, and adapter of the value or place of the memory.
  using Key = std::tuple<Group, std::uint64_t, Kind, std::uint64_t>;

  ValueSeries& current(std::uint64_t fence) {
    return find({kFences, fence, kCurrent, 0}, "Fence values", "", [&] {
      return fmt::format("{} CurrentValue", names_.object(ObjectKind::kFence, fence));
    });
  }
  ValueSeries& monitored(std::uint64_t fence, std::uint64_t adapter) {
    return find({kFences, fence, kMonitored, adapter}, "Fence values", "", [&] {
      const bool several = names_.count(ObjectKind::kAdapter) > 1;
      return fmt::format("{} MonitoredValue{}{}", names_.object(ObjectKind::kFence, fence),
                         several ? " of " : "",
                         several ? names_.object(ObjectKind::kAdapter, adapter) : "");
    });
  }
  /// What an allocation holds of the memory of its place.
  struct Held {
    std::uint32_t adapter = 0;
    event::Placement placement{};
    std::uint64_t bytes = 0;
  };
  /// @param by added to what is in use there, modulo 2^64 [bytes]
  void change(const Held& held, std::uint64_t time, std::uint64_t by) {
    const auto place = static_cast<std::uint64_t>(held.placement);
    auto& points = find({kMemory, held.adapter, kCurrent, place}, "Memory", "bytes", [&] {
                     return fmt::format("{} managed allocations {}",
                                        names_.object(ObjectKind::kAdapter, held.adapter),
                                        placement_words(held.placement));
                   }).points;
    const std::uint64_t before = points.empty() ? 0 : points.back().second;
    if (!points.empty() && points.back().first == time) points.pop_back();
    points.emplace_back(time, before + by);
  }
  template <class Name>
  ValueSeries& find(const Key& key, const char* group, const char* unit, Name name) {
    const auto [it, fresh] = series_.try_emplace(key);
    if (fresh) it->second = {name(), group, unit, {}};
    return it->second;
  }

  const Names& names_;
  std::map<Key, ValueSeries> series_;
  std::map<std::uint32_t, Held> held_;  ///< by allocation
};

}  // namespace

std::vector<ValueSeries> value_series(const Recorder& recorder, const Names& names) {
  Collector collector(names);
  QueueDepths depths(names);
  recorder.for_each([&](const common::Event& event, std::uint64_t) {
    common::Handlers<Collector>::hand(collector, event);
    common::Handlers<QueueDepths>::hand(depths, event);
  });
  std::vector<ValueSeries> list = collector.finish();
  for (ValueSeries& depth : depths.finish()) list.push_back(std::move(depth));
  return list;
}

}  // namespace fenceline::report
