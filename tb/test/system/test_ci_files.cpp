// What the examples for batch systems tell them to run does run, and the image has what that needs.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tb/test/support/can_explore.h"
#include "tb/test/support/program.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::system_tests::test_ci_files {

namespace fs = std::filesystem;

namespace {

const std::string kFolder = FENCELINE_SOURCE_DIR "/docs/ci/";

/// Arguments of each command of the program in a file.
std::vector<std::string> commands_of(const std::string& name) {
  std::ifstream file(kFolder + name);
  std::vector<std::string> commands;
  const std::string program = "fenceline ";
  for (std::string line; std::getline(file, line);) {
    for (const std::string start : {"run: ", "    - "}) {
      const auto at = line.find(start + program);
      if (at != std::string::npos)
        commands.push_back(line.substr(at + start.size() + program.size()));
    }
  }
  return commands;
}

}  // namespace

TEST_CASE("the commands of the examples for batch systems run and write their files", "[ci]") {
  if (!fenceline::support::can_explore()) return;
  const fenceline::support::TempFolder folder;
  fs::create_directory_symlink(FENCELINE_SOURCE_DIR "/scenarios", folder / "scenarios");
  for (const char* name : {"github.yml", "gitlab.yml"}) {
    const std::vector<std::string> commands = commands_of(name);
    REQUIRE(commands.size() == 2);
    for (const std::string& command : commands) {
      const auto result = fenceline::support::run(command, "cd " + folder.path().string() + " &&");
      INFO(name << ": " << command << "\n" << result.output);
      CHECK(result.exit_code == 0);
    }
    for (const char* junit : {"run.xml", "explore.xml"}) CHECK(fs::remove(folder / junit));
  }
  CHECK(fs::exists(folder / "gl-code-quality-report.json"));
}

TEST_CASE("the example of an image builds and installs as this project does", "[ci]") {
  std::ifstream file(kFolder + "Containerfile");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const char* part : {"FROM debian:12 AS build", "./scripts/install_packages",
                           "./scripts/build release", "cmake --install build/release"})
    CHECK(text.find(part) != std::string::npos);
}

}  // namespace fenceline::system_tests::test_ci_files
