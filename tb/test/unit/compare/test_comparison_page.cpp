// The page of two runs: what its data says.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/compare/comparison_page.h"
#include "tb/report/record/packing.h"
#include "tb/report/writers/json_writers.h"
#include "tb/scenario/text/json_tree.h"
#include "tb/test/unit/report/sample.h"

namespace fenceline::compare::test_comparison_page {

namespace {

RunFiles files(const std::string& folder) {
  const report::sample::Run run;
  RunFiles files;
  files.folder = folder;
  files.result = report::result_document(run.report);
  files.stats = report::stats_document(run.report);
  files.configuration = {{"seed", 1}};
  files.timeline.emplace();
  files.timeline->meta = {{"name", folder}};
  files.timeline->columns = "columns of " + folder;
  return files;
}

Item item(const std::string& name, std::uint64_t lasts, bool span, std::size_t place) {
  return {name, 0, 5, lasts, span, false, place};
}

std::string page_of(const RunFiles& a, const RunFiles& b) {
  report::StringSink sink;
  report::Output out(sink);
  write_comparison_page({"comparison", "{{title}}|{{meta}}|{{columns}}"}, a, b, compare_runs(a, b),
                        out);
  out.finish();
  return sink.text;
}

/// The data of the page.
Json meta_of(const std::string& page) {
  const std::size_t from = page.find('|') + 1;
  return scenario::json_tree<Json>(
      report::unpacked(page.substr(from, page.find('|', from) - from)));
}

}  // namespace

TEST_CASE("a page of two runs has the data of both as they are", "[compare]") {
  const std::string page = page_of(files("a"), files("b"));
  const Json meta = meta_of(page);
  CHECK(page.substr(0, page.find('|')) == "a and b");
  CHECK(page.substr(page.rfind('|') + 1) == "columns of a\ncolumns of b");
  CHECK(meta["kind"] == "comparison");
  CHECK(meta["equal"] == true);
  CHECK(meta["folders"] == Json::array({"a", "b"}));
  CHECK(meta["runs"] == Json::array({{{"name", "a"}}, {{"name", "b"}}}));
}

TEST_CASE("a page of two runs names the places of what differs", "[compare]") {
  RunFiles a = files("a"), b = files("b");
  a.timeline->rows = {{"Queues", "gfx", {item("copy", 3, true, 7), item("raise", 0, false, 4)}}};
  b.timeline->rows = {{"Queues", "gfx", {item("copy", 4, true, 9), item("new", 1, true, 2)}}};
  const Json meta = meta_of(page_of(a, b));
  const auto number = [](Change change) { return static_cast<int>(change); };
  CHECK(meta["equal"] == false);
  CHECK(meta["differences"] == Json::array({{number(Change::kLonger), 1, 7, 9},
                                            {number(Change::kMissing), 0, 4, -1},
                                            {number(Change::kNew), 1, -1, 2}}));
  CHECK(meta["changes"].at(number(Change::kNew)) == "only in B");
  CHECK(meta["changes"].at(meta["shifted"].get<std::size_t>()) == "at another time");
}

TEST_CASE("a page of two runs has the other differences with ratios", "[compare]") {
  RunFiles a = files("a"), b = files("b");
  a.stats["counters"] = {{"doorbells", {{"value", 8}, {"unit", "count"}}}};
  b.stats["counters"] = {{"doorbells", {{"value", 4}, {"unit", "count"}}}};
  b.configuration["seed"] = 2;
  const Json sections = meta_of(page_of(a, b))["sections"];
  CHECK(sections.size() == 6);
  CHECK(sections[3]["title"] == "configuration");
  CHECK(sections[3]["differences"] == Json::array({Json::array({"seed", "1", "2", nullptr})}));
  CHECK(sections[4]["differences"] == Json::array({Json::array({"doorbells", "8", "4", 0.5})}));
}

}  // namespace fenceline::compare::test_comparison_page
