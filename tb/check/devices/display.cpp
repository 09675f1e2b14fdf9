#include "tb/check/devices/display.h"

#include <algorithm>
#include <iterator>

namespace fenceline::check {

using common::At;

void DisplayChecks::fail(std::uint64_t adapter, const std::string& message) {
  Reporter& report = world_.report;
  report.fail(
      Invariant::kTearing, adapter,
      report.name(common::ObjectKind::kAdapter, adapter) + ": " + message + " " + report.now());
}

void DisplayChecks::on(const At<event::Present>& event) {
  displays_[event.adapter].presents.push_back({event.present, event.address, event.context});
}

/// Presents of a device in error may be skipped; all others take effect in order. An address that
/// is written again, as after a reset of the adapter, changes nothing on the screen.
void DisplayChecks::on(const At<event::FlipEffective>& event) {
  Display& display = displays_[event.adapter];
  world_.report.checked(Invariant::kTearing);
  const bool stays = display.current == event.address;
  display.current = event.address;
  auto& presents = display.presents;
  const auto next = std::find_if(presents.begin(), presents.end(), [&](const Present& present) {
    return present.address == event.address || ended_.count(present.context) == 0;
  });
  const bool presented = next != presents.end() && next->address == event.address;
  if (stays && !presented) return;
  if (event.within != 0)
    fail(event.adapter, "a flip took effect in the middle of frame " + text(event.frame));
  if (next == presents.end())
    return fail(event.adapter, "an image is shown that nobody has presented");
  if (!presented)
    fail(event.adapter, "present " + text(next->number) +
                            " is passed by a later one: its image is not the one of frame " +
                            text(event.frame));
  presents.erase(presents.begin(), std::next(next));
}

void DisplayChecks::on(const At<event::ScanTop>& event) {
  Display& display = displays_[event.adapter];
  display.top_address = event.address;
  display.top = event.word;
}

void DisplayChecks::on(const At<event::ScanBottom>& event) {
  Display& display = displays_[event.adapter];
  world_.report.checked(Invariant::kTearing);
  const std::string frame = "frame " + text(event.frame);
  if (display.top_address != event.address)
    return fail(event.adapter, frame + " is torn: it shows image " + text(display.top) +
                                   " at its top and image " + text(event.word) + " at its bottom");
  if (display.top != event.word)
    return fail(event.adapter, frame + " shows an image that is being drawn: its top is of image " +
                                   text(display.top) + ", its bottom of image " + text(event.word));
  if (event.word < display.shown)
    return fail(event.adapter,
                frame + " shows image " + text(event.word) + " after image " + text(display.shown));
  display.shown = event.word;
}

void DisplayChecks::on(const At<event::FlipDone>& event) {
  const Display& display = displays_[event.adapter];
  if (display.current != event.address)
    fail(event.adapter, "the OS takes present " + text(event.present) +
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
