// report.html of a campaign: its failures with their commands, and its coverage.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/campaign/page.h"
#include "tb/report/record/packing.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::campaign::test_page {

namespace {

using Tree = nlohmann::ordered_json;

/// The page of a campaign, in its parts.
struct Written {
  explicit Written(const Results& results) {
    report::StringSink sink;
    report::Output out(sink);
    write_page(
        "{{title}}|{{meta}}|{{columns}}", results,
        [](const Failure& failure, const std::string& file) {
          return "repeat " + failure.cause + " with " + file;
        },
        out);
    out.finish();
    const std::size_t first = sink.text.find('|'), last = sink.text.rfind('|');
    title = sink.text.substr(0, first);
    meta =
        scenario::json_tree<Tree>(report::unpacked(sink.text.substr(first + 1, last - first - 1)));
    coverage = scenario::json_tree<Tree>(report::unpacked(sink.text.substr(last + 1)));
  }
  std::string title;
  Tree meta, coverage;
};

Results results_of(const std::string& cause) {
  Results results;
  results.constraints = "small";
  Group group;
  group.failure = {cause, "/programs/0", "it broke"};
  group.seeds = {35, 173};
  group.count = 2;
  results.totals.groups.emplace(group.failure.key(), group);
  results.findings.push_back({"failure-1.json", "{\"name\": \"g35\"}", "it broke", "told", 12});
  return results;
}

}  // namespace

TEST_CASE("the page of a campaign has each failure with its scenario and command", "[campaign]") {
  const Written page(results_of("I2"));
  CHECK(page.title == "Campaign of small");
  CHECK(page.meta["campaign"]["failures"][0]["cause"] == "I2");
  const Tree expected = {{"command", "repeat I2 with failure-1.json"},
                         {"document", "{\"name\": \"g35\"}"},
                         {"counterexample", "told"}};
  CHECK(page.meta["findings"] == Tree::array({expected}));
  CHECK(page.coverage.is_null());
}

TEST_CASE("the page of a campaign has every point that counts", "[campaign]") {
  const coverage::Space& space = coverage::Space::all();
  coverage::Hits hits;
  hits.add(space.pair(2, 5));
  hits.add(space.step(1));
  Results results;
  results.totals.coverage.add(hits);
  const Written page(results);
  const Tree& groups = page.coverage["groups"];
  REQUIRE(groups.size() == coverage::kGroups);
  CHECK(groups[1]["points"][0] == Tree::array({space.name(space.step(0)), 0}));
  CHECK(groups[1]["points"][1] == Tree::array({space.name(space.step(1)), 1}));
  CHECK(groups[1]["hit"] == 1);
  CHECK(groups[8]["points"].empty());  // an order counts once it or its opposite has come
  const Tree& features = page.coverage["features"];
  REQUIRE(features.size() == space.features().size());
  CHECK(features[2]["with"][5] == 1);
  CHECK(features[5]["with"][2] == 1);
  CHECK(features[5]["with"][5] == 0);
}

}  // namespace fenceline::campaign::test_page
