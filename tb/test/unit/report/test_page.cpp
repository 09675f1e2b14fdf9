// report.html: rows, columns and series of the page, and what is written where.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tb/report/record/packing.h"
#include "tb/report/record/timeline_words.h"
#include "tb/report/rows/timeline_builder.h"
#include "tb/report/rows/value_series.h"
#include "tb/report/writers/json_writers.h"
#include "tb/report/writers/page.h"
#include "tb/report/writers/page_columns.h"
#include "tb/test/unit/report/sample.h"

namespace fenceline::report::test_page {

namespace {

constexpr std::string_view kShell = "<title>{{title}}</title>|{{meta}}|{{columns}}|end";

Timeline timeline_of(const sample::Run& run) {
  return build_timeline(run.record.recorder, run.record.names, run.report.end_time);
}

std::string page_of(const sample::Run& run, std::string_view shell = kShell) {
  StringSink sink;
  Output out(sink);
  write_page({"run", shell}, timeline_of(run), run.report, run.record.names, out);
  out.finish();
  return sink.text;
}

/// The parts of a page that was written into kShell: title, meta, columns.
std::vector<std::string> parts_of(const std::string& page) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t to = page.find('|'); to != std::string::npos; to = page.find('|', from)) {
    parts.push_back(page.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

using Numbers = std::vector<std::uint64_t>;

std::uint64_t difference(std::uint64_t number) {
  return number % 2 == 0 ? number >> 1 : ~(number >> 1);
}

/// Reads columns.
class Columns {
 public:
  explicit Columns(std::string bytes) : bytes_(std::move(bytes)) {}

  Numbers next(std::size_t count) {
    Numbers numbers(count);
    const auto width = unsigned{static_cast<unsigned char>(bytes_.at(at_++))};
    for (unsigned shift = 0; shift < 8 * width; shift += 8)
      for (std::uint64_t& it : numbers)
        it |= std::uint64_t{static_cast<unsigned char>(bytes_.at(at_++))} << shift;
    return numbers;
  }
  bool over() const { return at_ == bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

struct Span {
  std::uint32_t row;
  std::uint64_t begin = 0, end = 0, title = 0, value = 0, open = 0, place = 0;
};

/// The slices of columns, in their order. @param instants the number of instants of each row
std::vector<Span> spans_of(Columns& columns, const PageColumns& written, std::size_t titles,
                           Numbers* instants = nullptr) {
  std::vector<Span> spans;
  const Numbers counts = columns.next(written.rows.size());
  for (std::uint32_t row = 0; row < counts.size(); ++row)
    spans.resize(spans.size() + counts[row], {row});
  const Numbers other = columns.next(written.rows.size());
  if (instants != nullptr) *instants = other;
  const std::size_t all = spans.size();
  const Numbers begins = columns.next(all), lasts = columns.next(all), names = columns.next(all),
                values = columns.next(all), open = columns.next(all), places = columns.next(all);
  Numbers last(titles);
  for (std::size_t i = 0; i < all; ++i) {
    const bool first = i == 0 || spans[i].row != spans[i - 1].row;
    spans[i].begin = (first ? 0 : spans[i - 1].begin) + begins[i];
    spans[i].end = spans[i].begin + lasts[i];
    spans[i].title = names[i];
    spans[i].value = last[names[i]] += difference(values[i]);
    spans[i].open = open[i];
    spans[i].place = places[i];
  }
  return spans;
}

/// A timeline with signals of one fence on one queue: values and times.
Timeline signals(const std::vector<std::uint64_t>& values) {
  Timeline timeline;
  for (const std::uint64_t value : values) {
    const std::uint64_t begin = 100 * timeline.slices.size();
    timeline.slices.push_back(
        {begin, begin + 50, value, 1, 1, 0, 0, Lane::kQueue, SliceKind::kSignal});
  }
  return timeline;
}

}  // namespace

TEST_CASE("a page has every slice of the timeline and those of a row do not overlap", "[report]") {
  const sample::Run run(3);
  const Timeline timeline = timeline_of(run);
  const Tracks tracks(timeline, run.record.names);
  const PageColumns columns(timeline, tracks, run.record.names, {});
  Columns read(columns.bytes);
  const std::vector<Span> spans = spans_of(read, columns, tracks.titles.size());
  REQUIRE(spans.size() == timeline.slices.size());
  using Fact = std::tuple<std::uint64_t, std::uint64_t, std::string, bool>;
  std::multiset<Fact> expected, found;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Slice& slice = timeline.slices[i];
    expected.emplace(slice.begin, slice.end, slice_title(slice, run.record.names),
                     is_suspect(slice));
    const Span& it = spans[i];
    found.emplace(it.begin, it.end, tracks.titles.at(it.title), it.open != 0);
    if (i > 0 && spans[i - 1].row == it.row) CHECK(spans[i - 1].end <= it.begin);
  }
  CHECK(found == expected);
}

TEST_CASE("a page has the flows of the timeline and nothing behind them", "[report]") {
  const sample::Run run(2);
  const Timeline timeline = timeline_of(run);
  REQUIRE_FALSE(timeline.flows.empty());
  const Tracks tracks(timeline, run.record.names);
  const PageColumns columns(timeline, tracks, run.record.names, {});
  Columns read(columns.bytes);
  const std::vector<Span> spans = spans_of(read, columns, tracks.titles.size());
  for (int i = 0; i < 5; ++i) read.next(timeline.instants.size());
  CHECK(columns.flows == timeline.flows.size());
  std::multiset<std::uint64_t> expected, found;
  for (const Flow& flow : timeline.flows) expected.insert(timeline.slices[flow.signal].begin);
  std::uint64_t slice = 0, instant = 0;
  for (const std::uint64_t step : read.next(columns.flows))
    found.insert(spans.at(slice += difference(step)).begin);
  CHECK(found == expected);
  for (const std::uint64_t step : read.next(columns.flows)) {
    instant += difference(step);
    CHECK(instant < timeline.instants.size());
  }
  CHECK(read.over());
}

TEST_CASE("an instant counts the edges that it is behind and the time since", "[report]") {
  const sample::Run run;
  Timeline timeline = signals({1, 2});  // from 0 to 50 and from 100 to 150
  for (const std::uint64_t time : {0U, 50U, 60U, 70U, 150U, 400U})
    timeline.instants.push_back({time, 0, 1, 1, Lane::kQueue, InstantKind::kReleased});
  const Tracks tracks(timeline, run.record.names);
  const PageColumns columns(timeline, tracks, run.record.names, {});
  Columns read(columns.bytes);
  Numbers instants;
  spans_of(read, columns, tracks.titles.size(), &instants);
  CHECK(instants == Numbers{6});
  CHECK(read.next(6) == Numbers{1, 1, 0, 0, 2, 0});
  CHECK(read.next(6) == Numbers{0, 0, 10, 10, 0, 250});
}

TEST_CASE("values of a page are exact and it says if they are too long for a browser", "[report]") {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  const sample::Run run;
  const auto check = [&](const std::vector<std::uint64_t>& values, bool wide) {
    const Timeline timeline = signals(values);
    const Tracks tracks(timeline, run.record.names);
    const PageColumns columns(timeline, tracks, run.record.names, {});
    CHECK(columns.wide == wide);
    Columns read(columns.bytes);
    std::vector<std::uint64_t> found;
    for (const Span& it : spans_of(read, columns, tracks.titles.size())) found.push_back(it.value);
    CHECK(found == values);
  };
  check({5, 3, 1000, 0}, false);
  check({7, kMost, 2}, false);  // nobody waits: -1
  check({(std::uint64_t{1} << 53) - 1}, false);
  check({std::uint64_t{1} << 53}, true);
  check({1, kMost - 1, 0, std::uint64_t{1} << 63}, true);
}

TEST_CASE("a page keeps values of fences and the memory of allocations over time", "[report]") {
  sample::Run run;
  Recorder recorder;
  run.stream.subscribe(recorder);
  const auto at = [&](std::uint64_t time, const auto& event) {
    run.now = time;
    run.stream.emit(sample::kOsAgent, event);
  };
  at(10, event::FenceCreate{sample::kData, 4, sample::kGpu, 0});
  at(20, event::AllocationCreated{1, 0, 4096, 0, sample::kGpu});
  at(30, event::MonitoredValueVisible{{sample::kData, 6, sample::kGpu}});
  at(40, event::AllocationCreated{2, 0, 8192, 0, sample::kGpu});
  at(50, event::CurrentValueVisible{{sample::kData, 7, sample::kGpu}});
  at(60, event::AllocationDestroyed{1, false});
  const std::vector<ValueSeries> series = value_series(recorder, run.record.names);
  using Points = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  REQUIRE(series.size() == 3);
  const std::string fence(run.record.names.object(common::ObjectKind::kFence, sample::kData));
  CHECK(series[0].name == fence + " CurrentValue");
  CHECK(series[0].points == Points{{10, 4}, {50, 7}});
  CHECK(series[1].name == fence + " MonitoredValue");
  CHECK(series[1].points == Points{{30, 6}});
  CHECK(series[2].unit == std::string("bytes"));
  CHECK(series[2].points == Points{{20, 4096}, {40, 12288}, {60, 8192}});
}

TEST_CASE("a page has the result and the configuration and the columns", "[report]") {
  const sample::Run run;
  const std::vector<std::string> parts = parts_of(page_of(run));
  REQUIRE(parts.size() == 3);
  CHECK(parts[0] == "<title>" + run.scenario.name + "</title>");
  const auto meta = nlohmann::json::parse(unpacked(parts[1]));
  CHECK(meta.at("result").at("verdict") == run.report.verdict);
  CHECK_FALSE(meta.at("result").contains("exercised"));
  CHECK(meta.at("config").is_object());
  CHECK(meta.at("names").size() == meta.at("colours").size());
  const Timeline timeline = timeline_of(run);
  CHECK(meta.at("slices") == timeline.slices.size());
  const Tracks tracks(timeline, run.record.names);
  const PageColumns columns(timeline, tracks, run.record.names,
                            value_series(run.record.recorder, run.record.names));
  CHECK(unpacked(parts[2]) == columns.bytes);
}

TEST_CASE("a page holds the text of its scenario unless it is too long", "[report]") {
  sample::Run run;
  run.scenario.path = "scenarios/s.json";
  const auto text_of = [&] {
    const auto meta = nlohmann::json::parse(unpacked(parts_of(page_of(run))[1]));
    CHECK(meta.at("scenario_file") == "s.json");
    return meta.at("scenario_text").get<std::string>();
  };
  run.scenario.text = "{\"name\": \"</script>\"}\n";
  CHECK(text_of() == run.scenario.text);
  run.scenario.text = std::string(kMostPageText + 1, ' ');
  CHECK(text_of().empty());
}

TEST_CASE("configurations name a driver that is not built in", "[report]") {
  sample::Run run;
  const auto shown = [&] {
    return nlohmann::json::parse(unpacked(parts_of(page_of(run))[1])).at("config");
  };
  CHECK_FALSE(shown().contains("kmd"));
  CHECK_FALSE(nlohmann::json::parse(config_json(run.report)).contains("kmd"));
  run.report.kmd = "drivers/mine.so";
  CHECK(shown().at("kmd") == "drivers/mine.so");
  const auto meta = nlohmann::json::parse(unpacked(parts_of(page_of(run))[1]));
  CHECK(meta.at("defaults") == nlohmann::json{{"/kmd", nullptr}});
  CHECK(nlohmann::json::parse(config_json(run.report)).at("kmd") == "drivers/mine.so");
}

TEST_CASE("a page has each reason once", "[report]") {
  sample::Run run;
  run.report.violations = {{"I1", "NO_LOST_WAITER", "it waits", 0, 0, 0}};
  run.report.expected = {{"/expect/outcome", "the run completes", "hangs", false}};
  run.report.reasons = {"it waits", "expected that the run completes; found: hangs", "too long"};
  const auto result = nlohmann::json::parse(unpacked(parts_of(page_of(run))[1])).at("result");
  CHECK(result.at("reasons") == nlohmann::json{"too long"});
  CHECK(nlohmann::json::parse(result_json(run.report)).at("reasons").size() == 3);
}

TEST_CASE("a page of a run that is too large says how much it leaves out", "[report]") {
  const sample::Run run(3);
  const Timeline timeline = timeline_of(run);
  StringSink sink;
  Output out(sink);
  write_page({"run", kShell}, timeline, run.report, run.record.names, out, 4);
  out.finish();
  const auto meta = nlohmann::json::parse(unpacked(parts_of(sink.text)[1]));
  const std::size_t all = timeline.slices.size() + timeline.instants.size();
  CHECK(meta.at("thinned").get<std::size_t>() > 0);
  CHECK(meta.at("thinned").get<std::size_t>() + meta.at("slices").get<std::size_t>() +
            meta.at("instants").get<std::size_t>() ==
        all);
  CHECK(nlohmann::json::parse(unpacked(parts_of(page_of(run))[1])).at("thinned") == 0);
}

TEST_CASE("names cannot end the elements of a page or be taken for its marks", "[report]") {
  sample::Run run;
  run.scenario.name = "</title><script>{{columns}}&";
  run.report.reasons = {"</script><b>{{meta}}"};
  const std::vector<std::string> parts = parts_of(page_of(run));
  REQUIRE(parts.size() == 3);
  CHECK(parts[0] == "<title>&lt;/title>&lt;script>{{columns}}&amp;</title>");
  CHECK(parts[1].find('<') == std::string::npos);
  CHECK(nlohmann::json::parse(unpacked(parts[1])).at("result").at("reasons")[0] ==
        "</script><b>{{meta}}");
}

TEST_CASE("a page that lacks a mark is a defect of the program", "[report]") {
  const sample::Run run;
  CHECK_THROWS_AS(page_of(run, "{{title}}{{meta}}"), std::logic_error);
}

}  // namespace fenceline::report::test_page
