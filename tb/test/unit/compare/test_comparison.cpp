#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tb/compare/comparison.h"
#include "tb/compare/comparison_text.h"
#include "tb/report/writers/json_writers.h"
#include "tb/test/unit/report/sample.h"

namespace fenceline::compare::test_comparison {

namespace {

RunFiles files() {
  const report::sample::Run run;
  RunFiles files;
  files.folder = "runs/a";
  files.result = report::result_document(run.report);
  files.stats = report::stats_document(run.report);
  files.configuration = {
      {"policy", "timing"},
      {"engines", {{{"name", "gfx"}, {"issue", 5}}, {{"name", "dma"}, {"issue", 7}}}},
      {"holds", {1, 2}}};
  files.timeline.emplace();
  return files;
}

/// The differences of a section as "name: a -> b".
std::vector<std::string> differences(const RunFiles& a, const RunFiles& b,
                                     const std::string& title) {
  std::vector<std::string> list;
  for (const Section& section : compare_runs(a, b).sections) {
    if (section.title != title) {
      CHECK(section.differences.empty());
      continue;
    }
    for (const Difference& it : section.differences)
      list.push_back(it.name + ": " + it.a + " -> " + it.b);
  }
  return list;
}

using List = std::vector<std::string>;

}  // namespace

TEST_CASE("a run equals itself", "[compare]") {
  const RunFiles a = files();
  CHECK(compare_runs(a, a).equal());
  CHECK(comparison_text(a, a, compare_runs(a, a), 1).find("difference") == std::string::npos);
}

TEST_CASE("verdicts and reasons are compared", "[compare]") {
  const RunFiles a = files();
  RunFiles b = a;
  b.result["verdict"] = "hang";
  b.result["reasons"] = {"app waits"};
  REQUIRE(a.result["reasons"].empty());
  CHECK(differences(a, b, "verdict") ==
        List{"verdict: " + a.result["verdict"].get<std::string>() + " -> hang",
             "reasons/0: absent -> app waits"});
  CHECK_FALSE(compare_runs(a, b).equal());
}

TEST_CASE("violations are compared by invariant", "[compare]") {
  RunFiles a = files();
  a.result["violations"] = Json::array();
  RunFiles b = a;
  b.result["violations"].push_back(
      {{"invariant", "I1"}, {"name", "NO_LOST_WAITER"}, {"message", "it waits"}, {"time_ps", 7}});
  CHECK(differences(a, b, "invariants") == List{"I1 NO_LOST_WAITER: absent -> it waits (at 7 ps)"});
}

TEST_CASE("expectations are compared by what they ask for", "[compare]") {
  RunFiles a = files();
  const Json one{{"pointer", "/e/0"}, {"expected", "x is 1"}, {"found", "1"}, {"holds", true}};
  const Json two{{"pointer", "/e/1"}, {"expected", "y is 1"}, {"found", "1"}, {"holds", true}};
  a.result["expectations"] = Json::array({one, two});
  RunFiles b = a;
  b.result["expectations"] = Json::array({two, one});
  CHECK(differences(a, b, "expectations").empty());
  b.result["expectations"][0]["holds"] = false;
  b.result["expectations"][0]["found"] = "2";
  CHECK(differences(a, b, "expectations") == List{"/e/1: y is 1: holds, 1 -> fails, 2"});
}

TEST_CASE("configurations are compared key by key and named elements by name", "[compare]") {
  const RunFiles a = files();
  RunFiles b = a;
  b.configuration["engines"] = {{{"name", "dma"}, {"issue", 8}}, {{"name", "gfx"}, {"issue", 5}}};
  b.configuration["holds"] = {1, 3, 4};
  b.configuration.erase("policy");
  b.configuration["seed"] = 1;
  CHECK(differences(a, b, "configuration") == List{"policy: timing -> absent",
                                                   "engines/dma/issue: 7 -> 8", "holds/1: 2 -> 3",
                                                   "holds/2: absent -> 4", "seed: absent -> 1"});
}

TEST_CASE("fences are compared by name", "[compare]") {
  RunFiles a = files();
  a.result["fences"] = {{{"name", "F"}, {"current_value", 4}, {"monitored_value", "none"}}};
  RunFiles b = a;
  b.result["fences"][0]["current_value"] = 5;
  CHECK(differences(a, b, "fences") == List{"F current_value: 4 -> 5"});
}

TEST_CASE("statistics have ratios and the largest change is first", "[compare]") {
  RunFiles a = files();
  a.stats["counters"] = {{"bytes", {{"value", 100}, {"unit", "bytes"}}},
                         {"doorbells", {{"value", 8}, {"unit", "count"}}},
                         {"none", {{"value", 0}, {"unit", "count"}}}};
  RunFiles b = a;
  b.stats["counters"]["bytes"]["value"] = 110;
  b.stats["counters"]["doorbells"]["value"] = 2;
  b.stats["counters"]["none"]["value"] = 1;
  b.stats["counters"]["more"] = {{"value", 1}, {"unit", "count"}};
  CHECK(differences(a, b, "statistics") == List{"none: 0 -> 1", "more: absent -> 1",
                                                "doorbells: 8 -> 2", "bytes [bytes]: 100 -> 110"});
  const auto found = compare_runs(a, b).sections[4].differences;
  CHECK_FALSE(found[0].ratio);
  CHECK(found[2].ratio == 0.25);
  CHECK(found[3].ratio == 1.1);
}

TEST_CASE("latencies end times and checks are statistics", "[compare]") {
  const RunFiles a = files();
  RunFiles b = a;
  b.result["end_time_ps"] = a.result["end_time_ps"].get<std::uint64_t>() * 2;
  REQUIRE_FALSE(b.stats["latencies"].empty());
  b.stats["latencies"].begin().value()["p99"] = 123;
  const auto found = differences(a, b, "statistics");
  REQUIRE(found.size() == 2);
  CHECK((found[0] + found[1]).find(" p99 [ps]: ") != std::string::npos);
  CHECK((found[0] + found[1]).find("end_time [ps]: ") != std::string::npos);
}

TEST_CASE("a comparison without a timeline says which folder lacks it", "[compare]") {
  const RunFiles a = files();
  RunFiles b = a;
  b.folder = "runs/b";
  b.timeline.reset();
  const Comparison comparison = compare_runs(a, b);
  CHECK_FALSE(comparison.timeline);
  CHECK(comparison_text(a, b, comparison, 1).find("not compared: runs/b has no report.html") !=
        std::string::npos);
}

TEST_CASE("a text has as many lines of a section as asked for", "[compare]") {
  const RunFiles a = files();
  RunFiles b = a;
  b.configuration["holds"] = {3, 4, 5};
  b.timeline->rows.push_back({"Queues", "gfx", {{"copy", 3, 1'500'000, 7, true, false, 0}}});
  const Comparison comparison = compare_runs(a, b);
  const std::string text = comparison_text(a, b, comparison, 1);
  CHECK(text.find("configuration  3 differences\n  holds/0: 1 -> 3\n  and 2 more\n") !=
        std::string::npos);
  CHECK(text.find("timeline       1 only in B\n  gfx, copy = 3: only in B at 1.500000 us\n") !=
        std::string::npos);
  CHECK(comparison_text(a, b, comparison, 3).find("holds/2: absent -> 5\n") != std::string::npos);
}

}  // namespace fenceline::compare::test_comparison
