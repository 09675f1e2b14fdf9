// The list of deliberate faults, and the lines that make them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tb/scenario/shapes/ordering_names.h"

namespace fenceline::cli::test_mutants {

namespace {

namespace fs = std::filesystem;

// Folders of the rooms.
constexpr const char* kHardware = "models";
constexpr const char* kDriver = "kmd_stub";
constexpr const char* kOperatingSystem = "tb/os";
constexpr const char* kUserMode = "tb/user";
constexpr const char* kReference = "tb/reference";

/// A line of models/abi/mutants.def, or of the file that it includes.
struct Line {
  std::string name;
  std::string folder;    ///< of its room
  std::string fault;     ///< an enumerator of abi::Mutant; empty: an ordering switch
  std::string ordering;  ///< "switch=value"; empty: none
  std::string what;
  std::string scenario;  ///< empty: none
};

std::vector<Line> lines() {
  return {
#define FAULT(name, room, fault, what, scenario) {#name, room, #fault, "", what, scenario},
#define BACKED(name, room, fault, value, what, scenario) \
  {#name, room, #fault, value, what, scenario},
#define SWITCHED(name, room, value, what, scenario) {#name, room, "", value, what, scenario},
#include "models/abi/mutants.def"
  };
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Times that each fault is asked for in the sources of a folder.
std::map<std::string, int> asked_in(const std::string& folder) {
  const std::string start = "abi::mutant(abi::Mutant::";
  std::map<std::string, int> result;
  for (const auto& entry : fs::recursive_directory_iterator(FENCELINE_SOURCE_DIR "/" + folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string text = text_of(entry.path());
    for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at)) {
      at += start.size();
      ++result[text.substr(at, text.find(')', at) - at)];
    }
  }
  return result;
}

/// "switch=value" for all values of all switches.
std::set<std::string> all_values() {
  std::set<std::string> result;
  for (const scenario::SwitchInfo& info : scenario::switch_infos())
    for (const scenario::SwitchInfo::Value& one : info.values) {
      std::string value = one.json;
      value.erase(std::remove(value.begin(), value.end(), '"'), value.end());
      result.insert(info.name + "=" + value);
    }
  return result;
}

}  // namespace

TEST_CASE("names and faults of mutants are unique and each has a sentence") {
  std::set<std::string> names;
  std::set<std::string> faults;
  for (const Line& line : lines()) {
    INFO(line.name);
    CHECK(names.insert(line.name).second);
    if (!line.fault.empty()) CHECK(faults.insert(line.fault).second);
    CHECK_FALSE(line.what.empty());
    CHECK(line.what.find('.') == std::string::npos);
  }
}

TEST_CASE("each fault is asked for by one line of the room that it names") {
  std::size_t asked = 0;
  std::map<std::string, std::map<std::string, int>> found;
  for (const char* folder : {kHardware, kDriver, kOperatingSystem, kUserMode, kReference}) {
    found[folder] = asked_in(folder);
    asked += found[folder].size();
  }
  std::size_t declared = 0;
  for (const Line& line : lines()) {
    if (line.fault.empty()) continue;
    INFO(line.name << " " << line.fault);
    ++declared;
    CHECK(found[line.folder][line.fault] == 1);
  }
  CHECK(asked == declared);
}

TEST_CASE("each file of the reference has a fault") {
  for (const auto& entry : fs::recursive_directory_iterator(FENCELINE_SOURCE_DIR "/tb/reference")) {
    if (entry.path().extension() != ".cpp") continue;
    INFO(entry.path());
    CHECK(text_of(entry.path()).find("abi::mutant(") != std::string::npos);
  }
}

TEST_CASE("each switch of a mutant has the value that it is given") {
  const std::set<std::string> values = all_values();
  for (const Line& line : lines()) {
    INFO(line.name << " " << line.ordering);
    if (line.fault.empty() || !line.ordering.empty()) CHECK(values.count(line.ordering) == 1);
  }
}

TEST_CASE("the scenario of a mutant exists") {
  for (const Line& line : lines()) {
    INFO(line.name);
    if (line.scenario.empty()) continue;
    CHECK(fs::exists(FENCELINE_SOURCE_DIR "/scenarios/" + line.scenario + ".json"));
  }
}

}  // namespace fenceline::cli::test_mutants
