#include "tb/report/record/tracks.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <unordered_map>
#include <utility>

#include "tb/report/record/timeline_words.h"

namespace fenceline::report {

namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Lane::kCount)> kGroups{
    "Counterexample",
    "Queues and contexts",
    "Engines",
    "Fences",
    "Fence logs",
    "CMP",
    "Driver",
    "Power of adapters",
    "Displays",
    "Flips",
    "PCIe",
    "CPU cores",
    "Threads",
    "Thread states",
    "Operating system",
    "Memory that moves"};

/// Numbers titles in the order in which they are met. A key stands for one title.
class Numbers {
 public:
  explicit Numbers(std::vector<std::string>& titles) : titles_(titles) { titles_.emplace_back(); }

  /// @param title makes the title; called once per key
  template <typename Title>
  std::uint32_t of(std::uint64_t key, Title title) {
    const auto [it, fresh] = numbers_.try_emplace(key, static_cast<std::uint32_t>(titles_.size()));
    if (fresh) titles_.push_back(title());
    return it->second;
  }

 private:
  std::vector<std::string>& titles_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

std::uint64_t key_of(const Slice& slice) {
  const std::uint64_t detail = is_transfer(slice.kind) ? slice.detail >> 32
                               : has_value(slice.kind) ? 0
                                                       : slice.detail & 0xffffff;
  const std::uint64_t stop = static_cast<std::uint64_t>(slice.stop) << 16;  // opcodes are below
  const std::uint32_t about = slice.owner != 0 ? slice.owner : slice.fence;
  return static_cast<std::uint64_t>(slice.kind) << 56 | (detail ^ stop) << 32 | about;
}

std::uint64_t key_of(const Instant& instant) {
  const std::uint64_t kind = 128 + static_cast<std::uint64_t>(instant.kind);
  const std::uint64_t detail = has_value(instant) ? 0 : instant.detail & 0xffffff;
  const std::uint64_t event = static_cast<std::uint64_t>(instant.event) << 16;
  return kind << 56 | (detail ^ event) << 32 | instant.fence;
}

}  // namespace

const char* group_name(Lane lane) { return kGroups.at(static_cast<std::size_t>(lane)); }

Tracks::Tracks(const Timeline& timeline, const Names& names) {
  std::map<std::pair<Lane, std::uint32_t>, Track> lanes;
  const auto track = [&](Lane lane, std::uint32_t object) -> Track& {
    Track& it = lanes[{lane, object}];
    it.lane = lane;
    it.object = object;
    return it;
  };
  Numbers numbers(titles);
  slice_titles.reserve(timeline.slices.size());
  for (const Slice& slice : timeline.slices) {
    track(slice.lane, slice.object).slices.push_back(&slice);
    slice_titles.push_back(numbers.of(key_of(slice), [&] { return slice_title(slice, names); }));
  }
  instant_titles.reserve(timeline.instants.size());
  for (std::uint32_t i = 0; i < timeline.instants.size(); ++i) {
    const Instant& it = timeline.instants[i];
    track(it.lane, it.object).instants.push_back(i);
    instant_titles.push_back(numbers.of(key_of(it), [&] {
      return it.kind == InstantKind::kStory ? fmt::format("{}. {}", timeline.story[it.detail].step,
                                                          timeline.story[it.detail].text)
                                            : instant_title(it, names);
    }));
  }
  for (auto& [key, one] : lanes) tracks.push_back(std::move(one));
}

}  // namespace fenceline::report
