#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tb/report/record/names.h"
#include "tb/report/record/timeline.h"

/// Names and styles of what a timeline holds, for every output.
namespace fenceline::report {

/// Where a timeline shows objects of a kind, or why it does not.
struct ObjectRows {
  const char* kind;
  const char* rows;
};
ObjectRows rows_of(common::ObjectKind kind);

/// Where an allocation is: "in a memory segment".
std::string placement_words(event::Placement placement);
/// Kind of the object of a lane; kNone for kStory and kSystem.
common::ObjectKind object_of_lane(Lane lane);
/// Name of the owner of a lane.
std::string lane_name(Lane lane, std::uint32_t object, const Names& names);
/// Name of a slice or instant without its value: "signal app/frame".
std::string slice_title(const Slice& slice, const Names& names);
std::string instant_title(const Instant& instant, const Names& names);
/// The same with its value: "signal app/frame = 5".
std::string slice_name(const Slice& slice, const Names& names);
std::string instant_name(const Instant& instant, const Names& names);
/// True when `detail` is a value that is not part of the title.
bool has_value(SliceKind kind);
bool has_value(const Instant& instant);
/// True for a slice that should have ended before the end of the run. States last.
bool is_suspect(const Slice& slice);
/// What all instants of that kind are called, without values and names: "doorbell".
std::string mark_words(const Instant& instant);
bool is_fault(const Instant& instant);
/// Categories of slices and marks. Viewers of traces filter by them.
enum class Category : std::uint8_t { kPacket, kSignal, kWait, kInterrupt, kPcie, kCpu, kStory };
constexpr std::array<const char*, 7> kCategoryNames{
    "packet", "signal", "wait", "interrupt", "pcie", "cpu", "counterexample"};
Category category(const Slice& slice);
Category category(const Instant& instant);
/// Class of a slice or instant in the style sheets of timeline.svg and report.html, e.g. "signal".
const char* style(const Slice& slice);
const char* style(const Instant& instant);

}  // namespace fenceline::report
