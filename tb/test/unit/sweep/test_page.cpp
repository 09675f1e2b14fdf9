// report.html of a sweep: the rows that it takes, their columns, the means, and the commands.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tb/app/sweep/page.h"
#include "tb/report/record/packing.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::sweep::test_page {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFixedColumns = 3;

scenario::SweepSettings settings_of(std::uint64_t points, std::uint64_t seeds) {
  scenario::SweepSettings settings;
  scenario::Variation& vary = settings.vary.emplace_back();
  vary.pointer = "/a";
  for (std::uint64_t i = 0; i < points; ++i) vary.values.push_back(std::to_string(i));
  settings.seeds = seeds;
  return settings;
}

/// A table of the columns point, seed, varied and those of these names.
PageTable table_of(const Design& design, const std::vector<Column>& figures,
                   std::uint64_t most_cells = PageTable::kMostCells) {
  std::vector<Column> columns{{"point", "number", ""}, {"seed", "number", ""}, {"/a", "value", ""}};
  columns.insert(columns.end(), figures.begin(), figures.end());
  return {columns, kFixedColumns, design, most_cells};
}

void add(PageTable& table, const Design& design, std::uint64_t run, std::vector<Cell> figures,
         const char* verdict = "pass") {
  const std::uint64_t point = design.point_of(run);
  std::vector<Cell> cells{point, 1 + design.repetition_of(run), design.values(point)[0]};
  cells.insert(cells.end(), figures.begin(), figures.end());
  table.add(failed_row(run, verdict == std::string("pass") ? 0 : 1, verdict, ""), cells);
}

/// Numbers of the page, one after the other.
std::vector<std::uint64_t> numbers(const std::string& bytes, std::size_t count) {
  std::vector<std::uint64_t> list;
  std::size_t at = 0;
  for (; list.size() < count; ++at) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7, ++at) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes.at(at)) & 127U} << shift;
      if (static_cast<unsigned char>(bytes.at(at)) < 128) break;
    }
    list.push_back(value);
  }
  return list;
}

std::vector<std::string> names(const Json& columns) {
  std::vector<std::string> list;
  for (const Json& it : columns) list.push_back(it.at("name"));
  return list;
}

}  // namespace

TEST_CASE("an estimate is the mean with the 95 percent interval of Student", "[sweep]") {
  const Estimate three = estimate({1, 2, 3});
  CHECK(three.mean == 2);
  CHECK(three.half == Approx(4.30265 / std::sqrt(3.0)));
  CHECK(estimate({5}).mean == 5);
  CHECK(std::isnan(estimate({5}).half));
  CHECK(std::isnan(estimate({}).mean));
}

TEST_CASE("a column with one value in all runs is told once", "[sweep]") {
  const Design design(settings_of(2, 1));
  PageTable table = table_of(design, {{"x", "count", "what"}, {"y", "ps", ""}});
  add(table, design, 0, {std::uint64_t{7}, std::uint64_t{5}});
  add(table, design, 1, {std::uint64_t{7}, {}});
  table.finish();
  CHECK(names(table.columns()) == std::vector<std::string>{"point", "seed", "/a", "y"});
  CHECK(table.same() == Json::array({{"x", "7", "what"}}));
  // point 0 and 1, seed 1 twice, words 0 and 1, and of y the difference 5 and none.
  CHECK(numbers(table.bytes(), 8) == std::vector<std::uint64_t>{1, 3, 3, 1, 1, 2, 11, 0});
}

TEST_CASE("quantities of one kind have numbers and other words have none", "[sweep]") {
  const Design design(settings_of(3, 1));
  PageTable table =
      table_of(design, {{"t", "value", ""}, {"mixed", "value", ""}, {"big", "value", ""}});
  const std::uint64_t big = ~std::uint64_t{0};
  add(table, design, 0, {std::string("2us"), std::string("1KiB"), big});
  add(table, design, 1, {std::string("1.5ms"), std::string("fast"), std::uint64_t{1}});
  add(table, design, 2, {std::string("2us"), std::string("1KiB"), std::uint64_t{2}});
  const Json columns = table.columns();
  CHECK(columns[3]["words"] == Json::array({"2us", "1.5ms"}));
  CHECK(columns[3]["numbers"] == Json::array({2e6, 1.5e9}));
  CHECK(columns[3]["unit"] == "ps");
  CHECK_FALSE(columns[4].contains("numbers"));
  // Too long for a difference that a browser keeps exactly.
  CHECK(columns[5]["words"][0] == "18446744073709551615");
}

TEST_CASE("means are those of the runs of a point that passed", "[sweep]") {
  const Design design(settings_of(2, 3));
  PageTable table = table_of(design, {{"y", "ps", ""}});
  for (std::uint64_t run = 0; run < 5; ++run) add(table, design, run, {10 + run});
  add(table, design, 5, {std::uint64_t{9999}}, "fail");
  table.finish();
  CHECK(table.columns()[3]["means"] == true);
  CHECK(table.columns()[0]["means"] == false);
  const std::string bytes = table.bytes();
  std::vector<float> floats(4);
  std::memcpy(floats.data(), bytes.data() + bytes.size() - 16, 16);
  CHECK(floats[0] == 11);
  CHECK(floats[1] == 13.5F);
  CHECK(floats[2] == Approx(4.30265 / std::sqrt(3.0)));
  CHECK(floats[3] == Approx(12.7062 / 2));
}

TEST_CASE("a page that is too large keeps points at regular distances and failed runs", "[sweep]") {
  const Design design(settings_of(10, 2));
  PageTable table = table_of(design, {{"y", "ps", ""}}, 40);  // 80 cells: every second point
  for (std::uint64_t run = 0; run < 20; ++run) {
    if (run == 7)
      add(table, design, run, {run}, "fail");
    else
      add(table, design, run, {run});
  }
  table.finish();
  CHECK(table.points() == std::vector<std::uint64_t>{0, 2, 3, 4, 6, 8});
  CHECK(table.rows() == 11);
}

TEST_CASE("the page of a sweep has the commands of its points", "[sweep]") {
  Plan plan;
  plan.name = "</title>sample";
  plan.path = "my scenarios/a.json";
  plan.overrides = {"/policy=\"random\""};
  plan.stop_at = 2'000'000'000;
  plan.kmd = "drivers/kmd.so";
  plan.sweep = settings_of(2, 1);
  plan.sweep.vary[0].values = {"1", "\"it's\""};
  const Design design(plan.sweep);
  PageTable table = table_of(design, {});
  add(table, design, 0, {});
  add(table, design, 1, {});
  table.finish();
  report::StringSink sink;
  report::Output out(sink);
  write_page({"test", "{{title}}|{{meta}}|{{columns}}"}, plan, Summary(), table, out);
  out.finish();
  CHECK(sink.text.rfind("&lt;/title>sample|", 0) == 0);
  const std::size_t meta = sink.text.find('|') + 1, columns = sink.text.rfind('|') + 1;
  const auto json =
      scenario::json_tree<Json>(report::unpacked(sink.text.substr(meta, columns - 1 - meta)));
  CHECK(json["command"] == R"(fenceline run 'my scenarios/a.json' --set '/policy="random"')"
                           " --stop-at 2ms --kmd drivers/kmd.so");
  CHECK(json["groups"] == 2);
  const std::size_t line = sink.text.find('\n', columns);
  CHECK(report::unpacked(sink.text.substr(columns, line - columns)) == table.bytes());
  CHECK(report::unpacked(sink.text.substr(line + 1)) == " --set /a=1\n --set '/a=\"it'\\''s\"'\n");
}

}  // namespace fenceline::sweep::test_page
