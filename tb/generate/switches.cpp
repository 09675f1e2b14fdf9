#include "tb/generate/switches.h"

#include <functional>
#include <string>
#include <vector>

#include "tb/scenario/shapes/ordering_names.h"

namespace fenceline::generate {

namespace {

/// Another value of one switch.
struct Change {
  std::function<void()> make;
  std::vector<std::string> breaks;  ///< as SwitchInfo::Value::breaks
};

/// Collects the changes of one switch, either those that are safe alone or the others.
class Changes {
 public:
  explicit Changes(bool safe) : safe_(safe) {}

  template <class T, std::size_t N>
  void mechanism(const char*, T& member, const abi::SwitchValues<T, N>& values, const char*) {
    for (const abi::SwitchValue<T>& value : values) {
      std::vector<std::string> breaks = scenario::words_of(value.breaks);
      if (value.value != member && breaks.empty() == safe_)
        all.push_back({[&member, other = value.value] { member = other; }, std::move(breaks)});
    }
  }
  template <class T, std::size_t N>
  void variant(const char* name, T& member, const abi::SwitchValues<T, N>& values,
               const char* doc) {
    mechanism(name, member, values, doc);
  }

  std::vector<Change> all;

 private:
  const bool safe_;
};

}  // namespace

void draw_switches(const Constraints& constraints, Draw& draw, scenario::Scenario& scenario) {
  user::Ordering& ordering = scenario.platform.ordering;
  constexpr std::uint32_t kSomeChange = 20;
  const SwitchMode mode = constraints.switches;
  const bool mostly = mode == SwitchMode::kMostlyDefaults;
  // More than a switch: another way to find waiters that can go on.
  const bool by_logs = mostly && draw.chance(constraints.features.released_by_logs);
  if (by_logs) ordering.os.log_driven = true;
  const bool some = mostly && !by_logs && draw.chance(kSomeChange);
  if (some || mode == SwitchMode::kSafe || mode == SwitchMode::kUnsafe) {
    Changes changes(mode != SwitchMode::kUnsafe);
    user::Ordering::switches(changes, ordering);
    const Change& change = draw.one_of(changes.all);
    change.make();
    scenario.expect.allow(change.breaks);
  }
  // A weak host needs this barrier: reference/switches.md.
  if (scenario.platform.host.memory_model == host::MemoryModel::kWeak)
    ordering.kmd.load_barrier = true;
}

}  // namespace fenceline::generate
