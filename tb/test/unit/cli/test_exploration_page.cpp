// report.html of an exploration: which timelines it takes.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tb/app/cli/outputs/exploration_page.h"
#include "tb/explore/search/search_report.h"
#include "tb/report/record/packing.h"
#include "tb/report/writers/page_shell.h"
#include "tb/scenario/text/json_tree.h"
#include "tb/test/support/page_text.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::cli::test_exploration_page {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kResult = R"({"scenario": "P", "verdict": "VIOLATED"})";

/// What stands between two texts of the written page.
std::string between(const std::string& page, const std::string& from, const std::string& to) {
  const std::size_t begin = page.find(from);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = page.find(to, begin);
  return page.substr(begin + from.size(), end - begin - from.size());
}

std::string written(const report::RunFolder& folder) {
  std::ostringstream text;
  text << std::ifstream(folder.hidden() / "report.html").rdbuf();
  return text.str();
}

Json meta_of(const std::string& page) {
  return scenario::json_tree<Json>(support::meta_text(page));
}

void add_page(report::RunFolder& folder, const std::string& name, const std::string& columns) {
  folder.create(name)->write_whole(
      "<script id=\"meta\">" +
      report::packed(R"({"format":2,"codec":"deflate-raw","of":")" + name + "\"}") +
      "</script><script id=\"columns\">" + columns + "</script>");
}

}  // namespace

TEST_CASE("the page of an exploration takes the timelines that are there", "[explore]") {
  if (report::exploration_page().shell.empty()) return;
  const support::TempFolder place;
  report::RunFolder folder(place / "out");
  add_page(folder, "I7.report.html", "seven");
  add_page(folder, "I9.report.html", "nine");
  report::RunReport report;
  report.kmd = "mine.so";
  write_exploration_page(kResult, report, {"I1", "I7", "I9"}, folder);
  const std::string page = written(folder);
  const Json meta = meta_of(page);
  CHECK(meta["kind"] == "exploration");
  CHECK(meta["exploration"]["verdict"] == "VIOLATED");
  CHECK(meta["config"]["kmd"] == "mine.so");
  CHECK(meta["defaults"] == Json{{"/kmd", nullptr}});
  CHECK(meta["drawn"] == Json::array({1, 2}));
  CHECK(meta["runs"].at(0)["of"] == "I7.report.html");
  CHECK(between(page, "id=\"columns\">", "</script>") == "seven\nnine");
}

TEST_CASE("the page of an exploration that found nothing has no timeline", "[explore]") {
  if (report::exploration_page().shell.empty()) return;
  const support::TempFolder place;
  report::RunFolder folder(place / "out");
  write_exploration_page(kResult, {}, {}, folder);
  const Json meta = meta_of(written(folder));
  CHECK(meta["runs"].empty());
  CHECK(meta["drawn"].empty());
}

TEST_CASE("the page of a matrix has its rows and packs its counterexamples", "[explore]") {
  if (report::matrix_page().shell.empty()) return;
  const support::TempFolder place;
  report::RunFolder folder(place / "out");
  const auto none = [](std::size_t) { return "[null]"; };
  write_matrix_page(R"({"scenario": "P", "rows": []})", none, "fenceline explore p", folder);
  const std::string page = written(folder);
  const Json meta = meta_of(page);
  CHECK(meta["kind"] == "matrix");
  CHECK(meta["matrix"]["rows"].empty());
  CHECK(meta["command"] == "fenceline explore p");
  CHECK(report::unpacked(between(page, "id=\"columns\">", "</script>")) == "[null]");
}

TEST_CASE("the page of a matrix has as many stories as fit", "[explore]") {
  if (report::matrix_page().shell.empty()) return;
  const support::TempFolder place;
  report::RunFolder folder(place / "out");
  std::string noise;  // cannot be packed
  for (std::uint32_t i = 0, word = 1; i < 4000; ++i) {
    word = word * 1'664'525U + 1'013'904'223U;
    noise += static_cast<char>(' ' + (word >> 24U) % 64);
  }
  const auto stories = [&noise](std::size_t most) {
    return std::to_string(most) + ":" + noise.substr(0, 500 * most);
  };
  write_matrix_page(R"({"scenario": "P", "rows": [1, 2, 3, 4, 5, 6, 7, 8]})", stories, "", folder,
                    1500);
  const std::string page = written(folder);
  CHECK(report::unpacked(between(page, "id=\"columns\">", "</script>")) == stories(2));
}

TEST_CASE("the command of a subset has the options that decide its search", "[explore]") {
  Options options;
  options.overrides = {"/platform/host/cores=2"};
  options.kmd = "my driver.so";
  options.keep_holds = true;
  options.about = {"I1", "I2"};
  CHECK(subset_command("p.json", options) ==
        "fenceline explore p.json --set /platform/host/cores=2 --kmd 'my driver.so' --keep-holds "
        "--about I1,I2");
}

TEST_CASE("the reference names each way in which an execution ends", "[docs]") {
  std::ostringstream text;
  text << std::ifstream(FENCELINE_SOURCE_DIR "/docs/reference/outputs.md").rdbuf();
  for (const explore::ExecutionEnd& it : explore::kExecutionEnds)
    CHECK(text.str().find("| `" + std::string(it.key) + "` | " + it.meaning + " |") !=
          std::string::npos);
}

}  // namespace fenceline::cli::test_exploration_page
