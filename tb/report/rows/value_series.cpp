#include "tb/report/rows/value_series.h"

#include <fmt/format.h>
#include <map>
#include <tuple>

#include "models/common/event_handlers.h"
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
    sizes_[event.allocation] = event.bytes;
    in_use_ += event.bytes;
    memory().points.emplace_back(event.time, in_use_);
  }
  void on(const At<event::AllocationDestroyed>& event) {
    in_use_ -= sizes_[event.allocation];
    sizes_.erase(event.allocation);
    memory().points.emplace_back(event.time, in_use_);
  }
  std::vector<ValueSeries> finish() {
    std::vector<ValueSeries> list;
    for (auto& [key, series] : series_) list.push_back(std::move(series));
    return list;
  }

 private:
  enum Kind : std::uint8_t { kCurrent, kMonitored };
  enum Group : std::uint8_t { kFences, kMemory };
  /// Group, object, kind, adapter.
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
  ValueSeries& memory() {
    return find({kMemory, 0, kCurrent, 0}, "Memory", "bytes", [] { return "of allocations"; });
  }
  template <class Name>
  ValueSeries& find(const Key& key, const char* group, const char* unit, Name name) {
    const auto [it, fresh] = series_.try_emplace(key);
    if (fresh) it->second = {name(), group, unit, {}};
    return it->second;
  }

  const Names& names_;
  std::map<Key, ValueSeries> series_;
  std::map<std::uint64_t, std::uint64_t> sizes_;  ///< of allocations, by object [bytes]
  std::uint64_t in_use_ = 0;                      ///< [bytes]
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
