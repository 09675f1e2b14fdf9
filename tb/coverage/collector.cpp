#include "tb/coverage/collector.h"

#include <algorithm>
#include <stdexcept>

#include "tb/run/machine/initial_state.h"
#include "tb/scenario/shapes/ordering_names.h"

namespace fenceline::coverage {

namespace {

constexpr const char* kDigits = "0123456789abcdef";
constexpr std::size_t kDigitsOfWord = 16;

/// Finds the value that each switch has.
struct SwitchValues {
  template <class M, class T, std::size_t N>
  void mechanism(const char* /*name*/, const M& member, const abi::SwitchValues<T, N>& values,
                 const char* /*doc*/) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i].value == member) all.push_back(i);
  }
  template <class M, class T, std::size_t N>
  void variant(const char* name, const M& member, const abi::SwitchValues<T, N>& values,
               const char* doc) {
    mechanism(name, member, values, doc);
  }

  std::vector<std::size_t> all;  ///< index of the value, by switch
};

std::vector<std::size_t> switch_values(const run::ScenarioMachine& machine) {
  SwitchValues values;
  user::Ordering::switches(values, machine.scenario().platform.ordering);
  return std::move(values.all);
}

}  // namespace

std::vector<Point> Hits::points() const {
  std::vector<Point> points;
  for (std::size_t word = 0; word < words_.size(); ++word)
    for (std::uint64_t left = words_[word]; left != 0; left &= left - 1)
      points.push_back(static_cast<Point>(word * kBits) +
                       static_cast<Point>(__builtin_ctzll(left)));
  return points;
}

std::string Hits::text() const {
  std::string text;
  for (const std::uint64_t word : words_)
    for (std::size_t digit = 0; digit < kDigitsOfWord; ++digit)
      text += kDigits[word >> (4 * digit) & 15U];
  return text;
}

Hits Hits::of(const std::string& text) {
  Hits hits;
  const std::string_view digits = kDigits;
  if (text.size() != hits.words_.size() * kDigitsOfWord)
    throw std::invalid_argument("coverage of another program");
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint64_t value = digits.find(text[i]);
    if (value >= digits.size()) throw std::invalid_argument("no coverage");
    hits.words_[i / kDigitsOfWord] |= value << (4 * (i % kDigitsOfWord));
  }
  return hits;
}

void Collector::built(run::ScenarioMachine& machine) {
  machine.simulation().events.subscribe(*this);
}

void Collector::ready(run::ScenarioMachine& machine) {
  ready_ = true;
  for (const Thread* thread : machine.threads()) threads_[thread->agent] = thread;
  switches_ = switch_values(machine);
  for (std::size_t i = 0; i < switches_.size(); ++i)
    hits_.add(space_.switch_value(i, switches_[i]));
  for (const common::Event& event : run::initial_state(machine)) on_event(event);
}

/// A switch is to blame only if all others have their defaults.
void Collector::ended(run::ScenarioMachine& /*machine*/, const report::RunReport& report) {
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < switches_.size(); ++i)
    if (switches_[i] != scenario::switch_infos()[i].initial) changed.push_back(i);
  if (changed.size() == 1) look_at_findings(changed.front(), switches_[changed.front()], report);
}

void Collector::look_at_findings(std::size_t number, std::size_t value,
                                 const report::RunReport& report) {
  const auto look_at = [&](std::string_view finding) {
    if (const auto point = space_.broken(number, value, finding)) hits_.add(*point);
  };
  for (const check::Violation& violation : report.violations) look_at(violation.invariant);
  if (report.bug_check) look_at(scenario::Findings::kBugCheck);
  if (report.ending == report::Ending::kHang || report.ending == report::Ending::kLivelock ||
      report.ending == report::Ending::kStepLimit)
    look_at(scenario::Findings::kHang);
}

void Collector::on_event(const common::Event& event) {
  hits_.add(space_.event(event.kind));
  look_at_words(event);
  if (!ready_) return;
  look_at_objects(event);
  look_at_order(event);
  change_state(event);
  look_at_operation(event);
}

Collector::Object& Collector::object(std::size_t kind, std::uint64_t number) {
  std::vector<Object>& objects = objects_[kind];
  if (objects.size() <= number) objects.resize(number + 1);
  return objects[number];
}

/// The event comes in the present states of its objects.
void Collector::look_at_objects(const common::Event& event) {
  const event::Record record = event.record();
  for (const Named& named : states_.named(event.kind)) {
    const std::uint64_t number = named.place.of(record);
    if (number == 0) continue;
    if (const auto& state = object(named.kind, number).state)
      hits_.add(space_.event_in_state(event.kind, named.kind, *state));
  }
}

/// The event follows one of another agent at the same object.
void Collector::look_at_order(const common::Event& event) {
  const std::optional<std::size_t> kind = space_.ordered_at(event.kind);
  if (!kind || event.agent == 0 || event.object == 0) return;
  std::optional<Last>& last = object(*kind, event.object).last;
  if (last && last->agent != event.agent) hits_.add(space_.order(*kind, last->kind, event.kind));
  last = Last{event.kind, event.agent};
}

void Collector::change_state(const common::Event& event) {
  if (event.object == 0) return;
  if (event.is<event::FenceKind>()) object(0, event.object).fence = FenceKind::kMonitored;
  if (event.is<event::CrossAdapterFence>())
    object(0, event.object).fence = FenceKind::kCrossAdapter;
  const std::optional<std::size_t> state = states_.after(event);
  if (!state) return;
  const auto* const kind =
      std::find(kFollowed.begin(), kFollowed.end(), common::object_kind(event.kind));
  const auto number = static_cast<std::size_t>(kind - kFollowed.begin());
  object(number, event.object).state = state;
  hits_.add(space_.state(number, *state));
}

void Collector::look_at_operation(const common::Event& event) {
  if (!operations_.of(event.kind)) return;
  const std::uint64_t operation = operations_.number(event);
  if (!operations_.begins(event.kind)) return end(operation);
  if (event.is<event::ThreadStep>() && threads_.count(event.agent) == 0) return;
  begin(operation, feature_of(event));
}

std::size_t Collector::feature_of(const common::Event& event) {
  if (event.is<event::ThreadStep>())
    return space_.step_feature(threads_.at(event.agent)->step->what.index());
  const bool fence = common::object_kind(event.kind) == common::ObjectKind::kFence;
  return space_.feature(event.kind, fence ? object(0, event.object).fence : FenceKind::kNative);
}

void Collector::begin(std::uint64_t operation, std::size_t feature) {
  end(operation);
  for (const std::size_t other : in_flight_) hits_.add(space_.pair(other, feature));
  open_.emplace(operation, feature);
  in_flight_.push_back(feature);
}

void Collector::end(std::uint64_t operation) {
  const auto found = open_.find(operation);
  if (found == open_.end()) return;
  const auto one = std::find(in_flight_.begin(), in_flight_.end(), found->second);
  *one = in_flight_.back();
  in_flight_.pop_back();
  open_.erase(found);
}

/// Steps, commands and driver calls.
void Collector::look_at_words(const common::Event& event) {
  if (event.is<event::DdiCall>()) {
    const auto ddi = static_cast<os::Ddi>(event.as<event::DdiCall>().ddi);
    if (const auto point = space_.driver_call(ddi)) hits_.add(*point);
    return;
  }
  const bool step = event.is<event::ThreadStep>();
  if (!step && !event.is<event::ThreadCommand>()) return;
  const auto found = threads_.find(event.agent);
  if (found == threads_.end()) return;
  if (step)
    hits_.add(space_.step(found->second->step->what.index()));
  else
    hits_.add(space_.command(found->second->command->what.index()));
}

}  // namespace fenceline::coverage
