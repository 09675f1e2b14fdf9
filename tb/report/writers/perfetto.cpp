#include "tb/report/writers/perfetto.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

#include "models/common/steps/time.h"
#include "tb/report/record/timeline_words.h"
#include "tb/report/record/tracks.h"
#include "tb/report/writers/pbf_message.h"

namespace fenceline::report {

namespace {

// Field numbers of the public schema; scripts/check/perfetto_subset.proto has the same.
enum TraceField : protozero::pbf_tag_type { kPacket = 1 };
enum PacketField : protozero::pbf_tag_type {
  kTimestamp = 8,  ///< [ns]
  kSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTrackDescriptor = 60
};
enum DescriptorField : protozero::pbf_tag_type {
  kUuid = 1,
  kTrackName = 2,
  kParentUuid = 5,
  kCounter = 8
};
enum CounterField : protozero::pbf_tag_type { kUnitName = 6 };
enum EventField : protozero::pbf_tag_type {
  kCategoryIid = 3,
  kDebugAnnotation = 4,
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kCounterValue = 30,
  kFlowIds = 47,
  kTerminatingFlowIds = 48
};
enum InternedField : protozero::pbf_tag_type { kCategories = 1, kNames = 2, kAnnotationNames = 3 };
enum AnnotationField : protozero::pbf_tag_type { kAnnotationIid = 1, kUnsigned = 3 };
enum EventType : std::uint32_t { kBegin = 1, kEnd = 2, kInstantType = 3, kCounterType = 4 };

constexpr std::uint32_t kSequence = 1;
constexpr std::uint32_t kStateCleared = 1, kNeedsState = 2;

enum Annotation : std::uint64_t { kPs = 1, kValue = 2, kBytes = 3, kUnfinished = 4, kHeld = 5 };
constexpr const char* kAnnotations[] = {"ps", "value", "bytes", "unfinished", "held until step"};

std::uint64_t category_iid(Category category) { return static_cast<std::uint64_t>(category) + 1; }

/// A begin, an end or an instant, in the order of one track.
struct Mark {
  std::uint64_t time;  ///< [ps]
  std::uint64_t track;
  std::uint32_t index;  ///< of the slice, the instant or the value
  EventType type;
};

class PerfettoWriter {
 public:
  PerfettoWriter(const Timeline& timeline, const Names& names, Output& out)
      : timeline_(timeline), names_(names), tracks_(timeline, names), out_(out) {}

  void write();

 private:
  void collect_flows();
  void lay_out();
  void lay_out_series();
  void lay_out_track(const Track& track, std::uint64_t group);
  void add_rows(const std::vector<const Slice*>& slices, const std::vector<Placement>& rows,
                const std::vector<std::uint64_t>& tracks);
  /// @param unit of a track of values; null: the track has slices
  std::uint64_t declare(const std::string& name, std::uint64_t parent, const char* unit = nullptr);
  void intern();
  void emit(const Mark& mark);
  void emit_slice(std::uint32_t index, PbfMessage& event);
  void emit_instant(std::uint32_t index, PbfMessage& event);
  static void annotate(PbfMessage& event, Annotation name, std::uint64_t value) {
    const auto annotation = event.open(kDebugAnnotation);
    event.varint(kAnnotationIid, name);
    event.varint(kUnsigned, value);
    event.close(annotation);
  }
  template <typename Fill>
  void packet(Fill fill);

  const Timeline& timeline_;
  const Names& names_;
  const Tracks tracks_;
  Output& out_;
  std::vector<Mark> marks_;
  std::vector<std::uint64_t> starts_;       ///< flows by the slice where they start
  std::vector<std::uint32_t> first_start_;  ///< by slice: where its flows begin in starts_
  std::vector<std::uint64_t> ends_;         ///< by instant: the flow that ends there; 0 if none
  std::vector<std::uint64_t> values_;       ///< points of all series
  std::uint64_t declared_ = 0;
  std::string buffer_;
};

template <typename Fill>
void PerfettoWriter::packet(Fill fill) {
  buffer_.clear();
  protozero::pbf_writer trace(buffer_);
  {
    protozero::pbf_writer body(trace, kPacket);
    fill(body);
    body.add_uint32(kSequenceId, kSequence);
  }
  out_.text(buffer_);
}

void PerfettoWriter::collect_flows() {
  const auto& flows = timeline_.flows;
  first_start_.assign(timeline_.slices.size() + 1, 0);
  for (const Flow& flow : flows) ++first_start_[flow.signal + 1];
  std::partial_sum(first_start_.begin(), first_start_.end(), first_start_.begin());
  std::vector<std::uint32_t> next(first_start_);
  starts_.resize(flows.size());
  ends_.assign(timeline_.instants.size(), 0);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    starts_[next[flows[i].signal]++] = i + 1;
    std::uint64_t& end = ends_[flows[i].release];
    if (end == 0) end = i + 1;
  }
}

void PerfettoWriter::intern() {
  packet([&](protozero::pbf_writer& body) {
    body.add_uint32(kSequenceFlags, kStateCleared);
    protozero::pbf_writer data(body, kInternedData);
    const auto add = [&](InternedField field, std::uint64_t id, const std::string& name) {
      protozero::pbf_writer entry(data, field);
      entry.add_uint64(1, id);  // iid
      entry.add_string(2, name);
    };
    std::uint64_t id = 0;
    for (const char* name : kCategoryNames) add(kCategories, ++id, name);
    for (std::size_t i = 1; i < tracks_.titles.size(); ++i) add(kNames, i, tracks_.titles[i]);
    id = 0;
    for (const char* name : kAnnotations) add(kAnnotationNames, ++id, name);
  });
}

std::uint64_t PerfettoWriter::declare(const std::string& name, std::uint64_t parent,
                                      const char* unit) {
  const std::uint64_t uuid = ++declared_;
  packet([&](protozero::pbf_writer& body) {
    protozero::pbf_writer track(body, kTrackDescriptor);
    track.add_uint64(kUuid, uuid);
    track.add_string(kTrackName, name);
    if (parent != 0) track.add_uint64(kParentUuid, parent);
    if (unit == nullptr) return;
    protozero::pbf_writer counter(track, kCounter);
    counter.add_string(kUnitName, unit);
  });
  return uuid;
}

void PerfettoWriter::lay_out() {
  marks_.reserve(2 * timeline_.slices.size() + timeline_.instants.size());
  Lane last = Lane::kCount;
  std::uint64_t group = 0;
  for (const Track& track : tracks_.tracks) {
    if (track.lane != last) group = declare(group_name(track.lane), 0);
    last = track.lane;
    lay_out_track(track, group);
  }
  lay_out_series();
  // Each track is in order already; equal times keep it.
  std::stable_sort(marks_.begin(), marks_.end(),
                   [](const Mark& one, const Mark& other) { return one.time < other.time; });
}

void PerfettoWriter::lay_out_series() {
  std::string last;
  std::uint64_t group = 0;
  for (const ValueSeries& series : timeline_.series) {
    if (series.group != last) group = declare(series.group, 0);
    last = series.group;
    const std::uint64_t track = declare(series.name, group, series.unit);
    for (const auto& [time, value] : series.points) {
      marks_.push_back({time, track, static_cast<std::uint32_t>(values_.size()), kCounterType});
      values_.push_back(value);
    }
  }
}

void PerfettoWriter::lay_out_track(const Track& track, std::uint64_t group) {
  const std::vector<Placement> rows = nest(track.slices);
  std::uint32_t count = 1;
  for (const Placement& it : rows) count = std::max(count, it.row + 1);
  const std::string name = lane_name(track.lane, track.object, names_);
  std::vector<std::uint64_t> tracks;
  for (std::uint32_t i = 0; i < count; ++i) {
    tracks.push_back(declare(i == 0 ? name : fmt::format("{} ({})", name, i + 1), group));
  }
  add_rows(track.slices, rows, tracks);
  for (const std::uint32_t i : track.instants) {
    marks_.push_back({timeline_.instants[i].time, tracks[0], i, kInstantType});
  }
}

/// Begins and ends of one lane, in an order in which they nest.
void PerfettoWriter::add_rows(const std::vector<const Slice*>& slices,
                              const std::vector<Placement>& rows,
                              const std::vector<std::uint64_t>& tracks) {
  const Slice* first = timeline_.slices.data();
  std::vector<std::vector<const Slice*>> open(tracks.size());
  const auto close = [&](std::size_t row) {
    const Slice* slice = open[row].back();
    open[row].pop_back();
    marks_.push_back({slice->end, tracks[row], static_cast<std::uint32_t>(slice - first), kEnd});
  };
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const std::size_t row = rows[i].row;
    while (!open[row].empty() && open[row].back()->end <= slices[i]->begin) close(row);
    marks_.push_back(
        {slices[i]->begin, tracks[row], static_cast<std::uint32_t>(slices[i] - first), kBegin});
    open[row].push_back(slices[i]);
  }
  for (std::size_t row = 0; row < open.size(); ++row) {
    while (!open[row].empty()) close(row);
  }
}

void PerfettoWriter::emit_slice(std::uint32_t index, PbfMessage& event) {
  const Slice& slice = timeline_.slices[index];
  event.varint(kCategoryIid, category_iid(category(slice)));
  event.varint(kNameIid, tracks_.slice_titles[index]);
  for (std::uint32_t i = first_start_[index]; i < first_start_[index + 1]; ++i)
    event.fixed64(kFlowIds, starts_[i]);
  if (has_value(slice.kind)) annotate(event, kValue, slice.detail);
  if (is_transfer(slice.kind)) annotate(event, kBytes, slice.detail & 0xffff'ffffu);
  if (slice.open) annotate(event, kUnfinished, 1);
}

void PerfettoWriter::emit_instant(std::uint32_t index, PbfMessage& event) {
  const Instant& instant = timeline_.instants[index];
  event.varint(kCategoryIid, category_iid(category(instant)));
  event.varint(kNameIid, tracks_.instant_titles[index]);
  if (ends_[index] != 0) event.fixed64(kTerminatingFlowIds, ends_[index]);
  if (instant.kind != InstantKind::kStory) return annotate(event, kValue, instant.detail);
  const std::size_t after = timeline_.story[instant.detail].after;
  if (after != StoryMark::kNone) annotate(event, kHeld, after + 1);
}

void PerfettoWriter::emit(const Mark& mark) {
  constexpr std::size_t kMaxFields = 24;  // of any mark, without the flows that start there
  const bool begins = mark.type == kBegin;
  const std::size_t flows =
      begins ? first_start_[mark.index + 1] - first_start_[mark.index] : std::size_t{0};
  PbfMessage trace(out_.reserve((kMaxFields + flows) * PbfMessage::kMaxField).end());
  const auto body = trace.open(kPacket);
  trace.varint(kTimestamp, mark.time / common::kNanosecond);
  trace.varint(kSequenceFlags, kNeedsState);
  const auto event = trace.open(kTrackEvent);
  trace.varint(kType, mark.type);
  trace.varint(kTrackUuid, mark.track);
  if (begins) emit_slice(mark.index, trace);
  if (mark.type == kInstantType) emit_instant(mark.index, trace);
  if (mark.type == kCounterType) trace.varint(kCounterValue, values_[mark.index]);
  annotate(trace, kPs, mark.time);
  trace.close(event);
  trace.varint(kSequenceId, kSequence);
  trace.close(body);
  out_.advance(Room(trace.end()));
}

void PerfettoWriter::write() {
  collect_flows();
  intern();
  lay_out();
  for (const Mark& mark : marks_) emit(mark);
}

}  // namespace

void write_perfetto(const Timeline& timeline, const Names& names, Output& out) {
  PerfettoWriter(timeline, names, out).write();
}

}  // namespace fenceline::report
