#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tb/report/record/names.h"
#include "tb/report/record/timeline.h"

namespace fenceline::report {

/// One lane of the drawing, with its place on the page [px].
struct SvgLane {
  Lane lane = Lane::kQueue;
  std::uint32_t object = 0;
  std::string name;
  std::vector<const Slice*> slices;  ///< those that begin in the window
  std::vector<Placement> places;     ///< of the slices
  std::vector<const Slice*> states;  ///< of a thread
  std::vector<const Instant*> instants;
  std::uint32_t rows = 1;
  double top = 0;
  double height = 0;
  const char* group = nullptr;  ///< heading above it, if it is the first of its group
};

/// The part of a run that is drawn, and the place of everything.
class SvgLayout {
 public:
  static constexpr double kWidth = 1480, kLeft = 190, kRight = 30, kTop = 136;
  static constexpr double kLetter = 6.4;  ///< width of a letter at 11 px, rounded up
  static constexpr double kRow = 22, kStateStrip = 5;
  static constexpr std::size_t kMaxSlices = 600;
  static constexpr std::size_t kMostSlices = 5000;  ///< in a window that was asked for
  static constexpr std::size_t kMaxLanes = 60;

  /// @param window what is drawn; none: the first kMaxSlices slices
  SvgLayout(const Timeline& timeline, const Names& names, const std::optional<DrawnSpan>& window);

  /// Horizontal place of a time, within the plot area.
  double x(std::uint64_t time) const;
  /// Makes room above the lanes [px].
  void move_down(double by);
  const SvgLane* find(Lane lane, std::uint32_t object) const;

  std::vector<SvgLane> lanes;
  std::uint64_t begin = 0, end = 1;  ///< the window [ps]
  double top = kTop;                 ///< [px]
  double bottom = 0;                 ///< lower edge of the last lane [px]
  std::size_t left_out_slices = 0;   ///< beyond the window
  std::size_t left_out_lanes = 0;

 private:
  using Key = std::pair<Lane, std::uint32_t>;

  void choose_window(const Timeline& timeline);
  void collect(const Timeline& timeline, const Names& names);
  void place();

  std::map<Key, std::size_t> index_;
};

}  // namespace fenceline::report
