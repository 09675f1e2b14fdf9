#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tb/app/cli/commands/shrink_command.h"
#include "tb/run/process/work_folder.h"
#include "tb/test/unit/cli/test_sample.h"

namespace fenceline::cli::test_campaign_command {

TEST_CASE("a campaign in progress is left alone") {
  sample::Program program;
  const std::filesystem::path work = program.folder / ".out.campaign";
  std::filesystem::create_directory(work);
  const std::vector<std::string> command{
      "campaign", "--preset", "small", "--runs", "1", "--out", (program.folder / "out").string()};
  {
    const fenceline::run::FolderLock somebody(work);
    CHECK(program(command) == kExitUsage);
    CHECK(program.err.str().find("another process is at") != std::string::npos);
  }
  CHECK(program(command) == kExitOk);
  CHECK_FALSE(std::filesystem::exists(work));
}

TEST_CASE("a campaign with other settings begins again only with force") {
  sample::Program program;
  std::vector<std::string> command{
      "campaign", "--preset", "small", "--runs", "1", "--out", (program.folder / "out").string()};
  const std::filesystem::path work = program.folder / ".out.campaign";
  std::filesystem::create_directories(work / "journals");
  std::ofstream(work / "settings.json") << "others";
  CHECK(program(command) == kExitUsage);
  CHECK(program.err.str().find("a campaign with other settings") != std::string::npos);
  command.emplace_back("--force");
  CHECK(program(command) == kExitOk);
}

TEST_CASE("commands that repeat a failure quote what a shell would take apart", "[campaign]") {
  Options options;
  options.kmd = "my driver;.so";
  CHECK(repeat_command(options, {"I1", "", "it broke"}, "an out/it's $1.json") ==
        "fenceline run 'an out/it'\\''s $1.json' --kmd 'my driver;.so'");
  campaign::Failure difference{"difference order", "", "it differs"};
  difference.rule = "in order";
  options.kmd.clear();
  CHECK(repeat_command(options, difference, "out/f.json") ==
        "fenceline shrink --reference out/f.json");
}

}  // namespace fenceline::cli::test_campaign_command
