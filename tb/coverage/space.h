#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/events.h"
#include "tb/coverage/states.h"
#include "tb/os/driver/ddi_names.h"

namespace fenceline::coverage {

/// Kinds of points.
enum class Group : std::uint8_t {
  kEvent,
  kStep,
  kCommand,
  kDriverCall,
  kSwitchValue,
  kBroken,
  kState,
  kEventInState,
  kPair,
  kOrder,
  kCount
};
constexpr std::size_t kGroups = static_cast<std::size_t>(Group::kCount);

/// Name of a group in files, and the heading of its row.
struct GroupWords {
  const char* name;
  const char* meaning;
};
const GroupWords& words_of(Group group);

/// Number of a point.
using Point = std::uint32_t;

/// Kind of a fence, as operations on it are told apart.
enum class FenceKind : std::uint8_t { kNative, kMonitored, kCrossAdapter, kCount };

/// All points: what a run can do, as far as the declarations of events, steps, commands, driver
/// calls and switches say. The same program has the same points in the same order.
class Space {
 public:
  static const Space& all();

  std::size_t size() const { return names_.size(); }
  const std::string& name(Point point) const { return names_[point]; }
  /// Group of a point.
  Group group(Point point) const;
  /// The word of the point, or its two: an event and the state of its object, two things in flight,
  /// or the first event and the second.
  const std::array<std::string, 2>& parts(Point point) const { return parts_[point]; }
  /// First point of a group; the groups follow each other.
  Point begin(Group group) const { return begins_[static_cast<std::size_t>(group)]; }
  Point end(Group group) const { return begins_[static_cast<std::size_t>(group) + 1]; }
  std::optional<Point> find(Group group, std::string_view name) const;

  Point event(common::EventKind kind) const { return at(Group::kEvent, index(kind)); }
  Point step(std::size_t verb) const { return at(Group::kStep, verb); }
  Point command(std::size_t verb) const { return at(Group::kCommand, verb); }
  /// None for a function that is no DDI.
  std::optional<Point> driver_call(os::Ddi ddi) const;
  Point switch_value(std::size_t number, std::size_t value) const;
  /// The value, alone, has broken this invariant, or led to this end: one of those that its switch
  /// declares.
  std::optional<Point> broken(std::size_t number, std::size_t value,
                              std::string_view finding) const;
  Point state(std::size_t object, std::size_t state) const;
  /// @pre the event names such an object
  Point event_in_state(common::EventKind kind, std::size_t object, std::size_t state) const;

  /// Things that are in flight: operations, those on fences by the kind of the fence, and steps.
  std::size_t feature(common::EventKind beginning, FenceKind fence) const;
  std::size_t step_feature(std::size_t verb) const { return first_step_ + verb; }
  const std::vector<std::string>& features() const { return features_; }
  Point pair(std::size_t a, std::size_t b) const;

  /// Kind of the object, an index in kFollowed, at which the order of the event is covered: that of
  /// events which the search orders, or which the story of a run tells.
  std::optional<std::size_t> ordered_at(common::EventKind kind) const {
    return ordered_at_[index(kind)];
  }
  /// `first` before `second`. @pre both are ordered at this object
  Point order(std::size_t object, common::EventKind first, common::EventKind second) const;
  /// The same two events the other way round. @pre the point is one of kOrder
  Point mirror(Point point) const;

 private:
  Space();
  static std::size_t index(common::EventKind kind) { return static_cast<std::size_t>(kind); }
  Point at(Group group, std::size_t number) const {
    return begin(group) + static_cast<Point>(number);
  }
  void start(Group group);
  void add(const std::string& word) { add(word, word, ""); }
  void add(std::string name, std::string first, std::string second);
  void add_words();
  void add_switches();
  void add_states();
  void add_pairs();
  void add_orders();
  void add_order(std::size_t object, const char* first, const char* second);

  std::vector<std::string> names_;
  std::vector<std::array<std::string, 2>> parts_;
  std::array<Point, kGroups + 1> begins_{};
  std::vector<os::Ddi> driver_calls_;
  std::vector<std::size_t> switches_;  ///< first value of each
  std::array<std::size_t, kFollowed.size()> states_{};
  /// By object and event: number in its group.
  std::array<std::vector<std::size_t>, kFollowed.size()> in_state_;
  std::vector<std::size_t> operations_;  ///< first feature by event
  std::size_t first_step_ = 0;
  std::vector<std::string> features_;
  std::vector<std::optional<std::size_t>> ordered_at_;   ///< by event
  std::vector<std::size_t> places_;                      ///< by event: among those of its object
  std::array<std::size_t, kFollowed.size()> ordered_{};  ///< how many there are
};

}  // namespace fenceline::coverage
