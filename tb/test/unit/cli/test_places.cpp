// Places for results that cannot be: refused before anything runs, with the path and what to do.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "tb/test/unit/cli/test_sample.h"

namespace fenceline::cli_tests::test_places {

namespace fs = std::filesystem;
using fenceline::cli::sample::Program;

namespace {

/// /proc takes no new files, not even from root.
const std::string kNoPlace = "/proc/results";

bool says(const Program& program, const std::string& text) {
  return program.err.str().find(text) != std::string::npos;
}

/// In another current folder while it lives.
struct In {
  explicit In(const fs::path& folder) : before(fs::current_path()) { fs::current_path(folder); }
  ~In() { fs::current_path(before); }
  In(const In&) = delete;
  In& operator=(const In&) = delete;
  const fs::path before;
};

}  // namespace

TEST_CASE("a junit file that cannot be written is refused before anything runs", "[cli]") {
  Program program;
  const std::string good = program.file("good.json", "0");
  const std::string missing = (program.folder / "no" / "junit.xml").string();
  CHECK(program({"run", good, "--junit", missing}) == 2);
  CHECK(says(program, "--junit: cannot write " + missing + ": there is no folder " +
                          (program.folder / "no").string() + "; make it first"));
  CHECK(program({"run", good, "--junit", program.folder.path().string()}) == 2);
  CHECK(says(program, "it is a folder; name a file"));
  CHECK(program({"run", good, "--junit", (fs::path(good) / "junit.xml").string()}) == 2);
  CHECK(program({"run", good, "--junit", kNoPlace}) == 2);
  CHECK(says(program, "--junit: cannot write " + kNoPlace + ": "));
  CHECK(program({"explore", good, "--junit", missing}) == 2);
  CHECK(says(program, "--junit: cannot write " + missing));
  CHECK(program.runs.empty());
  CHECK(fs::exists(good));
}

TEST_CASE("the check of a junit file leaves nothing behind and keeps what is there", "[cli]") {
  Program program;
  const std::string bad = program.file("bad.json", "bad"), old = program.file("old.xml", "old");
  // The scenario is refused after the check, so the file is never written.
  CHECK(program({"explore", bad, "--junit", (program.folder / "new.xml").string()}) == 2);
  CHECK_FALSE(fs::exists(program.folder / "new.xml"));
  CHECK(program({"explore", bad, "--junit", old}) == 2);
  CHECK(fs::file_size(old) == 3);
  CHECK(program({"run", program.file("good.json", "0"), "--junit", old}) == 0);
  CHECK(fs::file_size(old) > 3);
}

TEST_CASE("a full disk at the end of the runs is no mistake of the user", "[cli]") {
  Program program;
  CHECK(program({"run", program.file("good.json", "0"), "--junit", "/dev/full"}) == 4);
  CHECK(says(program, "No space left"));
  CHECK(program.runs.size() == 1);
}

TEST_CASE("a code quality report that cannot be written is refused before a run", "[cli]") {
  Program program;
  const std::string good = program.file("good.json", "0");
  fs::create_directory(program.folder / "gl-code-quality-report.json");
  const In here(program.folder);
  CHECK(program({"run", good, "--annotate", "gitlab"}) == 2);
  CHECK(says(program, "--annotate gitlab: cannot write gl-code-quality-report.json"));
  CHECK(program.runs.empty());
}

TEST_CASE("folders that cannot be written are refused before the first run", "[cli]") {
  Program program;
  const std::string one = program.file("one.json", "0"), two = program.file("two.json", "0");
  for (const char* command : {"run", "explore", "step"}) {
    INFO(command);
    CHECK(program({command, one, "--out", kNoPlace}) == 2);
    CHECK(says(program, "cannot write in /proc"));
    CHECK(program({command, one, "--out", (fs::path(two) / "out").string()}) == 2);
    CHECK(program.out.str().empty());
  }
  const fs::path out = program.folder / "out";
  fs::create_directories(out / "two" / "mine");
  for (const char* command : {"run", "explore"}) {
    CHECK(program({command, one, two, "--out", out.string()}) == 2);
    CHECK(says(program, (out / "two").string() + " exists; name another folder"));
    CHECK_FALSE(fs::exists(out / "one"));
  }
  CHECK(program.runs.empty());
}

TEST_CASE("a folder with far too much in it holds no scenarios", "[cli]") {
  Program program;
  CHECK(program({"run", "/"}) == 2);
  CHECK(says(program, " below /: "));
  CHECK(program.loads.empty());
}

}  // namespace fenceline::cli_tests::test_places
