#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tb/report/record/timeline.h"
#include "tb/report/rows/timeline_builder.h"
#include "tb/report/writers/fst.h"
#include "tb/report/writers/junit.h"
#include "tb/report/writers/perfetto.h"
#include "tb/report/writers/svg.h"
#include "tb/report/writers/svg_layout.h"
#include "tb/report/writers/vcd.h"
#include "tb/test/support/temp_folder.h"
#include "tb/test/unit/report/sample.h"

namespace fenceline::report_tests::test_traces {

namespace common = fenceline::common;
namespace event = fenceline::event;
namespace report = fenceline::report;
using report::SliceKind;

namespace {

template <typename Write>
std::string written(Write write) {
  report::StringSink sink;
  report::Output out(sink);
  write(out);
  out.finish();
  return sink.text;
}

report::Timeline timeline_of(const report::sample::Run& run) {
  return report::build_timeline(run.record.recorder, run.record.names, run.report.end_time);
}

std::string svg_of(const report::sample::Run& run) {
  const report::Timeline timeline = timeline_of(run);
  return written(
      [&](report::Output& out) { report::write_svg(timeline, run.report, run.record.names, out); });
}

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t found = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) {
    ++found;
  }
  return found;
}

/// True when every tag is closed in order: enough of XML for what our writers produce.
bool well_formed(const std::string& xml) {
  static const std::regex tag("<(/?)([A-Za-z]+)((?:[^<>\"]|\"[^\"<]*\")*?)(/?)>");
  std::vector<std::string> open;
  std::string rest = std::regex_replace(xml, std::regex("<\\?xml[^>]*\\?>"), "");
  for (std::sregex_iterator it(rest.begin(), rest.end(), tag), end; it != end; ++it) {
    const std::smatch& match = *it;
    if (match[1] == "/") {
      if (open.empty() || open.back() != match[2]) return false;
      open.pop_back();
    } else if (match[4] != "/") {
      open.push_back(match[2]);
    }
  }
  const std::string text = std::regex_replace(rest, tag, "");
  return open.empty() && text.find_first_of("<>") == std::string::npos;
}

/// Changes of one variable: time and value as text.
using Changes = std::vector<std::pair<std::uint64_t, std::string>>;

/// A small reader of VCD: full name to its changes. Fails the test on anything it does not know.
std::map<std::string, Changes> read_vcd(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> scope;
  std::map<std::string, std::string> names;  // by code
  std::map<std::string, Changes> changes;
  std::uint64_t time = 0;
  std::string word;
  while (in >> word) {
    std::string skip, code, name, width, kind;
    if (word == "$scope") {
      in >> kind >> name >> skip;
      scope.push_back(name);
    } else if (word == "$upscope") {
      in >> skip;
      scope.pop_back();
    } else if (word == "$var") {
      in >> kind >> width >> code >> name;
      while (in >> skip && skip != "$end") continue;
      std::string full;
      for (const std::string& part : scope) full += part + ".";
      REQUIRE(names.emplace(code, full + name).second);
    } else if (word == "$version" || word == "$timescale" || word == "$date" ||
               word == "$enddefinitions") {
      while (in >> skip && skip != "$end") continue;
    } else if (word[0] == '#') {
      const std::uint64_t next = std::stoull(word.substr(1));
      REQUIRE(next >= time);
      time = next;
    } else if (word[0] == 'b') {
      in >> code;
      REQUIRE(names.count(code) == 1);
      changes[names[code]].emplace_back(time, word.substr(1));
    } else if (word[0] == '0' || word[0] == '1' || word[0] == 'x') {
      REQUIRE(names.count(word.substr(1)) == 1);
      changes[names[word.substr(1)]].emplace_back(time, word.substr(0, 1));
    } else {
      INFO(word);
      REQUIRE((word == "$dumpvars" || word == "$end"));
    }
  }
  CHECK(scope.empty());
  return changes;
}

}  // namespace

TEST_CASE("the timeline joins each signal to the waits it releases", "[report][timeline]") {
  report::sample::Run run(2);
  const report::Timeline timeline = timeline_of(run);
  CHECK(timeline.flows.size() == 4);  // a GPU wait and a CPU wait each round
  for (const report::Flow& flow : timeline.flows) {
    const report::Slice& signal = timeline.slices[flow.signal];
    const report::Slice& wait = timeline.slices[flow.wait];
    CHECK(signal.kind == SliceKind::kSignal);
    CHECK((wait.kind == SliceKind::kCpuWait || wait.kind == SliceKind::kGpuWait));
    CHECK(signal.detail == wait.detail);
    CHECK(timeline.instants[flow.release].time >= signal.begin);
  }
}

TEST_CASE("a wait whose value was there before it has no releasing signal", "[report][timeline]") {
  report::Recorder recorder;
  recorder.on_event(common::entry_of(1, 0, event::SignalBegin{1, 5, 1, 1}));
  recorder.on_event(common::entry_of(2, 0, event::CurrentValueVisible{1, 5, 0}));
  recorder.on_event(common::entry_of(9, 0, event::WaitAdd{1, 5, 1, 1U, 0, 0}));
  recorder.on_event(common::entry_of(9, 0, event::WaitRelease{1, 5, 1, 1U}));
  CHECK(report::build_timeline(recorder, {}, 10).flows.empty());
}

TEST_CASE("slices that cross go to rows of their own", "[report][timeline]") {
  std::vector<report::Slice> slices(5);
  const std::pair<std::uint64_t, std::uint64_t> spans[] = {
      {0, 10}, {2, 8}, {3, 9}, {8, 9}, {10, 12}};
  std::vector<const report::Slice*> pointers;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    slices[i].begin = spans[i].first;
    slices[i].end = spans[i].second;
    pointers.push_back(&slices[i]);
  }
  const auto places = report::nest(pointers);
  CHECK(places[0].row == 0);
  CHECK((places[1].row == 0 && places[1].depth == 1));
  CHECK(places[2].row == 1);
  CHECK((places[3].row == 0 && places[3].depth == 1));
  CHECK((places[4].row == 0 && places[4].depth == 0));
}

TEST_CASE("the drawing shows signals and waits and arrows", "[report][svg]") {
  report::sample::Run run(2);
  const std::string svg = svg_of(run);
  CHECK(well_formed(svg));
  CHECK(count(svg, "<rect class=\"signal\" x=") == 4);  // 2 by a queue, 2 by the CPU
  CHECK(count(svg, "<rect class=\"wait\" x=") >= 4);
  CHECK(count(svg, "<path class=\"arrow\"") == 4 + 1);
  CHECK(count(svg, "<rect class=\"lost\" x=") >= 2);
  CHECK(svg.find("app/render") != std::string::npos);
  CHECK(svg.find("gpu0.up") != std::string::npos);
  CHECK(svg.find("cpu0") != std::string::npos);
  CHECK(svg.find("simulated time") != std::string::npos);
  CHECK(svg.find("\xC2\xB5s</text>") != std::string::npos);
  CHECK(svg.find("one wait &lt;&amp; one signal&gt;") != std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
}

TEST_CASE("boxes of one row and depth do not overlap in the drawing", "[report][svg]") {
  report::sample::Run run(3000);
  const std::string svg = svg_of(run);
  CHECK(svg.size() < 400'000);
  CHECK(svg.find("later slices are not drawn") != std::string::npos);
  static const std::regex box(
      "<rect class=\"[a-z ]+\" x=\"([0-9.]+)\" y=\"([0-9.]+)\" width=\"([0-9.]+)\" "
      "height=\"([0-9.]+)\"><title>");
  std::map<std::string, double> right;  // by y and height
  std::size_t boxes = 0;
  for (std::sregex_iterator it(svg.begin(), svg.end(), box), end; it != end; ++it) {
    const double x = std::stod((*it)[1]), width = std::stod((*it)[3]);
    double& last = right[(*it)[2].str() + "/" + (*it)[4].str()];
    CHECK(x >= last - 1.6);  // boxes are at least 1.5 px wide
    last = x + width;
    CHECK(last <= 1480);
    ++boxes;
  }
  CHECK(boxes > 100);
}

TEST_CASE("a window shows what lies in it and nothing else", "[report][svg]") {
  report::sample::Run run(3000);
  const report::Timeline timeline = timeline_of(run);
  const auto drawn = [&](std::uint64_t begin, std::uint64_t end) {
    return written([&](report::Output& out) {
      report::write_svg(timeline, run.report, run.record.names, out, {{begin, end}});
    });
  };
  const std::string one = drawn(100'000'000'000, 100'100'000'000);
  CHECK(count(one, "<rect class=\"signal\" x=") == 1 + 1);  // one is in the legend
  CHECK(one.find("100 ms to 100.1 ms of") != std::string::npos);
  CHECK(count(drawn(0, 300'000'000'000), "<title>") < report::SvgLayout::kMostSlices + 3000);
}

TEST_CASE("the legend has the styles and marks that are drawn", "[report][svg]") {
  report::sample::Run run;
  const std::string svg = svg_of(run);
  CHECK(svg.find(">doorbell</text>") != std::string::npos);
  CHECK(svg.find(">lost log entries</text>") != std::string::npos);
  CHECK(svg.find(">buffer of a context</text>") == std::string::npos);
  CHECK(svg.find(">scan-out changes</text>") == std::string::npos);
}

TEST_CASE("a call of the driver is drawn", "[report][svg]") {
  report::sample::Run run;
  report::Timeline timeline = timeline_of(run);
  timeline.slices.insert(timeline.slices.begin(),
                         {0, 50, 0, 1, 0, 0, 0, report::Lane::kDriver, report::SliceKind::kDdi});
  for (report::Flow& flow : timeline.flows) flow = {flow.signal + 1, flow.wait + 1, flow.release};
  const std::string svg = written([&](report::Output& out) {
    report::write_svg(timeline, run.report, run.record.names, out, {{0, 1000}});
  });
  CHECK(count(svg, "<rect class=\"driver\" x=") == 1);
  CHECK(svg.find(">call of the driver</text>") != std::string::npos);
}

TEST_CASE("a wait that never ends is drawn to the end and marked", "[report][svg]") {
  report::sample::Run run;
  run.record.recorder.on_event(
      common::entry_of(90'000'000, 1, event::WaitAdd{1, 99, 50, 2U, 0, 0}));
  const std::string svg = svg_of(run);
  CHECK(svg.find("class=\"wait open\" x=") != std::string::npos);
  CHECK(svg.find("app/frame &gt;= 99") != std::string::npos);
  CHECK(svg.find("never ended</title>") != std::string::npos);
}

TEST_CASE("an empty run gives valid files", "[report][svg]") {
  report::RunReport run;
  const report::Timeline timeline = report::build_timeline(report::Recorder{}, {}, 0);
  CHECK(well_formed(
      written([&](report::Output& out) { report::write_svg(timeline, run, {}, out); })));
  CHECK(read_vcd(written([&](report::Output& out) {
          report::write_vcd(report::Recorder{}, {}, out);
        })).empty());
  CHECK_FALSE(
      written([&](report::Output& out) { report::write_perfetto(timeline, {}, out); }).empty());
}

TEST_CASE("waves hold values of fences and states of queues and cores", "[report][vcd]") {
  report::sample::Run run;
  auto changes = read_vcd(written(
      [&](report::Output& out) { report::write_vcd(run.record.recorder, run.record.names, out); }));
  const auto current = changes["fenceline.fences.app_frame.current_value"];
  REQUIRE(current.size() == 3);  // x, then 0, then 1
  CHECK(current[2] == std::make_pair(std::uint64_t{30'400'000}, std::string("1")));
  CHECK(changes["fenceline.fences.app_frame.shadow"].back().second == std::string(64, '1'));
  CHECK(changes["fenceline.cores.cpu0.c_state"] ==
        Changes{{0, "0"}, {10'000'000, "10"}, {32'000'000, "0"}});
  CHECK(changes["fenceline.adapters.gpu0.interrupt_pending"] ==
        Changes{{0, "0"}, {31'200'000, "1"}, {33'500'000, "0"}});
  CHECK(changes["fenceline.adapters.gpu0.msi"] == Changes{{31'300'000, "1"}});
  CHECK(changes["fenceline.queues.app_copy.opcode"] ==
        Changes{{0, "x"}, {3'000'000, "11"}, {31'000'000, "x"}});
}

TEST_CASE("waves tell adapters apart", "[report][vcd]") {
  report::Names names;
  names.objects[static_cast<std::size_t>(common::ObjectKind::kFence)] = {"none", "f"};
  names.objects[static_cast<std::size_t>(common::ObjectKind::kAdapter)] = {"none", "gpu0", "gpu1"};
  report::Recorder recorder;
  recorder.on_event(common::entry_of(5, 0, event::MonitoredValueVisible{1, 3, 2}));
  auto changes =
      read_vcd(written([&](report::Output& out) { report::write_vcd(recorder, names, out); }));
  CHECK(changes["fenceline.fences.f.gpu1_monitored"].back().second == "11");
  CHECK(changes["fenceline.fences.f.gpu0_monitored"].back().second == "x");
}

TEST_CASE("waves show an interrupt as pending until all entries are acknowledged",
          "[report][vcd]") {
  report::Names names;
  names.objects[static_cast<std::size_t>(common::ObjectKind::kAdapter)] = {"none", "gpu0"};
  report::Recorder recorder;
  recorder.on_event(common::entry_of(1, 0, event::InterruptRaised{1, 1, 1, 1U, false}));
  recorder.on_event(common::entry_of(2, 0, event::InterruptRaised{1, 1, 2, 1U, false}));
  recorder.on_event(common::entry_of(3, 0, event::IsrAcknowledge{1, 1}));
  recorder.on_event(common::entry_of(4, 0, event::IsrAcknowledge{1, 2}));
  auto changes =
      read_vcd(written([&](report::Output& out) { report::write_vcd(recorder, names, out); }));
  CHECK(changes["fenceline.adapters.gpu0.interrupt_pending"] ==
        Changes{{0, "0"}, {1, "1"}, {4, "0"}});
}

TEST_CASE("the junit file has a case for each expectation and invariant", "[report][junit]") {
  report::sample::Run run;
  run.report.expected.push_back({"/expect/counters/1", "waits <= 1", "2 & more", false});
  run.report.exercised.push_back({"I2", "NO_LOST_GPU_WAITER", 0, 0});
  run.report.exercised.push_back({"I4", "NO_EARLY_RELEASE", 3, 1});
  run.report.exercised.push_back({"I9", "OTHER", 3, 1});
  run.scenario.expect.violations = {"I9"};
  run.report.exit_code = 1;
  const std::string xml = report::junit_file(report::junit_suite(run.report));
  CHECK(well_formed(xml));
  CHECK(xml.find("tests=\"6\" failures=\"3\" errors=\"0\"") != std::string::npos);
  CHECK(xml.find("NO_LOST_GPU_WAITER") == std::string::npos);  // never put to the test
  CHECK(xml.find("waits &lt;= 1: found 2 &amp; more") != std::string::npos);
}

TEST_CASE("the perfetto trace passes its checker", "[report][perfetto]") {
  if (std::system("protoc --version >/dev/null 2>&1") != 0) {
    WARN("protoc is not installed: only the framing is checked");
  }
  report::sample::Run run(50);
  const report::Timeline timeline = timeline_of(run);
  const std::string trace = written(
      [&](report::Output& out) { report::write_perfetto(timeline, run.record.names, out); });
  REQUIRE(trace.size() > 1000);
  CHECK(trace[0] == 0x0a);  // Trace.packet
  const fenceline::support::TempFolder folder;
  const std::string file = (folder / "trace.pftrace").string();
  std::ofstream(file, std::ios::binary) << trace;
  const int status =
      std::system(("python3 " FENCELINE_SOURCE_DIR "/scripts/check/outputs trace --expect-flows " +
                   file + " >/dev/null")
                      .c_str());
  CHECK((WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77));
}

TEST_CASE("waves convert to fst with the same bytes each time", "[report][fst]") {
  if (!report::can_write_fst()) {
    WARN("vcd2fst is not installed");
    return;
  }
  report::sample::Run run;
  const fenceline::support::TempFolder folder;
  std::ofstream(folder / "waves.vcd") << written(
      [&](report::Output& out) { report::write_vcd(run.record.recorder, run.record.names, out); });
  report::convert_to_fst(folder / "waves.vcd", folder / "waves.fst");
  CHECK(std::filesystem::file_size(folder / "waves.fst") > 100);
  CHECK_THROWS_AS(report::convert_to_fst(folder / "none.vcd", folder / "none.fst"),
                  report::WriteError);
}

}  // namespace fenceline::report_tests::test_traces
