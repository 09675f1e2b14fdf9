#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "tb/explore/arena.h"

namespace fs = std::filesystem;

namespace {

/// The program in a folder that goes away.
struct Program {
  Program() {
    std::string pattern = (fs::temp_directory_path() / "fenceline-explore-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    folder = pattern;
  }
  ~Program() { fs::remove_all(folder); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Runs it by the shell; its exit code. `text` gets what it prints.
  int operator()(const std::string& arguments) {
    text.clear();
    std::FILE* pipe = ::popen((FENCELINE_PROGRAM " " + arguments + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      text.append(buffer.data(), got);
    return WEXITSTATUS(::pclose(pipe));
  }
  bool says(const std::string& words) const { return text.find(words) != std::string::npos; }
  std::string path(const std::string& name) const { return (folder / name).string(); }

  fs::path folder;
  std::string text;
};

std::string litmus(const std::string& name) {
  return FENCELINE_SOURCE_DIR "/scenarios/litmus/" + name + ".json";
}

}  // namespace

TEST_CASE("a crash that was found replays in a process of its own", "[explore]") {
  if (!fenceline::explore::Arena::available()) return;
  Program program;
  const std::string kmd = " --kmd " FENCELINE_FATAL_KMD;
  ::setenv("FENCELINE_FATAL", "crash", 1);
  CHECK(program("explore " + litmus("P06_drop_both") + kmd + " --out " + program.path("out")) == 1);
  CHECK(program.says("CRASH"));
  const std::string repro = program.path("out") + "/CRASH.repro.json";
  CHECK(program("replay " + repro + kmd) == 1);
  CHECK(program.says("reproduced (CRASH)"));
  ::setenv("FENCELINE_FATAL", "", 1);
  program("replay " + repro + kmd);
  CHECK(program.says("not reproduced (was CRASH"));
}
