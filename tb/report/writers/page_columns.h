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

/// The timeline as the page reads it: rows, and columns of LEB128 numbers, one after the other.
///
/// Slices and instants are sorted by row, then by time. The columns are: number of slices of each
/// row; of instants; begin of each slice (difference within its row); duration; title; value; open;
/// place; time of each instant (difference within its row); title; value; place; slice and then
/// instant of each flow; times and then values of each series. A value is the difference to the
/// last value of its title or series, modulo 2^64. Signed differences are in zigzag form.
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

  void lay_out(const Track& track, const Names& names);
  void sort();
  void write_counts(const std::vector<Placed>& items);
  /// Differences of times within each row.
  template <class Time>
  void write_times(const std::vector<Placed>& items, Time time_of);
  /// Titles, and then values.
  template <class Value>
  void write_values(const std::vector<Placed>& items, const std::vector<std::uint32_t>& titles,
                    Value value);
  void write_slices();
  void write_instants();
  void write_flows();
  void write_series(const ValueSeries& series);
  void number(std::uint64_t value);
  void difference(std::uint64_t from, std::uint64_t to);

  const Timeline& timeline_;
  const Tracks& tracks_;
  std::vector<Placed> slices_, instants_;
};

}  // namespace fenceline::report
