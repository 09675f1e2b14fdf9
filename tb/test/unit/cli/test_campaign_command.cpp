#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tb/app/cli/commands/shrink_command.h"
#include "tb/app/sweep/command.h"
#include "tb/run/process/work_folder.h"
#include "tb/test/unit/cli/test_sample.h"

namespace fenceline::cli::test_campaign_command {

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

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

TEST_CASE("a setting that no scenario of a campaign takes is a mistake of the command",
          "[campaign]") {
  sample::Program program;
  const auto out = program.folder / "out";
  CHECK(program({"campaign", "--runs", "2", "--out", out.string(), "--set",
                 "/platform/orderin/kmd.ucv_order=false"}) == kExitUsage);
  CHECK(program.err.str().find("did you mean \"ordering\"?") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(out));
  CHECK_FALSE(std::filesystem::exists(program.folder / ".out.campaign"));
}

TEST_CASE("workers elsewhere make the runs of a campaign and the results are the same",
          "[campaign]") {
  sample::Program program;
  const auto command = [&](const char* out, std::vector<std::string> more) {
    std::vector<std::string> words{FENCELINE_PROGRAM, "campaign",
                                   "--preset",        "small",
                                   "--runs",          "7",
                                   "--seed",          "5",
                                   "--out",           (program.folder / out).string()};
    words.insert(words.end(), more.begin(), more.end());
    return sweep::run_command(words, std::chrono::seconds(60));
  };
  CHECK(command("here", {}).code == kExitOk);
  const std::string tried = (program.folder / "tried").string();
  const auto there = command("there", {"--engine", "command", "--shards", "3", "--submit-template",
                                       "[ {shard} != 1 ] || [ -e " + tried + " ] || { touch " +
                                           tried + "; exit 1; }; {worker}"});
  CHECK(there.code == kExitOk);
  CHECK(std::filesystem::exists(tried));
  for (const char* file : {"campaign.json", "coverage.json", "runs.csv"})
    CHECK(text_of(program.folder / "there" / file) == text_of(program.folder / "here" / file));
  CHECK_FALSE(std::filesystem::exists(program.folder / ".there.campaign"));
}

TEST_CASE("a worker with other settings is kept out of a campaign", "[campaign]") {
  sample::Program program;
  const std::string work = (program.folder / ".out.campaign").string();
  std::filesystem::create_directories(work);
  std::ofstream(work + "/settings.json") << "others";
  CHECK(program({"campaign", "--worker", work, "--shard", "0/64"}) == kExitUsage);
  CHECK(program.err.str().find("a worker has the options of the command that leads it") !=
        std::string::npos);
}

TEST_CASE("options that exclude runs of a campaign elsewhere are refused", "[campaign]") {
  sample::Program program;
  const auto error = [&](std::vector<std::string> more) {
    std::vector<std::string> command{"campaign", "--engine", "slurm"};
    command.insert(command.end(), more.begin(), more.end());
    CHECK(program(command) == kExitUsage);
    return program.err.str();
  };
  const std::string out = (program.folder / "out").string();
  CHECK(error({}).find("goes with --out") != std::string::npos);
  CHECK(error({"--out", out, "--time", "3s"}).find("--time goes with runs on this machine") !=
        std::string::npos);
  CHECK(error({"--out", out, "--steer"}).find("--steer goes with runs on this machine") !=
        std::string::npos);
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
