// The timeline of a page, read back.
#include <catch2/catch.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include "tb/compare/page_timeline.h"
#include "tb/report/record/packing.h"
#include "tb/report/record/timeline_words.h"
#include "tb/report/rows/timeline_builder.h"
#include "tb/report/writers/page.h"
#include "tb/test/support/page_text.h"
#include "tb/test/unit/report/sample.h"

namespace fenceline::compare::test_page_timeline {

namespace {

constexpr std::string_view kShell =
    "<title>{{title}}</title><script id=\"meta\">{{meta}}</script>"
    "<script id=\"columns\">{{columns}}</script>";

std::string page_of(const report::sample::Run& run) {
  report::StringSink sink;
  report::Output out(sink);
  const auto timeline =
      report::build_timeline(run.record.recorder, run.record.names, run.report.end_time);
  report::write_page({"run", kShell}, timeline, run.report, run.record.names, out);
  out.finish();
  return sink.text;
}

/// Row, name, value, begin, duration, span or instant, open.
using Fact =
    std::tuple<std::string, std::string, std::uint64_t, std::uint64_t, std::uint64_t, bool, bool>;

Fact fact_of(const report::Slice& it, const report::Names& names) {
  const std::uint64_t value = it.kind == report::SliceKind::kTransfer ? it.detail & 0xffff'ffffU
                              : has_value(it.kind)                    ? it.detail
                                                                      : 0;
  return {lane_name(it.lane, it.object, names),
          slice_title(it, names),
          value,
          it.begin,
          it.end - it.begin,
          true,
          is_suspect(it)};
}

Fact fact_of(const report::Instant& it, const report::Names& names) {
  return {lane_name(it.lane, it.object, names),
          instant_title(it, names),
          has_value(it) ? it.detail : 0,
          it.time,
          0,
          false,
          false};
}

}  // namespace

TEST_CASE("a page gives back every slice and instant of its run", "[compare]") {
  const report::sample::Run run(3);
  const report::Names& names = run.record.names;
  const auto timeline = report::build_timeline(run.record.recorder, names, run.report.end_time);
  std::multiset<Fact> expected, found;
  for (const report::Slice& it : timeline.slices) expected.insert(fact_of(it, names));
  for (const report::Instant& it : timeline.instants) expected.insert(fact_of(it, names));
  for (const Row& row : read_timeline(page_of(run)).rows)
    for (const Item& it : row.items)
      found.emplace(row.name, it.name, it.value, it.begin, it.lasts, it.span, it.open);
  CHECK(found == expected);
}

TEST_CASE("items of a row are by begin and overlapping ones share it", "[compare]") {
  std::set<std::pair<std::string, std::string>> seen;
  for (const Row& row : read_timeline(page_of(report::sample::Run(2))).rows) {
    CHECK(seen.emplace(row.group, row.name).second);
    for (std::size_t i = 1; i < row.items.size(); ++i)
      CHECK(row.items[i - 1].begin <= row.items[i].begin);
  }
  CHECK(seen.size() > 3);
}

TEST_CASE("a page that is damaged or of another version is refused", "[compare]") {
  const std::string page = page_of(report::sample::Run());
  const std::string meta = support::meta_text(page);
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = meta;
    return support::with_meta(page, report::packed(text.replace(text.find(from), from.size(), to)));
  };
  std::string behind = page;
  behind.insert(page.find("id=\"columns\">") + 13, "AAAA");
  CHECK_THROWS_AS(read_timeline("<html></html>"), std::invalid_argument);
  CHECK_THROWS_AS(read_timeline(replaced("\"format\":2", "\"format\":1")), std::invalid_argument);
  CHECK_THROWS_AS(read_timeline(replaced("deflate-raw", "none")), std::invalid_argument);
  CHECK_THROWS_AS(read_timeline(page.substr(0, page.size() - 20)), std::invalid_argument);
  CHECK_THROWS_AS(read_timeline(behind), std::invalid_argument);
  CHECK_THROWS_WITH(read_timeline(support::with_meta(page, R"({"format": 1})")),
                    "another version of fenceline wrote it");
}

}  // namespace fenceline::compare::test_page_timeline
