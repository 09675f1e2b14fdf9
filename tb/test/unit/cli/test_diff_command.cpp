#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tb/test/support/page_text.h"
#include "tb/test/unit/cli/test_sample.h"

namespace fenceline::cli::test_diff_command {

namespace {

/// Folder of a run whose scenario has this content.
std::string run(sample::Program& program, const std::string& name, const std::string& content) {
  std::string out = (program.folder / name).string();
  program({"run", program.file("s.json", content), "--out", out});
  return out;
}

std::string content_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

void damage(const std::string& file, const std::string& from, const std::string& to) {
  std::string changed = content_of(file);
  REQUIRE(changed.find(from) != std::string::npos);
  std::ofstream(file) << changed.replace(changed.find(from), from.size(), to);
}

bool says(const sample::Program& program, const std::string& text) {
  return program.err.str().find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("two runs of a scenario are equal", "[compare]") {
  sample::Program program;
  const std::string a = run(program, "a", "0"), b = run(program, "b", "0");
  CHECK(program({"diff", a, b}) == kExitOk);
  CHECK(program.out.str().find("verdict        same\n") != std::string::npos);
}

TEST_CASE("runs that differ are listed with exit code 1", "[compare]") {
  sample::Program program;
  const std::string a = run(program, "a", "0"), b = run(program, "b", "1");
  CHECK(program({"diff", a, b}) == kExitFailed);
  CHECK(program.out.str().find("verdict: pass -> violated\n") != std::string::npos);
  CHECK(program.out.str().find("I1 NO_LOST_WAITER: absent -> m (at 1 ps)\n") != std::string::npos);
  CHECK(program.out.str().find("description: 0 -> 1\n") != std::string::npos);
}

TEST_CASE("drivers and versions of two runs are compared", "[compare]") {
  sample::Program program;
  const std::string a = run(program, "a", "0"), b = run(program, "b", "0");
  damage(b + "/config.json", "\"seed\"", "\"kmd\": \"mine.so\", \"seed\"");
  damage(b + "/config.json", "\"version\": \"", "\"version\": \"9");
  CHECK(program({"diff", a, b}) == kExitFailed);
  CHECK(program.out.str().find("configuration  2 differences\n") != std::string::npos);
  CHECK(program.out.str().find("kmd: absent -> mine.so\n") != std::string::npos);
}

TEST_CASE("sections are short without --all", "[compare]") {
  sample::Program program;
  const std::string a = run(program, "a", "0"), b = run(program, "b", "0");
  std::string keys = "\"description\": \"0\"";
  for (int i = 0; i < 9; ++i) keys += ", \"k" + std::to_string(i) + "\": 1";
  damage(b + "/config.json", "\"description\": \"0\"", keys);
  CHECK(program({"diff", a, b}) == kExitFailed);
  CHECK(program.out.str().find("and 1 more\n") != std::string::npos);
  CHECK(program({"diff", a, b, "--all"}) == kExitFailed);
  CHECK(program.out.str().find("k8: absent -> 1\n") != std::string::npos);
}

TEST_CASE("what is no folder of a run is refused with a reason", "[compare]") {
  sample::Program program;
  const std::string a = run(program, "a", "0"), b = run(program, "b", "0");
  CHECK(program({"diff", a}) == kExitUsage);
  CHECK(says(program, "two runs"));
  CHECK(program({"diff", a, b + "/none"}) == kExitUsage);
  CHECK(says(program, "none is no folder"));
  CHECK(program({"diff", a, program.folder.path().string()}) == kExitUsage);
  CHECK(says(program, "result.json: name the folder of one run"));
  damage(b + "/result.json", "\"ending\"", "\"end\"");
  CHECK(program({"diff", a, b}) == kExitUsage);
  CHECK(says(program, "no run of fenceline wrote this file; diff compares folders of"));
}

TEST_CASE("files of another format or with a part missing are refused", "[compare]") {
  sample::Program program;
  const std::string a = run(program, "a", "0"), b = run(program, "b", "0");
  damage(b + "/result.json", "\"violations\"", "\"v\"");
  CHECK(program({"diff", a, b}) == kExitUsage);
  CHECK(says(program, "incomplete"));
  std::ofstream(b + "/report.html") << "<html></html>";
  CHECK(program({"diff", a, b}) == kExitUsage);
  CHECK(says(program, "report.html: it has no element"));
  damage(b + "/stats.json", "\"format\": 1", "\"format\": 2");
  CHECK(program({"diff", a, b}) == kExitUsage);
  CHECK(says(program, "its format is 2, and this program reads 1"));
  damage(b + "/result.json", "{", "");
  CHECK(program({"diff", a, b}) == kExitUsage);
  CHECK(says(program, "no run of fenceline wrote this file"));
}

TEST_CASE("a page that leaves spans out is not compared", "[compare]") {
  sample::Program program;
  const std::string a = run(program, "a", "0"), b = run(program, "b", "0");
  if (!std::filesystem::exists(a + "/report.html")) return;
  const std::string page = content_of(b + "/report.html"), from = "\"thinned\":0";
  std::string meta = support::meta_text(page);
  meta.replace(meta.find(from), from.size(), "\"thinned\":5");
  std::ofstream(b + "/report.html") << support::with_meta(page, report::packed(meta));
  CHECK(program({"diff", a, b}) == kExitOk);
  CHECK(program.out.str().find("not compared: " + b + " has no report.html with all spans") !=
        std::string::npos);
}

TEST_CASE("diff writes a page if both folders have one", "[compare]") {
  sample::Program program;
  const std::string a = run(program, "a", "0"), b = run(program, "b", "1");
  const std::string page = (program.folder / "page.html").string();
  if (!std::filesystem::exists(a + "/report.html")) {
    CHECK(program({"diff", a, b, "--html", page}) == kExitUsage);
    return;
  }
  CHECK(program({"diff", a, b, "--html", page}) == kExitFailed);
  CHECK(support::meta_text(content_of(page)).find("\"kind\":\"comparison\"") != std::string::npos);
  CHECK(program({"diff", a, b, "--html", page + "/no/folder"}) == kExitUsage);
  CHECK(program({"diff", a, b, "--html", ""}) == kExitUsage);
  std::filesystem::remove(b + "/report.html");
  CHECK(program({"diff", a, b, "--html", page}) == kExitUsage);
  CHECK(says(program, "b has no report.html"));
}

}  // namespace fenceline::cli::test_diff_command
