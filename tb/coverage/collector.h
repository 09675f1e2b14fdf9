#pragma once

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/common/events.h"
#include "tb/coverage/operations.h"
#include "tb/coverage/space.h"
#include "tb/run/machine/scenario_machine.h"
#include "tb/run/run_scenario.h"

namespace fenceline::coverage {

/// Points that one run has hit.
class Hits {
 public:
  Hits() : words_((Space::all().size() + kBits - 1) / kBits) {}

  void add(Point point) { words_[point / kBits] |= std::uint64_t{1} << (point % kBits); }
  bool has(Point point) const { return (words_[point / kBits] >> (point % kBits) & 1U) != 0; }
  /// All points, ascending.
  std::vector<Point> points() const;

  /// Hexadecimal digits.
  std::string text() const;
  /// Throws std::invalid_argument for a text of other points.
  static Hits of(const std::string& text);

 private:
  static constexpr std::size_t kBits = 64;

  std::vector<std::uint64_t> words_;
};

/// Collects the points that one run hits: of its set-up the events and the calls of the driver, of
/// its programs all. Without one, coverage costs nothing.
class Collector : public run::RunObserver, private common::EventSink {
 public:
  void built(run::ScenarioMachine& machine) override;
  void ready(run::ScenarioMachine& machine) override;
  void ended(run::ScenarioMachine& machine, const report::RunReport& report) override;

  const Hits& hits() const { return hits_; }

 private:
  using Thread = run::ScenarioMachine::Thread;
  /// The event of an object that came last.
  struct Last {
    common::EventKind kind{};
    common::AgentId agent = 0;
  };
  /// State of an object, and the event of it that came last.
  struct Object {
    std::optional<std::size_t> state;
    std::optional<Last> last;
    FenceKind fence = FenceKind::kNative;
  };

  void on_event(const common::Event& event) override;
  Object& object(std::size_t kind, std::uint64_t number);
  void look_at_objects(const common::Event& event);
  void look_at_order(const common::Event& event);
  void change_state(const common::Event& event);
  void look_at_operation(const common::Event& event);
  void look_at_words(const common::Event& event);
  std::size_t feature_of(const common::Event& event);
  void begin(std::uint64_t operation, std::size_t feature);
  void end(std::uint64_t operation);

  void look_at_findings(std::size_t number, std::size_t value, const report::RunReport& report);

  const Space& space_ = Space::all();
  const States& states_ = States::all();
  const Operations& operations_ = Operations::all();
  Hits hits_;
  bool ready_ = false;                 ///< the set-up is over
  std::vector<std::size_t> switches_;  ///< index of the value of each
  std::unordered_map<common::AgentId, const Thread*> threads_;
  std::array<std::vector<Object>, kFollowed.size()> objects_;
  std::unordered_map<std::uint64_t, std::size_t> open_;  ///< features by operation
  std::vector<std::size_t> in_flight_;                   ///< one entry for each open operation
};

}  // namespace fenceline::coverage
