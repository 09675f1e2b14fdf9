#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tb/report/record/tracks.h"

namespace fenceline::report {

/// One line of the page's timeline. Its slices never overlap.
struct PageRow {
  const char* group;
  std::string name;
  std::uint32_t depth;  ///< number of rows of the same lane above it that enclose its slices
};

/// The timeline as the page reads it: rows, and columns of whole numbers, one after the other.
///
/// A column is the number of bytes that its largest value needs, and then the lowest byte of all
/// values, their second byte, and so on: bytes of one weight are alike, which packs better.
/// Slices and instants are sorted by row, then by time. The columns are:
/// - number of slices of each row; of instants
/// - of slices: begin (difference within the row), duration, title, value, open, place
/// - of instants: number of edges that it is behind, time since the last of them or since the
///   instant before it, title, value, place. Edges are the begins and ends of the row's slices
///   since the instant before: many instants are at one of them.
/// - slice of each flow; its instant
/// - of each series: times, values
/// A value is the difference to the last value of its title or series, modulo 2^64. Signed
/// differences are in zigzag form.
class PageColumns {
 public:
  PageColumns(const Timeline& timeline, const Tracks& tracks, const Names& names,
              const std::vector<ValueSeries>& series);

  std::vector<PageRow> rows;
  std::string bytes;
  std::size_t flows = 0;
  bool wide = false;  ///< a value needs more than the 53 bits of a number of the page

 private:
  struct Placed {
    std::uint32_t row;
    std::uint32_t index;  ///< in the timeline
  };

  using Numbers = std::vector<std::uint64_t>;

  void lay_out(const Track& track, const Names& names);
  void sort();
  void write_counts(const std::vector<Placed>& items);
  /// A column with a number of each item.
  template <class Items, class Of>
  void write(const Items& items, Of of);
  /// Titles, and then values.
  template <class Value>
  void write_values(const std::vector<Placed>& items, const std::vector<std::uint32_t>& titles,
                    Value value);
  void write_slices();
  void write_instant_times();
  void write_instants();
  void write_flows();
  void write_series(const ValueSeries& series);
  void column(const Numbers& numbers);
  std::uint64_t difference(std::uint64_t from, std::uint64_t to);
  const Slice& slice(const Placed& it) const { return timeline_.slices[it.index]; }
  const Instant& instant(const Placed& it) const { return timeline_.instants[it.index]; }

  const Timeline& timeline_;
  const Tracks& tracks_;
  std::vector<Placed> slices_, instants_;
};

}  // namespace fenceline::report
