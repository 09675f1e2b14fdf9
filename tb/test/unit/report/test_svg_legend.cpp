#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <string>

#include "tb/report/record/timeline_words.h"
#include "tb/report/rows/timeline_builder.h"
#include "tb/report/writers/svg.h"
#include "tb/test/unit/report/sample.h"

namespace fenceline::report_tests::test_svg_legend {

namespace {

report::Timeline timeline_of(const report::sample::Run& run) {
  return report::build_timeline(run.record.recorder, run.record.names, run.report.end_time);
}

/// The drawing of a timeline up to its first lane.
std::string legend_of(const report::sample::Run& run, const report::Timeline& timeline) {
  report::StringSink sink;
  report::Output out(sink);
  report::write_svg(timeline, run.report, run.record.names, out, {{0, 1000}});
  out.finish();
  return sink.text.substr(0, sink.text.find("class=\"lane\""));
}

}  // namespace

TEST_CASE("each kind of slice has its words in the legend of the drawing", "[report][svg]") {
  report::sample::Run run;
  report::Timeline timeline = timeline_of(run);
  timeline.slices.clear();
  timeline.flows.clear();
  for (int kind = 0; kind < static_cast<int>(report::SliceKind::kCount); ++kind)
    timeline.slices.push_back(
        {0, 50, 0, 1, 0, 0, 0, report::Lane::kDriver, static_cast<report::SliceKind>(kind)});
  const std::string legend = legend_of(run, timeline);
  for (const report::Slice& slice : timeline.slices) {
    CAPTURE(report::style(slice));
    CHECK(legend.find(std::string("class=\"") + report::style(slice) + "\"/>") !=
          std::string::npos);
  }
  CHECK(legend.find(">call of the driver</text>") != std::string::npos);
}

TEST_CASE("each kind of mark has a sign of its own in the drawing and its legend",
          "[report][svg]") {
  report::sample::Run run;
  report::Timeline timeline = timeline_of(run);
  timeline.instants.clear();
  const auto add = [&](report::InstantKind kind, common::EventKind event = {}) {
    const report::Lane lane = report::Lane::kQueue;
    timeline.instants.push_back({timeline.instants.size(), 0, 1, 0, lane, kind, event});
  };
  using report::InstantKind;
  for (auto kind = InstantKind::kCmpRaises; kind < InstantKind::kStory;
       kind = static_cast<InstantKind>(static_cast<int>(kind) + 1))
    add(kind);
  add(InstantKind::kEvent, common::kKindOf<event::LinkFault>);
  add(InstantKind::kEvent, common::kKindOf<event::MessageDelivered>);
  add(InstantKind::kEvent, common::kKindOf<event::WorkDropped>);
  const std::string legend = legend_of(run, timeline);
  const std::regex sign(
      R"re(<path class="(.*?)" d="M\S+ \S+ (.*?)"><title>(.*?)</title></path>\s*(<text.*?>(.)</text>)?)re");
  std::map<std::string, std::string> signs;  // by form, colour left out
  for (std::sregex_iterator it(legend.begin(), legend.end(), sign), end; it != end; ++it) {
    const std::string filled = it->str(1).find("empty") == 0 ? "empty" : "";
    const std::string form =
        it->str(2) + filled + (it->str(4).find("letter") != std::string::npos ? it->str(5) : "");
    CAPTURE(it->str(3), form);
    CHECK(signs.emplace(form, it->str(3)).second);
    CHECK(legend.find(">" + it->str(3) + "</text>") != std::string::npos);
  }
  CHECK(signs.size() == timeline.instants.size());
}

}  // namespace fenceline::report_tests::test_svg_legend
