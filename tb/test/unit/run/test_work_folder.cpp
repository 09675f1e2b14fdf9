#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <optional>

#include "tb/report/record/run_folder.h"
#include "tb/run/process/work_folder.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::run::test_work_folder {

namespace fs = std::filesystem;

TEST_CASE("a temporary folder goes away with its content", "[run][folder]") {
  fs::path path;
  {
    const TemporaryFolder folder("fenceline-test");
    path = folder.path();
    CHECK(path.filename().string().rfind("fenceline-test-", 0) == 0);
    std::ofstream(path / "file") << "text";
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("a folder has one lock until its holder leaves", "[run][folder]") {
  const support::TempFolder folder;
  std::optional<FolderLock> first(folder.path());
  CHECK_THROWS_AS(FolderLock(folder.path()), report::FolderError);
  first.reset();
  CHECK_NOTHROW(FolderLock(folder.path()));
  CHECK_THROWS_AS(FolderLock(folder / "missing"), report::FolderError);
}

}  // namespace fenceline::run::test_work_folder
