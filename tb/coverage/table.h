#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/coverage/collector.h"

namespace fenceline::coverage {

constexpr const char* kTableFile = "coverage.json";

/// In how many runs each point was hit. Tables of any runs can be added in any order.
class Table {
 public:
  Table() : runs_of_(Space::all().size()) {}

  /// Reads coverage.json. Throws std::exception for other text, and for points that this program
  /// does not have.
  static Table of(const std::string& json);

  void add(const Hits& hits);
  void add(const Table& other);

  std::uint64_t runs() const { return runs_; }
  std::uint64_t runs_of(Point point) const { return runs_of_[point]; }
  /// True if runs are expected to hit the point: it is not impossible, and an order counts once its
  /// opposite has come.
  bool counts(Point point) const;

  /// Points of a group.
  struct Share {
    std::uint64_t hit = 0;
    std::uint64_t all = 0;
  };
  Share share(Group group) const;
  Share share() const;  ///< of all groups
  /// Points that count and were not hit, in the order of the space.
  std::vector<Point> holes() const;
  /// Points that were hit and are declared impossible, in the order of the space.
  std::vector<Point> mistakes() const;

 private:
  std::uint64_t runs_ = 0;
  std::vector<std::uint64_t> runs_of_;
};

/// coverage.json: the points that were hit, with their numbers of runs, by group.
std::string table_json(const Table& table);
/// A line for each group.
std::string table_text(const Table& table);
/// A line for each hole, by group, and how many there are for each reason.
std::string holes_text(const Table& table);
/// One line: the share of all points.
std::string summary_text(const Table& table);

}  // namespace fenceline::coverage
