#include "tb/check/display.h"

namespace fenceline::check {

using common::Event;

DisplayChecks& DisplayChecks::operator=(const DisplayChecks& other) {
  displays_ = other.displays_;
  ended_ = other.ended_;
  return *this;
}

void DisplayChecks::fail(std::uint64_t adapter, const std::string& message) {
  Reporter& report = world_.report;
  if (report.broken(Invariant::kTearing, static_cast<std::uint32_t>(adapter)))
    report.add(Invariant::kTearing, 0,
               report.name(common::ObjectKind::kAdapter, adapter) + ": " + message + " " +
                   at_time(report.time()));
}

void DisplayChecks::on_present(const Event& event) {
  displays_[event.object].presents.push_back({event.a, event.b, event.c});
}

/// Presents of a device in error may be left out; all others come in their order.
void DisplayChecks::on_effective(const Event& event) {
  Display& display = displays_[event.object];
  world_.report.checked(Invariant::kTearing);
  display.current = event.a;
  if (event.b != 0)
    fail(event.object, "a flip took effect in the middle of frame " + text(event.c));
  auto& presents = display.presents;
  while (!presents.empty() && presents.front().address != event.a &&
         ended_.count(presents.front().context) != 0)
    presents.pop_front();
  if (presents.empty()) return fail(event.object, "an image is shown that nobody has presented");
  if (presents.front().address != event.a)
    fail(event.object, "present " + text(presents.front().number) +
                           " is passed by a later one: its image is not the one of frame " +
                           text(event.c));
  presents.pop_front();
}

void DisplayChecks::on_top(const Event& event) {
  Display& display = displays_[event.object];
  display.top_address = event.a;
  display.top = event.b;
}

void DisplayChecks::on_bottom(const Event& event) {
  Display& display = displays_[event.object];
  world_.report.checked(Invariant::kTearing);
  const std::string frame = "frame " + text(event.c);
  if (display.top_address != event.a)
    return fail(event.object, frame + " is torn: it shows image " + text(display.top) +
                                  " at its top and image " + text(event.b) + " at its bottom");
  if (display.top != event.b)
    return fail(event.object, frame + " shows an image that is being drawn: its top is of image " +
                                  text(display.top) + ", its bottom of image " + text(event.b));
  if (event.b < display.shown)
    return fail(event.object,
                frame + " shows image " + text(event.b) + " after image " + text(display.shown));
  display.shown = event.b;
}

void DisplayChecks::on_done(const Event& event) {
  const Display& display = displays_[event.object];
  if (display.current != event.b)
    fail(event.object, "the OS takes present " + text(event.a) +
                           " for shown while another primary is scanned out");
}

void DisplayChecks::finish_quiescent() {
  for (const auto& [adapter, display] : displays_)
    for (const Present& present : display.presents) {
      if (ended_.count(present.context) != 0) continue;
      fail(adapter, "present " + text(present.number) + " was never shown");
      break;
    }
}

void DisplayChecks::add_to(Canonical& hash) const {
  for (const auto& [adapter, display] : displays_) {
    hash.add(adapter).add(display.current).add(display.top_address).add(display.top);
    hash.add(display.shown);
    for (const Present& present : display.presents) hash.add(present.address).add(present.context);
  }
}

}  // namespace fenceline::check
