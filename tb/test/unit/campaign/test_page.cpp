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
    write_page({"test", "{{title}}|{{meta}}|{{columns}}"}, results,
               {[](const Failure& failure, const std::string& file) {
                  return "repeat " + failure.cause + " with " + file;
                },
                "again"},
               out);
    out.finish();
    const std::size_t first = sink.text.find('|'), last = sink.text.rfind('|');
    title = sink.text.substr(0, first);
    meta =
        scenario::json_tree<Tree>(report::unpacked(sink.text.substr(first + 1, last - first - 1)));
    const std::size_t line = sink.text.find('\n', last);
    coverage =
        scenario::json_tree<Tree>(report::unpacked(sink.text.substr(last + 1, line - last - 1)));
    runs = scenario::json_tree<Tree>(report::unpacked(sink.text.substr(line + 1)));
  }
  std::string title;
  Tree meta, coverage, runs;
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
  CHECK(page.meta["command"] == "again");
}

TEST_CASE("the page of a campaign has the figures of its runs", "[campaign]") {
  const coverage::Space& space = coverage::Space::all();
  Evaluation good;
  good.time = 5000;
  good.events = 12;
  good.coverage.emplace().add(space.step(1));
  Evaluation bad;
  bad.failures.push_back({"crash here", "", "it died"});
  bad.searched = {true, 30, 70, 2};
  Results results;
  results.totals.figures = {figures_of(7, good), figures_of(8, bad)};
  const Tree runs = Written(results).runs;
  CHECK(runs["all"] == 2);
  CHECK(runs["seed"] == Tree::array({7, 8}));
  CHECK(runs["causes"] == Tree::array({"", "crash here"}));
  CHECK(runs["failure"] == Tree::array({0, 1}));
  CHECK(runs["time"] == Tree::array({5000, nullptr}));
  CHECK(runs["events"] == Tree::array({12, nullptr}));
  CHECK(runs["states"] == Tree::array({nullptr, 30}));
  REQUIRE(runs["features"].size() == 1);
  CHECK(runs["features"][0]["name"] == "step " + space.name(space.step(1)));
  CHECK(runs["features"][0]["runs"] == "10");
  report::StringSink sink;
  report::Output out(sink);
  write_runs_csv(results.totals.figures, true, out);
  out.finish();
  CHECK(sink.text ==
        "seed,failure,time_ps,events,states,executions\n7,,5000,12,,\n8,crash here,,,30,70\n");
}

TEST_CASE("a page with too many runs leaves out none that failed", "[campaign]") {
  std::vector<RunFigures> runs(100);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].seed = i;
  runs[33].cause = runs[34].cause = "I2";
  const Tree shown = runs_document(runs, 10);
  CHECK(shown["all"] == 100);
  CHECK(shown["seed"].size() == 12);
  CHECK(shown["seed"][4] == 33);
  CHECK(shown["failure"][5] == 1);
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
  CHECK(groups[static_cast<std::size_t>(coverage::Group::kOrder)]["points"]
            .empty());  // an order counts once it or its opposite has come
  const Tree& features = page.coverage["features"];
  REQUIRE(features.size() == space.features().size());
  CHECK(features[2]["with"][5] == 1);
  CHECK(features[5]["with"][2] == 1);
  CHECK(features[5]["with"][5] == 0);
}

}  // namespace fenceline::campaign::test_page
