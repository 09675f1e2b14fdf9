#include "tb/report/meters/display_meter.h"

#include "tb/report/record/at_or_grow.h"

namespace fenceline::report {

using common::At;

void DisplayMeter::on(const At<event::Present>& event) {
  at_or_grow(screens_, event.adapter).waiting.push_back(event.address);
}

void DisplayMeter::on(const At<event::FlipEffective>& event) {
  Screen& screen = at_or_grow(screens_, event.adapter);
  const bool is_next = !screen.waiting.empty() && screen.waiting.front() == event.address;
  if (screen.current == event.address && !is_next) return;  // written again after a reset
  ++flips_;
  screen.flipped = true;
  screen.current = event.address;
  if (!screen.waiting.empty()) screen.waiting.pop_front();
}

void DisplayMeter::on(const At<event::VerticalSync>& event) {
  Screen& screen = at_or_grow(screens_, event.adapter);
  ++frames_;
  missed_syncs_ += !screen.flipped && !screen.waiting.empty() ? 1 : 0;
  screen.flipped = false;
}

void DisplayMeter::on(const At<event::ScanTop>& event) {
  Screen& screen = at_or_grow(screens_, event.adapter);
  screen.top = event.word;
  screen.top_address = event.address;
}

void DisplayMeter::on(const At<event::ScanBottom>& event) {
  const Screen& screen = at_or_grow(screens_, event.adapter);
  if (screen.top_address != event.address)
    ++tears_;
  else if (screen.top != event.word)
    ++unfinished_;
}

void DisplayMeter::report(std::vector<Counter>& counters) const {
  if (frames_ == 0) return;
  const auto add = [&](const char* name, const char* meaning, std::uint64_t value) {
    counters.push_back({name, "count", meaning, value});
  };
  add("display.frames", "frames that the displays have scanned out", frames_);
  add("display.flips", "times that another primary was scanned out from then on", flips_);
  add("display.missed_syncs", "vertical syncs that had no new image, although one was presented",
      missed_syncs_);
  add("display.tears", "frames with two images", tears_);
  add("display.unfinished", "frames with an image that was being drawn", unfinished_);
}

}  // namespace fenceline::report
