#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tb/scenario/loader.h"

namespace fenceline::scenario::test_bad_input {

namespace {

const std::string kFolder = FENCELINE_SOURCE_DIR "/tb/test/unit/scenario/bad_input/";

/// One line of expected.tsv.
struct BadInput {
  std::string file;
  std::string position;  ///< "line:column"
  std::string pointer;
  std::string part;  ///< of the message
};

std::vector<BadInput> bad_inputs() {
  std::ifstream table(kFolder + "expected.tsv");
  std::vector<BadInput> all;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    BadInput input;
    std::string kind;
    std::getline(fields, input.file, '\t');
    std::getline(fields, kind, '\t');
    std::getline(fields, input.position, '\t');
    std::getline(fields, input.pointer, '\t');
    std::getline(fields, input.part);
    all.push_back(input);
  }
  return all;
}

std::string refusal(const std::string& path) {
  try {
    load(path);
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("every bad input is refused at the right place with the right words",
          "[scenario][bad_input]") {
  const std::vector<BadInput> inputs = bad_inputs();
  REQUIRE(inputs.size() >= 60);
  for (const BadInput& input : inputs) {
    const std::string path = kFolder + input.file + ".json";
    std::string start = path + ":" + input.position + ": ";
    if (!input.pointer.empty()) start += input.pointer + ": ";
    const std::string found = refusal(path);
    CAPTURE(input.file);
    CHECK_THAT(found, Catch::StartsWith(start));
    CHECK_THAT(found, Catch::Contains(input.part));
  }
}

TEST_CASE("the table names every bad input there is", "[scenario][bad_input]") {
  std::set<std::string> listed;
  for (const BadInput& input : bad_inputs()) CHECK(listed.insert(input.file).second);
  std::set<std::string> there;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".json") there.insert(entry.path().stem().string());
  }
  CHECK(listed == there);
}

TEST_CASE("a message is one paragraph for one terminal line", "[scenario][bad_input]") {
  for (const BadInput& input : bad_inputs()) {
    const std::string message = refusal(kFolder + input.file + ".json");
    CAPTURE(message);
    for (const char c : message) CHECK(static_cast<unsigned char>(c) >= 0x20);
    CHECK(message.size() < 2'000);
  }
}

TEST_CASE("an unreadable file is refused", "[scenario][bad_input]") {
  CHECK_THAT(refusal("/no/such/file.json"), Catch::Contains("cannot be read: No such file"));
  CHECK(refusal("/tmp") == "/tmp: is a directory, not a file");
  CHECK_THAT(refusal("/dev/null"), Catch::Contains("the file is empty"));
  CHECK_THAT(refusal("/dev/zero"), Catch::Contains("the file is larger than 64 MiB"));
}

}  // namespace fenceline::scenario::test_bad_input
