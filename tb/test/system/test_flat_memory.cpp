// A run that makes and destroys fences for ever needs no more memory than a short one.
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tb/test/support/temp_folder.h"

namespace fenceline::system_tests::test_flat_memory {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCounts = false;  // freed memory is kept for a while
#else
constexpr bool kCounts = true;
#endif

namespace {

namespace fs = std::filesystem;

std::string scenario(const std::string& fence, int lives) {
  return R"({"schema_version": 1, "name": "lives", "processes": [{"name": "p"}],
    "platform": {"adapters": [{"name": "gpu0", "profile": "discrete"},
                              {"name": "gpu1", "profile": "discrete"}]},
    "programs": [{"thread": "t", "steps": [{"repeat": {"count": )" +
         std::to_string(lives) + R"(, "counter": "i", "steps": [
      {"create_fence": {"name": "F")" +
         fence + R"(}}, {"destroy_fence": "F"}]}}]}], "expect": {}})";
}

/// Most memory that the program has used at once [KiB].
long peak_of(const fs::path& file, const fs::path& out) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    execl(FENCELINE_PROGRAM, FENCELINE_PROGRAM, "run", file.c_str(), "--trace", "none", "--out",
          out.c_str(), "--force", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  rusage used{};
  REQUIRE(wait4(child, &status, 0, &used) == child);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
  return used.ru_maxrss;
}

}  // namespace

TEST_CASE("a destroyed fence leaves only its name", "[memory]") {
  const fenceline::support::TempFolder folder;
  const std::string kind = GENERATE("", R"(, "shared": true)", R"(, "monitored": true)",
                                    R"(, "monitored": true, "shared": true)",
                                    R"(, "shared": true, "cross_adapter": true)");
  INFO(kind);
  const auto peak = [&](int lives) {
    std::ofstream(folder / "lives.json") << scenario(kind, lives);
    return peak_of(folder / "lives.json", folder / "out");
  };
  const long few = peak(1'000);
  const long many = peak(11'000);
  // A page of values alone would be 40 MB for 10,000 fences.
  if (kCounts) CHECK(many - few < 6'000);
}

}  // namespace fenceline::system_tests::test_flat_memory
